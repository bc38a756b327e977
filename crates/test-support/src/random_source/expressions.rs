//! Expressions of random programs. Functions with a restricted domain get arguments inside it, and what grows fast is held.

use super::{
    Construct, Feature, Writer,
    types::{Scalar, TypeId, TypeShape},
};

/// Expressions of a scalar or component by component, with how often each is made. `a`, `b` and `c` are operands; numbers
/// in braces are literals of the operands' type.
const COMPONENT_WISE: &[(&str, usize)] = &[
    ("($a + $b)", 8),
    ("($a - $b)", 6),
    ("($a * $b)", 8),
    ("($a / ($b * $b + {1.0}))", 4),
    ("(-$a)", 3),
    ("sin($a)", 4),
    ("cos($a)", 3),
    ("tanh($a)", 3),
    ("atan($a)", 2),
    ("sqrt($a * $a + {0.5})", 3),
    ("rsqrt($a * $a + {0.5})", 2),
    ("rcp($a * $a + {0.75})", 1),
    ("log($a * $a + {0.5})", 2),
    ("log2($a * $a + {0.5})", 1),
    ("log10($a * $a + {0.5})", 1),
    ("exp(sin($a))", 2),
    ("exp2(sin($a))", 1),
    ("sinh(sin($a))", 1),
    ("cosh(sin($a))", 1),
    ("tan({0.75} * sin($a))", 1),
    ("asin({0.75} * sin($a))", 1),
    ("acos({0.75} * sin($a))", 1),
    ("asinh($a)", 1),
    ("acosh($a * $a + {1.5})", 1),
    ("atanh({0.75} * sin($a))", 1),
    ("copysign($a, sin($b) + {1.5})", 1),
    ("degrees({0.01} * $a)", 1),
    ("radians($a)", 1),
    ("atan2($a, $b * $b + {0.5})", 2),
    ("pow($a * $a + {0.5}, sin($b))", 2),
    ("max($a, $b)", 3),
    ("min($a, $b)", 3),
    ("abs($a)", 2),
    ("saturate($a)", 2),
    ("clamp($a, {-0.515}, {1.265})", 2),
    ("clamp($a, $b - {1.0}, $b + {1.0})", 1),
    ("lerp($a, $b, $c)", 3),
    ("select($a > {0.253}, $b, $c)", 1),
    ("smoothstep({-1.5}, {1.75}, $a)", 2),
    ("mad($a, $b, $c)", 2),
    ("fmod($a, $b * $b + {1.5})", 1),
    ("($a % ($b * $b + {1.5}))", 1),
    ("frac($a)", 1),
    ("({0.25} * (no_diff floor($a)))", 1),
    ("({0.25} * (no_diff ceil($a)))", 1),
    ("({0.25} * (no_diff round($a)))", 1),
    ("({0.25} * (no_diff trunc($a)))", 1),
    ("({0.5} * (no_diff sign($a)))", 1),
    ("({0.5} * (no_diff step($a, $b)))", 1),
];

/// Those that every target has in double precision.
const OF_DOUBLES: &[(&str, usize)] = &[
    ("($a + $b)", 4),
    ("($a - $b)", 4),
    ("($a * $b)", 4),
    ("($a / ($b * $b + {1.0}))", 3),
    ("sqrt($a * $a + {0.5})", 2),
    ("max($a, $b)", 1),
    ("min($a, $b)", 1),
    ("abs($a)", 1),
    ("clamp($a, {-0.515}, {1.265})", 1),
];

/// A number from vectors.
const OF_VECTORS: &[(&str, usize)] =
    &[("dot($v, $w)", 4), ("length(sin($v) + {3.0})", 2), ("distance(sin($v) + {3.0}, sin($w))", 2)];

/// A vector from vectors.
const VECTORS: &[(&str, usize)] = &[
    ("normalize(sin($v) + {3.0})", 3),
    ("reflect(sin($v), $w)", 2),
    ("refract(normalize(sin($v) + {3.0}), normalize(sin($w) + {2.5}), {0.75})", 1),
    ("faceforward($v, sin($w) + {3.0}, cos($v))", 1),
];

/// Integers that are not negative; `i` and `j` are others.
const INTEGERS: &[(&str, usize, bool)] = &[
    ("$i", 6, false),
    ("($i + $j) % 7", 3, false),
    ("$i * 2", 2, false),
    ("max($i, $j)", 1, false),
    ("min($i, $j)", 1, false),
    ("($i & 5)", 1, true),
    ("(($i | 2) % 7)", 1, true),
    ("(($i ^ $j) & 7)", 1, true),
    ("(($i << 1) % 9)", 1, true),
    ("($i >> 1)", 1, true),
    ("(~$i & 3)", 1, true),
    ("int(countbits(uint($i)))", 1, true),
    ("int(asuint(float($i)) >> 23 & 3u)", 1, true),
    ("abs($i - $j)", 1, false),
    ("int(firstbithigh(uint($i) + 1u))", 1, true),
    ("int(firstbitlow(uint($i) + 8u))", 1, true),
    ("int(reversebits(uint($i)) >> 29)", 1, true),
    ("int(f32tof16(float($i)) >> 10 & 7u)", 1, true),
];

/// Conditions of other kinds: of numbers, and of vectors.
const CONDITIONS: &[(&str, usize)] = &[
    ("isnan($a)", 1),
    ("isinf($a)", 1),
    ("isfinite($a)", 1),
    ("any($v > {0.253})", 1),
    ("all($v < {0.757})", 1),
    ("(f16tof32(uint($i) + 15360u) > 1.0015)", 1),
];

/// Floats whose operands have several types; `?` is a condition, `h` a half (a float where the program has none). What is
/// unsigned, truncated or converted shows in the value: `9u - i` is never negative.
const MIXED: &[(&str, usize)] = &[
    ("($? * $a)", 3),
    ("($a - $?)", 1),
    ("(0.125 * $i * $a)", 2),
    ("($a + 0.25 * ($i % 3u))", 1),
    ("($i - 9u > 5 ? $a : $b)", 2),
    ("(-($i) / 2u > 100 ? $a : $b)", 2),
    ("(~($?) ? $a : $b)", 1),
    ("(max($? + $?, 1) * $a)", 1),
    ("(($? ? 3u : $i) - 9 > 100 ? $a : $b)", 1),
    ("(abs($?) / 2 + $a)", 1),
    ("($i / 4 * 0.5 + $a)", 1),
    ("($h * $a)", 2),
    ("($a / ($h * $h + 1))", 1),
    ("lerp($a, 1, $h)", 1),
    ("(!$i ? $a : $b)", 1),
    ("dot($a * float2($i, 1), 0.25)", 1),
];

/// How deep expressions nest.
const DEPTH: usize = 3;

impl Writer {
    /// A literal that arithmetic is unlikely to hit.
    pub(super) fn literal(&mut self, scalar: Scalar) -> String {
        let number = (self.choices.below(257) as f64 - 64.0) / 64.0;
        spell_literal(number, scalar)
    }

    /// A value of a type, as an expression. What is not a number is a variable, which may be made for it.
    pub(super) fn value(&mut self, ty: TypeId) -> String {
        self.value_within(ty, DEPTH)
    }

    fn value_within(&mut self, ty: TypeId, depth: usize) -> String {
        match self.types.shape(ty).clone() {
            TypeShape::Scalar(scalar) => self.numeric(scalar, 1, depth),
            TypeShape::Vector(scalar, len) => self.numeric(scalar, len, depth),
            TypeShape::Matrix(scalar, rows, cols) => self.matrix(scalar, rows, cols, depth),
            TypeShape::Int => self.int(),
            TypeShape::Bool => self.condition(),
            _ => match self.readable_place(ty) {
                Some(place) if self.is_expression_only() || self.choices.below(4) > 0 => place,
                _ => self.variable(ty),
            },
        }
    }

    pub(super) fn float(&mut self) -> String {
        self.numeric(Scalar::Float, 1, DEPTH)
    }

    /// A short expression.
    pub(super) fn simple_float(&mut self) -> String {
        self.numeric(Scalar::Float, 1, 1)
    }

    /// A place, a literal or a conversion.
    pub(super) fn leaf(&mut self, scalar: Scalar, len: u8) -> String {
        let ty = self.types.numeric(scalar, len);
        if self.choices.below(8) < 7
            && let Some(place) = self.readable_place(ty)
        {
            return place;
        }
        if len == 1 {
            if scalar != Scalar::Float
                && self.choices.below(3) > 0
                && let float = self.types.float()
                && let Some(place) = self.readable_place(float)
            {
                return format!("{}({place})", scalar.name());
            }
            return self.literal(scalar);
        }
        let name = self.types.spell(ty);
        if scalar == Scalar::Float && self.choices.chance(2) {
            // Components of another vector.
            let other = self.choices.within(2..=4) as u8;
            let other_ty = self.types.numeric(scalar, other);
            if let Some(vector) = self.readable_place(other_ty) {
                self.reach(Construct::SwizzleRead);
                let components: String =
                    (0..len).map(|_| *self.choices.one(&['x', 'y', 'z', 'w'][..usize::from(other)])).collect();
                return format!("{vector}.{components}");
            }
        }
        if scalar == Scalar::Float
            && self.has(Feature::Matrices)
            && self.choices.chance(2)
            && let Some(swizzle) = self.matrix_swizzle(usize::from(len), false)
        {
            return swizzle;
        }
        let parts: Vec<String> = if self.choices.chance(7) {
            (0..len).map(|_| self.leaf(scalar, 1)).collect()
        } else {
            vec![self.leaf(scalar, 1)]
        };
        format!("{name}({})", parts.join(", "))
    }

    /// A number or a vector.
    pub(super) fn numeric(&mut self, scalar: Scalar, len: u8, depth: usize) -> String {
        if depth == 0 || self.choices.below(4) == 0 {
            return self.leaf(scalar, len);
        }
        let depth = depth - 1;
        // What there is besides functions of components.
        match self.choices.below(12) {
            9 if len == 1 && scalar == Scalar::Float => return self.special(depth),
            10 if scalar != Scalar::Double => {
                return if len == 1 {
                    let of = self.choices.within(2..=4) as u8;
                    self.template(OF_VECTORS, scalar, of, depth)
                } else if len == 3 && self.choices.chance(3) {
                    let (a, b) = (self.numeric(scalar, len, depth), self.leaf(scalar, len));
                    format!("cross({a}, {b})")
                } else {
                    self.template(VECTORS, scalar, len, depth)
                };
            }
            11 if scalar == Scalar::Float && self.has(Feature::Matrices) && len > 1 => {
                return self.matrix_product(len);
            }
            _ => {}
        }
        let table = if scalar == Scalar::Double { OF_DOUBLES } else { COMPONENT_WISE };
        self.template(table, scalar, len, depth)
    }

    /// An expression of a table. Operands of `len` components.
    fn template(&mut self, table: &'static [(&str, usize)], scalar: Scalar, len: u8, depth: usize) -> String {
        let text = self.choices.weighted(table);
        if len > 1 && text.starts_with("select") {
            self.reach(Construct::VectorSelect);
        }
        let mut operand = |name: &str, depth: usize| {
            if text.contains(name) { self.numeric(scalar, len, depth) } else { String::new() }
        };
        let operands = [
            ("$a", operand("$a", depth)),
            ("$b", operand("$b", depth.min(1))),
            ("$c", operand("$c", 0)),
            ("$v", operand("$v", depth)),
            ("$w", operand("$w", depth.min(1))),
        ];
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['$', '{']) {
            out += &rest[..at];
            rest = &rest[at..];
            if let Some(literal) = rest.strip_prefix('{') {
                let (number, after) = literal.split_once('}').unwrap_or((literal, ""));
                out += &spell_literal(number.parse().unwrap_or(1.0), scalar);
                rest = after;
            } else {
                let (name, after) = rest.split_at(2);
                out += operands.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
                rest = after;
            }
        }
        out + rest
    }

    /// A float of [`MIXED`].
    fn mixed(&mut self, depth: usize) -> String {
        self.reach(Construct::MixedTypes);
        let text = self.choices.weighted(MIXED);
        let half = if self.has(Feature::Half) { Scalar::Half } else { Scalar::Float };
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out += &rest[..at];
            let (name, after) = rest[at..].split_at(2);
            out += &match name {
                "$a" => self.numeric(Scalar::Float, 1, depth),
                "$b" => self.leaf(Scalar::Float, 1),
                "$h" => self.leaf(half, 1),
                "$i" => format!("({})", self.int()),
                _ => format!("({})", self.condition()),
            };
            rest = after;
        }
        out + rest
    }

    /// A float from something that is not arithmetic.
    fn special(&mut self, depth: usize) -> String {
        let mut makers: Vec<fn(&mut Writer, usize) -> Option<String>> = vec![
            |w, depth| {
                w.reach(Construct::Conditional);
                let condition = w.condition();
                Some(format!(
                    "({condition} ? {} : {})",
                    w.numeric(Scalar::Float, 1, depth),
                    w.numeric(Scalar::Float, 1, depth)
                ))
            },
            |w, _| w.method_value(),
            |w, _| w.called_value(),
            |w, _| w.called_value(),
        ];
        if self.has(Feature::MixedTypes) {
            for _ in 0..4 {
                makers.push(|w, depth| Some(w.mixed(depth)));
            }
        }
        if self.has(Feature::Half) {
            makers.push(|w, depth| Some(format!("float({})", w.numeric(Scalar::Half, 1, depth))));
            makers.push(|w, depth| Some(format!("float({})", w.numeric(Scalar::Half, 1, depth))));
        }
        if self.has(Feature::Double) {
            makers.push(|w, depth| Some(format!("float({})", w.numeric(Scalar::Double, 1, depth))));
            makers.push(|w, depth| Some(format!("float({})", w.numeric(Scalar::Double, 1, depth))));
        }
        if self.has(Feature::Detach) {
            makers.push(|w, depth| {
                w.reach(Construct::Detach);
                Some(format!("detach({})", w.numeric(Scalar::Float, 1, depth)))
            });
            makers.push(|w, _| {
                let call = w.called_value()?;
                w.reach(Construct::NoDiffCall);
                Some(format!("(0.25 * (no_diff {call}))"))
            });
        }
        if self.has(Feature::Matrices) {
            makers.push(|w, _| {
                let size = w.choices.within(2..=3) as u8;
                let matrix = w.matrix(Scalar::Float, size, size, 1);
                Some(format!("determinant({matrix})"))
            });
        }
        let maker = *self.choices.one(&makers);
        maker(self, depth).unwrap_or_else(|| self.leaf(Scalar::Float, 1))
    }

    /// So many different elements of a matrix: `m._m00_m12`, `m._11_23`.
    pub(super) fn matrix_swizzle(&mut self, count: usize, writable: bool) -> Option<String> {
        let is_matrix = |ty: &TypeId| matches!(self.types.shape(*ty), TypeShape::Matrix(Scalar::Float, ..));
        let ty = self.known.iter().copied().find(is_matrix)?;
        let &TypeShape::Matrix(_, rows, cols) = self.types.shape(ty) else { return None };
        let place = self.place(ty, writable)?;
        self.reach(Construct::MatrixSwizzle);
        let elements = usize::from(rows) * usize::from(cols);
        let (first, step) = (self.choices.below(elements), self.choices.below(elements / count) + 1);
        let from_one = self.choices.below(2);
        let element = |number: usize| {
            let at = (first + number * step) % elements;
            let (row, col) = (at / usize::from(cols), at % usize::from(cols));
            if from_one == 1 { format!("_{}{}", row + 1, col + 1) } else { format!("_m{row}{col}") }
        };
        Some(format!("{place}.{}", (0..count).map(element).collect::<String>()))
    }

    /// A product of a matrix and a vector, of so many components.
    fn matrix_product(&mut self, len: u8) -> String {
        self.reach(Construct::MatrixProduct);
        let other = self.choices.within(2..=4) as u8;
        let vector = self.leaf(Scalar::Float, other);
        if self.choices.below(2) == 0 {
            let matrix = self.matrix(Scalar::Float, len, other, 0);
            format!("sin(mul({matrix}, {vector}))")
        } else {
            let matrix = self.matrix(Scalar::Float, other, len, 0);
            format!("sin(mul({vector}, {matrix}))")
        }
    }

    pub(super) fn matrix(&mut self, scalar: Scalar, rows: u8, cols: u8, depth: usize) -> String {
        self.reach(if rows == cols { Construct::Matrix } else { Construct::MatrixNotSquare });
        let ty = self.types.intern(TypeShape::Matrix(scalar, rows, cols));
        let place = self.readable_place(ty);
        if depth == 0 || self.choices.below(3) == 0 {
            if let Some(place) = place {
                return place;
            }
            let rows: Vec<String> = (0..rows).map(|_| self.leaf(scalar, cols)).collect();
            return format!("{}({})", self.types.spell(ty), rows.join(", "));
        }
        let depth = depth - 1;
        match self.choices.below(5) {
            0 => format!("({} - {})", self.matrix(scalar, rows, cols, depth), self.matrix(scalar, rows, cols, 0)),
            1 => format!("({} * {})", self.matrix(scalar, rows, cols, depth), self.leaf(scalar, 1)),
            2 => format!("transpose({})", self.matrix(scalar, cols, rows, depth)),
            3 => {
                self.reach(Construct::MatrixProduct);
                let inner = self.choices.within(2..=4) as u8;
                let left = self.matrix(scalar, rows, inner, depth);
                format!("({} * mul({left}, {}))", spell_literal(0.25, scalar), self.matrix(scalar, inner, cols, 0))
            }
            _ => format!("tanh({})", self.matrix(scalar, rows, cols, depth)),
        }
    }

    /// An integer from 0 to about 20.
    pub(super) fn int(&mut self) -> String {
        let leaf = |w: &mut Writer| {
            let int = w.types.int();
            match w.readable_place(int) {
                Some(place) if w.choices.below(4) > 0 => place,
                _ => w.choices.below(6).to_string(),
            }
        };
        let table: Vec<((&str, bool), usize)> =
            INTEGERS.iter().map(|&(text, weight, bits)| ((text, bits), weight)).collect();
        let (text, bits) = self.choices.weighted(&table);
        if bits {
            self.reach(Construct::BitOperations);
        }
        let i = leaf(self);
        let j = if text.contains("$j") { leaf(self) } else { String::new() };
        text.replace("$i", &i).replace("$j", &j)
    }

    /// An index below `len`.
    pub(super) fn index(&mut self, len: u8) -> String {
        if self.choices.below(8) < 4 {
            return self.choices.below(usize::from(len)).to_string();
        }
        format!("({}) % {len}", self.int())
    }

    pub(super) fn condition(&mut self) -> String {
        let one = |w: &mut Writer| {
            if w.has(Feature::Flags)
                && w.choices.chance(3)
                && let bool = w.types.intern(TypeShape::Bool)
                && let Some(flag) = w.readable_place(bool)
            {
                return flag;
            }
            if w.choices.chance(3) {
                let operator = *w.choices.one(&["<", ">", "==", "!=", ">="]);
                return format!("{} {operator} {}", w.int(), w.choices.below(4));
            }
            if w.choices.below(10) == 9 {
                let text = w.choices.weighted(CONDITIONS);
                let (a, i) = (w.leaf(Scalar::Float, 1), w.int());
                let v = if text.contains("$v") { w.leaf(Scalar::Float, 3) } else { String::new() };
                return text.replace("$a", &a).replace("$i", &i).replace("$v", &v).replace(['{', '}'], "");
            }
            let operator = *w.choices.one(&["<", ">", "<=", ">="]);
            // Not a number that arithmetic is likely to hit.
            let limit = w.choices.below(200) as f64 / 100.0 - 0.998_63;
            format!("{} {operator} {limit:?}", w.simple_float())
        };
        let first = one(self);
        match self.choices.below(8) {
            6 => format!("({first}) && ({})", one(self)),
            7 => format!("!({first}) || {}", one(self)),
            _ => first,
        }
    }
}

pub(super) fn spell_literal(number: f64, scalar: Scalar) -> String {
    match scalar {
        Scalar::Float if number < 0.0 => format!("({number:?})"),
        Scalar::Float => format!("{number:?}"),
        Scalar::Half | Scalar::Double => format!("{}({number:?})", scalar.name()),
    }
}

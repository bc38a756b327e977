//! Expressions of random programs. Functions with a restricted domain get arguments inside it.

use super::{Kind, Writer};

impl Writer {
    /// A literal that arithmetic is unlikely to hit.
    pub(super) fn literal(&mut self) -> String {
        let number = f64::from(self.rng.i32(-128..=128)) / 64.0;
        if number < 0.0 { format!("({number:?})") } else { format!("{number:?}") }
    }

    /// A place of the kind, most often in a recent variable: `v`, `r.a`, `w[i]`, `rs[i].v.y`.
    pub(super) fn place(&mut self, kind: Kind, writable: bool) -> Option<String> {
        let fits = |candidate: Kind| {
            candidate == kind
                || match kind {
                    Kind::Float => candidate != Kind::Int,
                    Kind::Vector => matches!(candidate, Kind::Record | Kind::Records | Kind::Matrix),
                    Kind::Array => matches!(candidate, Kind::Record | Kind::Records),
                    Kind::Record => candidate == Kind::Records,
                    Kind::Int => matches!(candidate, Kind::Record | Kind::Records),
                    Kind::Matrix | Kind::Records => false,
                }
        };
        let fitting: Vec<(String, Kind)> = self
            .variables
            .iter()
            .filter(|variable| fits(variable.kind) && (variable.mutable || !writable))
            .map(|variable| (variable.name.clone(), variable.kind))
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let from = if self.rng.bool() { fitting.len().saturating_sub(4) } else { 0 };
        let (name, from_kind) = fitting[self.rng.usize(from..fitting.len())].clone();
        Some(self.path(name, from_kind, kind))
    }

    /// A part of the value at `path`.
    fn path(&mut self, path: String, from: Kind, to: Kind) -> String {
        if from == to {
            return path;
        }
        match from {
            Kind::Vector => {
                let component = ["x", "y", "z"][self.rng.usize(0..3)];
                format!("{path}.{component}")
            }
            Kind::Array => format!("{path}[{}]", self.index(4)),
            Kind::Matrix => {
                let row = format!("{path}[{}]", self.rng.u8(0..3));
                if to == Kind::Vector { row } else { format!("{row}[{}]", self.rng.u8(0..3)) }
            }
            Kind::Record => match to {
                Kind::Vector => format!("{path}.v"),
                Kind::Array => format!("{path}.w"),
                Kind::Int => format!("{path}.n"),
                _ => match self.rng.u8(0..3) {
                    0 => format!("{path}.a"),
                    1 => self.path(format!("{path}.v"), Kind::Vector, Kind::Float),
                    _ => self.path(format!("{path}.w"), Kind::Array, Kind::Float),
                },
            },
            Kind::Records => {
                let element = format!("{path}[{}]", self.index(3));
                self.path(element, Kind::Record, to)
            }
            Kind::Float | Kind::Int => path,
        }
    }

    /// An index below `len`.
    pub(super) fn index(&mut self, len: u32) -> String {
        match self.rng.u8(0..8) {
            0..=2 => self.rng.u32(0..len).to_string(),
            7 if self.sums == 0 => {
                self.sums += 8;
                let x = self.float();
                self.sums -= 8;
                format!("int(min(abs({x}), 100.0) * 2.0) % {len}")
            }
            _ => {
                let number = self.int();
                format!("({number}) % {len}")
            }
        }
    }

    /// An integer that is not negative.
    pub(super) fn int(&mut self) -> String {
        if self.chance(2) {
            return self.rng.u8(0..5).to_string();
        }
        let Some(place) = self.variables.iter().rev().find(|variable| variable.kind == Kind::Int) else {
            return self.rng.u8(0..5).to_string();
        };
        let place = place.name.clone();
        match self.rng.u8(0..5) {
            0 => format!("{place} + {}", self.rng.u8(1..3)),
            1 => format!("{place} * 2"),
            _ => place,
        }
    }

    pub(super) fn condition(&mut self) -> String {
        let one = |w: &mut Writer| {
            if w.chance(3) {
                let operator = ["<", ">", "=="][w.rng.usize(0..3)];
                return format!("{} {operator} {}", w.int(), w.rng.u8(0..4));
            }
            let operator = ["<", ">"][w.rng.usize(0..2)];
            // Not a number that arithmetic is likely to hit.
            let limit = f64::from(w.rng.i32(-100..100)) / 100.0 + 0.001_37;
            w.sums += 6;
            let x = w.float();
            w.sums -= 6;
            format!("{x} {operator} {limit:?}")
        };
        let first = one(self);
        match self.rng.u8(0..8) {
            0 => format!("{first} && {}", one(self)),
            1 => format!("({first} || {})", one(self)),
            _ => first,
        }
    }

    pub(super) fn value(&mut self, kind: Kind) -> Option<String> {
        match kind {
            Kind::Float => Some(self.float()),
            Kind::Vector => Some(self.vector()),
            Kind::Matrix => Some(self.matrix()),
            Kind::Int => Some(self.int()),
            Kind::Record => self.record_value(),
            Kind::Array | Kind::Records => self.place(kind, false),
        }
    }

    pub(super) fn float(&mut self) -> String {
        self.sums += 1;
        let text = if self.sums > 3 || self.chance(3) { self.leaf() } else { self.operation() };
        self.sums -= 1;
        text
    }

    fn leaf(&mut self) -> String {
        if self.chance(8)
            && let Some(place) = self.place(Kind::Float, false)
        {
            return place;
        }
        self.literal()
    }

    fn operation(&mut self) -> String {
        let a = self.float();
        let suffix = self.suffix.clone();
        match self.rng.u8(0..36) {
            0..=2 => format!("({a} + {})", self.float()),
            3..=4 => format!("({a} - {})", self.float()),
            5..=9 => format!("{a} * {}", self.float()),
            10 => {
                let b = self.leaf();
                format!("{a} / (1.0 + {b} * {b})")
            }
            11 => format!("(-{a})"),
            12..=13 => format!("sin({a})"),
            14 => format!("cos({a})"),
            15 => format!("tanh({a})"),
            16 => format!("atan({a})"),
            17 => {
                let b = self.leaf();
                format!("sqrt(0.5 + {b} * {b})")
            }
            18 => {
                let b = self.leaf();
                format!("log(0.5 + {b} * {b})")
            }
            19 => format!("exp(sin({a}))"),
            20 => {
                let b = self.leaf();
                format!("pow(0.5 + {b} * {b}, sin({a}))")
            }
            21 => format!("max({a}, {})", self.float()),
            22 => format!("min({a}, {})", self.float()),
            23 => format!("lerp({a}, {}, {})", self.leaf(), self.leaf()),
            24 => format!("clamp({a}, -0.7613, 0.8127)"),
            25 => format!("abs({a})"),
            26 => format!("atan2({a}, 0.5 + {0} * {0})", self.leaf()),
            27 => format!("dot({}, {})", self.vector_leaf(), self.vector_leaf()),
            28 => format!("length(sin({}) + 3.0)", self.vector_leaf()),
            29 => {
                let condition = self.condition();
                format!("({condition} ? {a} : {})", self.float())
            }
            30 => format!("mad({a}, {}, {})", self.leaf(), self.leaf()),
            31 if self.features.blend => format!("blend_{suffix}<float>(sin({a}), {})", self.leaf()),
            32 if self.features.total => match self.place(Kind::Array, false) {
                Some(array) => format!("total_{suffix}<4>({array}, {a})"),
                None => a,
            },
            33 if self.features.method && self.features.record => match self.place(Kind::Record, false) {
                Some(record) => format!("{record}.reach({a})"),
                None => a,
            },
            34 => self.pure_call().unwrap_or(a),
            35 => format!("rsqrt(0.5 + {0} * {0})", self.leaf()),
            _ => format!("sin({a} * 1.25)"),
        }
    }

    /// A call of a function that only reads.
    fn pure_call(&mut self) -> Option<String> {
        let callees: Vec<_> = self
            .callees
            .iter()
            .filter(|callee| {
                callee.returns == Some(Kind::Float)
                    && callee.params.iter().all(|(_, direction)| *direction == super::Direction::In)
            })
            .cloned()
            .collect();
        let callee = self.rng.choice(&callees)?.clone();
        self.sums += 2;
        let args: Option<Vec<String>> = callee.params.iter().map(|&(kind, _)| self.value(kind)).collect();
        self.sums -= 2;
        Some(format!("{}({})", callee.name, args?.join(", ")))
    }

    fn vector_leaf(&mut self) -> String {
        if self.chance(8)
            && let Some(place) = self.place(Kind::Vector, false)
        {
            return place;
        }
        format!("float3({}, {}, {})", self.leaf(), self.leaf(), self.leaf())
    }

    pub(super) fn vector(&mut self) -> String {
        let a = self.vector_leaf();
        match self.rng.u8(0..14) {
            0 => format!("({a} + {})", self.vector_leaf()),
            1 => format!("{a} * {}", self.vector_leaf()),
            2 => format!("{a} * {}", self.leaf()),
            3 => format!("cross({a}, {})", self.vector_leaf()),
            4 => format!("normalize(sin({a}) + 3.0)"),
            5 => format!("reflect(sin({a}), {})", self.vector_leaf()),
            6 => {
                let swizzle = ["zxy", "yzx", "xxz", "zyx"][self.rng.usize(0..4)];
                format!("{a}.{swizzle}")
            }
            7 => format!("lerp({a}, {}, {})", self.vector_leaf(), self.vector_leaf()),
            8 => format!("tanh({a})"),
            9 => format!("max({a}, {})", self.vector_leaf()),
            10 => match self.place(Kind::Matrix, false) {
                Some(matrix) if self.rng.bool() => format!("sin(mul({matrix}, {a}))"),
                Some(matrix) => format!("sin(mul({a}, {matrix}))"),
                None => a,
            },
            11 => format!("-{a}"),
            _ => a,
        }
    }

    pub(super) fn matrix(&mut self) -> String {
        let Some(a) = self.place(Kind::Matrix, false) else {
            return format!("float3x3({}, {}, {})", self.vector(), self.vector(), self.vector());
        };
        match self.rng.u8(0..6) {
            0 => {
                let b = self.place(Kind::Matrix, false).unwrap_or_else(|| a.clone());
                format!("0.5 * mul({a}, {b})")
            }
            1 => format!("transpose({a})"),
            2 => format!("{a} * {}", self.leaf()),
            3 => {
                let b = self.place(Kind::Matrix, false).unwrap_or_else(|| a.clone());
                format!("({a} - {b})")
            }
            4 => format!("float3x3({}, {}, {})", self.vector(), self.vector(), self.vector()),
            _ => a,
        }
    }

    fn record_value(&mut self) -> Option<String> {
        if self.features.constructor && self.features.record && self.chance(4) {
            let record = self.record();
            return Some(format!("{record}({}, {}, {})", self.float(), self.vector(), self.int()));
        }
        self.place(Kind::Record, false)
    }
}

//! What random programs declare besides functions: structs, the interface, generics, rules that the user writes.

use super::{
    Callee, Construct, Direction, Feature, Writer,
    expressions::spell_literal,
    types::{Scalar, Struct, StructId, TypeId, TypeShape},
};

/// The method that a value itself is called by.
pub(super) const CALL_OPERATOR: &str = "operator()";

/// Functions of `x` and `y` with their derivatives by each.
const RULES: &[[&str; 3]] = &[
    ["x * x * y", "2.0 * x * y", "x * x"],
    ["sin(x) * y + x", "cos(x) * y + 1.0", "sin(x)"],
    ["x / (1.0 + y * y)", "1.0 / (1.0 + y * y)", "-2.0 * x * y / ((1.0 + y * y) * (1.0 + y * y))"],
    ["tanh(x) - 0.5 * y * y", "1.0 - tanh(x) * tanh(x)", "-y"],
    ["exp(sin(x)) * y", "cos(x) * exp(sin(x)) * y", "exp(sin(x))"],
];

impl Writer {
    /// One of the types that variables have, most often a number.
    pub(super) fn any_type(&mut self) -> TypeId {
        match self.choices.below(10) {
            0..=3 => self.types.float(),
            // What stands in front of the program's own types knows vectors only.
            number if number < 6 || self.known.is_empty() => {
                let len = self.choices.within(2..=4) as u8;
                self.types.numeric(Scalar::Float, len)
            }
            _ => {
                let known = self.known.clone();
                *self.choices.one(&known)
            }
        }
    }

    /// Makes the types that the program's variables have besides floats.
    pub(super) fn draw_types(&mut self) {
        let float = self.types.float();
        let array = self.types.intern(TypeShape::Array(float, 4));
        self.known.push(array);
        let vector = self.types.numeric(Scalar::Float, 3);
        self.known.push(vector);
        if self.has(Feature::Matrices) {
            let (rows, cols) = (self.choices.within(2..=4) as u8, self.choices.within(2..=4) as u8);
            let matrix = self.types.intern(TypeShape::Matrix(Scalar::Float, rows, cols));
            self.known.push(matrix);
        }
        for (feature, scalar, construct) in
            [(Feature::Half, Scalar::Half, Construct::Half), (Feature::Double, Scalar::Double, Construct::Double)]
        {
            if self.has(feature) {
                self.reach(construct);
                let len = self.choices.within(1..=3) as u8;
                let (one, more) = (self.types.numeric(scalar, 1), self.types.numeric(scalar, len));
                self.known.extend([one, more]);
            }
        }
        if self.has(Feature::Flags) {
            self.reach(Construct::BoolVariable);
            let bool = self.types.intern(TypeShape::Bool);
            self.known.push(bool);
        }
        if self.has(Feature::Tuple) {
            self.reach(Construct::Tuple);
            let parts = vec![float, *self.choices.one(&[vector, float])];
            let tuple = self.types.intern(TypeShape::Tuple(parts));
            self.known.push(tuple);
        }
        if self.is_dynamic {
            let interface = self.types.intern(TypeShape::Interface);
            self.known.push(interface);
            if self.choices.chance(4) {
                self.reach(Construct::ExistentialInArray);
                let array = self.types.intern(TypeShape::Array(interface, 2));
                self.known.push(array);
            }
        }
        for number in 0..self.choices.within(1..=2) {
            let id = self.structure(number);
            let ty = self.types.intern(TypeShape::Struct(id));
            self.known.push(ty);
            if self.choices.chance(4) {
                let many = self.types.intern(TypeShape::Array(ty, 3));
                self.known.push(many);
            }
        }
        if self.has(Feature::Optional) {
            let content = self.optional_content();
            let optional = self.types.intern(TypeShape::Optional(content));
            self.known.push(optional);
        }
    }

    /// What the program's optionals hold.
    pub(super) fn optional_content(&mut self) -> TypeId {
        let mut known = self.known.iter().copied().filter_map(|ty| match self.types.shape(ty) {
            TypeShape::Optional(content) => Some(*content),
            _ => None,
        });
        if let Some(content) = known.next_back() {
            return content;
        }
        if self.is_dynamic && self.choices.chance(6) {
            self.reach(Construct::ExistentialInOptional);
            return self.types.intern(TypeShape::Interface);
        }
        let len = self.choices.within(1..=3) as u8;
        self.types.numeric(Scalar::Float, len)
    }

    /// A struct, with what the program's features give it.
    fn structure(&mut self, number: usize) -> StructId {
        let name = self.global(&format!("Record{number}"));
        let (float, int) = (self.types.float(), self.types.int());
        let mut fields: Vec<(String, TypeId)> = vec![("a".into(), float)];
        for index in 0..self.choices.within(1..=3) {
            let ty = match self.choices.below(4) {
                3 if index > 0 => int,
                _ => {
                    let known = self.known.clone();
                    *self.choices.one(&known)
                }
            };
            if *self.types.shape(ty) == TypeShape::Interface {
                self.reach(Construct::ExistentialInField);
            }
            fields.push((format!("f{index}"), ty));
        }
        let is_generic = self.has(Feature::Generics) && self.choices.below(2) == 1;
        let declared = if is_generic {
            self.reach(Construct::GenericStruct);
            fields.push(("content".into(), float));
            format!("{name}<T : __BuiltinFloatingPointType>")
        } else {
            name.clone()
        };
        let used = if is_generic { format!("{name}<float>") } else { name.clone() };
        let id = StructId(self.types.structs.len());
        self.types.structs.push(Struct {
            name: used,
            fields: fields.clone(),
            constructor: None,
            methods: Vec::new(),
            mutating: Vec::new(),
            makers: Vec::new(),
            properties: Vec::new(),
            subscript: None,
            operators: Vec::new(),
        });
        self.open(&format!("struct {declared} : IDifferentiable"));
        for (field, ty) in &fields {
            let declarator = if field == "content" { "T content".into() } else { self.types.declarator(*ty, field) };
            self.line(&format!("{declarator};"));
        }
        // A generic struct's own functions know nothing of the type, so they leave its content alone.
        let known: Vec<(String, TypeId)> = fields.iter().filter(|(field, _)| field != "content").cloned().collect();
        if self.has(Feature::Methods) {
            self.methods(id, &known, is_generic);
        }
        if self.has(Feature::Accessors) {
            self.accessors(id, &known);
        }
        self.close("};");
        if self.has(Feature::Methods) && !is_generic && self.choices.chance(3) {
            self.reach(Construct::Extension);
            self.open(&format!("extension {name}"));
            self.method(id, &known, "extended");
            self.close("};");
        }
        if self.has(Feature::Accessors) && !is_generic && self.choices.chance(5) {
            self.reach(Construct::Operator);
            let operator = *self.choices.one(&["+", "*", "-"]);
            self.line("[Differentiable]");
            self.open(&format!("{name} operator{operator}({name} left, {name} right)"));
            self.line(&format!("{name} made = left;"));
            self.line(&format!("made.a = left.a {operator} sin(right.a);"));
            self.line("return made;");
            self.close("}");
            self.types.structs[id.0].operators.push(operator);
        }
        id
    }

    fn inside(&mut self, fields: &[(String, TypeId)], mutable: bool) {
        self.taken.clear();
        for (field, ty) in fields {
            self.taken.insert(field.clone());
            self.declare(field, *ty, mutable);
        }
    }

    fn end_of_function(&mut self) {
        self.variables.clear();
        self.taken.clear();
        self.returns = None;
    }

    fn method(&mut self, id: StructId, fields: &[(String, TypeId)], name: &str) {
        self.reach(Construct::StructMethod);
        let float = self.types.float();
        self.line("[Differentiable]");
        self.inside(fields, false);
        let parameter = self.fresh("t");
        self.open(&format!("float {name}(float {parameter})"));
        self.declare_variable(&parameter, float);
        self.returns = Some(float);
        self.statements(2, 1);
        self.return_statement();
        self.close("}");
        self.end_of_function();
        self.types.structs[id.0].methods.push(name.to_owned());
    }

    fn methods(&mut self, id: StructId, fields: &[(String, TypeId)], is_generic: bool) {
        let float = self.types.float();
        let name = self.types.structs[id.0].name.clone();
        if self.choices.chance(5) && !is_generic {
            self.line("[Differentiable]");
            self.open("__init(float start, float by)");
            self.inside(&[], true);
            self.declare_constant("start", float);
            self.declare_constant("by", float);
            for (field, ty) in fields {
                self.initialise(&format!("this.{field}"), *ty);
            }
            self.end_of_function();
            self.close("}");
            self.types.structs[id.0].constructor = Some(vec![float, float]);
            if self.choices.chance(5) {
                self.reach(Construct::StaticMethod);
                self.line("[Differentiable]");
                self.open(&format!("static {name} of(float start)"));
                self.line(&format!("return {name}(start, 0.5 * start);"));
                self.close("}");
                self.types.structs[id.0].makers.push(format!("{name}.of"));
            }
        }
        if self.choices.chance(7) {
            self.method(id, fields, "reach");
        }
        if self.choices.chance(3) {
            self.reach(Construct::CallOperator);
            self.method(id, fields, CALL_OPERATOR);
        }
        if self.choices.chance(6) {
            self.reach(Construct::MutatingMethod);
            self.line("[Differentiable]");
            self.line("[mutating]");
            self.inside(fields, true);
            let parameter = self.fresh("t");
            self.open(&format!("void advance(float {parameter})"));
            self.declare_variable(&parameter, float);
            self.statements(2, 1);
            self.close("}");
            self.end_of_function();
            self.types.structs[id.0].mutating.push("advance".into());
        }
        if self.choices.chance(3) {
            self.reach(Construct::MethodReturnsThis);
            self.line("[Differentiable]");
            self.open("This moved(float by)");
            self.line("This other = this;");
            self.line("other.a = a * 0.5 + sin(by);");
            self.line("return other;");
            self.close("}");
            self.types.structs[id.0].makers.push("moved".into());
        }
    }

    fn accessors(&mut self, id: StructId, fields: &[(String, TypeId)]) {
        let array = fields.iter().find(|(_, ty)| {
            matches!(self.types.shape(*ty), TypeShape::Array(element, 4)
                if *self.types.shape(*element) == TypeShape::Scalar(Scalar::Float))
        });
        let array = array.map(|(field, _)| field.clone());
        if self.choices.chance(6) {
            self.open("property float twice");
            self.line("[Differentiable]");
            self.line("get { return 2.0 * a; }");
            self.line("[Differentiable]");
            self.line("set { a = 0.5 * newValue; }");
            self.close("}");
            self.types.structs[id.0].properties.push("twice".into());
        }
        if let Some(array) = array
            && self.choices.chance(6)
        {
            self.open("__subscript(int index) -> float");
            self.line("[Differentiable]");
            self.line(&format!("get {{ return {array}[index] + a; }}"));
            self.line("[Differentiable]");
            self.line(&format!("set {{ {array}[index] = newValue - a; }}"));
            self.close("}");
            self.types.structs[id.0].subscript = Some(4);
        }
    }

    /// The interface, the structs that have it, and functions over it.
    pub(super) fn interface(&mut self) {
        let name = self.types.interface.clone();
        // Values of interfaces with such requirements are rarer than those of plain ones.
        let is_plain = self.has(Feature::Dynamic) && self.choices.below(4) > 0;
        let constructs = !is_plain && self.choices.below(2) == 1;
        let is_static = !is_plain && self.choices.below(2) == 1;
        let associated = !is_plain && self.choices.below(3) == 2;
        let float = self.types.float();
        self.open(&format!("interface {name} : IDifferentiable"));
        if associated {
            self.reach(Construct::AssociatedType);
            self.line("associatedtype Part : IDifferentiable;");
            self.line("[Differentiable] Part part(float t);");
            self.line("[Differentiable] static float whole(Part part);");
        }
        if constructs {
            self.line("[Differentiable] __init(float start);");
        }
        if is_static {
            self.reach(Construct::InterfaceStaticMember);
            self.line("static const int offset;");
            self.line("[Differentiable] static float shifted(float t);");
        }
        self.line("[Differentiable]");
        self.line("float at(float t);");
        let (has_default, has_property) = (self.choices.chance(3), self.choices.chance(3));
        if has_default {
            self.reach(Construct::InterfaceDefault);
            self.line("[Differentiable]");
            self.line("float again(float t) { return at(t * 0.5) + t * t; }");
        }
        if has_property {
            self.reach(Construct::InterfaceProperty);
            self.line("property float level { [Differentiable] get; }");
        }
        let mut more = String::new();
        more += if has_default { " + 0.5 * field.again(t)" } else { "" };
        more += if has_property { " + field.level * t" } else { "" };
        self.close("};");
        for (number, part) in [("Wave", "float"), ("Line", "float3")] {
            let implementation = self.global(number);
            self.open(&format!("struct {implementation} : {name}"));
            self.line("float k;");
            if number == "Line" {
                self.line("float3 slope;");
            }
            if associated {
                self.line(&format!("typealias Part = {part};"));
                let (make, take) =
                    if part == "float" { ("k * t", "part") } else { ("slope * t + k", "part.x - 0.5 * part.z") };
                self.line(&format!("[Differentiable] {part} part(float t) {{ return {make}; }}"));
                self.line(&format!("[Differentiable] static float whole({part} part) {{ return {take}; }}"));
            }
            if constructs {
                let slope = if number == "Line" { " slope = float3(start, 0.5, sin(start));" } else { "" };
                self.line(&format!("[Differentiable] __init(float start) {{ k = start * 0.75;{slope} }}"));
            }
            if is_static {
                let offset = self.choices.below(257) % 5;
                self.line(&format!("static const int offset = {offset} - 2;"));
                self.line("[Differentiable] static float shifted(float t) { return sin(t) * (0.25 * float(offset)); }");
            }
            if has_default && number == "Line" {
                self.line("[Differentiable]");
                self.line("override float again(float t) { return k * t; }");
            }
            if has_property {
                self.line("property float level { [Differentiable] get { return sin(k); } }");
            }
            self.line("[Differentiable]");
            let mut fields = vec![("k".to_owned(), float)];
            if number == "Line" {
                let vector = self.types.numeric(Scalar::Float, 3);
                fields.push(("slope".into(), vector));
            }
            self.inside(&fields, false);
            self.open("float at(float t)");
            self.declare_variable("t", float);
            self.taken.insert("t".to_owned());
            self.returns = Some(float);
            self.statements(1, 1);
            self.return_statement();
            self.close("}");
            self.end_of_function();
            self.close("};");
        }
        self.line("[Differentiable]");
        let apply = self.global("apply");
        self.open(&format!("float {apply}<F : {name}>(F field, float t)"));
        self.reach(Construct::InterfaceStatic);
        let mut sum = format!("field.at(t) + 0.5 * field.at(t * 0.75){more}");
        if is_static {
            sum += " + F.shifted(t) * float(F.offset)";
        }
        if constructs {
            self.reach(Construct::InterfaceConstructor);
            sum += " + F(t * 0.5).at(0.25)";
        }
        if associated {
            sum += " + F.whole(field.part(t))";
        }
        self.line(&format!("return {sum};"));
        self.close("}");
        self.implementations = vec![(self.global("Wave"), vec![1]), (self.global("Line"), vec![1, 3])];
        self.implementations_construct = constructs;
        if !associated && !constructs && !is_static && self.has(Feature::Dynamic) {
            self.is_dynamic = true;
            self.reach(Construct::ExistentialParameter);
            self.line("[Differentiable]");
            let measure = self.global("measure");
            self.open(&format!("float {measure}({name} field, float t)"));
            self.line(&format!("return field.at(t) * 0.5 + t{more};"));
            self.close("}");
        }
        if self.choices.chance(4) {
            self.reach(Construct::Pack);
            let (add, total) = (self.global("add"), self.global("total_of"));
            self.line("[Differentiable]");
            self.line(&format!("void {add}(inout float total, float value) {{ total = total * 0.5 + value; }}"));
            self.line("[Differentiable]");
            self.open(&format!("float {total}<each F : {name}>(float t, expand each F fields)"));
            self.line("float total = 0.25 * t;");
            self.line(&format!("expand {add}(total, (each fields).at(t));"));
            self.line("return total;");
            self.close("}");
            self.has_pack = true;
        }
    }

    /// A value of one of the structs that have the interface.
    pub(super) fn implementation(&mut self) -> String {
        let implementations = self.implementations.clone();
        let (name, fields) = self.choices.one(&implementations).clone();
        if self.implementations_construct {
            return format!("{name}({})", self.simple_float());
        }
        let values: Vec<String> = fields
            .into_iter()
            .map(|len| {
                let ty = self.types.numeric(Scalar::Float, len);
                self.typed_value(ty)
            })
            .collect();
        format!("{name}({})", values.join(", "))
    }

    pub(super) fn initialise_interface(&mut self, place: &str) {
        let value = self.implementation();
        self.line(&format!("{place} = {value};"));
        let condition = self.condition();
        let other = self.implementation();
        self.line(&format!("if ({condition})"));
        self.line(&format!("    {place} = {other};"));
    }

    /// A statement with an interface value of which it is known at run time only what it is.
    pub(super) fn dynamic(&mut self) {
        if !self.is_dynamic {
            return self.called_statement();
        }
        self.reach(Construct::InterfaceDynamic);
        let interface = self.types.intern(TypeShape::Interface);
        let place = match self.readable_place(interface) {
            Some(place) if self.choices.below(3) > 0 => place,
            _ => self.variable(interface),
        };
        let (name, float) = (self.fresh("of_field"), self.types.float());
        let t = self.simple_float();
        let call = match self.choices.below(2) {
            0 => format!("{place}.at(sin({t}))"),
            _ => format!("{}({place}, sin({t}))", self.global("measure")),
        };
        self.line(&format!("float {name} = {call};"));
        if self.choices.chance(3) {
            self.reach(Construct::TypeTest);
            let wave = self.global("Wave");
            self.line(&format!("if ({place} is {wave})"));
            self.line(&format!("    {name} *= 0.5;"));
        }
        self.declare_variable(&name, float);
    }

    /// Generic functions, functions whose derivative the user writes, and what else calls can use.
    pub(super) fn helpers(&mut self) {
        let float = self.types.float();
        if self.has(Feature::Generics) {
            self.reach(Construct::GenericFunction);
            let (blend, total) = (self.global("blend"), self.global("total"));
            self.line("[Differentiable]");
            if self.choices.below(2) == 1 {
                self.reach(Construct::Where);
                self.open(&format!("T {blend}<T>(T a, T b) where T : __BuiltinFloatingPointType"));
            } else {
                self.open(&format!("T {blend}<T : __BuiltinFloatingPointType>(T a, T b)"));
            }
            self.line("return a * b + a - b * b;");
            self.close("}");
            let callee = Callee { name: blend, params: vec![(float, Direction::In); 2], returns: Some(float) };
            self.callees.push(callee);
            self.reach(Construct::GenericValue);
            self.line("[Differentiable]");
            self.open(&format!("float {total}<let N : int>(float w[N], float t)"));
            for line in [
                "float sum = t;",
                "[MaxIters(4)]",
                "for (int i = 0; i < N; i++)",
                "    sum = sum * 0.5 + w[i] * t;",
                "return sum;",
            ] {
                self.line(line);
            }
            self.close("}");
            let array = self.types.intern(TypeShape::Array(float, 4));
            let params = vec![(array, Direction::In), (float, Direction::In)];
            self.callees.push(Callee { name: total, params, returns: Some(float) });
        }
        if self.has(Feature::WrittenDerivatives) {
            self.written_derivative();
        }
        if self.has(Feature::Globals) {
            self.reach(Construct::GlobalConstant);
            let (table, scope) = (self.global("table"), self.global("scope"));
            let numbers: Vec<String> = (0..3).map(|_| self.literal(Scalar::Float)).collect();
            self.line(&format!("static const float {table}[3] = {{ {} }};", numbers.join(", ")));
            self.reach(Construct::Namespace);
            self.reach(Construct::DefaultArgument);
            self.open(&format!("namespace {scope}"));
            self.line("[Differentiable]");
            self.open("float boost(float x, float by = 0.75)");
            self.line(&format!("return x * by + {table}[1];"));
            self.close("}");
            self.close("}");
            let name = format!("{scope}.boost");
            self.callees.push(Callee {
                name: name.clone(),
                params: vec![(float, Direction::In)],
                returns: Some(float),
            });
            self.callees.push(Callee { name, params: vec![(float, Direction::In); 2], returns: Some(float) });
        }
        if self.has(Feature::Derivatives) {
            self.reach(Construct::DerivativeInDifferentiated);
            let (curve, slope) = (self.global("curve"), self.global("slope"));
            let backward = self.choices.below(2) == 1;
            self.line("[Differentiable]");
            self.line(&format!("float {curve}(float x, float y) {{ return {}; }}", RULES[self.made_rule % 5][0]));
            self.line("[Differentiable]");
            self.open(&format!("float {slope}(float x, float y)"));
            if backward {
                self.line("var p = diffPair(x, 0.0);\n    var q = diffPair(y, 0.0);");
                self.line(&format!("bwd_diff({curve})(p, q, 1.0);"));
                self.line("return p.d + 0.5 * q.d;");
            } else {
                self.line(&format!("return fwd_diff({curve})(diffPair(x, 1.0), diffPair(y, 0.5)).d;"));
            }
            self.close("}");
            self.callees.push(Callee { name: slope, params: vec![(float, Direction::In); 2], returns: Some(float) });
        }
        if self.has(Feature::Lambda) {
            self.line("[Differentiable]");
            let twice = self.global("twice");
            self.open(&format!("float {twice}<F : IDifferentiableFunc<float, float>>(F f, float x)"));
            self.line("return f(x) + 0.5 * f(x * 0.5);");
            self.close("}");
        }
        if self.has(Feature::Throws) {
            let (risky, problem) = (self.global("risky"), self.global("Problem"));
            self.line(&format!("enum {problem} {{ Low, High }}"));
            self.line("[Differentiable]");
            let error = self.fresh("x");
            self.open(&format!("float {risky}(float {error}, int n) throws {problem}"));
            self.line(&format!("if ({error} < {})", spell_literal(-0.503, Scalar::Float)));
            self.line(&format!("    throw {problem}.Low;"));
            self.line(&format!("let square = {error} * {error};"));
            self.line("if (square > 1.507 || n > 7)");
            self.line(&format!("    throw {problem}.High;"));
            self.line(&format!("return square * {error};"));
            self.close("}");
            self.taken.clear();
        }
    }

    /// A function with a derivative by the user's hand, which is right.
    fn written_derivative(&mut self) {
        let float = self.types.float();
        let name = self.global("written");
        let rule = self.choices.below(RULES.len());
        self.made_rule = rule;
        let [value, by_x, by_y] = RULES[rule];
        let forward = |of: &str, attribute: &str, name: &str| {
            format!(
                "{attribute}[Differentiable]
DifferentialPair<float> {name}(DifferentialPair<float> px, DifferentialPair<float> py)
{{
    let x = px.p;
    let y = py.p;
    return diffPair({of}, ({by_x}) * px.d + ({by_y}) * py.d);
}}"
            )
        };
        let backward = |attribute: &str, name: &str| {
            format!(
                "{attribute}[Differentiable]
void {name}(inout DifferentialPair<float> px, inout DifferentialPair<float> py, float cotangent)
{{
    let x = px.p;
    let y = py.p;
    px = diffPair(x, ({by_x}) * cotangent);
    py = diffPair(y, ({by_y}) * cotangent);
}}"
            )
        };
        let primal = |attributes: &str| format!("{attributes}float {name}(float x, float y) {{ return {value}; }}");
        let (ahead, back, other) = (format!("{name}_ahead"), format!("{name}_back"), format!("{name}_other"));
        let (construct, texts) = match self.choices.below(6) {
            0 => (
                Construct::ForwardDerivative,
                vec![primal(&format!("[ForwardDerivative({ahead})]\n")), forward(value, "", &ahead)],
            ),
            1 => (
                Construct::BackwardDerivative,
                vec![
                    primal(&format!("[ForwardDerivative({ahead})]\n[BackwardDerivative({back})]\n")),
                    forward(value, "", &ahead),
                    backward("", &back),
                ],
            ),
            2 => (
                Construct::ForwardDerivativeOf,
                vec![primal(""), forward(value, &format!("[ForwardDerivativeOf({name})]\n"), &ahead)],
            ),
            3 => (
                Construct::BackwardDerivativeOf,
                vec![
                    primal(""),
                    forward(value, &format!("[ForwardDerivativeOf({name})]\n"), &ahead),
                    backward(&format!("[BackwardDerivativeOf({name})]\n"), &back),
                ],
            ),
            4 => (
                Construct::PrimalSubstitute,
                vec![
                    primal(&format!("[PrimalSubstitute({other})]\n")),
                    format!("[Differentiable]\nfloat {other}(float x, float y) {{ return {value}; }}"),
                ],
            ),
            _ => (
                Construct::PrimalSubstituteOf,
                vec![
                    primal(""),
                    format!(
                        "[PrimalSubstituteOf({name})]\n[Differentiable]\nfloat {other}(float x, float y) {{ return {value}; }}"
                    ),
                ],
            ),
        };
        self.reach(construct);
        for text in texts {
            self.line(&text);
        }
        self.callees.push(Callee { name, params: vec![(float, Direction::In); 2], returns: Some(float) });
    }
}

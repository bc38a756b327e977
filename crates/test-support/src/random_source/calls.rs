//! Functions of random programs, and their calls.

use super::{
    Callee, Construct, Direction, Feature, Writer,
    declarations::CALL_OPERATOR,
    types::{Scalar, TypeId, TypeShape},
};

impl Writer {
    /// A function with a random signature.
    pub(super) fn function(&mut self, name: &str, statements: usize, depth: usize) {
        let (float, int) = (self.types.float(), self.types.int());
        let mut params = vec![(float, Direction::In)];
        for _ in 0..self.choices.within(1..=3) {
            let ty = self.any_type();
            let direction = match self.choices.below(8) {
                0..=4 => Direction::In,
                5 => Direction::Out,
                _ => Direction::InOut,
            };
            params.push((ty, direction));
        }
        // Not the last one, so that the order of parameters is the user's.
        let at = self.choices.below(params.len() + 1);
        params.insert(params.len() - at, (int, Direction::In));
        let returns = match self.choices.below(8) {
            6 => None,
            7 => Some(self.any_type()),
            _ => Some(float),
        };
        // Arrays cannot be returned.
        let returns = returns.filter(|&ty| !matches!(self.types.shape(ty), TypeShape::Array(..)));
        let names: Vec<String> = params.iter().map(|_| self.fresh("p")).collect();
        let mut spelled = Vec::new();
        for (&(ty, direction), name) in params.iter().zip(&names) {
            let word = match direction {
                Direction::In => "",
                Direction::Out => "out ",
                Direction::InOut => "inout ",
            };
            // Integers carry nothing anyway; to say so changes nothing.
            let is_marked = ty == int && self.choices.chance(2);
            if is_marked {
                self.reach(Construct::NoDiffParameter);
            }
            let mark = if is_marked { "no_diff " } else { "" };
            spelled.push(format!("{mark}{word}{}", self.types.declarator(ty, name)));
        }
        let result = returns.map_or("void".to_owned(), |ty| self.types.spell(ty));
        self.line("[Differentiable]");
        self.open(&format!("{result} {name}({})", spelled.join(", ")));
        self.returns = returns;
        for (&(ty, direction), name) in params.iter().zip(&names) {
            if direction != Direction::Out {
                let mutable = direction == Direction::InOut || (direction == Direction::In && ty == float);
                self.declare(name, ty, mutable);
            }
        }
        for (&(ty, direction), name) in params.iter().zip(&names) {
            if direction == Direction::Out {
                self.initialise(name, ty);
                self.declare_variable(name, ty);
            }
        }
        self.may_return = true;
        self.statements(statements, depth);
        self.return_statement();
        self.may_return = false;
        self.close("}");
        self.variables.clear();
        self.taken.clear();
        self.returns = None;
        self.callees.push(Callee { name: name.to_owned(), params, returns });
    }

    /// Makes arguments from numbers, calls `f`, and adds up what comes back.
    pub(super) fn root(&mut self) {
        let (float, int) = (self.types.float(), self.types.int());
        self.line("[Differentiable]");
        let name = self.global("root");
        self.taken.extend(["sum", "returned", "n"].map(str::to_owned));
        self.open(&format!("float {name}(float x0, float x1, float x2, float x3, int n)"));
        for name in ["x0", "x1", "x2", "x3"] {
            self.declare_constant(name, float);
        }
        self.declare_constant("n", int);
        let Some(callee) = self.callees.pop() else { return };
        let mut args = Vec::new();
        for &(ty, _) in &callee.params {
            args.push(if ty == int { "n".to_owned() } else { self.variable(ty) });
        }
        let call = format!("{}({})", callee.name, args.join(", "));
        match callee.returns {
            None => self.line(&format!("{call};")),
            Some(ty) => {
                let declarator = self.types.declarator(ty, "returned");
                self.line(&format!("{declarator} = {call};"));
            }
        }
        self.line("float sum = 0.0;");
        if let Some(ty) = callee.returns {
            self.add_up("returned", ty, 1.0);
        }
        for (number, (&(ty, direction), arg)) in callee.params.iter().zip(&args).enumerate() {
            if direction != Direction::In {
                self.add_up(arg, ty, 1.0 / (number + 2) as f64);
            }
        }
        self.line("return sum;");
        self.close("}");
        self.variables.clear();
    }

    pub(super) fn call_statement(&mut self) {
        if self.choices.chance(3) {
            return self.called_statement();
        }
        if self.callees.is_empty() {
            return self.called_statement();
        }
        let callees = self.callees.clone();
        let callee = self.choices.one(&callees).clone();
        let mut args = Vec::new();
        // Parts of one variable overlap.
        let mut taken: Vec<String> = Vec::new();
        for &(ty, direction) in &callee.params {
            if direction == Direction::In {
                args.push(self.typed_value(ty));
                continue;
            }
            self.reach(if direction == Direction::Out { Construct::OutParameter } else { Construct::InOutParameter });
            if self.choices.chance(4)
                && let Some((variable, place)) = self.swizzle_argument(ty, &taken)
            {
                taken.push(variable);
                args.push(place);
                continue;
            }
            let place = if self.choices.below(10) < 7 { self.argument(ty, &taken) } else { None };
            let (variable, place) = match place {
                Some((variable, place)) if variable != place => {
                    let part = if direction == Direction::Out { Construct::OutPart } else { Construct::InOutPart };
                    self.reach(part);
                    (variable, place)
                }
                Some(same) => same,
                None => {
                    let name = self.variable(ty);
                    (name.clone(), name)
                }
            };
            taken.push(variable);
            args.push(place);
        }
        let call = format!("{}({})", callee.name, args.join(", "));
        match callee.returns {
            None => self.line(&format!("{call};")),
            Some(ty) => {
                let name = self.fresh("r");
                let declarator = self.types.declarator(ty, &name);
                self.line(&format!("{declarator} = {call};"));
                self.declare_variable(&name, ty);
            }
        }
    }

    /// Components of a longer vector as an `out` or `inout` argument.
    fn swizzle_argument(&mut self, ty: TypeId, taken: &[String]) -> Option<(String, String)> {
        let &TypeShape::Vector(Scalar::Float, count @ 2..=3) = self.types.shape(ty) else { return None };
        let len = self.choices.within(usize::from(count) + 1..=4) as u8;
        let longer = self.types.numeric(Scalar::Float, len);
        let (variable, place) = match self.argument(longer, taken) {
            Some(found) => found,
            None => {
                let name = self.variable(longer);
                (name.clone(), name)
            }
        };
        self.reach(Construct::InOutSwizzle);
        let swizzle = self.distinct_components(len, count);
        Some((variable, format!("{place}.{swizzle}")))
    }

    /// A float that a function returns which takes numbers only.
    pub(super) fn called_value(&mut self) -> Option<String> {
        let float = self.types.float();
        let fits = |callee: &&Callee| {
            callee.returns == Some(float)
                && callee.params.iter().all(|&(ty, direction)| direction == Direction::In && self.types.is_numeric(ty))
        };
        let callees: Vec<Callee> = self.callees.iter().filter(fits).cloned().collect();
        if callees.is_empty() {
            return self.interface_value();
        }
        let callee = self.choices.one(&callees).clone();
        let args: Vec<String> = callee
            .params
            .iter()
            .map(|&(ty, _)| if ty == float { self.simple_float() } else { self.typed_value(ty) })
            .collect();
        Some(format!("{}({})", callee.name, args.join(", ")))
    }

    /// A float by way of the interface, which is known when it is compiled.
    fn interface_value(&mut self) -> Option<String> {
        if self.implementations.is_empty() {
            return None;
        }
        let value = self.implementation();
        let t = self.simple_float();
        if self.has_pack && self.choices.chance(4) {
            let other = self.implementation();
            return Some(format!("{}(sin({t}), {value}, {other})", self.global("total_of")));
        }
        Some(format!("{}({value}, sin({t}))", self.global("apply")))
    }

    pub(super) fn called_statement(&mut self) {
        let float = self.types.float();
        match self.interface_value() {
            Some(value) => {
                let name = self.fresh("r");
                self.line(&format!("float {name} = {value};"));
                self.declare_variable(&name, float);
            }
            None => self.call_nothing(),
        }
    }

    fn call_nothing(&mut self) {
        let float = self.types.float();
        self.variable(float);
    }

    /// A float that a method of a struct gives.
    pub(super) fn method_value(&mut self) -> Option<String> {
        let (place, data) = self.a_struct(false, |data| !data.methods.is_empty())?;
        let method = self.choices.one(&data.methods).clone();
        let called = if method == CALL_OPERATOR { place } else { format!("{place}.{method}") };
        Some(format!("{called}(sin({}))", self.simple_float()))
    }

    pub(super) fn method_call(&mut self) {
        let t = self.simple_float();
        if self.choices.chance(4)
            && let Some((place, data)) = self.a_struct(true, |data| !data.makers.is_empty())
        {
            let maker = self.choices.one(&data.makers).clone();
            let value = if maker.contains('.') { format!("{maker}({t})") } else { format!("{place}.{maker}({t})") };
            return self.line(&format!("{place} = {value};"));
        }
        if self.choices.chance(3)
            && let Some((place, data)) = self.a_struct(true, |data| !data.operators.is_empty())
        {
            let operator = self.choices.one(&data.operators).to_owned();
            return self.line(&format!("{place} = {place} {operator} {place};"));
        }
        match self.a_struct(true, |data| !data.mutating.is_empty()) {
            Some((place, data)) => {
                let method = self.choices.one(&data.mutating).clone();
                self.line(&format!("{place}.{method}(sin({t}));"));
            }
            None => self.call_nothing(),
        }
    }

    /// A place of a struct type that has something.
    fn a_struct(
        &mut self,
        writable: bool,
        has: impl Fn(&super::types::Struct) -> bool,
    ) -> Option<(String, super::types::Struct)> {
        for index in 0..self.types.structs.len() {
            let data = self.types.structs[index].clone();
            if !has(&data) {
                continue;
            }
            let ty = self.types.intern(TypeShape::Struct(super::types::StructId(index)));
            if let Some(place) = self.place(ty, writable) {
                return Some((place, data));
            }
        }
        None
    }

    pub(super) fn features_drawn(&mut self) {
        for (feature, in_ten) in super::constructs::FEATURES {
            if self.choices.chance(in_ten) {
                self.features.push(feature);
            }
        }
        if self.has(Feature::Dynamic) && !self.has(Feature::Interface) {
            self.features.push(Feature::Interface);
        }
    }
}

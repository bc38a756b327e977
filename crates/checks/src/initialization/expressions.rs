//! The walk over expressions, in the order of evaluation: what each of them reads and writes.

use ::diagnostics::stack;
use hir_def::body::{BinaryOp, Condition, Expr, ExprId, LambdaBody, Literal, LocalId, PostfixOp, PrefixOp};
use hir_ty::{
    infer::result::{Argument, Base, CallResolution, Callable, Conversion, Resolution},
    ty::{BuiltinType, ParamDirection, Ty},
};

use super::{
    InitializationWalk, MAX_DEPTH, State,
    cells::{Cell, Field, VariableId},
    directions::{Directions, mutates_this},
    state::Written,
};

/// A watched variable, or a part of it.
#[derive(Debug, Clone, Copy)]
struct WatchedPart {
    variable: VariableId,
    field: Option<Cell>,
    /// One element of something, whose number is computed: which one is not known.
    computed_element: bool,
    /// What is named has a value from the start.
    settled: bool,
}

impl InitializationWalk<'_> {
    /// The value of an expression is needed.
    pub(super) fn read(&mut self, id: ExprId) {
        if self.depth > MAX_DEPTH {
            self.gave_up = true;
            return;
        }
        self.depth += 1;
        stack::deep(|| {
            if let Some(part) = self.part(id) {
                self.indices(id);
                self.read_part(part, id);
            } else {
                self.read_value(id);
            }
        });
        self.depth -= 1;
    }

    fn read_part(&mut self, part: WatchedPart, id: ExprId) {
        if !part.settled {
            self.check_read(part.variable, part.field, id, part.computed_element);
        }
    }

    fn read_value(&mut self, id: ExprId) {
        let body = self.body;
        let expr = &body.body.store.exprs[id];
        match (expr, self.inferred.resolutions.get(&id)) {
            (Expr::Assign { op: None, target, value }, _) if self.flag(*target).is_some() => {
                self.assign_flag(self.flag(*target), *value);
                if let Some(part) = self.part(*target) {
                    self.write_part(part, true);
                }
            }
            (Expr::Assign { op, target, value }, resolution) => {
                self.read(*value);
                match (op, resolution) {
                    // The operator of a user's type takes its left side as `inout`.
                    (Some(_), Some(Resolution::Call(_))) | (None, _) => self.write(*target),
                    (Some(_), _) => self.update(*target),
                }
            }
            (
                Expr::Prefix { op: PrefixOp::Increment | PrefixOp::Decrement, operand }
                | Expr::Postfix { op: PostfixOp::Increment | PostfixOp::Decrement, operand },
                resolution,
            ) => match resolution {
                Some(Resolution::Call(_)) => self.write(*operand),
                _ => self.update(*operand),
            },
            (Expr::Prefix { op: PrefixOp::AddressOf, operand }, _) => self.write(*operand),
            (Expr::Binary { op: BinaryOp::LogicalAnd | BinaryOp::LogicalOr, .. }, _) if self.short_circuits(id) => {
                let (mut holds, fails) = self.condition(id);
                holds.join(fails);
                self.state = holds;
            }
            (Expr::Ternary { cond, then, otherwise }, _) if self.is_scalar(*cond) => {
                let (holds, fails) = self.condition(*cond);
                self.state = holds;
                self.read(*then);
                let behind = std::mem::replace(&mut self.state, fails);
                self.read(*otherwise);
                self.state.join(behind);
            }
            (Expr::Lambda { body, .. }, _) => self.lambda(*body),
            // Only the type is asked for.
            (Expr::SizeOf { .. }, _) => {}
            (Expr::SpirvAsm { .. }, _) => self.state.set_all(Written::Surely),
            (_, Some(Resolution::Call(call))) => self.call(call),
            (_, Some(Resolution::Property { base, get, args, .. })) => {
                let mutating = get.is_some_and(|get| mutates_this(self.body.db, get.item));
                self.receiver(*base, mutating);
                self.arguments(args, |_| ParamDirection::In);
            }
            (
                _,
                Some(
                    Resolution::Constant(_)
                    | Resolution::Type(_)
                    | Resolution::EnumCase(_)
                    | Resolution::Namespace(_)
                    | Resolution::Function(_)
                    | Resolution::Global { .. },
                ),
            ) => {}
            (expr, _) => {
                let mut operands = Vec::new();
                expr.for_each_operand(|operand| operands.push(operand));
                operands.into_iter().for_each(|operand| self.read(operand));
            }
        }
    }

    /// The local truth value that an expression names.
    fn flag(&self, id: ExprId) -> Option<LocalId> {
        match self.inferred.resolutions.get(&id) {
            Some(Resolution::Local(local)) if self.type_of(id) == Ty::BOOL => Some(*local),
            _ => None,
        }
    }

    fn assign_flag(&mut self, flag: Option<LocalId>, value: ExprId) {
        let (mut holds, fails) = self.condition(value);
        if let (Some(local), None) = (flag, self.loops) {
            let kind = self.body.body.store.locals[local].kind;
            self.flags.assigned(local, kind, &holds, &fails);
        }
        holds.join(fails);
        self.state = holds;
    }

    /// A local gets its first value.
    pub(super) fn first_value(&mut self, local: LocalId, value: ExprId) {
        let is_flag = self.inferred.local_types.get(local) == Some(&Ty::BOOL) && self.type_of(value) == Ty::BOOL;
        if is_flag {
            self.assign_flag(Some(local), value);
        } else {
            self.read(value);
        }
    }

    /// After a branch on a flag: `behind` is the end of what runs where it is true, the state that of the other way.
    pub(super) fn learn(&mut self, cond: Condition, behind: &State) {
        if self.loops.is_some()
            && let Condition::Expr(cond) = cond
            && let Some(local) = self.flag(cond)
        {
            self.flags.branched(local, behind, &self.state);
        }
    }

    /// An expression gets a value.
    fn write(&mut self, id: ExprId) {
        if let (Some(local), None) = (self.flag(id), self.loops) {
            self.flags.changed(local);
        }
        if let Some(part) = self.part(id) {
            self.indices(id);
            self.write_part(part, true);
            return;
        }
        match self.inferred.resolutions.get(&id) {
            Some(Resolution::Property { base, set, args, .. }) => {
                let mutating = set.is_some_and(|set| mutates_this(self.body.db, set.item));
                self.receiver(*base, mutating);
                self.arguments(args, |_| ParamDirection::In);
            }
            _ => {
                let body = self.body;
                match &body.body.store.exprs[id] {
                    // A conversion of a place, a tuple of places.
                    Expr::Tuple(parts) => parts.iter().for_each(|part| self.write(*part)),
                    Expr::Cast { operand, .. } | Expr::Each(operand) | Expr::Expand(operand) => self.write(*operand),
                    Expr::Member { .. } | Expr::Index { .. } => self.write_through(id),
                    _ => self.read(id),
                }
            }
        }
    }

    /// A part of something that is not watched: a place in memory, or a part of a property's value.
    fn write_through(&mut self, id: ExprId) {
        match self.inferred.resolutions.get(&id) {
            Some(
                Resolution::Field { base: Base::Expr(base), .. }
                | Resolution::Swizzle { base, .. }
                | Resolution::MatrixSwizzle { base, .. }
                | Resolution::TupleElement { base, .. }
                | Resolution::TupleSwizzle { base, .. },
            ) if !self.is_dereferenced(*base) => self.write(*base),
            _ => self.read(id),
        }
    }

    fn write_part(&mut self, part: WatchedPart, comes_around: bool) {
        let cells = match part.field {
            Some(cell) => cell.0..cell.0 + 1,
            None if part.settled => return,
            None => self.cells.variable(part.variable).cells.clone(),
        };
        self.assign(cells, comes_around);
    }

    /// `target += …`: what it makes of no value is none that could come around in a loop. Where the target is no part of a
    /// variable, all has been said when it was read; to go through it again would double the work for each target inside of
    /// another, as in `a[a[a[i]++]++]++`.
    fn update(&mut self, target: ExprId) {
        self.read(target);
        if let (Some(local), None) = (self.flag(target), self.loops) {
            self.flags.changed(local);
        }
        if let Some(part) = self.part(target) {
            self.write_part(part, part.computed_element);
        }
    }

    /// The states where a condition holds and where it does not.
    pub(super) fn condition(&mut self, id: ExprId) -> (State, State) {
        let body = self.body;
        match &body.body.store.exprs[id] {
            Expr::Literal(Literal::Bool(true)) => (self.state.clone(), State::UNREACHABLE),
            Expr::Literal(Literal::Bool(false)) => (State::UNREACHABLE, self.state.clone()),
            Expr::Prefix { op: PrefixOp::Not, operand } if self.is_scalar(*operand) => {
                let (holds, fails) = self.nested_condition(*operand);
                (fails, holds)
            }
            Expr::Binary { op: BinaryOp::LogicalAnd, left, right } if self.short_circuits(id) => {
                let (holds, mut fails) = self.nested_condition(*left);
                self.state = holds;
                let (holds, fails_right) = self.nested_condition(*right);
                fails.join(fails_right);
                (holds, fails)
            }
            Expr::Binary { op: BinaryOp::LogicalOr, left, right } if self.short_circuits(id) => {
                let (mut holds, fails) = self.nested_condition(*left);
                self.state = fails;
                let (holds_right, fails) = self.nested_condition(*right);
                holds.join(holds_right);
                (holds, fails)
            }
            _ => {
                self.read(id);
                match self.flag(id) {
                    Some(local) => self.flags.test(local, &self.state),
                    None => (self.state.clone(), self.state.clone()),
                }
            }
        }
    }

    fn nested_condition(&mut self, id: ExprId) -> (State, State) {
        if self.depth > MAX_DEPTH {
            self.gave_up = true;
            return (self.state.clone(), self.state.clone());
        }
        self.depth += 1;
        let states = stack::deep(|| self.condition(id));
        self.depth -= 1;
        states
    }

    fn short_circuits(&self, id: ExprId) -> bool {
        self.is_scalar(id) && !matches!(self.inferred.resolutions.get(&id), Some(Resolution::Call(_)))
    }

    fn is_scalar(&self, id: ExprId) -> bool {
        matches!(self.type_of(id), Ty::Scalar(_))
    }

    fn type_of(&self, id: ExprId) -> Ty {
        self.inferred.expr_types.get(id).copied().unwrap_or(Ty::Error)
    }

    /// A lambda takes copies of what it uses where it stands.
    fn lambda(&mut self, body: LambdaBody) {
        let before = self.state.clone();
        let frames = std::mem::take(&mut self.frames);
        self.lambdas += 1;
        match body {
            LambdaBody::Expr(expr) => self.read(expr),
            LambdaBody::Block(block) => self.statement(block),
        }
        self.lambdas -= 1;
        self.frames = frames;
        self.state = before;
    }

    fn call(&mut self, call: &CallResolution) {
        if let Callable::Value(value) = call.callee {
            self.read(value);
        }
        let directions = Directions::of(self.body, call);
        if let Some(this) = call.this {
            self.receiver(this, directions.writes_receiver);
        }
        self.arguments(&call.args, |index| directions.argument(index));
    }

    /// Values go in first; then what comes out is written.
    fn arguments(&mut self, args: &[Argument], direction: impl Fn(usize) -> ParamDirection) {
        let mut out = Vec::new();
        for (index, arg) in args.iter().enumerate() {
            let Argument::Expr(expr) = *arg else { continue };
            match direction(index) {
                ParamDirection::In | ParamDirection::ConstRef => self.read(expr),
                ParamDirection::Out | ParamDirection::InOut | ParamDirection::Ref => out.push(expr),
            }
        }
        out.into_iter().for_each(|expr| self.write(expr));
    }

    fn receiver(&mut self, base: Base, mutating: bool) {
        match base {
            Base::Expr(expr) if mutating => self.write(expr),
            // What an array is asked (its length) does not depend on its elements.
            Base::Expr(expr) if matches!(self.type_of(expr), Ty::Builtin(BuiltinType::Array, _)) => self.indices(expr),
            Base::Expr(expr) => self.read(expr),
            Base::ImplicitThis if mutating => {
                if let Some(this) = self.cells.of_this() {
                    let cells = self.cells.variable(this).cells.clone();
                    self.assign(cells, true);
                }
            }
            Base::ImplicitThis => {}
        }
    }

    /// The watched variable that an expression names, or names a part of.
    fn part(&self, id: ExprId) -> Option<WatchedPart> {
        let whole = |variable| WatchedPart { variable, field: None, computed_element: false, settled: false };
        let mut id = id;
        let mut fields = Vec::new();
        let mut computed_element = false;
        // From the outside in; an expression is no deeper than the parser allows.
        let variable = loop {
            match self.inferred.resolutions.get(&id)? {
                Resolution::Local(local) => break self.cells.of_local(*local)?,
                Resolution::This => break self.cells.of_this()?,
                Resolution::Field { base: Base::ImplicitThis, item } => {
                    fields.push(*item);
                    break self.cells.of_this()?;
                }
                Resolution::Field { base: Base::Expr(base), item } if !self.is_dereferenced(*base) => {
                    fields.push(*item);
                    id = *base;
                }
                Resolution::Swizzle { base, .. }
                | Resolution::MatrixSwizzle { base, .. }
                | Resolution::TupleElement { base, .. }
                | Resolution::TupleSwizzle { base, .. }
                | Resolution::PairPrimal { base }
                | Resolution::PairDifferential { base }
                    if !self.is_dereferenced(*base) =>
                {
                    id = *base;
                }
                Resolution::Element { base, index } if self.has_elements(*base) => {
                    computed_element |= !matches!(self.body.body.store.exprs[*index], Expr::Literal(_));
                    id = *base;
                }
                _ => return None,
            }
        };
        let part = WatchedPart { computed_element, ..whole(variable) };
        Some(match fields.last().map(|field| self.cells.field(variable, *field)) {
            Some(Field::Watched(cell)) => WatchedPart { field: Some(cell), ..part },
            Some(Field::Settled(rest)) => WatchedPart { field: rest, settled: true, ..part },
            Some(Field::Whole) | None => part,
        })
    }

    /// Reads what stands in brackets on the way to a part.
    fn indices(&mut self, id: ExprId) {
        let mut next = Some(id);
        while let Some(id) = next {
            next = match self.inferred.resolutions.get(&id) {
                Some(
                    Resolution::Field { base: Base::Expr(base), .. }
                    | Resolution::Swizzle { base, .. }
                    | Resolution::MatrixSwizzle { base, .. }
                    | Resolution::TupleElement { base, .. }
                    | Resolution::TupleSwizzle { base, .. }
                    | Resolution::PairPrimal { base }
                    | Resolution::PairDifferential { base },
                ) => Some(*base),
                Some(Resolution::Element { base, index }) => {
                    self.read(*index);
                    Some(*base)
                }
                _ => None,
            };
        }
    }

    fn has_elements(&self, base: ExprId) -> bool {
        let kinds = |ty| matches!(ty, Ty::Builtin(BuiltinType::Array | BuiltinType::Vector | BuiltinType::Matrix, _));
        kinds(self.type_of(base)) && !self.is_dereferenced(base)
    }

    fn is_dereferenced(&self, id: ExprId) -> bool {
        let steps = self.inferred.adjustments.get(&id).map_or(&[][..], |steps| steps);
        steps.iter().any(|step| step.conversion == Conversion::Dereference)
            || matches!(self.type_of(id), Ty::Builtin(BuiltinType::Ptr, _))
    }
}

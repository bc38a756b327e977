//! Packs. A pack of values is a tuple here: how many elements it has is known once its function is specialised, and
//! `expand pattern` is its pattern once per element. In the editor's analysis of a generic body the number is not known;
//! there a pack is one value without representation, and a pattern stands for all elements at once.

use hir_def::{
    body::{Expr, ExprId, ExprStore, PackQuery},
    type_ref::GenericArgRef,
};
use hir_ty::{
    conversion,
    infer::{
        expansion,
        result::{Argument, Resolution},
    },
    signature::FunctionRef,
    ty::Ty,
};
use ir::{PathStep, ValueId};
use rustc_hash::FxHashMap;

use super::{BodyLowering, argument::Passed, place::Place};
use crate::{
    error::{Lowering, Stop},
    surface::Direction,
};

/// The element that is being evaluated of an expansion.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// `None` in an analysis: all of them.
    index: Option<u32>,
    /// What `each` takes an element of; evaluated once, before the first element.
    operands: FxHashMap<ExprId, Place>,
}

/// An argument as it is passed, with the type that it has in the source where it is an element of a pack.
struct Spread {
    passed: Passed,
    element: Option<Ty>,
}

impl BodyLowering<'_, '_> {
    /// `expand pattern`: the tuple of the elements, or nothing if none has a value.
    pub(super) fn expand(&mut self, expr: ExprId, pattern: ExprId) -> Lowering<Option<ValueId>> {
        let elements = self.expansion(pattern)?;
        let values: Vec<ValueId> = elements.iter().flatten().copied().collect();
        if !elements.is_empty() && values.is_empty() {
            return Ok(None);
        }
        let ty = self.expr_type(expr)?;
        if let ir::Type::Opaque(_) = self.b.types.get(ty) {
            return values.first().map(|&value| self.coerce(value, ty)).transpose();
        }
        if values.len() != elements.len() {
            return Err(Stop::broken("an expansion of which some elements have no value"));
        }
        Ok(Some(self.b.make(&values, ty)))
    }

    /// The value of the pattern for each element.
    fn expansion(&mut self, pattern: ExprId) -> Lowering<Vec<Option<ValueId>>> {
        let db = self.program.db;
        let sources = expansion::sources(db, self.scope.store, self.scope.inference, pattern);
        let mut operands = FxHashMap::default();
        for operand in operands_of_each(self.scope.store, pattern) {
            if self.is_pack_value(operand) {
                operands.insert(operand, self.place(operand)?);
            }
        }
        let Some(scopes) = self.scope.steps(db, &sources) else {
            self.expansions.push(Step { index: None, operands });
            let value = self.effect(pattern);
            self.expansions.pop();
            return value.map(|value| vec![value]);
        };
        let mut values = Vec::with_capacity(scopes.len());
        for (index, scope) in scopes.into_iter().enumerate() {
            let outer = std::mem::replace(&mut self.scope, scope);
            self.expansions.push(Step { index: Some(index as u32), operands: operands.clone() });
            let value = self.effect(pattern);
            self.expansions.pop();
            self.scope = outer;
            values.push(value?);
        }
        Ok(values)
    }

    /// Whether an operand of `each` is a pack or tuple of values rather than one of types or constants.
    fn is_pack_value(&self, operand: ExprId) -> bool {
        let is_value = !matches!(
            self.scope.inference.resolutions.get(&operand),
            Some(Resolution::Constant(_) | Resolution::Type(_))
        );
        is_value && self.scope.inference.expr_types.get(operand).is_some()
    }

    /// `each operand`.
    pub(super) fn each(&mut self, expr: ExprId, operand: ExprId) -> Lowering<Place> {
        if let Some(Resolution::Constant(_)) = self.scope.inference.resolutions.get(&operand) {
            return self.constant_resolution(operand, expr).map(Place::Value);
        }
        let step = self.expansions.iter().rev().find(|step| step.operands.contains_key(&operand));
        let Some((index, place)) = step.map(|step| (step.index, step.operands[&operand].clone())) else {
            return Err(Stop::broken("`each` outside of an expansion"));
        };
        match index {
            Some(index) => self.part(place, PathStep::Const(index)),
            None => Ok(Place::OpaquePart { base: Box::new(place), ty: self.expr_type(expr)? }),
        }
    }

    /// `__first(values)` and its like of a pack or tuple of values.
    pub(super) fn value_pack_query(
        &mut self,
        expr: ExprId,
        query: PackQuery,
        operands: &[GenericArgRef],
    ) -> Lowering<ValueId> {
        let Some(GenericArgRef::Value(pack)) = operands.first() else {
            return Err(Stop::unsupported("a computed part of a pack"));
        };
        let whole = self.value(*pack)?;
        let ty = self.expr_type(expr)?;
        let Some(elements) = self.ty(*pack)?.as_tuple(self.program.db) else { return self.coerce(whole, ty) };
        let len = elements.len() as u32;
        let kept = match query {
            PackQuery::First => 0..1,
            PackQuery::Last => len.saturating_sub(1)..len,
            PackQuery::TrimFirst => 1.min(len)..len,
            PackQuery::TrimLast => 0..len.saturating_sub(1),
            PackQuery::Each
            | PackQuery::Count
            | PackQuery::Branch
            | PackQuery::ShapeConcat
            | PackQuery::ShapePermute
            | PackQuery::ShapeSwap
            | PackQuery::ShapeReduce => return Err(Stop::unsupported("a computed part of a pack")),
        };
        let parts: Vec<ValueId> = kept.map(|index| self.b.extract(whole, [PathStep::Const(index)])).collect();
        match (query, parts.as_slice()) {
            (PackQuery::First | PackQuery::Last, &[only]) => self.coerce(only, ty),
            (PackQuery::First | PackQuery::Last, _) => Err(Stop::broken("an element of an empty pack")),
            _ => Ok(self.b.make(&parts, ty)),
        }
    }

    /// Whether an argument stands for as many parameters as the pack has elements that it gives.
    pub(super) fn is_spread(&self, expr: ExprId) -> bool {
        matches!(self.scope.store.exprs[expr], Expr::Expand(_))
            || matches!(self.scope.inference.expr_types.get(expr), Some(Ty::Expand(_)))
    }

    /// The arguments of a call, one for each direction. Strings go to the op itself and are left out.
    pub(super) fn pass_arguments(
        &mut self,
        args: &[Argument],
        params: &[(Direction, Ty)],
        callee: Option<FunctionRef>,
    ) -> Lowering<Vec<Passed>> {
        let mut passed = Vec::new();
        for &arg in args {
            let Argument::Expr(expr) = arg else {
                passed.push(self.pass(arg, Direction::In, callee)?);
                continue;
            };
            if callee.is_some_and(|callee| self.takes_apart(callee, expr)) {
                continue;
            }
            let direction = params.get(passed.len()).map_or(Direction::In, |(direction, _)| *direction);
            if !self.is_spread(expr) {
                passed.push(self.pass(arg, direction, callee)?);
                continue;
            }
            for spread in self.spread(expr, direction)? {
                let wanted = params.get(passed.len()).map(|(_, ty)| *ty);
                passed.push(self.converted(spread, wanted)?);
            }
        }
        Ok(passed)
    }

    /// The values of expressions, with packs taken apart.
    pub(super) fn values_of(&mut self, exprs: &[ExprId]) -> Lowering<Vec<ValueId>> {
        let mut values = Vec::with_capacity(exprs.len());
        for &expr in exprs {
            if !self.is_spread(expr) {
                values.push(self.value(expr)?);
                continue;
            }
            for spread in self.spread(expr, Direction::In)? {
                values.push(self.passed_value(&spread.passed)?);
            }
        }
        Ok(values)
    }

    /// The elements of a pack.
    fn spread(&mut self, expr: ExprId, direction: Direction) -> Lowering<Vec<Spread>> {
        let ty = self.ty(expr)?;
        let Some(types) = ty.as_tuple(self.program.db) else {
            // In an analysis: all elements at once.
            let passed = self.pass(Argument::Expr(expr), direction, None)?;
            return Ok(vec![Spread { passed, element: None }]);
        };
        if let Expr::Expand(pattern) = self.scope.store.exprs[expr] {
            let mut elements = Vec::new();
            for (value, ty) in self.expansion(pattern)?.into_iter().zip(types) {
                let value = match value {
                    Some(value) => value,
                    // An element of type `void` is passed all the same.
                    None => {
                        let ty = self.ir_type(ty)?;
                        self.b.zero(ty)
                    }
                };
                elements.push(Spread { passed: Passed::Value(value), element: Some(ty) });
            }
            return Ok(elements);
        }
        let whole = self.place(expr)?;
        let mut elements = Vec::new();
        for (index, ty) in types.into_iter().enumerate() {
            let part = self.part(whole.clone(), PathStep::Const(index as u32))?;
            let passed = if direction.comes_out() { Passed::Place(part) } else { Passed::Value(self.read(&part)?) };
            elements.push(Spread { passed, element: Some(ty) });
        }
        Ok(elements)
    }

    /// An element of a pack as the parameter wants it. Inference converts expressions, not elements.
    fn converted(&mut self, spread: Spread, wanted: Option<Ty>) -> Lowering<Passed> {
        let (Passed::Value(value), Some(from), Some(to)) = (&spread.passed, spread.element, wanted) else {
            return Ok(spread.passed);
        };
        let value = *value;
        let converted = conversion::convert(self.program.db, self.program.env(), from, to)
            .ok_or_else(|| Stop::broken("an element of a pack that does not convert"))?;
        converted
            .steps
            .iter()
            .try_fold(value, |value, step| self.apply(value, step.conversion, step.to))
            .map(Passed::Value)
    }
}

/// The operands of `each` in a pattern; those of an inner expansion are its own.
fn operands_of_each(store: &ExprStore, pattern: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut pending = vec![pattern];
    while let Some(expr) = pending.pop() {
        match &store.exprs[expr] {
            Expr::Expand(_) => {}
            Expr::Each(operand) => found.push(*operand),
            other => other.for_each_operand(|operand| pending.push(operand)),
        }
    }
    found
}

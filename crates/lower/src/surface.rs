//! The signature that a function has in the source: parameters with directions. The IR signature follows from it.

use hir_def::body::DerivativeOperator;
use hir_ty::{
    differential::signature::{Carries, ParamRole, derivative_roles},
    ty::{ParamDirection, Ty},
};
use ir::{Input, ResultSlot, SpanId, TypeId, abi};
use smol_str::SmolStr;

/// A source-level signature without generic parameters. Constructors have no `this` here: they return it.
#[derive(Debug, Clone)]
pub(crate) struct Surface {
    /// `this` first, if there is one.
    pub params: Vec<SurfaceParam>,
    /// `None` for `void`.
    pub ret: Option<SurfaceReturn>,
    /// What the function throws: it gives out whether it did, and the error.
    pub throws: Option<SurfaceThrow>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct SurfaceThrow {
    pub ty: Ty,
    pub ir_ty: TypeId,
    pub flag: TypeId,
}

#[derive(Debug, Clone)]
pub(crate) struct SurfaceParam {
    pub name: SmolStr,
    pub ty: Ty,
    pub ir_ty: TypeId,
    pub direction: Direction,
    /// Its type is differentiable and nothing excludes it.
    pub differentiable: bool,
    /// Its derivatives are none that the source could name: those of what a lambda has copies of.
    pub goes_along: bool,
    /// A pair of places, itself without derivative: see [`crate::places`].
    pub is_place: bool,
    pub is_this: bool,
    /// `no_diff`, `[NoDiffThis]`: the source says that it carries nothing.
    pub no_diff: bool,
}

impl SurfaceParam {
    fn carries(&self) -> Carries {
        match (self.differentiable && !self.goes_along, self.is_place) {
            (true, _) => Carries::Value,
            (false, true) => Carries::Pointer,
            (false, false) => Carries::Nothing,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct SurfaceReturn {
    pub ty: Ty,
    pub ir_ty: TypeId,
    pub differentiable: bool,
    /// The source says that it carries nothing.
    pub no_diff: bool,
}

/// Whether a parameter's value goes in, comes out, or both. References are values that go in and out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    In,
    Out,
    InOut,
}

impl Direction {
    pub(crate) fn goes_in(self) -> bool {
        self != Direction::Out
    }

    pub(crate) fn comes_out(self) -> bool {
        self != Direction::In
    }
}

impl From<ParamDirection> for Direction {
    fn from(direction: ParamDirection) -> Direction {
        match direction {
            ParamDirection::In | ParamDirection::ConstRef => Direction::In,
            ParamDirection::Out => Direction::Out,
            ParamDirection::InOut | ParamDirection::Ref => Direction::InOut,
        }
    }
}

impl From<Direction> for ParamDirection {
    fn from(direction: Direction) -> ParamDirection {
        match direction {
            Direction::In => ParamDirection::In,
            Direction::Out => ParamDirection::Out,
            Direction::InOut => ParamDirection::InOut,
        }
    }
}

/// A parameter of a derivative: what it stands for in the primal function, and whether it goes in or out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Role {
    pub stands_for: ParamRole,
    pub direction: Direction,
}

impl Surface {
    /// The parameters of the derivative, in order.
    pub(crate) fn derivative_roles(&self, operator: DerivativeOperator) -> Vec<Role> {
        let params = self.params.iter().map(|param| (param.direction.into(), param.carries()));
        let differentiable_result = self.ret.as_ref().is_some_and(|ret| ret.differentiable);
        let result = if differentiable_result { Carries::Value } else { Carries::Nothing };
        let roles = derivative_roles(operator, params, result).into_iter();
        roles.map(|(stands_for, direction)| Role { stands_for, direction: direction.into() }).collect()
    }

    pub(crate) fn inputs(&self) -> Vec<Input> {
        let numbered = self.params.iter().zip(0..).filter(|(param, _)| param.direction.goes_in());
        numbered
            .map(|(param, place)| Input {
                name: param.name.clone(),
                ty: param.ir_ty,
                differentiable: param.differentiable,
                place,
                span: SpanId::NONE,
            })
            .collect()
    }

    /// The numbers of the inputs, and of the results, that are marked.
    pub(crate) fn marked(&self) -> (Vec<u32>, Vec<u32>) {
        let numbers = |marks: &mut dyn Iterator<Item = bool>| -> Vec<u32> {
            (0..).zip(marks).filter(|(_, marked)| *marked).map(|(index, _)| index).collect()
        };
        let params = || self.params.iter();
        let inputs = numbers(&mut params().filter(|param| param.direction.goes_in()).map(|param| param.no_diff));
        let out = params().filter(|param| param.direction.comes_out()).map(|param| param.no_diff);
        (inputs, numbers(&mut self.ret.iter().map(|ret| ret.no_diff).chain(out)))
    }

    pub(crate) fn results(&self) -> Vec<ResultSlot> {
        let mut results: Vec<ResultSlot> =
            self.ret.iter().map(|ret| ResultSlot::returned(ret.ir_ty, ret.differentiable)).collect();
        let mut inputs = 0;
        for (param, place) in self.params.iter().zip(0..) {
            let role = if param.direction.goes_in() { abi::Role::InOut(inputs) } else { abi::Role::Out };
            inputs += u32::from(param.direction.goes_in());
            if param.direction.comes_out() {
                let (name, ty, differentiable) = (param.name.clone(), param.ir_ty, param.differentiable);
                results.push(ResultSlot { name, ty, differentiable, role, place });
            }
        }
        if let Some(throws) = self.throws {
            let slot = |role, name, ty| ResultSlot { role, ..ResultSlot::out(name, ty, false) };
            results.push(slot(abi::Role::Failed, "failed", throws.flag));
            results.push(slot(abi::Role::Error, "error", throws.ir_ty));
        }
        results
    }
}

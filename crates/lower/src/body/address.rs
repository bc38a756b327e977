//! Addresses of places. Locals are values and have none, so a local whose address the text takes lives in memory from its
//! declaration on; what goes through memory carries no derivative, which the analysis of derivatives reports.

use std::rc::Rc;

use hir_def::body::{Expr, ExprId, LocalId, PrefixOp};
use hir_ty::{
    infer::result::{Argument, Base, Callable, InferenceResult, Resolution},
    ty::{BuiltinType, Ty},
};
use ir::{HandleType, Intrinsic, Op, PathStep, Type, TypeId, ValueId, intrinsic::PointerOp};
use rustc_hash::FxHashSet;

use super::{Binding, BodyLowering, place::Place};
use crate::{
    core_function::CoreFunction,
    error::{Lowering, Stop},
    front, globals,
    program::Program,
    scope::{Scope, ScopeKind},
};

/// The intrinsic that gives the address of a place: its operands are a handle and the steps of a path.
pub(super) const ADDRESS_OF: Intrinsic = Intrinsic::Pointer(PointerOp::AddressOf);

impl Program<'_> {
    /// The locals whose addresses the text takes.
    pub(crate) fn addressed(&mut self, scope: &Scope<'_>) -> Rc<FxHashSet<LocalId>> {
        match scope.kind {
            ScopeKind::Body => {
                let known = self.addressed.entry(scope.item);
                known.or_insert_with(|| Rc::new(addressed(self.db, scope))).clone()
            }
            ScopeKind::Signature => Rc::new(addressed(self.db, scope)),
        }
    }
}

fn addressed(db: &dyn base_db::Db, scope: &Scope<'_>) -> FxHashSet<LocalId> {
    let (store, inference) = (scope.store, scope.inference);
    let operands = store.exprs.iter().filter_map(|(id, expr)| match expr {
        Expr::Prefix { op: PrefixOp::AddressOf, operand } => Some(*operand),
        Expr::Call { .. } => {
            let Some(Resolution::Call(call)) = inference.resolutions.get(&id) else { return None };
            let Callable::Function(function) = &call.callee else { return None };
            if front::core_function(db, function.item) != Some(CoreFunction::Intrinsic(ADDRESS_OF)) {
                return None;
            }
            match call.args.first() {
                Some(Argument::Expr(expr)) => Some(*expr),
                Some(Argument::Default { .. }) | None => None,
            }
        }
        _ => None,
    });
    operands.filter_map(|operand| local_of(inference, operand)).collect()
}

/// The local that a place is a part of; `None` for what is behind pointers, in buffers or in globals.
fn local_of(inference: &InferenceResult, place: ExprId) -> Option<LocalId> {
    let mut place = place;
    loop {
        let is_pointer = |ty: &Ty| matches!(ty, Ty::Builtin(BuiltinType::Ptr, _));
        place = match inference.resolutions.get(&place)? {
            Resolution::Local(local) => return Some(*local),
            Resolution::Field { base: Base::Expr(base), .. }
            | Resolution::Swizzle { base, .. }
            | Resolution::TupleElement { base, .. }
            | Resolution::Element { base, .. }
                if !inference.expr_types.get(*base).is_some_and(is_pointer) =>
            {
                *base
            }
            _ => return None,
        };
    }
}

impl BodyLowering<'_, '_> {
    /// Declares a local that lives in memory.
    pub(super) fn bind_in_memory(&mut self, local: LocalId, value: ValueId) -> Lowering<()> {
        let Some(&ty) = self.scope.inference.local_types.get(local) else {
            return Err(Stop::broken("a variable without type"));
        };
        let ty = self.scope.ty(self.program.db, ty);
        let global = globals::local_in_memory(self.program, &self.scope, local, ty)?;
        let handle = globals::handle(self.program, &mut self.b, global);
        self.locals.insert(local, Binding::Global(global));
        let place = self.memory(handle);
        self.write(&place, value)
    }

    /// `&place`, `__getAddress(place)` as a pointer of type `ty`.
    pub(super) fn address_of(&mut self, place: &Place, ty: TypeId) -> Lowering<ValueId> {
        let Place::Memory { handle, path } = place else {
            return Err(Stop::unsupported("the address of this place"));
        };
        match (self.b.type_of(*handle), path.as_slice()) {
            (Type::Handle(HandleType::Pointer { .. }), [PathStep::Const(0)]) => Ok(*handle),
            (Type::Handle(HandleType::Pointer { .. } | HandleType::Variable { .. }), steps) => {
                let steps: Vec<ValueId> = steps.iter().map(|&step| self.step_value(step)).collect();
                let args = std::iter::once(*handle).chain(steps).collect();
                Ok(self.b.value(Op::Intrinsic { intrinsic: ADDRESS_OF, args }, ty))
            }
            _ => Err(Stop::unsupported("the address of a part of a buffer")),
        }
    }

    fn step_value(&mut self, step: PathStep) -> ValueId {
        match step {
            PathStep::Const(index) => self.b.i32(i32::try_from(index).unwrap_or(i32::MAX)),
            PathStep::Dynamic(value) => value,
        }
    }
}

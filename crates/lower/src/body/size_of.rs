//! `sizeof` and `alignof`, where they are not constants: the front end says how large types are.

use hir_def::{
    body::{Expr, ExprId, SizeOfKind},
    type_ref::TypeRefId,
};
use ir::{Constant, ValueId};

use super::BodyLowering;
use crate::{
    error::{Lowering, Stop},
    front,
    mode::Mode,
};

impl BodyLowering<'_, '_> {
    /// Sizes are those of the layout that memory has: `ScalarDataLayout`.
    pub(super) fn check_layout(&self, layout: Option<TypeRefId>) -> Lowering<()> {
        let Some(layout) = layout else { return Ok(()) };
        let written = self.scope.inference.type_refs.get(layout).copied();
        let written = written.ok_or_else(|| Stop::broken("a layout without meaning"))?;
        front::check_data_layout(self.program.db, self.scope.ty(self.program.db, written))
    }

    pub(super) fn size_of(
        &mut self,
        expr: ExprId,
        what: SizeOfKind,
        ty: Option<TypeRefId>,
        operand: Option<ExprId>,
    ) -> Lowering<ValueId> {
        let result = self.expr_type(expr)?;
        if self.program.mode == Mode::Analysis {
            return Ok(self.b.undef(result));
        }
        let inference = self.scope.inference;
        let measured = match (ty, operand) {
            (Some(ty), _) => inference.type_refs.get(ty).copied(),
            (None, Some(operand)) => match (&self.scope.store.exprs[operand], inference.resolutions.get(&operand)) {
                (_, Some(hir_ty::infer::result::Resolution::Type(ty))) => Some(*ty),
                (Expr::Type(ty), _) => inference.type_refs.get(*ty).copied(),
                _ => inference.expr_types.get(operand).copied(),
            },
            (None, None) => None,
        };
        let measured = measured.ok_or_else(|| Stop::broken("the size of nothing"))?;
        let measured = self.scope.ty(self.program.db, measured);
        let size = front::size_of(self.program, measured).ok_or_else(|| Stop::unsupported("`sizeof` of this type"))?;
        let bytes = match what {
            SizeOfKind::Size => size.bytes,
            SizeOfKind::Align => size.align,
            SizeOfKind::Offset => return Err(Stop::unsupported("`offsetof`")),
            SizeOfKind::Count => return Err(Stop::unsupported("`countof` of this type")),
        };
        let bytes = i64::try_from(bytes).map_err(|_| Stop::unsupported("a type of this size"))?;
        self.constant_value(Constant::Int(bytes), result)
    }
}

//! `sizeof` and `alignof`: natural layout, in which nothing follows the last field of a struct.

use hir_def::{
    body::{Expr, ExprId, SizeOfKind},
    type_ref::TypeRefId,
};
use ir::{Constant, HandleType, Scalar, Type, TypeId, ValueId, types::TypeTable};

use super::BodyLowering;
use crate::{
    error::{Lowering, Stop},
    program::Mode,
};

/// Bytes of a value, and what its address is a multiple of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    size: u64,
    align: u64,
}

impl BodyLowering<'_, '_> {
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
        let ty = self.ir_type(measured)?;
        let layout = layout(self.b.types, ty).ok_or_else(|| Stop::unsupported("`sizeof` of this type"))?;
        let bytes = match what {
            SizeOfKind::Size => layout.size,
            SizeOfKind::Align => layout.align,
            SizeOfKind::Offset => return Err(Stop::unsupported("`offsetof`")),
            SizeOfKind::Count => return Err(Stop::unsupported("`countof` of this type")),
        };
        let bytes = i64::try_from(bytes).map_err(|_| Stop::unsupported("a type of this size"))?;
        self.constant_value(Constant::Int(bytes), result)
    }
}

/// The distance between elements of a type in memory.
pub(super) fn stride(types: &TypeTable, ty: TypeId) -> Option<u64> {
    layout(types, ty).map(|layout| layout.size.next_multiple_of(layout.align))
}

fn layout(types: &TypeTable, ty: TypeId) -> Option<Layout> {
    let of_scalar = |scalar: Scalar| match scalar {
        Scalar::Bool => 1,
        scalar => u64::from(scalar.bits() / 8),
    };
    Some(match types.get(ty) {
        Type::Scalar(scalar) => Layout { size: of_scalar(scalar), align: of_scalar(scalar) },
        Type::Vector { scalar, len } => Layout { size: of_scalar(scalar) * u64::from(len), align: of_scalar(scalar) },
        Type::Matrix { scalar, rows, cols } => {
            Layout { size: of_scalar(scalar) * u64::from(rows) * u64::from(cols), align: of_scalar(scalar) }
        }
        Type::Array { element, len } => {
            let element = layout(types, element)?;
            let stride = element.size.next_multiple_of(element.align);
            let size = match u64::from(len).checked_sub(1) {
                Some(others) => stride.checked_mul(others)?.checked_add(element.size)?,
                None => 0,
            };
            Layout { size, align: element.align }
        }
        Type::Struct(id) => {
            let mut whole = Layout { size: 0, align: 1 };
            for field in &types.structs[id].fields {
                let field = layout(types, field.ty)?;
                whole.size = whole.size.next_multiple_of(field.align).checked_add(field.size)?;
                whole.align = whole.align.max(field.align);
            }
            whole
        }
        Type::Handle(HandleType::Pointer { .. }) => Layout { size: 8, align: 8 },
        Type::Handle(_) | Type::Sum(_) | Type::Opaque(_) => return None,
    })
}

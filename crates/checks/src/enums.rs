//! Enums: what their values are made of.

use diagnostics::codes;
use hir_def::item::ItemKind;
use hir_ty::{diagnostics::Node, extension, ty::Ty};

use super::Declaration;

/// E32000: the values of an enum are integers or booleans.
pub(super) fn check(declaration: &mut Declaration<'_>) {
    let ItemKind::Enum { underlying: Some(underlying), .. } = declaration.data.kind else { return };
    let ty = declaration.lower(underlying);
    let fits = match ty {
        Ty::Scalar(scalar) => !scalar.is_float(),
        Ty::Error | Ty::Param(_) | Ty::Associated(_) => true,
        _ => extension::is_interface(declaration.db, ty),
    };
    if !fits {
        let shown = declaration.show(ty);
        let message = format!("'{shown}' cannot be what an enum is made of: take an integer type");
        declaration.report(codes::INVALID_ENUM_TAG_TYPE, Node::SignatureTypeRef(underlying), message);
    }
}

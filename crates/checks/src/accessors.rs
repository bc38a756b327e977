//! Accessors of properties and subscripts: which parameters each may have.

use diagnostics::codes;
use hir_def::item::{AccessorKind, ItemKind};
use hir_ty::{diagnostics::Node, lower_ty::TypeLowering, ty::Ty};

use super::Declaration;

pub(super) fn check(declaration: &mut Declaration<'_>) {
    let ItemKind::Accessor { kind, params, .. } = &declaration.data.kind else { return };
    match (kind, params.as_slice()) {
        (_, []) => {}
        (AccessorKind::Set, [value]) => {
            let offered = declaration.lower(value.ty);
            let Some(wanted) = content(declaration) else { return };
            if offered != wanted && !offered.is_error() && !wanted.is_error() {
                let (offered, wanted) = (declaration.show(offered), declaration.show(wanted));
                let message = format!("'set' takes a '{offered}', but what it sets is a '{wanted}'");
                declaration.report(codes::SETTER_TYPE_MISMATCH, Node::Param(0), message);
            }
        }
        (AccessorKind::Set, _) => {
            declaration.report(
                codes::TOO_MANY_SETTER_PARAMETERS,
                Node::Param(1),
                "a 'set' accessor has no more than one parameter",
            );
        }
        (AccessorKind::Get | AccessorKind::Ref | AccessorKind::Modify, _) => {
            declaration.report(codes::ACCESSOR_WITH_PARAMETERS, Node::Param(0), "only 'set' accessors have parameters");
        }
    }
}

/// The type of what the accessor is for.
fn content(declaration: &Declaration<'_>) -> Option<Ty> {
    let (container, kind) = declaration.container()?;
    let (ItemKind::Property { ty } | ItemKind::Subscript { ret: ty, .. }) = kind else { return None };
    let data = hir_def::item::item_data(declaration.db, container);
    Some(TypeLowering::new(declaration.db, container, &data.store).lower(*ty))
}

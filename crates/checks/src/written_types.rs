//! Types as they are written: modifiers and operators that say nothing there.

use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    body::{Expr, ExprStore},
    item::ItemKind,
    type_ref::{TypeRef, TypeRefId},
};
use hir_ty::{
    diagnostics::Node,
    generics,
    signature::{self, ParamSignature},
    ty::{BuiltinType, ParamDirection, Ty},
};

use super::{CheckedBody, Declaration};

pub(super) fn check(declaration: &mut Declaration<'_>) {
    let data = declaration.data;
    for (id, ty) in data.store.type_refs.iter() {
        if let TypeRef::Each(inner) = ty {
            each_of_a_pack(declaration, id, *inner);
        }
    }
    match data.kind {
        // E20019: the alias would be of the type, and the modifier of what is declared with it.
        ItemKind::TypeAlias { ty } if is_volatile(&data.store, ty) => {
            declaration.report(
                codes::VOLATILE_TYPE,
                Node::SignatureTypeRef(ty),
                "cannot use 'volatile' as a type modifier",
            );
        }
        ItemKind::Variable { ty, .. } => {
            // E30078: where a pointer leads is not known, so each operation says how it is ordered.
            let coherent = data.modifiers.contains(Modifiers::GLOBALLY_COHERENT);
            if coherent && matches!(declaration.lower(ty), Ty::Builtin(BuiltinType::Ptr, _)) {
                declaration.report(
                    codes::COHERENT_POINTER,
                    Node::Name,
                    "a pointer cannot be 'globallycoherent'; use coherent operations",
                );
            }
            bare_tuple(declaration, ty);
        }
        ItemKind::Function(_) | ItemKind::Constructor { .. } | ItemKind::Subscript { .. } => {
            pack_directions(declaration)
        }
        _ => {}
    }
}

fn is_volatile(store: &ExprStore, ty: TypeRefId) -> bool {
    matches!(&store.type_refs[ty], TypeRef::Modified(modifiers, _) if modifiers.contains(Modifiers::VOLATILE))
}

/// E30103: `each` takes a pack or tuple apart.
fn each_of_a_pack(declaration: &mut Declaration<'_>, id: TypeRefId, inner: TypeRefId) {
    let is_single = match declaration.lower(inner) {
        Ty::Param(param) => !generics::is_pack(declaration.db, param),
        Ty::Scalar(_) => true,
        _ => false,
    };
    if is_single {
        declaration.report(
            codes::EACH_WITHOUT_PACK,
            Node::SignatureTypeRef(id),
            "expected a type pack or a tuple after 'each'",
        );
    }
}

/// E30107: what is passed for a pack only goes in.
fn pack_directions(declaration: &mut Declaration<'_>) {
    let signature = signature::signature(declaration.db, declaration.item);
    let gives_out = |param: &ParamSignature| {
        matches!(param.ty, Ty::Expand(_)) && !matches!(param.direction, ParamDirection::In | ParamDirection::ConstRef)
    };
    for (index, param) in signature.params.iter().enumerate().filter(|(_, param)| gives_out(param)) {
        let name = param.name.as_str();
        declaration.report(
            codes::PACK_GIVES_OUT,
            Node::Param(index as u32),
            format!("parameter pack '{name}' must be 'const', not 'out' or 'inout'"),
        );
    }
}

/// E30408: a tuple of nothing in particular.
fn bare_tuple(declaration: &mut Declaration<'_>, ty: TypeRefId) {
    if let TypeRef::Path(path) = &declaration.data.store.type_refs[ty]
        && let [segment] = path.segments.as_slice()
        && segment.args.is_none()
        && segment.name.as_str() == "Tuple"
        && matches!(declaration.lower(ty), Ty::Builtin(BuiltinType::Tuple, _))
    {
        declaration.report(
            codes::TUPLE_WITHOUT_ARGUMENTS,
            Node::SignatureTypeRef(ty),
            "generic type 'Tuple' used without argument",
        );
    }
}

/// E30105: an `expand` repeats something for each element of a pack.
pub(super) fn check_expansions(body: &mut CheckedBody<'_>) {
    let store = &body.body.store;
    let takes_apart = store.exprs.iter().any(|(_, expr)| matches!(expr, Expr::Each(_)))
        || store.type_refs.iter().any(|(_, ty)| matches!(ty, TypeRef::Each(_)));
    for (id, expr) in store.exprs.iter() {
        if matches!(expr, Expr::Expand(_)) && !takes_apart {
            let message = "'expand' captures no type packs; at least one must be taken apart by 'each' inside";
            body.report(codes::EXPAND_WITHOUT_PACK, Node::Expr(id), message);
        }
    }
}

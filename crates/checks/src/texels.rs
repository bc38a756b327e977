//! What textures and typed buffers are made of.

use diagnostics::codes;
use hir_def::item::{Function, ItemKind};
use hir_ty::{
    diagnostics::Node,
    ty::{BuiltinClass, BuiltinType, ResourceClass, Ty},
};

use super::Declaration;

pub(super) fn check(declaration: &mut Declaration<'_>) {
    match &declaration.data.kind {
        ItemKind::Variable { ty, .. } => texel(declaration, *ty),
        ItemKind::Function(Function { params, .. }) => params.iter().for_each(|param| texel(declaration, param.ty)),
        _ => {}
    }
}

/// E38029: a texel is a scalar or a vector.
fn texel(declaration: &mut Declaration<'_>, written: hir_def::type_ref::TypeRefId) {
    let ty = declaration.lower(written);
    let (Ty::Builtin(kind, _), Some(element)) = (ty, ty.first_type_arg(declaration.db)) else { return };
    if !matches!(kind.class(), BuiltinClass::Resource(ResourceClass::Texture | ResourceClass::TexelBuffer)) {
        return;
    }
    // Structs may conform by themselves.
    let never = match element {
        Ty::Builtin(BuiltinType::Vector | BuiltinType::Array, _) => false,
        Ty::Builtin(..) | Ty::Void | Ty::String => true,
        _ => false,
    };
    if never {
        let shown = declaration.show(element);
        let message = format!("type argument '{shown}' does not conform to the required interface 'ITexelElement'");
        declaration.report(codes::TYPE_ARGUMENT_DOES_NOT_CONFORM, Node::SignatureTypeRef(written), message);
    }
}

//! Types as they are written: modifiers and operators that say nothing there.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    body::{Expr, ExprId, ExprStore, LocalKind},
    item::{Function, ItemKind, Param},
    type_ref::{GenericArgRef, TypeRef, TypeRefId},
};
use hir_ty::{
    conformance,
    diagnostics::{Diagnostic, Node, Site, conformances as findings},
    display::{display, display_const, item_name},
    env::{Bound, Env},
    generics,
    known::{self, Known},
    signature::{self, ParamSignature},
    ty::{BuiltinClass, BuiltinType, ParamDirection, ResourceClass, TextureAccess, Ty},
};

use super::{CheckedBody, Declaration, numbers};

pub(super) fn check(declaration: &mut Declaration<'_>) {
    let data = declaration.data;
    let env = Env::of(declaration.db, declaration.item);
    for (id, ty) in data.store.type_refs.iter() {
        let place = Site { item: declaration.item, node: Node::SignatureTypeRef(id) };
        let refused = arguments(declaration.db, env, place, ty, || declaration.lower(id));
        declaration.found.extend(refused);
        // E30002
        if let TypeRef::Array { len: Some(len), .. } = ty
            && numbers::divides_by_zero(&data.store, *len)
        {
            declaration.report(codes::DIVISION_BY_ZERO, Node::SignatureExpr(*len), "division by zero");
        }
        if let TypeRef::Each(inner) = ty {
            each_of_a_pack(declaration, id, *inner);
        }
    }
    for ty in const_arguments(&data.store) {
        declaration.report(codes::CONST_IN_TYPE, Node::SignatureTypeRef(ty), CONST_IN_TYPE);
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
        ItemKind::TypeAlias { ty } if is_const(&data.store, ty) => {
            declaration.report(codes::CONST_IN_TYPE, Node::SignatureTypeRef(ty), CONST_IN_TYPE);
        }
        ItemKind::Variable { ty, .. } => {
            if data.modifiers.contains(Modifiers::CONST) && is_c_pointer(&data.store, ty) {
                declaration.report(codes::CONST_POINTER, Node::Name, CONST_POINTER);
            }
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
            void(declaration, ty);
        }
        ItemKind::Function(Function { ref params, ret, .. }) => {
            parameters(declaration, params);
            bare_tuple(declaration, ret);
        }
        ItemKind::Subscript { ref params, ret } => {
            parameters(declaration, params);
            bare_tuple(declaration, ret);
        }
        ItemKind::Constructor { ref params, .. } => parameters(declaration, params),
        _ => {}
    }
}

/// E38029, E30440, E38043: the arguments of a generic type meet what it asks of them.
fn arguments(db: &dyn Db, env: Env, place: Site, written: &TypeRef, ty: impl FnOnce() -> Ty) -> Option<Diagnostic> {
    let TypeRef::Path(path) = written else { return None };
    path.segments.last()?.args.as_ref()?;
    let (item, args) = match ty() {
        Ty::Adt(item, args) => (item, args),
        ty => return builtin_argument(db, env, place, ty),
    };
    let show = |ty: Ty| display(db, ty);
    let declaration = Some((item_name(db, item), Site::name(item)));
    Some(match conformance::first_unmet_bound(db, env, item, args, None)? {
        Bound::Conforms { subject, interface, .. } => {
            findings::bound_not_met(place, &show(subject), &show(interface), declaration)
        }
        Bound::Coercible { from, to } => findings::not_convertible(place, &show(from), &show(to), declaration),
        Bound::Equal { left, right } => findings::types_not_equal(place, &show(left), &show(right), declaration),
        // A branch of a `__packBranch` knows better.
        Bound::NonEmpty { pack } if !pack.args(db).is_empty() => return None,
        Bound::NonEmpty { .. } => findings::pack_empty(place, declaration),
        Bound::EqualValues { left, right } => {
            let show = |value| display_const(db, value);
            findings::types_not_equal(place, &show(left), &show(right), declaration)
        }
    })
}

/// E38029: what textures, typed buffers and atomics are made of.
fn builtin_argument(db: &dyn Db, env: Env, place: Site, ty: Ty) -> Option<Diagnostic> {
    let (Ty::Builtin(kind, _), element) = (ty, ty.first_type_arg(db)?) else { return None };
    let required = match kind.class() {
        // What a map of samples holds is no texel.
        BuiltinClass::Resource(ResourceClass::Texture) if matches!(kind, BuiltinType::Texture(shape) if shape.access == TextureAccess::Feedback) =>
        {
            return None;
        }
        // Where the type is not known but has arithmetic, it is a scalar.
        BuiltinClass::Resource(ResourceClass::Texture | ResourceClass::TexelBuffer)
            if conformance::conforms_to_known(db, env, element, Known::BuiltinArithmeticType) =>
        {
            return None;
        }
        BuiltinClass::Resource(ResourceClass::Texture | ResourceClass::TexelBuffer) => Known::ITexelElement,
        BuiltinClass::Atomic => Known::IAtomicable,
        BuiltinClass::Numeric
        | BuiltinClass::Composite
        | BuiltinClass::Pointer
        | BuiltinClass::Descriptor
        | BuiltinClass::Resource(_) => return None,
    };
    let required = known::interface_type(db, required)?;
    let conforms = conformance::conforms(db, env, element, required);
    (!conforms).then(|| findings::bound_not_met(place, &display(db, element), &display(db, required), None))
}

/// E20017: who wrote it means a pointer through which nothing is written, and would get one that cannot be moved.
const CONST_POINTER: &str = "'const' does not say what a pointer points to: leave it out, or write 'Ptr<T, Access.Read>' to only read through it";

/// E20018
const CONST_IN_TYPE: &str = "'const' is about a variable and no part of a type";

fn is_c_pointer(store: &ExprStore, ty: TypeRefId) -> bool {
    matches!(store.type_refs[ty], TypeRef::Pointer(_))
}

fn is_const(store: &ExprStore, ty: TypeRefId) -> bool {
    matches!(&store.type_refs[ty], TypeRef::Modified(modifiers, _) if modifiers.contains(Modifiers::CONST))
}

/// E20018: `const` in the arguments of a generic type.
fn const_arguments(store: &ExprStore) -> impl Iterator<Item = TypeRefId> {
    let paths = store.type_refs.iter().filter_map(|(_, ty)| match ty {
        TypeRef::Path(path) => Some(path.segments.iter().filter_map(|segment| segment.args.as_ref()).flatten()),
        _ => None,
    });
    paths.flatten().filter_map(|arg| match arg {
        GenericArgRef::Type(ty) => Some(*ty).filter(|ty| is_const(store, *ty)),
        _ => None,
    })
}

/// The types that a body writes.
pub(super) fn check_body(body: &mut CheckedBody<'_>) {
    let store = &body.body.store;
    for (id, local) in store.locals.iter() {
        let is_variable = matches!(local.kind, LocalKind::Variable | LocalKind::Static);
        let pointer = local.ty.filter(|ty| is_c_pointer(store, *ty));
        if is_variable && local.modifiers.contains(Modifiers::CONST) && pointer.is_some() {
            body.report(codes::CONST_POINTER, Node::Local(id), CONST_POINTER);
        }
    }
    let casts = store.exprs.iter().filter_map(|(_, expr)| match expr {
        Expr::Cast { ty, .. } => Some(*ty).filter(|ty| is_const(store, *ty)),
        _ => None,
    });
    for ty in casts.chain(const_arguments(store)) {
        body.report(codes::CONST_IN_TYPE, Node::TypeRef(ty), CONST_IN_TYPE);
    }
    let env = Env::of(body.db, body.item);
    let refused = body.inferred.type_refs.iter().filter_map(|(id, ty)| {
        let place = Site { item: body.item, node: Node::TypeRef(id) };
        arguments(body.db, env, place, &body.body.store.type_refs[id], || *ty)
    });
    let refused: Vec<Diagnostic> = refused.collect();
    body.found.extend(refused);
}

fn is_volatile(store: &ExprStore, ty: TypeRefId) -> bool {
    matches!(&store.type_refs[ty], TypeRef::Modified(modifiers, _) if modifiers.contains(Modifiers::VOLATILE))
}

fn parameters(declaration: &mut Declaration<'_>, params: &[Param]) {
    pack_directions(declaration);
    for (index, param) in params.iter().enumerate() {
        if param.modifiers.contains(Modifiers::CONST) && is_c_pointer(&declaration.data.store, param.ty) {
            declaration.report(codes::CONST_POINTER, Node::Param(index as u32), CONST_POINTER);
        }
        bare_tuple(declaration, param.ty);
        void(declaration, param.ty);
    }
}

/// E30009: nothing is stored in a variable of type `void`.
fn void(declaration: &mut Declaration<'_>, ty: TypeRefId) {
    if declaration.lower(ty) == Ty::Void {
        let message = "a variable cannot be of type 'void'";
        declaration.report(codes::VOID_VARIABLE, Node::SignatureTypeRef(ty), message);
    }
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
            codes::GENERIC_ARGUMENTS_LEFT_OUT,
            Node::SignatureTypeRef(ty),
            "generic type 'Tuple' used without argument",
        );
    }
}

/// E30105: an `expand` repeats something for each element of a pack.
pub(super) fn check_expansions(body: &mut CheckedBody<'_>) {
    let store = &body.body.store;
    // Which `expand` a type belongs to is not looked up.
    let takes_types_apart = store.type_refs.iter().any(|(_, ty)| matches!(ty, TypeRef::Each(_)));
    for (id, expr) in store.exprs.iter() {
        if let Expr::Expand(inner) = expr
            && !takes_types_apart
            && !takes_apart(store, *inner, 0)
        {
            let message = "'expand' captures no type packs; at least one must be taken apart by 'each' inside";
            body.report(codes::EXPAND_WITHOUT_PACK, Node::Expr(id), message);
        }
    }
}

/// Whether there is an `each`, or something that is not looked into, in an expression.
fn takes_apart(store: &ExprStore, expr: ExprId, depth: u32) -> bool {
    const MAX_DEPTH: u32 = 256;
    let mut found = depth > MAX_DEPTH;
    match &store.exprs[expr] {
        Expr::Each(_) | Expr::Expand(_) | Expr::Lambda { .. } | Expr::PackQuery { .. } => found = true,
        other => other.for_each_operand(|operand| found |= takes_apart(store, operand, depth + 1)),
    }
    found
}

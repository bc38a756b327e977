//! Generic parameters, their constraints, and what extensions may be about.

use diagnostics::codes;
use hir_def::{
    item::{self, GenericConstraint, GenericParam, GenericParamKind, ItemKind},
    type_ref::{TypeRef, TypeRefId},
};
use hir_ty::{
    diagnostics::Node,
    env::Bound,
    extension, generics,
    lower_ty::TypeLowering,
    substitute::{self, Unknown},
    ty::{Ty, TypeParam},
};

use super::Declaration;

pub(super) fn check(declaration: &mut Declaration<'_>) {
    parameters(declaration);
    hidden_parameters(declaration);
    forward_references(declaration);
    constraints(declaration);
    match &declaration.data.kind {
        ItemKind::Extension { target, .. } => extension_target(declaration, *target),
        ItemKind::AssociatedType { bounds, .. } => bounds.iter().for_each(|bound| constraint_type(declaration, *bound)),
        _ => {}
    }
}

/// E30624, E30522, E20104: what a generic parameter may be, and where a pack may stand.
fn parameters(declaration: &mut Declaration<'_>) {
    let mut pack_before = false;
    for (index, param) in declaration.data.generics.params.iter().enumerate() {
        let node = Node::GenericParam(index as u32);
        // E20104: what is extended says what the parameter is.
        let has_default = matches!(
            param.kind,
            GenericParamKind::Type { default: Some(_), .. } | GenericParamKind::Value { default: Some(_), .. }
        );
        if has_default && matches!(declaration.data.kind, ItemKind::Extension { .. }) {
            let message = format!("'{}' cannot have a default: what is extended says what it is", param.name);
            declaration.report(codes::DEFAULT_IN_EXTENSION, node, message);
        }
        let is_pack = matches!(param.kind, GenericParamKind::Pack { .. } | GenericParamKind::ValuePack { .. });
        if pack_before && !is_pack {
            let message = format!("generic parameter '{}' cannot appear after a variadic pack parameter", param.name);
            declaration.report(codes::PARAMETER_AFTER_PACK, node, message);
        }
        pack_before |= is_pack;
        match &param.kind {
            GenericParamKind::Value { ty, .. } | GenericParamKind::ValuePack { ty } => {
                let ty = declaration.lower(*ty);
                if !may_be_value_parameter(declaration, ty) {
                    let message = format!(
                        "generic value parameter type '{}' is not supported; only integer and enum types are",
                        declaration.show(ty)
                    );
                    declaration.report(codes::GENERIC_VALUE_TYPE, node, message);
                }
            }
            GenericParamKind::Type { bounds, .. } | GenericParamKind::Pack { bounds } => {
                for bound in bounds {
                    constraint_type(declaration, *bound);
                }
            }
        }
    }
}

/// E30515 (warning): types with the name of a parameter of a declaration around.
fn hidden_parameters(declaration: &mut Declaration<'_>) {
    let (db, item) = (declaration.db, declaration.item);
    let is_type =
        |param: &GenericParam| matches!(param.kind, GenericParamKind::Type { .. } | GenericParamKind::Pack { .. });
    for (index, param) in declaration.data.generics.params.iter().enumerate().filter(|(_, param)| is_type(param)) {
        let mut around = std::iter::successors(item::container(db, item), |container| item::container(db, *container));
        let hidden = around.find(|container| {
            let outer = &item::item_data(db, *container).generics.params;
            outer.iter().any(|outer| is_type(outer) && outer.name == param.name)
        });
        if let Some(hidden) = hidden {
            let owner = item::item_data(db, hidden)
                .name
                .as_ref()
                .map_or_else(|| "the extension around it".to_owned(), |name| format!("'{name}'"));
            let message = format!("generic parameter '{}' hides the one of {owner}", param.name);
            declaration.report(codes::SHADOWED_GENERIC_PARAMETER, Node::GenericParam(index as u32), message);
        }
    }
}

/// E30117: a parameter's constraint speaks of those in front of it; `where` clauses speak of all.
fn forward_references(declaration: &mut Declaration<'_>) {
    let (db, item) = (declaration.db, declaration.item);
    let own: Vec<TypeParam> =
        generics::parameters(db, item).iter().copied().filter(|param| param.owner(db) == item).collect();
    let mut lowering = TypeLowering::new(db, item, &declaration.data.store);
    let mut found = Vec::new();
    for (index, param) in declaration.data.generics.params.iter().enumerate() {
        let (GenericParamKind::Type { bounds, .. } | GenericParamKind::Pack { bounds }) = &param.kind else { continue };
        let Some(later) = own.get(index + 1..) else { continue };
        for bound in bounds {
            let types = generics::bound_types(&mut lowering, *bound);
            let mentioned = |param: &&TypeParam| types.iter().any(|ty| mentions(db, *ty, **param));
            if let Some(later) = later.iter().find(mentioned) {
                found.push((*bound, &param.name, generics::parameter_name(db, *later)));
            }
        }
    }
    for (bound, name, later) in found {
        let message = format!(
            "the constraint of generic parameter '{name}' references parameter '{later}' before it is declared"
        );
        declaration.report(codes::CONSTRAINT_USES_LATER_PARAMETER, Node::SignatureTypeRef(bound), message);
    }
}

/// Integers, `bool`, enums; types that are not known yet may turn out to be one.
fn may_be_value_parameter(declaration: &Declaration<'_>, ty: Ty) -> bool {
    match ty {
        Ty::Scalar(scalar) => !scalar.is_float(),
        Ty::Adt(item, _) => !matches!(hir_def::item::item_data(declaration.db, item).kind, ItemKind::Struct { .. }),
        Ty::Void | Ty::String | Ty::Builtin(..) => false,
        _ => true,
    }
}

/// E30402, E30404: the two sides of `where` clauses.
fn constraints(declaration: &mut Declaration<'_>) {
    for constraint in &declaration.data.generics.constraints {
        match constraint {
            GenericConstraint::Conforms { subject, bounds, .. } => {
                this_as_subject(declaration, *subject);
                let subject_type = declaration.lower(*subject);
                let is_known = match subject_type {
                    Ty::Scalar(_) | Ty::Void | Ty::String => true,
                    Ty::Adt(..) | Ty::Builtin(..) => {
                        !extension::is_interface(declaration.db, subject_type)
                            && substitute::is_concrete(declaration.db, subject_type)
                    }
                    _ => false,
                };
                if is_known {
                    let shown = declaration.show(subject_type);
                    let message = format!("type '{shown}' is not a valid left hand side of a type constraint");
                    declaration.report(codes::CONSTRAINED_CONCRETE_TYPE, Node::SignatureTypeRef(*subject), message);
                }
                for bound in bounds {
                    constraint_type(declaration, *bound);
                }
            }
            GenericConstraint::Equal { left, right } => {
                this_as_subject(declaration, *left);
                for side in [left, right] {
                    if matches!(declaration.data.store.type_refs[*side], TypeRef::And(_)) {
                        let message =
                            "several interfaces are not a proper type to use in a generic equality constraint";
                        declaration.report(
                            codes::EQUALITY_WITH_SEVERAL_INTERFACES,
                            Node::SignatureTypeRef(*side),
                            message,
                        );
                    }
                }
            }
            GenericConstraint::Coercible { .. }
            | GenericConstraint::NonEmpty { .. }
            | GenericConstraint::EqualValues { .. } => {}
        }
    }
}

/// E30427: an interface gets a base by inheriting from it.
fn this_as_subject(declaration: &mut Declaration<'_>, subject: TypeRefId) {
    // As it is written: what `where A == This` says of `A` is fine.
    let is_this = matches!(
        &declaration.data.store.type_refs[subject],
        TypeRef::Path(path) if path.segments.len() == 1 && path.segments[0].name.as_str() == "This"
    );
    if matches!(declaration.data.kind, ItemKind::Constraint) && is_this {
        let message = "the subject of a constraint cannot be 'This'; constrain an associated type such as 'This.A', or \
                       inherit from the interface";
        declaration.report(codes::CONSTRAINT_ON_THIS, Node::SignatureTypeRef(subject), message);
    }
}

/// E30401: only interfaces constrain a type.
fn constraint_type(declaration: &mut Declaration<'_>, bound: TypeRefId) {
    let db = declaration.db;
    let mut lowering = TypeLowering::new(db, declaration.item, &declaration.data.store);
    for ty in generics::bound_types(&mut lowering, bound) {
        let is_concrete = match ty {
            Ty::Scalar(_) | Ty::Void | Ty::String | Ty::Builtin(..) => true,
            Ty::Adt(item, _) => {
                // A base struct constrains as well: `T : Base`.
                matches!(hir_def::item::item_data(db, item).kind, ItemKind::Struct { .. } | ItemKind::Enum { .. })
            }
            _ => false,
        };
        if is_concrete {
            let message = format!("type '{}' cannot be used as a constraint", declaration.show(ty));
            declaration.report(codes::CONSTRAINT_NOT_AN_INTERFACE, Node::SignatureTypeRef(bound), message);
        }
    }
}

/// E30852: an interface is extended through the types that conform to it. E30855: a parameter can never be found that
/// neither the target mentions nor a bound of what it mentions: `extension<T, V : IVectorOf<T>> V` finds `T` through the
/// interfaces of `V`.
fn extension_target(declaration: &mut Declaration<'_>, target: TypeRefId) {
    let db = declaration.db;
    let ty = extension::target(db, declaration.item);
    if ty.is_error() {
        return;
    }
    if extension::is_interface(db, ty) {
        let shown = declaration.show(ty);
        let message =
            format!("cannot extend interface type '{shown}'; consider a generic extension: 'extension<T : {shown}> T'");
        declaration.report(codes::EXTENDED_INTERFACE, Node::SignatureTypeRef(target), message);
        return;
    }
    // E30850: members of everything would be members of nothing in particular.
    if let Ty::Param(param) = ty
        && param.owner(db) == declaration.item
        && !generics::own_bounds(db, declaration.item)
            .iter()
            .any(|bound| matches!(bound, Bound::Conforms { subject, .. } if *subject == ty))
    {
        let message = format!("type '{}' cannot be extended: say of which interface it is", declaration.show(ty));
        declaration.report(codes::CANNOT_BE_EXTENDED, Node::SignatureTypeRef(target), message);
        return;
    }
    let params = generics::parameters(db, declaration.item);
    let own = params.iter().copied().filter(|param| param.owner(db) == declaration.item);
    let params: Vec<TypeParam> = own.collect();
    let bounds = generics::own_bounds(db, declaration.item);
    let layouts = generics::layout_parameters(db, declaration.item);
    let mut found: Vec<bool> = params.iter().map(|param| mentions(db, ty, *param) || layouts.contains(param)).collect();
    let mut before = 0;
    // Each round finds a parameter or is the last.
    while before < found.iter().filter(|found| **found).count() {
        before = found.iter().filter(|found| **found).count();
        for bound in bounds {
            let (known, other) = match *bound {
                Bound::Conforms { subject, interface, .. } => (subject, interface),
                Bound::Equal { left, right } => (left, right),
                Bound::Coercible { .. } | Bound::NonEmpty { .. } | Bound::EqualValues { .. } => continue,
            };
            let is_known = |ty| params.iter().zip(&found).all(|(param, found)| *found || !mentions(db, ty, *param));
            let equal_from_right = matches!(bound, Bound::Equal { .. }) && is_known(other);
            if !is_known(known) && !equal_from_right {
                continue;
            }
            for (param, found) in params.iter().zip(&mut found) {
                *found |= mentions(db, known, *param) || mentions(db, other, *param);
            }
        }
    }
    let params = declaration.data.generics.params.iter().enumerate();
    for ((index, param), _) in params.zip(found).filter(|(_, found)| !found) {
        let message = format!(
            "generic parameter '{}' is not referenced by extension target type '{}'",
            param.name,
            declaration.show(ty)
        );
        declaration.report(codes::UNRELATED_EXTENSION_PARAMETER, Node::GenericParam(index as u32), message);
    }
}

fn mentions(db: &dyn base_db::Db, ty: Ty, param: TypeParam) -> bool {
    substitute::any(db, ty, &mut |part| matches!(part, Unknown::Param(found) if found == param))
}

//! Which declarations may stand inside which.

use diagnostics::codes;
use hir_def::{
    attribute::{AttributeKind, Modifiers},
    item::{self, ItemId, ItemKind},
    type_ref::TypeRef,
};
use hir_ty::{aggregate, diagnostics::Node, extension, ty::Ty};

use super::Declaration;

pub(super) fn check(declaration: &mut Declaration<'_>) {
    let container = declaration.container().map(|(_, kind)| kind);
    let kind = &declaration.data.kind;
    if let Some(what) = misplaced(kind, container) {
        declaration.report(codes::MISPLACED_DECLARATION, Node::Name, format!("{what} is not allowed here"));
    }
    if is_enum_in_function(declaration) {
        declaration.report(codes::MISPLACED_DECLARATION, Node::Name, "enum is not allowed here");
    }
    match container {
        Some(ItemKind::Extension { .. }) => in_extension(declaration),
        Some(ItemKind::Interface { .. }) => in_interface(declaration),
        _ => {}
    }
}

/// E30102: the word for a declaration that cannot stand in `container` (`None`: at the top level of a file).
fn misplaced(kind: &ItemKind, container: Option<&ItemKind>) -> Option<&'static str> {
    let global = matches!(container, None | Some(ItemKind::Namespace));
    let in_interface = matches!(container, Some(ItemKind::Interface { .. }));
    let in_function = container.is_some_and(is_function);
    match kind {
        ItemKind::Namespace if !global => Some("namespace"),
        ItemKind::Interface { .. } if !global => Some("interface"),
        ItemKind::Extension { .. } if !global => Some("extension"),
        ItemKind::Using { .. } if !global && !in_function => Some("using"),
        ItemKind::Function(_) if in_function => Some("function"),
        ItemKind::Import { .. } if !global => Some("import"),
        ItemKind::Module { .. } if container.is_some() => Some("module"),
        ItemKind::Implementing { .. } if container.is_some() => Some("implementing"),
        ItemKind::Constructor { .. } if global => Some("__init"),
        ItemKind::Struct { .. } if in_interface => Some("struct"),
        ItemKind::Enum { .. } if in_interface => Some("enum"),
        ItemKind::TypeAlias { .. } if in_interface => Some("typealias"),
        ItemKind::AssociatedType { .. } if !in_interface => Some("associatedtype"),
        _ => None,
    }
}

fn is_function(kind: &ItemKind) -> bool {
    matches!(kind, ItemKind::Function(_) | ItemKind::Constructor { .. } | ItemKind::Accessor { .. })
}

/// E30102, unless a `typedef` says what the enum is called.
fn is_enum_in_function(declaration: &Declaration<'_>) -> bool {
    if !matches!(declaration.data.kind, ItemKind::Enum { .. }) {
        return false;
    }
    let Some((function, kind)) = declaration.container() else { return false };
    let is_named_by_typedef = |member: &ItemId| {
        let member = item::item_data(declaration.db, *member);
        matches!(member.kind, ItemKind::TypeAlias { ty } if matches!(member.store.type_refs[ty], TypeRef::Declared(_)))
    };
    is_function(kind) && !item::local_items(declaration.db, function).iter().any(is_named_by_typedef)
}

/// E31400, E31143, E30851: an extension adds no storage and no constructors.
fn in_extension(declaration: &mut Declaration<'_>) {
    match declaration.data.kind {
        ItemKind::Variable { .. } if declaration.data.modifiers.contains(Modifiers::EXTERN) => {
            // What it may add to a field is its counterpart in the differential type.
            if declaration.data.has_attribute(AttributeKind::DerivativeMember) && is_field_of_target(declaration) {
                return;
            }
            let message = format!("no original definition found for 'extern' declaration '{}'", declaration.name());
            declaration.report(codes::EXTERN_WITHOUT_ORIGINAL, Node::Name, message);
        }
        ItemKind::Variable { .. } if !declaration.data.modifiers.contains(Modifiers::STATIC) => {
            declaration.report(
                codes::MEMBER_VARIABLE_NOT_STATIC,
                Node::Name,
                "a member variable that is not static is not allowed in an extension",
            );
        }
        // How a value begins without arguments is for the type alone to say.
        ItemKind::Constructor { ref params, .. } if params.is_empty() => {
            declaration.report(
                codes::CONSTRUCTOR_IN_EXTENSION,
                Node::Name,
                "'__init' without parameters cannot be part of an extension",
            );
        }
        _ => {}
    }
}

/// Whether the extended type has a field of the name, to which `extern` adds attributes.
fn is_field_of_target(declaration: &Declaration<'_>) -> bool {
    let db = declaration.db;
    let Some((extension, _)) = declaration.container() else { return false };
    let Ty::Adt(target, _) = extension::target(db, extension) else { return false };
    let name = &declaration.data.name;
    aggregate::own_fields(db, target).iter().any(|field| item::item_data(db, *field).name == *name)
}

/// E31400, E30303, E30306: a value that an interface requires is a constant; of the scalars, an integer or `bool`.
fn in_interface(declaration: &mut Declaration<'_>) {
    let modifiers = declaration.data.modifiers;
    let ItemKind::Variable { ty, .. } = declaration.data.kind else { return };
    if !modifiers.intersects(Modifiers::STATIC | Modifiers::CONST) {
        declaration.report(
            codes::MEMBER_VARIABLE_NOT_STATIC,
            Node::Name,
            "a member variable that is not static is not allowed in an interface",
        );
    } else if !modifiers.contains(Modifiers::STATIC | Modifiers::CONST) {
        declaration.report(
            codes::REQUIRED_VALUE_NOT_CONSTANT,
            Node::Name,
            "a value that an interface requires must be declared 'static const'",
        );
    } else if let Ty::Scalar(scalar) = declaration.lower(ty)
        && scalar.is_float()
    {
        let message = "a 'static const' that an interface requires can only have an integer type or 'bool'";
        declaration.report(codes::REQUIRED_FLOAT_VALUE, Node::Name, message);
    }
}

//! Attributes and modifiers.

use syntax::{
    SyntaxKind, T,
    ast::{self, AstNode},
};

use crate::{
    attribute::{Attribute, AttributeId, AttributeKind, AttributeTargets, Modifiers},
    item::ItemKind,
    lower::{Lowering, name_ref, trimmed_range},
    name::Name,
};

impl Lowering {
    pub(crate) fn attributes(&mut self, list: &ast::ModifierList, target: AttributeTargets) -> Vec<AttributeId> {
        let written = list.attribute_lists().flat_map(|list| self.attribute_list(&list, target));
        let mut attributes: Vec<AttributeId> = written.collect();
        attributes.extend(self.layout_attributes(list, target));
        attributes
    }

    pub(crate) fn attribute_list(&mut self, list: &ast::AttributeList, target: AttributeTargets) -> Vec<AttributeId> {
        let attributes = list.attributes().filter_map(|attribute| {
            let name = attribute_name(&attribute)?;
            let args = attribute.arg_list().into_iter().flat_map(|list| list.args()).map(|arg| self.expr(arg));
            let (kind, args) = (AttributeKind::from_name(&name), args.collect());
            self.sources.attributes.push(trimmed_range(attribute.syntax()));
            Some(self.store.attributes.alloc(Attribute { kind, name: Name::new(&name), args, target }))
        });
        attributes.collect()
    }

    pub(crate) fn modifiers(&self, list: &ast::ModifierList) -> Modifiers {
        let mut modifiers = Modifiers::empty();
        for modifier in list.modifiers() {
            if let Some(token) = modifier.syntax().first_token() {
                modifiers |= modifier_flag(token.kind());
            }
        }
        if modifiers.contains(Modifiers::IN | Modifiers::OUT) {
            modifiers -= Modifiers::IN | Modifiers::OUT;
            modifiers |= Modifiers::INOUT;
        }
        modifiers
    }
}

/// The parts of the name joined by `::`.
fn attribute_name(attribute: &ast::Attribute) -> Option<String> {
    let path = attribute.path()?;
    let mut names = vec![name_ref(path.name_ref())?.0];
    let mut qualifier = path.qualifier();
    while let Some(path) = qualifier {
        names.push(name_ref(path.name_ref())?.0);
        qualifier = path.qualifier();
    }
    names.reverse();
    Some(names.join("::"))
}

/// Whether one of the attributes of a declaration is of this kind.
pub(crate) fn has_attribute(list: Option<ast::ModifierList>, kind: AttributeKind) -> bool {
    let attributes = list.into_iter().flat_map(|list| list.attribute_lists()).flat_map(|list| list.attributes());
    let mut names = attributes.filter_map(|attribute| attribute_name(&attribute));
    names.any(|name| AttributeKind::from_name(&name) == Some(kind))
}

/// Empty for modifiers that change nothing; the test says of each why.
fn modifier_flag(kind: SyntaxKind) -> Modifiers {
    match kind {
        T![static] => Modifiers::STATIC,
        T![const] => Modifiers::CONST,
        T![constexpr] => Modifiers::CONST | Modifiers::CONSTEXPR,
        T![in] => Modifiers::IN,
        T![out] => Modifiers::OUT,
        T![inout] => Modifiers::INOUT,
        T![ref] | T![__ref] => Modifiers::REF,
        T![constref] | T![__constref] => Modifiers::CONSTREF,
        T![borrow] => Modifiers::BORROW,
        T![uniform] => Modifiers::UNIFORM,
        T![groupshared] | T![shared] => Modifiers::GROUPSHARED,
        T![no_diff] => Modifiers::NO_DIFF,
        T![public] => Modifiers::PUBLIC,
        T![internal] => Modifiers::INTERNAL,
        T![private] => Modifiers::PRIVATE,
        T![export] => Modifiers::EXPORT,
        T![extern] => Modifiers::EXTERN,
        T![override] => Modifiers::OVERRIDE,
        T![param] => Modifiers::PARAM,
        T![row_major] => Modifiers::ROW_MAJOR,
        T![column_major] => Modifiers::COLUMN_MAJOR,
        T![globallycoherent] | T![coherent] => Modifiers::GLOBALLY_COHERENT,
        T![precise] => Modifiers::PRECISE,
        T![nointerpolation] | T![flat] => Modifiers::NOINTERPOLATION,
        T![noperspective] => Modifiers::NOPERSPECTIVE,
        T![centroid] => Modifiers::CENTROID,
        T![sample] => Modifiers::SAMPLE,
        T![buffer] => Modifiers::STORAGE_BLOCK,
        T![readonly] => Modifiers::READ_ONLY,
        T![pervertex] => Modifiers::PER_VERTEX,
        T![inline] => Modifiers::INLINE,
        T![volatile] => Modifiers::VOLATILE,
        T![__exported] => Modifiers::EXPORTED,
        T![__prefix] => Modifiers::PREFIX,
        T![__postfix] => Modifiers::POSTFIX,
        T![dyn] => Modifiers::DYN,
        T![__implicit_conversion] => Modifiers::IMPLICIT,
        T![vertices] => Modifiers::VERTICES,
        T![indices] => Modifiers::INDICES,
        T![primitives] => Modifiers::PRIMITIVES,
        T![payload] => Modifiers::PAYLOAD,
        T![point] => Modifiers::POINT,
        T![line] => Modifiers::LINE,
        T![triangle] => Modifiers::TRIANGLE,
        T![lineadj] => Modifiers::LINE_ADJACENCY,
        T![triangleadj] => Modifiers::TRIANGLE_ADJACENCY,
        T![__specialized_for_target] => Modifiers::TARGET_SPECIFIC,
        _ => Modifiers::empty(),
    }
}

/// What an attribute on a declaration stands on.
pub(crate) fn attribute_target(kind: &ItemKind) -> AttributeTargets {
    match kind {
        ItemKind::Function(_) => AttributeTargets::FUNCTION,
        ItemKind::Constructor { .. } => AttributeTargets::CONSTRUCTOR,
        ItemKind::Accessor { .. } => AttributeTargets::ACCESSOR,
        ItemKind::Struct { .. } => AttributeTargets::STRUCT,
        ItemKind::Interface { .. } => AttributeTargets::INTERFACE,
        ItemKind::Enum { .. } => AttributeTargets::ENUM,
        ItemKind::AssociatedType { .. } => AttributeTargets::ASSOCIATED_TYPE,
        ItemKind::Variable { .. } | ItemKind::ConstantBuffer { .. } => AttributeTargets::VARIABLE,
        ItemKind::Module { .. } => AttributeTargets::MODULE,
        ItemKind::Subscript { .. }
        | ItemKind::Property { .. }
        | ItemKind::Extension { .. }
        | ItemKind::EnumCase { .. }
        | ItemKind::TypeAlias { .. }
        | ItemKind::Namespace
        | ItemKind::Import { .. }
        | ItemKind::Include { .. }
        | ItemKind::Implementing { .. }
        | ItemKind::Using { .. }
        | ItemKind::GlobalTypeParam
        | ItemKind::GlobalValueParam
        | ItemKind::Constraint => AttributeTargets::OTHER,
        ItemKind::Empty | ItemKind::Unsupported(_) => AttributeTargets::empty(),
    }
}

#[cfg(test)]
mod tests {
    use syntax::{KEYWORDS, keywords::modifier_use};

    use super::*;

    /// Modifiers of the core library's own declarations.
    const OF_THE_CORE_LIBRARY: &[&str] = &[
        "__attributeTarget",
        "__builtin",
        "__builtin_requirement",
        "__builtin_type",
        "__cuda_sm_version",
        "__glsl_extension",
        "__glsl_version",
        "__intrinsic_op",
        "__intrinsic_type",
        "__magic_enum",
        "__magic_type",
        "__spirv_version",
        "__target_intrinsic",
        "__wgsl_extension",
        "require",
    ];

    /// Modifiers that change nothing, and why.
    const WITHOUT_EFFECT: &[(&str, &str)] = &[
        ("__extern_cpp", "functions of the host are called by name"),
        ("__global", "globals are global"),
        ("callableDataEXT", "the stages of ray tracing are refused"),
        ("callableDataInEXT", "the stages of ray tracing are refused"),
        ("dynamic_uniform", "a hint"),
        ("highp", "all is computed in high precision"),
        ("hitAttributeEXT", "the stages of ray tracing are refused"),
        ("layout", "its words are attributes (`super::layouts`)"),
        ("linear", "how inputs are interpolated anyway"),
        ("lowp", "all is computed in high precision"),
        ("mediump", "all is computed in high precision"),
        ("rayPayloadEXT", "the stages of ray tracing are refused"),
        ("rayPayloadInEXT", "the stages of ray tracing are refused"),
        ("restrict", "a promise, not a meaning"),
        ("snorm", "the host's view says how texels are stored"),
        ("unorm", "the host's view says how texels are stored"),
        ("writeonly", "a promise, not a meaning"),
    ];

    #[test]
    fn no_modifier_vanishes_without_a_word() {
        for (word, kind) in KEYWORDS.iter().filter(|(_, kind)| modifier_use(*kind).is_some()) {
            let is_listed =
                OF_THE_CORE_LIBRARY.contains(word) || WITHOUT_EFFECT.iter().any(|(listed, _)| listed == word);
            assert_ne!(modifier_flag(*kind).is_empty(), !is_listed, "`{word}`: a flag, or a reason to have none");
        }
    }
}

//! Attributes and modifiers.

use syntax::{
    SyntaxKind, T,
    ast::{self, AstNode},
};

use crate::{
    attribute::{Attribute, Modifiers},
    lower::{Lowering, name_ref},
    name::Name,
};

impl Lowering {
    pub(crate) fn attributes(&mut self, list: &ast::ModifierList) -> Vec<Attribute> {
        list.attribute_lists().flat_map(|list| self.attribute_list(&list)).collect()
    }

    pub(crate) fn attribute_list(&mut self, list: &ast::AttributeList) -> Vec<Attribute> {
        let attributes = list.attributes().filter_map(|attribute| {
            let path = attribute.path()?;
            let mut names = vec![name_ref(path.name_ref())?.0];
            let mut qualifier = path.qualifier();
            while let Some(path) = qualifier {
                names.push(name_ref(path.name_ref())?.0);
                qualifier = path.qualifier();
            }
            names.reverse();
            let args = attribute.arg_list().into_iter().flat_map(|list| list.args()).map(|arg| self.expr(arg));
            Some(Attribute { name: Name::new(usual_spelling(&names.join("::"))), args: args.collect() })
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

/// HLSL's attributes may be written in capitals as well, by the names that Slang's compiler has for them.
fn usual_spelling(name: &str) -> &str {
    match name {
        "NumThreads" => "numthreads",
        "Shader" => "shader",
        "Unroll" => "unroll",
        "Loop" => "loop",
        "EarlyDepthStencil" => "earlydepthstencil",
        "MaxVertexCount" => "maxvertexcount",
        name => name,
    }
}

/// Empty for modifiers that change nothing that this layer or a later one knows.
fn modifier_flag(kind: SyntaxKind) -> Modifiers {
    match kind {
        T![static] => Modifiers::STATIC,
        T![const] | T![constexpr] => Modifiers::CONST,
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
        T![globallycoherent] => Modifiers::GLOBALLY_COHERENT,
        T![precise] => Modifiers::PRECISE,
        T![nointerpolation] => Modifiers::NOINTERPOLATION,
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
        T![__specialized_for_target] => Modifiers::TARGET_SPECIFIC,
        _ => Modifiers::empty(),
    }
}

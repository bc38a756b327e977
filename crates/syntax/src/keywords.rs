//! What each keyword is for, in one table: for the parser, completion and highlighting.
//!
//! Every keyword is also an identifier; these classes say what it means where the parser took it for a keyword.

use crate::{KEYWORDS, SyntaxKind, T};

/// What a keyword is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeywordClass {
    /// Begins a declaration: `struct`, `import`, `let`, `__init`.
    Declaration,
    /// Stands before a declaration, parameter or type: `static`, `inout`, `no_diff`.
    Modifier,
    /// Stands inside a declaration: `where`, `throws`, `typename`, `operator`, `get`.
    Clause,
    /// Controls flow: `if`, `return`, `__target_switch`.
    Statement,
    /// Makes an expression: `fwd_diff`, `sizeof`, `this`, `new`.
    Expression,
    /// A value: `true`, `nullptr`.
    Literal,
    /// An operator in letters: `is`, `as`.
    Operator,
    /// Part of a type: `some`, `functype`, `each`.
    Type,
}

/// How a modifier keyword is told from a name that is spelled the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModifierUse {
    /// No sensible program uses it as a name.
    Reserved,
    /// Also a name, unless another word follows.
    Everyday,
    /// Takes arguments in parentheses; also a name.
    WithArguments,
}

/// How a modifier is recognised; nothing for other kinds.
pub fn modifier_use(kind: SyntaxKind) -> Option<ModifierUse> {
    Some(match kind {
        T![__ref]
        | T![__constref]
        | T![const]
        | T![static]
        | T![inline]
        | T![extern]
        | T![__extern_cpp]
        | T![__exported]
        | T![public]
        | T![private]
        | T![internal]
        | T![uniform]
        | T![groupshared]
        | T![nointerpolation]
        | T![noperspective]
        | T![row_major]
        | T![column_major]
        | T![globallycoherent]
        | T![volatile]
        | T![__builtin]
        | T![__global]
        | T![__prefix]
        | T![__postfix] => ModifierUse::Reserved,
        T![in]
        | T![out]
        | T![inout]
        | T![ref]
        | T![constref]
        | T![borrow]
        | T![constexpr]
        | T![export]
        | T![require]
        | T![param]
        | T![override]
        | T![dyn]
        | T![no_diff]
        | T![shared]
        | T![buffer]
        | T![precise]
        | T![dynamic_uniform]
        | T![linear]
        | T![sample]
        | T![centroid]
        | T![flat]
        | T![pervertex]
        | T![unorm]
        | T![snorm]
        | T![highp]
        | T![mediump]
        | T![lowp]
        | T![point]
        | T![line]
        | T![triangle]
        | T![lineadj]
        | T![triangleadj]
        | T![vertices]
        | T![indices]
        | T![primitives]
        | T![payload]
        | T![coherent]
        | T![restrict]
        | T![readonly]
        | T![writeonly]
        | T![hitAttributeEXT]
        | T![rayPayloadEXT]
        | T![rayPayloadInEXT]
        | T![callableDataEXT]
        | T![callableDataInEXT] => ModifierUse::Everyday,
        T![layout]
        | T![__attributeTarget]
        | T![__builtin_type]
        | T![__builtin_requirement]
        | T![__magic_type]
        | T![__magic_enum]
        | T![__intrinsic_type]
        | T![__intrinsic_op]
        | T![__target_intrinsic]
        | T![__specialized_for_target]
        | T![__implicit_conversion]
        | T![__glsl_extension]
        | T![__glsl_version]
        | T![__spirv_version]
        | T![__wgsl_extension]
        | T![__cuda_sm_version] => ModifierUse::WithArguments,
        _ => return None,
    })
}

/// What a keyword is for; nothing for kinds that are not keywords.
pub fn keyword_class(kind: SyntaxKind) -> Option<KeywordClass> {
    if !kind.is_keyword() {
        return None;
    }
    // Also prefixes of expressions and types, but most of all modifiers.
    if modifier_use(kind).is_some() {
        return Some(KeywordClass::Modifier);
    }
    Some(match kind {
        T![if]
        | T![else]
        | T![for]
        | T![while]
        | T![do]
        | T![switch]
        | T![case]
        | T![default]
        | T![break]
        | T![continue]
        | T![return]
        | T![discard]
        | T![defer]
        | T![throw]
        | T![catch]
        | T![__target_switch]
        | T![__stage_switch]
        | T![__intrinsic_asm]
        | T![__requireCapability]
        | T![__GPU_FOREACH] => KeywordClass::Statement,
        T![true] | T![false] | T![nullptr] | T![none] => KeywordClass::Literal,
        T![is] | T![as] => KeywordClass::Operator,
        T![this]
        | T![new]
        | T![try]
        | T![fwd_diff]
        | T![__fwd_diff]
        | T![bwd_diff]
        | T![__bwd_diff]
        | T![__apply]
        | T![sizeof]
        | T![__sizeOf]
        | T![alignof]
        | T![__alignOf]
        | T![countof]
        | T![__countof]
        | T![__offsetOf]
        | T![spirv_asm]
        | T![__first]
        | T![__last]
        | T![__trimFirst]
        | T![__trimLast]
        | T![__shapeConcat]
        | T![__shapePermute]
        | T![__shapeSwap]
        | T![__shapeReduce]
        | T![__packBranch] => KeywordClass::Expression,
        T![some] | T![functype] | T![each] | T![expand] => KeywordClass::Type,
        T![where]
        | T![optional]
        | T![implicit]
        | T![throws]
        | T![typename]
        | T![operator]
        | T![get]
        | T![set]
        | T![modify] => KeywordClass::Clause,
        _ => KeywordClass::Declaration,
    })
}

/// The keywords that programs write; the others are for the core library, or old spellings.
pub fn public_keywords() -> impl Iterator<Item = (&'static str, SyntaxKind)> {
    let is_public = |(text, kind): &(&str, SyntaxKind)| {
        !text.starts_with("__")
            || matches!(
                kind,
                T![__init] | T![__subscript] | T![__include] | T![__exported] | T![__generic] | T![__target_switch]
            )
    };
    KEYWORDS.iter().copied().filter(is_public)
}

/// Whether a word cannot sensibly be the name of something: it controls flow, is a value or an operator, or always stands
/// before declarations and types.
pub fn is_reserved(word: &str) -> bool {
    let Some(kind) = SyntaxKind::from_keyword(word) else { return matches!(word, "This" | "void") };
    match keyword_class(kind) {
        Some(KeywordClass::Statement | KeywordClass::Literal | KeywordClass::Operator) => true,
        // A parameter may be called `in`; whoever reads it takes it for its direction.
        Some(KeywordClass::Modifier) => {
            modifier_use(kind) == Some(ModifierUse::Reserved) || matches!(kind, T![in] | T![out] | T![inout])
        }
        Some(KeywordClass::Declaration) => kind == T![struct],
        Some(KeywordClass::Expression) => kind == T![this],
        Some(KeywordClass::Type | KeywordClass::Clause) | None => false,
    }
}

/// Whether something may be given a word as its name: those that say something in few places only, and there beside another
/// word, as `sample` and `get` do. Of the others some are names as well where the parser sees it; it is not the same in every
/// compiler where it does.
pub fn may_be_given(word: &str) -> bool {
    let Some(kind) = SyntaxKind::from_keyword(word) else { return !is_reserved(word) };
    let is_everyday = match modifier_use(kind) {
        Some(ModifierUse::Everyday | ModifierUse::WithArguments) => kind != T![no_diff],
        Some(ModifierUse::Reserved) | None => matches!(kind, T![get] | T![set] | T![modify]),
    };
    is_everyday && !is_reserved(word) && !word.starts_with("__")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_declaring_words_are_left_to_the_default() {
        let declaring: Vec<&str> = KEYWORDS
            .iter()
            .filter(|(_, kind)| keyword_class(*kind) == Some(KeywordClass::Declaration))
            .map(|(text, _)| *text)
            .collect();
        expect_test::expect![[r#"
            __associatedfunc __constraint __extension __file_decl __func_extension __generic __generic_value_param __ignored_block __import __include __init __require_capability __subscript __transparent_block associatedtype attribute_syntax cbuffer class enum extension func implementing import interface let module namespace property static_assert struct syntax tbuffer type_param typealias typedef using var"#]]
        .assert_eq(&declaring.join(" "));
    }

    #[test]
    fn words_of_statements_and_modifiers_are_no_names() {
        for word in ["if", "return", "struct", "this", "This", "true", "none", "void", "in", "inout", "const", "static"]
        {
            assert!(is_reserved(word), "{word}");
        }
        for word in ["get", "where", "some", "precise", "radius", "each"] {
            assert!(!is_reserved(word), "{word}");
        }
    }

    #[test]
    fn only_words_that_stay_names_are_given() {
        for word in ["radius", "sample", "point", "get", "layout", "float3"] {
            assert!(may_be_given(word), "{word}");
        }
        for word in ["if", "This", "in", "static", "enum", "func", "operator", "new", "where", "no_diff", "__first"] {
            assert!(!may_be_given(word), "{word}");
        }
    }

    #[test]
    fn no_other_kind_has_a_class() {
        assert_eq!(keyword_class(SyntaxKind::IDENT), None);
        assert_eq!(keyword_class(SyntaxKind::STRUCT_DECL), None);
        assert_eq!(modifier_use(T![struct]), None);
    }
}

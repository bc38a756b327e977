//! GLSL's `layout(…)`: its words as the attributes of Slang that mean the same; how a block is packed is one of its placements.

use std::sync::Arc;

use syntax::{
    T, TextRange,
    ast::{self, AstNode},
};

use crate::{
    attribute::{Attribute, AttributeId, AttributeKind, AttributeTargets},
    body::{Expr, ExprId, IntSuffix, Literal},
    item::{Packing, Placement},
    lower::{Lowering, trimmed_range},
    name::Name,
    type_ref::{Path, PathSegment},
};

/// Whether a declaration begins with `layout(…)`.
pub(super) fn has_layout(list: Option<&ast::ModifierList>) -> bool {
    list.into_iter().flat_map(layouts).next().is_some()
}

fn layouts(list: &ast::ModifierList) -> impl Iterator<Item = ast::Modifier> {
    let is_layout =
        |modifier: &ast::Modifier| modifier.syntax().first_token().is_some_and(|token| token.kind() == T![layout]);
    list.modifiers().filter(is_layout)
}

/// How the fields of a block are packed, where that is written.
pub(super) fn packings(list: Option<&ast::ModifierList>) -> Vec<Placement> {
    let trees = list.into_iter().flat_map(layouts).filter_map(|layout| layout.token_tree());
    let texts: Vec<String> = trees.map(|tree| tree.syntax().text().to_string()).collect();
    let words = texts.iter().flat_map(|text| words(text));
    let packings = words.filter(|(word, value)| value.is_none() && Packing::from_word(word).is_some());
    packings.map(|(word, _)| Placement { word: Name::new(word), args: Vec::new() }).collect()
}

/// The words between the parentheses, with their values.
fn words(text: &str) -> Vec<(&str, Option<&str>)> {
    let text = text.trim().trim_start_matches('(').trim_end_matches(')');
    text.split(',')
        .map(|word| match word.split_once('=') {
            Some((word, value)) => (word.trim(), Some(value.trim())),
            None => (word.trim(), None),
        })
        .collect()
}

impl Lowering {
    pub(super) fn layout_attributes(&mut self, list: &ast::ModifierList, target: AttributeTargets) -> Vec<AttributeId> {
        let mut found = Vec::new();
        for layout in layouts(list) {
            let Some(tree) = layout.token_tree() else { continue };
            let (text, range) = (tree.syntax().text().to_string(), trimmed_range(tree.syntax()));
            found.extend(self.attributes_of_words(&words(&text), range, target));
        }
        found
    }

    fn attributes_of_words(
        &mut self,
        words: &[(&str, Option<&str>)],
        range: TextRange,
        target: AttributeTargets,
    ) -> Vec<AttributeId> {
        let value = |word: &str| words.iter().find(|(other, _)| *other == word).and_then(|(_, value)| *value);
        let numbered = [
            (AttributeKind::Binding, vec![value("binding"), value("set")]),
            (AttributeKind::Location, vec![value("location")]),
            (AttributeKind::ConstantId, vec![value("constant_id")]),
        ];
        let mut found = Vec::new();
        for (kind, values) in numbered {
            // The first is what the others are about.
            if values[0].is_some() {
                let values = values.into_iter().flatten().map(|value| self.layout_value(value, range)).collect();
                found.push(self.layout_attribute(kind, values, range, target));
            }
        }
        let sizes = ["local_size_x", "local_size_y", "local_size_z"];
        if words.iter().any(|(word, _)| word.starts_with("local_size_")) {
            // What has no number here, the host gives a number (`local_size_x_id`).
            let is_open = |size: &str| words.iter().any(|(word, _)| word.strip_suffix("_id") == Some(size));
            let values = sizes.map(|size| match value(size) {
                Some(value) => self.layout_value(value, range),
                None if is_open(size) => self.alloc_expr(Expr::Missing, range),
                None => self.layout_value("1", range),
            });
            found.push(self.layout_attribute(AttributeKind::NumThreads, values.into(), range, target));
        }
        for (word, value) in words {
            match (*word, value) {
                ("push_constant", None) => {
                    found.push(self.layout_attribute(AttributeKind::PushConstant, Vec::new(), range, target));
                }
                (format, None) if is_format(format) => {
                    let format = Literal::String(format.into());
                    let format = self.alloc_expr(Expr::Literal(format), range);
                    found.push(self.layout_attribute(AttributeKind::Format, vec![format], range, target));
                }
                _ => {}
            }
        }
        found
    }

    fn layout_attribute(
        &mut self,
        kind: AttributeKind,
        args: Vec<ExprId>,
        range: TextRange,
        target: AttributeTargets,
    ) -> AttributeId {
        self.sources.attributes.push(range);
        self.store.attributes.alloc(Attribute { kind: Some(kind), name: Name::new(kind.name()), args, target })
    }

    /// A number, or a name that stands for one.
    fn layout_value(&mut self, text: &str, range: TextRange) -> ExprId {
        let is_name = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        // `true` and `false` are the numbers that they are converted to.
        let text = match text {
            "true" => "1",
            "false" => "0",
            text => text,
        };
        let expr = match text.trim_end_matches(['u', 'U']).parse() {
            Ok(value) => Expr::Literal(Literal::Int { value, suffix: IntSuffix::None, decimal: true }),
            Err(_) if is_name && !text.starts_with(|c: char| c.is_ascii_digit()) => {
                let segment = PathSegment { name: Name::new(text), args: None };
                Expr::Path(Arc::new(Path { global: false, segments: vec![segment] }))
            }
            Err(_) => Expr::Missing,
        };
        self.alloc_expr(expr, range)
    }
}

/// A format of texels: `rgba8`, `r32ui`, `r11f_g11f_b10f`.
fn is_format(word: &str) -> bool {
    let rest = word.trim_start_matches(['r', 'g', 'b', 'a']);
    word.starts_with('r') && rest.starts_with(|c: char| c.is_ascii_digit())
}

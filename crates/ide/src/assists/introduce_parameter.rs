//! Makes a number in a function one of its parameters, and hands it in wherever the function is called.

use base_db::Db;
use hir_def::{
    attribute::AttributeKind,
    body::{Expr, ExprId},
    item::{self, ItemKind},
    position, source_map,
};
use hir_ty::{differential::attribute::own_attributes, display, infer::result::Resolution, ty::Ty};
use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use super::{Assist, AssistKind, Code, Selection};
use crate::{FilePosition, FileRange, TextEdit, references::references};

pub(super) fn introduce_parameter(place: &Selection<'_>) -> Vec<Assist> {
    introduced(place).into_iter().collect()
}

fn introduced(place: &Selection<'_>) -> Option<Assist> {
    if place.range.is_empty() {
        return None;
    }
    let code = place.code()?;
    let selected = code.expression_at(place)?;
    code.statement_of(selected)?;
    let ItemKind::Function(function) = &item::item_data(place.db, code.function).kind else { return None };
    let has_defaults = function.params.iter().any(|param| param.default.is_some());
    let ty =
        code.inferred.expr_types.get(selected).copied().filter(|ty| matches!(ty, Ty::Scalar(_) | Ty::Builtin(..)))?;
    // What a stage, a host or a derivative calls has parameters that others choose.
    let data = item::item_data(place.db, code.function);
    let is_bound = data.attributes().any(|(_, attribute)| attribute.kind != Some(AttributeKind::Differentiable));
    if has_defaults || is_bound || !own_attributes(place.db, code.function).iter().all(|own| own.argument.is_none()) {
        return None;
    }
    if !code.is_made_of_literals(selected) || item::container(place.db, code.function).is_some() {
        return None;
    }
    let text = place.text(place.range)?;
    let name = code.free_name("value");
    let source = source_map::item_source(place.db, code.function).as_ref()?;
    let (file, name_at) = position::absolute(place.db, source.name?);
    let uses = references(place.db, FilePosition { file, offset: name_at.start().into() })?;
    let (declared, called): (Vec<_>, Vec<_>) = uses.into_iter().partition(|found| found.is_declaration);
    // What nobody calls is called by somebody outside, and two declarations would have to agree.
    if declared.len() != 1 || called.is_empty() {
        return None;
    }
    let mut edits = vec![place.edit(place.range, name.clone())];
    edits.push(argument(
        place.db,
        declared[0].at,
        &format!("{} {name}", display::display_at(place.db, ty, code.function)),
    )?);
    for call in called {
        edits.push(argument(place.db, call.at, &text)?);
    }
    Some(Assist { title: "Introduce a parameter".to_owned(), kind: AssistKind::Extract, edits })
}

/// One more in the parentheses that follow a name; `None` if none follow.
fn argument(db: &dyn Db, name: FileRange, text: &str) -> Option<TextEdit> {
    let whole = db.text(name.file)?.rope().to_string();
    let start = usize::from(name.range.end());
    let rest = &whole[start..];
    let lexed = lexer::lex(rest);
    let mut depth = 0usize;
    let mut is_empty = true;
    for index in (0..lexed.len()).filter(|index| !lexed.kind(*index).is_trivia()) {
        let range = lexed.range(index);
        match &rest[range.clone()] {
            _ if lexed.kind(index) == SyntaxKind::DIRECTIVE => return None,
            "(" => depth += 1,
            _ if depth == 0 => return None,
            ")" if depth == 1 => {
                let at = TextRange::empty(TextSize::new((start + range.start) as u32));
                let text = if is_empty { text.to_owned() } else { format!(", {text}") };
                return Some(TextEdit { at: FileRange { file: name.file, range: at }, text });
            }
            ")" => depth -= 1,
            _ => is_empty = false,
        }
    }
    None
}

impl Code<'_> {
    /// Whether an expression means the same wherever it is written: numbers, and what operators and builtin types make of
    /// them.
    fn is_made_of_literals(&self, expr: ExprId) -> bool {
        let mut operands = Vec::new();
        self.body.store.exprs[expr].for_each_operand(|operand| operands.push(operand));
        let by_itself = match &self.body.store.exprs[expr] {
            Expr::Literal(_) | Expr::Prefix { .. } | Expr::Binary { .. } | Expr::Call { .. } => true,
            Expr::Path(_) => {
                matches!(self.inferred.resolutions.get(&expr), Some(Resolution::Type(Ty::Scalar(_) | Ty::Builtin(..))))
            }
            _ => false,
        };
        by_itself && operands.into_iter().all(|operand| self.is_made_of_literals(operand))
    }
}

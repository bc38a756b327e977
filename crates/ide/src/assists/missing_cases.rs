//! Writes the cases of a `switch` over an enumeration that no label names.

use hir_def::{
    body::{CaseLabel, ExprId, Stmt, StmtId, SwitchCase},
    item::{self, ItemId, ItemKind},
    position,
};
use hir_ty::{display, infer::result::Resolution, ty::Ty};
use syntax::{TextRange, TextSize};

use super::{Assist, AssistKind, Code, Selection};

pub(super) fn missing_cases(place: &Selection<'_>) -> Vec<Assist> {
    written(place).into_iter().collect()
}

fn written(place: &Selection<'_>) -> Option<Assist> {
    let code = place.code()?;
    let (stmt, selector, cases) = code.switch_at(place)?;
    let Some(Ty::Adt(enumeration, _)) = code.inferred.expr_types.get(selector).copied() else { return None };
    if !matches!(item::item_data(place.db, enumeration).kind, ItemKind::Enum { .. }) {
        return None;
    }
    let labels = || cases.iter().flat_map(|case| &case.labels);
    // What `default` stands for is not missing.
    if labels().any(|label| matches!(label, CaseLabel::Default)) {
        return None;
    }
    let named: Vec<ItemId> = labels().map(|label| code.case_of(label)).collect::<Option<_>>()?;
    let missing: Vec<ItemId> =
        item::members(place.db, enumeration).iter().copied().filter(|case| !named.contains(case)).collect();
    let (_, whole) = position::absolute(place.db, code.map.stmt(stmt));
    let text = place.text(whole)?;
    if missing.is_empty() || !text.ends_with('}') {
        return None;
    }
    let close = whole.end() - TextSize::of('}');
    let own = place.indentation(whole.start())?;
    let first = cases.iter().flat_map(|case| &case.labels).find_map(|label| code.indentation_of(place, label));
    let inner = first.unwrap_or_else(|| format!("{own}    "));
    let owner = display::name_at(place.db, enumeration, code.function);
    let lines: String = missing
        .iter()
        .map(|case| format!("{inner}case {owner}.{}:\n{inner}    break;\n", display::item_name(place.db, *case)))
        .collect();
    // The last case must not go on into the first of the new ones.
    let last = cases.last().is_some_and(|case| case.body.last().is_some_and(|stmt| !code.leaves(*stmt)));
    let lines = if last { format!("{inner}    break;\n{lines}") } else { lines };
    let spaces = text.len() - '}'.len_utf8() - text[..text.len() - '}'.len_utf8()].trim_end().len();
    let start = close - TextSize::new(spaces as u32);
    let edits = vec![place.edit(TextRange::new(start, close), format!("\n{lines}{own}"))];
    let title = if missing.len() == 1 { "Add the missing case" } else { "Add the missing cases" };
    Some(Assist { title: title.to_owned(), kind: AssistKind::QuickFix, edits })
}

impl Code<'_> {
    /// The innermost `switch` around a place.
    fn switch_at(&self, place: &Selection<'_>) -> Option<(StmtId, ExprId, &[SwitchCase])> {
        let switches = self.body.store.stmts.iter().filter_map(|(id, stmt)| match stmt {
            Stmt::Switch { selector, cases, .. } => Some((id, *selector, cases.as_slice())),
            _ => None,
        });
        let range = |id: StmtId| position::absolute(self.db, self.map.stmt(id));
        let around = switches.filter(|(id, ..)| {
            let (file, range) = range(*id);
            file == place.file && range.contains_range(place.range)
        });
        around.min_by_key(|(id, ..)| range(*id).1.len())
    }

    /// The case of an enumeration that a label names; `None` for a number.
    fn case_of(&self, label: &CaseLabel) -> Option<ItemId> {
        let CaseLabel::Value(value) = label else { return None };
        match self.inferred.resolutions.get(value)? {
            Resolution::EnumCase(case) => Some(*case),
            _ => None,
        }
    }

    /// Whether a statement ends with one that goes elsewhere.
    fn leaves(&self, stmt: StmtId) -> bool {
        match &self.body.store.stmts[stmt] {
            Stmt::Break(_) | Stmt::Continue | Stmt::Return(_) | Stmt::Discard | Stmt::Throw(_) => true,
            Stmt::Block(stmts) => stmts.last().is_some_and(|last| self.leaves(*last)),
            _ => false,
        }
    }

    /// The spaces in front of the `case` of a label.
    fn indentation_of(&self, place: &Selection<'_>, label: &CaseLabel) -> Option<String> {
        let CaseLabel::Value(value) = label else { return None };
        let (_, range) = position::absolute(self.db, self.map.expr(*value));
        let before = place.text(TextRange::up_to(range.start()))?;
        let line = before.rsplit('\n').next()?;
        let spaces = line.len() - line.trim_start().len();
        line.trim_start().starts_with("case").then(|| line[..spaces].to_owned())
    }
}

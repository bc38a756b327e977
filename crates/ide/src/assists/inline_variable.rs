//! Puts the value of a variable in the places that read it, and takes the variable away.

use hir_def::{
    body::{Expr, ExprId, LocalId, LocalKind, PrefixOp, Stmt, StmtId},
    item,
    local_scope::local_scopes,
    name::Name,
    position::{self, Location},
};
use hir_ty::{
    differential::rules::derivative_rules,
    infer::result::{Callable, Resolution},
    ty::{BuiltinClass, Ty},
};
use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use super::{Assist, AssistKind, Code, Selection};
use crate::{
    effects,
    references::references,
    semantics::{self, Definition, in_prelude},
};

pub(super) fn inline_variable(place: &Selection<'_>) -> Vec<Assist> {
    inlined(place).into_iter().collect()
}

fn inlined(place: &Selection<'_>) -> Option<Assist> {
    let db = place.db;
    let Definition::Local { owner, local } = semantics::find(db, place.position())?.definition else { return None };
    let code = place.code_with_macros(owner);
    let declared = &code.body.store.locals[local];
    let (stmt, init) = code.body.store.stmts.iter().find_map(|(id, stmt)| match stmt {
        Stmt::Let { local: of, init: Some(init) } if *of == local => Some((id, *init)),
        _ => None,
    })?;
    let blocks = code.body.store.stmts.iter();
    let in_block = blocks.into_iter().any(|(_, around)| matches!(around, Stmt::Block(stmts) if stmts.contains(&stmt)));
    let is_plain = matches!(declared.kind, LocalKind::Variable | LocalKind::Let)
        && declared.modifiers.is_empty()
        && declared.attributes.is_empty();
    // A conversion would happen where the value is read, or not at all.
    let is_converted = code.inferred.adjustments.get(&init).is_some_and(|steps| !steps.is_empty());
    if !in_block || !is_plain || is_converted || code.is_written(local) || !code.is_steady(init) {
        return None;
    }
    let uses = references(db, place.position())?;
    let uses: Vec<TextRange> = uses
        .iter()
        .filter(|found| !found.is_declaration && found.at.file == place.file)
        .map(|found| found.at.range)
        .collect();
    if uses.is_empty() {
        return None;
    }
    let (file, value) = position::absolute(db, code.map.expr(init));
    (file == place.file).then_some(())?;
    let text = place.text(value)?;
    if !code.means_the_same(init, &text, &uses) || !code.is_all_spelled(place, local, stmt, &uses) {
        return None;
    }
    let is_whole = stands_alone(&code.body.store.exprs[init]);
    let in_parentheses = format!("({text})");
    let whole = place.db.text(place.file)?.rope().to_string();
    let value_at = |range: TextRange| {
        let is_apart = is_whole || stands_apart(&whole, range);
        place.edit(range, if is_apart { text.clone() } else { in_parentheses.clone() })
    };
    let mut edits: Vec<_> = uses.into_iter().map(value_at).collect();
    edits.push(place.edit(whole_lines(place, position::absolute(db, code.map.stmt(stmt)).1)?, ""));
    let title = format!("Inline `{}`", declared.name);
    Some(Assist { title, kind: AssistKind::Inline, edits })
}

/// Whether no operator around an expression reaches into it.
pub(super) fn stands_alone(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(_) | Expr::Literal(_) | Expr::Call { .. } | Expr::Member { .. })
}

/// Whether a name stands between what no operator reaches over: it is an argument, in parentheses, or all of a value.
pub(super) fn stands_apart(text: &str, name: TextRange) -> bool {
    let before = text[..name.start().into()].trim_end();
    let after = text[name.end().into()..].trim_start();
    let is_behind = |word: &str| {
        before.strip_suffix(word).is_some_and(|rest| !rest.ends_with(|c: char| c == '_' || c.is_alphanumeric()))
    };
    let is_assigned = before.ends_with('=') && !before.ends_with("==") && !before.ends_with("!=");
    let is_compared = before.ends_with("<=") || before.ends_with(">=");
    let begins = before.ends_with(['(', ',', '[']) || is_assigned && !is_compared || is_behind("return");
    begins && after.starts_with([')', ',', ';', ']'])
}

/// A statement with its lines, if there is nothing else on them.
pub(super) fn whole_lines(place: &Selection<'_>, stmt: TextRange) -> Option<TextRange> {
    let text = place.db.text(place.file)?;
    let rope = text.rope();
    let line = rope.try_byte_to_line(stmt.end().into()).ok()?;
    let end = rope.try_line_to_byte(line + 1).ok()?;
    let before = place.indentation(stmt.start());
    let is_alone = text.slice(stmt.end().into()..end).trim().is_empty();
    match before {
        Some(before) if is_alone => {
            Some(TextRange::new(stmt.start() - TextSize::of(before.as_str()), TextSize::new(u32::try_from(end).ok()?)))
        }
        _ => Some(stmt),
    }
}

impl Code<'_> {
    /// Whether the names in a value mean at some places what they mean where it stands.
    fn means_the_same(&self, value: ExprId, text: &str, places: &[TextRange]) -> bool {
        let lexed = lexer::lex(text);
        let mut names: Vec<Name> = Vec::new();
        let mut before = "";
        for index in 0..lexed.len() {
            let token = &text[lexed.range(index)];
            match lexed.kind(index) {
                SyntaxKind::WHITESPACE | SyntaxKind::COMMENT => continue,
                SyntaxKind::IDENT if !matches!(before, "." | "->" | "::") => names.push(Name::new(token)),
                _ => {}
            }
            before = token;
        }
        let scopes = local_scopes(self.db, self.function);
        let is_item = |name: &Name| {
            let items = item::local_items(self.db, self.function).iter();
            items.into_iter().any(|item| item::item_data(self.db, *item).name.as_ref() == Some(name))
        };
        let meanings = |at: ExprId| names.iter().map(|name| scopes.resolve(self.body, at, name)).collect::<Vec<_>>();
        let here = meanings(value);
        let place_of = |range: &TextRange| {
            let exprs = self.body.store.exprs.iter().map(|(id, _)| id);
            exprs.into_iter().find(|id| position::absolute(self.db, self.map.expr(*id)).1 == *range)
        };
        // What stands in no expression has a scope that is not known.
        let mut is_kept =
            places.iter().map(|range| place_of(range).map_or(names.is_empty(), |at| meanings(at) == here));
        is_kept.all(|is_kept| is_kept) && !names.iter().any(is_item)
    }

    /// Whether macros leave alone what declares a local, and all that reads it.
    fn is_all_spelled(&self, place: &Selection<'_>, local: LocalId, stmt: StmtId, uses: &[TextRange]) -> bool {
        let absolute = |location: Location| position::absolute(self.db, location).1;
        let declared = absolute(self.map.stmt(stmt));
        let whole = uses.iter().fold(declared, |whole, used| whole.cover(*used));
        let reads = self.inferred.resolutions.iter();
        let mut reads = reads.filter(|(_, meant)| matches!(meant, Resolution::Local(of) if *of == local));
        self.is_spelled(declared)
            && uses.iter().all(|used| self.is_spelled_around(place, *used))
            && reads.all(|(expr, _)| uses.contains(&absolute(self.map.expr(expr))))
            && !place.defines_macros(whole)
    }

    /// Whether anything but its declaration gives a local a value.
    fn is_written(&self, local: LocalId) -> bool {
        let written = effects::written(self.db, self.function).into_iter();
        written.filter_map(|place| effects::local_of(self.body, self.inferred, place)).any(|of| of == local)
    }

    /// Whether an expression has the same value wherever in the body it is computed, and does nothing else.
    pub(super) fn is_steady(&self, id: ExprId) -> bool {
        let expr = &self.body.store.exprs[id];
        let is_value = |id: ExprId| match self.inferred.expr_types.get(id) {
            Some(Ty::Scalar(_)) => true,
            Some(Ty::Builtin(kind, _)) => matches!(kind.class(), BuiltinClass::Numeric | BuiltinClass::Composite),
            _ => false,
        };
        let resolution = self.inferred.resolutions.get(&id);
        let by_itself = match expr {
            Expr::Literal(_) => true,
            Expr::Path(_) => match resolution {
                Some(Resolution::Local(local)) => !self.is_written(*local) && !self.changes_outside(*local),
                // The callee of a call that is judged as a whole.
                Some(Resolution::Type(_) | Resolution::Function(_)) => true,
                _ => false,
            },
            Expr::Member { .. } => {
                let is_part = matches!(
                    resolution,
                    Some(Resolution::Swizzle { .. } | Resolution::MatrixSwizzle { .. } | Resolution::Field { .. })
                );
                is_part && !effects::is_memory(self.body, self.inferred, id)
            }
            Expr::Prefix { op, .. } => !matches!(op, PrefixOp::Increment | PrefixOp::Decrement) && is_value(id),
            Expr::Binary { .. } => matches!(resolution, Some(Resolution::BuiltinOperator { .. })),
            Expr::Ternary { .. } | Expr::Cast { .. } => is_value(id),
            Expr::Call { .. } => match resolution {
                Some(Resolution::Conversion { .. }) => true,
                Some(Resolution::Call(call)) => match &call.callee {
                    // What has a derivative in the core library is a function in the sense of mathematics.
                    Callable::Function(function) => {
                        in_prelude(self.db, function.item)
                            && derivative_rules(self.db, function.item).is_differentiable()
                    }
                    Callable::Make(_) => is_value(id),
                    Callable::Derivative { .. } | Callable::Value(_) | Callable::Synthesized { .. } => false,
                },
                _ => false,
            },
            _ => false,
        };
        let mut inside = Vec::new();
        expr.for_each_operand(|operand| inside.push(operand));
        if let Expr::Call { callee, .. } = expr {
            inside.retain(|operand| operand != callee);
        }
        by_itself && inside.into_iter().all(|operand| self.is_steady(operand))
    }

    /// Whether a local is the caller's variable, or counts a loop.
    fn changes_outside(&self, local: LocalId) -> bool {
        use hir_def::attribute::Modifiers;
        let modifiers = self.body.store.locals[local].modifiers;
        let counts = |stmt: &Stmt| matches!(stmt, Stmt::CompileTimeFor { local: of, .. } if *of == local);
        modifiers.intersects(Modifiers::OUT | Modifiers::INOUT)
            || self.body.store.stmts.iter().any(|(_, stmt)| counts(stmt))
    }
}

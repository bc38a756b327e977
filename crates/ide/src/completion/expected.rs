//! The type that a position asks for: what fits it is offered first.

use base_db::Db;
use hir_def::{
    body::{Expr, Stmt},
    item::ItemId,
    position, source_map,
};
use hir_ty::{
    infer,
    signature::signature,
    ty::{Scalar, Ty},
};
use syntax::TextSize;

use crate::{FilePosition, semantics, signature_help};

pub(super) fn expected(db: &dyn Db, at: FilePosition, context: ItemId) -> Option<Ty> {
    let found = condition(db, at)
        .or_else(|| returned(db, at))
        .or_else(|| switched(db, at, context))
        .or_else(|| indexed(db, at))
        .or_else(|| signature_help::parameter_type(db, at))
        .or_else(|| assigned(db, at, context));
    found.filter(|ty| !matches!(ty, Ty::Error | Ty::Void))
}

/// What `if (` and `while (` ask for.
fn condition(db: &dyn Db, at: FilePosition) -> Option<Ty> {
    let is_first = ["if (", "if(", "while (", "while("].iter().any(|head| follows_word(db, at, head).is_some());
    is_first.then_some(Ty::Scalar(Scalar::Bool))
}

/// What follows the `[` behind a value is a number. An attribute stands behind no value.
fn indexed(db: &dyn Db, at: FilePosition) -> Option<Ty> {
    let rope = db.text(at.file)?.rope();
    let line = rope.try_line_to_byte(rope.try_byte_to_line(at.offset as usize).ok()?).ok()?;
    let before = text_before(db, at, line)?;
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let value = before.trim_end_matches(is_word).trim_end().strip_suffix('[')?;
    value.ends_with(|c: char| is_word(c) || matches!(c, ')' | ']')).then_some(Ty::Scalar(Scalar::Int))
}

/// What follows `return` is of the function's type.
fn returned(db: &dyn Db, at: FilePosition) -> Option<Ty> {
    follows_word(db, at, "return")?;
    Some(signature(db, semantics::function_at(db, at)?).ret)
}

/// What follows `case` is of the type of what is switched on.
fn switched(db: &dyn Db, at: FilePosition, context: ItemId) -> Option<Ty> {
    follows_word(db, at, "case")?;
    let map = source_map::body_source_map(db, context);
    let body = hir_def::body::queries::body(db, context);
    let around = body.store.stmts.iter().filter_map(|(id, stmt)| match stmt {
        Stmt::Switch { selector, .. } => Some((position::absolute(db, map.stmt(id)).1, *selector)),
        _ => None,
    });
    let here = around.filter(|(range, _)| range.contains_inclusive(TextSize::new(at.offset)));
    let (_, selector) = here.min_by_key(|(range, _)| range.len())?;
    infer::infer(db, context).expr_types.get(selector).copied()
}

/// Whether a word stands in front of what is being written, on its line.
fn follows_word(db: &dyn Db, at: FilePosition, word: &str) -> Option<()> {
    let rope = db.text(at.file)?.rope();
    let line = rope.try_line_to_byte(rope.try_byte_to_line(at.offset as usize).ok()?).ok()?;
    let before = text_before(db, at, line)?;
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let rest = before.trim_end_matches(is_word).trim_end().strip_suffix(word)?;
    (!rest.ends_with(is_word)).then_some(())
}

/// Of `Fruit f = ` it is `Fruit`, of `f = ` the type of `f`, and so it is of `f == `.
fn assigned(db: &dyn Db, at: FilePosition, context: ItemId) -> Option<Ty> {
    let map = source_map::body_source_map(db, context);
    let body = hir_def::body::queries::body(db, context);
    let inferred = infer::infer(db, context);
    let end = TextSize::new(at.offset);
    // Read off the text, because a missing value is hardly in the tree.
    let follows = |from: TextSize, operators: &[&str]| {
        let between = (from <= end).then(|| text_before(db, at, from.into())).flatten()?;
        let between = between.trim_start();
        let value = operators.iter().find_map(|operator| between.strip_prefix(operator))?.trim_start();
        value.chars().all(|c| c == '_' || c.is_alphanumeric()).then_some(())
    };
    let declared = body.store.stmts.iter().find_map(|(_, stmt)| {
        let Stmt::Let { local, .. } = stmt else { return None };
        follows(position::absolute(db, map.local(*local)).1.end(), &["="])?;
        inferred.local_types.get(*local).copied()
    });
    let compared = || {
        body.store.exprs.iter().find_map(|(_, expr)| {
            let (Expr::Assign { target: left, .. } | Expr::Binary { left, .. }) = expr else { return None };
            follows(position::absolute(db, map.expr(*left)).1.end(), &["==", "!=", "="])?;
            inferred.expr_types.get(*left).copied()
        })
    };
    declared.or_else(compared)
}

fn text_before(db: &dyn Db, at: FilePosition, from: usize) -> Option<String> {
    let rope = db.text(at.file)?.rope();
    Some(rope.get_byte_slice(from..at.offset as usize)?.to_string())
}

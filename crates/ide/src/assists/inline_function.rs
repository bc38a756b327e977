//! Puts the value that a function returns in the place of a call of it.

use hir_def::{
    body::{BodyRoot, Expr, ExprId, Stmt},
    item::{self, ItemKind},
    position,
};
use hir_ty::{
    differential::rules::{DerivativeRules, derivative_rules},
    display, generics,
    infer::result::{Argument, Callable, Resolution},
    signature::signature,
    ty::ParamDirection,
};
use syntax::{SyntaxKind, TextRange, lexer};

use super::{
    Assist, AssistKind, Code, Selection,
    inline_variable::{stands_alone, stands_apart},
};
use crate::semantics::{self, Definition, in_prelude};

pub(super) fn inline_function(place: &Selection<'_>) -> Vec<Assist> {
    inlined(place).into_iter().collect()
}

fn inlined(place: &Selection<'_>) -> Option<Assist> {
    let db = place.db;
    let found = semantics::find(db, place.position())?;
    let Definition::Item(function) = found.definition else { return None };
    let is_function = matches!(item::item_data(db, function).kind, ItemKind::Function(_));
    if !is_function || in_prelude(db, function) || !generics::parameters(db, function).is_empty() {
        return None;
    }
    // A name means the same in both if they are declared side by side.
    let is_beside = item::container(db, function) == item::container(db, found.context)
        && item::file_of(db, function) == item::file_of(db, found.context);
    let (caller, called) = (place.code_with_macros(found.context), place.code_of(function)?);
    let call = semantics::call_of(&caller.body.store, found.expr?)?;
    let Some(Resolution::Call(resolved)) = caller.inferred.resolutions.get(&call) else { return None };
    let Callable::Function(callee) = &resolved.callee else { return None };
    let own = signature(db, function);
    let is_plain = own.this.is_none()
        && !own.ret_no_diff
        && own.params.iter().all(|param| param.direction == ParamDirection::In && !param.no_diff);
    if !is_beside || callee.item != function || resolved.no_diff || !is_plain || !called.keeps_derivatives(&caller) {
        return None;
    }
    let value = called.only_value()?;
    let mut arguments = Vec::new();
    for (argument, param) in resolved.args.iter().zip(&own.params) {
        let Argument::Expr(argument) = *argument else { return None };
        let is_converted = caller.inferred.adjustments.get(&argument).is_some_and(|steps| !steps.is_empty());
        let is_of_type = caller.inferred.expr_types.get(argument).copied() == Some(param.ty);
        if is_converted || !is_of_type || !caller.is_steady(argument) {
            return None;
        }
        let text = place.text(position::absolute(db, caller.map.expr(argument)).1)?;
        let is_whole = stands_alone(&caller.body.store.exprs[argument]);
        arguments.push(if is_whole { text } else { format!("({text})") });
    }
    let text = called.with_arguments(place, value, &arguments)?;
    if caller.hides_name_of(&text, &arguments) {
        return None;
    }
    let (file, range) = position::absolute(db, caller.map.expr(call));
    // The value means here what it does there.
    let (_, there) = position::absolute(db, called.map.owner());
    if !caller.is_spelled_around(place, range) || place.defines_macros(there.cover(range)) {
        return None;
    }
    let whole = db.text(place.file)?.rope().to_string();
    let is_apart = stands_alone(&called.body.store.exprs[value]) || stands_apart(&whole, range);
    let text = if is_apart { text } else { format!("({text})") };
    let title = format!("Inline this call of `{}`", display::item_name(db, function));
    (file == place.file).then(|| Assist { title, kind: AssistKind::Inline, edits: vec![place.edit(range, text)] })
}

impl Code<'_> {
    /// What the function returns, if that is all that it does.
    fn only_value(&self) -> Option<ExprId> {
        let BodyRoot::Block(block) = self.body.root else { return None };
        let Stmt::Block(stmts) = &self.body.store.stmts[block] else { return None };
        let [only] = stmts.as_slice() else { return None };
        let Stmt::Return(Some(value)) = self.body.store.stmts[*only] else { return None };
        let is_converted = self.inferred.adjustments.get(&value).is_some_and(|steps| !steps.is_empty());
        let reads_alone =
            self.body.store.exprs.iter().all(|(_, expr)| !matches!(expr, Expr::Lambda { .. } | Expr::Assign { .. }));
        (!is_converted && reads_alone).then_some(value)
    }

    /// Whether a derivative goes through the body as through a call.
    fn keeps_derivatives(&self, caller: &Code<'_>) -> bool {
        let rules = derivative_rules(self.db, self.function);
        let DerivativeRules {
            forward_derivative, backward_derivative, primal_substitute, treat_as_differentiable, ..
        } = rules;
        let is_made = rules.is_differentiable()
            && forward_derivative.is_none()
            && backward_derivative.is_none()
            && primal_substitute.is_none()
            && !treat_as_differentiable;
        is_made || !derivative_rules(self.db, caller.function).is_differentiable()
    }

    /// The text of a value with arguments in place of the parameters; `None` where that is not all that it reads.
    fn with_arguments(&self, place: &Selection<'_>, value: ExprId, arguments: &[String]) -> Option<String> {
        let (file, whole) = position::absolute(self.db, self.map.expr(value));
        (file == place.file).then_some(())?;
        let mut used: Vec<(TextRange, &str)> = Vec::new();
        for (expr, resolution) in self.inferred.resolutions.iter() {
            let Resolution::Local(local) = resolution else { continue };
            let index = self.body.params.iter().position(|param| param == local)?;
            used.push((position::absolute(self.db, self.map.expr(expr)).1, arguments.get(index)?));
        }
        used.sort_by_key(|(range, _)| range.start());
        let mut text = String::new();
        let mut rest = whole.start();
        for (range, argument) in used {
            text.push_str(&place.text(TextRange::new(rest, range.start()))?);
            text.push_str(argument);
            rest = range.end();
        }
        text.push_str(&place.text(TextRange::new(rest, whole.end()))?);
        Some(text)
    }

    /// Whether a local of this function has the name of something else in a text that comes from another one.
    fn hides_name_of(&self, text: &str, arguments: &[String]) -> bool {
        let names = |text: &str| -> Vec<String> {
            let lexed = lexer::lex(text);
            let words = (0..lexed.len()).filter(|index| lexed.kind(*index) == SyntaxKind::IDENT);
            words.map(|index| text[lexed.range(index)].to_owned()).collect()
        };
        // Names of arguments mean here what they did.
        let own: Vec<String> = arguments.iter().flat_map(|argument| names(argument)).collect();
        let foreign = names(text).into_iter().filter(|name| !own.contains(name));
        let is_local = |name: &String| self.body.store.locals.iter().any(|(_, local)| local.name.as_str() == name);
        let is_hidden = foreign.into_iter().any(|name| is_local(&name));
        // A name that both use may mean two things.
        is_hidden || own.iter().any(|name| is_local(name) && self.is_ambiguous(name))
    }

    /// Whether a name of a local means something outside of the function, too.
    fn is_ambiguous(&self, name: &str) -> bool {
        !hir_def::scope::lookup(self.db, self.function, &hir_def::name::Name::new(name)).is_empty()
    }
}

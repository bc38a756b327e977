//! Writes the backward derivative of a function as a function of the user: what the compiler generates, to go on from.

use base_db::Db;
use codegen::{EmitOptions, Target};
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId, ItemKind},
    name::Name,
    position, scope, source_map,
};
use hir_ty::{
    differential::{
        association, attribute::AssociationKind, display::param_text, rules::derivative_rules, signature::ParamRole,
    },
    display,
};
use syntax::{SyntaxKind, TextRange, lexer};

use super::{Assist, AssistKind, Selection};
use crate::{compiled, semantics};

pub(super) fn custom_derivative(place: &Selection<'_>) -> Vec<Assist> {
    written(place).into_iter().collect()
}

fn written(place: &Selection<'_>) -> Option<Assist> {
    let db = place.db;
    let function = semantics::function_at(db, place.position())?;
    let source = source_map::item_source(db, function).as_ref()?;
    let (file, name_at) = position::absolute(db, source.name?);
    let rules = derivative_rules(db, function);
    let is_free = item::container(db, function).is_none();
    let is_own = rules.allows(DerivativeOperator::Backward) && rules.backward_derivative.is_none();
    if file != place.file || !name_at.contains_range(place.range) || !is_free || !is_own {
        return None;
    }
    let ItemKind::Function(_) = item::item_data(db, function).kind else { return None };
    let name = display::item_name(db, function);
    let text = Generated::of(db, function)?.into_custom(db, function, &name)?;
    let end = position::absolute(db, source_map::body_source_map(db, function).owner()).1.end();
    let edits = vec![place.edit(TextRange::empty(end), format!("\n\n{text}"))];
    Some(Assist { title: format!("Write the backward derivative of `{name}`"), kind: AssistKind::Rewrite, edits })
}

/// What the compiler makes of `bwd_diff(f)`, declaration by declaration.
struct Generated {
    declarations: Vec<Declaration>,
}

struct Declaration {
    name: String,
    is_struct: bool,
    text: String,
}

impl Generated {
    fn of(db: &dyn Db, function: ItemId) -> Option<Generated> {
        let operators = [DerivativeOperator::Backward];
        let mut program = compiled::compile(db, function, &operators, &operators).ok()?;
        program.differentiate().ok()?;
        let options = EmitOptions { functions: program.roots.clone(), without_library: true, ..EmitOptions::default() };
        let emitted = program.emit(Target::Slang, &options).ok()?;
        let texts = emitted.text().split("\n\n").map(str::trim).filter(|text| !text.is_empty());
        let declarations: Option<Vec<Declaration>> = texts.map(Declaration::of).collect();
        Some(Generated { declarations: declarations? })
    }

    /// With the types and functions that the program has already, and with the signature that a derivative must have.
    fn into_custom(mut self, db: &dyn Db, function: ItemId, name: &str) -> Option<String> {
        let outermost = self.declarations.pop()?;
        let custom = format!("{name}_bwd");
        let is_taken = |name: &str| !scope::lookup(db, function, &Name::new(name)).is_empty();
        let is_pair =
            |declaration: &Declaration| declaration.is_struct && declaration.name.starts_with("DifferentialPair_");
        self.declarations.retain(|declaration| !is_pair(declaration) && !is_taken(&declaration.name));
        // A type that the compiler makes cannot be named as the program does.
        let is_unknown = |declaration: &Declaration| declaration.is_struct && declaration.name.contains("Differential");
        let mentions_pairs = |declaration: &Declaration| declaration.text.contains("DifferentialPair_");
        if is_taken(&custom)
            || outermost.is_struct
            || self.declarations.iter().any(|declaration| is_unknown(declaration) || mentions_pairs(declaration))
        {
            return None;
        }
        let signature = association::expected_signature(
            db,
            AssociationKind::BackwardDerivative,
            association::identity(db, function),
        );
        let params: Vec<String> = signature.params.iter().map(|param| param_text(db, param)).collect();
        let pairs: Vec<&str> = signature
            .params
            .iter()
            .filter(|param| matches!(param.role, ParamRole::Pair(_)))
            .map(|param| param.name.as_str())
            .collect();
        let body = with_whole_pairs(&outermost.text, &pairs)?;
        let mut text: String =
            self.declarations.iter().map(|declaration| format!("{}\n\n", declaration.text)).collect();
        text.push_str(&format!("[BackwardDerivativeOf({name})]\nvoid {custom}({})\n{body}", params.join(", ")));
        Some(text)
    }
}

impl Declaration {
    /// `None` for what is neither a struct nor a function.
    fn of(text: &str) -> Option<Declaration> {
        let lexed = lexer::lex(text);
        let tokens: Vec<&str> = (0..lexed.len())
            .filter(|index| !matches!(lexed.kind(*index), SyntaxKind::WHITESPACE | SyntaxKind::COMMENT))
            .map(|index| &text[lexed.range(index)])
            .collect();
        let is_struct = tokens.first() == Some(&"struct");
        let name = if is_struct {
            tokens.get(1)?
        } else {
            let open = tokens.iter().position(|token| matches!(*token, "(" | "=" | ";" | "{"))?;
            (tokens[open] == "(").then_some(())?;
            tokens.get(open.checked_sub(1)?)?
        };
        Some(Declaration { name: (*name).to_owned(), is_struct, text: text.to_owned() })
    }
}

/// The body of the outermost function, where a pair gets its derivative together with its value.
fn with_whole_pairs(text: &str, pairs: &[&str]) -> Option<String> {
    let body = &text[text.find("\n{")? + 1..];
    let line = |line: &str| {
        let (indentation, code) = line.split_at(line.len() - line.trim_start().len());
        let assigned = code.split_once(".d = ").filter(|(name, _)| pairs.contains(name));
        match assigned.and_then(|(name, value)| Some((name, value.strip_suffix(';')?))) {
            Some((name, value)) => format!("{indentation}{name} = diffPair({name}.p, {value});\n"),
            None => format!("{line}\n"),
        }
    };
    Some(body.lines().map(line).collect())
}

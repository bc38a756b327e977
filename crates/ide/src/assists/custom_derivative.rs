//! Writes the backward derivative of a function as a function of the user: what the compiler generates, to go on from.

use base_db::Db;
use codegen::{EmitOptions, Target};
use hir_def::{
    body::{DerivativeOperator, Expr},
    item::{self, ItemId, ItemKind},
    name::Name,
    position, scope, source_map,
};
use hir_ty::{
    differential::{
        association::{self, Choice},
        attribute::{Association, AssociationKind, DerivativeAttribute, own_attributes},
        display::param_text_at,
        rules::derivative_rules,
        signature::ParamRole,
    },
    display,
};
use syntax::{SyntaxKind, TextRange, lexer};

use super::{Assist, AssistKind, Selection};
use crate::{
    driver, mentions,
    semantics::{self, Definition},
};

pub(super) fn custom_derivative(place: &Selection<'_>) -> Vec<Assist> {
    written(place).into_iter().chain(missing(place)).collect()
}

/// The derivative that an attribute names and nobody has written.
fn missing(place: &Selection<'_>) -> Option<Assist> {
    let db = place.db;
    let Definition::Attribute { item: function, attribute } = semantics::find(db, place.position())?.definition else {
        return None;
    };
    let written = own_attributes(db, function).into_iter().find(|written| written.id == attribute)?;
    let backward = Association { kind: AssociationKind::BackwardDerivative, reversed: false };
    let is_missing = matches!(association::choose(db, written), Choice::Unresolved);
    let is_free = item::container(db, function).is_none();
    if written.attribute != DerivativeAttribute::Association(backward) || !is_missing || !is_free {
        return None;
    }
    let data = item::item_data(db, function);
    let Expr::Path(path) = &data.store.exprs[written.argument?] else { return None };
    let [custom] = path.segments.as_slice() else { return None };
    let custom = custom.name.as_str();
    // The attribute itself keeps it from being differentiable.
    let text = Generated::of(db, function)?.into_custom(db, function, custom, "")?;
    let title = format!("Write `{custom}` as the derivative that is generated");
    behind(place, function, title, AssistKind::QuickFix, &text)
}

/// New declarations behind a function.
fn behind(place: &Selection<'_>, function: ItemId, title: String, kind: AssistKind, text: &str) -> Option<Assist> {
    let (file, body) = position::absolute(place.db, source_map::body_source_map(place.db, function).owner());
    let edits = vec![place.edit(TextRange::empty(body.end()), format!("\n\n{text}"))];
    (file == place.file).then_some(Assist { title, kind, edits })
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
    let attribute = format!("[BackwardDerivativeOf({name})]\n");
    let text = Generated::of(db, function)?.into_custom(db, function, &format!("{name}_bwd"), &attribute)?;
    let title = format!("Write the backward derivative of `{name}`");
    behind(place, function, title, AssistKind::Rewrite, &text)
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
        item::item_data(db, function).generics.params.is_empty().then_some(())?;
        let mut program = driver::lower_as_marked(db, association::identity(db, function)).ok()?;
        program.differentiate().ok()?;
        let options = EmitOptions { functions: program.roots.clone(), without_library: true, ..EmitOptions::default() };
        let emitted = program.emit(Target::Slang, &options).ok()?;
        let texts = emitted.text().split("\n\n").map(str::trim).filter(|text| !text.is_empty());
        let declarations: Option<Vec<Declaration>> = texts.map(Declaration::of).collect();
        Some(Generated { declarations: declarations? })
    }

    /// With the types and functions that the program has already, and with the signature that a derivative must have.
    fn into_custom(mut self, db: &dyn Db, function: ItemId, custom: &str, attribute: &str) -> Option<String> {
        let outermost = self.declarations.pop()?;
        let is_taken = |name: &str| !scope::lookup(db, function, &Name::new(name)).is_empty();
        let is_pair =
            |declaration: &Declaration| declaration.is_struct && declaration.name.starts_with("DifferentialPair_");
        self.declarations.retain(|declaration| !is_pair(declaration) && !is_taken(&declaration.name));
        let outermost = self.with_types_of_program(db, function, outermost)?;
        // A type that the compiler makes cannot be named as the program does.
        let is_unknown = |declaration: &Declaration| declaration.is_struct && declaration.name.contains("Differential");
        let mentions_pairs = |declaration: &Declaration| declaration.text.contains("DifferentialPair_");
        if is_taken(custom)
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
        let params: Vec<String> = signature.params.iter().map(|param| param_text_at(db, param, function)).collect();
        let pairs: Vec<&str> = signature
            .params
            .iter()
            .filter(|param| matches!(param.role, ParamRole::Pair(_)))
            .map(|param| param.name.as_str())
            .collect();
        let body = with_whole_pairs(&outermost.text, &pairs)?;
        let mut text: String =
            self.declarations.iter().map(|declaration| format!("{}\n\n", declaration.text)).collect();
        text.push_str(&format!("{attribute}void {custom}({})\n{body}", params.join(", ")));
        Some(text)
    }
}

impl Generated {
    /// Types that the program declares elsewhere, in a namespace or another type, by the names that mean them at the function;
    /// `None` where two have one name. Returns the outermost function with these names.
    fn with_types_of_program(&mut self, db: &dyn Db, function: ItemId, outermost: Declaration) -> Option<Declaration> {
        let seen = mentions::reached(db, item::file_of(db, function));
        let mut renamed: Vec<(String, String)> = Vec::new();
        for declaration in self.declarations.iter().filter(|declaration| declaration.is_struct) {
            let files =
                mentions::files_that_spell(db, &declaration.name).into_iter().filter(|file| seen.contains(file));
            let items = files.flat_map(|file| scope::all_file_items(db, file).iter());
            let is_it = |item: &&ItemId| {
                let data = item::item_data(db, **item);
                let is_named = data.name.as_ref().is_some_and(|name| name.as_str() == declaration.name);
                is_named && matches!(data.kind, ItemKind::Struct { .. })
            };
            match items.filter(is_it).collect::<Vec<_>>().as_slice() {
                [] => {}
                [only] => renamed.push((declaration.name.clone(), display::name_at(db, **only, function))),
                _ => return None,
            }
        }
        self.declarations.retain(|declaration| !renamed.iter().any(|(name, _)| *name == declaration.name));
        let with_names =
            |text: &str| renamed.iter().fold(text.to_owned(), |text, (name, new)| renamed_in(&text, name, new));
        for declaration in &mut self.declarations {
            declaration.text = with_names(&declaration.text);
        }
        Some(Declaration { text: with_names(&outermost.text), ..outermost })
    }
}

/// A text with another name in place of one, where that is not the name of a member.
fn renamed_in(text: &str, name: &str, new: &str) -> String {
    let mut changed = text.to_owned();
    let places: Vec<usize> = mentions::words(text, name).collect();
    for place in places.into_iter().rev().filter(|place| !text[..*place].ends_with('.')) {
        changed.replace_range(place..place + name.len(), new);
    }
    changed
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

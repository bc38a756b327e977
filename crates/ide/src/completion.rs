//! Completion: members after a dot, attributes after `[`, and everything that is visible elsewhere.

use base_db::Db;
use hir_def::{
    attribute::{ATTRIBUTES, AttributeInfo},
    body::{DerivativeOperator, Expr, Stmt},
    item::{self, ItemId},
    local_scope::local_scopes,
    name::Name,
    position, scope, source_map,
};
use hir_ty::{
    differential::rules::derivative_rules,
    display,
    env::Env,
    infer, members,
    signature::variable_type,
    ty::{BuiltinType, GenericArg, Ty},
};
use syntax::{TextSize, keywords::public_keywords};

use crate::{
    FilePosition,
    semantics::{in_prelude, item_at, value_type},
    symbols::{SymbolKind, symbol_kind},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionItem {
    pub label: String,
    pub kind: CompletionKind,
    pub detail: Option<String>,
    pub documentation: Option<String>,
    /// Inserted instead of the label.
    pub insert_text: Option<String>,
    /// Smaller groups are shown first.
    pub group: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    Keyword,
    Local,
    Snippet,
    Attribute,
    BuiltinType,
    Symbol(SymbolKind),
}

/// The type that the place asks for.
const WANTED: u8 = 0;
const LOCALS: u8 = 1;
const OWN: u8 = 2;
const LIBRARY: u8 = 3;
const KEYWORDS: u8 = 4;

/// What may be written at a position.
pub fn completion(db: &dyn Db, at: FilePosition) -> Vec<CompletionItem> {
    let Some(text) = db.text(at.file) else { return Vec::new() };
    let offset = at.offset as usize;
    // Enough of the text before to tell what is being written; a line is hardly ever longer.
    let start = offset.saturating_sub(4096);
    let before = text.slice(start..offset);
    let line = before.rsplit('\n').next().unwrap_or_default();
    match context(line) {
        Context::Nothing => Vec::new(),
        Context::Attribute => attributes(),
        Context::Member { name_length } => {
            members_at(db, FilePosition { offset: at.offset - name_length as u32, ..at })
        }
        Context::DerivativeOperand => visible(db, at, Offered::Differentiable),
        Context::Name => visible(db, at, Offered::All),
    }
}

/// What [`completion`] leaves out because it is only read for the item that the user looks at: the signature or type and
/// the documentation of a name that is visible at the position.
pub fn resolve(db: &dyn Db, at: FilePosition, label: &str) -> Option<CompletionItem> {
    let name = Name::new(label);
    let context = item_at(db, at);
    let mut found: Vec<ItemId> = context.map_or(Vec::new(), |context| declared_around(db, at, context));
    found.retain(|item| item::item_data(db, *item).name.as_ref() == Some(&name));
    if found.is_empty() {
        found = match context {
            Some(context) => scope::lookup(db, context, &name),
            None => scope::lookup_in_file(db, at.file, &name),
        };
    }
    let item = *found.first()?;
    let resolved = detailed_completion(db, item, &name, OWN)?;
    let detail = resolved.detail.map(|detail| match found.len() - 1 {
        0 => detail,
        more => format!("{detail} (+{more})"),
    });
    Some(CompletionItem { detail, ..resolved })
}

/// What the line up to the position asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Nothing,
    Attribute,
    /// After `.`, `->` or `::`, with so many bytes of the name written.
    Member {
        name_length: usize,
    },
    /// In the parentheses of `fwd_diff` or `bwd_diff`.
    DerivativeOperand,
    Name,
}

fn context(line: &str) -> Context {
    let trimmed = line.trim_start();
    if line.contains("//") || line.matches('"').count() % 2 == 1 || trimmed.starts_with('#') {
        return Context::Nothing;
    }
    let name = line.len() - line.trim_end_matches(|c: char| c == '_' || c.is_alphanumeric()).len();
    let head = line[..line.len() - name].trim_end();
    if let Some(base) = head.strip_suffix('.') {
        // `1.` is a number.
        let word = base.rsplit(|c: char| c != '_' && !c.is_alphanumeric()).next().unwrap_or_default();
        let is_number = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
        return if is_number { Context::Nothing } else { Context::Member { name_length: name } };
    }
    if head.ends_with("->") || head.ends_with("::") {
        return Context::Member { name_length: name };
    }
    if let Some(base) = head.strip_suffix('[')
        && base.trim_end_matches('[').trim().is_empty()
    {
        return Context::Attribute;
    }
    if head.ends_with("wd_diff(") {
        return Context::DerivativeOperand;
    }
    Context::Name
}

fn attributes() -> Vec<CompletionItem> {
    let item = |info: &AttributeInfo| CompletionItem {
        label: info.name().to_owned(),
        kind: CompletionKind::Attribute,
        detail: Some(info.signature()),
        documentation: Some(info.documentation.to_owned()),
        insert_text: None,
        group: OWN,
    };
    ATTRIBUTES.iter().filter(|info| info.is_public()).map(item).collect()
}

fn members_at(db: &dyn Db, at: FilePosition) -> Vec<CompletionItem> {
    let found = base_type(db, at);
    let Some((context, ty)) = found else { return Vec::new() };
    let env = Env::of(db, context);
    let mut items = Vec::new();
    items.extend(components(db, ty));
    for name in members::names(db, env, ty) {
        if !name.as_str().starts_with(|c: char| c == '_' || c.is_alphabetic()) || name.as_str().starts_with("__") {
            continue;
        }
        let Some(member) = members::lookup(db, env, ty, &name).first().copied() else { continue };
        items.extend(detailed_completion(db, member.item, &name, OWN));
    }
    items
}

/// The type left of the dot before a position.
fn base_type(db: &dyn Db, at: FilePosition) -> Option<(ItemId, Ty)> {
    let (segment, part, offset) = position::segment_at(db, at.file, TextSize::new(at.offset))?;
    source_map::items_at(db, segment, part, offset).into_iter().find_map(|item| {
        let map = source_map::body_source_map(db, item);
        if map.owner().part != part {
            return None;
        }
        let body = hir_def::body::lower::body(db, item);
        let inferred = infer::infer(db, item);
        // The member access that ends here, or whose name begins here.
        let accesses = body.store.exprs.iter().filter_map(|(id, expr)| match expr {
            Expr::Member { base, .. } => Some((id, *base)),
            _ => None,
        });
        let around = accesses.filter(|(id, base)| {
            let (whole, base) = (map.expr(*id).range, map.expr(*base).range);
            base.end() < offset && offset <= whole.end()
        });
        let (_, base) = around.min_by_key(|(id, _)| map.expr(*id).range.len())?;
        Some((item, value_type(inferred, base)?))
    })
}

/// Parts of a value that no declaration names: the single components of a vector, the elements of a tuple.
fn components(db: &dyn Db, ty: Ty) -> Vec<CompletionItem> {
    let part = |name: String, ty: String| CompletionItem {
        detail: Some(ty),
        ..plain(&name, CompletionKind::Symbol(SymbolKind::Field), LOCALS)
    };
    let args = match ty {
        Ty::Builtin(BuiltinType::Vector, args) => args,
        Ty::Builtin(BuiltinType::Tuple, args) => {
            let [GenericArg::Pack(elements)] = args.args(db) else { return Vec::new() };
            let elements = elements.args(db).iter().enumerate();
            return elements
                .filter_map(|(index, element)| match element {
                    GenericArg::Type(ty) => Some(part(format!("_{index}"), display::display(db, *ty))),
                    GenericArg::Value(_) | GenericArg::Pack(_) => None,
                })
                .collect();
        }
        _ => return Vec::new(),
    };
    let [GenericArg::Type(element), GenericArg::Value(length)] = args.args(db) else { return Vec::new() };
    let length = match length {
        hir_ty::ty::Const::Value(length) => usize::try_from(*length).unwrap_or(0).min(4),
        _ => 4,
    };
    let element = display::display(db, *element);
    let names = "xyzw".chars().take(length).chain("rgba".chars().take(length));
    names.map(|name| part(name.to_string(), element.clone())).collect()
}

/// The declaration of the type that the position wants, as far as the statement says: of `Fruit f = ` it is `Fruit`.
fn wanted(db: &dyn Db, at: FilePosition, context: ItemId) -> Option<Ty> {
    let map = source_map::body_source_map(db, context);
    let body = hir_def::body::lower::body(db, context);
    let inferred = infer::infer(db, context);
    let text = db.text(at.file)?;
    body.store.stmts.iter().find_map(|(_, stmt)| {
        let Stmt::Let { local, .. } = stmt else { return None };
        // Read off the text, because a missing initialiser is hardly in the tree.
        let (_, name) = position::absolute(db, map.local(*local));
        let between = text.slice(name.end().into()..at.offset as usize);
        let value = between.trim_start().strip_prefix('=')?.trim_start();
        let is_begun = name.end() <= TextSize::new(at.offset) && value.chars().all(|c| c == '_' || c.is_alphanumeric());
        is_begun.then(|| inferred.local_types.get(*local).copied()).flatten()
    })
}

/// Which of the visible names fit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Offered {
    All,
    /// Functions that have derivatives.
    Differentiable,
}

fn visible(db: &dyn Db, at: FilePosition, offered: Offered) -> Vec<CompletionItem> {
    let mut items = Vec::new();
    let context = item_at(db, at);
    let wanted = context.and_then(|context| wanted(db, at, context));
    if let Some(context) = context.filter(|_| offered == Offered::All) {
        items.extend(locals(db, at, context));
    }
    let visible = match context {
        Some(context) => scope::visible_items(db, context),
        None => scope::visible_file_items(db, at.file),
    };
    let own = context.map_or(Vec::new(), |context| declared_around(db, at, context));
    let own = own.into_iter().filter_map(|item| Some((item::item_data(db, item).name.clone()?, vec![item])));
    for (name, found) in own.chain(visible) {
        let completion = first_completion(db, &name, &found, offered);
        let is_wanted = matches!(wanted, Some(Ty::Adt(item, _)) if found.contains(&item));
        items.extend(completion.map(|item| if is_wanted { CompletionItem { group: WANTED, ..item } } else { item }));
    }
    if offered == Offered::All {
        let keywords = public_keywords().map(|(keyword, _)| keyword).chain(["This"]);
        items.extend(keywords.map(|keyword| plain(keyword, CompletionKind::Keyword, KEYWORDS)));
        items.extend(builtin_types());
    }
    items
}

/// The types and functions that the functions around a position declare in front of it, innermost function first.
fn declared_around(db: &dyn Db, at: FilePosition, context: ItemId) -> Vec<ItemId> {
    let mut declared = Vec::new();
    let mut around = Some(context);
    while let Some(item) = around {
        declared.extend(item::local_items(db, item).iter().filter(|local| {
            let source = source_map::item_source(db, **local).as_ref();
            source.is_some_and(|source| position::absolute(db, source.range).1.start() < TextSize::new(at.offset))
        }));
        around = item::container(db, item);
    }
    declared
}

fn first_completion(db: &dyn Db, name: &Name, found: &[ItemId], offered: Offered) -> Option<CompletionItem> {
    if !name.as_str().starts_with(|c: char| c == '_' || c.is_alphabetic()) || name.as_str().starts_with("__") {
        return None;
    }
    let item = *found.iter().find(|&&item| {
        offered == Offered::All || {
            let rules = derivative_rules(db, item);
            symbol_kind(db, item) == Some(SymbolKind::Function)
                && (rules.allows(DerivativeOperator::Backward) || rules.allows(DerivativeOperator::Forward))
        }
    })?;
    let group = if in_prelude(db, item) { LIBRARY } else { OWN };
    item_completion(db, item, name, group)
}

/// An item by its name alone: reading signatures takes long in a list of thousands.
fn item_completion(db: &dyn Db, item: ItemId, name: &Name, group: u8) -> Option<CompletionItem> {
    Some(CompletionItem {
        label: name.to_string(),
        kind: CompletionKind::Symbol(symbol_kind(db, item)?),
        detail: None,
        documentation: None,
        insert_text: None,
        group,
    })
}

/// An item with its signature or type, and its documentation.
fn detailed_completion(db: &dyn Db, item: ItemId, name: &Name, group: u8) -> Option<CompletionItem> {
    let short = item_completion(db, item, name, group)?;
    let detail = match symbol_kind(db, item)? {
        SymbolKind::Function | SymbolKind::Method => Some(display::display_signature(db, item)),
        SymbolKind::Field | SymbolKind::Variable | SymbolKind::Constant => {
            Some(display::display(db, variable_type(db, item)))
        }
        _ => None,
    };
    Some(CompletionItem { detail, documentation: item::item_data(db, item).doc.clone(), ..short })
}

fn locals(db: &dyn Db, at: FilePosition, context: ItemId) -> Vec<CompletionItem> {
    let Some((_, part, offset)) = position::segment_at(db, at.file, TextSize::new(at.offset)) else {
        return Vec::new();
    };
    let map = source_map::body_source_map(db, context);
    if map.owner().part != part {
        return Vec::new();
    }
    let body = hir_def::body::lower::body(db, context);
    let scopes = local_scopes(db, context);
    // A block's own scope is that around it: what it declares is visible after the statements that end before here.
    let visible: Vec<_> = match map.stmt_at(offset) {
        Some(stmt) => {
            let declared = body.store.locals.iter().filter(|(local, _)| map.local(*local).range.end() < offset);
            let around = map.stmt(stmt).range;
            let inside = declared.filter(|(local, _)| around.contains_range(map.local(*local).range));
            inside.map(|(local, _)| local).chain(scopes.at_stmt(stmt)).collect()
        }
        None => body.params.clone(),
    };
    let inferred = infer::infer(db, context);
    let mut seen = Vec::new();
    let mut items = Vec::new();
    for local in visible {
        let name = &body.store.locals[local].name;
        if name.as_str().is_empty() || seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let detail = inferred.local_types.get(local).map(|&ty| display::display(db, ty));
        items.push(CompletionItem { detail, ..plain(name.as_str(), CompletionKind::Local, LOCALS) });
    }
    items
}

fn plain(label: &str, kind: CompletionKind, group: u8) -> CompletionItem {
    CompletionItem { label: label.to_owned(), kind, detail: None, documentation: None, insert_text: None, group }
}

/// Names of vector and matrix types, which are not declared anywhere.
fn builtin_types() -> Vec<CompletionItem> {
    let mut items = Vec::new();
    for scalar in ["float", "half", "double", "int", "uint", "bool"] {
        for rows in 2..=4 {
            items.push(plain(&format!("{scalar}{rows}"), CompletionKind::BuiltinType, LIBRARY));
        }
    }
    for (rows, columns) in [(2, 2), (3, 3), (4, 4), (3, 4), (4, 3)] {
        items.push(plain(&format!("float{rows}x{columns}"), CompletionKind::BuiltinType, LIBRARY));
    }
    items
}

#[cfg(test)]
mod tests {
    use super::{Context, context};

    #[test]
    fn the_line_tells_what_is_asked_for() {
        assert_eq!(context("    a.b."), Context::Member { name_length: 0 });
        assert_eq!(context("    a.lo"), Context::Member { name_length: 2 });
        assert_eq!(context("    v2.x"), Context::Member { name_length: 1 });
        assert_eq!(context("    1."), Context::Nothing);
        assert_eq!(context("  [Diff"), Context::Attribute);
        assert_eq!(context("  a[i"), Context::Name);
        assert_eq!(context("  bwd_diff(sh"), Context::DerivativeOperand);
        assert_eq!(context("  // bwd_diff(sh"), Context::Nothing);
        assert_eq!(context("  float x = "), Context::Name);
    }
}

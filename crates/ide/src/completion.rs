//! Completion: what may be written at a position. [`context`] tells from the text what is asked for; each answer has its file.

mod attributes;
mod calls;
mod context;
mod expected;
mod files;
mod imports;
mod keywords;
mod members;
mod place;
mod stubs;

use base_db::{Db, SegmentKind, text::Part};
use hir_def::{
    body::{DerivativeOperator, ExprStore, Stmt},
    item::{self, GenericParamKind, ItemId, ItemKind},
    local_scope::local_scopes,
    name::Name,
    position, scope, source_map,
    visibility::is_accessible,
};
use hir_ty::{
    aggregate,
    differential::rules::derivative_rules,
    display, infer,
    signature::{signature, variable_type},
    ty::Ty,
};
use rustc_hash::FxHashSet;
use syntax::{TextRange, TextSize};

use crate::{
    FilePosition, FileRange, TextEdit, documentation, namespaces,
    semantics::{self, Definition, in_prelude, item_at},
    symbols::{SymbolKind, symbol_kind},
    text_before::{heads_around, text_after, text_before},
};
use context::{Context, context};
pub use imports::waits_for_letters;
use keywords::Receiver;
use place::Expected;

/// Something that may be written at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionItem {
    /// What the list shows, and, without a snippet, what is inserted.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// A few words beside it: the signature or type.
    pub detail: Option<String>,
    /// Markdown.
    pub documentation: Option<String>,
    /// Inserted instead of the label.
    pub insert_text: Option<String>,
    /// `insert_text` has places to fill in, as the protocol writes them.
    pub is_snippet: bool,
    /// What it takes the place of, where that is no word.
    pub replaces: Option<FileRange>,
    /// Changes elsewhere that go with it.
    pub edits: Vec<TextEdit>,
    /// Smaller groups are shown first.
    pub group: u8,
}

/// What a completion is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    /// A keyword.
    Keyword,
    /// A parameter or variable.
    Local,
    /// Text with places to fill in.
    Snippet,
    /// An attribute.
    Attribute,
    /// A system value.
    Semantic,
    /// A type that the compiler knows.
    BuiltinType,
    /// A file or folder.
    File,
    /// A declaration.
    Symbol(SymbolKind),
}

/// The type that the place asks for.
const WANTED: u8 = 0;
const LOCALS: u8 = 1;
const OWN: u8 = 2;
const LIBRARY: u8 = 3;
const KEYWORDS: u8 = 4;
const POSTFIX: u8 = 5;
const IMPORTED: u8 = 6;

/// What may be written at a position.
pub fn completion(db: &dyn Db, at: FilePosition) -> Vec<CompletionItem> {
    match context_at(db, at) {
        Context::Nothing => Vec::new(),
        Context::Attribute(place) => {
            [attributes::attributes(place, &text_after(db, at)), attributes::of_program(db, at)].concat()
        }
        Context::VulkanAttribute(place) => attributes::of_vulkan(place, &text_after(db, at)),
        Context::Target => checks::target_names().map(|name| plain(name, CompletionKind::Keyword, WANTED)).collect(),
        Context::Stage => checks::stage_names().map(|name| plain(name, CompletionKind::Keyword, WANTED)).collect(),
        Context::Capability => capabilities(),
        Context::Semantic => semantics_of_stages(),
        Context::Module { written } => files::replacing(db, at, files::modules(db, at.file, &written)),
        Context::ModuleName => files::own_module_name(db, at.file),
        Context::Path { written } => files::replacing(db, at, files::paths(db, at.file, &written)),
        Context::Directive => files::directives(),
        Context::Macro => files::macros(db, at),
        Context::Member(access) => members::members_at(db, at, &access),
        Context::DerivativeOperand(operator) => visible(db, at, Offered::Differentiable(operator)),
        Context::FunctionName => visible(db, at, Offered::Functions),
        Context::Type => visible(db, at, Offered::Types),
        Context::Interface => visible(db, at, Offered::Interfaces),
        Context::Using => {
            [visible(db, at, Offered::Namespaces), vec![plain("namespace", CompletionKind::Keyword, KEYWORDS)]].concat()
        }
        Context::Namespace => visible(db, at, Offered::Namespaces),
        Context::GenericParameter => {
            ["let", "each"].map(|word| plain(word, CompletionKind::Keyword, KEYWORDS)).to_vec()
        }
        Context::GenericArgument { of, .. } if is_generic(db, at, &of) => visible(db, at, Offered::GenericArguments),
        Context::Pragma => files::pragmas(),
        Context::Label => labels(db, at),
        Context::NewName { behind, .. } if is_type(db, at, &behind) => Vec::new(),
        Context::GenericArgument { place, .. } | Context::Name(place) | Context::NewName { place, .. } => match place {
            Expected::Statement(_) | Expected::Value | Expected::Condition => visible(db, at, Offered::All(place)),
            Expected::Declaration | Expected::Member | Expected::Parameter => {
                visible(db, at, Offered::Declarations(place))
            }
            Expected::Accessor | Expected::Case => keywords::keywords(place, receiver(db, at)),
        },
    }
}

fn context_at(db: &dyn Db, at: FilePosition) -> Context {
    context(&[heads_around(db, at), text_before(db, at)].concat())
}

/// Whether a position asks for something in particular and not just for any name: what a client that asks by itself after
/// punctuation gets an answer for.
pub fn is_particular(db: &dyn Db, at: FilePosition) -> bool {
    !matches!(context_at(db, at), Context::Name(_) | Context::NewName { .. } | Context::GenericArgument { .. })
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

/// What may be required, apart from what is there for other names only.
fn capabilities() -> Vec<CompletionItem> {
    let named = |name: &'static str| CompletionItem {
        detail: checks::capability_description(name),
        ..plain(name, CompletionKind::Keyword, WANTED)
    };
    checks::capability_names().filter(|name| !name.starts_with('_')).map(named).collect()
}

/// The system values, as semantics.
fn semantics_of_stages() -> Vec<CompletionItem> {
    let mut items: Vec<CompletionItem> =
        checks::system_values().map(|name| plain(name, CompletionKind::Semantic, OWN)).collect();
    let user = ["TEXCOORD0", "COLOR0", "NORMAL", "POSITION", "TANGENT"];
    items.extend(user.map(|name| plain(name, CompletionKind::Semantic, LIBRARY)));
    // Where what is declared lies.
    items.extend([("register", "register(${1:t0})$0"), ("packoffset", "packoffset(${1:c0})$0")].map(|(name, call)| {
        let insert_text = Some(call.to_owned());
        CompletionItem { insert_text, is_snippet: true, ..plain(name, CompletionKind::Keyword, KEYWORDS) }
    }));
    items
}

/// Which of the visible names fit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Offered {
    /// What a statement or an expression may name.
    All(Expected),
    /// What a declaration may begin with.
    Declarations(Expected),
    /// Functions of the user.
    Functions,
    /// Functions that have this derivative.
    Differentiable(DerivativeOperator),
    Types,
    Interfaces,
    Namespaces,
    /// Types and constants.
    GenericArguments,
}

fn visible(db: &dyn Db, at: FilePosition, offered: Offered) -> Vec<CompletionItem> {
    let mut items = Vec::new();
    let context = item_at(db, at)
        .or_else(|| (offered == Offered::Declarations(Expected::Member)).then(|| container_at(db, at)).flatten());
    let in_body = context.is_some_and(|context| is_in_body(db, at, context));
    let all = matches!(offered, Offered::All(_));
    let wanted = context.filter(|_| all && in_body).and_then(|context| expected::expected(db, at, context));
    if let Some(context) = context.filter(|_| all) {
        items.extend(locals(db, at, context, wanted));
    }
    let visible = match context {
        Some(context) => scope::visible_items(db, context),
        None => scope::visible_file_items(db, at.file),
    };
    let own = context.map_or(Vec::new(), |context| declared_around(db, at, context));
    let own = own.into_iter().filter_map(|item| Some((item::item_data(db, item).name.clone()?, vec![item])));
    let is_usable = |item: &ItemId| context.is_none_or(|context| is_usable(db, *item, context));
    for (name, mut found) in own.chain(visible) {
        found.retain(is_usable);
        let Some((item, completion)) = first_completion(db, &name, &found, offered) else { continue };
        let is_wanted = wanted.is_some_and(|wanted| gives(db, item, wanted));
        let group = if is_wanted { WANTED } else { completion.group };
        let completion = CompletionItem { group, ..completion };
        items.push(if all { calls::with_arguments(db, at, completion, &found) } else { completion });
    }
    if let (Some(Ty::Adt(owner, _)), Some(context)) = (wanted, context) {
        items.extend(cases(db, owner, context));
    }
    items.extend(context.into_iter().flat_map(|context| generic_parameters(db, context, offered)));
    if let Some(context) = context {
        let known: FxHashSet<String> = items.iter().map(|item| item.label.clone()).collect();
        let own = match offered {
            Offered::All(_) => members::of_this(db, at, context, receiver(db, at).has_this),
            Offered::Functions | Offered::Differentiable(_) => methods_around(db, context, offered),
            Offered::Declarations(_)
            | Offered::Types
            | Offered::Interfaces
            | Offered::Namespaces
            | Offered::GenericArguments => Vec::new(),
        };
        items.extend(own.into_iter().filter(|item| !known.contains(&item.label)));
    }
    match offered {
        Offered::All(place) | Offered::Declarations(place) => {
            items.extend(files::macros(db, at));
            items.extend(keywords::keywords(place, receiver(db, at)));
            items.extend(builtin_types());
        }
        Offered::Types | Offered::GenericArguments => items.extend(builtin_types()),
        Offered::Functions | Offered::Differentiable(_) | Offered::Interfaces | Offered::Namespaces => {}
    }
    if offered == Offered::Declarations(Expected::Member) {
        items.extend(stubs::stubs(db, at));
    }
    let known: FxHashSet<String> = items.iter().map(|item| item.label.clone()).collect();
    items.extend(imports::imports(db, at, offered).into_iter().filter(|item| !known.contains(&item.label)));
    items
}

/// The labels that a `break` at a position may name.
fn labels(db: &dyn Db, at: FilePosition) -> Vec<CompletionItem> {
    let place = source_map::segment_at(db, at.file, TextSize::new(at.offset));
    let (Some(function), Some((_, _, offset))) = (semantics::function_at(db, at), place) else { return Vec::new() };
    let labels = semantics::labels_around(db, function, offset).into_iter();
    labels.map(|label| plain(label.as_str(), CompletionKind::Local, LOCALS)).collect()
}

/// Whether names, each in the one before it, are those of a type.
fn is_type(db: &dyn Db, at: FilePosition, names: &[String]) -> bool {
    let chain: Vec<Name> = names.iter().map(|name| Name::new(name)).collect();
    let context = item_at(db, at);
    let found = match (chain.as_slice(), context) {
        ([name], None) => scope::lookup_in_file(db, at.file, name),
        ([name], Some(context)) if !is_generic_type(db, context, name) => scope::lookup(db, context, name),
        ([_], Some(_)) => return true,
        (_, context) => {
            let context = context.or_else(|| item::file_items(db, at.file).first().copied());
            let chain: Vec<&Name> = chain.iter().collect();
            match context.and_then(|context| semantics::definition_of_chain(db, context, &chain)) {
                Some(Definition::Item(item)) => vec![item],
                Some(Definition::Candidates(items)) => items,
                _ => Vec::new(),
            }
        }
    };
    let is_type = |item: &ItemId| names_type(db, *item) && !namespaces::is_namespace(db, *item);
    let is_builtin = |word: &String| builtin_types().iter().any(|item| item.label == *word);
    found.iter().any(is_type) || matches!(names, [word] if is_builtin(word))
}

/// Whether a name is that of a type parameter of the generics around a place.
fn is_generic_type(db: &dyn Db, context: ItemId, name: &Name) -> bool {
    let mut around = std::iter::successors(Some(context), |item| item::container(db, *item));
    around.any(|item| {
        let mut params = item::item_data(db, item).generics.params.iter();
        params.any(|param| param.name == *name && matches!(param.kind, GenericParamKind::Type { .. }))
    })
}

/// The declaration whose members a position is between.
fn container_at(db: &dyn Db, at: FilePosition) -> Option<ItemId> {
    let (segment, part, _) = source_map::segment_at(db, at.file, TextSize::new(at.offset))?;
    let is_own_end = segment.kind(db) == SegmentKind::Container && part == Part::Body;
    let container = if is_own_end { segment } else { segment.parent(db)? };
    item::segment_items(db, container).first().copied()
}

/// The parameters of the generics around a place.
fn generic_parameters(db: &dyn Db, context: ItemId, offered: Offered) -> Vec<CompletionItem> {
    let (types, values) = match offered {
        Offered::All(_) | Offered::GenericArguments => (true, true),
        // The methods of a parameter may follow.
        Offered::Types | Offered::Declarations(_) | Offered::Differentiable(_) => (true, false),
        Offered::Functions | Offered::Interfaces | Offered::Namespaces => (false, false),
    };
    let around = std::iter::successors(Some(context), |item| item::container(db, *item));
    let params = around.flat_map(|item| &item::item_data(db, item).generics.params);
    let kinds = params.map(|param| match param.kind {
        GenericParamKind::Type { .. } | GenericParamKind::Pack { .. } => (param, types, SymbolKind::TypeParameter),
        GenericParamKind::Value { .. } | GenericParamKind::ValuePack { .. } => (param, values, SymbolKind::Constant),
    });
    let fitting = kinds.filter(|(_, fits, _)| *fits);
    fitting.map(|(param, _, kind)| plain(param.name.as_str(), CompletionKind::Symbol(kind), LOCALS)).collect()
}

/// The functions of the types around a place.
fn methods_around(db: &dyn Db, context: ItemId, offered: Offered) -> Vec<CompletionItem> {
    let around = std::iter::successors(Some(context), |item| item::container(db, *item));
    let methods = around.flat_map(|item| item::members(db, item)).filter(|member| match offered {
        Offered::Differentiable(operator) => derivative_rules(db, **member).allows(operator),
        _ => true,
    });
    let functions = methods.filter(|member| matches!(item::item_data(db, **member).kind, ItemKind::Function(_)));
    let named = functions.filter_map(|member| Some((item::item_data(db, *member).name.as_ref()?, *member)));
    named.filter_map(|(name, member)| item_completion(db, member, name, OWN)).collect()
}

/// What `this` and `This` mean at a position, if anything.
fn receiver(db: &dyn Db, at: FilePosition) -> Receiver {
    let function = semantics::function_at(db, at);
    let around = std::iter::successors(item_at(db, at), |item| item::container(db, *item));
    let mut types = around.filter(|item| {
        matches!(
            item::item_data(db, *item).kind,
            ItemKind::Struct { .. } | ItemKind::Interface { .. } | ItemKind::Extension { .. } | ItemKind::Enum { .. }
        )
    });
    Receiver {
        has_this: function.is_some_and(|function| signature(db, function).this.is_some()),
        has_type: types.next().is_some(),
    }
}

/// Whether what some names mean takes arguments between angle brackets.
fn is_generic(db: &dyn Db, at: FilePosition, names: &[String]) -> bool {
    let Some(context) = item_at(db, at).or_else(|| item::file_items(db, at.file).first().copied()) else {
        return false;
    };
    let names: Vec<Name> = names.iter().map(|name| Name::new(name)).collect();
    let names: Vec<&Name> = names.iter().collect();
    let takes = |item: &ItemId| !item::item_data(db, *item).generics.params.is_empty();
    match semantics::definition_of_chain(db, context, &names) {
        Some(Definition::Item(item)) => takes(&item),
        Some(Definition::Candidates(items)) => items.iter().any(takes),
        _ => false,
    }
}

/// Whether what is visible may be used in a declaration: modules keep to themselves what is not public, and what belongs to
/// values of a type is not there in its `static` functions.
fn is_usable(db: &dyn Db, item: ItemId, context: ItemId) -> bool {
    let is_static =
        || matches!(item::item_data(db, context).kind, ItemKind::Function(_)) && signature(db, context).this.is_none();
    let needs_value = || {
        let of_same_type =
            item::container(db, item).is_some_and(|container| item::container(db, context) == Some(container));
        of_same_type
            && match item::item_data(db, item).kind {
                ItemKind::Variable { .. } => aggregate::is_field(db, item),
                ItemKind::Function(_) => signature(db, item).this.is_some(),
                _ => false,
            }
    };
    in_prelude(db, item) || is_accessible(db, item, context) && !(needs_value() && is_static())
}

/// Whether statements stand at a position, and not declarations.
fn is_in_body(db: &dyn Db, at: FilePosition, context: ItemId) -> bool {
    let data = item::item_data(db, context);
    let is_function =
        matches!(data.kind, ItemKind::Function(_) | ItemKind::Constructor { .. } | ItemKind::Accessor { .. });
    let (_, body) = position::absolute(db, source_map::body_source_map(db, context).owner());
    is_function && body.contains_inclusive(TextSize::new(at.offset))
}

/// Whether an item is what a place asks for: the type itself, or a function or variable of that type. Those of the core
/// library fit too often to say anything.
fn gives(db: &dyn Db, item: ItemId, wanted: Ty) -> bool {
    if matches!(wanted, Ty::Adt(wanted, _) if wanted == item) {
        return true;
    }
    if in_prelude(db, item) {
        return false;
    }
    match item::item_data(db, item).kind {
        ItemKind::Function(_) => signature(db, item).ret == wanted,
        ItemKind::Variable { .. } => variable_type(db, item) == wanted,
        _ => false,
    }
}

/// The cases of an enumeration that a place asks for.
fn cases(db: &dyn Db, owner: ItemId, place: ItemId) -> Vec<CompletionItem> {
    if !matches!(item::item_data(db, owner).kind, ItemKind::Enum { .. }) {
        return Vec::new();
    }
    let name = display::name_at(db, owner, place);
    let cases = item::members(db, owner).iter().filter_map(|case| item::item_data(db, *case).name.as_ref());
    cases.map(|case| plain(&format!("{name}.{case}"), CompletionKind::Symbol(SymbolKind::EnumCase), WANTED)).collect()
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

/// The first item of a name that fits, with what is shown of it.
fn first_completion(db: &dyn Db, name: &Name, found: &[ItemId], offered: Offered) -> Option<(ItemId, CompletionItem)> {
    // Of the names with two underscores, programs use the bounds of numbers only.
    let is_internal =
        name.as_str().starts_with("__") && !(offered == Offered::Interfaces && name.as_str().starts_with("__Builtin"));
    if !name.as_str().starts_with(|c: char| c == '_' || c.is_alphabetic()) || is_internal {
        return None;
    }
    let fits = |&item: &ItemId| match offered {
        Offered::All(_) => true,
        Offered::Functions => symbol_kind(db, item) == Some(SymbolKind::Function) && !in_prelude(db, item),
        Offered::Differentiable(operator) => match symbol_kind(db, item) {
            Some(SymbolKind::Function | SymbolKind::Method) => derivative_rules(db, item).allows(operator),
            // Their methods may follow.
            Some(SymbolKind::Struct | SymbolKind::Interface | SymbolKind::Namespace) => !in_prelude(db, item),
            _ => false,
        },
        Offered::Types | Offered::Declarations(_) => names_type(db, item),
        Offered::GenericArguments => names_type(db, item) || symbol_kind(db, item) == Some(SymbolKind::Constant),
        Offered::Interfaces => match symbol_kind(db, item) {
            Some(SymbolKind::Interface | SymbolKind::Namespace) => true,
            Some(SymbolKind::TypeAlias) => !in_prelude(db, item),
            _ => false,
        },
        Offered::Namespaces => namespaces::is_namespace(db, item),
    };
    let item = found.iter().copied().find(fits)?;
    let group = if in_prelude(db, item) { LIBRARY } else { OWN };
    Some((item, item_completion(db, item, name, group)?))
}

/// Whether an item is a type, or may hold types.
fn names_type(db: &dyn Db, item: ItemId) -> bool {
    matches!(
        symbol_kind(db, item),
        Some(
            SymbolKind::Struct
                | SymbolKind::Interface
                | SymbolKind::Enum
                | SymbolKind::TypeAlias
                | SymbolKind::TypeParameter
                | SymbolKind::Namespace
        )
    )
}

/// An item by its name alone: reading signatures takes long in a list of thousands.
fn item_completion(db: &dyn Db, item: ItemId, name: &Name, group: u8) -> Option<CompletionItem> {
    Some(plain(name.as_str(), CompletionKind::Symbol(symbol_kind(db, item)?), group))
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
    Some(CompletionItem {
        detail,
        documentation: item::item_data(db, item).doc.as_deref().map(documentation::markdown),
        ..short
    })
}

fn locals(db: &dyn Db, at: FilePosition, context: ItemId, wanted: Option<Ty>) -> Vec<CompletionItem> {
    let mut seen = Vec::new();
    let mut items = Vec::new();
    for (name, ty) in visible_locals(db, at, context) {
        if name.as_str().is_empty() || seen.contains(&name) {
            continue;
        }
        let detail = ty.map(|ty| display::display(db, ty));
        let group = if wanted.is_some() && ty == wanted { WANTED } else { LOCALS };
        items.push(CompletionItem { detail, ..plain(name.as_str(), CompletionKind::Local, group) });
        seen.push(name);
    }
    items
}

/// The parameters and variables that code at a place of a body sees, with their types; the nearest of a name comes first.
fn visible_locals(db: &dyn Db, at: FilePosition, context: ItemId) -> Vec<(Name, Option<Ty>)> {
    let Some((_, part, offset)) = source_map::segment_at(db, at.file, TextSize::new(at.offset)) else {
        return Vec::new();
    };
    let map = source_map::body_source_map(db, context);
    if map.owner().part != part {
        return Vec::new();
    }
    let body = hir_def::body::queries::body(db, context);
    let scopes = local_scopes(db, context);
    // A block's own scope is that around it: what it declares is visible after the statements that end before here.
    let visible: Vec<_> = match map.stmt_at(offset) {
        Some(stmt) => {
            let declared = body.store.locals.iter().filter(|(local, _)| map.local(*local).range.end() < offset);
            let around = map.stmt(stmt).range;
            let inside = declared.filter(|(local, _)| {
                let place = map.local(*local).range;
                around.contains_range(place) && !is_in_ended_block(&body.store, map, place, offset)
            });
            inside.map(|(local, _)| local).chain(scopes.at_stmt(stmt)).collect()
        }
        None => body.params.clone(),
    };
    // What is being declared is not there yet.
    let declared_here = body.store.stmts.iter().find_map(|(id, stmt)| match stmt {
        Stmt::Let { local, .. } if map.stmt(id).range.contains(offset) => Some(*local),
        _ => None,
    });
    let inferred = infer::infer(db, context);
    let known = visible.into_iter().filter(|local| Some(*local) != declared_here);
    known.map(|local| (body.store.locals[local].name.clone(), inferred.local_types.get(local).copied())).collect()
}

/// Whether a place is in a block, a loop or a branch that ends before an offset.
fn is_in_ended_block(store: &ExprStore, map: &source_map::BodySourceMap, place: TextRange, offset: TextSize) -> bool {
    store.stmts.iter().any(|(id, stmt)| {
        let range = map.stmt(id).range;
        // Several variables of one declaration are no block.
        let is_open = matches!(stmt, Stmt::Let { .. } | Stmt::Sequence(_)) || is_half_written(store, stmt);
        !is_open && range.contains_range(place) && range.end() < offset
    })
}

/// Whether the head of a loop is not written to its end, which is where its variable is asked for.
fn is_half_written(store: &ExprStore, stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::For { body, .. } if matches!(store.stmts[*body], Stmt::Missing))
}

fn plain(label: &str, kind: CompletionKind, group: u8) -> CompletionItem {
    CompletionItem {
        label: label.to_owned(),
        kind,
        detail: None,
        documentation: None,
        insert_text: None,
        is_snippet: false,
        replaces: None,
        edits: Vec::new(),
        group,
    }
}

/// Names of vector and matrix types, which are not declared anywhere.
fn builtin_types() -> Vec<CompletionItem> {
    let mut items = vec![plain("void", CompletionKind::BuiltinType, LIBRARY)];
    let plain_scalars = ["float", "half", "double", "int", "uint", "bool"];
    let sized = ["float16_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int64_t", "uint64_t"];
    for scalar in plain_scalars.into_iter().chain(sized) {
        for rows in 1..=4 {
            items.push(plain(&format!("{scalar}{rows}"), CompletionKind::BuiltinType, LIBRARY));
        }
    }
    for scalar in plain_scalars {
        for (rows, columns) in (1..=4).flat_map(|rows| (1..=4).map(move |columns| (rows, columns))) {
            items.push(plain(&format!("{scalar}{rows}x{columns}"), CompletionKind::BuiltinType, LIBRARY));
        }
    }
    items
}

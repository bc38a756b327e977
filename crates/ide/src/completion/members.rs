//! What follows `.`, `->` and `::`: members of values, of types and of namespaces, derivatives of functions.

use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    body::{DerivativeOperator, Expr, ExprId, Stmt},
    item::{self, ItemId, ItemKind},
    name::Name,
    position::{self, Location},
    scope, source_map, visibility,
};
use hir_ty::{
    aggregate,
    differential::rules::derivative_rules,
    display,
    env::Env,
    generics,
    infer::{self, result::Resolution},
    members, resolve,
    signature::variable_type,
    ty::{BuiltinType, Const, GenericArg, GenericArgs, Ty},
};
use syntax::{TextRange, TextSize, lexer};

use super::{
    CompletionItem, CompletionKind, LOCALS, OWN, POSTFIX, calls,
    context::{Access, ELEMENT, WantedMember},
    detailed_completion, plain,
};
use crate::{
    FilePosition, FileRange, TextEdit, namespaces,
    semantics::{self, Definition, in_prelude, item_at, value_type},
    symbols::SymbolKind,
};

/// What stands left of the separator.
enum Base {
    /// A value, and where the tree has it.
    Value(ItemId, Ty, Option<Written>),
    Type(ItemId, Ty),
    Namespace(ItemId),
    /// A function that is named, and where.
    Function(ItemId, Written),
}

/// Where a base is written.
#[derive(Clone, Copy)]
struct Written {
    /// With the parentheses around it.
    range: TextRange,
    /// Whether the access is all of a statement of a block.
    is_statement: bool,
}

/// `at` is behind the separator and what is written of the name.
pub(super) fn members_at(db: &dyn Db, at: FilePosition, access: &Access) -> Vec<CompletionItem> {
    let start = FilePosition { offset: at.offset - access.name_length as u32, ..at };
    let written = written_base(db, start);
    let Some(base) = written.or_else(|| named_base(db, at, access)) else { return Vec::new() };
    let wanted = access.wanted;
    match base {
        Base::Value(context, ty, _) if wanted == WantedMember::Differentiable => differentiable(db, context, ty),
        Base::Value(context, ty, place) => {
            let mut items = of_value(db, at, context, ty);
            items.extend(place.into_iter().flat_map(|place| postfix(db, start, context, ty, place)));
            items
        }
        Base::Type(context, ty) => of_type(db, context, ty, wanted),
        Base::Namespace(namespace) => of_namespace(db, at, namespace, wanted == WantedMember::Differentiable),
        Base::Function(function, place) => of_function(db, start, function, place),
    }
}

/// The base of the member access that the tree has here.
fn written_base(db: &dyn Db, at: FilePosition) -> Option<Base> {
    // What is not closed ends with the separator.
    let (segment, part, separator) = source_map::segment_at(db, at.file, TextSize::new(at.offset.checked_sub(1)?))?;
    let offset = separator + TextSize::new(1);
    source_map::items_at(db, segment, part, offset).into_iter().find_map(|item| {
        let map = source_map::body_source_map(db, item);
        if map.owner().part != part {
            return None;
        }
        let body = hir_def::body::queries::body(db, item);
        // The member access that ends here, or whose name begins here.
        let accesses = body.store.exprs.iter().filter_map(|(id, expr)| match expr {
            Expr::Member { base, .. } => Some((id, *base)),
            _ => None,
        });
        let around = accesses.filter(|(id, base)| {
            let (whole, base) = (map.expr(*id).range, map.expr(*base).range);
            base.end() < offset && offset <= whole.end()
        });
        let (access, base) = around.min_by_key(|(id, _)| map.expr(*id).range.len())?;
        // Parentheses around the base are a part of the access and of no expression.
        let location = Location { range: TextRange::new(map.expr(access).range.start(), separator), ..map.expr(base) };
        let written = Written {
            range: position::absolute(db, location).1,
            is_statement: body.store.stmts.iter().any(|(_, stmt)| match stmt {
                Stmt::Block(stmts) => {
                    stmts.iter().any(|stmt| matches!(body.store.stmts[*stmt], Stmt::Expr(expr) if expr == access))
                }
                _ => false,
            }),
        };
        base_of(db, item, base, written)
    })
}

fn base_of(db: &dyn Db, item: ItemId, base: ExprId, place: Written) -> Option<Base> {
    let inferred = infer::infer(db, item);
    let resolution = inferred.resolutions.get(&base);
    match resolution {
        Some(Resolution::Namespace(namespace)) => return Some(Base::Namespace(*namespace)),
        Some(Resolution::Type(ty)) => return Some(Base::Type(item, *ty)),
        _ => {}
    }
    // A variable hides the functions of its name, and a call has a value.
    let is_value = resolution.is_some_and(|it| semantics::is_value(it) || matches!(it, Resolution::Call(_)));
    let named = if is_value { Vec::new() } else { semantics::functions_named(db, item, base) };
    if let [function, ..] = named.as_slice() {
        return Some(Base::Function(*function, place));
    }
    let ty = value_type(inferred, base).filter(|ty| !matches!(ty, Ty::Error | Ty::Void))?;
    Some(Base::Value(item, ty, Some(place)))
}

/// The base as the names in front of the separator say, where there is no tree.
fn named_base(db: &dyn Db, at: FilePosition, access: &Access) -> Option<Base> {
    let context = item_at(db, at).or_else(|| item::file_items(db, at.file).first().copied())?;
    let names: Vec<Name> = access.chain.iter().map(|name| Name::new(name)).collect();
    if let Some(ty) = named_value(db, at, context, &names) {
        return Some(Base::Value(context, ty, None));
    }
    let names: Vec<&Name> = names.iter().collect();
    match semantics::definition_of_chain(db, context, &names)? {
        Definition::Item(item) => named_item(db, context, item),
        Definition::Candidates(items) => items.into_iter().find_map(|item| named_item(db, context, item)),
        Definition::GenericParam { owner, index } => {
            Some(Base::Type(context, Ty::Param(hir_ty::ty::TypeParam::new(db, owner, index))))
        }
        _ => None,
    }
}

/// The type of `s.a.b` where `s` is a variable: before a name on the next line the tree takes it for a type.
fn named_value(db: &dyn Db, at: FilePosition, context: ItemId, names: &[Name]) -> Option<Ty> {
    let (first, fields) = names.split_first()?;
    // `s.a⏎f(x);` even reads as the declaration of a function.
    let around = std::iter::successors(Some(context), |item| item::container(db, *item));
    let mut locals = around.flat_map(|context| super::visible_locals(db, at, context));
    let local = locals.find(|(name, _)| name == first).map(|(_, ty)| ty);
    let global = || {
        let mut found = scope::lookup(db, context, first).into_iter();
        let variable = found.find(|item| matches!(item::item_data(db, *item).kind, ItemKind::Variable { .. }));
        variable.map(|variable| variable_type(db, variable))
    };
    let whole = |ty: Ty| std::iter::successors(Some(ty), |ty| ty.dereferenced(db)).last().unwrap_or(ty);
    let mut ty = local.unwrap_or_else(global).map(whole)?;
    for name in fields {
        if name.as_str() == ELEMENT {
            ty = whole(element(db, ty)?);
            continue;
        }
        let of_type = aggregate::fields(db, Env::of(db, context), ty);
        let (_, field) = of_type.iter().find(|(field, _)| item::item_data(db, *field).name.as_ref() == Some(name))?;
        ty = whole(*field);
    }
    Some(ty)
}

/// What an index gives: of arrays, vectors, buffers.
fn element(db: &dyn Db, ty: Ty) -> Option<Ty> {
    match (ty.as_array(db), ty) {
        (Some((element, _)), _) => Some(element),
        (None, Ty::Builtin(_, args)) => match args.args(db).first() {
            Some(GenericArg::Type(element)) => Some(*element),
            _ => None,
        },
        _ => None,
    }
}

fn named_item(db: &dyn Db, context: ItemId, item: ItemId) -> Option<Base> {
    if namespaces::is_namespace(db, item) {
        return Some(Base::Namespace(item));
    }
    let ty = match item::item_data(db, item).kind {
        ItemKind::TypeAlias { .. } => Some(resolve::alias_target(db, item)),
        _ => generics::self_type(db, item),
    };
    Some(Base::Type(context, ty?))
}

fn of_value(db: &dyn Db, at: FilePosition, context: ItemId, ty: Ty) -> Vec<CompletionItem> {
    let env = Env::of(db, context);
    // Blocks, constant buffers and pointers stand for what they hold.
    let ty = std::iter::successors(Some(ty), |ty| ty.dereferenced(db)).last().unwrap_or(ty);
    let mut items = components(db, ty);
    items.extend(other_fields(db, env, ty));
    // Numbers have what operators are made of; nobody calls that.
    let is_number = matches!(ty, Ty::Scalar(_) | Ty::Builtin(BuiltinType::Vector | BuiltinType::Matrix, _));
    for (name, members) in named_members(db, env, context, ty) {
        let Some(member) = members.into_iter().find(|member| {
            let is_internal = in_prelude(db, *member) && is_number && is_of_interface(db, *member);
            is_of_values(db, *member) && !is_internal
        }) else {
            continue;
        };
        if items.iter().any(|known| known.label == name.as_str()) {
            continue;
        }
        let item = detailed_completion(db, member, &name, OWN);
        items.extend(item.map(|item| calls::with_arguments(db, at, item, &[member])));
    }
    items
}

/// The members that a function names without `this.`: of the type that it is in or extends, and of what that inherits.
pub(super) fn of_this(db: &dyn Db, at: FilePosition, context: ItemId, has_this: bool) -> Vec<CompletionItem> {
    let around = std::iter::successors(Some(context), |item| item::container(db, *item));
    let types = around.filter_map(|item| generics::self_type(db, item));
    let members = types.flat_map(|ty| match has_this {
        true => [of_value(db, at, context, ty), of_type(db, context, ty, WantedMember::Any)].concat(),
        false => of_type(db, context, ty, WantedMember::Any),
    });
    members.collect()
}

/// The fields that a type has and its declaration does not: those of a base, of a differential that nobody wrote.
fn other_fields(db: &dyn Db, env: Env, ty: Ty) -> Vec<CompletionItem> {
    let own = |field: ItemId| matches!(ty, Ty::Adt(item, _) if item::container(db, field) == Some(item));
    let fields = aggregate::fields(db, env, ty).iter().filter(|(field, _)| !own(*field));
    fields.map(|(field, ty)| field_completion(db, *field, *ty)).collect()
}

fn field_completion(db: &dyn Db, field: ItemId, ty: Ty) -> CompletionItem {
    CompletionItem {
        detail: Some(display::display(db, ty)),
        ..plain(&display::item_name(db, field), CompletionKind::Symbol(SymbolKind::Field), OWN)
    }
}

/// The methods of a value that have a derivative, and the fields of which methods may follow.
fn differentiable(db: &dyn Db, context: ItemId, ty: Ty) -> Vec<CompletionItem> {
    let ty = std::iter::successors(Some(ty), |ty| ty.dereferenced(db)).last().unwrap_or(ty);
    let fields = aggregate::fields(db, Env::of(db, context), ty).iter();
    let leading =
        fields.filter(|(_, ty)| matches!(ty, Ty::Adt(..))).map(|(field, ty)| field_completion(db, *field, *ty));
    leading.chain(of_type(db, context, ty, WantedMember::Differentiable)).collect()
}

fn of_type(db: &dyn Db, context: ItemId, ty: Ty, wanted: WantedMember) -> Vec<CompletionItem> {
    let env = Env::of(db, context);
    if wanted == WantedMember::Field {
        return aggregate::fields(db, env, ty).iter().map(|(field, ty)| field_completion(db, *field, *ty)).collect();
    }
    let mut items = Vec::new();
    for (name, members) in named_members(db, env, context, ty) {
        let is_wanted = |member: &ItemId| match wanted {
            WantedMember::Differentiable => is_differentiable(db, *member),
            WantedMember::Any | WantedMember::Field => !is_of_values(db, *member),
        };
        if let Some(member) = members.into_iter().find(is_wanted) {
            items.extend(detailed_completion(db, member, &name, OWN));
        }
    }
    items
}

/// The members that can be seen from `context`, by name.
fn named_members(db: &dyn Db, env: Env, context: ItemId, ty: Ty) -> Vec<(Name, Vec<ItemId>)> {
    let names = members::names(db, env, ty).into_iter().filter(is_spoken);
    let found = names.map(|name| {
        let members = members::lookup(db, env, ty, &name).into_iter().map(|member| member.item);
        let seen = members.filter(|member| visibility::is_accessible(db, *member, context)).collect();
        (name, seen)
    });
    found.collect()
}

/// Whether a member is asked of values: a field, a method, a property.
fn is_of_values(db: &dyn Db, member: ItemId) -> bool {
    let data = item::item_data(db, member);
    let may_be = matches!(data.kind, ItemKind::Function(_) | ItemKind::Variable { .. } | ItemKind::Property { .. });
    may_be && !data.modifiers.contains(Modifiers::STATIC)
}

/// Whether a member of the core library is one that its interfaces are made of, and nobody's to call.
fn is_of_interface(db: &dyn Db, member: ItemId) -> bool {
    let container = item::container(db, member).map(|container| &item::item_data(db, container).kind);
    let is_requirement = matches!(container, Some(ItemKind::Interface { .. }));
    let fulfils = || {
        let name = item::item_data(db, member).name.clone();
        let container = item::container(db, member);
        let ty = container.and_then(|container| Some((container, generics::self_type(db, container)?)));
        let (Some(name), Some((container, ty))) = (name, ty) else { return false };
        !members::interfaces_declaring(db, Env::of(db, container), ty, &name).is_empty()
    };
    is_requirement || fulfils()
}

fn is_differentiable(db: &dyn Db, item: ItemId) -> bool {
    let rules = derivative_rules(db, item);
    matches!(item::item_data(db, item).kind, ItemKind::Function(_))
        && (rules.allows(DerivativeOperator::Backward) || rules.allows(DerivativeOperator::Forward))
}

fn of_namespace(db: &dyn Db, at: FilePosition, namespace: ItemId, is_derivative_operand: bool) -> Vec<CompletionItem> {
    let mut names: Vec<Name> = Vec::new();
    for part in namespaces::parts(db, namespace) {
        let Definition::Item(part) = part else { continue };
        names.extend(scope::member_names(db, part).iter().map(|(name, _)| name.clone()));
    }
    names.sort();
    names.dedup();
    let mut items = Vec::new();
    for name in names.into_iter().filter(is_spoken) {
        let found = scope::lookup_in_namespace(db, namespace, at.file, &name);
        let wanted = found.iter().copied().find(|item| !is_derivative_operand || is_differentiable(db, *item));
        let item = wanted.and_then(|item| detailed_completion(db, item, &name, OWN));
        items.extend(item.map(|item| match is_derivative_operand {
            true => item,
            false => calls::with_arguments(db, at, item, &found),
        }));
    }
    items
}

/// `f.fwd_diff` is another spelling of `fwd_diff(f)`.
fn of_function(db: &dyn Db, at: FilePosition, function: ItemId, place: Written) -> Vec<CompletionItem> {
    let rules = derivative_rules(db, function);
    let operators =
        [(DerivativeOperator::Forward, "fwd_diff", "fwd"), (DerivativeOperator::Backward, "bwd_diff", "bwd")];
    let mut items = Vec::new();
    for (operator, spelling, short) in operators {
        if rules.allows(operator) {
            items.push(plain(spelling, CompletionKind::Symbol(SymbolKind::Method), OWN));
            items.extend(around(db, at, place, short, &format!("{spelling}(…)"), |base| {
                format!("{spelling}({base})")
            }));
        }
    }
    if rules.allows(DerivativeOperator::Backward) {
        items.extend(["apply_bwd", "remat"].map(|name| plain(name, CompletionKind::Symbol(SymbolKind::Method), OWN)));
    }
    items
}

/// What goes around a value that is written already.
fn postfix(db: &dyn Db, at: FilePosition, context: ItemId, ty: Ty, place: Written) -> Vec<CompletionItem> {
    let around = |label: &str, shown: &str, text: fn(&str) -> String| around(db, at, place, label, shown, text);
    let snippet = |item: CompletionItem| CompletionItem { is_snippet: true, ..item };
    let is_differentiable = || derivative_rules(db, context).is_differentiable();
    let mut items = vec![around("detach", "detach(…)", |base| format!("detach({base})"))];
    if is_differentiable() && ends_with_call(db, at) {
        items.push(around("no_diff", "no_diff …", |base| format!("no_diff {base}")));
    }
    if place.is_statement {
        let let_text: fn(&str) -> String = match is_followed_by_semicolon(db, at) {
            true => |base| format!("let ${{1:name}} = {}", calls::escaped(base)),
            false => |base| format!("let ${{1:name}} = {};$0", calls::escaped(base)),
        };
        items.push(around("let", "let name = …;", let_text).map(snippet));
        if ty == Ty::BOOL {
            let if_text: fn(&str) -> String = |base| format!("if ({})\n{{\n\t$0\n}}", calls::escaped(base));
            items.push(around("if", "if (…)", if_text).map(snippet));
        }
    }
    items.into_iter().flatten().collect()
}

/// Whether the name may be followed by the end of a statement already.
fn is_followed_by_semicolon(db: &dyn Db, at: FilePosition) -> bool {
    let Some(text) = db.text(at.file) else { return false };
    let rest = text.rope().get_byte_slice(at.offset as usize..);
    let mut letters = rest.into_iter().flat_map(|rest| rest.chars());
    letters.find(|letter| *letter != '_' && !letter.is_alphanumeric()) == Some(';')
}

/// Whether the base, which ends in front of a separator, is a call.
fn ends_with_call(db: &dyn Db, at: FilePosition) -> bool {
    let Some(text) = db.text(at.file) else { return false };
    let before = text.slice(0..at.offset as usize);
    before.trim_end_matches(['.', '-', '>']).trim_end().ends_with(')')
}

/// The base and the separator go, and the text stands in place of the name.
fn around(
    db: &dyn Db,
    at: FilePosition,
    place: Written,
    label: &str,
    shown: &str,
    text: impl Fn(&str) -> String,
) -> Option<CompletionItem> {
    let base = db.text(at.file)?.slice(place.range.into());
    // Up to the separator, of which one letter is known to be there.
    let base = base.trim_end().trim_end_matches(['.', '-', '>', ':']).trim_end();
    if !is_whole(base) {
        return None;
    }
    let base = without_parentheses(base);
    let removed = TextRange::new(place.range.start(), TextSize::new(at.offset));
    Some(CompletionItem {
        detail: Some(shown.to_owned()),
        insert_text: Some(text(base)),
        edits: vec![TextEdit { at: FileRange { file: at.file, range: removed }, text: String::new() }],
        ..plain(label, CompletionKind::Snippet, POSTFIX)
    })
}

/// What stands in the parentheses that are around all of a text.
fn without_parentheses(text: &str) -> &str {
    match text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) if is_whole(inner) => without_parentheses(inner.trim()),
        _ => text,
    }
}

/// Whether a text stands for itself wherever it is put: one that a macro takes apart does not, nor one with a comment to the
/// end of the line.
fn is_whole(text: &str) -> bool {
    let lexed = lexer::lex(text);
    let mut open = Vec::new();
    for index in 0..lexed.len() {
        let token = &text[lexed.range(index)];
        match token {
            "(" => open.push(")"),
            "[" => open.push("]"),
            "{" => open.push("}"),
            ")" | "]" | "}" if open.pop() != Some(token) => return false,
            _ if token.starts_with("//") => return false,
            _ => {}
        }
    }
    open.is_empty()
}

fn is_spoken(name: &Name) -> bool {
    name.as_str().starts_with(|c: char| c == '_' || c.is_alphabetic()) && !name.as_str().starts_with("__")
}

/// Parts of a value that no declaration names: the components of a vector, the elements of a matrix or tuple.
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
        Ty::Builtin(BuiltinType::Matrix, args) => {
            let [GenericArg::Type(element), GenericArg::Value(rows), GenericArg::Value(columns), ..] = args.args(db)
            else {
                return Vec::new();
            };
            let places =
                (0..length_of(*rows)).flat_map(|row| (0..length_of(*columns)).map(move |column| (row, column)));
            return places
                .map(|(row, column)| CompletionItem {
                    group: OWN,
                    ..part(format!("_m{row}{column}"), display::display(db, *element))
                })
                .collect();
        }
        _ => return Vec::new(),
    };
    let [GenericArg::Type(element), GenericArg::Value(length)] = args.args(db) else { return Vec::new() };
    let length = length_of(*length);
    let shown = |count: usize| match count {
        1 => display::display(db, *element),
        _ => {
            let args = [GenericArg::Type(*element), GenericArg::Value(Const::Value(count as i64))];
            display::display(
                db,
                Ty::Builtin(BuiltinType::Vector, GenericArgs::new(db, Box::<[GenericArg]>::from(args))),
            )
        }
    };
    let letters = ["xyzw", "rgba"];
    let single = letters.into_iter().flat_map(|letters| letters.chars().take(length).map(String::from));
    let single = single.map(|name| part(name, shown(1)));
    // Of several together, the first ones are asked for most.
    let several = letters.into_iter().flat_map(|letters| (2..=length).map(|count| letters[..count].to_owned()));
    let several = several.map(|name| CompletionItem { group: OWN, ..part(name.clone(), shown(name.len())) });
    single.chain(several).collect()
}

/// How many parts of a vector, or rows or columns of a matrix, have names: all that there may be where the number is open.
fn length_of(count: Const) -> usize {
    match count {
        Const::Value(count) => usize::try_from(count).unwrap_or(0).min(4),
        _ => 4,
    }
}

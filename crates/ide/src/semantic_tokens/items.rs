//! What each name of an item means.

use base_db::Db;
use hir_def::{
    attribute::{self, Attribute},
    body::{Expr, ExprId, ExprStore, Local, LocalKind, Stmt},
    expansion,
    item::{self, ItemId, ItemKind},
    name::Name,
    position::Location,
    source_map::{self, NodeMap},
    type_ref::{Path, TypeRef},
};
use hir_ty::{
    differential,
    env::Env,
    infer::{
        self,
        result::{Callable, InferenceResult, Resolution},
    },
    lower_ty::TypeLowering,
    ty::Ty,
};
use syntax::{TextRange, TextSize};

use super::{Modifiers, TokenKind, TokenModifier, paths};
use crate::{
    mentions,
    semantics::{self, in_prelude},
    symbols::{SymbolKind, symbol_kind},
};

/// Where, what kind, which modifiers.
pub(super) type ItemToken = (Location, TokenKind, Modifiers);

/// The tokens of one item, each relative to its segment.
pub(super) fn item_tokens(db: &dyn Db, item: ItemId) -> Vec<ItemToken> {
    let mut tokens: Vec<ItemToken> = Vec::new();
    let data = item::item_data(db, item);
    let Some(source) = source_map::item_source(db, item) else { return tokens };
    match (source.name, &data.kind) {
        (Some(name), ItemKind::Using { path }) => paths::add_parts(db, item, path, name, &mut tokens),
        // Each word of `a.b`; a path in quotes is a text.
        (
            Some(name),
            ItemKind::Module { .. }
            | ItemKind::Import { .. }
            | ItemKind::Include { .. }
            | ItemKind::Implementing { .. }
            | ItemKind::Namespace,
        ) => paths::add_words(db, name, &mut tokens),
        (Some(name), _) => {
            let declared = declared_as(data.modifiers).and(Some(TokenModifier::Declaration));
            tokens.extend(token_kind(db, item).map(|kind| (name, kind, declared)));
        }
        (None, _) => {}
    }
    for (index, &name) in source.generic_params.iter().enumerate() {
        let (kind, modifiers) = paths::of_generic_param(db, item, index as u32);
        tokens.push((name, kind, modifiers.and(Some(TokenModifier::Declaration))));
    }
    for (id, attribute) in data.attributes() {
        let whole = source.attribute(id);
        tokens.push((name_of_attribute(whole, attribute), TokenKind::Attribute, Modifiers::default()));
    }
    // Inference sees the types of a signature's expressions only; what it does not see is lowered here.
    let signature = infer::infer_signature(db, item);
    let mut lowering = TypeLowering::new(db, item, &data.store);
    for (id, type_ref) in data.store.type_refs.iter() {
        let ty = signature.type_refs.get(id).copied().unwrap_or_else(|| lowering.lower(id));
        paths::add_type(db, item, type_ref, source.type_ref(id), ty, &mut tokens);
    }
    let names = Names { db, item, store: &data.store, nodes: source.nodes(), inferred: signature };
    names.add_tokens(&mut tokens);

    let map = source_map::body_source_map(db, item);
    let body = hir_def::body::queries::body(db, item);
    let inferred = infer::infer(db, item);
    let env = Env::of(db, item);
    let owner = semantics::owner_of_parameters(db, item);
    let (parameters, types) = (&hir_def::body::queries::body(db, owner).params, infer::infer(db, owner));
    for (name, &local) in source.params.iter().zip(parameters) {
        let modifiers = TokenModifier::Declaration.and(carries(db, env, types.local_types.get(local).copied()));
        tokens.extend(name.map(|name| (name, TokenKind::Parameter, modifiers)));
    }
    // Parameters of lambdas are among the locals, those of the item itself have their places in its head.
    for (local, data) in body.store.locals.iter().filter(|(local, _)| !body.params.contains(local)) {
        let kind = match data.kind {
            LocalKind::Param { .. } => TokenKind::Parameter,
            LocalKind::Variable | LocalKind::Let | LocalKind::Static => TokenKind::Variable,
        };
        let carries = carries(db, env, inferred.local_types.get(local).copied());
        let modifiers = of_local(data).and(Some(TokenModifier::Declaration)).and(carries);
        tokens.push((map.local(local), kind, modifiers));
    }
    for (stmt, _) in
        body.store.stmts.iter().filter(|(_, stmt)| matches!(stmt, Stmt::Labeled { .. } | Stmt::Break(Some(_))))
    {
        let is_declared = matches!(body.store.stmts[stmt], Stmt::Labeled { .. });
        let modifiers = Modifiers::default().and(is_declared.then_some(TokenModifier::Declaration));
        tokens.extend(semantics::place_of_label(db, item, stmt).map(|place| (place, TokenKind::Label, modifiers)));
    }
    for (id, attribute) in body.store.attributes.iter() {
        let whole = map.attribute(id);
        tokens.push((name_of_attribute(whole, attribute), TokenKind::Attribute, Modifiers::default()));
    }
    let mut lowering = TypeLowering::new(db, item, &body.store);
    for (id, type_ref) in body.store.type_refs.iter() {
        let location = map.type_ref(id);
        match constant_local(&body.store, type_ref) {
            Some(local) => tokens.push((location, TokenKind::Variable, of_local(local))),
            None => {
                let ty = inferred.type_refs.get(id).copied().unwrap_or_else(|| lowering.lower(id));
                paths::add_type(db, item, type_ref, location, ty, &mut tokens);
            }
        }
    }
    let names = Names { db, item, store: &body.store, nodes: map.nodes(), inferred };
    names.add_tokens(&mut tokens);
    tokens
}

/// The constant of a body that an argument of a type or a function names: `f<n>()`.
fn constant_local<'a>(store: &'a ExprStore, type_ref: &TypeRef) -> Option<&'a Local> {
    let TypeRef::Path(path) = type_ref else { return None };
    let [only] = path.segments.as_slice() else { return None };
    store.locals.iter().map(|(_, local)| local).find(|local| local.name == only.name && only.args.is_none())
}

/// The name alone: arguments are expressions with tokens of their own.
fn name_of_attribute(whole: Location, attribute: &Attribute) -> Location {
    let end = whole.range.start() + TextSize::of(attribute.name.as_str());
    Location { range: TextRange::new(whole.range.start(), end), ..whole }
}

/// The names among the expressions of a signature or body.
struct Names<'a> {
    db: &'a dyn Db,
    item: ItemId,
    store: &'a ExprStore,
    nodes: &'a NodeMap,
    inferred: &'a InferenceResult,
}

impl Names<'_> {
    fn add_tokens(&self, tokens: &mut Vec<ItemToken>) {
        let env = Env::of(self.db, self.item);
        for (id, expr) in self.store.exprs.iter() {
            let name = match expr {
                Expr::Path(path) if path.segments.len() > 1 => {
                    self.add_path(id, path, tokens);
                    continue;
                }
                Expr::Path(path) => match path.segments.first() {
                    Some(segment) => &segment.name,
                    None => continue,
                },
                Expr::Member { name, .. } => name,
                _ => continue,
            };
            // What a macro spells has another length.
            let location = self.nodes.expr_name(id);
            if name.as_str().is_empty() || location.range.len() != TextSize::of(name.as_str()) {
                continue;
            }
            let resolution = resolution_of_name(self.store, self.inferred, id);
            let found = match resolution {
                Some(resolution) => of_resolution(self.db, self.item, resolution),
                // Sizes of arrays are worked out apart.
                None => self.of_unresolved(id, name),
            };
            if let Some((kind, modifiers)) = found {
                let carries = carries(self.db, env, self.inferred.expr_types.get(id).copied());
                tokens.push((location, kind, modifiers.and(carries)));
            }
        }
    }

    /// A local constant, or what the names in front of it lead to.
    fn of_unresolved(&self, id: ExprId, name: &Name) -> Option<(TokenKind, Modifiers)> {
        let is_alone = matches!(self.store.exprs[id], Expr::Path(_));
        let local = self.store.locals.iter().map(|(_, local)| local).find(|local| is_alone && local.name == *name);
        if let Some(local) = local {
            return Some((TokenKind::Variable, of_local(local)));
        }
        let path = self.store.as_path(id)?;
        let names: Vec<&Name> = path.segments.iter().map(|segment| &segment.name).collect();
        paths::of_chain(self.db, self.item, &names)
    }

    /// The names of a path like `Outer::Inner::member`, each for itself.
    fn add_path(&self, id: ExprId, path: &Path, tokens: &mut Vec<ItemToken>) {
        let whole = self.nodes.expr(id);
        let spelled = expansion::spelled_text(self.db, whole.segment, whole.part);
        let Some(text) = spelled.get(std::ops::Range::<usize>::from(whole.range)) else { return };
        let names: Vec<&Name> = path.segments.iter().map(|segment| &segment.name).collect();
        let mut from = 0;
        for (index, name) in names.iter().enumerate() {
            let Some(offset) = mentions::words(&text[from..], name.as_str()).next() else { return };
            let start = whole.range.start() + TextSize::new((from + offset) as u32);
            from += offset + name.as_str().len();
            let is_last = index + 1 == names.len();
            let resolution = if is_last { resolution_of_name(self.store, self.inferred, id) } else { None };
            let found = match resolution {
                Some(resolution) => of_resolution(self.db, self.item, resolution),
                None => paths::of_chain(self.db, self.item, &names[..=index]),
            };
            if let Some((kind, modifiers)) = found {
                let range = TextRange::at(start, TextSize::of(name.as_str()));
                tokens.push((Location { range, ..whole }, kind, modifiers));
            }
        }
    }
}

fn resolution_of_name<'a>(
    store: &hir_def::body::ExprStore,
    inferred: &'a InferenceResult,
    id: hir_def::body::ExprId,
) -> Option<&'a Resolution> {
    inferred.resolutions.get(&id).or_else(|| inferred.resolutions.get(&crate::semantics::call_of(store, id)?))
}

/// `differentiable`, if values of the type can carry a derivative.
fn carries(db: &dyn Db, env: Env, ty: Option<Ty>) -> Option<TokenModifier> {
    let ty = ty.filter(|ty| !matches!(ty, Ty::Error | Ty::Void | Ty::Function(_)))?;
    differential::differential_of(db, env, ty).map(|_| TokenModifier::Differentiable)
}

fn of_resolution(db: &dyn Db, context: ItemId, resolution: &Resolution) -> Option<(TokenKind, Modifiers)> {
    let plain = |kind| Some((kind, Modifiers::default()));
    match resolution {
        Resolution::Local(local) => {
            let body = hir_def::body::queries::body(db, context);
            let local = &body.store.locals[*local];
            match local.kind {
                LocalKind::Param { .. } => plain(TokenKind::Parameter),
                LocalKind::Variable | LocalKind::Let | LocalKind::Static => {
                    Some((TokenKind::Variable, of_local(local)))
                }
            }
        }
        Resolution::Global { item, .. } | Resolution::Field { item, .. } | Resolution::EnumCase(item) => {
            Some((token_kind(db, *item)?, library(db, *item)))
        }
        Resolution::Property { .. }
        | Resolution::PairPrimal { .. }
        | Resolution::PairDifferential { .. }
        | Resolution::Swizzle { .. }
        | Resolution::MatrixSwizzle { .. }
        | Resolution::OptionalValue { .. }
        | Resolution::OptionalHasValue { .. }
        | Resolution::TupleSwizzle { .. }
        | Resolution::TupleElement { .. } => plain(TokenKind::Property),
        Resolution::Type(ty) | Resolution::Conversion { to: ty, .. } => match ty {
            Ty::Adt(item, _) => Some((token_kind(db, *item)?, library(db, *item))),
            Ty::Param(_) => plain(TokenKind::TypeParameter),
            _ => plain(TokenKind::Type),
        },
        Resolution::Namespace(_) => plain(TokenKind::Namespace),
        Resolution::Constant(_) => Some((TokenKind::Variable, TokenModifier::Readonly.alone())),
        Resolution::Function(Some(callable)) => of_callable(db, callable),
        Resolution::Call(call) => of_callable(db, &call.callee),
        Resolution::Function(None)
        | Resolution::This
        | Resolution::Element { .. }
        | Resolution::BuiltinOperator { .. } => None,
    }
}

fn of_callable(db: &dyn Db, callable: &Callable) -> Option<(TokenKind, Modifiers)> {
    match callable {
        Callable::Function(function) => match symbol_kind(db, function.item)? {
            // The name of a constructor call is that of the type.
            SymbolKind::Constructor => Some((TokenKind::Struct, library(db, function.item))),
            _ => Some((token_kind(db, function.item)?, library(db, function.item))),
        },
        Callable::Make(_) => Some((TokenKind::Type, Modifiers::default())),
        Callable::Synthesized { .. } => Some((TokenKind::Method, TokenModifier::DefaultLibrary.alone())),
        Callable::Derivative { .. } | Callable::Value(_) => None,
    }
}

/// What the declaration of a local variable says of its name, wherever it stands.
fn of_local(local: &Local) -> Modifiers {
    let is_kept = local.kind == LocalKind::Let || local.modifiers.contains(attribute::Modifiers::CONST);
    let is_static = local.kind == LocalKind::Static;
    Modifiers::default().and(is_kept.then_some(TokenModifier::Readonly)).and(is_static.then_some(TokenModifier::Static))
}

/// What a use of an item says of it.
pub(super) fn library(db: &dyn Db, item: ItemId) -> Modifiers {
    let is_library = in_prelude(db, item).then_some(TokenModifier::DefaultLibrary);
    declared_as(item::item_data(db, item).modifiers).and(is_library)
}

/// What the modifiers of a declaration say of its name, wherever it stands.
fn declared_as(modifiers: attribute::Modifiers) -> Modifiers {
    let is = |modifier, token: TokenModifier| modifiers.contains(modifier).then_some(token);
    Modifiers::default()
        .and(is(attribute::Modifiers::CONST, TokenModifier::Readonly))
        .and(is(attribute::Modifiers::STATIC, TokenModifier::Static))
}

pub(super) fn token_kind(db: &dyn Db, item: ItemId) -> Option<TokenKind> {
    Some(match symbol_kind(db, item)? {
        SymbolKind::Function => TokenKind::Function,
        SymbolKind::Method => TokenKind::Method,
        SymbolKind::Struct if matches!(item::item_data(db, item).kind, ItemKind::Extension { .. }) => return None,
        SymbolKind::Struct => TokenKind::Struct,
        SymbolKind::Interface => TokenKind::Interface,
        SymbolKind::Enum => TokenKind::Enum,
        SymbolKind::EnumCase => TokenKind::EnumMember,
        SymbolKind::Variable | SymbolKind::Constant => TokenKind::Variable,
        SymbolKind::Field | SymbolKind::Property => TokenKind::Property,
        SymbolKind::Namespace | SymbolKind::Module => TokenKind::Namespace,
        SymbolKind::TypeAlias | SymbolKind::TypeParameter => TokenKind::Type,
        // Keywords and punctuation, which the grammar colours.
        SymbolKind::Constructor | SymbolKind::Operator => return None,
    })
}

//! Semantic tokens: what each name means, over what the editor's grammar can guess.

use std::ops::Range;

use base_db::{Db, SegmentKind, SourceFile};
use hir_def::{
    body::{Expr, LocalKind},
    expansion,
    item::{self, ItemId, ItemKind},
    position::{self, Location},
    source_map,
    type_ref::TypeRef,
};
use hir_ty::{
    differential,
    env::Env,
    infer::{
        self,
        result::{Callable, InferenceResult, Resolution},
    },
    ty::Ty,
};
use syntax::{TextRange, TextSize};

use crate::{
    semantics::in_prelude,
    symbols::{SymbolKind, symbol_kind},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub range: TextRange,
    pub kind: TokenKind,
    pub modifiers: Vec<TokenModifier>,
}

macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident => $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)*
        }

        impl $name {
            /// In the order of [`Self::index`].
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The name that LSP knows it by, or one of our own.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }

            pub fn index(self) -> u32 {
                self as u32
            }
        }
    };
}

named! {
    TokenKind {
        Namespace => "namespace",
        Type => "type",
        Struct => "struct",
        Interface => "interface",
        Enum => "enum",
        EnumMember => "enumMember",
        TypeParameter => "typeParameter",
        Function => "function",
        Method => "method",
        Property => "property",
        Parameter => "parameter",
        Variable => "variable",
        Attribute => "decorator",
        Keyword => "keyword",
        /// Code that a condition of the preprocessor excludes: editors dim it like a comment.
        Comment => "comment",
    }
}

named! {
    TokenModifier {
        Declaration => "declaration",
        Readonly => "readonly",
        Static => "static",
        DefaultLibrary => "defaultLibrary",
        /// Its type can carry a derivative.
        Differentiable => "differentiable",
    }
}

/// The tokens of a file (or those that touch a byte range) in order, without overlaps.
pub fn semantic_tokens(db: &dyn Db, file: SourceFile, range: Option<Range<usize>>) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut waiting: Vec<ItemId> = item::file_items(db, file).to_vec();
    while let Some(item) = waiting.pop() {
        waiting.extend(item::members(db, item));
        // What an `#include` brings in is written in another file.
        if item.segment(db).kind(db) == SegmentKind::Directive {
            continue;
        }
        for (location, kind, modifiers) in item_tokens(db, item) {
            let (_, at) = position::absolute(db, *location);
            let touches = range
                .as_ref()
                .is_none_or(|range| usize::from(at.start()) <= range.end && range.start <= usize::from(at.end()));
            if touches && !at.is_empty() {
                tokens.push(Token { range: at, kind: *kind, modifiers: modifiers.clone() });
            }
        }
    }
    inactive_lines(db, file, range.as_ref(), &mut tokens);
    tokens.sort_by_key(|token| (token.range.start(), token.range.end()));
    // Generated code (the synthesised names of an expansion) may stand at one place: the first wins.
    let mut end = TextSize::new(0);
    tokens.retain(|token| {
        let keep = token.range.start() >= end;
        if keep {
            end = token.range.end();
        }
        keep
    });
    tokens
}

/// The code that conditions exclude, line by line, because clients take tokens of one line only.
fn inactive_lines(db: &dyn Db, file: SourceFile, range: Option<&Range<usize>>, tokens: &mut Vec<Token>) {
    let Some(text) = db.text(file) else { return };
    for location in expansion::inactive(db, file) {
        let (_, at) = position::absolute(db, location);
        let (start, end) = (usize::from(at.start()), usize::from(at.end()));
        if range.is_some_and(|range| range.end < start || end < range.start) {
            continue;
        }
        let mut line_start = start;
        for line in text.slice(start..end).split_inclusive('\n') {
            let content = line.trim();
            if !content.is_empty() {
                let indent = line.len() - line.trim_start().len();
                let range =
                    TextRange::at(TextSize::new((line_start + indent) as u32), TextSize::new(content.len() as u32));
                tokens.push(Token { range, kind: TokenKind::Comment, modifiers: Vec::new() });
            }
            line_start += line.len();
        }
    }
}

type ItemToken = (Location, TokenKind, Vec<TokenModifier>);

/// The tokens of one item, relative to its segment, so that an edit elsewhere leaves them.
#[salsa::tracked(returns(deref))]
fn item_tokens(db: &dyn Db, item: ItemId) -> Vec<ItemToken> {
    let mut tokens = Vec::new();
    let data = item::item_data(db, item);
    let Some(source) = source_map::item_source(db, item) else { return tokens };
    if let (Some(name), Some(kind)) = (source.name, token_kind(db, item)) {
        tokens.push((name, kind, vec![TokenModifier::Declaration]));
    }
    for &name in &source.generic_params {
        tokens.push((name, TokenKind::TypeParameter, vec![TokenModifier::Declaration]));
    }
    for (id, attribute) in data.attributes() {
        // The name alone: arguments are expressions with tokens of their own.
        let whole = source.attribute(id);
        let end = whole.range.start() + TextSize::of(attribute.name.as_str());
        let name = Location { range: TextRange::new(whole.range.start(), end), ..whole };
        tokens.push((name, TokenKind::Attribute, Vec::new()));
    }
    let signature = infer::infer_signature(db, item);
    for (id, type_ref) in data.store.type_refs.iter() {
        if let (TypeRef::Path(path), Some(&ty)) = (type_ref, signature.type_refs.get(id)) {
            let last = path.segments.last().map_or("", |segment| segment.name.as_str());
            tokens.extend(type_token(source.type_ref(id), last, path.segments.len(), ty, db));
        }
    }

    let map = source_map::body_source_map(db, item);
    let body = hir_def::body::lower::body(db, item);
    let inferred = infer::infer(db, item);
    let env = Env::of(db, item);
    for (index, name) in source.params.iter().enumerate() {
        if let (Some(name), Some(&local)) = (name, body.params.get(index)) {
            let mut modifiers = vec![TokenModifier::Declaration];
            modifiers.extend(carries(db, env, inferred.local_types.get(local).copied()));
            tokens.push((*name, TokenKind::Parameter, modifiers));
        }
    }
    for (local, data) in body.store.locals.iter() {
        if !matches!(data.kind, LocalKind::Param { .. }) {
            let mut modifiers = vec![TokenModifier::Declaration];
            modifiers.extend(carries(db, env, inferred.local_types.get(local).copied()));
            tokens.push((map.local(local), TokenKind::Variable, modifiers));
        }
    }
    for (id, type_ref) in body.store.type_refs.iter() {
        if let (TypeRef::Path(path), Some(&ty)) = (type_ref, inferred.type_refs.get(id)) {
            let last = path.segments.last().map_or("", |segment| segment.name.as_str());
            tokens.extend(type_token(map.type_ref(id), last, path.segments.len(), ty, db));
        }
    }
    for (id, expr) in body.store.exprs.iter() {
        let (name_length, at_end) = match expr {
            Expr::Path(path) if path.segments.len() == 1 && path.segments[0].args.is_none() => {
                (path.segments[0].name.as_str().len(), false)
            }
            Expr::Member { name, generic_args: None, .. } => (name.as_str().len(), true),
            _ => continue,
        };
        let whole = map.expr(id);
        let length = TextSize::new(name_length as u32);
        if whole.range.len() < length {
            continue;
        }
        let range = if at_end {
            TextRange::new(whole.range.end() - length, whole.range.end())
        } else {
            TextRange::at(whole.range.start(), length)
        };
        let resolution = resolution_of_name(&body.store, inferred, id);
        if let Some((kind, mut modifiers)) = resolution.and_then(|resolution| of_resolution(db, item, resolution)) {
            modifiers.extend(carries(db, env, inferred.expr_types.get(id).copied()));
            tokens.push((Location { range, ..whole }, kind, modifiers));
        }
    }
    tokens
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

fn type_token(location: Location, last: &str, segments: usize, ty: Ty, db: &dyn Db) -> Option<ItemToken> {
    // Of a qualified name only the whole is known; plain names are by far the most.
    if segments != 1 {
        return None;
    }
    let kind = match ty {
        Ty::Error | Ty::Void => return None,
        Ty::Adt(item, _) => token_kind(db, item).unwrap_or(TokenKind::Type),
        Ty::Param(_) | Ty::This(_) | Ty::Associated(_) => TokenKind::TypeParameter,
        Ty::Scalar(_) | Ty::Builtin(..) | Ty::Function(_) | Ty::Expand(_) | Ty::PackQuery(_) | Ty::String => {
            TokenKind::Type
        }
        _ => return None,
    };
    let range = TextRange::at(location.range.start(), TextSize::new(last.len() as u32));
    location.range.contains_range(range).then(|| (Location { range, ..location }, kind, Vec::new()))
}

fn of_resolution(db: &dyn Db, context: ItemId, resolution: &Resolution) -> Option<(TokenKind, Vec<TokenModifier>)> {
    let plain = |kind| Some((kind, Vec::new()));
    match resolution {
        Resolution::Local(local) => {
            let body = hir_def::body::lower::body(db, context);
            match body.store.locals[*local].kind {
                LocalKind::Param { .. } => plain(TokenKind::Parameter),
                LocalKind::Variable => plain(TokenKind::Variable),
                LocalKind::Let => Some((TokenKind::Variable, vec![TokenModifier::Readonly])),
                LocalKind::Static => Some((TokenKind::Variable, vec![TokenModifier::Static])),
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
        Resolution::Constant(_) => Some((TokenKind::Variable, vec![TokenModifier::Readonly])),
        Resolution::Function(Some(callable)) => of_callable(db, callable),
        Resolution::Call(call) => of_callable(db, &call.callee),
        Resolution::Function(None)
        | Resolution::This
        | Resolution::Element { .. }
        | Resolution::BuiltinOperator { .. } => None,
    }
}

fn of_callable(db: &dyn Db, callable: &Callable) -> Option<(TokenKind, Vec<TokenModifier>)> {
    match callable {
        Callable::Function(function) => match symbol_kind(db, function.item)? {
            // The name of a constructor call is that of the type.
            SymbolKind::Constructor => Some((TokenKind::Struct, library(db, function.item))),
            _ => Some((token_kind(db, function.item)?, library(db, function.item))),
        },
        Callable::Make(_) => Some((TokenKind::Type, Vec::new())),
        Callable::Synthesized { .. } => Some((TokenKind::Method, vec![TokenModifier::DefaultLibrary])),
        Callable::Derivative { .. } | Callable::Value(_) => None,
    }
}

fn library(db: &dyn Db, item: ItemId) -> Vec<TokenModifier> {
    if in_prelude(db, item) { vec![TokenModifier::DefaultLibrary] } else { Vec::new() }
}

fn token_kind(db: &dyn Db, item: ItemId) -> Option<TokenKind> {
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

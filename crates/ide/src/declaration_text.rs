//! A declaration as one line of Slang, for hover and signature help.

use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    body::BodyRoot,
    item::{self, Item, ItemId, ItemKind, Param},
    position, source_map,
};
use hir_ty::{
    consts, display,
    lower_ty::TypeLowering,
    signature::{self, variable_type},
    ty::{Const, Scalar, Ty},
};

/// Defaults and initial values longer than this are cut.
const MOST_VALUE_LENGTH: usize = 60;

pub(crate) fn declaration_text(db: &dyn Db, item: ItemId) -> String {
    declaration_text_as(db, item, None)
}

/// The same, with the type that a variable has where it is used: that of a field of `Box<float>` is `float` and not `T`.
pub(crate) fn declaration_text_as(db: &dyn Db, item: ItemId, used_as: Option<Ty>) -> String {
    let data = item::item_data(db, item);
    let name = display::item_name(db, item);
    match &data.kind {
        ItemKind::Function(function) => with_defaults(db, item, &function.params),
        ItemKind::Constructor { params, .. } | ItemKind::Subscript { params, .. } => with_defaults(db, item, params),
        ItemKind::Variable { .. } => variable_text(db, item, data, &name, used_as),
        ItemKind::Property { .. } => {
            let ty = used_as.filter(|ty| !matches!(ty, Ty::Error | Ty::Void));
            format!("property {} {name}", display::display(db, ty.unwrap_or_else(|| variable_type(db, item))))
        }
        ItemKind::Struct { .. } => format!("struct {}", used_name(db, item, name, used_as)),
        ItemKind::Interface { .. } => format!("interface {}", used_name(db, item, name, used_as)),
        ItemKind::Enum { .. } => format!("enum {name}"),
        ItemKind::EnumCase { .. } => {
            let owner = item::container(db, item).map(|owner| display::item_name(db, owner)).unwrap_or_default();
            match consts::constant_value(db, item) {
                Some(Const::Value(value)) => format!("{owner}.{name} = {value}"),
                _ => format!("{owner}.{name}"),
            }
        }
        ItemKind::TypeAlias { ty } => match TypeLowering::new(db, item, &data.store).lower(*ty) {
            Ty::Error => format!("typealias {name}"),
            ty => format!("typealias {name} = {}", display::display(db, ty)),
        },
        ItemKind::AssociatedType { .. } => format!("associatedtype {name}"),
        ItemKind::Namespace => format!("namespace {name}"),
        ItemKind::ConstantBuffer { .. } => format!("cbuffer {name}"),
        ItemKind::Module { .. } => format!("module {name}"),
        ItemKind::GlobalTypeParam => format!("type_param {name}"),
        ItemKind::GlobalValueParam => format!("__generic_value_param {name}"),
        ItemKind::Accessor { .. }
        | ItemKind::Constraint
        | ItemKind::Extension { .. }
        | ItemKind::Import { .. }
        | ItemKind::Include { .. }
        | ItemKind::Implementing { .. }
        | ItemKind::Using { .. }
        | ItemKind::Empty
        | ItemKind::Unsupported(_) => name,
    }
}

/// The name of a type with the arguments that it is used with.
fn used_name(db: &dyn Db, item: ItemId, name: String, used_as: Option<Ty>) -> String {
    match used_as {
        Some(ty @ Ty::Adt(used, _)) if used == item => display::display(db, ty),
        _ => name,
    }
}

fn variable_text(db: &dyn Db, item: ItemId, data: &Item, name: &str, used_as: Option<Ty>) -> String {
    let ty = used_as.filter(|ty| !matches!(ty, Ty::Error | Ty::Void)).unwrap_or_else(|| variable_type(db, item));
    let words = [
        (Modifiers::GROUPSHARED, "groupshared "),
        (Modifiers::UNIFORM, "uniform "),
        (Modifiers::STATIC, "static "),
        (Modifiers::CONST, "const "),
        (Modifiers::NO_DIFF, "no_diff "),
    ];
    let mut text: String =
        words.iter().filter(|(modifier, _)| data.modifiers.contains(*modifier)).map(|(_, word)| *word).collect();
    text.push_str(&format!("{} {name}", display::display(db, ty)));
    if !data.modifiers.contains(Modifiers::CONST) {
        return text;
    }
    if let Some(Const::Value(value)) = consts::constant_value(db, item) {
        text.push_str(&format!(" = {}", constant_of_type(value, ty)));
    } else if data.modifiers.contains(Modifiers::STATIC) {
        text.push_str(&value_text(db, item).unwrap_or_default());
    }
    text
}

/// The value of a constant as it is written, if that is not long.
fn value_text(db: &dyn Db, item: ItemId) -> Option<String> {
    let BodyRoot::Expr(root) = hir_def::body::queries::body(db, item).root else { return None };
    let (file, range) = position::absolute(db, source_map::body_source_map(db, item).expr(root));
    let written = db.text(file)?.slice(range.into());
    let is_short = written.chars().count() <= MOST_VALUE_LENGTH && !written.contains('\n');
    (is_short && !written.is_empty()).then(|| format!(" = {written}"))
}

/// A constant as it is written where its type is wanted.
pub(crate) fn constant_of_type(value: i64, ty: Ty) -> String {
    match ty {
        Ty::Scalar(Scalar::Bool) => (value != 0).to_string(),
        _ => value.to_string(),
    }
}

/// The default argument of a parameter as it is written, if that is not long.
pub(crate) fn default_text(db: &dyn Db, item: ItemId, param: &Param) -> Option<String> {
    let source = source_map::item_source(db, item).as_ref()?;
    let (file, range) = position::absolute(db, source.expr(param.default?));
    let written = db.text(file)?.slice(range.into());
    Some(match written.chars().count() {
        0..=MOST_VALUE_LENGTH => format!(" = {written}"),
        _ => " = …".to_owned(),
    })
}

/// The signature with the default arguments as they are written.
fn with_defaults(db: &dyn Db, item: ItemId, params: &[Param]) -> String {
    let mut text = display::display_signature(db, item);
    let signature = signature::signature(db, item);
    let mut from = text.find('(').unwrap_or(0);
    for (param, shown) in params.iter().zip(&signature.params) {
        let shown = format!("{} {}", display::display(db, shown.ty), shown.name);
        let Some(at) = text.get(from..).and_then(|rest| rest.find(&shown)) else { break };
        from += at + shown.len();
        let Some(default) = default_text(db, item, param) else { continue };
        text.insert_str(from, &default);
        from += default.len();
    }
    text
}

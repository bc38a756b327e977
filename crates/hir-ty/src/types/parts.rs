//! What parts of a value are, by its type alone: elements, fields and components. No expression is needed for it, so that
//! it also serves where the parser read a value as a type: `sizeof(v.xy)`, `sizeof(a[0])`.

use base_db::Db;
use hir_def::{item::item_data, name::Name};

use crate::generics::env::Env;
use crate::types::{
    aggregate,
    shapes::{Shape, shape},
    ty::{BuiltinClass, BuiltinType, Const, ResourceClass, TextureKind, Ty},
};

/// What a name or index behind a value reaches into.
fn content(db: &dyn Db, mut value: Ty, goes_on: impl Fn(Ty) -> bool) -> Ty {
    while let Some(inner) = value.dereferenced(db).filter(|_| goes_on(value)) {
        value = inner;
    }
    value
}

/// The type of `value[index]`, and that of the index.
pub(crate) fn indexed(db: &dyn Db, value: Ty) -> Option<(Ty, Ty)> {
    // A pointer has elements itself.
    element(db, content(db, value, |ty| !matches!(ty, Ty::Builtin(BuiltinType::Ptr, _))))
}

/// The type of `value.name`.
pub(crate) fn member(db: &dyn Db, env: Env, value: Ty, name: &Name) -> Option<Ty> {
    let holder = content(db, value, |_| true);
    let fields = aggregate::fields(db, env, holder);
    let field = fields.iter().find(|(item, _)| item_data(db, *item).name.as_ref() == Some(name));
    field.map(|(_, ty)| *ty).or_else(|| components(db, holder, name))
}

/// The type of some components of a scalar, vector or matrix.
fn components(db: &dyn Db, value: Ty, name: &Name) -> Option<Ty> {
    let within = |component: i64, len: Const| component < len.value().unwrap_or(4);
    let (count, element) = match shape(db, value) {
        (Shape::Vector(len), element) => {
            let components = swizzle_components(name.as_str())?;
            (components.iter().all(|component| within((*component).into(), len)).then_some(components.len())?, element)
        }
        (Shape::Scalar, Ty::Scalar(_)) => {
            let components = swizzle_components(name.as_str())?;
            (components.iter().all(|component| *component == 0).then_some(components.len())?, value)
        }
        (Shape::Matrix(rows, columns), element) => {
            let components = matrix_swizzle(name.as_str())?;
            let is_in = |(row, column): &(u8, u8)| within((*row).into(), rows) && within((*column).into(), columns);
            (components.iter().all(is_in).then_some(components.len())?, element)
        }
        _ => return None,
    };
    Some(if count == 1 { element } else { Ty::vector(db, element, Const::Value(count as i64)) })
}

/// The element type of a type that the compiler can index, and the type of the index.
pub(crate) fn element(db: &dyn Db, ty: Ty) -> Option<(Ty, Ty)> {
    if let Some((element, _)) = ty.as_vector(db).or_else(|| ty.as_array(db)) {
        return Some((element, Ty::INT));
    }
    if let Some((element, _, columns)) = ty.as_matrix(db) {
        return Some((Ty::vector(db, element, columns), Ty::INT));
    }
    if let Ty::Builtin(BuiltinType::Texture(texture), _) = ty {
        let dimensions = match texture.kind {
            TextureKind::D1 => 1,
            TextureKind::D2 | TextureKind::Cube => 2,
            TextureKind::D3 => 3,
        } + i64::from(texture.array);
        let index = match dimensions {
            1 => Ty::UINT,
            dimensions => Ty::vector(db, Ty::UINT, Const::Value(dimensions)),
        };
        return Some((ty.first_type_arg(db)?, index));
    }
    if ty == Ty::String {
        return None;
    }
    let Ty::Builtin(kind, _) = ty else { return None };
    let has_elements = match kind.class() {
        BuiltinClass::Pointer | BuiltinClass::Resource(ResourceClass::TexelBuffer) => true,
        BuiltinClass::Resource(ResourceClass::StructuredBuffer) => {
            !matches!(kind, BuiltinType::AppendStructuredBuffer | BuiltinType::ConsumeStructuredBuffer)
        }
        _ => false,
    };
    if has_elements { Some((ty.first_type_arg(db)?, Ty::UINT)) } else { None }
}

/// `xyzw`, `rgba`: one to four letters, which may be mixed.
pub(crate) fn swizzle_components(name: &str) -> Option<Vec<u8>> {
    if name.is_empty() || name.len() > 4 {
        return None;
    }
    let index = |letter: char| ["xyzw", "rgba"].iter().find_map(|family| family.find(letter)).map(|index| index as u8);
    name.chars().map(index).collect()
}

/// `_m00_m11` counts from zero, `_11_22` from one.
pub(crate) fn matrix_swizzle(name: &str) -> Option<Vec<(u8, u8)>> {
    let mut rest = name;
    let mut components = Vec::new();
    while !rest.is_empty() {
        let (digits, first) = match rest.strip_prefix("_m") {
            Some(digits) => (digits, 0),
            None => (rest.strip_prefix('_')?, 1),
        };
        let [row, column, ..] = digits.as_bytes() else { return None };
        let digit = |byte: u8| byte.checked_sub(b'0' + first).filter(|value| *value < 4);
        components.push((digit(*row)?, digit(*column)?));
        rest = &digits[2..];
    }
    (!components.is_empty() && components.len() <= 4).then_some(components)
}

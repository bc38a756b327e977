//! How a struct and its fields lie in memory, by the rules of each kind of buffer: for hover.

use base_db::Db;
use codegen::memory::Rules;
use hir_def::item::{self, ItemId, ItemKind};
use hir_ty::{
    bit_field::{self, Stored},
    conformance, conversion,
    env::Env,
    signature::variable_type,
    ty::{BuiltinType, Const, Ty},
};
use ir::{Field, StructDef, Type, TypeId, layout::Layout, provision::DataLayout, types::TypeTable};
use lower::lower_scalar;

/// The rules that are shown, by the names that people know them by.
const SHOWN: [(&str, Rules); 5] = [
    ("natural", Rules::Data(DataLayout::Scalar)),
    ("std430", Rules::Data(DataLayout::Std430)),
    ("std140", Rules::Data(DataLayout::Std140)),
    ("HLSL `cbuffer`", Rules::Constants),
    ("C++", Rules::Cpp),
];

/// Structs nested deeper than this are not laid out.
const MAX_DEPTH: u32 = ::diagnostics::limits::SIZES;

/// Where a field lies in a struct, as a table with a row for each of the rules; `None` for what memory cannot hold, for
/// generic types and for bit fields.
pub(crate) fn of_field(db: &dyn Db, env: Env, owner: Ty, field: ItemId) -> Option<String> {
    let types = TypeTable::default();
    let whole = lower(db, env, &types, owner, MAX_DEPTH)?;
    let Type::Struct(id) = types.get(whole) else { return None };
    let is_field = |stored: &Stored| matches!(stored, Stored::Field(item, _) if *item == field);
    let index = bit_field::stored(db, env, owner).iter().position(is_field)?;
    let ty = types.structs[id].fields.get(index)?.ty;
    table("offset", |rules| Some((Some(rules.field_offset(&types, id, index)?), rules.field(&types, ty)?)))
}

/// The same of what a `cbuffer` declares.
pub(crate) fn in_constant_buffer(db: &dyn Db, variable: ItemId) -> Option<String> {
    let block = item::container(db, variable)?;
    matches!(item::item_data(db, block).kind, ItemKind::ConstantBuffer { .. }).then_some(())?;
    let is_variable = |member: &&ItemId| matches!(item::item_data(db, **member).kind, ItemKind::Variable { .. });
    let members: Vec<ItemId> = item::members(db, block).iter().filter(is_variable).copied().collect();
    let index = members.iter().position(|member| *member == variable)?;
    let types = TypeTable::default();
    let env = Env::of(db, block);
    let fields = members.iter().map(|member| {
        let ty = lower(db, env, &types, variable_type(db, *member), MAX_DEPTH)?;
        Some(Field { name: "".into(), ty, no_diff: false, matrices: ir::types::Matrices::AsUsual, is_gap: false })
    });
    let fields: Vec<Field> = fields.collect::<Option<_>>()?;
    let ty = fields.get(index)?.ty;
    let whole = types.add_struct(StructDef { name: "".into(), fields, differential: None });
    let Type::Struct(id) = types.get(whole) else { return None };
    table("offset", |rules| Some((Some(rules.field_offset(&types, id, index)?), rules.field(&types, ty)?)))
}

/// The size and alignment of a struct, in the same form.
pub(crate) fn of_struct(db: &dyn Db, env: Env, ty: Ty) -> Option<String> {
    let types = TypeTable::default();
    let whole = lower(db, env, &types, ty, MAX_DEPTH)?;
    matches!(types.get(whole), Type::Struct(_)).then_some(())?;
    table("", |rules| Some((None, rules.layout(&types, whole)?)))
}

fn table(place: &str, of: impl Fn(Rules) -> Option<(Option<u32>, Layout)>) -> Option<String> {
    let (head, line) = if place.is_empty() { (String::new(), "") } else { (format!(" {place} |"), "--:|") };
    let mut text = format!("| layout |{head} size | alignment |\n|:--|{line}--:|--:|");
    for (name, rules) in SHOWN {
        let (offset, Layout { size, align }) = of(rules)?;
        let offset = offset.map(|offset| format!(" {offset} |")).unwrap_or_default();
        text.push_str(&format!("\n| {name} |{offset} {size} | {align} |"));
    }
    Some(text)
}

/// The type as the rules of memory know it.
fn lower(db: &dyn Db, env: Env, types: &TypeTable, ty: Ty, depth: u32) -> Option<TypeId> {
    let depth = depth.checked_sub(1)?;
    let count = |len: Const| len.value().and_then(|len| u32::try_from(len).ok());
    let small = |len: Const| len.value().and_then(|len| u8::try_from(len).ok()).filter(|len| (1..=4).contains(len));
    match ty {
        Ty::Scalar(scalar) => Some(types.scalar(lower_scalar(scalar))),
        Ty::Builtin(BuiltinType::Vector, _) => {
            let (Ty::Scalar(scalar), len) = ty.as_vector(db)? else { return None };
            Some(types.vector(lower_scalar(scalar), small(len)?))
        }
        Ty::Builtin(BuiltinType::Matrix, _) => {
            let (Ty::Scalar(scalar), rows, cols) = ty.as_matrix(db)? else { return None };
            let (rows, cols) = (small(rows)?, small(cols)?);
            Some(types.intern(Type::Matrix { scalar: lower_scalar(scalar), rows, cols }))
        }
        Ty::Builtin(BuiltinType::Array, _) => {
            let (element, len) = ty.as_array(db)?;
            Some(types.array(lower(db, env, types, element, depth)?, count(len)?))
        }
        Ty::Builtin(BuiltinType::Atomic, _) => lower(db, env, types, ty.first_type_arg(db)?, depth),
        Ty::Adt(..) if conversion::enum_integer(db, ty).is_some() => {
            lower(db, env, types, conversion::enum_integer(db, ty)?, depth)
        }
        Ty::Adt(..) if conformance::extension::is_interface(db, ty) => None,
        Ty::Adt(..) | Ty::SynthesizedDifferential(..) => {
            let fields = bit_field::stored(db, env, ty).iter().map(|stored| {
                let ty = match stored {
                    Stored::Field(_, ty) => *ty,
                    Stored::Bits(storage, _) => Ty::Scalar(*storage),
                };
                Some(Field {
                    name: "".into(),
                    ty: lower(db, env, types, ty, depth)?,
                    no_diff: false,
                    matrices: ir::types::Matrices::AsUsual,
                    is_gap: false,
                })
            });
            let fields: Vec<Field> = fields.collect::<Option<_>>()?;
            Some(types.add_struct(StructDef { name: "".into(), fields, differential: None }))
        }
        // Handles, generic types and what only the compiler lays out.
        Ty::Builtin(..)
        | Ty::Void
        | Ty::Error
        | Ty::Param(_)
        | Ty::This(_)
        | Ty::Associated(_)
        | Ty::Function(_)
        | Ty::Closure(_)
        | Ty::Expand(_)
        | Ty::PackQuery(_)
        | Ty::String
        | Ty::NullLiteral
        | Ty::NoneLiteral => None,
    }
}

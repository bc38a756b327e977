//! Which globals of a file in GLSL are variables of the program, although `static` does not say so.

use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    item::{self, ItemId, ItemKind},
    modules,
};

use super::{
    signature,
    ty::{BuiltinType, Ty},
};

/// What has a place of its own, or cannot be changed.
const OTHERS: Modifiers = Modifiers::UNIFORM
    .union(Modifiers::CONST)
    .union(Modifiers::GROUPSHARED)
    .union(Modifiers::STORAGE_BLOCK)
    .union(Modifiers::EXTERN)
    .union(Modifiers::EXPORT);

/// Whether a global may be written because its file is GLSL: variables, and inputs of the shader.
pub fn may_be_written(db: &dyn Db, item: ItemId) -> bool {
    is_global_of_glsl(db, item) && is_data(db, signature::variable_type(db, item))
}

/// Whether a global of a file in GLSL is a variable that each thread has: neither given by the host nor by an earlier stage.
pub fn is_variable(db: &dyn Db, item: ItemId) -> bool {
    let is_varying = item::item_data(db, item).modifiers.intersects(Modifiers::IN | Modifiers::OUT | Modifiers::INOUT);
    !is_varying && may_be_written(db, item)
}

fn is_global_of_glsl(db: &dyn Db, item: ItemId) -> bool {
    let data = item::item_data(db, item);
    matches!(data.kind, ItemKind::Variable { is_let: false, .. })
        && !data.modifiers.intersects(OTHERS)
        && item::container(db, item).is_none()
        && modules::has_globals_of_glsl(db, item::file_of(db, item))
}

/// Whether values of a type are memory of a thread: buffers, textures and samplers are parameters wherever they stand.
fn is_data(db: &dyn Db, ty: Ty) -> bool {
    match ty {
        Ty::Builtin(BuiltinType::Vector | BuiltinType::Matrix, _) | Ty::Scalar(_) | Ty::Adt(..) => true,
        Ty::Builtin(BuiltinType::Array, args) => args.types(db).next().is_some_and(|element| is_data(db, element)),
        _ => false,
    }
}

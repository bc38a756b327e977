//! Layouts of memory that the program asks for by name. Memory has one here, that of `ScalarDataLayout`: natural alignment
//! and no other padding.

use base_db::Db;
use hir_def::{
    item::{self, ItemId, ItemKind},
    type_ref::{GenericArgRef, TypeRef},
};
use hir_ty::{display, lower_ty::TypeLowering, ty::Ty};

use crate::error::{Lowering, Stop};

/// Refuses layouts of memory other than that which memory has here: as in `ScalarDataLayout`.
pub(crate) fn check_data_layout(db: &dyn Db, layout: Ty) -> Lowering<()> {
    let Ty::Adt(item, args) = layout else { return Ok(()) };
    match display::instance_name(db, item, args).as_str() {
        name @ ("Std140DataLayout" | "Std430DataLayout" | "CDataLayout") => {
            Err(Stop::unsupported(format!("the data layout `{name}`")))
        }
        _ => Ok(()),
    }
}

/// The layout that the type of a variable names: `StructuredBuffer<T, CDataLayout>`.
pub(crate) fn written_layout(db: &dyn Db, variable: ItemId) -> Option<Ty> {
    let data = item::item_data(db, variable);
    let ItemKind::Variable { ty, .. } = &data.kind else { return None };
    let TypeRef::Path(path) = &data.store.type_refs[*ty] else { return None };
    match path.segments.last()?.args.as_deref()? {
        [_, GenericArgRef::Type(layout)] => Some(TypeLowering::new(db, variable, &data.store).lower(*layout)),
        _ => None,
    }
}

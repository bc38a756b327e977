//! Types and generic arguments by what is written for them outside of a program: by host code, on a command line.

use base_db::{Db, SourceFile};
use hir_def::{
    TypeAlone,
    item::ItemId,
    scope,
    type_ref::{GenericArgRef, Path, PathSegment},
};

use crate::types::{
    consts,
    lower_ty::TypeLowering,
    resolve::{self, TypeNs},
    ty::{Const, GenericArg, Ty},
};

/// The type that a text means in a file: `A`, `Box<float, 3>`.
pub fn type_named(db: &dyn Db, file: SourceFile, text: &str) -> Option<Ty> {
    let alone = TypeAlone::parse(text)?;
    known(lowering(db, file, &alone)?.lower(alone.ty))
}

/// The type that the first `segments` of a path name in a file. Generic arguments are those that are written: those that
/// the parameters have by default are not taken.
pub fn type_of_path(db: &dyn Db, file: SourceFile, alone: &TypeAlone, segments: &[PathSegment]) -> Option<Ty> {
    let path = Path { global: true, segments: segments.to_vec() };
    match resolve::path_as_type(&mut lowering(db, file, alone)?, &path)? {
        TypeNs::Type(ty) => known(ty),
        TypeNs::Generic { .. } | TypeNs::BuiltinGeneric(_) | TypeNs::Namespace(_) => None,
    }
}

/// Generic arguments of a path in a file: types and constants.
pub fn generic_args(
    db: &dyn Db,
    file: SourceFile,
    alone: &TypeAlone,
    args: &[GenericArgRef],
) -> Option<Vec<GenericArg>> {
    let mut lowering = lowering(db, file, alone)?;
    let constant = |value| match value {
        Some(Const::Value(value)) => Some(GenericArg::Value(Const::Value(value))),
        _ => None,
    };
    let argument = |arg: &GenericArgRef| match arg {
        // A name may be that of a constant.
        GenericArgRef::Type(ty) => match known(lowering.lower(*ty)) {
            Some(ty) => Some(GenericArg::Type(ty)),
            None => constant(lowering.constant_type_ref(*ty)),
        },
        GenericArgRef::Value(value) => constant(consts::evaluate(&mut lowering, *value)),
    };
    args.iter().map(argument).collect()
}

fn known(ty: Ty) -> Option<Ty> {
    (!ty.is_error()).then_some(ty)
}

/// Names are looked up by an item, and any of the file's will do; a file without one has no types of its own to name.
fn lowering<'a>(db: &'a dyn Db, file: SourceFile, alone: &'a TypeAlone) -> Option<TypeLowering<'a>> {
    let owner: ItemId = *scope::all_file_items(db, file).first()?;
    Some(TypeLowering::new(db, owner, &alone.store).outside_declarations())
}

//! Types of the core library that are outputs of mesh and geometry shaders, or patches, which are arrays.

use hir_def::item::{self, ItemId};
use hir_ty::ty::{Const, GenericArgs};
use ir::TypeId;

use super::{const_arg, type_arg};
use crate::{
    error::{Lowering, Stop},
    front,
    mode::Mode,
    program::Program,
};

/// A type of the core library that is an output or a patch.
pub(crate) fn lower(program: &mut Program<'_>, item: ItemId, args: GenericArgs) -> Lowering<Option<TypeId>> {
    if program.mode == Mode::Analysis || !front::is_of_core_library(program.db, item) {
        return Ok(None);
    }
    let Some(name) = item::item_data(program.db, item).name.as_ref() else { return Ok(None) };
    let args = args.args(program.db);
    let counted = |program: &mut Program<'_>| {
        let element = program.lower_type(type_arg(args, 0)?)?;
        match const_arg(args, 1)? {
            Const::Value(count) => match u32::try_from(count) {
                Ok(count) => Ok((element, count)),
                Err(_) => Err(Stop::broken("an output with this number of elements")),
            },
            _ => Err(Stop::unsupported("an output whose number of elements is not known")),
        }
    };
    Ok(Some(match name.as_str() {
        "OutputVertices" | "OutputIndices" | "OutputPrimitives" => {
            let (element, count) = counted(program)?;
            program.output_of(element, Some(count))?
        }
        "PointStream" | "LineStream" | "TriangleStream" => {
            let element = program.lower_type(type_arg(args, 0)?)?;
            program.output_of(element, None)?
        }
        "InputPatch" | "OutputPatch" => {
            let (element, count) = counted(program)?;
            program.types.array(element, count)
        }
        _ => return Ok(None),
    }))
}

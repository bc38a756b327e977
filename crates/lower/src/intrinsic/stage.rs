//! The operations of outputs of mesh and geometry shaders and of patches, but for those on places.

use ir::{Intrinsic, Op, PathStep, TypeId, ValueId, builder::FuncBuilder, intrinsic::StageOp, op::Path};

use super::Asked;
use crate::{
    error::{Lowering, Stop},
    program::Program,
    stage_outputs,
};

/// Appends what an operation does.
pub(crate) fn operation(
    program: &Program<'_>,
    b: &mut FuncBuilder<'_>,
    op: StageOp,
    asked: &Asked<'_>,
) -> Lowering<Vec<ValueId>> {
    let on_stream = |b: &mut FuncBuilder<'_>, output: ValueId| {
        let first = b.field(output, 0);
        b.op(Op::Intrinsic { intrinsic: Intrinsic::Stage(op), args: [first].into_iter().collect() }, &[]);
        Ok(Vec::new())
    };
    match op {
        StageOp::GeometryAppend => {
            let (output, value) = (asked.arg(0)?, asked.arg(1)?);
            let element = program.output_element(b.ty(output));
            let element = element.ok_or_else(|| Stop::broken("a stream that is none"))?;
            stage_outputs::write(b, output, element, None, &Path::new(), value)?;
            on_stream(b, output)
        }
        StageOp::GeometryRestartStrip => {
            let output = asked.arg(0)?;
            on_stream(b, output)
        }
        StageOp::PatchLoad => {
            let (patch, index) = (asked.arg(0)?, asked.arg(1)?);
            Ok(vec![b.extract(patch, [PathStep::Dynamic(index)])])
        }
        StageOp::MeshDispatch | StageOp::MeshSetCounts => {
            let args = asked.args.iter().copied().collect();
            b.op(Op::Intrinsic { intrinsic: Intrinsic::Stage(op), args }, &[]);
            Ok(Vec::new())
        }
        StageOp::MeshIndices | StageOp::MeshPrimitives | StageOp::MeshVertices => {
            Err(Stop::broken("an output of a mesh shader as a value"))
        }
        StageOp::TessellationFactors => {
            let results: Vec<TypeId> = asked.surface.results().iter().map(|slot| slot.ty).collect();
            let args = asked.args.iter().copied().collect();
            let op = b.op(Op::Intrinsic { intrinsic: Intrinsic::Stage(op), args }, &results);
            Ok(b.results(op).to_vec())
        }
    }
}

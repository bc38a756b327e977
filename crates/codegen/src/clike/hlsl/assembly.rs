//! What HLSL says of geometry, mesh and tessellation shaders.

use ir::assembly::Assembly;
use ir::intrinsic::StageOp;
use ir::{EntryPoint, SpanId};

use super::super::{PRIMARY, Precedence, Printer};
use crate::tree::{Expr, Function};

/// The text of an operation of these stages; `None` for what has no name here.
pub(super) fn call(
    p: &mut Printer<'_>,
    f: &Function,
    op: StageOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let text = match op {
        StageOp::GeometryAppend => {
            let (stream, vertex) = p.stream(args.first()?)?;
            format!("{stream}.Append({vertex})")
        }
        StageOp::GeometryRestartStrip => {
            let (stream, _) = p.stream(args.first()?)?;
            format!("{stream}.RestartStrip()")
        }
        StageOp::MeshSetCounts => format!("SetMeshOutputCounts({})", p.list(f, args, span)),
        StageOp::MeshDispatch => format!("DispatchMesh({})", p.list(f, args, span)),
        StageOp::MeshIndices
        | StageOp::MeshPrimitives
        | StageOp::MeshVertices
        | StageOp::PatchLoad
        | StageOp::TessellationFactors => return None,
    };
    Some((text, PRIMARY))
}

/// The attributes in front of an entry point; `patch_constants` is the name of the function that runs once for a patch.
pub(super) fn attributes(entry: &EntryPoint, patch_constants: Option<&str>) -> String {
    match entry.assembly {
        Assembly::None => String::new(),
        Assembly::Geometry { max_vertices, instances, .. } => {
            let instances = if instances == 1 { String::new() } else { format!("[instance({instances})]\n") };
            format!("[maxvertexcount({max_vertices})]\n{instances}")
        }
        Assembly::Mesh { output, .. } => format!("[outputtopology(\"{}\")]\n", output.word()),
        Assembly::Hull { domain, partitioning, output, control_points, max_factor, .. } => {
            let (domain, partitioning, output) = (domain.word(), partitioning.word(), output.word());
            let factor = max_factor.map_or(String::new(), |factor| format!("[maxtessfactor({factor:?})]\n"));
            let patch_constants = patch_constants.unwrap_or_default();
            format!(
                "[domain(\"{domain}\")]\n[partitioning(\"{partitioning}\")]\n[outputtopology(\"{output}\")]\n\
                 [outputcontrolpoints({control_points})]\n{factor}[patchconstantfunc(\"{patch_constants}\")]\n"
            )
        }
        Assembly::Domain { domain, .. } => format!("[domain(\"{}\")]\n", domain.word()),
    }
}

//! What GLSL says of geometry, mesh and tessellation shaders.

use ir::assembly::{Assembly, InputPrimitive, Partitioning, PatchDomain, PatchOutput, Topology};
use ir::intrinsic::StageOp;
use ir::{EntryPoint, SpanId};

use super::super::{PRIMARY, Precedence, Printer};
use crate::tree::{Expr, Function};

const MESH: &str = "#extension GL_EXT_mesh_shader : require";

/// The text of an operation of these stages; `None` for what has no name here.
pub(super) fn call(
    p: &mut Printer<'_>,
    f: &Function,
    op: StageOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let text = match op {
        StageOp::GeometryAppend => "EmitVertex()".into(),
        StageOp::GeometryRestartStrip => "EndPrimitive()".into(),
        StageOp::MeshSetCounts => {
            p.require(MESH);
            format!("SetMeshOutputsEXT({})", p.list(f, args, span))
        }
        StageOp::MeshDispatch => {
            p.require(MESH);
            format!("EmitMeshTasksEXT({})", p.list(f, args.get(..3)?, span))
        }
        StageOp::MeshIndices
        | StageOp::MeshPrimitives
        | StageOp::MeshVertices
        | StageOp::PatchLoad
        | StageOp::TessellationFactors => return None,
    };
    Some((text, PRIMARY))
}

/// The lines in front of all functions.
pub(super) fn layout(entry: &EntryPoint) -> String {
    match entry.assembly {
        Assembly::None => String::new(),
        Assembly::Geometry { input, output, max_vertices, instances } => {
            let input = match input {
                InputPrimitive::Point => "points",
                InputPrimitive::Line => "lines",
                InputPrimitive::Triangle => "triangles",
                InputPrimitive::LineAdjacency => "lines_adjacency",
                InputPrimitive::TriangleAdjacency => "triangles_adjacency",
            };
            let output = match output {
                Topology::Point => "points",
                Topology::Line => "line_strip",
                Topology::Triangle => "triangle_strip",
            };
            let instances = if instances == 1 { String::new() } else { format!(", invocations = {instances}") };
            format!("layout({input}{instances}) in;\nlayout({output}, max_vertices = {max_vertices}) out;\n")
        }
        Assembly::Mesh { output, max_vertices, max_primitives } => {
            let output = match output {
                Topology::Point => "points",
                Topology::Line => "lines",
                Topology::Triangle => "triangles",
            };
            format!("layout({output}, max_vertices = {max_vertices}, max_primitives = {max_primitives}) out;\n")
        }
        Assembly::Hull { control_points, .. } => format!("layout(vertices = {control_points}) out;\n"),
        Assembly::Domain { domain, partitioning, output } => {
            let mut words = vec![match domain {
                PatchDomain::Triangle => "triangles",
                PatchDomain::Quad => "quads",
                PatchDomain::Isoline => "isolines",
            }];
            words.extend(partitioning.and_then(|partitioning| match partitioning {
                Partitioning::Integer => Some("equal_spacing"),
                Partitioning::FractionalOdd => Some("fractional_odd_spacing"),
                Partitioning::FractionalEven => Some("fractional_even_spacing"),
                Partitioning::PowerOfTwo => None,
            }));
            words.extend(output.and_then(|output| match output {
                PatchOutput::Point => Some("point_mode"),
                PatchOutput::Line => None,
                PatchOutput::TriangleClockwise => Some("cw"),
                PatchOutput::TriangleCounterClockwise => Some("ccw"),
            }));
            format!("layout({}) in;\n", words.join(", "))
        }
    }
}

/// The variable that takes the numbers of the vertices of a primitive.
pub(in super::super) fn indices(output: Topology) -> &'static str {
    match output {
        Topology::Point => "gl_PrimitivePointIndicesEXT",
        Topology::Line => "gl_PrimitiveLineIndicesEXT",
        Topology::Triangle => "gl_PrimitiveTriangleIndicesEXT",
    }
}

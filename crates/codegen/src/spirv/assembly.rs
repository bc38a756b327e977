//! Geometry, mesh, hull and domain shaders: what there is of a value for each vertex or primitive, and how primitives come in
//! and go out.

use ir::assembly::{Assembly, InputPrimitive, Partitioning, PatchDomain, PatchOutput, Topology};
use ir::intrinsic::StageOp;
use ir::module::{EntryPoint, Stage};
use ir::provision::{Rate, Varying};
use ir::{GlobalKind, HandleType, Intrinsic, Scalar, Type, TypeId};
use spirv::{BuiltIn, Capability, Decoration, ExecutionMode, Op, Scope, SelectionControl, StorageClass};

use super::ModuleWriter;
use super::function::FunctionWriter;
use super::words::{Id, Section};
use crate::EmitError;
use crate::tree::Expr;

/// What a device must have for points of a size.
pub(super) fn size_of_points(stage: Stage) -> Option<Capability> {
    match stage {
        Stage::Hull | Stage::Domain => Some(Capability::TessellationPointSize),
        Stage::Geometry => Some(Capability::GeometryPointSize),
        Stage::Compute
        | Stage::Vertex
        | Stage::Fragment
        | Stage::Amplification
        | Stage::Mesh
        | Stage::RayGeneration
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss
        | Stage::Callable => None,
    }
}

/// The variable that takes the numbers of the vertices of a primitive.
pub(super) fn indices(assembly: &Assembly) -> BuiltIn {
    match assembly {
        Assembly::Mesh { output: Topology::Point, .. } => BuiltIn::PrimitivePointIndicesEXT,
        Assembly::Mesh { output: Topology::Line, .. } => BuiltIn::PrimitiveLineIndicesEXT,
        Assembly::Mesh { output: Topology::Triangle, .. }
        | Assembly::None
        | Assembly::Geometry { .. }
        | Assembly::Hull { .. }
        | Assembly::Domain { .. } => BuiltIn::PrimitiveTriangleIndicesEXT,
    }
}

/// How many there are in a variable of which the program knows `count`: of what a mesh shader gives out as many as it may.
pub(super) fn count(entry: &EntryPoint, varying: &Varying, count: u32) -> u32 {
    match (&entry.assembly, varying.is_output, varying.rate) {
        (Assembly::Mesh { max_vertices, .. }, true, Rate::Vertex) => *max_vertices,
        (Assembly::Mesh { max_primitives, .. }, true, Rate::Primitive) => *max_primitives,
        _ => count,
    }
}

impl ModuleWriter<'_> {
    /// Of a variable with a value for each vertex or primitive the type of one, and how many there are.
    pub(super) fn one_of_several(&self, varying: &Varying, content: TypeId) -> Option<(TypeId, u32)> {
        match self.module.types.get(content) {
            Type::Array { element, len } if varying.rate.is_several() => Some((element, len)),
            _ => None,
        }
    }

    /// An array without places.
    pub(super) fn several(&mut self, element: Id, count: u32) -> Id {
        let count = self.out_u32(count.max(1));
        self.out.ty(Op::TypeArray, &[element.0, count.0])
    }

    /// Into how many parts edges are cut, of a rectangle, which has the most.
    pub(super) fn factors(&mut self, count: u32) -> Id {
        let float = self.scalar_type(Scalar::F32);
        self.several(float, count)
    }

    /// Says what a value belongs to.
    pub(super) fn decorate_rate(&mut self, variable: Id, varying: &Varying) {
        match varying.rate {
            Rate::Patch => self.out.decorate(variable, Decoration::Patch, &[]),
            Rate::Primitive => self.out.decorate(variable, Decoration::PerPrimitiveEXT, &[]),
            Rate::Invocation | Rate::Vertex | Rate::Appended => {}
        }
    }

    /// What an entry point says of the primitives that it takes and gives out.
    pub(super) fn assembly_modes(&mut self, entry: &EntryPoint, id: Id) -> Result<(), String> {
        let mut modes: Vec<(ExecutionMode, Option<u32>)> = Vec::new();
        match entry.assembly {
            Assembly::None => {}
            Assembly::Geometry { input, output, max_vertices, instances } => {
                let input = match input {
                    InputPrimitive::Point => ExecutionMode::InputPoints,
                    InputPrimitive::Line => ExecutionMode::InputLines,
                    InputPrimitive::Triangle => ExecutionMode::Triangles,
                    InputPrimitive::LineAdjacency => ExecutionMode::InputLinesAdjacency,
                    InputPrimitive::TriangleAdjacency => ExecutionMode::InputTrianglesAdjacency,
                };
                let output = match output {
                    Topology::Point => ExecutionMode::OutputPoints,
                    Topology::Line => ExecutionMode::OutputLineStrip,
                    Topology::Triangle => ExecutionMode::OutputTriangleStrip,
                };
                modes.extend([(input, None), (ExecutionMode::Invocations, Some(instances))]);
                modes.extend([(output, None), (ExecutionMode::OutputVertices, Some(max_vertices))]);
            }
            Assembly::Mesh { output, max_vertices, max_primitives } => {
                let output = match output {
                    Topology::Point => ExecutionMode::OutputPoints,
                    Topology::Line => ExecutionMode::OutputLinesEXT,
                    Topology::Triangle => ExecutionMode::OutputTrianglesEXT,
                };
                modes.extend([(output, None), (ExecutionMode::OutputVertices, Some(max_vertices))]);
                modes.push((ExecutionMode::OutputPrimitivesEXT, Some(max_primitives)));
            }
            // Both stages may say it, and the source says it here.
            Assembly::Hull { domain, partitioning, output, control_points, .. } => {
                modes.push((shape_of_patch(domain), None));
                modes.push((spacing(partitioning)?, None));
                modes.extend(cut_into(output).map(|mode| (mode, None)));
                modes.push((ExecutionMode::OutputVertices, Some(control_points)));
            }
            Assembly::Domain { domain, partitioning, output } => {
                modes.push((shape_of_patch(domain), None));
                if let Some(partitioning) = partitioning {
                    modes.push((spacing(partitioning)?, None));
                }
                modes.extend(output.and_then(cut_into).map(|mode| (mode, None)));
            }
        }
        for (mode, number) in modes {
            self.out.execution_mode(id, mode, number.as_slice());
        }
        match entry.stage {
            Stage::Geometry => self.out.require(Capability::Geometry),
            Stage::Hull | Stage::Domain => self.out.require(Capability::Tessellation),
            Stage::Amplification | Stage::Mesh => {
                self.out.require(Capability::MeshShadingEXT);
                self.out.require_extension("SPV_EXT_mesh_shader");
            }
            Stage::Compute
            | Stage::Vertex
            | Stage::Fragment
            | Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => {}
        }
        Ok(())
    }

    /// What the host calls for the hull shaders: one function makes a control point, another what the patch has when all of
    /// them are there.
    pub(super) fn write_hull_entries(&mut self) -> Result<(), Vec<EmitError>> {
        for (entry, number) in self.module.entry_points.iter().zip(0..) {
            let Some(patch) = entry.assembly.patch_constants() else { continue };
            let (Some(point), Some(patch)) =
                (self.functions.get(entry.func).cloned(), self.functions.get(patch).cloned())
            else {
                continue;
            };
            let word = self.scalar_type(Scalar::U32);
            let known = (BuiltIn::InvocationId as u32, StorageClass::Input as u32, number);
            let invocation = match self.system_values.get(&known) {
                Some(&variable) => variable,
                None => self.builtin_variable(BuiltIn::InvocationId, word),
            };
            let (void, truth, zero) = (self.void(), self.scalar_type(Scalar::Bool), self.out_u32(0));
            let ty = self.out.ty(Op::TypeFunction, &[void.0]);
            let scopes = [Scope::Workgroup as u32, Scope::Invocation as u32, 0].map(|word| self.out_u32(word).0);
            let [id, begin, first, end, made, number, is_first, done] = [(); 8].map(|()| self.out.fresh().0);
            let mut body = Section::default();
            body.push(Op::Function, &[void.0, id, 0, ty.0]);
            body.push(Op::Label, &[begin]);
            body.push(Op::FunctionCall, &[void.0, made, point.id.0]);
            body.push(Op::ControlBarrier, &scopes);
            body.push(Op::Load, &[word.0, number, invocation.0]);
            body.push(Op::IEqual, &[truth.0, is_first, number, zero.0]);
            body.push(Op::SelectionMerge, &[end, SelectionControl::NONE.bits()]);
            body.push(Op::BranchConditional, &[is_first, first, end]);
            body.push(Op::Label, &[first]);
            body.push(Op::FunctionCall, &[void.0, done, patch.id.0]);
            body.push(Op::Branch, &[end]);
            body.push(Op::Label, &[end]);
            body.push(Op::Return, &[]);
            body.push(Op::FunctionEnd, &[]);
            self.out.function(body);
            let name = self.names.unique(&entry.name);
            self.out.name(Id(id), &name);
            let uses = point.uses.iter().chain(&patch.uses).copied().chain([invocation]).collect();
            let span = self.module.funcs[entry.func].span;
            self.entry_point(entry, Id(id), &uses).map_err(|message| vec![EmitError::new(span, message)])?;
        }
        Ok(())
    }

    fn has_stage(&self, stage: Stage) -> bool {
        let mut entries = self.module.entry_points.iter();
        entries.any(|entry| entry.stage == stage && self.legal.functions.contains(&entry.func))
    }
}

fn shape_of_patch(domain: PatchDomain) -> ExecutionMode {
    match domain {
        PatchDomain::Triangle => ExecutionMode::Triangles,
        PatchDomain::Quad => ExecutionMode::Quads,
        PatchDomain::Isoline => ExecutionMode::Isolines,
    }
}

fn spacing(partitioning: Partitioning) -> Result<ExecutionMode, String> {
    match partitioning {
        Partitioning::Integer => Ok(ExecutionMode::SpacingEqual),
        Partitioning::FractionalOdd => Ok(ExecutionMode::SpacingFractionalOdd),
        Partitioning::FractionalEven => Ok(ExecutionMode::SpacingFractionalEven),
        Partitioning::PowerOfTwo => Err("`[partitioning(\"pow2\")]` is not supported for target `spirv`".into()),
    }
}

fn cut_into(output: PatchOutput) -> Option<ExecutionMode> {
    match output {
        PatchOutput::Point => Some(ExecutionMode::PointMode),
        // The shape of the patch says it.
        PatchOutput::Line => None,
        PatchOutput::TriangleClockwise => Some(ExecutionMode::VertexOrderCw),
        PatchOutput::TriangleCounterClockwise => Some(ExecutionMode::VertexOrderCcw),
    }
}

impl FunctionWriter<'_, '_> {
    /// What gives out vertices and primitives, or starts groups that do.
    pub(super) fn stage_statement(&mut self, op: StageOp, args: &[Expr]) -> Result<(), EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::Stage(op));
        let stage = match op {
            StageOp::GeometryAppend | StageOp::GeometryRestartStrip => Stage::Geometry,
            StageOp::MeshDispatch => Stage::Amplification,
            StageOp::MeshSetCounts => Stage::Mesh,
            StageOp::MeshIndices
            | StageOp::MeshPrimitives
            | StageOp::MeshVertices
            | StageOp::PatchLoad
            | StageOp::TessellationFactors => return Err(refused(self)),
        };
        if !self.module.has_stage(stage) {
            return Err(refused(self));
        }
        match (op, args) {
            (StageOp::GeometryAppend, _) => self.push(Op::EmitVertex, &[]),
            (StageOp::GeometryRestartStrip, _) => self.push(Op::EndPrimitive, &[]),
            (StageOp::MeshSetCounts, [vertices, primitives]) => {
                let (vertices, primitives) = (self.expr(vertices)?, self.expr(primitives)?);
                self.push(Op::SetMeshOutputsEXT, &[vertices.0, primitives.0]);
            }
            (StageOp::MeshDispatch, [x, y, z, payload]) => {
                let groups = [self.expr(x)?, self.expr(y)?, self.expr(z)?];
                let payload = self.sent(payload).ok_or_else(|| refused(self))?;
                self.terminate(Op::EmitMeshTasksEXT, &[groups[0].0, groups[1].0, groups[2].0, payload.0]);
            }
            _ => return Err(refused(self)),
        }
        Ok(())
    }

    /// The variables of an invocation as they are when it starts: the function of a patch does not see what that of a control
    /// point has made of them.
    pub(super) fn clear_statics(&mut self) {
        let statics: Vec<(Id, Id)> = self
            .module
            .globals
            .iter()
            .filter(|(global, memory)| {
                let global = &self.module.module.globals[*global];
                let is_own = global.kind == GlobalKind::Static { init: None } && global.provision.varying.is_none();
                let is_value = matches!(memory.handle, HandleType::Variable { .. });
                is_own && is_value && memory.class == StorageClass::Private && self.uses.contains(&memory.variable)
            })
            .map(|(_, memory)| (memory.variable, memory.ty))
            .collect();
        for (variable, ty) in statics {
            let zero = self.module.null(ty);
            self.store_pointer(variable, zero);
        }
    }
}

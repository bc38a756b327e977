//! What entry points of geometry, mesh, hull and domain shaders say of the primitives that they take and give out, and their
//! parameters that are outputs, streams and patches.

use hir_def::{
    attribute::{AttributeKind, Modifiers},
    item::{self, ItemId, ItemKind},
    name::Name,
    scope,
};
use hir_ty::{
    signature::FunctionRef,
    ty::{GenericArgs, Ty},
};
use ir::{
    FuncId, GlobalId, PathStep, Type, TypeId, ValueId,
    assembly::{Assembly, InputPrimitive, Partitioning, PatchDomain, PatchOutput, Topology},
    builder::FuncBuilder,
    module::Stage,
    provision::{Rate, SystemValue},
};
use smol_str::SmolStr;

use super::{
    said,
    varyings::{self, Part, Said, Several, Varyings, Way},
};
use crate::{
    error::{Lowering, Stop},
    front, globals,
    program::Program,
    surface::{Surface, SurfaceParam},
};

/// What a parameter of an entry point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// One value.
    Value,
    /// A value for each vertex of a primitive or control point of a patch.
    Vertices,
    /// What vertices are appended to.
    Stream(Topology),
    /// What a mesh shader gives out.
    Output(MeshOutput, u32),
    /// What started a group of mesh shaders.
    Payload,
}

/// What the elements of an output of a mesh shader are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MeshOutput {
    Vertices,
    Indices,
    Primitives,
}

const MESH_OUTPUTS: &[(&str, Modifiers, MeshOutput)] = &[
    ("OutputVertices", Modifiers::VERTICES, MeshOutput::Vertices),
    ("OutputIndices", Modifiers::INDICES, MeshOutput::Indices),
    ("OutputPrimitives", Modifiers::PRIMITIVES, MeshOutput::Primitives),
];

const STREAMS: &[(&str, Topology)] =
    &[("PointStream", Topology::Point), ("LineStream", Topology::Line), ("TriangleStream", Topology::Triangle)];

const INPUTS: &[(Modifiers, InputPrimitive)] = &[
    (Modifiers::POINT, InputPrimitive::Point),
    (Modifiers::LINE, InputPrimitive::Line),
    (Modifiers::TRIANGLE, InputPrimitive::Triangle),
    (Modifiers::LINE_ADJACENCY, InputPrimitive::LineAdjacency),
    (Modifiers::TRIANGLE_ADJACENCY, InputPrimitive::TriangleAdjacency),
];

/// The name of a type of the core library, and its arguments.
fn core_type<'db>(program: &Program<'db>, ty: Ty) -> Option<(&'db str, GenericArgs)> {
    let Ty::Adt(item, args) = ty else { return None };
    if !front::is_of_core_library(program.db, item) {
        return None;
    }
    Some((item::item_data(program.db, item).name.as_ref()?.as_str(), args))
}

fn is_patch(program: &Program<'_>, ty: Ty) -> bool {
    core_type(program, ty).is_some_and(|(name, _)| matches!(name, "InputPatch" | "OutputPatch"))
}

pub(super) fn role(program: &Program<'_>, stage: Stage, param: &SurfaceParam, written: &item::Param) -> Lowering<Role> {
    let several = |ty: TypeId| match program.types.get(ty) {
        Type::Array { .. } => Ok(Role::Vertices),
        _ => Err(Stop::unsupported(format!("the parameter `{}`, of which there are not several,", param.name))),
    };
    if let Some(count) = output_count(program, param) {
        let name = core_type(program, param.ty).map(|(name, _)| name);
        let by_type = |(known, modifier, _): &&(&str, Modifiers, MeshOutput)| {
            name == Some(known) || written.modifiers.contains(*modifier)
        };
        if let (Some(stream), None) = (STREAMS.iter().find(|(known, _)| name == Some(known)), count) {
            return Ok(Role::Stream(stream.1));
        }
        let output = MESH_OUTPUTS.iter().find(by_type).ok_or_else(|| Stop::broken("an output of no kind"))?;
        return Ok(Role::Output(output.2, count.unwrap_or(0)));
    }
    Ok(match stage {
        Stage::Hull | Stage::Domain if is_patch(program, param.ty) => several(param.ir_ty)?,
        Stage::Geometry if INPUTS.iter().any(|(modifier, _)| written.modifiers.contains(*modifier)) => {
            several(param.ir_ty)?
        }
        Stage::Mesh if written.modifiers.contains(Modifiers::PAYLOAD) => Role::Payload,
        _ => Role::Value,
    })
}

/// If a parameter is an output, how many elements it has; a stream has no number of them.
fn output_count(program: &Program<'_>, param: &SurfaceParam) -> Option<Option<u32>> {
    program.output_element(param.ir_ty)?;
    let Type::Struct(id) = program.types.get(param.ir_ty) else { return None };
    let first = program.types.structs[id].fields.first()?.ty;
    let Type::Handle(ir::HandleType::Variable { content }) = program.types.get(first) else { return None };
    let element = program.output_element(param.ir_ty)?;
    let leaf = crate::stage_outputs::leaves(program.types, element)?.first()?.ty;
    match program.types.get(content) {
        Type::Array { len, .. } if content != leaf => Some(Some(len)),
        _ => Some(None),
    }
}

/// The order in which parameters get their locations: control points before what the whole patch has, as the stage before
/// counts them.
pub(super) fn order(program: &Program<'_>, stage: Stage, surface: &Surface) -> Vec<usize> {
    let mut order: Vec<usize> = (0..surface.params.len()).collect();
    if stage == Stage::Domain {
        order.sort_by_key(|&index| !is_patch(program, surface.params[index].ty));
    }
    order
}

/// What the parameters of an entry point say, as far as it is known by now.
#[derive(Default)]
pub(super) struct Assembling {
    input: Option<InputPrimitive>,
    output: Option<Topology>,
    max_vertices: Option<u32>,
    max_primitives: Option<u32>,
    /// The variables that hold the control points that come in, and those that go out.
    patch: Option<(TypeId, Vec<Part>)>,
    control_points: Vec<Part>,
}

impl Assembling {
    /// The value of a parameter of which there are several.
    pub(super) fn vertices(
        &mut self,
        program: &mut Program<'_>,
        b: &mut FuncBuilder<'_>,
        varyings: &mut Varyings,
        param: &SurfaceParam,
        written: &item::Param,
        mut said: Said,
    ) -> Lowering<ValueId> {
        self.input = INPUTS.iter().find(|(word, _)| written.modifiers.contains(*word)).map(|(_, input)| *input);
        let (Type::Array { element, len: count }, element_ty) =
            (program.types.get(param.ir_ty), element_type(program, param.ty))
        else {
            return Err(Stop::broken("several values that are one"));
        };
        let whole = Some(param.name.clone());
        said = said.of_several(Several { rate: Rate::Vertex, count, whole, ..Several::default() });
        let parts = varyings.declare(program, element_ty, element, &mut said, Way::In)?;
        let value = all(program, b, param.ir_ty, &parts)?;
        self.patch = Some((param.ir_ty, parts));
        Ok(value)
    }

    /// The handles of what is given out while the shader runs.
    pub(super) fn outputs(
        &mut self,
        program: &mut Program<'_>,
        b: &mut FuncBuilder<'_>,
        varyings: &mut Varyings,
        param: &SurfaceParam,
        role: Role,
        said: Said,
    ) -> Lowering<ValueId> {
        let (rate, count, system) = match role {
            Role::Stream(topology) => {
                if self.output.replace(topology).is_some() {
                    return Err(Stop::unsupported("a geometry shader with more than one stream"));
                }
                (Rate::Appended, 0, None)
            }
            Role::Output(MeshOutput::Vertices, count) => {
                self.max_vertices = Some(count);
                (Rate::Vertex, count, None)
            }
            Role::Output(MeshOutput::Indices, count) => {
                self.max_primitives = Some(self.max_primitives.unwrap_or(0).max(count));
                (Rate::Primitive, count, Some(SystemValue::PrimitiveVertices))
            }
            Role::Output(MeshOutput::Primitives, count) => {
                self.max_primitives = Some(self.max_primitives.unwrap_or(0).max(count));
                (Rate::Primitive, count, None)
            }
            Role::Value | Role::Vertices | Role::Payload => return Err(Stop::broken("an output that is none")),
        };
        let element = program.output_element(param.ir_ty).ok_or_else(|| Stop::broken("an output of no elements"))?;
        let whole = Some(param.name.clone());
        let mut said = said.of_several(Several { rate, count, whole, system, as_written: true });
        let element_ty = element_type(program, param.ty);
        let parts = varyings.declare(program, element_ty, element, &mut said, Way::Out)?;
        let handles: Vec<ValueId> = variables(&parts).map(|global| globals::handle(program, b, global)).collect();
        Ok(b.make(&handles, param.ir_ty))
    }

    /// Gives out the control point that an invocation of a hull shader has made.
    pub(super) fn control_point(
        &mut self,
        program: &mut Program<'_>,
        b: &mut FuncBuilder<'_>,
        varyings: &mut Varyings,
        (ty, value, said): (Ty, ValueId, Said),
        count: u32,
    ) -> Lowering<()> {
        let whole = Some(SmolStr::new_static("control_points"));
        let mut said = said.of_several(Several { rate: Rate::Vertex, count, whole, ..Several::default() });
        let parts = varyings.declare(program, Some(ty), b.ty(value), &mut said, Way::Out)?;
        let index = varyings.control_point(program, b)?;
        varyings::store(program, b, value, &parts, Some(PathStep::Dynamic(index)))?;
        self.control_points.extend(parts);
        Ok(())
    }

    pub(super) fn finish(
        self,
        program: &mut Program<'_>,
        item: ItemId,
        stage: Stage,
        varyings: &mut Varyings,
    ) -> Lowering<Assembly> {
        let missing = |what: &str| Stop::unsupported(format!("a {} shader without {what}", stage.word()));
        let one = |kind| number(program, item, kind);
        Ok(match stage {
            Stage::Geometry => Assembly::Geometry {
                input: self.input.ok_or_else(|| missing("a primitive that it takes"))?,
                output: self.output.ok_or_else(|| missing("a stream"))?,
                max_vertices: one(AttributeKind::MaxVertexCount)?.ok_or_else(|| missing("`[maxvertexcount]`"))?,
                instances: one(AttributeKind::Instance)?.unwrap_or(1),
            },
            Stage::Mesh => Assembly::Mesh {
                output: word(program, item, AttributeKind::OutputTopology, Topology::from_word)?
                    .ok_or_else(|| missing("`[outputtopology]`"))?,
                max_vertices: self.max_vertices.ok_or_else(|| missing("vertices"))?,
                max_primitives: self.max_primitives.ok_or_else(|| missing("primitives"))?,
            },
            Stage::Hull => {
                let domain = word(program, item, AttributeKind::Domain, PatchDomain::from_word)?;
                let partitioning = word(program, item, AttributeKind::Partitioning, Partitioning::from_word)?;
                let output = word(program, item, AttributeKind::OutputTopology, PatchOutput::from_word)?;
                let control_points = one(AttributeKind::OutputControlPoints)?;
                let max_factor = max_factor(program, item)?;
                let patch_constants = self.patch_constants(program, item, varyings)?;
                Assembly::Hull {
                    domain: domain.ok_or_else(|| missing("`[domain]`"))?,
                    partitioning: partitioning.ok_or_else(|| missing("`[partitioning]`"))?,
                    output: output.ok_or_else(|| missing("`[outputtopology]`"))?,
                    control_points: control_points.ok_or_else(|| missing("`[outputcontrolpoints]`"))?,
                    max_factor,
                    patch_constants,
                }
            }
            Stage::Domain => Assembly::Domain {
                domain: word(program, item, AttributeKind::Domain, PatchDomain::from_word)?
                    .ok_or_else(|| missing("`[domain]`"))?,
                partitioning: word(program, item, AttributeKind::Partitioning, Partitioning::from_word)?,
                output: word(program, item, AttributeKind::OutputTopology, PatchOutput::from_word)?,
            },
            Stage::Compute
            | Stage::Vertex
            | Stage::Fragment
            | Stage::Amplification
            | Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => Assembly::None,
        })
    }

    /// The function around the user's that runs once for a patch.
    fn patch_constants(self, program: &mut Program<'_>, item: ItemId, varyings: &mut Varyings) -> Lowering<FuncId> {
        let db = program.db;
        let data = item::item_data(db, item);
        let name = data.attribute(AttributeKind::PatchConstantFunc).and_then(|found| found.string(&data.store, 0));
        let name = name.ok_or_else(|| Stop::unsupported("a hull shader without `[patchconstantfunc]`"))?;
        let is_function = |item: &ItemId| matches!(item::item_data(db, *item).kind, ItemKind::Function(_));
        let found: Vec<ItemId> = scope::lookup(db, item, &Name::new(name)).into_iter().filter(is_function).collect();
        let [found] = found[..] else {
            return Err(Stop::unsupported(format!("`[patchconstantfunc(\"{name}\")]`, which is not one function,")));
        };
        let ItemKind::Function(function) = &item::item_data(db, found).kind else {
            return Err(Stop::broken("a function that is none"));
        };
        let user = program.function(FunctionRef { item: found, args: GenericArgs::empty(db), self_ty: None })?;
        let surface = program.surface(user)?;
        let span = program.module.funcs[user].span;
        let wrapper = program.unique_name(&format!("{name}.patch"));
        let mut b = FuncBuilder::new(program.types, wrapper, Vec::new(), Vec::new(), span);
        let mut args = Vec::new();
        for (param, written) in surface.params.iter().zip(&function.params) {
            if !param.direction.goes_in() {
                continue;
            }
            let kind = core_type(program, param.ty).map(|(name, _)| name);
            args.push(match (kind, &self.patch) {
                (Some("InputPatch"), Some((ty, parts))) if *ty == param.ir_ty => all(program, &mut b, *ty, parts)?,
                (Some("OutputPatch"), _) => all(program, &mut b, param.ir_ty, &self.control_points)?,
                (Some("InputPatch"), _) => return Err(Stop::unsupported("a patch that the hull shader does not take")),
                _ => {
                    let mut said = said(program, found, param, written)?;
                    varyings.read(program, &mut b, Some(param.ty), param.ir_ty, &mut said)?
                }
            });
        }
        let results: Vec<TypeId> = surface.results().iter().map(|slot| slot.ty).collect();
        let mut values = b.call(ir::Callee::Func(user), &args, &results).into_iter();
        let of_patch = Several { rate: Rate::Patch, ..Several::default() };
        if let Some(ret) = &surface.ret
            && let Some(value) = values.next()
        {
            let semantic = function.semantic.as_ref().map(|semantic| semantic.as_str());
            let mut said = Said::new(name.into(), semantic, Modifiers::empty()).of_several(of_patch.clone());
            varyings.write(program, &mut b, Some(ret.ty), value, &mut said)?;
        }
        let outputs = surface.params.iter().zip(&function.params).filter(|(param, _)| param.direction.comes_out());
        for ((param, written), value) in outputs.zip(values) {
            let mut said = said(program, found, param, written)?.of_several(of_patch.clone());
            varyings.write(program, &mut b, Some(param.ty), value, &mut said)?;
        }
        b.ret([]);
        let func = b.finish();
        Ok(program.module.funcs.alloc(func))
    }
}

fn variables(parts: &[Part]) -> impl Iterator<Item = GlobalId> {
    parts.iter().filter_map(|part| match part {
        Part::Variable { global, .. } => Some(*global),
        Part::Wave(_) => None,
    })
}

/// All elements of what there are several of.
fn all(program: &Program<'_>, b: &mut FuncBuilder<'_>, ty: TypeId, parts: &[Part]) -> Lowering<ValueId> {
    let Type::Array { element, len } = program.types.get(ty) else { return Err(Stop::broken("several that are one")) };
    let mut elements = Vec::new();
    for index in 0..len {
        elements.push(varyings::value(program, b, element, parts, Some(PathStep::Const(index)))?);
    }
    Ok(b.make(&elements, ty))
}

/// The type of the elements of an array, an output or a patch.
fn element_type(program: &Program<'_>, ty: Ty) -> Option<Ty> {
    if let Some((element, _)) = ty.as_array(program.db) {
        return Some(element);
    }
    let (_, args) = core_type(program, ty)?;
    crate::types::type_arg(args.args(program.db), 0).ok()
}

pub(super) fn number(program: &Program<'_>, item: ItemId, kind: AttributeKind) -> Lowering<Option<u32>> {
    let Some(attribute) = item::item_data(program.db, item).attribute(kind) else { return Ok(None) };
    let value = attribute.args.first().and_then(|arg| front::signature_constant(program.db, item, *arg));
    match value.and_then(|value| u32::try_from(value).ok()) {
        Some(value) => Ok(Some(value)),
        None => Err(Stop::unsupported("a number of a stage that is not a constant")),
    }
}

fn word<T>(
    program: &Program<'_>,
    item: ItemId,
    kind: AttributeKind,
    from_word: impl Fn(&str) -> Option<T>,
) -> Lowering<Option<T>> {
    let data = item::item_data(program.db, item);
    let Some(attribute) = data.attribute(kind) else { return Ok(None) };
    let word = attribute.string(&data.store, 0).unwrap_or_default();
    match from_word(&word.to_ascii_lowercase()) {
        Some(known) => Ok(Some(known)),
        None => Err(Stop::unsupported(format!("the word `{word}` in an attribute of a stage"))),
    }
}

/// `[maxtessfactor(7.0)]`
fn max_factor(program: &Program<'_>, item: ItemId) -> Lowering<Option<f32>> {
    use hir_def::body::{Expr, Literal};
    let data = item::item_data(program.db, item);
    let Some(attribute) = data.attribute(AttributeKind::MaxTessFactor) else { return Ok(None) };
    let arg = *attribute.args.first().ok_or_else(|| Stop::broken("`[maxtessfactor]` of nothing"))?;
    if let Expr::Literal(Literal::Float { bits, .. }) = &data.store.exprs[arg] {
        return Ok(Some(f64::from_bits(*bits) as f32));
    }
    let value = front::signature_constant(program.db, item, arg);
    value.map(|value| Some(value as f32)).ok_or_else(|| Stop::unsupported("`[maxtessfactor]` that is not a constant"))
}

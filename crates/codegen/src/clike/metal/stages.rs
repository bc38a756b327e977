//! Vertex and fragment shaders: what comes from the stage before and what is handed on, as Metal's attributes say it.

use ir::intrinsic::FragmentOp;
use ir::module::Stage;
use ir::provision::{Interpolation, Sampling, SystemValue, Varying, VaryingPlace};
use ir::{GlobalId, Scalar, SpanId, Type, TypeId};

use crate::clike::{Kernel, KernelVarying, PRIMARY, Precedence, Printer, Told};
use crate::tree::{Expr, Function};

/// The parts of the text around an entry point.
pub(crate) struct Text {
    /// Structs of what comes in and what goes out.
    pub structs: String,
    /// The kind of function and the type of its result.
    pub head: String,
    /// Parameters beside those of all kernels.
    pub params: Vec<String>,
    /// What fills the thread's variables.
    pub before: String,
    /// What gives out what is in them.
    pub after: String,
}

/// What a value of the pipeline is made of: parameters, and what is written for it.
struct Brought {
    params: &'static [Told],
    value: &'static str,
}

const VERTEX: Told = Told { name: "vertex_number", ty: "uint", attribute: "vertex_id" };
const FIRST_VERTEX: Told = Told { name: "first_vertex", ty: "uint", attribute: "base_vertex" };
const INSTANCE: Told = Told { name: "instance_number", ty: "uint", attribute: "instance_id" };
const FIRST_INSTANCE: Told = Told { name: "first_instance", ty: "uint", attribute: "base_instance" };
const POSITION: Told = Told { name: "fragment_position", ty: "float4", attribute: "position" };
const FRONT: Told = Told { name: "is_in_front", ty: "bool", attribute: "front_facing" };
const SAMPLE: Told = Told { name: "sample_number", ty: "uint", attribute: "sample_id" };
const PRIMITIVE: Told = Told { name: "primitive_number", ty: "uint", attribute: "primitive_id" };

/// How a value of the pipeline comes in; `None` for what is not written.
fn brought(value: SystemValue, stage: Stage) -> Option<Brought> {
    let of = |params: &'static [Told], value| Some(Brought { params, value });
    match (value, stage) {
        // These are counted from the first of the call on, Metal's from the start of the buffers.
        (SystemValue::VertexIndex, Stage::Vertex) => of(&[VERTEX, FIRST_VERTEX], "vertex_number - first_vertex"),
        (SystemValue::InstanceIndex, Stage::Vertex) => {
            of(&[INSTANCE, FIRST_INSTANCE], "instance_number - first_instance")
        }
        (SystemValue::AbsoluteVertexIndex, Stage::Vertex) => of(&[VERTEX], VERTEX.name),
        (SystemValue::AbsoluteInstanceIndex, Stage::Vertex) => of(&[INSTANCE], INSTANCE.name),
        (SystemValue::BaseVertex, Stage::Vertex) => of(&[FIRST_VERTEX], FIRST_VERTEX.name),
        (SystemValue::BaseInstance, Stage::Vertex) => of(&[FIRST_INSTANCE], FIRST_INSTANCE.name),
        (SystemValue::Position, Stage::Fragment) => of(&[POSITION], POSITION.name),
        (SystemValue::FrontFacing, Stage::Fragment) => of(&[FRONT], FRONT.name),
        (SystemValue::SampleIndex, Stage::Fragment) => of(&[SAMPLE], SAMPLE.name),
        (SystemValue::PrimitiveIndex, Stage::Fragment) => of(&[PRIMITIVE], PRIMITIVE.name),
        _ => None,
    }
}

/// The attribute of a value that goes out, or comes in by a number; `None` for what is not written.
fn attribute(varying: &Varying, stage: Stage) -> Option<String> {
    Some(match (varying.place, stage, varying.is_output) {
        (VaryingPlace::Location(location), Stage::Vertex, false) => format!("attribute({location})"),
        (VaryingPlace::Location(_), Stage::Vertex, true) | (VaryingPlace::Location(_), Stage::Fragment, false) => {
            format!("user({})", user_name(&varying.semantic))
        }
        (VaryingPlace::Location(location), Stage::Fragment, true) if varying.is_second_source => {
            format!("color({location}), index(1)")
        }
        (VaryingPlace::Location(location), Stage::Fragment, true) => format!("color({location})"),
        (VaryingPlace::System(SystemValue::Position), Stage::Vertex, true) => "position".into(),
        (VaryingPlace::System(SystemValue::PointSize), Stage::Vertex, true) => "point_size".into(),
        (VaryingPlace::System(SystemValue::FragmentDepth), Stage::Fragment, true) => "depth(any)".into(),
        (VaryingPlace::System(SystemValue::FragmentDepthGreater), Stage::Fragment, true) => "depth(greater)".into(),
        (VaryingPlace::System(SystemValue::FragmentDepthLess), Stage::Fragment, true) => "depth(less)".into(),
        _ => return None,
    })
}

/// The name by which both stages know a value, as slangc makes it of the semantic: `TEXCOORD`, `TEXCOORD_1`.
fn user_name(semantic: &str) -> String {
    let name = semantic.trim_end_matches(|c: char| c.is_ascii_digit());
    match semantic[name.len()..].parse::<u32>() {
        Ok(number @ 1..) => format!("{name}_{number}"),
        Ok(0) | Err(_) => name.to_owned(),
    }
}

/// How a value follows from the vertices.
fn interpolation(part: &KernelVarying) -> &'static str {
    let varying = &part.varying;
    match (varying.interpolation, varying.sampling) {
        _ if part.is_integer => " [[flat]]",
        (Interpolation::Flat, _) => " [[flat]]",
        // Refused by `check`.
        (Interpolation::Vertices, _) => "",
        (Interpolation::Perspective, Sampling::Center) => "",
        (Interpolation::Perspective, Sampling::Centroid) => " [[centroid_perspective]]",
        (Interpolation::Perspective, Sampling::Sample) => " [[sample_perspective]]",
        (Interpolation::Linear, Sampling::Center) => " [[center_no_perspective]]",
        (Interpolation::Linear, Sampling::Centroid) => " [[centroid_no_perspective]]",
        (Interpolation::Linear, Sampling::Sample) => " [[sample_no_perspective]]",
    }
}

/// Refuses values that Metal does not hand on, or that are not written yet.
pub(crate) fn check(p: &mut Printer<'_>, id: GlobalId, content: TypeId) {
    let Some(varying) = p.module.globals[id].provision.varying.clone() else { return };
    let Some(stage) = p.stage_of(id) else { return };
    let is_known = attribute(&varying, stage).is_some()
        || matches!(varying.place, VaryingPlace::System(value) if !varying.is_output && brought(value, stage).is_some());
    if !is_known || varying.whole.is_some() {
        let name = &p.module.globals[id].name;
        let message = format!("`{name}`: the semantic `{}` is not supported for target `metal`", varying.semantic);
        return p.error(p.global_span(id), message);
    }
    if varying.interpolation == Interpolation::Vertices {
        return super::kernel::refuse(p, id, "a value as it is at each vertex");
    }
    let is_system = matches!(varying.place, VaryingPlace::System(_));
    let scalar = match p.module.types.get(content) {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } => Some(scalar),
        _ => None,
    };
    let has_type =
        matches!(scalar, Some(Scalar::F16 | Scalar::F32 | Scalar::I16 | Scalar::U16 | Scalar::I32 | Scalar::U32));
    if !is_system && !has_type {
        super::kernel::refuse(p, id, "a value of this type between stages");
    }
}

impl Text {
    pub(crate) fn of(kernel: &Kernel<'_>, this: &str) -> Text {
        let [input_struct, output_struct, input, output] = &kernel.stage_names;
        let (mut fields, mut results) = (String::new(), String::new());
        let (mut params, mut before, mut after) = (Vec::new(), String::new(), String::new());
        for part in &kernel.varyings {
            let (name, ty) = (&part.name, &part.ty);
            if let (VaryingPlace::System(value), false) = (part.varying.place, part.varying.is_output) {
                let Some(Brought { params: sources, value }) = brought(value, kernel.stage) else { continue };
                for source in sources {
                    let param = format!("{} {} [[{}]]", source.ty, source.name, source.attribute);
                    if !params.contains(&param) {
                        params.push(param);
                    }
                }
                before.push_str(&format!("    {this}.{name} = {ty}({value});\n"));
                continue;
            }
            let Some(attribute) = attribute(&part.varying, kernel.stage) else { continue };
            if part.varying.is_output {
                results.push_str(&format!("    {ty} {name} [[{attribute}]];\n"));
                after.push_str(&format!("    {output}.{name} = {this}.{name};\n"));
            } else {
                let how = if kernel.stage == Stage::Fragment { interpolation(part) } else { "" };
                fields.push_str(&format!("    {ty} {name} [[{attribute}]]{how};\n"));
                before.push_str(&format!("    {this}.{name} = {input}.{name};\n"));
            }
        }
        let mut structs = String::new();
        if !fields.is_empty() {
            structs.push_str(&format!("struct {input_struct}\n{{\n{fields}}};\n\n"));
            params.insert(0, format!("{input_struct} {input} [[stage_in]]"));
        }
        let mut result = "void";
        if !results.is_empty() {
            structs.push_str(&format!("struct {output_struct}\n{{\n{results}}};\n\n"));
            after = format!("    {output_struct} {output};\n{after}    return {output};\n");
            result = output_struct;
        }
        let early = if kernel.early_tests { "[[early_fragment_tests]]\n" } else { "" };
        let word = match kernel.stage {
            Stage::Vertex => "vertex".to_owned(),
            Stage::Fragment => format!("{early}fragment"),
            _ => "kernel".to_owned(),
        };
        Text { structs, head: format!("{word} {result}"), params, before, after }
    }
}

/// An operation of fragments; `None` for those that Metal does not have.
pub(crate) fn fragment(
    p: &mut Printer<'_>,
    f: &Function,
    op: FragmentOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let name: smol_str::SmolStr = match op {
        FragmentOp::Clip => {
            let [value] = args else { return None };
            let ty = p.type_name(value.ty, span);
            let test = match p.module.types.get(value.ty) {
                Type::Vector { .. } => format!("any(x < {ty}(0))"),
                _ => format!("x < {ty}(0)"),
            };
            p.helper(&format!("clip_{ty}"), |_, name| {
                format!("void {name}({ty} x)\n{{\n    if ({test})\n    {{\n        discard_fragment();\n    }}\n}}")
            })
        }
        FragmentOp::Discard => "discard_fragment".into(),
        FragmentOp::IsHelper => "simd_is_helper_thread".into(),
        FragmentOp::Ddx => "dfdx".into(),
        FragmentOp::Ddy => "dfdy".into(),
        FragmentOp::Fwidth => "fwidth".into(),
        FragmentOp::AttributeAtCentroid
        | FragmentOp::AttributeAtSample
        | FragmentOp::AttributeAtVertex
        | FragmentOp::AttributeSnapped
        | FragmentOp::BeginInterlock
        | FragmentOp::DdxCoarse
        | FragmentOp::DdxFine
        | FragmentOp::DdyCoarse
        | FragmentOp::DdyFine
        | FragmentOp::EndInterlock
        | FragmentOp::SampleCount
        | FragmentOp::SamplePosition
        | FragmentOp::ShadingRate
        | FragmentOp::SubpassLoad => return None,
    };
    Some((format!("{name}({})", p.list(f, args, span)), PRIMARY))
}

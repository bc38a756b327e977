//! Entry points of the stages of a pipeline: the variables that they hand on, by name or through the signature.

use ir::assembly::Assembly;
use ir::module::{EntryPoint, Stage};
use ir::provision::{Interpolation, ParameterRole, Sampling, SystemValue, Varying, VaryingPlace};
use ir::{GlobalId, HandleType, SpanId, Type};
use smol_str::{SmolStr, format_smolstr};

use super::Stages;
use super::items::Printer;
use crate::requests::Request;

impl Printer<'_> {
    /// Whether the language has entry points of a stage.
    pub(super) fn has_stage(&self, stage: Stage) -> bool {
        match stage {
            Stage::Compute => true,
            Stage::Vertex | Stage::Fragment => self.dialect.stages() != Stages::ComputeOnly,
            Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable
            | Stage::Hull
            | Stage::Domain
            | Stage::Geometry
            | Stage::Amplification
            | Stage::Mesh => match self.dialect.stages() {
                Stages::ComputeOnly | Stages::Members => false,
                Stages::Variables | Stages::Signature => true,
            },
        }
    }

    /// Whether an entry point takes nothing from the stage before and hands nothing on, so that a kernel can be all of it.
    pub(super) fn is_plain(&self, entry: &EntryPoint) -> bool {
        let number = self.module.entry_points.iter().position(|other| other.func == entry.func);
        let is_own = |role| matches!(role, ParameterRole::EntryOwn(of) if Some(of as usize) == number);
        let mut globals = self.module.globals.iter();
        self.dialect.runs_plain_stages()
            && matches!(entry.stage, Stage::Compute | Stage::Vertex | Stage::Fragment)
            && !globals.any(|(_, global)| global.provision.varying.is_some() && is_own(global.provision.role))
    }

    /// Whether the function is what the host calls, with what it is given as its parameters.
    pub(super) fn is_whole(&self, stage: Stage) -> bool {
        match stage {
            Stage::Compute => true,
            Stage::Vertex | Stage::Fragment => false,
            Stage::Hull => self.dialect.stages() == Stages::Signature,
            // These have lines in front of them in every language.
            Stage::Geometry | Stage::Domain | Stage::Mesh | Stage::Amplification => true,
            Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => self.dialect.stages() == Stages::Signature,
        }
    }

    /// Whether what the host calls stands around the function.
    pub(super) fn has_wrapper(&self, stage: Stage) -> bool {
        match self.dialect.stages() {
            Stages::Signature => matches!(stage, Stage::Vertex | Stage::Fragment),
            // One function makes a control point, another what the patch has.
            Stages::Variables => stage == Stage::Hull,
            Stages::ComputeOnly | Stages::Members => false,
        }
    }

    /// The number of the entry point of which a variable is a parameter.
    pub(super) fn receiver(&self, global: GlobalId) -> Option<u32> {
        let provision = &self.module.globals[global].provision;
        provision.varying.as_ref()?;
        let ParameterRole::EntryOwn(entry) = provision.role else { return None };
        let stage = self.module.entry_points.get(entry as usize)?.stage;
        (self.dialect.stages() == Stages::Signature && self.is_whole(stage)).then_some(entry)
    }

    /// Adds what the entry points hand on, used or not: stages must agree on it.
    pub(super) fn survey_varyings(&mut self) {
        let written: Vec<u32> = self
            .module
            .entry_points
            .iter()
            .zip(0..)
            .filter(|(entry, _)| self.legal.functions.contains(&entry.func))
            .map(|(_, number)| number)
            .collect();
        for (id, global) in self.module.globals.iter() {
            let is_written =
                matches!(global.provision.role, ParameterRole::EntryOwn(entry) if written.contains(&entry));
            if global.provision.varying.is_some() && is_written && self.list_global(id) {
                self.survey_type(global.ty);
            }
        }
    }

    /// What the language itself calls a variable that stages hand on.
    pub(super) fn varying_name(&mut self, global: GlobalId) -> Option<SmolStr> {
        let varying = self.module.globals[global].provision.varying.as_ref()?;
        let VaryingPlace::System(value) = varying.place else { return None };
        if self.dialect.stages() != Stages::Variables {
            return None;
        }
        let Type::Handle(HandleType::Variable { content }) = self.module.types.get(self.module.globals[global].ty)
        else {
            return None;
        };
        let components = match self.module.types.get(content) {
            Type::Vector { len, .. } => len,
            _ => 1,
        };
        let entry = match self.module.globals[global].provision.role {
            ParameterRole::EntryOwn(entry) => self.module.entry_points.get(entry as usize)?,
            _ => return None,
        };
        let (name, extension) = variable(value, varying, entry, components);
        if !extension.is_empty() {
            self.require(&format!("#extension {extension} : require"));
        }
        Some(name)
    }

    pub(super) fn early_tests(&self, entry: &EntryPoint) -> String {
        let words = Request::EarlyFragmentTests.words(self.dialect.target());
        let words = words.filter(|_| entry.early_fragment_tests);
        words.map_or(String::new(), |words| format!("{words}\n"))
    }

    /// The function that the host calls: it fills the variables from its parameters and returns what is in them in the end.
    pub(super) fn stage_wrapper(&mut self, number: u32, entry: &EntryPoint) {
        let (mut params, mut reads, mut fields, mut writes) = (Vec::new(), String::new(), String::new(), String::new());
        let mut namer = self.namer.clone();
        let output = namer.unique("output");
        for id in self.globals.clone() {
            let global = &self.module.globals[id];
            if global.provision.role != ParameterRole::EntryOwn(number) {
                continue;
            }
            let (Some(varying), Type::Handle(HandleType::Variable { content })) =
                (global.provision.varying.clone(), self.module.types.get(global.ty))
            else {
                continue;
            };
            let name = self.global_names[id].clone();
            let inner = namer.unique(&format!("{name}_value"));
            if let VaryingPlace::System(value) = varying.place
                && is_unknown_to_direct3d(value)
            {
                let span = self.module.funcs[entry.func].span;
                let message = format!("`{}`: the semantic `{}` is not supported", entry.name, varying.semantic);
                self.error(span, format!("{message} for target `{}`", self.dialect.target().name()));
            }
            // What each vertex has is asked for one by one.
            let of_vertices = match self.module.types.get(content) {
                Type::Array { element, len } if varying.interpolation == Interpolation::Vertices => {
                    Some((element, len))
                }
                _ => None,
            };
            let content = of_vertices.map_or(content, |(element, _)| element);
            let declarator = self.declarator(content, &inner, SpanId::NONE);
            let text = format!("{}{declarator} : {}", modifiers(&varying), varying.semantic);
            if let Some((_, count)) = of_vertices {
                params.push(text);
                for vertex in 0..count {
                    reads.push_str(&format!("    {name}[{vertex}] = GetAttributeAtVertex({inner}, {vertex});\n"));
                }
            } else if varying.is_output {
                fields.push_str(&format!("    {text};\n"));
                writes.push_str(&format!("    {output}.{inner} = {name};\n"));
            } else {
                params.push(text);
                reads.push_str(&format!("    {name} = {inner};\n"));
            }
        }
        let (called, body) = (self.dialect.entry_name(&entry.name), self.function_names[entry.func].clone());
        let params = params.join(", ");
        let early = self.early_tests(entry);
        let text = if fields.is_empty() {
            format!("{early}void {called}({params})\n{{\n{reads}    {body}();\n}}")
        } else {
            let ty = self.namer.unique(&format!("{called}_Output"));
            format!(
                "struct {ty}\n{{\n{fields}}};\n\n{early}{ty} {called}({params})\n{{\n{reads}    {body}();\n    {ty} {output};\n\
                 {writes}    return {output};\n}}"
            )
        };
        self.out.blank();
        self.out.line(SpanId::NONE, &text);
    }
}

/// What GLSL calls a value of the pipeline, as unsigned integers where it is read, and the extension that this needs.
fn variable(value: SystemValue, varying: &Varying, entry: &EntryPoint, components: u8) -> (SmolStr, &'static str) {
    let of_plane = |name: &str| {
        let number = varying.semantic.trim_start_matches(|c: char| !c.is_ascii_digit());
        (format_smolstr!("{name}[{}]", if number.is_empty() { "0" } else { number }), "")
    };
    let (name, extension) = match value {
        SystemValue::VertexIndex => ("uint(gl_VertexIndex - gl_BaseVertex)", ""),
        SystemValue::InstanceIndex => ("uint(gl_InstanceIndex - gl_BaseInstance)", ""),
        SystemValue::AbsoluteVertexIndex => ("uint(gl_VertexIndex)", ""),
        SystemValue::AbsoluteInstanceIndex => ("uint(gl_InstanceIndex)", ""),
        SystemValue::BaseVertex => ("uint(gl_BaseVertex)", ""),
        SystemValue::BaseInstance => ("uint(gl_BaseInstance)", ""),
        SystemValue::DrawIndex => ("uint(gl_DrawID)", ""),
        SystemValue::Position if varying.is_output || varying.rate.is_several() => ("gl_Position", ""),
        SystemValue::Position => ("gl_FragCoord", ""),
        SystemValue::PointSize => ("gl_PointSize", ""),
        SystemValue::ClipDistance => return of_plane("gl_ClipDistance"),
        SystemValue::CullDistance => return of_plane("gl_CullDistance"),
        // Fragments know both without an extension.
        SystemValue::Layer if varying.is_output => ("gl_Layer", layers_of(entry.stage)),
        SystemValue::Viewport if varying.is_output => ("gl_ViewportIndex", layers_of(entry.stage)),
        SystemValue::Layer => ("uint(gl_Layer)", ""),
        SystemValue::Viewport => ("uint(gl_ViewportIndex)", ""),
        SystemValue::View => ("uint(gl_ViewIndex)", "GL_EXT_multiview"),
        SystemValue::Device => ("uint(gl_DeviceIndex)", "GL_EXT_device_group"),
        SystemValue::FrontFacing => ("gl_FrontFacing", ""),
        SystemValue::SampleIndex => ("uint(gl_SampleID)", ""),
        SystemValue::PrimitiveIndex if varying.is_output => ("gl_PrimitiveID", ""),
        SystemValue::PrimitiveIndex if entry.stage == Stage::Geometry => ("uint(gl_PrimitiveIDIn)", ""),
        SystemValue::PrimitiveIndex => ("uint(gl_PrimitiveID)", ""),
        SystemValue::PointCoordinate => ("gl_PointCoord", ""),
        SystemValue::SamplePosition => ("gl_SamplePosition", ""),
        SystemValue::Barycentrics => match varying.interpolation {
            Interpolation::Linear => ("gl_BaryCoordNoPerspEXT", "GL_EXT_fragment_shader_barycentric"),
            Interpolation::Perspective | Interpolation::Flat | Interpolation::Vertices => {
                ("gl_BaryCoordEXT", "GL_EXT_fragment_shader_barycentric")
            }
        },
        SystemValue::Coverage if !varying.is_output => ("uint(gl_SampleMaskIn[0])", ""),
        SystemValue::Coverage => ("gl_SampleMask[0]", ""),
        SystemValue::ShadingRate if varying.is_output => ("gl_PrimitiveShadingRateEXT", "GL_EXT_fragment_shading_rate"),
        SystemValue::ShadingRate => ("uint(gl_ShadingRateEXT)", "GL_EXT_fragment_shading_rate"),
        SystemValue::FragmentSize => ("uvec2(gl_FragSizeEXT)", "GL_EXT_fragment_invocation_density"),
        SystemValue::FragmentInvocations => ("uint(gl_FragInvocationCountEXT)", "GL_EXT_fragment_invocation_density"),
        SystemValue::FragmentDepth | SystemValue::FragmentDepthGreater | SystemValue::FragmentDepthLess => {
            ("gl_FragDepth", "")
        }
        SystemValue::StencilReference => ("gl_FragStencilRefARB", "GL_ARB_shader_stencil_export"),
        SystemValue::ControlPointIndex | SystemValue::GeometryInstance => ("uint(gl_InvocationID)", ""),
        SystemValue::DomainLocation if components == 2 => ("gl_TessCoord.xy", ""),
        SystemValue::DomainLocation => ("gl_TessCoord", ""),
        SystemValue::EdgeFactors => ("gl_TessLevelOuter", ""),
        SystemValue::InsideFactors => ("gl_TessLevelInner", ""),
        SystemValue::CullPrimitive => ("gl_CullPrimitiveEXT", "GL_EXT_mesh_shader"),
        SystemValue::PrimitiveVertices => {
            let name = match entry.assembly {
                Assembly::Mesh { output, .. } => super::glsl::indices(output),
                Assembly::None | Assembly::Geometry { .. } | Assembly::Hull { .. } | Assembly::Domain { .. } => "",
            };
            (name, "GL_EXT_mesh_shader")
        }
    };
    (name.into(), extension)
}

/// The extension by which a stage says where is drawn: those that know of whole primitives have no need of one.
fn layers_of(stage: Stage) -> &'static str {
    match stage {
        Stage::Geometry => "",
        Stage::Mesh => "GL_EXT_mesh_shader",
        Stage::Vertex
        | Stage::Domain
        | Stage::Compute
        | Stage::Hull
        | Stage::Fragment
        | Stage::Amplification
        | Stage::RayGeneration
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss
        | Stage::Callable => "GL_ARB_shader_viewport_layer_array",
    }
}

/// Whether Vulkan alone has it.
pub(super) fn is_unknown_to_direct3d(value: SystemValue) -> bool {
    match value {
        SystemValue::AbsoluteVertexIndex
        | SystemValue::AbsoluteInstanceIndex
        | SystemValue::DrawIndex
        | SystemValue::Device
        | SystemValue::PointSize
        | SystemValue::PointCoordinate
        | SystemValue::SamplePosition
        | SystemValue::FragmentSize
        | SystemValue::FragmentInvocations => true,
        SystemValue::VertexIndex
        | SystemValue::InstanceIndex
        | SystemValue::BaseVertex
        | SystemValue::BaseInstance
        | SystemValue::Position
        | SystemValue::ClipDistance
        | SystemValue::CullDistance
        | SystemValue::Layer
        | SystemValue::Viewport
        | SystemValue::View
        | SystemValue::FrontFacing
        | SystemValue::SampleIndex
        | SystemValue::PrimitiveIndex
        | SystemValue::Barycentrics
        | SystemValue::Coverage
        | SystemValue::ShadingRate
        | SystemValue::FragmentDepth
        | SystemValue::FragmentDepthGreater
        | SystemValue::FragmentDepthLess
        | SystemValue::StencilReference
        | SystemValue::ControlPointIndex
        | SystemValue::GeometryInstance
        | SystemValue::DomainLocation
        | SystemValue::EdgeFactors
        | SystemValue::InsideFactors
        | SystemValue::PrimitiveVertices
        | SystemValue::CullPrimitive => false,
    }
}

pub(super) fn modifiers(varying: &Varying) -> String {
    let interpolation = match varying.interpolation {
        Interpolation::Perspective => "",
        Interpolation::Linear => "noperspective ",
        Interpolation::Flat | Interpolation::Vertices => "nointerpolation ",
    };
    let sampling = match varying.sampling {
        Sampling::Center => "",
        Sampling::Centroid => "centroid ",
        Sampling::Sample => "sample ",
    };
    format!("{interpolation}{sampling}")
}

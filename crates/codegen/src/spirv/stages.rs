//! Entry points of all stages: what the stage before hands on, what the pipeline gives and takes, and what only fragments do.

use std::collections::BTreeSet;

use ir::intrinsic::{FragmentOp, GridOp, SystemOp};
use ir::module::{EntryPoint, Stage};
use ir::provision::{
    DataLayout, Interpolation, Message, ParameterRole, Rate, Sampling, SystemValue, Varying, VaryingPlace,
};
use ir::{Builtin, GlobalId, HandleType, Intrinsic, Scalar, Type, TypeId};
use spirv::{BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Op, Scope, StorageClass};

use super::ModuleWriter;
use super::assembly;
use super::function::FunctionWriter;
use super::globals::{Memory, Shape};
use super::words::Id;
use crate::tree::Expr;
use crate::{EmitError, legalise};

/// The execution model of a stage.
fn model(stage: Stage) -> ExecutionModel {
    match stage {
        Stage::Compute => ExecutionModel::GLCompute,
        Stage::Vertex => ExecutionModel::Vertex,
        Stage::Hull => ExecutionModel::TessellationControl,
        Stage::Domain => ExecutionModel::TessellationEvaluation,
        Stage::Geometry => ExecutionModel::Geometry,
        Stage::Amplification => ExecutionModel::TaskEXT,
        Stage::Mesh => ExecutionModel::MeshEXT,
        Stage::Fragment => ExecutionModel::Fragment,
        Stage::RayGeneration => ExecutionModel::RayGenerationKHR,
        Stage::Intersection => ExecutionModel::IntersectionKHR,
        Stage::AnyHit => ExecutionModel::AnyHitKHR,
        Stage::ClosestHit => ExecutionModel::ClosestHitKHR,
        Stage::Miss => ExecutionModel::MissKHR,
        Stage::Callable => ExecutionModel::CallableKHR,
    }
}

/// What the pipeline calls a value, and what a device must have for it.
struct Machine {
    builtin: BuiltIn,
    capability: Option<Capability>,
    extension: Option<&'static str>,
}

fn machine(value: SystemValue, varying: &Varying, entry: &EntryPoint) -> Machine {
    let stage = entry.stage;
    let of = |builtin, capability, extension| Machine { builtin, capability, extension };
    let is_output = varying.is_output;
    match value {
        SystemValue::VertexIndex | SystemValue::AbsoluteVertexIndex => of(BuiltIn::VertexIndex, None, None),
        SystemValue::InstanceIndex | SystemValue::AbsoluteInstanceIndex => of(BuiltIn::InstanceIndex, None, None),
        SystemValue::BaseVertex => of(BuiltIn::BaseVertex, Some(Capability::DrawParameters), None),
        SystemValue::BaseInstance => of(BuiltIn::BaseInstance, Some(Capability::DrawParameters), None),
        SystemValue::DrawIndex => of(BuiltIn::DrawIndex, Some(Capability::DrawParameters), None),
        SystemValue::Position if stage == Stage::Fragment => of(BuiltIn::FragCoord, None, None),
        SystemValue::Position => of(BuiltIn::Position, None, None),
        SystemValue::PointSize => of(BuiltIn::PointSize, assembly::size_of_points(stage), None),
        SystemValue::ClipDistance => of(BuiltIn::ClipDistance, Some(Capability::ClipDistance), None),
        SystemValue::CullDistance => of(BuiltIn::CullDistance, Some(Capability::CullDistance), None),
        // The stages that know of whole primitives say it without a capability more.
        SystemValue::Layer if is_output && matches!(stage, Stage::Geometry | Stage::Mesh) => {
            of(BuiltIn::Layer, None, None)
        }
        SystemValue::Viewport if is_output && stage == Stage::Mesh => of(BuiltIn::ViewportIndex, None, None),
        SystemValue::Viewport if is_output && stage == Stage::Geometry => {
            of(BuiltIn::ViewportIndex, Some(Capability::MultiViewport), None)
        }
        SystemValue::Layer if is_output => of(BuiltIn::Layer, Some(Capability::ShaderLayer), None),
        SystemValue::Viewport if is_output => of(BuiltIn::ViewportIndex, Some(Capability::ShaderViewportIndex), None),
        SystemValue::Layer => of(BuiltIn::Layer, Some(Capability::Geometry), None),
        SystemValue::Viewport => of(BuiltIn::ViewportIndex, Some(Capability::MultiViewport), None),
        SystemValue::View => of(BuiltIn::ViewIndex, Some(Capability::MultiView), None),
        SystemValue::Device => of(BuiltIn::DeviceIndex, Some(Capability::DeviceGroup), None),
        SystemValue::FrontFacing => of(BuiltIn::FrontFacing, None, None),
        SystemValue::SampleIndex => of(BuiltIn::SampleId, Some(Capability::SampleRateShading), None),
        SystemValue::PrimitiveIndex if stage == Stage::Fragment => {
            of(BuiltIn::PrimitiveId, Some(Capability::Geometry), None)
        }
        SystemValue::PrimitiveIndex => of(BuiltIn::PrimitiveId, None, None),
        SystemValue::PointCoordinate => of(BuiltIn::PointCoord, None, None),
        SystemValue::SamplePosition => of(BuiltIn::SamplePosition, Some(Capability::SampleRateShading), None),
        SystemValue::Barycentrics => {
            let builtin = match varying.interpolation {
                Interpolation::Linear => BuiltIn::BaryCoordNoPerspKHR,
                Interpolation::Perspective | Interpolation::Flat | Interpolation::Vertices => BuiltIn::BaryCoordKHR,
            };
            of(builtin, Some(Capability::FragmentBarycentricKHR), Some("SPV_KHR_fragment_shader_barycentric"))
        }
        SystemValue::Coverage => of(BuiltIn::SampleMask, None, None),
        SystemValue::ShadingRate => {
            let builtin = if is_output { BuiltIn::PrimitiveShadingRateKHR } else { BuiltIn::ShadingRateKHR };
            of(builtin, Some(Capability::FragmentShadingRateKHR), Some("SPV_KHR_fragment_shading_rate"))
        }
        SystemValue::FragmentSize => {
            of(BuiltIn::FragSizeEXT, Some(Capability::FragmentDensityEXT), Some("SPV_EXT_fragment_invocation_density"))
        }
        SystemValue::FragmentInvocations => of(
            BuiltIn::FragInvocationCountEXT,
            Some(Capability::FragmentDensityEXT),
            Some("SPV_EXT_fragment_invocation_density"),
        ),
        SystemValue::FragmentDepth | SystemValue::FragmentDepthGreater | SystemValue::FragmentDepthLess => {
            of(BuiltIn::FragDepth, None, None)
        }
        SystemValue::ControlPointIndex | SystemValue::GeometryInstance => of(BuiltIn::InvocationId, None, None),
        SystemValue::DomainLocation => of(BuiltIn::TessCoord, None, None),
        SystemValue::EdgeFactors => of(BuiltIn::TessLevelOuter, None, None),
        SystemValue::InsideFactors => of(BuiltIn::TessLevelInner, None, None),
        SystemValue::PrimitiveVertices => of(assembly::indices(&entry.assembly), None, None),
        SystemValue::CullPrimitive => of(BuiltIn::CullPrimitiveEXT, None, None),
        SystemValue::StencilReference => {
            of(BuiltIn::FragStencilRefEXT, Some(Capability::StencilExportEXT), Some("SPV_EXT_shader_stencil_export"))
        }
    }
}

/// The number behind the name of a semantic.
fn number_of(varying: &Varying) -> u32 {
    varying.semantic.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0)
}

impl ModuleWriter<'_> {
    /// Whether everything is run for fragments.
    pub(super) fn is_for_fragments(&self) -> bool {
        let mut entries = self.module.entry_points.iter().filter(|entry| self.legal.functions.contains(&entry.func));
        let is_fragment = |entry: &EntryPoint| entry.stage == Stage::Fragment;
        entries.clone().next().is_some() && entries.all(is_fragment)
    }

    /// The entry point that has a variable for itself.
    fn entry_of(&self, global: GlobalId) -> Result<EntryPoint, String> {
        let entry = match self.module.globals[global].provision.role {
            ParameterRole::EntryOwn(entry) => self.module.entry_points.get(entry as usize),
            _ => None,
        };
        entry.cloned().ok_or_else(|| "it is of no entry point".into())
    }

    /// A variable that stages or shaders hand on.
    pub(super) fn declare_varying(
        &mut self,
        global: GlobalId,
        varying: &Varying,
        content: TypeId,
        name: &str,
    ) -> Result<Memory, String> {
        let handle = HandleType::Variable { content };
        let class = if varying.is_output { StorageClass::Output } else { StorageClass::Input };
        match varying.place {
            VaryingPlace::Message(message) => {
                let class = match (message, varying.is_output) {
                    (Message::RayPayload(_), true) => StorageClass::RayPayloadKHR,
                    (Message::RayPayload(_), false) => StorageClass::IncomingRayPayloadKHR,
                    (Message::CallableData(_), true) => StorageClass::CallableDataKHR,
                    (Message::CallableData(_), false) => StorageClass::IncomingCallableDataKHR,
                    (Message::HitAttributes, _) => StorageClass::HitAttributeKHR,
                    (Message::MeshPayload, _) => StorageClass::TaskPayloadWorkgroupEXT,
                };
                let ty = self.value_type(content)?;
                let variable = self.out.variable(class, ty, None);
                self.out.name(variable, name);
                if let (Message::RayPayload(number) | Message::CallableData(number), true) =
                    (message, varying.is_output)
                {
                    self.out.decorate(variable, Decoration::Location, &[number]);
                }
                Ok(Memory { variable, class, handle, rules: None, ty, shape: Shape::Plain })
            }
            VaryingPlace::Location(location) => {
                // Truth values are words between stages.
                let rules = Some(DataLayout::Scalar);
                let entry = self.entry_of(global)?;
                let (ty, shape) = match self.one_of_several(varying, content) {
                    Some((element, count)) => {
                        let element = self.memory_type(element, DataLayout::Scalar)?;
                        (self.several(element, assembly::count(&entry, varying, count)), Shape::Parts)
                    }
                    None => (self.memory_type(content, DataLayout::Scalar)?, Shape::Plain),
                };
                self.require_storage(content, class);
                let variable = self.out.variable(class, ty, None);
                self.out.name(variable, name);
                self.out.decorate(variable, Decoration::Location, &[location]);
                if varying.is_second_source {
                    self.out.decorate(variable, Decoration::Index, &[1]);
                }
                self.decorate_rate(variable, varying);
                self.decorate_interpolation(variable, varying, content, entry.stage);
                Ok(Memory { variable, class, handle, rules, ty, shape })
            }
            VaryingPlace::System(value) => self.declare_system_value(global, varying, value, content, name),
        }
    }

    fn decorate_interpolation(&mut self, variable: Id, varying: &Varying, content: TypeId, stage: Stage) {
        // What comes from buffers of vertices or from other vertices, and what goes into images, is never interpolated.
        let is_interpolated = match stage {
            Stage::Vertex | Stage::Domain | Stage::Geometry | Stage::Mesh => varying.is_output,
            Stage::Fragment => !varying.is_output,
            Stage::Hull
            | Stage::Compute
            | Stage::Amplification
            | Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => false,
        };
        // What a primitive has is the same in all of it.
        if !is_interpolated || matches!(varying.rate, Rate::Primitive | Rate::Patch) {
            return;
        }
        if varying.interpolation == Interpolation::Vertices {
            self.out.require(Capability::FragmentBarycentricKHR);
            self.out.require_extension("SPV_KHR_fragment_shader_barycentric");
            self.out.decorate(variable, Decoration::PerVertexKHR, &[]);
            return;
        }
        let content = self.one_of_several(varying, content).map_or(content, |(element, _)| element);
        let is_whole = match self.module.types.get(content) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } => !scalar.is_float() || scalar == Scalar::F64,
            _ => false,
        };
        if varying.interpolation == Interpolation::Flat || is_whole {
            self.out.decorate(variable, Decoration::Flat, &[]);
            return;
        }
        if varying.interpolation == Interpolation::Linear {
            self.out.decorate(variable, Decoration::NoPerspective, &[]);
        }
        match varying.sampling {
            Sampling::Center => {}
            Sampling::Centroid => self.out.decorate(variable, Decoration::Centroid, &[]),
            Sampling::Sample => {
                self.out.require(Capability::SampleRateShading);
                self.out.decorate(variable, Decoration::Sample, &[]);
            }
        }
    }

    fn declare_system_value(
        &mut self,
        global: GlobalId,
        varying: &Varying,
        value: SystemValue,
        content: TypeId,
        name: &str,
    ) -> Result<Memory, String> {
        let entry = self.entry_of(global)?;
        let class = if varying.is_output { StorageClass::Output } else { StorageClass::Input };
        let handle = HandleType::Variable { content };
        let Machine { builtin, capability, extension } = machine(value, varying, &entry);
        if let Some(capability) = capability {
            self.out.require(capability);
        }
        if let Some(extension) = extension {
            self.out.require_extension(extension);
        }
        let first = match value {
            SystemValue::VertexIndex => Some(BuiltIn::BaseVertex),
            SystemValue::InstanceIndex => Some(BuiltIn::BaseInstance),
            _ => None,
        };
        if let Some(first) = first {
            self.out.require(Capability::DrawParameters);
            let ty = self.value_type(content)?;
            let first = self.builtin_variable(first, ty);
            self.first_numbers.insert(global, first);
        }
        let several = self.one_of_several(varying, content);
        let one = several.map_or(content, |(element, _)| element);
        let components = match self.module.types.get(one) {
            Type::Vector { len, .. } => len,
            _ => 1,
        };
        // Some are arrays of what the program knows one by one, or larger than what it asks for.
        let (ty, shape) = match (value, several) {
            (SystemValue::ClipDistance | SystemValue::CullDistance, None) => {
                (self.value_type(one)?, Shape::Element(number_of(varying)))
            }
            (SystemValue::ClipDistance | SystemValue::CullDistance, Some(_)) => {
                (self.value_type(one)?, Shape::ElementOfEach(number_of(varying)))
            }
            (SystemValue::Coverage, _) => (self.value_type(one)?, Shape::Element(0)),
            (SystemValue::DomainLocation, _) if components < 3 => (self.vector_type(Scalar::F32, 3), Shape::Parts),
            (SystemValue::EdgeFactors, _) => (self.factors(4), Shape::Parts),
            (SystemValue::InsideFactors, _) => (self.factors(2), Shape::Parts),
            (_, Some(_)) => (self.value_type(one)?, Shape::Parts),
            (_, None) => (self.value_type(one)?, Shape::Plain),
        };
        let role = self.module.globals[global].provision.role;
        let key = (
            builtin as u32,
            class as u32,
            match role {
                ParameterRole::EntryOwn(entry) => entry,
                _ => u32::MAX,
            },
        );
        if let Some(&variable) = self.system_values.get(&key) {
            return Ok(Memory { variable, class, handle, rules: None, ty, shape });
        }
        let mut whole = match shape {
            Shape::Element(_) | Shape::ElementOfEach(_) => {
                let same = self.module.globals.iter().filter(|(_, other)| {
                    let place = other.provision.varying.as_ref().map(|other| (other.place, other.is_output));
                    other.provision.role == role && place == Some((varying.place, varying.is_output))
                });
                let numbers = same.filter_map(|(_, other)| other.provision.varying.as_ref().map(number_of));
                let count = if value == SystemValue::Coverage { 1 } else { numbers.max().unwrap_or(0) + 1 };
                let count = self.out_u32(count);
                self.out.ty(Op::TypeArray, &[ty.0, count.0])
            }
            Shape::Plain | Shape::Block | Shape::Parts => ty,
        };
        if let Some((_, count)) = several {
            whole = self.several(whole, assembly::count(&entry, varying, count));
        }
        let variable = self.out.variable(class, whole, None);
        self.out.name(variable, name);
        self.out.decorate_builtin(variable, builtin);
        if value != SystemValue::PrimitiveVertices {
            self.decorate_rate(variable, varying);
        }
        let is_integer = match self.module.types.get(content) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } => scalar.is_integer(),
            _ => false,
        };
        if entry.stage == Stage::Fragment && !varying.is_output && is_integer {
            self.out.decorate(variable, Decoration::Flat, &[]);
        }
        self.system_values.insert(key, variable);
        Ok(Memory { variable, class, handle, rules: None, ty, shape })
    }

    /// An input that the machine gives.
    pub(super) fn builtin_variable(&mut self, builtin: BuiltIn, ty: Id) -> Id {
        if let Some(&variable) = self.builtins.get(&(builtin as u32)) {
            return variable;
        }
        let variable = self.out.variable(StorageClass::Input, ty, None);
        self.out.decorate_builtin(variable, builtin);
        let is_whole = ty == self.scalar_type(Scalar::U32) || ty == self.scalar_type(Scalar::I32);
        if is_whole && self.is_for_fragments() {
            self.out.decorate(variable, Decoration::Flat, &[]);
        }
        self.builtins.insert(builtin as u32, variable);
        variable
    }

    /// Makes a function what the host starts. `uses` are the variables that it and those that it calls use.
    pub(super) fn entry_point(&mut self, entry: &EntryPoint, id: Id, uses: &BTreeSet<Id>) -> Result<(), String> {
        self.out.entry_point(model(entry.stage), id, &entry.name, uses);
        match entry.stage {
            Stage::Compute | Stage::Mesh | Stage::Amplification => {
                self.out.execution_mode(id, ExecutionMode::LocalSize, &entry.group_size)
            }
            Stage::Fragment => {
                self.out.execution_mode(id, ExecutionMode::OriginUpperLeft, &[]);
                if legalise::has_interlocks(self.module, entry) {
                    self.out.execution_mode(id, ExecutionMode::PixelInterlockOrderedEXT, &[]);
                }
                if entry.early_fragment_tests {
                    self.out.execution_mode(id, ExecutionMode::EarlyFragmentTests, &[]);
                }
                self.fragment_modes(id, uses);
            }
            Stage::Vertex
            | Stage::Hull
            | Stage::Domain
            | Stage::Geometry
            | Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => {}
        }
        if entry.stage.traces_rays() {
            self.require_ray_tracing();
        }
        self.assembly_modes(entry, id)
    }

    /// What a fragment's results ask for.
    fn fragment_modes(&mut self, id: Id, uses: &BTreeSet<Id>) {
        let mut modes = BTreeSet::new();
        for (global, memory) in self.globals.iter() {
            let Some(varying) = &self.module.globals[global].provision.varying else { continue };
            let VaryingPlace::System(value) = varying.place else { continue };
            if !uses.contains(&memory.variable) || !varying.is_output {
                continue;
            }
            match value {
                SystemValue::FragmentDepth => modes.extend([ExecutionMode::DepthReplacing]),
                SystemValue::FragmentDepthGreater => {
                    modes.extend([ExecutionMode::DepthReplacing, ExecutionMode::DepthGreater]);
                }
                SystemValue::FragmentDepthLess => {
                    modes.extend([ExecutionMode::DepthReplacing, ExecutionMode::DepthLess]);
                }
                SystemValue::StencilReference => modes.extend([ExecutionMode::StencilRefReplacingEXT]),
                _ => {}
            }
        }
        for mode in modes {
            self.out.execution_mode(id, mode, &[]);
        }
    }
}

impl FunctionWriter<'_, '_> {
    /// A value that the machine gives.
    pub(super) fn input(&mut self, builtin: BuiltIn, ty: TypeId) -> Result<Id, EmitError> {
        let ty = self.value_type(ty)?;
        let variable = self.module.builtin_variable(builtin, ty);
        self.uses.insert(variable);
        Ok(self.value(Op::Load, ty, &[variable]))
    }

    pub(super) fn builtin(&mut self, builtin: Builtin, ty: TypeId) -> Result<Id, EmitError> {
        let builtin = match builtin {
            Builtin::DispatchThreadId => BuiltIn::GlobalInvocationId,
            Builtin::GroupThreadId => BuiltIn::LocalInvocationId,
            Builtin::GroupId => BuiltIn::WorkgroupId,
            Builtin::GroupIndex => BuiltIn::LocalInvocationIndex,
        };
        self.input(builtin, ty)
    }

    pub(super) fn grid(&mut self, op: GridOp, ty: TypeId) -> Result<Id, EmitError> {
        match op {
            GridOp::WorkGroupCount => self.input(BuiltIn::NumWorkgroups, ty),
            GridOp::UniformLoad
            | GridOp::WorkGroupSize
            | GridOp::CudaBlockIndex
            | GridOp::CudaBlockSize
            | GridOp::CudaSyncStream
            | GridOp::CudaThreadIndex => Err(self.refused(Intrinsic::Grid(op))),
        }
    }

    /// How much a value changes between neighbouring pixels.
    pub(super) fn derivative(&mut self, op: FragmentOp, args: &[Expr], ty: TypeId) -> Result<Id, EmitError> {
        let (operation, needs_control) = match op {
            FragmentOp::IsHelper => return self.is_helper(ty),
            FragmentOp::Ddx => (Op::DPdx, false),
            FragmentOp::DdxCoarse => (Op::DPdxCoarse, true),
            FragmentOp::DdxFine => (Op::DPdxFine, true),
            FragmentOp::Ddy => (Op::DPdy, false),
            FragmentOp::DdyCoarse => (Op::DPdyCoarse, true),
            FragmentOp::DdyFine => (Op::DPdyFine, true),
            FragmentOp::Fwidth => (Op::Fwidth, false),
            FragmentOp::Clip
            | FragmentOp::Discard
            | FragmentOp::AttributeAtCentroid
            | FragmentOp::AttributeAtSample
            | FragmentOp::AttributeAtVertex
            | FragmentOp::AttributeSnapped
            | FragmentOp::BeginInterlock
            | FragmentOp::EndInterlock
            | FragmentOp::SampleCount
            | FragmentOp::SamplePosition
            | FragmentOp::ShadingRate
            | FragmentOp::SubpassLoad => return Err(self.refused(Intrinsic::Fragment(op))),
        };
        let [value] = args else { return Err(self.refused(Intrinsic::Fragment(op))) };
        self.ask_for_fragments(op)?;
        if needs_control {
            self.module.out.require(Capability::DerivativeControl);
        }
        // Only floats of 32 bits have them.
        let (scalar, len) = (self.scalar_of(value.ty), self.len_of(value.ty));
        if scalar == Scalar::F64 || !matches!(self.type_of(ty), Type::Scalar(_) | Type::Vector { .. }) {
            return Err(self.refused(Intrinsic::Fragment(op)));
        }
        let value = self.expr(value)?;
        let value = self.convert_scalar(value, scalar, Scalar::F32, len);
        let float = self.module.vector_type(Scalar::F32, len);
        let derivative = self.value(operation, float, &[value]);
        Ok(self.convert_scalar(derivative, Scalar::F32, scalar, len))
    }

    /// Whether it is a fragment that is only there for the derivatives of its neighbours.
    fn is_helper(&mut self, ty: TypeId) -> Result<Id, EmitError> {
        self.ask_for_fragments(FragmentOp::IsHelper)?;
        self.module.out.require(Capability::DemoteToHelperInvocation);
        self.module.out.require_extension("SPV_EXT_demote_to_helper_invocation");
        let ty = self.value_type(ty)?;
        Ok(self.value(Op::IsHelperInvocationEXT, ty, &[]))
    }

    /// A running clock: that of the device, or that of the wave.
    pub(super) fn clock(&mut self, op: SystemOp, ty: TypeId) -> Result<Id, EmitError> {
        let scope = match op {
            SystemOp::Clock | SystemOp::ClockLow => Scope::Device,
            SystemOp::Clock64 => Scope::Subgroup,
            SystemOp::Abort | SystemOp::DebugBreak => return Err(self.refused(Intrinsic::System(op))),
        };
        self.module.out.require(Capability::ShaderClockKHR);
        self.module.out.require_extension("SPV_KHR_shader_clock");
        let scope = self.u32(scope as u32);
        let value_type = self.value_type(ty)?;
        if op != SystemOp::ClockLow {
            return Ok(self.value(Op::ReadClockKHR, value_type, &[scope]));
        }
        let pair = self.module.vector_type(Scalar::U32, 2);
        let both = self.value(Op::ReadClockKHR, pair, &[scope]);
        Ok(self.extract(value_type, both, &[0]))
    }

    fn ask_for_fragments(&self, op: FragmentOp) -> Result<(), EmitError> {
        match self.module.is_for_fragments() {
            true => Ok(()),
            false => Err(self.refused(Intrinsic::Fragment(op))),
        }
    }

    /// Ends the fragment if a component is negative.
    pub(super) fn clip(&mut self, args: &[Expr]) -> Result<(), EmitError> {
        let [value] = args else { return Err(self.refused(Intrinsic::Fragment(FragmentOp::Clip))) };
        self.ask_for_fragments(FragmentOp::Clip)?;
        let (ty, len) = (self.value_type(value.ty)?, self.len_of(value.ty));
        let is_float = self.scalar_of(value.ty).is_float();
        let left = self.expr(value)?;
        let zero = self.module.null(ty);
        let truths = self.module.vector_type(Scalar::Bool, len);
        let op = if is_float { Op::FOrdLessThan } else { Op::SLessThan };
        let mut cond = self.value(op, truths, &[left, zero]);
        if len > 1 {
            let bool_ = self.module.scalar_type(Scalar::Bool);
            cond = self.value(Op::Any, bool_, &[cond]);
        }
        let kill = |f: &mut Self| {
            f.terminate(Op::Kill, &[]);
            Ok(())
        };
        self.selection(cond, None, kill, |_| Ok(()), true)
    }

    /// Where fragments of one pixel begin or end to pass one after the other.
    pub(super) fn interlock(&mut self, op: FragmentOp) -> Result<(), EmitError> {
        self.ask_for_fragments(op)?;
        self.module.out.require(Capability::FragmentShaderPixelInterlockEXT);
        self.module.out.require_extension("SPV_EXT_fragment_shader_interlock");
        match op {
            FragmentOp::BeginInterlock => self.push(Op::BeginInvocationInterlockEXT, &[]),
            _ => self.push(Op::EndInvocationInterlockEXT, &[]),
        }
        Ok(())
    }

    /// Ends the fragment.
    pub(super) fn discard(&mut self) -> Result<(), EmitError> {
        self.ask_for_fragments(FragmentOp::Discard)?;
        self.terminate(Op::Kill, &[]);
        Ok(())
    }
}

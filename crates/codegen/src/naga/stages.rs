//! Entry points of vertex and fragment shaders: a function whose arguments fill the variables that the program reads, and
//! whose result is what the program has put into those that it writes. And what only fragments can do.

use ir::module::{EntryPoint, Stage};
use ir::provision::{ParameterRole, Sampling as IrSampling, SystemValue, Varying, VaryingPlace};
use ir::{HandleType, Intrinsic, Type, TypeId, intrinsic::FragmentOp};
use naga::{
    BinaryOperator, Binding, Block, BuiltIn, DerivativeAxis, DerivativeControl, Expression, Function, FunctionArgument,
    FunctionResult, Handle, Interpolation, Literal, RelationalFunction, Sampling, Span, Statement, StructMember,
    TypeInner, VectorSize,
};

use super::ModuleWriter;
use super::function::FunctionWriter;
use crate::EmitError;
use crate::tree::Expr;

impl ModuleWriter<'_> {
    /// Whether everything is run for fragments.
    pub(super) fn is_for_fragments(&self) -> bool {
        let mut entries = self.module.entry_points.iter().filter(|entry| self.legal.functions.contains(&entry.func));
        let is_fragment = |entry: &EntryPoint| entry.stage == Stage::Fragment;
        entries.clone().next().is_some() && entries.all(is_fragment)
    }

    /// The entry point around the function that the program has for it.
    pub(super) fn stage_function(&mut self, entry: &EntryPoint, called: Handle<Function>) -> Result<Function, String> {
        let number = self.module.entry_points.iter().position(|other| other.func == entry.func).unwrap_or(0) as u32;
        let mut function = Function::default();
        let mut outputs: Vec<(Varying, TypeId, Handle<Expression>, String)> = Vec::new();
        for (id, memory) in self.globals.iter() {
            let global = &self.module.globals[id];
            let (Some(varying), Type::Handle(HandleType::Variable { content })) =
                (&global.provision.varying, self.module.types.get(global.ty))
            else {
                continue;
            };
            let is_message = matches!(varying.place, VaryingPlace::Message(_));
            if global.provision.role != ParameterRole::EntryOwn(number) || is_message {
                continue;
            }
            let pointer = function.expressions.append(Expression::GlobalVariable(memory.variable), Span::UNDEFINED);
            outputs.push((varying.clone(), content, pointer, global.name.to_string()));
        }
        let (outputs, inputs): (Vec<_>, Vec<_>) = outputs.into_iter().partition(|(varying, ..)| varying.is_output);
        for (varying, content, pointer, name) in inputs {
            let value = self.argument(&mut function, name, content, self.binding(entry.stage, &varying)?)?;
            function.body.push(Statement::Store { pointer, value }, Span::UNDEFINED);
        }
        for (builtin, variable) in self.wave_inputs.clone() {
            let ty = self.add_type(None, TypeInner::Scalar(naga::Scalar::U32))?;
            let index = function.arguments.len() as u32;
            let binding = Some(Binding::BuiltIn(builtin));
            function.arguments.push(FunctionArgument { name: None, ty, binding });
            let value = function.expressions.append(Expression::FunctionArgument(index), Span::UNDEFINED);
            let pointer = function.expressions.append(Expression::GlobalVariable(variable), Span::UNDEFINED);
            function.body.push(Statement::Store { pointer, value }, Span::UNDEFINED);
        }
        let call = Statement::Call { function: called, arguments: Vec::new(), result: None };
        function.body.push(call, Span::UNDEFINED);
        let has_two_sources = outputs.iter().any(|(varying, ..)| varying.is_second_source);
        let (mut members, mut components, mut end) = (Vec::new(), Vec::new(), 0);
        for (varying, content, pointer, name) in outputs {
            let ty = self.value_type(content)?;
            let (size, align) = size_and_alignment(&self.out.types[ty].inner)?;
            let offset = u32::next_multiple_of(end, align);
            end = offset + size;
            members.push(StructMember {
                name: Some(name),
                ty,
                binding: Some(self.output_binding(entry.stage, &varying, has_two_sources)?),
                offset,
            });
            components.push(evaluated(&mut function, Expression::Load { pointer }));
        }
        // naga asks for it; what nobody writes has no value that anybody may rely on.
        let has_position =
            |member: &StructMember| matches!(member.binding, Some(Binding::BuiltIn(BuiltIn::Position { .. })));
        if entry.stage == Stage::Vertex && !members.iter().any(has_position) {
            let scalar = naga::Scalar::F32;
            let ty = self.add_type(None, TypeInner::Vector { size: VectorSize::Quad, scalar })?;
            let binding = Some(Binding::BuiltIn(BuiltIn::Position { invariant: false }));
            let offset = u32::next_multiple_of(end, 16);
            end = offset + 16;
            members.push(StructMember { name: Some("position".into()), ty, binding, offset });
            components.push(function.expressions.append(Expression::ZeroValue(ty), Span::UNDEFINED));
        }
        let value = if members.is_empty() {
            None
        } else {
            let inner = TypeInner::Struct { members, span: end.next_multiple_of(16) };
            let ty = self.add_type(Some(format!("{}_Output", entry.name)), inner)?;
            function.result = Some(FunctionResult { ty, binding: None });
            Some(evaluated(&mut function, Expression::Compose { ty, components }))
        };
        function.body.push(Statement::Return { value }, Span::UNDEFINED);
        Ok(function)
    }

    fn argument(
        &mut self,
        function: &mut Function,
        name: String,
        content: TypeId,
        binding: Binding,
    ) -> Result<Handle<Expression>, String> {
        let ty = self.value_type(content)?;
        let index = function.arguments.len() as u32;
        function.arguments.push(FunctionArgument { name: Some(name), ty, binding: Some(binding) });
        Ok(function.expressions.append(Expression::FunctionArgument(index), Span::UNDEFINED))
    }

    /// Where two sources are blended, each says which one it is.
    fn output_binding(&self, stage: Stage, varying: &Varying, has_two_sources: bool) -> Result<Binding, String> {
        Ok(match (self.binding(stage, varying)?, varying.place) {
            (Binding::Location { interpolation, sampling, per_primitive, .. }, VaryingPlace::Location(location))
                if has_two_sources =>
            {
                let blend_src = Some(u32::from(varying.is_second_source));
                Binding::Location { location, interpolation, sampling, blend_src, per_primitive }
            }
            (binding, _) => binding,
        })
    }

    fn binding(&self, stage: Stage, varying: &Varying) -> Result<Binding, String> {
        let value = match varying.place {
            // What comes from buffers of vertices, and what goes into images, is never interpolated.
            VaryingPlace::Location(location) if varying.is_output != (stage == Stage::Vertex) => {
                // As slangc does it: `SV_Target2` goes to location 2 in WGSL, and to the next one in SPIR-V.
                let target = varying.semantic.strip_prefix("SV_TARGET").and_then(|number| number.parse().ok());
                let location = target.unwrap_or(location);
                let (interpolation, sampling, blend_src) = (None, None, None);
                return Ok(Binding::Location { location, interpolation, sampling, blend_src, per_primitive: false });
            }
            VaryingPlace::Location(location) => {
                let interpolation = match varying.interpolation {
                    ir::provision::Interpolation::Perspective => Interpolation::Perspective,
                    ir::provision::Interpolation::Linear => Interpolation::Linear,
                    ir::provision::Interpolation::Flat => Interpolation::Flat,
                    ir::provision::Interpolation::Vertices => {
                        return Err(
                            "an input with the values of all vertices is not supported for target `wgsl`".into()
                        );
                    }
                };
                let sampling = match varying.sampling {
                    IrSampling::Center => Sampling::Center,
                    IrSampling::Centroid => Sampling::Centroid,
                    IrSampling::Sample => Sampling::Sample,
                };
                let sampling = (interpolation != Interpolation::Flat).then_some(sampling);
                return Ok(Binding::Location {
                    location,
                    interpolation: Some(interpolation),
                    sampling,
                    blend_src: None,
                    per_primitive: false,
                });
            }
            VaryingPlace::System(value) => value,
            VaryingPlace::Message(_) => {
                return Err(format!("what rays carry is not supported for target `{}`", self.reader.name()));
            }
        };
        Ok(Binding::BuiltIn(match value {
            SystemValue::VertexIndex | SystemValue::AbsoluteVertexIndex => BuiltIn::VertexIndex,
            SystemValue::InstanceIndex | SystemValue::AbsoluteInstanceIndex => BuiltIn::InstanceIndex,
            SystemValue::Position => BuiltIn::Position { invariant: false },
            SystemValue::FrontFacing => BuiltIn::FrontFacing,
            SystemValue::SampleIndex => BuiltIn::SampleIndex,
            SystemValue::PrimitiveIndex => BuiltIn::PrimitiveIndex,
            SystemValue::Coverage => BuiltIn::SampleMask,
            // That it is on one side of the surface is a promise, of which other languages make use.
            SystemValue::FragmentDepth | SystemValue::FragmentDepthGreater | SystemValue::FragmentDepthLess => {
                BuiltIn::FragDepth
            }
            SystemValue::PointSize
            | SystemValue::BaseVertex
            | SystemValue::BaseInstance
            | SystemValue::DrawIndex
            | SystemValue::View
            | SystemValue::PointCoordinate
            | SystemValue::Barycentrics
            | SystemValue::ClipDistance
            | SystemValue::CullDistance
            | SystemValue::Layer
            | SystemValue::Viewport
            | SystemValue::Device
            | SystemValue::SamplePosition
            | SystemValue::ShadingRate
            | SystemValue::FragmentSize
            | SystemValue::FragmentInvocations
            | SystemValue::StencilReference
            | SystemValue::ControlPointIndex
            | SystemValue::DomainLocation
            | SystemValue::EdgeFactors
            | SystemValue::InsideFactors
            | SystemValue::GeometryInstance
            | SystemValue::PrimitiveVertices
            | SystemValue::CullPrimitive => {
                let target = self.reader.name();
                return Err(format!("the semantic `{}` is not supported for target `{target}`", varying.semantic));
            }
        }))
    }
}

/// Adds an expression that is evaluated at the end of the body.
fn evaluated(function: &mut Function, expression: Expression) -> Handle<Expression> {
    let before = function.expressions.len();
    let handle = function.expressions.append(expression, Span::UNDEFINED);
    function.body.push(Statement::Emit(function.expressions.range_from(before)), Span::UNDEFINED);
    handle
}

/// Of a scalar or vector among the results.
fn size_and_alignment(inner: &TypeInner) -> Result<(u32, u32), String> {
    let (scalar, len) = match *inner {
        TypeInner::Scalar(scalar) => (scalar, 1),
        TypeInner::Vector { scalar, size } => (scalar, size as u32),
        _ => return Err("what a stage gives must be made of scalars and vectors".into()),
    };
    let width = u32::from(scalar.width);
    Ok((width * len, width * if len == 3 { 4 } else { len }))
}

impl FunctionWriter<'_, '_> {
    /// How much a value changes between neighbouring pixels.
    pub(super) fn derivative(&mut self, op: FragmentOp, args: &[Expr]) -> Result<Handle<Expression>, EmitError> {
        let (axis, ctrl) = match op {
            FragmentOp::Ddx => (DerivativeAxis::X, DerivativeControl::None),
            FragmentOp::DdxCoarse => (DerivativeAxis::X, DerivativeControl::Coarse),
            FragmentOp::DdxFine => (DerivativeAxis::X, DerivativeControl::Fine),
            FragmentOp::Ddy => (DerivativeAxis::Y, DerivativeControl::None),
            FragmentOp::DdyCoarse => (DerivativeAxis::Y, DerivativeControl::Coarse),
            FragmentOp::DdyFine => (DerivativeAxis::Y, DerivativeControl::Fine),
            FragmentOp::Fwidth => (DerivativeAxis::Width, DerivativeControl::None),
            FragmentOp::Clip
            | FragmentOp::Discard
            | FragmentOp::AttributeAtCentroid
            | FragmentOp::AttributeAtSample
            | FragmentOp::AttributeAtVertex
            | FragmentOp::AttributeSnapped
            | FragmentOp::BeginInterlock
            | FragmentOp::EndInterlock
            | FragmentOp::IsHelper
            | FragmentOp::SampleCount
            | FragmentOp::SamplePosition
            | FragmentOp::ShadingRate
            | FragmentOp::SubpassLoad => return Err(self.refused(Intrinsic::Fragment(op))),
        };
        let [value] = args else { return Err(self.refused(Intrinsic::Fragment(op))) };
        self.ask_for_fragments(op)?;
        let expr = self.expr(value)?;
        Ok(self.add(Expression::Derivative { axis, ctrl, expr }))
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
        let ty = self.value_type(value.ty)?;
        let is_vector = matches!(self.module.out.types[ty].inner, TypeInner::Vector { .. });
        let left = self.expr(value)?;
        let right = self.add(Expression::ZeroValue(ty));
        let mut condition = self.add(Expression::Binary { op: BinaryOperator::Less, left, right });
        if is_vector {
            condition = self.add(Expression::Relational { fun: RelationalFunction::Any, argument: condition });
        }
        self.discard_if(condition);
        Ok(())
    }

    /// Ends the fragment's output; what follows still runs for its neighbours, so that nothing may end here for naga.
    pub(super) fn discard(&mut self) -> Result<(), EmitError> {
        self.ask_for_fragments(FragmentOp::Discard)?;
        let always = self.literal(Literal::Bool(true));
        self.discard_if(always);
        Ok(())
    }

    fn discard_if(&mut self, condition: Handle<Expression>) {
        let mut accept = Block::new();
        accept.push(Statement::Kill, Span::UNDEFINED);
        self.push(Statement::If { condition, accept, reject: Block::new() });
    }
}

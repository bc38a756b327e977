//! Shaders that rays start, for SPIR-V: naga has the word for tracing a ray. Variables and functions stand for the others until
//! the module is written, when [`super::ray_words`] puts the words into their places; their names say what they stand for.

use ir::Intrinsic;
use ir::intrinsic::RayOp;
use ir::provision::{Message, Varying, VaryingPlace};
use naga::{
    AddressSpace, Block, Expression, Function, FunctionArgument, FunctionResult, Handle, Literal, MathFunction,
    RayPipelineFunction, Scalar, Span, Statement, StructMember, TypeInner, VectorSize,
};

use super::ModuleWriter;
use super::expressions::Value;
use super::function::FunctionWriter;
use super::ray_words::{BUILTIN, OPERATION, SENT, STORAGE, StorageClass};
use crate::tree::{Expr, ExprKind};
use crate::{EmitError, Target};

/// What a value of the machine is, in SPIR-V's numbers.
struct Builtin {
    number: u32,
    shape: Shape,
    /// Whether the program wants it the other way round.
    is_transposed: bool,
}

#[derive(Clone, Copy)]
enum Shape {
    Word,
    Words,
    Float,
    Floats,
    Transform,
}

fn builtin(op: RayOp) -> Option<Builtin> {
    let (number, shape) = match op {
        RayOp::InstanceIndex => (6, Shape::Word),
        RayOp::PrimitiveIndex => (7, Shape::Word),
        RayOp::DispatchIndex => (5319, Shape::Words),
        RayOp::DispatchDimensions => (5320, Shape::Words),
        RayOp::WorldOrigin => (5321, Shape::Floats),
        RayOp::WorldDirection => (5322, Shape::Floats),
        RayOp::ObjectOrigin => (5323, Shape::Floats),
        RayOp::ObjectDirection => (5324, Shape::Floats),
        RayOp::TMin => (5325, Shape::Float),
        RayOp::TCurrent => (5326, Shape::Float),
        RayOp::InstanceId => (5327, Shape::Word),
        RayOp::ObjectToWorld | RayOp::ObjectToWorld4x3 => (5330, Shape::Transform),
        RayOp::WorldToObject | RayOp::WorldToObject4x3 => (5331, Shape::Transform),
        RayOp::HitKind => (5333, Shape::Word),
        RayOp::Flags => (5351, Shape::Word),
        RayOp::GeometryIndex => (5352, Shape::Word),
        RayOp::AcceptHit | RayOp::CallShader | RayOp::IgnoreHit | RayOp::ReportHit | RayOp::Trace => return None,
    };
    // Four columns of three, which are rows here.
    let is_transposed = matches!(op, RayOp::ObjectToWorld | RayOp::WorldToObject);
    Some(Builtin { number, shape, is_transposed })
}

/// Where a variable that shaders share is, and what it is called until the module is written.
pub(super) fn place_of(varying: &Varying, name: String) -> (AddressSpace, String) {
    let VaryingPlace::Message(message) = varying.place else { return (AddressSpace::Private, name) };
    let class = match (message, varying.is_output) {
        (Message::RayPayload(_), true) => StorageClass::RayPayload,
        (Message::RayPayload(_), false) => StorageClass::IncomingRayPayload,
        (Message::CallableData(_), true) => StorageClass::CallableData,
        (Message::CallableData(_), false) => StorageClass::IncomingCallableData,
        // Stages with it are refused before.
        (Message::HitAttributes | Message::MeshPayload, _) => StorageClass::HitAttribute,
    };
    (AddressSpace::Private, format!("{STORAGE}{}.{name}", class as u32))
}

impl ModuleWriter<'_> {
    /// Whether a shader that rays start is among what is written.
    pub(super) fn traces_rays(&self) -> bool {
        let mut entries = self.module.entry_points.iter();
        entries.any(|entry| entry.stage.traces_rays() && self.legal.functions.contains(&entry.func))
    }

    /// What naga has as a ray, with the numbers behind it that say which shaders it starts.
    pub(super) fn ray_type(&mut self) -> Result<Handle<naga::Type>, String> {
        if let Some(ty) = self.out.special_types.ray_desc {
            return Ok(ty);
        }
        if !self.traces_rays() {
            let ty = self.out.generate_ray_desc_type();
            // What the layouts are known of grows with the types.
            self.add_type(None, TypeInner::Scalar(Scalar::U32))?;
            return Ok(ty);
        }
        let word = self.add_type(None, TypeInner::Scalar(Scalar::U32))?;
        let float = self.add_type(None, TypeInner::Scalar(Scalar::F32))?;
        let floats = self.add_type(None, TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::F32 })?;
        let fields = [
            ("flags", word, 0),
            ("cull_mask", word, 4),
            ("tmin", float, 8),
            ("tmax", float, 12),
            ("origin", floats, 16),
            ("dir", floats, 32),
            ("hit_group", word, 48),
            ("geometry_stride", word, 52),
            ("miss_shader", word, 56),
        ];
        let member =
            |(name, ty, offset): (&str, _, _)| StructMember { name: Some(name.into()), ty, binding: None, offset };
        let members = fields.into_iter().map(member).collect();
        let ty = self.add_type(Some("RayDesc".into()), TypeInner::Struct { members, span: 64 })?;
        self.out.special_types.ray_desc = Some(ty);
        Ok(ty)
    }

    /// The variable that stands for a value of the machine.
    fn machine_variable(&mut self, builtin: &Builtin) -> Result<Handle<naga::GlobalVariable>, String> {
        let name = format!("{BUILTIN}{}", builtin.number);
        let known = self.out.global_variables.iter().find(|(_, variable)| variable.name.as_ref() == Some(&name));
        if let Some((variable, _)) = known {
            return Ok(variable);
        }
        let ty = self.add_type(
            None,
            match builtin.shape {
                Shape::Word => TypeInner::Scalar(Scalar::U32),
                Shape::Words => TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::U32 },
                Shape::Float => TypeInner::Scalar(Scalar::F32),
                Shape::Floats => TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::F32 },
                Shape::Transform => {
                    TypeInner::Matrix { columns: VectorSize::Quad, rows: VectorSize::Tri, scalar: Scalar::F32 }
                }
            },
        )?;
        let variable = naga::GlobalVariable {
            name: Some(name),
            space: AddressSpace::Private,
            binding: None,
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        Ok(self.out.global_variables.append(variable, Span::UNDEFINED))
    }

    /// The function that stands for an operation: it takes its operands and gives a truth value or nothing.
    fn stand_in(&mut self, operation: &str, operands: &[Scalar], has_result: bool) -> Result<Handle<Function>, String> {
        let name = format!("{OPERATION}{operation}");
        if let Some((known, _)) = self.out.functions.iter().find(|(_, function)| function.name.as_ref() == Some(&name))
        {
            return Ok(known);
        }
        let mut function = Function { name: Some(name), ..Function::default() };
        for &scalar in operands {
            let ty = self.add_type(None, TypeInner::Scalar(scalar))?;
            function.arguments.push(FunctionArgument { name: None, ty, binding: None });
        }
        let mut value = None;
        if has_result {
            let ty = self.add_type(None, TypeInner::Scalar(Scalar::BOOL))?;
            function.result = Some(FunctionResult { ty, binding: None });
            value = Some(function.expressions.append(Expression::Literal(Literal::Bool(false)), Span::UNDEFINED));
        }
        function.body.push(Statement::Return { value }, Span::UNDEFINED);
        Ok(self.out.functions.append(function, Span::UNDEFINED))
    }
}

impl FunctionWriter<'_, '_> {
    /// A value of the machine, or whether a hit counts.
    pub(super) fn ray_value(&mut self, op: RayOp, args: &[Expr]) -> Result<Value, EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::Ray(op));
        if self.module.target != Target::Spirv || !self.module.traces_rays() {
            return Err(refused(self));
        }
        if let (RayOp::ReportHit, [t, kind, _attributes]) = (op, args) {
            let arguments = vec![self.expr(t)?, self.expr(kind)?];
            return self
                .call_stand_in("report", &[Scalar::F32, Scalar::U32], arguments, true)?
                .ok_or_else(|| refused(self));
        }
        let builtin = builtin(op).ok_or_else(|| refused(self))?;
        let variable = self.module.machine_variable(&builtin).map_err(|message| self.error(message))?;
        let pointer = self.add(Expression::GlobalVariable(variable));
        let value = self.add(Expression::Load { pointer });
        Ok(if builtin.is_transposed { self.math1(MathFunction::Transpose, value) } else { value })
    }

    /// What starts another shader, or ends this one.
    pub(super) fn ray_statement(&mut self, op: RayOp, args: &[Expr]) -> Result<(), EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::Ray(op));
        if self.module.target != Target::Spirv || !self.module.traces_rays() {
            return Err(refused(self));
        }
        match (op, args) {
            (RayOp::Trace, [scene, flags, mask, group, stride, miss, ray, payload]) => {
                let acceleration_structure = self.opaque(scene)?;
                let ray = self.expr(ray)?;
                let part = |this: &mut Self, index| this.add(Expression::AccessIndex { base: ray, index });
                let [origin, t_min, direction, t_max] = [0, 1, 2, 3].map(|index| part(self, index));
                let (flags, mask) = (self.expr(flags)?, self.expr(mask)?);
                let (group, stride, miss) = (self.expr(group)?, self.expr(stride)?, self.expr(miss)?);
                let ty = self.module.ray_type().map_err(|message| self.error(message))?;
                let components = vec![flags, mask, t_min, t_max, origin, direction, group, stride, miss];
                let descriptor = self.add(Expression::Compose { ty, components });
                let payload = self.sent_payload(payload).ok_or_else(|| refused(self))?;
                let trace = RayPipelineFunction::TraceRay { acceleration_structure, descriptor, payload };
                self.push(Statement::RayPipelineFunction(trace));
                Ok(())
            }
            (RayOp::CallShader, [shader, data]) => {
                let ExprKind::Global(data) = data.kind else { return Err(refused(self)) };
                let Some(memory) = self.module.globals.get(data) else { return Err(refused(self)) };
                let name = self.module.out.global_variables[memory.variable].name.clone().unwrap_or_default();
                let arguments = vec![self.expr(shader)?];
                self.call_stand_in(&format!("execute.{name}"), &[Scalar::U32], arguments, false).map(|_| ())
            }
            // In a block of its own, which ends there.
            (RayOp::AcceptHit | RayOp::IgnoreHit, _) => {
                let name = if op == RayOp::AcceptHit { "accept" } else { "ignore" };
                let function = self.module.stand_in(name, &[], false).map_err(|message| self.error(message))?;
                let condition = self.literal(Literal::Bool(true));
                let mut accept = Block::new();
                accept.push(Statement::Call { function, arguments: Vec::new(), result: None }, Span::UNDEFINED);
                self.push(Statement::If { condition, accept, reject: Block::new() });
                Ok(())
            }
            _ => Err(refused(self)),
        }
    }

    /// A variable that stands for the payload: naga wants them all of one type.
    fn sent_payload(&mut self, payload: &Expr) -> Option<Value> {
        let ExprKind::Global(payload) = payload.kind else { return None };
        let memory = self.module.globals.get(payload)?;
        let name = format!("{SENT}{}", self.module.out.global_variables[memory.variable].name.as_deref()?);
        let is_it = |(_, variable): &(_, &naga::GlobalVariable)| variable.name.as_ref() == Some(&name);
        let known = self.module.out.global_variables.iter().find(is_it).map(|(variable, _)| variable);
        let variable = match known {
            Some(variable) => variable,
            None => {
                let ty = self.naga_type(TypeInner::Scalar(Scalar::U32)).ok()?;
                let variable = naga::GlobalVariable {
                    name: Some(name),
                    space: AddressSpace::RayPayload,
                    binding: None,
                    ty,
                    init: None,
                    memory_decorations: naga::MemoryDecorations::empty(),
                };
                self.module.out.global_variables.append(variable, Span::UNDEFINED)
            }
        };
        Some(self.add(Expression::GlobalVariable(variable)))
    }

    fn call_stand_in(
        &mut self,
        operation: &str,
        operands: &[Scalar],
        arguments: Vec<Value>,
        has_result: bool,
    ) -> Result<Option<Value>, EmitError> {
        let function = self.module.stand_in(operation, operands, has_result).map_err(|message| self.error(message))?;
        let result = has_result.then(|| self.add(Expression::CallResult(function)));
        self.push(Statement::Call { function, arguments, result });
        Ok(result)
    }
}

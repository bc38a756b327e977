//! Shaders that rays start.

use ir::intrinsic::RayOp;
use ir::{Intrinsic, Scalar, TypeId};
use spirv::{BuiltIn, Capability, Op};

use super::ModuleWriter;
use super::function::FunctionWriter;
use super::words::Id;
use crate::EmitError;
use crate::tree::{Expr, ExprKind};

/// A value of the machine, and whether the program wants it the other way round: matrices are four columns of three, which
/// are rows here.
fn builtin(op: RayOp) -> Option<(BuiltIn, bool)> {
    Some(match op {
        RayOp::InstanceIndex => (BuiltIn::InstanceId, false),
        RayOp::PrimitiveIndex => (BuiltIn::PrimitiveId, false),
        RayOp::DispatchIndex => (BuiltIn::LaunchIdKHR, false),
        RayOp::DispatchDimensions => (BuiltIn::LaunchSizeKHR, false),
        RayOp::WorldOrigin => (BuiltIn::WorldRayOriginKHR, false),
        RayOp::WorldDirection => (BuiltIn::WorldRayDirectionKHR, false),
        RayOp::ObjectOrigin => (BuiltIn::ObjectRayOriginKHR, false),
        RayOp::ObjectDirection => (BuiltIn::ObjectRayDirectionKHR, false),
        RayOp::TMin => (BuiltIn::RayTminKHR, false),
        RayOp::TCurrent => (BuiltIn::RayTmaxKHR, false),
        RayOp::InstanceId => (BuiltIn::InstanceCustomIndexKHR, false),
        RayOp::ObjectToWorld => (BuiltIn::ObjectToWorldKHR, true),
        RayOp::ObjectToWorld4x3 => (BuiltIn::ObjectToWorldKHR, false),
        RayOp::WorldToObject => (BuiltIn::WorldToObjectKHR, true),
        RayOp::WorldToObject4x3 => (BuiltIn::WorldToObjectKHR, false),
        RayOp::HitKind => (BuiltIn::HitKindKHR, false),
        RayOp::Flags => (BuiltIn::IncomingRayFlagsKHR, false),
        RayOp::GeometryIndex => (BuiltIn::RayGeometryIndexKHR, false),
        RayOp::AcceptHit | RayOp::CallShader | RayOp::IgnoreHit | RayOp::ReportHit | RayOp::Trace => return None,
    })
}

impl ModuleWriter<'_> {
    /// Whether a shader that rays start is among what is written.
    fn traces_rays(&self) -> bool {
        let mut entries = self.module.entry_points.iter();
        entries.any(|entry| entry.stage.traces_rays() && self.legal.functions.contains(&entry.func))
    }

    pub(super) fn require_ray_tracing(&mut self) {
        self.out.require(Capability::RayTracingKHR);
        self.out.require_extension("SPV_KHR_ray_tracing");
    }

    /// The type of a scene, which both shaders that rays start and queries know.
    pub(super) fn scene_type(&mut self) -> Id {
        match self.traces_rays() {
            true => self.require_ray_tracing(),
            false => self.require_ray_queries(),
        }
        self.out.ty(Op::TypeAccelerationStructureKHR, &[])
    }
}

impl FunctionWriter<'_, '_> {
    /// A value of the machine, or whether a hit counts.
    pub(super) fn ray_value(&mut self, op: RayOp, args: &[Expr], ty: TypeId) -> Result<Id, EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::Ray(op));
        if !self.module.traces_rays() {
            return Err(refused(self));
        }
        if let (RayOp::ReportHit, [t, kind, _attributes]) = (op, args) {
            let (t, kind) = (self.expr(t)?, self.expr(kind)?);
            let bool_ = self.module.scalar_type(Scalar::Bool);
            return Ok(self.value(Op::ReportIntersectionKHR, bool_, &[t, kind]));
        }
        let (builtin, is_transposed) = builtin(op).ok_or_else(|| refused(self))?;
        if !is_transposed {
            return self.input(builtin, ty);
        }
        let row = self.module.vector_type(Scalar::F32, 3);
        let given = self.module.out.ty(Op::TypeMatrix, &[row.0, 4]);
        let variable = self.module.builtin_variable(builtin, given);
        self.uses.insert(variable);
        let value = self.value(Op::Load, given, &[variable]);
        let wanted = self.value_type(ty)?;
        Ok(self.value(Op::Transpose, wanted, &[value]))
    }

    /// What starts another shader, or ends this one.
    pub(super) fn ray_statement(&mut self, op: RayOp, args: &[Expr]) -> Result<(), EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::Ray(op));
        if !self.module.traces_rays() {
            return Err(refused(self));
        }
        match (op, args) {
            (RayOp::Trace, [scene, flags, mask, group, stride, miss, ray, payload]) => {
                let scene = self.opaque(scene)?;
                let mut operands = vec![scene];
                for number in [flags, mask, group, stride, miss] {
                    operands.push(self.expr(number)?);
                }
                operands.extend(self.ray_parts(ray)?);
                operands.push(self.sent(payload).ok_or_else(|| refused(self))?);
                let words: Vec<u32> = operands.iter().map(|id| id.0).collect();
                self.push(Op::TraceRayKHR, &words);
            }
            (RayOp::CallShader, [shader, data]) => {
                let shader = self.expr(shader)?;
                let data = self.sent(data).ok_or_else(|| refused(self))?;
                self.push(Op::ExecuteCallableKHR, &[shader.0, data.0]);
            }
            (RayOp::AcceptHit, _) => self.terminate(Op::TerminateRayKHR, &[]),
            (RayOp::IgnoreHit, _) => self.terminate(Op::IgnoreIntersectionKHR, &[]),
            _ => {
                // What is given and not looked at.
                let Some((_, false)) = builtin(op) else { return Err(refused(self)) };
            }
        }
        Ok(())
    }

    /// The numbers that a ray consists of.
    pub(super) fn ray_parts(&mut self, ray: &Expr) -> Result<[Id; 4], EmitError> {
        let value = self.expr(ray)?;
        let (float, floats) = (self.module.scalar_type(Scalar::F32), self.module.vector_type(Scalar::F32, 3));
        let part = |this: &mut Self, ty, index| this.extract(ty, value, &[index]);
        Ok([part(self, floats, 0), part(self, float, 1), part(self, floats, 2), part(self, float, 3)])
    }

    /// The variable that is sent.
    pub(super) fn sent(&mut self, sent: &Expr) -> Option<Id> {
        let ExprKind::Global(global) = sent.kind else { return None };
        let variable = self.module.globals.get(global)?.variable;
        self.uses.insert(variable);
        Some(variable)
    }
}

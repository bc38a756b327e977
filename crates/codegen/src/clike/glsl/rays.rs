//! Rays in GLSL: the stages that they start (`GL_EXT_ray_tracing`).

use ir::provision::{Message, Varying, VaryingPlace};
use ir::{SpanId, intrinsic::RayOp};

use super::super::{PRIMARY, Precedence, Printer};
use crate::tree::{Expr, ExprKind, Function};

pub(super) const RAY_TRACING: &str = "#extension GL_EXT_ray_tracing : require";

/// The text of an operation of the stages that rays start; `None` for what has no name here.
pub(super) fn call(
    p: &mut Printer<'_>,
    f: &Function,
    op: RayOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    p.require(RAY_TRACING);
    let text = match (op, args) {
        (RayOp::AcceptHit, _) => "terminateRayEXT".into(),
        (RayOp::IgnoreHit, _) => "ignoreIntersectionEXT".into(),
        (RayOp::DispatchDimensions, _) => "gl_LaunchSizeEXT".into(),
        (RayOp::DispatchIndex, _) => "gl_LaunchIDEXT".into(),
        (RayOp::Flags, _) => "gl_IncomingRayFlagsEXT".into(),
        (RayOp::GeometryIndex, _) => "uint(gl_GeometryIndexEXT)".into(),
        (RayOp::HitKind, _) => "gl_HitKindEXT".into(),
        (RayOp::InstanceId, _) => "uint(gl_InstanceCustomIndexEXT)".into(),
        (RayOp::InstanceIndex, _) => "uint(gl_InstanceID)".into(),
        (RayOp::ObjectDirection, _) => "gl_ObjectRayDirectionEXT".into(),
        (RayOp::ObjectOrigin, _) => "gl_ObjectRayOriginEXT".into(),
        // Four columns of three, which are rows here.
        (RayOp::ObjectToWorld, _) => "transpose(gl_ObjectToWorldEXT)".into(),
        (RayOp::ObjectToWorld4x3, _) => "gl_ObjectToWorldEXT".into(),
        (RayOp::WorldToObject, _) => "transpose(gl_WorldToObjectEXT)".into(),
        (RayOp::WorldToObject4x3, _) => "gl_WorldToObjectEXT".into(),
        (RayOp::PrimitiveIndex, _) => "uint(gl_PrimitiveID)".into(),
        (RayOp::TCurrent, _) => "gl_RayTmaxEXT".into(),
        (RayOp::TMin, _) => "gl_RayTminEXT".into(),
        (RayOp::WorldDirection, _) => "gl_WorldRayDirectionEXT".into(),
        (RayOp::WorldOrigin, _) => "gl_WorldRayOriginEXT".into(),
        (RayOp::ReportHit, [t, kind, _attributes]) => {
            format!("reportIntersectionEXT({}, {})", p.expr(f, t, span), p.expr(f, kind, span))
        }
        (RayOp::CallShader, [shader, data]) => {
            format!("executeCallableEXT({}, {})", p.expr(f, shader, span), number_of(p, data)?)
        }
        (RayOp::Trace, [_, _, _, _, _, _, ray, payload]) => {
            let before = p.list(f, &args[..6], span);
            let [origin, t_min, direction, t_max] = ray_parts(p, f, ray, span)?;
            let payload = number_of(p, payload)?;
            format!("traceRayEXT({before}, {origin}, {t_min}, {direction}, {t_max}, {payload})")
        }
        (
            RayOp::ReportHit
            | RayOp::CallShader
            | RayOp::Trace
            | RayOp::ClusterId
            | RayOp::CurrentTime
            | RayOp::HitVertexPosition
            | RayOp::InstanceTraversable
            | RayOp::IsSphere
            | RayOp::IsSweptSphere
            | RayOp::SceneAt
            | RayOp::Sphere
            | RayOp::SweptSphere
            | RayOp::TraceMotion
            | RayOp::TransformListHandle
            | RayOp::TransformListSize
            | RayOp::TransformType
            | RayOp::TraversableChild
            | RayOp::TraversableInstanceId
            | RayOp::TraversableToWorld
            | RayOp::WorldToTraversable,
            _,
        ) => return None,
    };
    Some((text, PRIMARY))
}

/// The numbers that a ray consists of.
fn ray_parts(p: &mut Printer<'_>, f: &Function, ray: &Expr, span: SpanId) -> Option<[String; 4]> {
    if let ExprKind::Make(parts) = &ray.kind {
        let [origin, t_min, direction, t_max] = &parts[..] else { return None };
        return Some([origin, t_min, direction, t_max].map(|part| p.expr(f, part, span)));
    }
    let name = match ray.kind {
        ExprKind::Local(_) => p.expr(f, ray, span),
        _ => {
            let name = p.fresh_name("ray");
            let (declarator, value) = (p.declarator(ray.ty, &name, span), p.expr(f, ray, span));
            p.hoist(format!("{declarator} = {value};"));
            name.to_string()
        }
    };
    let ir::Type::Struct(id) = p.module.types.get(ray.ty) else { return None };
    Some([0, 1, 2, 3].map(|index| format!("{name}.{}", p.field(id, index))))
}

/// The number of the variable that is sent.
fn number_of(p: &Printer<'_>, sent: &Expr) -> Option<u32> {
    let ExprKind::Global(global) = sent.kind else { return None };
    match p.module.globals[global].provision.varying.as_ref()?.place {
        VaryingPlace::Message(Message::RayPayload(number) | Message::CallableData(number)) => Some(number),
        VaryingPlace::Message(Message::HitAttributes) | VaryingPlace::Location(_) | VaryingPlace::System(_) => None,
    }
}

/// The declaration of a variable that shaders share.
pub(super) fn declaration(p: &mut Printer<'_>, message: Message, varying: &Varying, declarator: &str) -> String {
    p.require(RAY_TRACING);
    match (message, varying.is_output) {
        (Message::RayPayload(number), true) => format!("layout(location = {number}) rayPayloadEXT {declarator};"),
        (Message::CallableData(number), true) => format!("layout(location = {number}) callableDataEXT {declarator};"),
        (Message::RayPayload(_), false) => format!("rayPayloadInEXT {declarator};"),
        (Message::CallableData(_), false) => format!("callableDataInEXT {declarator};"),
        (Message::HitAttributes, _) => format!("hitAttributeEXT {declarator};"),
    }
}

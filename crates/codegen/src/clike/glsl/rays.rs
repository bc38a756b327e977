//! Rays in GLSL: the stages that they start (`GL_EXT_ray_tracing`), and queries (`GL_EXT_ray_query`).

use ir::intrinsic::{RayOp, RayQueryOp};
use ir::provision::{Message, Varying, VaryingPlace};
use ir::{HandleType, SpanId, Type};

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
        (RayOp::ReportHit | RayOp::CallShader | RayOp::Trace, _) => return None,
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
    let Type::Struct(id) = p.module.types.get(ray.ty) else { return None };
    Some([0, 1, 2, 3].map(|index| format!("{name}.{}", p.field(id, index))))
}

/// The number of the variable that is sent.
fn number_of(p: &Printer<'_>, sent: &Expr) -> Option<u32> {
    let ExprKind::Global(global) = sent.kind else { return None };
    match p.module.globals[global].provision.varying.as_ref()?.place {
        VaryingPlace::Message(Message::RayPayload(number) | Message::CallableData(number)) => Some(number),
        VaryingPlace::Message(Message::HitAttributes | Message::MeshPayload)
        | VaryingPlace::Location(_)
        | VaryingPlace::System(_) => None,
    }
}

/// The declaration of a variable that shaders share.
pub(super) fn declaration(p: &mut Printer<'_>, message: Message, varying: &Varying, declarator: &str) -> String {
    if message == Message::MeshPayload {
        p.require("#extension GL_EXT_mesh_shader : require");
        return format!("taskPayloadSharedEXT {declarator};");
    }
    p.require(RAY_TRACING);
    match (message, varying.is_output) {
        (Message::RayPayload(number), true) => format!("layout(location = {number}) rayPayloadEXT {declarator};"),
        (Message::CallableData(number), true) => format!("layout(location = {number}) callableDataEXT {declarator};"),
        (Message::RayPayload(_), false) => format!("rayPayloadInEXT {declarator};"),
        (Message::CallableData(_), false) => format!("callableDataInEXT {declarator};"),
        (Message::MeshPayload, _) => String::new(),
        (Message::HitAttributes, _) => format!("hitAttributeEXT {declarator};"),
    }
}

/// The text of an operation of a ray query.
pub(super) fn query(
    p: &mut Printer<'_>,
    f: &Function,
    op: RayQueryOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    use RayQueryOp as Q;
    let (handle, rest) = args.split_first()?;
    let query = p.expr(f, handle, span);
    // What is asked of the hit in question, or of the closest so far, and what the answer has to become.
    let of_hit = |question: &str, is_committed: &str, around: &str| {
        let call = format!("rayQueryGetIntersection{question}EXT({query}, {is_committed})");
        if around.is_empty() { call } else { format!("{around}({call})") }
    };
    let candidate = |question, around| of_hit(question, "false", around);
    let committed = |question, around| of_hit(question, "true", around);
    let text = match (op, rest) {
        (Q::Abort, []) => format!("rayQueryTerminateEXT({query})"),
        (Q::CommitTriangle, []) => format!("rayQueryConfirmIntersectionEXT({query})"),
        (Q::CommitProcedural, [t]) => format!("rayQueryGenerateIntersectionEXT({query}, {})", p.expr(f, t, span)),
        (Q::Proceed, []) => format!("rayQueryProceedEXT({query})"),
        (Q::Flags, []) => format!("rayQueryGetRayFlagsEXT({query})"),
        (Q::TMin, []) => format!("rayQueryGetRayTMinEXT({query})"),
        (Q::WorldDirection, []) => format!("rayQueryGetWorldRayDirectionEXT({query})"),
        (Q::WorldOrigin, []) => format!("rayQueryGetWorldRayOriginEXT({query})"),
        (Q::Trace, [scene, flags, mask, ray]) => {
            let Type::Handle(HandleType::RayQuery { flags: own }) = p.module.types.get(handle.ty) else { return None };
            let [scene, flags, mask] = [scene, flags, mask].map(|part| p.expr(f, part, span));
            let flags = if own == 0 { flags } else { format!("{own}u | ({flags})") };
            let [origin, t_min, direction, t_max] = ray_parts(p, f, ray, span)?;
            format!("rayQueryInitializeEXT({query}, {scene}, {flags}, {mask}, {origin}, {t_min}, {direction}, {t_max})")
        }
        (Q::CandidateProceduralIsOpaque, []) => format!("!rayQueryGetIntersectionCandidateAABBOpaqueEXT({query})"),
        (Q::CandidateType, []) => candidate("Type", ""),
        (Q::CommittedStatus, []) => committed("Type", ""),
        (Q::CandidateBarycentrics, []) => candidate("Barycentrics", ""),
        (Q::CommittedBarycentrics, []) => committed("Barycentrics", ""),
        (Q::CandidateFrontFace, []) => candidate("FrontFace", ""),
        (Q::CommittedFrontFace, []) => committed("FrontFace", ""),
        (Q::CandidateGeometryIndex, []) => candidate("GeometryIndex", "uint"),
        (Q::CommittedGeometryIndex, []) => committed("GeometryIndex", "uint"),
        (Q::CandidateInstanceId, []) => candidate("InstanceCustomIndex", "uint"),
        (Q::CommittedInstanceId, []) => committed("InstanceCustomIndex", "uint"),
        (Q::CandidateInstanceIndex, []) => candidate("InstanceId", "uint"),
        (Q::CommittedInstanceIndex, []) => committed("InstanceId", "uint"),
        (Q::CandidateInstanceContribution | Q::CandidateShaderTableOffset, []) => {
            candidate("InstanceShaderBindingTableRecordOffset", "")
        }
        (Q::CommittedInstanceContribution | Q::CommittedShaderTableOffset, []) => {
            committed("InstanceShaderBindingTableRecordOffset", "")
        }
        (Q::CandidateObjectDirection, []) => candidate("ObjectRayDirection", ""),
        (Q::CommittedObjectDirection, []) => committed("ObjectRayDirection", ""),
        (Q::CandidateObjectOrigin, []) => candidate("ObjectRayOrigin", ""),
        (Q::CommittedObjectOrigin, []) => committed("ObjectRayOrigin", ""),
        (Q::CandidateObjectToWorld, []) => candidate("ObjectToWorld", "transpose"),
        (Q::CommittedObjectToWorld, []) => committed("ObjectToWorld", "transpose"),
        (Q::CandidateObjectToWorld4x3, []) => candidate("ObjectToWorld", ""),
        (Q::CommittedObjectToWorld4x3, []) => committed("ObjectToWorld", ""),
        (Q::CandidateWorldToObject, []) => candidate("WorldToObject", "transpose"),
        (Q::CommittedWorldToObject, []) => committed("WorldToObject", "transpose"),
        (Q::CandidateWorldToObject4x3, []) => candidate("WorldToObject", ""),
        (Q::CommittedWorldToObject4x3, []) => committed("WorldToObject", ""),
        (Q::CandidatePrimitiveIndex, []) => candidate("PrimitiveIndex", "uint"),
        (Q::CommittedPrimitiveIndex, []) => committed("PrimitiveIndex", "uint"),
        (Q::CandidateT, []) => candidate("T", ""),
        (Q::CommittedT, []) => committed("T", ""),
        _ => return None,
    };
    Some((text, PRIMARY))
}

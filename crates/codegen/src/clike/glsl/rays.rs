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
    // What is asked of a hit, in question or the closest so far, and what the answer has to become.
    let of_hit = |question: &str, committed: bool, around: &str| {
        let call = format!("rayQueryGetIntersection{question}EXT({query}, {committed})");
        if around.is_empty() { call } else { format!("{around}({call})") }
    };
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
        (Q::CandidateType, []) => of_hit("Type", false, ""),
        (Q::CommittedStatus, []) => of_hit("Type", true, ""),
        (Q::CandidateBarycentrics, []) => of_hit("Barycentrics", false, ""),
        (Q::CommittedBarycentrics, []) => of_hit("Barycentrics", true, ""),
        (Q::CandidateFrontFace, []) => of_hit("FrontFace", false, ""),
        (Q::CommittedFrontFace, []) => of_hit("FrontFace", true, ""),
        (Q::CandidateGeometryIndex, []) => of_hit("GeometryIndex", false, "uint"),
        (Q::CommittedGeometryIndex, []) => of_hit("GeometryIndex", true, "uint"),
        (Q::CandidateInstanceId, []) => of_hit("InstanceCustomIndex", false, "uint"),
        (Q::CommittedInstanceId, []) => of_hit("InstanceCustomIndex", true, "uint"),
        (Q::CandidateInstanceIndex, []) => of_hit("InstanceId", false, "uint"),
        (Q::CommittedInstanceIndex, []) => of_hit("InstanceId", true, "uint"),
        (Q::CandidateInstanceContribution | Q::CandidateShaderTableOffset, []) => {
            of_hit("InstanceShaderBindingTableRecordOffset", false, "")
        }
        (Q::CommittedInstanceContribution | Q::CommittedShaderTableOffset, []) => {
            of_hit("InstanceShaderBindingTableRecordOffset", true, "")
        }
        (Q::CandidateObjectDirection, []) => of_hit("ObjectRayDirection", false, ""),
        (Q::CommittedObjectDirection, []) => of_hit("ObjectRayDirection", true, ""),
        (Q::CandidateObjectOrigin, []) => of_hit("ObjectRayOrigin", false, ""),
        (Q::CommittedObjectOrigin, []) => of_hit("ObjectRayOrigin", true, ""),
        (Q::CandidateObjectToWorld, []) => of_hit("ObjectToWorld", false, "transpose"),
        (Q::CommittedObjectToWorld, []) => of_hit("ObjectToWorld", true, "transpose"),
        (Q::CandidateObjectToWorld4x3, []) => of_hit("ObjectToWorld", false, ""),
        (Q::CommittedObjectToWorld4x3, []) => of_hit("ObjectToWorld", true, ""),
        (Q::CandidateWorldToObject, []) => of_hit("WorldToObject", false, "transpose"),
        (Q::CommittedWorldToObject, []) => of_hit("WorldToObject", true, "transpose"),
        (Q::CandidateWorldToObject4x3, []) => of_hit("WorldToObject", false, ""),
        (Q::CommittedWorldToObject4x3, []) => of_hit("WorldToObject", true, ""),
        (Q::CandidatePrimitiveIndex, []) => of_hit("PrimitiveIndex", false, "uint"),
        (Q::CommittedPrimitiveIndex, []) => of_hit("PrimitiveIndex", true, "uint"),
        (Q::CandidateT, []) => of_hit("T", false, ""),
        (Q::CommittedT, []) => of_hit("T", true, ""),
        _ => return None,
    };
    Some((text, PRIMARY))
}

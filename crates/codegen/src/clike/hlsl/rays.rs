//! Rays in HLSL: functions, and methods of queries, of the names that Slang has from there.

use ir::SpanId;
use ir::intrinsic::{RayOp, RayQueryOp};

use super::super::{PRIMARY, Precedence, Printer};
use crate::tree::{Expr, Function};

/// The text of an operation of the stages that rays start; `None` for what has no name here.
pub(super) fn call(
    p: &mut Printer<'_>,
    f: &Function,
    op: RayOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let name = match op {
        RayOp::AcceptHit => "AcceptHitAndEndSearch",
        RayOp::CallShader => "CallShader",
        RayOp::DispatchDimensions => "DispatchRaysDimensions",
        RayOp::DispatchIndex => "DispatchRaysIndex",
        RayOp::Flags => "RayFlags",
        RayOp::GeometryIndex => "GeometryIndex",
        RayOp::HitKind => "HitKind",
        RayOp::IgnoreHit => "IgnoreHit",
        RayOp::InstanceId => "InstanceID",
        RayOp::InstanceIndex => "InstanceIndex",
        RayOp::ObjectDirection => "ObjectRayDirection",
        RayOp::ObjectOrigin => "ObjectRayOrigin",
        RayOp::ObjectToWorld => "ObjectToWorld3x4",
        RayOp::ObjectToWorld4x3 => "ObjectToWorld4x3",
        RayOp::PrimitiveIndex => "PrimitiveIndex",
        RayOp::ReportHit if args.len() == 3 => "ReportHit",
        RayOp::TCurrent => "RayTCurrent",
        RayOp::TMin => "RayTMin",
        RayOp::Trace => "TraceRay",
        RayOp::WorldDirection => "WorldRayDirection",
        RayOp::WorldOrigin => "WorldRayOrigin",
        RayOp::WorldToObject => "WorldToObject3x4",
        RayOp::WorldToObject4x3 => "WorldToObject4x3",
        RayOp::ReportHit => return None,
    };
    Some((format!("{name}({})", p.list(f, args, span)), PRIMARY))
}

/// The text of an operation of a ray query: its method.
pub(super) fn query(
    p: &mut Printer<'_>,
    f: &Function,
    op: RayQueryOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    use RayQueryOp as Q;
    let name = match op {
        Q::Abort => "Abort",
        Q::CandidateBarycentrics => "CandidateTriangleBarycentrics",
        Q::CandidateFrontFace => "CandidateTriangleFrontFace",
        Q::CandidateGeometryIndex => "CandidateGeometryIndex",
        Q::CandidateInstanceContribution | Q::CandidateShaderTableOffset => {
            "CandidateInstanceContributionToHitGroupIndex"
        }
        Q::CandidateInstanceId => "CandidateInstanceID",
        Q::CandidateInstanceIndex => "CandidateInstanceIndex",
        Q::CandidateObjectDirection => "CandidateObjectRayDirection",
        Q::CandidateObjectOrigin => "CandidateObjectRayOrigin",
        Q::CandidateObjectToWorld => "CandidateObjectToWorld3x4",
        Q::CandidateObjectToWorld4x3 => "CandidateObjectToWorld4x3",
        Q::CandidatePrimitiveIndex => "CandidatePrimitiveIndex",
        Q::CandidateProceduralIsOpaque => "CandidateProceduralPrimitiveNonOpaque",
        Q::CandidateT => "CandidateTriangleRayT",
        Q::CandidateType => "CandidateType",
        Q::CandidateWorldToObject => "CandidateWorldToObject3x4",
        Q::CandidateWorldToObject4x3 => "CandidateWorldToObject4x3",
        Q::CommitProcedural => "CommitProceduralPrimitiveHit",
        Q::CommitTriangle => "CommitNonOpaqueTriangleHit",
        Q::CommittedBarycentrics => "CommittedTriangleBarycentrics",
        Q::CommittedFrontFace => "CommittedTriangleFrontFace",
        Q::CommittedGeometryIndex => "CommittedGeometryIndex",
        Q::CommittedInstanceContribution | Q::CommittedShaderTableOffset => {
            "CommittedInstanceContributionToHitGroupIndex"
        }
        Q::CommittedInstanceId => "CommittedInstanceID",
        Q::CommittedInstanceIndex => "CommittedInstanceIndex",
        Q::CommittedObjectDirection => "CommittedObjectRayDirection",
        Q::CommittedObjectOrigin => "CommittedObjectRayOrigin",
        Q::CommittedObjectToWorld => "CommittedObjectToWorld3x4",
        Q::CommittedObjectToWorld4x3 => "CommittedObjectToWorld4x3",
        Q::CommittedPrimitiveIndex => "CommittedPrimitiveIndex",
        Q::CommittedStatus => "CommittedStatus",
        Q::CommittedT => "CommittedRayT",
        Q::CommittedWorldToObject => "CommittedWorldToObject3x4",
        Q::CommittedWorldToObject4x3 => "CommittedWorldToObject4x3",
        Q::Flags => "RayFlags",
        Q::Proceed => "Proceed",
        Q::TMin => "RayTMin",
        Q::Trace => "TraceRayInline",
        Q::WorldDirection => "WorldRayDirection",
        Q::WorldOrigin => "WorldRayOrigin",
        Q::Make => return None,
    };
    let (query, rest) = args.split_first()?;
    let query = p.operand(f, query, PRIMARY, span);
    Some((format!("{query}.{name}({})", p.list(f, rest, span)), PRIMARY))
}

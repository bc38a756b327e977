//! Rays in HLSL: functions, and methods of queries, of the names that Slang has from there.

use ir::SpanId;
use ir::intrinsic::RayOp;

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
        RayOp::ReportHit
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
        | RayOp::WorldToTraversable => return None,
    };
    Some((format!("{name}({})", p.list(f, args, span)), PRIMARY))
}

//! What the machine says of an invocation, and what the pipeline gives to its stages and takes from them.

use ir::{
    Builtin, Intrinsic, Op, Scalar, Type, TypeId, ValueId, builder::FuncBuilder, intrinsic::WaveOp, module::Stage,
    provision::SystemValue, provision::SystemValue as V, types::TypeTable,
};

/// What the machine says under a semantic, in capital letters.
pub(crate) fn builtin_of(semantic: &str) -> Option<Builtin> {
    match semantic {
        "SV_DISPATCHTHREADID" => Some(Builtin::DispatchThreadId),
        "SV_GROUPTHREADID" => Some(Builtin::GroupThreadId),
        "SV_GROUPID" => Some(Builtin::GroupId),
        "SV_GROUPINDEX" => Some(Builtin::GroupIndex),
        _ => None,
    }
}

/// Whether it is a semantic of [`of_wave`].
pub(crate) fn is_of_wave(semantic: &str) -> bool {
    matches!(semantic, "SV_WAVELANEINDEX" | "SV_WAVELANECOUNT")
}

/// What the machine says of the invocations that run together, in any stage.
pub(crate) fn of_wave(b: &mut FuncBuilder<'_>, semantic: &str, ty: TypeId) -> Option<ValueId> {
    let op = match semantic {
        "SV_WAVELANEINDEX" => WaveOp::LaneIndex,
        "SV_WAVELANECOUNT" => WaveOp::LaneCount,
        _ => return None,
    };
    let Type::Scalar(_) = b.types.get(ty) else { return None };
    let word = b.types.scalar(Scalar::U32);
    let value = b.value(Op::Intrinsic { intrinsic: Intrinsic::Wave(op), args: [].into_iter().collect() }, word);
    Some(b.convert(value, ty))
}

/// Semantics in capital letters, each with what the pipeline gives or takes under it.
type Table = &'static [(&'static str, SystemValue)];

/// To the vertex stage.
const VERTEX_INPUTS: Table = &[
    ("SV_VERTEXID", V::VertexIndex),
    ("SV_INSTANCEID", V::InstanceIndex),
    ("SV_VULKANVERTEXID", V::AbsoluteVertexIndex),
    ("SV_VULKANINSTANCEID", V::AbsoluteInstanceIndex),
    ("SV_STARTVERTEXLOCATION", V::BaseVertex),
    ("SV_STARTINSTANCELOCATION", V::BaseInstance),
    ("SV_DRAWINDEX", V::DrawIndex),
    ("SV_VIEWID", V::View),
    ("SV_DEVICEINDEX", V::Device),
];

/// From the stages whose results are vertices to be drawn.
const VERTEX_OUTPUTS: Table = &[
    ("SV_POSITION", V::Position),
    ("SV_POINTSIZE", V::PointSize),
    ("SV_CLIPDISTANCE", V::ClipDistance),
    ("SV_CULLDISTANCE", V::CullDistance),
    ("SV_RENDERTARGETARRAYINDEX", V::Layer),
    ("SV_VIEWPORTARRAYINDEX", V::Viewport),
];

/// To the fragment stage.
const FRAGMENT_INPUTS: Table = &[
    ("SV_POSITION", V::Position),
    ("SV_ISFRONTFACE", V::FrontFacing),
    ("SV_SAMPLEINDEX", V::SampleIndex),
    ("SV_PRIMITIVEID", V::PrimitiveIndex),
    ("SV_COVERAGE", V::Coverage),
    ("SV_CLIPDISTANCE", V::ClipDistance),
    ("SV_CULLDISTANCE", V::CullDistance),
    ("SV_RENDERTARGETARRAYINDEX", V::Layer),
    ("SV_VIEWPORTARRAYINDEX", V::Viewport),
    ("SV_VIEWID", V::View),
    ("SV_DEVICEINDEX", V::Device),
    ("SV_BARYCENTRICS", V::Barycentrics),
    ("SV_POINTCOORD", V::PointCoordinate),
    ("SV_VULKANSAMPLEPOSITION", V::SamplePosition),
    ("SV_SHADINGRATE", V::ShadingRate),
    ("SV_FRAGSIZE", V::FragmentSize),
    ("SV_FRAGINVOCATIONCOUNT", V::FragmentInvocations),
];

/// From the fragment stage.
const FRAGMENT_OUTPUTS: Table = &[
    ("SV_DEPTH", V::FragmentDepth),
    ("SV_DEPTHGREATEREQUAL", V::FragmentDepthGreater),
    ("SV_DEPTHLESSEQUAL", V::FragmentDepthLess),
    ("SV_COVERAGE", V::Coverage),
    ("SV_STENCILREF", V::StencilReference),
];

/// To the hull stage.
const HULL_INPUTS: Table = &[
    ("SV_POSITION", V::Position),
    ("SV_POINTSIZE", V::PointSize),
    ("SV_CLIPDISTANCE", V::ClipDistance),
    ("SV_CULLDISTANCE", V::CullDistance),
    ("SV_OUTPUTCONTROLPOINTID", V::ControlPointIndex),
    ("SV_PRIMITIVEID", V::PrimitiveIndex),
    ("SV_VIEWID", V::View),
    ("SV_DEVICEINDEX", V::Device),
];

/// From the hull stage and its function of patch constants.
const HULL_OUTPUTS: Table = &[
    ("SV_POSITION", V::Position),
    ("SV_POINTSIZE", V::PointSize),
    ("SV_CLIPDISTANCE", V::ClipDistance),
    ("SV_CULLDISTANCE", V::CullDistance),
    ("SV_TESSFACTOR", V::EdgeFactors),
    ("SV_INSIDETESSFACTOR", V::InsideFactors),
];

/// To the domain stage.
const DOMAIN_INPUTS: Table = &[
    ("SV_POSITION", V::Position),
    ("SV_POINTSIZE", V::PointSize),
    ("SV_CLIPDISTANCE", V::ClipDistance),
    ("SV_CULLDISTANCE", V::CullDistance),
    ("SV_TESSFACTOR", V::EdgeFactors),
    ("SV_INSIDETESSFACTOR", V::InsideFactors),
    ("SV_DOMAINLOCATION", V::DomainLocation),
    ("SV_PRIMITIVEID", V::PrimitiveIndex),
    ("SV_VIEWID", V::View),
    ("SV_DEVICEINDEX", V::Device),
];

/// To the geometry stage.
const GEOMETRY_INPUTS: Table = &[
    ("SV_POSITION", V::Position),
    ("SV_POINTSIZE", V::PointSize),
    ("SV_CLIPDISTANCE", V::ClipDistance),
    ("SV_CULLDISTANCE", V::CullDistance),
    ("SV_PRIMITIVEID", V::PrimitiveIndex),
    ("SV_GSINSTANCEID", V::GeometryInstance),
    ("SV_VIEWID", V::View),
    ("SV_DEVICEINDEX", V::Device),
];

/// From the geometry stage.
const GEOMETRY_OUTPUTS: Table = &[
    ("SV_POSITION", V::Position),
    ("SV_POINTSIZE", V::PointSize),
    ("SV_CLIPDISTANCE", V::ClipDistance),
    ("SV_CULLDISTANCE", V::CullDistance),
    ("SV_PRIMITIVEID", V::PrimitiveIndex),
    ("SV_RENDERTARGETARRAYINDEX", V::Layer),
    ("SV_VIEWPORTARRAYINDEX", V::Viewport),
];

/// To the stages that make meshlets.
const MESH_INPUTS: Table = &[("SV_DRAWINDEX", V::DrawIndex), ("SV_VIEWID", V::View), ("SV_DEVICEINDEX", V::Device)];

/// From the mesh stage, of a vertex or of a primitive.
const MESH_OUTPUTS: Table = &[
    ("SV_POSITION", V::Position),
    ("SV_POINTSIZE", V::PointSize),
    ("SV_CLIPDISTANCE", V::ClipDistance),
    ("SV_CULLDISTANCE", V::CullDistance),
    ("SV_PRIMITIVEID", V::PrimitiveIndex),
    ("SV_RENDERTARGETARRAYINDEX", V::Layer),
    ("SV_VIEWPORTARRAYINDEX", V::Viewport),
    ("SV_SHADINGRATE", V::ShadingRate),
    ("SV_CULLPRIMITIVE", V::CullPrimitive),
];

/// What the pipeline gives or takes under a semantic, in capital letters.
pub(crate) fn of_stage(stage: Stage, is_output: bool, semantic: &str) -> Option<SystemValue> {
    let table = match (stage, is_output) {
        (Stage::Vertex, false) => VERTEX_INPUTS,
        (Stage::Vertex | Stage::Domain, true) => VERTEX_OUTPUTS,
        (Stage::Fragment, false) => FRAGMENT_INPUTS,
        (Stage::Fragment, true) => FRAGMENT_OUTPUTS,
        (Stage::Hull, false) => HULL_INPUTS,
        (Stage::Hull, true) => HULL_OUTPUTS,
        (Stage::Domain, false) => DOMAIN_INPUTS,
        (Stage::Geometry, false) => GEOMETRY_INPUTS,
        (Stage::Geometry, true) => GEOMETRY_OUTPUTS,
        (Stage::Amplification | Stage::Mesh, false) => MESH_INPUTS,
        (Stage::Mesh, true) => MESH_OUTPUTS,
        (Stage::Amplification, true)
        | (
            Stage::Compute
            | Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable,
            _,
        ) => return None,
    };
    table.iter().find(|(name, _)| *name == semantic).map(|&(_, value)| value)
}

/// The type in which the pipeline gives or takes it: of factors one, and nothing where the source chooses it.
pub(crate) fn type_of(types: &TypeTable, value: SystemValue) -> Option<TypeId> {
    let (scalar, len) = match value {
        V::Position => (Scalar::F32, 4),
        V::Barycentrics => (Scalar::F32, 3),
        V::PointCoordinate | V::SamplePosition => (Scalar::F32, 2),
        V::FragmentSize => (Scalar::U32, 2),
        V::PointSize
        | V::ClipDistance
        | V::CullDistance
        | V::FragmentDepth
        | V::FragmentDepthGreater
        | V::FragmentDepthLess => (Scalar::F32, 1),
        V::FrontFacing | V::CullPrimitive => (Scalar::Bool, 1),
        // The source says how many there are.
        V::EdgeFactors | V::InsideFactors => (Scalar::F32, 1),
        V::DomainLocation | V::PrimitiveVertices => return None,
        V::VertexIndex
        | V::InstanceIndex
        | V::AbsoluteVertexIndex
        | V::AbsoluteInstanceIndex
        | V::BaseVertex
        | V::BaseInstance
        | V::DrawIndex
        | V::Layer
        | V::Viewport
        | V::View
        | V::Device
        | V::SampleIndex
        | V::PrimitiveIndex
        | V::Coverage
        | V::ShadingRate
        | V::FragmentInvocations
        | V::StencilReference
        | V::ControlPointIndex
        | V::GeometryInstance => (Scalar::U32, 1),
    };
    Some(if len == 1 { types.scalar(scalar) } else { types.intern(Type::Vector { scalar, len }) })
}

/// The type in which the machine says it.
pub(crate) fn natural_type(types: &TypeTable, builtin: Builtin) -> TypeId {
    match builtin {
        Builtin::GroupIndex => types.scalar(Scalar::U32),
        Builtin::DispatchThreadId | Builtin::GroupThreadId | Builtin::GroupId => types.vector(Scalar::U32, 3),
    }
}

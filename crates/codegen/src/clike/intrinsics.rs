//! What the operations on textures and waves are called in Slang, and in HLSL, from which Slang has them.

use ir::{
    HandleType, SpanId, Type,
    intrinsic::{FragmentOp, TextureOp, WaveOp},
};

use super::{PRIMARY, Precedence, Printer};
use crate::tree::{Expr, Function};

/// The text of an operation between invocations; `None` for what has no name here.
pub(crate) fn wave(
    p: &mut Printer<'_>,
    f: &Function,
    op: WaveOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    Some((format!("{}({})", wave_function(op)?, p.list(f, args, span)), PRIMARY))
}

/// The text of an operation of fragments; `None` for what has no name here.
pub(crate) fn fragment(
    p: &mut Printer<'_>,
    f: &Function,
    op: FragmentOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let name = match op {
        FragmentOp::Clip => "clip",
        // A statement, not a call.
        FragmentOp::Discard => return Some(("discard".into(), PRIMARY)),
        FragmentOp::Ddx => "ddx",
        FragmentOp::DdxCoarse => "ddx_coarse",
        FragmentOp::DdxFine => "ddx_fine",
        FragmentOp::Ddy => "ddy",
        FragmentOp::DdyCoarse => "ddy_coarse",
        FragmentOp::DdyFine => "ddy_fine",
        FragmentOp::Fwidth => "fwidth",
        FragmentOp::IsHelper => "IsHelperLane",
        FragmentOp::AttributeAtCentroid
        | FragmentOp::AttributeAtSample
        | FragmentOp::AttributeAtVertex
        | FragmentOp::AttributeSnapped
        | FragmentOp::BeginInterlock
        | FragmentOp::EndInterlock
        | FragmentOp::SampleCount
        | FragmentOp::SamplePosition
        | FragmentOp::ShadingRate
        | FragmentOp::SubpassLoad => return None,
    };
    Some((format!("{name}({})", p.list(f, args, span)), PRIMARY))
}

/// The text of an operation on a texture; `None` for what has no name here.
pub(crate) fn texture(
    p: &mut Printer<'_>,
    f: &Function,
    op: TextureOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    if op == TextureOp::FullyMapped {
        return Some((format!("CheckAccessFullyMapped({})", p.list(f, args, span)), PRIMARY));
    }
    let (texture, rest) = args.split_first()?;
    let Type::Handle(HandleType::Texture { dims, array, cube, multisampled, writable, .. }) =
        p.module.types.get(texture.ty)
    else {
        return None;
    };
    let object = p.operand(f, texture, PRIMARY, span);
    let coordinates = dims + u8::from(cube) + u8::from(array);
    match (op, rest) {
        (TextureOp::Store, [location, value]) => {
            let (location, value) = (p.expr(f, location, span), p.expr(f, value, span));
            return Some((format!("{object}[{location}] = {value}"), 0));
        }
        // A location that does not name a level comes from `texture[location]`.
        (TextureOp::Load, [location]) if writable || (!multisampled && len(p, location) == coordinates) => {
            let location = p.expr(f, location, span);
            return Some((format!("{object}[{location}]"), PRIMARY));
        }
        _ => {}
    }
    Some((format!("{object}.{}({})", texture_method(op)?, p.list(f, rest, span)), PRIMARY))
}

/// Components of a scalar or vector.
pub(crate) fn len(p: &Printer<'_>, expr: &Expr) -> u8 {
    match p.module.types.get(expr.ty) {
        Type::Vector { len, .. } => len,
        _ => 1,
    }
}

fn texture_method(op: TextureOp) -> Option<&'static str> {
    Some(match op {
        TextureOp::Sample => "Sample",
        TextureOp::SampleBias => "SampleBias",
        TextureOp::SampleCmp => "SampleCmp",
        TextureOp::LevelOfDetail => "CalculateLevelOfDetail",
        TextureOp::LevelOfDetailUnclamped => "CalculateLevelOfDetailUnclamped",
        TextureOp::Dimensions => "GetDimensions",
        TextureOp::Gather => "Gather",
        TextureOp::GatherAlpha => "GatherAlpha",
        TextureOp::GatherBlue => "GatherBlue",
        TextureOp::GatherCmp => "GatherCmp",
        TextureOp::GatherCmpAlpha => "GatherCmpAlpha",
        TextureOp::GatherCmpBlue => "GatherCmpBlue",
        TextureOp::GatherCmpGreen => "GatherCmpGreen",
        TextureOp::GatherCmpRed => "GatherCmpRed",
        TextureOp::GatherGreen => "GatherGreen",
        TextureOp::GatherRed => "GatherRed",
        TextureOp::Load => "Load",
        TextureOp::SampleCmpLevel => "SampleCmpLevel",
        TextureOp::SampleCmpLevelZero => "SampleCmpLevelZero",
        TextureOp::SampleGrad => "SampleGrad",
        TextureOp::SampleLevel => "SampleLevel",
        TextureOp::SamplePosition => "GetSamplePosition",
        TextureOp::SampleCmpBias
        | TextureOp::WriteFeedback
        | TextureOp::AtomicAdd
        | TextureOp::AtomicAnd
        | TextureOp::AtomicCompareExchange
        | TextureOp::AtomicExchange
        | TextureOp::AtomicMax
        | TextureOp::AtomicMin
        | TextureOp::AtomicOr
        | TextureOp::AtomicXor
        | TextureOp::FullyMapped
        | TextureOp::Level
        | TextureOp::Levels
        | TextureOp::SampleCmpGrad
        | TextureOp::SampleLevelZero
        | TextureOp::Samples
        | TextureOp::Store => return None,
    })
}

fn wave_function(op: WaveOp) -> Option<&'static str> {
    Some(match op {
        WaveOp::AllEqual => "WaveActiveAllEqual",
        WaveOp::AllTrue => "WaveActiveAllTrue",
        WaveOp::AnyTrue => "WaveActiveAnyTrue",
        WaveOp::Ballot => "WaveActiveBallot",
        WaveOp::BitAnd => "WaveActiveBitAnd",
        WaveOp::BitOr => "WaveActiveBitOr",
        WaveOp::BitXor => "WaveActiveBitXor",
        WaveOp::CountBits => "WaveActiveCountBits",
        WaveOp::IsFirstLane => "WaveIsFirstLane",
        WaveOp::LaneCount => "WaveGetLaneCount",
        WaveOp::LaneIndex => "WaveGetLaneIndex",
        WaveOp::Match => "WaveMatch",
        WaveOp::Max => "WaveActiveMax",
        WaveOp::Min => "WaveActiveMin",
        WaveOp::PrefixCountBits => "WavePrefixCountBits",
        WaveOp::PrefixProduct => "WavePrefixProduct",
        WaveOp::PrefixSum => "WavePrefixSum",
        WaveOp::Product => "WaveActiveProduct",
        WaveOp::ReadLaneAt => "WaveReadLaneAt",
        WaveOp::ReadLaneFirst => "WaveReadLaneFirst",
        // The number of the lane is the same in all of them, which the other need not be.
        WaveOp::Broadcast | WaveOp::Shuffle => "WaveReadLaneAt",
        WaveOp::Sum => "WaveActiveSum",
        WaveOp::QuadReadAcrossDiagonal => "QuadReadAcrossDiagonal",
        WaveOp::QuadReadAcrossX => "QuadReadAcrossX",
        WaveOp::QuadReadAcrossY => "QuadReadAcrossY",
        WaveOp::QuadReadLaneAt => "QuadReadLaneAt",
        WaveOp::ActiveMask
        | WaveOp::ActiveMulti
        | WaveOp::ClusteredRotate
        | WaveOp::ConvergedMask
        | WaveOp::ConvergedMulti
        | WaveOp::LaneEqMask
        | WaveOp::LaneGeMask
        | WaveOp::LaneGtMask
        | WaveOp::LaneLeMask
        | WaveOp::LaneLtMask
        | WaveOp::PrefixBitAnd
        | WaveOp::PrefixBitOr
        | WaveOp::PrefixBitXor
        | WaveOp::PrefixMax
        | WaveOp::PrefixMin
        | WaveOp::Rotate
        | WaveOp::SaturatedCooperation
        | WaveOp::WaveCount
        | WaveOp::WaveIndex
        | WaveOp::QuadAll
        | WaveOp::QuadAny => return None,
    })
}

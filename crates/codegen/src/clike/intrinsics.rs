//! What the operations on textures and waves are called in Slang, and in HLSL, from which Slang has them.

use ir::{HandleType, SpanId, Type};

use super::{PRIMARY, Precedence, Printer};
use crate::tree::{Expr, Function};

/// The text of an operation on a texture or wave; `None` for those that have no name here.
pub fn call(
    p: &mut Printer<'_>,
    f: &Function,
    name: &str,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    if let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
        return Some((format!("{function}({})", p.list(f, args, span)), PRIMARY));
    }
    let (texture, rest) = args.split_first()?;
    let Type::Handle(HandleType::Texture { dims, array, cube, multisampled, writable, .. }) =
        p.module.types.get(texture.ty)
    else {
        return None;
    };
    let object = p.operand(f, texture, PRIMARY, span);
    let coordinates = dims + u8::from(cube) + u8::from(array);
    match (name, rest) {
        ("texture.store", [location, value]) => {
            let (location, value) = (p.expr(f, location, span), p.expr(f, value, span));
            return Some((format!("{object}[{location}] = {value}"), 0));
        }
        // A location that does not name a level comes from `texture[location]`.
        ("texture.load", [location]) if writable || (!multisampled && len(p, location) == coordinates) => {
            let location = p.expr(f, location, span);
            return Some((format!("{object}[{location}]"), PRIMARY));
        }
        _ => {}
    }
    let (_, method) = METHODS.iter().find(|(known, _)| *known == name)?;
    Some((format!("{object}.{method}({})", p.list(f, rest, span)), PRIMARY))
}

/// Components of a scalar or vector.
pub fn len(p: &Printer<'_>, expr: &Expr) -> u8 {
    match p.module.types.get(expr.ty) {
        Type::Vector { len, .. } => len,
        _ => 1,
    }
}

const METHODS: &[(&str, &str)] = &[
    ("texture.dimensions", "GetDimensions"),
    ("texture.gather", "Gather"),
    ("texture.gather_alpha", "GatherAlpha"),
    ("texture.gather_blue", "GatherBlue"),
    ("texture.gather_cmp", "GatherCmp"),
    ("texture.gather_cmp_alpha", "GatherCmpAlpha"),
    ("texture.gather_cmp_blue", "GatherCmpBlue"),
    ("texture.gather_cmp_green", "GatherCmpGreen"),
    ("texture.gather_cmp_red", "GatherCmpRed"),
    ("texture.gather_green", "GatherGreen"),
    ("texture.gather_red", "GatherRed"),
    ("texture.level_of_detail", "CalculateLevelOfDetail"),
    ("texture.level_of_detail_unclamped", "CalculateLevelOfDetailUnclamped"),
    ("texture.load", "Load"),
    ("texture.sample", "Sample"),
    ("texture.sample_bias", "SampleBias"),
    ("texture.sample_cmp", "SampleCmp"),
    ("texture.sample_cmp_level", "SampleCmpLevel"),
    ("texture.sample_cmp_level_zero", "SampleCmpLevelZero"),
    ("texture.sample_grad", "SampleGrad"),
    ("texture.sample_level", "SampleLevel"),
    ("texture.sample_position", "GetSamplePosition"),
];

const FUNCTIONS: &[(&str, &str)] = &[
    ("quad.read_across_diagonal", "QuadReadAcrossDiagonal"),
    ("quad.read_across_x", "QuadReadAcrossX"),
    ("quad.read_across_y", "QuadReadAcrossY"),
    ("quad.read_lane_at", "QuadReadLaneAt"),
    ("texture.fully_mapped", "CheckAccessFullyMapped"),
    ("wave.all_equal", "WaveActiveAllEqual"),
    ("wave.all_true", "WaveActiveAllTrue"),
    ("wave.any_true", "WaveActiveAnyTrue"),
    ("wave.ballot", "WaveActiveBallot"),
    ("wave.bit_and", "WaveActiveBitAnd"),
    ("wave.bit_or", "WaveActiveBitOr"),
    ("wave.bit_xor", "WaveActiveBitXor"),
    ("wave.count_bits", "WaveActiveCountBits"),
    ("wave.is_first_lane", "WaveIsFirstLane"),
    ("wave.lane_count", "WaveGetLaneCount"),
    ("wave.lane_index", "WaveGetLaneIndex"),
    ("wave.match", "WaveMatch"),
    ("wave.max", "WaveActiveMax"),
    ("wave.min", "WaveActiveMin"),
    ("wave.prefix_count_bits", "WavePrefixCountBits"),
    ("wave.prefix_product", "WavePrefixProduct"),
    ("wave.prefix_sum", "WavePrefixSum"),
    ("wave.product", "WaveActiveProduct"),
    ("wave.read_lane_at", "WaveReadLaneAt"),
    ("wave.read_lane_first", "WaveReadLaneFirst"),
    ("wave.shuffle", "WaveReadLaneAt"),
    ("wave.sum", "WaveActiveSum"),
];

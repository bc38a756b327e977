//! Operations between the invocations of a wave, which is called a subgroup here.

use ir::{SpanId, intrinsic::WaveOp};

use crate::clike::{PRIMARY, Precedence, Printer};
use crate::tree::{Expr, Function};

/// The text of an operation; `None` for those that GLSL does not have.
pub(crate) fn call(
    p: &mut Printer<'_>,
    f: &Function,
    op: WaveOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let (extension, text) = operation(op)?;
    p.require(&format!("#extension GL_KHR_shader_subgroup_{extension} : require"));
    Some((text.replace('$', &p.list(f, args, span)), PRIMARY))
}

/// The extension that has an operation and its text, with the operands at `$`.
fn operation(op: WaveOp) -> Option<(&'static str, &'static str)> {
    Some(match op {
        WaveOp::AllEqual => ("vote", "subgroupAllEqual($)"),
        WaveOp::AllTrue => ("vote", "subgroupAll($)"),
        WaveOp::AnyTrue => ("vote", "subgroupAny($)"),
        WaveOp::Ballot => ("ballot", "subgroupBallot($)"),
        WaveOp::BitAnd => ("arithmetic", "subgroupAnd($)"),
        WaveOp::BitOr => ("arithmetic", "subgroupOr($)"),
        WaveOp::BitXor => ("arithmetic", "subgroupXor($)"),
        WaveOp::CountBits => ("ballot", "subgroupBallotBitCount(subgroupBallot($))"),
        WaveOp::IsFirstLane => ("basic", "subgroupElect()"),
        WaveOp::LaneCount => ("basic", "gl_SubgroupSize"),
        WaveOp::LaneIndex => ("basic", "gl_SubgroupInvocationID"),
        WaveOp::Max => ("arithmetic", "subgroupMax($)"),
        WaveOp::Min => ("arithmetic", "subgroupMin($)"),
        WaveOp::PrefixCountBits => ("ballot", "subgroupBallotExclusiveBitCount(subgroupBallot($))"),
        WaveOp::PrefixProduct => ("arithmetic", "subgroupExclusiveMul($)"),
        WaveOp::PrefixSum => ("arithmetic", "subgroupExclusiveAdd($)"),
        WaveOp::Product => ("arithmetic", "subgroupMul($)"),
        WaveOp::ReadLaneAt => ("shuffle", "subgroupShuffle($)"),
        WaveOp::ReadLaneFirst => ("ballot", "subgroupBroadcastFirst($)"),
        // `subgroupBroadcast` wants a constant before SPIR-V 1.5.
        WaveOp::Broadcast | WaveOp::Shuffle => ("shuffle", "subgroupShuffle($)"),
        WaveOp::PrefixBitAnd => ("arithmetic", "subgroupExclusiveAnd($)"),
        WaveOp::PrefixBitOr => ("arithmetic", "subgroupExclusiveOr($)"),
        WaveOp::PrefixBitXor => ("arithmetic", "subgroupExclusiveXor($)"),
        WaveOp::PrefixMax => ("arithmetic", "subgroupExclusiveMax($)"),
        WaveOp::PrefixMin => ("arithmetic", "subgroupExclusiveMin($)"),
        WaveOp::Rotate => ("rotate", "subgroupRotate($)"),
        WaveOp::WaveCount => ("basic", "gl_NumSubgroups"),
        WaveOp::WaveIndex => ("basic", "gl_SubgroupID"),
        WaveOp::QuadReadAcrossDiagonal => ("quad", "subgroupQuadSwapDiagonal($)"),
        WaveOp::QuadReadAcrossX => ("quad", "subgroupQuadSwapHorizontal($)"),
        WaveOp::QuadReadAcrossY => ("quad", "subgroupQuadSwapVertical($)"),
        WaveOp::Sum => ("arithmetic", "subgroupAdd($)"),
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
        | WaveOp::Match
        | WaveOp::SaturatedCooperation
        | WaveOp::QuadAll
        | WaveOp::QuadAny
        | WaveOp::QuadReadLaneAt => return None,
    })
}

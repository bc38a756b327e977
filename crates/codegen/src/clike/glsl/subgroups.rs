//! Operations between the invocations of a wave, which is called a subgroup here.

use ir::SpanId;

use crate::clike::{PRIMARY, Precedence, Printer};
use crate::tree::{Expr, Function};

/// The text of an operation; `None` for those that GLSL does not have.
pub fn call(
    p: &mut Printer<'_>,
    f: &Function,
    name: &str,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let &(_, extension, text) = OPERATIONS.iter().find(|(known, ..)| *known == name)?;
    p.require(&format!("#extension GL_KHR_shader_subgroup_{extension} : require"));
    Some((text.replace('$', &p.list(f, args, span)), PRIMARY))
}

/// The extension of each operation and its text, with the operands at `$`.
const OPERATIONS: &[(&str, &str, &str)] = &[
    ("wave.all_equal", "vote", "subgroupAllEqual($)"),
    ("wave.all_true", "vote", "subgroupAll($)"),
    ("wave.any_true", "vote", "subgroupAny($)"),
    ("wave.ballot", "ballot", "subgroupBallot($)"),
    ("wave.bit_and", "arithmetic", "subgroupAnd($)"),
    ("wave.bit_or", "arithmetic", "subgroupOr($)"),
    ("wave.bit_xor", "arithmetic", "subgroupXor($)"),
    ("wave.count_bits", "ballot", "subgroupBallotBitCount(subgroupBallot($))"),
    ("wave.is_first_lane", "basic", "subgroupElect()"),
    ("wave.lane_count", "basic", "gl_SubgroupSize"),
    ("wave.lane_index", "basic", "gl_SubgroupInvocationID"),
    ("wave.max", "arithmetic", "subgroupMax($)"),
    ("wave.min", "arithmetic", "subgroupMin($)"),
    ("wave.prefix_count_bits", "ballot", "subgroupBallotExclusiveBitCount(subgroupBallot($))"),
    ("wave.prefix_product", "arithmetic", "subgroupExclusiveMul($)"),
    ("wave.prefix_sum", "arithmetic", "subgroupExclusiveAdd($)"),
    ("wave.product", "arithmetic", "subgroupMul($)"),
    ("wave.read_lane_at", "shuffle", "subgroupShuffle($)"),
    ("wave.read_lane_first", "ballot", "subgroupBroadcastFirst($)"),
    ("wave.shuffle", "shuffle", "subgroupShuffle($)"),
    ("wave.sum", "arithmetic", "subgroupAdd($)"),
];

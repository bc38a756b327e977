//! Operations between the threads of a wave, which is called a SIMD-group here.

use ir::{Scalar, SpanId, intrinsic::WaveOp};

use crate::clike::{Form, PRIMARY, Precedence, Printer, Told};
use crate::tree::{Expr, Function};

pub(crate) const LANE_INDEX: Told = Told { name: "lane_index", ty: "uint", attribute: "thread_index_in_simdgroup" };
pub(crate) const LANE_COUNT: Told = Told { name: "lane_count", ty: "uint", attribute: "threads_per_simdgroup" };

/// The text of an operation; `None` for those that Metal does not have, among them all that see a mask of lanes.
pub(crate) fn call(
    p: &mut Printer<'_>,
    f: &Function,
    op: WaveOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let name = match op {
        WaveOp::LaneIndex => return Some((LANE_INDEX.name.into(), PRIMARY)),
        WaveOp::LaneCount => return Some((LANE_COUNT.name.into(), PRIMARY)),
        WaveOp::AllTrue => "simd_all",
        WaveOp::AnyTrue => "simd_any",
        WaveOp::BitAnd => "simd_and",
        WaveOp::BitOr => "simd_or",
        WaveOp::BitXor => "simd_xor",
        WaveOp::IsFirstLane => "simd_is_first",
        WaveOp::Max => "simd_max",
        WaveOp::Min => "simd_min",
        WaveOp::PrefixProduct => "simd_prefix_exclusive_product",
        WaveOp::PrefixSum => "simd_prefix_exclusive_sum",
        WaveOp::Product => "simd_product",
        WaveOp::ReadLaneFirst => "simd_broadcast_first",
        // The lane may differ between threads, which it may not in `simd_broadcast`.
        WaveOp::ReadLaneAt | WaveOp::Broadcast | WaveOp::Shuffle => "simd_shuffle",
        WaveOp::Sum => "simd_sum",
        WaveOp::ActiveMask
        | WaveOp::ActiveMulti
        | WaveOp::AllEqual
        | WaveOp::Ballot
        | WaveOp::ClusteredRotate
        | WaveOp::ConvergedMask
        | WaveOp::ConvergedMulti
        | WaveOp::CountBits
        | WaveOp::LaneEqMask
        | WaveOp::LaneGeMask
        | WaveOp::LaneGtMask
        | WaveOp::LaneLeMask
        | WaveOp::LaneLtMask
        | WaveOp::Match
        | WaveOp::PrefixBitAnd
        | WaveOp::PrefixBitOr
        | WaveOp::PrefixBitXor
        | WaveOp::PrefixCountBits
        | WaveOp::PrefixMax
        | WaveOp::PrefixMin
        | WaveOp::QuadAll
        | WaveOp::QuadAny
        | WaveOp::QuadReadAcrossDiagonal
        | WaveOp::QuadReadAcrossX
        | WaveOp::QuadReadAcrossY
        | WaveOp::QuadReadLaneAt
        | WaveOp::Rotate
        | WaveOp::SaturatedCooperation
        | WaveOp::WaveCount
        | WaveOp::WaveIndex => return None,
    };
    if let Some(value) = args.first() {
        let scalar = p.scalar_of(value.ty)?;
        let is_truth = matches!(op, WaveOp::AllTrue | WaveOp::AnyTrue);
        let has_type = match scalar {
            Scalar::Bool => is_truth && p.shape(value.ty) == Form::Scalar,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => false,
            _ => !is_truth,
        };
        if !has_type || !matches!(p.shape(value.ty), Form::Scalar | Form::Vector) {
            return None;
        }
    }
    let text = match args {
        [value, lane] => format!("{name}({}, ushort({}))", p.expr(f, value, span), p.expr(f, lane, span)),
        _ => format!("{name}({})", p.list(f, args, span)),
    };
    Some((text, PRIMARY))
}

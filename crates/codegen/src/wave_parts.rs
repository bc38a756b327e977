//! Operations between the threads that a partition puts together: one table for the languages that spell them apart.

use ir::intrinsic::WaveSubsetOp;

/// Which of the invocations that a partition puts together with this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    All,
    UpToThis,
    BeforeThis,
}

/// What is made of the values of several invocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combine {
    Sum,
    Product,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// What it makes of the values of a part of the wave, whose mask is the last operand, and of which of them.
pub(crate) fn of_part(op: WaveSubsetOp) -> Option<(Over, Combine)> {
    Some(match op {
        WaveSubsetOp::MultiBitAnd => (Over::All, Combine::And),
        WaveSubsetOp::MultiBitOr => (Over::All, Combine::Or),
        WaveSubsetOp::MultiBitXor => (Over::All, Combine::Xor),
        WaveSubsetOp::MultiMax => (Over::All, Combine::Max),
        WaveSubsetOp::MultiMin => (Over::All, Combine::Min),
        WaveSubsetOp::MultiProduct => (Over::All, Combine::Product),
        WaveSubsetOp::MultiSum => (Over::All, Combine::Sum),
        WaveSubsetOp::MultiInclusiveBitAnd => (Over::UpToThis, Combine::And),
        WaveSubsetOp::MultiInclusiveBitOr => (Over::UpToThis, Combine::Or),
        WaveSubsetOp::MultiInclusiveBitXor => (Over::UpToThis, Combine::Xor),
        WaveSubsetOp::MultiInclusiveMax => (Over::UpToThis, Combine::Max),
        WaveSubsetOp::MultiInclusiveMin => (Over::UpToThis, Combine::Min),
        WaveSubsetOp::MultiInclusiveProduct => (Over::UpToThis, Combine::Product),
        WaveSubsetOp::MultiInclusiveSum => (Over::UpToThis, Combine::Sum),
        WaveSubsetOp::MultiPrefixBitAnd => (Over::BeforeThis, Combine::And),
        WaveSubsetOp::MultiPrefixBitOr => (Over::BeforeThis, Combine::Or),
        WaveSubsetOp::MultiPrefixBitXor => (Over::BeforeThis, Combine::Xor),
        WaveSubsetOp::MultiPrefixMax => (Over::BeforeThis, Combine::Max),
        WaveSubsetOp::MultiPrefixMin => (Over::BeforeThis, Combine::Min),
        WaveSubsetOp::MultiPrefixProduct => (Over::BeforeThis, Combine::Product),
        WaveSubsetOp::MultiPrefixSum => (Over::BeforeThis, Combine::Sum),
        WaveSubsetOp::MultiPrefixCountBits
        | WaveSubsetOp::MaskAllEqual
        | WaveSubsetOp::MaskAllTrue
        | WaveSubsetOp::MaskAnyTrue
        | WaveSubsetOp::MaskBallot
        | WaveSubsetOp::MaskBitAnd
        | WaveSubsetOp::MaskBitOr
        | WaveSubsetOp::MaskBitXor
        | WaveSubsetOp::MaskBroadcast
        | WaveSubsetOp::MaskCountBits
        | WaveSubsetOp::MaskIsFirstLane
        | WaveSubsetOp::MaskMatch
        | WaveSubsetOp::MaskMax
        | WaveSubsetOp::MaskMin
        | WaveSubsetOp::MaskPrefixBitAnd
        | WaveSubsetOp::MaskPrefixBitOr
        | WaveSubsetOp::MaskPrefixBitXor
        | WaveSubsetOp::MaskPrefixCountBits
        | WaveSubsetOp::MaskPrefixMax
        | WaveSubsetOp::MaskPrefixMin
        | WaveSubsetOp::MaskPrefixProduct
        | WaveSubsetOp::MaskPrefixSum
        | WaveSubsetOp::MaskProduct
        | WaveSubsetOp::MaskReadLaneAt
        | WaveSubsetOp::MaskReadLaneFirst
        | WaveSubsetOp::MaskSharedSync
        | WaveSubsetOp::MaskShuffle
        | WaveSubsetOp::MaskSum => return None,
    })
}

//! What operations between the threads of a wave join, and over which of them.

use super::WaveSubsetOp;

/// Over which of the threads that take part with this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of them.
    All,
    /// Those with lower numbers, and this one.
    UpToThis,
    /// Those with lower numbers.
    BeforeThis,
}

/// How the values of several threads become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// The bits that are set in all.
    And,
    /// The bits that are set in any.
    Or,
    /// The bits that are set in an odd number of them.
    Xor,
}

impl WaveSubsetOp {
    /// What it joins of the values of the part of the wave that a partition puts this thread into, whose mask is the last
    /// operand; `None` for what joins none, or those that a mask names.
    pub fn fold_of_part(self) -> Option<(Extent, Fold)> {
        Some(match self {
            WaveSubsetOp::MultiBitAnd => (Extent::All, Fold::And),
            WaveSubsetOp::MultiBitOr => (Extent::All, Fold::Or),
            WaveSubsetOp::MultiBitXor => (Extent::All, Fold::Xor),
            WaveSubsetOp::MultiMax => (Extent::All, Fold::Max),
            WaveSubsetOp::MultiMin => (Extent::All, Fold::Min),
            WaveSubsetOp::MultiProduct => (Extent::All, Fold::Product),
            WaveSubsetOp::MultiSum => (Extent::All, Fold::Sum),
            WaveSubsetOp::MultiInclusiveBitAnd => (Extent::UpToThis, Fold::And),
            WaveSubsetOp::MultiInclusiveBitOr => (Extent::UpToThis, Fold::Or),
            WaveSubsetOp::MultiInclusiveBitXor => (Extent::UpToThis, Fold::Xor),
            WaveSubsetOp::MultiInclusiveMax => (Extent::UpToThis, Fold::Max),
            WaveSubsetOp::MultiInclusiveMin => (Extent::UpToThis, Fold::Min),
            WaveSubsetOp::MultiInclusiveProduct => (Extent::UpToThis, Fold::Product),
            WaveSubsetOp::MultiInclusiveSum => (Extent::UpToThis, Fold::Sum),
            WaveSubsetOp::MultiPrefixBitAnd => (Extent::BeforeThis, Fold::And),
            WaveSubsetOp::MultiPrefixBitOr => (Extent::BeforeThis, Fold::Or),
            WaveSubsetOp::MultiPrefixBitXor => (Extent::BeforeThis, Fold::Xor),
            WaveSubsetOp::MultiPrefixMax => (Extent::BeforeThis, Fold::Max),
            WaveSubsetOp::MultiPrefixMin => (Extent::BeforeThis, Fold::Min),
            WaveSubsetOp::MultiPrefixProduct => (Extent::BeforeThis, Fold::Product),
            WaveSubsetOp::MultiPrefixSum => (Extent::BeforeThis, Fold::Sum),
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
}

//! Functions of the core library that are operations of their own: those that only some back ends know (textures, waves,
//! rays, …). Each back end and the interpreter answers for each of them, with code or by refusing it by name.
//!
//! One table ([`table`](self)) says of each what it is called, what it asks of the machine, what it does to memory, how
//! many operands and results it has, and whether derivatives are lost in it.

mod table;
pub mod waves;

use std::{ops::RangeInclusive, sync::LazyLock};

use rustc_hash::FxHashMap;

pub use table::{
    BufferOp, CooperativeOp, DescriptorOp, FragmentOp, GridOp, HintOp, HitObjectOp, IntegerOp, Intrinsic, NumberOp,
    PointerOp, RayExtensionOp, RayOp, RayQueryOp, StageOp, SystemOp, TensorOp, TextureOp, WaveOp, WaveSubsetOp,
};

use crate::{AtomicOp, Effect};

/// Any number of operands.
pub(crate) const ANY: u8 = u8::MAX;

/// What is known of an intrinsic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// What it is called in the core library and in the text form.
    pub word: &'static str,
    /// What it is called in a program, for messages: the first of several names, the type that it makes or is part of, or
    /// the operator.
    pub name: &'static str,
    /// What a machine has to have for it.
    pub capability: Capability,
    /// Whether it may be moved, repeated or removed.
    pub effect: Effect,
    /// How many operands it has.
    pub operands: RangeInclusive<u8>,
    /// How many results it has.
    pub results: RangeInclusive<u8>,
    /// What happens to a derivative that meets it.
    pub derivative: Derivative,
}

/// What a machine, a stage or a language has to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Capability {
    /// What all have.
    Nothing,
    /// A counter of time.
    Clock,
    /// Matrices that a wave holds together.
    CooperativeMatrices,
    /// Vectors of any length, with products by matrices in memory.
    CooperativeVectors,
    /// Buffers with a counter beside them.
    Counters,
    /// Assertions, breakpoints and prints.
    Debugging,
    /// One table of all resources, which numbers are looked up in.
    DescriptorHeap,
    /// The fragment stage.
    Fragments,
    /// The geometry stage.
    GeometryShaders,
    /// Hits of rays as values, and their reordering.
    HitObjects,
    /// The amplification and mesh stages.
    MeshShaders,
    /// Invocations that are neighbouring pixels, from whose differences rates of change are told.
    PixelNeighbours,
    /// Addresses of memory.
    Pointers,
    /// Rays that any stage may trace, step by step.
    RayQueries,
    /// The stages that rays start.
    RayTracing,
    /// Whether memory that was read was there.
    ResidencyStatus,
    /// Textures that record which texels were sampled.
    SamplerFeedback,
    /// Floats of eight bits.
    SmallFloats,
    /// Texts as values.
    Strings,
    /// Tensors in memory and their layouts.
    Tensors,
    /// The hull and domain stages.
    Tessellation,
    /// Textures and samplers.
    Textures,
    /// Operations between the invocations of a wave.
    Waves,
    /// The same among those that a mask names.
    WaveMasks,
    /// The same among those that a partition puts together.
    WavePartitions,
}

/// What happens to a derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Derivative {
    /// No operand that could carry a derivative meets a result that could.
    None,
    /// What operands carry is lost: there is no rule for it.
    Lost,
}

impl TextureOp {
    /// Whether it looks between texels, with a sampler.
    pub fn samples(self) -> bool {
        match self {
            TextureOp::Sample
            | TextureOp::SampleBias
            | TextureOp::SampleCmp
            | TextureOp::SampleCmpBias
            | TextureOp::SampleCmpGrad
            | TextureOp::SampleCmpLevel
            | TextureOp::SampleCmpLevelZero
            | TextureOp::SampleGrad
            | TextureOp::SampleLevel
            | TextureOp::SampleLevelZero
            | TextureOp::Gather
            | TextureOp::GatherAlpha
            | TextureOp::GatherBlue
            | TextureOp::GatherCmp
            | TextureOp::GatherCmpAlpha
            | TextureOp::GatherCmpBlue
            | TextureOp::GatherCmpGreen
            | TextureOp::GatherCmpRed
            | TextureOp::GatherGreen
            | TextureOp::GatherRed
            | TextureOp::LevelOfDetail
            | TextureOp::LevelOfDetailUnclamped
            | TextureOp::WriteFeedback => true,
            TextureOp::AtomicAdd
            | TextureOp::AtomicAnd
            | TextureOp::AtomicCompareExchange
            | TextureOp::AtomicExchange
            | TextureOp::AtomicMax
            | TextureOp::AtomicMin
            | TextureOp::AtomicOr
            | TextureOp::AtomicXor
            | TextureOp::Dimensions
            | TextureOp::FullyMapped
            | TextureOp::Level
            | TextureOp::Levels
            | TextureOp::Load
            | TextureOp::SamplePosition
            | TextureOp::Samples
            | TextureOp::Store => false,
        }
    }

    /// The change of one texel, in one step, that this is; its operands are the texture, the place and then as those of
    /// [`crate::Op::Atomic`].
    pub fn atomic(self) -> Option<AtomicOp> {
        Self::ATOMICS.iter().find(|(op, _)| *op == self).map(|(_, atomic)| *atomic)
    }

    /// What changes a texel so.
    pub fn of_atomic(atomic: AtomicOp) -> TextureOp {
        match atomic {
            AtomicOp::Add => TextureOp::AtomicAdd,
            AtomicOp::And => TextureOp::AtomicAnd,
            AtomicOp::CompareExchange => TextureOp::AtomicCompareExchange,
            AtomicOp::Exchange => TextureOp::AtomicExchange,
            AtomicOp::Max => TextureOp::AtomicMax,
            AtomicOp::Min => TextureOp::AtomicMin,
            AtomicOp::Or => TextureOp::AtomicOr,
            AtomicOp::Xor => TextureOp::AtomicXor,
        }
    }

    const ATOMICS: [(TextureOp, AtomicOp); 8] = [
        (TextureOp::AtomicAdd, AtomicOp::Add),
        (TextureOp::AtomicAnd, AtomicOp::And),
        (TextureOp::AtomicCompareExchange, AtomicOp::CompareExchange),
        (TextureOp::AtomicExchange, AtomicOp::Exchange),
        (TextureOp::AtomicMax, AtomicOp::Max),
        (TextureOp::AtomicMin, AtomicOp::Min),
        (TextureOp::AtomicOr, AtomicOp::Or),
        (TextureOp::AtomicXor, AtomicOp::Xor),
    ];
}

impl WaveSubsetOp {
    /// The operation of all threads that run: languages without masks say that, as slangc does, since all threads of a mask
    /// must run. `None` for those that have no such operation, or one whose result is of another type.
    pub fn without_mask(self) -> Option<WaveOp> {
        Some(match self {
            WaveSubsetOp::MaskAllEqual => WaveOp::AllEqual,
            WaveSubsetOp::MaskAllTrue => WaveOp::AllTrue,
            WaveSubsetOp::MaskAnyTrue => WaveOp::AnyTrue,
            WaveSubsetOp::MaskBitAnd => WaveOp::BitAnd,
            WaveSubsetOp::MaskBitOr => WaveOp::BitOr,
            WaveSubsetOp::MaskBitXor => WaveOp::BitXor,
            WaveSubsetOp::MaskBroadcast => WaveOp::Broadcast,
            WaveSubsetOp::MaskCountBits => WaveOp::CountBits,
            WaveSubsetOp::MaskIsFirstLane => WaveOp::IsFirstLane,
            WaveSubsetOp::MaskMax => WaveOp::Max,
            WaveSubsetOp::MaskMin => WaveOp::Min,
            WaveSubsetOp::MaskPrefixBitAnd => WaveOp::PrefixBitAnd,
            WaveSubsetOp::MaskPrefixBitOr => WaveOp::PrefixBitOr,
            WaveSubsetOp::MaskPrefixBitXor => WaveOp::PrefixBitXor,
            WaveSubsetOp::MaskPrefixCountBits => WaveOp::PrefixCountBits,
            WaveSubsetOp::MaskPrefixMax => WaveOp::PrefixMax,
            WaveSubsetOp::MaskPrefixMin => WaveOp::PrefixMin,
            WaveSubsetOp::MaskPrefixProduct => WaveOp::PrefixProduct,
            WaveSubsetOp::MaskPrefixSum => WaveOp::PrefixSum,
            WaveSubsetOp::MaskProduct => WaveOp::Product,
            WaveSubsetOp::MaskReadLaneAt => WaveOp::ReadLaneAt,
            WaveSubsetOp::MaskReadLaneFirst => WaveOp::ReadLaneFirst,
            WaveSubsetOp::MaskShuffle => WaveOp::Shuffle,
            WaveSubsetOp::MaskSum => WaveOp::Sum,
            WaveSubsetOp::MaskBallot
            | WaveSubsetOp::MaskMatch
            | WaveSubsetOp::MaskSharedSync
            | WaveSubsetOp::MultiBitAnd
            | WaveSubsetOp::MultiBitOr
            | WaveSubsetOp::MultiBitXor
            | WaveSubsetOp::MultiInclusiveBitAnd
            | WaveSubsetOp::MultiInclusiveBitOr
            | WaveSubsetOp::MultiInclusiveBitXor
            | WaveSubsetOp::MultiInclusiveMax
            | WaveSubsetOp::MultiInclusiveMin
            | WaveSubsetOp::MultiInclusiveProduct
            | WaveSubsetOp::MultiInclusiveSum
            | WaveSubsetOp::MultiMax
            | WaveSubsetOp::MultiMin
            | WaveSubsetOp::MultiPrefixBitAnd
            | WaveSubsetOp::MultiPrefixBitOr
            | WaveSubsetOp::MultiPrefixBitXor
            | WaveSubsetOp::MultiPrefixCountBits
            | WaveSubsetOp::MultiPrefixMax
            | WaveSubsetOp::MultiPrefixMin
            | WaveSubsetOp::MultiPrefixProduct
            | WaveSubsetOp::MultiPrefixSum
            | WaveSubsetOp::MultiProduct
            | WaveSubsetOp::MultiSum => return None,
        })
    }
}

impl Intrinsic {
    /// What it is called in a program: for messages.
    pub fn source_name(self) -> &'static str {
        self.facts().name
    }

    /// What it is called in the core library and in the text form.
    pub fn word(self) -> &'static str {
        self.facts().word
    }

    /// Whether it may be moved, repeated or removed.
    pub fn effect(self) -> Effect {
        self.facts().effect
    }

    /// What a machine has to have for it.
    pub fn capability(self) -> Capability {
        self.facts().capability
    }

    /// What happens to a derivative that meets it.
    pub fn derivative(self) -> Derivative {
        self.facts().derivative
    }

    /// The intrinsic that `word` stands for.
    pub fn from_word(word: &str) -> Option<Intrinsic> {
        static WORDS: LazyLock<FxHashMap<&'static str, Intrinsic>> =
            LazyLock::new(|| Intrinsic::all().map(|intrinsic| (intrinsic.word(), intrinsic)).collect());
        WORDS.get(word).copied()
    }
}

impl std::fmt::Display for Intrinsic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::Intrinsic;

    #[test]
    fn each_word_stands_for_one_intrinsic() {
        for intrinsic in Intrinsic::all() {
            assert_eq!(Intrinsic::from_word(intrinsic.word()), Some(intrinsic));
        }
        assert_eq!(Intrinsic::from_word("texture.lod"), None);
    }
}

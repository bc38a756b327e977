//! All intrinsics: one line each, by family and by what they ask of the machine.
//!
//! `Variant = "word", "name", effect, operands => results, derivative;` The word is that of `[__intrinsic("word")]` in the
//! core library and of the text form, the name what a program calls; operands are the receiver and what goes in, results
//! what is returned and what comes out.

use super::{ANY, Capability, Derivative, Facts};
use crate::Effect;

macro_rules! intrinsics {
    ($(
        $(#[$doc:meta])*
        $family:ident($ops:ident) {
            $($capability:ident {
                $($variant:ident = $word:literal, $name:literal, $effect:ident, $operands:expr => $results:expr, $derivative:ident;)*
            })*
        }
    )*) => {
        /// A function of the core library that is an operation of its own, by family.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Intrinsic {
            $($(#[$doc])* $family($ops),)*
        }

        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum $ops {
                $($(#[doc = concat!("`", $word, "`")] $variant,)*)*
            }

            impl $ops {
                /// All of the family, in the order of the table.
                pub const ALL: &'static [$ops] = &[$($($ops::$variant,)*)*];

                const FACTS: &'static [Facts] = &[$($(Facts {
                    word: $word,
                    name: $name,
                    capability: Capability::$capability,
                    effect: Effect::$effect,
                    operands: $operands,
                    results: $results,
                    derivative: Derivative::$derivative,
                },)*)*];
            }
        )*

        impl Intrinsic {
            /// Its line of the table.
            pub fn facts(self) -> &'static Facts {
                match self {
                    $(Intrinsic::$family(op) => &$ops::FACTS[op as usize],)*
                }
            }

            /// All of them, in the order of the table.
            pub fn all() -> impl Iterator<Item = Intrinsic> {
                std::iter::empty()$(.chain($ops::ALL.iter().copied().map(Intrinsic::$family)))*
            }
        }
    };
}

intrinsics! {
    /// Functions of numbers.
    Number(NumberOp) {
        Nothing {
            Frexp = "frexp", "frexp", Pure, 1..=1 => 2..=2, Lost;
            Nextafter = "nextafter", "nextafter", Pure, 2..=2 => 1..=1, Lost;
        }
        SmallFloats {
            SmallCast = "small_float.cast", "floatCast", Pure, 1..=1 => 1..=1, Lost;
            SmallDot = "small_float.dot", "dot", Pure, 2..=2 => 1..=1, None;
            SmallFrom = "small_float.from", "floatCast", Pure, 1..=1 => 1..=1, None;
            SmallTo = "small_float.to", "floatCast", Pure, 1..=1 => 1..=1, None;
        }
        Strings {
            StringHash = "string.hash", "getStringHash", Pure, 0..=0 => 1..=1, None;
            StringLength = "string.length", "length", Pure, 0..=0 => 1..=1, None;
        }
    }
    /// Operators of integers where a language leaves open what they mean and the IR does not: legalisation puts them in
    /// their place.
    Integer(IntegerOp) {
        Nothing {
            WrappingAdd = "integer.wrapping_add", "+", Pure, 2..=2 => 1..=1, None;
            WrappingSub = "integer.wrapping_sub", "-", Pure, 2..=2 => 1..=1, None;
            WrappingMul = "integer.wrapping_mul", "*", Pure, 2..=2 => 1..=1, None;
            WrappingNeg = "integer.wrapping_neg", "-", Pure, 1..=1 => 1..=1, None;
            Quotient = "integer.quotient", "/", Pure, 2..=2 => 1..=1, None;
            Remainder = "integer.remainder", "%", Pure, 2..=2 => 1..=1, None;
            ShiftLeft = "integer.shift_left", "<<", Pure, 2..=2 => 1..=1, None;
            ShiftRight = "integer.shift_right", ">>", Pure, 2..=2 => 1..=1, None;
        }
    }
    /// Pointers and what they point to.
    Pointer(PointerOp) {
        Pointers {
            AddressOf = "pointer.address_of", "&", Pure, 1..=ANY => 1..=1, None;
            AtByte = "pointer.at_byte", "__atByte", Pure, 2..=2 => 1..=1, None;
            LoadAligned = "pointer.load_aligned", "loadAligned", Read, 1..=1 => 1..=1, None;
            LoadCoherent = "pointer.load_coherent", "loadCoherent", Write, 1..=1 => 1..=1, None;
            OfBuffer = "pointer.of_buffer", "__getStructuredBufferPtr", Pure, 1..=1 => 1..=1, None;
            OfElement = "pointer.of_element", "__getStructuredBufferElementPtr", Pure, 2..=2 => 1..=1, None;
            StoreAligned = "pointer.store_aligned", "storeAligned", Write, 2..=2 => 0..=0, None;
            StoreCoherent = "pointer.store_coherent", "storeCoherent", Write, 2..=2 => 0..=0, None;
        }
    }
    /// Buffers, beyond what `Load` and `Store` say.
    Buffer(BufferOp) {
        Counters {
            Append = "buffer.append", "Append", Write, 2..=2 => 0..=0, None;
            Consume = "buffer.consume", "Consume", Write, 1..=1 => 1..=1, None;
            IncrementCounter = "buffer.increment_counter", "IncrementCounter", Write, 1..=1 => 1..=1, None;
            DecrementCounter = "buffer.decrement_counter", "DecrementCounter", Write, 1..=1 => 1..=1, None;
        }
        ResidencyStatus {
            LoadStatus = "buffer.load_status", "Load", Read, 2..=2 => 2..=2, None;
            BytesLoadStatus = "byte_buffer.load_status", "Load", Read, 2..=2 => 2..=2, None;
        }
    }
    /// Which texels sampling would read.
    Footprint(FootprintOp) {
        PixelNeighbours {
            Coarse = "texture.footprint_coarse", "queryFootprintCoarse", Read, 4..=4 => 1..=1, None;
            Fine = "texture.footprint_fine", "queryFootprintFine", Read, 4..=4 => 1..=1, None;
            CoarseBias = "texture.footprint_coarse_bias", "queryFootprintCoarseBias", Read, 5..=5 => 1..=1, None;
            FineBias = "texture.footprint_fine_bias", "queryFootprintFineBias", Read, 5..=5 => 1..=1, None;
            CoarseClamp = "texture.footprint_coarse_clamp", "queryFootprintCoarseClamp", Read, 5..=5 => 1..=1, None;
            FineClamp = "texture.footprint_fine_clamp", "queryFootprintFineClamp", Read, 5..=5 => 1..=1, None;
            CoarseBiasClamp = "texture.footprint_coarse_bias_clamp", "queryFootprintCoarseBiasClamp", Read, 6..=6 => 1..=1, None;
            FineBiasClamp = "texture.footprint_fine_bias_clamp", "queryFootprintFineBiasClamp", Read, 6..=6 => 1..=1, None;
            CoarseLevel = "texture.footprint_coarse_level", "queryFootprintCoarseLevel", Read, 5..=5 => 1..=1, None;
            FineLevel = "texture.footprint_fine_level", "queryFootprintFineLevel", Read, 5..=5 => 1..=1, None;
            CoarseGrad = "texture.footprint_coarse_grad", "queryFootprintCoarseGrad", Read, 6..=6 => 1..=1, None;
            FineGrad = "texture.footprint_fine_grad", "queryFootprintFineGrad", Read, 6..=6 => 1..=1, None;
            CoarseGradClamp = "texture.footprint_coarse_grad_clamp", "queryFootprintCoarseGradClamp", Read, 7..=7 => 1..=1, None;
            FineGradClamp = "texture.footprint_fine_grad_clamp", "queryFootprintFineGradClamp", Read, 7..=7 => 1..=1, None;
        }
    }
    /// Textures and their samplers.
    Texture(TextureOp) {
        PixelNeighbours {
            Sample = "texture.sample", "Sample", Read, 2..=5 => 1..=2, Lost;
            SampleBias = "texture.sample_bias", "SampleBias", Read, 3..=6 => 1..=2, Lost;
            SampleCmp = "texture.sample_cmp", "SampleCmp", Read, 3..=6 => 1..=2, Lost;
            SampleCmpBias = "texture.sample_cmp_bias", "SampleCmpBias", Read, 4..=6 => 1..=2, Lost;
            LevelOfDetail = "texture.level_of_detail", "CalculateLevelOfDetail", Read, 2..=3 => 1..=1, Lost;
            LevelOfDetailUnclamped = "texture.level_of_detail_unclamped", "CalculateLevelOfDetailUnclamped", Read, 2..=3 => 1..=1, Lost;
        }
        SamplerFeedback {
            WriteFeedback = "texture.write_feedback", "WriteSamplerFeedback", Write, 4..=7 => 0..=0, None;
        }
        Textures {
            AtomicAdd = "texture.atomic_add", "InterlockedAdd", Write, 3..=3 => 1..=1, Lost;
            AtomicAnd = "texture.atomic_and", "InterlockedAnd", Write, 3..=3 => 1..=1, Lost;
            AtomicCompareExchange = "texture.atomic_compare_exchange", "InterlockedCompareExchange", Write, 4..=4 => 1..=1, Lost;
            AtomicExchange = "texture.atomic_exchange", "InterlockedExchange", Write, 3..=3 => 1..=1, Lost;
            AtomicMax = "texture.atomic_max", "InterlockedMax", Write, 3..=3 => 1..=1, Lost;
            AtomicMin = "texture.atomic_min", "InterlockedMin", Write, 3..=3 => 1..=1, Lost;
            AtomicOr = "texture.atomic_or", "InterlockedOr", Write, 3..=3 => 1..=1, Lost;
            AtomicXor = "texture.atomic_xor", "InterlockedXor", Write, 3..=3 => 1..=1, Lost;
            Dimensions = "texture.dimensions", "GetDimensions", Read, 1..=2 => 1..=4, None;
            FullyMapped = "texture.fully_mapped", "CheckAccessFullyMapped", Pure, 1..=1 => 1..=1, None;
            Gather = "texture.gather", "Gather", Read, 2..=7 => 1..=2, Lost;
            GatherAlpha = "texture.gather_alpha", "GatherAlpha", Read, 2..=7 => 1..=2, Lost;
            GatherBlue = "texture.gather_blue", "GatherBlue", Read, 2..=7 => 1..=2, Lost;
            GatherCmp = "texture.gather_cmp", "GatherCmp", Read, 3..=8 => 1..=2, Lost;
            GatherCmpAlpha = "texture.gather_cmp_alpha", "GatherCmpAlpha", Read, 3..=8 => 1..=2, Lost;
            GatherCmpBlue = "texture.gather_cmp_blue", "GatherCmpBlue", Read, 3..=8 => 1..=2, Lost;
            GatherCmpGreen = "texture.gather_cmp_green", "GatherCmpGreen", Read, 3..=8 => 1..=2, Lost;
            GatherCmpRed = "texture.gather_cmp_red", "GatherCmpRed", Read, 3..=8 => 1..=2, Lost;
            GatherGreen = "texture.gather_green", "GatherGreen", Read, 2..=7 => 1..=2, Lost;
            GatherRed = "texture.gather_red", "GatherRed", Read, 2..=7 => 1..=2, Lost;
            Level = "texture.level", "mips", Pure, 2..=2 => 1..=1, None;
            Levels = "texture.levels", "mips", Pure, 1..=1 => 1..=1, None;
            Load = "texture.load", "Load", Read, 2..=4 => 0..=2, Lost;
            SampleCmpGrad = "texture.sample_cmp_grad", "SampleCmpGrad", Read, 5..=8 => 1..=2, Lost;
            SampleCmpLevel = "texture.sample_cmp_level", "SampleCmpLevel", Read, 4..=6 => 1..=2, Lost;
            SampleCmpLevelZero = "texture.sample_cmp_level_zero", "SampleCmpLevelZero", Read, 3..=5 => 1..=2, Lost;
            SampleGrad = "texture.sample_grad", "SampleGrad", Read, 4..=7 => 1..=2, Lost;
            SampleLevel = "texture.sample_level", "SampleLevel", Read, 3..=5 => 1..=2, Lost;
            SampleLevelZero = "texture.sample_level_zero", "SampleLevelZero", Read, 2..=4 => 1..=2, Lost;
            SamplePosition = "texture.sample_position", "GetSamplePosition", Read, 2..=2 => 1..=1, None;
            Samples = "texture.samples", "sample", Pure, 1..=1 => 1..=1, None;
            Store = "texture.store", "Store", Write, 3..=3 => 0..=0, None;
        }
    }
    /// The invocations that run together.
    Wave(WaveOp) {
        Waves {
            ActiveMask = "wave.active_mask", "WaveGetActiveMask", Write, 0..=0 => 1..=1, None;
            ActiveMulti = "wave.active_multi", "WaveGetActiveMulti", Write, 0..=0 => 1..=1, None;
            AllEqual = "wave.all_equal", "WaveActiveAllEqual", Write, 1..=1 => 1..=1, None;
            AllTrue = "wave.all_true", "WaveActiveAllTrue", Write, 1..=1 => 1..=1, None;
            AnyTrue = "wave.any_true", "WaveActiveAnyTrue", Write, 1..=1 => 1..=1, None;
            Ballot = "wave.ballot", "WaveActiveBallot", Write, 1..=1 => 1..=1, None;
            BitAnd = "wave.bit_and", "WaveActiveBitAnd", Write, 1..=1 => 1..=1, Lost;
            BitOr = "wave.bit_or", "WaveActiveBitOr", Write, 1..=1 => 1..=1, Lost;
            BitXor = "wave.bit_xor", "WaveActiveBitXor", Write, 1..=1 => 1..=1, Lost;
            Broadcast = "wave.broadcast", "WaveBroadcastLaneAt", Write, 2..=2 => 1..=1, Lost;
            ClusteredRotate = "wave.clustered_rotate", "WaveClusteredRotate", Write, 3..=3 => 1..=1, Lost;
            ConvergedMask = "wave.converged_mask", "WaveGetConvergedMask", Write, 0..=0 => 1..=1, None;
            ConvergedMulti = "wave.converged_multi", "WaveGetConvergedMulti", Write, 0..=0 => 1..=1, None;
            CountBits = "wave.count_bits", "WaveActiveCountBits", Write, 1..=1 => 1..=1, None;
            IsFirstLane = "wave.is_first_lane", "WaveIsFirstLane", Write, 0..=0 => 1..=1, None;
            LaneCount = "wave.lane_count", "WaveGetLaneCount", Write, 0..=0 => 1..=1, None;
            LaneEqMask = "wave.lane_eq_mask", "WaveGetLaneEqMask", Read, 0..=0 => 1..=1, None;
            LaneGeMask = "wave.lane_ge_mask", "WaveGetLaneGeMask", Read, 0..=0 => 1..=1, None;
            LaneGtMask = "wave.lane_gt_mask", "WaveGetLaneGtMask", Read, 0..=0 => 1..=1, None;
            LaneIndex = "wave.lane_index", "WaveGetLaneIndex", Write, 0..=0 => 1..=1, None;
            LaneLeMask = "wave.lane_le_mask", "WaveGetLaneLeMask", Read, 0..=0 => 1..=1, None;
            LaneLtMask = "wave.lane_lt_mask", "WaveGetLaneLtMask", Read, 0..=0 => 1..=1, None;
            Match = "wave.match", "WaveMatch", Write, 1..=1 => 1..=1, None;
            Max = "wave.max", "WaveActiveMax", Write, 1..=1 => 1..=1, Lost;
            Min = "wave.min", "WaveActiveMin", Write, 1..=1 => 1..=1, Lost;
            PrefixBitAnd = "wave.prefix_bit_and", "WavePrefixBitAnd", Write, 1..=1 => 1..=1, Lost;
            PrefixBitOr = "wave.prefix_bit_or", "WavePrefixBitOr", Write, 1..=1 => 1..=1, Lost;
            PrefixBitXor = "wave.prefix_bit_xor", "WavePrefixBitXor", Write, 1..=1 => 1..=1, Lost;
            PrefixCountBits = "wave.prefix_count_bits", "WavePrefixCountBits", Write, 1..=1 => 1..=1, None;
            PrefixMax = "wave.prefix_max", "WavePrefixMax", Write, 1..=1 => 1..=1, Lost;
            PrefixMin = "wave.prefix_min", "WavePrefixMin", Write, 1..=1 => 1..=1, Lost;
            PrefixProduct = "wave.prefix_product", "WavePrefixProduct", Write, 1..=1 => 1..=1, Lost;
            PrefixSum = "wave.prefix_sum", "WavePrefixSum", Write, 1..=1 => 1..=1, Lost;
            Product = "wave.product", "WaveActiveProduct", Write, 1..=1 => 1..=1, Lost;
            ReadLaneAt = "wave.read_lane_at", "WaveReadLaneAt", Write, 2..=2 => 1..=1, Lost;
            ReadLaneFirst = "wave.read_lane_first", "WaveReadLaneFirst", Write, 1..=1 => 1..=1, Lost;
            Rotate = "wave.rotate", "WaveRotate", Write, 2..=2 => 1..=1, Lost;
            SaturatedCooperation = "wave.saturated_cooperation", "saturated_cooperation", Write, 4..=4 => 1..=1, Lost;
            Shuffle = "wave.shuffle", "WaveShuffle", Write, 2..=2 => 1..=1, Lost;
            Sum = "wave.sum", "WaveActiveSum", Write, 1..=1 => 1..=1, Lost;
            WaveCount = "wave.wave_count", "WaveGetNumWaves", Read, 0..=0 => 1..=1, None;
            WaveIndex = "wave.wave_index", "WaveGetWaveIndex", Read, 0..=0 => 1..=1, None;
            QuadAll = "quad.all", "QuadAll", Write, 1..=1 => 1..=1, None;
            QuadAny = "quad.any", "QuadAny", Write, 1..=1 => 1..=1, None;
            QuadReadAcrossDiagonal = "quad.read_across_diagonal", "QuadReadAcrossDiagonal", Write, 1..=1 => 1..=1, Lost;
            QuadReadAcrossX = "quad.read_across_x", "QuadReadAcrossX", Write, 1..=1 => 1..=1, Lost;
            QuadReadAcrossY = "quad.read_across_y", "QuadReadAcrossY", Write, 1..=1 => 1..=1, Lost;
            QuadReadLaneAt = "quad.read_lane_at", "QuadReadLaneAt", Write, 2..=2 => 1..=1, Lost;
        }
    }
    /// Some of the invocations that run together, by a mask or a partition.
    WaveSubset(WaveSubsetOp) {
        WaveMasks {
            MaskAllEqual = "wave_mask.all_equal", "WaveMaskAllEqual", Write, 2..=2 => 1..=1, None;
            MaskAllTrue = "wave_mask.all_true", "WaveMaskAllTrue", Write, 2..=2 => 1..=1, None;
            MaskAnyTrue = "wave_mask.any_true", "WaveMaskAnyTrue", Write, 2..=2 => 1..=1, None;
            MaskBallot = "wave_mask.ballot", "WaveMaskBallot", Write, 2..=2 => 1..=1, None;
            MaskBitAnd = "wave_mask.bit_and", "WaveMaskBitAnd", Write, 2..=2 => 1..=1, Lost;
            MaskBitOr = "wave_mask.bit_or", "WaveMaskBitOr", Write, 2..=2 => 1..=1, Lost;
            MaskBitXor = "wave_mask.bit_xor", "WaveMaskBitXor", Write, 2..=2 => 1..=1, Lost;
            MaskBroadcast = "wave_mask.broadcast", "WaveMaskBroadcastLaneAt", Write, 3..=3 => 1..=1, Lost;
            MaskCountBits = "wave_mask.count_bits", "WaveMaskCountBits", Write, 2..=2 => 1..=1, None;
            MaskIsFirstLane = "wave_mask.is_first_lane", "WaveMaskIsFirstLane", Write, 1..=1 => 1..=1, None;
            MaskMatch = "wave_mask.match", "WaveMaskMatch", Write, 2..=2 => 1..=1, None;
            MaskMax = "wave_mask.max", "WaveMaskMax", Write, 2..=2 => 1..=1, Lost;
            MaskMin = "wave_mask.min", "WaveMaskMin", Write, 2..=2 => 1..=1, Lost;
            MaskPrefixBitAnd = "wave_mask.prefix_bit_and", "WaveMaskPrefixBitAnd", Write, 2..=2 => 1..=1, Lost;
            MaskPrefixBitOr = "wave_mask.prefix_bit_or", "WaveMaskPrefixBitOr", Write, 2..=2 => 1..=1, Lost;
            MaskPrefixBitXor = "wave_mask.prefix_bit_xor", "WaveMaskPrefixBitXor", Write, 2..=2 => 1..=1, Lost;
            MaskPrefixCountBits = "wave_mask.prefix_count_bits", "WaveMaskPrefixCountBits", Write, 2..=2 => 1..=1, None;
            MaskPrefixMax = "wave_mask.prefix_max", "WaveMaskPrefixMax", Write, 2..=2 => 1..=1, Lost;
            MaskPrefixMin = "wave_mask.prefix_min", "WaveMaskPrefixMin", Write, 2..=2 => 1..=1, Lost;
            MaskPrefixProduct = "wave_mask.prefix_product", "WaveMaskPrefixProduct", Write, 2..=2 => 1..=1, Lost;
            MaskPrefixSum = "wave_mask.prefix_sum", "WaveMaskPrefixSum", Write, 2..=2 => 1..=1, Lost;
            MaskProduct = "wave_mask.product", "WaveMaskProduct", Write, 2..=2 => 1..=1, Lost;
            MaskReadLaneAt = "wave_mask.read_lane_at", "WaveMaskReadLaneAt", Write, 3..=3 => 1..=1, Lost;
            MaskReadLaneFirst = "wave_mask.read_lane_first", "WaveMaskReadLaneFirst", Write, 2..=2 => 1..=1, Lost;
            MaskSharedSync = "wave_mask.shared_sync", "WaveMaskSharedSync", Write, 1..=1 => 0..=0, None;
            MaskShuffle = "wave_mask.shuffle", "WaveMaskShuffle", Write, 3..=3 => 1..=1, Lost;
            MaskSum = "wave_mask.sum", "WaveMaskSum", Write, 2..=2 => 1..=1, Lost;
        }
        WavePartitions {
            MultiBitAnd = "wave_multi.bit_and", "WaveMultiBitAnd", Write, 2..=2 => 1..=1, Lost;
            MultiBitOr = "wave_multi.bit_or", "WaveMultiBitOr", Write, 2..=2 => 1..=1, Lost;
            MultiBitXor = "wave_multi.bit_xor", "WaveMultiBitXor", Write, 2..=2 => 1..=1, Lost;
            MultiInclusiveBitAnd = "wave_multi.inclusive_bit_and", "WaveMultiPrefixInclusiveBitAnd", Write, 2..=2 => 1..=1, Lost;
            MultiInclusiveBitOr = "wave_multi.inclusive_bit_or", "WaveMultiPrefixInclusiveBitOr", Write, 2..=2 => 1..=1, Lost;
            MultiInclusiveBitXor = "wave_multi.inclusive_bit_xor", "WaveMultiPrefixInclusiveBitXor", Write, 2..=2 => 1..=1, Lost;
            MultiInclusiveMax = "wave_multi.inclusive_max", "WaveMultiPrefixInclusiveMax", Write, 2..=2 => 1..=1, Lost;
            MultiInclusiveMin = "wave_multi.inclusive_min", "WaveMultiPrefixInclusiveMin", Write, 2..=2 => 1..=1, Lost;
            MultiInclusiveProduct = "wave_multi.inclusive_product", "WaveMultiPrefixInclusiveProduct", Write, 2..=2 => 1..=1, Lost;
            MultiInclusiveSum = "wave_multi.inclusive_sum", "WaveMultiPrefixInclusiveSum", Write, 2..=2 => 1..=1, Lost;
            MultiMax = "wave_multi.max", "WaveMultiMax", Write, 2..=2 => 1..=1, Lost;
            MultiMin = "wave_multi.min", "WaveMultiMin", Write, 2..=2 => 1..=1, Lost;
            MultiPrefixBitAnd = "wave_multi.prefix_bit_and", "WaveMultiPrefixExclusiveBitAnd", Write, 2..=2 => 1..=1, Lost;
            MultiPrefixBitOr = "wave_multi.prefix_bit_or", "WaveMultiPrefixExclusiveBitOr", Write, 2..=2 => 1..=1, Lost;
            MultiPrefixBitXor = "wave_multi.prefix_bit_xor", "WaveMultiPrefixExclusiveBitXor", Write, 2..=2 => 1..=1, Lost;
            MultiPrefixCountBits = "wave_multi.prefix_count_bits", "WaveMultiPrefixCountBits", Write, 2..=2 => 1..=1, None;
            MultiPrefixMax = "wave_multi.prefix_max", "WaveMultiPrefixExclusiveMax", Write, 2..=2 => 1..=1, Lost;
            MultiPrefixMin = "wave_multi.prefix_min", "WaveMultiPrefixExclusiveMin", Write, 2..=2 => 1..=1, Lost;
            MultiPrefixProduct = "wave_multi.prefix_product", "WaveMultiPrefixExclusiveProduct", Write, 2..=2 => 1..=1, Lost;
            MultiPrefixSum = "wave_multi.prefix_sum", "WaveMultiPrefixExclusiveSum", Write, 2..=2 => 1..=1, Lost;
            MultiProduct = "wave_multi.product", "WaveMultiProduct", Write, 2..=2 => 1..=1, Lost;
            MultiSum = "wave_multi.sum", "WaveMultiSum", Write, 2..=2 => 1..=1, Lost;
        }
    }
    /// What only fragment shaders do.
    Fragment(FragmentOp) {
        PixelNeighbours {
            Ddx = "screen.ddx", "ddx", Write, 1..=1 => 1..=1, Lost;
            DdxCoarse = "screen.ddx_coarse", "ddx_coarse", Write, 1..=1 => 1..=1, Lost;
            DdxFine = "screen.ddx_fine", "ddx_fine", Write, 1..=1 => 1..=1, Lost;
            Ddy = "screen.ddy", "ddy", Write, 1..=1 => 1..=1, Lost;
            DdyCoarse = "screen.ddy_coarse", "ddy_coarse", Write, 1..=1 => 1..=1, Lost;
            DdyFine = "screen.ddy_fine", "ddy_fine", Write, 1..=1 => 1..=1, Lost;
            Fwidth = "screen.fwidth", "fwidth", Write, 1..=1 => 1..=1, Lost;
        }
        Fragments {
            Clip = "clip", "clip", Write, 1..=1 => 0..=0, None;
            Discard = "discard", "discard", Write, 0..=0 => 0..=0, None;
            AttributeAtCentroid = "raster.attribute_at_centroid", "EvaluateAttributeAtCentroid", Read, 1..=1 => 1..=1, Lost;
            AttributeAtSample = "raster.attribute_at_sample", "EvaluateAttributeAtSample", Read, 2..=2 => 1..=1, Lost;
            AttributeAtVertex = "raster.attribute_at_vertex", "GetAttributeAtVertex", Read, 2..=2 => 1..=1, Lost;
            AttributeSnapped = "raster.attribute_snapped", "EvaluateAttributeSnapped", Read, 2..=2 => 1..=1, Lost;
            BeginInterlock = "raster.begin_interlock", "beginInvocationInterlock", Write, 0..=0 => 0..=0, None;
            EndInterlock = "raster.end_interlock", "endInvocationInterlock", Write, 0..=0 => 0..=0, None;
            IsHelper = "raster.is_helper", "IsHelperLane", Read, 0..=0 => 1..=1, None;
            SampleCount = "raster.sample_count", "GetRenderTargetSampleCount", Read, 0..=0 => 1..=1, None;
            SamplePosition = "raster.sample_position", "GetRenderTargetSamplePosition", Read, 1..=1 => 1..=1, None;
            ShadingRate = "raster.shading_rate", "GetShadingRate", Read, 0..=0 => 1..=1, None;
            SubpassLoad = "subpass.load", "SubpassLoad", Read, 1..=2 => 1..=1, None;
        }
    }
    /// Geometry, mesh and tessellation shaders.
    Stage(StageOp) {
        GeometryShaders {
            GeometryAppend = "geometry.append", "Append", Write, 1..=2 => 0..=0, None;
            GeometryRestartStrip = "geometry.restart_strip", "RestartStrip", Write, 1..=1 => 0..=0, None;
        }
        MeshShaders {
            MeshDispatch = "mesh.dispatch", "DispatchMesh", Write, 4..=4 => 0..=1, Lost;
            MeshIndices = "mesh.indices", "OutputIndices", Write, 2..=3 => 1..=1, None;
            MeshPrimitives = "mesh.primitives", "OutputPrimitives", Write, 2..=3 => 1..=1, None;
            MeshSetCounts = "mesh.set_counts", "SetMeshOutputCounts", Write, 2..=2 => 0..=0, None;
            MeshVertices = "mesh.vertices", "OutputVertices", Write, 2..=3 => 1..=1, None;
        }
        Tessellation {
            PatchLoad = "patch.load", "InputPatch", Read, 2..=2 => 1..=1, Lost;
            TessellationFactors = "tessellation.factors", "Process2DQuadTessFactorsAvg", Read, 2..=2 => 2..=3, Lost;
        }
    }
    /// Ray tracing with shaders that the machine calls.
    Ray(RayOp) {
        RayTracing {
            AcceptHit = "ray.accept_hit", "AcceptHitAndEndSearch", Write, 0..=ANY => 0..=0, None;
            CallShader = "ray.call_shader", "CallShader", Write, 2..=2 => 0..=1, Lost;
            DispatchDimensions = "ray.dispatch_dimensions", "DispatchRaysDimensions", Read, 0..=0 => 1..=1, None;
            DispatchIndex = "ray.dispatch_index", "DispatchRaysIndex", Read, 0..=0 => 1..=1, None;
            Flags = "ray.flags", "RayFlags", Read, 0..=0 => 1..=1, None;
            GeometryIndex = "ray.geometry_index", "GeometryIndex", Read, 0..=0 => 1..=1, None;
            HitKind = "ray.hit_kind", "HitKind", Read, 0..=0 => 1..=1, None;
            IgnoreHit = "ray.ignore_hit", "IgnoreHit", Write, 0..=ANY => 0..=0, None;
            InstanceId = "ray.instance_id", "InstanceID", Read, 0..=0 => 1..=1, None;
            InstanceIndex = "ray.instance_index", "InstanceIndex", Read, 0..=0 => 1..=1, None;
            ObjectDirection = "ray.object_direction", "ObjectRayDirection", Read, 0..=0 => 1..=1, None;
            ObjectOrigin = "ray.object_origin", "ObjectRayOrigin", Read, 0..=0 => 1..=1, None;
            ObjectToWorld = "ray.object_to_world", "ObjectToWorld", Read, 0..=0 => 1..=1, None;
            ObjectToWorld4x3 = "ray.object_to_world_4x3", "ObjectToWorld4x3", Read, 0..=0 => 1..=1, None;
            PrimitiveIndex = "ray.primitive_index", "PrimitiveIndex", Read, 0..=0 => 1..=1, None;
            ReportHit = "ray.report_hit", "ReportHit", Write, 3..=ANY => 1..=1, None;
            TCurrent = "ray.t_current", "RayTCurrent", Read, 0..=0 => 1..=1, None;
            TMin = "ray.t_min", "RayTMin", Read, 0..=0 => 1..=1, None;
            Trace = "ray.trace", "TraceRay", Write, 8..=8 => 0..=1, Lost;
            WorldDirection = "ray.world_direction", "WorldRayDirection", Read, 0..=0 => 1..=1, None;
            WorldOrigin = "ray.world_origin", "WorldRayOrigin", Read, 0..=0 => 1..=1, None;
            WorldToObject = "ray.world_to_object", "WorldToObject", Read, 0..=0 => 1..=1, None;
            WorldToObject4x3 = "ray.world_to_object_4x3", "WorldToObject4x3", Read, 0..=0 => 1..=1, None;
        }
    }
    /// Ray tracing within a shader.
    RayQuery(RayQueryOp) {
        RayQueries {
            Abort = "ray_query.abort", "Abort", Write, 1..=1 => 0..=1, None;
            CandidateBarycentrics = "ray_query.candidate_barycentrics", "CandidateTriangleBarycentrics", Read, 1..=1 => 1..=1, None;
            CandidateFrontFace = "ray_query.candidate_front_face", "CandidateTriangleFrontFace", Read, 1..=1 => 1..=1, None;
            CandidateGeometryIndex = "ray_query.candidate_geometry_index", "CandidateGeometryIndex", Read, 1..=1 => 1..=1, None;
            CandidateInstanceContribution = "ray_query.candidate_instance_contribution", "CandidateInstanceContributionToHitGroupIndex", Read, 1..=1 => 1..=1, None;
            CandidateInstanceId = "ray_query.candidate_instance_id", "CandidateInstanceID", Read, 1..=1 => 1..=1, None;
            CandidateInstanceIndex = "ray_query.candidate_instance_index", "CandidateInstanceIndex", Read, 1..=1 => 1..=1, None;
            CandidateObjectDirection = "ray_query.candidate_object_direction", "CandidateObjectRayDirection", Read, 1..=1 => 1..=1, None;
            CandidateObjectOrigin = "ray_query.candidate_object_origin", "CandidateObjectRayOrigin", Read, 1..=1 => 1..=1, None;
            CandidateObjectToWorld = "ray_query.candidate_object_to_world", "CandidateObjectToWorld3x4", Read, 1..=1 => 1..=1, None;
            CandidateObjectToWorld4x3 = "ray_query.candidate_object_to_world_4x3", "CandidateObjectToWorld4x3", Read, 1..=1 => 1..=1, None;
            CandidatePrimitiveIndex = "ray_query.candidate_primitive_index", "CandidatePrimitiveIndex", Read, 1..=1 => 1..=1, None;
            CandidateProceduralIsOpaque = "ray_query.candidate_procedural_is_opaque", "CandidateProceduralPrimitiveNonOpaque", Read, 1..=1 => 1..=1, None;
            CandidateShaderTableOffset = "ray_query.candidate_shader_table_offset", "CandidateRayInstanceShaderBindingTableRecordOffset", Read, 1..=1 => 1..=1, None;
            CandidateT = "ray_query.candidate_t", "CandidateTriangleRayT", Read, 1..=1 => 1..=1, None;
            CandidateType = "ray_query.candidate_type", "CandidateType", Read, 1..=1 => 1..=1, None;
            CandidateWorldToObject = "ray_query.candidate_world_to_object", "CandidateWorldToObject3x4", Read, 1..=1 => 1..=1, None;
            CandidateWorldToObject4x3 = "ray_query.candidate_world_to_object_4x3", "CandidateWorldToObject4x3", Read, 1..=1 => 1..=1, None;
            CommitProcedural = "ray_query.commit_procedural", "CommitProceduralPrimitiveHit", Write, 2..=2 => 0..=1, None;
            CommitTriangle = "ray_query.commit_triangle", "CommitNonOpaqueTriangleHit", Write, 1..=1 => 0..=1, None;
            CommittedBarycentrics = "ray_query.committed_barycentrics", "CommittedTriangleBarycentrics", Read, 1..=1 => 1..=1, None;
            CommittedFrontFace = "ray_query.committed_front_face", "CommittedTriangleFrontFace", Read, 1..=1 => 1..=1, None;
            CommittedGeometryIndex = "ray_query.committed_geometry_index", "CommittedGeometryIndex", Read, 1..=1 => 1..=1, None;
            CommittedInstanceContribution = "ray_query.committed_instance_contribution", "CommittedInstanceContributionToHitGroupIndex", Read, 1..=1 => 1..=1, None;
            CommittedInstanceId = "ray_query.committed_instance_id", "CommittedInstanceID", Read, 1..=1 => 1..=1, None;
            CommittedInstanceIndex = "ray_query.committed_instance_index", "CommittedInstanceIndex", Read, 1..=1 => 1..=1, None;
            CommittedObjectDirection = "ray_query.committed_object_direction", "CommittedObjectRayDirection", Read, 1..=1 => 1..=1, None;
            CommittedObjectOrigin = "ray_query.committed_object_origin", "CommittedObjectRayOrigin", Read, 1..=1 => 1..=1, None;
            CommittedObjectToWorld = "ray_query.committed_object_to_world", "CommittedObjectToWorld3x4", Read, 1..=1 => 1..=1, None;
            CommittedObjectToWorld4x3 = "ray_query.committed_object_to_world_4x3", "CommittedObjectToWorld4x3", Read, 1..=1 => 1..=1, None;
            CommittedPrimitiveIndex = "ray_query.committed_primitive_index", "CommittedPrimitiveIndex", Read, 1..=1 => 1..=1, None;
            CommittedShaderTableOffset = "ray_query.committed_shader_table_offset", "CommittedRayInstanceShaderBindingTableRecordOffset", Read, 1..=1 => 1..=1, None;
            CommittedStatus = "ray_query.committed_status", "CommittedStatus", Read, 1..=1 => 1..=1, None;
            CommittedT = "ray_query.committed_t", "CommittedRayT", Read, 1..=1 => 1..=1, None;
            CommittedWorldToObject = "ray_query.committed_world_to_object", "CommittedWorldToObject3x4", Read, 1..=1 => 1..=1, None;
            CommittedWorldToObject4x3 = "ray_query.committed_world_to_object_4x3", "CommittedWorldToObject4x3", Read, 1..=1 => 1..=1, None;
            Flags = "ray_query.flags", "RayFlags", Read, 1..=1 => 1..=1, None;
            Make = "ray_query.make", "RayQuery", Write, 0..=0 => 1..=1, None;
            Proceed = "ray_query.proceed", "Proceed", Write, 1..=1 => 1..=2, None;
            TMin = "ray_query.t_min", "RayTMin", Read, 1..=1 => 1..=1, None;
            Trace = "ray_query.trace", "TraceRayInline", Write, 5..=5 => 0..=1, None;
            WorldDirection = "ray_query.world_direction", "WorldRayDirection", Read, 1..=1 => 1..=1, None;
            WorldOrigin = "ray_query.world_origin", "WorldRayOrigin", Read, 1..=1 => 1..=1, None;
        }
    }
    /// What only some machines know of rays: motion, spheres, clusters, the transforms on the way to an instance. No target
    /// has it.
    RayExtension(RayExtensionOp) {
        RayTracing {
            ClusterId = "ray.cluster_id", "GetClusterID", Read, 0..=0 => 1..=1, None;
            CurrentTime = "ray.current_time", "RayCurrentTime", Read, 0..=0 => 1..=1, None;
            HitVertexPosition = "ray.hit_vertex_position", "HitTriangleVertexPosition", Read, 1..=1 => 1..=1, None;
            InstanceTraversable = "ray.instance_traversable", "GetInstanceTraversable", Read, 2..=2 => 1..=1, None;
            IsSphere = "ray.is_sphere", "IsSphereHit", Read, 0..=0 => 1..=1, None;
            IsSweptSphere = "ray.is_swept_sphere", "IsLssHit", Read, 0..=0 => 1..=1, None;
            SceneAt = "ray.scene_at", "RaytracingAccelerationStructure", Pure, 1..=1 => 1..=1, None;
            Sphere = "ray.sphere", "GetSpherePositionAndRadius", Read, 0..=0 => 1..=1, None;
            SweptSphere = "ray.swept_sphere", "GetLssPositionsAndRadii", Read, 0..=0 => 1..=1, None;
            TraceMotion = "ray.trace_motion", "TraceMotionRay", Write, 9..=9 => 0..=1, Lost;
            TransformListHandle = "ray.transform_list_handle", "GetTransformListHandle", Read, 1..=1 => 1..=1, None;
            TransformListSize = "ray.transform_list_size", "GetTransformListSize", Read, 0..=0 => 1..=1, None;
            TransformType = "ray.transform_type", "GetTraversableTransformType", Read, 1..=1 => 1..=1, None;
            TraversableChild = "ray.traversable_child", "GetTraversableChild", Read, 1..=1 => 1..=1, None;
            TraversableInstanceId = "ray.traversable_instance_id", "GetTraversableInstanceId", Read, 1..=1 => 1..=1, None;
            TraversableToWorld = "ray.traversable_to_world", "GetTraversableObjectToWorld", Read, 1..=1 => 1..=1, None;
            WorldToTraversable = "ray.world_to_traversable", "GetTraversableWorldToObject", Read, 1..=1 => 1..=1, None;
        }
        RayQueries {
            CandidateClusterId = "ray_query.candidate_cluster_id", "CandidateClusterID", Read, 1..=1 => 1..=1, None;
            CandidateIsSphere = "ray_query.candidate_is_sphere", "CandidateIsNonOpaqueSphereNV", Read, 1..=1 => 1..=1, None;
            CandidateIsSweptSphere = "ray_query.candidate_is_swept_sphere", "CandidateIsNonOpaqueLssNV", Read, 1..=1 => 1..=1, None;
            CandidateSphere = "ray_query.candidate_sphere", "CandidateSphereObjectPositionAndRadiusNV", Read, 1..=1 => 1..=1, None;
            CandidateSweptSphere = "ray_query.candidate_swept_sphere", "CandidateLssObjectPositionsAndRadiiNV", Read, 1..=1 => 1..=1, None;
            CandidateSweptSphereParameter = "ray_query.candidate_swept_sphere_parameter", "CandidateLssHitParameterNV", Read, 1..=1 => 1..=1, None;
            CandidateTriangleVertices = "ray_query.candidate_triangle_vertices", "CandidateGetIntersectionTriangleVertexPositions", Read, 1..=1 => 1..=1, None;
            CommitSphere = "ray_query.commit_sphere", "CommitNonOpaqueSphere", Write, 2..=2 => 0..=1, None;
            CommitSweptSphere = "ray_query.commit_swept_sphere", "CommitNonOpaqueLss", Write, 2..=2 => 0..=1, None;
            CommittedClusterId = "ray_query.committed_cluster_id", "CommittedClusterID", Read, 1..=1 => 1..=1, None;
            CommittedIsSphere = "ray_query.committed_is_sphere", "CommittedIsSphereNV", Read, 1..=1 => 1..=1, None;
            CommittedIsSweptSphere = "ray_query.committed_is_swept_sphere", "CommittedIsLssNV", Read, 1..=1 => 1..=1, None;
            CommittedSphere = "ray_query.committed_sphere", "CommittedSphereObjectPositionAndRadiusNV", Read, 1..=1 => 1..=1, None;
            CommittedSweptSphere = "ray_query.committed_swept_sphere", "CommittedLssObjectPositionsAndRadiiNV", Read, 1..=1 => 1..=1, None;
            CommittedSweptSphereParameter = "ray_query.committed_swept_sphere_parameter", "CommittedLssHitParameterNV", Read, 1..=1 => 1..=1, None;
            CommittedTriangleVertices = "ray_query.committed_triangle_vertices", "CommittedGetIntersectionTriangleVertexPositions", Read, 1..=1 => 1..=1, None;
        }
    }
    /// Hits as values, which invocations are sorted by.
    HitObject(HitObjectOp) {
        HitObjects {
            Attributes = "hit_object.attributes", "GetAttributes", Read, 1..=1 => 1..=1, None;
            ClusterId = "hit_object.cluster_id", "GetClusterID", Read, 1..=1 => 1..=1, None;
            CurrentTime = "hit_object.current_time", "GetCurrentTime", Read, 1..=1 => 1..=1, None;
            Flags = "hit_object.flags", "GetRayFlags", Read, 1..=1 => 1..=1, None;
            FromRayQuery = "hit_object.from_ray_query", "FromRayQuery", Write, 1..=3 => 1..=1, None;
            GeometryIndex = "hit_object.geometry_index", "GetGeometryIndex", Read, 1..=1 => 1..=1, None;
            HitKind = "hit_object.hit_kind", "GetHitKind", Read, 1..=1 => 1..=1, None;
            InstanceId = "hit_object.instance_id", "GetInstanceID", Read, 1..=1 => 1..=1, None;
            InstanceIndex = "hit_object.instance_index", "GetInstanceIndex", Read, 1..=1 => 1..=1, None;
            Invoke = "hit_object.invoke", "Invoke", Write, 2..=3 => 1..=1, Lost;
            IsHit = "hit_object.is_hit", "IsHit", Read, 1..=1 => 1..=1, None;
            IsMiss = "hit_object.is_miss", "IsMiss", Read, 1..=1 => 1..=1, None;
            IsNothing = "hit_object.is_nothing", "IsNop", Read, 1..=1 => 1..=1, None;
            IsSphere = "hit_object.is_sphere", "IsSphereHit", Read, 1..=1 => 1..=1, None;
            IsSweptSphere = "hit_object.is_swept_sphere", "IsLssHit", Read, 1..=1 => 1..=1, None;
            MakeHit = "hit_object.make_hit", "MakeHit", Write, 8..=9 => 1..=1, None;
            MakeMiss = "hit_object.make_miss", "MakeMiss", Write, 2..=3 => 1..=1, None;
            MakeMotionHit = "hit_object.make_motion_hit", "MakeMotionHit", Write, 9..=10 => 1..=1, None;
            MakeMotionMiss = "hit_object.make_motion_miss", "MakeMotionMiss", Write, 3..=3 => 1..=1, None;
            Nothing = "hit_object.nothing", "MakeNop", Write, 0..=0 => 1..=1, None;
            ObjectDirection = "hit_object.object_direction", "GetObjectRayDirection", Read, 1..=1 => 1..=1, None;
            ObjectOrigin = "hit_object.object_origin", "GetObjectRayOrigin", Read, 1..=1 => 1..=1, None;
            ObjectToWorld = "hit_object.object_to_world", "GetObjectToWorld3x4", Read, 1..=1 => 1..=1, None;
            ObjectToWorld4x3 = "hit_object.object_to_world_4x3", "GetObjectToWorld", Read, 1..=1 => 1..=1, None;
            PrimitiveIndex = "hit_object.primitive_index", "GetPrimitiveIndex", Read, 1..=1 => 1..=1, None;
            Ray = "hit_object.ray", "GetRayDesc", Read, 1..=1 => 1..=1, None;
            Reorder = "hit_object.reorder", "ReorderThread", Write, 1..=3 => 0..=0, None;
            RootConstant = "hit_object.root_constant", "LoadLocalRootTableConstant", Read, 2..=2 => 1..=1, None;
            SetShaderTableIndex = "hit_object.set_shader_table_index", "SetShaderTableIndex", Write, 2..=2 => 1..=1, None;
            ShaderRecord = "hit_object.shader_record", "GetShaderRecordBufferHandle", Read, 1..=1 => 1..=1, None;
            ShaderTableIndex = "hit_object.shader_table_index", "GetShaderTableIndex", Read, 1..=1 => 1..=1, None;
            Sphere = "hit_object.sphere", "GetSpherePositionAndRadius", Read, 1..=1 => 1..=1, None;
            SweptSphere = "hit_object.swept_sphere", "GetLssPositionsAndRadii", Read, 1..=1 => 1..=1, None;
            TCurrent = "hit_object.t_current", "GetRayTCurrent", Read, 1..=1 => 1..=1, None;
            TMin = "hit_object.t_min", "GetRayTMin", Read, 1..=1 => 1..=1, None;
            Trace = "hit_object.trace", "TraceRay", Write, 8..=8 => 2..=2, Lost;
            TraceMotion = "hit_object.trace_motion", "TraceMotionRay", Write, 9..=9 => 2..=2, Lost;
            WorldDirection = "hit_object.world_direction", "GetWorldRayDirection", Read, 1..=1 => 1..=1, None;
            WorldOrigin = "hit_object.world_origin", "GetWorldRayOrigin", Read, 1..=1 => 1..=1, None;
            WorldToObject = "hit_object.world_to_object", "GetWorldToObject3x4", Read, 1..=1 => 1..=1, None;
            WorldToObject4x3 = "hit_object.world_to_object_4x3", "GetWorldToObject", Read, 1..=1 => 1..=1, None;
        }
    }
    /// Matrices and vectors that invocations share.
    Cooperative(CooperativeOp) {
        CooperativeMatrices {
            MatrixAdd = "coop_mat.add", "add", Pure, 2..=2 => 1..=1, None;
            MatrixConvert = "coop_mat.convert", "copyFrom", Pure, 1..=2 => 1..=1, None;
            MatrixConvertUse = "coop_mat.convert_use", "convertUse", Pure, 1..=1 => 1..=1, None;
            MatrixCount = "coop_mat.count", "getCount", Pure, 1..=1 => 1..=1, None;
            MatrixDiv = "coop_mat.div", "div", Pure, 2..=2 => 1..=1, None;
            MatrixElement = "coop_mat.element", "CoopMat", Pure, 2..=3 => 1..=1, None;
            MatrixEquals = "coop_mat.equals", "equals", Pure, 2..=2 => 1..=1, None;
            MatrixFill = "coop_mat.fill", "fill", Pure, 1..=2 => 1..=1, None;
            MatrixLength = "coop_mat.length", "GetLength", Pure, 0..=0 => 1..=1, None;
            MatrixLess = "coop_mat.less", "lessThan", Pure, 2..=2 => 1..=1, None;
            MatrixLessOrEqual = "coop_mat.less_or_equal", "lessThanOrEquals", Pure, 2..=2 => 1..=1, None;
            MatrixLoad = "coop_mat.load", "Load", Read, 2..=3 => 1..=1, None;
            MatrixLoadCoherent = "coop_mat.load_coherent", "LoadCoherent", Read, 4..=4 => 1..=1, None;
            MatrixLoadTensor = "coop_mat.load_tensor", "Load", Read, 3..=3 => 1..=1, None;
            MatrixMake = "coop_mat.make", "CoopMat", Pure, 0..=1 => 1..=1, None;
            MatrixMap = "coop_mat.map", "MapElement", Pure, 2..=2 => 1..=1, None;
            MatrixMod = "coop_mat.mod", "mod", Pure, 2..=2 => 1..=1, None;
            MatrixMul = "coop_mat.mul", "mul", Pure, 2..=2 => 1..=1, None;
            MatrixMulAdd = "coop_mat.mul_add", "coopMatMulAdd", Pure, 3..=3 => 1..=1, None;
            MatrixNeg = "coop_mat.neg", "neg", Pure, 1..=1 => 1..=1, None;
            MatrixReduce = "coop_mat.reduce", "ReduceRowAndColumn", Pure, 2..=2 => 1..=1, None;
            MatrixReduce2x2 = "coop_mat.reduce_2x2", "Reduce2x2", Pure, 2..=2 => 1..=1, None;
            MatrixReduceColumn = "coop_mat.reduce_column", "ReduceColumn", Pure, 2..=2 => 1..=1, None;
            MatrixReduceRow = "coop_mat.reduce_row", "ReduceRow", Pure, 2..=2 => 1..=1, None;
            MatrixScale = "coop_mat.scale", "*", Pure, 2..=2 => 1..=1, None;
            MatrixStore = "coop_mat.store", "Store", Write, 3..=4 => 0..=1, Lost;
            MatrixStoreCoherent = "coop_mat.store_coherent", "StoreCoherent", Write, 5..=5 => 0..=0, None;
            MatrixStoreTensor = "coop_mat.store_tensor", "Store", Write, 3..=4 => 0..=0, None;
            MatrixSub = "coop_mat.sub", "sub", Pure, 2..=2 => 1..=1, None;
            MatrixTranspose = "coop_mat.transpose", "Transpose", Pure, 1..=1 => 1..=1, None;
            LayoutBlockSize = "tensor_layout.block_size", "BlockSize", Pure, 2..=5 => 1..=1, None;
            LayoutClampValue = "tensor_layout.clamp_value", "ClampValue", Pure, 2..=2 => 1..=1, None;
            LayoutDimension = "tensor_layout.dimension", "Dimension", Pure, 2..=5 => 1..=1, None;
            LayoutMake = "tensor_layout.make", "TensorLayout", Pure, 0..=0 => 1..=1, None;
            LayoutSlice = "tensor_layout.slice", "Slice", Pure, 3..=9 => 1..=1, None;
            LayoutStride = "tensor_layout.stride", "Stride", Pure, 2..=5 => 1..=1, None;
        }
        CooperativeVectors {
            VectorLoadAny = "coop_vec.load_any", "loadAny", Read, 2..=2 => 1..=1, Lost;
            VectorMatMul = "coop_vec.mat_mul", "coopVecMatMul", Read, 8..=8 => 1..=1, Lost;
            VectorMatMulAdd = "coop_vec.mat_mul_add", "coopVecMatMulAdd", Read, 11..=11 => 1..=1, Lost;
            VectorMatMulAddPacked = "coop_vec.mat_mul_add_packed", "coopVecMatMulAddPacked", Read, 12..=12 => 1..=1, Lost;
            VectorMatMulPacked = "coop_vec.mat_mul_packed", "coopVecMatMulPacked", Read, 9..=9 => 1..=1, Lost;
            VectorOuterProduct = "coop_vec.outer_product", "coopVecOuterProductAccumulate", Write, 7..=7 => 0..=0, None;
            VectorReduceSum = "coop_vec.reduce_sum", "coopVecReduceSumAccumulate", Write, 3..=3 => 0..=0, None;
            VectorStoreAny = "coop_vec.store_any", "storeAny", Write, 3..=3 => 1..=1, Lost;
        }
    }
    /// Tensors of PyTorch.
    Tensor(TensorOp) {
        Tensors {
            Allocate = "tensor.allocate", "alloc", Write, 1..=5 => 1..=1, None;
            AllocateLike = "tensor.allocate_like", "emptyLike", Write, 1..=1 => 1..=1, None;
            AllocateZeros = "tensor.allocate_zeros", "zerosLike", Write, 1..=1 => 1..=1, None;
            Dims = "tensor.dims", "dims", Read, 1..=1 => 1..=1, None;
            Fill = "tensor.fill", "fillValue", Write, 2..=2 => 0..=0, None;
            FillZero = "tensor.fill_zero", "fillZero", Write, 1..=1 => 0..=0, None;
            Size = "tensor.size", "size", Read, 2..=2 => 1..=1, None;
            Stride = "tensor.stride", "stride", Read, 2..=2 => 1..=1, None;
            View = "tensor.view", "getView", Read, 1..=1 => 1..=1, None;
        }
    }
    /// Handles of resources in a heap.
    Descriptor(DescriptorOp) {
        DescriptorHeap {
            As = "descriptor.as", "as", Pure, 1..=1 => 1..=1, None;
            Equals = "descriptor.equals", "equals", Pure, 2..=2 => 1..=1, None;
            FromHeap = "descriptor.from_heap", "DescriptorHandle", Pure, 1..=1 => 1..=1, None;
            FromNumber = "descriptor.from_number", "DescriptorHandle", Pure, 1..=1 => 1..=1, None;
            FromPair = "descriptor.from_pair", "DescriptorHandle", Pure, 1..=1 => 1..=1, None;
            Heap = "descriptor.heap", "ResourceDescriptorHeap", Pure, 1..=1 => 1..=1, None;
            HeapPlace = "descriptor.heap_place", "DescriptorHandle", Pure, 1..=2 => 1..=1, None;
            Less = "descriptor.less", "lessThan", Pure, 2..=2 => 1..=1, None;
            LessOrEqual = "descriptor.less_or_equal", "lessThanOrEquals", Pure, 2..=2 => 1..=1, None;
            Resource = "descriptor.resource", "getDescriptorFromHandle", Pure, 1..=2 => 1..=1, None;
            ToNumber = "descriptor.to_number", "DescriptorHandle", Pure, 1..=1 => 1..=1, None;
            ToPair = "descriptor.to_pair", "DescriptorHandle", Pure, 1..=1 => 1..=1, None;
        }
    }
    /// Where in its grid an invocation runs.
    Grid(GridOp) {
        Nothing {
            UniformLoad = "group.uniform_load", "workgroupUniformLoad", Write, 1..=1 => 2..=2, Lost;
            WorkGroupCount = "compute.work_group_count", "WorkgroupCount", Read, 0..=0 => 1..=1, None;
            WorkGroupSize = "compute.work_group_size", "WorkgroupSize", Read, 0..=0 => 1..=1, None;
            CudaBlockIndex = "cuda.block_index", "cudaBlockIdx", Read, 0..=0 => 1..=1, None;
            CudaBlockSize = "cuda.block_size", "cudaBlockDim", Read, 0..=0 => 1..=1, None;
            CudaSyncStream = "cuda.sync_stream", "syncTorchCudaStream", Write, 0..=0 => 0..=0, None;
            CudaThreadIndex = "cuda.thread_index", "cudaThreadIdx", Read, 0..=0 => 1..=1, None;
        }
    }
    /// The machine and its host.
    System(SystemOp) {
        Clock {
            Clock = "clock", "getRealtimeClock", Write, 0..=0 => 1..=1, None;
            Clock64 = "clock64", "clockARB", Write, 0..=0 => 1..=1, None;
            ClockLow = "clock_low", "getRealtimeClockLow", Write, 0..=0 => 1..=1, None;
        }
        Debugging {
            Abort = "abort", "abort", Write, 0..=ANY => 0..=0, None;
            DebugBreak = "debug_break", "debugBreak", Write, 0..=0 => 0..=0, None;
        }
    }
    /// Values that are their operands, with something said of them.
    Hint(HintOp) {
        Nothing {
            NonUniform = "non_uniform", "NonUniformResourceIndex", Pure, 1..=1 => 1..=1, Lost;
            Nonuniform = "nonuniform", "nonuniform", Pure, 1..=1 => 1..=1, Lost;
            DynamicUniform = "dynamic_uniform", "asDynamicUniform", Pure, 1..=1 => 1..=1, Lost;
            Unmodified = "unmodified", "unmodified", Pure, 0..=0 => 1..=1, None;
        }
    }
}

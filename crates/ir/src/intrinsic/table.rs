//! All intrinsics: one line each, by family and by what they ask of the machine.
//!
//! `Variant = "word", effect, operands => results, derivative;` The word is that of `[__intrinsic("word")]` in the core
//! library and of the text form; operands are the receiver and what goes in, results what is returned and what comes out.

use super::{ANY, Capability, Derivative, Facts};
use crate::Effect;

macro_rules! intrinsics {
    ($(
        $(#[$doc:meta])*
        $family:ident($ops:ident) {
            $($capability:ident {
                $($variant:ident = $word:literal, $effect:ident, $operands:expr => $results:expr, $derivative:ident;)*
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
            Frexp = "frexp", Pure, 1..=1 => 2..=2, Lost;
            Nextafter = "nextafter", Pure, 2..=2 => 1..=1, Lost;
        }
        SmallFloats {
            SmallCast = "small_float.cast", Pure, 1..=1 => 1..=1, Lost;
            SmallDot = "small_float.dot", Pure, 2..=2 => 1..=1, None;
            SmallFrom = "small_float.from", Pure, 1..=1 => 1..=1, None;
            SmallTo = "small_float.to", Pure, 1..=1 => 1..=1, None;
        }
        Strings {
            StringHash = "string.hash", Pure, 0..=0 => 1..=1, None;
            StringLength = "string.length", Pure, 0..=0 => 1..=1, None;
        }
    }
    /// Operators of integers where a language leaves open what they mean and the IR does not: legalisation puts them in
    /// their place.
    Integer(IntegerOp) {
        Nothing {
            WrappingAdd = "integer.wrapping_add", Pure, 2..=2 => 1..=1, None;
            WrappingSub = "integer.wrapping_sub", Pure, 2..=2 => 1..=1, None;
            WrappingMul = "integer.wrapping_mul", Pure, 2..=2 => 1..=1, None;
            WrappingNeg = "integer.wrapping_neg", Pure, 1..=1 => 1..=1, None;
            Quotient = "integer.quotient", Pure, 2..=2 => 1..=1, None;
            Remainder = "integer.remainder", Pure, 2..=2 => 1..=1, None;
            ShiftLeft = "integer.shift_left", Pure, 2..=2 => 1..=1, None;
            ShiftRight = "integer.shift_right", Pure, 2..=2 => 1..=1, None;
        }
    }
    /// Pointers and what they point to.
    Pointer(PointerOp) {
        Pointers {
            AddressOf = "pointer.address_of", Pure, 1..=ANY => 1..=1, None;
            AtByte = "pointer.at_byte", Pure, 2..=2 => 1..=1, None;
            LoadAligned = "pointer.load_aligned", Read, 1..=1 => 1..=1, None;
            LoadCoherent = "pointer.load_coherent", Write, 1..=1 => 1..=1, None;
            OfBuffer = "pointer.of_buffer", Pure, 1..=1 => 1..=1, None;
            OfElement = "pointer.of_element", Pure, 2..=2 => 1..=1, None;
            StoreAligned = "pointer.store_aligned", Write, 2..=2 => 0..=0, None;
            StoreCoherent = "pointer.store_coherent", Write, 2..=2 => 0..=0, None;
        }
    }
    /// Buffers, beyond what `Load` and `Store` say.
    Buffer(BufferOp) {
        Counters {
            Append = "buffer.append", Write, 2..=2 => 0..=0, None;
            Consume = "buffer.consume", Write, 1..=1 => 1..=1, None;
            IncrementCounter = "buffer.increment_counter", Write, 1..=1 => 1..=1, None;
            DecrementCounter = "buffer.decrement_counter", Write, 1..=1 => 1..=1, None;
        }
        ResidencyStatus {
            LoadStatus = "buffer.load_status", Read, 2..=2 => 2..=2, None;
            BytesLoadStatus = "byte_buffer.load_status", Read, 2..=2 => 2..=2, None;
        }
    }
    /// Which texels sampling would read.
    Footprint(FootprintOp) {
        PixelNeighbours {
            Coarse = "texture.footprint_coarse", Read, 4..=4 => 1..=1, None;
            Fine = "texture.footprint_fine", Read, 4..=4 => 1..=1, None;
            CoarseBias = "texture.footprint_coarse_bias", Read, 5..=5 => 1..=1, None;
            FineBias = "texture.footprint_fine_bias", Read, 5..=5 => 1..=1, None;
            CoarseClamp = "texture.footprint_coarse_clamp", Read, 5..=5 => 1..=1, None;
            FineClamp = "texture.footprint_fine_clamp", Read, 5..=5 => 1..=1, None;
            CoarseBiasClamp = "texture.footprint_coarse_bias_clamp", Read, 6..=6 => 1..=1, None;
            FineBiasClamp = "texture.footprint_fine_bias_clamp", Read, 6..=6 => 1..=1, None;
            CoarseLevel = "texture.footprint_coarse_level", Read, 5..=5 => 1..=1, None;
            FineLevel = "texture.footprint_fine_level", Read, 5..=5 => 1..=1, None;
            CoarseGrad = "texture.footprint_coarse_grad", Read, 6..=6 => 1..=1, None;
            FineGrad = "texture.footprint_fine_grad", Read, 6..=6 => 1..=1, None;
            CoarseGradClamp = "texture.footprint_coarse_grad_clamp", Read, 7..=7 => 1..=1, None;
            FineGradClamp = "texture.footprint_fine_grad_clamp", Read, 7..=7 => 1..=1, None;
        }
    }
    /// Textures and their samplers.
    Texture(TextureOp) {
        PixelNeighbours {
            Sample = "texture.sample", Read, 2..=5 => 1..=2, Lost;
            SampleBias = "texture.sample_bias", Read, 3..=6 => 1..=2, Lost;
            SampleCmp = "texture.sample_cmp", Read, 3..=6 => 1..=2, Lost;
            SampleCmpBias = "texture.sample_cmp_bias", Read, 4..=6 => 1..=2, Lost;
            LevelOfDetail = "texture.level_of_detail", Read, 2..=3 => 1..=1, Lost;
            LevelOfDetailUnclamped = "texture.level_of_detail_unclamped", Read, 2..=3 => 1..=1, Lost;
        }
        SamplerFeedback {
            WriteFeedback = "texture.write_feedback", Write, 4..=7 => 0..=0, None;
        }
        Textures {
            AtomicAdd = "texture.atomic_add", Write, 3..=3 => 1..=1, Lost;
            AtomicAnd = "texture.atomic_and", Write, 3..=3 => 1..=1, Lost;
            AtomicCompareExchange = "texture.atomic_compare_exchange", Write, 4..=4 => 1..=1, Lost;
            AtomicExchange = "texture.atomic_exchange", Write, 3..=3 => 1..=1, Lost;
            AtomicMax = "texture.atomic_max", Write, 3..=3 => 1..=1, Lost;
            AtomicMin = "texture.atomic_min", Write, 3..=3 => 1..=1, Lost;
            AtomicOr = "texture.atomic_or", Write, 3..=3 => 1..=1, Lost;
            AtomicXor = "texture.atomic_xor", Write, 3..=3 => 1..=1, Lost;
            Dimensions = "texture.dimensions", Read, 1..=2 => 1..=4, None;
            FullyMapped = "texture.fully_mapped", Pure, 1..=1 => 1..=1, None;
            Gather = "texture.gather", Read, 2..=7 => 1..=2, Lost;
            GatherAlpha = "texture.gather_alpha", Read, 2..=7 => 1..=2, Lost;
            GatherBlue = "texture.gather_blue", Read, 2..=7 => 1..=2, Lost;
            GatherCmp = "texture.gather_cmp", Read, 3..=8 => 1..=2, Lost;
            GatherCmpAlpha = "texture.gather_cmp_alpha", Read, 3..=8 => 1..=2, Lost;
            GatherCmpBlue = "texture.gather_cmp_blue", Read, 3..=8 => 1..=2, Lost;
            GatherCmpGreen = "texture.gather_cmp_green", Read, 3..=8 => 1..=2, Lost;
            GatherCmpRed = "texture.gather_cmp_red", Read, 3..=8 => 1..=2, Lost;
            GatherGreen = "texture.gather_green", Read, 2..=7 => 1..=2, Lost;
            GatherRed = "texture.gather_red", Read, 2..=7 => 1..=2, Lost;
            Level = "texture.level", Pure, 2..=2 => 1..=1, None;
            Levels = "texture.levels", Pure, 1..=1 => 1..=1, None;
            Load = "texture.load", Read, 2..=4 => 0..=2, Lost;
            SampleCmpGrad = "texture.sample_cmp_grad", Read, 5..=8 => 1..=2, Lost;
            SampleCmpLevel = "texture.sample_cmp_level", Read, 4..=6 => 1..=2, Lost;
            SampleCmpLevelZero = "texture.sample_cmp_level_zero", Read, 3..=5 => 1..=2, Lost;
            SampleGrad = "texture.sample_grad", Read, 4..=7 => 1..=2, Lost;
            SampleLevel = "texture.sample_level", Read, 3..=5 => 1..=2, Lost;
            SampleLevelZero = "texture.sample_level_zero", Read, 2..=4 => 1..=2, Lost;
            SamplePosition = "texture.sample_position", Read, 2..=2 => 1..=1, None;
            Samples = "texture.samples", Pure, 1..=1 => 1..=1, None;
            Store = "texture.store", Write, 3..=3 => 0..=0, None;
        }
    }
    /// The invocations that run together.
    Wave(WaveOp) {
        Waves {
            ActiveMask = "wave.active_mask", Write, 0..=0 => 1..=1, None;
            ActiveMulti = "wave.active_multi", Write, 0..=0 => 1..=1, None;
            AllEqual = "wave.all_equal", Write, 1..=1 => 1..=1, None;
            AllTrue = "wave.all_true", Write, 1..=1 => 1..=1, None;
            AnyTrue = "wave.any_true", Write, 1..=1 => 1..=1, None;
            Ballot = "wave.ballot", Write, 1..=1 => 1..=1, None;
            BitAnd = "wave.bit_and", Write, 1..=1 => 1..=1, Lost;
            BitOr = "wave.bit_or", Write, 1..=1 => 1..=1, Lost;
            BitXor = "wave.bit_xor", Write, 1..=1 => 1..=1, Lost;
            Broadcast = "wave.broadcast", Write, 2..=2 => 1..=1, Lost;
            ClusteredRotate = "wave.clustered_rotate", Write, 3..=3 => 1..=1, Lost;
            ConvergedMask = "wave.converged_mask", Write, 0..=0 => 1..=1, None;
            ConvergedMulti = "wave.converged_multi", Write, 0..=0 => 1..=1, None;
            CountBits = "wave.count_bits", Write, 1..=1 => 1..=1, None;
            IsFirstLane = "wave.is_first_lane", Write, 0..=0 => 1..=1, None;
            LaneCount = "wave.lane_count", Write, 0..=0 => 1..=1, None;
            LaneEqMask = "wave.lane_eq_mask", Read, 0..=0 => 1..=1, None;
            LaneGeMask = "wave.lane_ge_mask", Read, 0..=0 => 1..=1, None;
            LaneGtMask = "wave.lane_gt_mask", Read, 0..=0 => 1..=1, None;
            LaneIndex = "wave.lane_index", Write, 0..=0 => 1..=1, None;
            LaneLeMask = "wave.lane_le_mask", Read, 0..=0 => 1..=1, None;
            LaneLtMask = "wave.lane_lt_mask", Read, 0..=0 => 1..=1, None;
            Match = "wave.match", Write, 1..=1 => 1..=1, None;
            Max = "wave.max", Write, 1..=1 => 1..=1, Lost;
            Min = "wave.min", Write, 1..=1 => 1..=1, Lost;
            PrefixBitAnd = "wave.prefix_bit_and", Write, 1..=1 => 1..=1, Lost;
            PrefixBitOr = "wave.prefix_bit_or", Write, 1..=1 => 1..=1, Lost;
            PrefixBitXor = "wave.prefix_bit_xor", Write, 1..=1 => 1..=1, Lost;
            PrefixCountBits = "wave.prefix_count_bits", Write, 1..=1 => 1..=1, None;
            PrefixMax = "wave.prefix_max", Write, 1..=1 => 1..=1, Lost;
            PrefixMin = "wave.prefix_min", Write, 1..=1 => 1..=1, Lost;
            PrefixProduct = "wave.prefix_product", Write, 1..=1 => 1..=1, Lost;
            PrefixSum = "wave.prefix_sum", Write, 1..=1 => 1..=1, Lost;
            Product = "wave.product", Write, 1..=1 => 1..=1, Lost;
            ReadLaneAt = "wave.read_lane_at", Write, 2..=2 => 1..=1, Lost;
            ReadLaneFirst = "wave.read_lane_first", Write, 1..=1 => 1..=1, Lost;
            Rotate = "wave.rotate", Write, 2..=2 => 1..=1, Lost;
            SaturatedCooperation = "wave.saturated_cooperation", Write, 4..=4 => 1..=1, Lost;
            Shuffle = "wave.shuffle", Write, 2..=2 => 1..=1, Lost;
            Sum = "wave.sum", Write, 1..=1 => 1..=1, Lost;
            WaveCount = "wave.wave_count", Read, 0..=0 => 1..=1, None;
            WaveIndex = "wave.wave_index", Read, 0..=0 => 1..=1, None;
            QuadAll = "quad.all", Write, 1..=1 => 1..=1, None;
            QuadAny = "quad.any", Write, 1..=1 => 1..=1, None;
            QuadReadAcrossDiagonal = "quad.read_across_diagonal", Write, 1..=1 => 1..=1, Lost;
            QuadReadAcrossX = "quad.read_across_x", Write, 1..=1 => 1..=1, Lost;
            QuadReadAcrossY = "quad.read_across_y", Write, 1..=1 => 1..=1, Lost;
            QuadReadLaneAt = "quad.read_lane_at", Write, 2..=2 => 1..=1, Lost;
        }
    }
    /// Some of the invocations that run together, by a mask or a partition.
    WaveSubset(WaveSubsetOp) {
        WaveMasks {
            MaskAllEqual = "wave_mask.all_equal", Write, 2..=2 => 1..=1, None;
            MaskAllTrue = "wave_mask.all_true", Write, 2..=2 => 1..=1, None;
            MaskAnyTrue = "wave_mask.any_true", Write, 2..=2 => 1..=1, None;
            MaskBallot = "wave_mask.ballot", Write, 2..=2 => 1..=1, None;
            MaskBitAnd = "wave_mask.bit_and", Write, 2..=2 => 1..=1, Lost;
            MaskBitOr = "wave_mask.bit_or", Write, 2..=2 => 1..=1, Lost;
            MaskBitXor = "wave_mask.bit_xor", Write, 2..=2 => 1..=1, Lost;
            MaskBroadcast = "wave_mask.broadcast", Write, 3..=3 => 1..=1, Lost;
            MaskCountBits = "wave_mask.count_bits", Write, 2..=2 => 1..=1, None;
            MaskIsFirstLane = "wave_mask.is_first_lane", Write, 1..=1 => 1..=1, None;
            MaskMatch = "wave_mask.match", Write, 2..=2 => 1..=1, None;
            MaskMax = "wave_mask.max", Write, 2..=2 => 1..=1, Lost;
            MaskMin = "wave_mask.min", Write, 2..=2 => 1..=1, Lost;
            MaskPrefixBitAnd = "wave_mask.prefix_bit_and", Write, 2..=2 => 1..=1, Lost;
            MaskPrefixBitOr = "wave_mask.prefix_bit_or", Write, 2..=2 => 1..=1, Lost;
            MaskPrefixBitXor = "wave_mask.prefix_bit_xor", Write, 2..=2 => 1..=1, Lost;
            MaskPrefixCountBits = "wave_mask.prefix_count_bits", Write, 2..=2 => 1..=1, None;
            MaskPrefixMax = "wave_mask.prefix_max", Write, 2..=2 => 1..=1, Lost;
            MaskPrefixMin = "wave_mask.prefix_min", Write, 2..=2 => 1..=1, Lost;
            MaskPrefixProduct = "wave_mask.prefix_product", Write, 2..=2 => 1..=1, Lost;
            MaskPrefixSum = "wave_mask.prefix_sum", Write, 2..=2 => 1..=1, Lost;
            MaskProduct = "wave_mask.product", Write, 2..=2 => 1..=1, Lost;
            MaskReadLaneAt = "wave_mask.read_lane_at", Write, 3..=3 => 1..=1, Lost;
            MaskReadLaneFirst = "wave_mask.read_lane_first", Write, 2..=2 => 1..=1, Lost;
            MaskSharedSync = "wave_mask.shared_sync", Write, 1..=1 => 0..=0, None;
            MaskShuffle = "wave_mask.shuffle", Write, 3..=3 => 1..=1, Lost;
            MaskSum = "wave_mask.sum", Write, 2..=2 => 1..=1, Lost;
        }
        WavePartitions {
            MultiBitAnd = "wave_multi.bit_and", Write, 2..=2 => 1..=1, Lost;
            MultiBitOr = "wave_multi.bit_or", Write, 2..=2 => 1..=1, Lost;
            MultiBitXor = "wave_multi.bit_xor", Write, 2..=2 => 1..=1, Lost;
            MultiInclusiveBitAnd = "wave_multi.inclusive_bit_and", Write, 2..=2 => 1..=1, Lost;
            MultiInclusiveBitOr = "wave_multi.inclusive_bit_or", Write, 2..=2 => 1..=1, Lost;
            MultiInclusiveBitXor = "wave_multi.inclusive_bit_xor", Write, 2..=2 => 1..=1, Lost;
            MultiInclusiveMax = "wave_multi.inclusive_max", Write, 2..=2 => 1..=1, Lost;
            MultiInclusiveMin = "wave_multi.inclusive_min", Write, 2..=2 => 1..=1, Lost;
            MultiInclusiveProduct = "wave_multi.inclusive_product", Write, 2..=2 => 1..=1, Lost;
            MultiInclusiveSum = "wave_multi.inclusive_sum", Write, 2..=2 => 1..=1, Lost;
            MultiMax = "wave_multi.max", Write, 2..=2 => 1..=1, Lost;
            MultiMin = "wave_multi.min", Write, 2..=2 => 1..=1, Lost;
            MultiPrefixBitAnd = "wave_multi.prefix_bit_and", Write, 2..=2 => 1..=1, Lost;
            MultiPrefixBitOr = "wave_multi.prefix_bit_or", Write, 2..=2 => 1..=1, Lost;
            MultiPrefixBitXor = "wave_multi.prefix_bit_xor", Write, 2..=2 => 1..=1, Lost;
            MultiPrefixCountBits = "wave_multi.prefix_count_bits", Write, 2..=2 => 1..=1, None;
            MultiPrefixMax = "wave_multi.prefix_max", Write, 2..=2 => 1..=1, Lost;
            MultiPrefixMin = "wave_multi.prefix_min", Write, 2..=2 => 1..=1, Lost;
            MultiPrefixProduct = "wave_multi.prefix_product", Write, 2..=2 => 1..=1, Lost;
            MultiPrefixSum = "wave_multi.prefix_sum", Write, 2..=2 => 1..=1, Lost;
            MultiProduct = "wave_multi.product", Write, 2..=2 => 1..=1, Lost;
            MultiSum = "wave_multi.sum", Write, 2..=2 => 1..=1, Lost;
        }
    }
    /// What only fragment shaders do.
    Fragment(FragmentOp) {
        PixelNeighbours {
            Ddx = "screen.ddx", Write, 1..=1 => 1..=1, Lost;
            DdxCoarse = "screen.ddx_coarse", Write, 1..=1 => 1..=1, Lost;
            DdxFine = "screen.ddx_fine", Write, 1..=1 => 1..=1, Lost;
            Ddy = "screen.ddy", Write, 1..=1 => 1..=1, Lost;
            DdyCoarse = "screen.ddy_coarse", Write, 1..=1 => 1..=1, Lost;
            DdyFine = "screen.ddy_fine", Write, 1..=1 => 1..=1, Lost;
            Fwidth = "screen.fwidth", Write, 1..=1 => 1..=1, Lost;
        }
        Fragments {
            Clip = "clip", Write, 1..=1 => 0..=0, None;
            Discard = "discard", Write, 0..=0 => 0..=0, None;
            AttributeAtCentroid = "raster.attribute_at_centroid", Read, 1..=1 => 1..=1, Lost;
            AttributeAtSample = "raster.attribute_at_sample", Read, 2..=2 => 1..=1, Lost;
            AttributeAtVertex = "raster.attribute_at_vertex", Read, 2..=2 => 1..=1, Lost;
            AttributeSnapped = "raster.attribute_snapped", Read, 2..=2 => 1..=1, Lost;
            BeginInterlock = "raster.begin_interlock", Write, 0..=0 => 0..=0, None;
            EndInterlock = "raster.end_interlock", Write, 0..=0 => 0..=0, None;
            IsHelper = "raster.is_helper", Read, 0..=0 => 1..=1, None;
            SampleCount = "raster.sample_count", Read, 0..=0 => 1..=1, None;
            SamplePosition = "raster.sample_position", Read, 1..=1 => 1..=1, None;
            ShadingRate = "raster.shading_rate", Read, 0..=0 => 1..=1, None;
            SubpassLoad = "subpass.load", Read, 1..=2 => 1..=1, None;
        }
    }
    /// Geometry, mesh and tessellation shaders.
    Stage(StageOp) {
        GeometryShaders {
            GeometryAppend = "geometry.append", Write, 1..=2 => 0..=0, None;
            GeometryRestartStrip = "geometry.restart_strip", Write, 1..=1 => 0..=0, None;
        }
        MeshShaders {
            MeshDispatch = "mesh.dispatch", Write, 4..=4 => 0..=1, Lost;
            MeshIndices = "mesh.indices", Write, 2..=3 => 1..=1, None;
            MeshPrimitives = "mesh.primitives", Write, 2..=3 => 1..=1, None;
            MeshSetCounts = "mesh.set_counts", Write, 2..=2 => 0..=0, None;
            MeshVertices = "mesh.vertices", Write, 2..=3 => 1..=1, None;
        }
        Tessellation {
            PatchLoad = "patch.load", Read, 2..=2 => 1..=1, Lost;
            TessellationFactors = "tessellation.factors", Read, 2..=2 => 2..=3, Lost;
        }
    }
    /// Ray tracing with shaders that the machine calls.
    Ray(RayOp) {
        RayTracing {
            AcceptHit = "ray.accept_hit", Write, 0..=ANY => 0..=0, None;
            CallShader = "ray.call_shader", Write, 2..=2 => 0..=1, Lost;
            DispatchDimensions = "ray.dispatch_dimensions", Read, 0..=0 => 1..=1, None;
            DispatchIndex = "ray.dispatch_index", Read, 0..=0 => 1..=1, None;
            Flags = "ray.flags", Read, 0..=0 => 1..=1, None;
            GeometryIndex = "ray.geometry_index", Read, 0..=0 => 1..=1, None;
            HitKind = "ray.hit_kind", Read, 0..=0 => 1..=1, None;
            IgnoreHit = "ray.ignore_hit", Write, 0..=ANY => 0..=0, None;
            InstanceId = "ray.instance_id", Read, 0..=0 => 1..=1, None;
            InstanceIndex = "ray.instance_index", Read, 0..=0 => 1..=1, None;
            ObjectDirection = "ray.object_direction", Read, 0..=0 => 1..=1, None;
            ObjectOrigin = "ray.object_origin", Read, 0..=0 => 1..=1, None;
            ObjectToWorld = "ray.object_to_world", Read, 0..=0 => 1..=1, None;
            ObjectToWorld4x3 = "ray.object_to_world_4x3", Read, 0..=0 => 1..=1, None;
            PrimitiveIndex = "ray.primitive_index", Read, 0..=0 => 1..=1, None;
            ReportHit = "ray.report_hit", Write, 3..=ANY => 1..=1, None;
            TCurrent = "ray.t_current", Read, 0..=0 => 1..=1, None;
            TMin = "ray.t_min", Read, 0..=0 => 1..=1, None;
            Trace = "ray.trace", Write, 8..=8 => 0..=1, Lost;
            WorldDirection = "ray.world_direction", Read, 0..=0 => 1..=1, None;
            WorldOrigin = "ray.world_origin", Read, 0..=0 => 1..=1, None;
            WorldToObject = "ray.world_to_object", Read, 0..=0 => 1..=1, None;
            WorldToObject4x3 = "ray.world_to_object_4x3", Read, 0..=0 => 1..=1, None;
        }
    }
    /// Ray tracing within a shader.
    RayQuery(RayQueryOp) {
        RayQueries {
            Abort = "ray_query.abort", Write, 1..=1 => 0..=1, None;
            CandidateBarycentrics = "ray_query.candidate_barycentrics", Read, 1..=1 => 1..=1, None;
            CandidateFrontFace = "ray_query.candidate_front_face", Read, 1..=1 => 1..=1, None;
            CandidateGeometryIndex = "ray_query.candidate_geometry_index", Read, 1..=1 => 1..=1, None;
            CandidateInstanceContribution = "ray_query.candidate_instance_contribution", Read, 1..=1 => 1..=1, None;
            CandidateInstanceId = "ray_query.candidate_instance_id", Read, 1..=1 => 1..=1, None;
            CandidateInstanceIndex = "ray_query.candidate_instance_index", Read, 1..=1 => 1..=1, None;
            CandidateObjectDirection = "ray_query.candidate_object_direction", Read, 1..=1 => 1..=1, None;
            CandidateObjectOrigin = "ray_query.candidate_object_origin", Read, 1..=1 => 1..=1, None;
            CandidateObjectToWorld = "ray_query.candidate_object_to_world", Read, 1..=1 => 1..=1, None;
            CandidateObjectToWorld4x3 = "ray_query.candidate_object_to_world_4x3", Read, 1..=1 => 1..=1, None;
            CandidatePrimitiveIndex = "ray_query.candidate_primitive_index", Read, 1..=1 => 1..=1, None;
            CandidateProceduralIsOpaque = "ray_query.candidate_procedural_is_opaque", Read, 1..=1 => 1..=1, None;
            CandidateShaderTableOffset = "ray_query.candidate_shader_table_offset", Read, 1..=1 => 1..=1, None;
            CandidateT = "ray_query.candidate_t", Read, 1..=1 => 1..=1, None;
            CandidateType = "ray_query.candidate_type", Read, 1..=1 => 1..=1, None;
            CandidateWorldToObject = "ray_query.candidate_world_to_object", Read, 1..=1 => 1..=1, None;
            CandidateWorldToObject4x3 = "ray_query.candidate_world_to_object_4x3", Read, 1..=1 => 1..=1, None;
            CommitProcedural = "ray_query.commit_procedural", Write, 2..=2 => 0..=1, None;
            CommitTriangle = "ray_query.commit_triangle", Write, 1..=1 => 0..=1, None;
            CommittedBarycentrics = "ray_query.committed_barycentrics", Read, 1..=1 => 1..=1, None;
            CommittedFrontFace = "ray_query.committed_front_face", Read, 1..=1 => 1..=1, None;
            CommittedGeometryIndex = "ray_query.committed_geometry_index", Read, 1..=1 => 1..=1, None;
            CommittedInstanceContribution = "ray_query.committed_instance_contribution", Read, 1..=1 => 1..=1, None;
            CommittedInstanceId = "ray_query.committed_instance_id", Read, 1..=1 => 1..=1, None;
            CommittedInstanceIndex = "ray_query.committed_instance_index", Read, 1..=1 => 1..=1, None;
            CommittedObjectDirection = "ray_query.committed_object_direction", Read, 1..=1 => 1..=1, None;
            CommittedObjectOrigin = "ray_query.committed_object_origin", Read, 1..=1 => 1..=1, None;
            CommittedObjectToWorld = "ray_query.committed_object_to_world", Read, 1..=1 => 1..=1, None;
            CommittedObjectToWorld4x3 = "ray_query.committed_object_to_world_4x3", Read, 1..=1 => 1..=1, None;
            CommittedPrimitiveIndex = "ray_query.committed_primitive_index", Read, 1..=1 => 1..=1, None;
            CommittedShaderTableOffset = "ray_query.committed_shader_table_offset", Read, 1..=1 => 1..=1, None;
            CommittedStatus = "ray_query.committed_status", Read, 1..=1 => 1..=1, None;
            CommittedT = "ray_query.committed_t", Read, 1..=1 => 1..=1, None;
            CommittedWorldToObject = "ray_query.committed_world_to_object", Read, 1..=1 => 1..=1, None;
            CommittedWorldToObject4x3 = "ray_query.committed_world_to_object_4x3", Read, 1..=1 => 1..=1, None;
            Flags = "ray_query.flags", Read, 1..=1 => 1..=1, None;
            Make = "ray_query.make", Write, 0..=0 => 1..=1, None;
            Proceed = "ray_query.proceed", Write, 1..=1 => 1..=2, None;
            TMin = "ray_query.t_min", Read, 1..=1 => 1..=1, None;
            Trace = "ray_query.trace", Write, 5..=5 => 0..=1, None;
            WorldDirection = "ray_query.world_direction", Read, 1..=1 => 1..=1, None;
            WorldOrigin = "ray_query.world_origin", Read, 1..=1 => 1..=1, None;
        }
    }
    /// What only some machines know of rays: motion, spheres, clusters, the transforms on the way to an instance. No target
    /// has it.
    RayExtension(RayExtensionOp) {
        RayTracing {
            ClusterId = "ray.cluster_id", Read, 0..=0 => 1..=1, None;
            CurrentTime = "ray.current_time", Read, 0..=0 => 1..=1, None;
            HitVertexPosition = "ray.hit_vertex_position", Read, 1..=1 => 1..=1, None;
            InstanceTraversable = "ray.instance_traversable", Read, 2..=2 => 1..=1, None;
            IsSphere = "ray.is_sphere", Read, 0..=0 => 1..=1, None;
            IsSweptSphere = "ray.is_swept_sphere", Read, 0..=0 => 1..=1, None;
            SceneAt = "ray.scene_at", Pure, 1..=1 => 1..=1, None;
            Sphere = "ray.sphere", Read, 0..=0 => 1..=1, None;
            SweptSphere = "ray.swept_sphere", Read, 0..=0 => 1..=1, None;
            TraceMotion = "ray.trace_motion", Write, 9..=9 => 0..=1, Lost;
            TransformListHandle = "ray.transform_list_handle", Read, 1..=1 => 1..=1, None;
            TransformListSize = "ray.transform_list_size", Read, 0..=0 => 1..=1, None;
            TransformType = "ray.transform_type", Read, 1..=1 => 1..=1, None;
            TraversableChild = "ray.traversable_child", Read, 1..=1 => 1..=1, None;
            TraversableInstanceId = "ray.traversable_instance_id", Read, 1..=1 => 1..=1, None;
            TraversableToWorld = "ray.traversable_to_world", Read, 1..=1 => 1..=1, None;
            WorldToTraversable = "ray.world_to_traversable", Read, 1..=1 => 1..=1, None;
        }
        RayQueries {
            CandidateClusterId = "ray_query.candidate_cluster_id", Read, 1..=1 => 1..=1, None;
            CandidateIsSphere = "ray_query.candidate_is_sphere", Read, 1..=1 => 1..=1, None;
            CandidateIsSweptSphere = "ray_query.candidate_is_swept_sphere", Read, 1..=1 => 1..=1, None;
            CandidateSphere = "ray_query.candidate_sphere", Read, 1..=1 => 1..=1, None;
            CandidateSweptSphere = "ray_query.candidate_swept_sphere", Read, 1..=1 => 1..=1, None;
            CandidateSweptSphereParameter = "ray_query.candidate_swept_sphere_parameter", Read, 1..=1 => 1..=1, None;
            CandidateTriangleVertices = "ray_query.candidate_triangle_vertices", Read, 1..=1 => 1..=1, None;
            CommitSphere = "ray_query.commit_sphere", Write, 2..=2 => 0..=1, None;
            CommitSweptSphere = "ray_query.commit_swept_sphere", Write, 2..=2 => 0..=1, None;
            CommittedClusterId = "ray_query.committed_cluster_id", Read, 1..=1 => 1..=1, None;
            CommittedIsSphere = "ray_query.committed_is_sphere", Read, 1..=1 => 1..=1, None;
            CommittedIsSweptSphere = "ray_query.committed_is_swept_sphere", Read, 1..=1 => 1..=1, None;
            CommittedSphere = "ray_query.committed_sphere", Read, 1..=1 => 1..=1, None;
            CommittedSweptSphere = "ray_query.committed_swept_sphere", Read, 1..=1 => 1..=1, None;
            CommittedSweptSphereParameter = "ray_query.committed_swept_sphere_parameter", Read, 1..=1 => 1..=1, None;
            CommittedTriangleVertices = "ray_query.committed_triangle_vertices", Read, 1..=1 => 1..=1, None;
        }
    }
    /// Hits as values, which invocations are sorted by.
    HitObject(HitObjectOp) {
        HitObjects {
            Attributes = "hit_object.attributes", Read, 1..=1 => 1..=1, None;
            ClusterId = "hit_object.cluster_id", Read, 1..=1 => 1..=1, None;
            CurrentTime = "hit_object.current_time", Read, 1..=1 => 1..=1, None;
            Flags = "hit_object.flags", Read, 1..=1 => 1..=1, None;
            FromRayQuery = "hit_object.from_ray_query", Write, 1..=3 => 1..=1, None;
            GeometryIndex = "hit_object.geometry_index", Read, 1..=1 => 1..=1, None;
            HitKind = "hit_object.hit_kind", Read, 1..=1 => 1..=1, None;
            InstanceId = "hit_object.instance_id", Read, 1..=1 => 1..=1, None;
            InstanceIndex = "hit_object.instance_index", Read, 1..=1 => 1..=1, None;
            Invoke = "hit_object.invoke", Write, 2..=3 => 1..=1, Lost;
            IsHit = "hit_object.is_hit", Read, 1..=1 => 1..=1, None;
            IsMiss = "hit_object.is_miss", Read, 1..=1 => 1..=1, None;
            IsNothing = "hit_object.is_nothing", Read, 1..=1 => 1..=1, None;
            IsSphere = "hit_object.is_sphere", Read, 1..=1 => 1..=1, None;
            IsSweptSphere = "hit_object.is_swept_sphere", Read, 1..=1 => 1..=1, None;
            MakeHit = "hit_object.make_hit", Write, 8..=9 => 1..=1, None;
            MakeMiss = "hit_object.make_miss", Write, 2..=3 => 1..=1, None;
            MakeMotionHit = "hit_object.make_motion_hit", Write, 9..=10 => 1..=1, None;
            MakeMotionMiss = "hit_object.make_motion_miss", Write, 3..=3 => 1..=1, None;
            Nothing = "hit_object.nothing", Write, 0..=0 => 1..=1, None;
            ObjectDirection = "hit_object.object_direction", Read, 1..=1 => 1..=1, None;
            ObjectOrigin = "hit_object.object_origin", Read, 1..=1 => 1..=1, None;
            ObjectToWorld = "hit_object.object_to_world", Read, 1..=1 => 1..=1, None;
            ObjectToWorld4x3 = "hit_object.object_to_world_4x3", Read, 1..=1 => 1..=1, None;
            PrimitiveIndex = "hit_object.primitive_index", Read, 1..=1 => 1..=1, None;
            Ray = "hit_object.ray", Read, 1..=1 => 1..=1, None;
            Reorder = "hit_object.reorder", Write, 1..=3 => 0..=0, None;
            RootConstant = "hit_object.root_constant", Read, 2..=2 => 1..=1, None;
            SetShaderTableIndex = "hit_object.set_shader_table_index", Write, 2..=2 => 1..=1, None;
            ShaderRecord = "hit_object.shader_record", Read, 1..=1 => 1..=1, None;
            ShaderTableIndex = "hit_object.shader_table_index", Read, 1..=1 => 1..=1, None;
            Sphere = "hit_object.sphere", Read, 1..=1 => 1..=1, None;
            SweptSphere = "hit_object.swept_sphere", Read, 1..=1 => 1..=1, None;
            TCurrent = "hit_object.t_current", Read, 1..=1 => 1..=1, None;
            TMin = "hit_object.t_min", Read, 1..=1 => 1..=1, None;
            Trace = "hit_object.trace", Write, 8..=8 => 2..=2, Lost;
            TraceMotion = "hit_object.trace_motion", Write, 9..=9 => 2..=2, Lost;
            WorldDirection = "hit_object.world_direction", Read, 1..=1 => 1..=1, None;
            WorldOrigin = "hit_object.world_origin", Read, 1..=1 => 1..=1, None;
            WorldToObject = "hit_object.world_to_object", Read, 1..=1 => 1..=1, None;
            WorldToObject4x3 = "hit_object.world_to_object_4x3", Read, 1..=1 => 1..=1, None;
        }
    }
    /// Matrices and vectors that invocations share.
    Cooperative(CooperativeOp) {
        CooperativeMatrices {
            MatrixAdd = "coop_mat.add", Pure, 2..=2 => 1..=1, None;
            MatrixConvert = "coop_mat.convert", Pure, 1..=2 => 1..=1, None;
            MatrixConvertUse = "coop_mat.convert_use", Pure, 1..=1 => 1..=1, None;
            MatrixCount = "coop_mat.count", Pure, 1..=1 => 1..=1, None;
            MatrixDiv = "coop_mat.div", Pure, 2..=2 => 1..=1, None;
            MatrixElement = "coop_mat.element", Pure, 2..=3 => 1..=1, None;
            MatrixEquals = "coop_mat.equals", Pure, 2..=2 => 1..=1, None;
            MatrixFill = "coop_mat.fill", Pure, 1..=2 => 1..=1, None;
            MatrixLength = "coop_mat.length", Pure, 0..=0 => 1..=1, None;
            MatrixLess = "coop_mat.less", Pure, 2..=2 => 1..=1, None;
            MatrixLessOrEqual = "coop_mat.less_or_equal", Pure, 2..=2 => 1..=1, None;
            MatrixLoad = "coop_mat.load", Read, 2..=3 => 1..=1, None;
            MatrixLoadCoherent = "coop_mat.load_coherent", Read, 4..=4 => 1..=1, None;
            MatrixLoadTensor = "coop_mat.load_tensor", Read, 3..=3 => 1..=1, None;
            MatrixMake = "coop_mat.make", Pure, 0..=1 => 1..=1, None;
            MatrixMap = "coop_mat.map", Pure, 2..=2 => 1..=1, None;
            MatrixMod = "coop_mat.mod", Pure, 2..=2 => 1..=1, None;
            MatrixMul = "coop_mat.mul", Pure, 2..=2 => 1..=1, None;
            MatrixMulAdd = "coop_mat.mul_add", Pure, 3..=3 => 1..=1, None;
            MatrixNeg = "coop_mat.neg", Pure, 1..=1 => 1..=1, None;
            MatrixReduce = "coop_mat.reduce", Pure, 2..=2 => 1..=1, None;
            MatrixReduce2x2 = "coop_mat.reduce_2x2", Pure, 2..=2 => 1..=1, None;
            MatrixReduceColumn = "coop_mat.reduce_column", Pure, 2..=2 => 1..=1, None;
            MatrixReduceRow = "coop_mat.reduce_row", Pure, 2..=2 => 1..=1, None;
            MatrixScale = "coop_mat.scale", Pure, 2..=2 => 1..=1, None;
            MatrixStore = "coop_mat.store", Write, 3..=4 => 0..=1, Lost;
            MatrixStoreCoherent = "coop_mat.store_coherent", Write, 5..=5 => 0..=0, None;
            MatrixStoreTensor = "coop_mat.store_tensor", Write, 3..=4 => 0..=0, None;
            MatrixSub = "coop_mat.sub", Pure, 2..=2 => 1..=1, None;
            MatrixTranspose = "coop_mat.transpose", Pure, 1..=1 => 1..=1, None;
            LayoutBlockSize = "tensor_layout.block_size", Pure, 2..=5 => 1..=1, None;
            LayoutClampValue = "tensor_layout.clamp_value", Pure, 2..=2 => 1..=1, None;
            LayoutDimension = "tensor_layout.dimension", Pure, 2..=5 => 1..=1, None;
            LayoutMake = "tensor_layout.make", Pure, 0..=0 => 1..=1, None;
            LayoutSlice = "tensor_layout.slice", Pure, 3..=9 => 1..=1, None;
            LayoutStride = "tensor_layout.stride", Pure, 2..=5 => 1..=1, None;
        }
        CooperativeVectors {
            VectorLoadAny = "coop_vec.load_any", Read, 2..=2 => 1..=1, Lost;
            VectorMatMul = "coop_vec.mat_mul", Read, 8..=8 => 1..=1, Lost;
            VectorMatMulAdd = "coop_vec.mat_mul_add", Read, 11..=11 => 1..=1, Lost;
            VectorMatMulAddPacked = "coop_vec.mat_mul_add_packed", Read, 12..=12 => 1..=1, Lost;
            VectorMatMulPacked = "coop_vec.mat_mul_packed", Read, 9..=9 => 1..=1, Lost;
            VectorOuterProduct = "coop_vec.outer_product", Write, 7..=7 => 0..=0, None;
            VectorReduceSum = "coop_vec.reduce_sum", Write, 3..=3 => 0..=0, None;
            VectorStoreAny = "coop_vec.store_any", Write, 3..=3 => 1..=1, Lost;
        }
    }
    /// Tensors of PyTorch.
    Tensor(TensorOp) {
        Tensors {
            Allocate = "tensor.allocate", Write, 1..=5 => 1..=1, None;
            AllocateLike = "tensor.allocate_like", Write, 1..=1 => 1..=1, None;
            AllocateZeros = "tensor.allocate_zeros", Write, 1..=1 => 1..=1, None;
            Dims = "tensor.dims", Read, 1..=1 => 1..=1, None;
            Fill = "tensor.fill", Write, 2..=2 => 0..=0, None;
            FillZero = "tensor.fill_zero", Write, 1..=1 => 0..=0, None;
            Size = "tensor.size", Read, 2..=2 => 1..=1, None;
            Stride = "tensor.stride", Read, 2..=2 => 1..=1, None;
            View = "tensor.view", Read, 1..=1 => 1..=1, None;
        }
    }
    /// Handles of resources in a heap.
    Descriptor(DescriptorOp) {
        DescriptorHeap {
            As = "descriptor.as", Pure, 1..=1 => 1..=1, None;
            Equals = "descriptor.equals", Pure, 2..=2 => 1..=1, None;
            FromHeap = "descriptor.from_heap", Pure, 1..=1 => 1..=1, None;
            FromNumber = "descriptor.from_number", Pure, 1..=1 => 1..=1, None;
            FromPair = "descriptor.from_pair", Pure, 1..=1 => 1..=1, None;
            Heap = "descriptor.heap", Pure, 1..=1 => 1..=1, None;
            HeapPlace = "descriptor.heap_place", Pure, 1..=2 => 1..=1, None;
            Less = "descriptor.less", Pure, 2..=2 => 1..=1, None;
            LessOrEqual = "descriptor.less_or_equal", Pure, 2..=2 => 1..=1, None;
            Resource = "descriptor.resource", Pure, 1..=2 => 1..=1, None;
            ToNumber = "descriptor.to_number", Pure, 1..=1 => 1..=1, None;
            ToPair = "descriptor.to_pair", Pure, 1..=1 => 1..=1, None;
        }
    }
    /// Where in its grid an invocation runs.
    Grid(GridOp) {
        Nothing {
            UniformLoad = "group.uniform_load", Write, 1..=1 => 2..=2, Lost;
            WorkGroupCount = "compute.work_group_count", Read, 0..=0 => 1..=1, None;
            WorkGroupSize = "compute.work_group_size", Read, 0..=0 => 1..=1, None;
            CudaBlockIndex = "cuda.block_index", Read, 0..=0 => 1..=1, None;
            CudaBlockSize = "cuda.block_size", Read, 0..=0 => 1..=1, None;
            CudaSyncStream = "cuda.sync_stream", Write, 0..=0 => 0..=0, None;
            CudaThreadIndex = "cuda.thread_index", Read, 0..=0 => 1..=1, None;
        }
    }
    /// The machine and its host.
    System(SystemOp) {
        Clock {
            Clock = "clock", Write, 0..=0 => 1..=1, None;
            Clock64 = "clock64", Write, 0..=0 => 1..=1, None;
            ClockLow = "clock_low", Write, 0..=0 => 1..=1, None;
        }
        Debugging {
            Abort = "abort", Write, 0..=ANY => 0..=0, None;
            DebugBreak = "debug_break", Write, 0..=0 => 0..=0, None;
        }
    }
    /// Values that are their operands, with something said of them.
    Hint(HintOp) {
        Nothing {
            NonUniform = "non_uniform", Pure, 1..=1 => 1..=1, Lost;
            Nonuniform = "nonuniform", Pure, 1..=1 => 1..=1, Lost;
            DynamicUniform = "dynamic_uniform", Pure, 1..=1 => 1..=1, Lost;
            Unmodified = "unmodified", Pure, 0..=0 => 1..=1, None;
        }
    }
}

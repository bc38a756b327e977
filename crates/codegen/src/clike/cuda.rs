//! The CUDA dialect: C++17 for nvcc and nvrtc, complete in itself, without headers.
//!
//! An entry point is a kernel of its name (`main`, which C++ keeps for itself, is `main_kernel`):
//!
//! ```cpp
//! extern "C" __global__ void computeMain(PARAMETERS);
//! ```
//!
//! with blocks of the size of the entry point's groups. The parameters are those of the shader in the order of
//! [`crate::Emitted::bindings`]: of a buffer a device pointer and the number of elements (`result`, `result_count`), of a
//! byte-address buffer the number of bytes, of a uniform its value, of a texture a texture or surface object.
//!
//! A function of the source with `[CudaKernel]` is a kernel whose parameters are those of the source, without gaps between
//! the components of vectors and the fields of structs (`Packed`), as slangc's hosts give them; one with
//! `[CudaDeviceExport]` is a function of the device, to which places come as pointers.

use ir::intrinsic::{GridOp, SystemOp, WaveOp, WaveSubsetOp};

use super::cpp_family::{Flavour, builtin_value};
use super::{Exported, Kernel, Uniforms};
use crate::legalise::Capabilities;
use crate::memory::Rules;
use crate::tree::Direction;
use crate::{ExportKind, Target};

/// CUDA.
pub struct Cuda;

impl Flavour for Cuda {
    fn target(&self) -> Target {
        Target::Cuda
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            descriptors_are_resources: true,
            typed_bytes: Some(Rules::Cuda),
            tested_reads: true,
            defined_integers: false,
            specialization_constants: false,
            missing_wave_ops: &[
                WaveOp::ActiveMulti,
                WaveOp::ConvergedMulti,
                WaveOp::LaneEqMask,
                WaveOp::LaneGeMask,
                WaveOp::LaneGtMask,
                WaveOp::LaneLeMask,
                WaveOp::LaneLtMask,
                WaveOp::Rotate,
                WaveOp::ClusteredRotate,
                WaveOp::QuadAll,
                WaveOp::QuadAny,
            ],
            ..Capabilities::ALL
        }
    }

    fn runtime(&self) -> &'static str {
        include_str!("runtime/cuda.h")
    }

    fn types(&self) -> &'static str {
        "\
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
"
    }

    fn top(&self) -> &'static str {
        "\
// CUDA C++17.
#define FN __device__ inline
#define UNROLL _Pragma(\"unroll\")
#define LIBM
"
    }

    fn function_prefix(&self) -> &'static str {
        "__device__ "
    }

    fn entry_name(&self, name: &str) -> String {
        if name == "main" { "main_kernel".into() } else { name.into() }
    }

    fn kernel(&self, kernel: &Kernel<'_>) -> String {
        let [group, thread, size, this] = &kernel.locals;
        let (params, values) = kernel.handed_over(Uniforms::ByValue);
        let shared: String =
            kernel.shared.iter().map(|(declarator, _)| format!("    __shared__ {declarator};\n")).collect();
        let arguments: Vec<String> =
            kernel.builtins.iter().map(|&builtin| builtin_value(builtin, &kernel.locals)).collect();
        let [x, y, z] = kernel.group_size;
        format!(
            "\
extern \"C\" __global__ void __launch_bounds__({}) {}({})
{{
{shared}    const uint3 {size}({x}, {y}, {z});
    const uint3 {group}(blockIdx.x, blockIdx.y, blockIdx.z);
    const uint3 {thread}(threadIdx.x, threadIdx.y, threadIdx.z);
    {} {this}{{{}}};
    {this}.{}({});
}}",
            u64::from(x) * u64::from(y) * u64::from(z),
            kernel.entry,
            params.join(", "),
            kernel.thread_struct,
            values.join(", "),
            kernel.function,
            arguments.join(", "),
        )
    }

    fn exported(&self, exported: &Exported<'_>) -> Option<String> {
        let Exported { name, params, function, thread, .. } = exported;
        let (head, result, params): (_, _, Vec<String>) = match &exported.kind {
            ExportKind::Kernel => {
                let packed = params.iter().map(|param| match param.holds_vectors {
                    true => format!("Packed<{}> {}", param.ty, param.name),
                    false => format!("{} {}", param.ty, param.name),
                });
                ("extern \"C\" __global__", "void", packed.collect())
            }
            ExportKind::DeviceFunction => {
                let pointer = |direction| if direction == Direction::In { "" } else { "*" };
                let param =
                    params.iter().map(|param| format!("{}{} {}", param.ty, pointer(param.direction), param.name));
                ("extern \"C\" __device__", exported.result.as_str(), param.collect())
            }
            ExportKind::HostFunction | ExportKind::KernelStart(_) => return None,
        };
        let arguments: Vec<String> = exported
            .params
            .iter()
            .map(|param| match (&exported.kind, param.direction) {
                (ExportKind::Kernel, _) if param.holds_vectors => format!("unpacked({})", param.name),
                (ExportKind::Kernel, _) | (ExportKind::DeviceFunction, Direction::In) => param.name.to_owned(),
                (ExportKind::DeviceFunction, Direction::Out | Direction::InOut) => format!("*{}", param.name),
                (ExportKind::HostFunction | ExportKind::KernelStart(_), _) => String::new(),
            })
            .collect();
        let call = format!("{function}({})", arguments.join(", "));
        let shared: String =
            exported.shared.iter().map(|(declarator, _)| format!("    __shared__ {declarator};\n")).collect();
        let members: Vec<&str> = exported.shared.iter().map(|(_, name)| *name).collect();
        let body = match exported.thread_struct {
            Some(ty) => format!("{shared}    {ty} {thread}{{{}}};\n    return {thread}.{call};", members.join(", ")),
            None => format!("    return {call};"),
        };
        Some(format!("{head} {result} {name}({})\n{{\n{body}\n}}", params.join(", ")))
    }

    fn grid(&self, op: GridOp) -> Option<&'static str> {
        Some(match op {
            GridOp::CudaThreadIndex => "grid_place(threadIdx)",
            GridOp::CudaBlockIndex => "grid_place(blockIdx)",
            GridOp::CudaBlockSize | GridOp::WorkGroupSize => "grid_place(blockDim)",
            GridOp::WorkGroupCount => "grid_place(gridDim)",
            GridOp::UniformLoad | GridOp::CudaSyncStream => return None,
        })
    }

    fn wave(&self, op: WaveOp) -> Option<(&'static str, &'static str)> {
        let name = match op {
            WaveOp::AllTrue => "wave_all_true",
            WaveOp::AnyTrue => "wave_any_true",
            WaveOp::BitAnd => "wave_bit_and",
            WaveOp::BitOr => "wave_bit_or",
            WaveOp::BitXor => "wave_bit_xor",
            WaveOp::CountBits => "wave_count_bits",
            WaveOp::ActiveMask | WaveOp::ConvergedMask => "wave_active_mask",
            WaveOp::IsFirstLane => "wave_is_first_lane",
            WaveOp::LaneCount => "wave_lane_count",
            WaveOp::LaneIndex => "wave_lane_index",
            WaveOp::Max => "wave_max",
            WaveOp::Min => "wave_min",
            WaveOp::PrefixCountBits => "wave_prefix_count_bits",
            WaveOp::PrefixProduct => "wave_prefix_product",
            WaveOp::PrefixSum => "wave_prefix_sum",
            WaveOp::Product => "wave_product",
            WaveOp::Broadcast | WaveOp::ReadLaneAt | WaveOp::Shuffle => "wave_read_lane_at",
            WaveOp::ReadLaneFirst => "wave_read_lane_first",
            WaveOp::Sum => "wave_sum",
            WaveOp::QuadReadAcrossX => return Some(("wave_read_across", "1u")),
            WaveOp::QuadReadAcrossY => return Some(("wave_read_across", "2u")),
            WaveOp::QuadReadAcrossDiagonal => return Some(("wave_read_across", "3u")),
            WaveOp::QuadReadLaneAt => "wave_read_quad",
            WaveOp::AllEqual => "wave_all_equal",
            WaveOp::Ballot => "wave_ballot",
            WaveOp::WaveCount => "wave_count",
            WaveOp::WaveIndex => "wave_index",
            WaveOp::Match => "wave_match",
            WaveOp::PrefixBitAnd => "wave_prefix_bit_and",
            WaveOp::PrefixBitOr => "wave_prefix_bit_or",
            WaveOp::PrefixBitXor => "wave_prefix_bit_xor",
            WaveOp::PrefixMax => "wave_prefix_max",
            WaveOp::PrefixMin => "wave_prefix_min",
            WaveOp::ActiveMulti
            | WaveOp::ClusteredRotate
            | WaveOp::ConvergedMulti
            | WaveOp::LaneEqMask
            | WaveOp::LaneGeMask
            | WaveOp::LaneGtMask
            | WaveOp::LaneLeMask
            | WaveOp::LaneLtMask
            | WaveOp::QuadAll
            | WaveOp::QuadAny
            | WaveOp::Rotate
            | WaveOp::SaturatedCooperation => return None,
        };
        Some((name, ""))
    }

    fn wave_subset(&self, op: WaveSubsetOp) -> Option<&'static str> {
        let of_all = || self.wave(op.without_mask()?).map(|(name, _)| name);
        Some(match op {
            WaveSubsetOp::MaskBallot => "wave_mask_ballot",
            WaveSubsetOp::MaskMatch => "wave_mask_match",
            WaveSubsetOp::MaskSharedSync => "__syncwarp",
            WaveSubsetOp::MultiBitAnd => "wave_bit_and",
            WaveSubsetOp::MultiBitOr => "wave_bit_or",
            WaveSubsetOp::MultiBitXor => "wave_bit_xor",
            WaveSubsetOp::MultiInclusiveBitAnd => "wave_inclusive_bit_and",
            WaveSubsetOp::MultiInclusiveBitOr => "wave_inclusive_bit_or",
            WaveSubsetOp::MultiInclusiveBitXor => "wave_inclusive_bit_xor",
            WaveSubsetOp::MultiInclusiveMax => "wave_inclusive_max",
            WaveSubsetOp::MultiInclusiveMin => "wave_inclusive_min",
            WaveSubsetOp::MultiInclusiveProduct => "wave_inclusive_product",
            WaveSubsetOp::MultiInclusiveSum => "wave_inclusive_sum",
            WaveSubsetOp::MultiMax => "wave_max",
            WaveSubsetOp::MultiMin => "wave_min",
            WaveSubsetOp::MultiPrefixBitAnd => "wave_prefix_bit_and",
            WaveSubsetOp::MultiPrefixBitOr => "wave_prefix_bit_or",
            WaveSubsetOp::MultiPrefixBitXor => "wave_prefix_bit_xor",
            WaveSubsetOp::MultiPrefixCountBits => "wave_prefix_count_bits",
            WaveSubsetOp::MultiPrefixMax => "wave_prefix_max",
            WaveSubsetOp::MultiPrefixMin => "wave_prefix_min",
            WaveSubsetOp::MultiPrefixProduct => "wave_prefix_product",
            WaveSubsetOp::MultiPrefixSum => "wave_prefix_sum",
            WaveSubsetOp::MultiProduct => "wave_product",
            WaveSubsetOp::MultiSum => "wave_sum",
            WaveSubsetOp::MaskAllEqual
            | WaveSubsetOp::MaskAllTrue
            | WaveSubsetOp::MaskAnyTrue
            | WaveSubsetOp::MaskBitAnd
            | WaveSubsetOp::MaskBitOr
            | WaveSubsetOp::MaskBitXor
            | WaveSubsetOp::MaskBroadcast
            | WaveSubsetOp::MaskCountBits
            | WaveSubsetOp::MaskIsFirstLane
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
            | WaveSubsetOp::MaskShuffle
            | WaveSubsetOp::MaskSum => return of_all(),
        })
    }

    fn system(&self, op: SystemOp) -> Option<&'static str> {
        Some(match op {
            SystemOp::Clock => "clock_words()",
            SystemOp::Clock64 => "uint64_t(clock64())",
            SystemOp::ClockLow => "uint(clock())",
            SystemOp::DebugBreak => "__brkpt()",
            SystemOp::Abort => return None,
        })
    }

    fn barrier(&self, control: bool) -> Option<&'static str> {
        Some(if control { "__syncthreads()" } else { "__threadfence_block()" })
    }
}

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
//! byte-address buffer the number of bytes, of a uniform its value.

use super::cpp_family::{Flavour, builtin_value};
use super::{Kernel, Uniforms};
use crate::Target;
use crate::legalise::Capabilities;

pub struct Cuda;

impl Flavour for Cuda {
    fn target(&self) -> Target {
        Target::Cuda
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            unchecked_indices: false,
            checked_reads: true,
            defined_integers: false,
            specialization_constants: false,
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

    fn barrier(&self, control: bool) -> Option<&'static str> {
        Some(if control { "__syncthreads()" } else { "__threadfence_block()" })
    }
}

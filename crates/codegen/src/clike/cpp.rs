//! The C++ dialect: C++17 for the host, complete in itself.
//!
//! For an entry point `main` there is
//!
//! ```cpp
//! extern "C" void run_main(uint groups_x, uint groups_y, uint groups_z, PARAMETERS);
//! ```
//!
//! which runs all threads, one after the other. The parameters are those of the shader in the order of
//! [`crate::Emitted::bindings`]: of a buffer a pointer and the number of elements (`result`, `result_count`), of a
//! byte-address buffer the number of bytes, of a uniform, a texture and a sampler a pointer to its value. Nothing is kept between calls; calls may
//! run side by side on different memory. A thread cannot wait for others, so barriers
//! that make it wait are refused.

use ir::intrinsic::SystemOp;

use super::cpp_family::{Flavour, builtin_value};
use super::{Kernel, Uniforms};
use crate::Target;
use crate::legalise::Capabilities;
use crate::memory::Rules;

/// C++.
pub struct Cpp;

impl Flavour for Cpp {
    fn target(&self) -> Target {
        Target::Cpp
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            tested_reads: true,
            defined_integers: false,
            specialization_constants: false,
            descriptors_are_resources: true,
            typed_bytes: Some(Rules::Cpp),
            ..Capabilities::ALL
        }
    }

    fn runtime(&self) -> &'static str {
        include_str!("runtime/cpp.h")
    }

    fn types(&self) -> &'static str {
        ""
    }

    fn top(&self) -> &'static str {
        "\
// C++17. `run_…` runs all threads of an entry point.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#define FN inline
#if defined(__clang__)
#define UNROLL _Pragma(\"unroll\")
#elif defined(__GNUC__)
#define UNROLL _Pragma(\"GCC unroll 4\")
#else
#define UNROLL
#endif
#define LIBM std
"
    }

    fn function_prefix(&self) -> &'static str {
        ""
    }

    fn entry_name(&self, name: &str) -> String {
        format!("run_{name}")
    }

    fn kernel(&self, kernel: &Kernel<'_>) -> String {
        let [group, thread, size, this] = &kernel.locals;
        let (handed_over, values) = kernel.handed_over(Uniforms::ByPointer);
        let mut params: Vec<String> = ["x", "y", "z"].map(|axis| format!("uint {group}s_{axis}")).into();
        params.extend(handed_over);
        let shared: String =
            kernel.shared.iter().map(|(declarator, _)| format!("        {declarator} = {{}};\n")).collect();
        let arguments: Vec<String> =
            kernel.builtins.iter().map(|&builtin| builtin_value(builtin, &kernel.locals)).collect();
        let [x, y, z] = kernel.group_size;
        format!(
            "\
extern \"C\" void {}({})
{{
    const uint3 {size}({x}, {y}, {z});
    for_each(uint3({group}s_x, {group}s_y, {group}s_z), [&](uint3 {group})
    {{
{shared}        for_each({size}, [&](uint3 {thread})
        {{
            {} {this}{{{}}};
            {this}.{}({});
        }});
    }});
}}",
            kernel.entry,
            params.join(", "),
            kernel.thread_struct,
            values.join(", "),
            kernel.function,
            arguments.join(", "),
        )
    }

    fn system(&self, op: SystemOp) -> Option<&'static str> {
        Some(match op {
            SystemOp::Clock => "clock_words()",
            SystemOp::Clock64 => "clock_ticks()",
            SystemOp::ClockLow => "uint(clock_ticks())",
            SystemOp::Abort | SystemOp::DebugBreak => return None,
        })
    }

    fn barrier(&self, _control: bool) -> Option<&'static str> {
        None
    }
}

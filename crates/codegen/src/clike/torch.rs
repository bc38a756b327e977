//! The host's part of a program for PyTorch: C++17 for `torch.utils.cpp_extension`, to be built with the CUDA code of the
//! same file.
//!
//! A kernel with `[AutoPyBindCUDA]` is a function of Python that takes the size of a block, the number of blocks and what
//! the kernel takes; so are its derivatives, with `_fwd_diff` and `_bwd_diff` after the name. A function with
//! `[TorchEntryPoint]` is one that runs on the host: `TorchTensor` is a number of a tensor that is held while the function
//! runs, `__dispatch_kernel` starts a kernel on PyTorch's stream.

use ir::{Intrinsic, SpanId, Type, intrinsic::GridOp, intrinsic::TensorOp, tensor};

use super::cpp_family::Flavour;
use super::python::BIND;
use super::{Kernel, PRIMARY, Precedence, Printer};
use crate::Target;
use crate::legalise::Capabilities;
use crate::tree::{Expr, ExprKind, Function};

/// C++ for the host, with PyTorch.
pub struct Torch;

impl Flavour for Torch {
    fn target(&self) -> Target {
        Target::Torch
    }

    fn capabilities(&self) -> Capabilities {
        super::cpp::Cpp.capabilities()
    }

    fn runtime(&self) -> &'static str {
        concat!(include_str!("runtime/cpp.h"), include_str!("runtime/torch.h"))
    }

    fn types(&self) -> &'static str {
        ""
    }

    fn top(&self) -> &'static str {
        "\
// C++17, with PyTorch: to be built with the CUDA code of the same program.
#include <torch/extension.h>

#include <ATen/cuda/CUDAContext.h>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>
#define FN inline
#define UNROLL
#define LIBM std
"
    }

    fn bottom(&self) -> String {
        format!("\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, module)\n{{\n    shader::{BIND}(module);\n}}\n")
    }

    fn function_prefix(&self) -> &'static str {
        "static "
    }

    fn entry_name(&self, name: &str) -> String {
        super::cpp::Cpp.entry_name(name)
    }

    fn kernel(&self, kernel: &Kernel<'_>) -> String {
        super::cpp::Cpp.kernel(kernel)
    }

    fn grid(&self, op: GridOp) -> Option<&'static str> {
        match op {
            GridOp::CudaSyncStream => Some("rt::wait_for_stream()"),
            GridOp::CudaThreadIndex
            | GridOp::CudaBlockIndex
            | GridOp::CudaBlockSize
            | GridOp::WorkGroupSize
            | GridOp::WorkGroupCount
            | GridOp::UniformLoad => None,
        }
    }

    fn expression(&self, p: &mut Printer<'_>, f: &Function, expr: &Expr, span: SpanId) -> Option<(String, Precedence)> {
        let ExprKind::Intrinsic { intrinsic: Intrinsic::Tensor(op), args } = &expr.kind else { return None };
        let values = p.list(f, args, span);
        let ty = match (p.module.types.get(expr.ty), op) {
            (_, TensorOp::Dims | TensorOp::Size | TensorOp::Stride | TensorOp::Fill | TensorOp::FillZero) => None,
            (Type::Struct(id), _) => Some(id),
            (_, TensorOp::Allocate | TensorOp::AllocateLike | TensorOp::AllocateZeros | TensorOp::View) => {
                return None;
            }
        };
        let of = |p: &mut Printer<'_>| {
            let id = ty?;
            let types = &p.module.types;
            let viewed = tensor::tensor_view(types, id).map(|view| view.element);
            let element = viewed.or_else(|| tensor::torch_tensor(types, id))?;
            Some((p.type_name(expr.ty, span), p.scalar_type(element, &values, span)))
        };
        let text = match op {
            TensorOp::Allocate => {
                let (ty, kind) = of(p)?;
                format!("rt::allocate<{ty}>({kind}, {{{values}}})")
            }
            TensorOp::AllocateLike => {
                let (ty, kind) = of(p)?;
                format!("rt::allocate_like<{ty}>({kind}, {values})")
            }
            TensorOp::AllocateZeros => {
                let (ty, kind) = of(p)?;
                format!("rt::allocate_zeros<{ty}>({kind}, {values})")
            }
            TensorOp::View => {
                let (ty, kind) = of(p)?;
                format!("rt::view<{ty}>(rt::tensor_of({values}), \"{}\", {kind})", values.replace(['"', '\\'], ""))
            }
            TensorOp::Dims => format!("rt::tensor_dimensions({values})"),
            TensorOp::Size => format!("rt::tensor_size({values})"),
            TensorOp::Stride => format!("rt::tensor_stride({values})"),
            TensorOp::Fill => format!("rt::fill({values})"),
            TensorOp::FillZero => format!("rt::fill_zero({values})"),
        };
        Some((text, PRIMARY))
    }

    fn barrier(&self, _control: bool) -> Option<&'static str> {
        None
    }
}

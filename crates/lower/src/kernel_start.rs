//! `__dispatch_kernel(kernel, blocks, threads)(arguments)`: a call of a function that only the host's language can write,
//! with the sizes in front of the kernel's own parameters.

use base_db::Db;
use hir_def::{attribute::AttributeKind, body::DerivativeOperator, item};
use hir_ty::ty::{Const, Ty};
use smol_str::SmolStr;

use crate::{
    error::{Lowering, Stop},
    front,
    key::KernelRef,
    program::Program,
    surface::{Direction, Surface, SurfaceParam},
};

/// What a kernel is called in the code of the device: slangc's names.
pub fn name(db: &dyn Db, kernel: &KernelRef) -> String {
    let data = item::item_data(db, kernel.function.item);
    let prefix = if data.has_attribute(AttributeKind::AutoPyBindCuda) { "__kernel__" } else { "" };
    let suffix: String = kernel.operators.iter().map(|operator| suffix(*operator)).collect();
    let name = data.name.as_ref().map_or("", |name| name.as_str());
    format!("{prefix}{name}{suffix}")
}

fn suffix(operator: DerivativeOperator) -> &'static str {
    match operator {
        DerivativeOperator::Forward => "_fwd_diff",
        DerivativeOperator::Backward => "_bwd_diff",
        DerivativeOperator::Apply => "_apply",
        DerivativeOperator::Remat => "_remat",
        DerivativeOperator::Propagate => "_propagate",
    }
}

/// The blocks, the threads of each, and what the kernel takes. Its derivatives take the same: the derivatives of tensors
/// are in them.
pub(crate) fn surface(program: &mut Program<'_>, kernel: &KernelRef) -> Lowering<Surface> {
    let surface = front::surface(program, kernel.function)?;
    let is_void = surface.ret.is_none() && surface.throws.is_none();
    if !is_void || surface.params.iter().any(|param| param.direction != Direction::In || param.is_this) {
        return Err(Stop::unsupported("a kernel that returns something, or has `out` parameters,"));
    }
    if !kernel.operators.is_empty() && surface.params.iter().any(|param| param.differentiable) {
        return Err(Stop::unsupported(
            "the derivative of a kernel with differentiable parameters (take a `DiffTensorView`, or mark the parameter \
             with `no_diff`)",
        ));
    }
    let ty = Ty::vector(program.db, Ty::UINT, Const::Value(3));
    let ir_ty = program.lower_type(ty)?;
    let size = |name: &str| SurfaceParam {
        name: SmolStr::new(name),
        ty,
        ir_ty,
        direction: Direction::In,
        differentiable: false,
        goes_along: false,
        is_place: false,
        is_this: false,
        no_diff: false,
    };
    let mut params = vec![size("gridSize"), size("blockSize")];
    params.extend(surface.params.iter().cloned());
    Ok(Surface { params, ret: None, throws: None })
}

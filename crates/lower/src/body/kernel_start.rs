//! Host functions that start kernels.

use hir_def::body::ExprId;

use super::BodyLowering;
use crate::{
    error::{Lowering, Stop},
    key::{FunctionKey, KernelRef},
};

impl BodyLowering<'_, '_> {
    /// `__dispatch_kernel(kernel, blocks, threads)(arguments)`.
    pub(super) fn start_kernel(&mut self, call: ExprId) -> Lowering<()> {
        let inference = self.scope.inference;
        let start = inference.kernel_starts.get(&call).ok_or_else(|| Stop::broken("a kernel without meaning"))?;
        let function = self.scope.function(self.program.db, start.kernel);
        let kernel = KernelRef { function, operators: start.operators.clone() };
        let func = self.program.request(FunctionKey::KernelStart(kernel))?;
        let surface = self.program.surface(func)?;
        let params: Vec<_> = surface.params.iter().map(|param| (param.direction, param.ty)).collect();
        let sizes = start.sizes.map(hir_ty::infer::result::Argument::Expr);
        let args = [&sizes[..], &start.args].concat();
        let passed = self.pass_arguments(&args, &params, Some(function))?;
        self.call_function(func, &passed)?;
        Ok(())
    }
}

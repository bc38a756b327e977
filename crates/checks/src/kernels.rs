//! What the attributes of compute and CUDA kernels ask of each other and of the signature.

use diagnostics::codes;
use hir_def::{attribute::AttributeKind, item::ItemKind};
use hir_ty::{consts, diagnostics::Node, lower_ty::TypeLowering, ty::Ty};

use super::Declaration;

pub(super) fn check(declaration: &mut Declaration<'_>) {
    if let ItemKind::Function(function) = &declaration.data.kind {
        derivative_groups(declaration);
        // E31213: nobody takes what a kernel returns.
        if declaration.data.has_attribute(AttributeKind::CudaKernel)
            && !matches!(declaration.lower(function.ret), Ty::Void | Ty::Error)
        {
            declaration.report(codes::KERNEL_WITH_RESULT, Node::Name, "a CUDA kernel cannot return a value");
        }
    }
}

/// E31210, E31211, E31212: derivatives are differences between the threads of a quad, so the group is made of those.
fn derivative_groups(declaration: &mut Declaration<'_>) {
    let has = |kind| declaration.data.has_attribute(kind);
    let (quads, rows) = (has(AttributeKind::DerivativeGroupQuad), has(AttributeKind::DerivativeGroupLinear));
    if quads && rows {
        let message = "'DerivativeGroupQuad' and 'DerivativeGroupLinear' exclude each other";
        declaration.report(codes::TWO_DERIVATIVE_GROUPS, Node::Name, message);
        return;
    }
    let Some([x, y, z]) = threads(declaration).filter(|_| quads || rows) else { return };
    if quads && (x % 2 != 0 || y % 2 != 0) {
        let message = "a derivative group of quads needs an even number of threads in x and in y";
        declaration.report(codes::THREADS_NOT_QUADS, Node::Name, message);
    }
    if rows && (x * y * z) % 4 != 0 {
        let message = "a linear derivative group needs a multiple of 4 threads";
        declaration.report(codes::THREADS_NOT_FOURS, Node::Name, message);
    }
}

/// The numbers of threads of a group, where they are known.
fn threads(declaration: &Declaration<'_>) -> Option<[i64; 3]> {
    let mut attributes = declaration.data.attributes();
    let (_, attribute) = attributes.find(|(_, attribute)| attribute.kind == Some(AttributeKind::NumThreads))?;
    let mut counts = [1; 3];
    for (count, written) in counts.iter_mut().zip(&attribute.args) {
        let mut lowering = TypeLowering::new(declaration.db, declaration.item, &declaration.data.store);
        *count = consts::evaluate(&mut lowering, *written)?.value().filter(|count| (1..=1024).contains(count))?;
    }
    Some(counts)
}

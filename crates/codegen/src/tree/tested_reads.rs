//! Which indices of what is read may be out of bounds: those that [`ir::ranges`] cannot prove to be in bounds, and all of
//! buffers, whose lengths the host gives.

use ir::{Func, HandleType, Module, Op, PathStep, RegionId, Type, TypeId, loops::all_regions, ranges::Ranges};

use super::{Expr, ExprKind, Step};

pub(super) struct TestedReads {
    /// Nothing is asked where a function reads no parts by numbers that it computes.
    ranges: Option<Ranges>,
}

impl TestedReads {
    pub(super) fn new(module: &Module, func: &Func, body: RegionId) -> TestedReads {
        let is_dynamic = |step: &PathStep| matches!(step, PathStep::Dynamic(_));
        let reads_by_number = all_regions(func, body).into_iter().any(|region| {
            func.regions[region].ops.iter().any(|&op| match &func.ops[op].op {
                Op::Extract { path, .. } | Op::Load { path, .. } => path.iter().any(is_dynamic),
                _ => false,
            })
        });
        TestedReads { ranges: reads_by_number.then(|| Ranges::new(&module.types, &module.funcs, func)) }
    }

    /// Marks those of `steps`, which are what `path` reads from a value of type `ty`, that may be out of bounds.
    pub(super) fn mark(&self, module: &Module, mut ty: TypeId, path: &[PathStep], steps: &mut [Step]) {
        let types = &module.types;
        let mut through_buffer = false;
        if let Type::Handle(handle) = types.get(ty) {
            match handle {
                HandleType::StructuredBuffer { .. } | HandleType::TexelBuffer { .. } => through_buffer = true,
                HandleType::ConstantBuffer { content } | HandleType::Variable { content } => ty = content,
                HandleType::ByteAddressBuffer { .. }
                | HandleType::Pointer { .. }
                | HandleType::Address { .. }
                | HandleType::Texture { .. }
                | HandleType::Sampler { .. }
                | HandleType::AccelerationStructure
                | HandleType::RayQuery { .. } => return,
            }
        }
        for (&part, step) in path.iter().zip(steps) {
            let len = match types.get(ty) {
                _ if through_buffer => None,
                Type::Array { len, .. } => Some(len),
                Type::Vector { len, .. } => Some(len.into()),
                Type::Matrix { rows, .. } => Some(rows.into()),
                Type::Scalar(_) | Type::Struct(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => None,
            };
            let in_bounds = match (part, len) {
                (PathStep::Const(_), _) => !through_buffer,
                (PathStep::Dynamic(index), Some(len)) => {
                    self.ranges.as_ref().is_some_and(|ranges| ranges.is_within(index, len))
                }
                (PathStep::Dynamic(_), None) => false,
            };
            if !in_bounds {
                let index = match std::mem::replace(step, Step::Const(0)) {
                    Step::Const(index) => Expr {
                        ty: types.find(Type::Scalar(ir::Scalar::U32)).unwrap_or(ty),
                        kind: ExprKind::Const(ir::Constant::Int(index.into())),
                    },
                    Step::Dynamic(index) | Step::Tested(index) => index,
                };
                *step = Step::Tested(index);
            }
            ty = types.path_type(ty, &[part]).unwrap_or(ty);
            through_buffer = false;
        }
    }
}

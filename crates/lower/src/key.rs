//! What functions and globals of the IR are made from.

use hir_def::{
    body::{DerivativeOperator, ExprId, LocalId},
    item::ItemId,
};
use hir_ty::{
    infer::result::SynthesizedOperation,
    signature::FunctionRef,
    ty::{ClosureTy, FunctionTy, GenericArgs, Ty},
};
use ir::{FuncId, TypeId};

use crate::known_place::KnownPlace;

/// The origin of an IR function: equal keys share one function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum FunctionKey {
    /// A function, method, constructor or accessor of the source with its generic arguments.
    Source(FunctionRef),
    /// The same with pairs instead of places for derivatives: see [`crate::places`].
    Paired(FunctionRef),
    /// The same for places of the caller that it changes where they are, one for each parameter, receiver first; `None` for
    /// those that go in and out as values: see [`crate::in_place`].
    InPlace { function: FunctionRef, places: Vec<Option<KnownPlace>> },
    /// A requirement called on an interface value: matches on the type that the value holds.
    Dispatch(FunctionRef),
    /// A generic function given an interface value, which matches on the type that the value holds: see
    /// [`crate::opening`].
    Opened(FunctionRef),
    /// `fwd_diff(f)` or `bwd_diff(f)` with the signature that they have in the source.
    Derivative { operator: DerivativeOperator, of: FuncId },
    /// The user's derivative `rule` of `of` in the calling convention of the IR.
    Rule { operator: DerivativeOperator, of: FuncId, rule: FuncId },
    /// The backward derivative of `of` that `__apply(of)` and the `operator()` of its context give, in the calling convention
    /// of the IR.
    Applied { of: FuncId, apply: FuncId, propagate: FuncId },
    /// Starts a kernel, or a derivative of it, from the host: a declaration, since the target says how.
    KernelStart(KernelRef),
    /// The function that runs when a lambda is called.
    Lambda(ClosureTy),
    /// A call of a value of a function type: matches on the function that it holds.
    FunctionValue(FunctionTy),
    /// `dzero`, `dadd`, `dmul` of a type that does not write them itself.
    Synthesized { operation: SynthesizedOperation, ty: Ty },
    /// Merges the derivatives of two uses of a value of type `ty` by `rule`, the backward derivative of its `use`.
    Merge { rule: FuncId, ty: Ty },
    /// The value of a global or static member variable.
    Initializer { item: ItemId, args: GenericArgs },
    /// What the parameter `index` of `function` is where a call leaves it out.
    DefaultArgument { function: FunctionRef, index: u32, ty: Ty },
    /// The first value of a `static` variable in the body of `item`.
    LocalInitializer { item: ItemId, args: GenericArgs, local: LocalId, init: ExprId, ty: Ty },
}

/// A function that the host starts for a grid of threads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KernelRef {
    /// The function with `[CudaKernel]`.
    pub function: FunctionRef,
    /// What is applied to it, innermost first, nothing for the function itself.
    pub operators: Vec<DerivativeOperator>,
}

/// What makes two references mean one global.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum GlobalKey {
    Item(ItemId, GenericArgs),
    /// `static` in a function.
    Local(ItemId, GenericArgs, LocalId),
    /// The table of the resources of a type: see [`crate::intrinsic`].
    Heap(TypeId),
}

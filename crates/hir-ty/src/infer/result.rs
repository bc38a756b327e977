//! What inference finds out about one body (or one signature's expressions): the contract between inference, lowering
//! and the editor features.
//!
//! Lowering reads: the type of each expression, what each name, member, call and operator means, and which conversions
//! happen implicitly. Everything mentions the generic parameters in scope; lowering substitutes.

use hir_def::{
    body::{BinaryOp, DerivativeOperator, ExprId, LocalId, StmtId},
    item::ItemId,
    type_ref::TypeRefId,
};
use la_arena::ArenaMap;
use rustc_hash::FxHashMap;

use super::expr_map::ExprMap;
use crate::types::{
    signature::FunctionRef,
    ty::{Const, Ty},
};

/// What inference found out about a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InferenceResult {
    /// The type of each expression before its adjustments; [`Ty::Error`] where an error is reported.
    pub expr_types: ArenaMap<ExprId, Ty>,
    /// The type of each parameter and variable.
    pub local_types: ArenaMap<LocalId, Ty>,
    /// Types written in the body.
    pub type_refs: ArenaMap<TypeRefId, Ty>,
    /// What names, members, indices, calls, operators and casts mean.
    pub resolutions: ExprMap<Resolution>,
    /// Implicit conversions of an expression's value to the type its context wants, in order of application.
    pub adjustments: FxHashMap<ExprId, Vec<Adjustment>>,
    /// The static assertions that do not hold, if the function is compiled at all.
    pub failed_assertions: Vec<StmtId>,
    /// The kernels that calls of `__dispatch_kernel(…)` start.
    pub kernel_starts: FxHashMap<ExprId, KernelStart>,
}

/// `__dispatch_kernel(kernel, blocks, threads)(arguments)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelStart {
    /// The function with `[CudaKernel]`.
    pub kernel: FunctionRef,
    /// Which of its derivatives is started, innermost first; none for the kernel itself.
    pub operators: Vec<DerivativeOperator>,
    /// How many blocks there are, and how many threads each has: converted to `uint3`.
    pub sizes: [ExprId; 2],
    /// One per parameter of the kernel.
    pub args: Vec<Argument>,
}

impl InferenceResult {
    /// Gives back what the tables took to grow: every function of a project keeps one.
    pub(super) fn shrink_to_fit(&mut self) {
        let InferenceResult {
            expr_types,
            local_types,
            type_refs,
            resolutions,
            adjustments,
            failed_assertions,
            kernel_starts,
        } = self;
        kernel_starts.shrink_to_fit();
        expr_types.shrink_to_fit();
        local_types.shrink_to_fit();
        type_refs.shrink_to_fit();
        resolutions.shrink_to_fit();
        adjustments.shrink_to_fit();
        failed_assertions.shrink_to_fit();
    }
}

impl InferenceResult {
    /// The bytes of the tables, roughly.
    pub(super) fn heap_size(&self) -> usize {
        let InferenceResult { expr_types, local_types, type_refs, resolutions, adjustments, .. } = self;
        let types = expr_types.iter().count() + local_types.iter().count() + type_refs.iter().count();
        let inside = |resolution: &Resolution| match resolution {
            Resolution::Call(call) => size_of::<CallResolution>() + size_of_val(&*call.args),
            _ => 0,
        };
        let adjusted = adjustments.values().map(|steps| size_of::<(ExprId, Vec<Adjustment>)>() + size_of_val(&**steps));
        types * size_of::<Option<Ty>>()
            + resolutions.heap_size()
            + resolutions.values().map(inside).sum::<usize>()
            + adjusted.sum::<usize>()
    }
}

/// What an expression refers to or does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// A parameter or variable of the body.
    Local(LocalId),
    /// `this`.
    This,
    /// A global variable, or a `static` member variable of `owner`.
    Global {
        /// The variable.
        item: ItemId,
        /// The type that it is a member of.
        owner: Option<Ty>,
    },
    /// A field of a struct.
    Field {
        /// The value that has the field.
        base: Base,
        /// The field.
        item: ItemId,
    },
    /// `.p`/`.d` (and `getPrimal()`/`getDifferential()` calls) of a pair.
    PairPrimal {
        /// The pair.
        base: ExprId,
    },
    /// `.d` (and `getDifferential()` calls) of a pair.
    PairDifferential {
        /// The pair.
        base: ExprId,
    },
    /// Components of a vector or scalar; assignable if no component repeats.
    Swizzle {
        /// The vector or scalar.
        base: ExprId,
        /// The number of the component for each place of the result.
        components: Vec<u8>,
    },
    /// `m._m00_m12`, `m._11_22`: (row, column) pairs.
    MatrixSwizzle {
        /// The matrix.
        base: ExprId,
        /// Row and column for each place of the result, from 0 on.
        components: Vec<(u8, u8)>,
    },
    /// `t._1`, or an index that is a constant.
    TupleElement {
        /// The tuple.
        base: ExprId,
        /// The number of the element.
        index: u32,
    },
    /// `t._2_0`: a tuple of several elements of a tuple.
    TupleSwizzle {
        /// The tuple.
        base: ExprId,
        /// The numbers of the elements.
        elements: Vec<u32>,
    },
    /// `.value` / `.hasValue` of an optional.
    OptionalValue {
        /// The optional.
        base: ExprId,
    },
    /// Whether an optional holds a value.
    OptionalHasValue {
        /// The optional.
        base: ExprId,
    },
    /// Element of a vector, matrix, array, pointer or buffer: `base[index]`.
    Element {
        /// What has the elements.
        base: ExprId,
        /// Which element.
        index: ExprId,
    },
    /// A property or user subscript: read through `get`, written through `set` (either may be missing).
    Property {
        /// The value that has the property; of a subscript what is indexed.
        base: Base,
        /// What reads it.
        get: Option<FunctionRef>,
        /// What writes it.
        set: Option<FunctionRef>,
        /// What the brackets of a subscript take.
        args: Vec<Argument>,
    },
    /// A case of an enumeration.
    EnumCase(ItemId),
    /// A value generic parameter, `countof`, array length: a constant once specialised.
    Constant(Const),
    /// A type in expression position.
    Type(Ty),
    /// A function (or several of one name) that is not called here: an argument of `fwd_diff` or of a call. `None` until
    /// chosen.
    Function(Option<Callable>),
    /// A call, of whatever kind.
    Call(Box<CallResolution>),
    /// A built-in operator on operands that (after adjustments) have one scalar, vector or matrix type, or are scalar
    /// and vector; short-circuit for scalar `&&` and `||`. Also compound assignment and increments, for which `converted`
    /// is the type that the operation is done in.
    BuiltinOperator {
        /// The type that the operation is done in.
        converted: Ty,
    },
    /// An explicit conversion of the one operand or argument (casts, `T(x)` with a single convertible argument).
    Conversion {
        /// The type that was asked for.
        to: Ty,
        /// How the value becomes one of it.
        conversion: Conversion,
    },
    /// A module or namespace name (left of a member access).
    Namespace(ItemId),
}

/// The value whose member is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// A value that is written.
    Expr(ExprId),
    /// `this.` was left out.
    ImplicitThis,
}

/// A call with all that it was found to mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResolution {
    /// What is called.
    pub callee: Callable,
    /// The receiver of a method call.
    pub this: Option<Base>,
    /// One per parameter of the callee.
    pub args: Vec<Argument>,
    /// `no_diff` was written in front of this call.
    pub no_diff: bool,
}

/// Where a parameter's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// With its adjustments; for `out`/`inout` parameters an l-value, converted back after the call if needed.
    Expr(ExprId),
    /// The parameter's default.
    /// The parameter's default.
    Default {
        /// The number of the parameter.
        index: u32,
    },
}

/// Something that can be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Callable {
    /// A function, method or constructor.
    Function(FunctionRef),
    /// `fwd_diff(f)` / `bwd_diff(f)`; nests.
    Derivative {
        /// Which derivative.
        operator: DerivativeOperator,
        /// The function that is differentiated.
        of: Box<Callable>,
    },
    /// Built from its parts: vectors and matrices from scalars and smaller vectors (in order, or one scalar for all),
    /// structs member by member, arrays and tuples from elements, pairs from primal and differential (differential zero
    /// if left out).
    Make(Ty),
    /// The value of a variable of function type, or a lambda.
    Value(ExprId),
    /// `dzero()`/`dadd(a, b)`/`dmul(s, a)` of a type that does not write them itself.
    Synthesized {
        /// Which operation.
        operation: SynthesizedOperation,
        /// Of which type.
        ty: Ty,
    },
}

/// An operation on differentials that the compiler writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SynthesizedOperation {
    /// Zero.
    DZero,
    /// The sum.
    DAdd,
    /// The product with a number.
    DMul,
}

/// One implicit step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adjustment {
    /// How the value becomes another one.
    pub conversion: Conversion,
    /// The type that it has then.
    pub to: Ty,
}

/// How a value becomes one of another type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversion {
    /// Same representation (enum to its integer, `no_diff T` to `T`).
    Identity,
    /// Between scalars, or vectors or matrices of equal shape.
    Numeric,
    /// A scalar to every element.
    Splat,
    /// A longer vector or larger matrix to its first components.
    Truncate,
    /// A value to an interface that it conforms to.
    ToInterface,
    /// `T` to `Optional<T>`; `Optional<A>` to `Optional<B>` where `A` converts to `B`; `none` to `Optional<T>`.
    ToOptional,
    /// `none` to `Optional<T>`.
    NoneToOptional,
    /// `ConstantBuffer<T>` or `ParameterBlock<T>` or a pointer in member access to its content.
    Dereference,
    /// `{…}` to an aggregate: elements by position, missing ones default.
    InitList,
    /// Through a constructor with one parameter that is marked implicit.
    Constructor(FunctionRef),
    /// A user function or lambda to a function type.
    FunctionValue,
}

/// The operator that an expression applies, for diagnostics and hover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// Between two operands.
    Binary(BinaryOp),
    /// `-x`
    Neg,
    /// `!x`
    Not,
    /// `~x`
    BitNot,
    /// `++x`, `x++`
    Increment,
    /// `--x`, `x--`
    Decrement,
}

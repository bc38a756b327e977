//! The operations. Each variant's documentation states operands, results and effect; the verifier checks what is said
//! here, and adding an operation means following the compiler through the exhaustive matches.

mod view;

use smallvec::SmallVec;
use smol_str::SmolStr;

pub use view::{ControlOp, MemoryOp};

use crate::{FuncId, GlobalId, Intrinsic, RegionId, ValueId};

/// A scalar constant; its type is the type of the op's result. Floats are equal if their bits are: 0 is not -0, and NaN
/// is itself.
#[derive(Debug, Clone, Copy)]
pub enum Constant {
    /// A truth value.
    Bool(bool),
    /// Integers of any width and sign, sign- or zero-extended to 64 bits.
    Int(i64),
    /// Floats of any width; rounded to the result's width.
    Float(f64),
}

impl Constant {
    /// What makes a constant what it is: its kind and its bits.
    fn identity(self) -> (u8, u64) {
        match self {
            Constant::Bool(value) => (0, value.into()),
            Constant::Int(value) => (1, value as u64),
            Constant::Float(value) => (2, value.to_bits()),
        }
    }
}

impl PartialEq for Constant {
    fn eq(&self, other: &Constant) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Constant {}

impl std::hash::Hash for Constant {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

/// Operations on one operand, component by component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x`, numbers.
    Neg,
    /// `!x`, booleans.
    Not,
    /// `~x`, integers.
    BitNot,
}

/// Component-wise on equal types; comparisons give `bool` of the operands' shape; shifts take the count as second
/// operand of the same type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// Integer remainder (sign of the dividend), float `fmod`.
    Rem,
    /// `&` on integers, logical on booleans; both operands are evaluated.
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a << b`
    Shl,
    /// `a >> b`, which keeps the sign.
    Shr,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterEqual,
}

impl BinaryOp {
    /// The comparison of integers that is true just where this one is false; other operations are as they are.
    pub fn negated(self) -> BinaryOp {
        match self {
            BinaryOp::Equal => BinaryOp::NotEqual,
            BinaryOp::NotEqual => BinaryOp::Equal,
            BinaryOp::Less => BinaryOp::GreaterEqual,
            BinaryOp::GreaterEqual => BinaryOp::Less,
            BinaryOp::Greater => BinaryOp::LessEqual,
            BinaryOp::LessEqual => BinaryOp::Greater,
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr => self,
        }
    }

    /// The same comparison with its operands exchanged.
    pub fn mirrored(self) -> Option<BinaryOp> {
        match self {
            BinaryOp::Equal | BinaryOp::NotEqual => Some(self),
            BinaryOp::Less => Some(BinaryOp::Greater),
            BinaryOp::LessEqual => Some(BinaryOp::GreaterEqual),
            BinaryOp::Greater => Some(BinaryOp::Less),
            BinaryOp::GreaterEqual => Some(BinaryOp::LessEqual),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr => None,
        }
    }

    /// Whether the result is a truth value for each component.
    pub fn is_comparison(self) -> bool {
        match self {
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual => true,
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr => false,
        }
    }
}

/// Pure mathematical functions. Unless said otherwise they work component-wise on scalars, vectors and matrices, all
/// operands and the result of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MathFn {
    /// `|x|`
    Abs,
    /// The inverse of the cosine, in `[0, π]`.
    Acos,
    /// The inverse of the hyperbolic cosine.
    Acosh,
    /// The inverse of the sine, in `[-π/2, π/2]`.
    Asin,
    /// The inverse of the hyperbolic sine.
    Asinh,
    /// The inverse of the tangent, in `(-π/2, π/2)`.
    Atan,
    /// The inverse of the hyperbolic tangent.
    Atanh,
    /// The least integer that is not less.
    Ceil,
    /// Cosine of an angle in radians.
    Cos,
    /// Hyperbolic cosine.
    Cosh,
    /// `e` to the power of `x`.
    Exp,
    /// 2 to the power of `x`.
    Exp2,
    /// The greatest integer that is not greater.
    Floor,
    /// `x - floor(x)`
    Frac,
    /// Natural logarithm.
    Log,
    /// Logarithm to base 10.
    Log10,
    /// Logarithm to base 2.
    Log2,
    /// `1 / x`
    Rcp,
    /// The nearest integer.
    Round,
    /// `1 / sqrt(x)`
    Rsqrt,
    /// `x` limited to `[0, 1]`.
    Saturate,
    /// -1, 0 or 1 by the sign of `x`.
    Sign,
    /// Sine of an angle in radians.
    Sin,
    /// Hyperbolic sine.
    Sinh,
    /// The square root.
    Sqrt,
    /// Tangent of an angle in radians.
    Tan,
    /// Hyperbolic tangent.
    Tanh,
    /// The integer part, towards zero.
    Trunc,
    /// Radians to degrees.
    Degrees,
    /// Degrees to radians.
    Radians,
    /// Two operands.
    Atan2,
    /// The magnitude of the first operand with the sign of the second one.
    Copysign,
    /// The rest of a division that rounds to zero.
    Fmod,
    /// The greater operand.
    Max,
    /// The lesser operand.
    Min,
    /// `x` to the power of `y`.
    Pow,
    /// `step(edge, x)`: 1 where `x >= edge`, else 0.
    Step,
    /// Three operands: `clamp(x, low, high)`, `a * b + c`, `x + t * (y - x)`, `smoothstep(low, high, x)`.
    Clamp,
    /// `a * b + c`
    Fma,
    /// `x + t * (y - x)`
    Lerp,
    /// `smoothstep(low, high, x)`: from 0 to 1 without a bend at the ends.
    Smoothstep,
    /// Bool of the operand's shape.
    IsNan,
    /// Whether it is an infinity. Bool of the operand's shape.
    IsInf,
    /// Whether it is neither an infinity nor NaN. Bool of the operand's shape.
    IsFinite,
    /// Vectors (or scalars) to a scalar.
    Dot,
    /// The square root of the sum of squares.
    Length,
    /// The length of the difference.
    Distance,
    /// Vectors to a vector of the same type. `Reflect(i, n)`, `Refract(i, n, eta: scalar)`, `Faceforward(n, i, ng)`.
    Cross,
    /// The vector by its length.
    Normalize,
    /// `reflect(i, n)`: `i` mirrored at the plane with the normal `n`.
    Reflect,
    /// `refract(i, n, eta)`: `i` bent at the plane with the normal `n`; `eta` is a scalar.
    Refract,
    /// `faceforward(n, i, ng)`: `n` or `-n`, against `i` as `ng` says.
    Faceforward,
    /// Slang's `mul`: (matrix, vector), (vector, matrix), (matrix, matrix).
    MatMul,
    /// The matrix with rows and columns exchanged.
    Transpose,
    /// The determinant of a square matrix, a scalar.
    Determinant,
    /// Bool vector or matrix (or scalar of any type) to `bool`.
    All,
    /// Whether some component is not zero. Bool vector or matrix (or scalar of any type) to `bool`.
    Any,
    /// Integers, component-wise.
    CountBits,
    /// The number of the highest bit that differs from the sign; all bits set if there is none.
    FirstBitHigh,
    /// The number of the lowest bit that is set; all bits set if there is none.
    FirstBitLow,
    /// The bits in the other order.
    ReverseBits,
    /// `f16tof32(uint)`, `f32tof16(float)`.
    F16ToF32,
    /// `f32tof16(float)`: the bits of the half as an unsigned integer.
    F32ToF16,
}

/// Values that the GPU provides to an invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// The number of the thread in the whole grid, in x, y and z.
    DispatchThreadId,
    /// The number of the thread in its group, in x, y and z.
    GroupThreadId,
    /// The number of the group in the grid, in x, y and z.
    GroupId,
    /// The number of the thread in its group, counted through.
    GroupIndex,
}

/// One step from an aggregate to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// Field of a struct, component of a vector, row of a matrix, element of an array.
    Const(u32),
    /// Component of a vector, row of a matrix, element of an array or buffer; an integer value. Out of bounds: reads
    /// give zero, writes are dropped.
    Dynamic(ValueId),
}

/// The steps from an aggregate or a handle to a part of it; none for the whole.
pub type Path = SmallVec<[PathStep; 2]>;

/// What an atomic operation makes of the old value and its operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Adds the operand.
    Add,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The lesser one.
    Min,
    /// The greater one.
    Max,
    /// The operand, whatever was there.
    Exchange,
    /// Operands: comparand, new value.
    CompareExchange,
}

/// What a call calls. Derivative callees stand for functions that `autodiff` makes on demand; they follow the IR
/// calling convention, where `x'` are the tangents (cotangents) of just the differentiable inputs (results), in order,
/// each of its type's differential type:
///
/// | kind | from | to |
/// |---|---|---|
/// | `Jvp` | inputs, input tangents | results, result tangents |
/// | `Vjp` | inputs, result cotangents | input cotangents |
/// | `Primal` | inputs | results, residual record |
/// | `Pullback` | what [`crate::abi::Kept`] says: inputs, residual record; cotangents to add to; result cotangents | input cotangents |
/// | `Apply` | inputs | results, context: a record that holds inputs as well |
/// | `Propagate` | context, result cotangents | input cotangents |
///
/// A function without a residual record is its own `Primal`.
///
/// An input is differentiable if its [`crate::Input`] says so, likewise a result. [`crate::abi`] makes the signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A function of the module.
    Func(FuncId),
    /// A derivative of a function of the module.
    Derivative(DerivativeKind, FuncId),
}

/// Which derivative is called: the table at [`Callee`] has their signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DerivativeKind {
    /// Forward mode.
    Jvp,
    /// Reverse mode in one call.
    Vjp,
    /// The value, with what the way back needs.
    Primal,
    /// The way back behind [`DerivativeKind::Primal`].
    Pullback,
    /// The value, with a context that holds all that the way back needs.
    Apply,
    /// The way back behind [`DerivativeKind::Apply`].
    Propagate,
}

impl DerivativeKind {
    /// The primal with a record of what the way back needs as its last result.
    pub fn gives_record(self) -> bool {
        crate::abi::gives(self).contains(&crate::abi::Row::Residuals)
    }
}

/// How an op touches the world outside its operands and results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// May be moved, repeated and removed.
    Pure,
    /// Reads memory that other ops may change: may be removed, not moved across writes.
    Read,
    /// Writes memory, synchronises or prints: stays, in order.
    Write,
}

/// What an operation does. Operands are values; results are listed at the operation in place ([`crate::OpData`]).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Op {
    /// A scalar constant. One result.
    Const(Constant),
    /// The zero value of the result's type (all fields and elements zero or false; the null variant of a differential
    /// sum). One result.
    Zero,
    /// A value that nothing may depend on (an uninitialised variable). Reads as zero. One result.
    Undef,
    /// One operand, one result of its type.
    Unary(UnaryOp, ValueId),
    /// Two operands of one type, one result.
    Binary(BinaryOp, ValueId, ValueId),
    /// A mathematical function of its operands.
    Math(MathFn, SmallVec<[ValueId; 3]>),
    /// Numeric conversion between scalars, or vectors or matrices of equal shape (float to int truncates to zero).
    Convert(ValueId),
    /// Same bits, other type of the same size (`asfloat`, `asuint`, …); carries no derivative.
    Bitcast(ValueId),
    /// `cond ? then : otherwise`; `cond` is `bool`, or a `bool` vector of the operands' shape.
    Select {
        /// Which of the two.
        cond: ValueId,
        /// The value where `cond` is true.
        then: ValueId,
        /// The value where it is false.
        otherwise: ValueId,
    },
    /// The operand with its derivative cut off by the user's declaration (`detach`, `no_diff` expression).
    Detach(ValueId),
    /// The operand with its derivative cut off by no word of the user: the declaration that a call goes by has no place for
    /// it, though the function that is called has.
    Forget(ValueId),
    /// A struct from its fields, an array, vector or matrix (row vectors) from its elements.
    Make(SmallVec<[ValueId; 4]>),
    /// A vector, matrix or array whose elements (matrix: scalars) all are the operand.
    Splat(ValueId),
    /// The part of `aggregate` at `path` (not empty).
    Extract {
        /// What has the part.
        aggregate: ValueId,
        /// Where the part is in it.
        path: Path,
    },
    /// `aggregate` with the part at `path` (not empty) replaced.
    Insert {
        /// What has the part.
        aggregate: ValueId,
        /// Where the part is in it.
        path: Path,
        /// The new part.
        value: ValueId,
    },
    /// Vector from components of a vector (or scalar), each below its length. One component gives a scalar.
    Swizzle {
        /// Where the components are taken from.
        vector: ValueId,
        /// The number of the component for each place of the result.
        components: SmallVec<[u8; 4]>,
    },
    /// Results: those of the callee. Effect: that of the callee's body, [`Effect::Write`] if it is not known.
    Call {
        /// What is called.
        callee: Callee,
        /// Its arguments, in the order of its inputs.
        args: SmallVec<[ValueId; 4]>,
        /// The user wrote `no_diff` in front of the call: results carry no derivative.
        no_diff: bool,
    },

    /// Both regions yield the results. No region parameters.
    If {
        /// Which region runs.
        cond: ValueId,
        /// Runs where `cond` is true.
        then: RegionId,
        /// Runs where it is false.
        otherwise: RegionId,
    },
    /// The region of the first case that lists the integer `selector`, else `default`. All yield the results.
    Switch {
        /// The integer that is looked up.
        selector: ValueId,
        /// For each region the integers that lead to it.
        cases: Vec<(SmallVec<[i64; 2]>, RegionId)>,
        /// Runs where no case lists the integer.
        default: RegionId,
    },
    /// `carried = init; while (cond(carried)) carried = body(carried);` results: the carried values at the end. Both
    /// regions have the carried values as parameters; `cond` yields one `bool`, `body` yields the next values.
    Loop {
        /// The values before the first iteration.
        init: SmallVec<[ValueId; 4]>,
        /// Decides whether another iteration runs.
        cond: RegionId,
        /// One iteration.
        body: RegionId,
        /// What is known of the number of iterations.
        bound: LoopBound,
    },

    /// The handle of a module-level variable or shader parameter. One result of handle type. Pure.
    Global(GlobalId),
    /// A value the GPU provides. Pure.
    Builtin(Builtin),
    /// Reads the place `path` under `handle` (see [`crate::HandleType`] for what the path starts with).
    Load {
        /// The memory.
        handle: ValueId,
        /// Where in it.
        path: Path,
    },
    /// Writes it. No result.
    Store {
        /// The memory.
        handle: ValueId,
        /// Where in it.
        path: Path,
        /// What is written.
        value: ValueId,
    },
    /// Read-modify-write; the result is the old value.
    Atomic {
        /// What becomes of the old value.
        op: AtomicOp,
        /// The memory.
        handle: ValueId,
        /// Where in it.
        path: Path,
        /// The value that is combined with the old one; two for an exchange that compares.
        operands: SmallVec<[ValueId; 2]>,
    },
    /// Reads the result's type at a byte offset (`uint`) of a byte-address buffer.
    ByteLoad {
        /// The buffer.
        handle: ValueId,
        /// Bytes from its begin.
        offset: ValueId,
    },
    /// Writes at a byte offset of a byte-address buffer. No result.
    ByteStore {
        /// The buffer.
        handle: ValueId,
        /// Bytes from its begin.
        offset: ValueId,
        /// What is written.
        value: ValueId,
    },
    /// Read-modify-write at a byte offset of a byte-address buffer; the result is the old value.
    ByteAtomic {
        /// What becomes of the old value.
        op: AtomicOp,
        /// The buffer.
        handle: ValueId,
        /// Bytes from its begin.
        offset: ValueId,
        /// The value that is combined with the old one; two for an exchange that compares.
        operands: SmallVec<[ValueId; 2]>,
    },
    /// Number of elements (structured) or bytes (byte-address) as `u32`.
    BufferLength {
        /// The buffer.
        handle: ValueId,
    },
    /// A function of the core library that only some back ends know (texture sampling, wave operations, …).
    /// Operands and results: as many as [`crate::intrinsic::Facts`] says, of the types of its declaration.
    Intrinsic {
        /// Which function.
        intrinsic: Intrinsic,
        /// Its arguments.
        args: SmallVec<[ValueId; 4]>,
    },
    /// Waits for the group: all memory and control (`GroupMemoryBarrierWithGroupSync`), or memory only.
    Barrier {
        /// Whether threads wait for each other, and not for their memory alone.
        control: bool,
    },
    /// `printf(format, args…)`.
    Print {
        /// The text with places for the values.
        format: SmolStr,
        /// The values.
        args: SmallVec<[ValueId; 4]>,
    },

    /// An interface value holding `value`, as variant number `variant` of the result's sum.
    SumMake {
        /// The number of the variant among those of the sum.
        variant: u32,
        /// The payload.
        value: ValueId,
    },
    /// Runs the region of the variant that `sum` holds; each region has the payload as its one parameter and yields the
    /// results. One region per variant of the sum, in order; `null` runs for the null differential (no parameter) and is
    /// there only for sums that have one.
    SumMatch {
        /// The interface value.
        sum: ValueId,
        /// For each variant the region that runs where the value holds it.
        variants: Vec<RegionId>,
        /// Runs where the value is the null differential.
        null: Option<RegionId>,
    },
    /// The number of the variant that is held, as `u32`.
    SumTag(ValueId),
}

/// What is known of a loop's trip count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LoopBound {
    /// `[MaxIters(n)]`.
    pub max_iters: Option<u32>,
    /// `[ForceUnroll]`, with the count of `[ForceUnroll(n)]` or 0.
    pub force_unroll: Option<u32>,
    /// Most iterations, found by analysis (`simplify`).
    pub inferred: Option<u32>,
}

impl LoopBound {
    /// The number of slots that reverse mode reserves.
    pub fn iterations(self) -> Option<u32> {
        match (self.max_iters, self.inferred) {
            (Some(declared), Some(inferred)) => Some(declared.min(inferred)),
            (declared, inferred) => declared.or(inferred),
        }
    }
}

/// Visits the operands of an op, in order, shared or to replace them: `iter` or `iter_mut`.
macro_rules! visit_operands {
    ($op:expr, |$value:ident| $visit:expr, $iter:ident) => {{
        macro_rules! one {
            ($operand:expr) => {{
                let $value = $operand;
                $visit;
            }};
        }
        macro_rules! many {
            ($operands:expr) => {
                for operand in $operands.$iter() {
                    one!(operand);
                }
            };
        }
        macro_rules! steps {
            ($path:expr) => {
                for step in $path.$iter() {
                    match step {
                        PathStep::Const(_) => {}
                        PathStep::Dynamic(operand) => one!(operand),
                    }
                }
            };
        }
        match $op {
            Op::Const(_) | Op::Zero | Op::Undef | Op::Global(_) | Op::Builtin(_) | Op::Barrier { .. } => {}
            Op::Unary(_, a)
            | Op::Convert(a)
            | Op::Bitcast(a)
            | Op::Detach(a)
            | Op::Forget(a)
            | Op::Splat(a)
            | Op::SumTag(a) => one!(a),
            Op::Binary(_, a, b) => {
                one!(a);
                one!(b);
            }
            Op::Math(_, args) => many!(args),
            Op::Select { cond, then, otherwise } => {
                one!(cond);
                one!(then);
                one!(otherwise);
            }
            Op::Make(parts) => many!(parts),
            Op::Extract { aggregate, path } => {
                one!(aggregate);
                steps!(path);
            }
            Op::Insert { aggregate, path, value } => {
                one!(aggregate);
                steps!(path);
                one!(value);
            }
            Op::Swizzle { vector, .. } => one!(vector),
            Op::Call { args, .. } => many!(args),
            Op::If { cond, .. } => one!(cond),
            Op::Switch { selector, .. } => one!(selector),
            Op::Loop { init, .. } => many!(init),
            Op::Load { handle, path } => {
                one!(handle);
                steps!(path);
            }
            Op::Store { handle, path, value } => {
                one!(handle);
                steps!(path);
                one!(value);
            }
            Op::Atomic { handle, path, operands, .. } => {
                one!(handle);
                steps!(path);
                many!(operands);
            }
            Op::ByteLoad { handle, offset } => {
                one!(handle);
                one!(offset);
            }
            Op::ByteStore { handle, offset, value } => {
                one!(handle);
                one!(offset);
                one!(value);
            }
            Op::ByteAtomic { handle, offset, operands, .. } => {
                one!(handle);
                one!(offset);
                many!(operands);
            }
            Op::BufferLength { handle } => one!(handle),
            Op::Intrinsic { args, .. } | Op::Print { args, .. } => many!(args),
            Op::SumMake { value, .. } => one!(value),
            Op::SumMatch { sum, .. } => one!(sum),
        }
    }};
}

impl Op {
    /// Calls `visit` on each operand, in order; region contents are not operands.
    pub fn for_each_operand(&self, mut visit: impl FnMut(ValueId)) {
        visit_operands!(self, |value| visit(*value), iter);
    }

    /// The values that the operation reads itself, without those that its regions read.
    pub fn operands(&self) -> SmallVec<[ValueId; 4]> {
        let mut operands = SmallVec::new();
        self.for_each_operand(|value| operands.push(value));
        operands
    }

    /// Calls `visit` on each operand, in order, to replace it.
    pub fn for_each_operand_mut(&mut self, mut visit: impl FnMut(&mut ValueId)) {
        visit_operands!(self, |value| visit(value), iter_mut);
    }

    /// The regions nested in the op, in order.
    pub fn regions(&self) -> SmallVec<[RegionId; 2]> {
        let mut regions = SmallVec::new();
        match self.control() {
            Some(ControlOp::If { then, otherwise, .. }) => regions.extend([then, otherwise]),
            Some(ControlOp::Switch { cases, default, .. }) => {
                regions.extend(cases.iter().map(|(_, region)| *region));
                regions.push(default);
            }
            Some(ControlOp::Loop { cond, body, .. }) => regions.extend([cond, body]),
            Some(ControlOp::Match { variants, null, .. }) => {
                regions.extend(variants.iter().copied());
                regions.extend(null);
            }
            None => {}
        }
        regions
    }

    /// Calls `visit` on each nested region, in order, to replace it.
    pub fn for_each_region_mut(&mut self, mut visit: impl FnMut(&mut RegionId)) {
        match self {
            Op::If { then, otherwise, .. } => {
                visit(then);
                visit(otherwise);
            }
            Op::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, region)| visit(region));
                visit(default);
            }
            Op::Loop { cond, body, .. } => {
                visit(cond);
                visit(body);
            }
            Op::SumMatch { variants, null, .. } => variants.iter_mut().chain(null).for_each(visit),
            // `regions` lists those without regions.
            _ => debug_assert!(self.regions().is_empty()),
        }
    }

    /// The op's own effect, without that of nested regions and callees: a call counts as [`Effect::Write`] here, ask
    /// [`crate::Module::effect_of`] for the precise answer.
    pub fn own_effect(&self) -> Effect {
        match self {
            Op::Load { handle: _, path: _ } | Op::ByteLoad { .. } | Op::BufferLength { .. } => Effect::Read,
            Op::Store { .. }
            | Op::Atomic { .. }
            | Op::ByteStore { .. }
            | Op::ByteAtomic { .. }
            | Op::Barrier { .. }
            | Op::Print { .. }
            | Op::Call { .. } => Effect::Write,
            Op::Intrinsic { intrinsic, .. } => intrinsic.effect(),
            Op::Const(_)
            | Op::Zero
            | Op::Undef
            | Op::Unary(..)
            | Op::Binary(..)
            | Op::Math(..)
            | Op::Convert(_)
            | Op::Bitcast(_)
            | Op::Select { .. }
            | Op::Detach(_)
            | Op::Forget(_)
            | Op::Make(_)
            | Op::Splat(_)
            | Op::Extract { .. }
            | Op::Insert { .. }
            | Op::Swizzle { .. }
            | Op::If { .. }
            | Op::Switch { .. }
            | Op::Loop { .. }
            | Op::Global(_)
            | Op::Builtin(_)
            | Op::SumMake { .. }
            | Op::SumMatch { .. }
            | Op::SumTag(_) => Effect::Pure,
        }
    }
}

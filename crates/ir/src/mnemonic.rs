//! The word that stands for each operator in the text form, both ways: one table per enum, shared by `print` and
//! `parse`.

use crate::{
    AtomicOp, BinaryOp, Builtin, DerivativeKind, MathFn, Scalar, UnaryOp, func::CheckpointPreference, module::Stage,
};

macro_rules! mnemonics {
    ($($ty:ident { $($variant:ident = $word:literal),* $(,)? })*) => {$(
        impl $ty {
            /// All variants, in the order of their declaration.
            pub const ALL: &'static [$ty] = &[$($ty::$variant),*];

            /// The word for it in the text form.
            pub fn word(self) -> &'static str {
                match self {
                    $($ty::$variant => $word,)*
                }
            }

            /// The variant that `word` stands for.
            pub fn from_word(word: &str) -> Option<$ty> {
                match word {
                    $($word => Some($ty::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}

mnemonics! {
    Scalar {
        Bool = "bool", I8 = "i8", I16 = "i16", I32 = "i32", I64 = "i64", U8 = "u8", U16 = "u16", U32 = "u32",
        U64 = "u64", F16 = "f16", F32 = "f32", F64 = "f64",
    }
    UnaryOp { Neg = "neg", Not = "not", BitNot = "bit_not" }
    BinaryOp {
        Add = "add", Sub = "sub", Mul = "mul", Div = "div", Rem = "rem", And = "and", Or = "or", Xor = "xor",
        Shl = "shl", Shr = "shr", Equal = "eq", NotEqual = "ne", Less = "lt", LessEqual = "le", Greater = "gt",
        GreaterEqual = "ge",
    }
    MathFn {
        Abs = "abs", Acos = "acos", Acosh = "acosh", Asin = "asin", Asinh = "asinh", Atan = "atan", Atanh = "atanh",
        Ceil = "ceil", Cos = "cos", Cosh = "cosh", Exp = "exp", Exp2 = "exp2", Floor = "floor", Frac = "frac",
        Log = "log", Log10 = "log10", Log2 = "log2", Rcp = "rcp", Round = "round", Rsqrt = "rsqrt",
        Saturate = "saturate", Sign = "sign", Sin = "sin", Sinh = "sinh", Sqrt = "sqrt", Tan = "tan", Tanh = "tanh",
        Trunc = "trunc", Degrees = "degrees", Radians = "radians", Atan2 = "atan2", Copysign = "copysign",
        Fmod = "fmod", Max = "max", Min = "min", Pow = "pow", Step = "step", Clamp = "clamp", Fma = "fma",
        Lerp = "lerp", Smoothstep = "smoothstep", IsNan = "is_nan", IsInf = "is_inf", IsFinite = "is_finite",
        Dot = "dot", Length = "length", Distance = "distance", Cross = "cross", Normalize = "normalize",
        Reflect = "reflect", Refract = "refract", Faceforward = "faceforward", MatMul = "mat_mul",
        Transpose = "transpose", Determinant = "determinant", All = "all", Any = "any", CountBits = "count_bits",
        FirstBitHigh = "first_bit_high", FirstBitLow = "first_bit_low", ReverseBits = "reverse_bits",
        F16ToF32 = "f16_to_f32", F32ToF16 = "f32_to_f16",
    }
    Builtin {
        DispatchThreadId = "dispatch_thread_id", GroupThreadId = "group_thread_id", GroupId = "group_id",
        GroupIndex = "group_index",
    }
    AtomicOp {
        Add = "add", And = "and", Or = "or", Xor = "xor", Min = "min", Max = "max", Exchange = "exchange",
        CompareExchange = "compare_exchange",
    }
    DerivativeKind {
        Jvp = "jvp", Vjp = "vjp", Primal = "primal", Pullback = "pullback", Apply = "apply", Propagate = "propagate",
    }
    CheckpointPreference { None = "no_preference", Recompute = "prefer_recompute", Checkpoint = "prefer_checkpoint" }
    Stage {
        Compute = "compute",
        Vertex = "vertex",
        Hull = "hull",
        Domain = "domain",
        Geometry = "geometry",
        Fragment = "fragment",
        Amplification = "amplification",
        Mesh = "mesh",
        RayGeneration = "raygeneration",
        Intersection = "intersection",
        AnyHit = "anyhit",
        ClosestHit = "closesthit",
        Miss = "miss",
        Callable = "callable",
    }
}

//! What of the language random programs use.

/// Declares [`Construct`] with the list of all of them.
macro_rules! constructs {
    ($($name:ident)*) => {
        /// A construct of the front end that programs reach.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Construct {
            $(#[doc = concat!("`", stringify!($name), "`")] $name,)*
        }

        impl Construct {
            /// Each construct, for tables and tests.
            pub const ALL: &[Construct] = &[$(Construct::$name,)*];
        }
    };
}

constructs! {
    LocalWrittenOnlyInLoop
    ArrayOverIterations
    BreakInLoop
    ContinueInLoop
    EarlyReturn
    ForUp
    ForDown
    ForOfData
    ForceUnroll
    While
    DoWhile
    If
    IfElse
    Switch
    SwitchFallThrough
    InOutPart
    InOutSwizzle
    OutPart
    OutParameter
    InOutParameter
    StructMethod
    MutatingMethod
    MethodReturnsThis
    StaticMethod
    Property
    Subscript
    Constructor
    Operator
    GenericStruct
    GenericFunction
    GenericValue
    Extension
    InterfaceStatic
    InterfaceDynamic
    InterfaceConstructor
    InterfaceStaticMember
    AssociatedType
    ExistentialInField
    ExistentialInArray
    ExistentialInOptional
    ExistentialParameter
    Optional
    Tuple
    Pack
    Lambda
    LambdaWithStatements
    LambdaAsArgument
    Throws
    Half
    Double
    MatrixNotSquare
    Matrix
    MatrixProduct
    SwizzleRead
    SwizzleWrite
    DynamicIndexWrite
    ForwardDerivative
    BackwardDerivative
    ForwardDerivativeOf
    BackwardDerivativeOf
    PrimalSubstitute
    PrimalSubstituteOf
    DerivativeInDifferentiated
    CollidingName
    Namespace
    GlobalConstant
    DefaultArgument
    Conditional
    Detach
    NoDiffParameter
    BitOperations
    InferredBound
    TypeTest
    BoolVariable
    BuiltinWithOut
    CallOperator
    Defer
    InitialiserList
    InterfaceDefault
    InterfaceProperty
    LabelledBreak
    LetOrVar
    MatrixSwizzle
    MixedTypes
    NoDiffCall
    VectorSelect
    Where
    WrappingSequence
}

/// Families of constructs; each program draws a few of them, so that it stays small and each pair meets often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feature {
    LoopLocals,
    Methods,
    Accessors,
    Generics,
    Interface,
    Dynamic,
    Optional,
    Tuple,
    Lambda,
    Throws,
    Half,
    Double,
    Matrices,
    WrittenDerivatives,
    Derivatives,
    CollidingNames,
    Globals,
    Detach,
    Flags,
    Jumps,
    MixedTypes,
}

/// How often a program has each, in ten.
pub(super) const FEATURES: [(Feature, usize); 21] = [
    (Feature::LoopLocals, 5),
    (Feature::Methods, 5),
    (Feature::Accessors, 3),
    (Feature::Generics, 3),
    (Feature::Interface, 4),
    (Feature::Dynamic, 4),
    (Feature::Optional, 3),
    (Feature::Tuple, 2),
    (Feature::Lambda, 3),
    (Feature::Throws, 2),
    (Feature::Half, 1),
    (Feature::Double, 1),
    (Feature::Matrices, 3),
    (Feature::WrittenDerivatives, 3),
    (Feature::Derivatives, 2),
    (Feature::CollidingNames, 4),
    (Feature::Globals, 2),
    (Feature::Detach, 1),
    (Feature::Flags, 2),
    (Feature::Jumps, 2),
    (Feature::MixedTypes, 3),
];

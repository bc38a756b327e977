//! What attributes and modifiers mean to the code that is made of a program. Each has an answer, so that nothing of what
//! a program says vanishes in silence.

use super::{AttributeKind, Modifiers};

/// Where the meaning of an attribute or modifier goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InCode {
    /// Into names, types, checks, calls or derivatives: the code that is made has it in it already.
    Decided,
    /// Into the IR: each target writes it, or says why it need not or cannot.
    Carried,
    /// Nowhere, because nothing that is computed can depend on it; why.
    Meaningless(&'static str),
    /// It would be lost: what has it is refused by name where code is made.
    Refused,
}

const ONLY_A_HINT: InCode = InCode::Meaningless("a hint to a compiler of HLSL that none of today's takes");

impl AttributeKind {
    /// Where its meaning goes.
    pub fn in_code(self) -> InCode {
        use AttributeKind as A;
        match self {
            A::Differentiable
            | A::ForwardDifferentiable
            | A::BackwardDerivative
            | A::ForwardDerivative
            | A::BackwardDerivativeOf
            | A::ForwardDerivativeOf
            | A::PrimalSubstitute
            | A::PrimalSubstituteOf
            | A::TreatAsDifferentiable
            | A::MaybeDifferentiable
            | A::NoDiffThis
            | A::DerivativeMethod
            | A::DerivativeMember
            | A::MaxIters
            | A::ForceUnroll
            | A::PreferRecompute
            | A::PreferCheckpoint
            | A::HasTrivialForwardDerivative => InCode::Decided,
            A::Mutating | A::NonMutating | A::ConstRef | A::RefThis => InCode::Decided,
            A::Deprecated | A::RemovedSince | A::Require | A::NoDiscard | A::Allow | A::OverloadRank => InCode::Decided,
            A::Flags | A::UnscopedEnum | A::Sealed | A::Open | A::AnyValueSize | A::ExperimentalModule => {
                InCode::Decided
            }
            A::Builtin
            | A::KnownBuiltin
            | A::Intrinsic
            | A::BuiltinType
            | A::ImplicitConversion
            | A::AttributeUsage
            | A::ReadNone => InCode::Decided,

            A::Shader | A::NumThreads | A::EarlyDepthStencil | A::WaveSize => InCode::Carried,
            A::Unroll | A::Loop | A::Branch | A::Flatten => InCode::Carried,
            A::CudaKernel | A::CudaDeviceExport | A::AutoPyBindCuda | A::TorchEntryPoint => InCode::Carried,
            A::Binding
            | A::GlBinding
            | A::PushConstant
            | A::ShaderRecord
            | A::SpecializationConstant
            | A::ConstantId
            | A::Location
            | A::Index
            | A::Format
            | A::MaxTessFactor
            | A::OutputControlPoints
            | A::OutputTopology
            | A::Partitioning
            | A::PatchConstantFunc
            | A::Domain
            | A::MaxVertexCount
            | A::Instance => InCode::Carried,

            A::ForceInline | A::NoInline | A::NoRefInline | A::Specialize => {
                InCode::Meaningless("a hint; what is inlined and specialised follows from what the target can say")
            }
            A::FastOpt | A::AllowUavCondition | A::ForceCase | A::Call => ONLY_A_HINT,
            A::PyExport => InCode::Meaningless("Python sees structs as tuples, which have no names"),
            A::CudaHost => InCode::Meaningless("what calls a function of the host says where it runs"),
            A::AliasedPointer => InCode::Meaningless("nothing is assumed of where pointers lead"),
            A::RestrictPointer => InCode::Meaningless("a promise of which no use is made"),
            A::SpirvTargetEnv13 => InCode::Meaningless("what is written asks for the version that it needs"),
            A::DisableArrayFlattening => InCode::Meaningless("arrays of resources are arrays in every target"),
            A::RayPayload => {
                InCode::Meaningless("which stages read and write it helps compilers, which find out themselves")
            }
            A::NonUniformReturn => InCode::Meaningless("values are taken to differ between threads everywhere"),
            A::Com => InCode::Meaningless("objects of the host have no representation"),

            A::Offset
            | A::SpirvInstruction
            | A::InputAttachmentIndex
            | A::Shader64BitIndexing
            | A::DerivativeGroupQuad
            | A::DerivativeGroupLinear
            | A::MaximallyReconverges
            | A::QuadDerivatives
            | A::RequireFullQuads
            | A::DllImport
            | A::DllExport
            | A::RequirePrelude => InCode::Refused,
        }
    }
}

/// The entry of a modifier.
#[derive(Debug)]
pub struct ModifierInfo {
    /// Which modifier.
    pub modifier: Modifiers,
    /// As programs write it.
    pub word: &'static str,
    /// What becomes of it in emitted code.
    pub in_code: InCode,
}

const fn modifier(modifier: Modifiers, word: &'static str, in_code: InCode) -> ModifierInfo {
    ModifierInfo { modifier, word, in_code }
}

/// All modifiers.
pub const MODIFIERS: &[ModifierInfo] = &[
    modifier(Modifiers::STATIC, "static", InCode::Decided),
    modifier(Modifiers::CONST, "const", InCode::Decided),
    modifier(Modifiers::CONSTEXPR, "constexpr", InCode::Decided),
    modifier(Modifiers::IN, "in", InCode::Decided),
    modifier(Modifiers::OUT, "out", InCode::Decided),
    modifier(Modifiers::INOUT, "inout", InCode::Decided),
    modifier(Modifiers::REF, "ref", InCode::Decided),
    modifier(Modifiers::CONSTREF, "constref", InCode::Decided),
    modifier(Modifiers::BORROW, "borrow", InCode::Decided),
    modifier(Modifiers::UNIFORM, "uniform", InCode::Decided),
    modifier(Modifiers::GROUPSHARED, "groupshared", InCode::Carried),
    modifier(Modifiers::NO_DIFF, "no_diff", InCode::Decided),
    modifier(Modifiers::PUBLIC, "public", InCode::Decided),
    modifier(Modifiers::INTERNAL, "internal", InCode::Decided),
    modifier(Modifiers::PRIVATE, "private", InCode::Decided),
    modifier(Modifiers::EXPORT, "export", InCode::Decided),
    modifier(Modifiers::EXTERN, "extern", InCode::Decided),
    modifier(Modifiers::OVERRIDE, "override", InCode::Decided),
    modifier(Modifiers::MUTATING, "mutating", InCode::Decided),
    modifier(Modifiers::PARAM, "param", InCode::Decided),
    modifier(Modifiers::EACH, "each", InCode::Decided),
    modifier(Modifiers::ROW_MAJOR, "row_major", InCode::Carried),
    modifier(Modifiers::COLUMN_MAJOR, "column_major", InCode::Carried),
    modifier(Modifiers::GLOBALLY_COHERENT, "globallycoherent", InCode::Carried),
    modifier(Modifiers::PRECISE, "precise", InCode::Carried),
    modifier(Modifiers::NOINTERPOLATION, "nointerpolation", InCode::Carried),
    modifier(Modifiers::INLINE, "inline", InCode::Meaningless("a hint; what is inlined follows from the target")),
    modifier(Modifiers::VOLATILE, "volatile", InCode::Refused),
    modifier(Modifiers::UNSIGNED, "unsigned", InCode::Decided),
    modifier(Modifiers::EXPORTED, "__exported", InCode::Decided),
    modifier(Modifiers::PREFIX, "__prefix", InCode::Decided),
    modifier(Modifiers::POSTFIX, "__postfix", InCode::Decided),
    modifier(Modifiers::DYN, "dyn", InCode::Decided),
    modifier(Modifiers::IMPLICIT, "__implicit_conversion", InCode::Decided),
    modifier(Modifiers::CLASS, "class", InCode::Decided),
    modifier(Modifiers::TARGET_SPECIFIC, "__specialized_for_target", InCode::Decided),
    modifier(Modifiers::VERTICES, "vertices", InCode::Carried),
    modifier(Modifiers::INDICES, "indices", InCode::Carried),
    modifier(Modifiers::PRIMITIVES, "primitives", InCode::Carried),
    modifier(Modifiers::NOPERSPECTIVE, "noperspective", InCode::Carried),
    modifier(Modifiers::CENTROID, "centroid", InCode::Carried),
    modifier(Modifiers::SAMPLE, "sample", InCode::Carried),
    modifier(Modifiers::STORAGE_BLOCK, "buffer", InCode::Refused),
    modifier(Modifiers::READ_ONLY, "readonly", InCode::Decided),
    modifier(Modifiers::PER_VERTEX, "pervertex", InCode::Carried),
    modifier(Modifiers::PAYLOAD, "payload", InCode::Carried),
    modifier(Modifiers::POINT, "point", InCode::Carried),
    modifier(Modifiers::LINE, "line", InCode::Carried),
    modifier(Modifiers::TRIANGLE, "triangle", InCode::Carried),
    modifier(Modifiers::LINE_ADJACENCY, "lineadj", InCode::Carried),
    modifier(Modifiers::TRIANGLE_ADJACENCY, "triangleadj", InCode::Carried),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_modifier_has_one_entry() {
        let all = MODIFIERS.iter().fold(Modifiers::empty(), |all, info| {
            assert!(!all.intersects(info.modifier), "`{}` twice", info.word);
            all | info.modifier
        });
        assert_eq!(all, Modifiers::all());
    }
}

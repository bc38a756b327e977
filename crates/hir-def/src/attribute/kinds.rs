//! The table of all attributes of the language: spellings, what they may stand on, parameters and documentation.
//!
//! Names, places and parameters are those of slangc 2026.14. An attribute that a program declares by itself is not here.

use super::AttributeTargets as On;

/// The entry of an attribute.
#[derive(Debug)]
pub struct AttributeInfo {
    /// Which attribute.
    pub kind: AttributeKind,
    /// What programs may write; the first is the usual one. `vk_binding` is written `vk::binding` as well.
    pub spellings: &'static [&'static str],
    /// What it may stand on.
    pub targets: On,
    /// As in a declaration: `x: int, y: int = 1`.
    pub parameters: &'static str,
    /// What it does, for hover and completion.
    pub documentation: &'static str,
}

impl AttributeInfo {
    /// How many arguments there must be at least.
    pub fn required_arguments(&self) -> usize {
        self.parameters.split(',').filter(|parameter| !parameter.is_empty() && !parameter.contains('=')).count()
    }

    /// The type of each parameter; of those that are not values, nothing.
    pub fn parameter_types(&self) -> impl Iterator<Item = &'static str> {
        let parameters = self.parameters.split(',').filter(|parameter| !parameter.is_empty());
        parameters.map(|parameter| {
            let ty = parameter.split_once(':').map_or("", |(_, ty)| ty);
            ty.split_once('=').map_or(ty, |(ty, _)| ty).trim()
        })
    }

    /// The usual spelling.
    pub fn name(&self) -> &'static str {
        self.spellings[0]
    }

    /// Whether it is for programs, not for the core library alone.
    pub fn is_public(&self) -> bool {
        !self.name().starts_with("__")
    }

    /// `numthreads(x: int, y: int = 1, z: int = 1)`.
    pub fn signature(&self) -> String {
        match self.parameters {
            "" => self.name().to_owned(),
            parameters => format!("{}({parameters})", self.name()),
        }
    }
}

impl AttributeKind {
    /// The attribute that is spelled `name`.
    pub fn from_name(name: &str) -> Option<AttributeKind> {
        let spaced;
        let name = match name.split_once('_') {
            Some((space @ ("vk" | "gl"), rest)) => {
                spaced = format!("{space}::{rest}");
                spaced.as_str()
            }
            _ => name,
        };
        ATTRIBUTES.iter().find(|info| info.spellings.contains(&name)).map(|info| info.kind)
    }

    /// Its line of the table.
    pub fn info(self) -> &'static AttributeInfo {
        &ATTRIBUTES[self as usize]
    }

    /// The usual spelling.
    pub fn name(self) -> &'static str {
        self.info().name()
    }
}

macro_rules! attributes {
    ($($kind:ident [$($spelling:literal)+] $targets:ident ($parameters:literal) $documentation:literal;)*) => {
        /// An attribute of the language.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum AttributeKind {
            $(#[doc = $documentation] $kind,)*
        }

        /// All attributes; those that matter most for differentiation first.
        pub const ATTRIBUTES: &[AttributeInfo] = &[
            $(AttributeInfo {
                kind: AttributeKind::$kind,
                spellings: &[$($spelling),+],
                targets: On::$targets,
                parameters: $parameters,
                documentation: $documentation,
            },)*
        ];
    };
}

attributes! {
    Differentiable ["Differentiable" "BackwardDifferentiable"] FUNCTIONS ("order: int = 0")
        "The compiler makes `fwd_diff` and `bwd_diff` of this function from its body.";
    ForwardDifferentiable ["ForwardDifferentiable"] FUNCTIONS ("")
        "The compiler makes `fwd_diff` of this function from its body.";
    BackwardDerivative ["BackwardDerivative"] FUNCTIONS ("function")
        "`bwd_diff` of this function is the function that is named here.";
    ForwardDerivative ["ForwardDerivative"] FUNCTIONS ("function")
        "`fwd_diff` of this function is the function that is named here.";
    BackwardDerivativeOf ["BackwardDerivativeOf"] FUNCTIONS ("function")
        "This function is `bwd_diff` of the one that is named here.";
    ForwardDerivativeOf ["ForwardDerivativeOf"] FUNCTIONS ("function")
        "This function is `fwd_diff` of the one that is named here.";
    PrimalSubstitute ["PrimalSubstitute"] FUNCTIONS ("function")
        "In differentiated code, calls go to the function that is named here instead.";
    PrimalSubstituteOf ["PrimalSubstituteOf"] FUNCTIONS ("function")
        "In differentiated code, calls of the function that is named here come here instead.";
    TreatAsDifferentiable ["TreatAsDifferentiable"] DECLARATIONS ("")
        "May be called in differentiated code; its derivative is zero.";
    MaybeDifferentiable ["MaybeDifferentiable"] DECLARATIONS ("")
        "Implementations of this requirement may be differentiable or not.";
    NoDiffThis ["NoDiffThis"] FUNCTIONS ("")
        "`this` takes no part in differentiation.";
    DerivativeMethod ["deriv_method"] FUNCTIONS ("")
        "This method is the derivative of another one: it has pairs, and `this` is a pair as well.";
    DerivativeMember ["DerivativeMember"] VARIABLES ("memberName")
        "The derivative of this field is the named field of the differential type.";
    MaxIters ["MaxIters"] LOOP ("count")
        "The loop runs at most this often: reverse mode keeps that many slots for what an iteration must remember.";
    ForceUnroll ["ForceUnroll"] LOOP ("count: int = 0")
        "The loop is unrolled before it is differentiated, so that nothing is stored per iteration.";
    PreferRecompute ["PreferRecompute"] FUNCTIONS ("behavior: SideEffectBehavior = SideEffectBehavior.Warn")
        "Reverse mode calls this function again rather than store what it returned.";
    PreferCheckpoint ["PreferCheckpoint"] FUNCTIONS ("")
        "Reverse mode stores what this function returned rather than call it again.";
    HasTrivialForwardDerivative ["HasTrivialForwardDerivative"] DECLARATIONS ("")
        "The forward derivative of this function is zero.";

    Shader ["shader" "Shader"] FUNCTION ("stage: String")
        "The stage that this function is an entry point of.";
    NumThreads ["numthreads" "NumThreads"] FUNCTION ("x: int, y: int = 1, z: int = 1")
        "Threads per group in x, y and z.";
    Mutating ["mutating"] FUNCTIONS ("")
        "The method may change `this`.";
    NonMutating ["nonmutating"] ACCESSOR ("")
        "This setter does not change `this`.";
    ForceInline ["ForceInline"] FUNCTIONS ("")
        "Calls of this function are always inlined.";
    NoInline ["noinline"] FUNCTIONS ("")
        "Calls of this function are not inlined.";
    Unroll ["unroll" "Unroll"] LOOP ("count = 0")
        "The target's compiler is asked to unroll the loop.";
    Loop ["loop" "Loop"] LOOP ("")
        "The target's compiler is asked not to unroll the loop.";
    Branch ["branch"] CHOICE ("")
        "The target's compiler is asked to jump over what is not chosen.";
    Flatten ["flatten"] IF ("")
        "The target's compiler is asked to compute both branches and to choose between the results.";
    Deprecated ["deprecated"] DECLARATIONS ("message: String")
        "Uses are warned of, with this message.";
    RemovedSince ["RemovedSince"] DECLARATIONS ("languageVersion: int, message: String")
        "Cannot be used in modules of this version of the language or a later one.";
    Require ["require"] DECLARATIONS ("capability")
        "The capabilities of the target that this declaration needs.";
    NoDiscard ["NoDiscard"] FUNCTIONS ("")
        "The result of a call must be used.";
    CudaKernel ["CudaKernel" "CUDAKernel"] FUNCTION ("")
        "This function is a CUDA kernel (`__global__`).";
    CudaDeviceExport ["CudaDeviceExport" "CUDADeviceExport"] FUNCTION ("")
        "This function is exported as a CUDA device function.";
    CudaHost ["CudaHost" "CUDAHost"] FUNCTION ("")
        "This function runs on the host of a CUDA program.";
    AutoPyBindCuda ["AutoPyBindCUDA"] FUNCTION ("")
        "Python bindings are made of this kernel.";
    PyExport ["PyExport"] AGGREGATE ("name: String")
        "The type is visible in Python by this name.";
    TorchEntryPoint ["TorchEntryPoint"] FUNCTION ("")
        "This function is called from PyTorch.";

    Binding ["vk::binding"] DECLARATIONS ("binding: int, set: int = 0")
        "The Vulkan binding and descriptor set of this parameter.";
    GlBinding ["gl::binding"] DECLARATIONS ("binding: int, set: int = 0")
        "The OpenGL binding of this parameter.";
    PushConstant ["push_constant" "vk::push_constant"] VARIABLES ("")
        "The host provides this parameter as push constants.";
    ShaderRecord ["shader_record" "vk::shader_record"] VARIABLES ("")
        "The host provides this parameter in the record of the shader.";
    SpecializationConstant ["SpecializationConstant" "vk::specialization_constant"] VARIABLES ("")
        "The host chooses the value of this constant when it makes the pipeline.";
    ConstantId ["vk::constant_id"] VARIABLES ("location: int")
        "The host chooses the value of this constant, by this number, when it makes the pipeline.";
    Location ["vk::location"] VARIABLES ("location: int")
        "The location of this input or output.";
    Index ["vk::index"] VARIABLES ("index: int")
        "Which of the two sources of blending this output is.";
    Offset ["vk::offset"] VARIABLES ("index: int")
        "Where this field lies, in bytes from the beginning of its block.";
    SpirvInstruction ["vk::spirv_instruction"] FUNCTION ("op: int, set: String = \"\"")
        "Calls of this function are this SPIR-V instruction.";
    InputAttachmentIndex ["vk::input_attachment_index"] VARIABLES ("location: int")
        "Which input attachment of the subpass this parameter is.";
    AliasedPointer ["vk::aliased_pointer"] VARIABLES ("")
        "Other pointers may refer to the same memory.";
    RestrictPointer ["vk::restrict_pointer"] VARIABLES ("")
        "No other pointer refers to the same memory.";
    SpirvTargetEnv13 ["spv_target_env_1_3"] FUNCTION ("")
        "This function needs SPIR-V 1.3.";
    DisableArrayFlattening ["disable_array_flattening"] VARIABLES ("")
        "An array of resources stays an array.";
    Format ["format" "vk::image_format"] VARIABLES ("format: String")
        "The format of the texels of this image.";

    Flags ["Flags"] ENUM ("")
        "The cases without a value are powers of two.";
    UnscopedEnum ["UnscopedEnum"] ENUM ("")
        "The cases can be named without the name of the enum.";
    FastOpt ["fastopt"] LOOP ("")
        "The target's compiler is asked to spend little time on this loop.";
    AllowUavCondition ["allow_uav_condition"] LOOP ("")
        "The condition of the loop may read from a buffer.";
    ForceCase ["forcecase"] SWITCH ("")
        "The target's compiler is asked to keep the `switch`.";
    Call ["call"] SWITCH ("")
        "The target's compiler is asked to make functions of the cases.";
    MaxTessFactor ["maxtessfactor"] FUNCTION ("factor: float")
        "The largest tessellation factor of this hull shader.";
    OutputControlPoints ["outputcontrolpoints"] FUNCTION ("count: int")
        "How many control points this hull shader has as its result.";
    OutputTopology ["outputtopology"] FUNCTION ("topology: text")
        "The primitives that are the result: `point`, `line`, `triangle`, ….";
    Partitioning ["partitioning"] FUNCTION ("mode: text")
        "How edges are divided: `integer`, `fractional_even`, ….";
    PatchConstantFunc ["patchconstantfunc"] FUNCTION ("name: text")
        "The function that computes the constants of a patch.";
    Domain ["domain"] FUNCTION ("patchType: text")
        "The patches of this shader: `tri`, `quad`, `isoline`.";
    MaxVertexCount ["maxvertexcount" "MaxVertexCount"] FUNCTION ("count: int")
        "How many vertices this geometry shader appends at most.";
    Instance ["instance"] FUNCTION ("count: int")
        "How often this geometry shader runs for each primitive.";
    EarlyDepthStencil ["earlydepthstencil" "EarlyDepthStencil"] FUNCTION ("")
        "Depth and stencil are tested before this shader runs.";
    Shader64BitIndexing ["Shader64BitIndexing"] FUNCTION ("")
        "Buffers are indexed with 64 bits.";
    WaveSize ["WaveSize"] FUNCTION ("numLanes: int")
        "The number of lanes of a wave.";
    DerivativeGroupQuad ["DerivativeGroupQuad"] FUNCTION ("")
        "Screen-space derivatives are taken in squares of four threads.";
    DerivativeGroupLinear ["DerivativeGroupLinear"] FUNCTION ("")
        "Screen-space derivatives are taken in rows of four threads.";
    MaximallyReconverges ["MaximallyReconverges"] FUNCTION ("")
        "Threads that part at a branch meet again as soon as they can.";
    QuadDerivatives ["QuadDerivatives"] FUNCTION ("")
        "Screen-space derivatives are defined wherever all threads of a square run.";
    RequireFullQuads ["RequireFullQuads"] FUNCTION ("")
        "All threads of a square run.";
    RayPayload ["raypayload"] STRUCT ("")
        "The fields say which stages read and write them.";
    NonUniformReturn ["NonUniformReturn"] FUNCTIONS ("")
        "The result may differ between the threads of a wave.";
    NoRefInline ["noRefInline"] FUNCTION ("")
        "Calls are not inlined where a reference is passed.";
    ConstRef ["constref"] FUNCTIONS ("")
        "`this` is passed by reference and not changed.";
    RefThis ["ref" "__ref"] FUNCTIONS ("")
        "`this` is passed by reference.";
    Allow ["allow"] DECLARATIONS ("diagnostic")
        "A diagnostic that is not given here.";
    DllImport ["DllImport"] FUNCTION ("modulePath: String")
        "This function is in a library of the host.";
    DllExport ["DllExport"] FUNCTION ("")
        "This function can be called from outside of its library.";
    Com ["COM"] INTERFACE ("guid: String")
        "The interface is a COM interface with this identifier.";
    Sealed ["sealed"] AGGREGATE ("")
        "Only types of the same module conform or inherit.";
    Open ["open"] AGGREGATE ("")
        "Types of other modules may conform or inherit.";
    AnyValueSize ["anyValueSize"] INTERFACE ("size: int")
        "How many bytes a value of the interface has at most.";
    Specialize ["Specialize"] INTERFACE ("")
        "Values of the interface are always specialised.";
    RequirePrelude ["RequirePrelude"] AGGREGATE ("target, prelude: String")
        "Text that the code for a target begins with.";
    OverloadRank ["OverloadRank"] FUNCTIONS ("rank: int")
        "Of several overloads that fit equally well, the one with the highest rank is chosen.";
    ExperimentalModule ["ExperimentalModule"] MODULE ("")
        "The module can only be imported where experimental features are allowed.";
    Builtin ["builtin"] DECLARATIONS ("")
        "Part of the core library.";
    KnownBuiltin ["KnownBuiltin"] DECLARATIONS ("name")
        "Known to the compiler by this name.";

    Intrinsic ["__intrinsic"] ANY ("word: String")
        "An operation of the IR.";
    BuiltinType ["__builtin_type"] ANY ("name: String")
        "Declares the members of a built-in type.";
    ImplicitConversion ["__implicit_conversion"] ANY ("cost: int = 0")
        "The constructor converts implicitly.";
    AttributeUsage ["__AttributeUsage"] STRUCT ("target: _AttributeTargets")
        "The struct declares an attribute that may stand on this kind of declaration.";
    ReadNone ["__readNone"] FUNCTIONS ("")
        "The result depends on the arguments alone.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_attribute_stands_at_its_number_and_each_spelling_once() {
        let mut seen = Vec::new();
        for (index, info) in ATTRIBUTES.iter().enumerate() {
            assert_eq!(info.kind as usize, index);
            for spelling in info.spellings {
                assert_eq!(AttributeKind::from_name(spelling), Some(info.kind), "{spelling}");
                assert!(!seen.contains(spelling), "{spelling} twice");
                seen.push(spelling);
            }
        }
    }

    #[test]
    fn vulkan_attributes_have_two_spellings() {
        assert_eq!(AttributeKind::from_name("vk_binding"), Some(AttributeKind::Binding));
        assert_eq!(AttributeKind::from_name("vk::binding"), Some(AttributeKind::Binding));
        assert_eq!(AttributeKind::from_name("vkbinding"), None);
    }

    #[test]
    fn required_arguments_are_those_without_a_default() {
        assert_eq!(AttributeKind::NumThreads.info().required_arguments(), 1);
        assert_eq!(AttributeKind::RemovedSince.info().required_arguments(), 2);
        assert_eq!(AttributeKind::Flags.info().required_arguments(), 0);
        assert_eq!(AttributeKind::NumThreads.info().signature(), "numthreads(x: int, y: int = 1, z: int = 1)");
    }
}

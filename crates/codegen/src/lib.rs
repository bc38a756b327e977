//! Back ends: verified IR becomes code in a target language.
//!
//! Entry point: [`emit`]. A module is copied and *legalised* for the target ([`legalise`], driven by
//! [`legalise::Capabilities`]), each function becomes statement trees with local variables ([`tree`]), and the trees
//! are written by the C-like printer with the target's dialect ([`clike`]), through naga ([`naga`]) or as words ([`spirv`]).
//!
//! # Invariants
//! - What a target cannot do is an [`EmitError`] at the source line, never wrong code and never a panic.
//! - Output is deterministic.
//! - Every text has a source map: [`Emitted::lines`].
//! - Deliberately absent: optimisation (that is `ir::simplify`'s), files, the tools that check or run the output (tests
//!   use them), differentiation (derivative calls must be expanded before).

#![warn(missing_docs)]

pub mod clike;
mod double;
mod formats;
pub mod legalise;
mod lookups;
mod loops;
pub mod memory;
pub mod naga;
mod reflection;
pub mod requests;
pub mod spirv;
pub mod tree;

#[cfg(test)]
mod tests;

pub use reflection::{Bound, KernelParameter, Parameter, Reflection, kernel_parameters, reflect};

use clike::Dialect as _;
use ir::{FuncId, Module, SpanId, verify::VerifiedModule};

/// The languages that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// Slang itself.
    Slang,
    /// HLSL for DXC.
    Hlsl,
    /// GLSL for Vulkan.
    Glsl,
    /// WGSL.
    Wgsl,
    /// SPIR-V, binary.
    Spirv,
    /// The Metal Shading Language.
    Metal,
    /// C++ with a header of its own.
    Cpp,
    /// CUDA, with kernels for PyTorch.
    Cuda,
    /// C++ with which Python starts the kernels of CUDA code, by way of PyTorch.
    Torch,
}

impl Target {
    /// Whose rules places and layouts follow.
    fn host(self, interface: Interface) -> Option<legalise::Host> {
        match (interface, self) {
            (Interface::Memory, _) | (_, Target::Slang | Target::Cpp | Target::Cuda | Target::Torch) => None,
            (Interface::Host, Target::Hlsl) => Some(legalise::Host::Direct3d),
            (Interface::Host, Target::Glsl | Target::Spirv) => Some(legalise::Host::Vulkan),
            (Interface::Host, Target::Wgsl) => Some(legalise::Host::WebGpu),
            (Interface::Host, Target::Metal) => Some(legalise::Host::Metal),
        }
    }

    fn capabilities(self) -> legalise::Capabilities {
        match self {
            Target::Slang => clike::slang::Slang.capabilities(),
            Target::Hlsl => clike::hlsl::Hlsl.capabilities(),
            Target::Glsl => clike::glsl::Glsl.capabilities(),
            Target::Wgsl => naga::capabilities(naga::Reader::Wgsl),
            Target::Spirv => spirv::CAPABILITIES,
            Target::Metal => clike::metal::Metal.capabilities(),
            Target::Cpp => clike::cpp_family::CppFamily(clike::cpp::Cpp).capabilities(),
            Target::Cuda => clike::cpp_family::CppFamily(clike::cuda::Cuda).capabilities(),
            Target::Torch => clike::cpp_family::CppFamily(clike::torch::Torch).capabilities(),
        }
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Target::Slang => "slang",
            Target::Hlsl => "hlsl",
            Target::Glsl => "glsl",
            Target::Wgsl => "wgsl",
            Target::Spirv => "spirv",
            Target::Metal => "metal",
            Target::Cpp => "cpp",
            Target::Cuda => "cuda",
            Target::Torch => "torch",
        }
    }

    /// Each target that any program is written for, in the order of the documentation.
    pub const ALL: [Target; 8] = [
        Target::Slang,
        Target::Hlsl,
        Target::Glsl,
        Target::Wgsl,
        Target::Spirv,
        Target::Metal,
        Target::Cpp,
        Target::Cuda,
    ];

    /// All of [`Target::ALL`], and the one for the host's part of programs for PyTorch.
    pub fn every() -> impl Iterator<Item = Target> {
        Target::ALL.into_iter().chain([Target::Torch])
    }

    /// Whether what is written is text.
    pub fn is_text(self) -> bool {
        match self {
            Target::Slang
            | Target::Hlsl
            | Target::Glsl
            | Target::Wgsl
            | Target::Metal
            | Target::Cpp
            | Target::Cuda
            | Target::Torch => true,
            Target::Spirv => false,
        }
    }

    /// The target that the command line calls so.
    pub fn from_name(name: &str) -> Option<Target> {
        Target::every().find(|target| target.name() == name)
    }
}

/// Who runs the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interface {
    /// A host program, in the way in which it runs what slangc writes: parameters are bound where the source says, else in
    /// the order of their declarations; buffers have the layout of the target.
    #[default]
    Host,
    /// Someone who has the module at hand, and its memory: parameters that are in use are counted one by one, data has the
    /// natural layout, what pointers point to is in a buffer, and specialisation constants are what the source says.
    Memory,
}

/// What of the module to write.
#[derive(Debug, Clone, Default)]
pub struct EmitOptions {
    /// For whom parameters are bound and data is laid out.
    pub interface: Interface,
    /// The functions to write, with all that they use. Without any, the entry points are written, and if there are none
    /// all functions with a body.
    pub functions: Vec<FuncId>,
    /// Tests the indices that cannot be proved to be in bounds: reads give zero, writes are dropped, as the IR says. Else
    /// what happens out of bounds is the target's business, as in what slangc writes.
    pub checked: bool,
    /// Leaves out the library that C++ and CUDA programs have in front of them: for people who read the program.
    pub without_library: bool,
    /// Functions that programs beside this one, and Python, call by a name of their own, and how kernels are started. Those
    /// that have a body are among `functions`.
    pub exports: Vec<Export>,
}

/// A function that others find by its name, with parameters as slangc lays them out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// The function.
    pub func: FuncId,
    /// The name that host code calls it by.
    pub name: smol_str::SmolStr,
    /// How it is called.
    pub kind: ExportKind,
}

/// How others call a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportKind {
    /// The host starts it for a grid of threads.
    Kernel,
    /// Code of the device calls it.
    DeviceFunction,
    /// Python calls it, on the host.
    HostFunction,
    /// A declaration: it starts a kernel.
    KernelStart(PythonKernel),
}

impl ExportKind {
    /// Whose programs have such functions.
    pub fn target(&self) -> Target {
        match self {
            ExportKind::Kernel | ExportKind::DeviceFunction => Target::Cuda,
            ExportKind::HostFunction | ExportKind::KernelStart(_) => Target::Torch,
        }
    }
}

/// A kernel as the host sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonKernel {
    /// What it is called in the code of the device.
    pub symbol: smol_str::SmolStr,
    /// Whether Python starts it, by the name of the export.
    pub in_python: bool,
    /// The names of its forward and its backward derivative for Python, each empty where there is none; `None` for what is
    /// a derivative itself.
    pub derivatives: Option<[smol_str::SmolStr; 2]>,
}

/// Code, with what tools need to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Emitted {
    /// The text or the words.
    pub code: Code,
    /// For each line (from 0) that comes from somewhere the place, in rising order; lines in between belong to the last
    /// one before. Empty for binary code.
    pub lines: Vec<(u32, SpanId)>,
    /// The buffers and uniforms that the code is to be run with.
    pub bindings: Vec<Binding>,
}

/// What an emitter makes.
#[derive(Debug, Clone, PartialEq)]
pub enum Code {
    /// Source code.
    Text(String),
    /// SPIR-V.
    Words(Vec<u32>),
}

impl Emitted {
    /// The text; empty for binary code.
    pub fn text(&self) -> &str {
        match &self.code {
            Code::Text(text) => text,
            Code::Words(_) => "",
        }
    }

    /// The bytes as they belong in a file.
    pub fn bytes(&self) -> Vec<u8> {
        match &self.code {
            Code::Text(text) => text.as_bytes().to_vec(),
            Code::Words(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        }
    }
}

/// Where a shader parameter is bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The parameter's name in the source. What a parameter block holds is `block.field`.
    pub name: smol_str::SmolStr,
    /// The descriptor set.
    pub set: u32,
    /// The number in the set.
    pub binding: u32,
    /// What is bound.
    pub kind: BindingKind,
}

/// What is bound at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingKind {
    /// A buffer that is only read.
    ReadOnlyStorage,
    /// A buffer that may be written.
    Storage,
    /// A uniform buffer.
    Uniform,
    /// A texture.
    Texture,
    /// A sampler.
    Sampler,
}

/// Why something cannot be written, and where it stands in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmitError {
    /// The place to blame.
    pub span: SpanId,
    /// A sentence for the user.
    pub message: String,
}

impl EmitError {
    /// An error at a place.
    pub fn new(span: SpanId, message: impl Into<String>) -> EmitError {
        EmitError { span, message: message.into() }
    }
}

impl std::fmt::Display for EmitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EmitError {}

/// Writes `module` for `target`. What is written holds no derivative calls.
pub fn emit(module: &VerifiedModule, target: Target, options: &EmitOptions) -> Result<Emitted, Vec<EmitError>> {
    let roots = legalise::roots(module, options);
    match target {
        Target::Slang => emit_clike(module, &roots, options, &clike::slang::Slang),
        Target::Hlsl => emit_clike(module, &roots, options, &clike::hlsl::Hlsl),
        Target::Glsl => emit_clike(module, &roots, options, &clike::glsl::Glsl),
        Target::Wgsl => naga::emit_wgsl(module, &roots, options),
        Target::Spirv => spirv::emit(module, &roots, options),
        Target::Metal => emit_clike(module, &roots, options, &clike::metal::Metal),
        Target::Cpp => emit_clike(module, &roots, options, &clike::cpp_family::CppFamily(clike::cpp::Cpp)),
        Target::Cuda => emit_clike(module, &roots, options, &clike::cpp_family::CppFamily(clike::cuda::Cuda)),
        Target::Torch => emit_clike(module, &roots, options, &clike::cpp_family::CppFamily(clike::torch::Torch)),
    }
}

/// What [`EmitOptions::without_library`] leaves out in front of C++ and after it, for all of the texts that stand between.
pub fn cpp_library(texts: &str) -> (String, String) {
    clike::Dialect::frame(&clike::cpp_family::CppFamily(clike::cpp::Cpp), texts)
}

/// What [`emit`] writes: `module` without what the target cannot express. It is an ordinary module, so that tests can run it.
pub fn legalised(
    module: &VerifiedModule,
    target: Target,
    options: &EmitOptions,
) -> Result<legalise::Legal, Vec<EmitError>> {
    let capabilities = target.capabilities().for_options(options);
    legalise::legalise(module, &legalise::roots(module, options), &capabilities, target.host(options.interface))
}

/// Writes the entry points of `module` for a graphics library that takes naga modules, with [`Interface::Memory`], so that
/// they compute what the interpreter does.
pub fn emit_module(
    module: &VerifiedModule,
    options: &EmitOptions,
) -> Result<(::naga::Module, Vec<Binding>), Vec<EmitError>> {
    let options = EmitOptions { interface: Interface::Memory, checked: true, ..options.clone() };
    naga::emit_module(module, &legalise::roots(module, &options), &options)
}

fn emit_clike(
    module: &Module,
    roots: &[FuncId],
    options: &EmitOptions,
    dialect: &dyn clike::Dialect,
) -> Result<Emitted, Vec<EmitError>> {
    let host = dialect.target().host(options.interface);
    let capabilities = dialect.capabilities().for_options(options);
    let legal = legalise::legalise(module, roots, &capabilities, host)?;
    requests::refuse(&legal, dialect.target())?;
    clike::print(&legal, dialect, options)
}

//! What a program asks for beside its values, and what each target language makes of it.
//!
//! Everything that the source asks for has an answer in every language: it is written, it holds or matters to nobody for a
//! reason that is said here, or the program is refused by name. Nothing vanishes in silence.

use ir::{Advice, EntryPoint, FuncId, GlobalKind, Module, SpanId, Type};

use crate::{EmitError, Target, legalise::Legal};

/// What a program can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// Of the target's compiler, at a choice or a loop.
    Advice(Advice),
    /// `precise`: floating-point operations one by one, as they are written.
    Precise,
    /// `globallycoherent`: what one group writes, others read before the dispatch ends.
    Coherent,
    /// `[WaveSize(n)]`
    WaveSize(u32),
    /// `[earlydepthstencil]`
    EarlyFragmentTests,
    /// `[format("rgba8")]`: what texels are kept as.
    TexelFormat,
    /// `RasterizerOrdered…`: fragments of one pixel reach it one after the other.
    FragmentOrder,
}

/// What a language makes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It has these words for it.
    Written(&'static str),
    /// It holds without a word, or no result can depend on it; why.
    NotNeeded(&'static str),
    /// It would be lost: the program is refused.
    Refused,
}

impl Request {
    /// Each request, for tables and tests.
    pub const ALL: [Request; 11] = [
        Request::Advice(Advice::Branch),
        Request::Advice(Advice::Flatten),
        Request::Advice(Advice::Unroll),
        Request::Advice(Advice::Loop),
        Request::Precise,
        Request::Coherent,
        Request::WaveSize(32),
        Request::WaveSize(64),
        Request::EarlyFragmentTests,
        Request::TexelFormat,
        Request::FragmentOrder,
    ];

    /// As the source writes it.
    pub fn name(self) -> String {
        match self {
            Request::Advice(advice) => format!("[{}]", advice.word()),
            Request::Precise => "precise".into(),
            Request::Coherent => "globallycoherent".into(),
            Request::WaveSize(_) => "[WaveSize]".into(),
            Request::EarlyFragmentTests => "[earlydepthstencil]".into(),
            Request::TexelFormat => "[format]".into(),
            Request::FragmentOrder => "RasterizerOrdered".into(),
        }
    }

    /// What `target` makes of it.
    pub fn answer(self, target: Target) -> Answer {
        match self {
            Request::Advice(advice) => answer_advice(advice, target),
            Request::Precise => match target {
                Target::Slang | Target::Hlsl | Target::Glsl => Answer::Written("precise"),
                Target::Spirv => Answer::Written("NoContraction"),
                Target::Cpp | Target::Torch => Answer::Written(NO_CONTRACTION),
                // They may fuse operations, and have no word against it.
                Target::Wgsl | Target::Metal | Target::Cuda => Answer::Refused,
            },
            Request::Coherent => match target {
                Target::Slang | Target::Hlsl => Answer::Written("globallycoherent"),
                Target::Glsl => Answer::Written("coherent"),
                Target::Spirv => Answer::Written("Coherent"),
                Target::Cpp | Target::Torch => Answer::NotNeeded("groups run one after another in one memory"),
                Target::Wgsl | Target::Metal | Target::Cuda => Answer::Refused,
            },
            Request::WaveSize(lanes) => match (target, lanes) {
                (Target::Slang | Target::Hlsl, _) => Answer::Written("[WaveSize"),
                (Target::Cpp | Target::Torch, _) => {
                    Answer::NotNeeded("programs that could see the size of a wave are refused")
                }
                (Target::Cuda, 32) => Answer::NotNeeded("all waves have this size there"),
                // The host asks for it when it makes the pipeline, and nothing here would tell it to.
                (Target::Glsl | Target::Wgsl | Target::Spirv | Target::Metal | Target::Cuda, _) => Answer::Refused,
            },
            Request::EarlyFragmentTests => match target {
                Target::Slang | Target::Hlsl => Answer::Written("[earlydepthstencil]"),
                Target::Glsl => Answer::Written("layout(early_fragment_tests) in;"),
                Target::Spirv => Answer::Written("EarlyFragmentTests"),
                Target::Metal => Answer::Written("[[early_fragment_tests]]"),
                Target::Wgsl => Answer::Refused,
                Target::Cpp | Target::Cuda | Target::Torch => Answer::NotNeeded("what runs there has no depth to test"),
            },
            Request::FragmentOrder => match target {
                Target::Slang | Target::Hlsl => Answer::Written("RasterizerOrdered"),
                Target::Glsl => Answer::Written("pixel_interlock_ordered"),
                Target::Spirv => Answer::Written("PixelInterlockOrderedEXT"),
                // Metal has the order by groups that the host turns on, which are not written.
                Target::Wgsl | Target::Metal => Answer::Refused,
                Target::Cpp | Target::Cuda | Target::Torch => Answer::NotNeeded("what runs there draws nothing"),
            },
            Request::TexelFormat => match target {
                Target::Slang => Answer::Written("[format"),
                Target::Hlsl => Answer::NotNeeded("the view that the host binds says what the texels are"),
                Target::Glsl => Answer::Written("layout"),
                Target::Wgsl => Answer::Written("texture_storage"),
                Target::Spirv => Answer::Written("OpTypeImage"),
                Target::Metal => Answer::NotNeeded("the texture that the host binds says what the texels are"),
                Target::Cpp | Target::Torch => Answer::NotNeeded("texels have the type that the source says"),
                // Surfaces are read and written as bytes.
                Target::Cuda => Answer::Refused,
            },
        }
    }

    /// The words of `target` for it, if there are any.
    pub(crate) fn words(self, target: Target) -> Option<&'static str> {
        match self.answer(target) {
            Answer::Written(words) => Some(words),
            Answer::NotNeeded(_) | Answer::Refused => None,
        }
    }
}

/// Both compilers contract by default where the machine has fused operations.
const NO_CONTRACTION: &str = "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n#elif defined(__GNUC__)\n#pragma GCC \
                              optimize(\"fp-contract=off\")\n#endif";

fn answer_advice(advice: Advice, target: Target) -> Answer {
    const NO_WORD: Answer = Answer::NotNeeded("a hint, for which the language has no word");
    match (target, advice) {
        (Target::Slang | Target::Hlsl, Advice::Branch) => Answer::Written("[branch]"),
        (Target::Slang | Target::Hlsl, Advice::Flatten) => Answer::Written("[flatten]"),
        (Target::Slang | Target::Hlsl, Advice::Unroll) => Answer::Written("[unroll]"),
        (Target::Slang | Target::Hlsl, Advice::Loop) => Answer::Written("[loop]"),
        (Target::Glsl, Advice::Branch) => Answer::Written("[[branch]]"),
        (Target::Glsl, Advice::Flatten) => Answer::Written("[[flatten]]"),
        (Target::Glsl, Advice::Unroll) => Answer::Written("[[unroll]]"),
        (Target::Glsl, Advice::Loop) => Answer::Written("[[dont_unroll]]"),
        (Target::Metal | Target::Cuda, Advice::Unroll) => Answer::Written("#pragma unroll"),
        (Target::Metal | Target::Cuda, Advice::Loop) => Answer::Written("#pragma unroll 1"),
        (Target::Metal | Target::Cuda, Advice::Branch | Advice::Flatten)
        | (Target::Cpp | Target::Torch | Target::Wgsl, _) => NO_WORD,
        (Target::Spirv, Advice::Branch) => Answer::Written("DontFlatten"),
        (Target::Spirv, Advice::Flatten) => Answer::Written("Flatten"),
        (Target::Spirv, Advice::Unroll) => Answer::Written("Unroll"),
        (Target::Spirv, Advice::Loop) => Answer::Written("DontUnroll"),
    }
}

/// Refuses what the language would lose.
pub(crate) fn refuse(legal: &Legal, target: Target) -> Result<(), Vec<EmitError>> {
    let mut errors = Vec::new();
    for (request, span, what) in asked(&legal.module, &legal.functions) {
        if request.answer(target) == Answer::Refused {
            let (name, target) = (request.name(), target.name());
            errors.push(EmitError::new(span, format!("`{what}`: `{name}` is not supported for target `{target}`")));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// What a program asks for, where, and the name of what it asks it for.
fn asked<'a>(module: &'a Module, functions: &[FuncId]) -> Vec<(Request, SpanId, &'a str)> {
    let mut found = Vec::new();
    for &id in functions {
        let func = &module.funcs[id];
        if func.is_precise {
            found.push((Request::Precise, func.span, func.name.as_str()));
        }
        for (_, data) in func.ops.iter() {
            if let Some(advice) = data.advice {
                found.push((Request::Advice(advice), data.span, func.name.as_str()));
            }
        }
    }
    for global in crate::legalise::used_globals(module, functions) {
        let data = &module.globals[global];
        if data.kind != GlobalKind::Parameter {
            continue;
        }
        let span = crate::legalise::first_use(module, global);
        let is_written = match module.types.get(data.ty) {
            Type::Handle(handle) => handle.is_writable(),
            _ => false,
        };
        if data.provision.is_coherent && is_written {
            found.push((Request::Coherent, span, data.name.as_str()));
        }
        if data.provision.is_ordered && is_written {
            found.push((Request::FragmentOrder, span, data.name.as_str()));
        }
        if data.provision.format.as_deref().is_some_and(|format| format != "unknown") && is_written {
            found.push((Request::TexelFormat, span, data.name.as_str()));
        }
    }
    let is_emitted = |entry: &&EntryPoint| functions.contains(&entry.func);
    for entry in module.entry_points.iter().filter(is_emitted) {
        let span = module.funcs[entry.func].span;
        if let Some(lanes) = entry.wave_size {
            found.push((Request::WaveSize(lanes), span, entry.name.as_str()));
        }
        if entry.early_fragment_tests {
            found.push((Request::EarlyFragmentTests, span, entry.name.as_str()));
        }
    }
    found
}

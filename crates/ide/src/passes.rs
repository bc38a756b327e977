//! The passes over the IR by name, so that each of them can be looked at: what goes in and what comes out.

use codegen::{EmitOptions, Target};
use ir::{FuncId, Module, simplify, verify::VerifiedModule};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

/// A pass, with its name and what it makes of functions and all that they reach.
pub struct Pass {
    /// Its name on the command line.
    pub name: &'static str,
    /// The pass whose output it takes; none if that is what lowering made.
    pub after: Option<&'static str>,
    /// A sentence for `slang-analyzer ir --help`.
    pub does: &'static str,
    run: Run,
}

type Run = fn(&VerifiedModule, &[FuncId]) -> Result<Module, String>;

/// All passes, in the order in which programs go through them.
pub const PASSES: &[Pass] = &[
    pass("lower", "what lowering makes of the source", |module, _| Ok(Module::clone(module))),
    pass("peephole", "folds constants, removes identities, forwards parts", |module, _| {
        Ok(each(module, |module, func| _ = simplify::peephole::rewrite(module, func)))
    }),
    pass("branches", "resolves choices that are known", |module, _| {
        Ok(each(module, |module, func| _ = simplify::branches::resolve(module, func)))
    }),
    pass("common", "shares equal operations", |module, _| {
        Ok(each(module, |module, func| _ = simplify::common::share(module, func)))
    }),
    pass("dead-code", "removes what nothing needs", |module, _| {
        Ok(each(module, |module, func| _ = simplify::dead_code::remove(module, func)))
    }),
    pass("trip-count", "finds how often loops run", |module, _| {
        Ok(each(module, |module, func| _ = simplify::trip_count::infer(module, func)))
    }),
    pass("simplify", "all of these until nothing changes", |module, _| {
        let mut module = Module::clone(module);
        simplify::simplify_module(&mut module);
        Ok(module)
    }),
    pass("inline", "replaces calls by the bodies of functions that return at their end", |module, _| {
        Ok(each(module, |module, func| _ = simplify::inline::inline_calls(module, func, |_| true)))
    }),
    pass("unroll", "unrolls loops that are marked `[ForceUnroll]`", |module, _| {
        Ok(each(module, |module, func| _ = simplify::unroll::unroll(module, func)))
    }),
    pass("normalise", "one exit per function, no jumps", normalise),
    pass("differentiate", "makes all derivatives that are asked for", |module, roots| {
        let mut module = module.clone();
        match autodiff::expand(&mut module, roots) {
            Ok(()) => Ok(module.into_module()),
            Err(errors) => Err(texts(&errors)),
        }
    }),
    legalise("legalise-slang", |module, roots| legalised(module, roots, Target::Slang)),
    legalise("legalise-hlsl", |module, roots| legalised(module, roots, Target::Hlsl)),
    legalise("legalise-glsl", |module, roots| legalised(module, roots, Target::Glsl)),
    legalise("legalise-wgsl", |module, roots| legalised(module, roots, Target::Wgsl)),
    legalise("legalise-spirv", |module, roots| legalised(module, roots, Target::Spirv)),
    legalise("legalise-metal", |module, roots| legalised(module, roots, Target::Metal)),
    legalise("legalise-cpp", |module, roots| legalised(module, roots, Target::Cpp)),
    legalise("legalise-cuda", |module, roots| legalised(module, roots, Target::Cuda)),
];

const fn pass(name: &'static str, does: &'static str, run: Run) -> Pass {
    Pass { name, after: None, does, run }
}

const fn legalise(name: &'static str, run: Run) -> Pass {
    Pass { name, after: Some("differentiate"), does: "removes what the target cannot express", run }
}

impl Pass {
    /// The pass with this name.
    pub fn from_name(name: &str) -> Option<&'static Pass> {
        PASSES.iter().find(|pass| pass.name == name)
    }

    /// What goes into the pass and what comes out, from what lowering made; the verifier has accepted both.
    ///
    /// # Errors
    /// Why a pass on the way cannot do its work, or what the verifier says of its output.
    pub fn apply(
        &self,
        lowered: &VerifiedModule,
        roots: &[FuncId],
    ) -> Result<(VerifiedModule, VerifiedModule), String> {
        let before = match self.after.and_then(Pass::from_name) {
            Some(pass) => pass.apply(lowered, roots)?.1,
            None => lowered.clone(),
        };
        let after = (self.run)(&before, roots)?;
        match VerifiedModule::new(after) {
            Ok(after) => Ok((before, after)),
            Err(rejected) => Err(format!("after {}: {}", self.name, texts(&rejected.errors))),
        }
    }
}

fn texts(errors: &[impl ToString]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The module with a pass applied to each function that has a body.
fn each(module: &VerifiedModule, mut run: impl FnMut(&mut Module, FuncId)) -> Module {
    let mut module = Module::clone(module);
    let functions: Vec<FuncId> = module.funcs.iter().map(|(id, _)| id).collect();
    for func in functions {
        if module.funcs[func].body.is_some() {
            run(&mut module, func);
        }
    }
    module
}

fn normalise(module: &VerifiedModule, _roots: &[FuncId]) -> Result<Module, String> {
    let mut errors = Vec::new();
    let module = each(module, |module, func| {
        let Module { types, funcs, .. } = module;
        match autodiff::normalise::normalise(types, funcs, &funcs[func]) {
            Ok(normalised) => module.funcs[func] = normalised.func,
            Err(error) => errors.push(error),
        }
    });
    if errors.is_empty() { Ok(module) } else { Err(texts(&errors)) }
}

/// A function that is called by its entry point alone becomes that entry point, with its name; what it was is not reached any
/// more, and gets another one here.
fn with_own_names(mut module: Module, reached: &[FuncId]) -> Module {
    let names: FxHashSet<SmolStr> = reached.iter().map(|func| module.funcs[*func].name.clone()).collect();
    let others: Vec<FuncId> = module.funcs.iter().map(|(id, _)| id).filter(|id| !reached.contains(id)).collect();
    for func in others {
        let name = &mut module.funcs[func].name;
        if names.contains(name) {
            *name = format!("{name}#replaced").into();
        }
    }
    module
}

fn legalised(module: &VerifiedModule, roots: &[FuncId], target: Target) -> Result<Module, String> {
    let functions = if module.entry_points.is_empty() { roots.to_vec() } else { Vec::new() };
    let options = EmitOptions { functions, ..EmitOptions::default() };
    match codegen::legalised(module, target, &options) {
        Ok(legal) => Ok(with_own_names(legal.module, &legal.functions)),
        Err(errors) => Err(errors.into_iter().map(|error| error.message).collect::<Vec<_>>().join("\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_target_has_its_legalisation() {
        for target in Target::ALL {
            let name = format!("legalise-{}", target.name());
            assert!(Pass::from_name(&name).is_some(), "no pass `{name}`");
        }
    }
}

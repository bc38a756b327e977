//! Each pass on IR text: what goes in, what comes out, one idea each. The verifier looks at both sides.

mod batch;
mod cleanup;
mod forward_sweep;
mod jvp;
mod linear_text;
mod linearize;
mod normalise;
mod plan;
mod propagate;
mod tally;
mod transpose;

use ir::{DerivativeKind, FuncId, Module, print::print_func, verify::VerifiedModule};
use test_support::modules;

use crate::{
    activity::active_values,
    emit::CustomArithmetic,
    expand::Expander,
    flow::Mode,
    linear::Linearized,
    linearize::{Purpose, linearize},
};

/// A module in IR text and its function `f`.
fn module(text: &str) -> (VerifiedModule, FuncId) {
    let module = modules::module(text);
    let f = module.func_named("f").expect("a function `f`");
    (module, f)
}

/// The text of a derivative of `@f`.
fn derivative(kind: DerivativeKind, text: &str) -> String {
    let (mut module, f) = module(text);
    let made = crate::derivatives(&mut module, &[(kind, f)]).unwrap_or_else(|errors| panic!("{errors:?}"));
    print_func(&module, made[0])
}

/// `@f` after the passes in front of linearize, and linearized for forward mode.
fn linearized(module: &mut Module, f: FuncId) -> Linearized {
    let normalised = Expander::new(module).normalised(f).unwrap_or_else(|error| panic!("{error}"));
    let custom = CustomArithmetic::of(&module.types);
    let activity = active_values(&module.types, &module.funcs, &normalised.func, Mode::Forward);
    let Module { types, funcs, .. } = module;
    linearize(types, funcs, &custom, normalised, &activity, Purpose::Forward).unwrap_or_else(|error| panic!("{error}"))
}

//! Where the derivatives of a function come from: written by hand, or generated.

use ir::{Callee, DerivativeKind, FuncId, Module, Op};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

/// Where a derivative comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    /// Generated from the function's body.
    Body,
    /// Generated from the body of the function's `[PrimalSubstitute]`.
    Substitute,
    /// Written by hand.
    Written,
    /// The forward derivative that is written by hand, transposed.
    Transposed,
}

/// A derivative written by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenRule {
    /// The name of the function that it is the derivative of, or of a `dadd`.
    pub function: SmolStr,
    /// Forward or backward.
    pub mode: DerivativeKind,
}

/// Where the derivative `mode` of a function comes from.
pub fn provenance(module: &Module, func: FuncId, mode: DerivativeKind) -> Provenance {
    let rules = &module.funcs[func].rules;
    match mode {
        _ if rules.primal_substitute.is_some() => Provenance::Substitute,
        DerivativeKind::Jvp if rules.forward.is_some() => Provenance::Written,
        DerivativeKind::Jvp => Provenance::Body,
        DerivativeKind::Vjp
        | DerivativeKind::Primal
        | DerivativeKind::Pullback
        | DerivativeKind::Apply
        | DerivativeKind::Propagate => match (rules.backward, rules.forward) {
            (Some(_), _) => Provenance::Written,
            (None, Some(_)) if !rules.backward_differentiable => Provenance::Transposed,
            (None, _) => Provenance::Body,
        },
    }
}

/// The derivatives written by hand that the derivatives of a function use: those of what it calls, directly or not, and the
/// sums of differentials of types.
pub fn written_rules(module: &Module, func: FuncId) -> Vec<WrittenRule> {
    let mut seen: FxHashSet<FuncId> = FxHashSet::from_iter([func]);
    let mut pending = vec![func];
    let mut found = Vec::new();
    while let Some(id) = pending.pop() {
        for (_, data) in module.funcs[id].ops.iter() {
            let Op::Call { callee: Callee::Func(callee), no_diff: false, .. } = data.op else { continue };
            if !seen.insert(callee) {
                continue;
            }
            let rules = &module.funcs[callee].rules;
            let written = [(rules.forward, DerivativeKind::Jvp), (rules.backward, DerivativeKind::Vjp)];
            for (_, mode) in written.into_iter().filter(|(rule, _)| rule.is_some()) {
                found.push(WrittenRule { function: module.funcs[callee].name.clone(), mode });
            }
            // After derivatives that are both written nothing is derived.
            if rules.forward.is_none() || rules.backward.is_none() {
                pending.push(callee);
            }
        }
    }
    for (_, data) in module.types.structs.iter() {
        let sum = data.differential.as_ref().and_then(|differential| differential.dadd);
        let written = sum.map(|sum| module.funcs[sum].name.clone());
        found.extend(written.map(|function| WrittenRule { function, mode: DerivativeKind::Vjp }));
    }
    found.sort_by(|a, b| (&a.function, a.mode).cmp(&(&b.function, b.mode)));
    found.dedup();
    found
}

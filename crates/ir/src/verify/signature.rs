//! Signatures: of functions, of their rules, and of derivative callees.

use super::{Report, Rule, type_text};
use crate::{
    DerivativeKind, Func, FuncId, Module, Role, SpanId, TypeId,
    abi::{Row, gives, takes},
    types::TypeTable,
};

pub(super) fn contains_func(module: &Module, func: FuncId) -> bool {
    (func.into_raw().into_u32() as usize) < module.funcs.len()
}

pub(super) fn contains_span(module: &Module, span: SpanId) -> bool {
    (span.0 as usize) < module.spans.len()
}

/// What a list of values must look like, one entry per value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    Type(TypeId),
    /// The differential of the type.
    DifferentialOf(TypeId),
    /// The residual record, whose type is known when the derivative is made.
    Record,
}

impl Expected {
    pub(super) fn accepts(self, types: &TypeTable, ty: TypeId) -> bool {
        match self {
            Expected::Type(expected) => expected == ty,
            Expected::DifferentialOf(primal) => types.is_differential_of(primal, ty),
            Expected::Record => true,
        }
    }

    pub(super) fn describe(self, types: &TypeTable) -> String {
        match self {
            Expected::Type(ty) => type_text(types, ty),
            Expected::DifferentialOf(ty) => format!("the differential of {}", type_text(types, ty)),
            Expected::Record => "a residual record".into(),
        }
    }
}

/// What a row of inputs or results of a derivative of `func` must look like.
fn expected(part: Row, func: &Func) -> Vec<Expected> {
    match part {
        Row::Inputs => func.inputs.iter().map(|input| Expected::Type(input.ty)).collect(),
        Row::Results => func.results.iter().map(|result| Expected::Type(result.ty)).collect(),
        Row::OfInputs => {
            let differentiable = func.inputs.iter().filter(|input| input.differentiable);
            differentiable.map(|input| Expected::DifferentialOf(input.ty)).collect()
        }
        Row::OfResults => {
            let differentiable = func.results.iter().filter(|result| result.differentiable);
            differentiable.map(|result| Expected::DifferentialOf(result.ty)).collect()
        }
        Row::KeptInputs | Row::Accumulated => Vec::new(),
        Row::Residuals => vec![Expected::Record],
    }
}

/// Inputs and results of `func`, or of a derivative of it. Of a pullback, these are the last inputs: what stands before is
/// known when the derivative is made.
pub(super) fn callee_signature(kind: Option<DerivativeKind>, func: &Func) -> (Vec<Expected>, Vec<Expected>) {
    let (takes, gives) = kind.map_or((&[Row::Inputs][..], &[Row::Results][..]), |kind| (takes(kind), gives(kind)));
    let takes = if kind == Some(DerivativeKind::Pullback) { &[Row::OfResults] } else { takes };
    let row = |parts: &[Row]| parts.iter().flat_map(|&part| expected(part, func)).collect();
    (row(takes), row(gives))
}

/// Whether `other` has the signature of `func`, or of the derivative of it.
fn fits(module: &Module, kind: Option<DerivativeKind>, func: &Func, other: FuncId) -> bool {
    if !contains_func(module, other) {
        return false;
    }
    let other = &module.funcs[other];
    let (inputs, results) = callee_signature(kind, func);
    inputs.len() == other.inputs.len()
        && results.len() == other.results.len()
        && inputs.iter().zip(&other.inputs).all(|(expected, input)| expected.accepts(&module.types, input.ty))
        && results.iter().zip(&other.results).all(|(expected, result)| expected.accepts(&module.types, result.ty))
}

pub(super) fn verify_signature(module: &Module, id: FuncId, report: &mut Report<'_>) {
    let func = &module.funcs[id];
    let mut wrong = |rule, what: String| report(rule, Some(id), format!("function `{}`: {what}", func.name));
    let slots = func.inputs.iter().map(|input| (&input.name, input.ty, input.differentiable));
    let slots = slots.chain(func.results.iter().map(|result| (&result.name, result.ty, result.differentiable)));
    for (name, ty, differentiable) in slots {
        if !module.types.contains(ty) {
            wrong(Rule::Id, format!("`{name}` is of another module's type"));
        } else if differentiable && !module.types.is_differentiable(ty) {
            let ty = type_text(&module.types, ty);
            wrong(Rule::Signature, format!("`{name}` is differentiable, but {ty} has no differential"));
        }
    }
    for (index, result) in func.results.iter().enumerate() {
        match result.role {
            Role::Return if index > 0 => wrong(Rule::Signature, "its return value is not its first result".into()),
            Role::InOut(input) => {
                let fits = func.inputs.get(input as usize).is_some_and(|input| input.ty == result.ty);
                let again = func.results[..index].iter().any(|other| other.role == result.role);
                if !fits || again {
                    wrong(Rule::Signature, format!("`{}` is not what an input becomes", result.name));
                }
            }
            _ => {}
        }
    }
    if !contains_span(module, func.span) || func.inputs.iter().any(|input| !contains_span(module, input.span)) {
        wrong(Rule::Id, "its span is of another module".into());
    }
    let rules = &func.rules;
    for (word, kind, other) in [
        ("primal substitute", None, rules.primal_substitute),
        ("forward derivative", Some(DerivativeKind::Jvp), rules.forward),
        ("backward derivative", Some(DerivativeKind::Vjp), rules.backward),
    ] {
        if let Some(other) = other
            && !fits(module, kind, func, other)
        {
            let name = if contains_func(module, other) { module.funcs[other].name.as_str() } else { "?" };
            wrong(Rule::FuncRules, format!("its {word} `{name}` has another signature"));
        }
    }
}

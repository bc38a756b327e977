//! 41031: a value that carries a derivative is stored where none can be kept: a `no_diff` field, a type that is not
//! differentiable, a buffer, a global or group-shared variable.
//!
//! 41809 (warning): the same where slangc says nothing, so that an error would refuse what it accepts: whole texels, bytes,
//! several components at once, atomic operations, and what functions of the core library store (`TensorView`).

use autodiff::activity;
use diagnostics::{Code, codes};
use hir_def::position::Location;
use ir::{HandleType, Intrinsic, Op, OpId, PathStep, Type, ValueDef, ValueId, intrinsic::TextureOp};

use super::{Flow, lost_at_call};
use crate::{Edit, Finding, Fix};

pub(super) fn wording(flow: &Flow<'_>, location: Location, found: &activity::Finding) -> Finding {
    let code = code(flow, found.op);
    if let Some(combined) = combined(flow, location, code) {
        return combined;
    }
    let value = flow.assigned_at(location).map(|value| flow.expr_location(value));
    let text = value
        .and_then(|value| flow.text(value).map(|text| format!("`{text}`")))
        .unwrap_or_else(|| flow.lost_text(location, found));
    let detach = value.and_then(lost_at_call::detach);
    let message = format!("the derivative of {text} is lost here: this place cannot hold one");
    Finding::new(code, location, message).fix(detach)
}

fn code(flow: &Flow<'_>, op: OpId) -> Code {
    let is_silent = match flow.op(op) {
        Op::Store { handle, path, .. } => {
            (is_texels(flow, *handle) && path.len() <= 1) || is_one_of_several(flow, op, *handle, path)
        }
        Op::Intrinsic { intrinsic: Intrinsic::Texture(TextureOp::Store), args } => {
            args.last().is_none_or(|texel| !is_component(flow, *texel))
        }
        Op::ByteStore { .. } | Op::Atomic { .. } | Op::ByteAtomic { .. } | Op::Call { .. } => true,
        _ => false,
    };
    if is_silent { codes::LOST_AT_WRITE } else { codes::LOST_AT_STORE }
}

fn is_texels(flow: &Flow<'_>, handle: ValueId) -> bool {
    let module = flow.module();
    matches!(module.types.get(flow.func().ty(handle)), Type::Handle(HandleType::TexelBuffer { .. }))
}

/// Whether a store writes one of the components that an assignment to several (`place.xy = …`) writes one by one.
fn is_one_of_several(flow: &Flow<'_>, store: OpId, handle: ValueId, path: &[PathStep]) -> bool {
    let Some((own, place)) = path.split_last() else { return false };
    let ops = &flow.func().ops;
    ops.iter().any(|(_, data)| {
        data.span == ops[store].span
            && matches!(&data.op, Op::Store { handle: other, path, .. }
                if *other == handle && path.split_last().is_some_and(|(last, rest)| last != own && rest == place))
    })
}

/// Whether a texel is what was there with one component replaced.
fn is_component(flow: &Flow<'_>, texel: ValueId) -> bool {
    let made_by = |value: ValueId| match flow.func().values[value].def {
        ValueDef::Result { op, .. } => Some(flow.op(op)),
        ValueDef::Param { .. } => None,
    };
    let Some(Op::Insert { aggregate, .. }) = made_by(texel) else { return false };
    matches!(made_by(*aggregate), Some(Op::Intrinsic { intrinsic: Intrinsic::Texture(TextureOp::Load), .. }))
}

/// `place *= factor`: what is lost is the derivative of the product, whichever of the two carries one.
fn combined(flow: &Flow<'_>, location: Location, code: Code) -> Option<Finding> {
    let (operator, target, value) = flow.combined_at(location)?;
    let (target, value) = (flow.text(target)?, flow.text(value)?);
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
    let operand = if value.chars().all(is_plain) { value.to_owned() } else { format!("({value})") };
    let message = format!("the derivative of `{target} {operator} {operand}` is lost here: this place cannot hold one");
    let edit = Edit { at: location, text: format!("{target} = detach({target} {operator} {operand})") };
    let fix = Fix::new("Say that this is meant: wrap in `detach(…)`", [edit]);
    Some(Finding::new(code, location, message).fix(Some(fix)))
}

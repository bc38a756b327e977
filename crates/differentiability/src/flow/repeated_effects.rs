//! 42050 (warning): `[PreferRecompute]` on a function that writes to memory: its effects may happen several times.
//! `[PreferRecompute(SideEffectBehavior.Allow)]` says that this is meant. Calls are not looked into.

use diagnostics::codes;
use hir_ty::differential::{attribute::DerivativeAttribute, attribute::own_attributes};
use ir::{Effect, Op};

use super::Flow;
use crate::{
    Finding,
    finding::{name_location, name_of},
};

pub(super) fn check(flow: &Flow<'_>) -> Option<Finding> {
    let recompute = own_attributes(flow.db, flow.item)
        .into_iter()
        .find(|written| written.attribute == DerivativeAttribute::PreferRecompute)?;
    if recompute.argument.is_some() {
        return None;
    }
    let mut ops = flow.func().ops.iter();
    let (_, writes) = ops.find(|(_, data)| {
        !matches!(data.op, Op::Call { .. } | Op::Barrier { .. }) && data.op.own_effect() == Effect::Write
    })?;
    let name = name_of(flow.db, flow.item);
    let message = format!("`{name}` writes to memory, and [PreferRecompute] may run it several times");
    Some(
        Finding::new(codes::REPEATED_SIDE_EFFECTS, name_location(flow.db, flow.item)?, message)
            .related(flow.location(writes.span), "it writes here"),
    )
}

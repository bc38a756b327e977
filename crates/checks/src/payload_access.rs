//! E40000, E40001: each field of a `[raypayload]` struct says which stages of ray tracing read and write it.

use ::diagnostics::codes;
use hir_def::{
    attribute::{AttributeKind, Modifiers},
    item::{self, ItemKind},
};
use hir_ty::diagnostics::Node;

use super::Declaration;

/// The stages that see a payload; `caller` is who calls `TraceRay`.
const STAGES: &[&str] = &["anyhit", "closesthit", "miss", "caller"];

pub(super) fn check(declaration: &mut Declaration<'_>) {
    let is_static = declaration.data.modifiers.contains(Modifiers::STATIC);
    if is_static || !matches!(declaration.data.kind, ItemKind::Variable { .. }) {
        return;
    }
    let Some((container, ItemKind::Struct { .. })) = declaration.container() else { return };
    if !item::item_data(declaration.db, container).has_attribute(AttributeKind::RayPayload) {
        return;
    }
    let data = declaration.data;
    let qualifiers = || data.placements.iter().filter(|placement| matches!(placement.word.as_str(), "read" | "write"));
    if qualifiers().next().is_none() {
        let message = format!(
            "field '{}' of a ray payload must say who reads or writes it, as in ': read(caller) : write(closesthit)'",
            declaration.name()
        );
        declaration.report(codes::PAYLOAD_WITHOUT_ACCESS, Node::Name, message);
    }
    for stage in qualifiers().flat_map(|placement| &placement.args) {
        if !STAGES.contains(&stage.as_str()) {
            let valid: Vec<String> = STAGES.iter().map(|stage| format!("'{stage}'")).collect();
            let message = format!("no stage '{stage}' has access to ray payloads; there are {}", valid.join(", "));
            declaration.report(codes::PAYLOAD_STAGE_UNKNOWN, Node::Name, message);
        }
    }
}

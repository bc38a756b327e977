//! `[require(…)]`: what a declaration needs of the target.
//!
//! Deliberately absent: the capabilities that a body uses. They follow from a lattice of several hundred names that the
//! core library would have to declare.

use diagnostics::codes;
use hir_def::{
    attribute::{Attribute, AttributeKind},
    body::Expr,
};
use hir_ty::diagnostics::Node;

use super::Declaration;

pub(super) fn check(declaration: &mut Declaration<'_>) {
    for (id, attribute) in declaration.data.attributes() {
        if attribute.kind == Some(AttributeKind::Require) {
            conflicting_targets(declaration, attribute, Node::Attribute(id));
        }
    }
}

/// Names that mean one target alone; `_sm_…` is a profile of HLSL.
const TARGETS: &[&str] = &["hlsl", "glsl", "spirv", "cuda", "cpp", "metal", "wgsl"];

/// E36111: nothing is compiled for two targets at once.
fn conflicting_targets(declaration: &mut Declaration<'_>, attribute: &Attribute, node: Node) {
    let mut targets = attribute.args.iter().filter_map(|arg| {
        let Expr::Path(path) = &declaration.data.store.exprs[*arg] else { return None };
        let name = path.segments.last()?.name.as_str();
        if name.starts_with("_sm_") {
            return Some("hlsl");
        }
        TARGETS.iter().copied().find(|target| *target == name)
    });
    let Some(first) = targets.next() else { return };
    if let Some(second) = targets.find(|target| *target != first) {
        let message = format!("'require' names two targets, '{first}' and '{second}': no code is for both");
        declaration.report(codes::CONFLICTING_TARGETS, node, message);
    }
}

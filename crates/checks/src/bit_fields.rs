//! The types and widths of bit fields.

use diagnostics::codes;
use hir_def::item::ItemKind;
use hir_ty::{aggregate, bit_field, diagnostics::Node, display::display};

use super::Declaration;

/// E31301, E31300: a bit field is an integer, and has no more bits than its type.
pub(super) fn check(declaration: &mut Declaration<'_>) {
    let db = declaration.db;
    let ItemKind::Variable { ty, bit_width: Some(width), .. } = declaration.data.kind else { return };
    if !aggregate::is_field(db, declaration.item) {
        return;
    }
    let ty = declaration.lower(ty);
    if ty.is_error() {
        return;
    }
    let shown = display(db, ty);
    match bit_field::integer_bits(ty) {
        None => {
            declaration.report(
                codes::BIT_FIELD_NOT_INTEGER,
                Node::Name,
                format!("the type of a bit field must be an integer type, not '{shown}'"),
            );
        }
        Some(bits) if width > bits => {
            let message = format!("a bit field of {width} bits does not fit its type '{shown}' of {bits} bits");
            declaration.report(codes::BIT_FIELD_TOO_WIDE, Node::Name, message);
        }
        Some(_) => {}
    }
}

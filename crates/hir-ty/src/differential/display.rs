//! Signatures as a user would write them.

use std::fmt::Write as _;

use base_db::Db;
use hir_def::item::ItemId;

use super::signature::{CallableParam, CallableSignature};
use crate::types::{
    display::{display, display_at},
    ty::ParamDirection,
};

/// `void bwd_diff(f)(inout DifferentialPair<float> x, float dResult)`, with `name` as `bwd_diff(f)`.
pub fn signature_text(db: &dyn Db, name: &str, signature: &CallableSignature) -> String {
    let mut text = String::new();
    if signature.ret_no_diff {
        text.push_str("no_diff ");
    }
    text.push_str(&display(db, signature.ret));
    let params: Vec<String> = signature.params.iter().map(|param| param_text(db, param)).collect();
    // Writing to a string cannot fail.
    let _ = write!(text, " {name}({})", params.join(", "));
    text
}

/// `inout DifferentialPair<float> x`.
pub fn param_text(db: &dyn Db, param: &CallableParam) -> String {
    with_type(param, &display(db, param.ty))
}

/// The same as it is written in or next to `place`.
pub fn param_text_at(db: &dyn Db, param: &CallableParam, place: ItemId) -> String {
    with_type(param, &display_at(db, param.ty, place))
}

fn with_type(param: &CallableParam, ty: &str) -> String {
    let no_diff = if param.no_diff { "no_diff " } else { "" };
    format!("{no_diff}{}{ty} {}", direction_text(param.direction), param.name)
}

fn direction_text(direction: ParamDirection) -> &'static str {
    match direction {
        ParamDirection::In => "",
        ParamDirection::Out => "out ",
        ParamDirection::InOut => "inout ",
        ParamDirection::Ref => "__ref ",
        ParamDirection::ConstRef => "__constref ",
    }
}

//! Signatures as a user would write them.

use std::fmt::Write as _;

use base_db::Db;

use super::signature::{CallableParam, CallableSignature};
use crate::types::{
    display::display,
    ty::{ParamDirection, Ty},
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
    let no_diff = if param.no_diff { "no_diff " } else { "" };
    let direction = direction_text(param.direction);
    format!("{no_diff}{direction}{} {}", display(db, param.ty), param.name)
}

/// `(inout DifferentialPair<float>, float) -> void`: the types alone, for comparing with what was written.
pub fn types_text(db: &dyn Db, signature: &CallableSignature) -> String {
    let params: Vec<String> = signature
        .params
        .iter()
        .map(|param| format!("{}{}", direction_text(param.direction), display(db, param.ty)))
        .collect();
    let ret = if signature.ret == Ty::Void { "void".to_owned() } else { display(db, signature.ret) };
    format!("({}) -> {ret}", params.join(", "))
}

fn direction_text(direction: ParamDirection) -> &'static str {
    match direction {
        ParamDirection::In => "",
        ParamDirection::Out => "out ",
        ParamDirection::InOut => "inout ",
        ParamDirection::Ref => "ref ",
        ParamDirection::ConstRef => "constref ",
    }
}

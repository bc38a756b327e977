//! Tests run what lowering makes: a function of the source is called in the interpreter and its results compared with
//! numbers worked out by hand.

mod addresses;
mod agreement;
mod analysis;
mod bit_fields;
mod calls;
mod closures;
mod constructors;
mod constructs;
mod control_flow;
mod core_library;
mod derivatives;
mod descriptors;
mod dispatch;
mod exceptions;
mod fixtures;
mod generics;
mod instances;
mod interface_values;
mod intrinsics;
mod memory;
mod optionals;
mod packs;
mod requirement_kinds;
mod specialisation;
mod values;

use base_db::{RootDatabase, SourceFile};
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId, ItemKind},
    name::Name,
    scope,
};
use hir_ty::{signature::FunctionRef, ty::GenericArgs};
use interp::{Limits, Machine, Precision, Value};
use test_support::{database::with_core_library, modules::verified};

use crate::{Lowered, Root, Setting, lower_program};

pub(crate) fn database(text: &str) -> (RootDatabase, SourceFile) {
    let (mut db, mut documents) = with_core_library();
    let file = documents.open(&mut db, "/test.slang", text);
    if hir_def::modules::asks_for_glsl(&db, file) {
        documents.load_glsl(&mut db);
    }
    (db, file)
}

/// The function `f` or `S.f` of a file.
pub(crate) fn function(db: &RootDatabase, file: SourceFile, name: &str) -> ItemId {
    let mut parts = name.split('.');
    let mut found = scope::lookup_in_file(db, file, &Name::new(parts.next().unwrap()));
    for part in parts {
        let members = found.iter().flat_map(|container| item::members(db, *container)).copied();
        found = members.filter(|member| item::item_data(db, *member).name == Some(Name::new(part))).collect();
    }
    let is_function = |item: &ItemId| matches!(item::item_data(db, *item).kind, ItemKind::Function(_));
    found.into_iter().find(is_function).unwrap_or_else(|| panic!("no function `{name}`"))
}

pub(crate) fn lower(text: &str, name: &str, operators: &[DerivativeOperator]) -> Lowered {
    lower_for(text, name, operators, Setting::default())
}

pub(crate) fn lower_for(text: &str, name: &str, operators: &[DerivativeOperator], setting: Setting) -> Lowered {
    let (db, file) = database(text);
    let function =
        FunctionRef { item: function(&db, file, name), args: GenericArgs::new(&db, Box::default()), self_ty: None };
    let root = Root::Function { function, operators: operators.to_vec() };
    let lowered = lower_program(&db, &[root], &[], setting);
    verified(lowered.module.clone());
    lowered
}

/// Calls `name` with `args` and returns all numbers of its results.
pub(crate) fn run(text: &str, name: &str, args: &[Value]) -> Vec<f64> {
    run_derivative(text, name, &[], args)
}

pub(crate) fn run_derivative(text: &str, name: &str, operators: &[DerivativeOperator], args: &[Value]) -> Vec<f64> {
    let lowered = lower(text, name, operators);
    assert_eq!(lowered.errors, []);
    let mut module = verified(lowered.module);
    let root = lowered.roots[0].unwrap();
    if let Err(errors) = autodiff::expand(&mut module, &[root]) {
        panic!("{}", errors[0]);
    }
    let mut machine = Machine::new(&module, Precision::F64, Limits::default());
    let results = machine.call(root, args).unwrap_or_else(|error| panic!("{error:?}"));
    results.iter().flat_map(numbers).collect()
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Bool(value) => vec![f64::from(u8::from(*value))],
        Value::Int(value) => vec![*value as f64],
        Value::Float(value) => vec![*value],
        Value::Aggregate(parts) => parts.iter().flat_map(numbers).collect(),
        Value::Sum(_) | Value::Handle(_) => Vec::new(),
    }
}

pub(crate) fn float(value: f64) -> Value {
    Value::Float(value)
}

pub(crate) fn int(value: i64) -> Value {
    Value::Int(value)
}

pub(crate) fn vector(values: &[f64]) -> Value {
    Value::Aggregate(values.iter().map(|&value| Value::Float(value)).collect())
}

/// The feature that keeps `name` from being lowered.
pub(crate) fn unsupported(text: &str, name: &str) -> String {
    let lowered = lower(text, name, &[]);
    lowered.errors.first().map(ToString::to_string).unwrap_or_default()
}

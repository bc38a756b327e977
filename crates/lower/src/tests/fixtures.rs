//! Every fixture that is a program of its own: what the front end finds no fault with can be lowered, or is refused by the
//! name of a feature; and types come from the source alone.

use std::path::Path;

use hir_def::{
    body::DerivativeOperator::{self, Backward, Forward},
    item::{self, ItemKind},
    scope,
};
use hir_ty::{differential::rules::derivative_rules, generics, signature::FunctionRef, ty::GenericArgs};
use ir::{Scalar, Type, verify::VerifiedModule};
use test_support::database::with_core_library;

use crate::{Cause, Root, lower_program};

const FOLDERS: [&str; 5] = ["constructs", "derivatives", "gradients", "kernels", "samples"];

/// Name and text of every fixture that needs no other file.
fn fixtures() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut found = Vec::new();
    for folder in FOLDERS {
        for entry in std::fs::read_dir(root.join(folder)).expect("the fixtures are there") {
            let path = entry.expect("the folder can be read").path();
            if path.extension().is_some_and(|extension| extension == "slang") {
                let text = std::fs::read_to_string(&path).expect("a fixture is text");
                found.push((format!("{folder}/{}", path.file_name().unwrap().to_string_lossy()), text));
            }
        }
    }
    let alone =
        |text: &str| !["import ", "__include ", "#include", "implementing "].iter().any(|word| text.contains(word));
    found.retain(|(_, text)| alone(text));
    found.sort();
    assert!(found.len() > 100, "{} fixtures", found.len());
    found
}

#[test]
fn what_is_clean_is_lowered_or_refused_by_name() {
    let mut wrong = Vec::new();
    let (mut db, mut documents) = with_core_library();
    for (name, text) in fixtures() {
        let file = documents.open(&mut db, &format!("/{name}"), &text);
        let mut roots = Vec::new();
        for &item in scope::all_file_items(&db, file) {
            let is_alone = item::container(&db, item).is_none() && generics::parameters(&db, item).is_empty();
            let kind = &item::item_data(&db, item).kind;
            if !is_alone || !matches!(kind, ItemKind::Function(function) if function.has_body) {
                continue;
            }
            let mut ways: Vec<&[DerivativeOperator]> = vec![&[]];
            if derivative_rules(&db, item).backward_differentiable {
                ways.extend([&[Forward][..], &[Backward], &[Forward, Backward]]);
            }
            let function = FunctionRef { item, args: GenericArgs::empty(&db), self_ty: None };
            roots.extend(ways.iter().map(|operators| Root::Function { function, operators: operators.to_vec() }));
        }
        let lowered = lower_program(&db, &roots, &[], crate::Setting::default());
        for error in &lowered.errors {
            if let Cause::Broken(what) = &error.cause {
                wrong.push(format!("{name}: {what} at {:?}", error.span));
            }
        }
        if let Err(rejected) = VerifiedModule::new(lowered.module.clone()) {
            wrong.push(format!("{name}: {}", rejected.errors[0]));
        }
        let text_of_ir = ir::print::print_module(&lowered.module);
        match ir::parse::parse_module(&text_of_ir) {
            Ok(again) if ir::print::print_module(&again) == text_of_ir => {}
            Ok(_) => wrong.push(format!("{name}: its text is another one when it was read")),
            Err(error) => wrong.push(format!("{name}: its text cannot be read: {error}")),
        }
        let has_double = ["double", "Float64", "lf", "LF"].iter().any(|word| text.contains(word));
        if !has_double && lowered.module.types.find(Type::Scalar(Scalar::F64)).is_some() {
            wrong.push(format!("{name}: `double` out of nothing"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

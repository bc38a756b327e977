//! What reverse mode stores for the programs of `fixtures/kernels` and `fixtures/residuals`, and for those of
//! `fixtures/gradients` that are about calls: never more than slangc reports.

use std::process::Command;

use serde_json::Value;
use whole_program_tests::process::Limited as _;
use whole_program_tests::{root, server};

/// The folders with a `slangc_bytes.json`, and how many programs it is about.
const FOLDERS: [(&str, usize); 3] = [("fixtures/kernels", 14), ("fixtures/residuals", 5), ("fixtures/gradients", 8)];

/// Bytes by function, as `slang-analyzer residuals` plans them.
fn planned(kernel: &str) -> Vec<(String, u64)> {
    let file = root().join(format!("{kernel}.slang"));
    let output = Command::new(server())
        .arg("residuals")
        .arg(file)
        .args(["--format", "json"])
        .finished()
        .expect("the analyzer runs");
    assert!(output.status.success(), "{kernel}: {}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("`residuals` prints text");
    let function = |line: &str| {
        let plan: Value = serde_json::from_str(line).expect("`residuals` prints JSON");
        let name = plan["function"].as_str().expect("a plan has a function").to_owned();
        (name, plan["bytes"].as_u64().expect("a plan has bytes"))
    };
    lines.lines().map(function).collect()
}

/// What slangc reports, by the path of the program.
fn reference() -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for (folder, count) in FOLDERS {
        let text =
            std::fs::read_to_string(root().join(folder).join("slangc_bytes.json")).expect("the reference is there");
        let programs: serde_json::Map<String, Value> = serde_json::from_str(&text).expect("the reference is JSON");
        assert_eq!(programs.len(), count, "{folder}");
        found.extend(programs.into_iter().map(|(name, bytes)| (format!("{folder}/{name}"), bytes)));
    }
    found
}

#[test]
fn no_function_stores_more_than_slangc() {
    for (kernel, bytes) in reference() {
        let planned = planned(&kernel);
        for (function, slangc) in bytes["functions"].as_object().expect("bytes by function") {
            let ours = planned.iter().find(|(name, _)| name == function);
            let (_, ours) = ours.unwrap_or_else(|| panic!("{kernel}: no plan of `{function}`"));
            let slangc = slangc.as_u64().expect("a number of bytes");
            assert!(*ours <= slangc, "{kernel}: `{function}` stores {ours} bytes, slangc {slangc}");
        }
    }
}

#[test]
fn no_kernel_stores_more_than_slangc_in_all() {
    for (kernel, bytes) in reference() {
        let ours: u64 = planned(&kernel).iter().map(|(_, bytes)| bytes).sum();
        let slangc = bytes["total"].as_u64().expect("a number of bytes");
        assert!(ours <= slangc, "{kernel} stores {ours} bytes, slangc {slangc}");
    }
}

/// Methods, static functions, members of extensions and namespaces, and instances of generic functions have plans, each
/// under the name that a person would call it by.
#[test]
fn every_differentiable_function_is_listed() {
    let names = |program: &str| -> Vec<String> { planned(program).into_iter().map(|(name, _)| name).collect() };
    let found = names("fixtures/gradients/generic_callee");
    for name in ["Cosines.eval", "Quadratic.eval", "warped<Cosines>", "warped<Quadratic>", "fit"] {
        assert!(found.iter().any(|function| function == name), "{name}: {found:?}");
    }
    let found = names("fixtures/gradients/inout_state");
    for name in ["Integrator.advance", "Integrator.relaxed", "Integrator.energy", "springs.stiffened"] {
        assert!(found.iter().any(|function| function == name), "{name}: {found:?}");
    }
}

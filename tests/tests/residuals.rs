//! What reverse mode stores for the kernels of `fixtures/kernels`: never more than slangc reports.

use std::process::Command;

use serde_json::Value;
use whole_program_tests::process::Limited as _;
use whole_program_tests::{root, server};

/// Bytes by function, as `slang-analyzer residuals` plans them.
fn planned(kernel: &str) -> Vec<(String, u64)> {
    let file = root().join("fixtures/kernels").join(format!("{kernel}.slang"));
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

fn reference() -> serde_json::Map<String, Value> {
    let text =
        std::fs::read_to_string(root().join("fixtures/kernels/slangc_bytes.json")).expect("the reference is there");
    serde_json::from_str(&text).expect("the reference is JSON")
}

#[test]
fn no_function_stores_more_than_slangc() {
    for (kernel, bytes) in &reference() {
        let planned = planned(kernel);
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
    let reference = reference();
    assert_eq!(reference.len(), 13);
    for (kernel, bytes) in &reference {
        let ours: u64 = planned(kernel).iter().map(|(_, bytes)| bytes).sum();
        let slangc = bytes["total"].as_u64().expect("a number of bytes");
        assert!(ours <= slangc, "{kernel} stores {ours} bytes, slangc {slangc}");
    }
}

//! How structs lie in the memory of C++ and CUDA programs: as in those that slangc writes, so that a host fills one buffer
//! for both. What slangc's reflection says is stored beside the program; with `SLANGC` set it is asked again, and with
//! `UPDATE_EXPECT` stored anew. The compilers compare it with what is emitted.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use whole_program_tests::{
    process::{Limited as _, Scratch, output_of},
    programs::analyzer,
    root,
};

const TARGETS: [&str; 2] = ["cpp", "cuda"];

fn program() -> PathBuf {
    root().join("fixtures/bindings/native_layouts.slang")
}

fn slangc_reflection(slangc: &Path, target: &str) -> Value {
    let scratch = Scratch::new("native-layouts");
    let json = scratch.file("reflection.json");
    let mut command = Command::new(slangc);
    command.arg(program()).args(["-target", target, "-matrix-layout-row-major", "-entry", "copy", "-stage", "compute"]);
    command.arg("-o").arg(scratch.file("out")).arg("-reflection-json").arg(&json);
    output_of(&mut command).expect("slangc runs").expect("slangc compiles the program");
    serde_json::from_slice(&std::fs::read(json).expect("slangc writes a file")).expect("JSON")
}

fn bytes(ty: &Value) -> (u64, u64) {
    let sizes = &ty["sizes"][0];
    (sizes["value"].as_u64().expect("a size"), sizes["alignment"].as_u64().expect("an alignment"))
}

/// Lines `target Struct.field offset size alignment` and `target Struct size alignment` for a type and all in it.
fn describe(target: &str, ty: &Value, lines: &mut BTreeSet<String>) {
    match ty["kind"].as_str().expect("a kind") {
        "array" => describe(target, &ty["elementType"], lines),
        "struct" => {
            let name = ty["name"].as_str().expect("a name");
            let (size, align) = bytes(ty);
            lines.insert(format!("{target} {name} {size} {align}"));
            for field in ty["fields"].as_array().expect("fields") {
                let (size, align) = bytes(&field["type"]);
                let offset = field["binding"]["offset"].as_u64().expect("an offset");
                let field_name = field["name"].as_str().expect("a name");
                lines.insert(format!("{target} {name}.{field_name} {offset} {size} {align}"));
                describe(target, &field["type"], lines);
            }
        }
        _ => {}
    }
}

/// The lines of the stored file.
fn expected() -> Vec<String> {
    let stored = program().with_extension("offsets");
    if let Some(slangc) = std::env::var_os("SLANGC").map(PathBuf::from).filter(|path| path.exists()) {
        let mut lines = BTreeSet::new();
        for target in TARGETS {
            let reflection = slangc_reflection(&slangc, target);
            for parameter in reflection["parameters"].as_array().expect("parameters") {
                describe(target, &parameter["type"]["resultType"], &mut lines);
            }
        }
        let said: String = lines.iter().map(|line| format!("{line}\n")).collect();
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&stored, &said).expect("the offsets can be written");
        }
        assert_eq!(said, std::fs::read_to_string(&stored).unwrap_or_default(), "what slangc says");
    }
    let text = std::fs::read_to_string(&stored).expect("the offsets are stored");
    text.lines().map(str::to_owned).collect()
}

/// The emitted program, followed by what the compiler is to compare. `offset` is how it says `offsetof` without headers.
fn with_assertions(target: &str, offset: &str) -> String {
    let path = program();
    let arguments = ["emit", path.to_str().expect("paths are text"), "--target", target, "--entry", "copy"];
    let mut text = String::from_utf8(analyzer(&arguments)).expect("the code is text");
    text += &format!("#define OFFSET(type, field) {offset}\n");
    let mut count = 0;
    for line in expected() {
        let words: Vec<&str> = line.split(' ').collect();
        let condition = match words[..] {
            [of, ..] if of != target => continue,
            [_, name, size, align] => {
                format!("sizeof(shader::{name}) == {size} && alignof(shader::{name}) == {align}")
            }
            [_, field, offset, size, align] => {
                let (name, field) = field.split_once('.').expect("a field of a struct");
                let of = format!("shader::{name}::{field}");
                format!(
                    "OFFSET(shader::{name}, {field}) == {offset} && sizeof({of}) == {size} && \
                     alignof(decltype({of})) == {align}"
                )
            }
            _ => panic!("a line of the stored file: {line}"),
        };
        text += &format!("static_assert({condition}, \"{line}\");\n");
        count += 1;
    }
    assert!(count > 80, "there are offsets for {target}");
    text
}

#[test]
fn cpp_structs_are_laid_out_as_slangc_does() {
    let scratch = Scratch::new("cpp-layouts");
    let file = scratch.write("program.cpp", &with_assertions("cpp", "__builtin_offsetof(type, field)"));
    let flags = ["-std=c++17", "-Wall", "-Werror", "-Wno-unused", "-fsyntax-only"];
    let output = Command::new("g++").args(flags).arg(file).finished().expect("g++ runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn cuda_structs_are_laid_out_as_slangc_does() {
    let library = std::env::var_os("NVRTC").map_or_else(|| root().join("target/tools/libnvrtc.so"), PathBuf::from);
    let scratch = Scratch::new("cuda-layouts");
    let file = scratch.write("program.cu", &with_assertions("cuda", "__INTADDR__(&((type*)0)->field)"));
    let mut command = Command::new("python3");
    let output =
        command.arg(root().join("tests/tools/nvrtc.py")).arg(library).arg(file).finished().expect("nvrtc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

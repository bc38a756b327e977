//! What a shader takes and gives, compared between our SPIR-V and that which Khronos' compiler makes of our GLSL.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::Command,
};

use crate::{
    process::{Limited as _, Scratch},
    server,
    stages::glslang_stage,
};

/// The decorations that both sides of a stage's border must agree on.
const DECORATIONS: &[&str] = &[
    "Location",
    "Component",
    "Index",
    "BuiltIn",
    "Flat",
    "NoPerspective",
    "Centroid",
    "Sample",
    "Patch",
    "PerPrimitiveNV",
    "PerVertexKHR",
];

/// Storage of what stages and the pipeline hand to each other, without the letters of who brought it: programs that print SPIR-V
/// choose one of them.
const STORAGE: &[&str] = &[
    "Input",
    "Output",
    "TaskPayloadWorkgroup",
    "RayPayload",
    "IncomingRayPayload",
    "CallableData",
    "IncomingCallableData",
    "HitAttribute",
];

/// What a module takes and gives, and how.
#[derive(Debug, Default)]
struct Interface {
    /// Variables.
    own: BTreeSet<String>,
    /// What is there whether or not the shader uses it: members of blocks, and what was hit.
    offered: BTreeSet<String>,
    /// The words of the entry point that say how it runs.
    modes: BTreeSet<String>,
}

/// Where our SPIR-V and our GLSL differ in what an entry point takes and gives.
///
/// # Panics
/// If one of the programs does not run.
pub fn difference(scratch: &Scratch, file: &Path, stage: &str, entry: &str) -> Option<String> {
    let (ours, text, theirs) = (scratch.file("ours.spv"), scratch.file("text.glsl"), scratch.file("theirs.spv"));
    for (target, code) in [("spirv", &ours), ("glsl", &text)] {
        let mut command = Command::new(server());
        command.arg("emit").arg(file).args(["--target", target, "--entry", entry, "-o"]).arg(code);
        let output = command.finished().expect("the analyzer runs");
        if !output.status.success() {
            return Some(String::from_utf8_lossy(&output.stderr).into_owned());
        }
    }
    let mut command = Command::new("glslangValidator");
    command.args(["-S", glslang_stage(stage), "--target-env", "vulkan1.3", "-o"]).arg(&theirs).arg(&text);
    let output = command.finished().expect("glslangValidator runs");
    if !output.status.success() {
        return Some(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let (ours, theirs) = (interface(&ours), interface(&theirs));
    assert!(!ours.own.is_empty(), "`{entry}` takes and gives nothing, which was to be compared");
    let added: Vec<&String> =
        ours.own.difference(&theirs.own).filter(|variable| !theirs.offered.contains(*variable)).collect();
    let missing: Vec<&String> = theirs.own.difference(&ours.own).collect();
    let modes: Vec<&String> = match stage {
        // The language has no words for it in this stage.
        "hull" => theirs.modes.difference(&ours.modes).collect(),
        // That compiler says it where the text does not.
        "domain" => ours.modes.difference(&theirs.modes).collect(),
        _ => ours.modes.symmetric_difference(&theirs.modes).collect(),
    };
    let is_same = added.is_empty() && missing.is_empty() && modes.is_empty();
    (!is_same).then(|| format!("{entry}: added {added:#?}, missing {missing:#?}, modes {modes:#?}"))
}

fn interface(module: &Path) -> Interface {
    let output = Command::new("spirv-dis").args(["--raw-id", "--no-header", "--no-indent"]).arg(module).finished();
    let output = output.expect("spirv-dis runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut found = Interface::default();
    // Definitions by their ids; decorations by ids, and by ids and members.
    let mut definitions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut decorations: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["OpDecorate", id, ref rest @ ..] if DECORATIONS.contains(&rest[0]) => {
                decorations.entry((id, "")).or_default().insert(rest.join(" "));
            }
            ["OpMemberDecorate", id, member, ref rest @ ..] if DECORATIONS.contains(&rest[0]) => {
                decorations.entry((id, member)).or_default().insert(rest.join(" "));
            }
            // Sizes of groups are written in two ways; theirs is in ids.
            ["OpExecutionMode", _, mode, ..] if mode != "LocalSize" => {
                found.modes.insert(words[2..].join(" "));
            }
            [id, "=", ref rest @ ..] => {
                definitions.insert(id, rest.to_vec());
            }
            _ => {}
        }
    }
    let of = |id: &str, member: &str| decorations.get(&(id, member)).cloned().unwrap_or_default();
    for (id, definition) in &definitions {
        let ["OpVariable", pointer, storage, ..] = definition[..] else { continue };
        let ["OpTypePointer", _, pointee] = definitions[pointer][..] else { continue };
        let storage = ["KHR", "EXT", "NV"].iter().find_map(|letters| storage.strip_suffix(letters)).unwrap_or(storage);
        if !STORAGE.contains(&storage) {
            continue;
        }
        let inner = element_struct(&definitions, pointee);
        let mut blocks = Vec::new();
        if let ["OpTypeStruct", members @ ..] = &definitions[inner][..] {
            blocks = (0..members.len()).map(|member| of(inner, &member.to_string())).collect();
            blocks.retain(|member| !member.is_empty());
        }
        if blocks.is_empty() {
            let mut said = of(id, "");
            let is_of_pipeline = said.iter().any(|word| word.starts_with("BuiltIn"));
            // Integers of the pipeline have a sign in one of the languages.
            let ty = if is_of_pipeline { String::new() } else { shape(&definitions, pointee) };
            if is_of_pipeline {
                said.remove("Flat");
            }
            // Places of what rays carry are no decorations for that compiler, and it declares what was hit in any case.
            if storage.contains("RayPayload") || storage.contains("CallableData") {
                said.retain(|word| !word.starts_with("Location"));
            }
            let all = if storage == "HitAttribute" { &mut found.offered } else { &mut found.own };
            all.insert(format!("{storage} {} {ty}", said.into_iter().collect::<Vec<_>>().join(" ")));
        } else {
            for member in blocks {
                let words = member.into_iter().collect::<Vec<_>>().join(" ");
                found.offered.insert(format!("{storage} {words} "));
            }
        }
    }
    found
}

/// The struct at the end of arrays.
fn element_struct<'a>(definitions: &BTreeMap<&'a str, Vec<&'a str>>, ty: &'a str) -> &'a str {
    match definitions[ty][..] {
        ["OpTypeArray", element, _] => element_struct(definitions, element),
        _ => ty,
    }
}

/// A type without lengths of arrays, which the host says of patches.
fn shape(definitions: &BTreeMap<&str, Vec<&str>>, ty: &str) -> String {
    match &definitions[ty][..] {
        ["OpTypeArray", element, _] => format!("{}[]", shape(definitions, element)),
        ["OpTypeVector" | "OpTypeMatrix", element, count] => format!("{}x{count}", shape(definitions, element)),
        ["OpTypeStruct", members @ ..] => {
            let members: Vec<String> = members.iter().map(|member| shape(definitions, member)).collect();
            format!("{{{}}}", members.join(", "))
        }
        words => words.join(" "),
    }
}

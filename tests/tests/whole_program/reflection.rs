//! `emit --reflection`, for every program of `fixtures/bindings`: what it says of parameters, types and entry points is what
//! slangc's `-reflection-json` says. That is stored beside the programs as lines; with `SLANGC` set slangc is asked again,
//! and with `UPDATE_EXPECT` the lines are stored anew.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use whole_program_tests::{
    process::{Limited as _, Scratch},
    programs::{analyzer, binding_fixtures},
};

const TARGETS: [&str; 6] = ["cpp", "cuda", "glsl", "hlsl", "metal", "wgsl"];

/// Programs that have no code for a target.
const REFUSED: [(&str, &str); 10] = [
    ("block_alone", "metal"),
    ("declaration_order", "cpp"),
    ("declaration_order", "cuda"),
    ("parameter_blocks", "cpp"),
    ("parameter_blocks", "cuda"),
    ("parameter_blocks", "metal"),
    ("push_constants", "wgsl"),
    ("written_places", "cpp"),
    ("written_places", "cuda"),
    ("written_places", "metal"),
];

fn targets(program: &Path) -> impl Iterator<Item = &'static str> + use<'_> {
    let is_refused = move |target: &str| {
        REFUSED.iter().any(|(name, other)| program.ends_with(format!("{name}.slang")) && *other == target)
    };
    TARGETS.into_iter().filter(move |target| !is_refused(target))
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("a reflection is JSON")
}

/// A document as lines that can be compared. Left out is what the two mean differently: registers of what holds resources
/// and of parameters of entry points, where slangc counts from the block or entry point on and we say where things are; where
/// parameters of C++ and CUDA are, which slangc has in a struct; and
/// whether a constant buffer within another has a space of its own.
fn facts(target: &str, document: &Value) -> BTreeSet<String> {
    let mut facts = BTreeSet::new();
    let parameters = |of: &Value, prefix: &str, facts: &mut BTreeSet<String>| {
        for parameter in of.as_array().into_iter().flatten() {
            let name = format!("{target} {prefix}{}", parameter["name"].as_str().unwrap_or("?"));
            if let Some(semantic) = parameter["semanticName"].as_str() {
                // The names of these are not known.
                facts.insert(format!("{target} {prefix}{semantic}"));
                continue;
            }
            let kind = parameter["binding"]["kind"].as_str();
            let is_relative = !prefix.is_empty() && kind != Some("uniform");
            let is_argument = ["cpp", "cuda"].contains(&target);
            if !is_argument && !is_relative && !holds_resources(&parameter["type"]) && kind.is_some() {
                let mut binding = parameter["binding"].clone();
                binding.as_object_mut().map(|binding| binding.remove("count"));
                facts.insert(format!("{name}: {binding}"));
            }
            describe(&name, &parameter["type"], facts);
        }
    };
    parameters(&document["parameters"], "", &mut facts);
    for entry in document["entryPoints"].as_array().into_iter().flatten() {
        let name = entry["name"].as_str().unwrap_or("?");
        parameters(&entry["parameters"], &format!("{name} "), &mut facts);
        facts.insert(format!("{target} {name}: {} {}", entry["stage"], entry["threadGroupSize"]));
    }
    facts
}

fn holds_resources(ty: &Value) -> bool {
    let is_data = |ty: &Value| ["scalar", "vector", "matrix", "array", "struct"].iter().any(|kind| ty["kind"] == *kind);
    let mut fields = [&ty["fields"], &ty["elementType"]["fields"]].into_iter().flat_map(|fields| fields.as_array());
    fields.any(|fields| fields.iter().any(|field| !is_data(&field["type"]) || holds_resources(&field["type"])))
}

fn describe(name: &str, ty: &Value, facts: &mut BTreeSet<String>) {
    let mut own = serde_json::Map::new();
    for key in ["kind", "scalarType", "elementCount", "rowCount", "columnCount", "baseShape", "access", "uniformStride"]
    {
        if let Some(value) = ty.get(key) {
            own.insert(key.to_owned(), value.clone());
        }
    }
    if name.matches('.').count() > 1 && ty["kind"] == "parameterBlock" {
        own["kind"] = "constantBuffer".into();
    }
    let sizes = ty["sizes"].as_array().into_iter().flatten();
    let in_memory: Vec<&Value> = sizes.filter(|size| size["kind"] == "uniform").collect();
    // slangc says of data with resources in it how many there are, too.
    let is_data = ["scalar", "vector", "matrix", "array", "struct"].iter().any(|kind| ty["kind"] == *kind);
    if !in_memory.is_empty() && is_data {
        own.insert("sizes".to_owned(), json!(in_memory));
    }
    facts.insert(format!("{name}: {}", Value::Object(own)));
    for key in ["elementType", "resultType"] {
        if ty.get(key).is_some() {
            describe(&format!("{name}.{key}"), &ty[key], facts);
        }
    }
    for field in ty["fields"].as_array().into_iter().flatten() {
        let name = format!("{name}.{}", field["name"].as_str().unwrap_or("?"));
        if field["binding"]["kind"] == "uniform" {
            facts.insert(format!("{name}: {}", field["binding"]));
        }
        describe(&name, &field["type"], facts);
    }
}

fn slangc_facts(slangc: &Path, file: &Path, scratch: &Scratch) -> BTreeSet<String> {
    let of_target = |target: &str| {
        let (code, reflection) = (scratch.file("code"), scratch.file("theirs.json"));
        let output = Command::new(slangc)
            .arg(file)
            .args(["-target", target, "-profile", "sm_6_6", "-matrix-layout-row-major", "-entry", "main"])
            .args(["-stage", "compute", "-o"])
            .arg(&code)
            .arg("-reflection-json")
            .arg(&reflection)
            .finished()
            .expect("slangc runs");
        assert!(output.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
        facts(target, &read(&reflection))
    };
    targets(file).flat_map(of_target).collect()
}

#[test]
fn reflections_say_what_slangc_says() {
    let scratch = Scratch::new("reflection");
    let slangc = std::env::var_os("SLANGC").map(PathBuf::from).filter(|path| path.exists());
    for program in binding_fixtures() {
        let file = program.to_str().expect("paths are text");
        let stored = program.with_extension("reflection");
        if let Some(slangc) = &slangc {
            let facts = slangc_facts(slangc, &program, &scratch);
            let text: String = facts.iter().map(|line| format!("{line}\n")).collect();
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                std::fs::write(&stored, &text).expect("the fixtures can be written");
            }
            let kept = std::fs::read_to_string(&stored).unwrap_or_default();
            assert_eq!(kept, text, "{file}: what is stored is not what slangc says");
        }
        let expected = std::fs::read_to_string(&stored).unwrap_or_else(|error| panic!("{}: {error}", stored.display()));
        let expected: BTreeSet<String> = expected.lines().map(str::to_owned).collect();
        let mut found = BTreeSet::new();
        for target in targets(&program) {
            let (code, reflection) = (scratch.file("code"), scratch.file("ours.json"));
            let path = |path: &PathBuf| path.to_str().expect("paths are text").to_owned();
            analyzer(&[
                "emit",
                file,
                "--target",
                target,
                "--entry",
                "main",
                "-o",
                &path(&code),
                "--reflection",
                &path(&reflection),
            ]);
            found.extend(facts(target, &read(&reflection)));
        }
        let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>().join("\n");
        let (missing, more) = (only(&expected, &found), only(&found, &expected));
        assert!(missing.is_empty() && more.is_empty(), "{file}\nslangc alone:\n{missing}\nwe alone:\n{more}");
    }
}

const STAGES: &str = "
struct Handed { float4 place : SV_Position; float2 uv : TEXCOORD; nointerpolation uint id : NUMBER3; float last : LAST; }
struct Results { float4 first : SV_Target0; float2 second : SV_Target1; float depth : SV_Depth; }
struct Given { float3 position : POSITION; float2 uv : TEXCOORD1; uint id : NUMBER; }
[shader(\"vertex\")] Handed vertex(Given given, uint number : SV_VertexID)
{
    Handed to = {};
    to.place = float4(given.position, given.uv.x);
    to.id = given.id + number;
    return to;
}
[shader(\"fragment\")] Results fragment(Handed from, bool front : SV_IsFrontFace)
{
    return { float4(from.uv, 0.0, from.last), from.uv, front ? float(from.id) : 0.5 };
}
[shader(\"fragment\")] float4 alone(float3 color : COLOR, sample float2 other : TEXCOORD3) : SV_Target
{
    return float4(color, other.x);
}
";

/// What stages hand to each other, without the structs that slangc has around it: a line for each value.
fn handed(document: &Value, prefix: &str, lines: &mut BTreeSet<String>) {
    for field in document["type"]["fields"].as_array().into_iter().flatten() {
        handed(field, prefix, lines);
    }
    if document["type"]["kind"] != "struct" {
        let mut ty = document["type"].clone();
        ty.as_object_mut().map(|ty| ["elementType", "uniformStride"].map(|key| ty.remove(key)));
        let words =
            [&document["semanticName"], &document["semanticIndex"], &document["binding"], &document["stage"], &ty];
        let mut line = prefix.to_owned();
        words.into_iter().for_each(|word| line += &format!(" {word}"));
        lines.insert(line);
    }
}

/// slangc itself is asked, where it is there.
#[test]
fn stages_hand_each_other_what_slangc_says() {
    let scratch = Scratch::new("handed");
    let file = scratch.write("stages.slang", STAGES);
    let (code, json) = (scratch.file("code"), scratch.file("reflection.json"));
    let path = |path: &PathBuf| path.to_str().expect("paths are text").to_owned();
    let slangc = std::env::var_os("SLANGC").map(PathBuf::from).filter(|path| path.exists());
    let handed_by = |entry: &str| {
        let document = read(&json);
        let entries = document["entryPoints"].as_array().expect("entry points");
        let found = entries.iter().find(|found| found["name"] == entry).expect("the entry point");
        let mut lines = BTreeSet::new();
        found["parameters"].as_array().into_iter().flatten().for_each(|input| handed(input, "in", &mut lines));
        handed(&found["result"], "out", &mut lines);
        lines
    };
    for (entry, stage, count) in [("vertex", "vertex", 8), ("fragment", "fragment", 8), ("alone", "fragment", 3)] {
        for target in ["hlsl", "glsl", "wgsl"] {
            let file = path(&file);
            let arguments = ["emit", &file, "--target", target, "--entry", entry, "-o", &path(&code)];
            analyzer(&[&arguments[..], &["--reflection", &path(&json)]].concat());
            let ours = handed_by(entry);
            assert_eq!(ours.len(), count, "{ours:#?}");
            if let Some(slangc) = &slangc {
                let mut command = Command::new(slangc);
                command.args([&file, "-target", target, "-profile", "sm_6_6", "-entry", entry, "-stage", stage, "-o"]);
                let output = command.arg(&code).arg("-reflection-json").arg(&json).finished().expect("slangc runs");
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                assert_eq!(ours, handed_by(entry), "{target} {entry}");
            }
        }
    }
}

//! Entry points of all stages, compiled for each language and given to its own compiler.

use std::{path::Path, process::Command};

use crate::{
    process::{Limited as _, Scratch},
    root, server,
};

/// What is wrong with the code of an entry point: what the analyzer says, or what the language's compiler says of it.
///
/// # Panics
/// If one of the programs does not run.
pub fn complaint(scratch: &Scratch, file: &Path, target: &str, stage: &str, entry: &str) -> Option<String> {
    let code = scratch.file(&format!("code.{target}"));
    let mut command = Command::new(server());
    command.arg("emit").arg(file).args(["--target", target, "--entry", entry, "-o"]).arg(&code);
    let output = command.finished().expect("the analyzer runs");
    if !output.status.success() {
        return Some(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let words = words_of(stage);
    let mut command = match target {
        "hlsl" => {
            let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), Into::into);
            let mut command = Command::new(dxc);
            command.arg(&code).args(["-T", words.profile, "-enable-16bit-types", "-HV", "2021", "-WX"]);
            if !words.profile.starts_with("lib") {
                command.args(["-E", entry]);
            }
            command
        }
        "glsl" => {
            let mut command = Command::new("glslangValidator");
            command.args(["-S", words.glslang, "--target-env", "vulkan1.3"]).arg(&code).current_dir(&scratch.0);
            command
        }
        "spirv" => {
            let mut command = Command::new("spirv-val");
            command.args(["--target-env", "vulkan1.3"]).arg(&code);
            command
        }
        // The library that writes it has looked at it.
        _ => return None,
    };
    let output = command.finished().expect("the compiler runs");
    if output.status.success() {
        return None;
    }
    let said = [output.stdout, output.stderr].concat();
    let code = std::fs::read(&code).unwrap_or_default();
    let code = if target == "spirv" { String::new() } else { String::from_utf8_lossy(&code).into_owned() };
    Some(format!("{}\n{code}", String::from_utf8_lossy(&said)))
}

/// What Khronos' compiler calls a stage.
pub fn glslang_stage(stage: &str) -> &'static str {
    words_of(stage).glslang
}

/// What the compilers call a stage.
struct Words {
    profile: &'static str,
    glslang: &'static str,
}

fn words_of(stage: &str) -> Words {
    let (profile, glslang) = match stage {
        "vertex" => ("vs_6_6", "vert"),
        "fragment" => ("ps_6_6", "frag"),
        "raygeneration" => ("lib_6_6", "rgen"),
        "closesthit" => ("lib_6_6", "rchit"),
        "anyhit" => ("lib_6_6", "rahit"),
        "miss" => ("lib_6_6", "rmiss"),
        "intersection" => ("lib_6_6", "rint"),
        "callable" => ("lib_6_6", "rcall"),
        "mesh" => ("ms_6_6", "mesh"),
        "amplification" => ("as_6_6", "task"),
        "geometry" => ("gs_6_6", "geom"),
        "hull" => ("hs_6_6", "tesc"),
        "domain" => ("ds_6_6", "tese"),
        _ => ("cs_6_6", "comp"),
    };
    Words { profile, glslang }
}

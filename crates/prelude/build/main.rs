//! Lists the files of the core library for `src/lib.rs`, with their segments, so that no process has to look for them.

#![expect(clippy::print_stdout, reason = "so it talks to Cargo")]

mod glsl_textures;
mod textures;

use std::{env, error::Error, fmt::Write, fs, path::Path};

use syntax::segment::{Segment, SegmentKind, declared_name, segment};

/// The files in the order in which their declarations are found. Those that `slang/` lacks are generated.
const FILES: [&str; 34] = [
    "types",
    "interfaces",
    "operators",
    "autodiff",
    "math_unary",
    "math_several",
    "vector",
    "matrix",
    "bits",
    "packing",
    "buffers",
    "resources",
    "textures",
    "samplers",
    "textures_writable",
    "texture_shapes",
    "textures_by_shape",
    "atomics",
    "wave",
    "ray_tracing",
    "ray_query",
    "hit_object",
    "geometry",
    "wave_mask",
    "wave_multi",
    "casts",
    "pointers",
    "stages",
    "torch",
    "descriptors",
    "coop_vec",
    "coop_mat",
    "linalg",
    "pipeline",
];

/// The files of GLSL's library, in the order in which their declarations are found.
const GLSL_FILES: [&str; 7] = [
    "glsl_types",
    "glsl_math",
    "glsl_operators",
    "glsl_variables",
    "glsl_synchronization",
    "glsl_subgroups",
    "glsl_textures",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=slang");
    let folder = env::var("OUT_DIR")?;
    let generated: Vec<(&str, String)> = textures::files().into_iter().chain([glsl_textures::file()]).collect();
    let mut lists = String::new();
    lists.push_str(&list("FILES", &FILES, &generated, &folder)?);
    lists.push_str(&list("GLSL_FILES", &GLSL_FILES, &generated, &folder)?);
    fs::write(Path::new(&folder).join("files.rs"), lists)?;
    Ok(())
}

/// The rows of a segment and its members, as `File::segments` reads them.
fn describe(segment: &Segment, rows: &mut String) -> Result<(), Box<dyn Error>> {
    let kind = SegmentKind::ALL.iter().position(|kind| *kind == segment.kind).ok_or("a kind that is not listed")?;
    let flags = usize::from(segment.has_directives) | usize::from(segment.open_ended) << 1;
    let (header, body, members) = (segment.header.len(), segment.body.len(), segment.members.len());
    write!(rows, "[{}, {header}, {body}, {members}], ", kind << 2 | flags)?;
    segment.members.iter().try_for_each(|member| describe(member, rows))
}

/// The constant `name`, a list of files.
fn list(name: &str, files: &[&str], generated: &[(&str, String)], folder: &str) -> Result<String, Box<dyn Error>> {
    let written = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("slang");
    let mut list =
        format!("/// The files, in the order in which their declarations are found.\npub const {name}: &[File] = &[\n");
    for name in files {
        let path = match generated.iter().find(|(own, _)| own == name) {
            Some((_, text)) => {
                let path = Path::new(folder).join(format!("{name}.slang"));
                fs::write(&path, text)?;
                path
            }
            None => written.join(format!("{name}.slang")),
        };
        let text = fs::read_to_string(&path)?;
        let (mut outline, mut declared) = (String::new(), String::new());
        for segment in segment(&text) {
            describe(&segment, &mut outline)?;
            write!(declared, "{:?}, ", declared_name(&text[segment.header]))?;
        }
        let read = format!("outline: &[{outline}], declared: &[{declared}]");
        writeln!(list, "    File {{ name: {name:?}, text: include_str!({path:?}), {read} }},")?;
    }
    list.push_str("];\n");
    Ok(list)
}

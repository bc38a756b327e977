//! Where a host finds the parameters of a program, for every program of `fixtures/bindings`: as slangc says. What slangc
//! says is stored beside the programs; with `SLANGC` set it is asked again, and with `UPDATE_EXPECT` stored anew.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use gpu::{Binding, Gpu, Resource};
use serde_json::Value;
use whole_program_tests::{
    process::{Limited as _, Scratch, output_of},
    programs::{analyzer, binding_fixtures, bring_spirv, spirv_words},
    root, server,
};

const TARGETS: [&str; 4] = ["glsl", "hlsl", "wgsl", "metal"];

fn slangc() -> Option<PathBuf> {
    std::env::var_os("SLANGC").map(PathBuf::from).filter(|path| path.exists())
}

/// What slangc writes.
fn slangc_text(slangc: &Path, file: &Path, target: &str) -> String {
    let output = Command::new(slangc)
        .arg(file)
        .args(["-target", target, "-profile", "sm_6_6", "-matrix-layout-row-major", "-entry", "main"])
        .args(["-stage", "compute"])
        .finished()
        .expect("slangc runs");
    assert!(output.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A line for each parameter that a text declares: the target, the name, the place.
fn places(target: &str, text: &str) -> BTreeSet<String> {
    let found = match target {
        "hlsl" => hlsl_places(text),
        "glsl" => glsl_places(text),
        "metal" => metal_places(text),
        _ => wgsl_places(text),
    };
    found.into_iter().map(|(name, place)| format!("{target} {} {place}", source_name(&name))).collect()
}

/// The name without what slangc puts around it.
fn source_name(name: &str) -> String {
    let name = name.trim_end_matches('_');
    let name = match name.rsplit_once('_') {
        Some((name, number)) if number.chars().all(|c| c.is_ascii_digit()) => name,
        _ => name,
    };
    let name = name.strip_suffix("_buffer").unwrap_or(name);
    let group = |prefix| name.strip_prefix(prefix);
    group("entryPointParams_").or(group("globalParams_")).unwrap_or(name).to_owned()
}

fn last_word(text: &str) -> &str {
    let text = text.split(['[', '=']).next().unwrap_or_default().trim();
    text.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default()
}

/// `StructuredBuffer<float> source : register(t3, space1);`
fn hlsl_places(text: &str) -> Vec<(String, String)> {
    let declarations = text.lines().filter_map(|line| line.split_once(": register("));
    declarations
        .filter_map(|(declaration, register)| {
            let register = register.split_once(')')?.0;
            let place = if register.contains("space") { register.to_owned() } else { format!("{register}, space0") };
            Some((last_word(declaration).to_owned(), place))
        })
        .collect()
}

/// `layout(binding = 3, set = 1) layout(std140) uniform … name;`
fn glsl_places(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("layout(") {
        rest = &rest[start..];
        let mut words: Vec<String> = Vec::new();
        while let Some(list) = rest.trim_start().strip_prefix("layout(") {
            let Some((list, after)) = list.split_once(')') else { break };
            words.extend(list.split(',').map(|word| word.replace(' ', "")));
            rest = after;
        }
        let (mut depth, mut end) = (0, rest.len());
        for (at, c) in rest.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ';' if depth == 0 => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        let declaration = &rest[..end];
        rest = &rest[end..];
        let number = |key: &str| words.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('=')?.parse().ok());
        let (set, binding): (Option<u32>, Option<u32>) = (number("set"), number("binding"));
        let has = |wanted: &str| words.iter().any(|word| word == wanted);
        let place = match (binding, number("constant_id")) {
            (Some(binding), _) => format!("{}, {binding}", set.unwrap_or(0)),
            (None, Some(constant)) => format!("constant {constant}"),
            (None, None) if has("push_constant") => "push".to_owned(),
            (None, None) => continue,
        };
        let name = match declaration.split_once('{') {
            Some((head, _)) => {
                let instance = declaration.rsplit_once('}').map_or("", |(_, instance)| instance.trim());
                if instance.is_empty() { last_word(head) } else { last_word(instance) }
            }
            None => last_word(declaration),
        };
        let is_block = declaration.contains('{');
        let layout = ["std140", "std430", "scalar"].into_iter().find(|layout| has(layout)).filter(|_| is_block);
        found.push((name.to_owned(), format!("{place} {}", layout.unwrap_or_default()).trim().to_owned()));
    }
    found
}

/// `const device float* source [[buffer(3)]]`, `constant int fc_name [[function_constant(3)]]`
fn metal_places(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for declaration in text.split("]]") {
        let Some((declaration, place)) = declaration.rsplit_once("[[") else { continue };
        let is_place = ["buffer(", "texture(", "sampler(", "function_constant("];
        if is_place.iter().any(|kind| place.starts_with(kind)) {
            let name = declaration.trim().rsplit([' ', '*', '\n']).next().unwrap_or_default();
            let name = name.strip_prefix("fc_").or_else(|| name.strip_suffix("_given")).unwrap_or(name);
            found.push((name.to_owned(), place.replace("function_constant(", "constant(")));
        }
    }
    found
}

/// `@binding(3) @group(1) var<storage, read> name : …`, `@id(3) override name : i32`
fn wgsl_places(text: &str) -> Vec<(String, String)> {
    let text = text.replace(") \n", ") ").replace(")\n", ") ");
    let number = |line: &str, key: &str| {
        let (_, rest) = line.split_once(key)?;
        rest.split_once(')').map(|(number, _)| number.trim().to_owned())
    };
    let mut found = Vec::new();
    for line in text.lines() {
        let head = line.split([':', '=']).next().unwrap_or_default();
        match (number(line, "@group("), number(line, "@binding("), number(line, "@id(")) {
            (Some(group), Some(binding), _) => found.push((last_word(head).to_owned(), format!("{group}, {binding}"))),
            (_, _, Some(id)) if line.contains("override") => {
                found.push((last_word(head).to_owned(), format!("constant {id}")));
            }
            _ => {}
        }
    }
    found
}

/// What a target cannot say is refused by name, not said otherwise.
const REFUSED: &[(&str, &str, &str)] = &[
    ("push_constants.slang", "wgsl", "`pushed`: push constants are not supported for target `wgsl`"),
    (
        "block_alone.slang",
        "metal",
        "`block`: a parameter block with resources in it is not supported for target `metal`",
    ),
    (
        "parameter_blocks.slang",
        "metal",
        "`outer`: a parameter block with resources in it is not supported for target `metal`",
    ),
    ("written_places.slang", "metal", "`source`: a register space is not supported for target `metal`"),
];

#[test]
fn parameters_are_where_slangc_puts_them() {
    for file in binding_fixtures() {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        let stored = file.with_extension("places");
        if let Some(slangc) = slangc() {
            let lines: Vec<String> =
                TARGETS.iter().flat_map(|target| places(target, &slangc_text(&slangc, &file, target))).collect();
            let said = lines.join("\n") + "\n";
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                std::fs::write(&stored, &said).expect("the places can be written");
            }
            assert_eq!(said, std::fs::read_to_string(&stored).unwrap_or_default(), "{name}: what slangc says");
        }
        let expected = std::fs::read_to_string(&stored).expect("the places are stored");
        for target in TARGETS {
            let path = file.to_str().expect("paths are text");
            let arguments = ["emit", path, "--target", target, "--entry", "main"];
            if let Some((.., message)) = REFUSED.iter().find(|(other, of, _)| (*other, *of) == (name, target)) {
                let output = Command::new(server()).args(arguments).finished().expect("the analyzer runs");
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(!output.status.success() && said.contains(message), "{name} as {target}: {said}");
                continue;
            }
            let text = String::from_utf8(analyzer(&arguments)).expect("a text");
            let of_target = |line: &&str| line.split(' ').next() == Some(target);
            let wanted: BTreeSet<String> = expected.lines().filter(of_target).map(str::to_owned).collect();
            assert_eq!(places(target, &text), wanted, "{name} as {target}\n{text}");
        }
    }
}

/// The targets without pointers.
/// Targets that do not know memory by its address.
const WITHOUT_ADDRESSES: &[&str] = &["hlsl", "wgsl"];

/// Programs that a target or all targets cannot have, and what is said of them.
const IMPOSSIBLE: &[(&str, &[&str], &str)] = &[
    (
        "[[vk::push_constant]] ConstantBuffer<S> first; [[vk::push_constant]] ConstantBuffer<S> second;
         [numthreads(1, 1, 1)] void main() { result[0] = first.x + second.x; }",
        &["glsl", "spirv"],
        "`second`: a program can have one block of push constants, and `first` is one",
    ),
    (
        "[[vk::push_constant]] ConstantBuffer<S> first;
         [numthreads(1, 1, 1)] void main(uniform float k) { result[0] = first.x + k; }",
        &["glsl", "spirv"],
        "`entryPointParams`: a program can have one block of push constants, and `first` is one",
    ),
    (
        "StructuredBuffer<float> a : register(t2); StructuredBuffer<float> b : register(t2);
         [numthreads(1, 1, 1)] void main() { result[0] = a[0] + b[0]; }",
        &["hlsl", "wgsl"],
        "`b` and `a` are both bound to 2 in space 0",
    ),
    (
        "[[vk::binding(5, 2)]] StructuredBuffer<float> a; [[vk::binding(5, 2)]] ConstantBuffer<S> b;
         [numthreads(1, 1, 1)] void main() { result[0] = a[0] + b.x; }",
        &["wgsl"],
        "`b` and `a` are both bound to 5 in space 2",
    ),
    (
        "StructuredBuffer<float> a : register(u3); [numthreads(1, 1, 1)] void main() { result[0] = a[0]; }",
        &["hlsl", "glsl", "wgsl", "spirv"],
        "E31222]: invalid register name 'u3'",
    ),
    (
        "ConstantBuffer<S> a : register(t3); [numthreads(1, 1, 1)] void main() { result[0] = a.x; }",
        &["hlsl", "glsl", "wgsl", "spirv"],
        "E31222]: invalid register name 't3'",
    ),
    (
        "Texture2D<float> a : register(t3) : register(s1); [numthreads(1, 1, 1)] void main() { result[0] = 0; }",
        &["hlsl", "glsl", "wgsl", "spirv"],
        "`a`: `register(s1)` on a parameter that cannot have a register of this class",
    ),
    (
        "StructuredBuffer<float> a : register(space4); [numthreads(1, 1, 1)] void main() { result[0] = a[0]; }",
        &["hlsl", "glsl", "wgsl", "spirv"],
        "E31222]: invalid register name 'space4'",
    ),
    (
        "uniform S* s; [numthreads(1, 1, 1)] void main() { result[0] = s[1].x; }",
        WITHOUT_ADDRESSES,
        "`s` is a pointer, an address that the host gives: not supported for this target",
    ),
    (
        "[numthreads(1, 1, 1)] void main(uniform Ptr<S> s, uniform float* q) { result[0] = s.x; q[1] = s.x; }",
        WITHOUT_ADDRESSES,
        "`s` is a pointer, an address that the host gives: not supported for this target",
    ),
    (
        "struct H { float* p; int n; } ConstantBuffer<H> h;
         [numthreads(1, 1, 1)] void main() { result[0] = h.p[h.n]; }",
        WITHOUT_ADDRESSES,
        "`h.p` is a pointer, an address that the host gives: not supported for this target",
    ),
    (
        "struct H { float* p; int n; } RWStructuredBuffer<H> h;
         [numthreads(1, 1, 1)] void main() { result[0] = *h[0].p; }",
        WITHOUT_ADDRESSES,
        "buffers, textures and pointers in buffers are not supported for this target",
    ),
    (
        "[numthreads(1, 1, 1)] void main(uniform uint64_t q) { float* p = (float*)q; result[0] = *p; }",
        WITHOUT_ADDRESSES,
        "a buffer or pointer that is chosen at run time is not supported for this target",
    ),
    (
        "TextureBuffer<S> a; [numthreads(1, 1, 1)] void main() { result[0] = a.x; }",
        &["hlsl"],
        "`a`: a `TextureBuffer` is not supported for target `hlsl` yet",
    ),
    (
        "tbuffer A { float a; } [numthreads(1, 1, 1)] void main() { result[0] = a; }",
        &["hlsl"],
        "`A`: a `TextureBuffer` is not supported for target `hlsl` yet",
    ),
    (
        "struct H { TextureBuffer<S> a[2]; } ParameterBlock<H> a; [numthreads(1, 1, 1)] void main() { result[0] = a.a[0].x; }",
        &["hlsl"],
        "`a`: a `TextureBuffer` is not supported for target `hlsl` yet",
    ),
    (
        "[vk::constant_id(0)] const int COUNT = 4; groupshared float g[COUNT];
         [numthreads(1, 1, 1)] void main() { g[0] = 1; result[0] = g[0]; }",
        &["hlsl", "glsl", "wgsl", "spirv"],
        "`COUNT`, whose value is not known when the program is compiled, in a type or attribute is not supported yet",
    ),
    (
        "[SpecializationConstant] const int COUNT = 4; struct T { float a[COUNT * 2]; }
         [numthreads(1, 1, 1)] void main() { T t; t.a[0] = 1; result[0] = t.a[0]; }",
        &["hlsl", "glsl", "wgsl", "spirv"],
        "`COUNT`, whose value is not known when the program is compiled, in a type or attribute is not supported yet",
    ),
    (
        "extern static const int COUNT;
         [numthreads(1, 1, 1)] void main() { float a[COUNT]; a[0] = 1; result[0] = a[0]; }",
        &["hlsl", "glsl", "wgsl", "spirv"],
        "`COUNT`, whose value is not known when the program is compiled, in a type or attribute is not supported yet",
    ),
    (
        "[SpecializationConstant] const int COUNT = 4;
         [numthreads(COUNT, 1, 1)] void main() { result[0] = 1; }",
        &["hlsl", "glsl", "wgsl", "spirv"],
        "`COUNT`, which only the host knows, as the size of a group is not supported yet",
    ),
];

/// slangc refuses the registers (E31222) and writes the others as they are, which the targets' compilers refuse; of
/// addresses it makes what Vulkan has for them, or an error.
#[test]
fn what_a_target_cannot_have_is_refused_by_name() {
    let scratch = Scratch::new("impossible");
    for (program, targets, message) in IMPOSSIBLE {
        let file = scratch
            .write("program.slang", &format!("struct S {{ float x; }} RWStructuredBuffer<float> result;\n{program}"));
        for target in *targets {
            let mut command = Command::new(server());
            command.args(["emit", file.to_str().expect("paths are text"), "--target", target, "--entry", "main"]);
            let output = command.finished().expect("the analyzer runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && said.contains(message), "{target}: {program}: {said}");
        }
    }
}

/// slangc makes data that the host provides of the constants for C++ and CUDA; in ours they are parameters like others.
#[test]
fn specialization_constants_are_the_hosts() {
    let emit = |target| {
        let file = root().join("fixtures/bindings/specialization_constants.slang");
        let path = file.to_str().expect("paths are text");
        String::from_utf8(analyzer(&["emit", path, "--target", target, "--entry", "main"])).expect("the code is text")
    };
    let cuda = emit("cuda").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        cuda.contains("main_kernel(int count, float scale, bool flag, float* result, uint result_count, "),
        "{cuda}"
    );
    let scratch = Scratch::new("constants");
    let cpp = format!(
        "{}int main()
{{
    const int count = 3;
    const float scale = 5;
    const bool flag = true;
    const shader::Data_Values data = {{0.25f}};
    float result[8] = {{}};
    shader::run_main(1, 1, 1, &count, &scale, &flag, result, 8, &data);
    std::printf(\"%g\", result[7]);
}}
",
        emit("cpp")
    );
    let (source, program) = (scratch.write("driver.cpp", &cpp), scratch.file("driver"));
    let compiled = output_of(Command::new("g++").arg("-std=c++17").arg(&source).arg("-o").arg(&program));
    compiled.expect("g++ runs").expect("g++ compiles the program");
    let printed = output_of(&mut Command::new(&program)).expect("the program runs").expect("it ends well");
    assert_eq!(printed, "15.25");
}

/// The host's values are put in as a driver does it, and the program runs with them on the device.
#[test]
fn specialization_constants_are_those_of_spirv() {
    let file = root().join("fixtures/bindings/specialization_constants.slang");
    let path = file.to_str().expect("paths are text");
    let words = analyzer(&["emit", path, "--target", "spirv", "--entry", "main"]);
    let scratch = Scratch::new("constants");
    let (module, fixed) = (scratch.file("module.spv"), scratch.file("fixed.spv"));
    std::fs::write(&module, words).expect("the module can be written");
    let gpu = Gpu::new().expect("a Vulkan device: install mesa-vulkan-drivers and libvulkan1");
    // The number of `scale` is the first that no other constant has.
    for (values, expected) in [("3:4", 8.25), ("3:3 0:5.0", 15.25), ("3:3 7:false", 0.0)] {
        let mut command = Command::new("spirv-opt");
        command.args(["--set-spec-const-default-value", values]).arg(&module).arg("-o").arg(&fixed);
        output_of(&mut command).expect("spirv-opt runs").expect("spirv-opt takes the module");
        let words = spirv_words(&std::fs::read(&fixed).expect("the module can be read"));
        let shader = bring_spirv(&gpu, &words).expect("the module is valid");
        let mut buffers = [vec![0; 8], vec![0.25f32.to_bits(), 0, 0, 0]];
        let bindings: Vec<Binding> =
            [0, 1].map(|at| Binding { set: 0, binding: at, resource: Resource::Buffer(at as usize) }).into();
        gpu.run_shader(&shader, "main", [1, 1, 1], &bindings, &mut buffers).expect("it runs");
        assert_eq!(f32::from_bits(buffers[0][7]), expected, "{values}");
    }
}

#[test]
fn the_list_of_programs_names_every_file() {
    let list = std::fs::read_to_string(root().join("fixtures/bindings/README.md")).expect("the list can be read");
    let named = |path: &Path| format!("`{}`", path.file_name().and_then(|name| name.to_str()).unwrap_or_default());
    let missing: Vec<String> =
        binding_fixtures().iter().map(|path| named(path)).filter(|name| !list.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The words at which slangc's reflection puts the scalars of `Fields`, without the `bool`.
const CONSTANT: &[u32] = &[
    0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 20, 21, 22, 23, 24, 28, 32, 36, 37, 40, 41, 44, 45, 46, 48, 49, 50, 52,
    53, 56, 57, 58, 59, 60, 61, 64, 65, 66, 67, 68, 69, 72, 73, 76, 77, 80, 81, 84, 85, 88, 89, 90, 92, 93, 94, 96, 97,
    98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113,
];
const STRUCTURED: &[u32] = &[
    0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 20, 21, 22, 23, 24, 25, 26, 28, 29, 30, 31, 32, 33, 34, 36, 37, 38, 40,
    41, 44, 45, 46, 47, 48, 49, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 68, 69, 70, 72, 73, 74, 76, 77,
    78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93,
];

/// The bytes of one element of `structured`.
const STRIDE: u32 = 384;

fn slangc_reflection(slangc: &Path, file: &Path) -> Value {
    let json = std::env::temp_dir().join(format!("slang-analyzer-layouts-{}.json", std::process::id()));
    let output = Command::new(slangc)
        .arg(file)
        .args(["-target", "glsl", "-matrix-layout-row-major", "-entry", "main", "-stage", "compute", "-o"])
        .arg(json.with_extension("glsl"))
        .arg("-reflection-json")
        .arg(&json)
        .finished()
        .expect("slangc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&std::fs::read(&json).expect("slangc writes a file")).expect("JSON")
}

/// The words of the scalars of a type, in order.
fn scalars(ty: &Value, size: u64, offset: u64, words: &mut Vec<u32>) {
    match ty["kind"].as_str().expect("a kind") {
        "struct" => {
            for field in ty["fields"].as_array().expect("fields") {
                let place = &field["binding"];
                let number = |key: &str| place[key].as_u64().expect("a number");
                scalars(&field["type"], number("size"), offset + number("offset"), words);
            }
        }
        "array" => {
            let count = ty["elementCount"].as_u64().expect("a count");
            let stride = ty["uniformStride"].as_u64().expect("a stride");
            (0..count).for_each(|index| scalars(&ty["elementType"], stride, offset + index * stride, words));
        }
        "matrix" => {
            let number = |key: &str| ty[key].as_u64().expect("a number");
            let stride = size / number("rowCount");
            for row in 0..number("rowCount") {
                words.extend((0..number("columnCount")).map(|column| ((offset + row * stride) / 4 + column) as u32));
            }
        }
        "vector" => {
            let count = ty["elementCount"].as_u64().expect("a count");
            words.extend((0..count).map(|index| (offset / 4 + index) as u32));
        }
        _ if ty["scalarType"] == "bool" => {}
        _ => words.push((offset / 4) as u32),
    }
}

fn reflected(reflection: &Value, name: &str) -> Vec<u32> {
    let parameters = reflection["parameters"].as_array().expect("parameters");
    let parameter = parameters.iter().find(|parameter| parameter["name"] == name).expect("the parameter");
    let ty = &parameter["type"];
    let content = if ty["resultType"].is_null() { &ty["elementType"] } else { &ty["resultType"] };
    let mut words = Vec::new();
    scalars(content, 0, 0, &mut words);
    words
}

/// In GLSL the word `std140` or `std430` says it all, which [`places`] compares.
#[test]
fn fields_lie_where_slangc_puts_them() {
    let file = root().join("fixtures/bindings/layouts.slang");
    if let Some(slangc) = slangc() {
        let reflection = slangc_reflection(&slangc, &file);
        assert_eq!(reflected(&reflection, "constant"), CONSTANT);
        assert_eq!(reflected(&reflection, "structured"), STRUCTURED);
    }
    let expected: Vec<f32> = CONSTANT
        .iter()
        .copied()
        .chain(STRUCTURED.iter().map(|word| word + STRIDE / 4))
        .map(|word| word as f32)
        .collect();
    let gpu = Gpu::new().expect("a Vulkan device: install mesa-vulkan-drivers and libvulkan1");
    let path = file.to_str().expect("paths are text");
    let emit = |target| analyzer(&["emit", path, "--target", target, "--entry", "main"]);
    let wgsl = String::from_utf8(emit("wgsl")).expect("WGSL is text");
    for (name, shader) in [("WGSL", gpu.wgsl(&wgsl)), ("SPIR-V", bring_spirv(&gpu, &spirv_words(&emit("spirv"))))] {
        let bindings =
            [0, 1, 2].map(|binding| Binding { set: 0, binding, resource: Resource::Buffer(binding as usize) });
        let numbers: Vec<u32> = (0..1024).map(|word| (word as f32).to_bits()).collect();
        let mut buffers = [numbers.clone(), numbers, vec![0; 512]];
        let run = shader.and_then(|shader| gpu.run_shader(&shader, "main", [1, 1, 1], &bindings, &mut buffers));
        run.unwrap_or_else(|error| panic!("{name}: {error}"));
        let read: Vec<f32> = buffers[2].iter().take(expected.len()).map(|&word| f32::from_bits(word)).collect();
        assert_eq!(read, expected, "{name}");
    }
}

/// Gaps, and an order that is not that of the source.
const PACKED: &str = "
cbuffer Packed
{
    float k : packoffset(c2.y);
    float3 b : packoffset(c1);
    float4x4 m : packoffset(c5);
    float4 rows[2] : packoffset(c11);
    float2 last : packoffset(c13.z);
}
RWStructuredBuffer<float> result;
[shader(\"compute\")] [numthreads(1, 1, 1)] void main()
{
    result[0] = k; result[1] = b.x; result[2] = b.z; result[3] = m[1][2]; result[4] = rows[1].y; result[5] = last.y;
}";

/// The words that [`PACKED`] reads.
const PACKED_WORDS: [u32; 6] = [9, 4, 6, 26, 49, 55];

#[test]
fn fields_lie_where_packoffset_says() {
    let scratch = Scratch::new("packoffset");
    let file = scratch.write("program.slang", PACKED);
    let path = file.to_str().expect("paths are text");
    let emit = |target| analyzer(&["emit", path, "--target", target, "--entry", "main"]);
    let gpu = Gpu::new().expect("a Vulkan device: install mesa-vulkan-drivers and libvulkan1");
    let wgsl = String::from_utf8(emit("wgsl")).expect("WGSL is text");
    for (name, shader) in [("WGSL", gpu.wgsl(&wgsl)), ("SPIR-V", bring_spirv(&gpu, &spirv_words(&emit("spirv"))))] {
        let bindings = [0, 1].map(|binding| Binding { set: 0, binding, resource: Resource::Buffer(binding as usize) });
        let mut buffers = [(0..64).map(|word| (word as f32).to_bits()).collect(), vec![0; 6]];
        let run = shader.and_then(|shader| gpu.run_shader(&shader, "main", [1, 1, 1], &bindings, &mut buffers));
        run.unwrap_or_else(|error| panic!("{name}: {error}"));
        let read: Vec<u32> = buffers[1].iter().map(|&word| f32::from_bits(word) as u32).collect();
        assert_eq!(read, PACKED_WORDS, "{name}");
    }
    // All the targets fill the gaps alike.
    for target in ["hlsl", "glsl", "metal", "cpp", "cuda"] {
        let text = String::from_utf8(emit(target)).expect("it is text");
        let begin = text.find("unused0_").unwrap_or_else(|| panic!("{target}: {text}"));
        let place = |name: &str| text[begin..].find(name).unwrap_or_else(|| panic!("{target}: {name}: {text}"));
        let order = [" b;", "unused28_", "unused32_", " k;", "unused40_", " m;", " rows", " last;"].map(place);
        assert!(order.is_sorted(), "{target}: {text}");
    }
    // Reflection tells of what is written alone.
    for target in ["hlsl", "glsl", "metal", "cpp"] {
        let (code, reflection) = (scratch.file("code"), scratch.file("reflection.json"));
        let told =
            ["-o", code.to_str().expect("paths are text"), "--reflection", reflection.to_str().expect("so is this")];
        analyzer(&[&["emit", path, "--target", target, "--entry", "main"][..], &told].concat());
        let json = std::fs::read_to_string(reflection).expect("it was written");
        assert!(!json.contains("unused") && json.contains("\"rows\""), "{target}: {json}");
    }
    let refused = [
        ("float a : packoffset(c0); float b;", "`b` in a constant buffer of which other fields have a `packoffset`"),
        ("float3 a : packoffset(c0); float b : packoffset(c0.z);", "`b` at this `packoffset`"),
        ("float2 b : packoffset(c0.w);", "`b` at this `packoffset`"),
        ("float3 a[2] : packoffset(c1);", "`a` at this `packoffset`"),
        ("float3x3 a : packoffset(c1);", "`a` at this `packoffset`"),
    ];
    for (fields, message) in refused {
        let used = fields.split([' ', '[']).nth(1).unwrap_or_default();
        let main = format!("[shader(\"compute\")] [numthreads(1, 1, 1)] void main() {{ let x = {used}; o[0] = 1; }}");
        let file =
            scratch.write("refused.slang", &format!("cbuffer C {{ {fields} }} RWStructuredBuffer<float> o; {main}"));
        let path = file.to_str().expect("paths are text");
        let (status, text, said) =
            whole_program_tests::programs::outcome(&["emit", path, "--target", "hlsl", "--entry", "main"]);
        assert!(status == Some(3) && said.contains(message), "{fields}: {text}{said}");
    }
}

/// A parameter block is a whole set of descriptors, a specialization constant has a number of its own.
#[test]
fn places_that_nothing_can_have_are_refused() {
    let scratch = whole_program_tests::process::Scratch::new("refused-places");
    let emit = |text: &str, target: &str| {
        let file = scratch.write("program.slang", text);
        let path = file.to_str().expect("paths are text");
        whole_program_tests::programs::outcome(&["emit", path, "--target", target])
    };
    let block = |binding: u32| {
        format!(
            "struct B {{ float4 f; RWStructuredBuffer<float> o; }}; [[vk::binding({binding}, 3)]] ParameterBlock<B> b;
             [shader(\"compute\")] [numthreads(1, 1, 1)] void main() {{ b.o[0] = b.f.x; }}"
        )
    };
    for target in ["glsl", "spirv"] {
        let (status, _, said) = emit(&block(5), target);
        assert!(status == Some(3) && said.contains("a parameter block takes a whole descriptor set"), "{said}");
    }
    let (status, text, said) = emit(&block(0), "glsl");
    assert!(
        status == Some(0) && text.contains("set = 3, binding = 0") && text.contains("set = 3, binding = 1"),
        "{text}{said}"
    );
    assert_eq!(emit(&block(5), "hlsl").0, Some(0));
    let constants =
        "[vk::constant_id(3)] const int a = 1; [vk::constant_id(3)] const int b = 2; RWStructuredBuffer<int> o;
        [shader(\"compute\")] [numthreads(1, 1, 1)] void main() { o[0] = a + b; }";
    for target in ["glsl", "spirv"] {
        let (status, _, said) = emit(constants, target);
        assert!(status == Some(3) && said.contains("are both the specialization constant 3"), "{said}");
    }
    assert_eq!(emit(constants, "hlsl").0, Some(0));
}

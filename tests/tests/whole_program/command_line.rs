//! The command line as people and scripts use it: help, wrong use, streams, standard input.

use std::process::{Command, Output, Stdio};

use whole_program_tests::process::{Limited as _, Scratch};
use whole_program_tests::{root, server};

const COMMANDS: [&str; 10] =
    ["check", "emit", "ir", "run", "gradcheck", "jacobian", "residuals", "signature", "explain", "completions"];

fn analyzer(arguments: &[&str]) -> (Option<i32>, String, String) {
    texts(Command::new(server()).args(arguments).current_dir(root()).finished().expect("the analyzer runs"))
}

fn texts(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("reports are text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A scratch file with this program.
fn program(name: &str, text: &str) -> (Scratch, String) {
    let scratch = Scratch::new(name);
    let path = scratch.write("program.slang", text).to_str().expect("paths are text").to_owned();
    (scratch, path)
}

#[test]
fn each_command_has_help_with_examples() {
    for command in COMMANDS {
        let (status, out, error) = analyzer(&[command, "--help"]);
        assert_eq!((status, error.as_str()), (Some(0), ""), "{command}");
        assert!(out.contains(&format!("Usage: slang-analyzer {command}")), "{out}");
        assert!(out.contains("Example"), "{out}");
        assert!(analyzer(&["help", command]).1.contains("Example"), "{command}");
    }
}

#[test]
fn the_help_lists_all_commands_and_exit_statuses() {
    let (status, out, _) = analyzer(&["--help"]);
    assert_eq!(status, Some(0));
    for word in COMMANDS.iter().chain(["lsp", "Exit status:", "101"].iter()) {
        assert!(out.contains(word), "{word} is missing in:\n{out}");
    }
}

#[test]
fn what_was_meant_is_suggested() {
    let file = "fixtures/samples/soft_shadow.slang";
    let cases: [(&[&str], &str); 5] = [
        (&["emti"], "emit"),
        (&["check", "--fromat", "json", file], "--format"),
        (&["emit", file, "--target", "hsls"], "hlsl"),
        (&["gradcheck", file, "--function", "no_such_function"], "no_such_function"),
        (&["run", file, "--entry", "main", "--io", "x.json", "--groups", "1,2"], "4,1,1"),
    ];
    for (arguments, expected) in cases {
        let (status, out, error) = analyzer(arguments);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(error.starts_with("error: ") && error.contains(expected), "{arguments:?}: {error}");
    }
}

#[test]
fn marks_stand_under_what_they_mean() {
    // Five letters of two bytes each, and one of three that is two columns wide.
    let (_scratch, file) = program("marks", "float f() { /* ééééé 語 */ return missing; }\n");
    let (status, out, _) = analyzer(&["check", &file]);
    assert_eq!(status, Some(1));
    let lines: Vec<&str> = out.lines().collect();
    let marks = lines.iter().position(|line| line.contains("^^^^^^^")).expect("a line of marks");
    let column = |line: &str, of: &str| {
        let before = line.split(of).next().unwrap_or_default();
        before.chars().map(|c| if c == '語' { 2 } else { 1 }).sum::<usize>()
    };
    assert_eq!(column(lines[marks], "^"), column(lines[marks - 1], "missing"), "{out}");
    assert_eq!(lines.last(), Some(&"1 error"), "{out}");
}

#[test]
fn code_and_messages_do_not_share_a_stream() {
    let (_scratch, broken) = program("broken", "[Differentiable] float f(float x) { return missing * x; }\n");
    let commands: [&[&str]; 5] = [
        &["emit", &broken, "--target", "slang"],
        &["residuals", &broken],
        &["gradcheck", &broken],
        &["jacobian", &broken, "--function", "f", "--at", "-1"],
        &["emit", &broken, "--target", "spirv"],
    ];
    for arguments in commands {
        let (status, out, error) = analyzer(arguments);
        assert_eq!((status, out.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(error.starts_with("error[E30015]: ") && error.ends_with("1 error\n"), "{arguments:?}: {error}");
        let (status, out, error) = analyzer(&[arguments, &["--format", "json"]].concat());
        assert_eq!((status, out.as_str()), (Some(1), ""), "{arguments:?}");
        let said: serde_json::Value = serde_json::from_str(&error).expect("one object");
        assert_eq!(said["code"], "E30015", "{said}");
    }
}

#[test]
fn all_that_a_target_cannot_have_is_reported_at_its_place() {
    let text = "RWStructuredBuffer<double> a;
[numthreads(1, 1, 1)] [shader(\"compute\")] void main() { a[0] = a[1] * 2.0L; }
";
    let (_scratch, file) = program("refused", text);
    let (status, out, error) = analyzer(&["emit", &file, "--target", "wgsl", "--entry", "main"]);
    assert_eq!((status, out.as_str()), (Some(3), ""), "{error}");
    assert!(error.contains("program.slang:") && error.contains('^'), "{error}");
}

#[test]
fn standard_input_is_a_file() {
    let (_scratch, file) = program("input", "float f() { return missing; }\n");
    let input = Stdio::from(std::fs::File::open(file).expect("the file was written"));
    let mut check = Command::new(server());
    let check = check.args(["check", "-", "--format", "json"]).current_dir(root());
    let (status, out, error) = texts(check.finished_on(input).expect("the analyzer runs"));
    assert_eq!((status, error.as_str()), (Some(1), ""));
    let said: serde_json::Value = serde_json::from_str(&out).expect("one object");
    assert_eq!((&said["path"], &said["code"]), (&"<stdin>".into(), &"E30015".into()));
}

#[test]
fn shells_get_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (status, out, error) = analyzer(&["completions", shell]);
        assert_eq!((status, error.as_str()), (Some(0), ""), "{shell}");
        assert!(out.contains("gradcheck") && out.contains("domain"), "{shell}");
    }
}

#[test]
fn colors_are_as_asked_for() {
    let file = "fixtures/samples/missing_no_diff.slang";
    assert!(analyzer(&["check", file, "--color", "always"]).1.contains('\u{1b}'));
    for when in ["never", "auto"] {
        assert!(!analyzer(&["check", file, "--color", when]).1.contains('\u{1b}'), "{when}");
    }
}

#[test]
fn diagnostics_are_explained() {
    let (status, out, _) = analyzer(&["explain", "E41022"]);
    assert_eq!(status, Some(0));
    assert!(out.starts_with("# E41022: ") && out.contains("```slang"), "{out}");
    assert_eq!(analyzer(&["explain", "41022"]).1, out);
    let (_, all, _) = analyzer(&["explain"]);
    assert!(all.lines().count() > 200 && all.contains("E41022 error"), "{all}");
    let (status, out, error) = analyzer(&["explain", "E12345"]);
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert!(error.contains("E12345"), "{error}");
}

#[test]
fn warnings_are_allowed_or_raised() {
    let text = "float f(float x)
{
    // slang-analyzer: allow(E41810)
    float first = x;
    float second = x; // slang-analyzer: allow(E41810)
    // slang-analyzer: allow(E41804): another one
    float third = x;
    return x;
}
float g() { return missing; } // slang-analyzer: allow(E30015)
";
    let (_scratch, file) = program("allowed", text);
    let codes = |arguments: &[&str]| -> Vec<(String, u64)> {
        let (_, out, error) = analyzer(&[&["check", "--format", "json", &file], arguments].concat());
        assert_eq!(error, "");
        let said = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an object"));
        said.map(|said| {
            let what = format!("{} {}", said["severity"].as_str().unwrap_or(""), said["code"].as_str().unwrap_or(""));
            (what, said["line"].as_u64().unwrap_or(0))
        })
        .collect()
    };
    let error = ("error E30015".to_owned(), 10);
    assert_eq!(codes(&[]), [("hint E41810".to_owned(), 7), error.clone()]);
    assert_eq!(codes(&["--severity", "E41810=error"]), [("error E41810".to_owned(), 7), error.clone()]);
    assert_eq!(codes(&["--severity", "E41810=off", "--severity", "E30015=error"]), [error]);
    for wrong in ["E1234=off", "E41810=loud", "E41810", "E30015=off"] {
        let (status, out, said) = analyzer(&["check", &file, "--severity", wrong]);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{said}");
    }
}

#[test]
fn the_ir_is_printed_after_each_pass_and_read_again() {
    let text = "[Differentiable] float f(float x) { float y = x * 1.0; if (x > 2) return y; return y + y; }\n";
    let (scratch, path) = program("ir", text);
    let (status, lowered, error) = analyzer(&["ir", &path, "--function", "bwd_diff(f)"]);
    assert_eq!((status, error.as_str()), (Some(0), ""));
    assert!(lowered.contains("func @f(") && lowered.contains("call vjp @f"), "{lowered}");
    let passes = ["lower", "peephole", "branches", "common", "dead-code", "trip-count", "simplify", "normalise"];
    let targets =
        ["slang", "hlsl", "glsl", "wgsl", "spirv", "metal", "cpp", "cuda"].map(|target| format!("legalise-{target}"));
    for pass in passes.into_iter().chain(["differentiate"]).chain(targets.iter().map(String::as_str)) {
        let (status, out, error) = analyzer(&["ir", &path, "--function", "bwd_diff(f)", "--after", pass]);
        assert_eq!((status, error.as_str()), (Some(0), ""), "{pass}");
        // What was printed is read, and printed as it was.
        let again = scratch.write("again.ir", &out).to_str().expect("paths are text").to_owned();
        assert_eq!(analyzer(&["ir", &again]), (Some(0), out, String::new()), "{pass}");
    }
    // An entry point becomes what it calls where the target has semantics on parameters.
    let (kernel, path_of_kernel) = program("ir-kernel", "[shader(\"compute\")][numthreads(1,1,1)] void main() {}\n");
    for pass in &targets {
        let (status, out, error) = analyzer(&["ir", &path_of_kernel, "--after", pass]);
        assert_eq!((status, error.as_str()), (Some(0), ""), "{pass}");
        let again = kernel.write("again.ir", &out).to_str().expect("paths are text").to_owned();
        assert_eq!(analyzer(&["ir", &again]), (Some(0), out, String::new()), "{pass}");
    }
    let (_, simplified, _) = analyzer(&["ir", &path, "--function", "f", "--after", "simplify", "--diff"]);
    assert!(simplified.lines().any(|line| line.starts_with("- ") && line.contains("mul")), "{simplified}");
    let (status, _, error) = analyzer(&["ir", &path, "--after", "magic"]);
    assert_eq!(status, Some(2));
    assert!(passes.iter().all(|pass| error.contains(pass)), "{error}");
    let broken = scratch.write("broken.ir", "func @f() -> () { %x: f32 = intrinsic texture.lod() return }");
    let (status, _, error) = analyzer(&["ir", broken.to_str().expect("paths are text")]);
    assert_eq!(status, Some(2));
    assert!(error.contains("broken.ir:1:39: no intrinsic is called `texture.lod`"), "{error}");
}

/// A kernel without attributes, for builds that say all on the command line.
const KERNEL: &str = "#include \"unit.slangh\"
RWStructuredBuffer<float> values;
enum Which { First, Second }
[numthreads(4, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { values[id.x] = UNIT * int(Second); }
";

#[test]
fn a_build_keeps_its_options_of_slangc() {
    let (scratch, file) = program("options", KERNEL);
    let include = Scratch::new("options_include");
    include.write("unit.slangh", "#define UNIT SCALE\n");
    let (output, depends) = (scratch.file("main.hlsl"), scratch.file("main.d"));
    let texts = [output.to_string_lossy(), depends.to_string_lossy(), include.0.to_string_lossy()]
        .map(|text| text.into_owned());
    let [output_text, depends_text, include] = &texts;
    let options = [
        "emit",
        &file,
        "-I",
        include,
        "-DSCALE=3.0",
        "-unscoped-enum",
        "-target",
        "hlsl",
        "-profile",
        "sm_6_6",
        "-entry",
        "main",
        "-stage",
        "compute",
        "-O3",
        "-g",
        "-std",
        "2026",
        "-allow-glsl",
        "-matrix-layout-row-major",
        "-line-directive-mode",
        "none",
        "-warnings-as-errors",
        "all",
        "-Wno-30081",
        "-capability",
        "sm_6_6",
        "-o",
        output_text,
        "-depfile",
        depends_text,
    ];
    let (status, out, error) = analyzer(&options);
    assert_eq!((status, out.as_str(), error.as_str()), (Some(0), "", ""));
    let code = std::fs::read_to_string(&output).expect("the output was written");
    assert!(code.contains("[numthreads(4, 1, 1)]"), "{code}");
    let depends = std::fs::read_to_string(&depends).expect("the dependencies were written");
    let (made, of) = depends.split_once(": ").expect("a rule of make");
    assert_eq!(made, output_text);
    let names: Vec<&str> = of.split_whitespace().filter_map(|path| path.rsplit('/').next()).collect();
    assert_eq!(names, ["program.slang", "unit.slangh"]);
    // The same, as far as it matters, by the checker, with the options of a warning.
    let checked = ["check", &file, "-I", include, "-DSCALE=3.0", "-unscoped-enum", "-target", "hlsl"];
    assert_eq!(analyzer(&checked).0, Some(0));
    assert_eq!(analyzer(&checked[..5]).0, Some(1), "without -unscoped-enum `Second` is undefined");
}

#[test]
fn an_option_that_means_other_code_is_refused_by_its_name() {
    let (_scratch, file) = program("refused_option", "[shader(\"compute\")] void main() { }\n");
    let cases: [(&[&str], &str, i32); 5] = [
        (&["-target", "hlsl", "-fvk-use-scalar-layout"], "-fvk-use-scalar-layout", 3),
        (&["-target", "dxil"], "dxil", 2),
        (&["-target", "hlsl", "-stage", "vertex"], "vertex", 3),
        (&["-target", "hlsl", "-profile", "ps_5_0"], "fragment", 3),
        (&["-profile", "sm_6_0"], "no target is named", 2),
    ];
    for (options, named, expected) in cases {
        let (status, out, error) = analyzer(&[&["emit", &file], options].concat());
        assert_eq!((status, out.as_str()), (Some(expected), ""), "{options:?}: {error}");
        assert!(error.contains(named), "{options:?}: {error}");
    }
    let (_scratch, geometry) = program("refused_stage", "void main() { }\n");
    let (status, _, error) = analyzer(&["emit", &geometry, "-entry", "main", "-target", "hlsl", "-stage", "geometry"]);
    assert!(status == Some(3) && error.contains("a geometry shader without a primitive that it takes"), "{error}");
    // They are about code.
    assert_eq!(analyzer(&["check", &file, "-target", "dxil", "-fvk-use-scalar-layout"]).0, Some(0));
    // The name of the output is a target, too.
    let (_scratch, wgsl) = program("by_extension", "[shader(\"compute\")] [numthreads(1, 1, 1)] void main() { }\n");
    let output = std::path::Path::new(&wgsl).with_extension("wgsl");
    assert_eq!(analyzer(&["emit", &wgsl, "-o", output.to_str().expect("text"), "-stage", "compute"]).0, Some(0));
    assert!(std::fs::read_to_string(output).is_ok_and(|code| code.contains("@compute")));
}

#[test]
fn options_of_slangc_are_explained() {
    let (status, out, _) = analyzer(&["explain", "flags"]);
    assert_eq!(status, Some(0));
    for option in ["-target", "-profile", "-capability", "-std", "-allow-glsl", "-warnings-as-errors", "-Wno-"] {
        assert!(out.contains(&format!("| `{option}")), "{option}");
    }
}

#[test]
fn the_stage_of_an_entry_point_may_be_an_option() {
    let (_scratch, file) = program("stage_option", "float4 main(float4 p : POSITION) : SV_Position { return p; }\n");
    for options in [["-stage", "vertex"], ["-profile", "vs_6_0"]] {
        let (status, out, error) =
            analyzer(&[&["emit", &file, "-target", "wgsl", "-entry", "main"], &options[..]].concat());
        assert!(status == Some(0) && out.contains("@vertex"), "{out}{error}");
    }
}

#[test]
fn matrices_lie_as_an_option_says() {
    let text = "StructuredBuffer<float2x3> m; RWStructuredBuffer<float> o;
        [shader(\"compute\")] [numthreads(1, 1, 1)] void main() { o[0] = m[0][1][2]; }\n";
    let (_scratch, file) = program("matrix_option", text);
    let emit = |option: &str| analyzer(&["emit", &file, "-target", "hlsl", option]).1;
    assert!(emit("-matrix-layout-row-major").contains("m[0][1].z"));
    assert!(emit("-matrix-layout-column-major").contains("m[0][2][1]"));
}

/// A disk that is full is no success, and a reader that went away no failure.
#[test]
fn what_cannot_be_written_is_said() {
    let (_scratch, path) = program("full", "[Differentiable] float f(float x) { return x * y; }\n");
    let (_other, good) = program("full-good", "[Differentiable] float f(float x) { return x * x; }\n");
    let commands: [&[&str]; 9] = [
        &["check", &path],
        &["check", "--format", "json", &path],
        &["ir", &good],
        &["gradcheck", &good],
        &["cost", &good],
        &["residuals", &good],
        &["signature", &good, "--function", "f"],
        &["explain"],
        &["completions", "bash"],
    ];
    for arguments in commands {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the system has a full device");
        let mut command = Command::new(server());
        command.args(arguments).stdout(Stdio::from(full)).stderr(Stdio::piped());
        let output = command.spawn().and_then(|child| child.wait_with_output()).expect("the analyzer runs");
        let (status, _, error) = texts(output);
        assert_eq!(status, Some(2), "{arguments:?}");
        assert!(
            error.ends_with("error: cannot write to standard output: No space left on device (os error 28)\n"),
            "{error}"
        );
    }
    for arguments in [&["emit", good.as_str(), "--target", "cpp"][..], &["completions", "bash"], &["explain"]] {
        let mut command = Command::new(server());
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the analyzer runs");
        drop(child.stdout.take());
        let (status, _, error) = texts(child.wait_with_output().expect("the analyzer ends"));
        assert_eq!((status, error.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

/// Uses that people make, each with what other compilers and linters do.
#[test]
fn the_line_means_what_it_says() {
    let text = "RWStructuredBuffer<float> data;\n#ifndef K\n#define K 1\n#endif\n\
                [shader(\"compute\")][numthreads(1,1,1)] void main() { data[0] = K; }\n\
                [shader(\"compute\")][numthreads(1,1,1)] void other() { data[1] = K; }\n";
    let (scratch, path) = program("uses", text);
    // The same entry point twice is one.
    let (status, out, error) = analyzer(&["emit", &path, "--target", "hlsl", "--entry", "main", "--entry", "main"]);
    assert_eq!((status, error.as_str()), (Some(0), ""));
    assert_eq!(out.matches("void main(").count(), 1, "{out}");
    // Of two definitions of a macro the first counts, as for slangc.
    let (_, out, _) = analyzer(&["emit", &path, "--target", "hlsl", "--entry", "main", "-DK=3", "-DK=2"]);
    assert!(out.contains("= 3"), "{out}");
    // `-o -` is standard output.
    let emitted = |output: &[&str]| {
        analyzer(&[&["emit", path.as_str(), "--target", "wgsl", "--entry", "main"][..], output].concat())
    };
    assert_eq!(emitted(&["-o", "-"]), emitted(&[]));
    let refusals: [(&[&str], &str); 8] = [
        (&["emit", &path, "--target", "hlsl", "-target", "glsl"], "two targets are named: `hlsl` and `glsl`"),
        (&["emit", &path, "-o", "out.xyz"], "`.xyz` says no target"),
        (&["emit", &path], "no target is named"),
        (
            &["emit", &path, "--target", "hlsl", "--entry", "mian"],
            "no entry point `mian`: the file has `main`, `other`",
        ),
        (&["emit", &path, "--target", "hlsl", "-module-name", "x"], "`-module-name` is not an option of slangc"),
        (&["check", &path, "-Werror"], "does not take `error`"),
        (&["check", &path, "--severity", "E30015=off"], "E30015 is an error and stays one"),
        (&["check", "no_such_file.slang"], "cannot read no_such_file.slang: No such file or directory"),
    ];
    for (arguments, expected) in refusals {
        let (status, out, error) = analyzer(arguments);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    // What is written does not overwrite what is read.
    let (status, _, error) = analyzer(&["emit", &path, "--target", "hlsl", "--entry", "main", "-o", &path]);
    assert_eq!(status, Some(2));
    assert!(
        error.contains("is named twice") && std::fs::read_to_string(&path).ok().as_deref() == Some(text),
        "{error}"
    );
    let (status, _, error) = analyzer(&["values", &path, "--function", "bwd_diff(f)", "--at", "1"]);
    assert_eq!(status, Some(2));
    assert!(error.contains("name the function itself"), "{error}");
    // What a module has wrong is said by all commands.
    scratch.write("lib.slang", "module lib; public float lib_value() { return undefined_there; }\n");
    let user =
        scratch.write("user.slang", "import lib;\n[Differentiable] float f(float x) { return x * lib_value(); }\n");
    let user = user.to_str().expect("paths are text");
    for command in [&["check"][..], &["emit", "--target", "hlsl"], &["gradcheck"], &["cost"], &["residuals"], &["ir"]] {
        let (status, out, error) = analyzer(&[&command[..1], &[user], &command[1..]].concat());
        assert_eq!(status, Some(1), "{command:?}");
        assert!(format!("{out}{error}").contains("undefined_there"), "{command:?}: {out}{error}");
    }
    // What can be read is checked all the same, and each file once.
    let wrong = scratch.write("wrong.slang", "float f() { return y; }\n");
    let wrong = wrong.to_str().expect("paths are text");
    let (status, out, error) = analyzer(&["check", "no_such_file.slang", wrong, wrong]);
    assert_eq!(status, Some(2));
    assert!(out.ends_with("1 error\n") && error.contains("no_such_file.slang"), "{out}{error}");
    let empty = scratch.0.join("empty");
    std::fs::create_dir(&empty).expect("the scratch folder can be written");
    let (status, _, error) = analyzer(&["check", empty.to_str().expect("paths are text")]);
    assert_eq!(status, Some(2));
    assert!(error.contains("there are no Slang files in"), "{error}");
    let nothing = scratch.write("nothing.slang", "");
    let (status, _, error) = analyzer(&["ir", nothing.to_str().expect("paths are text")]);
    assert_eq!(status, Some(2));
    assert!(error.contains("there is no entry point and no function in"), "{error}");
    // A pipe has a name, too.
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("'{}' check <(cat '{wrong}')", server().display())]);
    let (status, out, _) = texts(shell.finished().expect("bash runs"));
    assert_eq!(status, Some(1));
    assert!(out.contains("E30015"), "{out}");
}

#[test]
fn bash_completes_options_and_values_of_commands() {
    let script = "source <('SA' completions bash)
        complete_words() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
            _slang__analyzer \"$1\" \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; echo \"${COMPREPLY[*]}\"; }
        complete_words slang-analyzer emit f.slang --target ''
        complete_words slang-analyzer check --for
        complete_words slang-analyzer help gr";
    let script = script.replace("SA", server().to_str().expect("paths are text"));
    let (_, out, error) = texts(Command::new("bash").args(["-c", &script]).finished().expect("bash runs"));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines, ["slang hlsl glsl wgsl spirv metal cpp cuda torch", "--format", "gradcheck"], "{error}");
}

/// A mark of the order of bytes is no column, and columns count characters in both forms.
#[test]
fn columns_are_those_that_people_count() {
    for (text, column) in [
        ("float f() { return y; }\n", 20),
        ("\u{feff}float f() { return y; }\n", 20),
        ("float f(/* né 😀 */) { return y; }\n", 30),
    ] {
        let (_scratch, path) = program("columns", text);
        let (_, human, _) = analyzer(&["check", &path]);
        assert!(human.contains(&format!("program.slang:1:{column}\n")), "{human}");
        let (_, json, _) = analyzer(&["check", "--format", "json", &path]);
        assert!(json.contains(&format!("\"column\":{column},")), "{json}");
    }
}

/// Names that functions share are told apart in what is printed, by what `--function` takes.
#[test]
fn functions_have_the_names_that_they_are_called_by() {
    let text = "namespace ns { [Differentiable] float q(float x) { return x * x; } }\n\
                [Differentiable] float g(float x) { return x * x; }\n\
                [Differentiable] float g(float2 x) { return x.x * x.y; }\n\
                float plain(float x) { return x; }\n";
    let (scratch, path) = program("names", text);
    let (status, out, _) = analyzer(&["gradcheck", &path]);
    assert_eq!(status, Some(0), "{out}");
    for name in ["ns.q", "g(float)", "g(float2)"] {
        assert!(out.lines().any(|line| line.starts_with(&format!("{name}: ok"))), "{name}: {out}");
        assert_eq!(analyzer(&["gradcheck", &path, "--function", name]).0, Some(0), "{name}");
        assert_eq!(analyzer(&["signature", &path, "--function", name]).0, Some(0), "{name}");
    }
    let signature = |name: &str| analyzer(&["signature", &path, "--function", name]);
    assert_eq!(signature("plain"), (Some(0), "float plain(float x)\n".into(), String::new()));
    assert_eq!(signature("bwd_diff(ns::q)").1.lines().count(), 1);
    let (status, _, error) = signature("bwd_diff(plain)");
    assert_eq!((status, error.as_str()), (Some(2), "error: `plain` has no such derivative\n"));
    let (status, _, error) = signature("plian");
    assert_eq!((status, error.as_str()), (Some(2), "error: there is no function `plian`; did you mean `plain`?\n"));
    // The overload that takes so many numbers.
    assert_eq!(analyzer(&["jacobian", &path, "--function", "g", "--at", "3"]).1, "return = 9\n  d / d x = 6\n");
    let (status, _, error) = analyzer(&["jacobian", &path, "--function", "g", "--at", "1,2,3"]);
    assert_eq!(status, Some(2));
    assert!(error.contains("3 numbers were given") && error.contains("`x` (float2)"), "{error}");
    // The report of one run does not stand for another.
    let junit = scratch.0.join("report.xml");
    let junit = junit.to_str().expect("paths are text");
    assert_eq!(analyzer(&["gradcheck", &path, "--junit", junit]).0, Some(0));
    let wrong = scratch.write("wrong.slang", "[Differentiable] float f() { return y; }\n");
    assert_eq!(analyzer(&["gradcheck", wrong.to_str().expect("paths are text"), "--junit", junit]).0, Some(1));
    let report = std::fs::read_to_string(junit).expect("the report is there");
    assert!(report.contains("errors=\"1\"") && report.contains("wrong.slang"), "{report}");
}

/// Numbers that do not fit a function are wrong use, said with what it takes; in JSON if that was asked for.
#[test]
fn numbers_that_do_not_fit_are_told_alike() {
    let text = "[Differentiable] float f(float x, float y) { return x * y; }\n\
                [Differentiable] float h(float x) { return 1.0 / x; }\n";
    let (_scratch, path) = program("numbers", text);
    let message = "3 numbers were given: `f` takes `x` (float), `y` (float)";
    for command in ["values", "nan", "jacobian"] {
        let arguments = [command, &path, "--function", "f", "--at", "1,2,3"];
        assert_eq!(analyzer(&arguments), (Some(2), String::new(), format!("error: {message}\n")), "{command}");
        let (status, out, error) = analyzer(&[&arguments[..], &["--format", "json"]].concat());
        assert_eq!((status, out.as_str()), (Some(2), ""), "{command}");
        let error: serde_json::Value = serde_json::from_str(&error).expect("one object");
        assert_eq!((&error["severity"], &error["message"]), (&"error".into(), &message.into()), "{command}");
    }
    for command in ["cost", "residuals", "gradcheck", "ir"] {
        let (status, _, error) = analyzer(&[command, &path, "--function", "nosuch", "--format", "json"]);
        let error: serde_json::Value = serde_json::from_str(&error).expect("one object");
        assert_eq!((status, &error["message"]), (Some(2), &"there is no function `nosuch`".into()), "{command}");
    }
    // JSON has no infinities: they are texts, not what is not known.
    let (_, out, _) = analyzer(&["jacobian", &path, "--function", "h", "--at", "0", "--format", "json"]);
    let out: serde_json::Value = serde_json::from_str(&out).expect("one object");
    assert_eq!((&out["value"], &out["derivatives"]), (&"inf".into(), &serde_json::json!(["-inf"])));
    let (_, out, _) = analyzer(&["values", &path, "--function", "h", "--at", "0", "--format", "json"]);
    let out: serde_json::Value = serde_json::from_str(&out).expect("one object");
    assert_eq!(out["lines"][0]["value"], serde_json::json!(["inf"]));
}

/// A domain in a comment that cannot be read has the place of its function.
#[test]
fn a_wrong_domain_has_a_place() {
    let (_scratch, path) = program("domain", "/// @domain x [0,\n[Differentiable] float f(float x) { return x; }\n");
    for command in ["gradcheck", "nan", "cost"] {
        let (status, _, error) = analyzer(&[command, &path]);
        assert!(error.contains("program.slang:2:24: `x [0,` is not a domain"), "{command}: {error}");
        assert_eq!(status, Some(2), "{command}");
    }
}

/// An append buffer is its elements and a counter, a parameter block what is in it: one buffer is not both.
#[test]
fn a_buffer_is_not_taken_for_several() {
    let main = "RWStructuredBuffer<float> result; [numthreads(1,1,1)] void main() { result[0] = READ; }";
    for (parameter, read) in [
        ("ConsumeStructuredBuffer<float> given;", "given.Consume()"),
        (
            "struct Data { float factor; StructuredBuffer<float> values; } ParameterBlock<Data> given;",
            "given.values[0]",
        ),
    ] {
        let (scratch, path) = program("several", &format!("{parameter}\n{}", main.replace("READ", read)));
        let io = r#"{"buffers": [{"name": "given", "words": [1]}, {"name": "result", "words": [0], "out": true}]}"#;
        let io = scratch.write("io.json", io);
        let io = io.to_str().expect("paths are text");
        let (status, _, error) = analyzer(&["run", &path, "--entry", "main", "--io", io]);
        assert!(error.contains("the buffer `given` for a parameter that holds buffers"), "{parameter}: {error}");
        assert_eq!(status, Some(3), "{parameter}");
    }
}

/// A specification of another program says so.
#[test]
fn a_specification_that_does_not_fit_is_told() {
    let (scratch, path) =
        program("misfit", "RWStructuredBuffer<float> result;\n[numthreads(1,1,1)] void main() { result[0] = 1; }\n");
    let run = |specification: &str| {
        let io = scratch.write("io.json", specification);
        analyzer(&["run", &path, "--entry", "main", "--io", io.to_str().expect("paths are text")])
    };
    let (status, _, error) = run(r#"{"buffers": [{"name": "result", "words": [0], "out": true}]}"#);
    assert_eq!((status, error.as_str()), (Some(0), ""));
    let (status, _, error) = run(r#"{"buffers": [{"name": "reslut", "words": [0], "outt": true}], "uniform": {}}"#);
    assert_eq!(status, Some(0));
    for expected in
        ["no parameter `reslut`", "`result` is not described", "`outt` of the buffer", "`uniform` means nothing"]
    {
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let twice = r#"{"buffers": [{"name": "result", "words": [0]}, {"name": "result", "words": [1]}]}"#;
    assert_eq!(run(twice).0, Some(2));
    for (uniform, is_told) in [
        (r#"{"word": 1065353216}"#, false),
        (r#"[{"word": 0}, {"value": [{"word": 0}]}]"#, false),
        (r#"{"resource": "Sampler", "options": {}}"#, false),
        (r#""hello""#, true),
        ("1.0", true),
        ("[1065353216, 0]", true),
        (r#"{"wrod": 3}"#, true),
        (r#"{"word": 1.5}"#, true),
        (r#"[{"word": 0}, null]"#, true),
    ] {
        let (_, _, error) = run(&format!(r#"{{"uniforms": {{"s": {uniform}}}}}"#));
        assert_eq!(error.contains("in the uniform `s` means nothing"), is_told, "{uniform}: {error}");
    }
}

#[test]
fn a_long_line_is_named_and_not_drawn() {
    let (_scratch, path) = program("long-line", &format!("void f(int b) {{ {}}}\n", "b = unknown; ".repeat(400)));
    let (status, out, error) = analyzer(&["check", &path]);
    let said = out + &error;
    assert_eq!(status, Some(1));
    assert!(said.contains("program.slang:1:22") && said.contains("400 errors"), "{said}");
    assert!(said.len() < 100_000, "{} bytes", said.len());
}

#[test]
fn bytes_that_are_no_text_are_an_error_in_names_alone() {
    let scratch = Scratch::new("bytes");
    let path = scratch.file("bytes.slang");
    std::fs::write(&path, b"// \xff\nfloat f\xff(float x) { return x; }\n").expect("a scratch file can be written");
    let path = path.to_str().expect("paths are text");
    let (status, out, error) = analyzer(&["check", path]);
    let said = out + &error;
    assert!(status == Some(1) && said.contains("E10006") && said.contains("1 error"), "{said}");
    assert!(said.contains("bytes.slang:2:7"), "{said}");
}

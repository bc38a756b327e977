//! `slang-analyzer check`: exit statuses, the JSON contract, the report for people.

use std::process::Command;

use serde_json::Value;
use whole_program_tests::process::{Limited as _, Scratch};
use whole_program_tests::{root, server};

fn check(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output =
        Command::new(server()).arg("check").args(arguments).current_dir(root()).finished().expect("the analyzer runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("reports are text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn wrong_use_is_status_2() {
    for arguments in [&[][..], &["no-such-file.slang"], &["--format", "xml", "README.md"], &["--nonsense"]] {
        let (status, out, error) = check(arguments);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(error.starts_with("error: "), "{error}");
    }
}

#[test]
fn a_missing_no_diff_is_one_error_with_its_causes() {
    let (status, out, _) = check(&["fixtures/samples/missing_no_diff.slang", "--format", "json"]);
    assert_eq!(status, Some(1));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 1, "{out}");
    let diagnostic: Value = serde_json::from_str(lines[0]).expect("a line is a JSON object");
    // The place is that of the call: slangc reports line 17 too.
    assert_eq!(diagnostic["path"], "fixtures/samples/missing_no_diff.slang");
    assert_eq!(diagnostic["line"], 17);
    assert_eq!(diagnostic["column"], 18);
    assert_eq!(diagnostic["severity"], "error");
    assert_eq!(diagnostic["code"], "E41022");
    let related = diagnostic["related"].as_array().expect("the chain of causes");
    assert!(related.len() >= 2, "{related:?}");
}

#[test]
fn people_see_the_line_and_what_to_do() {
    let (status, out, _) = check(&["fixtures/samples/missing_no_diff.slang"]);
    assert_eq!(status, Some(1));
    for words in ["E41022", "float edge = falloff(distance, radius);", "^^^^^^^", "no_diff"] {
        assert!(out.contains(words), "{words} is missing in:\n{out}");
    }
}

#[test]
fn a_clean_file_is_status_0_and_says_nothing() {
    let (status, out, error) = check(&["fixtures/samples/soft_shadow.slang", "--format", "json"]);
    assert_eq!((status, out.as_str(), error.as_str()), (Some(0), "", ""));
}

/// As slangc has it: what is compiled is a module, and a part alone is none.
#[test]
fn a_part_of_a_module_is_no_module() {
    let scratch = Scratch::new("parts");
    let whole = scratch
        .write("whole.slang", "module whole;\n__include part;\npublic float twice(float x) { return 2 * once(x); }\n");
    let part = scratch.write("part.slang", "implementing whole;\nfloat once(float x) { return x; }\n");
    let (whole, part) = (whole.to_string_lossy().into_owned(), part.to_string_lossy().into_owned());
    let folder = scratch.file("");
    let (status, out, _) = check(&[&part]);
    assert_eq!(status, Some(1), "{out}");
    for words in ["E30102", "part of `whole`", "name `whole.slang`", ":1:1"] {
        assert!(out.contains(words), "{words} is missing in:\n{out}");
    }
    for arguments in [&[whole.as_str()][..], &[&whole, &part], &[&folder.to_string_lossy()]] {
        let (status, out, _) = check(arguments);
        assert_eq!((status, out.as_str()), (Some(0), ""), "{arguments:?}");
    }
    let lost = scratch.write("lost.slang", "implementing nowhere;\n");
    let (status, out, _) = check(&[&lost.to_string_lossy()]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.contains("name the file that includes it"), "{out}");
}

/// What is wrong in a part is wrong in the module.
#[test]
fn parts_are_checked_with_their_module() {
    let scratch = Scratch::new("wrong-part");
    let whole =
        scratch.write("whole.slang", "module whole;\n__include part;\nfloat twice(float x) { return once(x); }\n");
    scratch.write("part.slang", "implementing whole;\nfloat once(float x) { return missing; }\n");
    let (status, out, _) = check(&[&whole.to_string_lossy()]);
    assert_eq!(status, Some(1), "{out}");
    for words in ["E30015", "part.slang", ":2:30"] {
        assert!(out.contains(words), "{words} is missing in:\n{out}");
    }
}

/// Modules of Python packages are found in the environment that is active, and in one that lies beside the file.
#[test]
fn modules_of_python_packages_are_found() {
    let folder = std::env::temp_dir().join(format!("python-modules-{}", std::process::id()));
    let package = |environment: &str, name: &str| {
        let modules = folder.join(environment).join("lib/python3.12/site-packages").join(name).join("slang");
        std::fs::create_dir_all(&modules).expect("a folder is made");
        let text = format!("module {name};\npublic int of_{name}() {{ return 1; }}\n");
        std::fs::write(modules.join(format!("{name}.slang")), text).expect("a module is written");
    };
    package("active", "first");
    package("project/.venv", "second");
    let file = folder.join("project/shaders/main.slang");
    std::fs::create_dir_all(folder.join("project/shaders")).expect("a folder is made");
    std::fs::write(&file, "import first;\nimport second;\nint f() { return of_first() + of_second(); }\n")
        .expect("a file is written");
    let answer = |active: Option<&str>| {
        let mut command = Command::new(server());
        command.arg("check").arg(&file).env_remove("CONDA_PREFIX").env_remove("VIRTUAL_ENV");
        if let Some(active) = active {
            command.env("VIRTUAL_ENV", folder.join(active));
        }
        let output = command.finished().expect("the analyzer runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("reports are text");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let with = answer(Some("active"));
    let without = answer(None);
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
    assert_eq!((with.0, with.1.as_str()), (Some(0), ""), "{}", with.2);
    assert_eq!(without.0, Some(1));
    assert!(without.1.contains("first") && !without.1.contains("'second"), "{}", without.1);
}

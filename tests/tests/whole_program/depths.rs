//! Programs as deep as nobody writes them: chains of declarations that are made of the one before, and code inside of code.
//! Each command gives an answer or refuses the program at a place and by name; none overflows its stack, or panics.

use std::process::{Command, Output};

use test_support::scaling::{self, Axis, Compiled};
use whole_program_tests::process::{Limited as _, Scratch};
use whole_program_tests::server;

/// Links of a chain that is checked: more than the stack of a program's first thread has room for at a few frames each.
const CHECKED: usize = 3_000;

/// Links of a chain that is compiled, by passes that go over all of it together.
const COMPILED: usize = 1_200;

/// Axes whose programs grow with the square of the depth or are slow for another reason, so that fewer links say as much.
const FEWER: &[(&str, usize)] = &[
    ("structs that derive from the one before", 1_000),
    ("interfaces that extend the one before", 500),
    ("modules that import the one before", 500),
    ("modules that export the one before", 300),
    ("files that include the one before", 300),
    ("nested calls of a macro", 1_000),
    ("nested structs", 1_500),
    ("structs that hold the one before", 1_500),
    ("structs that hold the one behind", 1_500),
    ("links of a path of namespaces", 1_500),
    ("nested namespaces", 1_500),
];

/// What slangc compiles however much of it there is: so many of each are compiled here, too, and differentiated where they
/// can be.
const UNLIMITED: &[(&str, usize)] = &[
    ("links of an else-if chain", 1_000),
    ("links of an else-if chain with blocks and locals", 1_000),
    ("links of a conditional expression", 1_000),
    ("summands", 3_000),
    ("summands to the right", 1_000),
    ("nested parentheses", 1_000),
    ("nested blocks", 1_000),
    ("nested branches", 300),
    ("nested calls", 300),
    ("nested prefix operators", 1_000),
    ("nested namespaces", 300),
    ("links of a path of namespaces", 100),
    ("nested calls of a macro", 500),
    ("files that include the one before", 150),
    ("elements of an initialiser", 20_000),
];

fn command(arguments: &[&str], axis: &Axis, size: usize) -> Output {
    let scratch = Scratch::new("depths");
    let files = axis.files(size);
    for (name, text) in &files {
        let _ = scratch.write(name, text);
    }
    let main = scratch.file(&files[0].0);
    let output = Command::new(server()).arg(arguments[0]).arg(main).args(&arguments[1..]).finished();
    output.unwrap_or_else(|error| panic!("{}: {arguments:?}: {error}", axis.name))
}

/// Asks one command of each axis; the names of those that end in another way than with an answer or a refusal.
fn all_end(arguments: &[&str], size: usize, is_asked: impl Fn(&Axis) -> bool) {
    let mut wrong = Vec::new();
    for axis in scaling::deep_axes().filter(|axis| is_asked(axis)) {
        let size = FEWER.iter().find(|(name, _)| *name == axis.name).map_or(size, |(_, fewer)| size.min(*fewer));
        let output = command(arguments, axis, size);
        let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let is_refusal = || said.contains("error[E");
        match output.status.code() {
            Some(0) => {}
            Some(1 | 3) if is_refusal() => {}
            _ => wrong.push(format!("{}: {:?}: {:.300}", axis.name, output.status, said)),
        }
    }
    assert!(wrong.is_empty(), "{arguments:?}:\n{}", wrong.join("\n"));
}

#[test]
fn what_is_deep_is_checked_or_refused() {
    all_end(&["check"], CHECKED, |_| true);
}

#[test]
fn what_is_deep_is_compiled_or_refused() {
    all_end(&["emit", "--target", "cpp", "--function", "entry"], COMPILED, |axis| axis.compiled != Compiled::Nothing);
}

#[test]
fn what_is_deep_is_differentiated_or_refused() {
    all_end(&["emit", "--target", "cpp", "--function", "bwd_diff(entry)"], COMPILED, |axis| {
        axis.compiled == Compiled::Derivative
    });
}

#[test]
fn what_slangc_has_no_limit_for_is_compiled() {
    const TO_CODE: &[&str] = &["emit", "--target", "cpp", "--function", "entry"];
    const TO_DERIVATIVE: &[&str] = &["emit", "--target", "cpp", "--function", "bwd_diff(entry)"];
    let mut wrong = Vec::new();
    for (name, size) in UNLIMITED {
        let axis = scaling::axes().find(|axis| axis.name == *name).expect("the axis is there");
        let mut commands: Vec<&[&str]> = vec![&["check"]];
        if axis.compiled != Compiled::Nothing {
            commands.push(TO_CODE);
        }
        if axis.compiled == Compiled::Derivative {
            commands.push(TO_DERIVATIVE);
        }
        for arguments in commands {
            let output = command(arguments, axis, *size);
            if !output.status.success() {
                let said =
                    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
                wrong.push(format!("{name}: {arguments:?}: {:?}: {said:.300}", output.status));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

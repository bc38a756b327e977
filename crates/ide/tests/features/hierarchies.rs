//! Who calls whom, and which types conform to which.

use ide::{
    FilePosition,
    call_hierarchy::{Call, function_at, incoming_calls, outgoing_calls},
    symbols::Symbol,
    type_hierarchy::{subtypes, supertypes, type_at},
};
use test_support::database::TestDatabase;

use crate::check::{check_implementations, cursor};

fn declaration(symbol: &Symbol) -> FilePosition {
    FilePosition { file: symbol.name_range.file, offset: symbol.name_range.range.start().into() }
}

/// Who calls the function at the cursor, and whom it calls, each with the number of calls.
fn check_calls(fixture: &str, callers: &[(&str, usize)], callees: &[(&str, usize)]) {
    let test = TestDatabase::new(fixture);
    let function = function_at(&test.db, cursor(&test)).expect("a function");
    let names = |calls: Vec<Call>| -> Vec<(String, usize)> {
        calls.into_iter().map(|call| (call.function.name, call.at.len())).collect()
    };
    let owned = |calls: &[(&str, usize)]| -> Vec<(String, usize)> {
        calls.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    assert_eq!(names(incoming_calls(&test.db, declaration(&function))), owned(callers));
    let mut found = names(outgoing_calls(&test.db, declaration(&function)));
    found.sort();
    assert_eq!(found, owned(callees));
}

#[test]
fn calls_lead_up_and_down() {
    let program = |low: &str, top: &str| {
        format!(
            "\
[Differentiable]
float {low}(float x) {{ return x * x; }}
float middle(float x) {{ return low(x) + low(2 * x); }}
float {top}(float x) {{ var p = diffPair(x); bwd_diff(low)(p, 1.0); return middle(x) + p.d; }}
"
        )
    };
    check_calls(&program("lo$0w", "top"), &[("middle", 2), ("top", 1)], &[]);
    check_calls(&program("low", "to$0p"), &[], &[("diffPair", 1), ("low", 1), ("middle", 1)]);
}

/// A requirement may be any method that fulfils it, and a method is no other one.
#[test]
fn a_call_of_another_type_is_none() {
    let program = |hit: &str, local: &str, cube: &str| {
        format!(
            "\
interface IShape {{ float {hit}(); }}
struct Local : IShape {{ float {local}() {{ return 1; }} }}
struct Cube : IShape {{ float {cube}() {{ return 2; }} }}
float any<T : IShape>(T t) {{ return t.hit(); }}
float one(Cube c) {{ return c.hit() + any(c); }}
float other(Local l) {{ return l.hit() + l.hit(); }}
"
        )
    };
    check_calls(&program("hit", "hi$0t", "hit"), &[("any", 1), ("other", 2)], &[]);
    check_calls(&program("hit", "hit", "hi$0t"), &[("any", 1), ("one", 1)], &[]);
    check_calls(&program("hi$0t", "hit", "hit"), &[("any", 1), ("one", 1), ("other", 2)], &[]);
}

#[test]
fn types_lead_to_interfaces_and_back() {
    let program = |base: &str, dot: &str| {
        format!(
            "\
interface {base} {{ float f(); }}
interface IShape : IBase {{ float area(); }}
struct Square : IShape {{ float f() {{ return 1; }} float area() {{ return 1; }} }}
struct {dot} {{ }}
extension Dot : IBase {{ float f() {{ return 0; }} }}
"
        )
    };
    let names = |symbols: Vec<Symbol>| symbols.into_iter().map(|symbol| symbol.name).collect::<Vec<_>>();
    let test = TestDatabase::new(&program("IBa$0se", "Dot"));
    let base = type_at(&test.db, cursor(&test)).expect("a type");
    assert_eq!(names(subtypes(&test.db, declaration(&base))), ["IShape", "Square", "Dot"]);
    let test = TestDatabase::new(&program("IBase", "Do$0t"));
    let dot = type_at(&test.db, cursor(&test)).expect("a type");
    assert_eq!(names(supertypes(&test.db, declaration(&dot))), ["IBase"]);
}

#[test]
fn a_requirement_leads_to_what_fulfils_it() {
    check_implementations(
        "\
interface IBase { float f$0(); }
struct Square : IBase { float f() { return 1; } }
                            //^ here
struct Dot { }
extension Dot : IBase { float f() { return 0; } }
                            //^ here
",
    );
}

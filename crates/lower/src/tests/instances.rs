//! One type that conforms to several instances of a generic interface, each in an extension of its own: each instance has
//! what its extension declares, whatever else has the same name and the same parameters.

use super::{float, run, unsupported};

/// Requirements of `IFoo<T>`, what the instance number N gives for each, and how a function of `v` asks for it.
const REQUIREMENTS: &[(&str, &str, &str)] = &[
    ("int id();", "int id() { return N; }", "v.id()"),
    ("static int number();", "static int number() { return N; }", "T.number()"),
    ("property int p { get; }", "property int p { get { return N; } }", "v.p"),
    ("__subscript(int i)->int { get; }", "__subscript(int i)->int { get { return N + i; } }", "v[0]"),
    (
        "associatedtype Out : IOut; Out make(U other);",
        "typedef OutN Out; OutN make(TYPE other) { return OutN(); }",
        "v.make(GIVEN).value()",
    ),
    ("associatedtype Of : IOut;", "typedef OutN Of;", "T.Of.number()"),
    ("__generic<let K : int> int times();", "__generic<let K : int> int times() { return N * K; }", "v.times<3>() / 3"),
];

/// The arguments, each with a value.
const INSTANCES: &[(&str, &str)] = &[("int", "1"), ("float2", "float2(1, 2)"), ("Own", "Own(1)")];

fn text(required: &str, given: &str, asked: &str, first: &str) -> String {
    let mut text = format!(
        "interface IOut {{ int value(); static int number(); }}
         struct Own {{ int x; }}
         interface IFoo<U> {{ {required} }}
         interface IDerived<U> : IFoo<U> {{}}
         struct Some {{ int x; {first} }}\n"
    );
    let mut calls = String::new();
    for (number, (ty, value)) in (1..).zip(INSTANCES) {
        let n = number.to_string();
        let given = given.replace("TYPE", ty).replace('N', &n);
        let asked = asked.replace("GIVEN", value);
        // The last one is reached through an interface that inherits it.
        let interface = if number == INSTANCES.len() { "IDerived" } else { "IFoo" };
        text += &format!(
            "struct Out{n} : IOut {{ int value() {{ return {n}; }} static int number() {{ return {n}; }} }}
             extension Some : {interface}<{ty}> {{ {given} }}
             int ask{n}<T : IFoo<{ty}>>(T v) {{ return {asked}; }}\n"
        );
        calls += &format!("r = r * 10 + ask{n}(s);");
    }
    text + &format!("float f(float x) {{ Some s = {{}}; int r = 0; {calls} return float(r); }}")
}

#[test]
fn each_instance_has_its_own() {
    for (required, given, asked) in REQUIREMENTS {
        let text = text(required, given, asked, "");
        assert_eq!(run(&text, "f", &[float(0.0)]), [123.0], "{text}");
    }
}

/// A constant does not say of which instance it is.
#[test]
fn constants_of_several_instances_are_refused() {
    let text = text("static const int K;", "static const int K = N;", "T.K", "");
    let refused = unsupported(&text, "f");
    assert!(refused.contains("several instances of one interface"), "{refused}");
}

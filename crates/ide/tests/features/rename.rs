//! Renaming, as the text that it makes.

use crate::check::{check_rename, check_rename_refused};

#[test]
fn every_use_is_renamed_and_nothing_else() {
    // The cursor stands in front of the `number`th place of `needle`; of the words, those in `changed` change.
    let text = "\
struct Lamp { float power; }
float glow(Lamp lamp)
{
    float power = 2.0;
    return lamp.power * power;
}
float both(Lamp a) { return glow(a) + a.power; }
";
    let at = |needle: &str| text.replacen(needle, &format!("$0{needle}"), 1);
    check_rename(
        &at("power; }"),
        "strength",
        &text.replace("float power; }", "float strength; }").replace(".power", ".strength"),
    );
    check_rename(
        &at("power = 2.0"),
        "factor",
        &text.replace("float power = 2.0", "float factor = 2.0").replace("* power", "* factor"),
    );
    check_rename(&at("Lamp lamp"), "Light", &text.replace("Lamp", "Light"));
}

#[test]
fn a_requirement_is_renamed_with_what_fulfils_it() {
    check_rename(
        "\
interface IShape { float area(); }
struct Square : IShape { float side; float ar$0ea() { return side * side; } }
struct Other { float area() { return 0; } }
float use<T : IShape>(T t, Square s) { return t.area() + s.area(); }
",
        "extent",
        "\
interface IShape { float extent(); }
struct Square : IShape { float side; float extent() { return side * side; } }
struct Other { float area() { return 0; } }
float use<T : IShape>(T t, Square s) { return t.extent() + s.extent(); }
",
    );
}

#[test]
fn attributes_of_derivatives_are_renamed() {
    check_rename(
        "\
[BackwardDerivative(mine_bwd)]
float mine(float x) { return x; }
void mine_$0bwd(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }
",
        "mine_vjp",
        "\
[BackwardDerivative(mine_vjp)]
float mine(float x) { return x; }
void mine_vjp(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }
",
    );
}

#[test]
fn what_cannot_be_renamed_is_refused_with_the_reason() {
    let text = "\
#define CALL(x) helper(x)
float helper(float x) { return sin(x); }
float other(float y) { float z = y; return z + CALL(y); }
";
    for (needle, new_name, reason) in [
        ("helper(float", "assist", "macro"),
        ("sin(x)", "cosinus", "core library"),
        ("z = y", "y", "already"),
        ("other", "9lives", "not a name"),
        ("return sin", "x", "no name"),
    ] {
        check_rename_refused(&text.replacen(needle, &format!("$0{needle}"), 1), new_name, reason);
    }
}

#[test]
fn a_lambda_is_renamed_where_it_is_called() {
    check_rename(
        "float f() { let l$0am = (float z) => z * 2.0; return lam(2.0); }",
        "twice",
        "float f() { let twice = (float z) => z * 2.0; return twice(2.0); }",
    );
}

#[test]
fn the_field_that_an_attribute_names_is_renamed_there() {
    check_rename(
        "struct D : IDifferentiable { float d$0x; typealias Differential = D; }\nstruct S : IDifferentiable { [DerivativeMember(D.dx)] float x; typealias Differential = D; }\n",
        "slope",
        "struct D : IDifferentiable { float slope; typealias Differential = D; }\nstruct S : IDifferentiable { [DerivativeMember(D.slope)] float x; typealias Differential = D; }\n",
    );
}

#[test]
fn a_function_is_renamed_where_it_is_declared_again() {
    for text in [
        "float h$0(float x);\nfloat f() { return h(1.0); }\nfloat h(float x) { return x; }\nfloat h(int x) { return x; }\n",
        "float h(float x);\nfloat f() { return h$0(1.0); }\nfloat h(float x) { return x; }\nfloat h(int x) { return x; }\n",
        "float h(float x);\nfloat f() { return h(1.0); }\nfloat h$0(float x) { return x; }\nfloat h(int x) { return x; }\n",
    ] {
        check_rename(
            text,
            "g",
            "float g(float x);\nfloat f() { return g(1.0); }\nfloat g(float x) { return x; }\nfloat h(int x) { return x; }\n",
        );
    }
}

#[test]
fn what_cannot_be_renamed_says_why() {
    check_rename_refused("#define TW$0ICE(x) (2 * x)\nfloat f() { return TWICE(1); }", "B", "macros cannot be renamed");
    check_rename_refused("struct S { float x; __in$0it() { x = 1; } }", "B", "the name of its type");
}

#[test]
fn an_attribute_keeps_its_ending_where_it_is_declared() {
    let text = "[__AttributeUsage(_AttributeTargets.Var)] struct MyAttribute { int v; }\n[My(3)] uniform int q;\n[MyAttribute(4)] uniform int r;\n";
    let changed = text.replace("My", "Range");
    check_rename(&text.replace("MyAttribute {", "My$0Attribute {"), "RangeAttribute", &changed);
    check_rename(&text.replace("[My(", "[M$0y("), "Range", &changed);
}

#[test]
fn the_parameter_of_a_subscript_is_renamed_in_its_accessors() {
    check_rename(
        "struct S { float a[3]; __subscript(int i$0) -> float { get { return a[i]; } set { a[i] = newValue; } } }",
        "at",
        "struct S { float a[3]; __subscript(int at) -> float { get { return a[at]; } set { a[at] = newValue; } } }",
    );
}

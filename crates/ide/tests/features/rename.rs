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

//! Which constructor makes a value, and what the fields hold that nobody sets. slangc's HLSL output says the same.

use super::{int, run};

#[test]
fn an_initialiser_list_calls_the_constructor_that_takes_its_elements() {
    let text = "
struct Doubled { int x; int y; __init(int x) { this.x = x; this.y = x * 2; } }
struct Summed { int x; __init(int a, int b) { x = a + b; } }
int f(int x) {
    Doubled a = { x };
    Doubled b;
    b = { x + 1 };
    Doubled c[2] = { { 10 }, { 20 } };
    Summed d = { x, 100 };
    return a.y + b.y + c[1].y + d.x;
}";
    // 2 * 3 + 2 * 4 + 2 * 20 + 103
    assert_eq!(run(text, "f", &[int(3)]), [157.0]);
}

#[test]
fn a_constructor_begins_with_that_of_the_base() {
    let text = "
struct Base { int p = 1; int q; __init() { p = 2; q = 30; } }
struct Own : Base { int r = 4; __init() { r += p; } }
int f() { Own own; return own.p + own.q + own.r * 100; }";
    assert_eq!(run(text, "f", &[]), [632.0]);
}

#[test]
fn an_empty_list_gives_members_their_constructors_initialisers_or_zero() {
    let text = "
struct Made { int x; __init() { x = 7; } }
struct Whole { Made made; int written = 20; int nothing; }
int f() { Whole whole = {}; return whole.made.x + whole.written + whole.nothing; }";
    assert_eq!(run(text, "f", &[]), [27.0]);
}

/// Also in arrays: all elements, those that the list leaves out, and the members of elements.
#[test]
fn an_empty_list_gives_elements_their_constructors_initialisers_or_zero() {
    let text = "
struct Made { int x; __init() { x = 7; } __init(int y) { x = y; } }
struct Written { int x = 3; }
struct Whole { Written parts[2]; int y = 5; int nothing[2]; }
int f() {
    Made made[2] = {};
    Written some[3] = { { 1 } };
    Whole whole = {};
    Written nested[2][2] = {};
    int numbers[3] = {};
    return made[1].x + 10 * some[2].x + 100 * (whole.parts[1].x + whole.y + whole.nothing[1])
        + 1000 * nested[1][0].x + numbers[2];
}";
    // 7 + 10 * 3 + 100 * (3 + 5) + 1000 * 3
    assert_eq!(run(text, "f", &[]), [3837.0]);
}

#[test]
fn fields_that_are_less_visible_than_their_struct_are_not_parameters_of_its_constructor() {
    let text = "
public struct Shown { internal int hidden = 1; public int y = 5; internal int sum() { return hidden * 100 + y; } }
internal struct Inside { internal int x = 1; internal int y = 2; internal int sum() { return x * 100 + y; } }
internal int f(int x) {
    Shown shown = { x };
    Inside inside = { x };
    return shown.sum() * 1000 + inside.sum();
}";
    // hidden = 1, y = 9; x = 9, y = 2
    assert_eq!(run(text, "f", &[int(9)]), [109_902.0]);
}

use super::{float, int, run};

#[test]
fn branches_join_the_variables_they_assign() {
    let text = "
float f(float x) {
    float y = 1;
    if (x > 0) { y = x; } else if (x < -10) { return -1; }
    return y;
}";
    assert_eq!(run(text, "f", &[float(3.0)]), [3.0]);
    assert_eq!(run(text, "f", &[float(-3.0)]), [1.0]);
    assert_eq!(run(text, "f", &[float(-30.0)]), [-1.0]);
}

#[test]
fn a_conditional_expression_evaluates_one_side() {
    let text = "
int count(inout int n, int value) { n += 1; return value; }
int f(bool c) { int n = 0; int v = c ? count(n, 5) : 7; return v * 10 + n; }";
    assert_eq!(run(text, "f", &[interp::Value::Bool(true)]), [51.0]);
    assert_eq!(run(text, "f", &[interp::Value::Bool(false)]), [70.0]);
}

#[test]
fn logic_stops_at_the_first_answer() {
    let text = "
bool count(inout int n, bool value) { n += 1; return value; }
int f(int x) { int n = 0; bool r = x > 1 && count(n, x > 2) || count(n, false); return n * 10 + int(r); }";
    assert_eq!(run(text, "f", &[int(0)]), [10.0]);
    assert_eq!(run(text, "f", &[int(2)]), [20.0]);
    assert_eq!(run(text, "f", &[int(3)]), [11.0]);
}

#[test]
fn loops_carry_what_they_assign() {
    let text = "
int f(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i == 2) continue;
        if (i == 5) break;
        sum += i;
    }
    return sum;
}";
    assert_eq!(run(text, "f", &[int(3)]), [1.0]);
    assert_eq!(run(text, "f", &[int(100)]), [8.0]);
}

#[test]
fn while_and_do() {
    let text = "
int f(int n) {
    int steps = 0;
    while (n > 1) { n = n / 2; steps++; }
    do { steps += 10; n++; if (n == 2) continue; } while (n < 3);
    return steps;
}";
    assert_eq!(run(text, "f", &[int(8)]), [23.0]);
    assert_eq!(run(text, "f", &[int(0)]), [30.0]);
}

#[test]
fn a_condition_may_assign() {
    assert_eq!(
        run("int f(int n) { int s = 0; while (n-- > 0) s += n; return s * 100 + n + 1; }", "f", &[int(4)]),
        [600.0]
    );
}

#[test]
fn return_leaves_nested_loops() {
    let text = "
int f(int limit) {
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++)
            if (i * j > limit) return i * 10 + j;
    return -1;
}";
    assert_eq!(run(text, "f", &[int(11)]), [26.0]);
    assert_eq!(run(text, "f", &[int(100)]), [-1.0]);
}

#[test]
fn cases_fall_through() {
    let text = "
int f(int x) {
    int r = 0;
    switch (x) {
    case 0: r += 1;
    case 1: r += 10; break;
    case 2:
    case 3: { r += 100; break; }
    default: r += 1000;
    }
    return r;
}";
    assert_eq!(run(text, "f", &[int(0)]), [11.0]);
    assert_eq!(run(text, "f", &[int(1)]), [10.0]);
    assert_eq!(run(text, "f", &[int(3)]), [100.0]);
    assert_eq!(run(text, "f", &[int(9)]), [1000.0]);
}

#[test]
fn loops_in_cases_that_are_fallen_into_have_their_own_variables() {
    let text = "
int f(int x) {
    int r = 0;
    switch (x) {
    case 0: { int p = 1; int q = 2; r += p + q; }
    case 1: {
        for (int i = 0; i < 3; i++) { int t = i; t += 1; r += t; }
        switch (r) {
        case 6: { int u = 0; u += 5; if (x == 1) break; r += u; }
        default: r += 100;
        }
    }
    case 2: r += 1000;
    }
    return r;
}";
    assert_eq!(run(text, "f", &[int(0)]), [1109.0]);
    assert_eq!(run(text, "f", &[int(1)]), [1006.0]);
    assert_eq!(run(text, "f", &[int(2)]), [1000.0]);
}

#[test]
fn a_switch_is_left_from_inside_a_branch_and_a_loop_from_inside_a_switch() {
    let text = "
int f(int n) {
    int r = 0;
    for (int i = 0; i < n; i++) {
        switch (i) {
        case 1:
            if (n > 5) break;
            r += 10;
            continue;
        case 3: return r + 1000;
        default: r += 1;
        }
        r += 100;
    }
    return r;
}";
    assert_eq!(run(text, "f", &[int(3)]), [212.0]);
    assert_eq!(run(text, "f", &[int(6)]), [1302.0]);
}

/// slangc 2026.14.1 takes them for variables of the block around the label.
#[test]
fn what_is_declared_behind_a_label_lives_on() {
    for (body, value) in [
        ("a: float y = x * 2; float z = 5; return y + z * 0;", 6.0),
        ("a: b: float y = x * 2, w = 7; float z = 5; return y + w + z * 0;", 13.0),
        ("https://example.org\nfloat y = x * 2; { c: float y = 1; } return y;", 6.0),
        ("a: { float y = x; if (x > 0) break a; x = 9; } return x;", 3.0),
    ] {
        assert_eq!(run(&format!("float f(float x) {{ {body} }}"), "f", &[float(3.0)]), [value], "{body}");
    }
}

/// As slangc has it: what an earlier case declares is there, without a value, where control does not come by.
#[test]
fn the_cases_of_a_switch_are_one_scope() {
    let text = "
float f(int i, float x) {
    float before = 1;
    switch (i) {
        case 0: float a = x, b = 4; i = 5;
        case 1: a = x * 2 + i; { float a = 100; before += a; } return a + before;
        case 2: float c = before; b = c; a = b + 1; break;
        case 3: before = 50; break;
        default: a = 7; c = a; while (c < 9) { c += 1; if (c > 8) break; } return c;
    }
    return before;
}
";
    for (case, value) in [(0, 112.0), (1, 108.0), (2, 1.0), (3, 50.0), (4, 9.0)] {
        assert_eq!(run(text, "f", &[int(case), float(3.0)]), [value], "{case}");
    }
}

#[test]
fn labels_name_the_loop_to_leave() {
    let text = "
int f(int n) {
    int r = 0;
    outer: for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (i * j == 6) break outer;
            r++;
        }
    }
    return r;
}";
    assert_eq!(run(text, "f", &[int(2)]), [4.0]);
    assert_eq!(run(text, "f", &[int(5)]), [13.0]);
}

#[test]
fn deferred_statements_run_when_the_block_is_left() {
    let text = "
int f(bool early) {
    int r = 1;
    {
        defer r *= 2;
        r += 2;
        if (early) { r += 10; }
    }
    return r;
}";
    assert_eq!(run(text, "f", &[interp::Value::Bool(false)]), [6.0]);
    assert_eq!(run(text, "f", &[interp::Value::Bool(true)]), [26.0]);
}

#[test]
fn a_jump_out_of_two_loops_runs_what_is_deferred_between_them_once() {
    let text = "
int f(int x) {
    int trace = x;
    outer: for (int i = 0; i < 3; i++) {
        defer trace = trace * 10 + 7;
        for (int j = 0; j < 3; j++) {
            defer trace = trace * 10 + j;
            if (j == 1) break outer;
        }
    }
    return trace;
}";
    assert_eq!(run(text, "f", &[int(5)]), [5017.0]);
}

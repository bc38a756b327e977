//! `throw`, `try` and `do … catch`.

use super::{int, lower, run};

const FUNCTIONS: &str = "
enum Low { Negative = 3 }
enum High { TooLarge = 7, Huge = 8 }
int notNegative(int x) throws Low { if (x < 0) throw Low.Negative; return x; }
int small(int x) throws High { if (x > 100) { throw High.Huge; } else if (x > 10) throw High.TooLarge; return x; }
";

#[test]
fn an_error_goes_to_the_arm_of_its_type() {
    let text = format!(
        "{FUNCTIONS}
int f(int x) {{
    int steps = 0;
    do {{
        let a = try notNegative(x);
        steps = 10;
        let b = try small(a);
        steps = 20;
        return a + b;
    }}
    catch (e: Low) {{ return 1000 + steps + (int)e; }}
    catch (e: High) {{ return 2000 + steps + (int)e; }}
}}"
    );
    assert_eq!(run(&text, "f", &[int(4)]), [8.0]);
    assert_eq!(run(&text, "f", &[int(-4)]), [1003.0]);
    assert_eq!(run(&text, "f", &[int(50)]), [2017.0]);
    assert_eq!(run(&text, "f", &[int(500)]), [2018.0]);
}

#[test]
fn an_error_passes_through_functions_that_do_not_catch_it() {
    let text = format!(
        "{FUNCTIONS}
int twice(int x, inout int calls) throws Low {{ calls += 1; let y = try notNegative(x); calls += 10; return 2 * y; }}
int f(int x) {{
    int calls = 0;
    int result = -1;
    do {{ result = try twice(x, calls); }} catch {{ result = 500; }}
    return result + 1000 * calls;
}}"
    );
    assert_eq!(run(&text, "f", &[int(4)]), [11_008.0]);
    assert_eq!(run(&text, "f", &[int(-4)]), [1500.0]);
}

#[test]
fn an_error_leaves_the_loops_and_deferred_blocks_inside() {
    let text = format!(
        "{FUNCTIONS}
int f(int limit) {{
    int trace = 0;
    do {{
        for (int i = 0; i < 3; i++) {{
            defer trace = trace * 10 + 9;
            for (int j = 0; j < 3; j++) {{
                trace = trace * 10 + j;
                try notNegative(limit - i - j);
            }}
        }}
    }}
    catch (e: Low) {{ trace = trace * 10 + (int)e; }}
    return trace;
}}"
    );
    // i = 0: 0 1 and j = 2 throws with limit 1.
    assert_eq!(run(&text, "f", &[int(1)]), [1293.0]);
    assert_eq!(run(&text, "f", &[int(0)]), [193.0]);
}

#[test]
fn an_error_may_be_thrown_again_where_it_is_caught() {
    let text = format!(
        "{FUNCTIONS}
int f(int x) {{
    do {{
        do {{ try small(x); }}
        catch (e: High) {{ if (e == High.Huge) throw e; return 1; }}
        return 2;
    }}
    catch (e: High) {{ return 3; }}
}}"
    );
    assert_eq!(run(&text, "f", &[int(5)]), [2.0]);
    assert_eq!(run(&text, "f", &[int(50)]), [1.0]);
    assert_eq!(run(&text, "f", &[int(500)]), [3.0]);
}

#[test]
fn contexts_of_functions_that_throw_are_refused_by_name() {
    let text = "enum E { A } [Differentiable] float f(float x) throws E { if (x < 0) throw E.A; return x; }
float g(float x) { return f.apply_bwd(x)._0; }";
    let lowered = lower(text, "g", &[]);
    assert!(lowered.errors[0].to_string().contains("a context of a function that throws"), "{:?}", lowered.errors);
}

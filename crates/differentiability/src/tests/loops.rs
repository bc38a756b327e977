//! Findings about how often loops run: bounds that are missing, wrong or not needed, and loops that cannot be unrolled.

use expect_test::expect;

use super::{check, codes};

#[test]
fn loops_without_a_bound() {
    check(
        "[Differentiable]
float f(float x, int n)
{
    float y = x;
    for (int i = 0; i < n; i++)
        y = y * x;
    return y;
}
[Differentiable]
float bounded(float x, int n)
{
    float y = x;
    [MaxIters(8)]
    for (int i = 0; i < n; i++)
        y = y * x;
    for (int j = 0; j < 4; j++)
        y = y * x;
    return y;
}
[ForwardDifferentiable]
float forward(float x, int n)
{
    float y = x;
    for (int i = 0; i < n; i++)
        y = y * x;
    return y;
}",
        expect![[r#"
            error 30510 at 5: `for`: this loop carries derivatives and nothing bounds its iterations: add [MaxIters(n)]
                at 2: `x`: `x` carries a derivative here
                at 5: `for (int i = 0; i < n; i++)
                    y = y * x;`: …goes into `y` here
                at 2: `f`: …the result of `f` expects it here
                fix: Add [MaxIters(16)] => [MaxIters(16)] for (int i = 0; i < n; i++)
        "#]],
    );
}

#[test]
fn bounds_that_are_not_the_count() {
    check(
        "[Differentiable]
float f(float x)
{
    float y = x;
    [MaxIters(2)]
    for (int i = 0; i < 4; i++)
        y = y * x;
    [MaxIters(9)]
    for (int j = 0; j < 4; j++)
        y = y * x;
    return y;
}",
        expect![[r#"
            error 41803 at 5: `2`: this loop makes 4 iterations, but [MaxIters(2)] keeps only 2: its derivative would be wrong
                fix: Change to [MaxIters(4)] => [MaxIters(4)]
            warning 30519 at 8: `9`: this loop makes 4 iterations: [MaxIters(9)] reserves memory for more
                fix: Change to [MaxIters(4)] => [MaxIters(4)]
        "#]],
    );
}

#[test]
fn bounds_of_loops_over_floats_may_be_generous() {
    check(
        "[Differentiable] float grows(float x) { float y = x; float k = 0.5; [MaxIters(20)] while (k < 5.6) { k = k * 1.7 + 0.2; y *= x; } return y; }
[Differentiable] float steps(float x) { float y = x; [MaxIters(20)] for (float t = 0; t < 3; t += 0.5) y *= x; return y; }
[Differentiable] float small(float x) { float y = x; float k = 0.5; [MaxIters(2)] while (k < 5.6) { k = k * 1.7 + 0.2; y *= x; } return y; }",
        expect![[r#"
            error 41803 at 3: `2`: this loop makes 4 iterations, but [MaxIters(2)] keeps only 2: its derivative would be wrong
                fix: Change to [MaxIters(4)] => [Differentiable] float small(float x) { float y = x; float k = 0.5; [MaxIters(4)] while (k < 5.6) { k = k * 1.7 + 0.2; y *= x; } return y; }
        "#]],
    );
}

#[test]
fn loops_that_cannot_be_unrolled() {
    check(
        "[Differentiable] float f(float x, int n)
{
    [ForceUnroll] for (int i = 0; i < n; i++) x = x * x;
    return x;
}
[Differentiable] float g<let N : int>(float x)
{
    [ForceUnroll] for (int i = 0; i < N; i++) x = x * x;
    [ForceUnroll(4)] for (int i = 0; i < int(detach(x)); i++) x = x * x;
    return x;
}",
        expect![[r#"
            error 40020 at 3: `for`: this loop cannot be unrolled: when it ends is not known before it runs; [MaxIters(n)] bounds it
                fix: Add [MaxIters(16)] => [MaxIters(16)] [ForceUnroll] for (int i = 0; i < n; i++) x = x * x;
        "#]],
    );
}

#[test]
fn bounds_of_loops_that_carry_their_test() {
    let small = [
        "int i = 0; [MaxIters(3)] do { y *= x; i++; } while (i < 4);",
        "int i = 7; [MaxIters(2)] do { y *= x; i -= 3; } while (i > 0);",
        "int i = 0; [MaxIters(3)] while (i++ < 4) y *= x;",
        "float t = 0; [MaxIters(7)] do { y *= x; t += 0.5; } while (t < 4);",
    ];
    let enough = [
        "int i = 0; [MaxIters(4)] do { y *= x; i++; } while (i < 4);",
        "int i = 9; [MaxIters(1)] do { y *= x; i++; } while (i < 4);",
        "int i = 0; [MaxIters(2)] do { y *= x; if (y > 9.0) break; i++; } while (i < 4);",
        "int i = 0; [MaxIters(2)] do { y *= x; i++; } while (i < 4 && i < n);",
    ];
    let large = [
        "int i = 0; [MaxIters(5)] do { y *= x; i++; } while (i < 4);",
        "int i = 7; [MaxIters(9)] do { y *= x; i -= 3; } while (i > 0);",
        "int i = 0; [MaxIters(9)] while (i++ < 4) y *= x;",
    ];
    let large_over_floats = [
        "float t = 0; [MaxIters(20)] do { y *= x; t += 0.5; } while (t < 4);",
        "float k = 0.5; [MaxIters(20)] do { k = k * 1.7 + 0.2; y *= x; } while (k < 5.6);",
    ];
    for (loops, expected) in
        [(&small[..], vec![41803]), (&enough[..], vec![]), (&large[..], vec![30519]), (&large_over_floats[..], vec![])]
    {
        for text in loops {
            let text = format!("[Differentiable] float f(float x, int n) {{ float y = x; {text} return y; }}");
            assert_eq!(codes(&text), expected, "{text}");
        }
    }
}

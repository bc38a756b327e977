//! Quiet findings about derivatives that are there and are not what one wants: infinite ones at the end of what limits allow,
//! and sums for which all threads meet at one address.

use hir_def::scope;

use super::program;
use crate::diagnostics;

/// The codes that are found in `[Differentiable] float f(float x …) { … }`.
fn found_in(declarations: &str, rest: &str) -> Vec<u32> {
    let (db, _, file) = program(&format!("{declarations}\n[Differentiable] float f{rest}"));
    let mut found = Vec::new();
    for item in scope::all_file_items(&db, file) {
        assert_eq!(super::errors(&db, *item), Vec::<String>::new(), "{rest}");
        found.extend(diagnostics(&db, *item).iter().map(|finding| finding.code.0));
    }
    found
}

#[test]
fn limits_that_end_where_a_derivative_is_infinite() {
    for rest in [
        "(float x) { return acos(clamp(x, -1.0, 1.0)); }",
        "(float x) { return asin(clamp(x, -1, 0.5)); }",
        "(float x) { return asin(min(x, 1.0)); }",
        "(float x) { return log(max(x, 0.0)); }",
        "(float x) { return log2(abs(x)); }",
        "(float x) { return rsqrt(x * x); }",
        "(float3 x) { return rsqrt(dot(x, x)); }",
        "(float3 x) { return pow(saturate(x), 1.0 / 2.2).x; }",
        "(float x) { return 1.0 / max(0.0, x); }",
        "(float x) { return acosh(max(x, 1.0)); }",
        "(float x) { return atanh(clamp(x, -0.5, 1.0)); }",
    ] {
        assert_eq!(found_in("", rest), [41841], "{rest}");
    }
    for rest in [
        "(float x) { return acos(clamp(x, -0.99, 0.99)); }",
        "(float x) { return log(max(x, 1e-6)); }",
        "(float x) { return log(x); }",
        "(float x) { return sqrt(max(x, 0.0)); }",
        "(float x) { return pow(saturate(x), 2.2); }",
        "(float x) { return 1.0 / (1.0 + abs(x)); }",
        "(no_diff float x) { return acos(clamp(x, -1.0, 1.0)); }",
        "(float x) { return x * acos(clamp(detach(x), -1.0, 1.0)); }",
        "(float x) { return acos(x); }",
    ] {
        assert_eq!(found_in("", rest), [] as [u32; 0], "{rest}");
    }
}

#[test]
fn loads_at_which_all_threads_meet() {
    for rest in [
        "(DiffTensorView<float> t, float x) { return t.load(0) * x; }",
        "(DiffTensorView<float> t, float x) { return t.load(uint2(1, 2)) * x; }",
        "(DiffTensorView<float> t, float x) { float sum = 0; for (int i = 0; i < 4; i++) sum += t.load(2 * i + 1) * x; return sum; }",
        "(DiffTensorView<float> t, float x) { float sum = 0; [MaxIters(4)] for (uint i = 0; i < uint(x); i++) sum += t.load(i) * x; return sum; }",
    ] {
        assert_eq!(found_in("", rest), [41842], "{rest}");
    }
    for rest in [
        "(DiffTensorView<float> t, float x, uint i) { return t.load(i) * x; }",
        "(DiffTensorView<float> t, float x) { return t.loadOnce(0) * x; }",
        "(DiffTensorView<float> t, float x) { return t.primal.load(0) * x; }",
        "(DiffTensorView<float> t, float x) { return no_diff t.load(0) * x; }",
        "(DiffTensorView<float> t, float x) { return t.load(cudaThreadIdx().x) * x; }",
        "(DiffTensorView<float> t, float x, uint n) { float sum = 0; [MaxIters(4)] for (uint i = n; i < 9; i++) sum += t.load(i) * x; return sum; }",
    ] {
        assert_eq!(found_in("", rest), [] as [u32; 0], "{rest}");
    }
}

//! What comes out of parameters without a derivative, and what is called on packs of parameters.

use super::codes;

#[test]
fn what_comes_out_of_a_parameter_without_a_derivative() {
    // Each place that slangc 2026.14.1 refuses with E41031, and those that it takes.
    for (source, expected) in [
        ("[Differentiable] void g(no_diff out float y, float x) { y = x * x; }", vec![41031]),
        ("[Differentiable] void g(no_diff inout float y, float x) { y += x * x; }", vec![41031]),
        ("[Differentiable] void g(no_diff inout float y, float x) { y = x; }", vec![41031]),
        ("[Differentiable] void g(no_diff inout float3 y, float x) { y.x = x * x; }", vec![41031]),
        ("[Differentiable] void g(no_diff inout float y[2], float x) { y[1] = x * x; }", vec![41031]),
        ("[Differentiable] void g(no_diff inout float y, float x) { y = 1.0; if (x > 2) y = x; }", vec![41031]),
        (
            "struct S : IDifferentiable { float a; [Differentiable] [NoDiffThis] [mutating] void set(float x) { a = x * x; } }",
            vec![41031],
        ),
        (
            "struct S : IDifferentiable { float a; [Differentiable] [NoDiffThis] [mutating] void set(float x) { this.a = x; } }",
            vec![41031],
        ),
        ("[Differentiable] void g(no_diff inout float y, float x) { y = detach(x * x); }", vec![]),
        ("[Differentiable] void g(no_diff inout float y, float x) { y = y * 2.0; }", vec![]),
        ("[Differentiable] float g(no_diff float y, float x) { y = x * x; return y; }", vec![]),
        ("[Differentiable] void g(inout float y, no_diff float x) { y = x * x; }", vec![]),
        (
            "struct S : IDifferentiable { float a; [Differentiable] [mutating] void set(float x) { a = x * x; } }",
            vec![],
        ),
    ] {
        assert_eq!(codes(source), expected, "{source}");
    }
}

#[test]
fn methods_of_the_elements_of_a_pack() {
    let interface = "interface ITerm : IDifferentiable { [Differentiable] float val(float x); float plain(float x); }
        [Differentiable] void add(inout float s, float v) { s += v; }\n";
    let of = |method: &str| {
        format!(
            "{interface}[Differentiable] float total<each T : ITerm>(float x, expand each T t) {{ float s = 0; \
             expand add(s, (each t).{method}(x)); return s; }}"
        )
    };
    assert_eq!(codes(&of("val")), [0u32; 0]);
    assert_eq!(codes(&of("plain")), [41022]);
}

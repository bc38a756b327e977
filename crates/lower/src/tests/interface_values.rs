//! Interface values wherever a value can be: derivatives pass through all of them.

use hir_def::body::DerivativeOperator::Backward;
use ir::{Scalar, Type};

use super::{agreement::disagreements, lower};

const TYPES: &str = "
interface IFoo : IDifferentiable { [Differentiable] float f(float k); [Differentiable] [mutating] void grow(float k); }
struct A : IFoo {
    float a;
    [Differentiable] float f(float k) { return a * k; }
    [Differentiable] [mutating] void grow(float k) { a *= k; }
}
struct B : IFoo {
    float2 b; int n;
    [Differentiable] float f(float k) { return b.x * b.y * k; }
    [Differentiable] [mutating] void grow(float k) { b += k * k; }
}
struct C : IFoo {
    int n;
    [Differentiable] float f(float k) { return k * n; }
    [Differentiable] [mutating] void grow(float k) { n += 1; }
}
[Differentiable] IFoo mk(float x) { if (x > 1.5) return A(x * x); if (x > 0.5) return B(float2(x, x * x), 2); return C(3); }
struct Holder : IDifferentiable { IFoo f; float k; }
struct Pairing : IDifferentiable { Holder h[2]; }
struct Deep : IDifferentiable { Pairing p; Optional<Holder> o; Tuple<IFoo, float> t; }
struct Box<T : IDifferentiable> : IDifferentiable { T t; [Differentiable] T get() { return t; } }
[Differentiable] float eval(IFoo v, float k) { return v.f(k); }
[Differentiable] float evalHolder(Holder h) { return h.f.f(h.k); }
[Differentiable] Holder hold(float x) { Holder h; h.f = mk(x); h.k = x; return h; }
[Differentiable] void change(inout IFoo v, float x) { v = mk(v.f(x) + x); }
[Differentiable] void grow(inout Holder h, float x) { h.f.grow(x); h.k *= x; }
[Differentiable] void give(float x, out IFoo v, out Holder h) { v = mk(x); h = hold(x * x); }
[Differentiable] float generic<T : IFoo>(T v, float k) { return v.f(k) * k; }
";

/// Functions of `x`.
const USES: &[(&str, &str)] = &[
    ("local", "IFoo v = mk(x * x); return v.f(2.0);"),
    ("reassigned", "IFoo v = mk(x); v = mk(v.f(x) + x); return v.f(x);"),
    ("field", "Holder h; h.f = mk(x * x); h.k = x; return h.f.f(2.0) * h.k;"),
    ("field_of_a_made_struct", "Holder h = { mk(x), x }; return h.f.f(h.k);"),
    ("field_of_a_constructed_struct", "return evalHolder(Holder(mk(x), x * x));"),
    ("struct_given_back", "return hold(x * x).f.f(x);"),
    ("struct_copied", "Holder a = hold(x); Holder b = a; b.k = 2; return evalHolder(a) * evalHolder(b);"),
    ("array_of_structs", "Pairing p; p.h[0] = hold(x); p.h[1] = hold(x * 2); return evalHolder(p.h[0]) * p.h[1].f.f(x);"),
    ("everything", "Deep d; d.p.h[0] = hold(x); d.p.h[1] = hold(2); d.o = hold(x * x); d.t = makeTuple(mk(x), x);
        return evalHolder(d.p.h[0]) + d.p.h[1].f.f(x) + evalHolder(d.o.value) + d.t._0.f(d.t._1);"),
    ("optional", "Optional<IFoo> p = none; if (x > 0.7) p = mk(x * x); if (p.hasValue) return p.value.f(2.0); return x;"),
    ("optional_unwrapped", "Optional<IFoo> p = none; if (x > 0.7) p = mk(x * x); if (let v = p) return v.f(x); return x;"),
    ("optional_holder", "Optional<Holder> p = none; if (x > 0.7) p = hold(x); if (p != none) return evalHolder(p.value); return x;"),
    ("tuple", "let t = makeTuple(mk(x), x); return t._0.f(t._1);"),
    ("tuple_changed", "Tuple<IFoo, float> t = makeTuple(mk(x), x); t._0 = mk(x * x); t._1 *= x; return t._0.f(t._1);"),
    ("tuples_joined", "let t = concat(makeTuple(mk(x), x), makeTuple(x * x, 2.0)); return t._0.f(t._1) * t._2 * t._3;"),
    ("array", "IFoo a[2] = { mk(x), mk(x * x) }; return a[0].f(x) * a[1].f(2);"),
    ("array_filled_in_a_loop", "IFoo a[3]; for (int i = 0; i < 3; i++) a[i] = mk(x * (i + 1));
        float r = 1; for (int j = 0; j < 3; j++) r *= a[j].f(x); return r;"),
    ("array_read_and_written_in_a_loop", "IFoo a[4]; a[0] = mk(x); for (int i = 1; i < 4; i++) a[i] = mk(a[i - 1].f(0.5) + x);
        return a[3].f(x) * a[1].f(x);"),
    ("array_of_holders_in_a_loop", "Holder a[3]; for (int i = 0; i < 3; i++) { a[i].f = mk(x + i); a[i].k = x * i; }
        float r = 0; for (int j = 0; j < 3; j++) r += evalHolder(a[j]); return r;"),
    ("carried_over_a_loop", "IFoo v = mk(x); for (int i = 0; i < 3; i++) v = mk(v.f(0.6) + x); return v.f(x);"),
    ("changed_in_a_loop", "IFoo v = mk(x); for (int i = 0; i < 3; i++) v.grow(x); return v.f(x);"),
    ("holder_carried_over_a_loop", "Holder h = hold(x); for (int i = 0; i < 3; i++) { h.f.grow(h.k); h.k = h.f.f(0.5); } return h.k;"),
    ("loop_left_early", "IFoo v = mk(x); for (int i = 0; i < 4; i++) { if (v.f(1) > 3) break; v = mk(v.f(1) + x); } return v.f(x);"),
    ("given_back_from_a_loop", "Optional<IFoo> v = none; for (int i = 0; i < 4; i++) { if (i > 1 && v == none) v = mk(x * i); }
        return v.value.f(x);"),
    ("inout", "IFoo v = mk(x); change(v, x); return v.f(2);"),
    ("inout_of_a_holder", "Holder h = hold(x); grow(h, x); grow(h, x); return evalHolder(h);"),
    ("inout_of_a_field", "Holder h = hold(x); change(h.f, x); return evalHolder(h);"),
    ("inout_of_an_element", "IFoo a[2] = { mk(x), mk(2) }; change(a[1], x); change(a[0], x); return a[0].f(x) + a[1].f(x);"),
    ("out", "IFoo v; Holder h; give(x, v, h); return v.f(x) * evalHolder(h);"),
    ("argument", "return eval(mk(x), x) * eval(A(x), x) + eval(B(float2(x), 1), 2);"),
    ("generic_argument", "return generic(mk(x), x) + generic(A(x), x);"),
    ("generic_struct", "Box<IFoo> b = { mk(x) }; return b.t.f(x) * b.get().f(2);"),
    ("generic_struct_of_a_struct", "Box<Holder> b = { hold(x) }; return evalHolder(b.t) * b.get().f.f(2);"),
    ("chosen", "IFoo v = x > 1 ? mk(x) : mk(x * x); return v.f(x);"),
    ("chosen_holder", "Holder h = hold(x); Holder g = hold(x * x); Holder r = x > 1 ? h : g; return evalHolder(r);"),
    ("captured", "IFoo v = mk(x); let g = (float k) => v.f(k); return g(x) + g(2);"),
    ("holder_captured", "Holder h = hold(x); let g = (float k) => h.f.f(k) * h.k; return g(x);"),
    ("as_another_type", "IFoo v = mk(x); if (let a = v as A) return a.a * x; return v.f(x);"),
    ("is_of_a_type", "IFoo v = mk(x); return v is B ? v.f(x) : x;"),
    ("of_a_lambda_parameter", "let g = (IFoo v, float k) => v.f(k); return g(mk(x), x);"),
    ("switched", "Holder h = hold(x); switch (int(x * 2)) { case 0: h.k = 1; break; case 1: h.f = mk(x * 3); default: h.k *= x; }
        return evalHolder(h);"),
];

#[test]
fn derivatives_pass_through_interface_values_wherever_they_are() {
    let mut text = TYPES.to_owned();
    for (name, body) in USES {
        text += &format!("[Differentiable] float {name}(float x) {{ {body} }}\n");
    }
    let names: Vec<String> = USES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let found = disagreements(&text, &names, &[0.31, 0.83, 1.21, 1.9]);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The source has no `double`: neither has what it becomes, however often it is differentiated.
#[test]
fn second_derivatives_are_right_and_of_the_types_of_the_source() {
    let (mut text, mut names) = (TYPES.to_owned(), Vec::new());
    for (name, body) in USES {
        text += &format!("[Differentiable] float {name}(float x) {{ {body} }}\n");
        text += &format!(
            "[Differentiable] float slope_of_{name}(float x) {{ return fwd_diff({name})(diffPair(x, 1.0)).d; }}\n"
        );
        names.push(format!("slope_of_{name}"));
    }
    let found = disagreements(&text, &names, &[0.31, 0.83, 1.21, 1.9]);
    assert!(found.is_empty(), "{}", found.join("\n"));
    for function in &names {
        let lowered = lower(&text, function, &[Backward]);
        let double = lowered.module.types.find(Type::Scalar(Scalar::F64));
        assert_eq!(double, None, "{function}");
    }
}

/// What the source calls the differential of an interface value is `IDifferentiable`, which any differentiable type is.
#[test]
fn differentials_of_interface_values_are_handled_by_their_name() {
    let text = format!(
        "{TYPES}
float scaled(IFoo v, float k) {{ return v.f(k); }}
[BackwardDerivativeOf(scaled)]
void scaledBackward(inout DifferentialPair<IFoo> v, inout DifferentialPair<float> k, float d) {{
    IDifferentiable so_far = v.d;
    DifferentialPair<IFoo> same = diffPair<IFoo>(v.p, so_far);
    v = diffPair(same.p, same.d);
    k = diffPair(k.p, d * v.p.f(1));
}}
[ForwardDerivativeOf(scaled)]
DifferentialPair<float> scaledForward(DifferentialPair<IFoo> v, DifferentialPair<float> k) {{
    Optional<IDifferentiable> kept = v.d;
    let again = DifferentialPair<IFoo>(v.p, kept.value);
    return diffPair(again.p.f(k.p), again.p.f(1) * k.d);
}}
[Differentiable] float f(float x) {{ return scaled(C(3), x * x); }}
[Differentiable] float held(float x) {{
    DifferentialPair<Holder> p = diffPair(hold(x), {{}});
    IDifferentiable d = p.d.f;
    p.d.f = d;
    return evalHolder(p.p);
}}"
    );
    let found = disagreements(&text, &["f".to_owned(), "held".to_owned()], &[0.31, 1.21, 1.9]);
    assert!(found.is_empty(), "{}", found.join("\n"));
    let lowered = lower(&text, "f", &[Backward]);
    assert_eq!(lowered.module.types.find(Type::Scalar(Scalar::F64)), None);
}

//! Calls of derivatives: their signatures take part in overload resolution like any other.

use super::check;

#[test]
fn derivatives_have_no_default_arguments() {
    check(
        "[Differentiable] float f(float x, no_diff float k = 3) { return x * k; }
        void g() {
            let a = f(1);
            let b = fwd_diff(f)(diffPair(1.0, 1.0)); //! E39999 expected 2
            let c = fwd_diff(f)(diffPair(1.0, 1.0), 2);
        }",
    );
}

#[test]
fn derivatives_of_functions_are_called() {
    check(
        "[Differentiable] float f(float x, no_diff float y, int n) { return x * y; }
        void g() {
            let p = diffPair(1.0, 2.0); //: diffPair(1.0, 2.0) : DifferentialPair<float>
            let r = fwd_diff(f)(p, 2.0, 3); //: fwd_diff(f)(p, 2.0, 3) : DifferentialPair<float>
            let d = r.d; //: r.d : float
            var q = diffPair(1.0);
            bwd_diff(f)(q, 2.0, 3, 1.0); //: bwd_diff(f)(q, 2.0, 3, 1.0) : void
            __bwd_diff(f)(q, 2.0, 3, 1.0);
            fwd_diff(f)(1.0, 2.0, 3); //! E30019 expected an expression of type 'DifferentialPair<float>', got 'float'
            bwd_diff(f)(q, 2.0, 3); //! E39999 not enough arguments to call (got 3, expected 4)
            bwd_diff(f)(diffPair(1.0), 2.0, 3, 1.0); //! E30047 must be an l-value
            fwd_diff(1)(2); //! E33070 expected a function, got 'int'
        }",
    );
}

#[test]
fn overloads_are_chosen_by_the_derivatives_parameters() {
    // The example of the type system's design notes: `int -> float` and `double, double -> float`.
    check(
        "[Differentiable] float f(int x) { return 1; }
        [Differentiable] float f(double x, double y) { return 1; }
        [Differentiable] float3 g(float3 x) { return x; }
        [Differentiable] float g(float x) { return x; }
        void h() {
            let a = fwd_diff(f)(DifferentialPair<double>(1.0, 0.0), DifferentialPair<double>(0.0, 1.0)); //: fwd_diff(f)(DifferentialPair<double>(1.0, 0.0), DifferentialPair<double>(0.0, 1.0)) : DifferentialPair<float>
            let b = fwd_diff(g)(diffPair(1.0, 1.0)); //: fwd_diff(g)(diffPair(1.0, 1.0)) : DifferentialPair<float>
            let c = fwd_diff(g)(diffPair(float3(1), float3(1))); //: fwd_diff(g)(diffPair(float3(1), float3(1))) : DifferentialPair<float3>
        }",
    );
}

#[test]
fn methods_generics_and_nested_derivatives() {
    check(
        "struct M : IDifferentiable { float k; [Differentiable] float apply(float x) { return k * x; } }
        [Differentiable] T square<T : __BuiltinFloatingPointType>(T x) { return x * x; }
        [Differentiable] float one(float x) { return x; }
        [Differentiable] float inner(float x) { return fwd_diff(one)(diffPair(x, 1.0)).d; }
        void f(M m) {
            var pm = diffPair(m);
            var px = diffPair(2.0);
            let a = fwd_diff(M.apply)(pm, px); //: fwd_diff(M.apply)(pm, px) : DifferentialPair<float>
            bwd_diff(M.apply)(pm, px, 1.0);
            let b = pm.d.k; //: pm.d.k : float
            let c = fwd_diff(square)(diffPair(1.0, 1.0)); //: fwd_diff(square)(diffPair(1.0, 1.0)) : DifferentialPair<float>
            let d = fwd_diff(square<half>)(diffPair(1.0h, 1.0h)); //: fwd_diff(square<half>)(diffPair(1.0h, 1.0h)) : DifferentialPair<half>
            let e = fwd_diff(fwd_diff(one))(diffPair(px, px)); //: fwd_diff(fwd_diff(one))(diffPair(px, px)) : DifferentialPair<DifferentialPair<float>>
            let g = fwd_diff(inner)(px); //: fwd_diff(inner)(px) : DifferentialPair<float>
        }",
    );
}

#[test]
fn differential_types_are_named_and_used() {
    check(
        "struct A : IDifferentiable { float x; no_diff float y; int n; }
        struct B : IDifferentiable {
            typealias Differential = BD;
            float v;
            static BD dzero() { return {0}; }
            static BD dadd(BD a, BD b) { return {a.v + b.v}; }
        }
        struct BD : IDifferentiable { float v; }
        T.Differential zero<T : IDifferentiable>(T x) { return T.dzero(); } //: T.dzero() : T.Differential
        T.Differential twice<T : IDifferentiable>(T.Differential d) { return T.dadd(d, d); }
        void f(A a, B b) {
            A.Differential d = A.dzero();
            d.x = 1;
            d.n = 1; //! E30027 'n' is not a member of 'A.Differential'
            let e = zero(b); //: zero(b) : BD
            let g = diffPair(a, d).d.x; //: diffPair(a, d).d.x : float
            float.Differential h = 1;
            let i = h; //: h : float
            let j = no_diff sin(1.0); //: no_diff sin(1.0) : float
            let k = detach(1.0); //: detach(1.0) : float
        }",
    );
}

#[test]
fn generic_parameters_carry_derivatives_only_if_they_say_so() {
    // As slangc: `T` is not known to be differentiable where `f` is declared, so no use of it is.
    check(
        "interface IFoo { [Differentiable] float get(float x); }
        struct A : IFoo, IDifferentiable { float a; [Differentiable] float get(float x) { return x * a; } }
        [Differentiable] float f<T : IFoo>(T t, float x) { return t.get(x); }
        void g(A a) {
            let r = fwd_diff(f)(a, diffPair(1.0, 1.0)); //: fwd_diff(f)(a, diffPair(1.0, 1.0)) : DifferentialPair<float>
        }",
    );
}

#[test]
fn pairs_are_made_of_what_converts_to_their_halves() {
    // What the reference compiler accepts and refuses.
    check(
        "struct S : IDifferentiable { float2 a; float b; }
        struct W : IDifferentiable { float a; __init(float x) { a = x; } }
        interface IFoo : IDifferentiable { float f(); }
        struct Foo : IFoo { float v; float f() { return v; } }
        extension<T> Ptr<T> : IDifferentiablePtrType { typealias Differential = Ptr<T>; }
        void g(float f, half h, int n, Ptr<float> p) {
            let a = diffPair<Optional<float>>(3.0f, none); //: diffPair<Optional<float>>(3.0f, none) : DifferentialPair<Optional<float>>
            let b = diffPair<Optional<float>>(none, 3.0f);
            let c = diffPair<Optional<float>>(3.0f);
            let e = diffPair<IFoo>(Foo(2));
            let i = diffPair<float2>(1, f);
            let j = diffPair<float3x3>(n, 0);
            let k = diffPair<float[2]>({ 1, 2 }, { 3, 4 });
            let l = diffPair<S>({ float2(1), 2 }, { float2(1), 3 });
            let m = diffPair<Tuple<float, float>>(makeTuple(1.0f, 2.0f));
            let o = diffPair(f, n); //: diffPair(f, n) : DifferentialPair<float>
            let q = diffPair(f, h);
            let r = DifferentialPair<Optional<float>>(1.0f, none);
            let s = DifferentialPtrPair<Ptr<float>>(p, p);
            let t = DifferentialPtrPair<Ptr<float>[2]>({ p, p }, { p, p });
            let u = diffPair(p, p); //: diffPair(p, p) : DifferentialPtrPair<float*>
            let v = diffPair<W>(3.0f); //! E30019 expected an expression of type 'W', got 'float'
            let w = diffPair(f, float2(1, 2)); //! E30019 expected an expression of type 'float', got 'float2'
            let x = diffPair<float3>(float4(1)); //! E30019 expected an expression of type 'float3', got 'float4'
        }",
    );
}

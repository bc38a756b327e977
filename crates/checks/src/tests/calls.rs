//! Calls and overloads, ranked as slangc ranks them.

use super::{check, check_with};

#[test]
fn the_cheapest_overload_is_taken() {
    check(
        "float pick(int a) { return 0; }
        int pick(float a) { return 0; }
        float3 pick(float3 a) { return a; }
        bool generic(int a) { return true; }
        float generic<T>(T a) { return 0; }
        void f(half h, int i, float3 v) {
            let a = pick(1); //: pick(1) : float
            let b = pick(1.0); //: pick(1.0) : int
            let c = pick(h); //: pick(h) : int
            let d = pick(v); //: pick(v) : float3
            let e = generic(1); //: generic(1) : bool
            let g = generic(1.0); //: generic(1.0) : float
        }",
    );
}

#[test]
fn an_extension_of_fewer_types_is_preferred() {
    check(
        "struct V<let N : int> { float x; }
        extension<int N> V<N> { static float f(float x) { return x; } }
        extension V<3> { static int f(float x) { return 1; } }
        void g() {
            let a = V<3>.f(1.0); //: V<3>.f(1.0) : int
            let b = V<2>.f(1.0); //: V<2>.f(1.0) : float
        }",
    );
}

#[test]
fn ties_are_ambiguous() {
    check(
        "float g(float3 x) { return 0; }
        float g(float2 x) { return 0; }
        float ov(int x) { return 0; }
        float ov(uint x) { return 0; }
        void f() {
            g(1.0); //! E39999 ambiguous call to 'g' with arguments of type (float)
            ov(1.0); //! E39999 ambiguous call to 'ov' with arguments of type (float)
            ov(1);
            ov(1u);
            transpose(1.0); //! E39999 no overload for 'transpose' applicable to arguments of type (float)
            float3x3 m = max(float3x3(1), 2.0);
        }",
    );
}

#[test]
fn wrong_calls_say_what_is_wrong() {
    check(
        "float h(float x, int y, float z = 1) { return x; }
        void out1(out float x) { x = 1; }
        struct S { float a; }
        void f(S s, int i) {
            h(1.0); //! E39999 not enough arguments to call (got 1, expected 2)
            h(1, 2, 3, 4); //! E39999 too many arguments to call (got 4, expected 3)
            h(1, 2);
            h(s, 1); //! E30019 expected an expression of type 'float', got 'S'
            out1(1.0); //! E30047 must be an l-value
            out1(i); //! E30047 must be an l-value
            out1(s.a);
            sin(s); //! E39999 no overload for 'sin' applicable to arguments of type (S)
        }",
    );
}

#[test]
fn builtin_functions_take_scalars_vectors_and_mixtures() {
    check(
        "void f(float3 v, float s, int i, uint u, float3x3 m, float4 w) {
            let a = sin(v); //: sin(v) : float3
            let b = sqrt(2); //: sqrt(2) : float
            let c = max(v, 0); //: max(v, 0) : float3
            let d = clamp(v, 0, 1); //: clamp(v, 0, 1) : float3
            let e = lerp(v, v, 0.5); //: lerp(v, v, 0.5) : float3
            let g = pow(2.0, i); //: pow(2.0, i) : float
            let h = dot(v, v); //: dot(v, v) : float
            let j = mul(m, v); //: mul(m, v) : float3
            let k = mul(v, v); //: mul(v, v) : float
            let l = max(u, i); //: max(u, i) : uint
            let n = normalize(v) * length(v); //: normalize(v) : float3
            let o = any(v > 0); //: any(v > 0) : bool
            let p = asuint(s); //: asuint(s) : uint
        }",
    );
}

#[test]
fn numbers_are_constructed_from_their_parts() {
    check(
        "void f(float2 xy, float4 w, int i) {
            let a = float3(xy, 1); //: float3(xy, 1) : float3
            let b = float3(1); //: float3(1) : float3
            let c = float2x2(1, 2, 3, 4); //: float2x2(1, 2, 3, 4) : float2x2
            let d = float2x2(xy, xy); //: float2x2(xy, xy) : float2x2
            let e = int(1.5); //: int(1.5) : int
            let g = float3(1, 2); //! E39999 float3
            let h = float3(w); //! E30019 'float4' cannot be converted to 'float3'
            let j = (float3)w; //! E30019 'float4' cannot be converted to 'float3'
            let k = vector<float, 2>(1, i); //: vector<float, 2>(1, i) : float2
            let l = (int)w.x; //: (int)w.x : int
        }",
    );
}

#[test]
fn what_has_no_fields_is_not_made_of_nothing() {
    check(
        "struct S { float x; }
        enum Mode { on, off }
        void f<T : IArithmetic, U>() {
            let a = float3(); //! E39999 float3
            half b = half(); //! E39999 half
            let c = float2x2(); //! E39999 float2x2
            let d = bool(); //! E39999 bool
            let e = Mode(); //! E39999 Mode
            let g = Optional<int>(); //! E39999 not enough
            let h = Tuple<int, float>(); //! E39999 Tuple<int, float>
            let i = Ptr<int>(); //! E39999 int*
            let j = Texture2D(); //! E39999 no overload
            let k = DifferentialPair<float>(); //! E39999 DifferentialPair<float>
            let one = DifferentialPair<float>(1.0); //! E39999 not enough arguments
            let l = T(); //! E39999 T
            let m = U();
            let n = S();
            let o = float[3]();
            Mode p = {};
            float3 q = {};
        }",
    );
}

#[test]
fn functions_are_values_of_function_types() {
    check(
        "float square(float x) { return x * x; }
        float apply(functype (float) -> float g, float x) { return g(x); }
        void f() {
            let a = apply(square, 2); //: apply(square, 2) : float
            let g = (int x) => x + 1; //: (int x) => x + 1 : lambda (int) -> int
            let b = g(2); //: g(2) : int
            int c = square; //! E30019 expected an expression of type 'int', got 'functype (float) -> float'
        }",
    );
}

#[test]
fn a_lambda_has_a_type_of_its_own() {
    check(
        "float apply(functype (float) -> float g, float x) { return g(x); }
        float call<F : IFunc<float, float>>(F g, float x) { return g(x); }
        float smooth<F : IDifferentiableFunc<float, float>>(F g, float x) { return g(x); }
        void f(float c) {
            let a = apply((float x) => x + 1, c);
            let b = apply((float x) => x + c, c); //! E30019 lambda (float) -> float
            let d = apply((int x) => 1.0, c); //! E30019 lambda (int) -> float
            let e = call((float x) => x + c, c); //: call((float x) => x + c, c) : float
            let h = smooth((float x) => x + c, c); //! E38029 IDifferentiableFunc
            var g = (float x) => x;
            g = (float x) => x; //! E30019 lambda (float) -> float
            let k = (inout float x) => { x = c; };
            k(1.0); //! E30047 argument passed to parameter '1' must be an l-value
        }
        [Differentiable]
        float h(float c) { return smooth((float x) => x + c, c); }
        struct R { float k; [mutating] void m() { k = 1; } [mutating] void n() { let g = () => { m(); }; } } //! E30050 m
        struct S { float k; [mutating] void m() { let g = (float x) => { k = x; }; } } //! E30011 l-value
        ",
    );
}

#[test]
fn of_generic_functions_the_one_with_stronger_constraints_is_called() {
    check(
        "
        interface IBase { float get(); }
        interface IDerived : IBase {}
        struct D : IDerived { float get() { return 1; } }
        float pick<T : IBase>(T x) { return 0; }
        int pick<T : IDerived>(T x) { return 1; }
        int f(D d) { return pick(d); } //: pick(d) : int",
    );
}

#[test]
fn functions_outside_of_a_type_are_overloads_of_its_methods() {
    check(
        "struct W {
            float w;
            [mutating] void clamp() { w = clamp(w, 0, 1); }
            float max() { return max(w, 2.0f); } //: max(w, 2.0f) : float
            [mutating] void limit() { clamp(); }
        }",
    );
}

#[test]
fn kernels_are_started_with_their_arguments() {
    check(
        "void kernel(TensorView<float> a, float b) {}
        void host(TensorView<float> a) {
            __dispatch_kernel(kernel, uint3(1), uint3(8, 8, 1))(a, 2);
            __dispatch_kernel(kernel, uint3(1), uint3(8, 8, 1))(a, a); //! E30019 expected an expression of type 'float'
        }",
    );
}

#[test]
fn more_generic_arguments_than_parameters() {
    check(
        "void g<T, U>(T a, U b) {}
        void p<each T>(expand each T t) {}
        void f() {
            g<int>(1, 2.0);
            p<int, float, int>(1, 2.0, 3);
            g<int, int, int>(1, 2); //! E39999 'g' takes 2 generic arguments
        }",
    );
}

#[test]
fn constructors_of_a_struct_are_all_there_are() {
    check(
        "struct A { int x; __init(int a) { x = a; } }
        struct B { int x; }
        extension B { __init(int a, int b) { x = a + b; } }
        struct C { int x; __init() { x = 1; } __init(int a) { x = a; } }
        struct D<T> { T x; __init(T a) { x = a; } }
        int f() { A a = A(); return a.x; } //! E39999 not enough arguments to call (got 0, expected 1)
        int g() { B b = B(); C c = C(); return b.x + c.x; }
        int h() { D<int> d = D<int>(); return d.x; } //! E39999 not enough arguments to call",
    );
}

/// slangc 2026.14.1's answers: among functions that take the same, those of the calling module are nearer than all others, and
/// of two others none is nearer, not even than one of the core library.
#[test]
fn the_same_function_of_two_other_modules_is_ambiguous() {
    let files = [
        (
            "/one.slang",
            "module one; public float twice(float x) { return x + x; } public uint packSnorm2x16(float2 v) { return 1; } public float saturate(float v) { return v; }",
        ),
        ("/two.slang", "module two; public float twice(float x) { return 2 * x; }"),
    ];
    check_with(
        &files,
        "import one;
        import two;
        float f(float x) { return twice(x); } //! E39999 ambiguous call to 'twice' with arguments of type (float)
        uint g(float2 v) { return packSnorm2x16(v); } //! E39999 ambiguous call to 'packSnorm2x16' with arguments of type (float2)
        float h(float x) { return saturate(x); } //: saturate(x) : float",
    );
    check_with(
        &files,
        "import one;
        import two;
        float twice(float x) { return x * 2; }
        uint packSnorm2x16(float2 v) { return 2; }
        float f(float x) { return twice(x); }
        uint g(float2 v) { return packSnorm2x16(v); }",
    );
}

/// slangc 2026.14.1: "ambiguous call".
#[test]
fn the_same_method_of_two_extensions_is_ambiguous() {
    check(
        "extension float { float squared() { return this * this; } }
        extension float { float squared() { return this * 2; } }
        float f(float x) { return x.squared(); } //! E39999 ambiguous call to 'squared'",
    );
}

/// slangc 2026.14.1 takes the outer one.
#[test]
fn functions_of_namespaces_that_are_used_are_not_ambiguous() {
    check(
        "namespace A { uint func() { return 1; } namespace B { float func() { return 2; } } }
        void f() {
            using namespace A;
            using namespace A::B;
            let x = func(); //: func() : uint
        }",
    );
}

#[test]
fn a_parameter_with_a_default_is_no_worse_than_none() {
    check(
        "int f(int a) { return 1; }
        int f(int a, int b = 2) { return 2; }
        struct S { int m() { return 1; } int m(int b = 2) { return 2; } }
        int one() { return f(1); } //! E39999 ambiguous call to 'f'
        int two() { return f(1, 2); }
        int none(S s) { return s.m(); } //! E39999 ambiguous call to 'm'",
    );
}

/// As slangc (E30019 with E30021, E30442): the code behind one value would read the bits of another's type.
#[test]
fn types_behind_values_of_interfaces_are_not_known_to_be_the_same() {
    check(
        "interface ID { static This of(int i); } extension float : ID { static float of(int i) { return i; } }
        interface IFoo { associatedtype D : ID; This add(This o); float get(); D d(); void use(D x);
            void change(inout This t); bool maybe(Optional<This> t); void any(IFoo t); }
        struct A : IFoo { float x; typedef float D; A add(A o) { return { x + o.x }; } float get() { return x; }
            float d() { return x; } void use(float x) {} void change(inout A t) {} bool maybe(Optional<A> t) { return true; }
            void any(IFoo t) {} }
        float two<T : IFoo>(T a, T b) { return a.add(b).get(); }
        float one<T : IFoo>(T a) { a.use(a.d()); return a.add(a).get(); }
        float mixed<T : IFoo, U : IFoo>(T a, U b) { return a.get() + b.get(); }
        float made<T : IFoo>(T a, T.D d) { a.use(d); return a.get(); }
        T same<T : ID>(T x) { return x; }
        struct Holder { IFoo f; }
        float f(IFoo a, IFoo b, inout IFoo c, A d, Holder h)
        {
            IFoo e = a.add(b); //! E30019 'This' is the type behind one value of an interface
            IFoo g = a.add(a);
            IFoo i = c.add(c); //! E30019 'This' is the type
            a.use(a.d());
            b.use(a.d()); //! E30019 'This.D' is the type
            h.f.use(h.f.d()); //! E30019 'This.D' is the type
            a.change(c); //! E30019 'This' is the type
            a.maybe(none);
            a.any(b);
            IFoo s = d.add(d);
            return two(a, b) //! E39999 'T' cannot be deduced
                + two(a, d) //! E39999 'T' cannot be deduced
                + two<IFoo>(a, b) //! E39999 'T' cannot be deduced
                + made(a, b.d()) //! E39999 'T' cannot be deduced
                + one(a) + two(d, d) + mixed(a, b) + a.get();
        }
        float variables(IFoo a, IFoo b, bool which)
        {
            let c = a;
            const IFoo other = b;
            c.use(c.d());
            c.use((which ? c.d() : c.d()));
            c.use(which ? c.d() : other.d()); //! E30019 'This.D' is the type
            let d = c.d();
            c.use(d);
            other.use(d); //! E30019 'This.D' is the type
            other.use(other.d());
            var v = c.d();
            v = c.d();
            v = other.d(); //! E30019 'IFoo.D' is the type
            c.use(v);
            let sum = c.add(c);
            sum.use(d);
            IFoo forgotten = c.add(sum);
            forgotten.use(d); //! E30019 'This.D' is the type
            forgotten.D ofForgotten = forgotten.d();
            forgotten.use(ofForgotten);
            forgotten.use(same(ofForgotten));
            forgotten.use(same(d)); //! E30019 'This.D' is the type
            c.D late;
            late = c.d();
            c.use(late);
            c.use(c.D::of(1));
            other.use(c.D::of(1)); //! E30019 'This.D' is the type
            IFoo changed = a;
            changed.D ofChanged = changed.d();
            changed.use(ofChanged); //! E30019 'This.D' is the type
            changed = b;
            {
                let c = b;
                c.D within = c.d();
                c.use(within);
                c.use(c.D::of(1));
            }
            {
                var c = other;
                c.D within = c.d();
                c.use(within);
                c.use(d); //! E30019 'This.D' is the type
                c.use(c.D::of(1));
            }
            let again = forgotten;
            again.use(d); //! E30019 'This.D' is the type
            var e = c.add(other); //! E30019 'This' is the type
            return two(c, c) + made(c, d) + two(c, other) //! E39999 'T' cannot be deduced
                + made(other, d); //! E39999 'T' cannot be deduced
        }",
    );
}

#[test]
fn void_alone_is_no_parameter() {
    check(
        "float f(void) { return 1; }
        float g(void x) { return 1; } //! E30009 'void'
        float h(int a, void) { return 1; } //! E30009 'void'
        float k() { return f() + f(1); } //! E39999 too many arguments",
    );
}

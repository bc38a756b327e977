//! Every kind of place that can mean a declaration: in each text below the word `named` is one thing, spelled where it is
//! declared and where it is used. From each of these places all of them are found and renamed, and the text means the same
//! after that.

use ide::{
    FilePosition,
    diagnostics::{Severity, diagnostics},
    references::references,
    rename::rename,
};
use test_support::database::TestDatabase;

use crate::check::range;

const NAME: &str = "named";

/// What the place is, and a text with it.
const PLACES: &[(&str, &str)] = &[
    // Calls
    (
        "call with generic arguments",
        "T named<T : __BuiltinFloatingPointType>(T t) { return t; }\nfloat f() { return named<float>(1.0) + named(2.0); }",
    ),
    (
        "static method through a dot",
        "struct S { static T named<T : __BuiltinFloatingPointType>(T t) { return t; } }\nfloat f() { return S.named<float>(1.0) + S::named<float>(2.0) + S.named(3.0) + S::named(4.0); }",
    ),
    (
        "function of a namespace",
        "namespace n { T named<T : __BuiltinFloatingPointType>(T t) { return t; } }\nfloat f() { return n.named<float>(1.0) + n::named<float>(2.0) + n.named(3.0) + n::named(4.0); }",
    ),
    (
        "function of a nested namespace",
        "namespace a.b { T named<T : __BuiltinFloatingPointType>(T t) { return t; } }\nfloat f() { return a.b.named<float>(1.0) + a::b::named<float>(1.0) + a.b.named(1.0); }",
    ),
    (
        "generic method and its requirement",
        "interface I { T named<T : __BuiltinFloatingPointType>(T t); }\nstruct S : I { T named<T : __BuiltinFloatingPointType>(T t) { return t; } }\nfloat f(S s) { return s.named<float>(1.0) + s.named(2.0); }\nfloat g<V : I>(V v) { return v.named<float>(1.0) + v.named(2.0); }",
    ),
    (
        "generic method of this",
        "struct S { T named<T : __BuiltinFloatingPointType>(T t) { return t; } float k() { return this.named<float>(1.0) + named<float>(2.0) + this.named(1.0) + named(1.0); } }",
    ),
    (
        "static requirement",
        "interface I { static float named(); }\nstruct S : I { static float named() { return 1; } }\nfloat f<T : I>() { return T.named() + T::named() + S.named() + S::named(); }",
    ),
    (
        "static method of a generic type",
        "struct B<T> { static int named() { return 1; } }\nint f() { return B<float>.named() + B<int>::named(); }",
    ),
    (
        "function given on",
        "float named(float x) { return x; }\nfloat ap(functype(float)->float q, float x) { return q(x); }\nfloat f() { return ap(named, 1.0); }",
    ),
    (
        "forward declaration",
        "float named(float x);\nfloat f() { return named(1.0); }\nfloat named(float x) { return x; }",
    ),
    ("value that is measured", "int f() { float named = 1; return sizeof(named) + alignof(named); }"),
    (
        "alias of a body",
        "float f<T : __BuiltinFloatingPointType>(T t) { typealias named = vector<T, 2>; let v = named(t); named w = v; return 1; }",
    ),
    (
        "parameter that is equal to a type",
        "int f<named>(named a) where named == int { named b = a; return b; }\nint g() { return f<int>(1); }",
    ),
    (
        "parameter that is constructed",
        "interface From<X> { __init(X x); }\nextension float : From<float> { __init(float x) { this = x; } }\nnamed f<named : From<float>>(float v) { named u; u = named(5.0f); return u; }",
    ),
    // Operands of assembly
    (
        "value, address and type of its result in assembly",
        "uint f(uint named, uint b) { return spirv_asm { OpStore &named $b; result:$$uint = OpIAdd $named $(named + 1); }; }",
    ),
    (
        "type in assembly",
        "struct named { float x; }\nnamed f(named v) { return spirv_asm { OpCopyObject $$named result $v }; }",
    ),
    (
        "constant in assembly",
        "static const int named = 27;\nfloat f(float x) { return spirv_asm { OpExtInst $$float result glsl450 !named $x }; }",
    ),
    (
        "member in assembly",
        "struct S { float named; }\nfloat f(S s) { return spirv_asm { result:$$float = OpFAdd $s.named $(s.named) }; }",
    ),
    // Variables that are called
    ("local lambda", "float f(float x) { let named = (float z) => z * 2.0; return named(x) + named(1.0); }"),
    ("parameter of function type", "float ap(functype(float)->float named, float x) { return named(x); }"),
    (
        "parameter of an interface of functions",
        "float ap(IFunc<float, float> named, float x) { return named(x); }\nfloat f() { return ap((float x) => x, 1.0); }",
    ),
    (
        "local struct with a call operator",
        "struct F { float operator()(float x) { return x; } }\nfloat f(F named) { return named(1.0) + named(2.0); }",
    ),
    (
        "field with a call operator",
        "struct F { float operator()(float x) { return x; } }\nstruct G { F named; float k() { return named(1.0) + this.named(2.0); } }\nfloat f(G g) { return g.named(1.0); }",
    ),
    (
        "global with a call operator",
        "struct F { float a; float operator()(float x) { return x; } }\nuniform F named;\nfloat f() { return named(1.0); }",
    ),
    // Attributes
    (
        "forward derivative by its name",
        "[ForwardDerivative(named)] float k(float x) { return x; }\nDifferentialPair<float> named(DifferentialPair<float> x) { return x; }",
    ),
    (
        "forward derivative in a namespace",
        "namespace n { DifferentialPair<float> named(DifferentialPair<float> x) { return x; } }\n[ForwardDerivative(n.named)] float k(float x) { return x; }",
    ),
    (
        "forward derivative in a namespace, colons",
        "namespace n { DifferentialPair<float> named(DifferentialPair<float> x) { return x; } }\n[ForwardDerivative(n::named)] float k(float x) { return x; }",
    ),
    (
        "namespace of a derivative",
        "namespace named { DifferentialPair<float> dk(DifferentialPair<float> x) { return x; } }\n[ForwardDerivative(named.dk)] float k(float x) { return x; }",
    ),
    (
        "forward derivative in the type",
        "struct S { [ForwardDerivative(S.named)] static float k(float x) { return x; } static DifferentialPair<float> named(DifferentialPair<float> x) { return x; } }",
    ),
    (
        "forward derivative beside a method",
        "struct S { [ForwardDerivative(named)] static float k(float x) { return x; } static DifferentialPair<float> named(DifferentialPair<float> x) { return x; } }",
    ),
    (
        "type of a derivative",
        "struct named { static DifferentialPair<float> dk(DifferentialPair<float> x) { return x; } }\n[ForwardDerivative(named.dk)] float k(float x) { return x; }",
    ),
    (
        "derivative with generic arguments",
        "[ForwardDerivative(named<float>)] float k(float x) { return x; }\nDifferentialPair<T> named<T : __BuiltinFloatingPointType>(DifferentialPair<T> x) { return x; }",
    ),
    (
        "backward derivative",
        "[BackwardDerivative(named)] float k(float x) { return x; }\nvoid named(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }",
    ),
    (
        "what a derivative is for",
        "float named(float x) { return x; }\n[ForwardDerivativeOf(named)] DifferentialPair<float> dk(DifferentialPair<float> x) { return x; }",
    ),
    (
        "the method that a derivative is for",
        "struct S { static float named(float x) { return x; } }\n[ForwardDerivativeOf(S.named)] DifferentialPair<float> dk(DifferentialPair<float> x) { return x; }",
    ),
    (
        "primal substitute",
        "[PrimalSubstitute(named)] float k(float x) { return x; }\n[Differentiable] float named(float x) { return x * 2.0; }",
    ),
    (
        "derivative member",
        "struct D : IDifferentiable { float named; typealias Differential = D; }\nstruct S : IDifferentiable { [DerivativeMember(D.named)] float x; typealias Differential = D; }",
    ),
    (
        "derivative member of Differential",
        "struct D : IDifferentiable { float named; typealias Differential = D; }\nstruct S : IDifferentiable { typealias Differential = D; [DerivativeMember(Differential.named)] float x; }",
    ),
    (
        "type of a derivative member",
        "struct named : IDifferentiable { float dx; typealias Differential = named; }\nstruct S : IDifferentiable { [DerivativeMember(named.dx)] float x; typealias Differential = named; }",
    ),
    (
        "most iterations",
        "static const int named = 4;\n[Differentiable] float f(float x, int n) { float s = x; [MaxIters(named)] for (int i = 0; i < n; i++) s *= x; return s; }",
    ),
    (
        "most iterations, in a type",
        "struct S { static const int named = 4; }\n[Differentiable] float f(float x, int n) { float s = x; [MaxIters(S.named)] for (int i = 0; i < n; i++) s *= x; return s; }",
    ),
    (
        "unrolling",
        "static const int named = 3;\nfloat f(float x) { [ForceUnroll(named)] for (int i = 0; i < named; i++) x += 1; [unroll(named)] for (int i = 0; i < 3; i++) x += 1; return x; }",
    ),
    (
        "threads of a group",
        "static const int named = 8;\n[shader(\"compute\")] [numthreads(named, named * 2, 1)] void main() {}",
    ),
    (
        "threads of a group, in a type",
        "struct S { static const int named = 8; }\n[shader(\"compute\")] [numthreads(S.named, 1, S::named)] void main() {}",
    ),
    (
        "arguments of the program's attribute",
        "static const int named = 3;\n[__AttributeUsage(_AttributeTargets.Var)] struct MyAttribute { int v; }\n[My(named)] uniform int q;",
    ),
    // Sizes and constants
    (
        "sizes of arrays",
        "static const int named = 8;\nfloat a[named];\nstruct S { float b[named + 1]; float[named] c; }\nfloat[named] f(float b[named * 2], S s) { float c[named]; c[0] = b[0]; return c; }",
    ),
    (
        "sizes in a type",
        "struct S { static const int named = 3; float a[named]; int g() { return This.named + S.named; } }\nfloat b[S.named];\nstatic float c[S::named];\nfloat f(float q[S.named]) { float d[S.named]; d[0] = q[0]; return d[0]; }",
    ),
    (
        "sizes in a namespace",
        "namespace n { static const int named = 3; }\nfloat b[n.named];\nfloat c[n::named];\nstruct S { float d[n.named]; }\nfloat f() { float e[n.named]; e[0] = 1; return e[0]; }",
    ),
    (
        "case of an enum as a size",
        "enum E : int { named = 3 }\nstatic const int n = int(E.named);\nfloat b[int(E.named)];",
    ),
    (
        "sizes of vectors",
        "static const int named = 3;\nvector<float, named> f(matrix<float, named, named> m) { vector<float, named> v = m[0]; return v; }",
    ),
    (
        "values among generic arguments",
        "static const int named = 3;\nstruct B<let N : int> { float a[N]; }\nfloat f(B<named> b, B<named + 1> c) { B<named> d = b; return d.a[0] + c.a[0]; }",
    ),
    (
        "qualified values among generic arguments",
        "struct S { static const int named = 3; }\nstruct B<let N : int> { float a[N]; }\nint g<let N : int>() { return N; }\nfloat f(B<S.named> b) { B<S::named> d = b; return d.a[0] + g<S.named>() + g<S::named>(); }",
    ),
    (
        "label of a case",
        "static const int named = 3;\nint f(int i) { switch (i) { case named: return 1; case named + 1: return 2; } return 0; }",
    ),
    (
        "label of a case, of an enum",
        "enum E { named, B }\nint f(E e) { switch (e) { case E.named: return 1; case E::B: return 2; } return e == E::named ? 1 : 0; }",
    ),
    ("value of a case of an enum", "enum E { named = 2, B = named + 1 }\nint f() { return int(E.B) + int(E.named); }"),
    ("static assertions", "static const int named = 4;\nvoid f() { static_assert(named > 1, \"y\"); }"),
    (
        "default argument",
        "static const float named = 2.0;\nfloat h(float x = named) { return x; }\nfloat f() { return h(); }",
    ),
    (
        "default argument, qualified",
        "struct S { static const float named = 2.0; }\nfloat h(float x = S.named) { return x; }\nfloat f() { return h(); }",
    ),
    (
        "default of a generic value",
        "static const int named = 3;\nstruct B<let N : int = named> { float a[N]; }\nfloat f(B<> b) { return b.a[0]; }",
    ),
    (
        "initialiser of a global",
        "struct S { static const float named = 2.0; }\nstatic const float a = S.named + S::named;\nnamespace n { static const float b = S.named; }",
    ),
    (
        "constant of the compute shader's group",
        "static const int named = 4;\ngroupshared float a[named];\n[shader(\"compute\")] [numthreads(4, 1, 1)] void main() { a[0] = named; }",
    ),
    // Types
    (
        "struct, wherever types stand",
        "struct named { float a; static named mk() { named s; s.a = 1; return s; } }\nnamed g(named p, inout named q, out named r) { r = p; q = r; named t = named.mk(); named u = named::mk(); return (named)t; }\nstruct H { named f; named a[2]; }\ntypealias A = named;\ntypealias B = Optional<named>;\nConstantBuffer<named> cb; StructuredBuffer<named> sb;\nint s() { return sizeof(named) + alignof(named); }",
    ),
    (
        "interface, wherever bounds stand",
        "interface named { float v(); }\nstruct S : named { float v() { return 1; } }\ninterface J : named { }\nstruct B<T : named> { T t; }\nfloat f<T : named>(T t) { return t.v(); }\nfloat g<T>(T t) where T : named { return t.v(); }\nfloat h(named n) { return n.v(); }\nextension<T : named> T { float w() { return v(); } }\nbool k(named n) { return n is S; }",
    ),
    (
        "generic arguments of calls",
        "struct named { float a; }\nT id<T>(T t) { return t; }\nstruct B<T> { T t; static int n() { return 1; } }\nfloat f(named s) { B<B<named>> b; return id<named>(s).a + B<named>.n() + B<named>::n(); }",
    ),
    (
        "test and cast of an interface's value",
        "interface I {}\nstruct named : I { float a; }\nbool f(I i) { return i is named; }\nfloat g(I i) { if (let q = i as named) return q.a; return 0; }",
    ),
    (
        "extension",
        "struct named { float a; }\ninterface I { float v(); }\nextension named : I { float v() { return a; } }\nextension named { float w() { return a; } }",
    ),
    (
        "function type",
        "struct named { float a; }\nfloat ap(functype(named)->float q, named s) { return q(s); }\nnamed bp(functype(float)->named q) { return q(1.0); }",
    ),
    (
        "error that is thrown",
        "enum named { Bad }\nfloat f() throws named { throw named.Bad; }\nfloat g() throws named { return try f(); }",
    ),
    (
        "default of a generic type",
        "interface I {}\nstruct named : I { }\nstruct B<T : I = named> { T t; }\nB<named> q() { B<named> b; return b; }",
    ),
    ("base", "struct named { float a; }\nstruct Q : named { float b; }\nfloat f(Q q) { return q.a; }"),
    ("underlying type", "typealias named = uint;\nenum E : named { A }"),
    (
        "nested type",
        "struct O { struct named { float a; } named i; static named mk() { named q; q.a = 1; return q; } }\nfloat f() { O.named x = O.mk(); O::named y = x; return y.a; }",
    ),
    (
        "type of a namespace",
        "namespace n { struct named { float a; } }\nfloat f(n.named x) { n::named y = x; Optional<n.named> z = y; return y.a; }\nstruct S { n.named a; }\ntypealias T = n::named;",
    ),
    ("alias", "struct P<T> { T t; }\ntypealias named = P<float>;\nfloat f(named p) { named q = p; return q.t; }"),
    (
        "associated type",
        "interface I { associatedtype named : __BuiltinFloatingPointType; named v(named x); }\nstruct S : I { typealias named = float; named v(named x) { return x; } }\nT.named f<T : I>(T t, T.named x) { T.named y = t.v(x); return y; }\nS.named g(S s) { return s.v(1.0); }",
    ),
    (
        "associated type in a constraint",
        "interface I { associatedtype named; named v(); }\nT.named f<T : I>(T t) where T.named : IDifferentiable { return t.v(); }\nstruct S : I { typealias named = float; named v() { return 1; } }",
    ),
    (
        "struct that fulfils an associated type",
        "interface I { associatedtype named; named get(); }\nstruct S : I { struct named { float x; } named get() { named d; d.x = 1; return d; } }\nfloat f(S s) { S.named d = s.get(); return d.x; }",
    ),
    ("type of a body", "float f() { struct named { float a; } named n; n.a = 1; return n.a; }"),
    (
        "generic type parameter",
        "interface I { float v(); }\nstruct B<named : I> { named t; named k(named x) { named y = x; return y; } named m; }",
    ),
    (
        "generic type parameter of a function",
        "interface I { static float v(); }\nfloat f<named>(named t) where named : I { named u = t; return named.v() + named::v() + sizeof(named); }",
    ),
    (
        "generic value parameter",
        "struct M<let named : int> { float d[named]; int n() { float e[named]; return named; } }",
    ),
    ("generic pack", "int f<each named>(expand each named v) { return countof(named); }"),
    // Members
    (
        "field",
        "struct S { float named; float g() { return named + this.named; } }\nfloat f(S s, S t[2]) { S u = { 1.0 }; u.named = s.named; t[0].named += 1; return t[1].named; }\nConstantBuffer<S> cb; RWStructuredBuffer<S> rb;\nfloat h() { rb[0].named = cb.named; return rb[0].named; }",
    ),
    (
        "inherited field",
        "struct P { float named; }\nstruct Q : P { float b; float k() { return named + this.named; } }\nfloat f(Q q) { return q.named; }",
    ),
    (
        "field of a pair's value",
        "struct P : IDifferentiable { float named; }\nvoid f(DifferentialPair<P> p) { float a = p.p.named; }",
    ),
    (
        "property",
        "struct S { float a; property float named { get { return a; } set { a = newValue; } } float g() { return named; } }\nfloat f(inout S s) { s.named = 1; return s.named; }",
    ),
    ("member of a constant buffer", "cbuffer C { float named; float b[2]; }\nfloat f() { return named + b[0]; }"),
    (
        "method through an extension",
        "interface I { float v(); }\nextension<T : I> T { float named() { return 2.0 * this.v(); } }\nstruct S : I { float v() { return 1.0; } }\nfloat f(S s) { return s.named(); }",
    ),
    (
        "method that is differentiated",
        "struct S { [Differentiable] static float named(float x) { return x; } [Differentiable] float m(float x) { return named(x); } }\nvoid f() { DifferentialPair<float> p = diffPair(1.0, 0.0); bwd_diff(S.named)(p, 1.0); fwd_diff(S::named)(p); }",
    ),
    (
        "method of a value that is differentiated",
        "struct A { float q; [Differentiable] float named(float x) { return x * x; } }\nvoid g(A a) { DifferentialPair<float> p = diffPair(1.0, 0.0); fwd_diff(a.named)(p); }",
    ),
    (
        "generic function that is differentiated",
        "[Differentiable] T named<T : __BuiltinFloatingPointType>(T x) { return x; }\nvoid f() { DifferentialPair<float> p = diffPair(1.0, 0.0); bwd_diff(named<float>)(p, 1.0); }",
    ),
    // Locals
    ("parameter of a function", "float f(float named, float b = 1.0) { return named + b; }"),
    (
        "parameter of a subscript",
        "struct S { float a[3]; __subscript(int named) -> float { get { return a[named]; } set { a[named] = newValue; } } }",
    ),
    ("parameter of a constructor", "struct S { float a; __init(float named) { a = named; this.a = named; } }"),
    (
        "parameter of a setter",
        "struct S { float a; property float p { get { return a; } set(named) { a = named + named; } } }",
    ),
    ("parameter of a call operator", "struct F { float a; float operator()(float named) { return a * named; } }"),
    (
        "parameter of a lambda",
        "float f(float c) { let l = (float named) => named * c; let m = (float named2) => { return named2; }; return l(c) + m(c); }",
    ),
    (
        "local that a lambda takes along",
        "float f(float c) { float named = c; let l = (float x) => x * named; return l(named); }",
    ),
    ("local of a condition", "int f(Optional<int> o) { if (let named = o) { return named; } return 0; }"),
    ("local of a loop", "int f(int n) { int s = 0; for (int named = 0; named < n; named++) s += named; return s; }"),
    ("local that sizes another", "float f() { const int named = 3; float a[named]; a[0] = 1; return a[0] + named; }"),
    (
        "parameter in all statements",
        "int h(int x) { return x; }\nint f(int named) { defer h(named); do { named--; } while (named > 0); while (named < 3) ++named; switch (named) { case 1: named = 2; break; default: break; } if (named > 1) return -named; return named ? named : (int)named; }",
    ),
    (
        "pack of values",
        "void g(int x) {}\nvoid f<each T>(expand each T named) { let q = makeTuple(expand each named); }",
    ),
    // Files
    (
        "function of a module",
        "//- /m.slang\nmodule m;\npublic float named(float x) { return x; }\n//- /a.slang\nimport m;\nfloat f() { return named(1.0); }",
    ),
    (
        "constant of a module",
        "//- /m.slang\nmodule m;\nnamespace n { public static const int named = 3; }\n//- /a.slang\nimport m;\nfloat a[n.named];\n[shader(\"compute\")] [numthreads(n.named, 1, 1)] void main() {}",
    ),
    (
        "part of a module",
        "//- /m.slang\nmodule m;\n__include p;\npublic float g() { return named(1.0); }\n//- /p.slang\nimplementing m;\nfloat named(float x) { return x; }",
    ),
    (
        "header",
        "//- /h.slangh\nstruct S { static const int named = 3; };\n//- /a.slang\n#include \"h.slangh\"\nfloat a[S.named];\n//- /b.slang\n#include \"h.slangh\"\nfloat b() { float c[S.named]; c[0] = S.named; return c[0]; }",
    ),
    (
        "namespace",
        "namespace named { float h() { return 1; } struct S { float a; } }\nnamespace named { float k() { return h(); } }\nusing namespace named;\nfloat f(named.S s) { return named::h() + named.k() + s.a; }",
    ),
    (
        "argument of a macro",
        "#define TWICE(x) ((x) + (x))\nfloat f(float named) { return TWICE(named) + TWICE(named * 2); }",
    ),
];

#[test]
fn every_place_is_found_from_every_place() {
    let mut failures = Vec::new();
    for (what, text) in PLACES {
        let test = TestDatabase::new(text);
        failures.extend(errors(&test).map(|error| format!("{what}: the text is wrong: {error}")));
        let spelled: Vec<(usize, usize)> = test
            .files
            .iter()
            .enumerate()
            .flat_map(|(index, &file)| places(&test.text(file)).into_iter().map(move |offset| (index, offset)))
            .collect();
        assert!(spelled.len() > 1, "{what}: there is nothing to find");
        for &(file, offset) in &spelled {
            let at = FilePosition { file: test.files[file], offset: offset as u32 };
            let mut found: Vec<(usize, usize)> = references(&test.db, at)
                .unwrap_or_default()
                .iter()
                .filter_map(|found| {
                    Some((test.files.iter().position(|file| *file == found.at.file)?, range(found.at).start))
                })
                .collect();
            found.sort_unstable();
            let missed: Vec<_> = spelled.iter().filter(|place| !found.contains(place)).collect();
            let wrong: Vec<_> = found.iter().filter(|place| !spelled.contains(place)).collect();
            if !missed.is_empty() || !wrong.is_empty() {
                failures.push(format!("{what}: from {:?}, missed {missed:?}, wrong {wrong:?}", (file, offset)));
            }
            match rename(&test.db, at, "other") {
                Err(reason) => failures.push(format!("{what}: from {:?}: {reason}", (file, offset))),
                Ok(edits) if edits.len() != spelled.len() => {
                    failures.push(format!("{what}: from {:?}: {} edits", (file, offset), edits.len()));
                }
                Ok(_) => {}
            }
        }
        let renamed = TestDatabase::new(&renamed(text));
        failures.extend(errors(&renamed).map(|error| format!("{what}: the text is wrong with another name: {error}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn errors(test: &TestDatabase) -> impl Iterator<Item = String> + '_ {
    let found = test.files.iter().flat_map(|&file| diagnostics(&test.db, file));
    found.filter(|found| found.severity == Severity::Error).map(|found| found.message)
}

/// Where a text spells the name.
fn places(text: &str) -> Vec<usize> {
    let is_word = |c: Option<char>| c.is_some_and(|c| c == '_' || c.is_alphanumeric());
    let found = text.match_indices(NAME).map(|(offset, _)| offset);
    found.filter(|&offset| !is_word(text[offset + NAME.len()..].chars().next())).collect()
}

fn renamed(text: &str) -> String {
    let mut renamed = text.to_owned();
    for offset in places(text).into_iter().rev() {
        renamed.replace_range(offset..offset + NAME.len(), "other");
    }
    renamed
}

/// What is used without being named: `«»` stand around the declaration, which comes first, and around its uses.
const NAMELESS: &[&str] = &[
    "struct P { float a; }\nP «operator+»(P l, P r) { return l; }\nP operator-(P l, P r) { return l; }\nP f(P p, P q) { return p«+»q «+» p - q; }",
    "struct P { float a; }\nP «operator-»(P l) { return l; }\nP operator-(P l, P r) { return l; }\nP f(P p) { return «-»p - p; }",
    "struct P { float a; «__subscript»(int i) -> float { get { return a; } set { a = newValue; } } }\nfloat f(inout P p, float b[2]) { p«[1]» = 2; return p«[0]» + b[1]; }",
    "struct P { float a; «__init»(float x) { a = x; } __init(int x, int y) { a = x; } }\nstatic P mk() { return «P»(1.0); }\nP f(P p) { return P(1, 2); }",
    "struct P { float a; float «operator()»(float x) { return x; } }\nfloat f(P p) { return p«(1.0)» + p«(2.0)»; }",
];

#[test]
fn what_is_used_without_its_name_is_found() {
    for text in NAMELESS {
        let mut places = Vec::new();
        let mut plain = String::new();
        for (index, part) in text.split(['«', '»']).enumerate() {
            if index % 2 == 1 {
                places.push(plain.len()..plain.len() + part.len());
            }
            plain.push_str(part);
        }
        let test = TestDatabase::new(&plain);
        assert_eq!(errors(&test).collect::<Vec<_>>(), Vec::<String>::new(), "{plain}");
        let at = FilePosition { file: test.last_file(), offset: places[0].start as u32 };
        let found = references(&test.db, at).unwrap_or_default();
        assert_eq!(found.iter().map(|found| range(found.at)).collect::<Vec<_>>(), places, "{plain}");
    }
}

#[test]
fn what_no_feature_sees_is_not_left_behind() {
    let test =
        TestDatabase::new("struct S { float a; float na$0med; }\nint f() { S s; return __offsetOf(s, s.named); }\n");
    let (file, offset) = test.cursor();
    let refused = rename(&test.db, FilePosition { file, offset }, "other").expect_err("a use is not known");
    assert!(refused.contains("is not known"), "{refused}");
}

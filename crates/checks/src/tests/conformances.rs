//! Conformance: requirements, defaults, implementations, dynamic dispatch.

use hir_ty::{
    conformance::{self, Implementation},
    display::display,
    env::Env,
    generics,
    infer::result::SynthesizedOperation,
    signature::FunctionRef,
    ty::{GenericArgs, Ty},
};

use super::{check, database, find};

#[test]
fn requirements_must_be_met() {
    check(
        "interface IFoo { float foo(float x); int twice() { return 2; } property int size { get; } associatedtype A; }
        struct Good : IFoo { float foo(float x) { return x; } property int size { get { return 1; } } typealias A = int; }
        struct Bad : IFoo { float bar; int size; typealias A = int; } //! E38100 type 'Bad' does not provide required interface member 'foo'
        struct NoType : IFoo { float foo(float x) { return x; } int size; } //! E38100 required interface member 'A'
        struct S {}
        extension S : int {} //! E30811 'int' is not an interface",
    );
}

/// As slangc 2026.14 has it.
#[test]
fn truth_values_and_enums_have_logic_but_no_arithmetic() {
    check(
        "enum E { A, B }
        void compared<T : IComparable>() {}
        void logical<T : ILogical>() {}
        void ranged<T : IRangedValue>() {}
        void integer<T : IInteger>() {}
        void arithmetic<T : IArithmetic>() {}
        void real<T : IFloat>() {}
        void f() {
            compared<bool>();
            logical<bool>();
            ranged<bool>();
            compared<E>();
            logical<E>();
            logical<int2>();
            logical<bool2>(); //! E38029 'bool2' does not conform to the required interface 'ILogical'
            ranged<E>(); //! E38029 'E' does not conform to the required interface 'IRangedValue'
            integer<bool>(); //! E38029 'bool' does not conform to the required interface 'IInteger'
            arithmetic<bool>(); //! E38029 'bool' does not conform to the required interface 'IArithmetic'
            arithmetic<E>(); //! E38029 'E' does not conform to the required interface 'IArithmetic'
            real<bool>(); //! E38029 'bool' does not conform to the required interface 'IFloat'
        }",
    );
}

#[test]
fn interface_values_hold_any_conforming_type() {
    check(
        "interface IFoo { float foo(); }
        struct A : IFoo { float foo() { return 1; } }
        struct B {}
        float call(IFoo x) { return x.foo(); } //: x.foo() : float
        void f(A a, B b) {
            let x = call(a); //: call(a) : float
            IFoo i = a;
            let c = i is A; //: i is A : bool
            let d = i as A; //: i as A : Optional<A>
            call(b); //! E30019 expected an expression of type 'IFoo', got 'B'
        }",
    );
}

#[test]
fn implementations_are_found_by_name_and_type() {
    let (db, _, file) = database(
        "interface IFoo { float foo(float x); float twice(float x) { return 2 * x; } }
        struct A : IFoo { float foo(int x) { return 0; } float foo(float x) { return x; } }
        struct D : IDifferentiable { float v; }",
    );
    let env = Env::of_file(&db, file);
    let empty = GenericArgs::empty(&db);
    let this = generics::self_type(&db, find(&db, file, "A")).expect("a type");
    let requirement = |name: &str| FunctionRef { item: find(&db, file, name), args: empty, self_ty: Some(this) };

    let foo = requirement("foo");
    let Some(Implementation::Function(found)) = conformance::implementation(&db, env, foo) else {
        panic!("`foo` is implemented")
    };
    let signature = hir_ty::signature::signature(&db, found.item);
    assert_eq!(signature.params[0].ty, Ty::FLOAT);
    assert_ne!(found.item, foo.item);

    // The default body of the interface itself.
    let twice = requirement("twice");
    assert_eq!(conformance::implementation(&db, env, twice), Some(Implementation::Function(twice)));

    let interface = find(&db, file, "IFoo");
    let conforming = conformance::conforming_types(&db, file, Ty::Adt(interface, empty));
    assert_eq!(conforming.iter().map(|ty| display(&db, *ty)).collect::<Vec<_>>(), ["A"]);
}

#[test]
fn derivative_arithmetic_is_synthesized() {
    let (db, _, file) = database("struct D : IDifferentiable { float v; }");
    let env = Env::of_file(&db, file);
    let this = generics::self_type(&db, find(&db, file, "D")).expect("a type");
    let interface = hir_ty::known::interface(&db, hir_ty::known::Known::IDifferentiable).expect("the prelude");
    let dzero = hir_ty::members::declared(&db, interface, &hir_def::name::Name::new("dzero"))[0];
    let requirement = FunctionRef { item: dzero, args: GenericArgs::empty(&db), self_ty: Some(this) };
    assert_eq!(
        conformance::implementation(&db, env, requirement),
        Some(Implementation::Synthesized(SynthesizedOperation::DZero))
    );
}

#[test]
fn defaults_make_up_for_parameters_that_a_requirement_does_not_have() {
    check(
        "interface I { int get(); int scaled(int a); }
        struct A : I { static int get(int a = 3) { return a; } int scaled(int a, int by = 2) { return a * by; } }
        struct B : I { int get(int a) { return a; } int scaled(int a) { return a; } } //! E38105 'get'
        struct C : I { int get() { return 1; } int scaled(float2 a, int by = 2) { return by; } } //! E38105 'scaled'",
    );
}

#[test]
fn dynamic_objects_need_no_data() {
    check(
        "interface I<T> { T get(); }
        struct A : I<float> { float get() { return 1.0; } }
        I<T> make<T>(uint id) { return createDynamicObject<I<T>>(id); }
        void f(uint id) {
            let a = createDynamicObject<I<float>>(id); //: createDynamicObject<I<float>>(id) : I<float>
            let b = make<float>(id).get(); //: make<float>(id).get() : float
            let c = createDynamicObject<I<float>>(id, 3u);
        }",
    );
}

#[test]
fn types_of_other_modules_are_taken_at_their_word() {
    check(
        "interface IOp { static float apply(float a); }
        extern struct Op : IOp;
        float f() { return Op::apply(1.0); }",
    );
}

#[test]
fn what_the_core_library_fulfils_need_not_be_fulfilled_again() {
    check(
        "interface IMine : IArithmetic { int mine(); }
        extension float : IMine { int mine() { return 4; } }
        interface IMade<T> { __init(const T x); }
        extension float : IMade<float> { __init(const float x) { this = x; } }
        interface IOther { int other(); }
        extension double : IOther { } //! E38100 required interface member 'other'
        int f<T : IMine>(T a, T b) { return (a + b).mine(); }
        int g() { return f<float>(1.0, 2.0); }",
    );
}

/// What slangc says of each; a caller passes what the requirement asks for, so that it has to convert.
#[test]
fn what_a_requirement_is_called_with_converts_to_what_a_method_takes() {
    check(
        "struct V { int x; }
        struct W { float x; }
        interface IB { int f(float x, V v); void g(float3 p); void h(Texture2D t); void k(out float r, inout int n); }
        struct A : IB { int f(float x, W w) { return 1; } //! E38105 'f'
            void g(float2 p) {} //! E38105 'g'
            void h(SamplerState s) {} //! E38105 'h'
            void k(out V r, inout int n) { r = {}; } //! E38105 'k'
        }
        struct B : IB { int f(int x, V w) { return 1; } void g(float4 p) {} //! E38105 'g'
            void h(Texture2D s) {} void k(out half r, inout uint n) { r = half(0); } }
        struct C : IB { int f(V v, float x) { return 1; } //! E38105 'f'
            void g(int3 p) {} void h(Texture2D s) {} void k(out float r, inout int n) { r = 0; } }
        struct D : IB { int f(double x, V v) { return 1; } void g(half3 p) {} void h(Texture3D s) {} //! E38105 'h'
            void k(out float r, inout int n) { r = 0; } }
        interface IN { static const int kN; }
        struct E : IN { static const float kN = 1; } //! E38105 'kN'
        struct F : IN { static const int kN = 1; }",
    );
}

#[test]
fn requirements_are_compared_with_what_the_type_gives_for_associated_types_and_arguments() {
    check(
        "struct V { int x; }
        interface IA { associatedtype S; S mk(); static void use(S s); S[2] arr(S s[3]); }
        struct R1 : IA { typealias S = int; float mk() { return 1; } static void use(float s) {}
            int[2] arr(int s[3]) { return {}; } }
        struct R2 : IA { typealias S = int; int mk() { return 1; } static void use(int s) {}
            int[2] arr(float s[3]) { return {}; } } //! E38105 'arr'
        struct R3 : IA { typealias S = V; int mk() { return 1; } //! E38106 'mk' returns 'int', but the interface promises 'V'
            static void use(int s) {} //! E38105 'use'
            V[2] arr(V s[3]) { return {}; } }
        interface IG<T> { T get(); void put(T t); }
        struct G<T> : IG<float> { T v; T get() { return v; } //! E38106 'get' returns 'T'
            void put(T t) {} } //! E38105 'put'
        struct H<T> : IG<T> { T v; T get() { return v; } void put(T t) {} }",
    );
}

#[test]
fn members_of_the_core_library_fulfil_requirements() {
    check(
        "interface IArith { This add(This o); This mul(This o); }
        extension float : IArith {}
        extension int : IArith {}
        interface IOther { This nowhere(This o); }
        extension float : IOther {} //! E38100 required interface member 'nowhere'
        T g<T : IArith>(T a) { return a.add(a.mul(a)); }
        float h() { return g(2.0f) + g(2); }",
    );
}

/// As slangc: what the compiler makes for its own types, a type of the program has to write.
#[test]
fn requirements_of_the_core_library_are_met_by_types_of_the_program() {
    check(
        "interface I { int f(); }
        enum E : I { A } //! E38100 'f'
        struct B : IArray<float> { float z; int getCount() { return 1; } } //! E38100 '__subscript'
        struct C : IRangedValue { int z; static const C maxValue = { 1 }; } //! E38100 'minValue'
        struct D : IRangedValue { int z; static const D maxValue = { 1 }; static const D minValue = { 0 }; }
        struct F : IArray<float> { float z; int getCount() { return 1; } __subscript(int i) -> float { get { return z; } } }
        struct G : IRWArray<float> { float z; __subscript(int i) -> float { get { return z; } set { z = newValue; } } } //! E38100 'getCount'
        struct K : IComparable { int z; bool equals(K o) { return z == o.z; } bool lessThan(K o) { return z < o.z; } } //! E38100 'lessThanOrEquals'
        struct H : IFunc<float, int> { float operator()(int x) { return x; } }",
    );
}

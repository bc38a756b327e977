//! Constraints of generic declarations and what is put in for their parameters; what is expected is what slangc 2026.14.1
//! says.

use crate::tests::check;

#[test]
fn arguments_of_generic_types_meet_the_constraints() {
    check(
        "
        interface IPhase { float evaluate(float cosine); }
        struct Even : IPhase { float evaluate(float cosine) { return 1.0; } }
        struct Table { float value; }
        struct Medium<P : IPhase> { P phase; }
        Medium<Table> medium; //! E38029 'Table' does not conform
        void scatter(Medium<float> medium) { } //! E38029 'float' does not conform
        typealias Fog = Medium<Table>; //! E38029 'Table' does not conform
        struct Scene { Medium<int> air; } //! E38029 'int' does not conform
        float local() { Medium<float> m; return 1.0; } //! E38029 'float' does not conform
        extension Medium<float> { float density() { return 1.0; } } //! E38029 'float' does not conform
        struct Grid<P : IPhase, let n : int> { P phases[n]; }
        float lookup(Grid<float, 3> grid) { return 1.0; } //! E38029 'float' does not conform
        struct Unit<T> where T == float { T x; }
        void unit(Unit<int> u) { } //! E30440 'int' must be the same type as 'float'
        struct Made<T> where int(T) { T x; }
        void made(Made<Table> u) { } //! E38043 'Table' is not convertible to 'int'
        void generic<T>(T x) { Medium<T> m; } //! E38029 'T' does not conform

        Medium<Even> right;
        void right2<T : IPhase>(Medium<T> x, Grid<T, 2> y, Unit<float> z, Made<float> w) { Medium<T> m = x; }
        extension<T : IPhase> Medium<T> { Medium<T> copy() { return this; } }
        ",
    );
}

#[test]
fn a_type_that_is_passed_is_not_converted_to_meet_an_equality() {
    check(
        "
        void exact<T>(T x) where T == int {}
        void a(float f) { exact(f); } //! E30440 'float' must be the same type as 'int'
        void b(float f) { exact<float>(f); } //! E30440 'float' must be the same type as 'int'
        void c() { exact(1); exact<int>(1); }
        ",
    );
}

#[test]
fn conversions_that_are_asked_for_exist() {
    check(
        "
        struct S { int x; }
        struct D { double data; }
        struct Made { int x; __init(int v) { x = v; } }
        void make<A, B>(B b) where A(B) {}
        void a(S s) { make<int>(s); } //! E38043 'S' is not convertible to 'int'
        void b(S s) { make<int, S>(s); } //! E38043 'S' is not convertible to 'int'
        void c(float x) { make<int, float>(x); make<float3, float>(x); }
        void d(int x) { make<Made, int>(x); make<S, int>(x); }
        void e<T>(T x) where float(T) { make<float, T>(x); }
        struct Foo<A, B> { int val; }
        extension<A, B> Foo<A, B> where int(A) where D(B) { void set() {} }
        void f(Foo<float, int> x) { x.set(); } //! E30027 'set' is not a member
        void g(Foo<float, D> x) { x.set(); }
        ",
    );
}

#[test]
fn what_an_optional_constraint_promises_is_asked_for_first() {
    check(
        "
        interface IThing { void thing(); }
        void need<T>(T t) where T : IThing {}
        void a<T>(T t) where optional T : IThing { t.thing(); } //! E30403 'thing' is there only if
        void b<T>(T t) where optional T : IThing { need<T>(t); } //! E38029 'T' does not conform
        void c<T, U>(T t, U u) where optional T : IThing where optional U : IThing
        {
            if (U is IThing)
            {
                u.thing();
                t.thing(); //! E30403 'thing' is there only if
            }
            u.thing(); //! E30403 'thing' is there only if
        }
        void d<T>(T t) where optional T : IThing { if (T is IThing) { t.thing(); need<T>(t); need(t); } }
        struct Box<K> where optional K : IThing { K k[2]; void use() { if (K is IThing) k[1].thing(); } }
        ",
    );
}

#[test]
fn an_interface_constrains_its_associated_types() {
    check(
        "
        interface IBar { int bar(); }
        interface IFoo { __constraint This : IBar; } //! E30427 cannot be 'This'
        interface IEqual { associatedtype A; __constraint This == A; } //! E30427 cannot be 'This'
        interface IBase { associatedtype Data; Data get(); }
        interface IDerived : IBase { __constraint Data == This; int value(); }
        struct Bad : IDerived { typealias Data = int; int get() { return 0; } int value() { return 1; } } //! E38029 'Bad' does not conform
        struct Good : IDerived { typealias Data = Good; Good get() { return this; } int value() { return 1; } }
        ",
    );
}

#[test]
fn a_method_asks_no_more_of_its_arguments_than_its_requirement() {
    check(
        "
        interface IBar { int bar(); }
        interface IUse { void pack<each T>(); void one<T : IBar>(T x); void any<T>(T x); }
        struct Strict : IUse
        {
            void pack<each T>() where nonempty(T) {} //! E38105 asks more of its generic arguments
            void one<T : IBar>(T x) {}
            void any<T : IBar>(T x) {} //! E38105 asks more of its generic arguments
        }
        struct Right : IUse { void pack<each T>() {} void one<T : IBar>(T x) {} void any<T>(T x) {} }
        ",
    );
}

/// What the requirement says of its arguments in the words of its interface, the method says in those of its type.
#[test]
fn what_a_requirement_asks_is_read_with_the_arguments_of_its_interface() {
    check(
        "
        interface IC<T> {}
        interface IKey { associatedtype T; }
        interface IOf<T> { int map<U : IC<T>>(U u); }
        struct OfFloat : IOf<float> { int map<U : IC<float>>(U u) { return 1; } }
        struct OfInt : IOf<float> { int map<U : IC<int>>(U u) { return 1; } } //! E38105 asks more of its generic arguments
        struct Pool<T> : IOf<T> { int map<U : IC<T>>(U u) { return 1; } }
        struct Bounded<T : IComparable> : IOf<T> { int map<U>(U u) where U : IC<T> { return 1; } }
        interface IElement { associatedtype E; int map<U : IC<E>>(U u); }
        struct WithInt : IElement { typealias E = int; int map<U : IC<int>>(U u) { return 1; } }
        struct WithAlias : IElement { typealias E = int; int map<U : IC<E>>(U u) { return 1; } }
        struct WithOther : IElement { typealias E = int; int map<U : IC<float>>(U u) { return 1; } } //! E38105 asks more
        interface IEqual { associatedtype E; int map<U>(U u) where U : IKey where U.T == E; }
        struct SameInt : IEqual { typealias E = int; int map<U>(U u) where U : IKey where U.T == int { return 1; } }
        struct SameFloat : IEqual { typealias E = int; int map<U>(U u) where U : IKey where U.T == float { return 1; } } //! E38105 asks more
        interface IThis { int map<U : IC<This>>(U u); }
        struct Self : IThis { int map<U : IC<Self>>(U u) { return 1; } }
        ",
    );
}

#[test]
fn packs_share_arguments_evenly() {
    check(
        "
        struct Two<let each A : int, let each B : int> {}
        Two<1, 2, 3, 4, 5> bad; //! E30075 cannot be shared
        Two<1, 2, 3, 4> good;
        struct Types<each A, each B> {}
        Types<int, float, half> worse; //! E30075 cannot be shared
        Types<int, float> better;
        ",
    );
}

#[test]
fn texels_and_atomics_hold_what_they_can() {
    for (holder, right, wrong) in [
        (
            ["Texture2D", "RWTexture2D", "TextureCubeArray", "Buffer", "RWBuffer", "Sampler2D"].as_slice(),
            ["float", "half4", "uint8_t4", "int64_t", "double", "Texel", "Component"].as_slice(),
            ["bool", "bool3", "float3x3", "float[2]", "S", "E", "Any", "Texture2D", "IAny"].as_slice(),
        ),
        (
            &["Atomic"],
            &["int", "uint", "int64_t", "uint64_t", "half", "float", "double", "Held"],
            &["bool", "int16_t", "uint8_t", "float3", "S", "E", "Any"],
        ),
    ] {
        for holder in holder {
            for (held, mark) in right
                .iter()
                .map(|held| (held, ""))
                .chain(wrong.iter().map(|held| (held, " //! E38029 does not conform to the required interface")))
            {
                check(&format!(
                    "struct S {{ float x; }} enum E {{ A }} interface IAny {{}}
                    struct Holder<Any, Texel : ITexelElement, Component : __BuiltinArithmeticType, Held : IAtomicable>
                    {{
                        void f({holder}<{held}> x) {{}}{mark}
                    }}"
                ));
            }
        }
    }
}

#[test]
fn pointers_take_integers_as_indices() {
    check(
        "enum E { A }
        int f<T : __BuiltinIntegerType>(int* p, uint i, int64_t j, bool b, T t)
        {
            p[E.A] = 1; //! E38029 type argument 'E' does not conform to the required interface '__BuiltinIntegerType'
            p[1.5] = 1; //! E38029 type argument 'float' does not conform to the required interface '__BuiltinIntegerType'
            p[int2(1)] = 1; //! E38029 type argument 'int2' does not conform to the required interface '__BuiltinIntegerType'
            return p[0] + p[i] + p[j] + p[b] + p[t];
        }",
    );
}

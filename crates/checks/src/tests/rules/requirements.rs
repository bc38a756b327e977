//! How types meet their interfaces.

use crate::tests::check;

#[test]
fn modes_of_parameters_are_part_of_a_requirement() {
    check(
        "interface I { void read(int a); void write(out int a); int value(); [mutating] void change(); }
        struct Right : I {
            void read(int a) {} void write(out int a) { a = 1; } int value() { return 1; } void change() {}
        }
        struct Wrong : I {
            void read(out int a) { a = 1; } //! E38108 direction 'out' of parameter 'a'
            void write(int a) {} //! E38108 direction 'in' of parameter 'a'
            [mutating] int value() { return 1; } //! E38105 'value' is mutating
            [mutating] void change() {}
        }",
    );
}

#[test]
fn accessors_have_defaults_together() {
    check(
        "interface I {
            property int a { get; set; }
            property int b { get { return 1; } //! E30317 a property
                set {} } //! E30317 a property
            property int c { get { return 1; } set; } //! E30318 define all accessors or none
        }
        struct S { __subscript(int i) { get {} } } //! E30901 must have a return type",
    );
}

#[test]
fn overriding_is_said_and_true() {
    check(
        "interface I { int f() { return 1; } int g(); }
        struct A : I { override int f() { return 2; } override int g() { return 3; } }
        struct B : I { int f() { return 2; } int g() { return 3; } } //! E30853 mark it 'override'
        struct C : I { int g() { return 3; } override int h() { return 2; } } //! E30854 'h' overrides nothing",
    );
}

#[test]
fn a_requirement_that_is_still_written_is_no_default() {
    check(
        "interface I {
            float g(float y);
            float f(float x) //! E20001 expected `{` or `;`
        }
        struct A : I { float f(float x) { return x; } float g(float y) { return y; } }",
    );
}

#[test]
fn a_method_gives_what_its_requirement_promises() {
    check(
        "
        interface IShape { float area(float scale); float3 normal(); void move(); int count(); IShape self(); float2 pair(); }
        struct Disk : IShape
        {
            float3 area(float scale) { return float3(scale); } //! E38106 returns 'float3'
            float normal() { return 1.0; }
            float move() { return 1.0; } //! E38106 returns 'float'
            float count() { return 1.0; }
            Disk self() { return this; }
            float3 pair() { return 1.0; } //! E38106 returns 'float3'
        }
        interface ISame { This m(); }
        struct C : ISame { C m() { return this; } }
        interface IData { associatedtype T; T g(); }
        struct E : IData { typealias T = float; int g() { return 1; } }
        interface IPair<T> { associatedtype Output; Output pair(T other); }
        struct P { }
        extension P : IPair<int> { typealias Output = float; float pair(int other) { return 1.0; } }
        extension P : IPair<half> { typealias Output = int3; int3 pair(half other) { return 1; } }
        ",
    );
}

#[test]
fn constructors_subscripts_and_constants_are_requirements() {
    check(
        "
        interface I { __init(float x); static const int n; __subscript(int i) -> float { get; } }
        interface IMade { __init(float x); }
        interface ICounted { static const int n; }
        interface IIndexed { __subscript(int i) -> float { get; } }
        struct NotMade : IMade { } //! E38100 '__init'
        struct OfFields : IMade { float y; } //! E38100 '__init'
        struct OfNothing<let N : uint> : IDefaultInitializable { }
        struct NotCounted : ICounted { } //! E38100 'n'
        struct NotIndexed : IIndexed { } //! E38100 '__subscript'
        extension vector<float, 3> : IIndexed { }
        struct All : I
        {
            __init(float x) {}
            static const int n = 3;
            __subscript(int i) -> float { get { return 1.0; } }
        }
        ",
    );
}

#[test]
fn what_may_be_read_and_written_need_not_be_both() {
    check(
        "
        interface I { void step(inout float y); void give(out float y); }
        struct A : I { void step(out float y) { y = 1.0; } void give(inout float y) { y = 1.0; } } //! E38108 direction 'inout'
        ",
    );
}

#[test]
fn extensions_of_numbers_say_override_as_well() {
    check(
        "
        interface IShape { float e() { return 1.0; } }
        extension float : IShape { float e() { return 2.0; } } //! E30853 mark it 'override'
        extension int : IShape { override float e() { return 2.0; } }
        ",
    );
}

#[test]
fn a_struct_has_one_base_struct() {
    check(
        "
        enum En { A }
        struct St {}
        struct Other {}
        struct Bad : En { float x; } //! E30811 not an interface
        interface IShape {}
        struct Twice : St, Other {} //! E30820 a struct has one base struct
        struct Late : IShape, Other {} //! E30820 the first of its bases
        struct Right : Other, IShape {}
        ",
    );
}

#[test]
fn only_methods_and_subscripts_have_defaults() {
    // The places are slangc's.
    check(
        "interface I {
            __init(int x) {} //! E30317 a constructor
            __init(float x);
            property int a { get { return 1; } } //! E30317 a property
            property int b { get; set; }
            property int c { get { return 1; } set; } //! E30318 define all accessors or none
            int d() { return 1; }
            __subscript(int i) -> int { get { return 1; } }
        }
        struct S { property int a { get { return 1; } } }",
    );
}

#[test]
fn a_subscript_can_be_set_where_that_is_required() {
    check(
        "interface I { __subscript(int i) -> float { get; set; } }
        interface R { __subscript(int i) -> float { get; } }
        struct A : I { __subscript(int i) -> float { get { return 1; } } } //! E38105 does not match what 'I' requires
        struct B : I { __subscript(int i) -> float { get { return 1; } set { } } }
        struct C : I { float x[3]; __subscript(int i) -> float { ref { return x[i]; } } }
        struct D : R { __subscript(int i) -> float { get { return 1; } } }",
    );
}

#[test]
fn a_base_struct_gives_what_an_interface_requires() {
    check(
        "interface I { property int x { get; } __subscript(int i) -> int { get; } int f(); }
        interface S { property int x { get; set; } }
        struct Field { int x; int f() { return 1; } __subscript(int i) -> int { get { return 1; } } }
        struct Property { property int x { get { return 1; } } } //! E38105 'x' does not match what 'S' requires
        struct A : Field, I { }
        struct B : Field, S { }
        struct C : Property, S { }",
    );
}

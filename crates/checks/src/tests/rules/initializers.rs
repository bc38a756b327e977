//! Variables and their initialisers.

use crate::tests::check;

#[test]
fn constants_have_values_and_shared_variables_have_none() {
    check(
        "static const int a = 1;
        static const int b; //! E31225 static const variable 'b' must have an initializer
        extern static const int c;
        groupshared int d = 3; //! E30623 'd' cannot have an initializer because it is groupshared
        groupshared int e;
        interface I {
            static const int f = 1; //! E30623 because it is an interface requirement
            static const int g;
        }",
    );
}

#[test]
fn a_global_that_is_not_static_has_its_value_from_outside() {
    check(
        "const float a = 1; //! E31224 must be declared 'static'
        uniform float b = 1; //! E31224 must be declared 'static'
        static const float c = 1;
        static float d = 1;
        [SpecializationConstant] const int e = 4;
        struct S { const int f = 1; }
        void g() { const int h = 2; }",
    );
}

#[test]
fn static_constants_are_known_at_compile_time() {
    check(
        "static const int one = 1;
        uniform int parameter;
        static int variable = 2;
        static const int a = one + 2;
        static const float b = sin(1.0) * one;
        [SpecializationConstant] const int width = 64;
        static const int columns = (width + 7) / 8;
        static const int c = parameter; //! E31226 initializer of static const global 'c'
        static const int d = max(variable, 3); //! E31226 initializer of static const global 'd'
        float twice(float x) { return 2.0 * x; }
        static const float e = sqrt(2.0) + twice(1.0); //! E31226 initializer of static const global 'e'
        static const float2 g = { twice(1.0), 2.0 }; //! E31226 initializer of static const global 'g'
        struct S { static const float h = twice(1.0); }
        void f() { static const int e = parameter; }",
    );
}

/// As slangc 2026.14.1 says it.
#[test]
fn static_constants_of_every_type_are_known_at_compile_time() {
    check(
        "struct Scene { StructuredBuffer<float> heights; int count; }
        struct Box { float x; }
        interface IShape { float area(); }
        struct Disk : IShape { float r; float area() { return r; } }
        StructuredBuffer<float> heights;
        Texture2D picture;
        uniform float gain;
        ConstantBuffer<Box> block;
        groupshared float shared;
        static float changing = 1.0;
        float same(float x) { return x; }
        Box boxed(float x) { return Box(x); }
        static const Box a = { 1.0 };
        static const Box b = Box(sin(1.0));
        static const float c[2] = { 1.0, 2.0 };
        static const IShape d = Disk(1.0);
        static const float e = a.x + c[1] + Box(2.0).x;
        static const Box f = (Box)0;
        static const Box g = Box(heights.Load(0));
        static const Scene h = Scene(heights, 3); //! E31226 'h'
        static const Scene i = { heights, 3 }; //! E31226 'i'
        static const Box j = { gain }; //! E31226 'j'
        static const Box k = { same(1.0) }; //! E31226 'k'
        static const Box l = boxed(1.0); //! E31226 'l'
        static const Box m = block; //! E31226 'm'
        static const float n[2] = { 1.0, gain }; //! E31226 'n'
        static const Box o = { changing }; //! E31226 'o'
        static const Box p = { block.x }; //! E31226 'p'
        static const Box q = Box(heights[0]); //! E31226 'q'
        static const StructuredBuffer<float> r = heights; //! E31226 'r'
        static const Texture2D s = picture; //! E31226 's'
        static const Optional<float> t = gain; //! E31226 't'
        static const float u = shared; //! E31226 'u'
        static const Disk v = Disk(same(1.0)); //! E31226 'v'",
    );
}

#[test]
fn constants_do_not_depend_on_themselves() {
    check(
        "static const int a = b + 1; //! E39999 the value of 'a' depends on 'a' itself
        static const int b = a; //! E39999 the value of 'b' depends on 'b' itself
        static const int c = a;
        struct Loop<let n : int> { static const int next = Loop<n + 1>.next; } //! E39999 without an end
        struct Fact<let n : int> { static const int v = n <= 1 ? 1 : n * Fact<n - 1>.v; } //! E39999 without an end
        struct Ping<let n : int> { static const int v = Pong<n + 1>.w; } //! E39999 without an end
        struct Pong<let n : int> { static const int w = Ping<n * 2>.v; } //! E39999 without an end
        struct Level<let n : int> { static const int size = 1 << n; static const int half = Level<n>.size / 2; }
        static const int used = Level<3>.half;",
    );
}

#[test]
fn a_struct_is_listed_if_it_has_no_other_way() {
    check(
        "struct Plain { int a; }
        struct FromPlain : Plain { int b; }
        struct Made { int a; __init(int x) { a = x; } }
        struct FromMade : Made { int b; }
        struct Again : FromMade {}
        struct Any { int a; __init<T : IInteger>(T x) { a = x.toInt(); } }
        struct Own : Made { __init() { a = 1; } }
        void f() {
            FromPlain a = {}; FromPlain b = { 1, 2 };
            FromMade c = {}; //! E30513 its base 'Made' has constructors
            FromMade d = { 1, 2 }; //! E30513 its base 'Made' has constructors
            Again e = { 1 }; //! E30513 its base 'Made' has constructors
            Own g = {};
            Own h = { 1 }; //! E39999 too many arguments to call
            Made i = { 1 };
            Made j = {}; //! E39999 not enough arguments to call
            FromMade k[2] = {};
            Any l = {};
        }",
    );
}

#[test]
fn defaults_come_last() {
    check(
        "void f(int a, int b = 1, int c = 2) {}
        void g(int a = 1, int b) {} //! E30704 parameter 'b' does not have a default value",
    );
}

#[test]
fn output_parameters_have_no_default() {
    check("void f(out int x = 3) { x = 1; } //! E30700 has no default");
}

#[test]
fn subscripts_have_defaults_like_functions() {
    check(
        "
        struct A { __subscript(int i, float d = 1.0, int k) -> float { get { return 1.0; } } } //! E30704 parameter 'k'
        struct B { __subscript(int i, out float d = 1.0) -> float { get { return 1.0; } } } //! E30700 has no default
        ",
    );
}

/// Verdicts of the reference compiler.
#[test]
fn variables_hold_no_resources() {
    check(
        "struct Material { Texture2D albedo; float k; }
        Texture2D bound;
        static Texture2D a; //! E30076 'a'
        static Texture2D b = bound; //! E30076 'b'
        static Material c; //! E30076 'c'
        static SamplerState d[2]; //! E30076 'd'
        static RWStructuredBuffer<float>.Handle e;
        static float f;",
    );
}

#[test]
fn a_bound_buffer_is_no_variable() {
    check(
        "static cbuffer A { float a; } //! E30076 cannot hold a resource
        static const cbuffer B { float b; } //! E31225 'B' must have an initializer
        namespace N { static tbuffer C { float c; } } //! E30076 cannot hold a resource
        cbuffer D { float d; }",
    );
}

#[test]
fn a_pair_is_made_of_two_halves() {
    check(
        "DifferentialPair<float> f(DifferentialPair<float> p)
        {
            DifferentialPair<float> a = {}; //! E39999 not enough arguments to call (got 0, expected 2)
            DifferentialPair<float> b = { p }; //! E39999 not enough arguments to call (got 1, expected 2)
            DifferentialPair<float> c = { 1.0, 2.0 };
            Tuple<int, float> d = {};
            DifferentialPair<float> e[2] = {};
            return {}; //! E39999 not enough arguments to call (got 0, expected 2)
        }",
    );
}

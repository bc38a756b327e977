//! Attributes and their arguments.

use crate::tests::{all_diagnostics, check, database};

#[test]
fn sizes_of_groups_and_waves() {
    check(
        "[numthreads(8, 8, 1)] [WaveSize(32)] void a() {}
        static const int n = 4;
        [numthreads(n * 2, 1, 1)] void b() {}
        [numthreads(0, 1, 1)] void c() {} //! E31102 got '0'
        [numthreads(n - 5, 1, 1)] void d() {} //! E31102 got '-1'
        [numthreads(1, 1, 1)] [numthreads(2, 1, 1)] void e() {} //! E31202 redundant
        [WaveSize(5)] void f() {} //! E31103 got '5'",
    );
}

#[test]
fn attributes_stand_on_what_they_are_about() {
    check(
        "[Flags] enum A { X }
        [Flags] struct B {} //! E31002 attribute 'Flags' is not valid here
        [ForceInline] int c; //! E31002 attribute 'ForceInline' is not valid here
        [MaxIters(3)] void d() {} //! E31002 attribute 'MaxIters' is not valid here
        [UnscopedEnum] enum class E { Y } //! E31202 conflicts with 'class'
        [NoDiscard] void f() {} //! E30069 not allowed on a function that returns 'void'
        [NoDiscard] int g() { return 1; }",
    );
}

#[test]
fn stages_are_known() {
    check(
        "[shader(\"compute\")] [numthreads(1, 1, 1)] void a() {}
        [shader(\"compte\")] void b() {} //! E36105 unknown stage 'compte'",
    );
}

#[test]
fn attributes_of_the_program() {
    check(
        "[__AttributeUsage(_AttributeTargets.Var)] struct RangeAttribute { int low; float high; }
        [Range(1, 2.5)] int a;
        [Range(1, 2)] int b;
        [Range(1)] int c; //! E31001 attribute 'Range' expects 2 arguments (1 provided)
        [Range(\"low\", 2.0)] int d; //! E30019 expected an expression of type 'int', got 'String'
        [Range(1, 2.5)] void e() {} //! E31002 attribute 'Range' is not valid here",
    );
}

#[test]
fn specialization_constants_are_scalars() {
    check(
        "[SpecializationConstant] const int a = 1;
        [vk::constant_id(2)] const float3 b; //! E31218 must be a scalar
        [vk::constant_id(3)] static const int c = 1; //! E31219 cannot be 'static'",
    );
}

#[test]
fn com_interfaces() {
    check(
        "[COM(\"4CDF8E5F-1B1C-4E0F-A6B5-1C6B2D2F5E4D\")] interface A { int f(); }
        [COM(\"8BA5FB08-5195-40e2-AC58-0D-98-9C-3A-01-02\")] interface E {}
        [COM(\"no guid\")] interface B {} //! E31123 'no guid' is not a valid GUID
        class C : A { int f() { return 1; } }
        struct D : A { int f() { return 1; } } //! E31124 cannot implement a [COM] interface",
    );
}

#[test]
fn attributes_that_nobody_knows() {
    check(
        "[Diferentiable] float a(float x) { return x; } //! E31000 unknown attribute 'Diferentiable'
        [[vk::binding(0)]] RWStructuredBuffer<float> b;
        [[vk::bindign(1)]] RWStructuredBuffer<float> c; //! E31000 unknown attribute 'vk::bindign'
        [[foo::bar]] RWStructuredBuffer<float> d; //! E31000 unknown attribute 'foo::bar'
        [vk_binding(4)] RWStructuredBuffer<float> e;",
    );
}

#[test]
fn one_target_at_a_time() {
    check(
        "[require(glsl_spirv, sm_5_0)] void a() {}
        [require(hlsl, _sm_5_0)] void b() {}
        [require(spirv, hlsl)] void c() {} //! E36111 names two targets, 'spirv' and 'hlsl'",
    );
}

/// Something of each kind that an attribute, `@`, may stand on.
const PLACES: &[(&str, &str)] = &[
    ("function", "@ float f0(float x) { return x; }"),
    ("method", "struct T1 { @ float m() { return 1.0; } }"),
    ("constructor", "struct T2 { float v; @ __init(float x) { v = x; } }"),
    ("accessor", "struct T3 { property float p { @ get { return 1.0; } } }"),
    ("subscript", "struct T4 { @ __subscript(int i) -> float { get { return 1.0; } } }"),
    ("property", "struct T5 { @ property float p { get { return 1.0; } } }"),
    ("struct", "@ struct T6 { float x; }"),
    ("class", "@ class T7 { float x; }"),
    ("interface", "@ interface T8 { float x(); }"),
    ("enum", "@ enum T9 { A }"),
    ("extension", "@ extension D { float e() { return 1.0; } }"),
    ("field", "struct T12 { @ float x; }"),
    ("global", "@ static float t13;"),
    ("parameter", "float f14(@ float x) { return x; }"),
    ("local", "float f15(float x) { @ float y = x; return y; }"),
    ("alias", "@ typealias T16 = float;"),
    ("associated", "interface T17 { @ associatedtype A; }"),
    ("requirement", "interface T18 { @ float f(float x); }"),
    ("cbuffer", "@ cbuffer T19 { float c19; }"),
    ("namespace", "@ namespace T20 { }"),
    ("for", "float f21(float x) { @ for (int i = 0; i < 3; i++) x += 1.0; return x; }"),
    ("while", "float f22(float x) { @ while (x < 3.0) x += 1.0; return x; }"),
    ("do", "float f23(float x) { @ do x += 1.0; while (x < 3.0); return x; }"),
    ("if", "float f24(float x) { @ if (x > 1.0) x += 1.0; return x; }"),
    ("switch", "float f25(int i, float x) { @ switch (i) { case 0: x += 1.0; break; default: break; } return x; }"),
];

const DECLARATIONS: &str = "function method constructor accessor subscript property struct class interface enum extension \
                            field global parameter local alias associated requirement cbuffer namespace";
const VARIABLES: &str = "field global parameter local cbuffer";
const FUNCTIONS: &str = "function method constructor accessor requirement";
const LOOPS: &str = "for while do";

/// Where slangc 2026.14 takes each attribute; it gives E31002 elsewhere.
const TAKEN: &[(&str, &[&str])] = &[
    (DECLARATIONS, &["TreatAsDifferentiable", "vk_binding(4)", "require(hlsl)", "deprecated(\"x\")"]),
    (DECLARATIONS, &["MaybeDifferentiable", "RemovedSince(4, \"x\")", "gl::binding(4)", "HasTrivialForwardDerivative"]),
    ("struct class interface enum associated", &["PyExport(\"x\")", "sealed", "open"]),
    ("interface", &["COM(\"x\")", "anyValueSize(4)", "Specialize"]),
    (
        FUNCTIONS,
        &["Differentiable", "ForwardDifferentiable", "BackwardDifferentiable", "mutating", "NoDiscard", "constref"],
    ),
    (FUNCTIONS, &["ForceInline", "noinline", "PreferRecompute", "PreferCheckpoint", "NonUniformReturn", "NoDiffThis"]),
    (FUNCTIONS, &["ForwardDerivative(f)", "BackwardDerivative(f)", "PrimalSubstitute(f)", "BackwardDerivativeOf(f)"]),
    (
        VARIABLES,
        &["push_constant", "vk::push_constant", "SpecializationConstant", "vk_constant_id(4)", "vk::location(4)"],
    ),
    (VARIABLES, &["DerivativeMember(D.a)", "format(\"rgba8\")", "disable_array_flattening", "shader_record"]),
    ("function method requirement", &["shader(\"compute\")", "numthreads(4)", "NumThreads(4)", "WaveSize(4)"]),
    ("function method requirement", &["maxvertexcount(4)", "domain(\"tri\")", "CudaKernel", "CUDAHost", "DllExport"]),
    ("enum", &["UnscopedEnum", "Flags"]),
    (LOOPS, &["unroll", "ForceUnroll", "loop", "fastopt", "allow_uav_condition", "MaxIters(4)"]),
    ("if", &["flatten"]),
    ("if switch", &["branch"]),
    ("switch", &["forcecase", "call"]),
    ("accessor", &["nonmutating"]),
    ("struct", &["raypayload", "__AttributeUsage(_AttributeTargets.Struct)"]),
];

#[test]
fn each_attribute_stands_where_slangc_takes_it() {
    for (places, attributes) in TAKEN {
        for attribute in *attributes {
            let programs = PLACES.iter().map(|(_, text)| text.replace('@', &format!("[{attribute}]")));
            let text = format!("{}\nstruct D {{ float a; }}", programs.collect::<Vec<_>>().join("\n"));
            let (db, _, file) = database(&text);
            let found = all_diagnostics(&db, file, &text);
            let is_taken =
                |line: usize| !found.iter().any(|found| found.line == line && matches!(found.code, 31000..=31002));
            // More lenient than slangc, which tells classes from structs here.
            let taken: Vec<&str> =
                PLACES.iter().enumerate().filter(|(line, _)| is_taken(*line)).map(|(_, (place, _))| *place).collect();
            let places = if *places == "struct" { "struct class" } else { *places };
            assert_eq!(taken, places.split_whitespace().collect::<Vec<_>>(), "[{attribute}]");
        }
    }
}

#[test]
fn attributes_have_their_arguments() {
    check(
        "[shader] void a() { } //! E31001 attribute 'shader' expects 1 argument (0 provided)
        [numthreads] void g() { } //! E31001 attribute 'numthreads' expects 1 argument (0 provided)
        [ForwardDerivative] float b(float x) { return x; } //! E31001 attribute 'ForwardDerivative' expects 1 argument
        [deprecated] void d() { } //! E31001 attribute 'deprecated' expects 1 argument
        [RemovedSince(2026)] void e() { } //! E31001 attribute 'RemovedSince' expects 2 arguments (1 provided)
        [COM] interface F { } //! E31001 attribute 'COM' expects 1 argument
        float k(float x) { [MaxIter(3)] for (int i = 0; i < 3; i++) x += 1.0; return x; } //! E31000 'MaxIter'
        float l([Foo] float x) { return x; } //! E31000 unknown attribute 'Foo'",
    );
}

#[test]
fn arguments_are_of_the_types_that_attributes_take() {
    check(
        "struct P { float3 c; };
        struct V { float4 p : SV_Position; };
        [numthreads(\"8\", 1, 1)] void a() {} //! E30019 expected an expression of type 'int', got 'String'
        [numthreads(1.5, 1, 1)] void b() {} //! E30081 implicit conversion from 'float' to 'int'
        [shader(miss)] void c(inout P p) { p.c = 0; } //! E33071 between quotes
        [domain(tri)] void d() {} //! E31005 between quotes
        [patchconstantfunc(\"nowhere\")] void e() {} //! E31006 could not find function 'nowhere'
        [patchconstantfunc(\"a\")] void f() {}
        [format(\"r33f\")] RWTexture2D<float> t; //! E31101 unknown image format 'r33f'
        [format(\"r32f\")] RWTexture2D<float> u;
        [vk::image_format(\"r16snorm\")] RWTexture2D<float> v;
        [vk::image_format(rgba8)] RWTexture2D<float4> w; //! E33071 between quotes
        [vk::binding(\"3\", 2)] Texture2D x; //! E30019 got 'String'
        [anyValueSize(\"a\")] interface IM {} //! E30019 got 'String'
        void g() { [unroll] for (int i = 0; i < 3; i++) {} [unroll(2)] for (int i = 0; i < 3; i++) {} }",
    );
}

#[test]
fn arguments_of_attributes_of_ones_own_are_known() {
    check(
        "[__AttributeUsage(_AttributeTargets.Var)] struct TagAttribute { int level; string name; }
        static const int kLevel = 3;
        [Tag(kLevel + 1, \"key\")] int a;
        [Tag(missing, \"key\")] int b; //! E30015 'missing'",
    );
}

//! What the pointer shows.

use ide::hover::hover;
use test_support::database::TestDatabase;

use crate::check::{check_hover, check_no_hover, cursor};

#[test]
fn a_function_shows_its_signature_and_comment() {
    check_hover(
        "\
/// How bright it is.
[Differentiable]
float glow(float power) { return power * power; }
float f() { return gl$0ow(2.0); }
",
        &["float glow(float power)", "How bright it is.", "differentiable"],
    );
}

#[test]
fn a_local_shows_the_type_that_was_deduced() {
    check_hover("void f() { let su$0m = 1.0 + 2.0; }", &["float sum"]);
}

#[test]
fn an_array_of_arrays_is_shown_as_its_type_is_written() {
    let text = "struct M { float m[2][3]; int[4] n; }\n";
    check_hover(&format!("{text}float f(M v) {{ let g$0 = v.m; return g[1][2]; }}"), &["float[3][2] g"]);
    check_hover(&format!("{text}float f(M v) {{ return v.$0m[1][2]; }}"), &["float[3][2] m"]);
    check_hover(&format!("{text}float f(M v) {{ let g$0 = v.m[1]; return g[2]; }}"), &["float[3] g"]);
}

#[test]
fn blanks_show_nothing() {
    check_no_hover("void f() { $0 }");
}

#[test]
fn a_macro_shows_its_definition_and_what_becomes_of_it() {
    let text = "#define SCALE 3\n#define TWICE(x) ((x) * \\\n    2)\n";
    check_hover(&format!("{text}float f() {{ return SC$0ALE; }}"), &["#define SCALE 3", "here it is\n\n```slang\n3\n"]);
    check_hover(
        &format!("{text}float f() {{ return TW$0ICE(5) + 1; }}"),
        &["#define TWICE(x)", "    2)\n", "((5) *", "2)\n```"],
    );
    check_hover(&format!("{text}#ifdef SC$0ALE\n#endif\n"), &["#define SCALE 3"]);
    check_hover(&format!("{text}#undef SCALE\nfloat f(float SCALE) {{ return SC$0ALE; }}"), &["float SCALE"]);
}

#[test]
fn members_show_the_types_that_they_have_here() {
    let types = "struct Box<T> { T content; static const int size = 4; }\n";
    check_hover(
        &format!("{types}float f(Box<float3> b) {{ return b.con$0tent.x; }}"),
        &["float3 content", "in `Box<float3>`"],
    );
    check_hover(
        &format!("{types}int f() {{ return Box<int>::si$0ze; }}"),
        &["static const int size = 4", "in `Box<int>`"],
    );
}

#[test]
fn parts_of_values_and_attributes_of_statements_say_what_they_are() {
    check_hover("float f(DifferentialPair<float> x) { return x.$0p; }", &["float p", "the value of the pair"]);
    check_hover("float f(DifferentialPair<float> x) { return x.$0d; }", &["float d", "the derivative of the pair"]);
    check_hover("float2 f(float3 v) { return v.x$0z; }", &["float2 xz", "components 0 and 2 (`float3`)"]);
    check_hover(
        "void f(float x) { [Max$0Iters(3)] for (int i = 0; i < 3; i++) x *= x; }",
        &["[MaxIters(count)]", "at most this often"],
    );
}

#[test]
fn derivatives_of_library_functions_take_pairs_where_there_are_any() {
    check_hover(
        "float3 f(float3x3 m, float3 v) { return m$0ul(m, v); }",
        &[
            "float3 mul<float, 3, 3>(float3x3 left, float3 right)",
            "void bwd_diff(mul)(inout DifferentialPair<matrix<T, R, C>> left, inout DifferentialPair<vector<T, C>> right, ",
        ],
    );
    check_hover(
        "void f(inout DifferentialPair<float2x3> m) { bwd_diff(trans$0pose)(m, float3x2(1.0)); }",
        &[
            "float3x2 transpose<float, 2, 3>(float2x3 x)",
            "void bwd_diff(transpose)(inout DifferentialPair<matrix<T, R, C>> x, ",
        ],
    );
    let test = TestDatabase::new("int3 f(int3x3 m, int3 v) { return m$0ul(m, v); }");
    let markdown = hover(&test.db, cursor(&test)).expect("there is a hover").markdown;
    assert!(!markdown.contains("bwd_diff(mul)"), "{markdown}");
}

/// Offsets by the rules of GLSL 4.60 (7.6.2.2), HLSL's packing rules, and C++.
#[test]
fn fields_show_where_they_lie() {
    let block = "struct Block { float3 a; float b; float2x2 m; float c[2]; bool flag; }\n";
    let rows = |field: &str| match field {
        "b" => [
            "natural | 12 | 4 | 4",
            "std430 | 12 | 4 | 4",
            "std140 | 12 | 4 | 4",
            "`cbuffer` | 12 | 4 | 4",
            "C++ | 12 | 4 | 4",
        ],
        "m" => [
            "natural | 16 | 16 | 4",
            "std430 | 16 | 16 | 8",
            "std140 | 16 | 32 | 16",
            "`cbuffer` | 16 | 24 | 16",
            "C++ | 16 | 16 | 4",
        ],
        "c" => [
            "natural | 32 | 8 | 4",
            "std430 | 32 | 8 | 4",
            "std140 | 48 | 32 | 16",
            "`cbuffer` | 48 | 20 | 16",
            "C++ | 32 | 8 | 4",
        ],
        _ => [
            "natural | 40 | 4 | 4",
            "std430 | 40 | 4 | 4",
            "std140 | 80 | 4 | 4",
            "`cbuffer` | 68 | 4 | 4",
            "C++ | 40 | 1 | 1",
        ],
    };
    for field in ["b", "m", "c", "flag"] {
        check_hover(&format!("{block}void f(Block x) {{ let y = x.$0{field}; }}"), &rows(field));
        let declared = block
            .replace(&format!(" {field};"), &format!(" $0{field};"))
            .replace(" c[2]", if field == "c" { " $0c[2]" } else { " c[2]" });
        check_hover(&declared, &rows(field));
    }
    check_hover(
        "struct Blo$0ck { float3 a; float b; float2x2 m; float c[2]; bool flag; }",
        &["natural | 44 | 4", "std430 | 48 | 16", "std140 | 96 | 16", "C++ | 44 | 4"],
    );
    // What memory does not hold, or the declaration does not say, has no place.
    for without in
        ["struct S<T> { T first; T $0x; }", "struct S { Texture2D t; float $0x; }", "struct S { uint $0x : 3; }"]
    {
        let test = TestDatabase::new(without);
        let markdown = hover(&test.db, cursor(&test)).expect("there is a hover").markdown;
        assert!(!markdown.contains("std140"), "{markdown}");
    }
}

#[test]
fn fields_show_where_their_derivatives_are() {
    let pair = "struct Own : IDifferentiable { typealias Differential = Slope; [DerivativeMember(Slope.dx)] float x; no_diff float y; int n; }\n\
                struct Slope : IDifferentiable { typealias Differential = Slope; float dx; }\n";
    check_hover(
        &format!("{pair}float f(Own o) {{ return o.$0x; }}"),
        &["its derivative is a `float`, `dx` of `Slope`"],
    );
    check_hover(&format!("{pair}float f(Own o) {{ return o.$0y; }}"), &["not part of the differential type"]);
    check_hover(&format!("{pair}int f(Own o) {{ return o.$0n; }}"), &["not part of the differential type"]);
    check_hover(&pair.replace("[Deriv", "[De$0riv"), &["here: the derivative of `x` is `dx` of `Slope`"]);
    check_hover(&pair.replace("no_diff", "no_$0diff"), &["here: `y` is not part of the differential of `Own`"]);
}

#[test]
fn attributes_of_differentiation_say_what_they_do_here() {
    let functions = "[BackwardDerivative(slope)] float f(float x) { return x; }\nvoid slope(inout DifferentialPair<float> x, float d) { }\n";
    let here = &["here: `slope` is", "void bwd_diff(f)(inout DifferentialPair<float> x, float dResult)"];
    check_hover(&functions.replace("[Back", "[Ba$0ck"), here);
    check_hover(
        "float f(float x) { return x; }\n[ForwardDeriv$0ativeOf(f)] DifferentialPair<float> slope(DifferentialPair<float> x) { return x; }\n",
        &["here: `slope` is", "DifferentialPair<float> fwd_diff(f)(DifferentialPair<float> x)"],
    );
    check_hover(
        "[PrimalSubst$0itute(other)] float f(float x) { return x; }\n[Differentiable] float other(float x) { return x; }\n",
        &["differentiated code calls `other` in place of `f`"],
    );
    check_hover(
        "[Differ$0entiable] float f(float x) { return x; }\n",
        &["void bwd_diff(f)(inout DifferentialPair<float> x, float dResult)", "made from its body"],
    );
}

#[test]
fn modifiers_say_what_they_do_to_derivatives() {
    let function =
        "[Differentiable] float f(float x, no_diff float y, inout float z, out float w) { w = x; return x * y; }\n";
    check_hover(
        &function.replace("no_", "no$0_"),
        &["`fwd_diff(f)` takes `no_diff float y`", "`bwd_diff(f)` takes `no_diff float y`"],
    );
    check_hover(&function.replace("inout", "in$0out"), &["`bwd_diff(f)` takes `inout DifferentialPair<float> z`"]);
    check_hover(
        &function.replace(" out", " o$0ut"),
        &["`fwd_diff(f)` takes `out DifferentialPair<float> w`", "`bwd_diff(f)` takes `float w`"],
    );
    check_hover(
        "[Differentiable] no_d$0iff float f(float x) { return x; }\n",
        &["the result of `f` has no derivative"],
    );
    check_no_hover("float f(float x) { return x; } // no_d$0iff");
}

#[test]
fn generic_functions_and_types_are_shown_as_they_are_used() {
    check_hover(
        "T twice<T : IFloat>(T x) { return x + x; }\nhalf f(half x) { return tw$0ice(x); }",
        &["here it is", "half twice<half>(half x)"],
    );
    check_hover(
        "struct Box<T> { T content; }\nfloat f(B$0ox<float3> b) { return 1; }",
        &["struct Box<float3>", "natural | 12 | 4"],
    );
}

#[test]
fn parts_are_named_by_number() {
    check_hover("float2 f(float3 v) { return v.b$0r; }", &["components 2 and 0 (`float3`)"]);
    check_hover("float f(float2x2 m) { return m._m$010; }", &["element [1][0]"]);
}

#[test]
fn names_of_modules_show_their_files() {
    check_hover("//- /lib.slang\nmodule lib;\n//- /main.slang\nimport l$0ib;\n", &["module lib", "`/lib.slang`"]);
}

/// What stands in a text without a declaration of its own, and what is said of it.
const WRITTEN: &[(&str, &[&str])] = &[
    // Literals, with their types.
    ("int f() { return 0x1$0F; }", &["int 31 = 0x1f = 0b11111"]),
    ("float f() { return 1e$03; }", &["float 1000"]),
    ("float f() { return 0.$01; }", &["float 0.1, kept as 0.10000000149011612"]),
    ("double f() { return 0.$01L; }", &["double 0.1\n"]),
    ("static const uint k = $0255u;", &["uint 255 = 0xff"]),
    ("[numthreads($08, 1, 1)] void f() { }", &["8"]),
    // Operators.
    ("float f(float m) { return $0-m; }", &["float operator-(float)"]),
    ("float f(float m) { return m $0* m; }", &["float operator*(float, float)"]),
    ("bool f(float m, int n) { return m $0> n; }", &["bool operator>(float, int)", "converted to `float`"]),
    ("void f(int m) { m $0+= 2; }", &["operator+=(int, int)"]),
    ("void f(int m) { m+$0+; }", &["operator++(int)"]),
    ("float f(float m) { return m > 1 $0? m : 2.0; }", &["float ?: (float, float)", "the one that is chosen"]),
    ("int f(int a[5]) { return a $0[2]; }", &["int\n", "An element of `int[5]`"]),
    // Keywords.
    ("struct S { float a; float f() { return th$0is.a; } }", &["S this", "whose method this is"]),
    ("stat$0ic const int k = 1;", &["Belongs to the type"]),
    ("group$0shared float g[4];", &["threads of a group"]),
    ("inter$0face I { }", &["types must have that conform"]),
    ("struct S { } exten$0sion S { }", &["Adds members"]),
    ("float f(float x) { ret$0urn x; }", &["Leaves the function"]),
    ("void f() { fo$0r (;;) { } }", &["[MaxIters(n)]"]),
    // Semantics and registers.
    (
        "void f(uint3 t : SV_Dispatch$0ThreadID) { }",
        &["one to three integers", "Read in: compute, mesh, amplification"],
    ),
    ("float4 f() : SV_Tar$0get0 { return 1; }", &["Read in: any stage", "Written in: any stage"]),
    ("struct V { float2 uv : TEX$0COORD0; }", &["the next one takes in"]),
    ("RWStructuredBuffer<int> b : register(u$02, space1);", &["Register 2", "written"]),
    ("RWStructuredBuffer<int> b : register(u2, spa$0ce1);", &["space 1"]),
    ("RWStructuredBuffer<int> b : reg$0ister(u2, space1);", &["D3D"]),
    // What attributes do here.
    ("[shader(\"compute\")] [numth$0reads(8, 4, 2)] void f() { }", &["8 × 4 × 2 = 64 threads"]),
    ("[sha$0der(\"compute\")] [numthreads(8, 4, 2)] void f() { }", &["entry point of the stage `compute`"]),
    (
        "static const int most = 3;\n[Differentiable] float f(float x) { [Max$0Iters(2 * most)] for (int i = 0; i < 3; i++) x *= x; return x; }",
        &["up to 6 iterations"],
    ),
    (
        "[Differentiable] float f(float x) { [Force$0Unroll] for (int i = 0; i < 3; i++) x *= x; return x; }",
        &["one behind the other"],
    ),
    (
        "float f(float x) { [Max$0Iters(3)] for (int i = 0; i < 3; i++) x *= x; return x; }",
        &["`f` has no backward derivative"],
    ),
    // Files.
    ("//- /h.slangh\nfloat h() { return 1; }\n//- /main.slang\n#inc$0lude \"h.slangh\"\n", &["`/h.slangh`"]),
    ("//- /h.slangh\nfloat h() { return 1; }\n//- /main.slang\n#include \"h.sla$0ngh\"\n", &["`/h.slangh`"]),
    // Offsets by the rules of GLSL 4.60 (7.6.2.2) and HLSL's packing rules: a row is sixteen bytes.
    ("cbuffer Par { float4 c0; float c1; float3 $0c2; }", &["std140 | 32 | 12 | 16", "`cbuffer` | 20 | 12 | 4"]),
];

#[test]
fn what_has_no_declaration_says_what_it_is() {
    let mut failures = Vec::new();
    for (text, parts) in WRITTEN {
        let test = TestDatabase::new(text);
        let markdown = hover(&test.db, cursor(&test)).map(|hover| hover.markdown).unwrap_or_default();
        let missing: Vec<_> = parts.iter().filter(|part| !markdown.contains(**part)).collect();
        if !missing.is_empty() {
            failures.push(format!("{text}: lacks {missing:?}:\n{markdown}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn constants_show_their_values_as_their_types_write_them() {
    for (text, shown) in [
        ("static const bool on$0 = true;", "static const bool on = true"),
        ("static const bool off$0 = 3 < 2;", "static const bool off = false"),
        ("static const int n$0 = 3 + 4;", "static const int n = 7"),
        ("static const float n$0 = 1.5 * 2;", "static const float n = 1.5 * 2"),
        ("static const float3 n$0 = float3(1, 2, 3);", "static const float3 n = float3(1, 2, 3)"),
        ("struct S { static const float M = 2.5; }\nfloat f() { return S.M$0; }", "static const float M = 2.5"),
        ("void f() { const int n$0 = 3 + 4; }", "const int n = 7"),
        ("void f() { static const bool n$0 = true; }", "static const bool n = true"),
        ("void f() { let n$0 = 3; }", "let int n = 3"),
        ("void f() { let x$0 = 2.5; }", "let float x = 2.5"),
    ] {
        check_hover(text, &[shown]);
    }
    check_no_value("void f() { int n$0 = 3; n = 4; }", "int n");
    check_no_value("void f(int k) { let n$0 = k; }", "let int n");
}

fn check_no_value(text: &str, shown: &str) {
    check_hover(text, &[&format!("{shown}\n")]);
}

#[test]
fn members_of_generic_types_show_their_owner_here() {
    let types = "struct Box<T> { T v; T pick(T other) { return v; } property T p { get { return v; } } }\n";
    check_hover(
        &format!("{types}float f(Box<float> b) {{ return b.pi$0ck(2); }}"),
        &["in `Box<float>`", "float Box<float>.pick(float other)"],
    );
    check_hover(&format!("{types}float f(Box<float> b) {{ return b.p$0; }}"), &["property float p", "in `Box<float>`"]);
}

#[test]
fn builtin_types_and_other_spellings_are_explained() {
    check_hover("RWByteAddressBu$0ffer b;", &["RWByteAddressBuffer", "---"]);
    check_hover("[CUDAK$0ernel] void f() { }", &["`[CUDAKernel]` is another spelling of this."]);
}

#[test]
fn capabilities_say_what_they_are() {
    check_hover("[require(spir$0v, fragment)] void f() { }", &["a compilation target, which includes target"]);
    check_hover("[require(spirv, frag$0ment)] void f() { }", &["a stage"]);
    check_hover("void f() { __target_switch { case hl$0sl: break; default: break; } }", &["a compilation target"]);
}

#[test]
fn types_are_shown_with_the_name_and_the_arguments_that_are_written() {
    check_hover("float16_t$04 v;", &["float16_t4 = half4"]);
    check_hover("interface IBox<T> { T get(); }\nvoid f(IBo$0x<float> b) { }", &["interface IBox<float>"]);
}

#[test]
fn an_alias_says_what_it_stands_for() {
    check_hover("typedef float3 Color;\nvoid f(Co$0lor c) {}", &["typealias Color = float3"]);
    check_hover("struct S<T> { typealias Row$0 = vector<T, 4>; }", &["typealias Row = vector<T, 4>"]);
}

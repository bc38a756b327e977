//! Entry points of vertex and fragment shaders with values of each shape at each place, with and without semantics: the compiler
//! of each language accepts them, and stages that fit by their locations fit by their semantics.

use whole_program_tests::{process::Scratch, stages::complaint};

/// Shapes of what a stage takes and gives: declarations before it, and the type as which it is declared.
const SHAPES: &[(&str, &str, &str)] = &[
    ("scalar", "", "uint"),
    ("vector", "", "float4"),
    ("matrix", "", "float2x4"),
    ("array", "", "float4[2]"),
    ("struct", "struct S { float4 a; float b; };", "S"),
    ("struct of named fields", "struct S { float4 a : A; float2 b : UV3; };", "S"),
    ("struct of targets", "struct S { float4 a : SV_Target1; float2 b : SV_Target0; };", "S"),
    ("nested struct", "struct In { float4 a; float b; }; struct S { In first; float2 second; };", "S"),
    ("struct of arrays", "struct S { float2 a[2]; float2x2 m; float4 last; };", "S"),
    ("struct of two kinds", "struct S { float4 a; float2 b : UV1; };", "S"),
];

/// The places where a value of a type with a semantic can stand: stages, declarations, and the entry point `main`.
fn entries(ty: &str, semantic: &str) -> Vec<(&'static str, String, String)> {
    let mut found = Vec::new();
    let field = match ty.split_once('[') {
        Some((element, len)) => format!("{element} v[{len}{semantic};"),
        None => format!("{ty} v{semantic};"),
    };
    for (stage, own) in [("vertex", "SV_Position"), ("fragment", "SV_Target4")] {
        let mut add = |declared: String, main: String| found.push((stage, declared, main));
        add(String::new(), format!("float4 main({ty} v{semantic}) : {own} {{ let w = v; return sum(w); }}"));
        add(String::new(), format!("void main(float4 at, out {ty} v{semantic}) {{ v = make(at); }}"));
        add(format!("struct Around {{ {field} }};"), "Around main(Around given) { return given; }".into());
        // As for slangc, none returns an array.
        if !ty.contains('[') {
            add(String::new(), format!("{ty} main(float4 at){semantic} {{ return make(at); }}"));
        }
    }
    found
}

/// Functions that use every part, so that nothing is left out.
fn helpers(declarations: &str, ty: &str) -> String {
    let (sum, make) = match (declarations, ty) {
        ("", "uint") => ("float4(v)".into(), format!("{ty}(at.x)")),
        ("", "float4") => ("v".into(), "at".into()),
        ("", "float2x4" | "float4[2]") => ("v[0] + v[1]".into(), "{ at, at }".into()),
        _ if declarations.contains("first") => ("v.first.a + v.second.x".into(), "{ { at, 1 }, at.xy }".into()),
        _ if declarations.contains("last") => {
            ("v.last + v.a[0].x + v.a[1].y + v.m[1].x".into(), "{ { at.xy, at.zw }, { at.xy, at.zw }, at }".into())
        }
        _ if declarations.contains("float2 b") => ("v.a + v.b.x".into(), "{ at, at.xy }".into()),
        _ => (String::from("v.a + v.b"), String::from("{ at, at.x }")),
    };
    format!("float4 sum({ty} v) {{ return {sum}; }} {ty} make(float4 at) {{ {ty} made = {make}; return made; }}")
}

#[test]
fn compilers_accept_values_of_each_shape_at_each_place() {
    let scratch = Scratch::new("stage-signatures");
    let mut wrong = Vec::new();
    let mut count = 0;
    for &(shape, declarations, ty) in SHAPES {
        // Fields say it for themselves, or it is that of all.
        let semantics: &[&str] = if shape.contains("struct") { &["", " : COLOR"] } else { &["", " : TEXCOORD2"] };
        for semantic in semantics {
            for (stage, declared, main) in entries(ty, semantic) {
                // Only fragments give targets.
                if declarations.contains("SV_Target")
                    && (stage == "vertex" || main.contains("main(S v") || main.contains("given"))
                {
                    continue;
                }
                let helpers = helpers(declarations, ty);
                let text = format!("{declarations} {declared} {helpers} [shader(\"{stage}\")] {main}");
                let file = scratch.write("program.slang", &text);
                count += 1;
                for target in ["hlsl", "glsl", "wgsl", "spirv"] {
                    if let Some(said) = complaint(&scratch, &file, target, stage, "main") {
                        wrong.push(format!("{shape} `{semantic}`, {target}: {said}\n{text}"));
                    }
                }
            }
        }
    }
    assert!(count > 100, "{count}");
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n\n"));
}

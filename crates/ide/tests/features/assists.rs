//! Refactorings, as the text that they make; and that none breaks a program or changes what it computes.

use base_db::SourceFile;
use ide::{
    FilePosition, FileRange, TextEdit,
    assists::{Assist, assists},
    diagnostics::{Severity, diagnostics},
    gradient_check::{Cases, Question, Verdict, gradient_checks},
    selection_range::selection_ranges,
};
use syntax::TextRange;
use test_support::database::TestDatabase;

use crate::check::{check_assist, check_completed, check_no_assist};

#[test]
fn names_of_other_modules_are_imported() {
    let lib = "//- /deep/lib.slang\nmodule lib;\npublic float shine(float x) { return x; }\nfloat hidden() { return 1; }\n//- /other.slang\nmodule other;\npublic struct Lamp { float power; }\n//- /main.slang\n";
    let header = "// Copyright.\n\n";
    check_assist(
        &format!("{lib}{header}float f() {{ return shi$0ne(1.0); }}\n"),
        "",
        "Import `deep.lib`, which declares `shine`",
        &format!("{lib}{header}import deep.lib;\nfloat f() {{ return shine(1.0); }}\n"),
    );
    check_assist(
        &format!("{lib}module main;\nimport deep.lib;\nfloat f(La$0mp lamp) {{ return 1; }}\n"),
        "",
        "Import `other`, which declares `Lamp`",
        &format!("{lib}module main;\nimport deep.lib;\nimport other;\nfloat f(Lamp lamp) {{ return 1; }}\n"),
    );
    check_no_assist(&format!("{lib}float f() {{ return hid$0den(); }}\n"), "", "Import");
    check_no_assist(&format!("{lib}float f(float3 v) {{ return v.shi$0ne; }}\n"), "", "Import");
    check_no_assist(&format!("{lib}float shine() {{ return 1; }}\nfloat f() {{ return shi$0ne(); }}\n"), "", "Import");
}

#[test]
fn an_import_names_the_module_as_other_tools_find_it() {
    let lib = "//- /w/cc/three.slang\npublic int f3() { return 1; }\n";
    for (path, roots, name) in [
        // A server looks in all folders of the workspace, others do not.
        ("/w/use.slang", ["/w", "/w/cc"].as_slice(), "cc.three"),
        ("/w/use.slang", &["/w/cc", "/w"], "cc.three"),
        ("/w/cc/use.slang", &["/w", "/w/cc"], "three"),
        ("/w/aa/use.slang", &["/w", "/w/aa", "/w/cc"], "cc.three"),
        ("/w/aa/use.slang", &["/w/cc", "/w", "/w/aa"], "three"),
    ] {
        let mut test = TestDatabase::new(&format!("{lib}//- {path}\nint g() {{ return f3$0(); }}\n"));
        test.documents.set_search_roots(&mut test.db, roots.iter().map(|root| (*root).into()).collect());
        let at = crate::check::cursor(&test);
        let found = assists(&test.db, FileRange { file: at.file, range: TextRange::empty(at.offset.into()) });
        let titles: Vec<&str> = found.iter().map(|assist| assist.title.as_str()).collect();
        assert_eq!(titles, [format!("Import `{name}`, which declares `f3`")], "{path} {roots:?}");
    }
}

#[test]
fn completion_imports() {
    let lib = "//- /lib.slang\nmodule lib;\npublic struct Shining { float power; }\n//- /main.slang\n";
    let test = TestDatabase::new(&format!("{lib}float f() {{ Shi$0 }}\n"));
    let (file, offset) = test.cursor();
    let items = ide::completion::completion(&test.db, FilePosition { file, offset });
    let item = items.iter().find(|item| item.label == "Shining").expect("it is offered");
    assert_eq!(item.detail.as_deref(), Some("import lib"));
    assert_eq!(item.edits.iter().map(|edit| edit.text.as_str()).collect::<Vec<_>>(), ["import lib;\n"]);
    check_completed(
        "module main;\nstruct Shining { }\nvoid f() { Shi$0 }",
        "Shining",
        "module main;\nstruct Shining { }\nvoid f() { Shining }",
    );
}

#[test]
fn parts_become_functions() {
    check_assist(
        "[Differentiable]\nfloat f(float x, float y)\n{\n    return 2 * $0sin(x * y) + x;\n}\n",
        "sin(x * y)",
        "Extract into a function",
        "[Differentiable]\nfloat f(float x, float y)\n{\n    return 2 * extracted(x, y) + x;\n}\n\n[Differentiable]\nfloat extracted(float x, float y)\n{\n    return sin(x * y);\n}\n",
    );
    check_assist(
        "float f(float x)\n{\n    float sum = 0;\n    $0float y = x * x;\n    sum += y;\n    return sum + y;\n}\n",
        "float y = x * x;\n    sum += y;",
        "Extract into a function",
        "float f(float x)\n{\n    float sum = 0;\n    float y = extracted(x, sum);\n    return sum + y;\n}\n\nfloat extracted(float x, inout float sum)\n{\n    float y = x * x;\n    sum += y;\n    return y;\n}\n",
    );
    for (text, selected) in [
        ("float f(float x)\n{\n    $0if (x > 1) return 1;\n    return x;\n}\n", "if (x > 1) return 1;"),
        ("struct S { float a; float f(float x) { return $0a * x; } }\n", "a * x"),
    ] {
        check_no_assist(text, selected, "Extract into a function");
    }
}

/// A macro elsewhere in the function changes nothing, one in what is changed or depended on all.
#[test]
fn macros_are_left_alone() {
    let macros = "#define PI 3.0\n#define TWICE(x) x * 2\n#define ID(x) x\n#define SEEN total\nfloat half(float x)\n{\n    return x / 2;\n}\n";
    let function = |body: &str| format!("{macros}float f(float x, float y)\n{{\n{body}}}\n");
    let offers = |body: &str, selected: &str, title: &str, changed: &str| {
        check_assist(&function(body), selected, title, &function(changed));
    };
    let variable = "Extract into a variable";
    offers(
        "    float a = PI;\n    return $0x * y + TWICE(a);\n",
        "x * y",
        variable,
        "    float a = PI;\n    let value = x * y;\n    return value + TWICE(a);\n",
    );
    offers(
        "    if ($0x * y > 1)\n        return PI;\n    return 1;\n",
        "x * y",
        variable,
        "    let value = x * y;\n    if (value > 1)\n        return PI;\n    return 1;\n",
    );
    offers(
        "    float total = x + y;\n    return PI * tot$0al + TWICE(y);\n",
        "",
        "Inline `total`",
        "    return PI * (x + y) + TWICE(y);\n",
    );
    offers("    return PI * ha$0lf(x) + 1;\n", "", "Inline this call of `half`", "    return PI * (x / 2) + 1;\n");
    check_assist(
        &function("    float a = PI;\n    return a + $0sin(x * y);\n"),
        "sin(x * y)",
        "Extract into a function",
        &format!(
            "{}\nfloat extracted(float x, float y)\n{{\n    return sin(x * y);\n}}\n",
            function("    float a = PI;\n    return a + extracted(x, y);\n")
        ),
    );
    for (body, selected, title) in [
        ("    return $0x * PI;\n", "x * PI", "Extract"),
        ("    return $0PI;\n", "PI", "Extract"),
        ("    return PI + $0x * y;\n", "x * y", variable),
        ("    return TWICE($0x * y);\n", "x * y", variable),
        ("    float total = PI;\n    return tot$0al;\n", "", "Inline"),
        ("    float total = x + y;\n    return TWICE(tot$0al);\n", "", "Inline"),
        ("    float total = x + y;\n    return ID(tot$0al) * 2;\n", "", "Inline"),
        ("    float total = x + y;\n    return tot$0al + SEEN;\n", "", "Inline"),
        ("    float total = x + y;\n#define y 3\n    return tot$0al;\n#undef y\n", "", "Inline"),
        ("    float total = $0x * y;\n#define y 3\n    return total;\n", "x * y", "Extract into a function"),
        ("    return ID(ha$0lf(x)) * 2;\n", "", "Inline"),
        ("    return half(PI$0) * 2;\n", "", "Inline"),
    ] {
        check_no_assist(&function(body), selected, title);
    }
}

#[test]
fn several_results_are_given_back() {
    check_assist(
        "float f(float x)\n{\n    $0float a = x * x;\n    let b = a + 1;\n    return a * b;\n}\n",
        "float a = x * x;\n    let b = a + 1;",
        "Extract into a function",
        "float f(float x)\n{\n    float a;\n    float b;\n    extracted(x, a, b);\n    return a * b;\n}\n\nvoid extracted(float x, out float aOut, out float bOut)\n{\n    float a = x * x;\n    let b = a + 1;\n    aOut = a;\n    bOut = b;\n}\n",
    );
}

#[test]
fn calls_become_what_the_function_returns() {
    let square = "float square(float x) { return x * x + 1; }\n";
    check_assist(
        &format!("{square}float f(float y) {{ return 2 * squ$0are(y + 1); }}"),
        "",
        "Inline this call of `square`",
        &format!("{square}float f(float y) {{ return 2 * ((y + 1) * (y + 1) + 1); }}"),
    );
    check_assist(
        &format!("{square}float f(float x) {{ float z = squ$0are(x); return z; }}"),
        "",
        "Inline this call of `square`",
        &format!("{square}float f(float x) {{ float z = x * x + 1; return z; }}"),
    );
    for kept in [
        // What is computed once would be computed twice, or be another type.
        "float n(inout float s) { s += 1; return s; }\nfloat square(float x) { return x * x; }\nfloat f(inout float y) { return squ$0are(n(y)); }",
        "float half1(float x) { return x / 2; }\nfloat f(int y) { return hal$0f1(y); }",
        // A name of the one is a local of the other.
        "static const float k = 2;\nfloat scaled(float x) { return x * k; }\nfloat f(float k) { return sca$0led(k); }",
        "static const float k = 2;\nfloat scaled(float x) { return x * k; }\nfloat f(float y) { float k = 1; return sca$0led(y) + k; }",
        // The derivative would be another.
        "[BackwardDerivative(b)] float s(float x) { return x * x; }\nvoid b(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, 7 * d); }\n[Differentiable] float f(float x) { return $0s(x); }",
        "float s(float x) { return x * x; }\n[Differentiable] float f(float x) { return $0s(x); }",
        "float two(float x) { float y = x; return y; }\nfloat f(float x) { return t$0wo(x); }",
        "float g(inout float x) { return x; }\nfloat f(float x) { return $0g(x); }",
    ] {
        check_no_assist(kept, "", "Inline this call");
    }
}

#[test]
fn expressions_become_variables() {
    check_assist(
        "float f(float x)\n{\n    return 2 * $0sin(x) + x;\n}\n",
        "sin(x)",
        "Extract into a variable",
        "float f(float x)\n{\n    let value = sin(x);\n    return 2 * value + x;\n}\n",
    );
    check_assist(
        "float f(float value) { if (value > $01) return value; return 2; }",
        "1",
        "Extract into a variable",
        "float f(float value) { float value2 = 1; if (value > value2) return value; return 2; }",
    );
    for (kept, selected) in [
        ("float f(float x) { while ($0x < 3) x += 1; return x; }", "x < 3"),
        ("float f(float x) { return x > 0 ? $0sqrt(x) : 0; }", "sqrt(x)"),
        ("bool f(float x) { return x > 0 && $0sqrt(x) > 1; }", "sqrt(x)"),
        ("void f(inout float2 v) { $0v.x = 1; }", "v.x"),
        ("float f(float x) { if (x > 0) return $0x * x; return 0; }", "x * x"),
        ("float f(float x) { return $0sin(x); }", "sin"),
    ] {
        check_no_assist(kept, selected, "Extract");
    }
}

#[test]
fn variables_become_their_values() {
    check_assist(
        "float f(float x)\n{\n    let y = x + 1;\n    return y * $0y;\n}\n",
        "",
        "Inline `y`",
        "float f(float x)\n{\n    return (x + 1) * (x + 1);\n}\n",
    );
    for kept in [
        "float f(float x) { float $0y = x; y += 1; return y; }",
        "float f(float x) { let $0y = x; x += 1; return y; }",
        "float f(inout float x) { let $0y = x; return y; }",
        "int f(float x) { int $0y = int(x); for (int i = 0; i < 3; i++) { y++; } return y; }",
        "uint f(RWStructuredBuffer<uint> b) { let $0y = b[0]; b[0] = 1; return y; }",
        "float f(int n) { float $0y = n; return y / 2; }",
        "float f(float x) { let $0y = g(x); return y; }\nfloat g(float x) { return x; }",
    ] {
        check_no_assist(kept, "", "Inline");
    }
}

#[test]
fn methods_become_methods() {
    check_assist(
        "struct S\n{\n    float a;\n    float f(float x)\n    {\n        return $0a * x + 1;\n    }\n}\n",
        "a * x",
        "Extract into a function",
        "struct S\n{\n    float a;\n    float f(float x)\n    {\n        return extracted(x) + 1;\n    }\n\n    float extracted(float x)\n    {\n        return a * x;\n    }\n}\n",
    );
    check_assist(
        "struct S<T>\n{\n    float a;\n    [mutating]\n    void f(float x)\n    {\n        $0a += x;\n        this.a *= x;\n    }\n}\n",
        "a += x;\n        this.a *= x;",
        "Extract into a function",
        "struct S<T>\n{\n    float a;\n    [mutating]\n    void f(float x)\n    {\n        extracted(x);\n    }\n\n    [mutating]\n    void extracted(float x)\n    {\n        a += x;\n        this.a *= x;\n    }\n}\n",
    );
    check_assist(
        "struct S\n{\n    static float f(float x)\n    {\n        return $0x * x + 1;\n    }\n}\n",
        "x * x",
        "Extract into a function",
        "struct S\n{\n    static float f(float x)\n    {\n        return extracted(x) + 1;\n    }\n\n    static float extracted(float x)\n    {\n        return x * x;\n    }\n}\n",
    );
}

#[test]
fn nothing_is_left_over() {
    check_assist(
        "float g(float x) { return x; }\nvoid f(float x)\n{\n    $0g(x);\n}\n",
        "g(x)",
        "Extract into a variable",
        "float g(float x) { return x; }\nvoid f(float x)\n{\n    let value = g(x);\n}\n",
    );
    check_assist(
        "float g(float x, float y) { return x; }\nfloat f(float x)\n{\n    let $0y = x + 1;\n    float z = y;\n    z = g(y, (y)) * y;\n    return y;\n}\n",
        "",
        "Inline `y`",
        "float g(float x, float y) { return x; }\nfloat f(float x)\n{\n    float z = x + 1;\n    z = g(x + 1, (x + 1)) * (x + 1);\n    return x + 1;\n}\n",
    );
    // What has no value yet is given one.
    check_assist(
        "float f(float x)\n{\n    float r;\n    $0r = x * 2;\n    r += 1;\n    return r;\n}\n",
        "r = x * 2;\n    r += 1;",
        "Extract into a function",
        "float f(float x)\n{\n    float r;\n    extracted(x, r);\n    return r;\n}\n\nvoid extracted(float x, out float r)\n{\n    r = x * 2;\n    r += 1;\n}\n",
    );
}

#[test]
fn no_value_is_put_where_its_names_mean_something_else() {
    for kept in [
        "float f(float x) { float $0y = x; { float x = 3; return y + x; } }",
        "float f(float x) { float $0y = x; let l = (float x) => x + y; return l(2); }",
        "float f(float x) { float $0y = x; float s = 0; for (int x = 0; x < 3; x++) s += y; return s; }",
        "float f(float x) { float $0y = x * 2; if (let x = maybe()) return y + x; return y; }\nOptional<float> maybe() { return none; }",
        "float f(float x) { float $0y = sin(x); int sin = 2; return y * sin; }",
    ] {
        check_no_assist(kept, "", "Inline");
    }
    check_assist(
        "float f(float x) { float $0y = x; { float z = 3; return y + z; } }",
        "",
        "Inline `y`",
        "float f(float x) {  { float z = 3; return x + z; } }",
    );
}

#[test]
fn what_a_method_or_a_derivative_changes_is_not_put_elsewhere() {
    let state = "struct S { float a; [mutating] float inc() { a += 1; return a; } property float p { get { return a; } set { a = newValue; } } }\n";
    for kept in [
        "float f(S s) { float $0y = s.a; s.inc(); return y; }",
        "float f(S s) { S $0t = s; t.inc(); return t.a + s.a; }",
        "float f(S s) { S $0t = s; s.inc(); return t.a; }",
        "float f(S s) { S $0t = s; s.p = 3; return t.a; }",
        "float f(Ptr<S> p) { float $0y = p.a; p.a = 3; return y; }",
        "[Differentiable] float g(float x) { return x * x; }\nfloat f(DifferentialPair<float> p) { DifferentialPair<float> $0q = p; bwd_diff(g)(p, 1.0); return q.d; }",
    ] {
        check_no_assist(&format!("{state}{kept}"), "", "Inline");
    }
}

#[test]
fn what_is_read_is_not_read_earlier_than_it_is_written() {
    let around = "struct S { float a; [mutating] float inc() { a += 1; return a; } float get() { return a; } }\nstatic float gs = 1;\nfloat bump() { gs += 1; return gs; }\nfloat deep() { return bump(); }\nfloat give(inout float a) { a += 1; return a; }\nfloat pure(float a) { return a * 2; }\nRWStructuredBuffer<float> o;\n";
    for (kept, selected) in [
        ("float f(S s) { return s.inc() + $0s.a * 2; }", "s.a * 2"),
        ("float f(S s) { return s.a + $0s.inc(); }", "s.inc()"),
        ("float f() { return bump() + $0gs * 2; }", "gs * 2"),
        ("float f() { return deep() + $0gs * 2; }", "gs * 2"),
        ("float f() { return gs + $0bump(); }", "bump()"),
        ("float f(int n) { if (n > 9) return 0; gs += 1; return f(n + 1) + $0gs * 2; }", "gs * 2"),
        ("float f() { return bump() + $0bump(); }", "bump()"),
        ("float f(float x) { float z = give(x) * 2 + $0x * 3; return z; }", "x * 3"),
        ("void f(int i) { o[i++] = $0i + 1; }", "i + 1"),
        ("float f(float x) { float y = 0; return (y = x) + $0y * 2; }", "y * 2"),
        ("float f(float x) { return max((x += 1), $0x * 2); }", "x * 2"),
        ("void f(uint i) { o[bump()] = $0o[i] * 2; }", "o[i] * 2"),
    ] {
        check_no_assist(&format!("{around}{kept}"), selected, "Extract into a variable");
    }
    for (text, selected, changed) in [
        (
            "float f(float x) { return pure(x) + $0pure(x * 2); }",
            "pure(x * 2)",
            "float f(float x) { let value = pure(x * 2); return pure(x) + value; }",
        ),
        (
            "float f(S s) { return s.inc() + $0sin(2.0); }",
            "sin(2.0)",
            "float f(S s) { let value = sin(2.0); return s.inc() + value; }",
        ),
        (
            "float f(S s) { return s.get() + $0s.a * 2; }",
            "s.a * 2",
            "float f(S s) { let value = s.a * 2; return s.get() + value; }",
        ),
    ] {
        let title = "Extract into a variable";
        check_assist(&format!("{around}{text}"), selected, title, &format!("{around}{changed}"));
    }
}

#[test]
fn no_function_is_made_over_a_type_that_only_a_body_knows() {
    for (kept, selected) in [
        (
            "float f(float x)\n{\n    struct L { float a; };\n    L l = { x };\n    $0l.a += 1;\n    float r = l.a;\n    return r;\n}\n",
            "l.a += 1;\n    float r = l.a;",
        ),
        ("float f(float x)\n{\n    struct L { float a; };\n    $0L l = { x };\n    return l.a;\n}\n", "L l = { x };"),
    ] {
        check_no_assist(kept, selected, "Extract into a function");
    }
}

#[test]
fn constructors_take_each_field() {
    check_assist(
        "struct La$0mp\n{\n    float3 color;\n    int count;\n}\n",
        "",
        "Generate a constructor from the fields",
        "struct Lamp\n{\n    float3 color;\n    int count;\n    __init(float3 color, int count)\n    {\n        this.color = color;\n        this.count = count;\n    }\n}\n",
    );
    check_no_assist("struct La$0mp { float x; __init(float y) { x = y; } }", "", "Generate");
    check_assist(
        "struct P$0 : IDifferentiable\n{\n    no_diff float a;\n    float3 b[2];\n    const float c = 2;\n}\n",
        "",
        "Generate a constructor from the fields",
        "struct P : IDifferentiable\n{\n    no_diff float a;\n    float3 b[2];\n    const float c = 2;\n    [Differentiable]\n    __init(no_diff float a, float3[2] b)\n    {\n        this.a = a;\n        this.b = b;\n    }\n}\n",
    );
    check_assist(
        "struct P$0\n{\n    float3 a;\n    float b = 0.001;\n    int c;\n}\n",
        "",
        "Generate a constructor from the fields",
        "struct P\n{\n    float3 a;\n    float b = 0.001;\n    int c;\n    __init(float3 a, float b = 0.001, int c = {})\n    {\n        this.a = a;\n        this.b = b;\n        this.c = c;\n    }\n}\n",
    );
    // Nothing can give it a value.
    check_no_assist("struct P$0 { const float a; float b; }", "", "Generate");
}

#[test]
fn a_chain_of_calls_is_marked_at_once() {
    let inner = "float inner(float x) { return x; }\nfloat middle(float x) { return inner(x); }\n";
    check_assist(
        &format!("{inner}[Differentiable] float f(float x) {{ return mid$0dle(x); }}\n"),
        "",
        "Mark `middle` and what it calls [Differentiable] (2 functions)",
        "[Differentiable] float inner(float x) { return x; }\n[Differentiable] float middle(float x) { return inner(x); }\n[Differentiable] float f(float x) { return middle(x); }\n",
    );
    check_no_assist(
        &format!("{inner}[Differentiable] float f(float x) {{ return no_diff mid$0dle(x); }}\n")
            .replace("[Differentiable] ", ""),
        "",
        "Mark",
    );
}

/// Functions on which each assist is tried everywhere.
const PROGRAMS: [&str; 6] = [
    "[Differentiable]\nfloat f(float x, no_diff int n, float3 r)\n{\n    float s = x * exp(x) + dot(r, r) * 2;\n    for (int i = 0; i < 4; i++)\n        s = s * 0.5 + sin(s);\n    let half_s = s / 2;\n    if (x > 0.5)\n    {\n        s += half_s * x;\n    }\n    return s > 0 ? s : half_s;\n}\n",
    "struct Ray : IDifferentiable { float3 o; float t; }\n[Differentiable] float helper(float x) { return x * exp(x); }\n[Differentiable] float f(float x, Ray r) { let a = helper(x); let b = dot(r.o, r.o); return a * b + r.t * helper(b); }\n",
    "[Differentiable]\nfloat f(float x[3], float2x2 m)\n{\n    float sum = 0;\n    for (int i = 0; i < 3; i++)\n    {\n        let square = x[i] * x[i];\n        sum += square * m[0][1];\n    }\n    float2 v = mul(m, float2(x[0], x[1]));\n    return sum + v.x * length(v);\n}\n",
    "float inner(float x) { return x * x; }\nfloat middle(float x) { return inner(x) + 1; }\n[Differentiable] float f(float x) { return x * no_diff middle(x); }\n",
    "enum Mode { Soft, Hard }\nstruct Pair { float a; float b; }\n[Differentiable]\nfloat f(float x)\n{\n    Mode mode = Mode.Soft;\n    let q = 3.0;\n    switch (mode)\n    {\n    case Mode.Soft: x = x * q; break;\n    default: break;\n    }\n    uint bits = 3u;\n    return x / float(bits + 1);\n}\n",
    "#define HALF 0.5
#define TWICE(x) x * 2
#define SAME(x) x
#define DECLARE(name) float name = x + 1
#define SEEN sum
[Differentiable] float third(float x) { return x / 3 + 1; }
[Differentiable] float f(float x, float y)
{
    float sum = x + y;
    float low = x - y;
    DECLARE(next);
#define x 7
    float odd = low + y;
#undef x
    if (SAME(low) * 2 > HALF)
        sum += TWICE(third(y) + 1);
#ifdef HALF
    sum += third(x);
#endif
    float last = y * y;
    return TWICE(low + SAME(last)) * SEEN - next * odd + third(low) * HALF;
}
",
];

#[test]
fn no_assist_breaks_a_program_or_changes_its_values() {
    let mut tried = 0;
    for text in PROGRAMS {
        let mut test = TestDatabase::new(text);
        let file = test.last_file();
        let before = value(&test, file, None);
        let mut changed: Vec<(String, String)> = Vec::new();
        for (range, assist) in everywhere(&test, file) {
            let title = format!("{} at `{}`", assist.title, &text[std::ops::Range::<usize>::from(range)]);
            let result = applied(text, &assist.edits);
            if !changed.iter().any(|(_, known)| *known == result) {
                changed.push((title, result));
            }
        }
        for (number, (title, result)) in changed.iter().enumerate() {
            tried += 1;
            let again = test.documents.open(&mut test.db, &format!("/changed{number}.slang"), result);
            let errors: Vec<String> = diagnostics(&test.db, again)
                .into_iter()
                .filter(|found| found.severity == Severity::Error)
                .map(|found| found.message)
                .collect();
            assert_eq!(errors, Vec::<String>::new(), "{title}:\n{result}");
            let after = value(&test, again, Some(before.0.clone()));
            assert_eq!(before, after, "{title}:\n{result}");
        }
    }
    // Else nothing was tested.
    assert!(tried > 60, "{tried}");
}

/// The inputs and what `f` makes of them: the same operations give the same bits.
fn value(test: &TestDatabase, file: SourceFile, at: Option<Vec<f64>>) -> (Vec<f64>, Vec<f64>) {
    let (_, mut checks) =
        gradient_checks(&test.db, FilePosition { file, offset: 0 }, Some("f"), &Default::default(), Cases::LeftOut)
            .expect("there is `f`");
    let found = checks.remove(0).explore(&Question { at, ..Question::default() }).expect("it runs");
    (found.inputs.iter().map(|input| input.value).collect(), found.results.iter().map(|(_, value)| *value).collect())
}

/// What is offered for each place and each part of a text.
fn everywhere(test: &TestDatabase, file: SourceFile) -> Vec<(TextRange, Assist)> {
    let text = test.text(file);
    let mut ranges: Vec<TextRange> = Vec::new();
    for (offset, _) in text.char_indices() {
        ranges.push(TextRange::empty((offset as u32).into()));
        ranges.extend(selection_ranges(&test.db, FilePosition { file, offset: offset as u32 }));
    }
    ranges.sort_by_key(|range| (range.start(), range.end()));
    ranges.dedup();
    let offered = ranges.into_iter().flat_map(|range| {
        let found = assists(&test.db, FileRange { file, range });
        found.into_iter().map(move |assist| (range, assist))
    });
    offered.collect()
}

fn applied(text: &str, edits: &[TextEdit]) -> String {
    let mut edits: Vec<&TextEdit> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.at.range.start());
    let mut text = text.to_owned();
    for edit in edits.into_iter().rev() {
        text.replace_range(std::ops::Range::<usize>::from(edit.at.range), &edit.text);
    }
    text
}

#[test]
fn a_derivative_that_is_written_out_agrees_with_differences() {
    // Of one program a branch is never taken: the checker says that it does not know, whoever wrote the derivative.
    for text in PROGRAMS.into_iter().filter(|text| !text.contains("default:")) {
        let mut test = TestDatabase::new(text);
        let file = test.last_file();
        let offset = text.find(" f(").or_else(|| text.find("float f(")).expect("`f`") as u32 + 1;
        let found = assists(&test.db, FileRange { file, range: TextRange::empty(offset.into()) });
        let custom =
            found.iter().find(|assist| assist.title == "Write the backward derivative of `f`").expect("it is offered");
        let result = applied(text, &custom.edits);
        let again = test.documents.open(&mut test.db, "/custom.slang", &result);
        let (_, checks) = gradient_checks(
            &test.db,
            FilePosition { file: again, offset: 0 },
            Some("f"),
            &Default::default(),
            Cases::LeftOut,
        )
        .expect("there is `f`");
        for check in checks {
            let outcome = check.run();
            assert_eq!(outcome.verdict, Verdict::Ok, "{:?}\n{result}", outcome.lines);
            assert!(result.contains("[BackwardDerivativeOf(f)]"), "{result}");
        }
    }
}

#[test]
fn a_derivative_that_is_named_and_missing_is_written() {
    let text = "[BackwardDerivative(f_bwd)]\nfloat f(float x, float y)\n{\n    return sin(x) * y * y;\n}\n";
    let mut test = TestDatabase::new(text);
    let file = test.last_file();
    let offset = text.find("f_bwd").expect("the name") as u32 + 1;
    let found = assists(&test.db, FileRange { file, range: TextRange::empty(offset.into()) });
    let titles: Vec<&str> = found.iter().map(|assist| assist.title.as_str()).collect();
    let wanted = found.iter().find(|assist| assist.title == "Write `f_bwd` as the derivative that is generated");
    let result = applied(text, &wanted.unwrap_or_else(|| panic!("{titles:?}")).edits);
    let again = test.documents.open(&mut test.db, "/written.slang", &result);
    assert_eq!(diagnostics(&test.db, again), [], "{result}");
    let at = FilePosition { file: again, offset: 0 };
    let (_, checks) =
        gradient_checks(&test.db, at, Some("f"), &Default::default(), Cases::LeftOut).expect("there is `f`");
    for check in checks {
        let outcome = check.run();
        assert_eq!(outcome.verdict, Verdict::Ok, "{:?}\n{result}", outcome.lines);
    }
}

#[test]
fn parts_of_generic_functions_stay_generic() {
    check_assist(
        "[Differentiable]\nT f<T : __BuiltinFloatingPointType, let N : int>(T x)\n{\n    return $0x * x + T(N);\n}\nfloat g(float x) { return f<float, 2>(x); }\n",
        "x * x + T(N)",
        "Extract into a function",
        "[Differentiable]\nT f<T : __BuiltinFloatingPointType, let N : int>(T x)\n{\n    return extracted<T, N>(x);\n}\n\n[Differentiable]\nT extracted<T : __BuiltinFloatingPointType, let N : int>(T x)\n{\n    return x * x + T(N);\n}\nfloat g(float x) { return f<float, 2>(x); }\n",
    );
    check_no_assist("T f<T>(T x) where T : IFloat { return $0x * x; }\n", "x * x", "Extract into a function");
}

#[test]
fn what_carries_no_derivative_is_split_off() {
    check_assist(
        "[Differentiable]\nfloat f(float x, float y)\n{\n    int n = $0int(floor(x * y));\n    return n * x;\n}\n",
        "int(floor(x * y))",
        "Split off into a function without derivative",
        "[Differentiable]\nfloat f(float x, float y)\n{\n    int n = extracted(x, y);\n    return n * x;\n}\n\nint extracted(float x, float y)\n{\n    return int(floor(x * y));\n}\n",
    );
}

#[test]
fn cases_that_are_missing_are_written() {
    let head = "enum Shape { Ball, Box, Plane }\n";
    check_assist(
        &format!(
            "{head}float f(Shape shape)\n{{\n    sw$0itch (shape)\n    {{\n    case Shape.Ball:\n        return 1;\n    }}\n    return 0;\n}}\n"
        ),
        "",
        "Add the missing cases",
        &format!(
            "{head}float f(Shape shape)\n{{\n    switch (shape)\n    {{\n    case Shape.Ball:\n        return 1;\n    case Shape.Box:\n        break;\n    case Shape.Plane:\n        break;\n    }}\n    return 0;\n}}\n"
        ),
    );
    check_assist(
        &format!(
            "{head}void f(Shape shape, inout float x)\n{{\n    switch (shape) {{ case Shape::Ball: case Shape::Box: x $0= 1; }}\n}}\n"
        ),
        "",
        "Add the missing case",
        &format!(
            "{head}void f(Shape shape, inout float x)\n{{\n    switch (shape) {{ case Shape::Ball: case Shape::Box: x = 1;\n            break;\n        case Shape.Plane:\n            break;\n    }}\n}}\n"
        ),
    );
    for whole in [
        "void f(Shape s) { swi$0tch (s) { case Shape.Ball: break; default: break; } }",
        "void f(Shape s) { swi$0tch (s) { case Shape.Ball: case Shape.Box: case Shape.Plane: break; } }",
        "void f(int s) { swi$0tch (s) { case 1: break; } }",
    ] {
        check_no_assist(&format!("{head}{whole}"), "", "Add the missing");
    }
}

#[test]
fn what_nobody_uses_is_removed() {
    check_assist(
        "float f(float x)\n{\n    float un$0used = sin(x);\n    return x;\n}\n",
        "",
        "Remove the unused `unused`",
        "float f(float x)\n{\n    return x;\n}\n",
    );
    for kept in [
        "float f(float x) { float us$0ed = x; return used; }",
        "float f(RWStructuredBuffer<uint> b) { uint ol$0d = b.IncrementCounter(); return 1; }",
        "float g(inout float x) { return x++; } float f(float x) { float ol$0d = g(x); return x; }",
        "float f(float x) { float a$0, b = 2; return b; }",
    ] {
        check_no_assist(kept, "", "Remove");
    }
}

#[test]
fn older_spellings_are_written_as_today() {
    let text = "[Back$0wardDifferentiable]\nfloat f(float x) { return x; }\nfloat g(DifferentialPair<float> p) { __bwd_diff(f)(p, 1.0); return p.getPrimal() + p.getDifferential(); }\n";
    check_assist(text, "", "Write `BackwardDifferentiable` as `Differentiable`", &text.replace("Back$0ward", ""));
    let today = text
        .replace("Back$0ward", "")
        .replace("__bwd_diff", "bwd_diff")
        .replace("getPrimal()", "p")
        .replace("getDifferential()", "d");
    check_assist(text, "", "Convert all 4 older spellings in this file", &today);
    check_no_assist(
        "struct S { float getPrimal() { return 1; } }\nfloat f(S s) { return s.getPri$0mal(); }",
        "",
        "Write",
    );
}

#[test]
fn numbers_become_parameters() {
    let text = |number: &str, parameter: &str, argument: &str, none: &str| {
        format!(
            "//- /a.slang\nmodule a;\npublic float scaled(float x{parameter})\n{{\n    return {number} * x;\n}}\nfloat none({none}) {{ return 1; }}\n//- /main.slang\nimport a;\nfloat f(float x) {{ return scaled(scaled(x{argument}){argument}); }}\n"
        )
    };
    let before = text("float2(1, -2.5).x", "", "", "");
    let before = before.replacen("float2(", "$0float2(", 1);
    let test = test_support::database::TestDatabase::new(&before);
    let (file, offset) = test.cursor();
    let range = TextRange::at(offset.into(), syntax::TextSize::of("float2(1, -2.5)"));
    let offered = assists(&test.db, FileRange { file, range });
    let assist = offered.iter().find(|assist| assist.title == "Introduce a parameter").expect("it is offered");
    crate::check::check_edits(&test, &assist.edits, &text("value.x", ", float2 value", ", float2(1, -2.5)", ""));
    for (kept, selected) in [
        ("float g(float x) { return x * $02.0; }", "2.0"),
        ("float g(float x, float y = 1) { return x * $02.0; } float f() { return g(1); }", "2.0"),
        (
            "[Differentiable] float g(float x) { return x * $02.0; } void f() { DifferentialPair<float> p = diffPair(1.0); bwd_diff(g)(p, 1.0); }",
            "2.0",
        ),
        ("float g(float x) { return $0x * 2.0; } float f() { return g(1); }", "x * 2.0"),
        ("[shader(\"compute\")] [numthreads(1, 1, 1)] void g() { float x = $02.0; }", "2.0"),
    ] {
        check_no_assist(kept, selected, "Introduce");
    }
}

#[test]
fn what_is_written_means_the_same_where_it_is_written() {
    let geo = "namespace geo { struct Pt { float x; } enum Kind { A, B } Pt mk(float a) { Pt p; p.x = a; return p; } }\nstruct H { enum M { X } }\n";
    let function = |ty: &str| {
        format!(
            "float f(float a)\n{{\n    let p = extracted(a);\n    return p.x;\n}}\n\n{ty} extracted(float a)\n{{\n    return geo::mk(a);\n}}\n"
        )
    };
    let selected = "float f(float a)\n{\n    let p = $0geo::mk(a);\n    return p.x;\n}\n";
    for (using, ty) in
        [("", "geo::Pt"), ("using namespace geo;\n", "Pt"), ("struct Pt { }\nusing namespace geo;\n", "geo::Pt")]
    {
        check_assist(
            &format!("{geo}{using}{selected}"),
            "geo::mk(a)",
            "Extract into a function",
            &format!("{geo}{using}{}", function(ty)),
        );
    }
    for (selector, label) in [("geo::Kind k", "geo::Kind.B"), ("H.M k", "H.M.X")] {
        let written = if label == "geo::Kind.B" { "        case geo::Kind.A:\n            break;\n" } else { "" };
        check_assist(
            &format!("{geo}void f({selector})\n{{\n    sw$0itch (k)\n    {{\n{written}    }}\n}}\n"),
            "",
            "Add the missing case",
            &format!(
                "{geo}void f({selector})\n{{\n    switch (k)\n    {{\n{written}        case {label}:\n            break;\n    }}\n}}\n"
            ),
        );
    }
    let derived = format!("{geo}[Differentiable] float f$0(geo::Pt p) {{ return p.x * p.x; }}\n");
    let derived = derived.replace("struct Pt", "struct Pt : IDifferentiable");
    let mut test = TestDatabase::new(&derived);
    let at = crate::check::cursor(&test);
    let found = assists(&test.db, FileRange { file: at.file, range: TextRange::empty(at.offset.into()) });
    let written =
        found.iter().find(|assist| assist.title == "Write the backward derivative of `f`").expect("it is offered");
    let result = applied(&test.text(at.file), &written.edits);
    assert!(
        result.contains("inout DifferentialPair<geo::Pt> p") && result.matches("struct Pt").count() == 1,
        "{result}"
    );
    let again = test.documents.open(&mut test.db, "/derived.slang", &result);
    let errors = diagnostics(&test.db, again).into_iter().filter(|found| found.severity == Severity::Error);
    assert_eq!(errors.count(), 0, "{result}");
}

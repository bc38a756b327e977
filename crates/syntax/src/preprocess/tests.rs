use std::cell::RefCell;
use std::sync::Arc;

use diagnostics::Severity;
use expect_test::{Expect, expect};

use super::*;
use crate::TextSize;

/// Files in memory.
struct Files<'a> {
    files: &'a [(&'a str, &'a str)],
    depth: RefCell<u32>,
}

fn not_included(message: &str) -> NotIncluded {
    NotIncluded { code: codes::PREPROCESSOR_ERROR, message: message.to_owned() }
}

impl Host for Files<'_> {
    fn exists(&self, path: &IncludePath) -> bool {
        self.files.iter().any(|(name, _)| *name == path.path)
    }

    fn include(&self, path: &IncludePath, env: &MacroEnv) -> Result<Included, NotIncluded> {
        let (_, text) =
            self.files.iter().find(|(name, _)| *name == path.path).ok_or_else(|| not_included("no such file"))?;
        if *self.depth.borrow() > 4 {
            return Err(not_included("included in a circle"));
        }
        *self.depth.borrow_mut() += 1;
        let expanded = expand(text, env, self);
        *self.depth.borrow_mut() -= 1;
        Ok(Included { text: expanded.text(text).into(), expanded: Arc::new(expanded) })
    }

    fn line(&self, offset: usize) -> u32 {
        offset as u32 + 100
    }

    fn file_name(&self) -> String {
        "a.slang".to_owned()
    }
}

fn expand_with(files: &[(&str, &str)], text: &str) -> Expanded {
    expand(text, &MacroEnv::new([]), &Files { files, depth: RefCell::new(0) })
}

fn check(text: &str, expected: Expect) {
    let expanded = expand_with(&[("one.slang", "int one; ONE\n#define AFTER after\n")], text);
    let mut actual = String::new();
    for line in expanded.text(text).lines().filter(|line| !line.trim().is_empty()) {
        actual += &format!("{line}\n");
    }
    for diagnostic in &expanded.diagnostics {
        let range = diagnostic.at;
        actual += &format!("{:?} at `{}`: {}\n", diagnostic.severity, &text[range], diagnostic.message);
    }
    expected.assert_eq(&actual);
}

#[test]
fn text_without_directives_and_macros_is_not_copied() {
    let expanded = expand_with(&[], "float f(float x) { return x * 2; }");
    assert!(expanded.changed_text().is_none());
    assert!(expanded.map.is_identity());
    assert_eq!(expanded.text("abc"), "abc");
}

#[test]
fn object_like_macros() {
    check(
        "#define N 4\n#define M (N + 1)\nint a[N]; int b = M;\n#undef N\nint c = N;",
        expect![[r#"
            int a[4]; int b = (4 + 1);
            int c = N;
        "#]],
    );
}

#[test]
fn function_like_macros() {
    check(
        "#define SQUARE(x) ((x) * (x))\nSQUARE(a + 1) SQUARE (SQUARE(2)) SQUARE;\n#define NOT_A_CALL (x)\nNOT_A_CALL",
        expect![[r#"
            ((a + 1) * (a + 1)) ((((2) * (2))) * (((2) * (2)))) SQUARE;
            (x)
        "#]],
    );
}

#[test]
fn stringizing_and_pasting() {
    check(
        "#define STR(x) #x\n#define CAT(a, b) a##b\nSTR( a  + \"q\" ) CAT(float, 3) CAT(, y) CAT(CAT(1, 2), 3)\n\
         #define XCAT(a, b) CAT(a, b)\nXCAT(XCAT(1, 2), 3)",
        // The inner CAT is an operand of ##, so it is not expanded (as in C).
        expect![[r#"
            "a + \"q\"" float3 y CAT(1, 2)3
            123
            Warning at `CAT(CAT(1, 2), 3)`: `##` joins `)` and `3` into `)3`, which is not a token
        "#]],
    );
}

#[test]
fn variadic_macros() {
    check(
        "#define CALL(f, ...) f(__VA_ARGS__)\nCALL(g, 1, (2, 3)) CALL(g)\n#define ALL(args...) [args]\nALL(1, 2) ALL()",
        expect![[r#"
            g(1, (2, 3)) g()
            [1, 2] []
        "#]],
    );
}

#[test]
fn operators_of_several_tokens_stay_together() {
    check(
        "#define GE(a, b) ((a) >= b)\n#define SHIFT(a, b) a >>= b >> 1\nbool x = GE(1, 2);\nSHIFT(y, 3);\nID > = z;\n",
        expect![[r#"
            bool x = ((1) >= 2);
            y >>= 3 >> 1;
            ID > = z;
        "#]],
    );
}

#[test]
fn recursion_ends() {
    check(
        "#define R R + 1\nR\n#define f(x) g(x)\n#define g(x) f(x) + 1\nf(f(2))",
        expect![[r#"
            R + 1
            f(f(2) + 1) + 1
        "#]],
    );
}

#[test]
fn a_body_may_end_in_the_name_of_a_function_like_macro() {
    check(
        "#define TWICE(x) x x\n#define NAME TWICE\nNAME(a) b",
        expect![[r#"
            a a b
        "#]],
    );
}

#[test]
fn wrong_calls() {
    check(
        "#define TWO(a, b) a b\nTWO(1)\nTWO(1, 2, 3)\nTWO(1",
        expect![[r#"
            1
            1 2
            1
            Error at `TWO`: macro `TWO` takes 2 arguments, but 1 are given
            Error at `TWO`: macro `TWO` takes 2 arguments, but 3 are given
            Warning at `TWO`: the call of macro `TWO` is not closed
            Error at `TWO`: macro `TWO` takes 2 arguments, but 1 are given
        "#]],
    );
}

#[test]
fn conditionals() {
    check(
        "#define A 2\n#if A == 2 && defined(A) && !defined B\nyes1\n#else\nno\n#endif\n#ifdef B\nno\n#elif A > 1\nyes2\n#elif 1\nno\n\
         #else\nno\n#endif\n#ifndef B\nyes3\n#endif\n#if 0\n#if 1\nno\n#else\nno\n#endif\n#endif",
        expect![[r#"
            yes1
            yes2
            yes3
        "#]],
    );
}

#[test]
fn condition_arithmetic() {
    for (condition, value) in [
        ("1 + 2 * 3 == 7", true),
        ("(1 << 4) >> 2 == 4", true),
        ("-1 < 0", true),
        ("0x10 == 16 && 0b11 == 3 && 010 == 8", true),
        ("5 >= 5 && 6 > 5 && 4 <= 5", true),
        ("~0 == -1", true),
        ("7 % 4 == 3 && 7 / 2 == 3", true),
        ("1 ^ 3", true),
        ("2 & 4 | 0", false),
        ("__SLANG__", true),
        ("__HLSL__", false),
        ("__has_include(\"x\")", false),
    ] {
        let text = format!("#if {condition}\nyes\n#endif");
        let expanded = expand_with(&[], &text);
        assert_eq!(expanded.text(&text).contains("yes"), value, "{condition}");
        assert!(expanded.diagnostics.is_empty(), "{condition}: {:?}", expanded.diagnostics);
    }
}

/// `slangc.txt` holds, between lines of `====`, what slangc 2026.14.1 says of directives (`e15103@2`: an error on the second line,
/// or `nothing`), a line `differs: ` with the reason where it is not what is said here, and the text.
#[test]
fn numbers_are_slangcs() {
    let mut wrong = String::new();
    for case in include_str!("slangc.txt").split("\n====\n") {
        let (said, mut text) = case.split_once('\n').unwrap_or((case, ""));
        let differs = text.split_once('\n').filter(|(line, _)| line.starts_with("differs: "));
        if let Some((_, rest)) = differs {
            text = rest;
        }
        let expanded = expand_with(&[], text);
        let mut found: Vec<String> = expanded
            .diagnostics
            .iter()
            .map(|diagnostic| {
                let line = text[..usize::from(diagnostic.at.start())].matches('\n').count() + 1;
                let severity = if diagnostic.severity == Severity::Error { 'e' } else { 'w' };
                format!("{severity}{}@{line}", diagnostic.code.0)
            })
            .collect();
        found.sort();
        found.dedup();
        let found = if found.is_empty() { "nothing".to_owned() } else { found.join(" ") };
        if (found == said) == differs.is_some() {
            wrong += &format!("{said}, here {found}:\n{text}\n\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn bad_directives() {
    check(
        "#if UNKNOWN\n#endif\n#if 1 +\n#endif\n#if (1\n#endif\n#else\n#endif\n#wrong\n#define\n#define F(1)\n#error Stop here, don't go\n#warning Careful\n\
         #if 1/0\n#endif\n#include \"none.slang\"\n#include",
        expect![[r#"
            Warning at `UNKNOWN`: `UNKNOWN` is not defined and counts as zero here
            Error at `+`: expected an expression
            Error at `1`: expected `)`
            Error at `#else`: `#else` without `#if`
            Error at `#endif`: `#endif` without `#if`
            Error at `#wrong`: unknown preprocessor directive `#wrong`
            Error at `#define`: expected a name after `#define`
            Error at `1`: expected the name of a parameter
            Error at `#error Stop here, don't go`: #error: Stop here, don't go
            Warning at `#warning Careful`: #warning: Careful
            Error at `0`: division by zero in a preprocessor condition
            Error at `#include "none.slang"`: no such file
            Error at `#include`: expected a path after `#include`
        "#]],
    );
}

#[test]
fn includes() {
    check(
        "#define ONE 1\n#define FILE \"one.slang\"\n#include FILE\nAFTER\n#if __has_include(\"one.slang\")\nfound\n#endif",
        expect![[r#"
            int one; 1
            after
            found
        "#]],
    );
}

#[test]
fn positional_macros() {
    check(
        "a __LINE__ __FILE__",
        expect![[r#"
            a 102 "a.slang"
        "#]],
    );
}

#[test]
fn conditions_go_from_text_to_text() {
    let env = MacroEnv::new([("D", "1")]);
    let first = expand("#if D\n", &env, &NoFiles);
    assert_eq!(first.env.open_conditions(), 1);
    let second = expand("#else\nint x;", &first.env, &NoFiles);
    assert_eq!(second.text("").trim(), "");
    assert!(!second.env.is_active());
    let third = expand("int y;", &second.env, &NoFiles);
    assert_eq!(third.changed_text().map(|text| &**text), Some(""));
    let last = expand("#endif\n", &third.env, &NoFiles);
    assert_eq!(last.env, env);
}

#[test]
fn environments_are_equal_by_content() {
    let empty = MacroEnv::new([]);
    let mut text = String::new();
    for index in 0..200 {
        text += &format!("#define M{index} {index}\n");
    }
    let full = expand(&text, &empty, &NoFiles).env;
    assert_ne!(full, empty);
    assert!(full.is_defined("M0") && full.is_defined("M199"));
    let back = expand(&text.replace("define", "undef"), &full, &NoFiles).env;
    assert_eq!(back, empty);
    assert_eq!(full.definitions().count(), 204);
}

#[test]
fn the_newest_definition_counts() {
    let empty = MacroEnv::new([]);
    let names = 0..300;
    let define = |value: u32| names.clone().map(|index| format!("#define M{index} {value}\n")).collect::<String>();
    let once = expand(&define(1), &empty, &NoFiles).env;
    let twice = expand(&define(2), &once, &NoFiles).env;
    assert_ne!(once, twice);
    assert_eq!(twice, expand(&define(2), &empty, &NoFiles).env);
    assert_eq!(expand("M0 M150 M299", &twice, &NoFiles).text(""), "2 2 2");
    let some = expand("#undef M150\n", &twice, &NoFiles).env;
    assert!(!some.is_defined("M150"));
    assert_eq!(some.definitions().count(), twice.definitions().count() - 1);
    assert_eq!(expand("#define M150 2\n", &some, &NoFiles).env, twice);
}

#[test]
fn places_in_expansions_are_found() {
    let text = "#define ADD(a, b) ((a) + (b))\nint x = ADD(first, second); int y;";
    let expanded = expand_with(&[], text);
    let result = expanded.text(text);
    let spelled = |word: &str| {
        let start = result.find(word).expect("the word is there");
        let range = TextRange::at(TextSize::new(start as u32), TextSize::of(word));
        let spelling = expanded.map.spelled(range);
        (&text[spelling.range], spelling.exact)
    };
    assert_eq!(spelled("first"), ("first", true));
    assert_eq!(spelled("int y"), ("int y", true));
    assert_eq!(spelled("+"), ("ADD(first, second)", false));
    assert_eq!(spelled("x = ((first"), ("x = ADD(first", true));
    let offset = |word: &str| TextSize::new(text.rfind(word).expect("the word is there") as u32);
    let expanded_at = |word: &str| expanded.map.expanded(offset(word)).map(usize::from);
    assert_eq!(expanded_at("second"), result.find("second"));
    assert_eq!(expanded_at("int y"), result.find("int y"));
    assert_eq!(expanded_at("ADD"), result.find("(("));
    assert_eq!(expanded.map.expanded(TextSize::new(9)), None, "inside the definition");
    assert_eq!(expanded.uses.len(), 1);
    assert_eq!(&text[expanded.uses[0].call], "ADD(first, second)");
}

#[test]
fn excluded_code_is_reported() {
    let text = "#if 0\nint a;\n#endif\nint b;";
    let expanded = expand_with(&[], text);
    let ranges: Vec<&str> = expanded.inactive.iter().map(|range| &text[*range]).collect();
    assert_eq!(ranges, ["\nint a;\n"]);
}

#[test]
fn growth_is_limited() {
    let mut doubling = String::from("#define M0 a a\n");
    for index in 1..60 {
        doubling += &format!("#define M{index} M{} M{}\n", index - 1, index - 1);
    }
    doubling += "M59";
    let joining = format!("#define C(x, y) x##y\n#define D(x) C(x, x)\n{}a{}", "D(".repeat(40), ")".repeat(40));
    let quoting = format!("#define S(x) #x\n#define T(x) S(x)\n{}\"{}", "T(".repeat(40), ")".repeat(40));
    let chain: String = (0..3000).map(|index| format!("#define N{index} N{}\n", index + 1)).collect();
    for text in [doubling, joining, quoting, chain + "N0"] {
        let expanded = expand_with(&[], &text);
        assert!(expanded.text(&text).len() < 32 << 20);
    }
    let circle = expand_with(&[("a", "#include \"a\"\n")], "#include \"a\"");
    assert_eq!(circle.diagnostics.len(), 0, "the error is in the included file");
    assert_eq!(circle.includes.len(), 1);
}

/// A call on each line of generated code is no flood.
#[test]
fn generated_text_may_call_macros_on_each_line() {
    let calls: String = (0..20_000).map(|index| format!("DECL({index})\n")).collect();
    let expanded = expand_with(&[], &format!("#define DECL(n) float fn_##n(float x) {{ return x * n; }}\n{calls}"));
    assert!(expanded.diagnostics.is_empty(), "{:?}", expanded.diagnostics);
    assert!(expanded.text.is_some_and(|text| text.contains("fn_19999")));
}

//! Inlay hints, written where they are shown; semantic tokens.

use ide::semantic_tokens::{TokenKind, TokenModifier, semantic_tokens};
use test_support::database::TestDatabase;

use crate::check::check_inlay_hints;

#[test]
fn deduced_types_and_parameters() {
    check_inlay_hints(
        "\
float mix2(float first, float second) { return first + second; }
void f(float first)
{
    let sum⟨: float⟩ = mix2(first, ⟨second:⟩2.0);
    var pair⟨: DifferentialPair<float>⟩ = diffPair(sum);
}
",
    );
}

#[test]
fn the_receiver_of_a_method_is_no_argument() {
    check_inlay_hints(
        "\
struct S { float ev(float alpha, float beta) { return alpha * beta; } static float of(float gamma, float delta) { return gamma; } }
float f(S s)
{
    return s.ev(⟨alpha:⟩1.0, ⟨beta:⟩2.0) + S.of(⟨gamma:⟩1.0, ⟨delta:⟩2.0);
}
",
    );
}

#[test]
fn the_body_of_a_macro_has_no_hints() {
    let text = "\
float g(float alpha, float beta) { return alpha * beta; }
#define M(a) g(a, 2.0)
#define BOTH 1.0, 2.0
float f() { return M(3.0) + g(⟨alpha:⟩BOTH) + g(⟨alpha:⟩M(1.0), ⟨beta:⟩1.0); }
";
    check_inlay_hints(text);
}

#[test]
fn types_have_tokens_wherever_they_stand() {
    let text = "\
interface I { float v(); }
struct S : I { float v() { return N; } static const int N = 1; }
namespace n { struct T { S s; } }
typealias A = S;
S f<P : I>(inout S q, n.T t, S a[S.N], P p) { return q; }
";
    let test = TestDatabase::new(text);
    let tokens = semantic_tokens(&test.db, test.last_file());
    let of = |name: &str| -> Vec<TokenKind> {
        let found = tokens.iter().filter(|token| &text[std::ops::Range::<usize>::from(token.range)] == name);
        found.map(|token| token.kind).collect()
    };
    assert_eq!(of("S"), vec![TokenKind::Struct; 7]);
    assert_eq!(of("I"), vec![TokenKind::Interface; 3]);
    assert_eq!(of("T"), vec![TokenKind::Struct; 2]);
    assert_eq!(of("P"), vec![TokenKind::TypeParameter; 2]);
}

#[test]
fn what_a_call_changes_is_marked() {
    check_inlay_hints(
        "\
void halve(inout float value) { value /= 2; }
void f(Texture2D t, float x)
{
    uint w;
    uint h;
    t.GetDimensions(⟨out⟩w, ⟨out⟩h);
    halve(⟨inout⟩x);
    float whole⟨⟩ = modf(x, ⟨out⟩x);
}
"
        .replace("⟨⟩", "")
        .as_str(),
    );
}

#[test]
fn macros_and_generic_arguments_have_tokens() {
    let text = "\
#define LENGTH 4
#define GETTER
#define TWICE(x) ((x) + (x))
float v[LENGTH];
GETTER float f(float x) GETTER { return TWICE(x) + reinterpret<float>(LENGTH); }
#define CHANGES [mutating]
static const int SIZE = 2;
groupshared float shared_values[SIZE];
void k() { float own[SIZE]; }
enum Kind { First }
struct S { static const int n = 2; GETTER float g() { return LENGTH; } CHANGES void h() { int k = TWICE(S::n) + int(Kind::First); } }
";
    let test = TestDatabase::new(text);
    let tokens = semantic_tokens(&test.db, test.last_file());
    let of_kind = |kind: TokenKind| -> Vec<&str> {
        let found = tokens.iter().filter(|token| token.kind == kind);
        found.map(|token| &text[std::ops::Range::<usize>::from(token.range)]).collect()
    };
    let uses = ["LENGTH", "GETTER", "GETTER", "TWICE", "LENGTH", "GETTER", "LENGTH", "CHANGES", "TWICE"];
    assert_eq!(of_kind(TokenKind::EnumMember), ["First", "First"]);
    assert_eq!(of_kind(TokenKind::Enum), ["Kind", "Kind"]);
    assert_eq!(tokens.iter().filter(|token| &text[std::ops::Range::<usize>::from(token.range)] == "SIZE").count(), 3);
    let named = tokens.iter().filter(|token| &text[std::ops::Range::<usize>::from(token.range)] == "n");
    assert_eq!(named.count(), 2);
    assert_eq!(of_kind(TokenKind::Struct), ["S", "S"]);
    assert_eq!(of_kind(TokenKind::Macro), uses);
    assert_eq!(of_kind(TokenKind::Type).iter().filter(|name| **name == "float").count(), 7);
}

#[test]
fn names_show_what_becomes_of_derivatives() {
    let text = "[Differentiable] float f(float x, no_diff float k) { float kept = detach(x); float y = x * k; return y + kept; }\nfloat g(float x) { return x; }\n";
    let test = TestDatabase::new(text);
    let whole = syntax::TextRange::up_to(syntax::TextSize::of(text));
    let hints = ide::inlay_hints::derivative_hints(&test.db, test.last_file(), whole);
    let mut shown = text.to_owned();
    for hint in hints.iter().rev() {
        shown.insert_str(hint.offset as usize, &format!("⟨{}⟩", hint.label));
    }
    let marked = "[Differentiable] float f(float x⟨∂⟩, no_diff float k) { float kept⟨∂ = 0⟩ = detach(x); float y⟨∂⟩ = x * k; return y + kept; }\nfloat g(float x) { return x; }\n";
    assert_eq!(shown, marked);
}

#[test]
fn what_a_body_declares_has_tokens() {
    let text = "void f() { struct Own { float3 a; } typealias Row = vector<float, 2>; Own own; Row row; }";
    let test = TestDatabase::new(text);
    let tokens = semantic_tokens(&test.db, test.last_file());
    let of = |name: &str| -> Vec<TokenKind> {
        let found = tokens.iter().filter(|token| &text[std::ops::Range::<usize>::from(token.range)] == name);
        found.map(|token| token.kind).collect()
    };
    assert_eq!(of("Own"), [TokenKind::Struct, TokenKind::Struct]);
    assert_eq!(
        (of("float3"), of("a"), of("vector")),
        (vec![TokenKind::Type], vec![TokenKind::Property], vec![TokenKind::Type])
    );
}

#[test]
fn labels_constants_and_statics_have_tokens_of_their_own() {
    let text = "\
static const int K = 3;
struct S { static int of() { return K; } }
void f()
{
    const int local = S.of();
    outer: for (;;) { [unroll] for (int i = 0; i < local; i++) { break outer; } }
}
";
    let test = TestDatabase::new(text);
    let tokens = semantic_tokens(&test.db, test.last_file());
    let of = |name: &str| -> Vec<(TokenKind, u32)> {
        let found = tokens.iter().filter(|token| &text[std::ops::Range::<usize>::from(token.range)] == name);
        found.map(|token| (token.kind, token.modifiers.bits())).collect()
    };
    let [declaration, readonly, is_static] =
        [TokenModifier::Declaration, TokenModifier::Readonly, TokenModifier::Static].map(|one| 1 << one.index());
    assert_eq!(
        of("K"),
        [(TokenKind::Variable, declaration | readonly | is_static), (TokenKind::Variable, readonly | is_static)]
    );
    assert_eq!(of("of"), [(TokenKind::Method, declaration | is_static), (TokenKind::Method, is_static)]);
    assert_eq!(of("local"), [(TokenKind::Variable, declaration | readonly), (TokenKind::Variable, readonly)]);
    assert_eq!(of("outer"), [(TokenKind::Label, declaration), (TokenKind::Label, 0)]);
    assert_eq!(of("unroll"), [(TokenKind::Attribute, 0)]);
}

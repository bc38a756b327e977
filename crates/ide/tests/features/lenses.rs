//! What stands above differentiable functions, and which function it means.

use ide::{
    FilePosition,
    code_lens::{LensAction, code_lenses},
    preview::{PreviewOperator, Target, preview},
};
use test_support::database::TestDatabase;

#[test]
fn a_lens_means_its_own_function() {
    let test = TestDatabase::new(
        "\
struct A { [Differentiable] float ev(float x) { return x * 101; } }
struct B { [Differentiable] float ev(float x) { return x * 102; } }
namespace n { struct C { [Differentiable] float ev(float x) { return x * 103; } } }
[Differentiable] float f(float x) { return x * 104; }
[Differentiable] float f(float2 x) { return x.x * 105; }
[Differentiable] float g(float x);
[Differentiable] float g(float x) { return x * 106; }
",
    );
    let file = test.last_file();
    let lenses = code_lenses(&test.db, file);
    let previews = lenses.iter().filter(|lens| lens.action == LensAction::Preview(PreviewOperator::Backward));
    let mut shown = Vec::new();
    for lens in previews {
        let at = FilePosition { file, offset: 0 };
        let preview = preview(&test.db, at, Some(&lens.function), PreviewOperator::Backward, Target::Slang);
        let preview = preview.expect("there is a function");
        let factor = (101..=106).find(|factor| preview.text.contains(&factor.to_string()));
        shown.push((lens.function.clone(), preview.function, factor));
    }
    let expected = [
        ("A.ev", 101),
        ("B.ev", 102),
        ("n.C.ev", 103),
        ("f(float)", 104),
        ("f(float2)", 105),
        ("g(float)", 106),
        ("g(float)", 106),
    ];
    let expected: Vec<_> =
        expected.map(|(name, factor)| (name.to_owned(), name.to_owned(), Some(factor))).into_iter().collect();
    assert_eq!(shown, expected);
}

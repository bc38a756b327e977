//! Inlay hints, written where they are shown.

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

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

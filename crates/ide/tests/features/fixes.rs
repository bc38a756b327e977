//! Quick fixes, as the text that they make.

use crate::check::check_fix;

#[test]
fn missing_members_are_written() {
    check_fix(
        "\
interface INoise { [Differentiable] float at(float x, no_diff int octave); static int count(); }
struct Wh$0ite : INoise
{
    float seed;
}
",
        "Add the missing members",
        "\
interface INoise { [Differentiable] float at(float x, no_diff int octave); static int count(); }
struct White : INoise
{
    float seed;
    [Differentiable]
    float at(float x, no_diff int octave)
    {
        return {};
    }
    static int count()
    {
        return {};
    }
}
",
    );
}

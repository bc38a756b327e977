//! What is wrong with declarations is shown, not only what is wrong in bodies.

use crate::check::check_diagnostics;

#[test]
fn unknown_types_in_signatures_and_fields() {
    check_diagnostics(
        "\
struct S { Unknown f; }
         //^^^^^^^ error 30015
void g(Wrong x) {}
     //^^^^^ error 30015
struct T : IMissing { float f; }
         //^^^^^^^^ error 30015
",
    );
}

#[test]
fn a_requirement_that_is_not_met() {
    check_diagnostics(
        "\
interface I
{
    float need();
}
struct T : I
         //^ error 38100: need
{
}
",
    );
}

#[test]
fn a_missing_file_is_one_diagnostic() {
    // What has nothing to do with it is still reported.
    check_diagnostics(
        "\
import nowhere;
     //^^^^^^^ error 1: nowhere
Light light;
float f(Light l) { return shade(l, light) + l.power; }
float g() { return 1 }
                   //^ error 20001
",
    );
    check_diagnostics(
        "\
#include \"nowhere.h\"
//^^^^^^^^^^^^^^^^^^ error 15300
float f(float x) { return SCALE(x); }
",
    );
}

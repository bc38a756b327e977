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

#[test]
fn a_warning_about_a_macro_is_shown_where_it_is_first_used() {
    check_diagnostics(
        "\
static float gain = 1.5;
#define ROUND(v) { int _whole = (v) * gain; }
#define WIDE(v) { int _whole = (v) * gain; }
void f(float x) { ROUND(x) ROUND(2.0 * x) }
                //^^^^^^^^ warning 30081
void g(float x) { ROUND(x) }
void h(float x) { WIDE(x) }
                //^^^^^^^ warning 30081
void i(int x) { ROUND(x) int _whole = x * gain; }
                                    //^^^^^^^^ warning 30081
#define MISSING nothing + 1
float j() { return MISSING; }
                 //^^^^^^^ error 30015
float k() { return MISSING; }
                 //^^^^^^^ error 30015
",
    );
}

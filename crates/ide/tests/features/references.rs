//! Where a name stands.

use crate::check::check_references;

#[test]
fn a_field_is_found_apart_from_a_local_of_its_name() {
    check_references(
        "\
struct Lamp { float pow$0er; }
                  //^^^^^ here
float glow(Lamp lamp)
{
    float power = 2.0;
    return lamp.power * power;
              //^^^^^ here
}
",
    );
}

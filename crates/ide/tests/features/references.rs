//! Where a name stands.

use crate::check::{check_highlights, check_references};

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

#[test]
fn highlights_tell_reading_from_writing() {
    check_highlights(
        "\
struct S { float a; }
void fill(out float value, float other) { value = other; }
float f(S s, float x)
{
    float sum$0 = x;
    //    ^^^ write
    sum += s.a;
  //^^^ write
    fill(sum, x);
       //^^^ write
    fill(x, sum);
          //^^^ read
    return sum;
         //^^^ read
}
",
    );
}

#[test]
fn a_return_shows_all_exits() {
    check_highlights(
        "\
float f(float x)
{
    if (x > 1)
        ret$0urn 1;
      //^^^^^^ text
    return x;
  //^^^^^^ text
}
float g() { return 1; }
",
    );
}

#[test]
fn a_macro_is_found_where_it_is_used() {
    check_references(
        "\
//- /h.slangh
#define SIZE 4
      //^^^^ here
//- /main.slang
#include \"h.slangh\"
#define TWICE (2 * SIZE)
                 //^^^^ here
float a[SI$0ZE];
      //^^^^ here
// SIZE
",
    );
    check_highlights(
        "\
#define SIZE 4
      //^^^^ text
float a[SI$0ZE];
      //^^^^ text
#undef SIZE
     //^^^^ text
#define SIZE 5
float b[SIZE];
",
    );
}

#[test]
fn loops_and_their_exits_are_highlighted_together() {
    for (text, cursor) in [("for", "f$0or"), ("break", "bre$0ak"), ("continue", "continu$0e")] {
        let program = "\
void f(int n)
{
    [unroll] for (int i = 0; i < n; i++)
           //^^^ text
    {
        while (n > 0) { break; }
        switch (n)
        {
        case 1:
            continue;
          //^^^^^^^^ text
        default:
            break;
        }
        if (n > i)
            break; // out
          //^^^^^ text
    }
}
";
        let program = match text {
            "break" => program.replace("break; // out", &format!("{cursor}; // out")),
            _ => program.replacen(text, cursor, 1),
        };
        check_highlights(&program);
    }
    check_highlights(
        "\
void f(int n)
{
    sw$0itch (n)
  //^^^^^^ text
    {
    case 1:
        for (;;) { break; }
        break;
      //^^^^^ text
    default:
        break;
      //^^^^^ text
    }
}
",
    );
}

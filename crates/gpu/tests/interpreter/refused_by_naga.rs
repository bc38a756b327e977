//! What naga has no words for, or words of its own.

use crate::compare::{Tolerance, compare};

/// Matrices of integers are transposed and multiplied row by row; the types of their rows occur nowhere else.
#[test]
fn matrices_of_integers() {
    compare(
        "global @in: rwbuffer<i32x2x3> parameter
         global @out: rwbuffer<i32x2x2> parameter
         func @main() -> () {
             %in: rwbuffer<i32x2x3> = global @in
             %out: rwbuffer<i32x2x2> = global @out
             %m: i32x2x3 = load %in[0]
             %double: i32x2x3 = add %m, %m
             %t: i32x3x2 = transpose(%double)
             %p: i32x2x2 = mat_mul(%m, %t)
             store %out[0], %p
             store %in[0], %double
             return
         }
         entry main @main compute 1, 1, 1",
        [1, 1, 1],
        &[("in", vec![1, 2, 3, 4, 5, 6]), ("out", vec![0; 4])],
        Tolerance::Exact,
    );
}

/// An index that is known to be out of bounds.
#[test]
fn constant_indices_out_of_bounds() {
    compare(
        "global @out: rwbuffer<f32> parameter
         global @cache: variable<[f32; 2]> static
         func @main() -> () {
             %out: rwbuffer<f32> = global @out
             %cache: variable<[f32; 2]> = global @cache
             %before: i32 = const -1
             %behind: i32 = const 2
             %one: f32 = const 1
             store %out[%before], %one
             store %out[%behind], %one
             store %cache[%behind], %one
             %x: f32 = load %cache[%behind]
             %y: f32 = load %out[%before]
             %z: f32 = add %x, %y
             %sum: f32 = add %z, %one
             store %out[1], %sum
             return
         }
         entry main @main compute 1, 1, 1",
        [1, 1, 1],
        &[("out", vec![7, 7])],
        Tolerance::Exact,
    );
}

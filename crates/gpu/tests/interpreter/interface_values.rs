//! Interface values in buffers.

use crate::compare::{Tolerance, compare};
use crate::floats;

/// Two words of run-time type, two words of id, the payload: read, written, in a struct, with an id that is the second
/// type's, and out of bounds.
#[test]
fn in_buffers() {
    let mut shapes = vec![9, 9, 0, 0, 2.0f32.to_bits(), 0, 9, 9, 7, 0, 3.0f32.to_bits(), 5];
    shapes.extend([0; 6]);
    compare(
        "struct $Circle { r: f32 }
         struct $Box { side: f32, n: i32 }
         sum !IShape { 0: $Circle, 7: $Box }
         struct $Named { scale: f32, shape: !IShape }
         global @shapes: rwbuffer<!IShape> parameter
         global @named: rwbuffer<$Named> parameter
         global @out: rwbuffer<f32> parameter
         func @size(%s: !IShape) -> (return: f32) {
             %r: f32 = sum_match %s variant (%circle: $Circle) {
                 %0: f32 = extract %circle[0]
                 yield %0
             } variant (%box: $Box) {
                 %1: f32 = extract %box[0]
                 %2: i32 = extract %box[1]
                 %3: f32 = convert %2
                 %4: f32 = mul %1, %3
                 yield %4
             }
             return %r
         }
         func @main() -> () {
             %id: u32x3 = builtin dispatch_thread_id
             %t: u32 = extract %id[0]
             %shapes: rwbuffer<!IShape> = global @shapes
             %named: rwbuffer<$Named> = global @named
             %out: rwbuffer<f32> = global @out
             %s: !IShape = load %shapes[%t]
             %x: f32 = call @size(%s)
             store %out[%t], %x
             %n: $Named = make(%x, %s)
             store %named[%t], %n
             %scale: f32 = load %named[%t][0]
             %again: !IShape = load %named[%t][1]
             %y: f32 = call @size(%again)
             %product: f32 = mul %scale, %y
             %c: $Circle = make(%product)
             %made: !IShape = sum_make 0, %c
             %two: u32 = const 2
             %at: u32 = add %t, %two
             store %shapes[%at], %made
             %count: u32 = buffer_length %shapes
             %countf: f32 = convert %count
             store %out[%at], %countf
             return
         }
         entry main @main compute 2, 1, 1",
        [1, 1, 1],
        &[("shapes", shapes), ("named", floats(&[0.0; 14])), ("out", vec![0; 4])],
        Tolerance::Exact,
    );
}

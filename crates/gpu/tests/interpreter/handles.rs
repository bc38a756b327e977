//! Handles in values, which the devices' languages do not have.

use crate::compare::{Tolerance, compare};
use crate::floats;

/// A buffer in a struct goes through a call, an array that is indexed at run time, a loop, and an `if` whose arms give
/// the same buffer.
#[test]
fn buffers_in_structs() {
    compare(
        "struct $View { data: rwbuffer<f32>, start: u32 }
         global @a: rwbuffer<f32> parameter
         global @b: rwbuffer<f32> parameter
         func @read(%v: $View, %i: u32) -> (return: f32) {
             %data: rwbuffer<f32> = extract %v[0]
             %start: u32 = extract %v[1]
             %at: u32 = add %start, %i
             %x: f32 = load %data[%at]
             return %x
         }
         func @both(%first: $View, %second: $View) -> (return: $View) {
             %start: u32 = extract %second[1]
             %v: $View = insert %first[1], %start
             return %v
         }
         func @main() -> () {
             %id: u32x3 = builtin dispatch_thread_id
             %t: u32 = extract %id[0]
             %a: rwbuffer<f32> = global @a
             %b: rwbuffer<f32> = global @b
             %zero: u32 = const 0
             %one: u32 = const 1
             %two: u32 = const 2
             %four: u32 = const 4
             %va: $View = make(%a, %zero)
             %vb: $View = make(%b, %two)
             %x: f32 = call @read(%va, %one)
             %y: f32 = call @read(%vb, %one)
             %mixed: $View = call @both(%va, %vb)
             %z: f32 = call @read(%mixed, %one)
             %empty: [$View; 2] = zero
             %views: [$View; 2] = insert %empty[%t], %vb
             %even: bool = eq %t, %zero
             %i: u32, %current: $View, %sum: f32 = loop (%zero, %vb, %z) cond (%i.1: u32, %c.1: $View, %s.1: f32) {
                 %more: bool = lt %i.1, %two
                 yield %more
             } body (%i.2: u32, %c.2: $View, %s.2: f32) {
                 %next: $View = if %even {
                     %moved: $View = insert %c.2[1], %i.2
                     yield %moved
                 } else {
                     %same: $View = extract %views[%t]
                     yield %same
                 }
                 %w: f32 = call @read(%next, %zero)
                 %s.3: f32 = add %s.2, %w
                 %i.3: u32 = add %i.2, %one
                 yield %i.3, %next, %s.3
             }
             %last: rwbuffer<f32> = extract %current[0]
             %place: u32 = add %four, %t
             store %last[%place], %sum
             %place2: u32 = add %place, %two
             %xy: f32 = mul %x, %y
             store %last[%place2], %xy
             return
         }
         entry main @main compute 2, 1, 1",
        [1, 1, 1],
        &[("a", floats(&[1.0, 2.0, 4.0, 8.0])), ("b", floats(&[10.0, 20.0, 40.0, 80.0, 0.0, 0.0, 0.0, 0.0]))],
        Tolerance::Exact,
    );
}

/// Pointers into an array in groupshared memory, moved and compared with null.
#[test]
fn pointers_to_elements() {
    compare(
        "struct $Pair { x: pointer<f32>, y: pointer<f32> }
         global @shared: variable<[f32; 4]> groupshared
         global @one: variable<f32> static
         global @out: rwbuffer<f32> parameter
         func @add(%p: $Pair, %by: f32) -> () {
             %x: pointer<f32> = extract %p[0]
             %y: pointer<f32> = extract %p[1]
             %address: u64 = bitcast %y
             %null: u64 = const 0
             %is_there: bool = ne %address, %null
             if %is_there {
                 %old: f32 = load %y[0]
                 %at: f32 = load %x[1]
                 %new: f32 = add %old, %by
                 %more: f32 = add %new, %at
                 store %y[0], %more
                 yield
             } else {
                 store %x[0], %by
                 yield
             }
             return
         }
         func @main() -> () {
             %shared: variable<[f32; 4]> = global @shared
             %one: variable<f32> = global @one
             %out: rwbuffer<f32> = global @out
             %0: i32 = const 0
             %1: i32 = const 1
             %2: i32 = const 2
             %half: f32 = const 0.5
             %seven: f32 = const 7
             store %shared[0], %half
             store %shared[1], %seven
             store %shared[2], %seven
             %id: u32x3 = builtin dispatch_thread_id
             %t: u32 = extract %id[0]
             %first: pointer<f32> = intrinsic pointer.address_of(%shared, %0)
             %second: pointer<f32> = intrinsic pointer.address_of(%first, %2)
             %single: pointer<f32> = intrinsic pointer.address_of(%one)
             %nowhere: pointer<f32> = zero
             %p: $Pair = make(%first, %second)
             call @add(%p, %half)
             %q: $Pair = make(%second, %nowhere)
             %r: $Pair = make(%first, %single)
             call @add(%r, %seven)
             %a: f32 = load %shared[2]
             store %out[0], %a
             call @add(%q, %half)
             %b: f32 = load %shared[2]
             store %out[1], %b
             %c: f32 = load %one
             store %out[2], %c
             %far: pointer<f32> = intrinsic pointer.address_of(%first, %t)
             %d: f32 = load %far[1]
             store %out[3], %d
             return
         }
         entry main @main compute 1, 1, 1",
        [1, 1, 1],
        &[("out", vec![0; 4])],
        Tolerance::Exact,
    );
}

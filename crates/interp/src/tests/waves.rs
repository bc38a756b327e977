//! Operations between the threads of a wave, by arithmetic: threads whose ways part take part again when these meet.

use super::*;
use crate::{Handle, Memory};

/// What the threads of one group write, each into its own element.
fn written(threads: u32, body: &str) -> Vec<u32> {
    let module = module(&format!(
        "global @out: rwbuffer<u32> parameter
         func @main() -> () {{
             %t: u32 = builtin group_index
             %out: rwbuffer<u32> = global @out
             %0: u32 = const 0
             %1: u32 = const 1
             %2: u32 = const 2
             {body}
             store %out[%t], %r
             return
         }}
         entry main @main compute {threads}, 1, 1"
    ));
    let mut memory = Memory::default();
    let out = memory.add_buffer(&vec![0; threads as usize]);
    let (global, _) = module.globals.iter().find(|(_, global)| global.name == "out").unwrap();
    memory.bind(&module, global, &Value::Handle(Handle::buffer(out))).unwrap();
    Machine::new(&module, Precision::Declared, Limits::default()).dispatch("main", [1, 1, 1], &mut memory).unwrap();
    memory.words(out)
}

#[test]
fn a_group_has_waves_of_32_threads() {
    let sums = written(40, "%r: u32 = intrinsic wave.sum(%1)");
    assert_eq!(sums, [vec![32; 32], vec![8; 8]].concat());
    let lanes = written(40, "%r: u32 = intrinsic wave.lane_index()");
    assert_eq!(lanes, (0..32).chain(0..8).collect::<Vec<u32>>());
}

#[test]
fn prefixes_leave_the_thread_itself_out() {
    assert_eq!(written(4, "%r: u32 = intrinsic wave.prefix_sum(%t)"), [0, 0, 1, 3]);
    assert_eq!(written(4, "%r: u32 = intrinsic wave.prefix_product(%2)"), [1, 2, 4, 8]);
    assert_eq!(written(3, "%r: u32 = intrinsic wave.prefix_min(%t)"), [u32::MAX, 0, 0]);
    assert_eq!(written(3, "%r: u32 = intrinsic wave.prefix_max(%t)"), [0, 0, 1]);
}

#[test]
fn lanes_read_each_other() {
    assert_eq!(written(4, "%r: u32 = intrinsic wave.read_lane_at(%t, %2)"), [2; 4]);
    assert_eq!(written(4, "%r: u32 = intrinsic quad.read_across_x(%t)"), [1, 0, 3, 2]);
    assert_eq!(written(4, "%r: u32 = intrinsic quad.read_across_diagonal(%t)"), [3, 2, 1, 0]);
    // The lanes behind the last one take no part.
    assert_eq!(written(2, "%r: u32 = intrinsic wave.read_lane_at(%t, %2)"), [0; 2]);
    assert_eq!(written(8, "%r: u32 = intrinsic wave_mask.sum(%2, %1)")[..2], [1, 1]);
}

/// Threads 2 and 3 take the other way; behind it all take part again.
#[test]
fn ways_part_and_meet() {
    let parted = "%c: bool = lt %t, %2
             %a: u32 = if %c {
                 %x: u32 = intrinsic wave.sum(%t)
                 yield %x
             } else {
                 %y: u32 = intrinsic wave.sum(%t)
                 yield %y
             }
             %n: u32 = intrinsic wave.sum(%1)
             %ten: u32 = const 10
             %m: u32 = mul %n, %ten
             %r: u32 = add %a, %m";
    assert_eq!(written(4, parted), [41, 41, 45, 45]);
}

/// Thread `t` goes round `t` times, and the others wait for it behind the loop.
#[test]
fn loops_of_different_lengths() {
    let looping = "%i: u32, %s: u32 = loop (%0, %0) cond (%i.2: u32, %s.2: u32) {
                 %go: bool = lt %i.2, %t
                 yield %go
             } body (%i.3: u32, %s.3: u32) {
                 %n: u32 = intrinsic wave.sum(%1)
                 %j: u32 = add %i.3, %1
                 %k: u32 = add %s.3, %n
                 yield %j, %k
             }
             %all: u32 = intrinsic wave.sum(%1)
             %ten: u32 = const 10
             %m: u32 = mul %all, %ten
             %r: u32 = add %s, %m";
    // Three, then two, then one thread are in the loop together.
    assert_eq!(written(4, looping), [40, 43, 45, 46]);
}

use super::*;
use crate::{BufferId, Handle, Memory};

fn bind_buffer(memory: &mut Memory, module: &Module, name: &str, words: &[u32]) -> BufferId {
    let buffer = memory.add_buffer(words);
    bind(memory, module, name, &Value::Handle(Handle::buffer(buffer)));
    buffer
}

fn bind(memory: &mut Memory, module: &Module, name: &str, value: &Value) {
    let (global, _) = module.globals.iter().find(|(_, global)| global.name == name).unwrap();
    memory.bind(module, global, value).unwrap();
}

fn dispatch(module: &VerifiedModule, groups: [u32; 3], memory: &mut Memory) {
    Machine::new(module, Precision::Declared, Limits::default()).dispatch("main", groups, memory).unwrap();
}

#[test]
fn threads_read_and_write_buffers() {
    let module = module(
        "global @in: buffer<f32> parameter
         global @out: rwbuffer<f32> parameter
         global @params: constant<f32x2> parameter
         func @main() -> () {
             %id: u32x3 = builtin dispatch_thread_id
             %i: u32 = extract %id[0]
             %in: buffer<f32> = global @in
             %out: rwbuffer<f32> = global @out
             %params: constant<f32x2> = global @params
             %x: f32 = load %in[%i]
             %scale: f32 = load %params[1]
             %y: f32 = mul %x, %scale
             store %out[%i], %y
             return
         }
         entry main @main compute 2, 1, 1",
    );
    let mut memory = Memory::default();
    let words: Vec<u32> = [1.0f32, 2.0, 3.0].iter().map(|value| value.to_bits()).collect();
    bind_buffer(&mut memory, &module, "in", &words);
    bind(&mut memory, &module, "params", &floats(&[7.0, 0.5]));
    let out = bind_buffer(&mut memory, &module, "out", &[9; 6]);
    // 2 groups of 2: the fourth read is out of bounds, the last two elements are not touched.
    dispatch(&module, [2, 1, 1], &mut memory);
    let expected = [0.5f32.to_bits(), 1.0f32.to_bits(), 1.5f32.to_bits(), 0, 9, 9];
    assert_eq!(memory.words(out), expected);
    let wrong = memory.bind(&module, module.globals.iter().nth(2).unwrap().0, &Value::Int(3));
    assert_eq!(wrong, Err(InterpError::ArgumentMismatch("params".into())));
}

/// Each thread publishes its index, then reads its right neighbour's: without the barrier it would read 0.
#[test]
fn barriers_make_groups_wait() {
    let module = module(
        "global @out: rwbuffer<u32> parameter
         global @cache: variable<[u32; 4]> groupshared
         global @seed: variable<u32> static @seed_init
         func @seed_init() -> (return: u32) { %r: u32 = const 100 return %r }
         func @main() -> () {
             %t: u32 = builtin group_index
             %1: u32 = const 1
             %4: u32 = const 4
             %seed: variable<u32> = global @seed
             %s: u32 = load %seed
             %u: u32 = add %s, %t
             store %seed, %u
             %cache: variable<[u32; 4]> = global @cache
             %own: u32 = load %seed
             store %cache[%t], %own
             barrier
             %n: u32 = add %t, %1
             %m: u32 = rem %n, %4
             %x: u32 = load %cache[%m]
             %group: u32x3 = builtin group_id
             %g: u32 = extract %group[1]
             %h: u32 = mul %g, %4
             %i: u32 = add %h, %t
             %out: rwbuffer<u32> = global @out
             store %out[%i], %x
             return
         }
         entry main @main compute 2, 2, 1",
    );
    let mut memory = Memory::default();
    let out = bind_buffer(&mut memory, &module, "out", &[0; 8]);
    dispatch(&module, [1, 2, 1], &mut memory);
    assert_eq!(memory.words(out), [101, 102, 103, 100, 101, 102, 103, 100]);
}

#[test]
fn atomics_give_the_old_value() {
    let module = module(
        "global @out: rwbuffer<f32> parameter
         global @raw: rwbytes parameter
         func @main() -> () {
             %out: rwbuffer<f32> = global @out
             %raw: rwbytes = global @raw
             %0: u32 = const 0
             %4: u32 = const 4
             %8: u32 = const 8
             %5: i32 = const 5
             %minus: i32 = const -5
             %h: f32 = const 0.5
             %a: f32 = atomic add %out[0], %h
             %t: u32 = builtin group_index
             %1: u32 = const 1
             %i: u32 = add %t, %1
             store %out[%i], %a
             %b: i32 = byte_atomic min %raw, %0, %minus
             %c: i32 = byte_atomic compare_exchange %raw, %4, %5, %minus
             %d: u32 = byte_atomic or %raw, %8, %i
             return
         }
         entry main @main compute 3, 1, 1",
    );
    let mut memory = Memory::default();
    let out = bind_buffer(&mut memory, &module, "out", &[0; 4]);
    let raw = bind_buffer(&mut memory, &module, "raw", &[3, 5, 8]);
    dispatch(&module, [1, 1, 1], &mut memory);
    let floats: Vec<f32> = memory.words(out).into_iter().map(f32::from_bits).collect();
    assert_eq!(floats, [1.5, 0.0, 0.5, 1.0]);
    assert_eq!(memory.words(raw), [-5i32 as u32, -5i32 as u32, 8 | 1 | 2 | 3]);
}

#[test]
fn byte_addresses_pointers_and_lengths() {
    let module = module(
        "struct $P { data: pointer<u32>, buffer: rwbuffer<u32x2> }
         global @raw: rwbytes parameter
         global @params: constant<$P> parameter
         func @main() -> () {
             %raw: rwbytes = global @raw
             %params: constant<$P> = global @params
             %p: pointer<u32> = load %params[0]
             %b: rwbuffer<u32x2> = load %params[1]
             %0: u32 = const 0
             %2: u32 = const 2
             %6: u32 = const 6
             %far: u32 = const 4000000000
             %minus: i32 = const -1
             %x: u32 = load %p[1]
             %y: u32 = load %p[%minus]
             %h: u16 = byte_load %raw, %2
             %w: u32 = convert %h
             store %p[0], %w
             store %p[%minus], %w
             byte_store %raw, %6, %h
             byte_store %raw, %far, %x
             %n: u32 = buffer_length %b
             %m: u32 = buffer_length %raw
             %z: u32 = byte_load %raw, %far
             %s: u32 = add %x, %z
             %v: u32x2 = make(%n, %s)
             store %b[1], %v
             store %b[2], %v
             %k: u32x2 = make(%m, %y)
             store %b[0], %k
             return
         }
         entry main @main compute 1, 1, 1",
    );
    let mut memory = Memory::default();
    let raw = bind_buffer(&mut memory, &module, "raw", &[0x1234_5678, 0]);
    let data = memory.add_buffer(&[7, 8]);
    let pairs = memory.add_buffer(&[0; 4]);
    let fields = [Value::Handle(Handle::buffer(data)), Value::Handle(Handle::buffer(pairs))];
    bind(&mut memory, &module, "params", &Value::Aggregate(fields.to_vec()));
    dispatch(&module, [1, 1, 1], &mut memory);
    assert_eq!(memory.words(data), [0x1234, 8]);
    assert_eq!(memory.words(raw), [0x1234_5678, 0x1234_0000]);
    assert_eq!(memory.words(pairs), [8, 0, 2, 8]);
}

#[test]
fn printing() {
    let module = module(
        r#"func @main() -> () {
             %x: f32 = const 1.5
             %n: i32 = const -7
             %u: u32 = const 255
             print "x = %5.2f, n = %d, %04x, 100%% %s %q\n"(%x, %n, %u, %x)
             return
         }
         entry main @main compute 1, 1, 1"#,
    );
    let mut memory = Memory::default();
    dispatch(&module, [1, 1, 1], &mut memory);
    assert_eq!(memory.printed, ["x =  1.50, n = -7, 00ff, 100% 1.5 %q\n"]);
}

#[test]
fn unbound_memory_reads_as_zero_and_unknown_entry_points_are_told() {
    let module = module(
        "global @out: rwbuffer<f32> parameter
         func @main() -> () {
             %out: rwbuffer<f32> = global @out
             %x: f32 = load %out[0]
             store %out[0], %x
             return
         }
         entry main @main compute 1, 1, 1",
    );
    dispatch(&module, [1, 1, 1], &mut Memory::default());
    let mut machine = Machine::new(&module, Precision::Declared, Limits::default());
    let error = machine.dispatch("other", [1, 1, 1], &mut Memory::default());
    assert_eq!(error, Err(InterpError::NoEntryPoint("other".into())));
}

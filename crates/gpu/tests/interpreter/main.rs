//! Emitted WGSL and SPIR-V on a Vulkan device against the interpreter: the same program, the same buffers, the same
//! words afterwards.

mod compare;
mod handles;
mod interface_values;
mod refused_by_naga;

use compare::{Tolerance, compare};

fn floats(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn an_array_is_updated_in_a_loop() {
    compare(
        "global @x: buffer<f32> parameter
         global @out: rwbuffer<f32> parameter
         func @prefix(%a: [f32; 8], %n: i32) -> (return: f32, a: [f32; 8]) {
             %zero: i32 = const 0
             %none: f32 = const 0
             %one: i32 = const 1
             %i: i32, %sum: f32, %r: [f32; 8] = loop (%zero, %none, %a) cond (%i.1: i32, %sum.1: f32, %a.1: [f32; 8]) {
                 %0: bool = lt %i.1, %n
                 yield %0
             } body (%i.2: i32, %sum.2: f32, %a.2: [f32; 8]) {
                 %1: f32 = extract %a.2[%i.2]
                 %2: f32 = add %sum.2, %1
                 %3: [f32; 8] = insert %a.2[%i.2], %2
                 %4: i32 = add %i.2, %one
                 yield %4, %2, %3
             }
             return %sum, %r
         }
         func @main() -> () {
             %x: buffer<f32> = global @x
             %out: rwbuffer<f32> = global @out
             %a: f32 = load %x[0]
             %b: f32 = load %x[1]
             %c: f32 = load %x[2]
             %v: [f32; 8] = make(%a, %b, %c, %a, %b, %c, %a, %b)
             %eleven: i32 = const 11
             %sum: f32, %p: [f32; 8] = call @prefix(%v, %eleven)
             store %out[0], %sum
             %2: f32 = extract %p[7]
             store %out[1], %2
             %3: f32 = extract %v[7]
             store %out[2], %3
             return
         }
         entry main @main compute 1, 1, 1",
        [1, 1, 1],
        &[("x", floats(&[1.5, 2.25, -7.0])), ("out", vec![0; 4])],
        Tolerance::Exact,
    );
}

#[test]
fn statements_of_all_kinds() {
    compare(
        "struct $Ray { o: f32x3, t: f32 }
         struct $Flags { on: bool, n: i32, half: f32x2 }
         global @params: constant<$Ray> parameter
         global @flags: constant<$Flags> parameter
         global @points: buffer<f32x3> parameter
         global @rays: rwbuffer<$Ray> parameter
         global @out: rwbuffer<f32> parameter
         global @counts: rwbuffer<u32> parameter
         global @sums: rwbuffer<f32> parameter
         global @cache: variable<[f32; 8]> groupshared
         global @seed: variable<u32> static @first_seed
         func @first_seed() -> (return: u32) {
             %0: u32 = const 7
             return %0
         }
         func @thread() -> (return: u32) {
             %id: u32x3 = builtin dispatch_thread_id
             %0: u32 = extract %id[0]
             return %0
         }
         func @step(%r: $Ray, %by: f32) -> (return: bool, r: $Ray, left: f32) {
             %0: f32 = extract %r[1]
             %1: f32 = sub %0, %by
             %2: $Ray = insert %r[1], %1
             %3: f32 = extract %r[0][2]
             %4: f32 = add %3, %by
             %5: $Ray = insert %2[0][1], %4
             %zero: f32 = const 0
             %6: bool = gt %1, %zero
             %7: f32 = mul %by, %1
             return %6, %5, %7
         }
         func @find(%n: i32, %limit: f32) -> (return: i32) {
             %zero: i32 = const 0
             %one: i32 = const 1
             %i: i32, %count: i32 = loop (%zero, %zero) cond (%i.1: i32, %count.1: i32) {
                 %0: bool = lt %i.1, %n
                 yield %0
             } body (%i.2: i32, %count.2: i32) {
                 %1: f32 = convert %i.2
                 %2: f32 = sin(%1)
                 %3: bool = gt %2, %limit
                 if %3 {
                     %4: i32 = add %i.2, %one
                     continue %4, %count.2
                 } else {
                     yield
                 }
                 %five: i32 = const 5
                 %5: i32 = switch %count.2 case 5, 6 {
                     break %i.2, %zero
                 } case 2 {
                     yield %five
                 } default {
                     %6: i32 = add %count.2, %one
                     yield %6
                 }
                 %ninety: i32 = const 90
                 %7: bool = gt %i.2, %ninety
                 if %7 {
                     return %i.2
                 } else {
                     yield
                 }
                 %8: i32 = add %i.2, %one
                 yield %8, %5
             }
             %9: i32 = add %count, %i
             return %9
         }
         func @main() -> () {
             %t: u32 = call @thread()
             %params: constant<$Ray> = global @params
             %flags: constant<$Flags> = global @flags
             %points: buffer<f32x3> = global @points
             %rays: rwbuffer<$Ray> = global @rays
             %out: rwbuffer<f32> = global @out
             %counts: rwbuffer<u32> = global @counts
             %sums: rwbuffer<f32> = global @sums
             %cache: variable<[f32; 8]> = global @cache
             %seed: variable<u32> = global @seed
             %p: f32x3 = load %points[%t]
             %ray: $Ray = load %params
             %left0: f32 = const 0.5
             %ok: bool, %ray1: $Ray, %left: f32 = call @step(%ray, %left0)
             %p1: f32x3 = extract %ray1[0]
             %p2: f32x3 = add %p1, %p
             %ray2: $Ray = insert %ray1[0], %p2
             %on: bool = load %flags[0]
             %both: bool = and %ok, %on
             %ray3: $Ray = if %both {
                 %ok2: bool, %r: $Ray, %l: f32 = call @step(%ray2, %left)
                 yield %r
             } else {
                 yield %ray2
             }
             %chosen: $Ray = select %on, %ray3, %ray
             store %rays[%t], %chosen
             %local: u32 = builtin group_index
             %tf: f32 = convert %t
             store %cache[%local], %tf
             barrier
             %seven: u32 = const 7
             %other: u32 = sub %seven, %local
             %mirrored: f32 = load %cache[%other]
             store %out[%t], %mirrored
             %one: u32 = const 1
             %old: u32 = atomic add %counts[0], %one
             %old2: u32 = atomic max %counts[1], %t
             %old3: f32 = atomic add %sums[0], %mirrored
             %old4: f32 = atomic max %sums[1], %tf
             %s: u32 = load %seed
             %s1: u32 = add %s, %one
             store %seed, %s1
             %s2: u32 = load %seed
             %limit: f32 = load %flags[2][1]
             %n: i32 = load %flags[1]
             %found: i32 = call @find(%n, %limit)
             %foundf: f32 = convert %found
             %s2f: f32 = convert %s2
             %sum: f32 = add %foundf, %s2f
             %eight: u32 = const 8
             %at: u32 = add %t, %eight
             store %out[%at], %sum
             return
         }
         entry main @main compute 8, 1, 1",
        [1, 1, 1],
        &[
            ("params", floats(&[1.0, 2.0, 3.0, 4.0])),
            ("flags", vec![1, 40, 0.25f32.to_bits(), 0.5f32.to_bits()]),
            ("points", floats(&(0..24).map(|i| i as f32 * 0.5).collect::<Vec<_>>())),
            ("rays", vec![0; 32]),
            ("out", vec![0; 16]),
            ("counts", vec![0; 2]),
            ("sums", vec![0; 2]),
        ],
        Tolerance::Exact,
    );
}

/// Each function of the library over a range of inputs. Vulkan lets `atan` and what inherits from it be 4096 units off; the
/// interpreter computes in double precision.
#[test]
fn mathematical_functions() {
    let mut body = String::new();
    let mut slot = 0;
    let mut store = |body: &mut String, text: &str, ty: &str| {
        let value = format!("%r{slot}");
        body.push_str(&format!("{value}: {ty} = {text}\n"));
        let value = match ty {
            "f32" => value,
            "bool" => {
                body.push_str(&format!("%s{slot}: f32 = select {value}, %one, %zero\n"));
                format!("%s{slot}")
            }
            _ => {
                body.push_str(&format!("%s{slot}: f32 = bitcast {value}\n"));
                format!("%s{slot}")
            }
        };
        body.push_str(&format!(
            "%c{slot}: u32 = const {slot}\n%i{slot}: u32 = add %base, %c{slot}\nstore %out[%i{slot}], {value}\n"
        ));
        slot += 1;
    };
    for name in [
        "abs", "atan", "ceil", "cos", "exp", "exp2", "floor", "frac", "rcp", "round", "saturate", "sign", "sin",
        "sinh", "cosh", "tanh", "trunc", "degrees", "radians", "asinh",
    ] {
        store(&mut body, &format!("{name}(%x)"), "f32");
    }
    // On positive numbers, and on those between -1 and 1.
    for name in ["sqrt", "rsqrt", "log", "log2", "log10"] {
        store(&mut body, &format!("{name}(%positive)"), "f32");
    }
    for name in ["asin", "acos", "atanh"] {
        store(&mut body, &format!("{name}(%small)"), "f32");
    }
    for name in ["atan2", "copysign", "fmod", "max", "min", "step"] {
        store(&mut body, &format!("{name}(%x, %y)"), "f32");
    }
    store(&mut body, "pow(%positive, %y)", "f32");
    for name in ["clamp", "fma", "lerp", "smoothstep"] {
        store(&mut body, &format!("{name}(%zero, %one, %x)"), "f32");
    }
    for name in ["is_nan", "is_inf", "is_finite"] {
        store(&mut body, &format!("{name}(%x)"), "bool");
        store(&mut body, &format!("{name}(%inf)"), "bool");
        store(&mut body, &format!("{name}(%nan)"), "bool");
    }
    for name in ["count_bits", "first_bit_high", "first_bit_low", "reverse_bits"] {
        store(&mut body, &format!("{name}(%bits)"), "u32");
    }
    let text = format!(
        "global @in: buffer<f32> parameter
         global @out: rwbuffer<f32> parameter
         func @main() -> () {{
             %id: u32x3 = builtin dispatch_thread_id
             %t: u32 = extract %id[0]
             %in: buffer<f32> = global @in
             %out: rwbuffer<f32> = global @out
             %x: f32 = load %in[%t]
             %y: f32 = load %in[3]
             %zero: f32 = const 0
             %one: f32 = const 1
             %inf: f32 = const inf
             %nan: f32 = const nan
             %square: f32 = mul %x, %x
             %positive: f32 = add %square, %one
             %small: f32 = div %x, %positive
             %bits: u32 = bitcast %x
             %stride: u32 = const {slot}
             %base: u32 = mul %t, %stride
             {body}
             return
         }}
         entry main @main compute 6, 1, 1"
    );
    let inputs = [0.5, -0.75, 2.5, 1.25, -3.0, 0.0];
    compare(&text, [1, 1, 1], &[("in", floats(&inputs)), ("out", vec![0; 6 * slot as usize])], Tolerance::Ulps(4096));
}

#[test]
fn vectors_and_matrices() {
    compare(
        "global @in: buffer<f32> parameter
         global @ms: rwbuffer<f32x3x2> parameter
         global @out: rwbuffer<f32> parameter
         func @main() -> () {
             %in: buffer<f32> = global @in
             %out: rwbuffer<f32> = global @out
             %ms: rwbuffer<f32x3x2> = global @ms
             %a: f32 = load %in[0]
             %b: f32 = load %in[1]
             %c: f32 = load %in[2]
             %u: f32x3 = make(%a, %b, %c)
             %v: f32x3 = swizzle %u[2, 0, 1]
             %r0: f32x2 = swizzle %u[0, 1]
             %r1: f32x2 = swizzle %u[1, 2]
             %r2: f32x2 = swizzle %u[0, 0]
             %small: f32x2x2 = make(%r0, %r1)
             %m: f32x3x2 = make(%r0, %r1, %r2)
             %m0: f32x3x2 = load %ms[0]
             %m1: f32x3x2 = mul %m, %m0
             %m2: f32x3x2 = sub %m1, %m
             store %ms[1], %m2
             %mt: f32x2x3 = transpose(%m2)
             %p: f32x3x3 = mat_mul(%m, %mt)
             %q: f32x3 = mat_mul(%p, %u)
             %w: f32x3 = mat_mul(%u, %p)
             %d: f32 = determinant(%small)
             store %out[0], %d
             %q0: f32 = extract %q[0]
             store %out[1], %q0
             %w2: f32 = extract %w[2]
             store %out[2], %w2
             %one: i32 = const 1
             %p12: f32 = extract %p[%one][2]
             store %out[3], %p12
             %cross: f32x3 = cross(%u, %v)
             %dot: f32 = dot(%cross, %q)
             store %out[4], %dot
             %im: i32x2x2 = convert %small
             %less: boolx3 = lt %u, %v
             %pick: f32x3 = select %less, %u, %v
             %len: f32 = length(%pick)
             store %out[5], %len
             %any: bool = any(%less)
             %all: bool = all(%less)
             %anyf: f32 = select %any, %a, %b
             store %out[6], %anyf
             %allf: f32 = select %all, %a, %b
             store %out[7], %allf
             %i11: i32 = extract %im[1][1]
             %f11: f32 = convert %i11
             store %out[8], %f11
             %sum: i32x2x2 = add %im, %im
             %i01: i32 = extract %sum[0][%one]
             %f01: f32 = convert %i01
             store %out[9], %f01
             %n: f32x1 = make(%c)
             %n1: f32x1 = mul %n, %n
             %ns: f32 = extract %n1[0]
             store %out[10], %ns
             return
         }
         entry main @main compute 1, 1, 1",
        [1, 1, 1],
        &[
            ("in", floats(&[1.5, -2.25, 3.75])),
            ("ms", floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])),
            ("out", vec![0; 11]),
        ],
        Tolerance::Ulps(8),
    );
}

#[test]
fn interface_values_and_buffers_as_parameters() {
    compare(
        "struct $Circle { r: f32 }
         struct $Square { side: f32, n: [i32; 3] }
         struct $Nothing { }
         sum !IShape { 0: $Circle, 7: $Square }
         global @in: buffer<f32> parameter
         global @more: buffer<f32> parameter
         global @out: rwbuffer<f32> parameter
         global @raw: rwbytes parameter
         func @area(%s: !IShape, %nothing: $Nothing) -> (return: f32) {
             %r: f32 = sum_match %s variant (%circle: $Circle) {
                 %0: f32 = extract %circle[0]
                 %1: f32 = mul %0, %0
                 yield %1
             } variant (%square: $Square) {
                 %3: f32 = extract %square[0]
                 %4: i32 = extract %square[1][2]
                 %5: f32 = convert %4
                 %6: f32 = mul %3, %5
                 yield %6
             }
             return %r
         }
         func @read(%from: buffer<f32>, %i: u32, %to: rwbuffer<f32>) -> (return: f32) {
             %0: f32 = load %from[%i]
             %1: f32 = add %0, %0
             store %to[%i], %1
             return %0
         }
         func @both(%a: buffer<f32>, %b: buffer<f32>, %to: rwbuffer<f32>) -> (return: f32) {
             %one: u32 = const 1
             %two: u32 = const 2
             %0: f32 = call @read(%a, %one, %to)
             %1: f32 = call @read(%b, %two, %to)
             %2: f32 = mul %0, %1
             return %2
         }
         func @main() -> () {
             %in: buffer<f32> = global @in
             %more: buffer<f32> = global @more
             %out: rwbuffer<f32> = global @out
             %raw: rwbytes = global @raw
             %x: f32 = call @both(%in, %more, %out)
             %y: f32 = call @both(%more, %in, %out)
             store %out[3], %x
             store %out[4], %y
             %c: $Circle = make(%x)
             %s0: !IShape = sum_make 0, %c
             %nothing: $Nothing = make()
             %a0: f32 = call @area(%s0, %nothing)
             store %out[5], %a0
             %three: i32 = const 3
             %n: [i32; 3] = splat %three
             %q: $Square = make(%y, %n)
             %s1: !IShape = sum_make 1, %q
             %a1: f32 = call @area(%s1, %nothing)
             store %out[6], %a1
             %tag: u32 = sum_tag %s1
             %eight: u32 = const 8
             byte_store %raw, %eight, %tag
             %four: u32 = const 4
             %w: u32 = byte_load %raw, %four
             %old: u32 = byte_atomic add %raw, %four, %eight
             %sum: u32 = add %w, %old
             %zero: u32 = const 0
             byte_store %raw, %zero, %sum
             %v: f32x2 = byte_load %raw, %four
             %length: u32 = buffer_length %raw
             %twelve: u32 = const 12
             byte_store %raw, %twelve, %length
             %far: u32 = const 16
             byte_store %raw, %far, %length
             %nowhere: u32 = byte_load %raw, %far
             %f: f32 = convert %nowhere
             store %out[7], %f
             return
         }
         entry main @main compute 1, 1, 1",
        [1, 1, 1],
        &[
            ("in", floats(&[1.0, 2.0, 3.0])),
            ("more", floats(&[10.0, 20.0, 30.0])),
            ("out", vec![7; 9]),
            ("raw", vec![1, 2, 3, 4]),
        ],
        Tolerance::Exact,
    );
}

/// Threads beyond the end of a buffer and indices beyond the end of an array.
#[test]
fn out_of_bounds() {
    compare(
        "struct $Part { x: f32, n: i32 }
         global @in: buffer<$Part> parameter
         global @out: rwbuffer<f32> parameter
         global @counts: rwbuffer<u32> parameter
         func @main() -> () {
             %id: u32x3 = builtin dispatch_thread_id
             %t: u32 = extract %id[0]
             %in: buffer<$Part> = global @in
             %out: rwbuffer<f32> = global @out
             %counts: rwbuffer<u32> = global @counts
             %p: $Part = load %in[%t]
             %x: f32 = extract %p[0]
             %n: i32 = extract %p[1]
             %a: [f32; 4] = splat %x
             %one: f32 = const 1
             %b: [f32; 4] = insert %a[%n], %one
             %c: f32 = extract %b[%n]
             %d: f32 = extract %b[2]
             %e: f32 = add %c, %d
             %v: f32x2 = make(%x, %one)
             %g: f32 = extract %v[%n]
             %h: f32 = add %e, %g
             store %out[%t], %h
             %old: u32 = atomic add %counts[%t], %t
             %oldf: f32 = convert %old
             %ten: u32 = const 10
             %at: u32 = add %t, %ten
             store %out[%at], %oldf
             return
         }
         entry main @main compute 16, 1, 1",
        [1, 1, 1],
        &[
            ("in", vec![1.5f32.to_bits(), 0, 2.5f32.to_bits(), 2, 3.5f32.to_bits(), 4, 4.5f32.to_bits(), u32::MAX]),
            ("out", floats(&[9.0; 16])),
            ("counts", vec![5; 4]),
        ],
        Tolerance::Exact,
    );
}

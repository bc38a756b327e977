use expect_test::{Expect, expect};

use super::emit_text;
use crate::Target;

fn check(ir: &str, expected: Expect) {
    expected.assert_eq(&emit_text(ir, Target::Glsl));
}

/// `mul(m, v)` in Slang: `m` has two rows, which are columns here, so the vector comes first.
#[test]
fn rows_are_columns() {
    check(
        "func @transform(%m: f32x2x3, %v: f32x3) -> (return: f32x2) {
             %first: f32 = extract %m[0][2]
             %0: f32x2 = mat_mul(%m, %v)
             %1: f32x2 = splat %first
             %2: f32x2 = mul %1, %0
             return %2
         }",
        expect![[r#"
            #version 460

            vec2 transform(mat2x3 m, vec3 v)
            {
                float first = m[0].z;
                return first * (v * m);
            }
        "#]],
    );
}

#[test]
fn matrices_of_integers_are_arrays_of_rows() {
    check(
        "func @f(%a: i32x2x2, %b: i32x2x2) -> (return: i32x2x2) {
             %0: i32x2x2 = add %a, %b
             return %0
         }",
        expect![[r#"
            #version 460

            ivec2[2] f(ivec2 a[2], ivec2 b[2])
            {
                return ivec2[2](a[0] + b[0], a[1] + b[1]);
            }
        "#]],
    );
}

#[test]
fn vectors_are_compared_and_chosen_by_functions() {
    check(
        "func @f(%a: f32x3, %b: f32x3) -> (return: f32x3) {
             %0: boolx3 = lt %a, %b
             %1: boolx3 = eq %a, %b
             %2: boolx3 = or %0, %1
             %3: f32x3 = select %2, %a, %b
             return %3
         }",
        expect![[r#"
            #version 460

            vec3 f(vec3 a, vec3 b)
            {
                return mix(b, a, bvec3(uvec3(lessThan(a, b)) | uvec3(equal(a, b))));
            }
        "#]],
    );
}

/// GLSL leaves remainders of negative numbers and large counts of shifts undefined.
#[test]
fn integers_mean_what_they_mean_elsewhere() {
    check(
        "func @f(%a: i32, %n: i32) -> (return: i32) {
             %0: i32 = rem %a, %n
             %1: i32 = shl %0, %n
             %three: i32 = const 3
             %2: i32 = shr %1, %three
             return %2
         }",
        expect![[r#"
            #version 460

            int remainder_int(int a, int b)
            {
                return a - b * (a / b);
            }

            int f(int a, int n)
            {
                return (remainder_int(a, n) << (n & 31)) >> 3;
            }
        "#]],
    );
}

#[test]
fn buffers_have_the_layouts_of_vulkan() {
    check(
        "struct $Particle { position: f32x3, mass: f32 }
         global @particles: rwbuffer<$Particle> parameter binding 3, 1
         global @raw: bytes parameter
         global @scale: constant<f32> parameter
         func @move() -> () {
             %id: u32x3 = builtin dispatch_thread_id
             %i: u32 = extract %id[0]
             %particles: rwbuffer<$Particle> = global @particles
             %raw: bytes = global @raw
             %uniform: constant<f32> = global @scale
             %scale: f32 = load %uniform
             %four: u32 = const 4
             %at: u32 = mul %i, %four
             %offset: f32 = byte_load %raw, %at
             %0: f32 = load %particles[%i][0][1]
             %1: f32 = fma(%offset, %scale, %0)
             store %particles[%i][0][1], %1
             %count: u32 = buffer_length %raw
             return
         }
         entry main @move compute 64, 1, 1",
        expect![[r#"
            #version 460

            struct Particle
            {
                vec3 position;
                float mass;
            };

            layout(set = 1, binding = 3, std430) buffer particles_buffer
            {
                Particle particles[];
            };
            layout(set = 0, binding = 0, std430) readonly buffer raw_buffer
            {
                uint raw[];
            };
            layout(set = 0, binding = 1, std140) uniform scale_buffer
            {
                float scale;
            };

            layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;
            void main()
            {
                uint i = gl_GlobalInvocationID.x;
                float scale_1 = scale;
                uint at = i * 4u;
                float offset = uintBitsToFloat(raw[at / 4u]);
                particles[i].position.y = fma(offset, scale_1, particles[i].position.y);
            }
        "#]],
    );
}

/// The extension for atomic operations on floats is not everywhere; exchanges of bits are.
#[test]
fn floats_are_added_by_exchanging_bits() {
    check(
        "global @sum: rwbuffer<f32> parameter
         func @accumulate(%x: f32) -> () {
             %sum: rwbuffer<f32> = global @sum
             %zero: u32 = const 0
             %old: f32 = atomic add %sum[%zero], %x
             return
         }",
        expect![[r#"
            #version 460

            layout(set = 0, binding = 0, std430) buffer sum_buffer
            {
                uint sum[];
            };

            void accumulate(float x)
            {
                uint old = sum[0];
                bool again = true;
                while (again)
                {
                    uint value = atomicCompSwap(sum[0], old, floatBitsToUint(uintBitsToFloat(old) + x));
                    again = value != old;
                    old = value;
                }
            }
        "#]],
    );
}

/// The names of the types appear nowhere here.
#[test]
fn literals_ask_for_the_extensions_of_their_types() {
    let text = emit_text(
        "func @f(%a: i32) -> (return: bool, half: bool) {
             %0: i64 = const 12884901889
             %1: i64 = const 3
             %2: bool = lt %0, %1
             %3: f16 = const 3
             %4: f16 = const 2
             %5: bool = lt %3, %4
             return %2, %5
         }",
        Target::Glsl,
    );
    assert!(text.contains("int64 : require"), "{text}");
    assert!(text.contains("float16 : require"), "{text}");
}

#[test]
fn large_arrays_are_filled_by_a_loop() {
    check(
        "func @f(%n: i32) -> (return: [f32; 100]) {
             %0: [f32; 100] = zero
             %1: f32 = const 1
             %2: [f32; 100] = insert %0[%n], %1
             return %2
         }",
        expect![[r#"
            #version 460

            float[100] filled_float_100(float element)
            {
                float[100] filled;
                for (int i = 0; i < 100; i++)
                {
                    filled[i] = element;
                }
                return filled;
            }

            float[100] f(int n)
            {
                float elements[100] = filled_float_100(0.0);
                elements[n] = 1.0;
                return elements;
            }
        "#]],
    );
}

#[test]
fn a_text_holds_one_entry_point() {
    check(
        "func @a() -> () {
             return
         }
         func @b() -> () {
             return
         }
         entry first @a compute 1, 1, 1
         entry second @b compute 1, 1, 1",
        expect![[r#"
            error: a text for target `glsl` holds one entry point: choose one of `first`, `second`… with `--entry`
        "#]],
    );
}

#[test]
fn what_there_is_not_is_named() {
    check(
        "func @f(%x: f64) -> (return: f64) {
             %0: f64 = sin(%x)
             return %0
         }",
        expect![[r#"
            error: `sin` of `double` is not supported for target `glsl`
        "#]],
    );
}

/// `after` is at byte 12 by GLSL's scalar layout, and by the natural one.
#[test]
fn what_follows_a_struct_may_stand_in_its_padding() {
    check(
        "struct $Inner { wide: f64, narrow: f32 }
         struct $Outer { inner: $Inner, after: f32 }
         global @data: rwbuffer<$Outer> parameter scalar
         func @f() -> (return: f32) {
             %data: rwbuffer<$Outer> = global @data
             %0: f32 = load %data[0][1]
             return %0
         }",
        expect![[r#"
            #version 460
            #extension GL_EXT_scalar_block_layout : require

            struct Inner
            {
                double wide;
                float narrow;
            };

            struct Outer
            {
                Inner inner;
                float after;
            };

            layout(set = 0, binding = 0, scalar) buffer data_buffer
            {
                Outer data[];
            };

            float f()
            {
                return data[0].after;
            }
        "#]],
    );
}

#[test]
fn names_of_blocks_are_their_own() {
    let text = emit_text(
        "global @x: rwbuffer<f32> parameter binding 0, 0
         global @x_buffer: rwbuffer<f32> parameter binding 0, 1
         func @x_buffer_1() -> (return: f32) {
             %0: rwbuffer<f32> = global @x
             %1: i32 = const 0
             %2: f32 = load %0[%1]
             return %2
         }
         func @main() -> () {
             %0: rwbuffer<f32> = global @x_buffer
             %1: i32 = const 0
             %2: f32 = call @x_buffer_1()
             store %0[%1], %2
             return
         }
         entry main @main compute 1, 1, 1",
        Target::Glsl,
    );
    for once in ["buffer x_buffer_2\n", "buffer x_buffer_buffer\n", "float x_buffer[];", "float x_buffer_1()"] {
        assert_eq!(text.matches(once).count(), 1, "{once}: {text}");
    }
}

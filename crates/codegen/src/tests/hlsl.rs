use expect_test::{Expect, expect};

use super::emit_text;
use crate::Target;

fn check(ir: &str, expected: Expect) {
    expected.assert_eq(&emit_text(ir, Target::Hlsl));
}

#[test]
fn structs_are_made_by_a_function_where_braces_cannot_stand() {
    check(
        "struct $Ray { origin: f32x3, t: f32 }
         func @ray(%t: f32) -> (return: $Ray) {
             %0: f32x3 = splat %t
             %1: $Ray = make(%0, %t)
             return %1
         }",
        expect![[r#"
            struct Ray
            {
                float3 origin;
                float t;
            };

            Ray make_Ray(float3 origin, float t)
            {
                Ray made;
                made.origin = origin;
                made.t = t;
                return made;
            }

            Ray ray(float t)
            {
                return make_Ray((float3)t, t);
            }
        "#]],
    );
}

#[test]
fn functions_do_not_return_arrays() {
    check(
        "func @pair(%x: f32) -> (return: [f32; 2]) {
             %0: f32 = neg %x
             %1: [f32; 2] = make(%x, %0)
             return %1
         }
         func @first(%x: f32) -> (return: f32) {
             %0: [f32; 2] = call @pair(%x)
             %1: f32 = extract %0[0]
             return %1
         }",
        expect![[r#"
            void pair(float x, out float result[2])
            {
                float made[2] = { x, -x };
                result = made;
            }

            float first(float x)
            {
                float result[2];
                pair(x, result);
                return result[0];
            }
        "#]],
    );
}

#[test]
fn structs_are_chosen_by_control_flow() {
    check(
        "struct $S { x: f32 }
         func @f(%c: bool, %a: $S, %b: $S) -> (return: $S) {
             %0: $S = select %c, %a, %b
             return %0
         }",
        expect![[r#"
            struct S
            {
                float x;
            };

            S f(bool c, S a, S b)
            {
                if (c)
                {
                    return a;
                }
                else
                {
                    return b;
                }
            }
        "#]],
    );
}

#[test]
fn registers_are_written_or_counted_by_class() {
    check(
        "struct $Camera { view: f32x4x4, exposure: f32 }
         global @result: rwbuffer<f32> parameter binding 3, 4 register u, 2, 1
         global @points: buffer<f32x4> parameter
         global @camera: constant<$Camera> parameter
         global @gamma: constant<f32> parameter
         func @shade() -> () {
             %id: u32x3 = builtin dispatch_thread_id
             %i: u32 = extract %id[0]
             %points: buffer<f32x4> = global @points
             %point: f32x4 = load %points[%i]
             %camera: constant<$Camera> = global @camera
             %view: f32x4x4 = load %camera[0]
             %seen: f32x4 = mat_mul(%view, %point)
             %x: f32 = extract %seen[0]
             %uniform: constant<f32> = global @gamma
             %gamma: f32 = load %uniform
             %0: f32 = pow(%x, %gamma)
             %result: rwbuffer<f32> = global @result
             store %result[%i], %0
             return
         }
         entry main @shade compute 8, 8, 1",
        expect![[r#"
            #pragma pack_matrix(row_major)

            struct Camera
            {
                float4x4 view;
                float exposure;
            };

            RWStructuredBuffer<float> result : register(u2, space1);
            StructuredBuffer<float4> points : register(t0, space0);
            ConstantBuffer<Camera> camera : register(b0, space0);
            cbuffer gamma_buffer : register(b1, space0)
            {
                float gamma;
            };

            [numthreads(8, 8, 1)]
            void main(uint3 id : SV_DispatchThreadID)
            {
                uint i = id.x;
                float4 point_1 = points[i];
                float4x4 view = camera.view;
                float4 seen = mul(view, point_1);
                float x = seen.x;
                float gamma_1 = gamma;
                result[i] = pow(x, gamma_1);
            }
        "#]],
    );
}

#[test]
fn functions_that_are_missing_are_written_out() {
    check(
        "func @f(%x: f32x2, %y: f32x2) -> (return: f32x2) {
             %0: f32x2 = asinh(%x)
             %1: f32x2 = copysign(%0, %y)
             return %1
         }",
        expect![[r#"
            float2 copysign_float2(float2 x, float2 y)
            {
                return asfloat((asuint(x) & 0x7fffffffu) | (asuint(y) & 0x80000000u));
            }

            float2 asinh_float2(float2 x)
            {
                return sign(x) * log(abs(x) + sqrt(x * x + 1.0f));
            }

            float2 f(float2 x, float2 y)
            {
                return copysign_float2(asinh_float2(x), y);
            }
        "#]],
    );
}

#[test]
fn what_there_is_not_is_named() {
    check(
        "func @f(%x: f64, %y: i8) -> (return: f64) {
             %0: f64 = exp(%x)
             return %0
         }",
        expect![[r#"
            error: the type `int8_t` is not supported for target `hlsl`
            error: `exp` of `double` is not supported for target `hlsl`
        "#]],
    );
}

/// DXC warns where it has to choose a type for what is shifted.
#[test]
fn shifted_literals_have_a_type() {
    check(
        "func @f(%n: i32, %c: bool) -> (return: i32) {
             %1: i32 = const 1
             %2: i32 = const -2
             %0: i32 = shl %1, %n
             %3: i32 = select %c, %1, %2
             %4: i32 = shr %3, %0
             %5: i32 = shl %n, %1
             %6: i32 = add %4, %5
             return %6
         }",
        expect![[r#"
            int f(int n, bool c)
            {
                return (int(c ? 1 : -2) >> (int(1) << n)) + (n << 1);
            }
        "#]],
    );
}

#[test]
fn a_part_of_zero_is_zero() {
    let text = emit_text(
        "struct $S { a: f32, b: f32x3 }
         func @f(%i: i32) -> (return: f32, y: f32) {
             %zero: $S = zero
             %undefined: $S = undef
             %0: f32 = extract %zero[0]
             %1: f32x3 = extract %undefined[1]
             %2: f32x2 = swizzle %1[2, 0]
             %3: f32 = length(%2)
             %4: f32 = extract %zero[1][%i]
             %5: f32 = add %0, %3
             return %5, %4
         }",
        Target::Hlsl,
    );
    assert!(!text.contains(")0)."), "{text}");
    assert!(!text.contains(")0)["), "{text}");
}

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

/// `>>` would be a shift: DXC 1.8 then says that the buffer is undeclared.
#[test]
fn brackets_that_close_together_stand_apart() {
    let text = emit_text(
        "global @b: rwbuffer<f32x1> parameter
         func @f() -> () {
             %zero: u32 = const 0
             %number: f32 = const 1.0
             %one: f32x1 = splat %number
             %b: rwbuffer<f32x1> = global @b
             store %b[%zero], %one
             return
         }
         entry main @f compute 1, 1, 1",
        Target::Hlsl,
    );
    assert!(text.contains("RWStructuredBuffer<vector<float, 1> > b"), "{text}");
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
        "func @f(%x: f64) -> (return: f64) {
             %0: f64 = exp(%x)
             return %0
         }",
        expect![[r#"
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

/// DXC does not see that `y` has a value where it is read.
#[test]
fn what_one_arm_leaves_without_a_value_begins_as_zero() {
    check(
        "func @f(%x: f32, %c: bool) -> (return: f32) {
             %nothing: f32 = undef
             %y: f32, %w: f32 = if %c {
                 %0: f32 = add %x, %x
                 yield %0, %x
             } else {
                 %1: f32 = neg %x
                 yield %nothing, %1
             }
             %z: f32 = if %c {
                 %2: f32 = mul %y, %w
                 yield %2
             } else {
                 yield %w
             }
             return %z
         }",
        expect![[r#"
            float f(float x, bool c)
            {
                float y = 0.0f;
                float w;
                if (c)
                {
                    y = x + x;
                    w = x;
                }
                else
                {
                    w = -x;
                }
                if (c)
                {
                    return y * w;
                }
                else
                {
                    return w;
                }
            }
        "#]],
    );
}

/// Elements that are written one by one need no zeros first.
#[test]
fn arrays_that_are_filled_in_a_loop_begin_as_they_are() {
    check(
        "func @f(%x: f32, %k: i32) -> (return: f32) {
             %zero: i32 = const 0
             %one: i32 = const 1
             %four: i32 = const 4
             %nothing: [f32; 4] = undef
             %i: i32, %a: [f32; 4] = loop (%zero, %nothing) cond (%i.1: i32, %a.1: [f32; 4]) {
                 %0: bool = lt %i.1, %four
                 yield %0
             } body (%i.2: i32, %a.2: [f32; 4]) {
                 %1: f32 = convert %i.2
                 %2: f32 = mul %1, %x
                 %3: [f32; 4] = insert %a.2[%i.2], %2
                 %4: i32 = add %i.2, %one
                 yield %4, %3
             }
             %r: f32 = extract %a[%k]
             return %r
         }",
        expect![[r#"
            float f(float x, int k)
            {
                float a[4];
                for (int i = 0; i < 4; i++)
                {
                    a[i] = float(i) * x;
                }
                float r = a[k];
                return r;
            }
        "#]],
    );
}

/// Where `i == n`, DXC writes `n` for `i`, and refuses a constant that is no index.
#[test]
fn indices_that_are_compared_stay_in_bounds() {
    check(
        "func @f(%a: [f32; 4], %b: [f32; 4], %n: i32) -> (return: f32) {
             %zero: i32 = const 0
             %one: i32 = const 1
             %four: i32 = const 4
             %start: f32 = const 0.0
             %i: i32, %j: i32, %sum: f32 = loop (%zero, %n, %start) cond (%i.1: i32, %j.1: i32, %sum.1: f32) {
                 %0: bool = lt %i.1, %four
                 yield %0
             } body (%i.2: i32, %j.2: i32, %sum.2: f32) {
                 %1: bool = eq %i.2, %n
                 %2: f32 = if %1 {
                     %3: f32 = extract %a[%i.2]
                     yield %3
                 } else {
                     %4: f32 = extract %b[%j.2]
                     yield %4
                 }
                 %5: f32 = add %sum.2, %2
                 %6: i32 = add %i.2, %one
                 yield %6, %n, %5
             }
             return %sum
         }",
        expect![[r#"
            float f(float a[4], float b[4], int n)
            {
                int j = n;
                float sum = 0.0f;
                for (int i = 0; i < 4; i++)
                {
                    float a_element;
                    if (i == n)
                    {
                        a_element = a[min(uint(i), 3u)];
                    }
                    else
                    {
                        a_element = b[min(uint(j), 3u)];
                    }
                    j = n;
                    sum += a_element;
                }
                return sum;
            }
        "#]],
    );
}

use expect_test::{Expect, expect};

use super::emit_text;
use crate::Target;

/// Compares the Slang text and, where the environment variable `SLANGC` names a slangc, lets that check it.
fn check(ir: &str, expected: Expect) {
    let text = emit_text(ir, Target::Slang);
    expected.assert_eq(&text);
    accept(&text);
}

fn accept(text: &str) {
    if let Some(slangc) = std::env::var_os("SLANGC")
        && !text.starts_with("error: ")
    {
        let folder = std::env::temp_dir().join(format!("codegen-slang-{}-{}", std::process::id(), fresh_number()));
        std::fs::create_dir_all(&folder).unwrap();
        let (source, module) = (folder.join("x.slang"), folder.join("x.slang-module"));
        std::fs::write(&source, text).unwrap();
        let output = std::process::Command::new(slangc).arg(&source).arg("-o").arg(&module).output().unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && messages.is_empty(), "slangc: {messages}\n{text}");
    }
}

fn fresh_number() -> u32 {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

/// The worked example of the project's notes on differentiation.
#[test]
fn a_pullback_reads_like_a_formula() {
    check(
        "func @f.pullback(%a: f32, %b: f32, %dResult: f32) -> (da: f32, db: f32) {
             %zero: f32 = const 0
             %c: bool = gt %a, %zero
             %0: f32, %1: f32 = if %c {
                 %one: f32 = const 1
                 %two: f32 = const 2
                 %2: f32 = mul %two, %b
                 %3: f32 = add %one, %2
                 %4: f32 = mul %dResult, %3
                 %5: f32 = mul %two, %a
                 %6: f32 = add %one, %5
                 %7: f32 = mul %dResult, %6
                 yield %4, %7
             } else {
                 %half: f32 = const 0.5
                 %8: f32 = sqrt(%a)
                 %9: f32 = div %half, %8
                 %10: f32 = mul %dResult, %9
                 yield %10, %zero
             }
             return %0, %1
         }",
        expect![[r#"
            void f_pullback(float a, float b, float dResult, out float da, out float db)
            {
                let c = a > 0.0;
                if (c)
                {
                    da = dResult * (1.0 + 2.0 * b);
                    db = dResult * (1.0 + 2.0 * a);
                }
                else
                {
                    da = dResult * (0.5 / sqrt(a));
                    db = 0.0;
                }
            }
        "#]],
    );
}

#[test]
fn a_loop_over_an_array_updates_it_in_place() {
    check(
        "func @prefix(%x: [f32; 8], %n: i32) -> (return: [f32; 8]) {
             %zero: i32 = const 0
             %sum0: f32 = const 0
             %i: i32, %sum: f32, %out: [f32; 8] = loop (%zero, %sum0, %x) max_iters 8 cond (%i.1: i32, %sum.1: f32, %out.1: [f32; 8]) {
                 %0: bool = lt %i.1, %n
                 yield %0
             } body (%i.2: i32, %sum.2: f32, %out.2: [f32; 8]) {
                 %1: f32 = extract %out.2[%i.2]
                 %2: f32 = add %sum.2, %1
                 %3: [f32; 8] = insert %out.2[%i.2], %2
                 %4: i32 = const 1
                 %5: i32 = add %i.2, %4
                 yield %5, %2, %3
             }
             return %out
         }",
        expect![[r#"
            float[8] prefix(float x[8], int n)
            {
                var sum = 0.0;
                float out_1[8] = x;
                for (var i = 0; i < n; i++)
                {
                    sum += out_1[i];
                    out_1[i] = sum;
                }
                return out_1;
            }
        "#]],
    );
}

#[test]
fn arms_update_an_array_in_place_where_the_old_one_is_dead() {
    check(
        "func @f(%c: bool, %a: [f32; 4], %x: f32) -> (return: [f32; 4]) {
             %r: [f32; 4] = if %c {
                 %0: [f32; 4] = insert %a[0], %x
                 yield %0
             } else {
                 %1: f32 = extract %a[1]
                 %2: f32 = mul %1, %x
                 %3: [f32; 4] = insert %a[2], %2
                 %4: [f32; 4] = insert %3[3], %1
                 yield %4
             }
             %5: [f32; 4] = insert %r[1], %x
             return %5
         }",
        expect![[r#"
            float[4] f(bool c, float a[4], float x)
            {
                float r[4];
                if (c)
                {
                    r = a;
                    r[0] = x;
                }
                else
                {
                    let value = a[1];
                    a[2] = value * x;
                    r = a;
                    r[3] = value;
                }
                r[1] = x;
                return r;
            }
        "#]],
    );
}

#[test]
fn an_old_array_that_is_still_needed_is_copied() {
    check(
        "func @f(%a: [f32; 4], %i: i32) -> (return: f32, b: [f32; 4]) {
             %x: f32 = const 2
             %1: [f32; 4] = insert %a[%i], %x
             %2: f32 = extract %a[0]
             %3: f32 = extract %1[1]
             %4: f32 = add %2, %3
             %b: [f32; 4] = insert %1[2], %4
             return %x, %b
         }",
        expect![[r#"
            float f(float a[4], int i, out float b[4])
            {
                b = a;
                b[i] = 2.0;
                b[2] = a[0] + b[1];
                return 2.0;
            }
        "#]],
    );
}

#[test]
fn carried_values_that_swap_need_one_temporary() {
    check(
        "func @fibonacci(%n: i32) -> (return: i32) {
             %zero: i32 = const 0
             %one: i32 = const 1
             %a: i32, %b: i32, %i: i32 = loop (%zero, %one, %zero) cond (%a.1: i32, %b.1: i32, %i.1: i32) {
                 %0: bool = lt %i.1, %n
                 yield %0
             } body (%a.2: i32, %b.2: i32, %i.2: i32) {
                 %1: i32 = add %a.2, %b.2
                 %2: i32 = add %i.2, %one
                 yield %b.2, %1, %2
             }
             return %a
         }",
        expect![[r#"
            int fibonacci(int n)
            {
                var a = 0;
                var b = 1;
                for (var i = 0; i < n; i++)
                {
                    let old_a = a;
                    a = b;
                    b = old_a + b;
                }
                return a;
            }
        "#]],
    );
}

#[test]
fn loops_break_continue_and_return() {
    check(
        "func @find(%a: [f32; 16], %n: i32, %limit: f32) -> (return: i32) {
             %zero: i32 = const 0
             %one: i32 = const 1
             %i: i32, %count: i32 = loop (%zero, %zero) max_iters 16 cond (%i.1: i32, %count.1: i32) {
                 %0: bool = lt %i.1, %n
                 yield %0
             } body (%i.2: i32, %count.2: i32) {
                 %1: f32 = extract %a[%i.2]
                 %2: bool = gt %1, %limit
                 if %2 {
                     %3: i32 = add %i.2, %one
                     continue %3, %count.2
                 } else {
                     yield
                 }
                 %4: f32 = neg %limit
                 %5: bool = lt %1, %4
                 if %5 {
                     return %i.2
                 } else {
                     yield
                 }
                 %hundred: i32 = const 100
                 %6: bool = eq %count.2, %hundred
                 if %6 {
                     break %i.2, %zero
                 } else {
                     yield
                 }
                 %7: i32 = add %count.2, %one
                 %8: i32 = add %i.2, %one
                 yield %8, %7
             }
             %9: i32 = add %count, %i
             return %9
         }",
        expect![[r#"
            int find(float a[16], int n, float limit)
            {
                var count = 0;
                int i;
                for (i = 0; i < n; i++)
                {
                    let a_element = a[i];
                    if (a_element > limit)
                    {
                        continue;
                    }
                    if (a_element < -limit)
                    {
                        return i;
                    }
                    if (count == 100)
                    {
                        count = 0;
                        break;
                    }
                    count++;
                }
                return count + i;
            }
        "#]],
    );
}

#[test]
fn out_and_inout_parameters() {
    check(
        "struct $Ray { o: f32x3, t: f32 }
         func @step(%r: $Ray, %by: f32) -> (return: bool, inout %r: $Ray, left: f32) {
             %0: f32 = extract %r[1]
             %1: f32 = sub %0, %by
             %2: $Ray = insert %r[1], %1
             %zero: f32 = const 0
             %3: bool = gt %1, %zero
             %4: f32 = mul %by, %1
             return %3, %2, %4
         }
         func @twice(%r: $Ray) -> (inout %r: $Ray) {
             %one: f32 = const 1
             %0: bool, %r.1: $Ray, %left: f32 = call @step(%r, %one)
             %1: $Ray = if %0 {
                 %2: bool, %3: $Ray, %4: f32 = call @step(%r.1, %left)
                 yield %3
             } else {
                 yield %r.1
             }
             return %1
         }",
        expect![[r#"
            struct Ray
            {
                float3 o;
                float t;
            }

            bool step(inout Ray r, float by, out float left)
            {
                let difference = r.t - by;
                r.t = difference;
                left = by * difference;
                return difference > 0.0;
            }

            void twice(inout Ray r)
            {
                float left;
                let step_result = step(r, 1.0, left);
                if (step_result)
                {
                    float left_1;
                    step(r, left, left_1);
                }
            }
        "#]],
    );
}

#[test]
fn a_switch_in_a_loop() {
    check(
        "func @f(%k: i32, %x: f32) -> (return: f32) {
             %r: f32 = switch %k case 0, 1 {
                 yield %x
             } case -2 {
                 %0: f32 = sin(%x)
                 %1: f32 = mul %0, %0
                 yield %1
             } default {
                 %2: f32 = neg %x
                 yield %2
             }
             %i: i32 = loop (%k) cond (%i.1: i32) {
                 %3: bool = const true
                 yield %3
             } body (%i.2: i32) {
                 %one: i32 = const 1
                 %4: i32 = switch %i.2 case 5 {
                     break %one
                 } case 6, 7 {
                     yield %i.2
                 } default {
                     yield %one
                 }
                 %5: i32 = add %4, %4
                 yield %5
             }
             %6: f32 = convert %i
             %7: f32 = add %r, %6
             return %7
         }",
        expect![[r#"
            float f(int k, float x)
            {
                float r;
                switch (k)
                {
                    case 0: case 1:
                    {
                        r = x;
                        break;
                    }
                    case -2:
                    {
                        let sin_x = sin(x);
                        r = sin_x * sin_x;
                        break;
                    }
                    default:
                    {
                        r = -x;
                        break;
                    }
                }
                var i = k;
                while (true)
                {
                    let selector = i;
                    if (selector == 5)
                    {
                        i = 1;
                        break;
                    }
                    else if (!(selector == 6 || selector == 7))
                    {
                        i = 1;
                    }
                    i += i;
                }
                return r + float(i);
            }
        "#]],
    );
}

#[test]
fn entry_points_globals_and_effects() {
    check(
        "struct $Params { scale: f32, count: u32 }
         global @gParams: constant<$Params> parameter binding 2, 1
         global @bias: constant<f32> parameter uniform
         global @input: buffer<f32x3> parameter
         global @output: rwbuffer<f32> parameter
         global @counter: rwbuffer<u32> parameter
         global @cache: variable<[f32; 64]> groupshared
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
         func @main() -> () {
             %params: constant<$Params> = global @gParams
             %count: u32 = load %params[1]
             %t: u32 = call @thread()
             %0: bool = ge %t, %count
             if %0 {
                 return
             } else {
                 yield
             }
             %input: buffer<f32x3> = global @input
             %v: f32x3 = load %input[%t]
             %scale: f32 = load %params[0]
             %bias: constant<f32> = global @bias
             %b: f32 = load %bias
             %1: f32 = dot(%v, %v)
             %2: f32 = fma(%1, %scale, %b)
             %cache: variable<[f32; 64]> = global @cache
             %local: u32 = builtin group_index
             store %cache[%local], %2
             barrier
             %counter: rwbuffer<u32> = global @counter
             %one: u32 = const 1
             %ticket: u32 = atomic add %counter[0], %one
             %3: u32 = atomic max %counter[1], %t
             %seed: variable<u32> = global @seed
             %4: u32 = load %seed
             %5: u32 = add %4, %one
             store %seed, %5
             %output: rwbuffer<f32> = global @output
             %zero: u32 = const 0
             %6: f32 = load %cache[%zero]
             store %output[%ticket], %6
             %7: f32 = load %output[0]
             %8: f32 = add %7, %6
             store %output[0], %8
             return
         }
         entry main @main compute 64, 1, 1",
        expect![[r#"
            struct Params
            {
                float scale;
                uint count;
            }

            uint first_seed()
            {
                return 7u;
            }

            [[vk::binding(2, 1)]] ConstantBuffer<Params> gParams;
            uniform float bias;
            StructuredBuffer<float3> input;
            RWStructuredBuffer<float> output;
            RWStructuredBuffer<uint> counter;
            groupshared float cache[64];
            static uint seed = first_seed();

            uint thread(uint3 dispatchThreadID)
            {
                let id = dispatchThreadID;
                return id.x;
            }

            [shader("compute")]
            [numthreads(64, 1, 1)]
            void main(uint3 dispatchThreadID : SV_DispatchThreadID, uint local : SV_GroupIndex)
            {
                let count = gParams.count;
                let t = thread(dispatchThreadID);
                if (t >= count)
                {
                    return;
                }
                let v = input[t];
                let scale = gParams.scale;
                let b = bias;
                cache[local] = fma(dot(v, v), scale, b);
                GroupMemoryBarrierWithGroupSync();
                uint ticket;
                InterlockedAdd(counter[0], 1u, ticket);
                InterlockedMax(counter[1], t);
                seed++;
                let cache_element = cache[0];
                output[ticket] = cache_element;
                output[0] += cache_element;
            }
        "#]],
    );
}

#[test]
fn values_of_all_kinds() {
    check(
        "struct $Pair { p: f32, d: f32 }
         func @f(%v: f32x3, %m: f32x3x3, %n: u32, %h: f16) -> (return: f32, all: bool, pair: $Pair, hh: f16, big: i64) {
             %0: f32x3 = mat_mul(%m, %v)
             %1: f32x2 = swizzle %0[2, 0]
             %2: f32 = extract %1[1]
             %inf: f32 = const inf
             %tiny: f32 = const -1e-20
             %3: f32 = extract %m[1][2]
             %4: f32 = sub %2, %3
             %5: f32 = sub %2, %4
             %6: f32 = sub %5, %tiny
             %7: f32 = neg %6
             %8: f32 = neg %7
             %9: bool = lt %8, %inf
             %10: f32x3 = splat %8
             %11: boolx3 = gt %v, %10
             %12: f32x3 = select %11, %v, %10
             %13: f32 = length(%12)
             %14: bool = all(%11)
             %15: bool = and %9, %14
             %16: u32 = const 4026531840
             %17: u32 = xor %n, %16
             %18: u32 = const 3
             %19: u32 = shl %17, %18
             %20: f32 = bitcast %19
             %21: f32 = select %15, %20, %13
             %pair: $Pair = make(%21, %13)
             %22: f16 = const 0.1
             %23: f16 = mul %h, %22
             %24: i64 = const -5000000000
             return %21, %15, %pair, %23, %24
         }",
        expect![[r#"
            struct Pair
            {
                float p;
                float d;
            }

            float f(float3 v, float3x3 m, uint n, half h, out bool all_1, out Pair pair, out half hh, out int64_t big)
            {
                let mat_mul_m_v = mul(m, v);
                let negated = -(-(mat_mul_m_v.zx.y - (mat_mul_m_v.zx.y - m[1].z) - -1e-20));
                let negated_1 = float3(negated);
                let is_greater = v > negated_1;
                let length_result = length(select(is_greater, v, negated_1));
                all_1 = negated < asfloat(2139095040u) && all(is_greater);
                let chosen = all_1 ? asfloat((n ^ 4026531840u) << 3u) : length_result;
                pair = Pair(chosen, length_result);
                hh = h * 0.099975586h;
                big = -5000000000ll;
                return chosen;
            }
        "#]],
    );
}

#[test]
fn names_of_the_user_stay_and_long_expressions_are_cut() {
    check(
        "func @\"Ns::shade<float>\"(%this: f32, %sin: f32) -> (return: f32, sin': f32) {
             %albedo: f32 = mul %this, %sin
             %t: f32 = sin(%albedo)
             %t.1: f32 = mul %t, %t
             %0: f32 = add %t.1, %albedo
             return %0, %t
         }",
        expect![[r#"
            float Ns_shade_float(float self, float sin_1, out float d_sin)
            {
                let albedo = self * sin_1;
                let t = sin(albedo);
                let t_1 = t * t;
                d_sin = t;
                return t_1 + albedo;
            }
        "#]],
    );
}

#[test]
fn interface_values_are_structs_with_a_tag() {
    check(
        "struct $Circle { r: f32 }
         struct $Square { side: f32 }
         sum !IShape { 0: $Circle, 7: $Square }
         func @area(%s: !IShape) -> (return: f32) {
             %r: f32 = sum_match %s variant (%circle: $Circle) {
                 %0: f32 = extract %circle[0]
                 %1: f32 = mul %0, %0
                 %pi: f32 = const 3.25
                 %2: f32 = mul %pi, %1
                 yield %2
             } variant (%square: $Square) {
                 %3: f32 = extract %square[0]
                 %4: f32 = mul %3, %3
                 yield %4
             }
             return %r
         }
         func @unit(%round: bool) -> (return: f32, tag: u32) {
             %one: f32 = const 1
             %s: !IShape = if %round {
                 %c: $Circle = make(%one)
                 %0: !IShape = sum_make 0, %c
                 yield %0
             } else {
                 %q: $Square = make(%one)
                 %1: !IShape = sum_make 1, %q
                 yield %1
             }
             %a: f32 = call @area(%s)
             %t: u32 = sum_tag %s
             return %a, %t
         }",
        expect![[r#"
            struct Circle
            {
                float r;
            }

            struct Square
            {
                float side;
            }

            struct IShape
            {
                uint tag;
                Circle as_Circle;
                Square as_Square;
            }

            float area(IShape s)
            {
                switch (s.tag)
                {
                    case 1:
                    {
                        let circle = s.as_Circle;
                        return 3.25 * (circle.r * circle.r);
                    }
                    default:
                    {
                        let square = s.as_Square;
                        return square.side * square.side;
                    }
                }
            }

            float unit(bool round, out uint tag)
            {
                IShape s;
                if (round)
                {
                    let c = Circle(1.0);
                    s = IShape(1u, c, (Square)0);
                }
                else
                {
                    let q = Square(1.0);
                    s = IShape(2u, (Circle)0, q);
                }
                let a = area(s);
                let t = s.tag - 1u;
                tag = t;
                return a;
            }
        "#]],
    );
}

#[test]
fn steps_at_continue_are_not_taken_twice() {
    check(
        "func @f(%n: i32) -> (return: i32) {
             %zero: i32 = const 0
             %one: i32 = const 1
             %two: i32 = const 2
             %i: i32, %s: i32 = loop (%zero, %zero) cond (%i.1: i32, %s.1: i32) {
                 %0: bool = lt %i.1, %n
                 yield %0
             } body (%i.2: i32, %s.2: i32) {
                 %1: i32 = rem %i.2, %two
                 %2: bool = eq %1, %one
                 if %2 {
                     %i.3: i32 = add %i.2, %one
                     continue %i.3, %s.2
                 } else {
                     yield
                 }
                 %s.3: i32 = add %s.2, %i.2
                 %i.4: i32 = add %i.2, %one
                 yield %i.4, %s.3
             }
             %j: i32, %t: i32 = loop (%zero, %s) cond (%j.1: i32, %t.1: i32) {
                 %3: bool = lt %j.1, %n
                 yield %3
             } body (%j.2: i32, %t.2: i32) {
                 %4: i32 = rem %t.2, %two
                 %5: bool = eq %4, %one
                 if %5 {
                     %j.3: i32 = add %j.2, %one
                     %j.4: i32 = add %j.3, %one
                     continue %j.4, %t.2
                 } else {
                     yield
                 }
                 %t.3: i32 = add %t.2, %j.2
                 %j.5: i32 = add %j.2, %one
                 yield %j.5, %t.3
             }
             return %t
         }",
        expect![[r#"
            int f(int n)
            {
                var s = 0;
                for (var i = 0; i < n; i++)
                {
                    if (i % 2 == 1)
                    {
                        continue;
                    }
                    s += i;
                }
                var j = 0;
                var t = s;
                while (j < n)
                {
                    if (t % 2 == 1)
                    {
                        j++;
                        j++;
                        continue;
                    }
                    t += j;
                    j++;
                }
                return t;
            }
        "#]],
    );
}

#[test]
fn addresses_are_those_of_places() {
    check(
        "global @cache: variable<[f32; 4]> groupshared
         func @f(%i: i32) -> (return: f32) {
             %cache: variable<[f32; 4]> = global @cache
             %p: pointer<f32> = intrinsic pointer.address_of(%cache, %i)
             %x: f32 = const 2
             store %p[0], %x
             %y: f32 = load %cache[1]
             return %y
         }",
        expect![[r#"
            groupshared float cache[4];

            float f(int i)
            {
                let p = __getAddress(cache[i]);
                p[0] = 2.0;
                let y = cache[1];
                return y;
            }
        "#]],
    );
}

#[test]
fn roles_and_places_make_parameters_and_names_do_not() {
    check(
        "func @f(%o: f32x3, %en: bool at 2, %n: f32x3 at 3) -> (a: f32 at 1, inout %n: f32x3) {
             %0: f32 = extract %o[0]
             %1: f32x3 = add %n, %o
             return %0, %1
         }
         func @throws(%x: f32, %error: i32, %failed: bool) -> (return: f32, failed failed: bool, error error: i32) {
             return %x, %failed, %error
         }
         func @names(%self: f32, %x: f32) -> (self: f32, x: f32, result: f32) {
             %0: f32 = add %self, %x
             return %x, %self, %0
         }",
        expect![[r#"
            void f(float3 o, out float a, bool en, inout float3 n)
            {
                a = o.x;
                n += o;
            }

            float throws(float x, int error, bool failed, out bool failed_1, out int error_1)
            {
                failed_1 = failed;
                error_1 = error;
                return x;
            }

            void names(float self, float x, out float self_1, out float x_1, out float result)
            {
                self_1 = x;
                x_1 = self;
                result = self + x;
            }
        "#]],
    );
}

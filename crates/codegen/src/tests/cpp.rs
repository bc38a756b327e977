use expect_test::{Expect, expect};

use super::{emit_text, emit_with};
use crate::{EmitOptions, Target};

/// Compares what follows the library.
fn check(target: Target, ir: &str, expected: Expect) {
    check_with(target, ir, &EmitOptions::default(), expected);
}

fn check_with(target: Target, ir: &str, options: &EmitOptions, expected: Expect) {
    let text = emit_with(ir, target, options);
    let program = text.split_once("using namespace rt;\n").map_or(&text[..], |(_, program)| program);
    expected.assert_eq(program.trim_end_matches("\n\n} // namespace shader\n"));
}

#[test]
fn a_function_without_globals_stands_by_itself() {
    check(
        Target::Cpp,
        "func @f(%v: f32x3, %s: f32) -> (return: f32x2, half: f32) {
             %two: f32 = const 2
             %half: f32 = div %s, %two
             %1: f32x3 = splat %half
             %2: f32x3 = mul %v, %1
             %3: f32x2 = swizzle %2[2, 0]
             %4: f32 = length(%v)
             %5: f32x2 = splat %4
             %6: f32x2 = add %3, %5
             return %6, %half
         }",
        expect![[r#"
            using float2 = vec<float, 2>;
            using float3 = vec<float, 3>;

            float2 f(float3 v, float s, float& half_1)
            {
                half_1 = s / 2.0f;
                float2 result = (v * float3(half_1)).zx() + float2(length(v));
                return result;
            }"#]],
    );
}

/// Only what may be out of bounds is tested: reads say so themselves, writes stand behind a condition.
#[test]
fn indices_are_tested_where_they_may_be_out_of_bounds() {
    check_with(
        Target::Cpp,
        "func @f(%a: [f32; 4], %i: i32) -> (return: f32, out: [f32; 4]) {
             %three: i32 = const 3
             %j: i32 = and %i, %three
             %x: f32 = extract %a[%i]
             %y: f32 = extract %a[%j]
             %sum: f32 = add %x, %y
             %b: [f32; 4] = insert %a[%i], %sum
             %out: [f32; 4] = insert %b[%j], %x
             return %sum, %out
         }",
        &EmitOptions { checked: true, ..EmitOptions::default() },
        expect![[r#"

            float f(Array<float, 4> a, int i, Array<float, 4>& out)
            {
                int j = i & 3;
                float x = a.at(i);
                float y = a[j];
                float sum = x + y;
                Array<float, 4> b;
                if (uint(i) < 4u)
                {
                    b = a;
                    b[i] = sum;
                }
                else
                {
                    b = a;
                }
                out = b;
                out[j] = x;
                return sum;
            }"#]],
    );
}

/// g++ takes `(T(U(x), U(x)) + …) * …` for a cast to the type of a function with two parameters `x`.
#[test]
fn arguments_are_not_taken_for_parameters() {
    check(
        Target::Cpp,
        "func @f(%n: i32, %v: f32x2) -> (return: f32x2) {
             %1: f32 = convert %n
             %2: f32 = convert %n
             %3: f32x2 = make(%1, %2)
             %4: f32x2 = add %3, %v
             %5: f32x2 = mul %4, %v
             return %5
         }",
        expect![[r#"
            using float2 = vec<float, 2>;

            float2 f(int n, float2 v)
            {
                return (float2(float(n), (float(n))) + v) * v;
            }"#]],
    );
}

#[test]
fn only_the_needed_parts_of_the_library_are_written() {
    let add = "func @f(%a: f32, %b: f32) -> (return: f32) {
             %1: f32 = add %a, %b
             return %1
         }";
    let text = emit_text(add, Target::Cuda);
    assert!(!text.contains("struct vec\n") && !text.contains("#define FLOAT1"), "{text}");
    let sine = "func @f(%a: f16) -> (return: f16) {
             %1: f16 = sin(%a)
             return %1
         }";
    let text = emit_text(sine, Target::Cuda);
    assert!(text.contains("FLOAT1(sin,") && text.contains("struct half\n") && !text.contains("FLOAT1(cos,"), "{text}");
}

const PROGRAM: &str = "struct $Params { scale: f32, on: bool }
         global @params: constant<$Params> parameter
         global @output: rwbuffer<f32> parameter
         global @cache: variable<[f32; 64]> groupshared
         global @seed: variable<u32> static @first_seed
         func @first_seed() -> (return: u32) {
             %0: u32 = const 7
             return %0
         }
         func @scaled(%x: f32) -> (return: f32) {
             %params: constant<$Params> = global @params
             %scale: f32 = load %params[0]
             %on: bool = load %params[1]
             %1: f32 = mul %x, %scale
             %2: f32 = select %on, %1, %x
             return %2
         }
         func @twice(%x: f32) -> (return: f32) {
             %1: f32 = add %x, %x
             return %1
         }
         func @main() -> () {
             %id: u32x3 = builtin dispatch_thread_id
             %i: u32 = extract %id[0]
             %local: u32 = builtin group_index
             %x: f32 = convert %i
             %y: f32 = call @scaled(%x)
             %z: f32 = call @twice(%y)
             %cache: variable<[f32; 64]> = global @cache
             store %cache[%local], %z
             %seed: variable<u32> = global @seed
             %one: u32 = const 1
             %4: u32 = load %seed
             %5: u32 = add %4, %one
             store %seed, %5
             %output: rwbuffer<f32> = global @output
             %old: f32 = atomic add %output[%i], %z
             %6: u32 = add %i, %5
             store %output[%6], %old
             return
         }
         entry main @main compute 64, 1, 1";

#[test]
fn what_uses_globals_is_a_member_of_a_thread() {
    check(
        Target::Cpp,
        PROGRAM,
        expect![[r#"
            using uint3 = vec<uint, 3>;

            struct Params
            {
                float scale;
                bool on;
            };

            float twice(float x)
            {
                return x + x;
            }

            uint first_seed()
            {
                return 7u;
            }

            /// What one thread sees.
            struct Thread
            {
                Params params;
                RWStructuredBuffer<float> output;
                Array<float, 64>& cache;
                uint seed = first_seed();

                float scaled(float x)
                {
                    float scale = params.scale;
                    bool on = params.on;
                    return on ? x * scale : x;
                }

                void main(uint3 id, uint local)
                {
                    uint i = id.x;
                    float x = float(i);
                    float y = scaled(x);
                    float z = twice(y);
                    cache[local] = z;
                    uint sum = seed + 1u;
                    seed = sum;
                    float old = atomic_add(output[i], z);
                    output[i + sum] = old;
                }
            };

            extern "C" void run_main(uint groups_x, uint groups_y, uint groups_z, const Params* params, float* output,
                uint output_count)
            {
                const uint3 size(64, 1, 1);
                for_each(uint3(groups_x, groups_y, groups_z), [&](uint3 group)
                {
                    Array<float, 64> cache = {};
                    for_each(size, [&](uint3 thread)
                    {
                        Thread self{*params, {output, output_count}, cache};
                        self.main(group * size + thread, (thread.z * size.y + thread.y) * size.x + thread.x);
                    });
                });
            }"#]],
    );
}

#[test]
fn a_kernel_tests_before_it_writes() {
    check_with(
        Target::Cuda,
        PROGRAM,
        &EmitOptions { checked: true, ..EmitOptions::default() },
        expect![[r#"
            using uint3 = vec<uint, 3>;

            struct Params
            {
                float scale;
                bool on;
            };

            __device__ float twice(float x)
            {
                return x + x;
            }

            __device__ uint first_seed()
            {
                return 7u;
            }

            /// What one thread sees.
            struct Thread
            {
                Params params;
                RWStructuredBuffer<float> output;
                Array<float, 64>& cache;
                uint seed = first_seed();

                __device__ float scaled(float x)
                {
                    float scale = params.scale;
                    bool on = params.on;
                    return on ? x * scale : x;
                }

                __device__ void main(uint3 id, uint local)
                {
                    uint output_length = output.count;
                    uint i = id.x;
                    float x = float(i);
                    float y = scaled(x);
                    float z = twice(y);
                    if (local < 64u)
                    {
                        cache[local] = z;
                    }
                    uint sum = seed + 1u;
                    seed = sum;
                    float old;
                    if (i < output_length)
                    {
                        old = atomic_add(output[i], z);
                    }
                    else
                    {
                        old = 0.0f;
                    }
                    uint sum_1 = i + sum;
                    if (sum_1 < output_length)
                    {
                        output[sum_1] = old;
                    }
                }
            };

            extern "C" __global__ void __launch_bounds__(64) main_kernel(Params params, float* output, uint output_count)
            {
                __shared__ Array<float, 64> cache;
                const uint3 size(64, 1, 1);
                const uint3 group(blockIdx.x, blockIdx.y, blockIdx.z);
                const uint3 thread(threadIdx.x, threadIdx.y, threadIdx.z);
                Thread self{params, {output, output_count}, cache};
                self.main(group * size + thread, (thread.z * size.y + thread.y) * size.x + thread.x);
            }"#]],
    );
}

#[test]
fn integers_that_may_overflow_are_computed_by_functions() {
    check(
        Target::Cpp,
        "func @f(%n: i32, %u: u32, %s: i8) -> (return: i32, small: i8) {
             %zero: i32 = const 0
             %one: i32 = const 1
             %seven: u32 = const 7
             %three: u32 = const 3
             %i: i32, %sum: i32 = loop (%zero, %zero) cond (%i.1: i32, %sum.1: i32) {
                 %1: bool = lt %i.1, %n
                 yield %1
             } body (%i.1: i32, %sum.1: i32) {
                 %2: i32 = div %n, %i.1
                 %sum.2: i32 = add %sum.1, %2
                 %next: i32 = add %i.1, %one
                 yield %next, %sum.2
             }
             %3: u32 = rem %u, %seven
             %4: u32 = shl %3, %three
             %5: u32 = shr %4, %u
             %6: i32 = convert %5
             %7: i32 = add %sum, %6
             %8: i8 = add %s, %s
             return %7, %8
         }",
        expect![[r#"

            int f(int n, uint u, int8_t s, int8_t& small)
            {
                int sum = 0;
                for (int i = 0; i < n; i++)
                {
                    sum = wrapping_add(sum, quotient(n, i));
                }
                small = int8_t(s + s);
                return wrapping_add(sum, int(shift_right((u % 7u) << 3u, u)));
            }"#]],
    );
}

#[test]
fn special_numbers_and_conversions() {
    check(
        Target::Cpp,
        "func @f(%x: f32, %v: f64x2) -> (return: i32, w: i64x2) {
             %inf: f32 = const inf
             %1: f32 = mul %x, %inf
             %2: i32 = convert %1
             %3: i64x2 = convert %v
             return %2, %3
         }",
        expect![[r#"
            using double2 = vec<double, 2>;
            using int64_t2 = vec<int64_t, 2>;

            int f(float x, double2 v, int64_t2& w)
            {
                w = int64_t2(v);
                return convert<int>(x * infinity<float>());
            }"#]],
    );
}

#[test]
fn functions_that_call_one_another_are_declared_before() {
    check(
        Target::Cuda,
        "func @even(%n: u32) -> (return: bool) {
             %zero: u32 = const 0
             %one: u32 = const 1
             %is_zero: bool = eq %n, %zero
             %r: bool = if %is_zero {
                 %true: bool = const true
                 yield %true
             } else {
                 %m: u32 = sub %n, %one
                 %odd: bool = call @odd(%m)
                 yield %odd
             }
             return %r
         }
         func @odd(%n: u32) -> (return: bool) {
             %even: bool = call @even(%n)
             %r: bool = not %even
             return %r
         }",
        expect![[r#"

            __device__ bool even(uint n);

            __device__ bool odd(uint n)
            {
                bool even_1 = even(n);
                bool r = !even_1;
                return r;
            }

            __device__ bool even(uint n)
            {
                bool is_zero = n == 0u;
                if (is_zero)
                {
                    return true;
                }
                else
                {
                    uint m = n - 1u;
                    bool odd_1 = odd(m);
                    return odd_1;
                }
            }"#]],
    );
}

#[test]
fn formats_fit_their_arguments() {
    check(
        Target::Cuda,
        r#"func @f(%a: f16, %b: i64, %c: u32) -> () {
             print "%g %5d \"%%\" %x\n"(%a, %b, %c)
             return
         }"#,
        expect![[r#"

            __device__ void f(half a, int64_t b, uint c)
            {
                printf("%g %5lld \"%%\" %x\n", double(a), (long long)(b), c);
            }"#]],
    );
    let vector = r#"func @f(%v: f32x2) -> () {
             print "%f"(%v)
             return
         }"#;
    assert_eq!(
        emit_text(vector, Target::Cpp),
        "error: `printf` with an argument of this type for `%f` is not supported for target `cpp`\n"
    );
}

#[test]
fn what_cannot_be_said_is_an_error() {
    let waits = "func @main() -> () {
             barrier
             return
         }
         entry main @main compute 64, 1, 1";
    assert_eq!(emit_text(waits, Target::Cpp), "error: a barrier is not supported for target `cpp`\n");
    assert!(emit_text(waits, Target::Cuda).contains("__syncthreads();"));
    let empty = "struct $Empty { }
         struct $Item { e: $Empty, x: f32 }
         global @items: rwbuffer<$Item> parameter
         func @main() -> () {
             %items: rwbuffer<$Item> = global @items
             %zero: $Item = zero
             store %items[0], %zero
             return
         }
         entry main @main compute 1, 1, 1";
    assert_eq!(
        emit_text(empty, Target::Cuda),
        "error: `items` holds values of a type that is not supported in memory for this target\n"
    );
}

#[test]
fn a_pointer_is_given_as_itself() {
    let text = "global @s: pointer<f32> parameter
         func @main() -> () {
             %s: pointer<f32> = global @s
             %0: i32 = const 1
             %1: f32 = load %s[0]
             store %s[%0], %1
             return
         }
         entry main @main compute 1, 1, 1";
    let (cpp, cuda) = (emit_text(text, Target::Cpp), emit_text(text, Target::Cuda));
    assert!(cpp.contains("uint groups_z, float* s)") && cpp.contains("{s}"), "{cpp}");
    assert!(cuda.contains("main_kernel(float* s)") && cuda.contains("{s}"), "{cuda}");
}

/// A name of the library is not given to what the user declares.
#[test]
fn names_of_the_library_are_reserved() {
    let library = [include_str!("../clike/runtime/common.h"), include_str!("../clike/runtime/cpp.h")].concat();
    let declared = library.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| {
        let after = |word: &str| line.split_once(word).map(|(_, rest)| rest);
        // Functions may share a name with others of theirs: the parameters tell them apart.
        let name = after("struct ").or_else(|| after("#define "))?;
        let name = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
        (!name.is_empty() && name != "operator").then_some(name)
    });
    let declared: Vec<&str> = declared.collect();
    assert!(declared.len() > 20, "{declared:?}");
    for name in declared {
        let text = format!(
            "func @{name}(%x: f32) -> (return: f32) {{ %0: f32 = sin(%x) return %0 }}
             func @f(%x: f32) -> (return: f32) {{ %0: f32 = call @{name}(%x) return %0 }}"
        );
        let text = emit_text(&text, Target::Cpp);
        assert!(text.contains(&format!("return {name}_1(x)")), "{name}: {text}");
    }
}

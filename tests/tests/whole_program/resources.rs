//! Resources in the interpreter. Tensors of PyTorch: loads, stores and atomics over bound buffers, and the derivatives of
//! them that the core library has as ordinary code; expected numbers follow from calculus. Textures: loads, stores and
//! samples. Atomic operations on floats.

use std::process::Command;

use serde_json::{Value, json};
use whole_program_tests::process::Limited as _;
use whole_program_tests::server;

/// Runs `main` over buffers of floats; returns all of them afterwards.
fn run(name: &str, text: &str, groups: &str, buffers: &[(&str, &[f32])], uniforms: Value) -> Vec<Vec<f32>> {
    let folder = std::env::temp_dir().join(format!("slang-analyzer-resources-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    let (file, spec) = (folder.join("main.slang"), folder.join("spec.json"));
    std::fs::write(&file, text).expect("the folder can be written");
    let described = |(name, content): &(&str, &[f32])| {
        let words: Vec<u32> = content.iter().map(|number| number.to_bits()).collect();
        json!({"name": name, "stride": 4, "words": words, "out": true})
    };
    let document =
        json!({"buffers": buffers.iter().map(described).collect::<Vec<_>>(), "uniforms": uniforms}).to_string();
    std::fs::write(&spec, document).expect("the folder can be written");
    let output = Command::new(server())
        .arg("run")
        .arg(&file)
        .args(["--entry", "main", "--groups", groups, "--engine", "interp", "--io"])
        .arg(&spec)
        .finished()
        .expect("the analyzer runs");
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    let shown = || format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}", shown());
    let answer: Value = serde_json::from_slice(&output.stdout).expect("`run` prints JSON");
    let words = |(name, _): &(&str, &[f32])| {
        let words = answer["buffers"][name]["words"].as_array().expect("every buffer is given out");
        words.iter().map(|word| f32::from_bits(word.as_u64().unwrap_or_default() as u32)).collect()
    };
    buffers.iter().map(words).collect()
}

/// `DiffTensorView` over two buffers.
fn pair(primal: &str, differential: &str, sizes: &[u32]) -> Value {
    json!({"value": [{"buffer": primal, "sizes": sizes}, {"value": [{"buffer": differential, "sizes": sizes}]}]})
}

#[test]
fn elements_lie_where_strides_say() {
    let text = "
        [CudaKernel] void main(TensorView<float> a, TensorView<float> result) {
            uint i = cudaThreadIdx().x;
            uint3 last = uint3(1, 0, 1);
            result[0] = a.load(1, 0, 1) + a[last] * 10 + a[uint3(0, 1, 1)] * 100;
            result.store(1, a.size(2) * 10 + a.dims() + i);
            result[2] += a.stride(0);
        }";
    let a: Vec<f32> = (0..8).map(|index| index as f32).collect();
    let uniforms = json!({"a": {"buffer": "a", "sizes": [2, 2, 2]}});
    let buffers = run("strides", text, "1,1,1", &[("a", &a), ("result", &[0.0, 0.0, 1.0])], uniforms);
    assert_eq!(buffers[1], [355.0, 23.0, 17.0]);
}

/// Every thread adds the derivative of `x * x` at the same element: 3 threads, weight 2, x = 5.
#[test]
fn gradients_of_loads_add_up() {
    let text = "
        [Differentiable] float square(DiffTensorView t, uint i) { let x = t.load(i); return x * x; }
        [shader(\"compute\")] [numthreads(3, 1, 1)]
        void main(uniform DiffTensorView t) { bwd_diff(square)(t, 1u, 2.0); }";
    let t = pair("a", "da", &[2]);
    let buffers = run("loads", text, "1,1,1", &[("a", &[4.0, 5.0]), ("da", &[0.0, 0.5])], json!({"t": t}));
    assert_eq!(buffers[1], [0.0, 60.5]);
}

/// y[i] = x[i]^3: the gradient of y is taken, and that of x is 3 x^2 times it.
#[test]
fn gradients_of_stores_are_taken() {
    let text = "
        [Differentiable] void cube(DiffTensorView x, DiffTensorView y, uint i) { y[i] = x[i] * x[i] * x[i]; }
        [shader(\"compute\")] [numthreads(2, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID, uniform DiffTensorView x, uniform DiffTensorView y) {
            bwd_diff(cube)(x, y, id.x);
        }";
    let uniforms = json!({"x": pair("x", "dx", &[2]), "y": pair("y", "dy", &[2])});
    let memory: [(&str, &[f32]); 4] =
        [("x", &[2.0, -3.0]), ("dx", &[0.0, 0.0]), ("y", &[0.0, 0.0]), ("dy", &[1.0, 0.5])];
    let buffers = run("stores", text, "1,1,1", &memory, uniforms);
    assert_eq!(buffers[1], [12.0, 13.5]);
    assert_eq!(buffers[3], [0.0, 0.0]);
}

/// `loadOnce` and `storeOnce` overwrite instead of adding: y = 4 x, dx = 4 dy.
#[test]
fn what_is_read_once_gets_its_gradient_without_adding() {
    let text = "
        [Differentiable] void scale(DiffTensorView x, DiffTensorView y, uint i) { y.storeOnce(i, 4 * x.loadOnce(i)); }
        [shader(\"compute\")] [numthreads(2, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID, uniform DiffTensorView x, uniform DiffTensorView y) {
            scale(x, y, id.x);
            bwd_diff(scale)(x, y, id.x);
        }";
    let uniforms = json!({"x": pair("x", "dx", &[2]), "y": pair("y", "dy", &[2])});
    let memory: [(&str, &[f32]); 4] =
        [("x", &[2.0, 3.0]), ("dx", &[100.0, 100.0]), ("y", &[0.0, 0.0]), ("dy", &[1.0, 0.5])];
    let buffers = run("once", text, "1,1,1", &memory, uniforms);
    assert_eq!(buffers[2], [8.0, 12.0]);
    assert_eq!(buffers[1], [4.0, 2.0]);
    assert_eq!(buffers[3], [1.0, 0.5]);
}

/// Forward: y = x^2 gets the derivative 2 x dx.
#[test]
fn derivatives_are_carried_forward_through_tensors() {
    let text = "
        [Differentiable] void square(DiffTensorView x, DiffTensorView y, uint2 i) { y[i] = x[i] * x[i]; }
        [shader(\"compute\")] [numthreads(2, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID, uniform DiffTensorView x, uniform DiffTensorView y) {
            fwd_diff(square)(x, y, uint2(0, id.x));
        }";
    let uniforms = json!({"x": pair("x", "dx", &[1, 2]), "y": pair("y", "dy", &[1, 2])});
    let memory: [(&str, &[f32]); 4] =
        [("x", &[2.0, 3.0]), ("dx", &[1.0, 10.0]), ("y", &[0.0, 0.0]), ("dy", &[7.0, 7.0])];
    let buffers = run("forward", text, "1,1,1", &memory, uniforms);
    assert_eq!([&buffers[2][..], &buffers[3][..]].concat(), [4.0, 9.0, 4.0, 60.0]);
}

/// Gradients go where a type of the program puts them: here all elements share one sum, scaled by 10.
#[test]
fn gradients_accumulate_as_a_type_of_the_program_says() {
    let text = "
        struct Shared : IDiffTensorWrapper {
            TensorView<float> sum;
            T load_forward<T : __BuiltinFloatingPointType>(uint i) { return __realCast<T>(sum.load(0)); }
            T load_forward<T : __BuiltinFloatingPointType, let N : int>(vector<uint, N> i) { return __realCast<T>(sum.load(0)); }
            void load_backward<T : __BuiltinFloatingPointType>(uint i, T d) {
                float before;
                sum.InterlockedAdd(0u, 10 * __realCast<float>(d), before);
            }
            void load_backward<T : __BuiltinFloatingPointType, let N : int>(vector<uint, N> i, T d) { load_backward<T>(0u, d); }
            void store_forward<T : __BuiltinFloatingPointType>(uint i, T d) {}
            void store_forward<T : __BuiltinFloatingPointType, let N : int>(vector<uint, N> i, T d) {}
            T store_backward<T : __BuiltinFloatingPointType>(uint i) { return T(0); }
            T store_backward<T : __BuiltinFloatingPointType, let N : int>(vector<uint, N> i) { return T(0); }
            T loadOnce_forward<T : __BuiltinFloatingPointType>(uint i) { return T(0); }
            T loadOnce_forward<T : __BuiltinFloatingPointType, let N : int>(vector<uint, N> i) { return T(0); }
            void loadOnce_backward<T : __BuiltinFloatingPointType>(uint i, T d) {}
            void loadOnce_backward<T : __BuiltinFloatingPointType, let N : int>(vector<uint, N> i, T d) {}
            void storeOnce_forward<T : __BuiltinFloatingPointType>(uint i, T d) {}
            void storeOnce_forward<T : __BuiltinFloatingPointType, let N : int>(vector<uint, N> i, T d) {}
            T storeOnce_backward<T : __BuiltinFloatingPointType>(uint i) { return T(0); }
            T storeOnce_backward<T : __BuiltinFloatingPointType, let N : int>(vector<uint, N> i) { return T(0); }
        }
        [Differentiable] float product(DiffTensorView<float, Shared> t) { return t[0] * t[uint2(1, 0)]; }
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void main(uniform DiffTensorView<float, Shared> t) { bwd_diff(product)(t, 1.0); }";
    let buffers =
        run("own", text, "1,1,1", &[("a", &[2.0, 3.0]), ("sum", &[0.0])], json!({"t": pair("a", "sum", &[2, 1])}));
    assert_eq!(buffers[1], [50.0]);
}

/// In front of an atomic and with a value an operator gives what it leaves, behind it what was there.
#[test]
fn operators_of_atomics_give_values() {
    let text = "RWStructuredBuffer<Atomic<float>> sums;
        RWStructuredBuffer<float> seen;
        groupshared Atomic<uint> count;
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void main() {
            seen[0] = sums[0] += 0.5;
            seen[1] = sums[0] -= 1.0;
            count.store(4);
            seen[2] = float(++count);
            seen[3] = float(count++);
            seen[4] = float(count |= 8);
            seen[5] = float(--count);
        }";
    let buffers = run("operators", text, "1,1,1", &[("sums", &[1.0]), ("seen", &[0.0; 6])], json!({}));
    assert_eq!(buffers[1], [1.5, 0.5, 5.0, 5.0, 14.0, 13.0]);
}

/// 4 threads add 0.25 to an element of a structured buffer, one takes the larger of two, one exchanges.
#[test]
fn floats_are_added_in_one_step() {
    let text = "
        RWStructuredBuffer<float> sums;
        [shader(\"compute\")] [numthreads(4, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID) {
            InterlockedAdd(sums[0], 0.25);
            float before;
            InterlockedAdd(sums[1], float(id.x), before);
            sums[2 + id.x] = before;
        }";
    let buffers = run("floats", text, "1,1,1", &[("sums", &[1.0, 0.5, 0.0, 0.0, 0.0, 0.0])], json!({}));
    assert_eq!(buffers[0], [2.0, 6.5, 0.5, 0.5, 1.5, 3.5]);
}

/// A texture of four texels along each dimension, all the same.
fn texture(content: &str) -> Value {
    json!({"resource": "Texture", "options": {"size": "4", "arrayLength": "2", "content": content}})
}

#[test]
fn texels_are_stored_and_loaded() {
    let text = "
        RWTexture2D<float4> image; RWTexture1DArray<int> counts; RWStructuredBuffer<float> result;
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void main() {
            image[uint2(1, 0)] = float4(1, 2, 3, 4);
            image[uint2(1, 0)].y += 5;
            image.Store(uint2(0, 1), float4(9));
            image[uint2(4, 0)] = float4(1);
            counts[uint2(3, 1)] -= 7;
            result[0] = image[uint2(1, 0)].y;
            result[1] = image.Load(int2(0, 1)).w;
            result[2] = image[uint2(4, 0)].x;
            result[3] = counts[uint2(3, 1)];
        }";
    let uniforms = json!({"image": texture("zero"), "counts": texture("zero")});
    assert_eq!(run("texels", text, "1,1,1", &[("result", &[0.0; 4])], uniforms)[0], [7.0, 9.0, 0.0, -7.0]);
}

#[test]
fn textures_are_sampled_and_measured() {
    let text = "
        Texture2D<float4> flat; TextureCube<float> cube; Texture2DArray<float2> layers; SamplerState s;
        RWStructuredBuffer<float> result;
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void main() {
            uint status, width, height, count;
            layers.GetDimensions(width, height, count);
            result[0] = width * 100 + height * 10 + count;
            result[1] = flat.Sample(s, float2(0.3, 0.7)).z + flat.SampleLevel(s, float2(0.1, 0.2), 3, int2(1, 2)).x;
            result[2] = cube.SampleLevel(s, float3(1, 2, 3), 0);
            result[3] = layers.SampleGrad(s, float3(0.5, 0.5, 1), float2(0), float2(0)).y;
            result[4] = flat.Load(int3(3, 3, 0)).x + 10 * flat.Load(int3(4, 0, 0)).x + 100 * flat[uint2(0, 0)].x;
            result[5] = flat.Gather(s, float2(0.5, 0.5)).w;
            result[6] = flat.Sample(s, float2(0, 0), int2(0, 0), 0, status).x + (CheckAccessFullyMapped(status) ? 2 : 0);
        }";
    let uniforms = json!({"flat": texture("one"), "cube": texture("one"), "layers": texture("one")});
    let buffers = run("samples", text, "1,1,1", &[("result", &[0.0; 7])], uniforms);
    assert_eq!(buffers[0], [442.0, 2.0, 1.0, 1.0, 101.0, 1.0, 3.0]);
}

#[test]
fn pointers_step_by_elements() {
    let text = "
        RWStructuredBuffer<float> result;
        groupshared float shared[8];
        [shader(\"compute\")] [numthreads(1, 1, 1)] void main() {
            for (int i = 0; i < 8; i++) shared[i] = i;
            float* p = &shared[0];
            p++;
            ++p;
            result[0] = *p;
            float* before = p++;
            result[1] = *before;
            result[2] = *p;
            p--;
            result[3] = *--p;
            for (float* q = &shared[1]; q != &shared[5]; q++) result[4] += *q;
        }";
    let buffers = run("pointer-steps", text, "1,1,1", &[("result", &[0.0; 5])], json!({}));
    assert_eq!(buffers[0], [2.0, 2.0, 3.0, 1.0, 10.0]);
}

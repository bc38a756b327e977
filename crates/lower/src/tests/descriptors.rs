//! Handles of resources by their numbers: `T.Handle`, `DescriptorHandle<T>`.

use super::{lower, unsupported};
use interp::{Handle, Limits, Machine, Memory, Precision, Value};
use test_support::modules::verified;

/// What `f` leaves in the buffer `data`, of which it has a handle.
fn left_in_data(text: &str, words: &[f32]) -> Vec<f32> {
    let lowered = lower(text, "f", &[]);
    assert_eq!(lowered.errors, []);
    let (mut module, root) = (verified(lowered.module), lowered.roots[0].unwrap());
    autodiff::expand(&mut module, &[root]).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let mut memory = Memory::default();
    let words: Vec<u32> = words.iter().map(|word| word.to_bits()).collect();
    let buffer = memory.add_buffer(&words);
    let (global, data) = module.globals.iter().find(|(_, global)| global.name == "data").unwrap();
    assert!(data.by_descriptor, "the host gives its number");
    memory.bind(&module, global, &Value::Handle(Handle::buffer(buffer))).unwrap();
    Machine::new(&module, Precision::F64, Limits::default()).call_with(root, &[], &mut memory).unwrap();
    memory.words(buffer).into_iter().map(f32::from_bits).collect()
}

#[test]
fn a_handle_is_used_like_its_resource() {
    for ty in ["RWStructuredBuffer<float>.Handle", "DescriptorHandle<RWStructuredBuffer<float>>"] {
        let text = format!(
            "
uniform {ty} data;
struct Slice {{ {ty} handle; int start; float get(int i) {{ return handle[start + i]; }} }}
void put({ty} handle, int i, float value) {{ RWStructuredBuffer<float> direct = handle; direct[i] = value; }}
void f()
{{
    Slice slice = {{ data, 1 }};
    data[0] = slice.get(0) + (*data)[2];
    put(slice.handle, 3, data.Load(1) * 10);
}}"
        );
        assert_eq!(left_in_data(&text, &[1.0, 2.0, 3.0, 4.0]), [5.0, 2.0, 3.0, 20.0], "{ty}");
    }
}

#[test]
fn a_type_around_a_handle_is_a_place_for_derivatives() {
    let text = "
uniform RWStructuredBuffer<float>.Handle data;
struct Address<T> : IDifferentiablePtrType
{
    typealias Differential = Address<T>;
    RWStructuredBuffer<T>.Handle handle;
    int start;
}
[BackwardDerivative(loadBackward)]
float load(Address<float> a, int i) { return a.handle[a.start + i]; }
void loadBackward(DifferentialPtrPair<Address<float>> a, int i, float d) { a.d.handle[a.d.start + i] += d; }
[Differentiable]
float sum(Address<float> a, int n)
{
    float total = 0;
    [MaxIters(3)] for (int i = 0; i < n; i++) total += load(a, i) * (i + 1);
    return total * total;
}
void f() { bwd_diff(sum)(DifferentialPtrPair<Address<float>>({ data, 0 }, { data, 3 }), 3, 1.0); }";
    // (1 + 2 · 2 + 3 · 3)² by each value: 2 · 14 · (i + 1).
    assert_eq!(left_in_data(text, &[1.0, 2.0, 3.0, 0.0, 0.0, 0.0]), [1.0, 2.0, 3.0, 28.0, 56.0, 84.0]);
}

#[test]
fn handles_are_not_read_from_memory() {
    let text = "
struct Material { RWStructuredBuffer<float>.Handle values; float factor; }
StructuredBuffer<Material> materials;
float f() { return materials[0].values[1]; }";
    assert_eq!(unsupported(text, "f"), "a descriptor handle in memory is not supported yet");
}

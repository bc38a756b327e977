//! Pointers that the host gives, as Vulkan has them: addresses of memory whose layout is the natural one, that of C. The compilers
//! of SPIR-V and GLSL accept the code, and what is no address of the host's is refused by name.

use std::process::Command;

use whole_program_tests::{
    process::{Limited as _, Scratch, succeeded},
    programs::{interpret, outcome},
};

const IN_BLOCKS: &str = "
struct Vertex { float3 position; float weight; float2x2 turn; uint count; half small; double large; float3 sides[2]; }
struct Arguments { Vertex* vertices; float* result; uint count; }
[[vk::push_constant]] ConstantBuffer<Arguments> arguments;
uniform uint* flags;
struct Words { uint16_t low; uint16_t next; uint32_t high; }
struct Lists { float** lists; int* lengths[2]; }
ConstantBuffer<Lists> lists;
RWStructuredBuffer<float*> places;

float length_of(Vertex* v) { return length(v->position) + v->sides[1].y; }
Vertex* behind(Vertex* v, int by) { return v + by; }

[shader(\"compute\")] [numthreads(64, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    if (thread.x >= arguments.count) return;
    Vertex copy = arguments.vertices[thread.x];
    Vertex* v = arguments.vertices + thread.x;
    v->count += 1;
    v.turn[1] = copy.turn[0];
    if (arguments.result != nullptr)
        arguments.result[thread.x] = length_of(behind(v, -1)) * copy.weight + float(v.small) + float(v.large);
    float* part = &v.sides[1].z;
    *part = 3.0;
    uint64_t number = uint64_t(flags) + 4;
    InterlockedAdd(*(uint*)number, 2);
    flags[1] = bit_cast<uint2>(part).x;
    flags[2] = reinterpret<Words>(part).high;
    part = reinterpret<float*>(Words(uint16_t(flags[1]), uint16_t(flags[1] >> 16), flags[2]));
    float** list = lists.lists;
    places[thread.x] = list[lists.lengths[1][thread.x]] + 1;
    for (float* p = places[0]; p != places[1]; p++)
        *p = *p * 2;
}
";

const DERIVATIVES: &str = "
struct Layer { float* weights; float* gradients; int inputs; }
[[vk::push_constant]] Layer layer;
[Differentiable] float neuron(float a, float b, no_diff float bias) { return tanh(a * bias + b * b); }
uniform float* result;
[shader(\"compute\")] [numthreads(32, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    int i = int(thread.x) * layer.inputs;
    var a = diffPair(layer.weights[i]);
    var b = diffPair(layer.weights[i + 1]);
    bwd_diff(neuron)(a, b, 0.5, 1.0);
    layer.gradients[i] += a.d;
    layer.gradients[i + 1] += b.d;
    *(result + thread.x) = neuron(a.p, b.p, 0.5);
}
";

const IN_A_BUFFER: &str = "
ConstantBuffer<Ptr<int>> first;
ParameterBlock<int*> second;
RWStructuredBuffer<int> result;
[shader(\"compute\")] [numthreads(4, 1, 1)] void main() { first[123ll] = 4; second[2] += first[1]; result[0] = *first; }
";

const IN_CIRCLES: &str = "
struct Node
{
    float value;
    int count;
    Node* next;
    Node* children[2];
    float sum() { float sum = value; for (int i = 0; i < count; i++) sum += children[i].value; return sum; }
}
struct Owner { Owned* owned; int number; }
struct Owned { Owner* owner; int number; }
struct Scene { Node* root; Owner* owner; }
[[vk::push_constant]] Scene scene;
RWStructuredBuffer<float> result;
Node* last(Node* node) { while (node->next != nullptr) node = node->next; return node; }
[shader(\"compute\")] [numthreads(1, 1, 1)]
void main()
{
    Node* node = last(scene.root);
    Node copy = *node;
    copy.next = scene.root;
    copy.children[1] = node->next;
    *node = copy;
    node->children[0].next = copy.children[1];
    Node* both[2] = copy.children;
    result[0] = both[1].value + both[0]->next->next->value + node.sum();
    Owned* owned = scene.owner->owned;
    owned.number = owned->owner->owned->owner.number;
}
";

/// A ring of two nodes that stand for each other's children, by their addresses.
const RING: &str = "
struct Node { float value; Node* next; Node* children[2]; }
RWStructuredBuffer<float> result;
float sum(Node node) { return node.value + 10 * node.next.value + 100 * node.children[1]->value; }
[shader(\"compute\")] [numthreads(1, 1, 1)]
void main()
{
    Node nodes[2];
    for (int i = 0; i < 2; i++)
    {
        nodes[i].value = 3 + 4 * i;
        nodes[i].next = &nodes[1 - i];
        nodes[i].children = { &nodes[1 - i], &nodes[i] };
    }
    Node* node = &nodes[0];
    for (int i = 0; node && i < 3; ++i) node = node.next;
    result[0] = node.value;
    result[1] = sum(nodes[0]);
    Node copy = *node->children[0];
    copy.next.value = 5;
    copy.value = 11;
    result[2] = nodes[0].value + 100 * nodes[1].value + copy.next->children[1].value;
}
";

/// What the languages' own compilers say of a program.
fn complaints(name: &str, program: &str) -> String {
    let scratch = Scratch::new(name);
    let file = scratch.write("program.slang", program);
    let mut complaints = String::new();
    for target in ["spirv", "glsl"] {
        let code = scratch.file(&format!("code.{target}"));
        let (file, path) = (file.to_str().expect("paths are text"), code.to_str().expect("paths are text"));
        let (status, _, said) = outcome(&["emit", file, "--target", target, "--entry", "main", "-o", path]);
        assert_eq!(status, Some(0), "{target}: {said}");
        let mut command = match target {
            // Natural layouts are those of the feature of this name, which Vulkan has from 1.2 on.
            "spirv" => {
                let mut command = Command::new("spirv-val");
                command.args(["--target-env", "vulkan1.3", "--scalar-block-layout"]);
                command
            }
            _ => {
                let mut command = Command::new("glslangValidator");
                command.args(["-S", "comp", "--target-env", "vulkan1.3"]).current_dir(&scratch.0);
                command
            }
        };
        let output = command.arg(&code).finished().expect("the compiler runs");
        if !output.status.success() {
            complaints += &String::from_utf8_lossy(&[output.stdout, output.stderr].concat());
        }
    }
    complaints
}

#[test]
fn compilers_accept_addresses() {
    assert_eq!(complaints("addresses-in-blocks", IN_BLOCKS), "");
    assert_eq!(complaints("addresses-of-layers", DERIVATIVES), "");
    assert_eq!(complaints("addresses-in-a-buffer", IN_A_BUFFER), "");
    assert_eq!(complaints("addresses-in-circles", IN_CIRCLES), "");
}

/// A type that leads back to itself by pointers; the numbers follow from what the nodes hold.
#[test]
fn types_lead_back_to_themselves() {
    let scratch = Scratch::new("rings");
    let file = scratch.write("program.slang", RING);
    let path = file.to_str().expect("paths are text");
    let words = interpret(path, &scratch.file("spec.json"));
    let numbers: Vec<f32> = words.iter().take(3).map(|word| f32::from_bits(*word)).collect();
    let expected = [7.0, 3.0 + 10.0 * 7.0 + 100.0 * 3.0, 3.0 + 100.0 * 5.0 + 5.0];
    assert_eq!(numbers, expected);
    let (status, code, said) = outcome(&["emit", path, "--target", "cpp", "--entry", "main"]);
    assert_eq!(status, Some(0), "{said}");
    let main = "
#include <cstdio>
int main() { float result[3]; shader::run_main(1, 1, 1, result, 3); for (float number : result) std::printf(\"%g \", number); }
";
    let source = scratch.write("program.cpp", &(code + main));
    let program = scratch.file("program");
    succeeded(Command::new("g++").args(["-std=c++17", "-O1", "-Wall", "-Werror"]).arg(&source).arg("-o").arg(&program));
    let printed = succeeded(&mut Command::new(&program));
    assert_eq!(printed.trim(), "7 373 508");
}

/// Elements and fields lie as C has them: a `Vertex` takes 72 bytes, and its `sides` begin at 48.
#[test]
fn parts_lie_where_c_has_them() {
    let program = "
struct Vertex { float3 position; float weight; float2x2 turn; uint count; half small; double large; float3 sides[2]; }
uniform Vertex* vertices;
RWStructuredBuffer<uint64_t> result;
[shader(\"compute\")] [numthreads(1, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    result[0] = uint64_t(&vertices[2].sides[1]);
    result[1] = uint64_t(&vertices->large);
    result[2] = uint64_t(&vertices[thread.x].turn[1]);
    result[3] = uint64_t(&vertices->sides[thread.x]);
}
";
    let scratch = Scratch::new("address-parts");
    let file = scratch.write("program.slang", program);
    let path = file.to_str().expect("paths are text");
    let (status, text, said) = outcome(&["emit", path, "--target", "glsl", "--entry", "main"]);
    assert_eq!(status, Some(0), "{said}");
    for part in [
        format!("result[0] = globalParams.vertices + {}ul;", 2 * 72 + 48 + 12),
        format!("result[1] = globalParams.vertices + {}ul;", 40),
        format!("result[2] = globalParams.vertices + (uint64_t(gl_GlobalInvocationID.x) * {}ul + {}ul);", 72, 16 + 8),
        format!("result[3] = globalParams.vertices + (uint64_t(gl_GlobalInvocationID.x) * {}ul + {}ul);", 12, 48),
    ] {
        assert!(text.contains(&part), "there is no `{part}`:\n{text}");
    }
}

#[test]
fn what_is_no_address_of_the_host_is_refused() {
    let scratch = Scratch::new("address-refusals");
    let refusal = |program: &str, target: &str| {
        let file = scratch.write("program.slang", program);
        let path = file.to_str().expect("paths are text");
        let (status, _, said) = outcome(&["emit", path, "--target", target, "--entry", "main"]);
        assert_eq!(status, Some(3), "{target}: {said}");
        said
    };
    let mixed = "
uniform float* given;
groupshared float own[4];
void store(float* at) { *at = 1; }
[shader(\"compute\")] [numthreads(1, 1, 1)] void main() { store(given + 1); store(&own[2]); }
";
    for target in ["spirv", "glsl"] {
        let said = refusal(mixed, target);
        assert!(said.contains("the address of a variable among addresses that the host gives"), "{target}: {said}");
    }
    for target in ["hlsl", "wgsl"] {
        let said = refusal(IN_BLOCKS, target);
        assert!(said.contains("not supported for this target"), "{target}: {said}");
    }
}

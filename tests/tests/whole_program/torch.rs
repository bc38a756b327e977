//! `emit --target torch`: the host's part of extensions of PyTorch, built by g++ with a mock of PyTorch that prints what kernels
//! are started with. slangc's own host part, built with the same mock, is what it is compared with.

use std::{path::Path, process::Command};

use whole_program_tests::{
    process::{Scratch, output_of},
    programs::{analyzer, outcome},
};

/// What a test does with a module: the body of `main`, after `module` has the functions.
const FRAME: &str = r#"
#include EMITTED
#include <array>
using torch::Tensor;
using Size = std::tuple<uint32_t, uint32_t, uint32_t>;
using Tensors = std::tuple<Tensor, std::tuple<Tensor>>;
const auto device = torch::TensorOptions().device(torch::kCUDA).dtype(torch::kFloat32);
template <class F> void attempt(F f)
{
    try { f(); } catch (const std::exception& error) { std::printf("%s\n", error.what()); }
}
int main()
{
    pybind11::module_ module;
    init_module(module);
"#;

/// Emits the host's part of `source` and runs `body` with it.
fn run(scratch: &Scratch, source: &str, body: &str) -> String {
    let file = scratch.write("program.slang", source);
    let code = scratch.file("ours.cpp");
    let [file, code_path] = [&file, &code].map(|path| path.to_str().expect("paths are text"));
    analyzer(&["emit", file, "--target", "torch", "-o", code_path]);
    build_and_run(scratch, &code, body)
}

/// The same for what slangc writes, where it is installed.
fn run_slangc(scratch: &Scratch, source: &str, body: &str) -> Option<String> {
    let slangc = std::env::var_os("SLANGC")?;
    let (file, code) = (scratch.write("program.slang", source), scratch.file("slangc.cpp"));
    let mut command = Command::new(slangc);
    command.arg(&file).args(["-target", "torch", "-line-directive-mode", "none", "-o"]).arg(&code);
    output_of(&mut command).expect("slangc runs").expect("slangc takes the program");
    Some(build_and_run(scratch, &code, body))
}

fn build_and_run(scratch: &Scratch, code: &Path, body: &str) -> String {
    let driver = scratch.write("driver.cpp", &format!("{FRAME}{body}\n}}\n"));
    let program = scratch.file("program");
    let mock = concat!(env!("CARGO_MANIFEST_DIR"), "/mock-torch");
    let mut compiler = Command::new("g++");
    // The kernels themselves are in the CUDA code, which is not here.
    compiler.args(["-std=c++17", "-O0", "-w", "-no-pie", "-Wl,--unresolved-symbols=ignore-all", "-I", mock]);
    compiler.arg(format!("-DEMITTED=\"{}\"", code.display())).arg(&driver).arg("-o").arg(&program);
    output_of(&mut compiler).expect("g++ runs").unwrap_or_else(|message| panic!("g++: {message}"));
    output_of(&mut Command::new(&program)).expect("the program runs").expect("the program ends well")
}

const KERNELS: &str = "
    struct Light { float3 direction; float gain; uint kind; float weight; float2 extent; }
    struct Camera { Light light; int64_t id; double near; }

    [AutoPyBindCUDA] [CUDAKernel]
    void everything(Camera camera, bool flag, uint16_t small, int8_t tiny, float3 tint, TensorView<int64_t> ids,
                    TensorView<half> halves, TensorView<uint8_t> bytes)
    {
        ids[cudaThreadIdx().x] = camera.id;
    }

    [AutoPyBindCUDA] [CUDAKernel] [Differentiable]
    void scale(DiffTensorView a, DiffTensorView b, no_diff float k)
    {
        uint3 id = cudaThreadIdx() + cudaBlockIdx() * cudaBlockDim();
        b[id.x] = a[id.x] * k;
    }";

const STARTS: &str = r#"
    using Light = std::tuple<std::tuple<float, float, float>, float, uint32_t, float, std::tuple<float, float>>;
    using Camera = std::tuple<Light, int64_t, double>;
    const Tensor ids = torch::empty({7}, device.dtype(torch::kInt64));
    const Tensor halves = torch::strided({2, 3}, {1, 2}, device.dtype(torch::kFloat16));
    const Tensor bytes = torch::empty({2, 3, 4, 5, 6}, device.dtype(torch::kUInt8));
    argument_sizes = {48, 1, 2, 1, 12, 56, 56, 56};
    module.get<void(Size, Size, Camera, bool, uint16_t, int8_t, std::tuple<float, float, float>, Tensor, Tensor, Tensor)>(
        "everything")(Size(32, 2, 1), Size(4, 5, 6), {{{1, 2, 3}, 1.5f, 9, 3.5f, {4, 5}}, 1ll << 40, 0.25}, true, 77, -3,
        {6, 7, 8}, ids, halves, bytes);

    const Tensor a = torch::empty({3, 5}, device), b = torch::empty({3, 5}, device);
    argument_sizes = {112, 112, 4};
    for (const char* name : {"scale", "scale_fwd_diff", "scale_bwd_diff"})
        module.get<void(Size, Size, Tensors, Tensors, float)>(name)(Size(32, 1, 1), Size(4, 1, 1), {a, {a}}, {b, {b}}, 2.5f);
"#;

/// The bytes of values, each at a multiple of its size, as hexadecimal digits.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn with(mut self, value: &[u8]) -> Bytes {
        while !self.0.len().is_multiple_of(value.len()) {
            self.0.push(0);
        }
        self.0.extend(value);
        self
    }

    /// An address, the distances in bytes and the sizes of up to five dimensions, and how many there are.
    fn tensor(self, address: u64, strides: [u32; 5], sizes: [u32; 5], dimensions: u32) -> Bytes {
        let with = |bytes: Bytes, value: u32| bytes.with(&value.to_le_bytes());
        let bytes = strides.into_iter().chain(sizes).fold(self.with(&address.to_le_bytes()), with);
        with(with(bytes, dimensions), 0)
    }

    fn hexadecimal(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[test]
fn kernels_are_given_what_they_read() {
    let scratch = Scratch::new("torch-kernels");
    let printed = run(&scratch, KERNELS, STARTS);
    let floats =
        |bytes: Bytes, values: &[f32]| values.iter().fold(bytes, |bytes, value| bytes.with(&value.to_le_bytes()));
    let camera = floats(Bytes::default(), &[1.0, 2.0, 3.0, 1.5]).with(&9u32.to_le_bytes());
    let camera = floats(camera, &[3.5, 4.0, 5.0]);
    let camera = camera.with(&(1i64 << 40).to_le_bytes()).with(&0.25f64.to_le_bytes());
    let image = Bytes::default().tensor(0x3000, [360, 120, 30, 6, 1], [2, 3, 4, 5, 6], 5);
    let pair = |address| {
        let strides = [20, 4, 0, 0, 0];
        Bytes::default().tensor(address, strides, [3, 5, 0, 0, 0], 2).tensor(address, strides, [3, 5, 0, 0, 0], 2)
    };
    let mut expected = vec!["start 4,5,6 of 32,2,1".to_owned()];
    let arguments = [
        camera,
        Bytes::default().with(&[1]),
        Bytes::default().with(&77u16.to_le_bytes()),
        Bytes::default().with(&[253]),
        floats(Bytes::default(), &[6.0, 7.0, 8.0]),
        Bytes::default().tensor(0x1000, [8, 0, 0, 0, 0], [7, 0, 0, 0, 0], 1),
        Bytes::default().tensor(0x2000, [2, 4, 0, 0, 0], [2, 3, 0, 0, 0], 2),
        image,
    ];
    expected.extend(arguments.iter().map(Bytes::hexadecimal));
    for _ in 0..3 {
        expected.push("start 4,1,1 of 32,1,1".to_owned());
        expected.extend([pair(0x4000), pair(0x5000)].iter().map(Bytes::hexadecimal));
        expected.push(floats(Bytes::default(), &[2.5]).hexadecimal());
    }
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
    if let Some(of_slangc) = run_slangc(&scratch, KERNELS, STARTS) {
        assert_eq!(printed, of_slangc);
    }
}

const HOST: &str = "
    [CUDAKernel]
    void square(TensorView<float> x, TensorView<float> y, float k)
    {
        uint3 id = cudaThreadIdx() + cudaBlockIdx() * cudaBlockDim();
        y[id.x] = x[id.x] * x[id.x] * k;
    }

    public struct Out { public float3 numbers; public int count; }

    [TorchEntryPoint]
    public __extern_cpp Out pipeline(TorchTensor<float> x, int steps, float2 scale)
    {
        var y = TorchTensor<float>.emptyLike(x);
        __dispatch_kernel(square, uint3(2, 3, 1), uint3(32, 1, 1))(x, y, 0.5);
        __dispatch_kernel(square, uint3(2, 3, 1), uint3(32, 1, 1))(y, x, 0.75);
        var zeros = TorchTensor<float>.zerosLike(x);
        Out result;
        result.numbers = float3(x.size(0), x.stride(0), scale.y + zeros.size(1));
        result.count = steps;
        return result;
    }

    [TorchEntryPoint]
    public __extern_cpp TorchTensor<float> fresh(TorchTensor<float> x)
    {
        var made = TorchTensor<float>.alloc(4, 3, 2);
        __dispatch_kernel(square, uint3(1, 1, 1), uint3(32, 1, 1))(x, made, 0.25);
        return made;
    }";

const CALLS: &str = r#"
    argument_sizes = {56, 56, 4};
    const auto result = module.get<std::tuple<std::tuple<float, float, float>, int>(
        Tensor, int, std::tuple<float, float>)>("pipeline")(torch::empty({3, 5}, device), 2, {1.5f, 2.5f});
    const auto numbers = std::get<0>(result);
    std::printf("%g %g %g, %d\n", std::get<0>(numbers), std::get<1>(numbers), std::get<2>(numbers), std::get<1>(result));
    const Tensor made = module.get<Tensor(Tensor)>("fresh")(torch::empty({3, 5}, device));
    for (int64_t size : made.storage->sizes) std::printf("%d ", int(size));
"#;

#[test]
fn functions_of_the_host_run_as_those_of_slangc() {
    let scratch = Scratch::new("torch-host");
    let printed = run(&scratch, HOST, CALLS);
    let lines: Vec<&str> = printed.lines().collect();
    let starts = |line: &&&str| line.starts_with("start 2,3,1 of 32,1,1");
    assert_eq!(lines.iter().filter(starts).count(), 2, "{printed}");
    assert_eq!([lines[9], lines[lines.len() - 1]], ["3 5 7.5, 2", "4 3 2 "], "{printed}");
    if let Some(of_slangc) = run_slangc(&scratch, HOST, CALLS) {
        assert_eq!(printed, of_slangc);
    }
}

/// slangc 2026.14 fails on these by itself: matrices that are not square, tensors in loops and calls, derivatives that the host starts.
#[test]
fn what_slangc_cannot_write_is_written() {
    let scratch = Scratch::new("torch-more");
    let source = "
        [AutoPyBindCUDA] [CUDAKernel]
        void shapes(float3x2 m, float2 corners[3], Tuple<float, int2> pair, half h, TensorView<float> y) { y[0] = m[0][1]; }

        [CUDAKernel] [Differentiable]
        void scale(DiffTensorView a, DiffTensorView b) { b[cudaThreadIdx().x] = 2.0 * a[cudaThreadIdx().x]; }

        [TorchEntryPoint]
        void gradient(TorchTensor<float> a, TorchTensor<float> da)
        {
            DiffTensorView view = { a.getView(), { da.getView() } };
            __dispatch_kernel(bwd_diff(scale), uint3(1, 1, 1), uint3(8, 1, 1))(view, view);
        }

        [CudaHost]
        TorchTensor<float> like(TorchTensor<float> x) { return TorchTensor<float>.emptyLike(x); }

        [TorchEntryPoint]
        TorchTensor<float> fill(TorchTensor<float> x, float value)
        {
            var last = x;
            for (int i = 0; i < 3; i++)
            {
                last = like(last);
                last.fillValue(value + i);
            }
            if (x.dims() > 1)
                last.fillZero();
            syncTorchCudaStream();
            return last;
        }";
    let body = r#"
        using Pair = std::tuple<float, float>;
        const Tensor y = torch::empty({1}, device), z = torch::empty({2}, device);
        argument_sizes = {24, 24, 12, 2, 8};
        module.get<void(Size, Size, std::tuple<Pair, Pair, Pair>, std::array<Pair, 3>,
            std::tuple<float, std::tuple<int, int>>, float, Tensor)>("shapes")(
            Size(1, 1, 1), Size(1, 1, 1), {{1, 2}, {3, 4}, {5, 6}}, {Pair{1, 2}, Pair{3, 4}, Pair{5, 6}}, {1, {2, 3}}, 1.5f, y);
        argument_sizes = {112, 112};
        module.get<void(Tensor, Tensor)>("gradient")(y, z);
        const Tensor filled = module.get<Tensor(Tensor, float)>("fill")(torch::empty({3, 5}, device), 2.5f);
        std::printf("%x\n", unsigned(filled.storage->address));
    "#;
    let printed = run(&scratch, source, body);
    let numbers =
        (1..=6).fold(Bytes::default(), |bytes, value| bytes.with(&(value as f32).to_le_bytes())).hexadecimal();
    let pair = Bytes::default().with(&1f32.to_le_bytes()).with(&2i32.to_le_bytes()).with(&3i32.to_le_bytes());
    let tensors = Bytes::default().tensor(0x1000, [4, 0, 0, 0, 0], [1, 0, 0, 0, 0], 1);
    let tensors = tensors.tensor(0x2000, [4, 0, 0, 0, 0], [2, 0, 0, 0, 0], 1).hexadecimal();
    let expected = [
        "start 1,1,1 of 1,1,1",
        &numbers,
        &numbers,
        &pair.hexadecimal(),
        "003e",
        "0010000000000000",
        "start 1,1,1 of 8,1,1",
        &tensors,
        &tensors,
        "fill 4000 2.5",
        "fill 5000 3.5",
        "fill 6000 4.5",
        "zero 6000",
        "wait",
        "6000",
    ];
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
    // The device has the derivative that the host starts.
    let file = scratch.file("program.slang");
    let cuda = analyzer(&["emit", file.to_str().expect("paths are text"), "--target", "cuda"]);
    let cuda = String::from_utf8(cuda).expect("code is text");
    assert!(cuda.contains("extern \"C\" __global__ void scale_bwd_diff("), "{cuda}");
}

#[test]
fn tensors_that_do_not_fit_are_refused_by_name() {
    let scratch = Scratch::new("torch-refused");
    let source = "
        [AutoPyBindCUDA] [CUDAKernel]
        void f(TensorView<float> input, TensorView<float> output) { output[0] = input[0]; }
        [TorchEntryPoint] float size_of_nothing() { TorchTensor<float> t = {}; return t.size(0); }";
    let body = r#"
        const auto f = module.get<void(Size, Size, Tensor, Tensor)>("f");
        const Size one(1, 1, 1);
        const Tensor good = torch::empty({3}, device);
        attempt([&] { f(one, one, torch::empty({3}, torch::TensorOptions()), good); });
        attempt([&] { f(one, one, good, torch::empty({3}, device.dtype(torch::kFloat64))); });
        attempt([&] { f(one, one, good, torch::empty({1, 1, 1, 1, 1, 1}, device)); });
        attempt([&] { f(one, one, good, torch::strided({3}, {0}, device)); });
        attempt([&] { f(one, one, good, Tensor()); });
        attempt([&] { f(one, one, torch::empty({int64_t(1) << 33}, device), good); });
        attempt([&] { module.get<float()>("size_of_nothing")(); });
    "#;
    let expected = [
        "input: the tensor is not on a CUDA device",
        "output: the elements of the tensor have another type",
        "output: the tensor has more dimensions than are supported",
        "output: the tensor repeats elements: hand in `tensor.contiguous()`",
        "output: there is no tensor",
        "input: the tensor is too large",
        "a tensor is used that has no value",
    ];
    assert_eq!(run(&scratch, source, body).lines().collect::<Vec<_>>(), expected);
}

#[test]
fn programs_that_python_cannot_call_are_refused() {
    let scratch = Scratch::new("torch-programs");
    for (source, message) in [
        ("float f(float x) { return x; }", "there is nothing for Python"),
        (
            "[AutoPyBindCUDA] [CUDAKernel] void f(RWStructuredBuffer<float> b) { b[0] = 1; }",
            "`b`: Python has no value of",
        ),
        ("[AutoPyBindCUDA] [CUDAKernel] void f(out float x) { x = 1; }", "`out` parameters"),
        (
            "[TorchEntryPoint] void f(inout float x) { x = 1; }",
            "`f`: Python cannot take what an `out` parameter returns",
        ),
        (
            "struct P { float x; } [AutoPyBindCUDA] [CUDAKernel] void f(TensorView<P> t) { t[0].x = 1; }",
            "`t`: a tensor of PyTorch has numbers as its elements",
        ),
    ] {
        let file = scratch.write("refused.slang", source);
        let (status, _, messages) = outcome(&["emit", file.to_str().expect("paths are text"), "--target", "torch"]);
        assert_ne!(status, Some(0), "{source}");
        assert!(messages.contains(message), "{source}\n{messages}");
    }
}

"""Calls on an NVIDIA device, over arrays of PyTorch, CuPy and JAX, where they are there.

    python -m unittest test_cuda -v

At the end it says how many elements a second a call of each library computes, and what a call costs Python.
"""

import os
import time
import unittest
from importlib.util import find_spec
from pathlib import Path

# JAX would take three quarters of the memory for itself.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import numpy as np

import slang_analyzer
import slang_analyzer.slangtorch as slangtorch
from cuda_cases import MODULE, Cases
from slang_analyzer.cuda import driver, launch, nvrtc
from slang_analyzer.errors import CudaError
from slangtorch_cases import DerivativeCases

HERE = Path(__file__).parent


def why_not():
    """Why there is nothing to test; ``None`` if there is."""
    try:
        device = driver.device(0)
        version = device.driver.version
        found = nvrtc.find(version[0])
    except (slang_analyzer.SlangError, CudaError) as error:
        return str(error).splitlines()[0]
    print(
        f"CUDA device 0 of compute capability {device.capability}, driver for CUDA {version}, NVRTC {found.version} ({found.path}),"
        f" code for {found.architecture(device.capability)}",
        flush=True,
    )
    return None


NO_DEVICE = why_not()


def on_device(library):
    """Tests that need a device and a library."""
    if NO_DEVICE:
        return unittest.skip(f"there is no NVIDIA device: {NO_DEVICE}")
    return unittest.skipUnless(find_spec(library), f"{library} is not installed")


class TorchLibrary:
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        import torch

        cls.torch = torch
        cls.missing = tuple(dtype for dtype in (np.uint32, np.uint64) if not hasattr(torch, np.dtype(dtype).name))

    def to_device(self, array):
        return self.torch.from_numpy(np.array(array, order="C")).cuda()

    def to_numpy(self, array):
        return array.detach().cpu().numpy()

    def permuted(self, array, axes):
        return array.permute(axes)

    def is_own(self, value):
        return isinstance(value, self.torch.Tensor) and value.is_cuda

    def wait(self):
        self.torch.cuda.synchronize()


class CupyLibrary:
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        import cupy

        cls.cupy = cupy

    def to_device(self, array):
        return self.cupy.asarray(np.array(array, order="C"))

    def to_numpy(self, array):
        return self.cupy.asnumpy(array)

    def permuted(self, array, axes):
        return array.transpose(axes)

    def is_own(self, value):
        return isinstance(value, self.cupy.ndarray)

    def wait(self):
        self.cupy.cuda.Device().synchronize()


class JaxLibrary:
    writes = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        import jax

        jax.config.update("jax_enable_x64", True)
        try:
            cls.device = jax.devices("cuda")[0]
        except RuntimeError as error:
            raise unittest.SkipTest(f"JAX has no CUDA: {error}") from None
        cls.jax = jax

    def to_device(self, array):
        return self.jax.device_put(np.array(array, order="C"), self.device)

    def to_numpy(self, array):
        return np.asarray(array)

    def permuted(self, array, axes):
        return array.transpose(axes)

    def is_own(self, value):
        return isinstance(value, self.jax.Array) and next(iter(value.devices())).platform != "cpu"

    def wait(self):
        """A call waits by itself."""


class Waits:
    """Errors of the device are those of the test that made them."""

    def tearDown(self):
        super().tearDown()
        self.wait()


@on_device("torch")
class PyTorch(TorchLibrary, Waits, Cases, unittest.TestCase):
    def random_tensor(self, *shape):
        return self.torch.randn(*shape, dtype=self.torch.float64, device="cuda", requires_grad=True)

    def test_gradients_are_those_of_differences(self):
        self.torch.manual_seed(0)
        check = self.torch.autograd.gradcheck
        self.assertTrue(check(self.module.smooth, (self.random_tensor(5), self.random_tensor(5))))
        self.assertTrue(check(self.module.smooth, (self.random_tensor(3, 1), self.random_tensor(4))))
        self.assertTrue(check(self.module["layer<3>"], (self.random_tensor(3, 3), self.random_tensor(2, 3))))
        self.assertTrue(check(lambda x: self.module.smooth(x, 0.5), (self.random_tensor(7),)))

    def test_graph(self):
        x = self.torch.tensor([2.0, 3.0], device="cuda", requires_grad=True)
        y = self.torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], device="cuda")
        results = self.module["ns::f"](x, y)
        (results.result.sum() + 10 * results.z.sum()).backward()
        self.assertEqual(x.grad.tolist(), [3 * 4 + 10, 3 * 9 + 40])
        self.assertTrue(x.grad.is_cuda)
        self.assertIsNone(self.module["ns::f"](x.detach(), y).result.grad_fn)
        # A cotangent that is expanded, and a result that is used twice.
        x = self.random_tensor(4)
        value = self.module.smooth(x, 1.0)
        (value.sum() + (value * value).sum()).backward()
        with self.torch.no_grad():
            slope = self.torch.cos(x) * np.e + 1
            expected = slope * (1 + 2 * (self.torch.sin(x) * np.e + x))
        self.assertTrue(self.torch.allclose(x.grad, expected))

    def test_tensors_of_a_file_have_gradients(self):
        torch = self.torch
        weights = torch.tensor([1.0, 2.0, 3.0], device="cuda", requires_grad=True)
        x = torch.tensor([1.0, 10.0, 100.0], device="cuda", requires_grad=True)
        places = torch.tensor([2, 0, 2], dtype=torch.int32, device="cuda")
        self.module.squared(weights, x, places).sum().backward()
        self.assertEqual(weights.grad.tolist(), [20, 0, 606])
        self.assertEqual(x.grad.tolist(), [9, 1, 9])

    def test_streams(self):
        torch = self.torch
        stream = torch.cuda.Stream()
        large = torch.zeros(1 << 22, dtype=torch.float64, device="cuda")
        torch.cuda.synchronize()
        for _ in range(5):
            with torch.cuda.stream(stream):
                # The call sees what comes before it in the stream, and is seen by what comes after it.
                torch.cuda._sleep(20_000_000)
                x = large + 1
                value = self.module.smooth(x, 0.0)
                gradients = self.module.smooth.bwd((x, 0.0), 1.0)
                total, of_y = value.sum(), gradients.y.clone()
            stream.synchronize()
            self.assertAlmostEqual(total.item() / len(large), np.sin(1), 12)
            self.assertAlmostEqual(of_y.item() / len(large), np.sin(1), 12)

    def test_calls_do_not_wait(self):
        torch, x = self.torch, self.to_device(np.zeros(1000))
        self.module.smooth(x, x)
        self.module.smooth.bwd((x, 1.0), 1.0)
        torch.cuda.synchronize()
        torch.cuda._sleep(200_000_000)
        start = time.perf_counter()
        self.module.smooth(x, x)
        self.module.smooth.bwd((x, 1.0), 1.0)
        called = time.perf_counter() - start
        torch.cuda.synchronize()
        waited = time.perf_counter() - start
        self.assertLess(called, waited / 2, f"calls took {called} s, the device {waited} s")

    def test_graphs_of_cuda(self):
        torch, x = self.torch, self.to_device(np.arange(4.0))
        for _ in range(3):
            self.module.smooth.bwd((x, 0.5), 1.0, with_primal=True)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            value, gradients = self.module.smooth.bwd((x, 0.5), 1.0, with_primal=True)
        x.copy_(torch.arange(4.0) + 1)
        graph.replay()
        torch.cuda.synchronize()
        at = np.arange(4.0) + 1
        self.assert_close(value, np.sin(at) * np.exp(0.5) + at * 0.25)
        self.assert_close(gradients.x, np.cos(at) * np.exp(0.5) + 0.25)
        self.assert_close(gradients.y, np.sum(np.sin(at) * np.exp(0.5) + at))

    def test_more_elements_than_a_dimension_of_a_grid(self):
        # The dimensions that do not take two thousand million blocks take 65,535.
        count = 65_536 * 64 + 77
        x = self.torch.linspace(-2, 2, count, dtype=self.torch.float64, device="cuda")
        value = self.module.smooth(x, 1.0)
        self.assertTrue(self.torch.allclose(value, self.torch.sin(x) * np.e + x, rtol=1e-12))
        gradients = self.module.smooth.bwd((x, 1.0), 1.0)
        expected = (self.torch.sin(x) * np.e + 2 * x).sum()
        self.assertTrue(self.torch.allclose(gradients.y, expected, atol=1e-6))

    def test_parameters_of_many_numbers(self):
        # Repeated for all elements at once they were four gigabytes, and their gradients as many.
        weights, inputs = self.random.normal(size=(16, 16)), self.random.normal(size=(2_000_000, 16))
        args = self.to_device(weights), self.to_device(inputs)
        self.torch.cuda.synchronize()
        self.torch.cuda.reset_peak_memory_stats()
        before = self.torch.cuda.memory_allocated()
        gradients = self.module["dense<16>"].bwd(args, 1.0)
        self.assertLess(self.torch.cuda.max_memory_allocated() - before, 1 << 30)
        self.assert_close(gradients.weights, np.tile(inputs.sum(axis=0), (16, 1)), rtol=1e-9, atol=1e-9)
        self.assert_close(gradients.input[:10], np.tile(weights.sum(axis=0), (10, 1)), rtol=1e-9, atol=1e-9)

    def test_types_that_slang_has_not(self):
        x = self.torch.zeros(3, dtype=self.torch.bfloat16, device="cuda")
        with self.assertRaisesRegex(TypeError, "`x` of `scaled`: arrays of torch.bfloat16 have no type in Slang"):
            self.module.scaled(x, 1.0)

    def test_memory_of_the_cpu_that_devices_read(self):
        x = self.torch.arange(3.0, dtype=self.torch.float64).pin_memory()
        np.testing.assert_allclose(self.module.smooth(x, 0.0).numpy(), np.sin(np.arange(3.0)))

    def test_several_devices(self):
        if self.torch.cuda.device_count() < 2:
            self.skipTest("there is one device")
        x = self.torch.arange(3.0, dtype=self.torch.float64, device="cuda:1")
        value = self.module.smooth(x, 1.0)
        self.assertEqual(value.device, x.device)
        self.assert_close(value, np.sin(np.arange(3.0)) * np.e + np.arange(3.0))
        with self.assertRaisesRegex(TypeError, "on the CUDA device 0, and other arguments are on the CUDA device 1"):
            self.module.smooth(x, x.to("cuda:0"))

    def test_classes_of_tensors(self):
        class Own(self.torch.Tensor):
            pass

        x = self.to_device(np.arange(3.0)).as_subclass(Own)
        self.assertTrue(self.is_own(self.module.smooth(x, 0.0)))
        parameter = self.torch.nn.Parameter(self.to_device(np.arange(3.0)))
        self.module.smooth(parameter, 0.0).sum().backward()
        self.assertTrue(self.torch.allclose(parameter.grad, self.torch.cos(parameter)))


@on_device("torch")
class SlangTorch(TorchLibrary, DerivativeCases, unittest.TestCase):
    """Kernels that are launched over tensors of PyTorch."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.module = slangtorch.loadModule(HERE / "torch_kernels.slang", cudaFastMath=False)

    def test_functions_of_the_graph(self):
        torch, module = self.torch, self.module

        class Square(torch.autograd.Function):
            @staticmethod
            def forward(context, x):
                y = torch.zeros_like(x)
                module.square(input=x, output=y).launchRaw(blockSize=(32, 1, 1), gridSize=(-(-x.shape[0] // 32), 1, 1))
                context.save_for_backward(x, y)
                return y

            @staticmethod
            def backward(context, cotangent):
                x, y = context.saved_tensors
                gradient = torch.zeros_like(x)
                pair = (y, cotangent.contiguous().clone())
                grid = (-(-x.shape[0] // 32), 1, 1)
                module.square.bwd(input=(x, gradient), output=pair).launchRaw(blockSize=(32, 1, 1), gridSize=grid)
                return gradient

        x = torch.randn(1000, device="cuda", requires_grad=True)
        y = Square.apply(x)
        y.sum().backward()
        torch.testing.assert_close(y, x * x)
        torch.testing.assert_close(x.grad, 2 * x)

    def test_work_is_in_the_current_stream(self):
        torch = self.torch
        x, y = torch.ones(1 << 20, device="cuda"), torch.zeros(1 << 20, device="cuda")
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            x.mul_(3)
            self.module.square(input=x, output=y).launchRaw(blockSize=(256, 1, 1), gridSize=(1 << 12, 1, 1))
            y.add_(1)
        stream.synchronize()
        self.assertTrue(bool((y == 10).all()))

    def test_wrong_tensors_are_named(self):
        torch = self.torch
        x, y = torch.ones(3, 4, device="cuda"), torch.zeros(3, 4, device="cuda")
        for said, tensor in {
            "`input` of `square` is in the memory of the CPU": x.cpu(),
            "`input` of `square` is broadcast": x[:1].expand(3, 4),
            "`input` of `square` is `TensorView<float>`: a tensor of float32, not of float64": x.double(),
        }.items():
            with self.assertRaisesRegex(RuntimeError, said):
                self.module.square(input=tensor, output=y).launchRaw(blockSize=(32, 1, 1), gridSize=(1, 1, 1))


@on_device("cupy")
class CuPy(CupyLibrary, Waits, Cases, unittest.TestCase):
    def test_streams(self):
        cupy = self.cupy
        stream, large = cupy.cuda.Stream(non_blocking=True), cupy.zeros(1 << 22)
        cupy.cuda.Device().synchronize()
        for _ in range(5):
            with stream:
                x = large + 1
                for _ in range(20):
                    x = x * 2 - x
                value = self.module.smooth(x, 0.0)
                total = value.sum()
            stream.synchronize()
            self.assertAlmostEqual(float(total) / len(large), np.sin(1), 12)

    def test_negative_strides(self):
        x = self.random.normal(size=(4, 6))
        found = self.module.smooth(self.to_device(x)[::-1, ::-2], 1.0)
        self.assert_close(found, np.sin(x[::-1, ::-2]) * np.e + x[::-1, ::-2])


@on_device("jax")
class Jax(JaxLibrary, Waits, Cases, unittest.TestCase):
    def test_results_of_jax_are_waited_for(self):
        jnp, x = self.jax.numpy, self.to_device(np.full(1 << 20, 0.1))
        step = self.jax.jit(lambda x: jnp.sin(x) + x - jnp.sin(x))
        for _ in range(10):
            moved = x
            for _ in range(20):
                moved = step(moved)
            self.assertAlmostEqual(float(self.module.smooth(moved, 0.0).mean()), np.sin(0.1), 9)
            # Memory of what nobody refers to is used again at once.
            del moved

    def test_results_outlive_the_call(self):
        results = [self.module.smooth(self.to_device(np.full(1000, float(number))), 0.0) for number in range(50)]
        for number, result in enumerate(results):
            np.testing.assert_allclose(self.to_numpy(result + 1), np.full(1000, np.sin(number) + 1))


@on_device("cupy")
class Together(TorchLibrary, Waits, unittest.TestCase):
    """Arrays of several libraries in one call."""

    @classmethod
    def setUpClass(cls):
        if not find_spec("torch"):
            raise unittest.SkipTest("PyTorch is not installed")
        super().setUpClass()

    def test_the_first_says_whose_the_results_are(self):
        import cupy

        x, y = self.to_device(np.arange(3.0)), cupy.arange(3.0)
        expected = np.sin(np.arange(3.0)) * np.exp(np.arange(3.0)) + np.arange(3.0) ** 3
        for _ in range(3):
            value = MODULE.smooth(x, y)
            self.assertTrue(self.is_own(value))
            np.testing.assert_allclose(self.to_numpy(value), expected)
            value = MODULE.smooth(y, x)
            self.assertIsInstance(value, cupy.ndarray)
            np.testing.assert_allclose(cupy.asnumpy(value), expected)

    def test_out_of_another_library(self):
        import cupy

        out = cupy.zeros(3)
        MODULE.smooth(self.to_device(np.arange(3.0)), 0.0, out=out)
        np.testing.assert_allclose(cupy.asnumpy(out), np.sin(np.arange(3.0)))


class Timings:
    """Prints how fast calls are. Nothing is asserted: what is fast depends on the device."""

    name = ""

    def time(self, call, repeats):
        call()
        self.wait()
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        called = time.perf_counter() - start
        self.wait()
        return called / repeats, (time.perf_counter() - start) / repeats

    def test_elements_a_second(self):
        module = MODULE
        count = 1 << 24
        values = np.linspace(0, 1, count)
        x, y = self.to_device(values), self.to_device(values)
        f = self.to_device(values.astype(np.float32))
        one = self.to_device(np.ones(1))
        small, four = self.to_device(np.zeros(64)), self.to_device(np.zeros((64, 4), np.float32))
        rows = [
            ("scaled(float, float)", lambda: module.scaled(f, f), count, 12),
            ("smooth(double, double)", lambda: module.smooth(x, y), count, 24),
            ("smooth.bwd(double, double)", lambda: module.smooth.bwd((x, y), x), count, 40),
            ("smooth(double, one double)", lambda: module.smooth(x, one), count, 16),
            ("smooth.bwd(double, one double), a sum", lambda: module.smooth.bwd((x, one), x), count, 24),
            ("smooth.bwd(double, number), a sum", lambda: module.smooth.bwd((x, 0.5), 1.0), count, 16),
        ]
        for name, call, elements, size in rows:
            _, whole = self.time(call, 20)
            print(
                f"{self.name}: {name}: {elements / whole / 1e9:.2f} thousand million elements a second,"
                f" {elements * size / whole / 1e9:.0f} GB/s of arguments and results",
                flush=True,
            )
        for name, call in [
            ("smooth(64 elements, 64 elements)", lambda: module.smooth(small, small)),
            ("smooth(64 elements, number)", lambda: module.smooth(small, 0.5)),
            ("smooth.bwd(64 elements, number)", lambda: module.smooth.bwd((small, 0.5), 1.0)),
            ("doubled(64 float4)", lambda: module.doubled(four)),
        ]:
            called, whole = self.time(call, 300)
            print(f"{self.name}: {name}: {called * 1e6:.1f} µs in Python, {whole * 1e6:.1f} µs with the device", flush=True)


@on_device("torch")
class PyTorchTimings(TorchLibrary, Timings, unittest.TestCase):
    name = "PyTorch"

    def test_memory_of_a_launch(self):
        x = self.torch.linspace(0, 1, 1 << 24, dtype=self.torch.float64, device="cuda")
        weights = self.torch.zeros(16, 16, dtype=self.torch.float64, device="cuda")
        inputs = self.torch.zeros(1 << 18, 16, dtype=self.torch.float64, device="cuda")
        kept = launch.MOST_MEMORY
        try:
            for bits in range(23, 31):
                launch.MOST_MEMORY = 1 << bits
                times = [
                    self.time(lambda: MODULE.smooth(x, 0.5), 10),
                    self.time(lambda: MODULE.smooth.bwd((x, 0.5), 1.0), 10),
                    self.time(lambda: MODULE["dense<16>"].bwd((weights, inputs), 1.0), 5),
                ]
                said = ", ".join(f"{called * 1e3:.2f} / {whole * 1e3:.2f} ms" for called, whole in times)
                print(
                    f"PyTorch: {1 << bits >> 20} MiB for a launch: in Python / in all: smooth, smooth.bwd, dense<16>.bwd: {said}",
                    flush=True,
                )
        finally:
            launch.MOST_MEMORY = kept

    def test_graph_of_derivatives(self):
        x = self.torch.zeros(64, dtype=self.torch.float64, device="cuda", requires_grad=True)
        called, whole = self.time(lambda: MODULE.smooth(x, x).sum().backward(), 300)
        print(
            f"PyTorch: backward of 64 elements: {called * 1e6:.1f} µs in Python, {whole * 1e6:.1f} µs with the device",
            flush=True,
        )
        called, whole = self.time(lambda: self.torch.add(x, x), 300)
        print(
            f"PyTorch: its own add of 64 elements: {called * 1e6:.1f} µs in Python, {whole * 1e6:.1f} µs with the device",
            flush=True,
        )
        large = self.torch.zeros(1 << 24, device="cuda")
        _, whole = self.time(lambda: large * large, 20)
        print(f"PyTorch: its own product of floats: {12 * len(large) / whole / 1e9:.0f} GB/s", flush=True)

    def test_first_call(self):
        start = time.perf_counter()
        slang_analyzer.load(HERE / "kernels.slang").smooth(self.to_device(np.zeros(4)), 1.0)
        print(f"PyTorch: a file and its first call: {time.perf_counter() - start:.2f} s", flush=True)


@on_device("cupy")
class CuPyTimings(CupyLibrary, Timings, unittest.TestCase):
    name = "CuPy"


@on_device("jax")
class JaxTimings(JaxLibrary, Timings, unittest.TestCase):
    name = "JAX"


if __name__ == "__main__":
    unittest.main(verbosity=2)

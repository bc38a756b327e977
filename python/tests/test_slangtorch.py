"""Kernels that are called as slangtorch calls them, on a device that is not there."""

import gc
import platform
import shutil
import sys
import tempfile
import types
import unittest
import warnings
from collections import namedtuple
from pathlib import Path

import numpy as np

import slang_analyzer.slangtorch as slangtorch
from fake_device import Devices, to_device, to_numpy
from slang_analyzer import SlangError

HERE = Path(__file__).parent
IS_MADE = shutil.which("g++") and sys.platform == "linux" and platform.machine() == "x86_64"
ONE = (1, 1, 1)


@unittest.skipUnless(IS_MADE, "a device that is not there is made with g++ on Linux for x86-64")
class OnFakeDevice(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.devices = Devices()
        cls.devices.__enter__()
        cls.addClassCleanup(cls.devices.__exit__)
        cls.module = slangtorch.loadModule(HERE / "torch_kernels.slang", cudaFastMath=False)

    def setUp(self):
        self.random = np.random.default_rng(1)

    def tearDown(self):
        # Nothing is kept that nobody has.
        gc.collect()
        self.assertEqual(self.devices.library.fake_allocated(), 0)

    def floats(self, *shape):
        return to_device(self.random.uniform(-1, 1, shape).astype(np.float32))

    def zeros(self, *shape, dtype=np.float32):
        return to_device(np.zeros(shape, dtype))


class Launches(OnFakeDevice):
    def test_threads_and_blocks_have_three_dimensions(self):
        output = self.zeros(4, 6, 4, dtype=np.int32)
        self.module.place(output=output).launchRaw(blockSize=(2, 3, 2), gridSize=(2, 2, 2))
        x, y, z = np.mgrid[0:4, 0:6, 0:4]
        np.testing.assert_array_equal(to_numpy(output), x + 100 * y + 10000 * z)

    def test_no_block_is_no_launch(self):
        output = self.zeros(1, dtype=np.int32)
        self.devices.launches()
        self.module.place(output=output).launchRaw(blockSize=ONE, gridSize=(0, 1, 1))
        self.assertEqual(self.devices.launches(), [])

    def test_what_is_not_launched_is_said(self):
        output = self.zeros(1, dtype=np.int32)
        with self.assertWarnsRegex(Warning, "`place` has its arguments and was not launched"):
            self.module.place(output=output)
            gc.collect()

    def test_empty_tensors(self):
        x, y = self.zeros(0), self.zeros(0)
        self.module.square(input=x, output=y).launchRaw(blockSize=(32, 1, 1), gridSize=ONE)

    def test_options_are_those_of_slangtorch(self):
        text = "[CudaKernel] void fill(TensorView<float> t) { t[0] = VALUE; }"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "fill.slang")
            path.write_text(text)
            with self.assertRaisesRegex(RuntimeError, "VALUE"):
                slangtorch.loadModule(str(path))
            for value in (2, 3):
                t = self.zeros(1)
                slangtorch.loadModule(str(path), defines={"VALUE": value}).fill(t=t).launchRaw(ONE, ONE)
                self.assertEqual(to_numpy(t), [value])
            Path(folder, "value.slang").write_text("static const float VALUE = 5;")
            Path(folder, "sub").mkdir()
            other = Path(folder, "sub", "fill.slang")
            other.write_text(f"import value;\n{text}")
            with self.assertRaises(SlangError):
                slangtorch.loadModule(str(other))
            t = self.zeros(1)
            slangtorch.loadModule(str(other), includePaths=[folder]).fill(t=t).launchRaw(ONE, ONE)
            self.assertEqual(to_numpy(t), [5])


class Arguments(OnFakeDevice):
    def test_strided_tensors(self):
        whole = self.random.uniform(-1, 1, (4, 6)).astype(np.float32)
        device = to_device(whole)
        result = self.zeros(3, 4)
        operands = {"a": device.transpose((1, 0))[::2], "b": device.transpose((1, 0))[1::2]}
        self.module.multiply(operands=operands, result=result).launchRaw((3, 4, 1), ONE)
        np.testing.assert_array_equal(to_numpy(result), whole.T[::2] * whole.T[1::2])

    def test_structs_are_dictionaries_tuples_and_objects(self):
        a, b = self.floats(2, 3), self.floats(2, 3)
        Pair = namedtuple("Pair", ["b", "a"])
        given = [
            {"b": b, "a": a},
            (a, b),
            self.module.Operands(a, b),
            Pair(b=b, a=a),
            types.SimpleNamespace(a=a, b=b, other=3),
        ]
        for operands in given:
            result = self.zeros(2, 3)
            self.module.multiply(operands=operands, result=result).launchRaw((2, 3, 1), ONE)
            np.testing.assert_array_equal(to_numpy(result), to_numpy(a) * to_numpy(b))

    def test_values_of_all_kinds_are_where_the_kernel_reads_them(self):
        inner = [(True, (1, 2, 3), -4, (5, 6, 7, 8)), {"flag": 0, "direction": [9, 10, 11], "small": 12, "wide": np.arange(4.0)}]
        outer = {"first": 0.5, "inners": inner, "matrix": ((13, 14, 15), (16, 17, 18)), "pair": (-19, 20)}
        output = self.zeros(40, dtype=np.float64)
        self.module.flatten(
            flag=True,
            outer=outer,
            vector=(21.5, 22, np.float32(23)),
            number=np.uint32(4000000000),
            vectors=[(24, 25, 26), (27, 28, 29)],
            large=-(1 << 40),
            output=output,
        ).launchRaw(ONE, ONE)
        expected = [1, 0.5, 1, 1, 2, 3, -4, 5, 6, 7, 8, 0, 9, 10, 11, 12, 0, 1, 2, 3, *range(13, 19), -19, 20]
        expected += [21.5, 22, 23, 4000000000, *range(24, 30), -(1 << 40)]
        np.testing.assert_array_equal(to_numpy(output)[: len(expected)], expected)

    def test_tensors_of_vectors(self):
        x, y = self.floats(3, 4), self.zeros(3, 4)
        self.module.twice_vectors(input=x, output=y).launchRaw((3, 1, 1), ONE)
        np.testing.assert_array_equal(to_numpy(y), 2 * to_numpy(x))

    def test_signed_integers_stand_for_unsigned_ones(self):
        keys = to_device(np.array([1, 3, 1], np.int32))
        counts = self.zeros(4, dtype=np.uint32)
        self.module.count(keys=keys, counts=counts).launchRaw((3, 1, 1), ONE)
        np.testing.assert_array_equal(to_numpy(counts), [0, 2, 0, 1])

    def assert_refused(self, said, kernel, **arguments):
        """All three types that slangtorch has for it are caught."""
        for kind in (TypeError, ValueError, RuntimeError):
            with self.assertRaisesRegex(kind, said):
                launchable = kernel(**arguments)
                launchable.launchRaw(ONE, ONE)

    def test_wrong_arguments_are_named(self):
        module, x, y = self.module, self.floats(3), self.zeros(3)
        refused = self.assert_refused
        refused("`square` needs `output`; its parameters are `input`, `output`", module.square, input=x)
        refused("`square` has no parameter `other`", module.square, input=x, output=y, other=y)
        refused("`input` of `square` is `DiffTensorView<float, AtomicAdd>`: a tensor", module.square, input=3, output=y)
        refused("`output` of `square` is `TensorView<float>`, which `None` is not", module.square, input=x, output=(None, y))
        refused("`input` of `square` is in the memory of the CPU", module.square, input=np.zeros(3), output=y)
        refused("`output` of `square` is in the memory of the CPU", module.square, input=x, output=np.zeros(3))
        half = self.zeros(3, dtype=np.float16)
        refused("`output` of `square` is `TensorView<float>`: a tensor of float32, not of float16", module.square, input=x, output=half)
        refused("`output` of `square` is on the CUDA device 1", module.square, input=x, output=to_device(np.zeros(3, "f"), 1))
        wide = to_device(np.zeros((1, 1, 1, 1, 1, 1), "f"))
        refused("`output` of `square` has 6 dimensions: a tensor has at most 5", module.square, input=x, output=wide)
        spread = x._of(np.broadcast_to(x._view(), (2, 3)))
        refused("`input` of `square` is broadcast", module.square, input=spread, output=y)
        refused("`operands` of `multiply` is `Operands`: it has the fields `a`, `b`", module.multiply, operands={"a": x}, result=y)
        refused("`operands` of `multiply` is `Operands`: it has the fields", module.multiply, operands=(x,), result=y)
        refused("`operands` of `multiply` is `Operands`, which a tensor", module.multiply, operands=x, result=y)
        refused("`operands.b` of `multiply` is `TensorView<float>`, which `3` is not", module.multiply, operands=(x, 3), result=y)
        refused("`scale` of `splat` is `float`, which `'1'` is not", module.splat, splats=x, image=y, scale="1")
        refused("the last dimensions have to be \\(4,\\), contiguous", module.twice_vectors, input=self.zeros(3, 3), output=y)
        with self.assertRaisesRegex(ValueError, "`square` takes its arguments by name: `input`, `output`"):
            self.module.square(x, y)
        with self.assertRaisesRegex(ValueError, "`blockSize` is a tuple of three numbers, which `32` is not"):
            self.module.square(input=x, output=y).launchRaw(32, ONE)
        with self.assertRaisesRegex(ValueError, "there is no `place.bwd`: `place` has no backward derivative"):
            self.module.place.bwd(output=y)

    def test_numbers_take_their_type_or_are_refused(self):
        good = dict(flag=True, vector=(1, 2, 3), number=1, vectors=[(1, 2, 3)] * 2, large=1, output=self.zeros(40, dtype="d"))
        inner = dict(flag=True, direction=(1, 2, 3), small=1, wide=(1, 2, 3, 4))
        good["outer"] = dict(first=1, inners=[inner, inner], matrix=((1, 2, 3), (4, 5, 6)), pair=(1, 2))
        self.module.flatten(**good).launchRaw(ONE, ONE)
        wrong = {
            "`number` of `flatten` is `uint`, which `-1` is not": {"number": -1},
            "`number` of `flatten` is `uint`, which `1.5` is not": {"number": 1.5},
            "`large` of `flatten` is `int64`, which": {"large": 1 << 63},
            "`flag` of `flatten` is `bool`, which `\\[1\\]` is not": {"flag": [1]},
            "`vector` of `flatten` is 3 values in a tuple or a list": {"vector": (1, 2)},
            "`vector\\[2\\]` of `flatten` is `float`, which `None` is not": {"vector": (1, 2, None)},
            "`outer.matrix` of `flatten` is 2 values": {"outer": {**good["outer"], "matrix": (1, 2, 3, 4, 5, 6)}},
            "`outer.inners\\[1\\].small` of `flatten` is `int8`, which `128` is not": {
                "outer": {**good["outer"], "inners": [inner, {**inner, "small": 128}]}
            },
        }
        for said, arguments in wrong.items():
            self.assert_refused(said, self.module.flatten, **{**good, **arguments})

    def test_functions_of_the_host_are_refused_by_name(self):
        with self.assertRaisesRegex(NotImplementedError, "`tripled` runs on the host .* has the kernels .*`factor_kernel`"):
            self.module.tripled
        with self.assertRaisesRegex(AttributeError, "there is no kernel `cube`: .*`square`"):
            self.module.cube
        x, y = self.floats(3), self.zeros(3)
        self.module.factor_kernel(input=x, result=y).launchRaw((3, 1, 1), ONE)
        np.testing.assert_array_equal(to_numpy(y), 3 * to_numpy(x))
        self.assertIn("square", dir(self.module))


def square(x):
    return x * x


def infer(weights, biases, inputs):
    values = inputs
    for weight, bias in zip(weights, biases):
        values = np.sin(values @ weight.T + bias)
    return values


def splat(splats, pixels):
    color, transmittance = np.zeros(len(pixels)), np.ones(len(pixels))
    for position, brightness in splats:
        weight = 0.5 * np.exp(-((position - pixels) ** 2))
        color, transmittance = color + brightness * weight * transmittance, transmittance * (1 - weight)
    return np.stack([color, transmittance], -1)


def pullback(function, arrays, cotangent, step=1e-6):
    """The gradients of all arrays, by central differences in double precision."""
    gradients = []
    for number, array in enumerate(arrays):
        gradient = np.zeros_like(array)
        for index in np.ndindex(array.shape):
            ends = []
            for sign in (1, -1):
                moved = [other.copy() for other in arrays]
                moved[number][index] += sign * step
                ends.append(np.sum(function(*moved) * cotangent))
            gradient[index] = (ends[0] - ends[1]) / (2 * step)
        gradients.append(gradient)
    return gradients


class Derivatives(OnFakeDevice):
    def doubles(self, *tensors):
        return [to_numpy(tensor).astype(np.float64) for tensor in tensors]

    def test_pairs_in_all_their_forms(self):
        x = self.floats(5)
        for input_of, output_of in [
            (lambda v, d: (v, d), lambda v, d: [v, d]),
            (slangtorch.DiffTensorView, lambda v, d: {"value": v, "grad": d}),
            (lambda v, d: self.module.DiffTensorView(value=v, grad=d), lambda v, d: (v, d)),
        ]:
            y, gradient, given = self.zeros(5), self.zeros(5), self.floats(5)
            cotangent = to_numpy(given)
            self.module.square.bwd(input=input_of(x, gradient), output=output_of(y, given)).launchRaw((8, 1, 1), ONE)
            np.testing.assert_allclose(to_numpy(gradient), 2 * to_numpy(x) * cotangent, rtol=1e-6)
            # Gradients are added; what is written twice has none the second time.
            np.testing.assert_array_equal(to_numpy(given), 0)
        for alone in (lambda v: v, lambda v: (v,), lambda v: (v, None), slangtorch.DiffTensorView):
            y = self.zeros(5)
            self.module.square(input=alone(x), output=alone(y)).launchRaw((8, 1, 1), ONE)
            np.testing.assert_array_equal(to_numpy(y), to_numpy(x) ** 2)

    def test_tangents(self):
        x, tangent, y, given = self.floats(5), self.floats(5), self.zeros(5), self.zeros(5)
        self.module.square.fwd(input=(x, tangent), output=(y, given)).launchRaw((2, 1, 1), (3, 1, 1))
        np.testing.assert_array_equal(to_numpy(y), to_numpy(x) ** 2)
        np.testing.assert_allclose(to_numpy(given), 2 * to_numpy(x) * to_numpy(tangent), rtol=1e-6)

    def test_derivatives_that_nobody_asked_for(self):
        x, y, gradient = self.floats(5), self.zeros(5), self.zeros(5)
        # No cotangent is one of zero.
        self.module.square.bwd(input=(x, gradient), output=y).launchRaw((8, 1, 1), ONE)
        np.testing.assert_array_equal(to_numpy(gradient), 0)
        self.module.square.bwd(input=x, output=(y, self.floats(5))).launchRaw((8, 1, 1), ONE)
        self.module.square.fwd(input=(x, None), output=(y, gradient)).launchRaw((8, 1, 1), ONE)
        np.testing.assert_array_equal(to_numpy(gradient), 0)
        with self.assertRaisesRegex(ValueError, "the derivative of `input` of `square.bwd` has the shape \\(4,\\)"):
            self.module.square.bwd(input=(x, self.zeros(4)), output=(y, gradient)).launchRaw((8, 1, 1), ONE)

    def test_network_of_structs(self):
        weights, biases = [self.floats(3, 3) for _ in range(2)], [self.floats(3) for _ in range(2)]
        x, y = self.floats(5, 3), self.zeros(5, 3)
        module = self.module
        layers = [module.Layer(weights=weight, bias=bias) for weight, bias in zip(weights, biases)]
        module.infer(network=module.Network(layers=layers), inputs=x, outputs=y).launchRaw((4, 1, 1), (2, 1, 1))
        arrays = self.doubles(*weights, *biases, x)

        def values(*arrays):
            return infer(arrays[0:2], arrays[2:4], arrays[4])

        np.testing.assert_allclose(to_numpy(y), values(*arrays), rtol=1e-5, atol=1e-6)
        gradients = [self.zeros(*array.shape) for array in arrays]
        cotangent = self.floats(5, 3)
        expected = pullback(values, arrays, to_numpy(cotangent).astype(np.float64))
        layers = [
            module.Layer(weights=(weights[i], gradients[i]), bias=(biases[i], gradients[2 + i])) for i in range(2)
        ]
        network = module.Network(layers=layers)
        module.infer.bwd(network=network, inputs=(x, gradients[4]), outputs=(y, cotangent)).launchRaw((4, 1, 1), (2, 1, 1))
        for found, gradient in zip(gradients, expected):
            np.testing.assert_allclose(to_numpy(found), gradient, rtol=1e-3, atol=1e-5)

    def test_splats_with_a_way_back_of_their_own(self):
        splats, image, scale = self.floats(6, 2), self.zeros(4, 2), 0.25
        self.module.splat(splats=splats, image=image, scale=scale).launchRaw((4, 1, 1), ONE)
        arrays, pixels = self.doubles(splats), np.arange(4) * scale
        np.testing.assert_allclose(to_numpy(image), splat(arrays[0], pixels), rtol=1e-5, atol=1e-6)
        gradient, cotangent = self.zeros(6, 2), self.floats(4, 2)
        expected = pullback(lambda splats: splat(splats, pixels), arrays, to_numpy(cotangent).astype(np.float64))
        self.module.splat.bwd(splats=(splats, gradient), image=(image, cotangent), scale=scale).launchRaw((4, 1, 1), ONE)
        np.testing.assert_allclose(to_numpy(gradient), expected[0], rtol=1e-3, atol=1e-5)


if __name__ == "__main__":
    unittest.main()

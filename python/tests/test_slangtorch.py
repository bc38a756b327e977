"""Kernels that are called as slangtorch calls them, on a device that is not there."""

import gc
import platform
import shutil
import sys
import tempfile
import types
import unittest
from collections import namedtuple
from pathlib import Path

import numpy as np

import slang_analyzer.slangtorch as slangtorch
from fake_device import Devices, to_device, to_numpy
from slang_analyzer import SlangError
from slangtorch_cases import DerivativeCases

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
        super().setUp()
        self.random = np.random.default_rng(1)

    def tearDown(self):
        # Nothing is kept that nobody has.
        gc.collect()
        self.assertEqual(self.devices.library.fake_allocated(), 0)

    def to_device(self, array):
        return to_device(array)

    def to_numpy(self, array):
        return to_numpy(array)

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
        second = {"flag": 0, "direction": [9, 10, 11], "small": 12, "wide": np.arange(4.0)}
        inner = [(True, (1, 2, 3), -4, (5, 6, 7, 8)), second]
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
        said = "`output` of `square` is `TensorView<float>`: a tensor of float32, not of float16"
        refused(said, module.square, input=x, output=half)
        refused("`output` of `square` is on the CUDA device 1", module.square, input=x, output=to_device(np.zeros(3, "f"), 1))
        wide = to_device(np.zeros((1, 1, 1, 1, 1, 1), "f"))
        refused("`output` of `square` has 6 dimensions: a tensor has at most 5", module.square, input=x, output=wide)
        spread = x._of(np.broadcast_to(x._view(), (2, 3)))
        refused("`input` of `square` is broadcast", module.square, input=spread, output=y)
        said = "`operands` of `multiply` is `Operands`: it has the fields `a`, `b`"
        refused(said, module.multiply, operands={"a": x}, result=y)
        refused("`operands` of `multiply` is `Operands`: it has the fields", module.multiply, operands=(x,), result=y)
        refused("`operands` of `multiply` is `Operands`, which a tensor", module.multiply, operands=x, result=y)
        said = "`operands.b` of `multiply` is `TensorView<float>`, which `3` is not"
        refused(said, module.multiply, operands=(x, 3), result=y)
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


class Derivatives(DerivativeCases, OnFakeDevice):
    """Derivatives of tensors that speak DLPack."""


if __name__ == "__main__":
    unittest.main()

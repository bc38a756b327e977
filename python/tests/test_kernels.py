"""Values and gradients of functions over numpy's arrays: from mathematics, and against differences in double precision."""

import os
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import slang_analyzer

HERE = Path(__file__).parent
random = np.random.default_rng(7)


def differences(function, arrays, step=1e-6):
    """Central differences of the sum of what a function returns."""
    gradients = []
    for array in arrays:
        gradient = np.zeros_like(array)
        for index in np.ndindex(array.shape):
            kept = array[index]
            array[index] = kept + step
            above = np.sum(function(*arrays))
            array[index] = kept - step
            below = np.sum(function(*arrays))
            array[index] = kept
            gradient[index] = (above - below) / (2 * step)
        gradients.append(gradient)
    return gradients


class Kernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module = slang_analyzer.load(HERE / "kernels.slang")

    def test_values_and_gradients_of_scalars(self):
        x, y = random.normal(size=(2, 50))
        np.testing.assert_allclose(self.module.smooth(x, y), np.sin(x) * np.exp(y) + x * y * y)
        cotangent = random.normal(size=50)
        gradients = self.module.smooth.bwd((x, y), cotangent)
        np.testing.assert_allclose(gradients.x, cotangent * (np.cos(x) * np.exp(y) + y * y))
        np.testing.assert_allclose(gradients.y, cotangent * (np.sin(x) * np.exp(y) + 2 * x * y))

    def test_tangents(self):
        x, y = random.normal(size=(2, 5))
        value, tangent = self.module.smooth.fwd((x, y), (1.0, 2.0))
        np.testing.assert_allclose(value, np.sin(x) * np.exp(y) + x * y * y)
        expected = np.cos(x) * np.exp(y) + y * y + 2 * (np.sin(x) * np.exp(y) + 2 * x * y)
        np.testing.assert_allclose(tangent, expected)
        _, tangent = self.module.smooth.fwd((x, y), {"y": np.ones(5)})
        np.testing.assert_allclose(tangent, np.sin(x) * np.exp(y) + 2 * x * y)

    def test_inout_and_out(self):
        f = self.module["ns::f"]
        x, y = np.float32([2, 3]), np.float32([[1, 2, 3], [4, 5, 6]])
        results = f(x, y)
        np.testing.assert_array_equal(results.result, [8, 27])
        np.testing.assert_array_equal(results.y, [[2, 4, 6], [12, 15, 18]])
        np.testing.assert_array_equal(results.z, [2, 12])
        np.testing.assert_array_equal(y, [[1, 2, 3], [4, 5, 6]])
        cotangents = {"result": np.float32([1, 2]), "y": np.ones((2, 3), np.float32), "z": np.float32([10, 20])}
        expected_x, expected_y = [28, 149], [[22, 2, 2], [63, 3, 3]]
        gradients = f.bwd((x, y), cotangents)
        np.testing.assert_array_equal(gradients.x, expected_x)
        np.testing.assert_array_equal(gradients.y, expected_y)
        results, gradients = f.bwd((x, y), cotangents, with_primal=True)
        np.testing.assert_array_equal(results.y, [[2, 4, 6], [12, 15, 18]])
        np.testing.assert_array_equal(results.result, [8, 27])
        np.testing.assert_array_equal(gradients.x, expected_x)
        np.testing.assert_array_equal(gradients.y, expected_y)
        results, tangents = f.fwd((x, y), {"x": np.float32([1, 0])})
        np.testing.assert_array_equal(tangents.result, [12, 0])
        np.testing.assert_array_equal(tangents.y, [[1, 2, 3], [0, 0, 0]])

    def test_generic_instance_against_differences(self):
        layer = self.module["layer<3>"]
        weights, inputs = random.normal(size=(4, 3, 3)), random.normal(size=(4, 3))
        value = np.einsum("nij,nj->ni", weights, inputs)
        np.testing.assert_allclose(layer(weights, inputs), np.sum(value / (1 + np.exp(-value)), axis=-1))
        gradients = layer.bwd((weights, inputs), 1.0)
        expected = differences(layer, [weights, inputs])
        np.testing.assert_allclose(gradients.weights, expected[0], atol=1e-8)
        np.testing.assert_allclose(gradients.input, expected[1], atol=1e-8)

    def test_leading_dimensions_are_broadcast(self):
        layer = self.module["layer<3>"]
        weights, inputs = random.normal(size=(3, 3)), random.normal(size=(2, 5, 3))
        self.assertEqual(layer(weights, inputs).shape, (2, 5))
        gradients = layer.bwd((weights, inputs), 1.0)
        expected = differences(layer, [weights, inputs])
        np.testing.assert_allclose(gradients.weights, expected[0], atol=1e-8)
        np.testing.assert_allclose(gradients.input, expected[1], atol=1e-8)
        x, y = random.normal(size=(4, 1)), random.normal(size=(1, 6))
        gradients = self.module.smooth.bwd((x, y), 1.0)
        expected = differences(self.module.smooth, [x, y])
        np.testing.assert_allclose(gradients.x, expected[0], atol=1e-7)
        np.testing.assert_allclose(gradients.y, expected[1], atol=1e-7)

    def test_many_elements(self):
        x = random.normal(size=30_011)
        np.testing.assert_allclose(self.module.smooth(x, 0.5), np.sin(x) * np.exp(0.5) + x * 0.25)
        gradients = self.module.smooth.bwd((x, 0.5), 1.0)
        np.testing.assert_allclose(gradients.x, np.cos(x) * np.exp(0.5) + 0.25)
        self.assertEqual(gradients.y.shape, ())
        np.testing.assert_allclose(gradients.y, np.sum(np.sin(x) * np.exp(0.5) + x))
        self.assertEqual(self.module.smooth(np.zeros((0, 4)), 1.0).shape, (0, 4))

    def test_matrices_halves_and_truth_values(self):
        m, v = np.float32([[1, 2, 3], [4, 5, 6]]), np.float32([7, 8, 9])
        np.testing.assert_array_equal(self.module.apply(m, v), m @ v)
        gradients = self.module.apply.bwd((m, v), np.float32([1, 10]))
        np.testing.assert_array_equal(gradients.m, [[7, 8, 9], [70, 80, 90]])
        np.testing.assert_array_equal(gradients.v, [41, 52, 63])
        halves = self.module.halved(np.float16([1, 3]))
        self.assertEqual(halves.dtype, np.float16)
        np.testing.assert_array_equal(halves, [0.5, 1.5])
        np.testing.assert_array_equal(self.module.halved.bwd(np.float16([1, 3]), np.float16(2)), [1, 1])
        np.testing.assert_array_equal(self.module.isPositive(np.int32([-1, 0, 1])), [False, False, True])

    def test_methods(self):
        line = {"slope": np.float32([2, 3]), "offsets": np.float32([5, 1])}
        np.testing.assert_array_equal(self.module["Line.at"](line, 2.0), [12, 16])
        np.testing.assert_array_equal(self.module["Line::at"].bwd((line, 2.0), np.float32([1, 0])), 8.0)

    def test_overloads(self):
        self.assertEqual(self.module["g(float)"](3.0), 3)
        self.assertEqual(self.module["g(float2)"]([3.0, 4.0]), 7)
        with self.assertRaisesRegex(slang_analyzer.SlangError, r"several functions: `g\(float\)`, `g\(float2\)`"):
            self.module.g(1.0)

    def test_structs(self):
        particle = {
            "mass": np.float32([2, 3]),
            "kind": np.int32([1, 2]),
            "velocity": np.float32([[1, 2, 3], [0, 1, 0]]),
            "position": np.ones((2, 3)),
        }
        np.testing.assert_array_equal(self.module.energy(particle), [15, 3.5])
        gradient = self.module.energy.bwd((particle,), np.array([1.0, 2.0]))
        # The differential has no field for an integer.
        self.assertEqual(gradient.dtype.names, ("mass", "velocity", "position"))
        np.testing.assert_array_equal(gradient["mass"], [7, 1])
        np.testing.assert_array_equal(gradient["velocity"], [[2, 4, 6], [0, 6, 0]])
        np.testing.assert_array_equal(gradient["position"], [[0, 0, 1], [0, 0, 4]])
        moved = self.module.moved(particle, 2.0)
        np.testing.assert_array_equal(moved["position"], [[3, 5, 7], [1, 3, 1]])
        np.testing.assert_array_equal(moved["kind"], [1, 2])
        np.testing.assert_array_equal(self.module.energy(moved), [21, 4.5 - 2.0 + 1.0])
        # One struct for many elements: what is summed are its fields.
        one = {name: values[0] for name, values in particle.items()}
        gradient = self.module.moved.bwd((one, np.array([1.0, 2.0])), {"result": {
            "mass": np.float32(0), "velocity": np.zeros(3, np.float32), "position": np.ones(3)}})
        np.testing.assert_array_equal(gradient.p["velocity"], [3, 3, 3])
        np.testing.assert_array_equal(gradient.time, [6, 6])

    def test_structs_in_lists(self):
        first = {"mass": 2, "kind": 1, "velocity": [1, 2, 3], "position": [1, 1, 1]}
        second = {"mass": 3.0, "kind": np.int32(2), "velocity": np.float32([0, 1, 0]), "position": np.ones(3)}
        np.testing.assert_array_equal(self.module.energy([first, second]), [15, 3.5])
        np.testing.assert_array_equal(self.module.energy([[first], (second,)]), [[15], [3.5]])
        np.testing.assert_array_equal(self.module.energy([first]), [15])
        for value, message in [
            ([first, 1.0], "`p` of `energy` is `Particle`, which `1.0` is not"),
            ([first, {**second, "velocity": [1, 2]}], "`velocity` of `p` of `energy`"),
            ([first, {"mass": 1.0}], "`p` of `energy` is `Particle`: there is no value for its field `kind`"),
            ({**first, "weight": 1.0}, "`p` of `energy` is `Particle`, which has no field `weight`, but "),
        ]:
            with self.assertRaisesRegex((TypeError, ValueError), message):
                self.module.energy(value)

    def test_buffers_tensors_and_uniforms_are_shared(self):
        weights = np.float32([4, 5, 6])
        arguments = (np.float32([1, 2]), weights, np.uint32([2, 1]))
        np.testing.assert_array_equal(self.module.weighted(*arguments, scale=10.0), [60, 100])
        np.testing.assert_array_equal(self.module.weighted.bwd(arguments, 1.0, scale=2.0), [12, 10])
        counts = np.zeros(3, np.uint32)
        self.module.count(np.uint32([0, 2, 2, 2] * 5000), counts)
        np.testing.assert_array_equal(counts, [5000, 0, 15000])
        image = np.arange(12, dtype=np.float32).reshape(3, 4)
        places = np.uint32([[0, 1], [2, 3]])
        np.testing.assert_array_equal(self.module.sampled(2.0, image, places), [2, 22])
        np.testing.assert_array_equal(self.module.sampled.bwd((2.0, image, places), 1.0), 12)

    def test_tensors_have_gradients(self):
        weights, x, i = np.float32([1, 2, 3]), np.float32([1, 10, 100]), np.int32([2, 0, 2])
        np.testing.assert_array_equal(self.module.squared(weights, x, i), [9, 10, 900])
        results, gradients = self.module.squared.bwd((weights, x, i), 1.0, with_primal=True)
        np.testing.assert_array_equal(results, [9, 10, 900])
        np.testing.assert_array_equal(gradients.weights, [20, 0, 606])
        np.testing.assert_array_equal(gradients.x, [9, 1, 9])
        # Many elements add to the same.
        gradients = self.module.squared.bwd((weights, np.ones(50_000, np.float32), 1), 1.0)
        np.testing.assert_array_equal(gradients.weights, [0, 200_000, 0])
        # Strides are those of the tensor.
        gradients = self.module.squared.bwd((np.float32([1, 0, 2, 0, 3])[::2], x, i), 1.0)
        np.testing.assert_array_equal(gradients.weights, [20, 0, 606])
        _, tangents = self.module.squared.fwd((weights, x, i), (np.float32([1, 0, 0]), 0.0))
        np.testing.assert_array_equal(tangents, [0, 20, 0])
        _, tangents = self.module.squared.fwd((weights, x, i), {"x": 1.0})
        np.testing.assert_array_equal(tangents, [9, 1, 9])

    def test_results_are_written_where_they_are_wanted(self):
        out = np.zeros(3)
        self.assertIs(np.shares_memory(self.module.smooth(np.arange(3.0), 0.0, out=out), out), True)
        np.testing.assert_allclose(out, np.sin(np.arange(3.0)))
        z = np.zeros(1, np.float32)
        self.module["ns::f"](np.float32([2]), np.float32([[1, 2, 3]]), out={"z": z})
        np.testing.assert_array_equal(z, [2])
        for wrong, message in [
            (np.zeros(3, np.float32), "an array of float64, not of float32"),
            (np.zeros(4), r"shape \(4,\) and not \(3,\)"),
            (np.zeros(6)[::2], "contiguous"),
        ]:
            with self.assertRaisesRegex((TypeError, ValueError), message):
                self.module.smooth(np.arange(3.0), 0.0, out=wrong)
        with self.assertRaisesRegex(ValueError, "`counts` is written: its array has to be contiguous"):
            self.module.count(np.uint32(0), np.zeros(6, np.uint32)[::2])

    def test_results_never_overwrite_what_is_still_read(self):
        numbers = np.arange(10.0)
        for out, x in [(numbers[1:], numbers[:-1]), (numbers[:-1], numbers[1:]), (numbers[:3], numbers[:6:2])]:
            with self.assertRaisesRegex(ValueError, "overlaps `x`, which is read"):
                self.module.smooth(x, 0.0, out=out)
        np.testing.assert_array_equal(numbers, np.arange(10.0))
        self.module.smooth(numbers[5:], 0.0, out=numbers[:5])
        np.testing.assert_allclose(numbers[:5], np.sin(np.arange(5.0, 10.0)))
        self.module.smooth(numbers[5:], 0.0, out=numbers[5:])
        np.testing.assert_allclose(numbers[5:], np.sin(np.arange(5.0, 10.0)))

    def test_buffers_of_too_many_elements(self):
        # Address space alone: no page of it is touched.
        try:
            weights = np.zeros((1 << 32) + 1, np.float32)
        except MemoryError:
            self.skipTest("there is not so much address space")
        with self.assertRaisesRegex(ValueError, "`weights` has 4294967297 elements: a buffer has less than 4294967296"):
            self.module.weighted(np.float32(1), weights, np.uint32(0), scale=1.0)

    def test_wrong_arguments_are_named(self):
        smooth, apply = self.module.smooth, self.module.apply
        for call, message in [
            (lambda: smooth(np.float32([1]), 1.0), "`x` of `smooth` is `double`: its array has to hold float64, not float32"),
            (lambda: smooth(1.0), "there is no argument for `y` of `smooth`"),
            (lambda: smooth(1.0, 2.0, 3.0), r"`smooth` takes 2 arguments \(x, y\), not 3"),
            (lambda: smooth(1.0, 2.0, y=3.0), "two arguments for `y`"),
            (lambda: smooth(1.0, 2.0, other=3.0), "no parameter `other`"),
            (lambda: smooth(1.0, "a"), "`y` of `smooth` is `double`, which `'a'` is not|has to be an array or a number"),
            (lambda: smooth(np.zeros(2), np.zeros(3)), "the leading dimensions do not go together"),
            (lambda: apply(np.zeros((2, 2), np.float32), np.zeros(3, np.float32)), r"`m` of `apply` is `float2x3`.*\(2, 3\)"),
            (lambda: self.module.isPositive(1.5), "`x` of `isPositive` is `int`, which `1.5` is not"),
            (lambda: self.module.isPositive(1 << 40), "`x` of `isPositive` is `int`, which"),
            (lambda: smooth.bwd((1.0, 2.0), {"none": 1.0}), "`none` of `smooth` has no cotangent"),
            (lambda: self.module.weighted(1.0, np.float32([1]), np.uint32(0)), "there is no argument for `scale`"),
        ]:
            with self.assertRaisesRegex((TypeError, ValueError), message):
                call()

    def test_other_libraries_speak_dlpack(self):
        class Speaks:
            """An array of a library that is not there."""

            def __init__(self, array, device=1):
                self.array, self.device = array, device

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return (self.device, 0)

        def from_dlpack(array):
            return Speaks(array)

        sys.modules[__name__].from_dlpack = from_dlpack
        result = self.module.smooth(Speaks(np.zeros(2)), 1.0)
        self.assertIsInstance(result, Speaks)
        np.testing.assert_array_equal(result.array, [0, 0])
        with self.assertRaisesRegex(TypeError, "not in the memory of the CPU"):
            self.module.smooth(Speaks(np.zeros(2), device=10), 1.0)


class Errors(unittest.TestCase):
    def load(self, text, **options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name, "wrong.slang")
        path.write_text(text)
        return slang_analyzer.load(path, **options)

    def test_findings(self):
        with self.assertRaises(slang_analyzer.SlangError) as caught:
            self.load("float f(float a)\n{\n    return b;\n}\n")
        (finding,) = caught.exception.findings
        self.assertEqual((finding.code, finding.severity, finding.line, finding.column), ("E30015", "error", 3, 12))
        self.assertIn("undefined identifier 'b'", finding.message)
        self.assertIn("wrong.slang:3:12", str(caught.exception))

    def test_what_cannot_be_compiled(self):
        module = self.load("float plain(float x) { return x; }")
        self.assertEqual(module.plain(2.0), 2)
        with self.assertRaisesRegex(slang_analyzer.SlangError, "`plain` is not backward differentiable"):
            module.plain.bwd(2.0, 1.0)
        with self.assertRaisesRegex(slang_analyzer.SlangError, "there is no function `none`"):
            module.none(1.0)

    def test_macros(self):
        module = self.load("float f(float x) { return x * FACTOR; }", defines={"FACTOR": 3})
        self.assertEqual(module.f(2.0), 6)

    def test_compilers(self):
        for name, message in [("no-such-compiler", "is not there: no-such-compiler"), ("", "there is no C\\+\\+ compiler")]:
            environment = {**os.environ, "CXX": name, "SLANG_ANALYZER_CACHE": tempfile.mkdtemp()}
            if not name:
                environment["PATH"] = "/nonexistent"
            code = f"import slang_analyzer; slang_analyzer.load({str(HERE / 'kernels.slang')!r}).smooth(1.0, 2.0)"
            done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
            self.assertRegex(done.stderr, message)


class Cache(unittest.TestCase):
    def test_processes_build_the_same_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "SLANG_ANALYZER_CACHE": folder}
            code = f"import slang_analyzer; print(slang_analyzer.load({str(HERE / 'kernels.slang')!r}).smooth(0.0, 2.0))"
            run = lambda _: subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
            with ThreadPoolExecutor(3) as pool:
                outputs = [(done.stdout.strip(), done.stderr) for done in pool.map(run, range(3))]
            self.assertEqual(outputs, [("0.0", "")] * 3)
            # One library, and nothing else is left.
            self.assertEqual(len(os.listdir(folder)), 1)


if __name__ == "__main__":
    unittest.main()

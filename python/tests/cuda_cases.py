"""What holds for arrays of every library on a device, against numpy in double precision and against differences."""

from pathlib import Path

import numpy as np

import slang_analyzer
from slang_analyzer.cuda import launch

HERE = Path(__file__).parent
#: For functions whose arguments are not on a device.
MODULE = slang_analyzer.load(HERE / "kernels.slang")


class Cases:
    """Tests of one library: whoever has them has ``to_device``, ``to_numpy``, ``permuted`` and ``is_own``, too."""

    #: Whether its arrays can change.
    writes = True
    #: Types that it lacks.
    missing = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.module = slang_analyzer.load(HERE / "kernels.slang")

    def setUp(self):
        self.random = np.random.default_rng(7)

    def assert_close(self, found, expected, **options):
        options = {"rtol": 1e-12, "atol": 1e-12, **options}
        values = self.to_numpy(found)
        np.testing.assert_allclose(values, expected, **options)
        self.assertEqual(values.shape, np.shape(expected))
        self.assertTrue(self.is_own(found), f"the result is a {type(found)}")

    def assert_equal(self, found, expected):
        self.assert_close(found, expected, rtol=0, atol=0)

    def differences(self, function, arrays, step=1e-6):
        """Central differences of the sum of what a function returns, on the device."""
        gradients = []
        for array in arrays:
            gradient = np.zeros_like(array)
            for index in np.ndindex(array.shape):
                kept = array[index]
                sums = []
                for moved in (kept + step, kept - step):
                    array[index] = moved
                    sums.append(np.sum(self.to_numpy(function(*map(self.to_device, arrays)))))
                array[index] = kept
                gradient[index] = (sums[0] - sums[1]) / (2 * step)
            gradients.append(gradient)
        return gradients

    def test_values_and_gradients_of_scalars(self):
        x, y = self.random.normal(size=(2, 50))
        args = self.to_device(x), self.to_device(y)
        self.assert_close(self.module.smooth(*args), np.sin(x) * np.exp(y) + x * y * y)
        cotangent = self.random.normal(size=50)
        gradients = self.module.smooth.bwd(args, self.to_device(cotangent))
        self.assert_close(gradients.x, cotangent * (np.cos(x) * np.exp(y) + y * y))
        self.assert_close(gradients.y, cotangent * (np.sin(x) * np.exp(y) + 2 * x * y))

    def test_tangents(self):
        x, y = self.random.normal(size=(2, 5))
        args = self.to_device(x), self.to_device(y)
        value, tangent = self.module.smooth.fwd(args, (1.0, 2.0))
        self.assert_close(value, np.sin(x) * np.exp(y) + x * y * y)
        self.assert_close(tangent, np.cos(x) * np.exp(y) + y * y + 2 * (np.sin(x) * np.exp(y) + 2 * x * y))
        _, tangent = self.module.smooth.fwd(args, {"y": self.to_device(np.ones(5))})
        self.assert_close(tangent, np.sin(x) * np.exp(y) + 2 * x * y)

    def test_inout_and_out(self):
        f = self.module["ns::f"]
        x, y = self.to_device(np.float32([2, 3])), self.to_device(np.float32([[1, 2, 3], [4, 5, 6]]))
        results = f(x, y)
        self.assertEqual(results._fields, ("result", "y", "z"))
        self.assert_equal(results.result, [8, 27])
        self.assert_equal(results.y, [[2, 4, 6], [12, 15, 18]])
        self.assert_equal(results.z, [2, 12])
        np.testing.assert_array_equal(self.to_numpy(y), [[1, 2, 3], [4, 5, 6]])
        cotangents = {
            "result": self.to_device(np.float32([1, 2])),
            "y": self.to_device(np.ones((2, 3), np.float32)),
            "z": self.to_device(np.float32([10, 20])),
        }
        expected_x, expected_y = [28, 149], [[22, 2, 2], [63, 3, 3]]
        gradients = f.bwd((x, y), cotangents)
        self.assert_equal(gradients.x, expected_x)
        self.assert_equal(gradients.y, expected_y)
        results, gradients = f.bwd((x, y), cotangents, with_primal=True)
        self.assert_equal(results.y, [[2, 4, 6], [12, 15, 18]])
        self.assert_equal(results.result, [8, 27])
        self.assert_equal(gradients.x, expected_x)
        self.assert_equal(gradients.y, expected_y)
        results, tangents = f.fwd((x, y), {"x": self.to_device(np.float32([1, 0]))})
        self.assert_equal(tangents.result, [12, 0])
        self.assert_equal(tangents.y, [[1, 2, 3], [0, 0, 0]])

    def test_inout_that_is_broadcast(self):
        f = self.module["ns::f"]
        x, y = self.to_device(np.float32([2, 3])), self.to_device(np.float32([1, 2, 3]))
        self.assert_equal(f(x, y).y, [[2, 4, 6], [3, 6, 9]])
        gradients = f.bwd((x, y), {"y": self.to_device(np.ones((2, 3), np.float32))})
        self.assert_equal(gradients.x, [6, 6])
        self.assert_equal(gradients.y, [5, 5, 5])

    def test_generic_instance_against_differences(self):
        layer = self.module["layer<3>"]
        weights, inputs = self.random.normal(size=(2, 3, 3)), self.random.normal(size=(2, 3))
        args = self.to_device(weights), self.to_device(inputs)
        value = np.einsum("nij,nj->ni", weights, inputs)
        self.assert_close(layer(*args), np.sum(value / (1 + np.exp(-value)), axis=-1))
        gradients = layer.bwd(args, 1.0)
        expected = self.differences(layer, [weights, inputs])
        self.assert_close(gradients.weights, expected[0], atol=1e-8, rtol=1e-6)
        self.assert_close(gradients.input, expected[1], atol=1e-8, rtol=1e-6)

    def test_leading_dimensions_are_broadcast(self):
        layer = self.module["layer<3>"]
        weights, inputs = self.random.normal(size=(3, 3)), self.random.normal(size=(2, 5, 3))
        args = self.to_device(weights), self.to_device(inputs)
        self.assertEqual(tuple(layer(*args).shape), (2, 5))
        gradients = layer.bwd(args, 1.0)
        ours = MODULE["layer<3>"].bwd((weights, inputs), 1.0)
        self.assert_close(gradients.weights, ours.weights)
        self.assert_close(gradients.input, ours.input)
        x, y = self.random.normal(size=(4, 1)), self.random.normal(size=(1, 6))
        cotangent = self.random.normal(size=(4, 6))
        gradients = self.module.smooth.bwd((self.to_device(x), self.to_device(y)), self.to_device(cotangent))
        of_x, of_y = cotangent * (np.cos(x) * np.exp(y) + y * y), cotangent * (np.sin(x) * np.exp(y) + 2 * x * y)
        self.assert_close(gradients.x, np.sum(of_x, axis=1, keepdims=True))
        self.assert_close(gradients.y, np.sum(of_y, axis=0, keepdims=True))
        # Dimensions in between, one that is missing, and a number.
        x, y = self.random.normal(size=(3, 1, 4, 1)), self.random.normal(size=(5, 1, 2))
        gradients = self.module.smooth.bwd((self.to_device(x), self.to_device(y)), 1.0)
        of_x, of_y = np.cos(x) * np.exp(y) + y * y, np.sin(x) * np.exp(y) + 2 * x * y
        self.assert_close(gradients.x, np.sum(of_x, axis=(1, 3), keepdims=True))
        self.assert_close(gradients.y, np.sum(of_y, axis=(0, 2))[:, None, :])

    def test_strided_and_unaligned_arrays(self):
        x, y = self.random.normal(size=(2, 30))
        expected = np.sin(x[::3]) * np.exp(y[1::3]) + x[::3] * y[1::3] ** 2
        self.assert_close(self.module.smooth(self.to_device(x)[::3], self.to_device(y)[1::3]), expected)
        m, v = self.random.normal(size=(3, 2, 7)).astype(np.float32), self.random.normal(size=(7, 3)).astype(np.float32)
        expected = np.einsum("ijn,nj->ni", m.transpose(1, 0, 2), v)
        turned = self.permuted(self.to_device(m), (2, 1, 0))
        self.assert_close(self.module.apply(turned, self.to_device(v)), expected, rtol=1e-5, atol=1e-6)
        # Vectors of four are read at once where their address is a multiple of 16.
        four = np.arange(17, dtype=np.float32)
        shifted = self.to_device(four)[1:].reshape(4, 4)
        self.assert_equal(self.module.doubled(shifted), 2 * four[1:].reshape(4, 4))

    def test_many_elements_in_parts(self):
        x = self.random.normal(size=503)
        kept = launch.MOST_ELEMENTS, launch.MOST_MEMORY
        try:
            for launch.MOST_ELEMENTS, launch.MOST_MEMORY in [kept, (128, 1 << 28), (1 << 30, 1 << 12), (1 << 30, 1)]:
                args = self.to_device(x), 0.5
                self.assert_close(self.module.smooth(*args), np.sin(x) * np.exp(0.5) + x * 0.25)
                gradients = self.module.smooth.bwd(args, 1.0)
                self.assert_close(gradients.x, np.cos(x) * np.exp(0.5) + 0.25)
                self.assert_close(gradients.y, np.sum(np.sin(x) * np.exp(0.5) + x))
                rows, row = x[:500].reshape(5, 100), x[:100]
                gradients = self.module.smooth.bwd((self.to_device(rows), self.to_device(row)), 1.0)
                of_y = np.sin(rows) * np.exp(row) + 2 * rows * row
                self.assert_close(gradients.y, of_y.sum(axis=0))
        finally:
            launch.MOST_ELEMENTS, launch.MOST_MEMORY = kept

    def test_gradients_are_summed_in_double_precision(self):
        x = self.random.normal(size=200_000).astype(np.float32)
        gradients = self.module.scaled.bwd((self.to_device(x), np.float32(3)), 1.0)
        # A sum in single precision is off by far more than the last digit.
        expected = np.float32(np.sum(x, dtype=np.float64))
        self.assert_close(gradients.factor, expected, rtol=2e-7, atol=0)

    def test_no_elements(self):
        empty = self.to_device(np.zeros((0, 4)))
        self.assertEqual(tuple(self.module.smooth(empty, 1.0).shape), (0, 4))
        gradients = self.module.smooth.bwd((empty, 1.0), 1.0)
        self.assertEqual(tuple(gradients.x.shape), (0, 4))
        self.assert_equal(gradients.y, 0.0)
        gradients = self.module.smooth.bwd((empty, self.to_device(np.zeros(4))), 1.0)
        self.assert_equal(gradients.y, np.zeros(4))

    def test_matrices_halves_and_truth_values(self):
        m, v = np.float32([[1, 2, 3], [4, 5, 6]]), np.float32([7, 8, 9])
        args = self.to_device(m), self.to_device(v)
        self.assert_equal(self.module.apply(*args), m @ v)
        gradients = self.module.apply.bwd(args, self.to_device(np.float32([1, 10])))
        self.assert_equal(gradients.m, [[7, 8, 9], [70, 80, 90]])
        self.assert_equal(gradients.v, [41, 52, 63])
        halves = self.module.halved(self.to_device(np.float16([1, 3])))
        self.assertEqual(self.to_numpy(halves).dtype, np.float16)
        self.assert_equal(halves, [0.5, 1.5])
        self.assert_equal(self.module.halved.bwd(self.to_device(np.float16([1, 3])), np.float16(2)), [1, 1])
        self.assert_equal(self.module.isPositive(self.to_device(np.int32([-1, 0, 1]))), [False, False, True])
        self.assert_equal(self.module.halfSum.bwd((self.to_device(np.float16([1, 3])), np.float16(1)), 1.0).y, 2)

    def test_integers(self):
        for name, dtype in [("int", np.int32), ("uint", np.uint32), ("int64_t", np.int64), ("uint64_t", np.uint64)]:
            if dtype in self.missing:
                continue
            found = self.module[f"successor({name})"](self.to_device(np.array([1, 2], dtype)))
            self.assertEqual(self.to_numpy(found).dtype, dtype)
            self.assert_equal(found, [2, 3])

    def test_methods(self):
        line = {"slope": self.to_device(np.float32([2, 3])), "offsets": self.to_device(np.float32([5, 1]))}
        self.assert_equal(self.module["Line.at"](line, 2.0), [12, 16])
        gradients = self.module["Line::at"].bwd((line, 2.0), self.to_device(np.float32([1, 0])))
        self.assert_equal(gradients, 8.0)

    def particle(self):
        return {
            "mass": np.float32([2, 3]),
            "kind": np.int32([1, 2]),
            "velocity": np.float32([[1, 2, 3], [0, 1, 0]]),
            "position": np.ones((2, 3)),
        }

    def test_structs(self):
        particle = {name: self.to_device(values) for name, values in self.particle().items()}
        self.assert_equal(self.module.energy(particle), [15, 3.5])
        gradient = self.module.energy.bwd((particle,), self.to_device(np.array([1.0, 2.0])))
        self.assertEqual(list(gradient), ["mass", "velocity", "position"])
        self.assert_equal(gradient["mass"], [7, 1])
        self.assert_equal(gradient["velocity"], [[2, 4, 6], [0, 6, 0]])
        self.assert_equal(gradient["position"], [[0, 0, 1], [0, 0, 4]])
        moved = self.module.moved(particle, 2.0)
        self.assert_equal(moved["position"], [[3, 5, 7], [1, 3, 1]])
        self.assert_equal(moved["kind"], [1, 2])
        self.assert_equal(self.module.energy(moved), [21, 4.5 - 2.0 + 1.0])
        # One struct for many elements: what is summed are its fields.
        one = {name: self.to_device(values[0]) for name, values in self.particle().items()}
        cotangent = {
            "mass": np.float32(0),
            "velocity": self.to_device(np.zeros(3, np.float32)),
            "position": self.to_device(np.ones(3)),
        }
        gradient = self.module.moved.bwd((one, self.to_device(np.array([1.0, 2.0]))), {"result": cotangent})
        self.assert_equal(gradient.p["velocity"], [3, 3, 3])
        self.assert_equal(gradient.time, [6, 6])
        # Fields that are numbers, or broadcast.
        mixed = {**particle, "mass": 2.0, "velocity": self.to_device(np.float32([1, 2, 3]))}
        self.assert_equal(self.module.energy(mixed), [15, 16])

    def test_nested_structs(self):
        pair = {
            "first": {"slope": self.to_device(np.float32([1, 2])), "offsets": [0.0, 0.0]},
            "second": self.to_device(np.ones((2, 2))),
        }
        swapped = self.module.scaledPair(pair, 2.0)
        self.assert_equal(swapped["first"]["slope"], [2, 4])
        self.assert_equal(swapped["first"]["offsets"], [[0, 0], [0, 0]])
        self.assert_equal(swapped["second"], [[2, 2], [2, 2]])

    def test_buffers_and_uniforms_are_shared(self):
        arguments = (np.float32([1, 2]), np.float32([4, 5, 6]), np.int32([2, 1]))
        on_device = tuple(map(self.to_device, arguments))
        self.assert_equal(self.module.chosen(*on_device, scale=10.0), [60, 100])
        self.assert_equal(self.module.chosen.bwd(on_device, 1.0, scale=2.0), [12, 10])
        # Buffers that are strided, and that are lists of numbers; constant data that is on the device.
        strided = self.to_device(np.float32([4, 0, 5, 0, 6, 0]))[::2]
        self.assert_equal(self.module.chosen(on_device[0], strided, on_device[2], scale=10.0), [60, 100])
        scale = self.to_device(np.float32(10))
        self.assert_equal(self.module.chosen(on_device[0], [4.0, 5.0, 6.0], on_device[2], scale=scale), [60, 100])

    def test_buffers_and_tensors_are_written(self):
        image = np.arange(12, dtype=np.float32).reshape(3, 4)
        places = self.to_device(np.int32([[0, 1], [2, 3]]))
        if not self.writes:
            with self.assertRaisesRegex(ValueError, "`sums` is written"):
                self.module.addTo(self.to_device(np.int32([0])), 1.0, self.to_device(np.zeros(3, np.float32)))
            return
        sums = self.to_device(np.zeros(3, np.float32))
        self.module.addTo(self.to_device(np.int32([0, 2, 2, 2] * 500)), 0.5, sums)
        np.testing.assert_array_equal(self.to_numpy(sums), [250, 0, 750])
        self.assert_equal(self.module.pixel(2.0, self.to_device(image), places), [2, 22])
        self.assert_equal(self.module.pixel.bwd((2.0, self.to_device(image), places), 1.0), 12)
        # Tensors have strides of their own.
        turned = self.permuted(self.to_device(np.ascontiguousarray(image.T)), (1, 0))
        self.assert_equal(self.module.pixel(2.0, turned, places), [2, 22])
        sums = self.to_device(np.zeros(6, np.float32))
        self.module.addTo(self.to_device(np.int32([0, 2])), 1.0, sums[::2])
        np.testing.assert_array_equal(self.to_numpy(sums), [1, 0, 0, 0, 1, 0])
        marks = self.to_device(np.zeros(4, np.int32))
        self.module.mark(self.to_device(np.int32([1, 3])), marks)
        np.testing.assert_array_equal(self.to_numpy(marks), [0, 1, 0, 1])
        with self.assertRaisesRegex(ValueError, "`marks` is written: its array has to be contiguous"):
            self.module.mark(self.to_device(np.int32([0])), marks[::2])

    def test_tensors_have_gradients(self):
        if not self.writes:
            self.skipTest("tensors may be written")
        weights, x, i = np.float32([1, 2, 3]), np.float32([1, 10, 100]), np.int32([2, 0, 2])
        args = self.to_device(weights), self.to_device(x), self.to_device(i)
        self.assert_equal(self.module.squared(*args), [9, 10, 900])
        gradients = self.module.squared.bwd(args, 1.0)
        self.assertEqual(gradients._fields, ("weights", "x"))
        self.assert_equal(gradients.weights, [20, 0, 606])
        self.assert_equal(gradients.x, [9, 1, 9])
        # Tangents of tensors, and none.
        _, tangents = self.module.squared.fwd(args, (self.to_device(np.float32([1, 0, 0])), 0.0))
        self.assert_equal(tangents, [0, 20, 0])
        _, tangents = self.module.squared.fwd(args, {"x": 1.0})
        self.assert_equal(tangents, [9, 1, 9])
        with self.assertRaisesRegex(
            ValueError, r"the tangent of `weights` of `squared` has the shape \(2,\), and the tensor \(3,\)"
        ):
            self.module.squared.fwd(args, {"weights": self.to_device(np.float32([1, 0]))})

    def test_results_are_written_where_they_are_wanted(self):
        x = np.arange(3.0)
        if not self.writes:
            with self.assertRaisesRegex(ValueError, "`result` in `out` is written"):
                self.module.smooth(self.to_device(x), 0.0, out=self.to_device(np.zeros(3)))
            return
        out = self.to_device(np.zeros(3))
        self.module.smooth(self.to_device(x), 0.0, out=out)
        self.assert_close(out, np.sin(x))
        z = self.to_device(np.zeros(1, np.float32))
        self.module["ns::f"](self.to_device(np.float32([2])), self.to_device(np.float32([[1, 2, 3]])), out={"z": z})
        self.assert_equal(z, [2])
        for wrong, message in [
            (np.zeros(3, np.float32), "an array of float64, not of float32"),
            (np.zeros(4), r"shape \(4,\) and not \(3,\)"),
        ]:
            with self.assertRaisesRegex((TypeError, ValueError), message):
                self.module.smooth(self.to_device(x), 0.0, out=self.to_device(wrong))
        with self.assertRaisesRegex(ValueError, "contiguous"):
            self.module.smooth(self.to_device(x), 0.0, out=self.to_device(np.zeros(6))[::2])
        with self.assertRaisesRegex(TypeError, "in the memory of the CPU, and other arguments are on the CUDA device 0"):
            self.module.smooth(self.to_device(x), 0.0, out=np.zeros(3))

    def test_all_arrays_are_in_one_place(self):
        x = np.arange(3.0)
        message = "`y` of `smooth` is in the memory of the CPU, and other arguments are on the CUDA device 0"
        with self.assertRaisesRegex(TypeError, message):
            self.module.smooth(self.to_device(x), x)
        with self.assertRaisesRegex(TypeError, "`x` of `smooth` is in the memory of the CPU"):
            self.module.smooth(x, self.to_device(x))
        with self.assertRaisesRegex(TypeError, "the cotangent of `result` of `smooth` is in the memory of the CPU"):
            self.module.smooth.bwd((self.to_device(x), 1.0), x)
        with self.assertRaisesRegex(TypeError, "`x` of `smooth` is in the memory of the CPU"):
            self.module.smooth.bwd((x, 1.0), self.to_device(x))

    def test_wrong_arguments_are_named(self):
        smooth = self.module.smooth
        with self.assertRaisesRegex(TypeError, "`x` of `smooth` is `double`: its array has to hold float64, not float32"):
            smooth(self.to_device(np.float32([1])), 1.0)
        with self.assertRaisesRegex(ValueError, r"`m` of `apply` is `float2x3`.*\(2, 3\)"):
            self.module.apply(self.to_device(np.zeros((2, 2), np.float32)), self.to_device(np.zeros(3, np.float32)))
        with self.assertRaisesRegex(ValueError, "the leading dimensions do not go together"):
            smooth(self.to_device(np.zeros(2)), self.to_device(np.zeros(3)))
        with self.assertRaisesRegex(
            TypeError, "`y` of `smooth` is `double`, which `'a'` is not|has to be an array or a number"
        ):
            smooth(self.to_device(np.zeros(2)), "a")

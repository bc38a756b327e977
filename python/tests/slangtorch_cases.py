"""Derivatives of kernels as slangtorch calls them, against differences: for tensors of any library."""

import numpy as np

import slang_analyzer.slangtorch as slangtorch

ONE = (1, 1, 1)


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


class DerivativeCases:
    """What a class for one library of arrays has besides: ``module``, ``to_device`` and ``to_numpy``."""

    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(1)

    def floats(self, *shape):
        return self.to_device(self.random.uniform(-1, 1, shape).astype(np.float32))

    def zeros(self, *shape):
        return self.to_device(np.zeros(shape, np.float32))

    def doubles(self, *tensors):
        return [self.to_numpy(tensor).astype(np.float64) for tensor in tensors]

    def test_pairs_in_all_their_forms(self):
        x = self.floats(5)
        for input_of, output_of in [
            (lambda v, d: (v, d), lambda v, d: [v, d]),
            (slangtorch.DiffTensorView, lambda v, d: {"value": v, "grad": d}),
            (lambda v, d: self.module.DiffTensorView(value=v, grad=d), lambda v, d: (v, d)),
        ]:
            y, gradient, given = self.zeros(5), self.zeros(5), self.floats(5)
            cotangent = self.to_numpy(given)
            self.module.square.bwd(input=input_of(x, gradient), output=output_of(y, given)).launchRaw((8, 1, 1), ONE)
            np.testing.assert_allclose(self.to_numpy(gradient), 2 * self.to_numpy(x) * cotangent, rtol=1e-6)
            # Gradients are added; what is written twice has none the second time.
            np.testing.assert_array_equal(self.to_numpy(given), 0)
        for alone in (lambda v: v, lambda v: (v,), lambda v: (v, None), slangtorch.DiffTensorView):
            y = self.zeros(5)
            self.module.square(input=alone(x), output=alone(y)).launchRaw((8, 1, 1), ONE)
            np.testing.assert_array_equal(self.to_numpy(y), self.to_numpy(x) ** 2)

    def test_tangents(self):
        x, tangent, y, given = self.floats(5), self.floats(5), self.zeros(5), self.zeros(5)
        self.module.square.fwd(input=(x, tangent), output=(y, given)).launchRaw((2, 1, 1), (3, 1, 1))
        np.testing.assert_array_equal(self.to_numpy(y), self.to_numpy(x) ** 2)
        np.testing.assert_allclose(self.to_numpy(given), 2 * self.to_numpy(x) * self.to_numpy(tangent), rtol=1e-6)

    def test_derivatives_that_nobody_asked_for(self):
        x, y, gradient = self.floats(5), self.zeros(5), self.zeros(5)
        # No cotangent is one of zero.
        self.module.square.bwd(input=(x, gradient), output=y).launchRaw((8, 1, 1), ONE)
        np.testing.assert_array_equal(self.to_numpy(gradient), 0)
        self.module.square.bwd(input=x, output=(y, self.floats(5))).launchRaw((8, 1, 1), ONE)
        self.module.square.fwd(input=(x, None), output=(y, gradient)).launchRaw((8, 1, 1), ONE)
        np.testing.assert_array_equal(self.to_numpy(gradient), 0)
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

        np.testing.assert_allclose(self.to_numpy(y), values(*arrays), rtol=1e-5, atol=1e-6)
        gradients = [self.zeros(*array.shape) for array in arrays]
        cotangent = self.floats(5, 3)
        expected = pullback(values, arrays, self.to_numpy(cotangent).astype(np.float64))
        layers = [
            module.Layer(weights=(weights[i], gradients[i]), bias=(biases[i], gradients[2 + i])) for i in range(2)
        ]
        network = module.Network(layers=layers)
        module.infer.bwd(network=network, inputs=(x, gradients[4]), outputs=(y, cotangent)).launchRaw((4, 1, 1), (2, 1, 1))
        for found, gradient in zip(gradients, expected):
            np.testing.assert_allclose(self.to_numpy(found), gradient, rtol=1e-3, atol=1e-5)

    def test_splats_with_a_way_back_of_their_own(self):
        splats, image, scale = self.floats(6, 2), self.zeros(4, 2), 0.25
        self.module.splat(splats=splats, image=image, scale=scale).launchRaw((4, 1, 1), ONE)
        arrays, pixels = self.doubles(splats), np.arange(4) * scale
        np.testing.assert_allclose(self.to_numpy(image), splat(arrays[0], pixels), rtol=1e-5, atol=1e-6)
        gradient, cotangent = self.zeros(6, 2), self.floats(4, 2)
        expected = pullback(lambda splats: splat(splats, pixels), arrays, self.to_numpy(cotangent).astype(np.float64))
        self.module.splat.bwd(splats=(splats, gradient), image=(image, cotangent), scale=scale).launchRaw((4, 1, 1), ONE)
        np.testing.assert_allclose(self.to_numpy(gradient), expected[0], rtol=1e-3, atol=1e-5)

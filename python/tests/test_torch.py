"""Functions in PyTorch's graph of derivatives, where PyTorch is there."""

import unittest
from importlib.util import find_spec
from pathlib import Path

import slang_analyzer

HERE = Path(__file__).parent


@unittest.skipUnless(find_spec("torch"), "PyTorch is not installed")
class Torch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module = slang_analyzer.load(HERE / "kernels.slang")

    def test_gradients_are_those_of_differences(self):
        import torch

        def random(*shape):
            return torch.randn(*shape, dtype=torch.float64, requires_grad=True)

        torch.manual_seed(0)
        check = torch.autograd.gradcheck
        self.assertTrue(check(self.module.smooth, (random(5), random(5))))
        self.assertTrue(check(self.module.smooth, (random(3, 1), random(4))))
        self.assertTrue(check(self.module["layer<3>"], (random(3, 3), random(2, 3))))

    def test_results_are_tensors(self):
        import torch

        x = torch.tensor([2.0, 3.0], requires_grad=True)
        y = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        results = self.module["ns::f"](x, y)
        self.assertEqual(results.y.tolist(), [[2, 4, 6], [12, 15, 18]])
        (results.result.sum() + 10 * results.z.sum()).backward()
        self.assertEqual(x.grad.tolist(), [3 * 4 + 10, 3 * 9 + 40])
        self.assertIsNone(self.module["ns::f"](x.detach(), y).result.grad_fn)
        with torch.no_grad():
            self.assertIsNone(self.module["ns::f"](x, y).result.grad_fn)

    def test_buffers_of_tensors_are_written(self):
        import torch

        if not hasattr(torch, "uint32"):
            self.skipTest("this PyTorch has no unsigned integers")
        counts = torch.zeros(3, dtype=torch.uint32)
        self.module.count(torch.tensor([0, 2, 2]).to(torch.uint32), counts)
        self.assertEqual(counts.tolist(), [1, 0, 2])

    def test_tensors_of_a_file_have_gradients(self):
        import torch

        weights = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        x = torch.tensor([1.0, 10.0, 100.0], requires_grad=True)
        self.module.squared(weights, x, torch.tensor([2, 0, 2], dtype=torch.int32)).sum().backward()
        self.assertEqual(weights.grad.tolist(), [20, 0, 606])
        self.assertEqual(x.grad.tolist(), [9, 1, 9])

    def test_structs_have_gradients_by_bwd_alone(self):
        import torch

        line = {"slope": torch.tensor(2.0, requires_grad=True), "offsets": torch.zeros(2)}
        with self.assertRaisesRegex(TypeError, "`self` is a struct, which has no gradient by PyTorch"):
            self.module["Line.at"](line, torch.tensor(1.0))


if __name__ == "__main__":
    unittest.main()

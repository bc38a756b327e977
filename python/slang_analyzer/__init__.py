"""Functions of Slang files, and their derivatives, over arrays.

    module = slang_analyzer.load("kernels.slang")
    loss = module["Mlp<16>.eval"]
    result = loss(weights, inputs)
    gradients = loss.bwd((weights, inputs), 1.0)
"""

from .errors import CudaError, Finding, SlangError
from .module import Function, Module, load

__all__ = ["CudaError", "Finding", "Function", "Module", "SlangError", "load"]

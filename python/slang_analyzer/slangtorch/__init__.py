"""Kernels of a file, called as slangtorch calls them: ``import slang_analyzer.slangtorch as slangtorch``.

``[CudaKernel]`` functions are launched over tensors on an NVIDIA device (PyTorch's, or those of any library that speaks
DLPack), with the arguments, the names and the defaults of slangtorch. Nothing is compiled by nvcc, ninja or a C++ compiler.
"""

from .errors import ArgumentError
from .module import KernelFunction, LaunchableKernel, Module, loadModule
from .values import DiffTensorView

__all__ = ["ArgumentError", "DiffTensorView", "KernelFunction", "LaunchableKernel", "Module", "loadModule"]

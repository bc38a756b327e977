"""Files and their kernels, as slangtorch has them."""

from __future__ import annotations

import ctypes
import keyword
import operator
import os
import threading
import warnings
from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from ..analyzer import Emitted, Source, emit
from ..cuda import driver, nvrtc
from ..cuda.place import CudaPlace
from ..errors import SlangError
from . import tensors
from .errors import ArgumentError
from .values import DiffTensorView, Values, structs_in

_Path = Union[str, "os.PathLike[str]"]
_FAST_MATH = "--use_fast_math"


def loadModule(
    fileName: _Path,
    skipSlang: Any = None,
    verbose: bool = False,
    defines: Optional[Mapping[str, Any]] = None,
    includePaths: Sequence[_Path] = (),
    skipNinjaCheck: bool = False,
    slangGenLineInfo: bool = True,
    cudaFastMath: bool = True,
    cudaGenLineInfo: bool = True,
    extraSlangFlags: Sequence[str] = (),
    extraCudaFlags: Sequence[str] = (),
) -> "Module":
    """The kernels of a file. What is wrong with the file is a ``SlangError``, which is a ``RuntimeError``.

    ``extraSlangFlags`` are options of slangc, ``extraCudaFlags`` options of NVRTC. As for slangtorch, mathematical functions
    are fast and less accurate, unless ``cudaFastMath`` is false. What only concerns the build (``skipSlang``, ``verbose``,
    ``skipNinjaCheck``, ``slangGenLineInfo``, ``cudaGenLineInfo``) has no effect.
    """
    macros = {name: str(value) for name, value in (defines or {}).items()}
    source = Source(os.fspath(fileName), [os.fspath(folder) for folder in includePaths], macros)
    if not os.path.isfile(source.path):
        raise FileNotFoundError(source.path)
    flags = [word for flag in extraSlangFlags for word in ("--compiler-flag", flag)]
    emitted = emit(source, "cuda", flags, source.path)
    options = [*extraCudaFlags, *([_FAST_MATH] if cudaFastMath and _FAST_MATH not in extraCudaFlags else [])]
    return Module(source.path, emitted, options)


class Module:
    """The kernels of a file and the types of their parameters, as attributes."""

    def __init__(self, path: str, emitted: Emitted, options: Sequence[str]) -> None:
        self._path, self._code = path, _Code(emitted.code, options)
        modes: dict[str, dict[str, Any]] = {}
        for kernel in emitted.reflection["cudaKernels"]:
            modes.setdefault(kernel["name"], {})[kernel["mode"]] = kernel
        if not modes:
            raise SlangError(f"{path} has no kernel: a function that is one has `[CudaKernel]`")
        self._host_functions: list[str] = emitted.reflection["hostFunctions"]
        self._members: dict[str, Any] = {"DiffTensorView": DiffTensorView, **_types(emitted)}
        self._members |= {name: KernelFunction(self._code, name, of_name) for name, of_name in modes.items()}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._members:
            return self._members[name]
        kernels = [f"`{known}`" for known, member in self._members.items() if isinstance(member, KernelFunction)]
        has = f"{self._path} has the kernels {', '.join(kernels)}"
        if name in self._host_functions:
            raise NotImplementedError(
                f"`{name}` runs on the host and starts kernels from there, which is not supported: make its tensors in Python,"
                f" and launch its kernels (`module.kernel(…).launchRaw(blockSize=…, gridSize=…)`); {has}"
            )
        raise AttributeError(f"there is no kernel `{name}`: {has}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._members]

    def __repr__(self) -> str:
        return f"<kernels of {self._path}>"


class KernelFunction:
    """A kernel of the source. A call with its arguments, by name, is what can be launched; so are ``fwd`` and ``bwd``."""

    def __init__(self, code: "_Code", name: str, modes: Mapping[str, dict[str, Any]]) -> None:
        self._code, self._name, self._modes = code, name, modes

    def __call__(self, *args: Any, **kwargs: Any) -> "LaunchableKernel":
        return self._with_arguments("primal", self._name, args, kwargs)

    def fwd(self, *args: Any, **kwargs: Any) -> "LaunchableKernel":
        """The forward derivative: pairs of tensors and tangents in, and out."""
        return self._with_arguments("forward", f"{self._name}.fwd", args, kwargs)

    def bwd(self, *args: Any, **kwargs: Any) -> "LaunchableKernel":
        """The backward derivative: it adds to the gradients of what is read, and takes those of what is written."""
        return self._with_arguments("backward", f"{self._name}.bwd", args, kwargs)

    def _with_arguments(self, mode: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> "LaunchableKernel":
        if mode not in self._modes:
            needs = "`[AutoPyBindCUDA]` and `[Differentiable]`"
            raise ArgumentError(f"there is no `{name}`: `{self._name}` has no {mode} derivative without {needs}")
        parameters = self._modes[mode]["parameters"]
        names = [parameter["name"] for parameter in parameters]
        known = ", ".join(f"`{parameter}`" for parameter in names)
        if args:
            raise ArgumentError(f"`{name}` takes its arguments by name: {known}")
        for wrong, what in ((set(kwargs) - set(names), "has no parameter"), (set(names) - set(kwargs), "needs")):
            if wrong:
                said = ", ".join(f"`{parameter}`" for parameter in sorted(wrong))
                raise ArgumentError(f"`{name}` {what} {said}; its parameters are {known}")
        values = Values(name)
        for parameter in parameters:
            values.add(parameter["name"], parameter["type"], kwargs[parameter["name"]])
        return LaunchableKernel(self._code, name, self._modes[mode]["symbol"], values, mode != "primal")

    def __repr__(self) -> str:
        return f"<kernel {self._name}>"


class LaunchableKernel:
    """A kernel with its arguments."""

    def __init__(self, code: "_Code", name: str, symbol: str, values: Values, is_derivative: bool) -> None:
        self._code, self._name, self._symbol = code, name, symbol
        self._values, self._is_derivative = values, is_derivative
        self._was_launched = False

    def launchRaw(self, blockSize: Sequence[int], gridSize: Sequence[int]) -> None:
        """Puts the kernel into the current stream: ``gridSize`` blocks of ``blockSize`` threads."""
        self._was_launched = True
        block, grid = _three(blockSize, "blockSize"), _three(gridSize, "gridSize")
        place = tensors.place_of(self._values.tensors)
        # As long as this is there, so are they.
        views = tensors.write_views(place, self._values.tensors, self._is_derivative)
        # No block is no work, and no error.
        if all(grid):
            parameters = [(ctypes.c_ubyte * memory.size).from_buffer(memory) for memory in self._values.memories]
            self._code.function(place, self._symbol).launch(grid, block, parameters, place.stream)
        place.finish()
        del views

    def __del__(self) -> None:
        if not self._was_launched:
            warnings.warn(f"`{self._name}` has its arguments and was not launched: call `launchRaw`", stacklevel=2)

    def __repr__(self) -> str:
        return f"<kernel {self._name} with its arguments>"


class _Code:
    """The code of all kernels of a file, on the devices that it was loaded on."""

    def __init__(self, text: str, options: Sequence[str]) -> None:
        self._text, self._options = text, options
        self._functions: dict[tuple[Any, str], driver.KernelFunction] = {}
        self._modules: dict[Any, driver.Module] = {}
        self._lock = threading.Lock()

    def function(self, place: CudaPlace, symbol: str) -> driver.KernelFunction:
        device = place.device
        with self._lock:
            if device not in self._modules:
                image = nvrtc.image(self._text, device.capability, device.driver.version, self._options)
                self._modules[device] = driver.Module(device, image)
            if (device, symbol) not in self._functions:
                self._functions[device, symbol] = self._modules[device].function(symbol)
            return self._functions[device, symbol]


def _three(size: Any, name: str) -> tuple[int, ...]:
    try:
        numbers = tuple(operator.index(number) for number in size)
    except TypeError:
        numbers = ()
    if len(numbers) != 3 or any(number < 0 for number in numbers):
        raise ArgumentError(f"`{name}` is a tuple of three numbers, which `{size!r}` is not")
    return numbers


def _types(emitted: Emitted) -> dict[str, Any]:
    """Named tuples for the structs among the parameters, by their names without arguments."""
    types: dict[str, Any] = {}
    for kernel in emitted.reflection["cudaKernels"]:
        for parameter in kernel["parameters"]:
            for struct in structs_in(parameter["type"]):
                name = struct["name"].split("<")[0].split("::")[-1].split(".")[-1]
                fields = [field["name"] for field in struct["fields"]]
                # Of others there are dictionaries and objects.
                if all(word.isidentifier() and word[0] != "_" and not keyword.iskeyword(word) for word in [name, *fields]):
                    types.setdefault(name, namedtuple(name, fields))
    return types

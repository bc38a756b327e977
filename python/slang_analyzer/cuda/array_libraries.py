"""Libraries of arrays on devices: the stream that they work in, their memory, and what their arrays are.

PyTorch and CuPy have a current stream, and memory that goes with it: a call is work in that stream, and returns before it is
done. Of other libraries only what all have in common is known (DLPack, CUDA's array interface): a call works in the legacy
default stream, in memory of the driver, and returns when it is done.
"""

from __future__ import annotations

import functools
import importlib
import sys
from abc import ABC, abstractmethod
from typing import Any, Optional

import numpy as np

from ..layout import DType
from . import driver
from .device_array import DeviceArray


class ArrayLibrary(ABC):
    """A library of arrays."""

    #: Whether memory that is freed is used again by later work of the same stream alone, so that a call need not wait.
    follows_streams: bool

    @abstractmethod
    def stream(self, ordinal: int) -> int:
        """The stream that work is put in."""

    @abstractmethod
    def is_own(self, value: Any) -> bool:
        """Whether ``array`` takes the value."""

    @abstractmethod
    def array(self, value: Any) -> DeviceArray:
        """The memory of an array of the library."""

    @abstractmethod
    def empty(self, shape: tuple[int, ...], dtype: DType, ordinal: int) -> DeviceArray:
        """A new array. ``owner`` is that of the library."""

    @abstractmethod
    def memory(self, size: int, ordinal: int) -> tuple[int, Any]:
        """The address of new memory and what it belongs to, for the time of a call."""

    @abstractmethod
    def of_memory(self, array: DeviceArray) -> Any:
        """An array of the library of memory that is not its own."""

    def result(self, array: DeviceArray) -> Any:
        """An array of the library."""
        return array.owner if self.is_own(array.owner) else self.of_memory(array)


class PyTorch(ArrayLibrary):
    follows_streams = True

    def __init__(self) -> None:
        self._torch = torch = sys.modules["torch"]
        self._tensor = torch.Tensor
        names = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64")
        # Old ones have but one unsigned integer.
        self._own = {np.dtype(name): getattr(torch, name) for name in names if hasattr(torch, name)}
        self._own[np.dtype(np.bool_)] = torch.bool
        self._dtypes = {own: dtype for dtype, own in self._own.items()}
        self._devices: dict[int, Any] = {}

    def stream(self, ordinal: int) -> int:
        return int(self._torch.cuda.current_stream(ordinal).cuda_stream)

    def is_own(self, value: Any) -> bool:
        return isinstance(value, self._tensor) and value.is_cuda

    def array(self, value: Any) -> DeviceArray:
        dtype = self._dtypes.get(value.dtype)
        if dtype is None:
            raise TypeError(f"arrays of {value.dtype} have no type in Slang")
        if value.is_neg():
            value = value.resolve_neg()
        strides = None if value.is_contiguous() else tuple(stride * dtype.itemsize for stride in value.stride())
        return DeviceArray(value.data_ptr(), tuple(value.shape), strides, dtype, value.get_device(), value)

    def empty(self, shape: tuple[int, ...], dtype: DType, ordinal: int) -> DeviceArray:
        own = self._own.get(dtype)
        if own is None:
            raise TypeError(f"this version of PyTorch has no tensors of {dtype}")
        tensor = self._torch.empty(shape, dtype=own, device=self._device(ordinal))
        return DeviceArray(tensor.data_ptr(), shape, None, dtype, ordinal, tensor)

    def memory(self, size: int, ordinal: int) -> tuple[int, Any]:
        tensor = self._torch.empty((size,), dtype=self._torch.uint8, device=self._device(ordinal))
        return tensor.data_ptr(), tensor

    def of_memory(self, array: DeviceArray) -> Any:
        return self._torch.from_dlpack(array)

    def _device(self, ordinal: int) -> Any:
        if ordinal not in self._devices:
            self._devices[ordinal] = self._torch.device("cuda", ordinal)
        return self._devices[ordinal]


class CuPy(ArrayLibrary):
    follows_streams = True

    def __init__(self) -> None:
        self._cupy = sys.modules["cupy"]

    def stream(self, ordinal: int) -> int:
        with self._cupy.cuda.Device(ordinal):
            return int(self._cupy.cuda.get_current_stream().ptr)

    def is_own(self, value: Any) -> bool:
        return isinstance(value, self._cupy.ndarray)

    def array(self, value: Any) -> DeviceArray:
        return DeviceArray(value.data.ptr, value.shape, value.strides, value.dtype, value.device.id, value)

    def empty(self, shape: tuple[int, ...], dtype: DType, ordinal: int) -> DeviceArray:
        with self._cupy.cuda.Device(ordinal):
            array = self._cupy.empty(shape, dtype)
        return DeviceArray(array.data.ptr, shape, None, dtype, ordinal, array)

    def memory(self, size: int, ordinal: int) -> tuple[int, Any]:
        with self._cupy.cuda.Device(ordinal):
            memory = self._cupy.cuda.alloc(max(size, 1))
        return int(memory.ptr), memory

    def of_memory(self, array: DeviceArray) -> Any:
        return self._cupy.from_dlpack(array)


class Others(ArrayLibrary):
    """What any library of arrays does."""

    follows_streams = False

    def __init__(self, name: Optional[str]) -> None:
        self._name = name

    def stream(self, ordinal: int) -> int:
        return 0

    def is_own(self, value: Any) -> bool:
        return isinstance(value, DeviceArray)

    def array(self, value: Any) -> DeviceArray:
        return value  # type: ignore[no-any-return]

    def empty(self, shape: tuple[int, ...], dtype: DType, ordinal: int) -> DeviceArray:
        size = dtype.itemsize
        for length in shape:
            size *= length
        memory = driver.Memory(driver.device(ordinal), size)
        return DeviceArray(memory.address, shape, None, dtype, ordinal, memory)

    def memory(self, size: int, ordinal: int) -> tuple[int, Any]:
        memory = driver.Memory(driver.device(ordinal), size)
        return memory.address, memory

    def of_memory(self, array: DeviceArray) -> Any:
        if self._name in ("jax", "jaxlib"):
            return importlib.import_module("jax.dlpack").from_dlpack(array)
        takes = getattr(sys.modules.get(self._name or ""), "from_dlpack", None)
        return array if takes is None else takes(array)


@functools.lru_cache(maxsize=None)
def library(name: Optional[str]) -> ArrayLibrary:
    """That of a name."""
    if name == "torch":
        return PyTorch()
    return CuPy() if name == "cupy" else Others(name)

"""Where the arrays of a call are: in the memory of the CPU or of an NVIDIA device."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Protocol

import numpy as np

from .layout import Array, DType, ElementType

if TYPE_CHECKING:
    from .kernel import Kernel, Run

#: The kinds of devices of DLPack that are told from each other: the CPU, and memory of it that devices can read; CUDA, and
#: memory that CUDA moves to where it is used.
CPU_KINDS = (1, 3)
CUDA_KINDS = (2, 13)


class AnyArray(Protocol):
    """What arrays of numpy and of devices have in common."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> DType: ...


class Place(ABC):
    """What is done with the arrays of a call, where they are."""

    #: The target of code that runs here.
    target: str

    @abstractmethod
    def view(self, value: Any, what: str) -> AnyArray:
        """The memory of an array of any library, which has to be here."""

    @abstractmethod
    def written(self, value: Any, dtype: DType, alignment: int, what: str, *, strided: bool = False) -> AnyArray:
        """The memory of an array that a kernel writes. It is never a copy; it is contiguous, but where ``strided`` says so."""

    @abstractmethod
    def numbers(self, array: Array) -> AnyArray:
        """What numbers and lists of them are here."""

    @abstractmethod
    def structs(self, element: ElementType, lead: tuple[int, ...], fields: Mapping[str, AnyArray]) -> AnyArray:
        """Structs of a leading shape, of arrays for their fields that are broadcast to it."""

    @abstractmethod
    def zeros(self, shape: tuple[int, ...], dtype: DType) -> AnyArray:
        """A new array of zeros."""

    @abstractmethod
    def constant(self, value: Any, element: ElementType, what: str) -> Array:
        """One element that all threads share, in the memory of the CPU."""

    @abstractmethod
    def buffer(self, array: AnyArray, alignment: int) -> tuple[int, Any]:
        """The address of the elements of an array, each behind the one before, and what has to live as long as it is used."""

    @abstractmethod
    def run(self, kernel: "Kernel", run: "Run") -> dict[str, AnyArray]:
        """Runs a kernel, and returns what it wrote."""

    @abstractmethod
    def to_library(self, array: Any, library: Optional[str]) -> Any:
        """A result in the library of the arguments; structs are dictionaries, but for numpy."""


@dataclass(frozen=True)
class DeviceName:
    """A device as DLPack names it."""

    kind: int
    ordinal: int

    @property
    def is_cpu(self) -> bool:
        return self.kind in CPU_KINDS

    @property
    def is_cuda(self) -> bool:
        return self.kind in CUDA_KINDS

    def __str__(self) -> str:
        if self.is_cpu:
            return "in the memory of the CPU"
        return f"on the CUDA device {self.ordinal}" if self.is_cuda else f"on DLPack's device {self.kind}:{self.ordinal}"


def device_of(value: Any) -> Optional[DeviceName]:
    """The device of an array; ``None`` of numbers, lists and what is no array."""
    if isinstance(value, _NUMBERS):
        return None
    if isinstance(value, np.ndarray):
        return _CPU
    speaks = getattr(value, "__dlpack_device__", None)
    if speaks is not None:
        kind, ordinal = speaks()
        return DeviceName(int(kind), int(ordinal))
    if hasattr(value, "__cuda_array_interface__"):
        from .cuda import place

        return DeviceName(CUDA_KINDS[0], place.ordinal_of_pointer(value.__cuda_array_interface__["data"][0]))
    return _CPU if hasattr(value, "__array_interface__") or hasattr(value, "__array__") else None


def place_of(values: Iterable[Any]) -> Place:
    """The device of the first array that is on one, else the CPU. Whether all others are there is seen when they are used."""
    for value in leaves(values):
        device = device_of(value)
        if device is not None and device.is_cuda:
            from .cuda import place

            return place.CudaPlace(device.ordinal, value)
    from .cpu.place import CPU

    return CPU


def leaves(values: Iterable[Any]) -> Iterable[Any]:
    """What dictionaries of fields hold."""
    for value in values:
        if isinstance(value, Mapping):
            yield from leaves(value.values())
        else:
            yield value


_CPU = DeviceName(1, 0)
_NUMBERS = (bool, int, float, list, tuple, str, type(None), np.generic)

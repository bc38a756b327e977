"""Arrays in the memory of a device."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ..layout import DType, field_of
from . import dlpack


def contiguous_strides(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """The strides in bytes of elements that lie behind one another, in C order."""
    strides = []
    for length in reversed(shape):
        strides.append(size)
        size *= length
    return tuple(reversed(strides))


class DeviceArray:
    """A piece of the memory of a device. Libraries take it by DLPack or by CUDA's array interface, without copies."""

    __slots__ = ("address", "shape", "strides", "dtype", "ordinal", "owner", "is_readonly")

    def __init__(
        self,
        address: int,
        shape: tuple[int, ...],
        strides: Optional[tuple[int, ...]],
        dtype: DType,
        ordinal: int,
        owner: Any,
        is_readonly: bool = False,
    ) -> None:
        self.address, self.shape, self.dtype = address, shape, dtype
        #: In bytes.
        self.strides = contiguous_strides(shape, dtype.itemsize) if strides is None else strides
        #: The number of the device.
        self.ordinal = ordinal
        #: What the memory belongs to.
        self.owner = owner
        self.is_readonly = is_readonly

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        size = 1
        for length in self.shape:
            size *= length
        return size

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def is_contiguous(self) -> bool:
        expected = contiguous_strides(self.shape, self.dtype.itemsize)
        if self.strides == expected or 0 in self.shape:
            return True
        return all(own == of for own, of, length in zip(self.strides, expected, self.shape) if length != 1)

    def field(self, name: str) -> "DeviceArray":
        """One field of structs."""
        of, offset = field_of(self.dtype, name)
        strides = (*self.strides, *contiguous_strides(of.shape, of.base.itemsize))
        return DeviceArray(self.address + offset, self.shape + of.shape, strides, of.base, self.ordinal, self.owner)

    def broadcast_to(self, shape: tuple[int, ...]) -> "DeviceArray":
        missing = len(shape) - self.ndim
        own = (1,) * missing + self.shape
        strides = (0,) * missing + self.strides
        kept = tuple(0 if length == 1 else stride for length, stride in zip(own, strides))
        return DeviceArray(self.address, shape, kept, self.dtype, self.ordinal, self.owner)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address if self.size else 0, self.is_readonly),
            "strides": None if self.is_contiguous else self.strides,
            "stream": None,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return (dlpack.CUDA, self.ordinal)

    def __dlpack__(self, **options: Any) -> Any:
        # What is computed for others than PyTorch and CuPy is done when the call returns: there is nothing to wait for.
        strides = tuple(stride // self.dtype.itemsize for stride in self.strides)
        return dlpack.capsule(self.address, self.shape, strides, self.dtype, self.ordinal, self)

    def __repr__(self) -> str:
        return f"<array of {self.dtype} {self.shape} on the CUDA device {self.ordinal}>"


def of_dlpack(value: Any, stream: int) -> DeviceArray:
    """An array of any library; the work in ``stream`` waits for what makes it."""
    # 0 could be either of the two default streams.
    taken = dlpack.taken(value.__dlpack__(stream=stream or 1))
    strides = None if taken.strides is None else tuple(stride * taken.dtype.itemsize for stride in taken.strides)
    return DeviceArray(taken.address, taken.shape, strides, taken.dtype, taken.ordinal, (value, taken.capsule))


def of_interface(value: Any, ordinal: int) -> DeviceArray:
    """An array with CUDA's array interface."""
    document = value.__cuda_array_interface__
    address, is_readonly = document["data"]
    strides = document.get("strides")
    return DeviceArray(
        int(address or 0),
        tuple(document["shape"]),
        None if strides is None else tuple(strides),
        np.dtype(document["typestr"]),
        ordinal,
        value,
        bool(is_readonly),
    )

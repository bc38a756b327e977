"""Work on the memory of a device around a kernel: constants are repeated, layouts changed, gradients summed (`work.cu`)."""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Sequence
from ctypes import c_int, c_int64, c_uint32, c_uint64
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

import numpy as np

from ..layout import Array, DType
from . import nvrtc
from .device_array import DeviceArray
from .driver import Device, KernelFunction, Launch, Module

_MOST_AXES = 12
_MOST_BYTES = 2048
_THREADS = 256
#: Blocks that keep any device busy; threads go on with further elements.
_MOST_BLOCKS = 4096
#: Numbers that a thread adds before others help it.
_ROWS_OF_A_THREAD = 16


@dataclass(frozen=True)
class Axis:
    """A dimension of what is copied or summed; strides are in bytes."""

    length: int
    source: int
    target: int


class _Axes(ctypes.Structure):
    _fields_ = [
        ("lengths", c_uint64 * _MOST_AXES),
        ("source", c_int64 * _MOST_AXES),
        ("target", c_int64 * _MOST_AXES),
        ("count", c_int),
        ("is_wide", c_int),
    ]


class _Block(ctypes.Structure):
    _fields_ = [("words", c_uint32 * (_MOST_BYTES // 4))]


class Work:
    """What a device can do; compiled when it is first used."""

    def __init__(self, device: Device) -> None:
        code = Path(__file__).with_name("work.cu").read_text(encoding="utf-8")
        self._module = Module(device, nvrtc.image(code, device.capability, device.driver.version))
        self._functions: dict[str, KernelFunction] = {}

    def _over(self, count: int, name: str, stream: int, values: Sequence[Any]) -> None:
        """Launches a kernel whose threads go on until all elements are done."""
        blocks = min(-(-count // _THREADS), _MOST_BLOCKS)
        self._function(name).launch((blocks, 1), (_THREADS, 1), values, stream)

    def _function(self, name: str) -> KernelFunction:
        if name not in self._functions:
            self._functions[name] = self._module.function(name)
        return self._functions[name]

    def fill(self, address: int, element: Array, count: int, stream: int) -> None:
        """Writes an element of the CPU's memory to ``count`` places behind one another. It is a parameter of the kernels, so
        that no copy has to be waited for."""
        data = np.asarray(element, order="C").tobytes()
        if count == 0:
            return
        if len(data) <= _MOST_BYTES:
            self._fill(address, data, count, stream)
            return
        for start in range(0, len(data), _MOST_BYTES):
            self._fill(address + start, data[start : start + _MOST_BYTES], 1, stream)
        if count > 1:
            axes = [Axis(count - 1, 0, len(data)), Axis(len(data), 1, 1)]
            self.copy(address, address + len(data), axes, stream)

    def _fill(self, address: int, data: bytes, count: int, stream: int) -> None:
        if not data:
            return
        size = _word(len(data), address)
        block = _Block()
        ctypes.memmove(ctypes.addressof(block), data, len(data))
        words = len(data) // size * count
        self._over(words, f"fill_{size}", stream, [c_uint64(address), c_uint64(words), c_uint32(len(data) // size), block])

    def copy(self, source: int, target: int, axes: Sequence[Axis], stream: int, rows: Optional["Rows"] = None) -> None:
        """Copies bytes between two layouts; the last axis is that of the bytes. ``rows`` are some of the elements alone, in
        the order of the axes; ``target`` is where the first of all would be."""
        merged = _merged(axes)
        inner = merged.pop() if merged and merged[-1].source == merged[-1].target == 1 else Axis(1, 1, 1)
        strides = [stride for axis in merged for stride in (axis.source, axis.target)]
        size = _word(inner.length, source, target, *strides, *([] if rows is None else [rows.size]))
        words = [*merged, Axis(inner.length // size, size, size)]
        start, count = (0, math.prod(axis.length for axis in words))
        if rows is not None:
            start, count = rows.start * rows.size // size, rows.count * rows.size // size
        if count:
            values = [c_uint64(source), c_uint64(target), _structure(words), c_uint64(start), c_uint64(count)]
            self._over(count, f"copy_{size}", stream, values)

    def copy_array(self, source: DeviceArray, target: DeviceArray, stream: int) -> None:
        """Copies an array to one of the same shape."""
        self.copy(source.address, target.address, _axes_between(source, target), stream)

    def copy_rows(self, source: DeviceArray, target: int, rows: "Rows", stream: int) -> None:
        """Copies some of the elements of an array to where they lie behind one another."""
        whole = DeviceArray(0, source.shape, None, source.dtype, source.ordinal, None)
        self.copy(source.address, target - rows.start * rows.size, _axes_between(source, whole), stream, rows)

    def sums(
        self, source: int, dtype: DType, kept: Sequence[Axis], reduced: Sequence[Axis], sums: int, memory: Any
    ) -> list[Launch]:
        """What adds to ``sums``, numbers in double precision behind one another, for each element of ``kept`` the sum over
        ``reduced``. ``memory`` gives memory for as long as the work takes."""
        kept, reduced = _merged(kept), _merged(reduced)
        elements, rows = math.prod(axis.length for axis in kept), math.prod(axis.length for axis in reduced)
        if elements == 0 or rows == 0:
            return []
        width = min(1 << (elements - 1).bit_length(), 32)
        across = -(-elements // width)
        parts = min(-(-rows // (_THREADS // width * _ROWS_OF_A_THREAD)), max(_MOST_BLOCKS // across, 1))

        def launch(name: str, source: int, target: int, axes: Sequence[Axis], of: Sequence[Axis], parts: int) -> Launch:
            rows = math.prod(axis.length for axis in of)
            values = [c_uint64(source), c_uint64(target), _structure(axes), c_uint64(elements), _structure(of)]
            # Sums of parts are written, those of all are added.
            values += [c_uint64(rows), c_uint64(-(-rows // parts)), c_uint32(parts == 1)]
            return Launch(self._function(f"sum_{name}"), (across, parts), (width, _THREADS // width), values)

        if parts == 1:
            return [launch(_number(dtype), source, sums, kept, reduced, 1)]
        partial = memory(8 * parts * elements)
        of_parts, of_elements = Axis(parts, 8 * elements, 0), Axis(elements, 8, 0)
        return [
            launch(_number(dtype), source, partial, kept, reduced, parts),
            launch("f8" if dtype.kind == "f" else "u8", partial, sums, [of_elements], [of_parts], 1),
        ]

    def store_sums(self, sums: int, target: int, dtype: DType, axes: Sequence[Axis], stream: int) -> None:
        """Writes sums where the axes say, as numbers of a type."""
        count = math.prod(axis.length for axis in axes)
        if count:
            values = [c_uint64(sums), c_uint64(target), _structure(_merged(axes)), c_uint64(count)]
            self._over(count, f"store_{_number(dtype)}", stream, values)


@dataclass(frozen=True)
class Rows:
    """Some of the elements of an array."""

    start: int
    count: int
    #: Bytes of one.
    size: int


def _axes_between(source: DeviceArray, target: DeviceArray) -> list[Axis]:
    strides = zip(source.shape, source.strides, target.strides)
    return [*(Axis(*axis) for axis in strides), Axis(source.dtype.itemsize, 1, 1)]


def _merged(axes: Sequence[Axis]) -> list[Axis]:
    """The same places, in the same order, by as few axes as possible."""
    merged: list[Axis] = []
    for axis in axes:
        if axis.length == 1:
            continue
        if merged:
            outer, whole = merged[-1], axis.length
            if (outer.source, outer.target) == (axis.source * whole, axis.target * whole):
                merged[-1] = Axis(outer.length * whole, axis.source, axis.target)
                continue
        merged.append(axis)
    return merged


def _structure(axes: Sequence[Axis]) -> _Axes:
    if len(axes) > _MOST_AXES:
        raise ValueError(f"arrays on a device have at most {_MOST_AXES} dimensions that do not lie behind one another")
    is_wide = math.prod(axis.length for axis in axes) >= 1 << 32
    structure = _Axes(count=len(axes), is_wide=is_wide)
    for number, axis in enumerate(axes):
        structure.lengths[number], structure.source[number], structure.target[number] = axis.length, axis.source, axis.target
    return structure


def _word(*numbers: int) -> int:
    """The largest word that divides addresses, strides and lengths."""
    return math.gcd(16, *numbers)


def _number(dtype: DType) -> str:
    """The kernel that sums a type. Modulo a power of two, signed and unsigned integers have the same sums."""
    return f"f{dtype.itemsize}" if dtype.kind == "f" else f"u{dtype.itemsize}"


@functools.lru_cache(maxsize=None)
def work(device: Device) -> Work:
    """What a device does with memory."""
    return Work(device)

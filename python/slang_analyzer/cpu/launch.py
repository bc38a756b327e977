"""A call of a kernel in C++ over arrays, in parts, on all cores."""

from __future__ import annotations

import ctypes
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from ..kernel import in_order, sums_at_once
from ..layout import Array, DType, ElementType
from ..shared import shared_arguments
from . import compiler

if TYPE_CHECKING:
    from ..kernel import Kernel, Run
    from ..places import AnyArray, Place

#: Elements that are worth a thread of the CPU.
_FEW = 4096
#: Elements for which an argument that is the same for all of them is repeated at once.
_REPEATED = 4096


def run(place: "Place", kernel: "Kernel", run: "Run") -> "dict[str, AnyArray]":
    """Runs a kernel and returns what it wrote."""
    function, signature, count = _function(kernel), kernel.signature, run.count
    data, outputs = _buffers(kernel, run)
    shared, kept = shared_arguments(place, signature, run.shared)
    at_once = [
        slot for slot in signature.slots if slot.name in run.summed and sums_at_once(run.summed[slot.name], slot.is_read)
    ]
    sums = {slot.name: _Sum(slot.element) for slot in at_once}
    is_repeated = any(isinstance(array, _Repeated) for array in data.values()) or bool(sums)
    may_share = not any(parameter.is_written for parameter in signature.shared if parameter.index is not None)
    workers = (os.cpu_count() or 1) if may_share else 1
    chunk = max(-(-count // workers), _FEW)
    chunk = min(chunk, _REPEATED) if is_repeated else chunk

    def part(start: int) -> dict[str, Array]:
        length = min(chunk, count - start)
        own: list[tuple[int, list[Any]]] = []
        if signature.count is not None:
            own.append((signature.count, [np.array(length, np.uint32)]))
        partial = {}
        for slot in signature.slots:
            if slot.name in sums:
                array = np.zeros((length, *slot.element.shape), slot.element.dtype)
                partial[slot.name] = array
            else:
                array = data[slot.name][start : start + length]
            if slot.index is not None:
                own.append((slot.index, [ctypes.c_void_p(array.ctypes.data), ctypes.c_uint32(length)]))
        groups, one = ctypes.c_uint32(-(-length // signature.group_size)), ctypes.c_uint32(1)
        values = in_order(shared, own)
        # Constant data is behind a pointer.
        passed = [ctypes.c_void_p(value.ctypes.data) if isinstance(value, np.ndarray) else value for value in values]
        function(groups, one, one, *passed)
        return partial

    starts = range(0, count, chunk)
    if len(starts) > 1 and workers > 1:
        with ThreadPoolExecutor(workers) as pool:
            _add_all(pool.map(part, starts), sums)
    else:
        _add_all(map(part, starts), sums)
    del kept
    for slot in signature.slots:
        own_lead = run.summed.get(slot.name)
        if own_lead is None:
            continue
        if slot.name in sums:
            outputs[slot.name] = sums[slot.name].value().reshape(own_lead + slot.element.shape)
        else:
            outputs[slot.name] = _sum_to(outputs[slot.name], own_lead, slot.element)
    return dict(outputs)


def _function(kernel: "Kernel") -> Callable[..., None]:
    function: Any = kernel.loaded.get("cpu")
    if function is None:
        function = getattr(compiler.library(kernel.code), kernel.signature.symbol)
        function.restype = None
        kernel.loaded["cpu"] = function
    return function  # type: ignore[no-any-return]


def _buffers(kernel: "Kernel", run: "Run") -> tuple[dict[str, Any], dict[str, Array]]:
    """What each slot is over, a row for each element, and the outputs in their whole shape."""
    data: dict[str, Any] = {}
    outputs: dict[str, Array] = {}
    count = run.count
    for slot in kernel.signature.slots:
        rows, whole = (count, *slot.element.shape), run.lead + slot.element.shape
        array: Any = run.inputs.get(slot.name) if slot.is_read else None
        if slot.is_written and not (slot.name in run.summed and sums_at_once(run.summed[slot.name], slot.is_read)):
            out: Any = run.outputs.get(slot.name)
            if out is None:
                out = np.empty(whole, slot.element.dtype)
            if array is not None:
                out[...] = array
            outputs[slot.name] = out
            data[slot.name] = out.reshape(rows)
        elif array is not None:
            if run.is_one(array, len(slot.element.shape)):
                data[slot.name] = _Repeated(array.reshape(slot.element.shape), min(count, _REPEATED))
            else:
                data[slot.name] = _contiguous(np.broadcast_to(array, whole)).reshape(rows)
    return data, outputs


class _Repeated:
    """One element for all threads: the rows of a chunk are the same."""

    def __init__(self, element: Array, length: int) -> None:
        self._rows = _contiguous(np.broadcast_to(element, (length, *element.shape)))

    def __getitem__(self, rows: slice) -> Array:
        return self._rows[: rows.stop - rows.start]


class _Sum:
    """A sum of elements, in double precision."""

    def __init__(self, element: ElementType) -> None:
        self.element = element
        self._total = np.zeros(element.shape, _in_double(element.dtype))

    def add(self, rows: Array) -> None:
        _add(self._total, rows)

    def value(self) -> Array:
        return self._total.astype(self.element.dtype)


def _add(total: Array, rows: Array) -> None:
    if total.dtype.names is None:
        total += rows.sum(axis=0, dtype=total.dtype)
    else:
        for name in total.dtype.names:
            part = total[name]
            _add(part, rows[name])
            total[name] = part


def _in_double(dtype: DType) -> DType:
    if dtype.subdtype is not None:
        return np.dtype((_in_double(dtype.base), dtype.shape))
    if dtype.names is not None:
        return np.dtype([(name, _in_double(dtype[name])) for name in dtype.names])
    return np.dtype(np.float64) if dtype.kind == "f" else dtype


def _add_all(parts: Any, sums: dict[str, _Sum]) -> None:
    for partial in parts:
        for name, rows in partial.items():
            sums[name].add(rows)


def _sum_to(array: Array, own: tuple[int, ...], element: ElementType) -> Array:
    """What broadcasting repeated is summed again: to the leading shape that the argument has."""
    lead = array.shape[: array.ndim - len(element.shape)]
    missing = len(lead) - len(own)
    axes = tuple(axis for axis in range(len(lead)) if axis < missing or (own[axis - missing] == 1 and lead[axis] != 1))
    rows = np.moveaxis(array, axes, range(len(axes)))
    kept = rows.shape[len(axes) :]
    total = np.zeros(kept, _in_double(array.dtype))
    _add(total, rows.reshape(-1, *kept))
    return total.astype(array.dtype).reshape(own + element.shape)


def _contiguous(array: Array) -> Array:
    # `ascontiguousarray` would make one dimension of none.
    return np.asarray(array, order="C")

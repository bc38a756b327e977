"""A kernel as C++: what the reflection says of its parameters, and a call of it over arrays."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Callable, Optional

import numpy as np

from . import arrays, compiler
from .analyzer import Emitted, Source, emit_kernel
from .errors import SlangError
from .layout import Array, DType, ElementType, element_type

#: Elements that are worth a thread of the CPU.
_FEW = 4096
#: Elements for which an argument that is the same for all of them is repeated at once.
_REPEATED = 4096


@dataclass(frozen=True)
class Slot:
    """A buffer with an element for each thread."""

    name: str
    #: The parameter of the function, ``result`` for what it returns.
    of: str
    part: str
    is_read: bool
    is_written: bool
    element: ElementType
    #: Its number among the parameters in C++; ``None`` of what the code does not use.
    index: Optional[int]


@dataclass(frozen=True)
class Shared:
    """A parameter that all threads share: a buffer, a tensor or constant data."""

    name: str
    type: dict[str, Any]
    index: Optional[int]
    #: Of the function itself, not of the file.
    is_own: bool

    @property
    def is_written(self) -> bool:
        """Whether threads could write to the same memory. What pointers and tensors are used for is not known."""
        return self.type.get("access") == "readWrite" or self.is_tensor or self.type["kind"] == "pointer"

    @property
    def is_tensor(self) -> bool:
        return self.content.get("kind") == "struct" and str(self.content.get("name", "")).startswith("TensorView<")

    @property
    def content(self) -> dict[str, Any]:
        """The type of constant data, in a buffer or by itself."""
        content = self.type["elementType"] if self.type["kind"] == "constantBuffer" else self.type
        return dict(content)

    @property
    def is_data(self) -> bool:
        return self.type["kind"] not in ("resource", "pointer", "samplerState", "interface")


@dataclass
class Run:
    """What one call of a kernel works on."""

    #: The leading shape of all elements.
    lead: tuple[int, ...]
    inputs: dict[str, Array]
    #: Where outputs are written; those without are made.
    outputs: dict[str, Array]
    shared: Mapping[str, Any]
    #: Outputs of which the sum over elements is wanted, where the argument has this leading shape.
    summed: dict[str, tuple[int, ...]]


class Kernel:
    """The primal, the forward or the backward kernel of a function."""

    def __init__(self, source: Source, function: str, with_primal: bool = False) -> None:
        emitted: Emitted = emit_kernel(source, function, with_primal)
        entries = emitted.reflection["entryPoints"]
        if len(entries) != 1:
            names = ", ".join(f"`{_with_types(function, entry)}`" for entry in entries)
            raise SlangError(f"`{function}` is the name of several functions: {names}")
        entry = entries[0]
        self.function: str = entry["kernel"]["function"]
        self._code, self._symbol = emitted.code, entry["symbol"]
        own = {parameter["name"]: parameter for parameter in entry["parameters"] if "binding" in parameter}
        #: The parameters of the function, in their order.
        self.order: list[str] = []
        self.slots: list[Slot] = []
        self.shared: list[Shared] = []
        for parameter in entry["kernel"]["parameters"]:
            document = own[parameter["name"]]
            if parameter["element"]:
                self.slots.append(_slot(parameter, document))
            elif parameter["of"] is None:
                self._count = _index(document)
            else:
                self.shared.append(Shared(parameter["name"], document["type"], _index(document), is_own=True))
            if parameter["part"] == "value" and parameter["of"] is not None:
                self.order.append(_parameter_name(parameter["of"]))
        for document in emitted.reflection["parameters"]:
            self.shared.append(Shared(document["name"], document["type"], _index(document), is_own=False))
        self._function: Optional[Callable[..., None]] = None

    def run(self, run: Run) -> dict[str, Array]:
        """Runs the kernel and returns what it wrote."""
        function = self._function
        if function is None:
            function = getattr(compiler.library(self._code), self._symbol)
            function.restype = None
            self._function = function
        count = 1
        for length in run.lead:
            count *= length
        data, outputs = self._buffers(run, count)
        shared = [_shared_arguments(parameter, run.shared) for parameter in self.shared if parameter.index is not None]
        self._check_shared(run.shared)
        sums = {slot.name: _Sum(slot.element) for slot in self.slots if slot.name in run.summed}
        is_repeated = any(isinstance(array, _Repeated) for array in data.values()) or bool(sums)
        may_share = not any(parameter.is_written for parameter in self.shared if parameter.index is not None)
        workers = (os.cpu_count() or 1) if may_share else 1
        chunk = max(-(-count // workers), _FEW)
        chunk = min(chunk, _REPEATED) if is_repeated else chunk

        def part(start: int) -> dict[str, Array]:
            length = min(chunk, count - start)
            arguments: list[tuple[int, list[Any]]] = [(index, values) for index, values, _ in shared]
            number = ctypes.c_uint32(length)
            if self._count is not None:
                arguments.append((self._count, [ctypes.byref(number)]))
            partial = {}
            for slot in self.slots:
                if slot.name in sums:
                    array = np.zeros((length, *slot.element.shape), slot.element.dtype)
                    partial[slot.name] = array
                else:
                    array = data[slot.name][start : start + length]
                if slot.index is not None:
                    arguments.append((slot.index, [ctypes.c_void_p(array.ctypes.data), ctypes.c_uint32(length)]))
            values = [value for _, values in sorted(arguments, key=lambda item: item[0]) for value in values]
            one = ctypes.c_uint32(1)
            function(ctypes.c_uint32(-(-length // 64)), one, one, *values)
            return partial

        starts = range(0, count, chunk)
        if len(starts) > 1 and workers > 1:
            with ThreadPoolExecutor(workers) as pool:
                parts = pool.map(part, starts)
                _add_all(parts, sums)
        else:
            _add_all(map(part, starts), sums)
        for name, total in sums.items():
            outputs[name] = total.value().reshape(run.summed[name] + total.element.shape)
        return outputs

    def _buffers(self, run: Run, count: int) -> tuple[dict[str, Any], dict[str, Array]]:
        """What each slot is over, a row for each element, and the outputs in their whole shape."""
        data: dict[str, Any] = {}
        outputs: dict[str, Array] = {}
        for slot in self.slots:
            rows, whole = (count, *slot.element.shape), run.lead + slot.element.shape
            array = run.inputs.get(slot.name) if slot.is_read else None
            if slot.is_written and slot.name not in run.summed:
                out = run.outputs.get(slot.name)
                if out is None:
                    out = np.empty(whole, slot.element.dtype)
                if array is not None:
                    out[...] = array
                outputs[slot.name] = out
                data[slot.name] = out.reshape(rows)
            elif array is not None:
                own = array.shape[: array.ndim - len(slot.element.shape)]
                if count > 1 and all(length == 1 for length in own):
                    data[slot.name] = _Repeated(array.reshape(slot.element.shape), min(count, _REPEATED))
                else:
                    data[slot.name] = _contiguous(np.broadcast_to(array, whole)).reshape(rows)
        return data, outputs

    def _check_shared(self, given: Mapping[str, Any]) -> None:
        known = {parameter.name for parameter in self.shared}
        for name in given:
            if name not in known:
                raise TypeError(f"`{self.function}` has no parameter `{name}`")


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


def sum_to(array: Array, own: tuple[int, ...], element: ElementType) -> Array:
    """What broadcasting repeated is summed again: to the leading shape that the argument has."""
    lead = array.shape[: array.ndim - len(element.shape)]
    if lead == own:
        return array
    missing = len(lead) - len(own)
    axes = tuple(axis for axis in range(len(lead)) if axis < missing or (own[axis - missing] == 1 and lead[axis] != 1))
    rows = np.moveaxis(array, axes, range(len(axes)))
    kept = rows.shape[len(axes) :]
    total = np.zeros(kept, _in_double(array.dtype))
    _add(total, rows.reshape(-1, *kept))
    return total.astype(array.dtype).reshape(own + element.shape)


def _slot(parameter: dict[str, Any], document: dict[str, Any]) -> Slot:
    return Slot(
        name=parameter["name"],
        of=_parameter_name(parameter["of"]),
        part=parameter["part"],
        is_read=parameter["direction"] != "out",
        is_written=parameter["direction"] != "in",
        element=element_type(document["type"]["resultType"]),
        index=_index(document),
    )


def _contiguous(array: Array) -> Array:
    # `ascontiguousarray` would make one dimension of none.
    return np.asarray(array, order="C")


def _parameter_name(of: str) -> str:
    return {"return": "result", "this": "self"}.get(of, of)


def _index(document: dict[str, Any]) -> Optional[int]:
    binding = document["binding"]
    return int(binding["index"]) if binding["kind"] == "argument" else None


def _with_types(function: str, entry: dict[str, Any]) -> str:
    own = {parameter["name"]: parameter for parameter in entry["parameters"]}
    types = [
        element_type(own[parameter["name"]]["type"]["resultType"]).name
        for parameter in entry["kernel"]["parameters"]
        if parameter["element"] and parameter["part"] == "value" and parameter["of"] != "return"
    ]
    name = function.rstrip(")")
    return f"{name}({', '.join(types)}{')' * (len(function) - len(name) + 1)}"


def _shared_arguments(parameter: Shared, given: Mapping[str, Any]) -> tuple[int, list[Any], Any]:
    """The number of a parameter, the arguments in C++, and what has to live as long as they do."""
    assert parameter.index is not None
    what = f"`{parameter.name}`"
    if parameter.name not in given:
        raise TypeError(f"there is no argument for {what}")
    value = given[parameter.name]
    if parameter.is_tensor:
        memory = _tensor_view(parameter, value, what)
        return parameter.index, [ctypes.c_void_p(memory.ctypes.data)], (memory, value)
    kind = parameter.type["kind"]
    if parameter.is_data:
        element = element_type(parameter.content)
        array = _contiguous(arrays.element_argument(value, element, what).array)
        if array.shape != element.shape:
            raise ValueError(f"{what} is one `{element.name}` for all elements, not an array of them")
        return parameter.index, [ctypes.c_void_p(array.ctypes.data)], array
    if kind == "pointer":
        element = element_type(parameter.type["valueType"])
        array = arrays.writable_view(value, element.dtype, what)
        return parameter.index, [ctypes.c_void_p(array.ctypes.data)], array
    shape = parameter.type.get("baseShape")
    if shape == "byteAddressBuffer":
        array = arrays.view(value, what)
        if parameter.is_written:
            array = arrays.writable_view(value, array.dtype, what)
        array = _contiguous(array)
        return parameter.index, [ctypes.c_void_p(array.ctypes.data), ctypes.c_uint32(array.nbytes)], array
    if shape != "structuredBuffer":
        raise SlangError(f"{what} is a {shape or kind}, which has no place in Python")
    element = element_type(parameter.type["resultType"])
    array = arrays.element_argument(value, element, what).array
    if parameter.is_written:
        array = arrays.writable_view(value, element.dtype, what)
    array = _contiguous(array)
    count = array.nbytes // max(element.size, 1)
    return parameter.index, [ctypes.c_void_p(array.ctypes.data), ctypes.c_uint32(count)], array


def _tensor_view(parameter: Shared, value: Any, what: str) -> Array:
    """``TensorView<T>`` in memory: the address of the first element, strides in bytes, sizes, number of dimensions."""
    fields = parameter.content["fields"]
    pointee = element_type(fields[0]["type"]["valueType"])
    # A kernel may write to it.
    array = arrays.writable_view(value, pointee.dtype, what)
    dimensions = array.ndim - len(pointee.shape)
    if dimensions < 1 or dimensions > 5 or array.shape[dimensions:] != pointee.shape:
        raise ValueError(f"{what} is `{parameter.content['name']}`: a tensor of 1 to 5 dimensions of {pointee.name}")
    size = next(size["value"] for size in parameter.content["sizes"] if size["kind"] == "uniform")
    memory = np.zeros(size, np.uint8)
    values: list[Array] = [
        np.array([array.ctypes.data], np.uint64),
        np.array(array.strides[:dimensions], np.uint32),
        np.array(array.shape[:dimensions], np.uint32),
        np.array([dimensions], np.uint32),
    ]
    for field, words in zip(fields, values):
        offset = field["binding"]["offset"]
        memory[offset : offset + words.nbytes] = words.view(np.uint8)
    return memory

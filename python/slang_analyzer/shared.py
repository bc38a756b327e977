"""Arguments for the parameters that all threads share: buffers, pointers, tensors and constant data."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import arrays
from .errors import SlangError
from .layout import Array, ElementType, element_type
from .places import AnyArray, Place
from .signature import Shared, Signature, is_tensor

#: What stands for a parameter in the code: addresses and numbers of ``ctypes``, constant data as an array of the CPU.
Values = list[Any]


def shared_arguments(place: Place, signature: Signature, given: Mapping[str, Any]) -> tuple[list[tuple[int, Values]], Any]:
    """For each parameter that is used its number and its values, and what has to live as long as they are used."""
    known = {parameter.name for parameter in signature.shared}
    for name in given:
        if name not in known:
            raise TypeError(f"`{signature.function}` has no parameter `{name}`")
    values, kept = [], []
    for parameter in signature.shared:
        if parameter.index is None:
            continue
        if parameter.name not in given:
            raise TypeError(f"there is no argument for `{parameter.name}`")
        of_parameter, alive = _arguments(place, parameter, given[parameter.name], f"`{parameter.name}`")
        values.append((parameter.index, of_parameter))
        kept.append(alive)
    return values, kept


def _arguments(place: Place, parameter: Shared, value: Any, what: str) -> tuple[Values, Any]:
    if parameter.is_tensor:
        array = _tensor(place, parameter.content, value, what)
        return [_tensor_view(parameter.content, array, what)], array
    if parameter.is_differentiable_tensor:
        return _differentiable_tensor(place, parameter, value, what)
    if parameter.is_data:
        element = element_type(parameter.content)
        constant = place.constant(value, element, what)
        if constant.shape != element.shape:
            raise ValueError(f"{what} is one `{element.name}` for all elements, not an array of them")
        return [constant], None
    kind, shape = parameter.type["kind"], parameter.type.get("baseShape")
    if kind == "pointer":
        element = element_type(parameter.type["valueType"])
        address, kept = place.buffer(place.written(value, element.dtype, element.alignment, what), element.alignment)
        return [ctypes.c_void_p(address)], kept
    if shape == "byteAddressBuffer":
        array = place.view(value, what)
        if parameter.is_written:
            array = place.written(value, array.dtype, 4, what)
        address, kept = place.buffer(array, 4)
        return [ctypes.c_void_p(address), _count(_bytes(array), "bytes", what)], kept
    if shape != "structuredBuffer":
        raise SlangError(f"{what} is a {shape or kind}, which has no place in Python")
    element = element_type(parameter.type["resultType"])
    array = arrays.element_argument(place, value, element, what).array
    if parameter.is_written:
        array = place.written(value, element.dtype, element.alignment, what)
    address, kept = place.buffer(array, element.alignment)
    return [ctypes.c_void_p(address), _count(_bytes(array) // max(element.size, 1), "elements", what)], kept


def _bytes(array: Any) -> int:
    size: int = array.dtype.itemsize
    for length in array.shape:
        size *= length
    return size


def _count(number: int, of: str, what: str) -> ctypes.c_uint32:
    if number >= 1 << 32:
        raise ValueError(f"{what} has {number} {of}: a buffer has less than 4294967296, as its length is one of 32 bits")
    return ctypes.c_uint32(number)


@dataclass(frozen=True)
class WithDerivative:
    """A tensor, and what its derivatives are read from or added to."""

    value: Any
    derivative: Any


def _differentiable_tensor(place: Place, parameter: Shared, value: Any, what: str) -> tuple[Values, Any]:
    """``DiffTensorView<T>`` in memory: the tensor, and somewhere in the field behind it that of the derivatives."""
    primal, diff = parameter.content["fields"]
    both = value if isinstance(value, WithDerivative) else WithDerivative(value, None)
    tensors = [(primal["binding"]["offset"], primal["type"], _tensor(place, primal["type"], both.value, what))]
    if both.derivative is not None:
        tensors += [(offset, of, both.derivative) for offset, of in _tensors_in(diff["type"], diff["binding"]["offset"])]
    memory = np.zeros(_size(parameter.content), np.uint8)
    for offset, of, tensor in tensors:
        words = _tensor_view(of, tensor, what)
        memory[offset : offset + words.nbytes] = words
    return [memory], tensors


def _tensors_in(document: dict[str, Any], offset: int) -> list[tuple[int, dict[str, Any]]]:
    """The tensors of a struct, with their offsets."""
    if document["kind"] != "struct" or is_tensor(document):
        return [(offset, document)] if document["kind"] == "struct" else []
    fields = document["fields"]
    return [found for field in fields for found in _tensors_in(field["type"], offset + field["binding"]["offset"])]


def _size(document: dict[str, Any]) -> int:
    return next(int(size["value"]) for size in document["sizes"] if size["kind"] == "uniform")


def _tensor(place: Place, document: dict[str, Any], value: Any, what: str) -> AnyArray:
    pointee = _pointee(document)
    # A kernel may write to it.
    array = place.written(value, pointee.dtype, pointee.alignment, what, strided=not pointee.shape)
    dimensions = array.ndim - len(pointee.shape)
    if dimensions < 1 or dimensions > 5 or array.shape[dimensions:] != pointee.shape:
        raise ValueError(f"{what} is `{document['name']}`: a tensor of 1 to 5 dimensions of {pointee.name}")
    return array


def _pointee(document: dict[str, Any]) -> ElementType:
    return element_type(document["fields"][0]["type"]["valueType"])


def _tensor_view(document: dict[str, Any], array: Any, what: str) -> Array:
    """``TensorView<T>`` in memory: the address of the first element, strides in bytes, sizes, number of dimensions."""
    dimensions = array.ndim - len(_pointee(document).shape)
    if any(not 0 <= number < 1 << 32 for number in (*array.strides, *array.shape)):
        raise ValueError(f"{what} is `{document['name']}`, whose strides are of 32 bits and not negative")
    memory = np.zeros(_size(document), np.uint8)
    address = array.ctypes.data if isinstance(array, np.ndarray) else array.address
    values: list[Array] = [
        np.array([address], np.uint64),
        np.array(array.strides[:dimensions], np.uint32),
        np.array(array.shape[:dimensions], np.uint32),
        np.array([dimensions], np.uint32),
    ]
    for field, words in zip(document["fields"], values):
        offset = field["binding"]["offset"]
        memory[offset : offset + words.nbytes] = words.view(np.uint8)
    return memory

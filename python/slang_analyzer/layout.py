"""Types of elements, from the analyzer's reflection to numpy's dtypes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .errors import SlangError

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]

_SCALARS: dict[str, Any] = {
    "bool": np.bool_,
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
    "uint8": np.uint8,
    "uint16": np.uint16,
    "uint32": np.uint32,
    "uint64": np.uint64,
    "float16": np.float16,
    "float32": np.float32,
    "float64": np.float64,
}

_NAMES = {"float16": "half", "float32": "float", "float64": "double", "int32": "int", "uint32": "uint"}


@dataclass(frozen=True)
class ElementType:
    """What one thread reads or writes: an array of ``shape`` of scalars or structs."""

    #: As Slang writes it.
    name: str
    dtype: DType
    shape: tuple[int, ...]
    #: What its address is a multiple of.
    alignment: int = 1

    @property
    def is_struct(self) -> bool:
        return self.dtype.names is not None

    @property
    def size(self) -> int:
        size: int = self.dtype.itemsize
        for length in self.shape:
            size *= length
        return size


@dataclass(frozen=True)
class Leaf:
    """The scalars at one place of an element."""

    offset: int
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def field_of(dtype: DType, name: str) -> tuple[DType, int]:
    """The type of a field and its offset."""
    assert dtype.fields is not None
    of, offset = dtype.fields[name][:2]
    return of, offset


def leaves_of(dtype: DType, shape: tuple[int, ...], offset: int = 0) -> list[Leaf]:
    """What an array of this shape of scalars or structs consists of."""
    strides = [dtype.itemsize] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    if dtype.names is None:
        return [Leaf(offset, dtype, shape, tuple(strides))]
    leaves = []
    for name in dtype.names:
        of, at = field_of(dtype, name)
        for leaf in leaves_of(of.base, of.shape, offset + at):
            leaves.append(Leaf(leaf.offset, leaf.dtype, shape + leaf.shape, (*strides, *leaf.strides)))
    return leaves


def element_type(document: dict[str, Any]) -> ElementType:
    """What a type of the reflection is in memory."""
    element = _element_type(document)
    return replace(element, alignment=_alignment(document, element))


def _element_type(document: dict[str, Any]) -> ElementType:
    kind = document["kind"]
    if kind == "scalar":
        name = document["scalarType"]
        return ElementType(_NAMES.get(name, name), np.dtype(_SCALARS[name]), ())
    if kind == "vector":
        of, length = element_type(document["elementType"]), document["elementCount"]
        return _of_size(document, ElementType(f"{of.name}{length}", of.dtype, (length,)))
    if kind == "matrix":
        of, rows, columns = element_type(document["elementType"]), document["rowCount"], document["columnCount"]
        return _of_size(document, ElementType(f"{of.name}{rows}x{columns}", of.dtype, (rows, columns)))
    if kind == "array":
        of, length = element_type(document["elementType"]), document["elementCount"]
        return _of_size(document, ElementType(f"{of.name}[{length}]", of.dtype, (length, *of.shape)))
    if kind == "struct":
        return ElementType(document["name"], _struct(document), ())
    raise SlangError(f"values of the kind `{kind}` cannot be elements of arrays")


def _struct(document: dict[str, Any]) -> DType:
    fields = [(field["name"], element_type(field["type"]), field["binding"]["offset"]) for field in document["fields"]]
    return np.dtype(
        {
            "names": [name for name, _, _ in fields],
            "formats": [(of.dtype, of.shape) for _, of, _ in fields],
            "offsets": [offset for _, _, offset in fields],
            "itemsize": _size(document),
        }
    )


def _of_size(document: dict[str, Any], element: ElementType) -> ElementType:
    """Arrays of numpy have no gaps between elements."""
    if "sizes" in document and _size(document) != element.size:
        raise SlangError(f"`{element.name}` has gaps between its elements in memory")
    return element


def _alignment(document: dict[str, Any], element: ElementType) -> int:
    said = [int(size["alignment"]) for size in document.get("sizes", []) if size["kind"] == "uniform"]
    return said[0] if said else element.dtype.itemsize


def _size(document: dict[str, Any]) -> int:
    return next(int(size["value"]) for size in document["sizes"] if size["kind"] == "uniform")

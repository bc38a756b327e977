"""Arguments as the bytes of a kernel's parameters, by the types of the analyzer's reflection."""

from __future__ import annotations

import operator
import sys
from collections import namedtuple
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from ..layout import Array, element_type
from ..places import device_of
from ..signature import is_tensor
from .errors import ArgumentError

#: A tensor, and that of its derivative: the tangent, or what gradients are added to.
DiffTensorView = namedtuple("DiffTensorView", ["value", "grad"], defaults=[None])

#: A type of the reflection, or a field.
Document = dict[str, Any]


@dataclass(frozen=True)
class TensorArgument:
    """A tensor among the arguments of a kernel."""

    #: As the message about it names it.
    what: str
    #: Where its view is written, in the bytes of a parameter.
    memory: Array
    #: The ``TensorView<T>``.
    type: Document
    #: ``None`` of a derivative that nobody asked for.
    tensor: Any
    #: The tensor whose derivative it is.
    derivative_of: Optional["TensorArgument"] = None


class Values:
    """The bytes of the parameters of a kernel. The views of tensors are written when it is launched."""

    def __init__(self, function: str) -> None:
        self._function = function
        self.memories: list[Array] = []
        self.tensors: list[TensorArgument] = []

    def add(self, name: str, document: Document, value: Any) -> None:
        """Adds the next parameter."""
        memory = np.zeros(max(size_of(document), 1), np.uint8)
        self.memories.append(memory)
        self._write(name, memory, document, value)

    def _what(self, path: str) -> str:
        return f"`{path}` of `{self._function}`"

    def _is_not(self, path: str, name: str, value: Any) -> ArgumentError:
        return ArgumentError(f"{self._what(path)} is `{name}`, which {_said(value)} is not")

    def _write(self, path: str, memory: Array, document: Document, value: Any) -> None:
        kind = document["kind"]
        if kind == "scalar":
            self._scalar(path, memory, document, value)
        elif kind in ("vector", "array"):
            self._elements(path, memory, document["elementType"], document["elementCount"], value)
        elif kind == "matrix":
            self._matrix(path, memory, document, value)
        elif kind != "struct":
            name = document.get("baseShape") or kind
            raise ArgumentError(f"{self._what(path)} is a {name}, which cannot be handed over to a kernel")
        elif is_tensor(document):
            self._tensor(path, memory, document, value)
        elif is_differentiable_tensor(document):
            self._differentiable_tensor(path, memory, document, value)
        else:
            self._struct(path, memory, document, value)

    def _scalar(self, path: str, memory: Array, document: Document, value: Any) -> None:
        of = element_type(document)
        try:
            if isinstance(value, (str, bytes, type(None))):
                raise TypeError
            if of.dtype.kind in "iu":
                data = operator.index(value).to_bytes(of.size, sys.byteorder, signed=of.dtype.kind == "i")
            elif of.dtype.kind == "f":
                data = np.array([float(value)], of.dtype).tobytes()
            else:
                # Lists are true, too, but no truth values.
                data = np.array([type(value).__bool__(value)], of.dtype).tobytes()
            memory[: of.size] = np.frombuffer(data, np.uint8)
        except (AttributeError, TypeError, ValueError, OverflowError, RuntimeError):
            raise self._is_not(path, of.name, value) from None

    def _elements(self, path: str, memory: Array, element: Document, count: int, value: Any) -> None:
        if not isinstance(value, (tuple, list, np.ndarray)) or len(value) != count:
            raise ArgumentError(f"{self._what(path)} is {count} values in a tuple or a list, which {_said(value)} is not")
        size = size_of(element)
        for index, item in enumerate(value):
            self._write(f"{path}[{index}]", memory[index * size : (index + 1) * size], element, item)

    def _matrix(self, path: str, memory: Array, document: Document, value: Any) -> None:
        element, columns = document["elementType"], document["columnCount"]
        row = {"kind": "vector", "elementType": element, "elementCount": columns, "sizes": [_size(columns * size_of(element))]}
        self._elements(path, memory, row, document["rowCount"], value)

    def _tensor(self, path: str, memory: Array, document: Document, value: Any) -> None:
        if not is_array(value):
            raise self._is_not(path, document["name"], value)
        self.tensors.append(TensorArgument(self._what(path), memory, document, value))

    def _differentiable_tensor(self, path: str, memory: Array, document: Document, value: Any) -> None:
        """A tensor, and behind it a struct that says how the derivative is read and written; the tensor in it is the one that
        is given."""
        primal, derivative = document["fields"]
        both = self._pair(path, document, value)
        self._tensor(path, _part(memory, primal), primal["type"], both.value)
        of = self.tensors[-1]
        parts = list(_tensors_in(_part(memory, derivative), derivative["type"]))
        if both.grad is not None and (not is_array(both.grad) or len(parts) != 1):
            start = len(self.tensors)
            self._write(f"{path}.grad", _part(memory, derivative), derivative["type"], both.grad)
            self.tensors[start:] = [_derivative(tensor, of) for tensor in self.tensors[start:]]
            return
        for part, tensor in parts:
            self.tensors.append(TensorArgument(f"the derivative of {self._what(path)}", part, tensor, both.grad, of))

    def _pair(self, path: str, document: Document, value: Any) -> DiffTensorView:
        if is_array(value):
            return DiffTensorView(value)
        if isinstance(value, DiffTensorView):
            return value
        if isinstance(value, Mapping) and "value" in value and set(value) <= {"value", "grad"}:
            return DiffTensorView(**value)
        if isinstance(value, (tuple, list)) and len(value) in (1, 2):
            return DiffTensorView(*value)
        expected = "a tensor, a pair of a tensor and its derivative, or a `DiffTensorView`"
        raise ArgumentError(f"{self._what(path)} is `{document['name']}`: {expected}, which {_said(value)} is not")

    def _struct(self, path: str, memory: Array, document: Document, value: Any) -> None:
        names = [field["name"] for field in document["fields"]]
        if isinstance(value, Mapping):
            values = value
        elif isinstance(value, tuple):
            values = dict(zip(getattr(value, "_fields", names), value)) if len(value) == len(names) else {}
        elif value is None or isinstance(value, (str, bytes, int, float, list)) or is_array(value):
            raise self._is_not(path, document["name"], value)
        else:
            # An object of any class.
            values = {name: getattr(value, name) for name in names if hasattr(value, name)}
        if set(values) != set(names):
            fields = ", ".join(f"`{name}`" for name in names)
            raise ArgumentError(f"{self._what(path)} is `{document['name']}`: it has the fields {fields}, not {_said(value)}")
        for field in document["fields"]:
            self._write(f"{path}.{field['name']}", _part(memory, field), field["type"], values[field["name"]])


def is_array(value: Any) -> bool:
    """Whether a value is an array of any library."""
    return device_of(value) is not None


def is_differentiable_tensor(document: Document) -> bool:
    """Whether a struct is a ``DiffTensorView<T, A>``."""
    return str(document.get("name", "")).startswith("DiffTensorView<")


def size_of(document: Document) -> int:
    """The bytes of a type in memory. What is empty has none."""
    return next((int(size["value"]) for size in document.get("sizes", []) if size["kind"] == "uniform"), 0) or _of_scalar(
        document
    )


def structs_in(document: Document) -> Iterator[Document]:
    """The structs that values of a type are made of, tensors left out."""
    if document["kind"] in ("array", "vector", "matrix"):
        yield from structs_in(document["elementType"])
    if document["kind"] == "struct" and not is_tensor(document) and not is_differentiable_tensor(document):
        for field in document["fields"]:
            yield from structs_in(field["type"])
        yield document


def _of_scalar(document: Document) -> int:
    # Components of vectors have no sizes of their own.
    return element_type(document).size if document["kind"] == "scalar" else 0


def _size(value: int) -> Document:
    return {"kind": "uniform", "value": value}


def _part(memory: Array, field: Document) -> Array:
    if "binding" not in field:
        return memory[:0]
    offset = field["binding"]["offset"]
    return memory[offset : offset + field["binding"]["size"]]


def _tensors_in(memory: Array, document: Document) -> Iterator[tuple[Array, Document]]:
    if document["kind"] != "struct":
        return
    if is_tensor(document):
        yield memory, document
        return
    for field in document["fields"]:
        yield from _tensors_in(_part(memory, field), field["type"])


def _derivative(tensor: TensorArgument, of: TensorArgument) -> TensorArgument:
    return TensorArgument(tensor.what, tensor.memory, tensor.type, tensor.tensor, of)


def _said(value: Any) -> str:
    """A value in a message."""
    if is_array(value):
        return f"a tensor of the shape {tuple(value.shape)}" if hasattr(value, "shape") else "a tensor"
    text = repr(value)
    return f"`{text}`" if len(text) <= 80 and "\n" not in text else f"this `{type(value).__name__}`"

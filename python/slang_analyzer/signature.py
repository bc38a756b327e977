"""The parameters of a kernel, as the analyzer's reflection has them. The same for every target, but for layouts and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

from .analyzer import Emitted
from .errors import SlangError
from .layout import ElementType, element_type


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
    #: Its number among the parameters in the code; ``None`` of what the code does not use.
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
        is_tensor = self.is_tensor or self.is_differentiable_tensor
        return self.type.get("access") == "readWrite" or is_tensor or self.type["kind"] == "pointer"

    @property
    def is_tensor(self) -> bool:
        return self.content.get("kind") == "struct" and is_tensor(self.content)

    @property
    def is_differentiable_tensor(self) -> bool:
        """Whether it is a tensor together with that of the derivatives."""
        return self.content.get("kind") == "struct" and self.content["name"].startswith("DiffTensorView<")

    @property
    def content(self) -> dict[str, Any]:
        """The type of constant data, in a buffer or by itself."""
        content = self.type["elementType"] if self.type["kind"] == "constantBuffer" else self.type
        return dict(content)

    @property
    def is_data(self) -> bool:
        return self.type["kind"] not in ("resource", "pointer", "samplerState", "interface")


class Signature:
    """What a kernel is called, and takes."""

    def __init__(self, emitted: Emitted, function: str) -> None:
        entries = emitted.reflection["entryPoints"]
        if len(entries) != 1:
            names = ", ".join(f"`{_with_types(function, entry)}`" for entry in entries)
            raise SlangError(f"`{function}` is the name of several functions: {names}")
        entry = entries[0]
        self.function: str = entry["kernel"]["function"]
        self.symbol: str = entry["symbol"]
        #: Threads of a group, in its one dimension.
        self.group_size: int = entry["threadGroupSize"][0]
        own = {parameter["name"]: parameter for parameter in entry["parameters"] if "binding" in parameter}
        order: list[str] = []
        mode = entry["kernel"]["mode"]
        self.slots: list[Slot] = []
        self.shared: list[Shared] = []
        #: The number of the parameter that says how many elements there are.
        self.count: Optional[int] = None
        for parameter in entry["kernel"]["parameters"]:
            document = own[parameter["name"]]
            if parameter["element"]:
                self.slots.append(_slot(parameter, document))
            elif parameter["of"] is None:
                self.count = _index(document)
            else:
                self.shared.append(Shared(parameter["name"], document["type"], _index(document), is_own=True))
            if parameter["of"] is not None and _parameter_name(parameter["of"]) not in order:
                order.append(_parameter_name(parameter["of"]))
        for document in emitted.reflection["parameters"]:
            self.shared.append(Shared(document["name"], document["type"], _index(document), is_own=False))

        #: The slots that read what is given for a parameter of the function.
        self.elements = {slot.of: slot for slot in self.slots if slot.part == "value" and slot.is_read}
        #: The parameters of the function that all threads share.
        self.own = {parameter.name for parameter in self.shared if parameter.is_own}
        #: The parameters of the function that take arguments, in their order.
        self.arguments = [name for name in order if name in self.elements or name in self.own]
        #: The derivatives of tensors that have one. They are no slots: kernels have them together with the tensors.
        self.tensors = {slot.of: slot for slot in map(_derivative, self.shared) if slot is not None}
        place = {name: number for number, name in enumerate(order)}
        tensors = list(self.tensors.values())
        self.results = self._with_part("value", place, is_written=True)
        self.taken_tangents = self._with_part("tangent", place, tensors if mode == "forward" else [], is_written=False)
        self.given_tangents = self._with_part("tangent", place, is_written=True)
        self.taken_cotangents = self._with_part("cotangent", place, is_written=False)
        #: The cotangents of the parameters.
        self.gradients = self._with_part("cotangent", place, tensors if "backward" in mode else [], is_written=True)

    def _with_part(self, part: str, place: dict[str, int], others: Sequence[Slot] = (), *, is_written: bool) -> list[Slot]:
        """The slots that are read or written, what the function returns first."""
        own = [slot for slot in self.slots if slot.part == part and (slot.is_written if is_written else slot.is_read)]
        return sorted([*own, *others], key=lambda slot: (slot.of != "result", place[slot.of]))


def is_tensor(document: dict[str, Any]) -> bool:
    """Whether a struct is a ``TensorView<T>``."""
    return str(document.get("name", "")).startswith("TensorView<")


def _derivative(parameter: Shared) -> Optional[Slot]:
    if not parameter.is_own or not parameter.is_differentiable_tensor:
        return None
    pointee = parameter.content["fields"][0]["type"]["fields"][0]["type"]["valueType"]
    name = f"derivative of {parameter.name}"
    return Slot(name, parameter.name, "derivative", True, True, element_type(pointee), None)


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

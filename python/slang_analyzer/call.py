"""One call of a function: its arguments by the names of parameters, and its results."""

from __future__ import annotations

import functools
import sys
from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import arrays
from .kernel import Kernel, Run
from .places import AnyArray, Place, leaves
from .shared import WithDerivative
from .signature import Slot

#: Values for parameters: in their order, or by name.
Values = Union[Sequence[Any], Mapping[str, Any]]
#: What a kernel wrote, by the names of its slots.
Results = Mapping[str, AnyArray]


class Call:
    """The arguments of one call."""

    def __init__(self, place: Place, of: Kernel, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self._place, self._kernel = place, of
        self.signature = signature = of.signature
        elements, own, names = signature.elements, signature.own, signature.arguments
        if len(args) > len(names):
            raise TypeError(f"`{signature.function}` takes {len(names)} arguments ({', '.join(names)}), not {len(args)}")
        #: What was given for the parameters of the function and of the file.
        self.by_name: dict[str, Any] = dict(zip(names, args))
        self.shared: dict[str, Any] = {}
        for name, value in kwargs.items():
            if name in self.by_name:
                raise TypeError(f"there are two arguments for `{name}` of `{signature.function}`")
            if name in elements or name in own:
                self.by_name[name] = value
            else:
                self.shared[name] = value
        missing = [name for name in names if name not in self.by_name]
        if missing:
            raise TypeError(f"there is no argument for `{missing[0]}` of `{signature.function}`")
        self._own: dict[str, tuple[int, ...]] = {}
        self._inputs: dict[str, AnyArray] = {}
        self._library: Optional[str] = None
        for name, slot in elements.items():
            self._add(slot, self.by_name[name], f"`{name}` of `{signature.function}`")
        self._passed = {name: self.by_name[name] for name in own} | self.shared
        for name in signature.tensors:
            self._library = self._library or arrays.library_of(self.by_name[name])
        # Of tensors.
        self._derivatives: dict[str, AnyArray] = {}

    def _add(self, slot: Slot, value: Any, what: str) -> None:
        argument = arrays.element_argument(self._place, value, slot.element, what)
        self._inputs[slot.name] = argument.array
        self._own[slot.name] = arrays.lead_of(argument.array, slot.element)
        self._library = self._library or argument.library

    def add_derivatives(self, given: Any, slots: Sequence[Slot], part: str) -> None:
        function = self.signature.function
        names = [slot.of for slot in slots]
        if not isinstance(given, Mapping):
            values = list(given) if isinstance(given, (tuple, list)) else [given]
            if len(values) > len(names):
                raise TypeError(f"`{function}` takes {len(names)} {part}s ({', '.join(names)}), not {len(values)}")
            given = dict(zip(names, values))
        unknown = [name for name in given if name not in names]
        if unknown:
            raise TypeError(f"`{unknown[0]}` of `{function}` has no {part}; these have: {', '.join(names) or 'none'}")
        for slot in slots:
            value = given.get(slot.of)
            if slot.of in self.signature.tensors:
                self._add_tensor_derivative(slot, value, f"the {part} of `{slot.of}` of `{function}`")
            elif value is None:
                zero = self._place.numbers(np.zeros(slot.element.shape, slot.element.dtype))
                self._inputs[slot.name], self._own[slot.name] = zero, ()
            else:
                self._add(slot, value, f"the {part} of `{slot.of}` of `{function}`")

    def _add_tensor_derivative(self, slot: Slot, value: Any, what: str) -> None:
        shape = self._place.view(self.by_name[slot.of], f"`{slot.of}`").shape
        if value is None:
            self._derivatives[slot.of] = self._place.zeros(shape, slot.element.dtype)
            return
        array = arrays.element_argument(self._place, value, slot.element, what).array
        if array.shape != shape:
            raise ValueError(f"{what} has the shape {array.shape}, and the tensor {shape}")
        self._derivatives[slot.of] = array

    def run(self, out: Any = None, summed: Sequence[Slot] = ()) -> Results:
        try:
            lead = np.broadcast_shapes(*self._own.values())
        except ValueError:
            shapes = ", ".join(f"`{name}` {shape}" for name, shape in self._own.items())
            raise ValueError(f"the leading dimensions do not go together: {shapes}") from None
        outputs = {} if out is None else self._outputs(out, lead)
        # The gradient of what is broadcast is a sum.
        tensors = [slot for slot in summed if slot.of in self.signature.tensors]
        own = {slot.name: self._own[self.signature.elements[slot.of].name] for slot in summed if slot not in tensors}
        sums = {name: shape for name, shape in own.items() if shape != lead}
        for slot in tensors:
            self._add_tensor_derivative(slot, None, f"the gradient of `{slot.of}`")
        passed = self._passed | {
            name: WithDerivative(self._passed[name], derivative) for name, derivative in self._derivatives.items()
        }
        results = self._place.run(self._kernel, Run(lead, self._inputs, outputs, passed, sums))
        return {**results, **{slot.name: self._derivatives[slot.of] for slot in tensors}}

    def _outputs(self, out: Any, lead: tuple[int, ...]) -> dict[str, AnyArray]:
        slots = {slot.of: slot for slot in self.signature.results}
        if not isinstance(out, Mapping):
            if len(slots) != 1:
                raise TypeError(f"`{self.signature.function}` has several results: `out` is a dictionary of {list(slots)}")
            out = {next(iter(slots)): out}
        outputs = {}
        for name, array in out.items():
            if name not in slots:
                raise TypeError(f"`{self.signature.function}` has no result `{name}`")
            what = f"`{name}` in `out`"
            element = slots[name].element
            view = self._place.written(array, element.dtype, element.alignment, what)
            shape = lead + element.shape
            if view.shape != shape:
                raise ValueError(f"{what} has the shape {view.shape} and not {shape}")
            for slot, read in self._inputs.items():
                if arrays.overlap(view, read):
                    raise ValueError(f"{what} overlaps `{slot}`, which is read: give it memory of its own, or all of `{slot}`")
            outputs[slots[name].name] = view
        return outputs

    def collected(self, kind: str, slots: Sequence[Slot], results: Results) -> Any:
        """Results in the library of the arguments: one by itself, several as a named tuple."""
        values = self.in_library(slots, results)
        if len(values) == 1:
            return values[0]
        return _named_tuple(kind, tuple(slot.of for slot in slots))(*values)

    def in_library(self, slots: Sequence[Slot], results: Results) -> list[Any]:
        return [self._place.to_library(results[slot.name], self._library) for slot in slots]

    def wants_gradients(self) -> bool:
        """Whether PyTorch is there and records what is done with one of the arguments."""
        torch = sys.modules.get("torch")
        if torch is None or not torch.is_grad_enabled():
            return False
        return any(isinstance(value, torch.Tensor) and value.requires_grad for value in leaves(self.by_name.values()))


@functools.lru_cache(maxsize=None)
def _named_tuple(kind: str, names: tuple[str, ...]) -> Any:
    return namedtuple(kind, names, rename=True)

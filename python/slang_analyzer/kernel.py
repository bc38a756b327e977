"""The kernel of a function for a target, and what a call of it works on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .analyzer import Source, emit_kernel
from .places import AnyArray
from .shared import Values
from .signature import Signature


@dataclass
class Run:
    """What one call of a kernel works on."""

    #: The leading shape of all elements.
    lead: tuple[int, ...]
    inputs: dict[str, AnyArray]
    #: Where outputs are written; those without are made.
    outputs: dict[str, AnyArray]
    shared: Mapping[str, Any]
    #: Outputs of which the sum over elements is wanted, where the argument has this leading shape.
    summed: dict[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        count = 1
        for length in self.lead:
            count *= length
        return count

    def is_one(self, array: AnyArray, dimensions: int) -> bool:
        """Whether an array has the same element for all of several threads."""
        return self.count > 1 and all(length == 1 for length in array.shape[: array.ndim - dimensions])


class Kernel:
    """The primal, the forward or the backward kernel of a function."""

    def __init__(self, source: Source, function: str, target: str, with_primal: bool = False) -> None:
        emitted = emit_kernel(source, function, target, with_primal)
        self.signature = Signature(emitted, function)
        self.code = emitted.code
        #: The compiled function, for each device that it was called on.
        self.loaded: dict[Any, Any] = {}


def in_order(shared: list[tuple[int, Values]], own: list[tuple[int, Values]]) -> Values:
    """The values for all parameters, in the order of the code."""
    return [value for _, values in sorted([*shared, *own], key=lambda item: item[0]) for value in values]


def sums_at_once(own: tuple[int, ...], is_read: bool) -> bool:
    """Whether a sum over all elements can be made as they are, and not afterwards of all of them."""
    return not is_read and all(length == 1 for length in own)

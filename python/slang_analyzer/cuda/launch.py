"""A call of a kernel in CUDA over arrays on a device.

Kernels read and write elements that lie behind one another. Arguments that do so are used where they are. Others (constants,
what is broadcast, strided arrays) are written into memory of the call first, and gradients that are summed are read from
there: for so many elements at a time that this memory stays small, as the elements of a large array of parameters can be
gigabytes when they are repeated.
"""

from __future__ import annotations

import ctypes
import math
from abc import ABC, abstractmethod
from ctypes import c_uint32, c_void_p
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ..kernel import in_order, sums_at_once
from ..layout import ElementType, Leaf, leaves_of
from ..shared import shared_arguments
from . import nvrtc
from .device_array import DeviceArray, contiguous_strides
from .driver import KernelFunction, Launch, Module
from .work import Axis, Rows

if TYPE_CHECKING:
    from ..kernel import Kernel, Run
    from ..places import AnyArray
    from ..signature import Slot
    from .place import CudaPlace

#: Elements of one launch: their number and that of each is one of 32 bits.
MOST_ELEMENTS = 1 << 30
#: Bytes of the memory of a call, for elements of one launch.
MOST_MEMORY = 1 << 28


def run(place: "CudaPlace", kernel: "Kernel", run: "Run") -> "dict[str, AnyArray]":
    """Puts a kernel into the stream, and returns what it writes."""
    function, signature, count = _function(place, kernel), kernel.signature, run.count
    shared, kept = shared_arguments(place, signature, run.shared)
    place.keep(kept)
    # What the code does not use takes no memory.
    used = [slot for slot in signature.slots if slot.is_written or slot.index is not None]
    operands = {slot.name: _operand(place, run, slot) for slot in used}
    for_one = sum(operand.temporary for operand in operands.values())
    chunk = min(MOST_ELEMENTS, max(MOST_MEMORY // max(for_one, 1) // 64 * 64, 64), count)
    for operand in operands.values():
        operand.prepare(chunk)
    constants = [(index, [_bytes(value) for value in values]) for index, values in shared]
    for start in range(0, count, max(chunk, 1)):
        length = min(chunk, count - start)
        own: list[tuple[int, list[Any]]] = [] if signature.count is None else [(signature.count, [c_uint32(length)])]
        for slot in used:
            address = operands[slot.name].address(start, length)
            if slot.index is not None:
                own.append((slot.index, [c_void_p(address), c_uint32(length)]))
        groups = -(-length // signature.group_size)
        function.launch((groups, 1), (signature.group_size, 1), in_order(constants, own), place.stream)
        for operand in operands.values():
            operand.done(length)
    return {slot.name: operands[slot.name].result() for slot in used if slot.is_written}


def _function(place: "CudaPlace", kernel: "Kernel") -> KernelFunction:
    function: Optional[KernelFunction] = kernel.loaded.get(place.device)
    if function is None:
        image = nvrtc.image(kernel.code, place.device.capability, place.device.driver.version)
        function = kernel.loaded[place.device] = Module(place.device, image).function(kernel.signature.symbol)
    return function


def _bytes(value: Any) -> Any:
    """Constant data is a parameter itself."""
    if not isinstance(value, np.ndarray):
        return value
    data = value.tobytes()
    return (ctypes.c_ubyte * len(data)).from_buffer_copy(data)


class _Operand(ABC):
    """What a slot of the kernel is over."""

    #: Bytes that an element takes in the memory of the call.
    temporary = 0

    def prepare(self, most: int) -> None:
        """Takes memory for as many elements as there are in a launch."""

    @abstractmethod
    def address(self, start: int, length: int) -> int:
        """Where the elements for a launch are."""

    def done(self, length: int) -> None:
        """Follows the launch."""

    def result(self) -> DeviceArray:
        raise NotImplementedError


class _InPlace(_Operand):
    """An array that lies as the kernel wants it."""

    def __init__(self, array: DeviceArray, element: ElementType) -> None:
        self._array, self._size = array, element.size

    def address(self, start: int, length: int) -> int:
        return self._array.address + start * self._size

    def result(self) -> DeviceArray:
        return self._array


class _Repeated(_Operand):
    """One element for all threads."""

    def __init__(self, place: "CudaPlace", array: "AnyArray", element: ElementType) -> None:
        self._place, self._array, self._element = place, array, element
        self.temporary = element.size
        self._address = 0

    def prepare(self, most: int) -> None:
        place, size = self._place, self._element.size
        self._address = place.memory(most * size)
        if isinstance(self._array, np.ndarray):
            place.work.fill(self._address, self._array, most, place.stream)
            return
        one: Any = self._array
        rows = DeviceArray(one.address, (size,), None, np.dtype(np.uint8), place.ordinal, None)
        if not one.is_contiguous:
            rows.address = place.copied(one).address
        place.work.copy_rows(rows.broadcast_to((most, size)), self._address, Rows(0, most, size), place.stream)

    def address(self, start: int, length: int) -> int:
        return self._address


class _Gathered(_Operand):
    """An array that is broadcast or strided."""

    def __init__(self, place: "CudaPlace", array: DeviceArray, element: ElementType) -> None:
        self._place, self._array = place, array
        self.temporary = element.size
        self._address = 0

    def prepare(self, most: int) -> None:
        self._address = self._place.memory(most * self.temporary)

    def address(self, start: int, length: int) -> int:
        rows = Rows(start, length, self.temporary)
        self._place.work.copy_rows(self._array, self._address, rows, self._place.stream)
        return self._address


class _Sums:
    """Sums of elements, in double precision: for each place in a leading shape."""

    def __init__(self, place: "CudaPlace", element: ElementType, lead: tuple[int, ...]) -> None:
        self._place, self._element, self._lead = place, element, lead
        places = math.prod(lead)
        self._leaves: list[tuple[Leaf, int]] = []
        size = 0
        for leaf in leaves_of(element.dtype, element.shape):
            self._leaves.append((leaf, size))
            size += 8 * places * math.prod(leaf.shape)
        self._address = place.memory(size)
        place.device.zero(self._address, size, place.stream)

    def of(self, address: int, kept: list[Axis], reduced: list[Axis]) -> list[Launch]:
        """What adds those of an array: for the axes that are kept, over those that are reduced."""
        place = self._place
        launches = []
        for leaf, sums in self._leaves:
            own = [*kept, *(Axis(length, stride, 0) for length, stride in zip(leaf.shape, leaf.strides))]
            target = self._address + sums
            launches += place.work.sums(address + leaf.offset, leaf.dtype, own, reduced, target, place.memory)
        return launches

    def result(self) -> DeviceArray:
        place, element = self._place, self._element
        total = place.empty(self._lead + element.shape, element.dtype)
        outer = list(zip(self._lead, contiguous_strides(self._lead, element.size)))
        for leaf, sums in self._leaves:
            axes = [Axis(length, 0, stride) for length, stride in [*outer, *zip(leaf.shape, leaf.strides)]]
            place.work.store_sums(self._address + sums, total.address + leaf.offset, leaf.dtype, axes, place.stream)
        return total


class _SummedAtOnce(_Operand):
    """Gradients of what is the same for all elements: they are added as they are made."""

    def __init__(self, place: "CudaPlace", element: ElementType, lead: tuple[int, ...]) -> None:
        self._place, self._sums = place, _Sums(place, element, lead)
        self.temporary = element.size
        self._address = 0
        # By the number of elements: but for the last launch it is always the same.
        self._launches: dict[int, list[Launch]] = {}

    def prepare(self, most: int) -> None:
        self._address = self._place.memory(most * self.temporary)

    def address(self, start: int, length: int) -> int:
        return self._address

    def done(self, length: int) -> None:
        if length not in self._launches:
            self._launches[length] = self._sums.of(self._address, [], [Axis(length, self.temporary, 0)])
        for launch in self._launches[length]:
            launch.start(self._place.stream)

    def result(self) -> DeviceArray:
        return self._sums.result()


class _SummedAfterwards(_InPlace):
    """Gradients of what is broadcast along some dimensions: all of them, to be summed at the end."""

    def __init__(
        self, place: "CudaPlace", array: DeviceArray, element: ElementType, lead: tuple[int, ...], own: tuple[int, ...]
    ) -> None:
        super().__init__(array, element)
        self._place, self._sums = place, _Sums(place, element, own)
        missing = len(lead) - len(own)
        self._kept: list[Axis] = []
        self._reduced: list[Axis] = []
        for axis, (length, stride) in enumerate(zip(lead, contiguous_strides(lead, element.size))):
            is_kept = axis >= missing and own[axis - missing] == length
            (self._kept if is_kept else self._reduced).append(Axis(length, stride, 0))

    def result(self) -> DeviceArray:
        for launch in self._sums.of(self._array.address, self._kept, self._reduced):
            launch.start(self._place.stream)
        return self._sums.result()


def _operand(place: "CudaPlace", run: "Run", slot: "Slot") -> _Operand:
    array: Any = run.inputs.get(slot.name) if slot.is_read else None
    if not slot.is_written:
        return _input(place, run, array, slot.element)
    own = run.summed.get(slot.name)
    if own is not None and sums_at_once(own, slot.is_read):
        return _SummedAtOnce(place, slot.element, own)
    whole = run.lead + slot.element.shape
    given: Any = run.outputs.get(slot.name)
    out: DeviceArray = place.empty(whole, slot.element.dtype) if given is None else given
    if array is not None:
        place.work.copy_array(place.on_device(array).broadcast_to(whole), out, place.stream)
    return _InPlace(out, slot.element) if own is None else _SummedAfterwards(place, out, slot.element, run.lead, own)


def _input(place: "CudaPlace", run: "Run", array: Any, element: ElementType) -> _Operand:
    whole = run.lead + element.shape
    is_one = math.prod(array.shape) * element.dtype.itemsize == element.size
    if is_one and (run.count > 1 or isinstance(array, np.ndarray)):
        return _Repeated(place, array, element)
    array = place.on_device(array)
    if array.shape == whole and array.is_contiguous and array.address % element.alignment == 0:
        return _InPlace(array, element)
    return _Gathered(place, array.broadcast_to(whole), element)

"""The memory of an NVIDIA device, as one call uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from ..arrays import check_written, library_of
from ..cpu.place import CPU, CpuPlace
from ..layout import Array, DType, ElementType
from ..places import AnyArray, Place, device_of
from . import array_libraries, driver, launch
from .device_array import DeviceArray, of_dlpack, of_interface
from .work import Work, work

if TYPE_CHECKING:
    from ..kernel import Kernel, Run


class CudaPlace(Place):
    """A device, with the stream and the memory of the library that the first array is of. What is the same for all elements
    is a number of the CPU's memory until a kernel reads it."""

    target = "cuda"

    def __init__(self, ordinal: int, first: Any) -> None:
        self.ordinal, self.device = ordinal, driver.device(ordinal)
        self._library = array_libraries.library(library_of(first))
        self.stream = self._library.stream(ordinal)
        self._waits = not self._library.follows_streams
        # What has to live until the work is done.
        self._kept: list[Any] = []

    @property
    def work(self) -> Work:
        return work(self.device)

    def view(self, value: Any, what: str) -> Union[Array, DeviceArray]:
        if isinstance(value, np.generic):
            return np.asarray(value)
        if isinstance(value, DeviceArray) and value.ordinal == self.ordinal:
            return value
        is_own = self._library.is_own(value)
        if not is_own:
            self._check_device(value, what)
        try:
            array = self._library.array(value) if is_own else self._of_other_library(value)
        except TypeError as error:
            raise TypeError(f"{what}: {error}") from None
        if array.ordinal != self.ordinal:
            raise self._elsewhere(what, f"on the CUDA device {array.ordinal}")
        return array

    def _check_device(self, value: Any, what: str) -> None:
        device = device_of(value)
        if device is None:
            raise TypeError(f"{what} has to be an array or a number, not `{type(value).__name__}`")
        if not device.is_cuda or device.ordinal != self.ordinal:
            raise self._elsewhere(what, str(device))

    def _of_other_library(self, value: Any) -> DeviceArray:
        # Its memory may be used for something else as soon as it is not referred to.
        self._waits = True
        if hasattr(value, "__dlpack__"):
            if getattr(value, "requires_grad", False):
                value = value.detach()
            return of_dlpack(value, self.stream)
        stream = value.__cuda_array_interface__.get("stream")
        if stream is not None and stream != (self.stream or 1):
            self.device.wait(stream)
        return of_interface(value, self.ordinal)

    def _elsewhere(self, what: str, where: str) -> TypeError:
        here = f"on the CUDA device {self.ordinal}"
        return TypeError(f"{what} is {where}, and other arguments are {here}: all arrays of a call have to be in one place")

    def written(self, value: Any, dtype: DType, alignment: int, what: str, *, strided: bool = False) -> DeviceArray:
        array = self.view(value, what)
        if not isinstance(array, DeviceArray):
            raise TypeError(f"{what} has to be an array, not `{type(value).__name__}`")
        is_usable = is_writable(value, array) and (strided or array.is_contiguous)
        check_written(array, array.address, dtype, alignment, is_usable, what)
        return array

    def numbers(self, array: Array) -> Array:
        return array

    def structs(self, element: ElementType, lead: tuple[int, ...], fields: Mapping[str, AnyArray]) -> DeviceArray:
        whole = self.empty(lead, element.dtype)
        for name, array in fields.items():
            target = whole.field(name)
            self.work.copy_array(self.on_device(array).broadcast_to(target.shape), target, self.stream)
        return whole

    def zeros(self, shape: tuple[int, ...], dtype: DType) -> DeviceArray:
        array = self.empty(shape, dtype)
        self.device.zero(array.address, array.nbytes, self.stream)
        return array

    def constant(self, value: Any, element: ElementType, what: str) -> Array:
        return _Fetched(self).constant(value, element, what)

    def buffer(self, array: AnyArray, alignment: int) -> tuple[int, Any]:
        array = self.on_device(array)
        if not array.is_contiguous or array.address % alignment != 0:
            array = self.copied(array)
        return array.address, array

    def run(self, kernel: "Kernel", run: "Run") -> dict[str, AnyArray]:
        results = launch.run(self, kernel, run)
        self.finish()
        return results

    def to_library(self, array: Any, library: Optional[str]) -> Any:
        if array.dtype.names is None:
            return self._library.result(array)
        fields = {name: array.field(name) for name in array.dtype.names}
        copies = {name: field if field.dtype.names else self.copied(field) for name, field in fields.items()}
        self.finish()
        return {name: self.to_library(copy, library) for name, copy in copies.items()}

    def finish(self) -> None:
        """Follows the last work of a call."""
        if self._waits:
            self.device.wait(self.stream)
            self._kept.clear()

    def empty(self, shape: tuple[int, ...], dtype: DType) -> DeviceArray:
        """A new array: of the library, if libraries have such arrays."""
        if dtype.names is None:
            return self._library.empty(shape, dtype, self.ordinal)
        array = DeviceArray(0, shape, None, dtype, self.ordinal, None)
        array.address, array.owner = self._library.memory(array.nbytes, self.ordinal)
        return array

    def keep(self, owner: Any) -> None:
        """Lets something live until the work is done."""
        self._kept.append(owner)

    def memory(self, size: int) -> int:
        """The address of new memory, for the time of the call."""
        address, owner = self._library.memory(size, self.ordinal)
        self._kept.append(owner)
        return address

    def copied(self, array: DeviceArray) -> DeviceArray:
        """The same elements behind one another, in new memory."""
        copy = self.empty(array.shape, array.dtype)
        self.work.copy_array(array, copy, self.stream)
        self._kept.append(copy.owner)
        return copy

    def on_device(self, array: AnyArray) -> DeviceArray:
        """Numbers of the CPU's memory as an array here."""
        if isinstance(array, DeviceArray):
            return array
        assert isinstance(array, np.ndarray)
        copy = DeviceArray(self.memory(array.nbytes), array.shape, None, array.dtype, self.ordinal, None)
        self.work.fill(copy.address, array, 1, self.stream)
        return copy


def is_writable(value: Any, array: DeviceArray) -> bool:
    """Whether kernels may write to the memory of an array. Those of JAX never change."""
    return not array.is_readonly and library_of(value) not in ("jax", "jaxlib")


class _Fetched(CpuPlace):
    """The memory of the CPU, with copies of what is on the device of a call."""

    def __init__(self, place: CudaPlace) -> None:
        self._place = place

    def view(self, value: Any, what: str) -> Array:
        device = device_of(value)
        if device is None or device.is_cpu:
            return CPU.view(value, what)
        array: Any = self._place.view(value, what)
        address, _kept = self._place.buffer(array, 1)
        self._place.device.wait(self._place.stream)
        data = self._place.device.read(address, array.nbytes)
        return np.frombuffer(data, array.dtype).reshape(array.shape)


def ordinal_of_pointer(address: int) -> int:
    """The device that memory is on. That of no memory is the first."""
    return driver.ordinal_of_pointer(address) or 0

"""Arrays of any library as numpy arrays without copies, and results in the library that the arguments came from."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ..arrays import check_written, element_argument, library_of
from ..layout import Array, DType, ElementType
from ..places import AnyArray, Place, device_of
from . import launch

if TYPE_CHECKING:
    from ..kernel import Kernel, Run


class CpuPlace(Place):
    """The memory of the CPU."""

    target = "cpp"

    def view(self, value: Any, what: str) -> Array:
        if isinstance(value, (np.ndarray, np.generic)):
            return np.asarray(value)
        device = device_of(value)
        if device is None:
            raise TypeError(f"{what} has to be an array or a number, not `{type(value).__name__}`")
        if not device.is_cpu:
            raise TypeError(f"{what} is {device}, not in the memory of the CPU or of an NVIDIA device")
        if not hasattr(value, "__dlpack__"):
            return np.asarray(value)
        if getattr(value, "requires_grad", False):
            value = value.detach()
        return np.from_dlpack(value)

    def written(self, value: Any, dtype: DType, alignment: int, what: str, *, strided: bool = False) -> Array:
        if library_of(value) == "torch":
            # What numpy gets by DLPack cannot be written.
            self.view(value, what)
            array: Array = value.detach().numpy()
        else:
            array = value if isinstance(value, np.ndarray) else self.view(value, what)
        is_usable = array.flags.writeable and (strided or array.flags.c_contiguous)
        check_written(array, array.ctypes.data, dtype, alignment, is_usable, what)
        return array

    def numbers(self, array: Array) -> Array:
        return array

    def structs(self, element: ElementType, lead: tuple[int, ...], fields: Mapping[str, AnyArray]) -> Array:
        whole = np.zeros(lead, element.dtype)
        for name, array in fields.items():
            assert isinstance(array, np.ndarray)
            around = array.ndim - len(element.dtype[name].shape)
            whole[name] = array.reshape((1,) * (len(lead) - around) + array.shape)
        return whole

    def zeros(self, shape: tuple[int, ...], dtype: DType) -> Array:
        return np.zeros(shape, dtype)

    def constant(self, value: Any, element: ElementType, what: str) -> Array:
        array = element_argument(self, value, element, what).array
        return np.asarray(array, order="C")

    def buffer(self, array: AnyArray, alignment: int) -> tuple[int, Any]:
        contiguous = np.asarray(array, order="C")
        return contiguous.ctypes.data, contiguous

    def run(self, kernel: "Kernel", run: "Run") -> dict[str, AnyArray]:
        return launch.run(self, kernel, run)

    def to_library(self, array: Any, library: Optional[str]) -> Any:
        if library is None:
            return array
        if array.dtype.names is not None:
            return {name: self.to_library(np.array(array[name], order="C"), library) for name in array.dtype.names}
        module = sys.modules[library]
        if library == "torch":
            return module.from_numpy(array)
        if library in ("jax", "jaxlib"):
            return sys.modules["jax"].numpy.asarray(array)
        return module.from_dlpack(array)


#: There is one.
CPU = CpuPlace()

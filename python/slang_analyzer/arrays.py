"""Arguments of any library of arrays as numpy arrays without copies, and results in the library that the arguments came from.

No library but numpy is imported: what an argument is tells the library that is there already.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from .layout import Array, DType, ElementType

_CPU = 1


@dataclass(frozen=True)
class Argument:
    """An array as it came in."""

    array: Array
    #: The library of the argument; ``None`` of numbers, lists and arrays of numpy.
    library: Optional[str]


def library_of(value: Any) -> Optional[str]:
    """The name of the library whose array the value is."""
    if isinstance(value, (np.ndarray, np.generic)) or not hasattr(value, "__dlpack__"):
        return None
    return type(value).__module__.split(".")[0]


def element_argument(value: Any, element: ElementType, what: str) -> Argument:
    """A value for a parameter: its last dimensions are those of the element."""
    if element.is_struct and isinstance(value, Mapping):
        return _of_fields(value, element, what)
    if isinstance(value, (bool, int, float, list, tuple)):
        array = _of_numbers(value, element, what)
    else:
        array = view(value, what)
        array = _checked_type(array, element, what)
    dimensions = len(element.shape)
    if array.ndim < dimensions or array.shape[array.ndim - dimensions :] != element.shape:
        found = tuple(array.shape[max(array.ndim - dimensions, 0) :])
        raise ValueError(
            f"{what} is `{element.name}`: the last dimensions of its array have to be {element.shape}, not {found}"
        )
    return Argument(array, library_of(value))


def view(value: Any, what: str) -> Array:
    """The memory of an array of any library, on the CPU."""
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    device = getattr(value, "__dlpack_device__", None)
    if device is not None:
        kind = int(device()[0])
        if kind != _CPU:
            raise TypeError(f"{what} is not in the memory of the CPU (DLPack's device {kind}): only the CPU is supported")
        if getattr(value, "requires_grad", False):
            value = value.detach()
        return np.from_dlpack(value)
    if hasattr(value, "__cuda_array_interface__"):
        raise TypeError(f"{what} is in the memory of a GPU: only the CPU is supported")
    if hasattr(value, "__array_interface__") or hasattr(value, "__array__"):
        return np.asarray(value)
    raise TypeError(f"{what} has to be an array or a number, not `{type(value).__name__}`")


def writable_view(value: Any, dtype: DType, what: str) -> Array:
    """The memory of an array that a kernel writes. It is never a copy."""
    if isinstance(value, np.ndarray):
        array = value
    elif library_of(value) == "torch":
        # What numpy gets by DLPack cannot be written.
        view(value, what)
        array = value.detach().numpy()
    else:
        array = view(value, what)
    if array.dtype != dtype:
        raise TypeError(f"{what} has to be an array of {dtype}, not of {array.dtype}")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError(f"{what} is written: its array has to be contiguous (C order) and writable")
    return array


def to_library(array: Array, library: Optional[str]) -> Any:
    """The array in another library; of a struct a dictionary of its fields."""
    if library is None:
        return array
    if array.dtype.names is not None:
        return {name: to_library(np.array(array[name], order="C"), library) for name in array.dtype.names}
    module = sys.modules[library]
    if library == "torch":
        return module.from_numpy(array)
    if library in ("jax", "jaxlib"):
        return sys.modules["jax"].numpy.asarray(array)
    return module.from_dlpack(array)


def _of_numbers(value: Any, element: ElementType, what: str) -> Array:
    """Numbers and lists of numbers take the type of the parameter, if they are of its kind."""
    try:
        array = np.asarray(value)
        if element.is_struct or not np.can_cast(array.dtype, element.dtype, casting="same_kind"):
            is_number = array.dtype.kind in "iu" and element.dtype.kind in "iuf"
            if element.is_struct or not is_number:
                raise TypeError
        converted = array.astype(element.dtype)
        if converted.dtype.kind in "iu" and not np.array_equal(converted, array):
            raise TypeError
        return converted
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{what} is `{element.name}`, which `{value!r}` is not") from None


def _checked_type(array: Array, element: ElementType, what: str) -> Array:
    if array.dtype == element.dtype:
        return array
    if element.is_struct and array.dtype.names == element.dtype.names:
        # The same fields at other offsets.
        kinds = [(array.dtype[name], element.dtype[name]) for name in element.dtype.names or ()]
        if all(own.base == wanted.base and own.shape == wanted.shape for own, wanted in kinds):
            return array.astype(element.dtype)
    wanted = f"a struct with the fields {element.dtype.names}" if element.is_struct else str(element.dtype)
    found = f"a struct with the fields {array.dtype.names}" if array.dtype.names else str(array.dtype)
    raise TypeError(f"{what} is `{element.name}`: its array has to hold {wanted}, not {found}")


def _of_fields(value: Mapping[str, Any], element: ElementType, what: str) -> Argument:
    """A struct from arrays of its fields."""
    names = element.dtype.names or ()
    if set(value) != set(names):
        raise ValueError(f"{what} is `{element.name}`: it has the fields {list(names)}, not {list(value)}")
    arguments = {}
    for name in names:
        of_field, shape = element.dtype[name].base, element.dtype[name].shape
        field_type = ElementType(f"{element.name}.{name}", of_field, shape)
        arguments[name] = (element_argument(value[name], field_type, f"`{name}` of {what}"), len(shape))
    lead = np.broadcast_shapes(
        *(argument.array.shape[: argument.array.ndim - own] for argument, own in arguments.values())
    )
    whole = np.zeros(lead, element.dtype)
    for name, (argument, own) in arguments.items():
        around = argument.array.shape[: argument.array.ndim - own]
        shape = (1,) * (len(lead) - len(around)) + argument.array.shape
        whole[name] = argument.array.reshape(shape)
    libraries = [argument.library for argument, _ in arguments.values() if argument.library is not None]
    return Argument(whole, libraries[0] if libraries else None)

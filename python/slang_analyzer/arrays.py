"""Arguments of any library of arrays, and how they go with the type of a parameter.

No library but numpy is imported: what an argument is tells the library that is there already.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from .layout import Array, DType, ElementType
from .places import AnyArray, Place


@dataclass(frozen=True)
class Argument:
    """An array as it came in."""

    array: AnyArray
    #: The library of the argument; ``None`` of numbers, lists and arrays of numpy.
    library: Optional[str]


def library_of(value: Any) -> Optional[str]:
    """The name of the library whose array the value is."""
    if isinstance(value, (np.ndarray, np.generic)):
        return None
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        # Also of classes of its users.
        return "torch"
    if hasattr(value, "__dlpack__") or hasattr(value, "__cuda_array_interface__"):
        return type(value).__module__.split(".")[0]
    return None


def element_argument(place: Place, value: Any, element: ElementType, what: str) -> Argument:
    """A value for a parameter: its last dimensions are those of the element."""
    if element.is_struct and _holds_fields(value):
        value = _columns(value, element, what)
    if element.is_struct and isinstance(value, Mapping):
        return _of_fields(place, value, element, what)
    if isinstance(value, (bool, int, float, list, tuple)):
        array = place.numbers(_of_numbers(value, element, what))
    else:
        array = _checked_type(place.view(value, what), element, what)
    dimensions = len(element.shape)
    if array.ndim < dimensions or array.shape[array.ndim - dimensions :] != element.shape:
        found = tuple(array.shape[max(array.ndim - dimensions, 0) :])
        raise ValueError(
            f"{what} is `{element.name}`: the last dimensions of its array have to be {element.shape}, not {found}"
        )
    return Argument(array, library_of(value))


def lead_of(array: AnyArray, element: ElementType) -> tuple[int, ...]:
    """The dimensions before those of an element."""
    return array.shape[: array.ndim - len(element.shape)]


def overlap(written: AnyArray, read: AnyArray) -> bool:
    """Whether writing one array may change elements of the other that are still to be read: where they share memory, but for
    arrays of the same elements, each of which is read before it is written."""
    if _address(written) == _address(read) and (written.shape, written.strides) == (read.shape, read.strides):
        return False
    (a_start, a_end), (b_start, b_end) = _span(written), _span(read)
    return a_start < b_end and b_start < a_end


def _address(array: AnyArray) -> int:
    interface = getattr(array, "__cuda_array_interface__", None) or array.__array_interface__  # type: ignore[attr-defined]
    return int(interface["data"][0])


def _span(array: AnyArray) -> tuple[int, int]:
    """The first address of an array, and that after the last."""
    if 0 in array.shape:
        return 0, 0
    steps = [(count - 1) * stride for count, stride in zip(array.shape, array.strides)]
    start = _address(array) + sum(step for step in steps if step < 0)
    return start, _address(array) + sum(step for step in steps if step > 0) + array.dtype.itemsize


def check_written(array: AnyArray, address: int, dtype: DType, alignment: int, is_usable: bool, what: str) -> None:
    """What a kernel writes is never converted or copied."""
    if array.dtype != dtype:
        raise TypeError(f"{what} has to be an array of {dtype}, not of {array.dtype}")
    if not is_usable:
        raise ValueError(f"{what} is written: its array has to be contiguous (C order) and writable")
    if address % alignment != 0:
        raise ValueError(f"{what} is written: its address in memory has to be a multiple of {alignment}")


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


def _checked_type(array: AnyArray, element: ElementType, what: str) -> AnyArray:
    if array.dtype == element.dtype:
        return array
    if element.is_struct and isinstance(array, np.ndarray) and array.dtype.names == element.dtype.names:
        # The same fields at other offsets.
        kinds = [(array.dtype[name], element.dtype[name]) for name in element.dtype.names or ()]
        if all(own.base == wanted.base and own.shape == wanted.shape for own, wanted in kinds):
            return array.astype(element.dtype)
    wanted = f"a struct with the fields {element.dtype.names}" if element.is_struct else str(element.dtype)
    found = f"a struct with the fields {array.dtype.names}" if array.dtype.names else str(array.dtype)
    raise TypeError(f"{what} is `{element.name}`: its array has to hold {wanted}, not {found}")


def _holds_fields(value: Any) -> bool:
    """Whether a list, or a list of lists, is one of dictionaries."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
        if isinstance(value, Mapping):
            return True
    return False


def _columns(value: Any, element: ElementType, what: str) -> dict[str, Any]:
    """Several structs as one of lists of what their fields are."""
    if isinstance(value, Mapping):
        _check_fields(value, element, what)
        return dict(value)
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{what} is `{element.name}`, which `{value!r}` is not")
    rows = [_columns(row, element, what) for row in value]
    return {name: [row[name] for row in rows] for name in element.dtype.names or ()}


def _check_fields(value: Mapping[str, Any], element: ElementType, what: str) -> None:
    names = element.dtype.names or ()
    missing = [name for name in names if name not in value]
    unknown = [name for name in value if name not in names]
    if missing:
        raise ValueError(f"{what} is `{element.name}`: there is no value for its field `{missing[0]}`")
    if unknown:
        raise ValueError(f"{what} is `{element.name}`, which has no field `{unknown[0]}`, but {list(names)}")


def _of_fields(place: Place, value: Mapping[str, Any], element: ElementType, what: str) -> Argument:
    """A struct from arrays of its fields."""
    _check_fields(value, element, what)
    names = element.dtype.names or ()
    types = {
        name: ElementType(f"{element.name}.{name}", element.dtype[name].base, element.dtype[name].shape) for name in names
    }
    arguments = {name: element_argument(place, value[name], of, f"`{name}` of {what}") for name, of in types.items()}
    lead = np.broadcast_shapes(*(lead_of(argument.array, types[name]) for name, argument in arguments.items()))
    whole = place.structs(element, lead, {name: argument.array for name, argument in arguments.items()})
    libraries = [argument.library for argument in arguments.values() if argument.library is not None]
    return Argument(whole, libraries[0] if libraries else None)

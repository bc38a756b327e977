"""DLPack's capsules: memory that one library of arrays hands to another."""

from __future__ import annotations

import atexit
import ctypes
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, py_object
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from ..layout import DType

CUDA = 2


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", c_void_p)]


_NAME = b"dltensor"
#: Kinds of numbers by DLPack's codes.
_CODES = {0: "i", 1: "u", 2: "f", 6: "b"}

_new = ctypes.pythonapi.PyCapsule_New
_new.argtypes, _new.restype = (c_void_p, c_char_p, c_void_p), py_object
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = (py_object, c_char_p), c_void_p
# Of a capsule that is being destroyed there must be no new reference: its address is a number here.
_is_valid = ctypes.PYFUNCTYPE(c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer_of_dying = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


@dataclass(frozen=True)
class Taken:
    """What a capsule says. It is valid as long as the capsule lives."""

    address: int
    shape: tuple[int, ...]
    #: In elements; ``None`` if they lie behind one another.
    strides: Optional[tuple[int, ...]]
    dtype: DType
    ordinal: int
    capsule: Any


def taken(capsule: Any) -> Taken:
    """What is in a capsule, which stays the owner: what has made it frees the memory when the capsule is gone."""
    tensor = ctypes.cast(_pointer(capsule, _NAME), POINTER(_Managed)).contents.tensor
    kind = _CODES.get(tensor.code)
    if kind is None or tensor.lanes != 1 or tensor.bits % 8 != 0:
        raise TypeError(f"there are no elements of DLPack's type {tensor.code}, {tensor.bits} bits, {tensor.lanes} lanes")
    axes = range(tensor.ndim)
    return Taken(
        address=(tensor.data or 0) + tensor.byte_offset,
        shape=tuple(int(tensor.shape[axis]) for axis in axes),
        strides=tuple(int(tensor.strides[axis]) for axis in axes) if tensor.strides else None,
        dtype=np.dtype(f"{kind}{tensor.bits // 8}"),
        ordinal=tensor.device_id,
        capsule=capsule,
    )


def capsule(address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType, ordinal: int, owner: Any) -> Any:
    """Memory for another library, which keeps the owner alive."""
    numbers = c_int64 * max(len(shape), 1)
    lengths, steps = numbers(*shape), numbers(*strides)
    managed = _Managed()
    tensor = managed.tensor
    tensor.data, tensor.device_type, tensor.device_id, tensor.ndim = address or None, CUDA, ordinal, len(shape)
    tensor.code = next(code for code, kind in _CODES.items() if kind == dtype.kind)
    tensor.bits, tensor.lanes = 8 * dtype.itemsize, 1
    tensor.shape, tensor.strides = ctypes.cast(lengths, POINTER(c_int64)), ctypes.cast(steps, POINTER(c_int64))
    managed.deleter = ctypes.cast(_delete, c_void_p)
    place = ctypes.addressof(managed)
    _given[place] = (managed, lengths, steps, owner)
    return _new(place, _NAME, ctypes.cast(_destroy, c_void_p))


#: What other libraries hold, by the address of its description.
_given: dict[int, Any] = {}


def _forget(place: int) -> None:
    _given.pop(place, None)


def _forget_capsule(dying: int) -> None:
    # One that was taken has another name, and belongs to who took it.
    if _is_valid(dying, _NAME):
        _given.pop(_pointer_of_dying(dying, _NAME), None)


_delete = ctypes.CFUNCTYPE(None, c_void_p)(_forget)
_destroy = ctypes.PYFUNCTYPE(None, c_void_p)(_forget_capsule)


@atexit.register
def _leave() -> None:
    """After Python's end others may still give back what they hold: to a function that does nothing and needs no Python."""
    for managed, *_ in _given.values():
        managed.deleter = ctypes.cast(ctypes.pythonapi.Py_IsInitialized, c_void_p)
    # What they hold is read then, so it is never freed.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_given))

"""The views of tensors that kernels are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cuda.device_array import DeviceArray
from ..cuda.place import CudaPlace, is_writable
from ..layout import DType, ElementType, element_type
from ..places import device_of
from .errors import ArgumentError
from .values import TensorArgument

MOST_DIMENSIONS = 5
#: Offsets in a view are numbers of 32 bits.
MOST_BYTES = 1 << 32


def place_of(tensors: list[TensorArgument]) -> CudaPlace:
    """The device of the first tensor."""
    for argument in tensors:
        device = None if argument.tensor is None else device_of(argument.tensor)
        if device is not None and not device.is_cuda:
            raise ArgumentError(f"{argument.what} is {device}: a kernel takes tensors on a CUDA device")
        if device is not None:
            return CudaPlace(device.ordinal, argument.tensor)
    return CudaPlace(0, None)


def write_views(place: CudaPlace, tensors: list[TensorArgument], is_derivative: bool) -> list[Any]:
    """Writes the views into the parameters; returns what has to live until the kernel is in the stream.

    A derivative that nobody asked for is not read by the primal. In derivatives it is zero, and what is written there is
    forgotten.
    """
    arrays: dict[int, DeviceArray] = {}
    for argument in tensors:
        of = argument.derivative_of
        value = None if of is None else arrays[id(of)]
        if argument.tensor is not None:
            array = _checked(place, argument)
        elif is_derivative and value is not None:
            array = place.zeros(value.shape, value.dtype)
            place.keep(array)
        else:
            continue
        if is_derivative and value is not None and not _covers(array, value):
            raise ArgumentError(f"{argument.what} has the shape {tuple(array.shape)}, and the tensor {tuple(value.shape)}")
        arrays[id(argument)] = array
        _write(argument, array)
    return list(arrays.values())


def _covers(derivative: DeviceArray, value: DeviceArray) -> bool:
    """Whether each element of a tensor has a derivative."""
    return derivative.ndim == value.ndim and all(own >= of for own, of in zip(derivative.shape, value.shape))


def _checked(place: CudaPlace, argument: TensorArgument) -> DeviceArray:
    what, name = argument.what, argument.type["name"]
    device = device_of(argument.tensor)
    if device is None or not device.is_cuda:
        raise ArgumentError(f"{what} is {device}: a kernel takes tensors on a CUDA device")
    try:
        array = place.view(argument.tensor, what)
    except TypeError as error:
        raise ArgumentError(str(error)) from None
    assert isinstance(array, DeviceArray)
    pointee = _pointee(argument)
    if array.dtype != pointee.dtype and array.dtype != _signed(pointee.dtype):
        raise ArgumentError(f"{what} is `{name}`: a tensor of {pointee.dtype}, not of {array.dtype}")
    if not is_writable(argument.tensor, array):
        raise ArgumentError(f"{what} cannot be written: kernels may write to all of their tensors")
    if array.ndim > MOST_DIMENSIONS:
        raise ArgumentError(f"{what} has {array.ndim} dimensions: a tensor has at most {MOST_DIMENSIONS}")
    if any(stride == 0 and length > 1 for stride, length in zip(array.strides, array.shape)):
        raise ArgumentError(f"{what} is broadcast: its elements have to have places of their own (`tensor.contiguous()`)")
    if sum((length - 1) * stride for length, stride in zip(array.shape, array.strides)) >= MOST_BYTES:
        raise ArgumentError(f"{what} is larger than 4 GiB, which kernels cannot index")
    _check_vectors(argument, array, pointee)
    return array


def _check_vectors(argument: TensorArgument, array: DeviceArray, pointee: ElementType) -> None:
    """The components of a vector are the last dimension, and are read at once."""
    inner = len(pointee.shape)
    if not inner or array.size == 0:
        return
    of_components = DeviceArray(0, array.shape[-inner:], array.strides[-inner:], array.dtype, array.ordinal, None)
    if of_components.shape != pointee.shape or not of_components.is_contiguous:
        raise ArgumentError(
            f"{argument.what} is `{argument.type['name']}`: the last dimensions have to be {pointee.shape}, contiguous"
        )
    if any(place % pointee.alignment for place in (array.address, *array.strides[:-inner])):
        raise ArgumentError(f"{argument.what}: its vectors have to be at multiples of {pointee.alignment} bytes")


def _pointee(argument: TensorArgument) -> ElementType:
    document = argument.type["fields"][0]["type"]["valueType"]
    if not isinstance(document, dict) or document["kind"] == "struct":
        raise ArgumentError(f"{argument.what} is `{argument.type['name']}`: tensors of structs are not supported")
    return element_type(document)


def _signed(dtype: DType) -> DType:
    """PyTorch has long had but one unsigned integer: signed ones stand for the others."""
    return np.dtype(f"i{dtype.itemsize}") if dtype.kind == "u" and dtype.itemsize > 1 else dtype


def _write(argument: TensorArgument, array: DeviceArray) -> None:
    """The address of the first element, strides in bytes, sizes, number of dimensions."""
    values = [
        np.array([array.address], np.uint64),
        np.array(array.strides, np.uint32),
        np.array(array.shape, np.uint32),
        np.array([array.ndim], np.uint32),
    ]
    for field, words in zip(argument.type["fields"], values):
        offset = field["binding"]["offset"]
        argument.memory[offset : offset + words.nbytes] = words.view(np.uint8)

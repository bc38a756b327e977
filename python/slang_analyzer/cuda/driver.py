"""The CUDA driver: devices, their memory and streams, and functions of compiled code, by ``ctypes``."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any, Optional

from ..errors import CudaError, SlangError
from . import discovery

_Handle = c_void_p
_Address = c_uint64

#: What is called, with the types of what it takes. All return an error, of which 0 is none.
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "cuInit": (c_uint,),
    "cuDriverGetVersion": (POINTER(c_int),),
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDeviceGetAttribute": (POINTER(c_int), c_int, c_int),
    "cuDevicePrimaryCtxRetain": (POINTER(_Handle), c_int),
    "cuCtxGetCurrent": (POINTER(_Handle),),
    "cuCtxPushCurrent_v2": (_Handle,),
    "cuCtxPopCurrent_v2": (POINTER(_Handle),),
    "cuPointerGetAttribute": (c_void_p, c_int, _Address),
    "cuModuleLoadDataEx": (POINTER(_Handle), c_char_p, c_uint, POINTER(c_int), POINTER(c_void_p)),
    "cuModuleGetFunction": (POINTER(_Handle), _Handle, c_char_p),
    "cuLaunchKernel": (_Handle, *[c_uint] * 7, _Handle, POINTER(c_void_p), POINTER(c_void_p)),
    "cuMemAlloc_v2": (POINTER(_Address), c_size_t),
    "cuMemFree_v2": (_Address,),
    "cuMemcpyDtoH_v2": (c_void_p, _Address, c_size_t),
    "cuMemsetD8Async": (_Address, ctypes.c_ubyte, c_size_t, _Handle),
    "cuStreamSynchronize": (_Handle,),
    "cuGetErrorName": (c_int, POINTER(c_char_p)),
    "cuGetErrorString": (c_int, POINTER(c_char_p)),
}
_CAPABILITY_MAJOR, _CAPABILITY_MINOR = 75, 76
_POINTER_DEVICE = 9
_JIT_ERROR_LOG, _JIT_ERROR_LOG_SIZE = 5, 6
_LOG_BYTES = 8192


class Driver:
    """The functions of the driver. One that fails is a ``CudaError``."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._functions: dict[str, Any] = {}
        for name, types in _FUNCTIONS.items():
            function = getattr(library, name)
            function.argtypes, function.restype = types, c_int
            self._functions[name] = function
        self.call("cuInit", 0)

    def call(self, name: str, *arguments: Any) -> None:
        error = self._functions[name](*arguments)
        if error != 0:
            raise CudaError(name, *self.words(error))

    def words(self, error: int) -> tuple[str, str]:
        """The name of an error, and what the driver says of it."""
        said = []
        for function in ("cuGetErrorName", "cuGetErrorString"):
            text = c_char_p()
            self._functions[function](error, byref(text))
            said.append((text.value or b"").decode(errors="replace"))
        return said[0] or f"error {error}", said[1] or "the driver has no words for it"

    @functools.cached_property
    def version(self) -> tuple[int, int]:
        """The version of CUDA that it is made for."""
        number = c_int()
        self.call("cuDriverGetVersion", byref(number))
        return number.value // 1000, number.value % 1000 // 10


class Module:
    """Compiled code on a device."""

    def __init__(self, device: "Device", image: bytes) -> None:
        self._device, self._handle = device, _Handle()
        log = ctypes.create_string_buffer(_LOG_BYTES)
        options = (c_int * 2)(_JIT_ERROR_LOG, _JIT_ERROR_LOG_SIZE)
        values = (c_void_p * 2)(ctypes.cast(log, c_void_p), _LOG_BYTES)
        try:
            device.call("cuModuleLoadDataEx", byref(self._handle), image, 2, options, values)
        except CudaError as error:
            said = log.value.decode(errors="replace").strip()
            raise CudaError(error.function, error.name, f"{error.words}\n{said}" if said else error.words) from None

    def function(self, name: str) -> "KernelFunction":
        handle = _Handle()
        self._device.call("cuModuleGetFunction", byref(handle), self._handle, name.encode())
        return KernelFunction(self._device, handle, self)


class KernelFunction:
    """A kernel that can be launched."""

    def __init__(self, device: "Device", handle: _Handle, module: Module) -> None:
        self._device, self._handle, self._module = device, handle, module

    def launch(self, grid: tuple[int, ...], block: tuple[int, ...], values: Sequence[Any], stream: int) -> None:
        """Starts it in a stream. ``values`` are objects of ``ctypes`` that hold what the parameters are."""
        Launch(self, grid, block, values).start(stream)

    def start(self, launch: "Launch", stream: int) -> None:
        self._device.call("cuLaunchKernel", self._handle, *launch.sizes, 0, stream, launch.parameters, None)


class Launch:
    """What a kernel is launched with, once or several times."""

    def __init__(
        self, function: KernelFunction, grid: tuple[int, ...], block: tuple[int, ...], values: Sequence[Any]
    ) -> None:
        self._function, self._values = function, values
        # In three dimensions, of which the last ones may be left out.
        self.sizes = (*(*grid, 1, 1)[:3], *(*block, 1, 1)[:3])
        self.parameters = (c_void_p * len(values))(*map(ctypes.addressof, values))

    def start(self, stream: int) -> None:
        self._function.start(self, stream)


class Device:
    """One device, by its primary context: that of the runtime, which PyTorch, CuPy and JAX use."""

    def __init__(self, driver: Driver, ordinal: int) -> None:
        self.driver, self.ordinal = driver, ordinal
        handle = c_int()
        driver.call("cuDeviceGet", byref(handle), ordinal)
        self._context = _Handle()
        driver.call("cuDevicePrimaryCtxRetain", byref(self._context), handle)
        numbers = (c_int(), c_int())
        for number, attribute in zip(numbers, (_CAPABILITY_MAJOR, _CAPABILITY_MINOR)):
            driver.call("cuDeviceGetAttribute", byref(number), attribute, handle)
        #: Its compute capability.
        self.capability = (numbers[0].value, numbers[1].value)

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function of the driver that is about this device."""
        context = _Handle()
        self.driver.call("cuCtxGetCurrent", byref(context))
        if context.value == self._context.value:
            self.driver.call(name, *arguments)
            return
        self.driver.call("cuCtxPushCurrent_v2", self._context)
        try:
            self.driver.call(name, *arguments)
        finally:
            self.driver.call("cuCtxPopCurrent_v2", byref(context))

    def zero(self, address: int, size: int, stream: int) -> None:
        if size:
            self.call("cuMemsetD8Async", address, 0, size, stream)

    def wait(self, stream: int) -> None:
        """Until all work in a stream is done."""
        self.call("cuStreamSynchronize", stream)

    def read(self, address: int, size: int) -> bytes:
        """A copy in the memory of the CPU."""
        data = ctypes.create_string_buffer(max(size, 1))
        if size:
            self.call("cuMemcpyDtoH_v2", data, address, size)
        return data.raw[:size]


class Memory:
    """Memory of a device, freed with the object."""

    def __init__(self, device: Device, size: int) -> None:
        self._device, self.address, address = device, 0, _Address()
        # There is no memory of no bytes.
        device.call("cuMemAlloc_v2", byref(address), max(size, 1))
        self.address = int(address.value)

    def __del__(self) -> None:
        # When Python ends, the driver has freed all.
        if self.address and not sys.is_finalizing():
            self._device.call("cuMemFree_v2", self.address)


@functools.lru_cache(maxsize=None)
def driver() -> Driver:
    """The one of this machine."""
    reasons = []
    for name in discovery.driver_names():
        try:
            return Driver(ctypes.CDLL(name))
        except (OSError, AttributeError) as error:
            # Not there, or from before it had what is called.
            reasons.append(str(error))
    raise SlangError(f"the driver for NVIDIA devices is not there: {'; '.join(reasons)}")


@functools.lru_cache(maxsize=None)
def device(ordinal: int) -> Device:
    return Device(driver(), ordinal)


def ordinal_of_pointer(address: int) -> Optional[int]:
    """The device that an address of memory belongs to."""
    if not address:
        return None
    number = c_int()
    driver().call("cuPointerGetAttribute", byref(number), _POINTER_DEVICE, address)
    return number.value

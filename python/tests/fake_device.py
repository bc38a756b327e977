"""NVIDIA devices that are not there (fake_cuda.cpp), and a library of arrays in their memory."""

import ctypes
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np

from slang_analyzer.cuda import array_libraries, device_array, driver, dlpack, nvrtc, work

HERE = Path(__file__).parent


def build(folder):
    """The library that is the driver and NVRTC."""
    path = Path(folder, "libfake_cuda.so")
    script = shlex.join([sys.executable, str(HERE / "fake_nvrtc.py")])
    define = f'-DFAKE_NVRTC="{script}"'
    subprocess.run(
        ["g++", "-std=c++17", "-O1", "-shared", "-fPIC", define, str(HERE / "fake_cuda.cpp"), "-o", str(path), "-ldl"],
        check=True,
    )
    return path


class Devices:
    """The devices are there as long as ``with`` is."""

    CACHES = (driver.driver, driver.device, nvrtc.find, work.work, array_libraries.library)

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory()
        path = str(build(self._folder.name))
        variables = {"SLANG_ANALYZER_LIBCUDA": path, "SLANG_ANALYZER_NVRTC": path}
        variables["SLANG_ANALYZER_CACHE"] = os.environ.get("SLANG_ANALYZER_CACHE", self._folder.name)
        self._patch = mock.patch.dict(os.environ, variables)
        self._patch.start()
        self._forget()
        self.library = ctypes.CDLL(path)
        self.library.fake_launches.restype = ctypes.c_char_p
        self.library.fake_allocated.restype = self.library.fake_depth.restype = ctypes.c_size_t
        self.library.fake_limit.argtypes = (ctypes.c_size_t,)
        return self

    def __exit__(self, *_):
        self._patch.stop()
        self._forget()
        self._folder.cleanup()

    def _forget(self):
        for cache in self.CACHES:
            cache.cache_clear()

    def launches(self):
        """What was launched since the last time."""
        lines = self.library.fake_launches().decode().splitlines()
        self.library.fake_forget_launches()
        return lines


class Array:
    """An array in the memory of a device, that speaks DLPack and nothing else."""

    def __init__(self, memory, shape, strides, dtype, ordinal=0, offset=0):
        self.memory, self.shape, self.strides, self.dtype = memory, shape, strides, np.dtype(dtype)
        self.ordinal, self.offset = ordinal, offset
        self.streams = []

    def _of(self, view):
        """The array of numpy that is a view of this one."""
        offset = view.ctypes.data - self.memory.address
        return type(self)(self.memory, view.shape, view.strides, self.dtype, self.ordinal, offset)

    def _view(self):
        start = self.memory.address + self.offset
        last = sum((length - 1) * stride for length, stride in zip(self.shape, self.strides)) + self.dtype.itemsize
        data = (ctypes.c_char * (0 if 0 in self.shape else last)).from_address(start)
        return np.ndarray(self.shape, self.dtype, data, strides=self.strides)

    def __getitem__(self, index):
        return self._of(self._view()[index])

    def reshape(self, *shape):
        return self._of(self._view().reshape(shape))

    def transpose(self, axes):
        return self._of(self._view().transpose(axes))

    def __dlpack_device__(self):
        return (dlpack.CUDA, self.ordinal)

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        strides = tuple(stride // self.dtype.itemsize for stride in self.strides)
        return dlpack.capsule(self.memory.address + self.offset, self.shape, strides, self.dtype, self.ordinal, self.memory)


class InterfaceArray(Array):
    """One that has CUDA's array interface and nothing else."""

    __dlpack__ = __dlpack_device__ = property()

    @property
    def __cuda_array_interface__(self):
        address = self.memory.address + self.offset
        return {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.dtype.str,
            "data": (address, False),
            "version": 3,
        }


def to_device(array, ordinal=0, kind=Array):
    """A copy of an array of numpy."""
    array = np.array(array, order="C")
    memory = driver.Memory(driver.device(ordinal), array.nbytes)
    ctypes.memmove(memory.address, array.ctypes.data, array.nbytes)
    return kind(memory, array.shape, array.strides, array.dtype, ordinal)


def to_numpy(array):
    """A copy of what is in the memory of a device."""
    if isinstance(array, dict):
        return {name: to_numpy(field) for name, field in array.items()}
    if not isinstance(array, Array):
        array = Array(array, array.shape, array.strides, array.dtype, array.ordinal)
    return array._view().copy()


def from_dlpack(array):
    """As libraries have it: takes the memory."""
    taken = device_array.of_dlpack(array, 0)
    return Array(taken, taken.shape, taken.strides, taken.dtype, taken.ordinal)

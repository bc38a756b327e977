"""NVRTC: from CUDA to code for a device, without nvcc."""

from __future__ import annotations

import ctypes
import functools
import os
import shlex
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_void_p
from pathlib import Path
from typing import Any, Iterator, Optional

from .. import cache
from ..errors import SlangError
from . import discovery

_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "nvrtcVersion": (POINTER(c_int), POINTER(c_int)),
    "nvrtcGetNumSupportedArchs": (POINTER(c_int),),
    "nvrtcGetSupportedArchs": (POINTER(c_int),),
    "nvrtcCreateProgram": (POINTER(c_void_p), c_char_p, c_char_p, c_int, POINTER(c_char_p), POINTER(c_char_p)),
    "nvrtcCompileProgram": (c_void_p, c_int, POINTER(c_char_p)),
    "nvrtcDestroyProgram": (POINTER(c_void_p),),
    "nvrtcGetProgramLogSize": (c_void_p, POINTER(c_size_t)),
    "nvrtcGetProgramLog": (c_void_p, c_char_p),
    "nvrtcGetCUBINSize": (c_void_p, POINTER(c_size_t)),
    "nvrtcGetCUBIN": (c_void_p, c_char_p),
    "nvrtcGetPTXSize": (c_void_p, POINTER(c_size_t)),
    "nvrtcGetPTX": (c_void_p, c_char_p),
}
# Warnings about generated code help nobody.
_FLAGS = ["--std=c++17", "--disable-warnings"]


class Nvrtc:
    """A library that compiles."""

    def __init__(self, path: str) -> None:
        # What it compiles with lies beside the library itself.
        library = ctypes.CDLL(os.path.realpath(path) if os.path.isfile(path) else path)
        self.path, self._words = path, library.nvrtcGetErrorString
        self._words.argtypes, self._words.restype = (c_int,), c_char_p
        self._functions: dict[str, Any] = {}
        for name, types in _FUNCTIONS.items():
            function = getattr(library, name)
            function.argtypes, function.restype = types, c_int
            self._functions[name] = function
        major, minor = c_int(), c_int()
        self._call("nvrtcVersion", byref(major), byref(minor))
        self.version = (major.value, minor.value)

    def _call(self, name: str, *arguments: Any) -> None:
        error = self._functions[name](*arguments)
        if error != 0:
            raise SlangError(f"{name} of {self.path} failed: {(self._words(error) or b'').decode(errors='replace')}")

    @functools.cached_property
    def architectures(self) -> list[int]:
        """What it has code for: 75, 80, …"""
        number = c_int()
        self._call("nvrtcGetNumSupportedArchs", byref(number))
        found = (c_int * number.value)()
        self._call("nvrtcGetSupportedArchs", found)
        return sorted(found)

    def architecture(self, capability: tuple[int, int]) -> str:
        """The code of a device itself; the newest that the driver can translate for a device that is newer than the library."""
        wanted = capability[0] * 10 + capability[1]
        if wanted in self.architectures:
            return f"sm_{wanted}"
        older = [known for known in self.architectures if known < wanted]
        if not older:
            said = f"{self.version[0]}.{self.version[1]}"
            raise SlangError(f"NVRTC {said} ({self.path}) has no code for devices of compute capability {capability}")
        return f"compute_{older[-1]}"

    def compile(self, code: str, architecture: str, flags: list[str]) -> bytes:
        program = c_void_p()
        self._call("nvrtcCreateProgram", byref(program), code.encode(), b"kernel.cu", 0, None, None)
        try:
            words = [word.encode() for word in (f"--gpu-architecture={architecture}", *flags)]
            error = self._functions["nvrtcCompileProgram"](program, len(words), (c_char_p * len(words))(*words))
            if error != 0:
                log = self._text(program, "nvrtcGetProgramLog").rstrip(b"\0").decode(errors="replace").strip()
                said = (self._words(error) or b"").decode(errors="replace")
                raise SlangError(f"NVRTC ({self.path}) refused the code for {architecture}: {said}\n{log}")
            return self._text(program, "nvrtcGetPTX" if architecture.startswith("compute_") else "nvrtcGetCUBIN")
        finally:
            self._call("nvrtcDestroyProgram", byref(program))

    def _text(self, program: c_void_p, name: str) -> bytes:
        size = c_size_t()
        self._call(f"{name}Size", program, byref(size))
        text = ctypes.create_string_buffer(size.value)
        self._call(name, program, text)
        return text.raw


def image(code: str, capability: tuple[int, int], driver_version: tuple[int, int], options: Sequence[str] = ()) -> bytes:
    """Code for a device, compiled if no process has compiled it before. ``options`` are further ones for NVRTC."""
    nvrtc = find(driver_version[0])
    architecture = nvrtc.architecture(capability)
    flags = [*_FLAGS, *options, *shlex.split(os.environ.get("SLANG_ANALYZER_NVRTCFLAGS", ""))]
    parts = ["cuda", code, architecture, f"{nvrtc.version}", *flags]
    suffix = ".ptx" if architecture.startswith("compute_") else ".cubin"

    def build(path: Path) -> None:
        path.write_bytes(nvrtc.compile(code, architecture, flags))

    return cache.built(parts, suffix, build).read_bytes()


@functools.lru_cache(maxsize=None)
def find(newest: Optional[int] = None) -> Nvrtc:
    """The first that is there and whose code the driver takes: not of a newer major version."""
    refused = []
    for nvrtc in _all():
        if newest is None or nvrtc.version[0] <= newest:
            return nvrtc
        refused.append(f"{nvrtc.path} is of CUDA {nvrtc.version[0]}.{nvrtc.version[1]}, and the driver of CUDA {newest}")
    if refused:
        raise SlangError(f"there is no NVRTC for this driver: {'; '.join(refused)}")
    raise SlangError(
        "there is no NVRTC, which compiles CUDA: install the wheel `nvidia-cuda-nvrtc` (`nvidia-cuda-nvrtc-cu12` for CUDA 12)"
        " or a toolkit (CUDA_HOME), or say where it is in the environment variable SLANG_ANALYZER_NVRTC"
    )


def _all() -> Iterator[Nvrtc]:
    for name in discovery.nvrtc_names():
        try:
            yield Nvrtc(name)
        except (OSError, AttributeError):
            # Not there, not a library, or one from before it made code for devices.
            continue

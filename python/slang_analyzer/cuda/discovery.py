"""Where the shared libraries of CUDA are: the driver's, and NVRTC, which compiles."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

_IS_WINDOWS = sys.platform == "win32"


def driver_names() -> Iterator[str]:
    """Names and paths for the loader, the best first."""
    named = os.environ.get("SLANG_ANALYZER_LIBCUDA")
    if named:
        yield named
    elif _IS_WINDOWS:
        yield "nvcuda.dll"
    else:
        yield "libcuda.so.1"
        # Where the Windows Subsystem for Linux has it.
        yield "/usr/lib/wsl/lib/libcuda.so.1"


def nvrtc_names() -> Iterator[str]:
    """``$SLANG_ANALYZER_NVRTC``, else NVIDIA's wheels, a toolkit, what the loader finds, and what PyTorch and CuPy bring."""
    named = os.environ.get("SLANG_ANALYZER_NVRTC")
    if named:
        yield named
        return
    # `nvidia/cuda_nvrtc` until CUDA 12, `nvidia/cu13` since.
    for folder in _package_folders("nvidia"):
        yield from _libraries_in(folder, "cu*/lib", "cu*/bin", "cu*/bin/x86_64")
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        root = os.environ.get(variable)
        if root:
            yield from _libraries_in(Path(root), *_TOOLKIT)
    yield from _LOADED
    if not _IS_WINDOWS:
        for root in ("/usr/local/cuda", *sorted(glob.glob("/usr/local/cuda-*"), reverse=True)):
            yield from _libraries_in(Path(root), *_TOOLKIT)
    for package in ("torch", "cupy"):
        for folder in _package_folders(package):
            yield from _libraries_in(folder, "lib", ".data/lib")


_TOOLKIT = ("lib64", "targets/*/lib", "lib", "bin", "bin/x64")
_LOADED = (
    ("nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll")
    if _IS_WINDOWS
    else ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so")
)


def _package_folders(name: str) -> list[Path]:
    """Without importing it."""
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return []
    return [Path(place) for place in (spec.submodule_search_locations or [])] if spec is not None else []


def _libraries_in(root: Path, *folders: str) -> Iterator[str]:
    """The NVRTC of each folder, the newest first; beside it lies what it compiles with (`nvrtc-builtins`)."""
    pattern = "nvrtc64_*.dll" if _IS_WINDOWS else "libnvrtc*.so*"
    for folder in folders:
        found = [path for path in glob.glob(str(root / folder / pattern)) if _is_nvrtc(os.path.basename(path))]
        yield from sorted(found, key=_version_in, reverse=True)


def _is_nvrtc(name: str) -> bool:
    # Not `nvrtc-builtins`, and not the variant `.alt`.
    return re.fullmatch(r"(libnvrtc(-[0-9a-f]+)?\.so(\.[0-9.]+)?|nvrtc64_[0-9_]+\.dll)", name) is not None


def _version_in(path: str) -> list[int]:
    return [int(number) for number in re.findall(r"[0-9]+", os.path.basename(path).split("nvrtc", 1)[1])]


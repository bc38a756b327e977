"""Shared libraries from C++ text, with the system's compiler. They are kept in the user's cache, by a hash of all that they
are made of."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .errors import SlangError


@functools.lru_cache(maxsize=None)
def library(code: str) -> ctypes.CDLL:
    """The library for a text, built if no process has built it before."""
    compiler = find_compiler()
    flags = [*_FLAGS, *shlex.split(os.environ.get("SLANG_ANALYZER_CXXFLAGS", ""))]
    parts = [code, *compiler, _version(tuple(compiler)), *flags, sys.platform, platform.machine()]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    folder = cache_folder()
    path = folder / f"{key}{_SUFFIX}"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        _build(code, [*compiler, *flags], path)
    return ctypes.CDLL(str(path))


def find_compiler() -> list[str]:
    """``$CXX``, else the first that is there."""
    named = os.environ.get("CXX")
    if named:
        words = shlex.split(named)
        if shutil.which(words[0]) is None:
            raise SlangError(f"the C++ compiler that CXX names is not there: {named}")
        if Path(words[0]).stem.lower() == "cl":
            raise SlangError("MSVC (cl) is not supported: let CXX name clang++ or g++")
        return words
    for name in ("c++", "g++", "clang++"):
        if shutil.which(name) is not None:
            return [name]
    hint = " (MSVC is not supported: install clang++ or g++)" if os.name == "nt" else ""
    raise SlangError(f"there is no C++ compiler: install g++ or clang++, or let CXX name one{hint}")


def cache_folder() -> Path:
    """``$SLANG_ANALYZER_CACHE``, else a folder where the system keeps caches of the user."""
    named = os.environ.get("SLANG_ANALYZER_CACHE")
    if named:
        return Path(named)
    if sys.platform == "win32":
        root = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        root = str(Path.home() / "Library" / "Caches")
    else:
        root = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(root) / "slang-analyzer" / "kernels"


_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
# Warnings about generated code help nobody.
_FLAGS = ["-std=c++17", "-O2", "-shared", "-w", *([] if sys.platform == "win32" else ["-fPIC"])]


@functools.lru_cache(maxsize=None)
def _version(compiler: tuple[str, ...]) -> str:
    done = subprocess.run([*compiler, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stdout


def _build(code: str, command: list[str], path: Path) -> None:
    # In the folder of the cache, so that it can be moved there in one step: another process sees all of it or nothing, and
    # that two of them build the same is no harm.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="build-") as folder:
        source, built = Path(folder, "kernel.cpp"), Path(folder, f"kernel{_SUFFIX}")
        source.write_text(code, encoding="utf-8")
        done = subprocess.run(
            [*command, str(source), "-o", str(built)], capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        if done.returncode != 0:
            raise SlangError(f"`{shlex.join(command)}` failed:\n{done.stderr.strip()}")
        try:
            os.replace(built, path)
        except OSError:
            # Windows: another process built it in the meantime and uses it.
            if not path.is_file():
                raise

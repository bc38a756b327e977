"""Shared libraries from C++ text, with the system's compiler."""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from .. import cache
from ..errors import SlangError


@functools.lru_cache(maxsize=None)
def library(code: str) -> ctypes.CDLL:
    """The library for a text, built if no process has built it before."""
    compiler = find_compiler()
    flags = [*_FLAGS, *shlex.split(os.environ.get("SLANG_ANALYZER_CXXFLAGS", ""))]
    parts = [code, *compiler, _version(tuple(compiler)), *flags, sys.platform, platform.machine()]
    return ctypes.CDLL(str(cache.built(parts, _SUFFIX, lambda path: _build(code, [*compiler, *flags], path))))


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


_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
# Warnings about generated code help nobody.
_FLAGS = ["-std=c++17", "-O2", "-shared", "-w", *([] if sys.platform == "win32" else ["-fPIC"])]


@functools.lru_cache(maxsize=None)
def _version(compiler: tuple[str, ...]) -> str:
    done = subprocess.run([*compiler, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stdout


def _build(code: str, command: list[str], path: Path) -> None:
    source = path.with_suffix(".cpp")
    source.write_text(code, encoding="utf-8")
    done = subprocess.run([*command, str(source), "-o", str(path)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SlangError(f"`{shlex.join(command)}` failed:\n{done.stderr.strip()}")

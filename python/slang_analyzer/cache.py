"""Compiled code in the user's cache, by a hash of all that it is made of."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Callable, Sequence


def folder() -> Path:
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


def built(parts: Sequence[str], suffix: str, build: Callable[[Path], None]) -> Path:
    """The file that is made of the parts; ``build`` writes it if no process has done so before."""
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    path = folder() / f"{key}{suffix}"
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    # In the folder of the cache, so that it can be moved there in one step: another process sees all of it or nothing, and
    # that two of them build the same is no harm.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="build-") as temporary:
        made = Path(temporary, f"kernel{suffix}")
        build(made)
        try:
            os.replace(made, path)
        except OSError:
            # Windows: another process built it in the meantime and uses it.
            if not path.is_file():
                raise
    return path

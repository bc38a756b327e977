"""The ``slang-analyzer`` program: where it is, and what it says about a kernel."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping, Sequence

from .errors import SlangError, findings_in


def binary() -> str:
    """``$SLANG_ANALYZER``, else the one in this package, else the one on the path."""
    named = os.environ.get("SLANG_ANALYZER")
    if named:
        if not os.path.isfile(named):
            raise SlangError(f"SLANG_ANALYZER is {named}, and there is no such file")
        return named
    name = "slang-analyzer.exe" if os.name == "nt" else "slang-analyzer"
    packaged = Path(__file__).parent / "bin" / name
    if packaged.is_file():
        return str(packaged)
    found = shutil.which(name)
    if found is None:
        raise SlangError(
            "there is no slang-analyzer: put it on the path, or say where it is in the environment variable SLANG_ANALYZER"
        )
    return found


@dataclass(frozen=True)
class Source:
    """A file, and what its text means."""

    path: str
    include: Sequence[str] = ()
    defines: Mapping[str, str] = field(default_factory=dict)

    def arguments(self) -> list[str]:
        roots = [word for folder in self.include for word in ("-I", folder)]
        macros = [word for name, value in self.defines.items() for word in ("-D", f"{name}={value}")]
        return [*roots, *macros]


@dataclass(frozen=True)
class Emitted:
    """Code, and the document that says how to call it."""

    code: str
    reflection: dict[str, Any]


def emit_kernel(source: Source, function: str, target: str, with_primal: bool) -> Emitted:
    """The kernel of a function or a derivative, as C++ (``cpp``) or CUDA (``cuda``)."""
    words = ["--kernel", function, *(["--with-primal"] if with_primal else [])]
    return emit(source, target, words, f"`{function}` of {source.path}")


def emit(source: Source, target: str, words: Sequence[str], what: str) -> Emitted:
    """Code for a target; ``words`` say what of the file."""
    with tempfile.TemporaryDirectory(prefix="slang-analyzer-") as folder:
        code, reflection = Path(folder, f"kernel.{target}"), Path(folder, "kernel.json")
        written = ["-o", str(code), "--reflection", str(reflection), "--format", "json"]
        run(["emit", source.path, "--target", target, *words, *written, *source.arguments()], what)
        return Emitted(code.read_text(encoding="utf-8"), json.loads(reflection.read_text(encoding="utf-8")))


def run(words: Sequence[str], what: str) -> None:
    """Runs the analyzer; what it finds wrong is an exception."""
    done = subprocess.run([binary(), *words], capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        # `check` has them as its output, the others beside theirs.
        found = findings_in(done.stdout + done.stderr)
        findings = [finding for finding in found if finding.severity == "error"]
        rest = "" if findings else f": {done.stderr.strip() or f'exit status {done.returncode}'}"
        raise SlangError(f"{what} cannot be compiled{rest}", findings)

"""What is wrong with a program, as an exception."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Sequence


@dataclass(frozen=True)
class Finding:
    """A diagnostic of the analyzer. Lines and columns count from 1."""

    code: str
    severity: str
    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    #: All that the analyzer says of it, as it says it: help, related places.
    details: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}:{self.column}: " if self.path else ""
        code = f"[{self.code}]" if self.code else ""
        lines = [f"{place}{self.severity}{code}: {self.message}"]
        for key in ("help", "notes"):
            said = self.details.get(key)
            lines += [f"  {key}: {text}" for text in ([said] if isinstance(said, str) else said or [])]
        return "\n".join(lines)


class SlangError(RuntimeError):
    """The analyzer or the compiler of the code that it writes refused a program. ``findings`` says why."""

    def __init__(self, message: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__("\n".join([message, *map(str, findings)]))
        self.findings = tuple(findings)


class CudaError(RuntimeError):
    """A function of the CUDA driver failed: its name, and what the driver says of it."""

    def __init__(self, function: str, name: str, words: str) -> None:
        super().__init__(f"{function} failed: {name}: {words}")
        self.function, self.name, self.words = function, name, words


def findings_in(text: str) -> list[Finding]:
    """The findings in what the analyzer writes with ``--format json``, an object in each line."""
    findings = []
    for line in text.splitlines():
        document = _object(line)
        if document is not None:
            known = {name: document[name] for name in _FIELDS if name in document}
            findings.append(Finding(**{**_UNKNOWN, **known}, details=document))
        elif line.startswith("error: "):
            findings.append(Finding(code="", severity="error", message=line[len("error: ") :]))
    return findings


_FIELDS = ("code", "severity", "message", "path", "line", "column", "end_line", "end_column")
_UNKNOWN = {"code": "", "severity": "error", "message": ""}


def _object(line: str) -> Optional[dict[str, Any]]:
    try:
        document = json.loads(line)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None

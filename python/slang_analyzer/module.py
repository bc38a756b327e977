"""Files and their functions, as Python calls them."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from .analyzer import Source, run
from .call import Call, Results, Values
from .kernel import Kernel
from .places import Place, place_of
from .signature import Slot


def load(
    path: Union[str, "os.PathLike[str]"],
    *,
    include: Sequence[Union[str, "os.PathLike[str]"]] = (),
    defines: Optional[Mapping[str, Any]] = None,
) -> "Module":
    """A Slang file, checked. Its functions are compiled when they are first called.

    ``include`` are folders to look for modules and headers in, ``defines`` macros for the preprocessor.
    """
    macros = {name: str(value) for name, value in (defines or {}).items()}
    source = Source(os.fspath(path), [os.fspath(folder) for folder in include], macros)
    if not os.path.isfile(source.path):
        raise FileNotFoundError(source.path)
    run(["check", source.path, "--format", "json", *source.arguments()], source.path)
    return Module(source)


class Module:
    """The functions of a file: ``module["Mlp<16>.eval"]``, ``module["g(float2)"]``, or ``module.f``."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._functions: dict[str, Function] = {}

    def __getitem__(self, name: str) -> "Function":
        if name not in self._functions:
            self._functions[name] = Function(self._source, name)
        return self._functions[name]

    def __getattr__(self, name: str) -> "Function":
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __repr__(self) -> str:
        return f"<module of {self._source.path}>"


class Function:
    """A function over arrays. The last dimensions of an array are those of an element; the others are broadcast.

    What the function returns comes first among the results, then its ``inout`` and ``out`` parameters. One result is returned
    by itself, several as a named tuple.
    """

    def __init__(self, source: Source, name: str) -> None:
        self._source, self._name = source, name
        self._kernels: dict[tuple[str, str], Kernel] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<function {self._name} of {self._source.path}>"

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The results. ``out`` takes them: an array, or for several a dictionary of arrays."""
        place = place_of((*args, *kwargs.values(), out))
        call = Call(place, self._kernel("primal", place), args, kwargs)
        if out is None and call.wants_gradients():
            from . import _torch

            return _torch.apply(self, call.by_name, call.shared)
        return call.collected("Results", call.signature.results, call.run(out=out))

    def fwd(self, primals: Values, tangents: Values, **shared: Any) -> tuple[Any, Any]:
        """The results and their tangents, for tangents of the parameters. Those that are not given are zero."""
        args, kwargs = _as_arguments(primals)
        place = place_of((*args, *kwargs.values(), *_as_values(tangents), *shared.values()))
        call = Call(place, self._kernel("forward", place), args, {**kwargs, **shared})
        call.add_derivatives(tangents, call.signature.taken_tangents, "tangent")
        results = call.run()
        primal = call.collected("Results", call.signature.results, results)
        return primal, call.collected("Tangents", call.signature.given_tangents, results)

    def bwd(self, primals: Values, cotangents: Any, *, with_primal: bool = False, **shared: Any) -> Any:
        """The gradients of the parameters, for cotangents of the results: of one result by itself, of several in their order
        or by name; those that are not given are zero. ``with_primal`` gives the results, too, from the same run."""
        call, results = self._backward("both" if with_primal else "backward", primals, cotangents, shared)
        gradients = call.collected("Gradients", call.signature.gradients, results)
        return (call.collected("Results", call.signature.results, results), gradients) if with_primal else gradients

    def gradients(self, primals: Values, cotangents: Any, **shared: Any) -> dict[str, Any]:
        """What ``bwd`` returns, by the names of the parameters."""
        call, results = self._backward("backward", primals, cotangents, shared)
        slots = call.signature.gradients
        return dict(zip((slot.of for slot in slots), call.in_library(slots, results)))

    def _backward(self, mode: str, primals: Values, cotangents: Any, shared: Mapping[str, Any]) -> tuple[Call, Results]:
        args, kwargs = _as_arguments(primals)
        place = place_of((*args, *kwargs.values(), *_as_values(cotangents), *shared.values()))
        call = Call(place, self._kernel(mode, place), args, {**kwargs, **shared})
        taken = call.signature.taken_cotangents
        if len(taken) == 1 and not _is_collection(cotangents, taken[0]):
            cotangents = (cotangents,)
        call.add_derivatives(cotangents, taken, "cotangent")
        return call, call.run(summed=call.signature.gradients)

    def _kernel(self, mode: str, place: Place) -> Kernel:
        with self._lock:
            key = (mode, place.target)
            if key not in self._kernels:
                wrapped = {"primal": "{}", "forward": "fwd_diff({})"}.get(mode, "bwd_diff({})").format(self._name)
                self._kernels[key] = Kernel(self._source, wrapped, place.target, with_primal=mode == "both")
            return self._kernels[key]


def _as_arguments(primals: Values) -> tuple[Sequence[Any], Mapping[str, Any]]:
    if isinstance(primals, Mapping):
        return (), primals
    return (primals, {}) if isinstance(primals, (tuple, list)) else ((primals,), {})


def _as_values(derivatives: Any) -> Sequence[Any]:
    """The arrays among tangents or cotangents."""
    return derivatives if isinstance(derivatives, (tuple, list)) else (derivatives,)


def _is_collection(cotangents: Any, only: Slot) -> bool:
    """Whether what stands for the cotangents is several of them, and not the one."""
    if isinstance(cotangents, Mapping):
        return not only.element.is_struct or set(cotangents) <= {only.of}
    return isinstance(cotangents, tuple)

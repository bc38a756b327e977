"""Files and their functions, as Python calls them."""

from __future__ import annotations

import os
import sys
import threading
from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import arrays, kernel
from .analyzer import Source, run
from .kernel import Kernel, Run, Slot
from .layout import Array

#: Values for parameters: in their order, or by name.
Values = Union[Sequence[Any], Mapping[str, Any]]


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
        self._kernels: dict[str, Kernel] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<function {self._name} of {self._source.path}>"

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The results. ``out`` takes them: an array, or for several a dictionary of arrays."""
        of = self._kernel("primal")
        call = _Call(self, of, args, kwargs)
        if out is None and call.wants_gradients():
            from . import _torch

            return _torch.apply(self, call.by_name, call.shared)
        return _collected("Results", _primal_results(of), call.run(out=out), call.library)

    def fwd(self, primals: Values, tangents: Values, **shared: Any) -> tuple[Any, Any]:
        """The results and their tangents, for tangents of the parameters. Those that are not given are zero."""
        of = self._kernel("forward")
        args, kwargs = _as_arguments(primals)
        call = _Call(self, of, args, {**kwargs, **shared})
        call.add_derivatives(tangents, [slot for slot in of.slots if slot.part == "tangent" and slot.is_read], "tangent")
        results = call.run()
        of_results = [slot for slot in of.slots if slot.part == "tangent" and slot.is_written]
        primal = _collected("Results", _primal_results(of), results, call.library)
        return primal, _collected("Tangents", _result_first(of_results), results, call.library)

    def bwd(self, primals: Values, cotangents: Any, *, with_primal: bool = False, **shared: Any) -> Any:
        """The gradients of the parameters, for cotangents of the results: of one result by itself, of several in their order
        or by name; those that are not given are zero. ``with_primal`` gives the results, too, from the same run."""
        of = self._kernel("both" if with_primal else "backward")
        args, kwargs = _as_arguments(primals)
        call = _Call(self, of, args, {**kwargs, **shared})
        taken = _result_first([slot for slot in of.slots if slot.part == "cotangent" and slot.is_read])
        if len(taken) == 1 and not _is_collection(cotangents, taken[0]):
            cotangents = (cotangents,)
        call.add_derivatives(cotangents, taken, "cotangent")
        given = [slot for slot in of.slots if slot.part == "cotangent" and slot.is_written]
        results = call.run(summed=given)
        gradients = _collected("Gradients", given, results, call.library)
        if not with_primal:
            return gradients
        return _collected("Results", _primal_results(of), results, call.library), gradients

    def gradients_by_name(self, gradients: Any) -> dict[str, Any]:
        """What ``bwd`` returned, by the names of parameters."""
        names = [slot.of for slot in self._kernel("backward").slots if slot.part == "cotangent" and slot.is_written]
        return dict(zip(names, (gradients,) if len(names) == 1 else gradients))

    def _kernel(self, mode: str) -> Kernel:
        with self._lock:
            if mode not in self._kernels:
                wrapped = {"primal": "{}", "forward": "fwd_diff({})"}.get(mode, "bwd_diff({})").format(self._name)
                self._kernels[mode] = Kernel(self._source, wrapped, with_primal=mode == "both")
            return self._kernels[mode]


class _Call:
    """The arguments of one call."""

    def __init__(self, function: Function, of: Kernel, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self._function, self._kernel = function, of
        elements = {slot.of: slot for slot in of.slots if slot.part == "value" and slot.is_read}
        own = {parameter.name for parameter in of.shared if parameter.is_own}
        names = _own_order(of, elements, own)
        if len(args) > len(names):
            raise TypeError(f"`{of.function}` takes {len(names)} arguments ({', '.join(names)}), not {len(args)}")
        #: What was given for the parameters of the function and of the file.
        self.by_name: dict[str, Any] = dict(zip(names, args))
        self.shared: dict[str, Any] = {}
        for name, value in kwargs.items():
            if name in self.by_name:
                raise TypeError(f"there are two arguments for `{name}` of `{of.function}`")
            if name in elements or name in own:
                self.by_name[name] = value
            else:
                self.shared[name] = value
        missing = [name for name in names if name not in self.by_name]
        if missing:
            raise TypeError(f"there is no argument for `{missing[0]}` of `{of.function}`")
        self._own: dict[str, tuple[int, ...]] = {}
        self._inputs: dict[str, Array] = {}
        self.library: Optional[str] = None
        for name, slot in elements.items():
            self._add(slot, self.by_name[name], f"`{name}` of `{of.function}`")
        self._passed = {name: self.by_name[name] for name in own} | self.shared

    def _add(self, slot: Slot, value: Any, what: str) -> None:
        argument = arrays.element_argument(value, slot.element, what)
        self._inputs[slot.name] = argument.array
        self._own[slot.name] = argument.array.shape[: argument.array.ndim - len(slot.element.shape)]
        self.library = self.library or argument.library

    def add_derivatives(self, given: Any, slots: Sequence[Slot], part: str) -> None:
        function = self._kernel.function
        names = [slot.of for slot in slots]
        if not isinstance(given, Mapping):
            values = list(given) if isinstance(given, (tuple, list)) else [given]
            if len(values) > len(names):
                raise TypeError(f"`{function}` takes {len(names)} {part}s ({', '.join(names)}), not {len(values)}")
            given = dict(zip(names, values))
        unknown = [name for name in given if name not in names]
        if unknown:
            raise TypeError(f"`{unknown[0]}` of `{function}` has no {part}; these have: {', '.join(names) or 'none'}")
        for slot in slots:
            value = given.get(slot.of)
            if value is None:
                value = np.zeros(slot.element.shape, slot.element.dtype)
            self._add(slot, value, f"the {part} of `{slot.of}` of `{function}`")

    def run(self, out: Any = None, summed: Sequence[Slot] = ()) -> dict[str, Array]:
        try:
            lead = np.broadcast_shapes(*self._own.values())
        except ValueError:
            shapes = ", ".join(f"`{name}` {shape}" for name, shape in self._own.items())
            raise ValueError(f"the leading dimensions do not go together: {shapes}") from None
        outputs = {} if out is None else self._outputs(out, lead)
        # A gradient of what is the same for all elements is summed as it is made, of what is broadcast otherwise afterwards.
        at_once: dict[str, tuple[int, ...]] = {}
        afterwards: dict[str, tuple[int, ...]] = {}
        values = {slot.of: slot for slot in self._kernel.slots if slot.part == "value" and slot.is_read}
        for slot in summed:
            own = self._own[values[slot.of].name]
            if own == lead:
                continue
            whole = all(length == 1 for length in own) and not slot.is_read
            (at_once if whole else afterwards)[slot.name] = own
        results = self._kernel.run(Run(lead, self._inputs, outputs, self._passed, at_once))
        for slot in summed:
            if slot.name in afterwards:
                results[slot.name] = kernel.sum_to(results[slot.name], afterwards[slot.name], slot.element)
        return results

    def _outputs(self, out: Any, lead: tuple[int, ...]) -> dict[str, Array]:
        slots = {slot.of: slot for slot in _primal_results(self._kernel)}
        if not isinstance(out, Mapping):
            if len(slots) != 1:
                raise TypeError(f"`{self._kernel.function}` has several results: `out` is a dictionary of {list(slots)}")
            out = {next(iter(slots)): out}
        outputs = {}
        for name, array in out.items():
            if name not in slots:
                raise TypeError(f"`{self._kernel.function}` has no result `{name}`")
            what = f"`{name}` in `out`"
            view = arrays.writable_view(array, slots[name].element.dtype, what)
            shape = lead + slots[name].element.shape
            if view.shape != shape:
                raise ValueError(f"{what} has the shape {view.shape} and not {shape}")
            outputs[slots[name].name] = view
        return outputs

    def wants_gradients(self) -> bool:
        """Whether PyTorch is there and records what is done with one of the arguments."""
        torch = sys.modules.get("torch")
        if torch is None or not torch.is_grad_enabled():
            return False
        return any(isinstance(value, torch.Tensor) and value.requires_grad for value in _leaves(self.by_name))


def _leaves(values: Any) -> list[Any]:
    if isinstance(values, Mapping):
        return [leaf for value in values.values() for leaf in _leaves(value)]
    return [values]


def _own_order(of: Kernel, elements: Mapping[str, Slot], own: set[str]) -> list[str]:
    """The parameters of the function that take arguments, in their order."""
    return [name for name in of.order if name in elements or name in own]


def _primal_results(of: Kernel) -> list[Slot]:
    return _result_first([slot for slot in of.slots if slot.part == "value" and slot.is_written])


def _result_first(slots: Sequence[Slot]) -> list[Slot]:
    return sorted(slots, key=lambda slot: slot.of != "result")


def _as_arguments(primals: Values) -> tuple[Sequence[Any], Mapping[str, Any]]:
    if isinstance(primals, Mapping):
        return (), primals
    return (primals, {}) if isinstance(primals, (tuple, list)) else ((primals,), {})


def _is_collection(cotangents: Any, only: Slot) -> bool:
    """Whether what stands for the cotangents is several of them, and not the one."""
    if isinstance(cotangents, Mapping):
        return not only.element.is_struct or set(cotangents) <= {only.of}
    return isinstance(cotangents, tuple)


def _collected(kind: str, slots: Sequence[Slot], results: Mapping[str, Array], library: Optional[str]) -> Any:
    values = [arrays.to_library(results[slot.name], library) for slot in slots]
    if len(values) == 1:
        return values[0]
    return namedtuple(kind, [slot.of for slot in slots], rename=True)(*values)

"""Functions in PyTorch's graph of derivatives. Only imported where PyTorch is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch  # type: ignore[import-not-found, unused-ignore]

if TYPE_CHECKING:
    from .module import Function


class _Call(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """``run`` gives the results for tensors, ``back`` their gradients for those of the results."""

    @staticmethod
    def forward(ctx: Any, run: Any, back: Any, *tensors: torch.Tensor) -> Any:
        ctx.back = back
        ctx.save_for_backward(*tensors)
        return run(*(tensor.detach() for tensor in tensors))

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator, unused-ignore]
    def backward(ctx: Any, *cotangents: Any) -> Any:
        return (None, None, *ctx.back(ctx.saved_tensors, cotangents))


def apply(function: "Function", arguments: Mapping[str, Any], shared: Mapping[str, Any]) -> Any:
    """Calls a function on tensors of which some require gradients."""
    names = [name for name, value in arguments.items() if isinstance(value, torch.Tensor)]
    rest = {name: value for name, value in arguments.items() if name not in names}
    for name, value in rest.items():
        if isinstance(value, Mapping) and any(getattr(leaf, "requires_grad", False) for leaf in value.values()):
            raise TypeError(f"`{name}` is a struct, which has no gradient by PyTorch: use `bwd`, or `detach` its fields")

    def run(*tensors: torch.Tensor) -> Any:
        results = function(**dict(zip(names, tensors)), **rest, **shared)
        run.kind = None if isinstance(results, torch.Tensor) else type(results)  # type: ignore[attr-defined]
        return results if isinstance(results, torch.Tensor) else tuple(results)

    def back(tensors: Any, cotangents: Any) -> Any:
        primals = {**dict(zip(names, (tensor.detach() for tensor in tensors))), **rest}
        given = tuple(None if cotangent is None else cotangent.contiguous() for cotangent in cotangents)
        gradients = function.gradients(primals, given, **shared)
        return [gradients.get(name) for name in names]

    results = _Call.apply(run, back, *(arguments[name] for name in names))
    kind = run.kind  # type: ignore[attr-defined]
    return results if kind is None else kind(*results)

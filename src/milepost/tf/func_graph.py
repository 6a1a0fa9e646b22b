"""The graph of a tf.function for one kind of arguments, as the board shows it. In: the function and its arguments. Out: nodes, made when asked for."""

from __future__ import annotations

from typing import Any

import torch

from milepost import modelgraph
from milepost.tf.shapes import TensorSpec
from milepost.tf.tensor import Tensor, wrap

__all__ = ["FuncGraph"]


class FuncGraph:
    """What `tf.summary.graph` takes."""

    def __init__(self, python_function: Any, args: Any, kwargs: Any):
        self.name = getattr(python_function, "__name__", "function")
        self._python, self._args, self._kwargs = python_function, args, kwargs

    def example(self) -> tuple[list[Any], dict[str, Any]]:
        """Arguments of the right kinds, unknown sizes taken as 1."""
        return [_example(a) for a in self._args], {k: _example(v) for k, v in self._kwargs.items()}

    def __call__(self, *args: Any) -> Any:
        return self._python(*args)

    def as_graph_def(self) -> FuncGraph:
        return self

    def SerializeToString(self) -> bytes:
        """The GraphDef: the operations of one run on example arguments."""
        args, kwargs = self.example()
        _, found = modelgraph.record(self._python, self.name)(*args, **kwargs)
        return b"" if found is None else bytes(found.graph_def())


def _example(value: Any) -> Any:
    if isinstance(value, TensorSpec):
        dims = [1 if d is None else d for d in value.shape]
        return wrap(torch.zeros(dims, dtype=value.dtype.torch))
    return value if not isinstance(value, Tensor) else wrap(value._t)

"""`tf.compat.v1.Session`: runs the nodes of a graph, with fed values in the place of placeholders. In: fetches and feed_dict. Out: numpy values."""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.tf import convert
from milepost.tf.derivatives_v1 import Gradients
from milepost.tf.graph_v1 import GRAPHS, Node, Run, VariableNode
from milepost.tf.structure import map_structure
from milepost.tf.tape import GradientTape
from milepost.tf.tensor import Tensor

__all__ = ["InteractiveSession", "Session", "default_session"]

_sessions: list[Session] = []


def default_session() -> Session:
    """The session of the innermost `with` block."""
    if not _sessions:
        raise ValueError(
            "Cannot evaluate tensor using `eval()`: No default session is registered. Use `with sess.as_default()` or pass session=."
        )
    return _sessions[-1]


class Session:
    """Computes nodes. Its config's device options take effect; outside graphs, `run` gives the values of tensors."""

    def __init__(self, target: str = "", graph: Any = None, config: Any = None):
        from milepost.tf.compat_v1 import obey

        obey(config)
        self.graph = graph if graph is not None else GRAPHS.current

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """The values of the fetches, each node computed once; None for what has no value."""
        if fetches is None and not self.graph.nodes:
            raise RuntimeError("The Session graph is empty. Add operations to the graph before calling run().")
        run = Run({id(self._key(k)): self._fed(self._key(k), v) for k, v in (feed_dict or {}).items()})
        wanted = map_structure(lambda f: self.graph.get_tensor_by_name(f) if isinstance(f, str) else f, fetches)
        derivatives = _derivatives(wanted)
        if derivatives:
            run.tape = GradientTape(persistent=True)
            with run.tape:
                for node in derivatives:
                    for source in node.by:
                        value = run.values(source)
                        if not isinstance(source, VariableNode) and isinstance(value, Tensor):
                            run.tape.watch(value)
                found = map_structure(lambda f: _fetched(run, f), wanted)
        else:
            found = map_structure(lambda f: _fetched(run, f), wanted)
        return found

    def _key(self, key: Any) -> Node:
        node = self.graph.get_tensor_by_name(key) if isinstance(key, str) else key
        if not isinstance(node, Node):
            raise TypeError(f"Cannot interpret feed_dict key as Tensor: {key!r} is not a node of a graph.")
        return node

    def _fed(self, node: Node, value: Any) -> Any:
        if isinstance(value, Node):
            raise TypeError(
                "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, lists, numpy ndarrays."
            )
        wanted = node.spec
        tensor = convert.convert_to_tensor(np.asarray(value, dtype=wanted.dtype.as_numpy_dtype))
        if not wanted.shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot feed value of shape {tensor.shape} for Tensor {node.name}, which has shape {wanted.shape}"
            )
        return tensor

    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: bool = False) -> Any:
        return lambda *values: self.run(fetches, dict(zip(feed_list or (), values, strict=True)))

    def as_default(self) -> Session:
        return self

    def close(self) -> None:
        """Nothing is held: variables live in the graph."""

    def __enter__(self) -> Session:
        _sessions.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        _sessions.remove(self)


class InteractiveSession(Session):
    """A session that is the default one from its making on."""

    def __init__(self, target: str = "", graph: Any = None, config: Any = None):
        super().__init__(target, graph, config)
        _sessions.append(self)

    def close(self) -> None:
        if self in _sessions:
            _sessions.remove(self)


def _fetched(run: Run, fetch: Any) -> Any:
    if fetch is None:
        raise TypeError("Fetch argument None has invalid type <class 'NoneType'>")
    value = run.value(fetch) if isinstance(fetch, Node) else fetch
    return map_structure(lambda v: v.numpy() if hasattr(v, "numpy") else v, value)


def _derivatives(wanted: Any) -> list[Gradients]:
    """The nodes below that differentiate."""
    found: list[Gradients] = []
    seen: set[int] = set()
    waiting = [wanted]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Node):
            if id(value) in seen:
                continue
            seen.add(id(value))
            if isinstance(value, Gradients):
                found.append(value)
                waiting += value.by
            waiting += [*value._args, *value._kwargs.values(), *value._controls]
        elif isinstance(value, (list, tuple)):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()
    return found

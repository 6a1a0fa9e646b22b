"""TensorFlow 1's graphs: what a program writes down before a Session runs it. In: calls of `tf` functions. Out: nodes, evaluated on demand.

A node is a function of `milepost.tf` and its arguments, nodes among them. Switching `tf` to nodes is in graph_mode.py, running in session_v1.py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from milepost.tf import failures
from milepost.tf.arithmetic import OPERATORS
from milepost.tf.convert import convert_to_tensor, raw
from milepost.tf.dtypes import as_dtype, string
from milepost.tf.indexing import index
from milepost.tf.shapes import TensorShape, TensorSpec
from milepost.tf.structure import flatten, map_structure
from milepost.tf.tensor import Tensor, wrap

__all__ = ["GRAPHS", "Graph", "Node", "Run", "VariableNode", "defer", "deferring", "placeholder"]


class Graphs:
    """Which graph is being written, and which run is going on."""

    def __init__(self) -> None:
        self.stack: list[Graph] = []
        self.run: Run | None = None

    @property
    def current(self) -> Graph:
        if not self.stack:
            self.stack.append(Graph())
        return self.stack[-1]


class Graph:
    """The nodes and variables of a program."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self.nodes: dict[str, Node] = {}
        self.variables: list[VariableNode] = []
        self.controls: list[Any] = []

    def unique(self, name: str) -> str:
        from milepost.tf.execution import scope_prefix

        full = scope_prefix() + name
        count = self._names.get(full, 0)
        self._names[full] = count + 1
        return full if not count else f"{full}_{count}"

    @contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Everything of `tf` inside is written into this graph."""
        from milepost.tf import graph_mode

        GRAPHS.stack.append(self)
        try:
            with graph_mode.on():
                yield self
        finally:
            GRAPHS.stack.remove(self)

    def get_tensor_by_name(self, name: str) -> Node:
        try:
            return self.nodes[name.partition(":")[0]]
        except KeyError:
            raise KeyError(f"The name {name!r} refers to a Tensor which does not exist.") from None

    get_operation_by_name = get_tensor_by_name

    def finalize(self) -> None:
        """Nodes may still be added."""


GRAPHS = Graphs()


class Node(Tensor):
    """A value that a Session will compute."""

    __slots__ = ("_args", "_controls", "_function", "_graph", "_kwargs", "_label", "_spec")

    def __init__(self, function: Callable[..., Any], args: Any = (), kwargs: Any = None, name: str | None = None):
        self._function, self._args, self._kwargs = function, args, kwargs or {}
        self._graph = GRAPHS.current
        self._controls = tuple(self._graph.controls)
        self._label = self._graph.unique(name or getattr(function, "__name__", "node").strip("_"))
        self._graph.nodes[self._label] = self
        self._spec: Any = None

    @property
    def _t(self) -> Any:
        raise TypeError(
            f"{self} is a node of a graph and has no value yet: fetch it with Session.run, or write the program without "
            "tf.compat.v1.disable_eager_execution(). Keras' layers take tensors with values only."
        )

    def value_in(self, run: Run) -> Any:
        return self._function(*run.values(self._args), **run.values(self._kwargs))

    @property
    def name(self) -> str:
        return f"{self._label}:0"

    @property
    def op(self) -> Node:
        return self

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def spec(self) -> Any:
        """Shape and dtype, found on made-up values of two sizes."""
        if self._spec is None:
            small, large = (_spec(Run({}, size).value(self)) for size in (2, 3))
            if small is None or large is None or small.shape.rank != large.shape.rank:
                self._spec = TensorSpec(None, getattr(small, "dtype", "float32"))
            else:
                dims = [a if a == b else None for a, b in zip(small.shape, large.shape, strict=True)]
                self._spec = TensorSpec(dims, small.dtype)
        return self._spec

    @property
    def shape(self) -> TensorShape:
        found: TensorShape = self.spec.shape
        return found

    @property
    def dtype(self) -> Any:
        return self.spec.dtype

    @property
    def ndim(self) -> int:
        return int(self.shape.rank or 0)

    def set_shape(self, shape: Any) -> None:
        self._spec = TensorSpec(self.shape.merge_with(shape), self.dtype)

    @property
    def device(self) -> str:
        return ""

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Its value in the session of the `with` block."""
        from milepost.tf.session_v1 import default_session

        return (session or default_session()).run(self, feed_dict)

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        self.eval(feed_dict, session)

    def numpy(self) -> Any:
        raise AttributeError("'SymbolicTensor' object has no attribute 'numpy': fetch it with Session.run.")

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        return f'Tensor("{self.name}", shape={self.shape}, dtype={self.dtype.name})'

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __bool__(self) -> bool:
        raise failures.OperatorNotAllowedInGraphError(
            "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed. Use tf.cond."
        )

    def __iter__(self) -> Any:
        raise failures.OperatorNotAllowedInGraphError(
            "Iterating over a symbolic `tf.Tensor` is not allowed. Use tf.map_fn."
        )

    def __len__(self) -> int:
        raise TypeError(f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape`.")

    def __hash__(self) -> int:
        return id(self)


def _spec(value: Any) -> Any:
    leaf = next(iter(flatten(value)), None)
    if leaf is None or not hasattr(leaf, "shape"):
        return None
    t = raw(leaf)
    return TensorSpec(t.shape, string if not isinstance(t, torch.Tensor) else wrap(t).dtype)


class Run:
    """One evaluation: every node once. `sample`: on made-up values of this size, to learn shapes."""

    def __init__(self, fed: dict[int, Any], sample: int | None = None):
        self._known = dict(fed)
        self.sample = sample
        self.tape: Any = None

    def value(self, node: Node) -> Any:
        if id(node) not in self._known:
            before, GRAPHS.run = GRAPHS.run, self
            try:
                for control in node._controls:
                    self.value(control)
                self._known[id(node)] = self.values(node.value_in(self))
            finally:
                GRAPHS.run = before
        return self._known[id(node)]

    def values(self, structure: Any) -> Any:
        """The same structure with values in place of nodes."""
        if isinstance(structure, Node):
            return self.value(structure)
        if isinstance(structure, slice):
            return slice(*[self.values(p) for p in (structure.start, structure.stop, structure.step)])
        if isinstance(structure, (list, tuple, dict)) and not isinstance(structure, TensorShape):
            return map_structure(lambda v: self.values(v) if isinstance(v, (Node, slice)) else v, structure)
        return structure


def deferring(function: Callable[..., Any]) -> Callable[..., Any]:
    """In a graph, a call is written down; in a run, it is made."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if GRAPHS.run is not None:
            return function(*GRAPHS.run.values(args), **GRAPHS.run.values(kwargs))
        return Node(function, args, kwargs, kwargs.get("name"))

    call.__milepost_deferring__ = True  # type: ignore[attr-defined]
    return call


def defer(function: Callable[..., Any], *args: Any, name: str | None = None) -> Node:
    """A node of this function."""
    return Node(function, args, None, name)


for _name, _operation in OPERATORS.items():
    if _name not in ("__eq__", "__ne__"):  # nodes are keys of feed_dict: they are compared by identity
        setattr(Node, _name, deferring(_operation))
setattr(Node, "__getitem__", deferring(index))  # noqa: B010 - mypy will not have a method assigned
setattr(Node, "__eq__", lambda self, other: self is other)  # noqa: B010
setattr(Node, "__ne__", lambda self, other: self is not other)  # noqa: B010


class Placeholder(Node):
    """A value that feed_dict gives."""

    __slots__ = ("_default",)

    def __init__(self, dtype: Any, shape: Any, name: str | None, default: Any = None):
        super().__init__(placeholder, name=name or "Placeholder")
        self._spec, self._default = TensorSpec(shape, as_dtype(dtype)), default

    def value_in(self, run: Run) -> Any:
        if self._default is not None:
            return convert_to_tensor(run.values(self._default))
        if run.sample is None:
            raise failures.InvalidArgumentError(
                f"You must feed a value for placeholder tensor '{self._label}' with dtype {self.dtype.short} and shape {self.shape}: "
                "Session.run(…, feed_dict={x: value})."
            )
        dims = [run.sample if d is None else d for d in (self.shape if self.shape.rank is not None else ())]
        if self.dtype is string:
            return convert_to_tensor([""] * (dims[0] if dims else 1))
        return wrap(torch.zeros(dims, dtype=self.dtype.torch))


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Placeholder:
    """A value to be fed."""
    from milepost.tf import graph_mode

    if not graph_mode.is_on():
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    return Placeholder(dtype, shape, name)


class VariableNode(Node):
    """A variable of a graph: it exists after its initializer was run."""

    __slots__ = ("_initial", "_wanted_dtype", "real", "trainable")

    def __init__(
        self, initial_value: Any = None, trainable: bool | None = True, validate_shape: bool = True, caching_device: Any = None,
        name: str | None = None, variable_def: Any = None, dtype: Any = None, *_: Any, **__: Any,
    ):  # fmt: skip
        super().__init__(VariableNode, name=name or "Variable")
        self._initial, self._wanted_dtype = initial_value, dtype
        self.trainable = True if trainable is None else bool(trainable)
        self.real: Any = None
        self._graph.variables.append(self)

    def value_in(self, run: Run) -> Any:
        if self.real is None:
            if run.sample is not None:
                return convert_to_tensor(self._start(run))
            raise failures.FailedPreconditionError(
                f"Attempting to use uninitialized value {self._label}: run tf.compat.v1.global_variables_initializer() first."
            )
        return self.real

    def _start(self, run: Run) -> Any:
        start = self._initial() if callable(self._initial) and not isinstance(self._initial, Node) else self._initial
        return convert_to_tensor(run.values(start), dtype=self._wanted_dtype)

    def _initialize(self) -> None:
        from milepost.tf.variables import Variable

        assert GRAPHS.run is not None
        start = self._start(GRAPHS.run)
        if self.real is None:
            self.real = Variable(start, trainable=self.trainable, name=self._label)
        else:
            self.real.assign(start)

    @property
    def initializer(self) -> Node:
        return defer(self._initialize, name=f"{self._label}/Assign")

    def read_value(self) -> Node:
        return defer(lambda v: v.read_value(), self, name=f"{self._label}/read")

    value = initialized_value = read_value

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Node:
        return defer(lambda v, x: v.assign(x).read_value(), self, value, name=name or "Assign")

    def assign_add(self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Node:  # fmt: skip
        return defer(lambda v, x: v.assign_add(x).read_value(), self, delta, name=name or "AssignAdd")

    def assign_sub(self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Node:  # fmt: skip
        return defer(lambda v, x: v.assign_sub(x).read_value(), self, delta, name=name or "AssignSub")

    def load(self, value: Any, session: Any = None) -> None:
        self.real.assign(value)

    def __repr__(self) -> str:
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    __str__ = __repr__

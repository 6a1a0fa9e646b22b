"""The names of TensorFlow 1 that make and keep graphs: placeholders, variables by name, initializers, Saver. In: a program's calls. Out: nodes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from milepost.tf import graph_mode
from milepost.tf.execution import name_scope, scope_prefix
from milepost.tf.graph_v1 import GRAPHS, Graph, Placeholder, VariableNode, defer, placeholder

__all__ = [
    "AUTO_REUSE", "Graph", "Saver", "assign", "assign_add", "assign_sub", "get_default_graph", "get_default_session", "get_variable",
    "global_variables", "global_variables_initializer", "local_variables_initializer", "placeholder", "placeholder_with_default",
    "reset_default_graph", "trainable_variables", "variable_scope", "variables_initializer",
]  # fmt: skip

AUTO_REUSE = "AUTO_REUSE"
_reuse: list[Any] = [None]


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Placeholder:
    """A value that may be fed, or else is `input`."""
    from milepost.tf.convert import convert_to_tensor

    value = input if graph_mode.is_on() and hasattr(input, "spec") else convert_to_tensor(input)
    return Placeholder(value.dtype, shape, name or "PlaceholderWithDefault", default=input)


def get_default_graph() -> Graph:
    """The graph that is being written."""
    return GRAPHS.current


def reset_default_graph() -> None:
    """Begin a new one."""
    if GRAPHS.stack:
        GRAPHS.stack[-1] = Graph()


def get_default_session() -> Any:
    """The session of the innermost `with` block, or None."""
    from milepost.tf.session_v1 import _sessions

    return _sessions[-1] if _sessions else None


def global_variables(scope: str | None = None) -> list[Any]:
    """Every variable of the graph."""
    return [v for v in GRAPHS.current.variables if scope is None or v.name.startswith(scope)]


def trainable_variables(scope: str | None = None) -> list[Any]:
    """Those that optimizers move."""
    return [v for v in global_variables(scope) if v.trainable]


def variables_initializer(var_list: Any, name: str = "init") -> Any:
    """A node that gives these variables their first values."""
    if not graph_mode.is_on() and not var_list:
        return None  # variables have their values when they are made
    return defer(lambda *done: None, *[v.initializer for v in var_list], name=name)


def global_variables_initializer() -> Any:
    """A node that gives every variable its first value."""
    return variables_initializer(global_variables())


def local_variables_initializer() -> Any:
    """Nothing: there are no local variables."""
    return variables_initializer([]) if graph_mode.is_on() else None


def get_variable(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None, trainable: bool | None = None, **_: Any
) -> Any:  # fmt: skip
    """The variable of this name, made at the first call; a second call needs `reuse` of its variable_scope."""
    full = scope_prefix() + name
    known = next((v for v in GRAPHS.current.variables if v._label == full), None) if graph_mode.is_on() else None
    if known is not None:
        if _reuse[-1] not in (True, AUTO_REUSE):
            raise ValueError(
                f"Variable {full} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
            )
        return known
    if _reuse[-1] is True:
        raise ValueError(f"Variable {full} does not exist, or was not created with tf.get_variable().")
    start = _start(shape, dtype, initializer)
    if graph_mode.is_on():
        return VariableNode(start, trainable=trainable, name=name, dtype=dtype)
    from milepost.tf.variables import Variable

    return Variable(start, trainable=trainable, name=name, dtype=dtype)


def _start(shape: Any, dtype: Any, initializer: Any) -> Any:
    if initializer is not None and not callable(initializer):
        return initializer
    if shape is None:
        raise ValueError("Shape of a new variable must be fully defined, or an initializer with values be given.")
    if initializer is None:
        import keras

        initializer = keras.initializers.GlorotUniform()
    dims = [int(d) for d in ([shape] if isinstance(shape, int) else shape)]
    return lambda: initializer(dims, dtype=dtype or "float32")


@contextmanager
def variable_scope(name_or_scope: Any, default_name: str | None = None, reuse: Any = None, **_: Any) -> Iterator[Any]:
    """Names inside get this prefix; `reuse=True` takes variables that are there."""
    _reuse.append(reuse if reuse is not None else _reuse[-1])
    try:
        with name_scope(str(name_or_scope or default_name)) as scope:
            yield scope.rstrip("/") + "/"
    finally:
        _reuse.pop()


def assign(ref: Any, value: Any, *_: Any, **__: Any) -> Any:
    """`ref.assign(value)`."""
    return ref.assign(value)


def assign_add(ref: Any, value: Any, *_: Any, **__: Any) -> Any:
    """`ref.assign_add(value)`."""
    return ref.assign_add(value)


def assign_sub(ref: Any, value: Any, *_: Any, **__: Any) -> Any:
    """`ref.assign_sub(value)`."""
    return ref.assign_sub(value)


class Saver:
    """`Saver(var_list).save(session, prefix, global_step)`: the named variables, as a Checkpoint under their names."""

    def __init__(self, var_list: Any = None, max_to_keep: int | None = 5, **_: Any):
        if var_list is None:
            var_list = global_variables()
        if not var_list:
            raise ValueError(
                "Saver() needs the variables: tf.train.Saver([v, w]), or use tf.train.Checkpoint(model=model)."
            )
        self._named = var_list if isinstance(var_list, dict) else {v.name.partition(":")[0]: v for v in var_list}
        self._keep = max_to_keep

    def _checkpoint(self) -> Any:
        from milepost.train import Checkpoint

        return Checkpoint(**{name: getattr(v, "real", v) for name, v in self._named.items()})

    def save(self, sess: Any, save_path: str, global_step: Any = None, **_: Any) -> str:
        """Writes the values and gives the prefix."""
        step = global_step.eval(session=sess) if isinstance(global_step, VariableNode) else global_step
        prefix = save_path if step is None else f"{save_path}-{int(step)}"
        return str(self._checkpoint().write(prefix))

    def restore(self, sess: Any, save_path: str) -> None:
        """Reads them back; variables of a graph need no initializer before."""
        for v in self._named.values():
            if isinstance(v, VariableNode) and v.real is None:
                sess.run(v.initializer)
        self._checkpoint().read(save_path).assert_existing_objects_matched()

"""What of an object goes into a saved model: its variables, functions and the attributes that lead to them; and the object that comes back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from milepost.tf import convert
from milepost.tf.concrete import ConcreteFunction
from milepost.tf.dtypes import as_dtype, string
from milepost.tf.functions import Function
from milepost.tf.saved_programs import Program, described
from milepost.tf.shapes import TensorSpec
from milepost.tf.structure import flatten
from milepost.tf.tensor import Tensor, wrap
from milepost.tf.variables import Variable

__all__ = [
    "Saved",
    "kinds_of",
    "names_of",
    "revive",
    "signatures_of",
    "variables_as_json",
    "variables_from_json",
    "walk",
]


@dataclass
class Saved:
    """The parts of an object: `tree` says where they stand."""

    tree: Any = None
    variables: list[Any] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)  # of the variables
    functions: dict[str, Function] = field(default_factory=dict)


def walk(obj: Any) -> Saved:
    """Variables and functions below an object, found through its attributes."""
    found = Saved()
    found.tree = _node(obj, "", found, set())
    return found


def _node(value: Any, path: str, found: Saved, above: set[int]) -> Any:
    if isinstance(value, convert.variable_types):
        for i, known in enumerate(found.variables):
            if known is value:
                return {"variable": i}
        found.variables.append(value)
        found.paths.append(path)
        return {"variable": len(found.variables) - 1}
    if isinstance(value, Function):
        found.functions[path] = value
        return {"function": path}
    if isinstance(value, (list, tuple)):
        items = [_node(v, f"{path}/{i}", found, above) for i, v in enumerate(value)]
        return {"list": items} if any(items) else None
    if isinstance(value, dict):
        named = {str(k): _node(v, f"{path}/{k}", found, above) for k, v in value.items()}
        return {"dict": {k: n for k, n in named.items() if n}} if any(named.values()) else None
    if not _is_object(value) or id(value) in above:
        return None
    parts = {name: _node(v, f"{path}/{name}".lstrip("/"), found, {*above, id(value)}) for name, v in _attributes(value)}
    parts = {name: part for name, part in parts.items() if part}
    return {"object": parts} if parts or not above else None


def _is_object(value: Any) -> bool:
    from milepost.tf.module import Module

    return isinstance(value, Module) or (hasattr(value, "variables") and hasattr(value, "trainable_variables")) or type(value).__name__ == "Trackable"  # fmt: skip


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    import keras

    if isinstance(value, keras.layers.Layer):
        yield "variables", list(value.variables)
        yield "trainable_variables", list(value.trainable_variables)
        yield "non_trainable_variables", list(value.non_trainable_variables)
        serve = serving_function(value)
        if serve is not None:
            yield "serve", serve
        return
    yield from ((n, v) for n, v in vars(value).items() if n not in ("_name", "_scope"))
    for kind in type(value).__mro__:
        for name, member in vars(kind).items():
            if isinstance(member, Function):
                yield name, getattr(value, name)


def serving_function(layer: Any) -> Function | None:
    """The call of a built Keras model, for inference, with a batch of any size."""
    inputs = getattr(layer, "inputs", None)
    specs = [TensorSpec([None, *list(t.shape)[1:]], as_dtype(t.dtype), t.name) for t in inputs or ()]
    if not specs and layer.built:
        # a model with a `call` of its own knows the shape it was built for
        told = getattr(layer, "_build_shapes_dict", None) or {}
        shapes = [
            s for s in told.values() if isinstance(s, (tuple, list)) and s and not isinstance(s[0], (tuple, list))
        ]
        if len(shapes) == len(told) == 1:
            specs = [TensorSpec([None, *shapes[0][1:]], as_dtype(layer.input_dtype), "inputs")]
    if not specs:
        return None

    def serve(*args: Any) -> Any:
        given = list(args) if len(args) > 1 else args[0]
        return layer(given, training=False)

    return Function(serve, specs)


def kinds_of(function: Function) -> list[tuple[Any, Any]]:
    """The kinds of arguments to save a function for."""
    if function.input_signature is not None:
        return [(tuple(function.input_signature), {})]
    return [(tuple(args), kwargs) for args, kwargs, _ in function.signatures]


def signatures_of(obj: Any, given: Any) -> dict[str, ConcreteFunction]:
    """Named concrete functions: those asked for, or the object's one function with a signature."""
    if given is None:
        functions = walk(obj).functions
        given = functions.get("serve") or functions.get("__call__")
        if given is None or given.input_signature is None:
            return {}
    named = given if isinstance(given, dict) else {"serving_default": given}
    made = {}
    for name, function in named.items():
        if isinstance(function, Function):
            function = function.get_concrete_function()
        if not isinstance(function, ConcreteFunction):
            raise ValueError(
                f"Expected a TensorFlow function for which to generate a signature, but got {function!r}. Only `tf.functions` with an input "
                "signature or concrete functions can be used as a signature."
            )
        made[name] = function
    return made


def names_of(concrete: ConcreteFunction) -> list[str]:
    return [s.name or f"args_{i}" for i, s in enumerate(concrete.inputs)]


def variables_as_json(variables: list[Any], keys: list[str]) -> list[dict[str, Any]]:
    return [
        {"key": key, "name": v.name.removesuffix(":0"), "shape": list(v.shape) if v._value is None else list(v._value.shape), "dtype": as_dtype(v.dtype).name, "trainable": bool(v.trainable)}
        for v, key in zip(variables, keys, strict=True)
    ]  # fmt: skip


def variables_from_json(told: list[dict[str, Any]]) -> list[Variable]:
    return [Variable(_zeros(v["shape"], as_dtype(v["dtype"])), trainable=v["trainable"], name=v["name"]) for v in told]


def _zeros(shape: list[Any], dtype: Any) -> Any:
    dims = [int(d) for d in shape]
    return convert.constant("", shape=dims) if dtype is string else wrap(torch.zeros(dims, dtype=dtype.torch))


class LoadedFunction:
    """A function that came with a saved model."""

    def __init__(self, name: str, programs: list[Program]):
        self.__name__, self._programs = name, programs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for program in self._programs:
            tensors = program.takes(args, kwargs)
            if tensors is not None:
                return program(tensors)
        expected = (
            "\n".join(f"  {described(p)}" for p in self._programs)
            or "  nothing: it was never called before it was saved"
        )
        raise ValueError(
            f"Could not find matching concrete function to call loaded from the SavedModel. Got:\n  {args} {kwargs or ''}\nExpected one of:\n{expected}"
        )


class LoadedSignature:
    """A signature: called with named tensors, it gives a dict of tensors."""

    def __init__(self, name: str, program: Program, names: list[str]):
        self.name, self._program, self._names = name, program, names
        specs = [s for s in flatten([program.args, program.kwargs]) if isinstance(s, TensorSpec)]
        self.structured_input_signature = ((), dict(zip(names, specs, strict=True)))

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        if args and len(args) + len(kwargs) == len(self._names):
            kwargs = {**dict(zip(self._names, args, strict=False)), **kwargs}
        if set(kwargs) != set(self._names):
            raise TypeError(f"Signature {self.name!r} takes {self._names} as keyword arguments, got {sorted(kwargs)}.")
        wanted = self.structured_input_signature[1]
        tensors = []
        for name in self._names:
            tensor = convert.convert_to_tensor(kwargs[name], dtype_hint=wanted[name].dtype)
            if not wanted[name].is_compatible_with(tensor):
                raise TypeError(
                    f"Argument {name!r} of signature {self.name!r} must be {wanted[name]!r}, got {TensorSpec.from_tensor(tensor)!r}."
                )
            tensors.append(tensor)
        result = self._program(tensors)
        if isinstance(result, dict):
            return result
        return {f"output_{i}": t for i, t in enumerate(t for t in flatten(result) if isinstance(t, Tensor))}


class LoadedObject:
    """An object that came with a saved model."""

    signatures: dict[str, LoadedSignature]


def revive(manifest: dict[str, Any], folder: Path, variables: list[Variable]) -> Any:
    """The object a manifest tells of."""
    functions = {
        path: LoadedFunction(path, [Program(told, folder, variables) for told in kinds])
        for path, kinds in manifest["functions"].items()
    }
    signatures = {
        name: LoadedSignature(name, Program(told, folder, variables), told["names"])
        for name, told in manifest["signatures"].items()
    }
    root = _revived(manifest["object"], functions, variables)
    root.signatures = signatures
    return root


def _revived(told: Any, functions: dict[str, LoadedFunction], variables: list[Variable]) -> Any:
    ((kind, value),) = told.items()
    if kind == "variable":
        return variables[value]
    if kind == "function":
        return functions[value]
    if kind == "list":
        return [None if v is None else _revived(v, functions, variables) for v in value]
    if kind == "dict":
        return {k: _revived(v, functions, variables) for k, v in value.items()}
    parts = {name: _revived(v, functions, variables) for name, v in value.items()}
    call = parts.get("__call__")
    made = type("LoadedObject", (LoadedObject,), {"__call__": lambda self, *a, **k: call(*a, **k)} if call else {})()
    for name, part in parts.items():
        setattr(made, name, part)
    return made

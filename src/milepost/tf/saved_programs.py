"""A function of tensors as a torch.export program and back. In: a Python function and specs. Out: a .pt2 file and what JSON says of it; or a callable.

The program holds no weights: variables are handed to it at every call, so loaded functions read, train and assign the loaded variables.
"""

from __future__ import annotations

import io
import itertools
import warnings
from pathlib import Path
from typing import Any

import torch

from milepost.tf import convert
from milepost.tf.dtypes import as_dtype
from milepost.tf.shapes import TensorSpec
from milepost.tf.state import NOW
from milepost.tf.structure import flatten, map_structure
from milepost.tf.tensor import Tensor, wrap
from milepost.tf.trace import Trace

__all__ = ["Program", "described", "export", "restored", "spec_as_json"]

_EXAMPLE_SIZE = 3  # of a dimension whose size is unknown; torch.export takes 0 and 1 for special


class _Exporting(Trace):
    """Tells the rest of `tf` that values are not to be looked at; prints and checks do not go into programs."""

    def values_read(self, t: Any) -> None:
        raise TypeError("Python reads the value of a tensor")

    def on_host(self, function: Any, arguments: tuple[Any, ...]) -> None:
        pass


class _Body(torch.nn.Module):  # type: ignore[misc]
    """The function, reading its variables from this module's buffers, which torch.export follows."""

    def __init__(self, function: Any, variables: list[Any], arguments: Any, report: Any):
        super().__init__()
        # the structure of the result is reported: torch.export takes back what is set on a module
        self._milepost = (function, variables, arguments, report)
        for i, v in enumerate(variables):
            self.register_buffer(f"v{i}", v._value.detach())

    def forward(self, *tensors: Any) -> Any:
        function, variables, (args, kwargs), report = self._milepost
        before = [v._value for v in variables]
        given = iter(tensors)
        try:
            for i, v in enumerate(variables):
                object.__setattr__(v, "_value", getattr(self, f"v{i}"))
            fresh = map_structure(
                lambda a: wrap(next(given)) if isinstance(a, TensorSpec) else a, [list(args), dict(kwargs)]
            )
            result = map_structure(_tensor, function(*fresh[0], **fresh[1]))
        finally:
            for v, b in zip(variables, before, strict=True):
                object.__setattr__(v, "_value", b)
        places = itertools.count()
        report(map_structure(lambda r: _Place(next(places)) if isinstance(r, Tensor) else r, result))
        return tuple(r._t for r in flatten(result) if isinstance(r, Tensor))


class _Place:
    """Where the n-th tensor of a result stands."""

    def __init__(self, number: int):
        self.number = number


def _tensor(value: Any) -> Any:
    if isinstance(value, convert.variable_types):
        return wrap(value._value.clone())  # type: ignore[attr-defined]
    return convert.convert_to_tensor(value) if isinstance(value, (int, float, torch.Tensor)) else value


def numbers(variables: list[Any]) -> list[Any]:
    """Those a program can hold: variables of text it cannot."""
    return [v for v in variables if v._value is not None]


def spec_as_json(value: Any) -> Any:
    """A structure of specs, places and plain values, as JSON."""
    if isinstance(value, TensorSpec):
        dims = None if value.shape.rank is None else list(value.shape)
        return {"tensor": {"shape": dims, "dtype": value.dtype.name, "name": value.name}}
    if isinstance(value, _Place):
        return {"output": value.number}
    if isinstance(value, dict):
        return {"dict": {str(k): spec_as_json(v) for k, v in value.items()}}
    if isinstance(value, (list, tuple)):
        return {"tuple" if isinstance(value, tuple) else "list": [spec_as_json(v) for v in value]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": value}
    raise TypeError(f"An argument or result of type {type(value).__name__} cannot be saved: {value!r}")


def restored(told: Any, outputs: Any = ()) -> Any:
    """The structure that JSON tells of."""
    ((kind, value),) = told.items()
    if kind == "tensor":
        return TensorSpec(value["shape"], as_dtype(value["dtype"]), value["name"])
    if kind == "output":
        return outputs[value]
    if kind == "dict":
        return {k: restored(v, outputs) for k, v in value.items()}
    if kind in ("list", "tuple"):
        made = [restored(v, outputs) for v in value]
        return made if kind == "list" else tuple(made)
    return value


def export(
    name: str, function: Any, arguments: tuple[Any, Any], variables: list[Any], file: str
) -> tuple[dict[str, Any], bytes]:
    """What a reader must know of the program, and the program."""
    specs = [s for s in flatten([list(arguments[0]), dict(arguments[1])]) if isinstance(s, TensorSpec)]
    for spec in specs:
        if spec.dtype.torch is None or spec.shape.rank is None:
            raise ValueError(
                f"{name} cannot be saved: its argument {spec!r} has {'text' if spec.dtype.torch is None else 'a shape of unknown rank'}, "
                "which torch.export does not take. Do that part in Python, outside the saved function."
            )
    sizes = [[_EXAMPLE_SIZE if d is None else d for d in s.shape] for s in specs]
    example = tuple(torch.zeros(dims, dtype=s.dtype.torch) for s, dims in zip(specs, sizes, strict=True))
    dynamic = [{i: torch.export.Dim.AUTO for i, d in enumerate(s.shape) if d is None} for s in specs]
    results: list[Any] = []
    variables = numbers(variables)
    body = _Body(function, variables, arguments, results.append)
    recording, trace = NOW.recording, NOW.trace
    NOW.recording, NOW.trace = 0, _Exporting()
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = torch.export.export(body, example, dynamic_shapes={"tensors": tuple(dynamic)} if specs else None, strict=False)  # fmt: skip
            program._example_inputs = None  # samples are written as pickles, which nobody should have to trust
            for key in list(program.state_dict):
                program.state_dict[key] = torch.empty(0, dtype=program.state_dict[key].dtype)
            written = io.BytesIO()
            torch.export.save(program, written)
    except Exception as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else ""
        raise ValueError(
            f"{name} cannot be saved: torch.export could not follow it ({type(error).__name__}: {first}). A saved function must not look at "
            "tensors' values in Python (if, while, int(tensor), tf.shape(x) used as a size): use tf.where, x.shape, or -1 in reshape; or save "
            "the variables alone with tf.train.Checkpoint."
        ) from error
    finally:
        NOW.recording, NOW.trace = recording, trace
    told = {
        "file": file,
        "args": spec_as_json(list(arguments[0])),
        "kwargs": spec_as_json(dict(arguments[1])),
        "result": spec_as_json(results[-1]),
    }
    return told, written.getvalue()


class Program:
    """A loaded program: called with the values for its specs, it gives what the saved function gave."""

    def __init__(self, told: dict[str, Any], folder: Path, variables: list[Any]):
        self.args, self.kwargs = restored(told["args"]), restored(told["kwargs"])
        self._told, self._file, self._variables = told, folder / Path(told["file"]).name, numbers(variables)
        self._module: Any = None

    def takes(self, args: Any, kwargs: Any) -> list[Any] | None:
        """The tensors of a call if it is of this kind, else None."""
        try:
            pairs = list(zip(flatten([self.args, self.kwargs]), flatten([list(args), dict(kwargs)]), strict=True))
        except ValueError:
            return None
        tensors = []
        for wanted, value in pairs:
            if not isinstance(wanted, TensorSpec):
                if convert.is_tensor(value) or value != wanted:
                    return None
                continue
            try:
                tensor = convert.convert_to_tensor(value, dtype_hint=wanted.dtype)
            except (TypeError, ValueError):
                return None
            if not wanted.is_compatible_with(tensor):
                return None
            tensors.append(tensor)
        return tensors

    def __call__(self, tensors: list[Any]) -> Any:
        if self._module is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._module = torch.export.load(self._file).module()
        held = {f"v{i}": v._value if NOW.recording else v._value.detach() for i, v in enumerate(self._variables)}
        before = torch.is_grad_enabled()
        torch._C._set_grad_enabled(bool(NOW.recording))
        try:
            made = torch.func.functional_call(self._module, held, tuple(convert.raw(t) for t in tensors))
        finally:
            torch._C._set_grad_enabled(before)
        return restored(self._told["result"], [wrap(t) for t in made])


def described(program: Program) -> str:
    """The kinds of arguments it takes."""
    named = ", ".join(f"{k}={v!r}" for k, v in program.kwargs.items())
    return "(" + ", ".join([*map(repr, program.args), *([named] if named else [])]) + ")"

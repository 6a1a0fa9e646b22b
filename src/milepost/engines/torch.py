"""PyTorch. In: tensors, parameters, modules, optimizers. Out: adapters. Schedulers, scalers, generators answer through plain.py.

Optimizer state is kept as slots of its parameter, so that it follows the parameter's path, not its position in a list, and is
made from the file when the optimizer has not stepped yet. Not here: random state (randomness.py), Keras on torch (keras.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, final

import numpy as np
import torch
from torch.nn.parameter import is_lazy

from milepost.engines.adapter import (
    VARIABLE_VALUE,
    WAIT,
    Adapter,
    Leaf,
    Misfit,
    Poke,
    Sketch,
    Slot,
    Spec,
    Undo,
    Value,
    fits,
    register,
    sizes,
)  # fmt: skip
from milepost.engines.parts import MAX_DEPTH, Parts, holds_parts, may_hold
from milepost.engines.plain import KINDS, TAG, build, kind_of

__all__ = ["adapter_for", "empty", "from_host", "pulse"]

# numpy has no such dtypes: they travel as the unsigned integers of their width
_AS_BITS: Final = {
    dtype: torch.uint16 if dtype.itemsize == 2 else torch.uint8
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
    if (dtype := getattr(torch, name, None)) is not None
}
_NAMES: Final = {
    dtype: str(dtype).removeprefix("torch.")
    for name in dir(torch)
    if isinstance(dtype := getattr(torch, name), torch.dtype)
    and not name.startswith(("q", "bits"))
    and dtype != torch.complex32
}
_CONTAINERS: Final = (dict, list, tuple, set, frozenset)
_DTYPES: Final = {name: dtype for dtype, name in _NAMES.items()}


@final
class _Tensor(Adapter):
    """A tensor or parameter on any device, restored in place; a lazy one takes its shape from the file."""

    engine = "torch"

    def leaves(self, obj: Any) -> Mapping[str, Leaf]:
        if is_lazy(obj):
            return {}  # no value yet: nothing to save, anything of its dtype to restore
        name = _NAMES.get(obj.dtype)
        if name is None or obj.layout is not torch.strided or obj.is_meta:
            raise TypeError(
                f"a {obj.layout} tensor of {obj.dtype} on {obj.device} has no bytes to save; make it a dense one first"
            )
        # asking whether something is a Parameter runs Python code of torch's metaclass: not for what plainly is a tensor
        plain = type(obj) is torch.Tensor and "_is_param" not in obj.__dict__
        plain = plain or not isinstance(obj, torch.nn.Parameter)
        full_name = TAG + "torch" if plain else ""
        own = _is_own_memory(obj)
        # what needs no conversion is read without a look at what it might need: models have thousands of tensors
        read = (lambda: obj.detach().numpy()) if own and obj.dtype not in _AS_BITS else (lambda: _host(obj))
        return {VARIABLE_VALUE: Leaf(name, tuple(obj.shape), read, full_name, own)}

    def accept(self, obj: Any, attribute: str, saved: Spec, *, cast: bool = False) -> Misfit | None:
        if attribute != VARIABLE_VALUE:
            return Misfit("attribute", attribute, VARIABLE_VALUE)
        shape = saved.shape if is_lazy(obj) else tuple(obj.shape)
        return fits(Spec(_NAMES.get(obj.dtype, str(obj.dtype)), shape), saved, cast=cast)

    def assign(self, obj: Any, values: Mapping[str, Value]) -> Any:
        array, spec = values[VARIABLE_VALUE]
        with torch.no_grad():
            if is_lazy(obj):
                obj.materialize(spec.shape)
            if obj.device.type == "cpu" and spec.dtype == _NAMES[obj.dtype] and obj.is_contiguous():
                target = _host(obj)
                np.copyto(target, array.view(target.dtype) if array.dtype != target.dtype else array)
            else:
                obj.copy_(from_host(array, spec))
        return obj


def _is_own_memory(tensor: Any) -> bool:
    """Whether `_host` gives the tensor's memory itself, not a copy."""
    if not tensor.is_cpu or tensor.is_conj() or tensor.is_neg():
        return False
    return tensor.dtype not in _AS_BITS or bool(tensor.is_contiguous())


def _host(tensor: Any) -> np.ndarray[Any, Any]:
    tensor = tensor.detach()
    if tensor.device.type != "cpu":
        tensor = tensor.cpu()
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    bits = _AS_BITS.get(tensor.dtype)
    array: np.ndarray[Any, Any] = (tensor if bits is None else tensor.contiguous().view(bits)).numpy()
    return array


def from_host(array: np.ndarray[Any, Any], spec: Spec) -> Any:
    """A CPU tensor with a saved value; a copy, since the array may lie in a read-only file mapping."""
    dtype = _DTYPES[spec.dtype]
    bits = _AS_BITS.get(dtype)
    array = np.array(array, order="C")
    if bits is None:
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(np.uint16 if bits is torch.uint16 else np.uint8)).view(dtype)


def empty(spec: Spec, device: Any = "cpu") -> Any:
    """A tensor for a value that only the file knows; WAIT for a dtype torch lacks."""
    dtype = _DTYPES.get(spec.dtype)
    return WAIT if dtype is None else torch.empty(spec.shape, dtype=dtype, device=device)


@final
class _Module(Adapter):
    """A module: parameters, persistent buffers, submodules, and modules or parameters in its lists, tuples and dicts.

    torch.compile and DataParallel wrappers are seen through: the wrapped module's names are the names.
    """

    engine = "torch"

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        module = _unwrapped(obj)
        out = [(name, p) for name, p in module._parameters.items() if p is not None]
        hidden = module._non_persistent_buffers_set
        out += [(name, b) for name, b in module._buffers.items() if b is not None and name not in hidden]
        out += [(name, m) for name, m in module._modules.items() if m is not None]
        out += [
            (name, Parts(value, _is_part))
            for name, value in vars(module).items()
            if type(value) in _CONTAINERS and name[0] != "_" and holds_parts(value, _is_part)
        ]
        if type(module).get_extra_state is not torch.nn.Module.get_extra_state:
            out.append(("_extra_state", _ExtraState(module)))
        return out

    def identity(self, obj: Any) -> int | None:
        return id(_unwrapped(obj))

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        module = _unwrapped(obj)
        for name, child in children.items():
            for place in (module._parameters, module._buffers, module._modules, vars(module)):
                if name in place:
                    if place[name] is not child:
                        place[name] = child
                    break
        return obj

    def watch(self, obj: Any, poke: Poke) -> Undo | None:
        from torch.nn.modules import module as registration

        watched = _unwrapped(obj)

        def arrived(place: str) -> Any:
            def hook(module: Any, name: str, child: Any) -> None:
                # torch calls before it stores; stored here first, the value can be restored at once (torch then stores it again)
                if module is watched and child is not None:
                    getattr(module, place)[name] = child
                    poke()

            return hook

        handles = [
            registration.register_module_parameter_registration_hook(arrived("_parameters")),
            registration.register_module_buffer_registration_hook(arrived("_buffers")),
            registration.register_module_module_registration_hook(arrived("_modules")),
        ]

        def undo() -> None:
            for handle in handles:
                handle.remove()

        return undo

    def glance(self, obj: Any) -> Any:
        module = _unwrapped(obj)
        return len(module._parameters), len(module._buffers), len(module._modules), sizes(vars(module))

    def coverage(self, obj: Any) -> Iterable[tuple[str, Any]]:
        return _known(_unwrapped(obj), "", set())


def _unwrapped(module: Any) -> Any:
    while True:
        inner = module._modules.get("_orig_mod")
        if inner is None and isinstance(module, (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel)):
            inner = module._modules.get("module")
        if inner is None:
            return module
        module = inner


def _is_part(value: Any) -> bool:
    return isinstance(value, (torch.nn.Module, torch.nn.Parameter))


def _known(module: Any, prefix: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """All parameters and persistent buffers below a module, also of modules in its lists, dicts and sets."""
    if id(module) in seen:
        return
    seen.add(id(module))
    hidden = module._non_persistent_buffers_set
    for place in (module._parameters, module._buffers):
        for name, tensor in place.items():
            if tensor is not None and name not in hidden:
                yield prefix + name, tensor
    for name, child in module._modules.items():
        if child is not None:
            yield from _known(child, f"{prefix}{name}.", seen)
    for name, value in vars(module).items():
        if type(value) in _CONTAINERS and name[0] != "_" and may_hold(value):
            yield from _known_in(value, f"{prefix}{name}", seen, 0)


def _known_in(value: Any, name: str, seen: set[int], depth: int) -> Iterator[tuple[str, Any]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in pairs:
        if isinstance(item, torch.nn.Module):
            yield from _known(item, f"{name}[{key!r}].", seen)
        elif isinstance(item, torch.nn.Parameter):
            yield f"{name}[{key!r}]", item
        elif type(item) in _CONTAINERS and depth < MAX_DEPTH and may_hold(item):
            yield from _known_in(item, f"{name}[{key!r}]", seen, depth + 1)


@final
class _ExtraState:
    """What a module's own get_extra_state returns."""

    def __init__(self, module: Any):
        self.module = module

    def get_state(self) -> Any:
        return self.module.get_extra_state()

    def set_state(self, state: Any) -> None:
        self.module.set_extra_state(state)


@final
class _ParamGroup:
    """The hyperparameters of one parameter group, without its parameters."""

    def __init__(self, group: dict[str, Any]):
        self.group = group


@final
class _ParamGroupAdapter(Adapter):
    engine = "torch"

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        return [(name, value) for name, value in obj.group.items() if name not in ("params", "param_names")]

    def identity(self, obj: Any) -> int | None:
        return id(obj.group)

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        obj.group.update(children)
        return obj

    def adopt(self, obj: Any, name: str, sketch: Sketch) -> Any:
        return build(sketch, tensors=True)


@final
class _Optimizer(Adapter):
    """An optimizer: its groups' hyperparameters are children, its state per parameter are slots."""

    engine = "torch"

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        out: list[tuple[str, Any]] = [("param_groups", [_ParamGroup(group) for group in obj.param_groups])]
        extra = {key: value for key, value in obj.state.items() if isinstance(key, str)}
        return [*out, ("state", extra)] if extra else out

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        obj.state.update(children.get("state", {}))
        return obj

    def slots(self, obj: Any) -> Iterable[Slot]:
        for variable, state in obj.state.items():
            if not isinstance(variable, str):
                for name, value in state.items():
                    yield Slot(variable, name, value)

    def make_slot(self, obj: Any, variable: Any, name: str, sketch: Sketch) -> Any:
        groups = [group for group in obj.param_groups if any(p is variable for p in group["params"])]
        if not groups:
            return WAIT
        if set(sketch.attributes) == {VARIABLE_VALUE} and not sketch.children:
            spec = sketch.attributes[VARIABLE_VALUE]
            if kind_of(spec) in KINDS:
                return None
            on_device = name != "step" or groups[0].get("capturable") or groups[0].get("fused")
            return empty(spec, variable.device if on_device else "cpu")
        return build(sketch, tensors=True)

    def set_slot(self, obj: Any, variable: Any, name: str, value: Any) -> None:
        obj.state[variable][name] = value

    def glance(self, obj: Any) -> Any:
        return [len(group["params"]) for group in obj.param_groups]

    def coverage(self, obj: Any) -> Iterable[tuple[str, Any]]:
        for i, group in enumerate(obj.param_groups):
            for j, parameter in enumerate(group["params"]):
                yield f"param_groups[{i}]['params'][{j}]", parameter


_TENSOR, _MODULE, _OPTIMIZER = _Tensor(), _Module(), _Optimizer()
register(_ParamGroup, _ParamGroupAdapter())


def adapter_for(obj: Any) -> Adapter | None:
    if isinstance(obj, torch.Tensor):
        return _TENSOR
    if isinstance(obj, torch.nn.Module):
        return _MODULE
    if isinstance(obj, torch.optim.Optimizer):
        return _OPTIMIZER
    return None


def pulse(poke: Poke) -> Undo:
    """Poke right before any module's forward and any optimizer's step."""
    from torch.nn.modules.module import register_module_forward_pre_hook
    from torch.optim.optimizer import register_optimizer_step_pre_hook

    handles = [register_module_forward_pre_hook(lambda *_: poke()), register_optimizer_step_pre_hook(lambda *_: poke())]

    def undo() -> None:
        for handle in handles:
            handle.remove()

    return undo

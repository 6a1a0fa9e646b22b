"""`tf.distribute` for one device: strategies with one replica, so that programs written for many run as they are. Several devices are refused.

For several GPUs or machines: Keras' own `keras.distribution`, or torch.distributed with Milepost's checkpoints (docs/how-to/checkpoint-pytorch.md).
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

import torch

from milepost.devices import CHOICE
from milepost.tf import placement
from milepost.tf.convert import convert_to_tensor, raw
from milepost.tf.structure import map_structure
from milepost.tf.tensor import wrap

__all__ = [
    "InputContext", "InputOptions", "InputReplicationMode", "MirroredStrategy", "OneDeviceStrategy", "ReduceOp", "ReplicaContext", "RunOptions",
    "Strategy", "experimental", "experimental_set_strategy", "get_replica_context", "get_strategy", "has_strategy", "in_cross_replica_context",
]  # fmt: skip

_ELSEWHERE = (
    "Milepost's tf runs one replica on one device. For several GPUs or machines use keras.distribution, or torch.distributed; "
    "Milepost's checkpoints save and restore sharded ranks (docs/how-to/checkpoint-pytorch.md)."
)


class ReduceOp(Enum):
    """How replicas' values become one."""

    SUM = "SUM"
    MEAN = "MEAN"


class InputReplicationMode(Enum):
    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions:
    """How datasets are fed; one device needs no choice."""

    def __init__(self, **options: Any):
        self.options = options


class RunOptions(InputOptions):
    """How `run` runs; one device needs no choice."""


class InputContext:
    """What an input function is told: the only pipeline of one replica."""

    num_input_pipelines = 1
    input_pipeline_id = 0
    num_replicas_in_sync = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        return global_batch_size


class ValueContext:
    """What a value function is told."""

    replica_id_in_sync_group = 0
    num_replicas_in_sync = 1


class ReplicaContext:
    """Inside `run`: replica 0 of 1."""

    def __init__(self, strategy: Strategy):
        self.strategy = strategy
        self.num_replicas_in_sync = 1

    @property
    def replica_id_in_sync_group(self) -> Any:
        return wrap(torch.tensor(0, dtype=torch.int32)) if _running else 0

    @property
    def devices(self) -> tuple[str]:
        return (self.strategy._device,)

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        _known(reduce_op)
        return map_structure(convert_to_tensor, value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        return convert_to_tensor(value)

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        return merge_fn(self.strategy, *args, **(kwargs or {}))


def _known(reduce_op: Any) -> ReduceOp:
    try:
        return ReduceOp(reduce_op.upper()) if isinstance(reduce_op, str) else ReduceOp(reduce_op)
    except ValueError:
        raise ValueError(f"'{reduce_op}' is not a valid ReduceOp: SUM or MEAN.") from None


class _Extended:
    """`strategy.extended`: what library code asks."""

    should_checkpoint = should_save_summary = True
    experimental_between_graph = experimental_require_static_shapes = False

    def __init__(self, strategy: Strategy):
        self._strategy = strategy
        self.worker_devices = self.parameter_devices = (strategy._device,)

    def call_for_each_replica(self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        return self._strategy.run(fn, args, kwargs)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        _known(reduce_op)
        return value

    def update(self, var: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, group: bool = True) -> Any:
        return fn(var, *args, **(kwargs or {}))

    def variable_created_in_scope(self, v: Any) -> bool:
        return True

    @contextmanager
    def colocate_vars_with(self, colocate_with_variable: Any) -> Iterator[None]:
        yield


class Strategy:
    """One replica on one device."""

    def __init__(self, device: Any = None):
        self._device = device or ("/GPU:0" if CHOICE.visible("GPU") and torch.cuda.is_available() else "/CPU:0")
        self.num_replicas_in_sync = 1
        self.cluster_resolver = None
        self.extended = _Extended(self)

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Variables made inside are the strategy's: they go to its device."""
        _scopes.append(self)
        try:
            with placement.device(self._device):
                yield self
        finally:
            _scopes.pop()

    def run(self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None) -> Any:
        """fn on the one replica."""
        _scopes.append(self)
        _running.append(self)
        try:
            with placement.device(self._device):
                return fn(*args, **(kwargs or {}))
        finally:
            _running.pop()
            _scopes.pop()

    def reduce(self, reduce_op: Any, value: Any, axis: Any = None) -> Any:
        """The value itself, or reduced along an axis of it."""
        how = _known(reduce_op)
        if axis is None:
            return map_structure(convert_to_tensor, value)
        function = torch.sum if how is ReduceOp.SUM else torch.mean
        return map_structure(lambda v: wrap(function(raw(convert_to_tensor(v)), dim=axis)), value)

    def gather(self, value: Any, axis: int) -> Any:
        return convert_to_tensor(value)

    def experimental_local_results(self, value: Any) -> tuple[Any]:
        return (value,)

    unwrap = experimental_local_results

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """The dataset itself: its batches are the replica's."""
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Callable[[InputContext], Any], options: Any = None) -> Any:
        return dataset_fn(InputContext())

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        return value_fn(ValueContext())


class OneDeviceStrategy(Strategy):
    """Everything on this device."""

    def __init__(self, device: str):
        super().__init__(device)


class MirroredStrategy(Strategy):
    """All replicas of one machine, where there is one: several devices are refused."""

    def __init__(self, devices: Any = None, cross_device_ops: Any = None):
        listed = [devices] if isinstance(devices, str) else list(devices or ())
        if len(listed) > 1:
            raise NotImplementedError(
                f"MirroredStrategy on {len(listed)} devices ({', '.join(map(str, listed))}): {_ELSEWHERE}"
            )
        there = len(CHOICE.visible("GPU")) if torch.cuda.is_available() else 0
        if not listed and there > 1:
            warnings.warn(f"MirroredStrategy uses the first of {there} GPUs. {_ELSEWHERE}", UserWarning, stacklevel=2)
        if listed and "GPU" in str(listed[0]).upper() and int(str(listed[0]).rpartition(":")[2] or 0) >= there:
            raise RuntimeError(f"MirroredStrategy: there is no device {listed[0]!r}; {there} GPUs are visible.")
        super().__init__(listed[0] if listed else None)


class _DefaultStrategy(Strategy):
    """What is in force when nothing was chosen."""


_scopes: list[Strategy] = []
_running: list[Strategy] = []
_default: list[Strategy] = []


def get_strategy() -> Strategy:
    """The strategy in force."""
    if _scopes:
        return _scopes[-1]
    if not _default:
        _default.append(_DefaultStrategy())
    return _default[0]


def has_strategy() -> bool:
    """Whether one was chosen."""
    return not isinstance(get_strategy(), _DefaultStrategy)


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Choose one for the rest of the program."""
    _default[:] = [] if strategy is None else [strategy]


def in_cross_replica_context() -> bool:
    """Inside a scope, outside `run`."""
    return has_strategy() and not _running


def get_replica_context() -> ReplicaContext | None:
    """The replica's own view; None between replicas."""
    return None if in_cross_replica_context() else ReplicaContext(get_strategy())


_REFUSED = {
    "MultiWorkerMirroredStrategy", "ParameterServerStrategy", "TPUStrategy", "CentralStorageStrategy", "Server", "DistributedValues",
    "DistributedDataset", "DistributedIterator", "CrossDeviceOps", "NcclAllReduce", "HierarchicalCopyAllReduce", "ReductionToOneDevice",
    "cluster_resolver", "coordinator", "StrategyExtended",
}  # fmt: skip


class _Experimental(types.SimpleNamespace):
    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"tf.distribute.experimental.{name} is not there. {_ELSEWHERE}")


experimental = _Experimental(ValueContext=ValueContext)


def __getattr__(name: str) -> Any:
    if name in _REFUSED:
        raise AttributeError(f"tf.distribute.{name} is not there. {_ELSEWHERE}")
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.distribute", __all__)

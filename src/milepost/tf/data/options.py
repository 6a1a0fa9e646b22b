"""tf.data.Options and its parts: names, defaults and types are TensorFlow's. In: assignments. Out: the values, merged along a pipeline.

Only `deterministic` and the size of thread pools mean something here; the rest is kept and checked, so that programs run as they are.
"""

from __future__ import annotations

import enum
from typing import Any, ClassVar, Self

__all__ = [
    "AutoShardPolicy", "AutotuneAlgorithm", "AutotuneOptions", "DistributeOptions", "ExternalStatePolicy", "OptimizationOptions", "Options",
    "ServiceOptions", "ThreadingOptions",
]  # fmt: skip


class AutoShardPolicy(enum.IntEnum):
    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class AutotuneAlgorithm(enum.Enum):
    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class ExternalStatePolicy(enum.Enum):
    WARN = 0
    IGNORE = 1
    FAIL = 2


class Fields:
    """Fields of known names and types; what is not set is None, or a part of its own."""

    FIELDS: ClassVar[dict[str, Any]] = {}

    def __init__(self) -> None:
        object.__setattr__(self, "_set", {})

    def __getattr__(self, name: str) -> Any:
        kind = type(self).FIELDS.get(name)
        if kind is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        own: dict[str, Any] = self.__dict__["_set"]
        if name not in own and isinstance(kind, type) and issubclass(kind, Fields):
            own[name] = kind()
        return own.get(name, _DEFAULTS.get((type(self).__name__, name)))

    def __setattr__(self, name: str, value: Any) -> None:
        kind = type(self).FIELDS.get(name)
        if kind is None:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        if value is not None and not isinstance(value, kind):
            raise TypeError(f"Property '{name}' must be of type {kind}. Got {value!r} (type: {type(value)}).")
        self.__dict__["_set"][name] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and all(getattr(self, n) == getattr(other, n) for n in self.FIELDS)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def merge(self, other: Self) -> Self:
        """What both say; the other's word counts where both speak."""
        made = type(self)()
        for name, kind in self.FIELDS.items():
            if isinstance(kind, type) and issubclass(kind, Fields):
                made.__dict__["_set"][name] = getattr(self, name).merge(getattr(other, name))
                continue
            mine, theirs = self.__dict__["_set"].get(name), other.__dict__["_set"].get(name)
            if mine is not None or theirs is not None:
                made.__dict__["_set"][name] = mine if theirs is None else theirs
        return made


class AutotuneOptions(Fields):
    FIELDS: ClassVar[dict[str, Any]] = {
        "enabled": bool, "cpu_budget": int, "ram_budget": int, "autotune_algorithm": AutotuneAlgorithm, "initial_parallelism": int,
        "min_parallelism": int,
    }  # fmt: skip


class DistributeOptions(Fields):
    FIELDS: ClassVar[dict[str, Any]] = {"auto_shard_policy": AutoShardPolicy, "num_devices": int}


class OptimizationOptions(Fields):
    FIELDS: ClassVar[dict[str, Any]] = dict.fromkeys(
        [
            "apply_default_optimizations", "filter_fusion", "filter_parallelization", "inject_prefetch", "map_and_batch_fusion",
            "map_and_filter_fusion", "map_fusion", "map_parallelization", "noop_elimination", "parallel_batch", "seq_interleave_prefetch",
            "shuffle_and_repeat_fusion",
        ],
        bool,
    )  # fmt: skip


class ServiceOptions(Fields):
    FIELDS: ClassVar[dict[str, Any]] = {"pinned": bool}


class ThreadingOptions(Fields):
    FIELDS: ClassVar[dict[str, Any]] = {"max_intra_op_parallelism": int, "private_threadpool_size": int}


class Options(Fields):
    FIELDS: ClassVar[dict[str, Any]] = {
        "autotune": AutotuneOptions, "deterministic": bool, "experimental_deterministic": bool, "dataset_name": str,
        "experimental_distribute": DistributeOptions, "experimental_external_state_policy": ExternalStatePolicy,
        "experimental_optimization": OptimizationOptions, "experimental_service": ServiceOptions, "experimental_slack": bool,
        "experimental_symbolic_checkpoint": bool, "experimental_threading": ThreadingOptions, "experimental_warm_start": bool,
        "framework_type": list, "threading": ThreadingOptions,
    }  # fmt: skip


_DEFAULTS: dict[tuple[str, str], Any] = {("DistributeOptions", "auto_shard_policy"): AutoShardPolicy.AUTO}

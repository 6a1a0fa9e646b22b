"""`tf.compat.v1`: the TensorFlow 1 spellings tutorials use: device options and the switch to graphs. Graphs themselves are in graph_v1.py and its neighbours."""

from __future__ import annotations

import importlib
from typing import Any

from milepost.devices import CHOICE

__all__ = [
    "ConfigProto", "GPUOptions", "disable_eager_execution", "disable_v2_behavior", "enable_eager_execution", "enable_v2_behavior", "set_random_seed",
    "train",
]  # fmt: skip

_GRAPHS = (
    "AUTO_REUSE", "Graph", "assign", "assign_add", "assign_sub", "get_default_graph", "get_default_session", "get_variable", "global_variables",
    "global_variables_initializer", "local_variables_initializer", "placeholder", "placeholder_with_default", "reset_default_graph",
    "trainable_variables", "variable_scope", "variables_initializer",
)  # fmt: skip
_SESSIONS = ("InteractiveSession", "Session")
_TRAIN = ("AdagradOptimizer", "AdamOptimizer", "GradientDescentOptimizer", "MomentumOptimizer", "RMSPropOptimizer")
# TensorFlow 1's names of functions that moved.
_MOVED = {
    "ceil": "math.ceil", "count_nonzero": "math.count_nonzero", "div": "math.divide", "erf": "math.erf", "floordiv": "math.floordiv",
    "is_nan": "math.is_nan", "log": "math.log", "log1p": "math.log1p", "mod": "math.floormod", "random_normal": "random.normal",
    "random_shuffle": "random.shuffle", "random_uniform": "random.uniform", "rsqrt": "math.rsqrt", "truncated_normal": "random.truncated_normal",
    "matrix_inverse": "linalg.inv", "cholesky": "linalg.cholesky", "squared_difference": "math.squared_difference",
}  # fmt: skip


class GPUOptions:
    """How GPU memory is taken: allow_growth, per_process_gpu_memory_fraction, visible_device_list."""

    def __init__(
        self,
        per_process_gpu_memory_fraction: float = 0.0,
        allow_growth: bool = False,
        visible_device_list: str = "",
        **others: Any,
    ):
        self.per_process_gpu_memory_fraction = per_process_gpu_memory_fraction
        self.allow_growth = allow_growth
        self.visible_device_list = visible_device_list
        self._others = others

    def _lines(self) -> list[str]:
        lines = []
        if self.per_process_gpu_memory_fraction:
            lines.append(f"per_process_gpu_memory_fraction: {self.per_process_gpu_memory_fraction:g}")
        if self.allow_growth:
            lines.append("allow_growth: true")
        if self.visible_device_list:
            lines.append(f'visible_device_list: "{self.visible_device_list}"')
        return lines

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())


class ConfigProto:
    """Options of a session: gpu_options, thread counts, soft placement."""

    def __init__(
        self, gpu_options: GPUOptions | None = None, allow_soft_placement: bool = False, intra_op_parallelism_threads: int = 0,
        inter_op_parallelism_threads: int = 0, log_device_placement: bool = False, device_count: dict[str, int] | None = None, **others: Any,
    ):  # fmt: skip
        self.gpu_options = gpu_options or GPUOptions()
        self.allow_soft_placement = allow_soft_placement
        self.intra_op_parallelism_threads = intra_op_parallelism_threads
        self.inter_op_parallelism_threads = inter_op_parallelism_threads
        self.log_device_placement = log_device_placement
        self.device_count = dict(device_count or {})
        self._others = others

    def __str__(self) -> str:
        text = ""
        for name in ("intra_op_parallelism_threads", "inter_op_parallelism_threads"):
            if getattr(self, name):
                text += f"{name}: {getattr(self, name)}\n"
        inner = self.gpu_options._lines()
        if inner:
            text += "gpu_options {\n" + "".join(f"  {line}\n" for line in inner) + "}\n"
        if self.allow_soft_placement:
            text += "allow_soft_placement: true\n"
        return text


def obey(config: ConfigProto | None) -> None:
    """Do what the options say, to torch and jax."""
    if config is None:
        return
    from milepost.tf import config as tf_config

    options = config.gpu_options
    gpus = CHOICE.visible("GPU")
    if options.visible_device_list and gpus:
        wanted = [int(i) for i in options.visible_device_list.split(",")]
        tf_config.set_visible_devices([g for g in gpus if g.index in wanted], "GPU")
    if options.allow_growth:
        for gpu in CHOICE.visible("GPU"):
            CHOICE.set_growth(gpu, True)
    if options.per_process_gpu_memory_fraction:
        CHOICE.set_fraction(options.per_process_gpu_memory_fraction)
    if config.intra_op_parallelism_threads:
        tf_config.threading.set_intra_op_parallelism_threads(config.intra_op_parallelism_threads)


_switched = False


def enable_eager_execution(
    config: ConfigProto | None = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Functions of `tf` compute at once, as they do unless told otherwise; the device options of `config` take effect."""
    global _switched
    obey(config)
    if _switched:
        from milepost.tf import graph_mode

        graph_mode.switch(False)
        _switched = False


def disable_eager_execution() -> None:
    """From here on, functions of `tf` write a graph, which a Session runs."""
    global _switched
    from milepost.tf import graph_mode

    if not _switched:
        graph_mode.switch(True)
        _switched = True


def enable_v2_behavior() -> None:
    """`enable_eager_execution`."""
    enable_eager_execution()


def disable_v2_behavior() -> None:
    """`disable_eager_execution`."""
    disable_eager_execution()


def set_random_seed(seed: int) -> None:
    """`tf.random.set_seed`."""
    from milepost.tf.random import set_seed

    set_seed(seed)


class _TrainV1:
    """`tf.compat.v1.train`: optimizers of graphs, Saver, and today's tf.train."""

    def __getattr__(self, name: str) -> Any:
        if name == "Saver":
            return _from("graph_names_v1", name)
        if name in _TRAIN:
            return _from("derivatives_v1", name)
        if name == "Optimizer":
            import keras

            return keras.optimizers.Optimizer
        return getattr(importlib.import_module("milepost.tf.train"), name)


def _from(file: str, name: str) -> Any:
    return getattr(importlib.import_module(f"milepost.tf.{file}"), name)


train = _TrainV1()


def __getattr__(name: str) -> Any:
    if name == "logging":
        return importlib.import_module("milepost.tf.logging_v1")
    if name == "contrib":
        return importlib.import_module("milepost.tf.contrib")
    if name in _GRAPHS:
        return _from("graph_names_v1", name)
    if name in _SESSIONS:
        return _from("session_v1", name)
    if name in _MOVED:
        space, _, own = _MOVED[name].partition(".")
        return getattr(getattr(importlib.import_module("milepost.tf"), space), own)
    from milepost.tf.names import NAMES, SPACES

    if name in NAMES or name in SPACES:
        return getattr(importlib.import_module("milepost.tf"), name)
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.compat.v1", [*__all__, *_GRAPHS, *_SESSIONS, *_MOVED, *NAMES, *SPACES])

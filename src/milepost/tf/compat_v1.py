"""`tf.compat.v1`: the TensorFlow 1 spellings tutorials use — device options, Session's config, Saver — acting on today's program. No graphs."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

from milepost.devices import CHOICE

__all__ = [
    "ConfigProto", "GPUOptions", "Session", "disable_eager_execution", "disable_v2_behavior", "enable_eager_execution", "enable_v2_behavior",
    "global_variables_initializer", "set_random_seed", "train",
]  # fmt: skip


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


def _obey(config: ConfigProto | None) -> None:
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


def enable_eager_execution(
    config: ConfigProto | None = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Eager it is already; the device options of `config` take effect."""
    _obey(config)


def disable_eager_execution() -> None:
    """Graphs by hand are not there: programs stay eager, and tf.function traces."""
    warnings.warn(
        "Milepost has no graph mode: the program stays eager. Put @tf.function on what should be traced.",
        UserWarning,
        stacklevel=2,
    )


def enable_v2_behavior() -> None:
    """It is on."""


def disable_v2_behavior() -> None:
    """It cannot be switched off."""
    disable_eager_execution()


def global_variables_initializer() -> None:
    """Variables have their values when they are made."""


def set_random_seed(seed: int) -> None:
    """`tf.random.set_seed`."""
    from milepost.tf.random import set_seed

    set_seed(seed)


class Session:
    """Takes the device options of its config. `run` gives the values of tensors, which exist already."""

    def __init__(self, target: str = "", graph: Any = None, config: ConfigProto | None = None):
        _obey(config)

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        if feed_dict:
            raise RuntimeError("There are no placeholders to feed: call a function with the values instead.")
        from milepost.tf.structure import map_structure

        return map_structure(lambda v: v.numpy() if hasattr(v, "numpy") else v, fetches)

    def close(self) -> None:
        """Nothing is held."""

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


class _TrainV1:
    """`tf.compat.v1.train`: the names that still mean something."""

    @property
    def Saver(self) -> Any:
        return Saver

    @property
    def Optimizer(self) -> Any:
        import keras

        return keras.optimizers.Optimizer

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module("milepost.tf.train"), name)


class Saver:
    """`Saver(var_list).save(session, prefix, global_step)`: the named variables, as a Checkpoint under their names."""

    def __init__(self, var_list: Any = None, max_to_keep: int | None = 5, **_: Any):
        if var_list is None:
            raise ValueError(
                "Saver() needs the variables: tf.train.Saver([v, w]), or use tf.train.Checkpoint(model=model)."
            )
        named = var_list if isinstance(var_list, dict) else {v.name.partition(":")[0]: v for v in var_list}
        from milepost.train import Checkpoint

        self._checkpoint = Checkpoint(**named)
        self._keep = max_to_keep

    def save(self, sess: Any, save_path: str, global_step: Any = None, **_: Any) -> str:
        prefix = save_path if global_step is None else f"{save_path}-{int(global_step)}"
        return str(self._checkpoint.write(prefix))

    def restore(self, sess: Any, save_path: str) -> None:
        self._checkpoint.read(save_path).assert_existing_objects_matched()


train = _TrainV1()


def __getattr__(name: str) -> Any:
    if name == "logging":
        return importlib.import_module("milepost.tf.logging_v1")
    if name == "contrib":
        return importlib.import_module("milepost.tf.contrib")
    from milepost.tf.names import NAMES, SPACES

    if name in NAMES or name in SPACES:
        return getattr(importlib.import_module("milepost.tf"), name)
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.compat.v1", [*__all__, *NAMES, *SPACES])

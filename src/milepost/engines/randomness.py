"""Random state without pickle. In: the global generators of the engines in use, or a generator object. Out: plain values, and back.

`states()` covers Python, numpy, torch (CPU and every CUDA device in use) and Keras' global seed generator. jax has no hidden
random state: its keys are arrays and are saved like any other.
"""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Iterable, Mapping
from typing import Any, final

import numpy as np

from milepost.engines.adapter import Adapter, Sketch
from milepost.engines.plain import build
from milepost.errors import EngineMissingError

__all__ = ["generator_adapter", "set_states", "states"]


def states() -> dict[str, Any]:
    """The random state of every engine this process has imported, as numbers, strings and arrays."""
    # first, because Keras makes its seed with Python's generator when it is asked for it the first time
    seed = {"keras": {"global_seed": _keras_seed().state.numpy()}} if "keras" in sys.modules else {}
    out: dict[str, Any] = {"python": _from_python(random.getstate()), "numpy": np.random.get_state(legacy=False)}
    torch = sys.modules.get("torch")
    if torch is not None:
        out["torch"] = {"cpu": torch.get_rng_state().numpy()}
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            out["torch"]["cuda"] = [state.cpu().numpy() for state in torch.cuda.get_rng_state_all()]
    return out | seed


def set_states(saved: Mapping[str, Any]) -> None:
    """Set the random state that `states` described; engines the saved run used are imported if need be."""
    # importing an engine, or asking Keras for its seed, draws numbers: Python and numpy come last
    if "keras" in saved:
        _engine("keras")
        seed = _keras_seed().state
        seed.assign(np.array(saved["keras"]["global_seed"]))
    if "torch" in saved:
        torch = _engine("torch")
        torch.set_rng_state(torch.from_numpy(np.array(saved["torch"]["cpu"], np.uint8)))
        # a run may go on with fewer devices: those that are there go on exactly
        for device, state in zip(range(torch.cuda.device_count()), saved["torch"].get("cuda", ()), strict=False):
            torch.cuda.set_rng_state(torch.from_numpy(np.array(state, np.uint8)), device)
    if "python" in saved:
        random.setstate(_to_python(saved["python"]))
    if "numpy" in saved:
        np.random.set_state(_whole(saved["numpy"]))


def _engine(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise EngineMissingError(
            f"the saved run has random state of {name}, which is not installed",
            todo=f"install {name}, or leave Rng out of the restore",
        ) from error


def _keras_seed() -> Any:
    from keras.src.random.seed_generator import global_seed_generator

    return global_seed_generator()


def _from_python(state: tuple[Any, ...]) -> dict[str, Any]:
    version, words, gauss = state
    return {"version": version, "words": np.array(words, np.uint64), "gauss": gauss}


def _to_python(state: Mapping[str, Any]) -> tuple[Any, ...]:
    return int(state["version"]), tuple(int(word) for word in state["words"]), state["gauss"]


def _whole(state: Mapping[str, Any]) -> dict[str, Any]:
    """numpy wants its own types back: plain dicts and ints."""
    return {key: _whole(value) if isinstance(value, Mapping) else value for key, value in state.items()}


@final
class _PythonRandom(Adapter):
    """A random.Random of the user's own."""

    by_value = True

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        return _from_python(obj.getstate()).items()

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        obj.setstate(_to_python(children))
        return obj


@final
class _NumpyRandom(Adapter):
    """A numpy Generator, RandomState or BitGenerator."""

    by_value = True

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        return list(_bits(obj).state.items())

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        _bits(obj).state = _whole(children)
        return obj

    def adopt(self, obj: Any, name: str, sketch: Sketch) -> Any:
        return build(sketch)


def _bits(obj: Any) -> Any:
    if isinstance(obj, np.random.RandomState):
        return _Legacy(obj)
    return obj.bit_generator if isinstance(obj, np.random.Generator) else obj


@final
class _Legacy:
    """RandomState keeps more than its bit generator: the second half of a pair of normal numbers."""

    def __init__(self, generator: Any):
        self.generator = generator

    @property
    def state(self) -> Any:
        return self.generator.get_state(legacy=False)

    @state.setter
    def state(self, value: Any) -> None:
        self.generator.set_state(value)


_PYTHON, _NUMPY = _PythonRandom(), _NumpyRandom()


def generator_adapter(obj: Any) -> Adapter | None:
    """The adapter of a random generator object, None for anything else."""
    if isinstance(obj, random.SystemRandom):
        return None  # its randomness is the machine's: there is no state to save
    if isinstance(obj, random.Random):
        return _PYTHON
    if isinstance(obj, (np.random.Generator, np.random.RandomState, np.random.BitGenerator)):
        return _NUMPY
    return None

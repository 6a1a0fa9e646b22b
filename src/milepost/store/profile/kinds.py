"""What each event of a trace is. In: a `Trace`. Out: one small number an event, by category, name and track.

Engines name the same thing differently; here, once, they are put into the same few drawers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.formats.trace import Trace, Track

__all__ = ["KINDS", "Kinded", "kinded"]

KINDS = ("other", "op", "kernel", "copy", "input", "python", "step", "span", "state", "runtime")
OTHER, OP, KERNEL, COPY, INPUT, PYTHON, STEP, SPAN, STATE, RUNTIME = range(len(KINDS))

_BY_CATEGORY = {
    "cpu_op": OP, "operator": OP, "Op": OP, "kernel": KERNEL, "Kernel": KERNEL,
    "gpu_memcpy": COPY, "gpu_memset": COPY, "Memcpy": COPY, "Memset": COPY,
    "cuda_runtime": RUNTIME, "cuda_driver": RUNTIME, "Runtime": RUNTIME, "overhead": RUNTIME,
    "python_function": PYTHON, "python_frame": PYTHON, "user_annotation": SPAN, "gpu_user_annotation": OTHER,
    "step": STEP, "host_state": STATE, "Trace": OTHER, "milepost_capture": OTHER,
}  # fmt: skip

_COPY = re.compile(
    r"^(?:aten::(?:copy_|_to_copy|to|clone)|Memcpy.*|Memset.*|EagerCopyToDevice.*|CopyToDevice.*|copy(?:-start|-done)?(?:\.\d+)?"
    r"|TransferTo.*|BufferFromHostBuffer.*|.*H2D.*|.*D2H.*)$"
)
_INPUT = re.compile(
    r"enumerate\(DataLoader\)|DataLoader|^Iterator::|IteratorGetNext|^(?:input|data|load|fetch|next_batch|dataloader|data_loading)$"
    r"|torch/utils/data/|keras/src/trainers/data_adapters/|milepost/tf/data",
    re.IGNORECASE,
)
# What XLA's and TensorFlow's host threads record of themselves, as against the ops they run.
_MACHINERY = re.compile(
    r"::|^end: |^\$|^(?:EagerLocalExecute|EagerExecute|EagerKernelExecute|FunctionRun|ExecutorState|PjitFunction|ParseArguments"
    r"|Handle |TFE_|Wait |Allocate|Validate|MemoryAllocation|MemoryDeallocation|Prepare|Schedule|CreateExecutable|tf\.constant)"
)
_WORKERS = re.compile(
    r"^(?:tf_Compute|tf_XLA|tf_numa|tf_data|XLA|Eigen|tf_pjrt|Tensorflow Ops|XLA Ops|TensorFlow Ops)", re.I
)
_DEVICE = re.compile(r"/device:|^GPU|\bGPU \d|TPU|CUDA", re.I)


@dataclass(frozen=True, slots=True)
class Kinded:
    """A trace with the kind of every event, and what follows from it at once."""

    trace: Trace
    kind: NDArray[np.uint8]
    has_device: bool
    device_track: NDArray[np.bool_]

    def which(self, *kinds: int) -> NDArray[np.int64]:
        return np.flatnonzero(np.isin(self.kind, kinds))


def _is_device(track: Track) -> bool:
    return bool(_DEVICE.search(track.process)) and "/host" not in track.process


def kinded(trace: Trace) -> Kinded:
    categories = np.array([_BY_CATEGORY.get(text, -1) for text in trace.strings] or [-1], np.int16)
    names = np.array([_kind_of_name(text) for text in trace.strings] or [0], np.int16)
    kind = np.where(trace.category >= 0, categories[trace.category], -1)
    by_name = names[trace.name]
    device = np.array([_is_device(track) for track in trace.tracks] or [False], np.bool_)
    worker = np.array([bool(_WORKERS.search(track.thread)) for track in trace.tracks] or [False], np.bool_)
    on_device, on_worker = device[trace.track], worker[trace.track]
    machinery = np.array([bool(_MACHINERY.search(text)) for text in trace.strings] or [False], np.bool_)[trace.name]
    # Files without categories (XPlanes, jax's JSON): the thread says who runs, the name what.
    unknown = kind < 0
    kind = np.where(unknown, OTHER, kind)
    kind = np.where(unknown & on_worker & ~machinery & (trace.duration > 0), OP, kind)
    kind = np.where(unknown & machinery & ~on_device, RUNTIME, kind)
    kind = np.where(unknown & on_device & (trace.duration > 0), KERNEL, kind)
    kind = np.where((by_name == COPY) & np.isin(kind, (OP, KERNEL, OTHER, RUNTIME)), COPY, kind)
    # A span or a sampled frame of a data loader is input; an op inside it keeps its own kind.
    kind = np.where((by_name == INPUT) & np.isin(kind, (SPAN, PYTHON, OTHER)), INPUT, kind)
    kind = np.where(trace.step >= 0, STEP, kind)
    device = device | _stream_tracks(trace, kind, len(device))
    has_device = bool(np.isin(kind[device[trace.track]], (KERNEL, COPY)).any()) if len(trace) else False
    return Kinded(trace, kind.astype(np.uint8), has_device, device)


def _stream_tracks(trace: Trace, kind: NDArray[Any], count: int) -> NDArray[np.bool_]:
    """Tracks on which a category, not a name, says that a device runs: torch's streams."""
    found = np.zeros(count, np.bool_)
    gpu = [i for i, text in enumerate(trace.strings) if text in ("kernel", "gpu_memcpy", "gpu_memset", "Kernel")]
    found[np.unique(trace.track[np.isin(trace.category, gpu)])] = True
    return found


def _kind_of_name(name: str) -> int:
    if _COPY.match(name):
        return COPY
    # importing a data loader is no input
    return INPUT if _INPUT.search(name) and not name.endswith("<module>") else OTHER

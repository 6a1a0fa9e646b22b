"""Summaries: what a run writes while it trains, in TensorBoard's event files. In: values of any engine. Out: event files.

See README.md in this folder for the order in which to read it. Not here: reading (`milepost.store`).
"""

from __future__ import annotations

import importlib
from typing import Any

from milepost.summary import experimental
from milepost.summary.context import name_scope, record_if, should_record_summaries
from milepost.summary.distributions import histogram, pr_curve
from milepost.summary.drop_in import SummaryWriter
from milepost.summary.geometry import mesh
from milepost.summary.hyperparameters import hparams, hparams_config
from milepost.summary.layout import custom_scalars
from milepost.summary.media import audio, image
from milepost.summary.projector import embedding
from milepost.summary.values import scalar, text, write
from milepost.summary.writer import create_file_writer, create_noop_writer, flush

__all__ = [
    "SummaryWriter",
    "audio", "create_file_writer", "create_noop_writer", "custom_scalars", "embedding", "experimental", "flush",
    "histogram", "hparams", "hparams_config", "image", "mesh", "name_scope", "pr_curve", "record_if", "scalar",
    "should_record_summaries", "text", "write",
]  # fmt: skip

# Graph and profile are other rooms' trade: `milepost.tracing` joins them with the writers of this one, and loads when used.
_TRACING = frozenset({"graph", "keras_model", "trace_export", "trace_off", "trace_on"})


def __getattr__(name: str) -> Any:
    if name not in _TRACING:
        raise AttributeError(f"module 'milepost.summary' has no attribute {name!r}")
    return getattr(importlib.import_module("milepost.tracing"), name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_TRACING})

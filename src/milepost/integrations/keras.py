"""The Keras callback: everything a `fit` shows of itself, in event files. In: a Keras 3 model on any backend. Out: summaries.

Works with torch, JAX or TensorFlow under Keras and needs none of them by name. The parameters mean what Keras' tutorials say they mean;
where TensorFlow's own callback has lost some of it since, see `docs/reference/keras-callback.md`.
Not here: what a summary's bytes are (`summary`), graphs (`modelgraph`), captures (`profiler`), counting samples (`keras_samples`).
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import keras
import numpy as np

from milepost import modelgraph, profiler, summary
from milepost.integrations.keras_samples import SampleCounter
from milepost.integrations.projector import write_projector_config

__all__ = ["TensorBoard"]

IMAGE_CHANNELS = (1, 3, 4)


def _host(value: Any) -> np.ndarray[Any, Any]:
    return np.asarray(keras.ops.convert_to_numpy(value))


class TensorBoard(keras.callbacks.Callback):  # type: ignore[misc]  # keras ships no types
    """Writes losses, metrics, weights, the model's graph and a profile while `fit` runs.

    log_dir: `train` and `validation` become two runs below it.
    histogram_freq: every so many epochs the weights' histograms; 0 is never.
    write_graph: the model's graph, subclassed models too.
    write_images: weights as images, with the histograms.
    update_freq: "epoch", "batch" (after every batch), or a number of *samples*; epoch values are written in any case.
    profile_batch: the batch to profile, or a pair ("10,20" or (10, 20)); 0 is none. Default: the second batch.
    embeddings_freq, embeddings_metadata: every so many epochs the embedding layers for the projector, and their labels.
    write_steps_per_second: the training speed, with the losses.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] = "logs",
        histogram_freq: int = 0,
        write_graph: bool = True,
        write_images: bool = False,
        write_steps_per_second: bool = False,
        update_freq: int | str = "epoch",
        profile_batch: int | str | tuple[int, int] | list[int] = 2,
        embeddings_freq: int = 0,
        embeddings_metadata: dict[str, str] | str | None = None,
    ):
        super().__init__()
        self.log_dir = os.fspath(log_dir)
        self.histogram_freq, self.write_graph, self.write_images = histogram_freq, write_graph, write_images
        self.write_steps_per_second = write_steps_per_second
        self.update_freq = _update_freq(update_freq)
        self.embeddings_freq, self.embeddings_metadata = embeddings_freq, embeddings_metadata
        self._profile_from, self._profile_to = _profile_range(profile_batch)
        self._writers: dict[str, Any] = {}
        self._samples: SampleCounter | None = None
        self._profiling = False
        self._model_shown = False
        self._train_step = 0
        self._due = 0
        if self.update_freq == "epoch" and type(self).on_train_batch_end is TensorBoard.on_train_batch_end:
            # Keras' own, by which it knows that nobody waits for batches
            self.__dict__["on_train_batch_end"] = super().on_train_batch_end

    # --- writers ----------------------------------------------------------------------------------------------------

    def _writer(self, run: str) -> Any:
        if run not in self._writers:
            self._writers[run] = summary.create_file_writer(os.path.join(self.log_dir, run))
        return self._writers[run]

    def _write(self, run: str, step: int, values: dict[str, Any]) -> None:
        with self._writer(run).as_default(step=step):
            for tag, value in values.items():
                summary.scalar(tag, value)

    # --- the life of a fit ------------------------------------------------------------------------------------------

    def set_model(self, model: Any) -> None:
        super().set_model(model)
        self._model_shown = False

    def on_train_begin(self, logs: Any = None) -> None:
        self._train_step = self._iterations()
        self._due = 0
        if isinstance(self.update_freq, int) and self.update_freq > 1:
            self._samples = SampleCounter.attach(self.model)
        self._writer("train")  # the run is there as soon as training is
        if self.write_graph:
            self._show_model()

    def on_train_end(self, logs: Any = None) -> None:
        if self.write_graph:
            self._show_model()
        if self._samples is not None:
            self._samples.detach()
            self._samples = None
        self._stop_profile()
        for writer in self._writers.values():
            writer.close()
        self._writers = {}

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._epoch_began, self._epoch_first_step = time.perf_counter(), self._train_step

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        # what is due after a batch is done before the next one: a hook after batches makes Keras wait for every batch's values
        if self._profiling and self._train_step >= self._profile_to:
            self._stop_profile()
        if not self._model_shown and self.write_graph:
            self._show_model()
        self._train_step += 1
        self._batch_began = time.perf_counter()
        if self._train_step == self._profile_from:
            self._start_profile()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if self.update_freq == "epoch" or not self._batch_is_due():
            return
        # straight to the writer: the log's own clock says when the file is written, not each batch
        write, step = self._writer("train").scalar, self._train_step
        for name, value in (logs or {}).items():
            write(f"batch_{name}", value if type(value) is float else float(_host(value)), step)
        if self.write_steps_per_second:
            write("batch_steps_per_second", 1.0 / max(time.perf_counter() - self._batch_began, 1e-9), step)

    def _batch_is_due(self) -> bool:
        if self.update_freq == 1:
            return True
        # without a sample count (an iterator the counter cannot see into) the number means batches
        passed = self._samples.total if self._samples is not None and self._samples.total else self._train_step
        turn, self._due = self._due, passed // int(self.update_freq)
        return self._due > turn

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self._profiling and self._train_step >= self._profile_to:
            self._stop_profile()
        logs = dict(logs or {})
        train = {name: value for name, value in logs.items() if not name.startswith("val_")}
        rate = self._learning_rate()
        if rate is not None:
            train["learning_rate"] = rate
        if self.write_steps_per_second:
            passed = time.perf_counter() - self._epoch_began
            train["steps_per_second"] = (self._train_step - self._epoch_first_step) / max(passed, 1e-9)
        self._write("train", epoch, {f"epoch_{name}": value for name, value in train.items()})
        validation = {name[4:]: value for name, value in logs.items() if name.startswith("val_")}
        if validation:
            self._write("validation", epoch, {f"epoch_{name}": value for name, value in validation.items()})
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._write_weights(epoch)
        if self.embeddings_freq and epoch % self.embeddings_freq == 0:
            self._write_embeddings(epoch)
        for writer in self._writers.values():
            writer.flush()

    def on_test_end(self, logs: Any = None) -> None:
        if not logs:
            return
        step = self._iterations() or self._train_step
        self._write("validation", step, {f"evaluation_{name}_vs_iterations": value for name, value in logs.items()})

    # --- parts ------------------------------------------------------------------------------------------------------

    def _iterations(self) -> int:
        optimizer = getattr(self.model, "optimizer", None)
        count = getattr(optimizer, "iterations", None)
        return 0 if count is None else int(_host(count))

    def _learning_rate(self) -> float | None:
        optimizer = getattr(self.model, "optimizer", None)
        rate = getattr(optimizer, "learning_rate", None)
        return None if rate is None else float(_host(rate))

    def _show_model(self) -> None:
        """The graph, once: before the first batch when the model is built, else as soon as it is."""
        if self._model_shown or not getattr(self.model, "built", False):
            return
        self._model_shown = True
        try:
            with self._writer("train").as_default(step=0):
                if not summary.keras_model("keras", self.model):  # a subclassed model has no configuration to draw
                    found = modelgraph.ops(self.model) or modelgraph.graph(self.model)
                    summary.graph(found.graph_def())
        except Exception as error:  # a model that cannot be drawn must not stop its training
            warnings.warn(f"the graph of {type(self.model).__name__} was not written: {error}", stacklevel=2)

    def _write_weights(self, epoch: int) -> None:
        with self._writer("train").as_default(step=epoch):
            for weight in _weights(self.model):
                name = weight.path.replace(":", "_")
                value = _host(weight)
                summary.histogram(f"{name}/histogram", value)
                if self.write_images:
                    picture = _as_image(value)
                    if picture is not None:
                        summary.image(f"{name}/image", picture)

    def _write_embeddings(self, epoch: int) -> None:
        layers = [layer for layer in _layers(self.model) if isinstance(layer, keras.layers.Embedding)]
        if layers:
            tensors = {layer.name: _host(layer.embeddings) for layer in layers}
            write_projector_config(self.log_dir, tensors, self._metadata(tensors))

    def _metadata(self, tensors: dict[str, Any]) -> dict[str, str]:
        given = self.embeddings_metadata
        if given is None:
            return {}
        if isinstance(given, (str, os.PathLike)):
            return dict.fromkeys(tensors, os.fspath(given))
        unknown = set(given) - set(tensors)
        if unknown:
            raise ValueError(
                f"embeddings_metadata names layers that are no Embedding of this model: {sorted(unknown)}; "
                f"there are {sorted(tensors) or 'none'}."
            )
        return dict(given)

    def _start_profile(self) -> None:
        if profiler.active():
            return  # a capture of the user's own is running
        profiler.start(os.path.join(self.log_dir, "train"))
        self._profiling = True

    def _stop_profile(self) -> None:
        if self._profiling:
            self._profiling = False
            running = getattr(self.model, "_jax_state", None)
            if running is not None:  # jax may still be computing the batch
                sys.modules["jax"].block_until_ready(running)
            profiler.stop()


def _update_freq(value: int | str) -> int | str:
    if value == "batch":
        return 1
    if value == "epoch" or (isinstance(value, int) and value > 0):
        return value
    raise ValueError(f'update_freq must be "batch", "epoch" or a positive number of samples, got {value!r}.')


def _profile_range(value: Any) -> tuple[int, int]:
    """(first, last) batch to profile; (0, 0) for none."""
    wrong = ValueError(
        "profile_batch must be a non-negative integer or 2-tuple of positive integers. A pair of positive integers signifies a "
        f"range of batches to profile. Found: {value!r}"
    )
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, (tuple, list)) else [value]
    try:
        first, last = (int(part) for part in (parts * 2 if len(parts) == 1 else parts))
    except (TypeError, ValueError):
        raise wrong from None
    if first < 0 or last < first or (first == 0 and last > 0):
        raise wrong
    return first, last


def _layers(model: Any) -> list[Any]:
    flat: Callable[[], list[Any]] | None = getattr(model, "_flatten_layers", None)
    return list(flat()) if flat is not None else list(model.layers)


def _weights(model: Any) -> list[Any]:
    """Every weight once; seeds are no weights."""
    seen: dict[int, Any] = {}
    for weight in model.weights:
        seen.setdefault(id(weight), weight)
    return list(seen.values())


def _as_image(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """A weight as pictures [k, height, width, channels], scaled to 0..1; None for what no picture can show."""
    value = np.squeeze(value)
    if value.ndim == 1:
        picture = value.reshape(1, -1, 1, 1)
    elif value.ndim == 2:
        value = value.T if value.shape[0] > value.shape[1] else value
        picture = value.reshape(1, *value.shape, 1)
    elif value.ndim == 3:
        picture = np.transpose(value, (2, 0, 1))[..., None]
    elif value.ndim == 4 and value.shape[2] in IMAGE_CHANNELS:
        picture = np.transpose(value, (3, 0, 1, 2))
    else:
        return None
    low, high = float(picture.min()), float(picture.max())
    return np.asarray((picture - low) / (high - low) if high > low else np.zeros_like(picture), np.float32)

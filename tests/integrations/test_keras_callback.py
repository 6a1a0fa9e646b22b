"""The Keras callback: the tags Keras' own callback writes, the seeds' meaning of each parameter, on torch and on JAX."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import milepost
from milepost.integrations.keras import TensorBoard

SAMPLES, BATCH = 96, 32


def data() -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    return random.normal(size=(SAMPLES, 6)).astype("float32"), random.integers(0, 3, SAMPLES)


def network() -> Any:
    model = keras.Sequential(
        [keras.layers.Dense(8, activation="relu", name="first"), keras.layers.Dense(3, activation="softmax")]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def fit(logdir: Path, epochs: int = 2, model: Any = None, **options: Any) -> Any:
    x, y = data()
    model = model or network()
    options.setdefault("profile_batch", 0)
    model.fit(
        x,
        y,
        batch_size=BATCH,
        epochs=epochs,
        verbose=0,
        validation_data=(x, y),
        callbacks=[TensorBoard(logdir, **options)],
    )
    return milepost.open(logdir, cache=False)


def test_epoch_values_go_to_two_runs(tmp_path: Path) -> None:
    """train and validation, with Keras' tag names; the learning rate; evaluation against iterations."""
    runs = fit(tmp_path)
    assert sorted(runs) == ["train", "validation"]
    assert set(runs["train"].scalars) == {"epoch_loss", "epoch_accuracy", "epoch_learning_rate"}
    assert set(runs["validation"].scalars) == {
        "epoch_loss", "epoch_accuracy", "evaluation_loss_vs_iterations", "evaluation_accuracy_vs_iterations",
    }  # fmt: skip
    assert runs["train"].scalars["epoch_loss"].step.tolist() == [0, 1]
    assert runs["train"].scalars["epoch_learning_rate"].value[0] == pytest.approx(0.001)
    assert runs["validation"].scalars["evaluation_loss_vs_iterations"].step.tolist() == [3, 6]


def test_every_batch(tmp_path: Path) -> None:
    """update_freq="batch" writes batch_* after each of the three batches of each epoch, and the epochs too."""
    runs = fit(tmp_path, update_freq="batch", write_steps_per_second=True)
    assert runs["train"].scalars["batch_loss"].step.tolist() == [1, 2, 3, 4, 5, 6]
    assert min(runs["train"].scalars["batch_steps_per_second"].value) > 0
    assert "epoch_steps_per_second" in runs["train"].scalars
    assert "epoch_loss" in runs["train"].scalars


def test_a_number_counts_samples(tmp_path: Path) -> None:
    """update_freq=64 writes when 64 more samples have passed: after the second of the 32-sample batches, then every second."""
    runs = fit(tmp_path, update_freq=64)
    assert runs["train"].scalars["batch_loss"].step.tolist() == [2, 4, 6]


def test_histograms_and_images_of_weights(tmp_path: Path) -> None:
    """Every histogram_freq epochs, each weight under its path."""
    runs = fit(tmp_path, epochs=3, histogram_freq=2, write_images=True)
    names = set(runs["train"].histograms)
    assert any(name.endswith("first/kernel/histogram") for name in names)
    assert any(name.endswith("first/bias/histogram") for name in names)
    kernel = next(runs["train"].histograms[name] for name in names if name.endswith("first/kernel/histogram"))
    assert kernel.step.tolist() == [0, 2]
    assert any(name.endswith("first/kernel/image") for name in runs["train"].images)


def test_graph_of_configured_and_subclassed_models(tmp_path: Path) -> None:
    """A Sequential shows its configuration; a subclassed model shows its graph, as the seeds promise; write_graph=False shows none."""

    class Own(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.inner = keras.layers.Dense(3, activation="softmax")

        def call(self, x: Any) -> Any:
            return self.inner(x)

    own = Own()
    own.compile("adam", "sparse_categorical_crossentropy")
    assert fit(tmp_path / "seq")["train"].graphs
    assert fit(tmp_path / "own", model=own)["train"].graphs
    assert not fit(tmp_path / "none", write_graph=False)["train"].graphs


def test_a_profile_of_the_named_batches(tmp_path: Path) -> None:
    """profile_batch=(2, 3) leaves one capture in the train run; 0 leaves none."""
    fit(tmp_path / "on", profile_batch=(2, 3))
    assert len(list((tmp_path / "on/train/plugins/profile").glob("*/*.trace.json.gz"))) == 1
    fit(tmp_path / "off", profile_batch=0)
    assert not (tmp_path / "off/train/plugins").exists()


def test_embeddings(tmp_path: Path) -> None:
    """Each Embedding layer with its labels; a layer that is none is named in the error."""
    model = keras.Sequential(
        [keras.layers.Embedding(20, 4, name="words"), keras.layers.Flatten(), keras.layers.Dense(2)]
    )
    model.compile("adam", "mse")
    x, y = np.zeros((8, 3), "int32"), np.zeros((8, 2))
    callback = TensorBoard(tmp_path, profile_batch=0, embeddings_freq=1, embeddings_metadata={"words": "labels.tsv"})
    model.fit(x, y, verbose=0, callbacks=[callback])
    config = (tmp_path / "projector_config.pbtxt").read_text()
    assert 'tensor_name: "words"' in config
    assert 'metadata_path: "labels.tsv"' in config
    assert np.loadtxt(tmp_path / "words.tsv").shape == (20, 4)
    wrong = TensorBoard(tmp_path, profile_batch=0, embeddings_freq=1, embeddings_metadata={"wrods": "labels.tsv"})
    with pytest.raises(ValueError, match=r"wrods.*words"):
        model.fit(x, y, verbose=0, callbacks=[wrong])


@pytest.mark.parametrize("value", ["bad", -1, (3, 2), (0, 4), "1,2,3"])
def test_wrong_profile_batches(value: Any) -> None:
    """What is no batch and no range is refused at once."""
    with pytest.raises(ValueError, match="profile_batch"):
        TensorBoard(profile_batch=value)


@pytest.mark.parametrize("value", ["epochs", 0, -3, 1.5])
def test_wrong_update_freq(value: Any) -> None:
    """So is an update_freq that means nothing."""
    with pytest.raises(ValueError, match="update_freq"):
        TensorBoard(update_freq=value)


JAX = """
import sys, json, keras, numpy as np, milepost
from milepost.integrations.keras import TensorBoard
m = keras.Sequential([keras.layers.Dense(4), keras.layers.Dense(1)]); m.compile("adam", "mse")
x = np.ones((64, 3), "float32")
m.fit(x, x[:, :1], batch_size=16, epochs=2, verbose=0, callbacks=[TensorBoard(sys.argv[1], histogram_freq=1, profile_batch=0, update_freq=32)])
run = milepost.open(sys.argv[1], cache=False)["train"]
print(json.dumps([keras.backend.backend(), "torch" in sys.modules, run.scalars["batch_loss"].step.tolist(), run.scalars["epoch_loss"].step.tolist()]))
"""


def test_on_jax_without_torch(tmp_path: Path) -> None:
    """The callback needs Keras and nothing below it by name."""
    environment = {**os.environ, "KERAS_BACKEND": "jax"}
    done = subprocess.run(
        [sys.executable, "-c", JAX, tmp_path], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout.splitlines()[-1]) == ["jax", False, [2, 4, 6, 8], [0, 1]]


def test_keras_need_not_wait_for_batches(tmp_path: Path) -> None:
    """With epoch values only, Keras may hand batches on without waiting for their values; a subclass's own hook still runs."""
    unused = keras.src.utils.is_default  # what Keras asks before it hands batches on
    assert unused(TensorBoard(tmp_path).on_train_batch_end)
    assert not unused(TensorBoard(tmp_path, update_freq="batch").on_train_batch_end)
    seen: list[int] = []

    class Own(TensorBoard):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            seen.append(batch)
            super().on_train_batch_end(batch, logs)

    x, y = data()
    network().fit(x, y, batch_size=BATCH, verbose=0, callbacks=[Own(tmp_path, profile_batch=0)])
    assert seen == [0, 1, 2]


def test_the_benchmark_runs() -> None:
    """benchmarks/bench_callback.py, one short look without the peer."""
    benchmark = Path(__file__).resolve().parents[2] / "benchmarks" / "bench_callback.py"
    done = subprocess.run([sys.executable, benchmark, "--quick"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "milepost on torch" in done.stdout

"""A saved model comes back without its source: variables, functions, signatures. TensorFlow reads its variables; what cannot be saved says so."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost import tf


class Model(tf.Module):  # type: ignore[misc, name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable([[1.0], [2.0]], name="w")
        self.calls = tf.Variable(0, trainable=False)
        self.parts = [tf.Variable(3.0), {"k": tf.Variable(4.0)}]
        self.labels = tf.Variable(["cat", "dog"], trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
    def __call__(self, x: Any) -> Any:
        self.calls.assign_add(1)
        return {"y": x @ self.w, "twice": [x * 2.0]}

    @tf.function
    def scaled(self, x: Any, by: float) -> Any:
        return x * by * self.parts[0]


def test_another_process_runs_it_without_the_class(tmp_path: Path) -> None:
    model = Model()
    model.scaled(tf.constant([1.0, 1.0]), 2.0)
    tf.saved_model.save(model, str(tmp_path / "m"))
    code = f"""
import json
from milepost import tf
m = tf.saved_model.load({str(tmp_path / "m")!r})
out = m(tf.ones((3, 2)))
served = m.signatures["serving_default"](x=tf.ones((1, 2)))
print(json.dumps([out["y"].numpy().tolist(), out["twice"][0].shape[0], int(m.calls), float(m.parts[1]["k"]), [t.decode() for t in m.labels.numpy()], sorted(served),
    m.scaled(tf.constant([1.0, 2.0]), 2.0).numpy().tolist()]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == [[[3.0]] * 3, 3, 2, 4.0, ["cat", "dog"], ["twice", "y"], [6.0, 12.0]]


def test_loaded_variables_train_and_loaded_functions_follow(tmp_path: Path) -> None:
    tf.saved_model.save(Model(), str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(loaded(tf.constant([[1.0, 3.0]]))["y"])
    assert tape.gradient(loss, loaded.w).numpy().tolist() == [[1.0], [3.0]]
    loaded.w.assign([[10.0], [0.0]])
    assert float(loaded(tf.ones((1, 2)))["y"]) == 10.0


def test_a_call_of_another_kind_names_the_kinds_there_are(tmp_path: Path) -> None:
    model = Model()
    model.scaled(tf.constant([1.0, 1.0]), 2.0)
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    with pytest.raises(ValueError, match=r"(?s)Could not find matching concrete function.*TensorSpec\(shape=\(2,\)"):
        loaded.scaled(tf.constant([1.0, 1.0]), 5.0)
    with pytest.raises(TypeError, match=r"takes \['x'\]"):
        loaded.signatures["serving_default"](z=tf.ones((1, 2)))


def test_keras_models_export_and_come_back_as_a_layer(tmp_path: Path) -> None:
    model = tf.keras.Sequential(
        [tf.keras.Input((4,)), tf.keras.layers.Dense(3, activation="relu"), tf.keras.layers.BatchNormalization(), tf.keras.layers.Dropout(0.5)]
    )  # fmt: skip
    x = tf.constant(np.random.default_rng(0).random((5, 4), np.float32))
    model.export(str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    np.testing.assert_allclose(loaded.serve(x).numpy(), model(x).numpy(), rtol=1e-6)
    layer = tf.keras.layers.TFSMLayer(str(tmp_path), call_endpoint="serve")
    np.testing.assert_allclose(layer(x).numpy(), model(x).numpy(), rtol=1e-6)
    assert tf.saved_model.contains_saved_model(str(tmp_path))


def test_what_cannot_be_saved_says_why_and_writes_nothing(tmp_path: Path) -> None:
    class Branching(tf.Module):  # type: ignore[misc, name-defined]
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def f(self, x: Any) -> Any:
            return x if tf.reduce_sum(x) > 0 else -x

    with pytest.raises(ValueError, match=r"f cannot be saved: .* must not look at tensors' values"):
        tf.saved_model.save(Branching(), str(tmp_path / "b"))
    assert not (tmp_path / "b").exists()
    with pytest.raises(OSError, match="SavedModel file does not exist"):
        tf.saved_model.load(str(tmp_path / "b"))


def test_programs_hold_no_weights_and_no_pickles(tmp_path: Path) -> None:
    """A file from a stranger is JSON and raw numbers."""
    tf.saved_model.save(Model(), str(tmp_path))
    for file in (tmp_path / "functions").iterdir():
        with zipfile.ZipFile(file) as archive:
            sizes = {i.filename: i.file_size for i in archive.infolist()}
        assert sum(size for name, size in sizes.items() if name.endswith((".pt", ".pkl"))) == 0
        assert sum(size for name, size in sizes.items() if "/weights/weight_" in name) == 0


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"milepost": 99}', '{"milepost": 1, "variables": 3}'])
def test_a_broken_manifest_is_one_clear_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "saved_model.milepost.json").write_text(text)
    with pytest.raises(ValueError, match="is not a manifest this Milepost reads"):
        tf.saved_model.load(str(tmp_path))


@pytest.mark.peers
def test_tensorflow_reads_the_variables_and_its_own_models_say_what_to_do(peer: Any, tmp_path: Path) -> None:
    tf.saved_model.save(Model(), str(tmp_path / "ours"))
    code = f"""
import tensorflow as tf
print(tf.train.load_checkpoint({str(tmp_path / "ours" / "variables" / "variables")!r}).get_tensor("w/.ATTRIBUTES/VARIABLE_VALUE").tolist())
m = tf.Module(); m.v = tf.Variable([7.0]); tf.saved_model.save(m, {str(tmp_path / "theirs")!r})
"""
    done = subprocess.run([peer.python, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[[1.0], [2.0]]", done.stderr[-2000:]
    assert tf.saved_model.contains_saved_model(str(tmp_path / "theirs"))
    with pytest.raises(NotImplementedError, match="was written by TensorFlow") as error:
        tf.saved_model.load(str(tmp_path / "theirs"))
    assert "tf.train.load_checkpoint" in str(error.value)
    reader = tf.train.load_checkpoint(str(tmp_path / "theirs" / "variables" / "variables"))
    assert reader.get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [7.0]

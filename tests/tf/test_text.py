"""Text and irregular data: what holds without TensorFlow beside it. The values themselves are held against TensorFlow in against_tf."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost import tf
from milepost.tf.hashes import cat64, fingerprint64, murmur64, siphash64


def run(program: str, **environment: str) -> str:
    given = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=given).stdout


def test_a_program_without_ragged_tensors_never_meets_them() -> None:
    """Ordinary functions are exchanged for ones that look only when the ragged room is loaded."""
    program = (
        "import sys; from milepost import tf; d = tf.data.Dataset.range(4).batch(2); list(d); tf.concat([tf.ones(1)] * 2, 0); "
        "tf.strings.length('a'); tf.reduce_sum(tf.ones(3)); print([m for m in sys.modules if m.startswith('milepost.tf.ragged')])"
    )
    assert run(program).strip() == "[]"


def test_keras_does_not_believe_tensorflow_to_be_installed() -> None:
    layer = tf.keras.layers.StringLookup(vocabulary=["a"])
    assert layer(tf.constant(["a"])).numpy().tolist() == [1]
    from keras.src.utils.module_utils import tensorflow

    assert not tensorflow.available
    assert "tensorflow" not in sys.modules


def test_fingerprints_are_the_published_ones() -> None:
    """Numbers that files and models already hold: those TensorFlow 2.21 gives, and FarmHash's constant for the empty string."""
    assert fingerprint64(b"") == 0x9AE16A3B2F90404F
    assert tf.strings.to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3).numpy().tolist() == [0, 2, 2]
    assert tf.keras.layers.Hashing(num_bins=3)([["A"], ["B"], ["C"], ["D"], ["E"]]).numpy().tolist() == [
        [1],
        [0],
        [1],
        [1],
        [2],
    ]


def test_siphash_agrees_with_its_authors_example() -> None:
    """The vector of the SipHash paper: key 00…0f, message 00…0e."""
    key = (0x0706050403020100, 0x0F0E0D0C0B0A0908)
    assert siphash64(key, bytes(range(15))) == 0xA129CA6149BE45E5


def test_hashes_stay_within_64_bits() -> None:
    for size in (0, 1, 3, 4, 7, 8, 16, 17, 32, 33, 64, 65, 200):
        for function in (fingerprint64, murmur64, lambda b: siphash64((2**64 - 1, 1), b)):
            assert 0 <= function(b"\xff" * size) < 2**64
    assert 0 <= cat64(2**64 - 1, -1) < 2**64


def test_a_ragged_tensor_where_a_dense_one_is_needed_says_what_to_do() -> None:
    with pytest.raises(
        ValueError, match=r"A RaggedTensor cannot be used here as a tensor: make it dense first \(to_tensor\(\)\)"
    ):
        tf.linalg.inv(tf.ragged.constant([[1.0], [2.0, 3.0]]))
    with pytest.raises(TypeError, match=r"tf\.sparse\.to_dense"):
        tf.reduce_sum(tf.SparseTensor([[0, 0]], [1.0], [1, 1]))


def test_a_ragged_sum_trains() -> None:
    table = tf.Variable(tf.ones((4, 2)))
    ids = tf.ragged.constant([[0, 1, 1], [], [3]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.reduce_sum(tf.gather(table, ids), axis=1))
    assert tape.gradient(loss, table).numpy().tolist() == [[1, 1], [2, 2], [0, 0], [1, 1]]


def test_hostile_row_splits_are_refused_before_anything_is_read() -> None:
    for splits in ([0, 5, 2, 3], [0, 2**62], [1, 3], [0, -1, 3]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.RaggedTensor.from_row_splits([1, 2, 3], splits)


def test_tables_and_texts_come_back_from_a_checkpoint(tmp_path: Path) -> None:
    class Vocabulary(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
            self.title = tf.Variable("none")

    first: Any = Vocabulary()
    first.table.insert(["a", "b"], [1, 2])
    first.title.assign("words")
    path = tf.train.Checkpoint(v=first).save(str(tmp_path / "c"))
    second: Any = Vocabulary()
    second.table.insert(["z"], [9])
    tf.train.Checkpoint(v=second).restore(path).assert_consumed()
    assert second.table.lookup(tf.constant(["a", "b", "z"])).numpy().tolist() == [1, 2, -1]
    assert second.title.numpy() == b"words"


@pytest.mark.peers
def test_a_table_in_a_checkpoint_of_tensorflow_is_read(peer: Any, tmp_path: Path) -> None:
    program = (
        "import tensorflow as tf; t = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1); t.insert(['a', 'b'], [1, 2]); "
        f"tf.train.Checkpoint(t=t).save(r'{tmp_path / 'c'}')"
    )
    subprocess.run([str(peer.python), "-c", program], check=True, capture_output=True)
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    tf.train.Checkpoint(t=table).restore(str(tmp_path / "c-1"))
    assert table.lookup(tf.constant(["b", "a"])).numpy().tolist() == [2, 1]


def test_a_vocabulary_travels_with_the_saved_model(tmp_path: Path) -> None:
    layer = tf.keras.layers.TextVectorization(output_sequence_length=3)
    layer.adapt(["one two", "two three"])
    model = tf.keras.Sequential([tf.keras.Input(shape=(1,), dtype="string"), layer])
    model.save(tmp_path / "m.keras")
    again = tf.keras.models.load_model(tmp_path / "m.keras")
    given = tf.constant([["two one"], ["nine"]])
    assert np.array_equal(again(given), model(given))


def test_the_how_to_runs_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs/how-to/text.md").read_text()
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(block, names)
    assert names["lengths"].numpy().tolist() == [4, 2]
    again = tf.keras.models.load_model("reviews.keras")
    assert again.layers[0].get_vocabulary()[:3] == ["", "[UNK]", "loved"]


def test_text_layers_prepare_data_for_a_model_on_jax() -> None:
    program = (
        "from milepost import tf; layer = tf.keras.layers.TextVectorization(output_sequence_length=3); layer.adapt(['a b', 'b']); "
        "data = tf.data.Dataset.from_tensor_slices((['a b', 'b'], [1., 0.])).batch(2).map(lambda x, y: (layer(x), y)); "
        "model = tf.keras.Sequential([tf.keras.layers.Embedding(9, 2), tf.keras.layers.Flatten(), tf.keras.layers.Dense(1)]); "
        "model.compile('sgd', 'mse'); model.fit(data, verbose=0); print(layer(['b a']).numpy().tolist(), tf.is_tensor(layer(['b'])))"
    )
    assert run(program, KERAS_BACKEND="jax").strip() == "[[2, 3, 0]] True"


def _rows(draw: np.random.Generator) -> list[list[int]]:
    return [draw.integers(-5, 6, draw.integers(0, 6)).tolist() for _ in range(draw.integers(1, 6))]


def test_slices_of_rows_are_python_s_own() -> None:
    draw = np.random.default_rng(0)
    bounds = [None, *range(-6, 7)]
    for _ in range(150):
        rows = _rows(draw)
        ragged = tf.ragged.constant(rows, tf.int32, ragged_rank=1)
        start, stop = (bounds[i] for i in draw.integers(0, len(bounds), 2))
        key = slice(start, stop, [None, -3, -2, -1, 1, 2, 3][draw.integers(0, 7)])
        assert ragged[key].to_list() == rows[key]
        assert ragged[:, key].to_list() == [row[key] for row in rows]


def test_what_is_joined_and_taken_apart_is_the_same() -> None:
    draw = np.random.default_rng(1)
    for _ in range(50):
        a, b = _rows(draw), _rows(draw)
        x, y = (tf.ragged.constant(rows, tf.int32, ragged_rank=1) for rows in (a, b))
        count = min(len(a), len(b))
        assert tf.concat([x, y], 0).to_list() == a + b
        assert tf.concat([x[:count], y[:count]], 1).to_list() == [p + q for p, q in zip(a, b, strict=False)]
        assert tf.stack([x, y]).to_list() == [a, b]
        assert tf.reverse(x, [0, 1]).to_list() == [row[::-1] for row in a[::-1]]
        assert tf.reduce_sum(x, axis=1).numpy().tolist() == [sum(row) for row in a]
        assert tf.RaggedTensor.from_sparse(x.to_sparse()).to_list() == a
        assert tf.RaggedTensor.from_tensor(x.to_tensor(), lengths=x.row_lengths()).to_list() == a

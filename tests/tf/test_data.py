"""tf.data: the elements TensorFlow gives, in its order; clear errors; and an iterator that a checkpoint resumes exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost import tf
from milepost.errors import FormatError

Dataset = tf.data.Dataset
AUTOTUNE = tf.data.AUTOTUNE


def numbers(dataset: Any) -> list[int]:
    return [int(v) for v in dataset]


@pytest.fixture
def rows() -> Any:
    x = np.arange(20, dtype=np.float32).reshape(10, 2)
    return Dataset.from_tensor_slices((x, np.arange(10, dtype=np.uint8)))


def test_slices_keep_dtype_shape_and_structure(rows: Any) -> None:
    """A tuple of arrays gives tuples of rows; a dict gives dicts; Python floats are float32."""
    first = next(iter(rows))
    assert isinstance(first, tuple)
    assert (first[0].dtype, first[1].dtype) == (tf.float32, tf.uint8)
    assert repr(rows) == (
        "<_TensorSliceDataset element_spec=(TensorSpec(shape=(2,), dtype=tf.float32, name=None), "
        "TensorSpec(shape=(), dtype=tf.uint8, name=None))>"
    )
    nested = Dataset.from_tensor_slices({"a": [1.0, 2.0], "b": {"c": ["x", "y"]}})
    element = list(nested)[1]
    assert float(element["a"]) == 2.0
    assert element["a"].dtype == tf.float32
    assert element["b"]["c"].numpy() == b"y"


def test_batches(rows: Any) -> None:
    """The last batch is short unless it is dropped; lengths are known."""
    assert [tuple(a.shape) for a, _ in rows.batch(4)] == [(4, 2), (4, 2), (2, 2)]
    assert [tuple(a.shape) for a, _ in rows.batch(4, drop_remainder=True)] == [(4, 2), (4, 2)]
    assert len(rows.batch(4)) == 3
    assert len(rows.batch(4, drop_remainder=True)) == 2
    assert rows.batch(4).element_spec[0].shape.as_list() == [None, 2]
    assert rows.batch(4, drop_remainder=True).element_spec[0].shape.as_list() == [4, 2]


def test_a_batch_is_a_copy(rows: Any) -> None:
    """Nothing that is done to a batch reaches the source."""
    source = np.zeros((4, 2), np.float32)
    batch = next(iter(Dataset.from_tensor_slices(source).batch(2)))
    batch.numpy()[:] = 7
    assert source.sum() == 0


@pytest.mark.parametrize("buffer", [1, 2, 5, 10, 100])
def test_shuffle_is_a_permutation_within_its_buffer(rows: Any, buffer: int) -> None:
    """Every element once; element i cannot come before place i - buffer + 1."""
    order = [int(c) for _, c in rows.shuffle(buffer, seed=3)]
    assert sorted(order) == list(range(10))
    assert all(place >= value - buffer + 1 for place, value in enumerate(order))
    mapped = [int(c) for c in rows.map(lambda _, c: c).shuffle(buffer, seed=3)]
    assert mapped == order, "rows in memory and elements from a function shuffle alike"


def test_shuffle_seeds() -> None:
    """The global seed repeats a program; an operation's seed repeats an order; each pass differs unless told."""
    source = Dataset.range(50)
    shuffled = source.shuffle(50)
    assert numbers(shuffled) != numbers(shuffled)
    fixed = source.shuffle(50, seed=1, reshuffle_each_iteration=False)
    assert numbers(fixed) == numbers(fixed)

    def program() -> list[int]:
        tf.random.set_seed(5)
        return numbers(source.shuffle(50, seed=1))

    assert program() == program()


def test_repeat_reshuffles() -> None:
    """Each repetition has an order of its own, and all elements."""
    order = numbers(Dataset.range(20).shuffle(20, seed=1).repeat(2))
    assert sorted(order[:20]) == sorted(order[20:]) == list(range(20))
    assert order[:20] != order[20:]


def test_repeat_of_nothing_ends() -> None:
    """An empty dataset repeated for ever is empty, not endless."""
    assert numbers(Dataset.range(0).repeat()) == []
    assert numbers(Dataset.range(3).filter(lambda v: v > 5).repeat()) == []


def test_batches_cross_repetitions() -> None:
    """repeat before batch: batches span the seam; after: they do not."""
    assert [v.numpy().tolist() for v in Dataset.range(3).repeat(2).batch(4)] == [[0, 1, 2, 0], [1, 2]]
    assert [v.numpy().tolist() for v in Dataset.range(3).batch(2).repeat(2)] == [[0, 1], [2], [0, 1], [2]]


def test_cardinalities() -> None:
    """Known where it can be known, INFINITE and UNKNOWN otherwise; len() says which."""
    source = Dataset.range(10)
    assert int(source.repeat().cardinality()) == tf.data.INFINITE_CARDINALITY
    assert int(source.filter(lambda v: v > 2).cardinality()) == tf.data.UNKNOWN_CARDINALITY
    assert int(source.repeat().take(7).cardinality()) == 7
    assert int(source.skip(4).cardinality()) == 6
    assert int(source.shard(3, 1).cardinality()) == 3
    with pytest.raises(TypeError, match="infinite"):
        len(source.repeat())
    with pytest.raises(TypeError, match="unknown"):
        len(source.filter(lambda v: v > 2))


def test_the_rest_of_the_family() -> None:
    """take, skip, filter, enumerate, zip, concatenate, shard, window, interleave, flat_map, unbatch, reduce, scan, take_while, unique."""
    source = Dataset.range(6)
    assert numbers(source.repeat(2).skip(4).take(4)) == [4, 5, 0, 1]
    assert numbers(source.filter(lambda v: v % 2 == 0)) == [0, 2, 4]
    assert [(int(i), int(v)) for i, v in source.enumerate(start=3).take(2)] == [(3, 0), (4, 1)]
    assert [(int(a), int(b)) for a, b in Dataset.zip((source, Dataset.range(10, 13)))] == [(0, 10), (1, 11), (2, 12)]
    assert [(int(a), int(b)) for a, b in Dataset.zip(source, source).take(1)] == [(0, 0)]
    assert numbers(source.concatenate(Dataset.range(2))) == [0, 1, 2, 3, 4, 5, 0, 1]
    assert numbers(source.shard(2, 1)) == [1, 3, 5]
    assert [numbers(w) for w in source.window(3, shift=2)] == [[0, 1, 2], [2, 3, 4], [4, 5]]
    assert [numbers(w) for w in source.window(2, stride=2, drop_remainder=True)] == [[0, 2], [2, 4]]
    assert [numbers(w) for w in source.window(2, shift=4)] == [[0, 1], [4, 5]]
    spread = Dataset.range(2).interleave(lambda i: Dataset.range(i * 10, i * 10 + 3), cycle_length=2, block_length=2)
    assert numbers(spread) == [0, 1, 10, 11, 2, 12]
    assert numbers(Dataset.range(3).flat_map(lambda i: Dataset.range(i))) == [0, 0, 1]
    assert numbers(source.batch(4).unbatch()) == [0, 1, 2, 3, 4, 5]
    assert int(source.reduce(np.int64(0), lambda s, v: s + v)) == 15
    assert numbers(source.scan(np.int64(0), lambda s, v: (s + v, s + v))) == [0, 1, 3, 6, 10, 15]
    assert numbers(source.take_while(lambda v: v < 3)) == [0, 1, 2]
    assert numbers(Dataset.from_tensor_slices([1, 2, 1, 3]).unique()) == [1, 2, 3]
    assert list(source.take(2).as_numpy_iterator()) == [0, 1]
    assert int(Dataset.from_tensors([1, 2]).get_single_element()[1]) == 2


def test_padded_batches() -> None:
    """To the longest of the batch, or to a given shape and value."""
    ragged = Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
    assert [v.numpy().tolist() for v in ragged.padded_batch(3)] == [[[1, 0, 0], [2, 2, 0], [3, 3, 3]]]
    padded = ragged.padded_batch(3, padded_shapes=[4], padding_values=np.int64(-1))
    assert next(iter(padded)).numpy().tolist() == [[1, -1, -1, -1], [2, 2, -1, -1], [3, 3, 3, -1]]
    with pytest.raises(tf.errors.OpError, match="smaller size"):
        list(ragged.padded_batch(3, padded_shapes=[2]))


def test_map_sees_tensors_and_its_spec_is_known() -> None:
    """The function gets tensors; unknown dimensions stay unknown in the spec."""
    source = Dataset.from_generator(lambda: iter([[1, 2], [3]]), output_signature=tf.TensorSpec((None,), tf.int32))
    doubled = source.map(lambda v: tf.cast(v, tf.float32) * 2)
    assert doubled.element_spec.shape.as_list() == [None]
    assert doubled.element_spec.dtype == tf.float32
    assert [v.numpy().tolist() for v in doubled] == [[2.0, 4.0], [6.0]]
    assert [int(v) for v in Dataset.range(20).map(lambda v: v * v, num_parallel_calls=4)] == [i * i for i in range(20)]
    assert [int(v) for v in Dataset.range(5).map(lambda v: v * v, num_parallel_calls=AUTOTUNE)] == [0, 1, 4, 9, 16]


def test_mistakes_are_named() -> None:
    """Shapes, structures, sizes and types that do not fit say so."""
    with pytest.raises(ValueError, match="3 and 4"):
        Dataset.from_tensor_slices((np.zeros(3), np.zeros(4)))
    with pytest.raises(ValueError, match="rank"):
        Dataset.from_tensor_slices(np.float32(1))
    ragged = Dataset.from_generator(lambda: iter([[1], [2, 3]]), output_signature=tf.TensorSpec((None,), tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[1\].*\[2\]"):
        list(ragged.batch(2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="greater than zero"):
        Dataset.range(3).batch(0)
    wrong = Dataset.from_generator(lambda: iter(["a"]), output_signature=tf.TensorSpec((), tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        list(wrong)
    shape = Dataset.from_generator(lambda: iter([[1, 2, 3]]), output_signature=tf.TensorSpec((2,), tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        list(shape)
    with pytest.raises(TypeError, match="Dataset"):
        list(Dataset.range(2).flat_map(lambda v: v))
    with pytest.raises(ZeroDivisionError):
        list(Dataset.range(2).map(lambda v: 1 // 0).prefetch(2))


def test_prefetch_keeps_order_and_ends_its_thread() -> None:
    """Slow elements are made ahead, in order; a loop left early leaves no thread."""
    import gc
    import threading
    import time

    def slow(v: Any) -> Any:
        time.sleep(0.003)
        return v

    dataset = Dataset.range(30).map(slow).prefetch(4)
    assert numbers(dataset) == list(range(30))
    running = iter(dataset)
    for _ in range(8):
        next(running)
    assert any(t.name.startswith("tf.data") for t in threading.enumerate())
    del running
    gc.collect()
    deadline = time.monotonic() + 5
    while any(t.name.startswith("tf.data") for t in threading.enumerate()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not [t for t in threading.enumerate() if t.name == "tf.data prefetch"]


PIPELINES = {
    "shuffled batches": lambda: Dataset.range(40).shuffle(10, seed=2).batch(3),
    "rows": lambda: Dataset.from_tensor_slices(np.arange(40)).shuffle(7, seed=4).repeat(2).batch(6),
    "mapped shuffle": lambda: Dataset.range(30).map(lambda v: v * 2).shuffle(8, seed=1).prefetch(3),
    "interleave": lambda: Dataset.range(5).interleave(lambda i: Dataset.range(i * 10, i * 10 + 4), cycle_length=3),
    "window": lambda: Dataset.range(20).batch(4).unbatch().enumerate().map(lambda i, v: i + v),
    "generator": lambda: Dataset.from_generator(lambda: iter(range(25)), output_signature=tf.TensorSpec((), tf.int64)),
    "parallel": lambda: Dataset.range(20).map(lambda v: v + 1, num_parallel_calls=3).take(15),
    "zip": lambda: Dataset.zip((Dataset.range(9), Dataset.range(9).shuffle(9, seed=3))).map(lambda a, b: a * 100 + b),
    "cache": lambda: Dataset.range(12).map(lambda v: v * 3).cache().repeat(2),
    "scan": lambda: (
        Dataset.range(12).scan(np.int64(0), lambda s, v: (s + v, s + v)).skip(2).concatenate(Dataset.range(3))
    ),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_a_checkpoint_resumes_exactly(name: str, tmp_path: Path) -> None:
    """Saved in the middle and restored in a fresh iterator, the rest is what would have come."""
    make = PIPELINES[name]
    whole = [v.numpy().tolist() for v in make()]
    for stop in (0, 1, 3, 5):
        running = iter(make())
        for _ in range(stop):
            next(running)
        path = tf.train.Checkpoint(iterator=running).write(str(tmp_path / f"{stop}"))
        rest = [v.numpy().tolist() for v in running]
        assert rest == whole[stop:]
        fresh = iter(make())
        tf.train.Checkpoint(iterator=fresh).read(path).assert_consumed()
        assert [v.numpy().tolist() for v in fresh] == rest, (name, stop)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 30), st.integers(1, 7), st.integers(1, 9), st.integers(0, 10))
def test_batch_shuffle_take_lose_nothing(length: int, batch: int, buffer: int, take: int) -> None:
    """For any sizes: the multiset of elements is that of the source."""
    rows = Dataset.range(length).shuffle(buffer, seed=1).batch(batch).unbatch()
    assert sorted(numbers(rows)) == list(range(length))
    assert len(numbers(Dataset.range(length).take(take))) == min(length, take)


def test_records(tmp_path: Path) -> None:
    """TFRecords written and read, Examples parsed; a damaged record is named with its place."""
    path = tmp_path / "a.tfrecord"
    with tf.io.TFRecordWriter(str(path)) as writer:
        for i in range(3):
            feature = {
                "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[bytes([i]) * 4])),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[-i])),
                "many": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5] * i)),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    description = {
        "image": tf.io.FixedLenFeature([], tf.string),
        "label": tf.io.FixedLenFeature([], tf.int64),
        "many": tf.io.VarLenFeature(tf.float32),
        "other": tf.io.FixedLenFeature([2], tf.float32, default_value=[1.0, 2.0]),
    }
    read = [tf.io.parse_single_example(item, description) for item in tf.data.TFRecordDataset(str(path))]
    assert [int(e["label"]) for e in read] == [0, -1, -2]
    assert read[1]["image"].numpy() == b"\x01\x01\x01\x01"
    assert read[2]["other"].numpy().tolist() == [1.0, 2.0]
    assert tf.sparse.to_dense(read[2]["many"]).numpy().tolist() == [0.5, 0.5]
    batch = tf.io.parse_example(next(iter(tf.data.TFRecordDataset(str(path)).batch(3))), description)
    assert tf.sparse.to_dense(batch["many"]).numpy().tolist() == [[0, 0], [0.5, 0], [0.5, 0.5]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="required but could not be found"):
        tf.io.parse_single_example(
            next(iter(tf.data.TFRecordDataset(str(path)))), {"no": tf.io.FixedLenFeature([], tf.int64)}
        )
    data = bytearray(path.read_bytes())
    data[20] ^= 1
    path.write_bytes(data)
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at 0"):
        list(tf.data.TFRecordDataset(str(path)))
    path.write_bytes(data[:10])
    with pytest.raises(tf.errors.DataLossError, match="truncated"):
        list(tf.data.TFRecordDataset(str(path)))
    with pytest.raises(tf.errors.NotFoundError):
        list(tf.data.TFRecordDataset(str(tmp_path / "no")))


def test_text_lines_and_files(tmp_path: Path) -> None:
    """Lines of several files, listed by pattern."""
    (tmp_path / "a.txt").write_text("one\ntwo\r\n")
    (tmp_path / "b.txt").write_text("three")
    files = Dataset.list_files(str(tmp_path / "*.txt"), shuffle=False)
    assert [v.numpy() for v in tf.data.TextLineDataset(files)] == [b"one", b"two", b"three"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files"):
        Dataset.list_files(str(tmp_path / "*.none"))


def test_images_and_raw_bytes() -> None:
    """PNG survives a round trip; raw bytes become numbers; a tensor survives its proto; rubbish is refused."""
    picture = tf.constant(np.arange(24, dtype=np.uint8).reshape(2, 4, 3))
    assert np.array_equal(tf.io.decode_png(tf.io.encode_png(picture)).numpy(), picture.numpy())
    assert tuple(tf.io.decode_jpeg(tf.io.encode_jpeg(picture)).shape) == (2, 4, 3)
    assert tf.io.decode_raw(tf.constant(b"\x01\x00\x02\x00"), tf.int16).numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unknown image"):
        tf.io.decode_image(tf.constant(b"no image"))
    proto = tf.io.serialize_tensor(tf.constant([[1.5, 2.0]]))
    assert tf.io.parse_tensor(proto, tf.float32).numpy().tolist() == [[1.5, 2.0]]
    columns = tf.io.decode_csv(tf.constant(["1,2.5,a", ",3.5,b"]), [[7], [0.0], [""]])
    assert columns[0].numpy().tolist() == [1, 7]
    assert columns[2].numpy().tolist() == [b"a", b"b"]
    assert json.dumps(columns[1].numpy().tolist()) == "[2.5, 3.5]"


@pytest.mark.parametrize(
    "data", [b"", b"x" * 40, b"tf.data state 1\n" + b"\xff" * 8, b"tf.data state 1\n\x02" + b"\0" * 7 + b"{}"]
)
def test_a_foreign_state_is_refused(data: bytes) -> None:
    """Bytes that are no state give one error and change nothing."""
    running = iter(Dataset.range(5))
    next(running)
    with pytest.raises(FormatError):
        running.set_state(data)
    assert int(next(running)) == 1


def test_the_benchmark_runs() -> None:
    """benchmarks/bench_data.py does not rot: its quick form runs to the end."""
    import subprocess
    import sys

    bench = Path(__file__).parents[2] / "benchmarks" / "bench_data.py"
    only = "map batch,records,generator,jpegs,writing records"
    done = subprocess.run(
        [sys.executable, bench, "--quick", "--only", only], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "records" in done.stdout


def test_functions_of_single_numbers_run_on_whole_batches_with_the_same_bits() -> None:
    """What a batch gives is what its elements give one by one; functions that sum, draw or look are left alone."""
    rows = np.random.default_rng(0).random((200, 3, 4)).astype(np.float32)
    labels = np.arange(200)

    def prepare(x: Any, y: Any) -> Any:
        x = tf.cast(x * 255.0, tf.uint8)
        x = tf.transpose(tf.cast(x, tf.float32)[..., tf.newaxis] / 255.0 - 0.5, [1, 0, 2])
        return tf.clip_by_value(x, -0.25, 0.25)[1:], {"hot": tf.one_hot(y % 5, 5), "big": tf.where(y > 3, y, -y)}

    dataset = Dataset.from_tensor_slices((rows, labels)).map(prepare)
    one_by_one = list(dataset.as_numpy_iterator())
    at = 0
    for x, y in dataset.batch(32):
        for i in range(len(x)):
            want = one_by_one[at + i]
            assert x.numpy()[i].tobytes() == want[0].tobytes()
            assert y["hot"].numpy()[i].tobytes() == want[1]["hot"].tobytes()
            assert y["big"].numpy()[i] == want[1]["big"]
        at += len(x)
    assert at == 200
    calls = []

    def counted(x: Any, y: Any) -> Any:
        calls.append(1)
        return x + 1.0

    list(Dataset.from_tensor_slices((rows, labels)).map(counted).batch(20))
    assert len(calls) < 40, "this one was to run on batches"
    for alone in (lambda x, y: tf.reduce_sum(x), lambda x, y: x * np.random.rand(), lambda x, y: x + tf.random.uniform([]),
                  lambda x, y: x * float(y.numpy()), lambda x, y: tf.py_function(lambda v: v + 1, [x], tf.float32)):  # fmt: skip
        calls.clear()

        def watched(x: Any, y: Any, function: Any = alone) -> Any:
            calls.append(1)
            return function(x, y)

        list(Dataset.from_tensor_slices((rows, labels)).map(watched).batch(20))
        assert len(calls) >= 200, "this one was to run element by element"

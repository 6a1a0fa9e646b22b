"""Input pipelines as the tutorials write them, on whichever module is named. In: module name, work, rounds. Out: best microseconds an element, as one line of JSON.

    python benchmarks/data_work.py milepost.tf "shuffle batch,map" 3

bench_data.py runs it in both environments, taking turns.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np

MODULE = sys.argv[1] if len(sys.argv) > 1 else "milepost.tf"
tf: Any = importlib.import_module(MODULE)
rng = np.random.default_rng(0)
COUNT = int(os.environ.get("MILEPOST_BENCH_ROWS", "60000"))
FOLDER = tempfile.mkdtemp()


def images() -> Any:
    return rng.integers(0, 256, (COUNT, 28, 28), np.uint8), rng.integers(0, 10, COUNT).astype(np.int64)


def run(dataset: Any) -> Callable[[], None]:
    def go() -> None:
        for _ in dataset:
            pass

    return go


def shuffle_batch() -> tuple[Callable[[], None], int]:
    return run(tf.data.Dataset.from_tensor_slices(images()).shuffle(10000).batch(32)), COUNT


def scale(image: Any, label: Any) -> Any:
    return tf.cast(image, tf.float32) / 255.0, label


def map_batch() -> tuple[Callable[[], None], int]:
    return run(tf.data.Dataset.from_tensor_slices(images()).map(scale).batch(32)), COUNT


def tutorial() -> tuple[Callable[[], None], int]:
    """The order the performance guide ends with."""
    dataset = tf.data.Dataset.from_tensor_slices(images())
    return run(dataset.map(scale, tf.data.AUTOTUNE).cache().shuffle(COUNT).batch(128).prefetch(tf.data.AUTOTUNE)), COUNT


def small_function(x: Any) -> Any:
    return tf.reduce_sum(tf.square(x)) + 1.0


def map_each() -> tuple[Callable[[], None], int]:
    rows = rng.random((COUNT, 16), np.float32)
    return run(tf.data.Dataset.from_tensor_slices(rows).map(small_function).batch(64)), COUNT


def elements() -> tuple[Callable[[], None], int]:
    return run(tf.data.Dataset.from_tensor_slices(rng.random((COUNT // 4, 16), np.float32))), COUNT // 4


def _records() -> tuple[str, dict[str, Any]]:
    path = os.path.join(FOLDER, "records")
    train = tf.train
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(COUNT // 6):
            feature = {
                "image": train.Feature(bytes_list=train.BytesList(value=[bytes(784)])),
                "label": train.Feature(int64_list=train.Int64List(value=[i % 10])),
                "weights": train.Feature(float_list=train.FloatList(value=[0.5, 1.5, i])),
            }
            writer.write(train.Example(features=train.Features(feature=feature)).SerializeToString())
    described = {
        "image": tf.io.FixedLenFeature([], tf.string),
        "label": tf.io.FixedLenFeature([], tf.int64),
        "weights": tf.io.FixedLenFeature([3], tf.float32),
    }
    return path, described


def records_one_by_one() -> tuple[Callable[[], None], int]:
    path, described = _records()
    return run(
        tf.data.TFRecordDataset(path).map(lambda r: tf.io.parse_single_example(r, described)).batch(32)
    ), COUNT // 6


def records_in_batches() -> tuple[Callable[[], None], int]:
    path, described = _records()
    return run(tf.data.TFRecordDataset(path).batch(32).map(lambda r: tf.io.parse_example(r, described))), COUNT // 6


def writing() -> tuple[Callable[[], None], int]:
    return (lambda: (_records(), None)[1]), COUNT // 6


def generator() -> tuple[Callable[[], None], int]:
    rows = rng.random((COUNT // 6, 16), np.float32)

    def make() -> Any:
        yield from ((row, 1) for row in rows)

    signature = (tf.TensorSpec((16,), tf.float32), tf.TensorSpec((), tf.int32))
    return run(tf.data.Dataset.from_generator(make, output_signature=signature).batch(32)), COUNT // 6


def prefetch() -> tuple[Callable[[], None], int]:
    """Reading takes 2 ms, the step 2 ms: done one after the other it would be 4."""

    def slow(x: Any) -> Any:
        time.sleep(0.002)
        return x

    dataset = tf.data.Dataset.range(100).map(lambda x: tf.py_function(slow, [x], tf.int64)).prefetch(2)

    def go() -> None:
        for _ in dataset:
            time.sleep(0.002)

    return go, 100


def jpegs() -> tuple[Callable[[], None], int]:
    pictures = [tf.io.encode_jpeg(rng.integers(0, 256, (128, 128, 3), np.uint8)).numpy() for _ in range(64)]
    names = []
    for i, picture in enumerate(pictures):
        names.append(os.path.join(FOLDER, f"{i}.jpg"))
        with open(names[-1], "wb") as file:
            file.write(picture)

    def load(path: Any) -> Any:
        return tf.io.decode_jpeg(tf.io.read_file(path), channels=3)

    dataset = tf.data.Dataset.from_tensor_slices(names).repeat(5).map(load, tf.data.AUTOTUNE).batch(32)
    return run(dataset.prefetch(tf.data.AUTOTUNE)), 320


WORK: dict[str, Callable[[], tuple[Callable[[], None], int]]] = {
    "shuffle batch": shuffle_batch,
    "map batch": map_batch,
    "map cache shuffle batch": tutorial,
    "small function": map_each,
    "one by one": elements,
    "records": records_one_by_one,
    "records in batches": records_in_batches,
    "writing records": writing,
    "generator": generator,
    "prefetch": prefetch,
    "jpegs": jpegs,
}


def main() -> None:
    names, rounds = sys.argv[2].split(","), int(sys.argv[3])
    best = {}
    for name in names:
        step, count = WORK[name]()
        least = float("inf")
        for _ in range(rounds):
            started = time.perf_counter()
            step()
            least = min(least, (time.perf_counter() - started) / count)
        best[name] = least * 1e6
    print(json.dumps(best))


if __name__ == "__main__":
    main()

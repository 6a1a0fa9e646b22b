"""Iterators in checkpoints: saved anywhere, restored in a new iterator, the rest is what would have come. Pipelines by chance."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost import tf

Dataset = tf.data.Dataset


def generated(n: int) -> Any:
    return Dataset.from_generator(lambda: iter(range(n)), output_signature=tf.TensorSpec((), tf.int64))


SOURCES: dict[str, Callable[[int], Any]] = {
    "range": Dataset.range,
    "slices": lambda n: Dataset.from_tensor_slices(np.arange(n)),
    "generator": generated,
    "mapped": lambda n: Dataset.range(n).map(lambda x: x * 3 + 1),
    "random": lambda n: Dataset.random(seed=4).take(n).map(lambda x: x % 1000),
    "zip": lambda n: Dataset.zip(Dataset.range(n), Dataset.range(n).shuffle(5, seed=1)).map(lambda a, b: a * 100 + b),
}
# every one gives int64 scalars again
STEPS: dict[str, Callable[[Any], Any]] = {
    "map": lambda d: d.map(lambda x: x + 1),
    "python map": lambda d: d.map(lambda x: tf.py_function(lambda v: v + 1, [x], tf.int64)),
    "parallel map": lambda d: d.map(lambda x: x * 2, num_parallel_calls=3),
    "filter": lambda d: d.filter(lambda x: x % 3 != 0),
    "shuffle": lambda d: d.shuffle(4, seed=7),
    "shuffle without seed": lambda d: d.shuffle(6),
    "fixed shuffle": lambda d: d.shuffle(5, seed=2, reshuffle_each_iteration=False),
    "repeat": lambda d: d.repeat(2),
    "batch": lambda d: d.batch(3).unbatch(),
    "padded batch": lambda d: d.map(lambda x: tf.reshape(x, [1])).padded_batch(2, [3]).unbatch().map(lambda r: r[0]),
    "rebatch": lambda d: d.batch(4).rebatch([1, 2]).unbatch(),
    "window": lambda d: d.window(3, shift=2).flat_map(lambda w: w),
    "shuffled windows": lambda d: d.window(2).shuffle(3, seed=5).flat_map(lambda w: w),
    "flat map": lambda d: d.flat_map(lambda x: Dataset.from_tensors(x).repeat(2)),
    "interleave": lambda d: d.interleave(lambda x: Dataset.range(x, x + 3).shuffle(3), cycle_length=2, block_length=2),
    "group": lambda d: d.group_by_window(lambda x: x % 2, lambda k, g: g.shuffle(2, seed=3), 3),
    "cache": lambda d: d.cache(),
    "cache twice": lambda d: d.cache().repeat(2),
    "prefetch": lambda d: d.prefetch(2),
    "take": lambda d: d.take(11),
    "skip": lambda d: d.skip(2),
    "take while": lambda d: d.take_while(lambda x: x < 70),
    "shard": lambda d: d.shard(2, 1),
    "enumerate": lambda d: d.enumerate().map(lambda i, x: i + x),
    "scan": lambda d: d.scan(np.int64(0), lambda s, x: (s + x, s + x)).map(lambda x: x % 97),
    "unique": lambda d: d.unique(),
    "concatenate": lambda d: d.concatenate(Dataset.range(4)),
    "sample": lambda d: Dataset.sample_from_datasets([d, Dataset.range(5)], [0.5, 0.5], seed=3),
    "choose": lambda d: Dataset.choose_from_datasets([d, Dataset.range(9)], Dataset.range(2).repeat(9), False),
    "ignore errors": lambda d: d.ignore_errors(),
    "structure": lambda d: d.map(lambda x: {"b": x, "a": (x, "t")}).shuffle(3, seed=1).map(lambda e: e["a"][0]),
    "resample": lambda d: d.rejection_resample(lambda x: x % 2, [0.5, 0.5], [0.5, 0.5], seed=1).map(lambda c, x: x),
}  # fmt: skip
MOST = 60


def values(iterator: Any) -> list[int]:
    return [int(v) for v in itertools.islice(iterator, MOST)]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(SOURCES)),
    st.integers(0, 17),
    st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=4),
    st.integers(0, 25),
)
def test_the_rest_is_what_would_have_come(source: str, length: int, steps: list[str], stop: int) -> None:
    def make() -> Any:
        tf.random.set_seed(3)
        dataset = SOURCES[source](length)
        for step in steps:
            dataset = STEPS[step](dataset)
        return dataset

    running = iter(make())
    values(itertools.islice(running, stop))
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(iterator=running).write(str(Path(folder) / "at"))
        rest = values(running)
        fresh = iter(make())
        values(itertools.islice(fresh, 2))  # where it stands does not matter
        tf.train.Checkpoint(iterator=fresh).read(path).assert_consumed()
        assert values(fresh) == rest
        # and in a process that has made other passes before
        again = make()
        values(again)
        later = iter(again)
        tf.train.Checkpoint(iterator=later).read(path).assert_consumed()
        assert values(later) == rest


def test_what_an_element_holds_survives() -> None:
    """Texts, names, nothing, sparse and ragged parts, windows: all may wait in a buffer when the checkpoint is taken."""
    ragged = tf.ragged.constant([[1, 2], [3], [4, 5, 6]])

    def make() -> Any:
        rows = Dataset.from_tensor_slices({"text": ["a", "b", "c"], "ragged": ragged})
        sparse = Dataset.range(3).map(lambda x: (tf.sparse.from_dense([0, x]), None))
        return Dataset.zip(rows, sparse).shuffle(3, seed=2).prefetch(1)

    running = iter(make())
    next(running)
    state = running.get_state()
    rest = [repr(e) for e in running]
    fresh = iter(make())
    fresh.set_state(state)
    assert [repr(e) for e in fresh] == rest
    assert len(rest) == 2

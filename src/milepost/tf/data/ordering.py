"""Which elements come, when and how often: shuffle, repeat, take, skip, shard, cache, prefetch. In: numbers. Out: datasets of the same elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from milepost.tf.data import edge, transform
from milepost.tf.data.base import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Base, number
from milepost.tf.data.caching import CacheCursor, FileCacheCursor, Kept
from milepost.tf.data.chance import Seeds, seeds_of
from milepost.tf.data.cursor import Cursor
from milepost.tf.data.parallel import PrefetchCursor
from milepost.tf.data.shuffle import ShuffleCursor
from milepost.tf.failures import kernel

if TYPE_CHECKING:
    from milepost.tf.data.dataset import Dataset

__all__ = ["Ordering"]

DEFAULT_PREFETCH = 2


class Ordering(Base):
    """See the module's first line."""

    def shuffle(
        self, buffer_size: Any, seed: int | None = None, reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        size = number(buffer_size)
        if size == UNKNOWN_CARDINALITY:
            size = max(1, self._cardinality())
        if size < 1:
            raise kernel("ShuffleDatasetV3", "buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
        again = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
        seeds = Seeds(seeds_of(None if seed is None else number(seed)), again)
        return self._then("_ShuffleDataset", lambda c: ShuffleCursor(c, size, seeds), passes=True)

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        times = None if count is None or number(count) < 0 else number(count)

        def size(before: int) -> int:
            if before == UNKNOWN_CARDINALITY:
                return INFINITE_CARDINALITY if times is None else 0 if times == 0 else before
            if times is None:
                return INFINITE_CARDINALITY if before else 0
            return before if before < 0 and times else before * times

        return self._new(
            "_RepeatDataset",
            lambda: transform.RepeatCursor(self._opener, times),
            lambda: self.element_spec,
            lambda: size(self._cardinality()),
            (self,),
            self._sample,
        )

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        size = number(buffer_size)
        if size < -1:
            raise kernel("PrefetchDataset", "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")
        return self._then(
            "_PrefetchDataset", lambda c: PrefetchCursor(c, size if size > 0 else DEFAULT_PREFETCH), passes=True
        )

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        path = edge.text(filename)
        if path:
            return self._then("CacheDataset", lambda c: FileCacheCursor(c, path), passes=True)
        kept = Kept()
        return self._then("CacheDataset", lambda c: CacheCursor(c, kept), passes=True)

    def take(self, count: Any, name: str | None = None) -> Dataset:
        many = number(count)
        return self._then(
            "_TakeDataset",
            lambda c: transform.TakeCursor(c, many),
            cardinality=lambda n: n if many < 0 else (many if n < 0 else min(n, many)),
            passes=True,
        )

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        many = number(count)

        def make(cursor: Cursor) -> Cursor:
            return transform.TakeCursor(cursor, 0) if many < 0 else transform.SkipCursor(cursor, many)

        return self._then(
            "_SkipDataset",
            make,
            cardinality=lambda n: 0 if many < 0 else n if n < 0 else max(0, n - many),
            passes=True,
        )

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        shards, place = number(num_shards), number(index)
        if shards < 1:
            raise kernel(
                "ShardDataset", f"Number of shards must be greater than zero (currently num_shards = {shards})."
            )
        if not 0 <= place < shards:
            raise kernel("ShardDataset", f"Index must be between 0 and {shards - 1} (currently index = {place}).")
        return self._then(
            "_ShardDataset",
            lambda c: transform.ShardCursor(c, shards, place),
            cardinality=lambda n: n if n < 0 else len(range(place, n, shards)),
            passes=True,
        )

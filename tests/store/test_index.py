"""The index on disk: the second opening reads nothing twice, and nothing that happens to the cache changes a point."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from milepost import store
from milepost.formats.event import Histogram, SummaryValue
from milepost.store import cache as cache_module
from milepost.store.cache import Cache
from milepost.store.collection import Collection
from milepost.testing.logs import scalar_event, session_start, value_event, write_events, write_scalar_runs


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of one's own, in which even small files are worth an index."""
    monkeypatch.setenv("MILEPOST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache_module, "WORTH_BYTES", 1)
    monkeypatch.setattr(cache_module, "MORE_BYTES", 1)
    return tmp_path / "cache"


def opened(logdir: Path) -> Collection:
    runs = store.open(logdir)
    runs.close()
    return runs


def columns(runs: Collection) -> dict[tuple[str, str], tuple[list[int], list[float], list[float]]]:
    return {
        (name, tag): (s.step.tolist(), s.wall_time.tolist(), s.value.tolist())
        for name, run in runs.items()
        for tag, s in run.scalars.items()
    }


def indexes(home: Path) -> list[Path]:
    return sorted(home.rglob("*.mpi"))


def test_the_second_opening_maps_what_the_first_has_read(tmp_path: Path, home: Path) -> None:
    """Same points, same truth, from mapped columns that are not copied."""
    write_scalar_runs(tmp_path / "logs", runs=2, tags=3, steps=500)
    first = opened(tmp_path / "logs")
    assert len(indexes(home)) == 2
    again = store.open(tmp_path / "logs")
    assert columns(again) == columns(first)
    series = again["run_00"].scalars["train/metric_00"]
    assert not series.step.flags.owndata
    assert again["run_00"]._order[0].heap_bytes == 0
    assert series.truth == first["run_00"].scalars["train/metric_00"].truth
    assert again["run_00"].info == first["run_00"].info


def test_only_the_new_tail_is_read(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the index was written, growth is read from where it ended; the index grows with it, chunk by chunk."""
    path = write_events(tmp_path / "logs" / "events.out.tfevents.1.h", [scalar_event("x", i, i) for i in range(100)])
    opened(tmp_path / "logs")
    for round_ in range(12):
        with path.open("ab") as stream:
            stream.write(scalar_event("x", 100 + round_, round_) + scalar_event(f"new{round_}", 1, 1.0))
        runs = store.open(tmp_path / "logs", load=False)
        cache, tail = runs.cache, None
        assert cache is not None
        runs.refresh()
        runs.close()
        tail = runs["."]._order[0]
        assert tail.facts.offset == path.stat().st_size
        assert len(runs["."].scalars["x"]) == 101 + round_
        assert len(runs["."].scalars) == 2 + round_
        chunks = max(len(slot.points.chunks) for slot in tail.slots)
        assert chunks <= cache_module.MAX_CHUNKS
    plain = store.open(tmp_path / "logs", cache=False)
    assert columns(opened(tmp_path / "logs")) == columns(plain)


def test_restarts_damage_and_media_survive_the_index(tmp_path: Path, home: Path) -> None:
    """Session starts, bad records, doubles, blobs and metadata come back as they were."""
    histo = SummaryValue(tag="h", histo=Histogram(min=0, max=1, num=2, bucket_limit=[0.5, 1.0], bucket=[1, 1]))
    records = [scalar_event("x", i, i) for i in range(10)]
    records += [b"garbage!" * 5, value_event(histo, 3), session_start(4), scalar_event("x", 4, float("nan"))]
    records += [scalar_event("x", 5, float("inf")), scalar_event(b"\xff\xfe", 5, 2.5)]
    write_events(tmp_path / "logs" / "events.out.tfevents.1.h", records)
    plain = store.open(tmp_path / "logs", cache=False)["."]
    opened(tmp_path / "logs")
    run = store.open(tmp_path / "logs")["."]
    assert any(slot.points.chunks for slot in run._order[0].slots)
    for mode in ("keep-last", "keep-all", "split"):
        ours, theirs = run.series("x", mode), plain.series("x", mode)
        assert ours.truth == theirs.truth
        np.testing.assert_array_equal(ours.value, theirs.value)
        np.testing.assert_array_equal(ours.segments, theirs.segments)
    assert list(run.scalars) == list(plain.scalars) == ["x", "\\xff\\xfe"]
    assert run.bad_records == plain.bad_records
    assert len(run.bad_records) == 1
    assert run.histograms["h"][0].count.tolist() == [1, 1]


def test_a_replaced_file_is_read_anew(tmp_path: Path, home: Path) -> None:
    """Another inode, a shorter file, another beginning, another end: none is mistaken for the old file."""
    path = tmp_path / "logs" / "events.out.tfevents.1.h"
    write_events(path, [scalar_event("x", i, 1.0) for i in range(200)])
    opened(tmp_path / "logs")
    other = write_events(tmp_path / "other", [scalar_event("x", i, 2.0) for i in range(200)])
    os.replace(other, path)
    assert set(opened(tmp_path / "logs")["."].scalars["x"].value) == {2.0}
    write_events(path, [scalar_event("x", i, 3.0) for i in range(50)])  # same inode, shorter
    assert opened(tmp_path / "logs")["."].scalars["x"].value.tolist() == [3.0] * 50
    write_events(path, [scalar_event("x", i, 4.0) for i in range(60)])  # same inode, longer, another beginning
    assert opened(tmp_path / "logs")["."].scalars["x"].value.tolist() == [4.0] * 60
    many = [scalar_event("x", i, 4.0) for i in range(400)]
    write_events(path, many)
    opened(tmp_path / "logs")
    write_events(path, many[:300] + [scalar_event("x", i, 5.0) for i in range(300, 400)])  # same beginning, another end
    assert opened(tmp_path / "logs")["."].scalars["x"].value.tolist() == [4.0] * 300 + [5.0] * 100


def test_no_flip_and_no_cut_of_an_index_changes_a_point(tmp_path: Path, home: Path) -> None:
    """Damage anywhere in the index is noticed: at opening or at the first look, and the file is read again."""
    write_scalar_runs(tmp_path / "logs", runs=1, tags=2, steps=40)
    expected = columns(opened(tmp_path / "logs"))
    (place,) = indexes(home)
    good = place.read_bytes()
    for at in range(0, len(good), 7):
        broken = bytearray(good)
        broken[at] ^= 0x20
        place.write_bytes(broken)
        runs = store.open(tmp_path / "logs")
        assert columns(runs) == expected, at
        runs.close()
    for cut in range(0, len(good), 31):
        place.write_bytes(good[:cut])
        runs = store.open(tmp_path / "logs")
        assert columns(runs) == expected, cut
        runs.close()


def test_a_read_only_cache_directory_costs_only_time(tmp_path: Path, home: Path) -> None:
    """Nothing is kept, the reason is told, all points are there."""
    write_scalar_runs(tmp_path / "logs", runs=1, tags=2, steps=40)
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file where the directory should be")
    runs = opened(tmp_path / "logs")
    assert len(runs["run_00"].scalars["train/metric_00"]) == 40
    assert runs.cache is not None
    assert str(home) in runs.cache.off_because


def test_a_full_disk_costs_only_time(tmp_path: Path, home: Path) -> None:
    """A write that fails half way leaves no index, or the old one."""
    path = write_events(tmp_path / "logs" / "events.out.tfevents.1.h", [scalar_event("x", i, i) for i in range(3000)])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))  # EFBIG behaves as ENOSPC does
    try:
        runs = opened(tmp_path / "logs")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert len(runs["."].scalars["x"]) == 3000
    assert runs.cache is not None
    assert runs.cache.off_because
    assert indexes(home) == []
    assert list(home.rglob("*.*")) == [], "no half file is left"
    opened(tmp_path / "logs")
    (place,) = indexes(home)
    before = place.read_bytes()
    with path.open("ab") as stream:
        stream.write(b"".join(scalar_event("x", i, i) for i in range(3000, 9000)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 1000, hard))
    try:
        runs = opened(tmp_path / "logs")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert len(runs["."].scalars["x"]) == 9000
    assert place.read_bytes() == before
    assert len(opened(tmp_path / "logs")["."].scalars["x"]) == 9000


def test_columns_beyond_the_memory_limit_live_on_disk(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a limit of nothing every portion is put into the index; the result is the same, and is mapped."""
    write_scalar_runs(tmp_path / "logs", runs=2, tags=3, steps=300)
    monkeypatch.setattr("milepost.store.collection.POINTS_AT_ONCE", 100)
    small = Collection({"": str(tmp_path / "logs")}, cache=Cache(home), max_memory=0)
    small.refresh()
    assert all(tail.heap_bytes == 0 for run in small.values() for tail in run._order)
    assert all(len(s.points.chunks) == 1 for run in small.values() for tail in run._order for s in tail.slots)
    assert columns(small) == columns(store.open(tmp_path / "logs", cache=False))


def test_two_collections_share_an_index(tmp_path: Path, home: Path) -> None:
    """Both may write; neither ever sees a wrong point."""
    path = write_events(tmp_path / "logs" / "events.out.tfevents.1.h", [scalar_event("x", i, i) for i in range(50)])
    one, two = opened(tmp_path / "logs"), opened(tmp_path / "logs")
    for i in range(50, 56):
        with path.open("ab") as stream:
            stream.write(scalar_event("x", i, i))
        for runs in (one, two):
            runs.refresh()
            runs.close()
            assert runs["."].scalars["x"].value.tolist() == list(range(i + 1))
        assert opened(tmp_path / "logs")["."].scalars["x"].value.tolist() == list(range(i + 1))


def test_the_cache_may_vanish_at_any_time(tmp_path: Path, home: Path) -> None:
    """rm -r of the cache while a board runs."""
    path = write_events(tmp_path / "logs" / "events.out.tfevents.1.h", [scalar_event("x", i, i) for i in range(50)])
    opened(tmp_path / "logs")
    runs = store.open(tmp_path / "logs")
    shutil.rmtree(home)
    with path.open("ab") as stream:
        stream.write(scalar_event("x", 50, 50))
    runs.refresh()
    runs.close()
    assert runs["."].scalars["x"].value.tolist() == list(range(51))
    assert len(indexes(home)) == 1


def test_indexes_nobody_uses_go_after_sixty_days(tmp_path: Path, home: Path) -> None:
    """The cache does not grow for ever; what is in use stays, also when it was written long ago."""
    for name in ("old", "used"):
        write_events(tmp_path / name / "events.out.tfevents.1.h", [scalar_event("x", i, i) for i in range(50)])
        opened(tmp_path / name)
    long_ago = 1_000_000_000
    for place in indexes(home):
        os.utime(place, (long_ago, long_ago))
    assert len(opened(tmp_path / "used")["."].scalars["x"]) == 50
    os.utime(home / "index" / "pruned", (long_ago, long_ago))
    write_events(tmp_path / "new" / "events.out.tfevents.1.h", [scalar_event("x", 0, 0)])
    opened(tmp_path / "new")
    assert len(indexes(home)) == 2, "used and new"
    assert len(opened(tmp_path / "old")["."].scalars["x"]) == 50


BOUNDED = """
import sys, threading, time
from pathlib import Path
from milepost.store.cache import Cache
from milepost.store.collection import Collection
import milepost.store.collection as module

def anonymous():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("RssAnon"))

module.POINTS_AT_ONCE = 100_000
peak, stop = [0], threading.Event()
def watch():
    while not stop.is_set():
        peak[0] = max(peak[0], anonymous())
        time.sleep(0.002)
runs = Collection({"": sys.argv[1]}, cache=Cache(Path(sys.argv[2])), max_memory=4 << 20, threads=2)
watcher = threading.Thread(target=watch)
before = anonymous()
watcher.start()
runs.refresh()
stop.set()
watcher.join()
series = runs["."].series("tag3", "keep-all")
print(peak[0] - before, len(series), float(series.value[-1]), runs["."].info.points)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks at /proc")
def test_a_log_larger_than_the_memory_it_may_take_is_read_in_little_memory(tmp_path: Path) -> None:
    """Forty megabytes of columns with a limit of four: the process never takes a third of them."""
    block = b"".join(scalar_event(f"tag{tag}", step, step + tag) for step in range(1000) for tag in range(10))
    path = tmp_path / "logs" / "events.out.tfevents.1.h"
    path.parent.mkdir()
    with path.open("wb") as stream:
        for _ in range(200):
            stream.write(block)
    done = subprocess.run(
        [sys.executable, "-c", BOUNDED, path.parent, tmp_path / "cache"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    grown_kb, count, last, points = done.stdout.split()
    assert (int(count), float(last), int(points)) == (200_000, 1002.0, 2_000_000)
    assert int(grown_kb) < 16_000

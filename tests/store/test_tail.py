"""Files that grow, shrink, vanish and are replaced while they are read."""

from __future__ import annotations

import os
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from milepost import store
from milepost.store.tail import Tail, TailNews
from milepost.testing.logs import file_header, scalar_event, write_events, write_scalar_runs
from milepost.testing.scripted import ScriptedFile


def log(*values: float, tag: str = "x") -> bytes:
    return file_header() + b"".join(scalar_event(tag, i, v) for i, v in enumerate(values))


def values(runs: store.Collection) -> list[float]:
    return runs["."].scalars["x"].value.tolist() if "." in runs and "x" in runs["."].scalars else []


def test_a_file_written_byte_by_byte_gives_each_point_once(tmp_path: Path) -> None:
    """A look after every byte: never a wrong point, never one twice."""
    data = log(1, 2, 3)
    file = ScriptedFile(tmp_path / "events.out.tfevents.1.h").append(data, pieces=len(data))
    runs, seen = store.open(tmp_path, cache=False), []
    for _ in file.steps():
        runs.refresh()
        seen.append(values(runs))
    assert seen[-1] == [1, 2, 3]
    assert all(a == b[: len(a)] for a, b in pairwise(seen))
    assert runs["."].info.bad_records == 0


@pytest.mark.parametrize("way", ["replace", "overwrite"])
def test_a_replaced_file_is_read_anew(tmp_path: Path, way: str) -> None:
    """rsync with and without --inplace, longer and shorter than before."""
    file = ScriptedFile(tmp_path / "events.out.tfevents.1.h").append(log(1, 2, 3))
    getattr(file, way)(log(7, 8))
    getattr(file, way)(log(4, 5, 6, 7, 8))
    runs, seen = store.open(tmp_path, cache=False), []
    for _ in file.steps():
        changes = runs.refresh()
        seen.append(values(runs))
    assert seen == [[1, 2, 3], [7, 8], [4, 5, 6, 7, 8]]
    assert changes == [store.Change(".", "scalars", "x", "replaced")]


def test_a_cut_file_is_read_anew(tmp_path: Path) -> None:
    """Truncation in place, below what was read."""
    data = log(1, 2, 3)
    file = (
        ScriptedFile(tmp_path / "events.out.tfevents.1.h")
        .append(data)
        .truncate(len(log(1, 2)))
        .append(scalar_event("x", 2, 9))
    )
    runs = store.open(tmp_path, cache=False)
    seen = []
    for _ in file.steps():
        runs.refresh()
        seen.append(values(runs))
    assert seen == [[1, 2, 3], [1, 2], [1, 2, 9]]


def test_a_tag_that_a_replaced_file_no_longer_has_goes(tmp_path: Path) -> None:
    """Nothing of the old content stays."""
    file = ScriptedFile(tmp_path / "events.out.tfevents.1.h").append(log(1, tag="old")).replace(log(2, tag="new"))
    runs = store.open(tmp_path, cache=False)
    for _ in file.steps():
        changes = runs.refresh()
    assert list(runs["."].scalars) == ["new"]
    assert {(c.kind, c.tag) for c in changes} == {("scalars", "old"), ("scalars", "new")}


def test_one_file_of_several_goes(tmp_path: Path) -> None:
    """The others' points stay."""
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 1, 1.0)])
    second = write_events(tmp_path / "events.out.tfevents.2.h", [scalar_event("x", 2, 2.0)])
    runs = store.open(tmp_path, cache=False)
    assert values(runs) == [1.0, 2.0]
    second.unlink()
    runs.refresh()
    assert values(runs) == [1.0]


def test_an_older_file_may_grow_after_a_newer_one_appeared(tmp_path: Path) -> None:
    """Two writers in one directory: TensorBoard never goes back to the older file."""
    first = write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("a", 1, 1.0)])
    write_events(tmp_path / "events.out.tfevents.2.h", [scalar_event("b", 1, 1.0)])
    runs = store.open(tmp_path, cache=False)
    with first.open("ab") as stream:
        stream.write(scalar_event("a", 2, 2.0))
    runs.refresh()
    assert runs["."].scalars["a"].value.tolist() == [1.0, 2.0]


def test_files_that_cannot_be_read_are_named_and_do_no_harm(tmp_path: Path) -> None:
    """A directory, a dangling link and a pipe named like event files."""
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 1, 1.0)])
    (tmp_path / "events.out.tfevents.2.h").mkdir()
    (tmp_path / "events.out.tfevents.3.h").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "events.out.tfevents.4.h")
    runs = store.open(tmp_path, cache=False)
    assert values(runs) == [1.0]
    assert any("tfevents.2" in problem for problem in runs["."].info.problems)


def test_links_are_followed_once(tmp_path: Path) -> None:
    """A link to a run is a run; a link to its own parent is no endless tree."""
    write_events(tmp_path / "logs" / "a" / "events.out.tfevents.1.h", [scalar_event("x", 1, 1.0)])
    write_events(tmp_path / "away" / "events.out.tfevents.1.h", [scalar_event("x", 1, 1.0)])
    (tmp_path / "logs" / "b").symlink_to(tmp_path / "away")
    (tmp_path / "logs" / "a" / "up").symlink_to(tmp_path / "logs")
    assert list(store.open(tmp_path / "logs", cache=False)) == ["a", "b"]


def test_a_tail_says_what_it_found(tmp_path: Path) -> None:
    """Grew, same, replaced, gone; where it ends inside a record."""
    path = write_events(tmp_path / "f", [scalar_event("x", 1, 1.0), b"\x01\x02"])
    tail = Tail(str(path))
    assert tail.read()[0] is TailNews.GREW
    assert tail.truncated_at == path.stat().st_size - 2
    assert tail.read()[0] is TailNews.SAME
    path.unlink()
    assert tail.read()[0] is TailNews.GONE


def test_a_thousand_runs(tmp_path: Path) -> None:
    """Each is there; a look at nothing new opens no file."""
    for i in range(1000):
        write_events(tmp_path / f"g{i // 50}" / f"r{i}" / "events.out.tfevents.1.h", [scalar_event("x", 1, i)])
    runs = store.open(tmp_path, cache=False)
    assert len(runs) == 1000
    assert sum(float(run.scalars["x"].value[0]) for run in runs.values()) == sum(range(1000))
    assert runs.refresh() == []


def test_ten_thousand_tags_of_one_run(tmp_path: Path) -> None:
    """Built one at a time, as asked for."""
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event(f"t/{i}", 1, i) for i in range(10_000)])
    run = store.open(tmp_path, cache=False)["."]
    assert len(run.scalars) == 10_000
    assert run.scalars["t/9999"].value.tolist() == [9999]
    assert run.scalars.count("t/5") == 1


def test_readers_in_other_threads_never_see_half_a_thing(tmp_path: Path) -> None:
    """While one thread refreshes, others look: columns of equal length, values that only grow."""
    path = write_events(tmp_path / "r" / "events.out.tfevents.1.h", [scalar_event("x", 0, 0)])
    runs, stop, wrong = store.open(tmp_path, cache=False), threading.Event(), []

    def look() -> None:
        before = 0
        while not stop.is_set():
            series = runs["r"].scalars["x"]
            good = len(series.step) == len(series.wall_time) == len(series.value) >= before
            if not good or series.step.tolist() != list(range(len(series))):
                wrong.append(series)
            before = len(series)
            _ = runs["r"].info, runs.loading, list(runs["r"].scalars)

    readers = [threading.Thread(target=look) for _ in range(3)]
    for reader in readers:
        reader.start()
    with path.open("ab") as stream:
        for i in range(1, 400):
            stream.write(scalar_event("x", i, i))
            if i % 7 == 0:
                stream.flush()
                runs.refresh()
    runs.refresh()
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert len(runs["r"].scalars["x"]) == 400


def test_one_thread_and_many_give_the_same(tmp_path: Path) -> None:
    """The order of reading does not show."""
    write_scalar_runs(tmp_path, runs=7, tags=2, steps=50)
    one, many = store.open(tmp_path, cache=False, threads=1), store.open(tmp_path, cache=False, threads=5)
    assert [len(run.scalars["train/metric_01"]) for run in one.values()] == [50] * 7
    for name in one:
        assert (
            one[name].scalars["train/metric_01"].value.tolist() == many[name].scalars["train/metric_01"].value.tolist()
        )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_history_of_a_file_ends_with_what_is_in_it(tmp_path: Path, data: st.DataObject) -> None:
    """Whatever happened to the file, a last look shows exactly what a fresh reader would see."""
    path = tmp_path / f"{data.draw(st.uuids())}" / "events.out.tfevents.1.h"
    file = ScriptedFile(path).append(log(0))
    number = st.integers(1, 50)
    for _ in range(data.draw(st.integers(0, 6))):
        act = data.draw(st.sampled_from(["append", "torn", "replace", "overwrite", "truncate"]))
        if act == "append":
            file.append(scalar_event("x", data.draw(number), data.draw(number)), pieces=data.draw(st.integers(1, 3)))
        elif act == "torn":
            file.append(scalar_event("x", 1, 1.0)[: data.draw(st.integers(1, 30))])
        elif act == "truncate":
            file.truncate(data.draw(st.integers(0, 100)))
        else:
            getattr(file, act)(log(*data.draw(st.lists(number, max_size=5))))
    runs = store.open(path.parent, cache=False)
    for _ in file.steps():
        runs.refresh()
    fresh = store.open(path.parent, cache=False)
    assert values(runs) == values(fresh)


def test_readers_never_see_a_file_half_replaced(tmp_path: Path) -> None:
    """While a file is replaced again and again, others see the old content or the new one, never none."""
    path = tmp_path / "r" / "events.out.tfevents.1.h"
    write_events(path, [scalar_event("x", i, 1.0) for i in range(50)])
    runs, stop, wrong = store.open(tmp_path, cache=False), threading.Event(), []

    def look() -> None:
        while not stop.is_set():
            try:
                seen = runs["r"].scalars["x"].value.tolist()
            except Exception as error:
                wrong.append(error)
                return
            if len(seen) not in (50, 60) or len(set(seen)) != 1:
                wrong.append(seen)

    readers = [threading.Thread(target=look) for _ in range(2)]
    for reader in readers:
        reader.start()
    for k in range(40):
        fresh = write_events(tmp_path / "beside", [scalar_event("x", i, k) for i in range(50 + k % 2 * 10)])
        os.replace(fresh, path)
        runs.refresh()
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []


def test_a_run_of_very_many_files(tmp_path: Path) -> None:
    """Three hundred restarts, each its own file, are one series in order."""
    for k in range(300):
        write_events(
            tmp_path / f"events.out.tfevents.{1000 + k}.h.{k}.0",
            [scalar_event("x", k, k), scalar_event("x", k + 1, -1)],
        )
    series = store.open(tmp_path, cache=False)["."].scalars["x"]
    assert series.step.tolist() == list(range(301))
    assert series.value.tolist() == [*range(300), -1]
    assert len(series.truth.restarts) == 299


def test_nothing_new_is_no_change_even_with_files_that_cannot_be_read(tmp_path: Path) -> None:
    """Trouble is tried again, quietly."""
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 1, 1.0)])
    (tmp_path / "events.out.tfevents.2.h").mkdir()
    runs = store.open(tmp_path, cache=False)
    before = runs["."].version
    assert runs.refresh() == []
    assert runs["."].version == before


def test_a_file_rewritten_in_place_with_the_same_beginning_is_read_anew(tmp_path: Path) -> None:
    """rsync --inplace of a run that was resumed elsewhere: the first kilobytes are the same, the rest is not."""
    begin = [scalar_event("x", i, i) for i in range(200)]
    path = tmp_path / "events.out.tfevents.1.h"
    write_events(path, [*begin, *(scalar_event("x", i, -1.0) for i in range(200, 300))])
    runs = store.open(tmp_path, cache=False)
    assert path.stat().st_size > 8192
    write_events(path, [*begin, *(scalar_event("x", i, -2.0) for i in range(200, 310))])
    assert runs.refresh() == [store.Change(".", "scalars", "x", "replaced")]
    assert values(runs)[200:] == [-2.0] * 110


def test_what_rsync_has_not_finished_is_no_file_yet(tmp_path: Path) -> None:
    """Its temporary name begins with a dot."""
    write_events(tmp_path / ".events.out.tfevents.1.h.Xy12", [scalar_event("x", 1, 1.0)])
    assert len(store.open(tmp_path, cache=False)) == 0


def test_a_file_for_which_memory_is_out_does_not_keep_the_others_from_being_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named as a problem of its run."""
    for name in ("a", "b"):
        write_events(tmp_path / name / "events.out.tfevents.1.h", [scalar_event("x", 1, 1.0)])
    real = Tail.read

    def read(self: Tail, *arguments: object) -> object:
        if "/a/" in self.path:
            raise MemoryError
        return real(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Tail, "read", read)
    runs = store.open(tmp_path, cache=False)
    assert runs["b"].scalars["x"].value.tolist() == [1.0]
    assert "no memory" in runs["a"].info.problems[0]


def test_a_resumed_run_that_grows_is_appended_to_not_joined_anew(tmp_path: Path) -> None:
    """Two files, the second growing: the same columns as read at once, and the memory of the first join goes on being used."""
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", i, i) for i in range(100)])
    path = write_events(tmp_path / "events.out.tfevents.2.h", [scalar_event("x", 100, 100)])
    runs, seen = store.open(tmp_path, cache=False), []
    for step in range(101, 140):
        with path.open("ab") as stream:
            stream.write(scalar_event("x", step, step))
        runs.refresh()
        seen.append(runs["."].scalars["x"])
        assert seen[-1].step.tolist() == list(range(step + 1))
    assert seen[0].step.tolist() == list(range(102)), "what was given out does not change"
    assert np.shares_memory(seen[-1].value, seen[-2].value)
    other = write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", i, -1) for i in range(100)])
    assert other.exists()
    runs.refresh()
    assert runs["."].scalars["x"].value.tolist() == [-1] * 100 + list(range(100, 140))

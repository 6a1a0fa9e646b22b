"""Writers behave as TensorFlow's: what is the default, when, in which thread; when a file grows; what is refused."""

from __future__ import annotations

import gc
import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import milepost
from milepost import summary
from milepost.errors import MilepostError, StorageError, SummaryError


def size(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.iterdir())


def wait_until(condition: Any, seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.002)
    return True


def test_the_file_exists_as_soon_as_the_writer_does(tmp_path: Path, events: Any) -> None:
    """It has TensorFlow's name and its first record."""
    writer = summary.create_file_writer(tmp_path / "日志" / "run")
    (path,) = (tmp_path / "日志" / "run").iterdir()
    assert str(path) == writer.path
    assert path.name.startswith("events.out.tfevents.")
    assert path.name.endswith(".v2")
    assert [e.file_version for e in events(tmp_path)] == ["brain.Event:2"]
    writer.close()
    suffixed = summary.create_file_writer(tmp_path / "s", filename_suffix=".mine")
    assert os.listdir(tmp_path / "s")[0].endswith(".mine")
    suffixed.close()


def test_the_eleventh_record_is_written_at_once(tmp_path: Path) -> None:
    """A queue of 10, as in TensorFlow: ten records wait for `flush_millis`, the eleventh does not."""
    writer = summary.create_file_writer(tmp_path, flush_millis=60_000)
    empty = size(tmp_path)
    with writer.as_default():
        for step in range(10):
            summary.scalar("q", step, step=step)
        time.sleep(0.1)
        assert size(tmp_path) == empty
        summary.scalar("q", 10.0, step=10)
        assert wait_until(lambda: size(tmp_path) > empty, 10)
    writer.close()


def test_few_records_are_written_soon(tmp_path: Path) -> None:
    """A single record is on disk after `flush_millis`, without another call."""
    writer = summary.create_file_writer(tmp_path, flush_millis=50)
    empty = size(tmp_path)
    with writer.as_default():
        for round_ in range(3):
            before = size(tmp_path)
            summary.scalar("q", 1.0, step=round_)
            assert wait_until(lambda before=before: size(tmp_path) > before, 10)
            if round_ == 1:
                writer.flush()  # from this thread: the writer's own must still wake for the next one
    assert size(tmp_path) > empty
    writer.close()


def test_leaving_a_default_block_writes_soon(tmp_path: Path) -> None:
    """The common form `with writer.as_default(): …` in a loop needs no flush."""
    writer = summary.create_file_writer(tmp_path, flush_millis=60_000)
    empty = size(tmp_path)
    with writer.as_default():
        summary.scalar("q", 1.0, step=1)
    assert wait_until(lambda: size(tmp_path) > empty, 10)
    writer.close()


def test_flush_is_a_promise(tmp_path: Path, points: Any) -> None:
    """Everything logged before `flush` is in the file when it returns: scalars, and what the thread had still to encode."""
    writer = summary.create_file_writer(tmp_path)
    with writer.as_default(step=1):
        for round_ in range(20):
            summary.scalar("s", float(round_))
            summary.histogram("h", np.arange(1000.0) + round_)
            writer.flush()
            assert len(points(tmp_path)) == 2 * (round_ + 1)
    writer.close()


def test_default_writer_step_and_scope_are_the_threads_own(tmp_path: Path, points: Any) -> None:
    """Each thread has its own default writer, step, condition and scope; all are restored where a block ends."""
    writer = summary.create_file_writer(tmp_path)
    outside: list[Any] = []
    with writer.as_default(step=7), summary.name_scope("a b"), summary.name_scope("c"):
        assert summary.scalar("x", 1.0)
        other = threading.Thread(
            target=lambda: outside.append((summary.scalar("x", 1.0, step=1), summary.experimental.get_step()))
        )
        other.start()
        other.join()
        with summary.record_if(False):
            assert not summary.scalar("no", 1.0)
            assert not summary.should_record_summaries()
        with summary.record_if(lambda: int(summary.experimental.get_step()) % 2 == 1):
            assert summary.scalar("odd", 1.0)
        with summary.experimental.summary_scope("my tag") as (tag, scope):
            assert (tag, scope) == ("a_b/c/my tag", "a_b/c/my_tag/")
    assert outside == [(False, None)]
    assert not summary.scalar("x", 1.0, step=1)
    assert not summary.should_record_summaries()
    assert summary.experimental.get_step() is None
    writer.close()
    assert points(tmp_path) == [("a_b/c/x", 7, 1.0), ("a_b/c/odd", 7, 1.0)]


def test_a_step_that_moves(tmp_path: Path, points: Any) -> None:
    """The default step may be an object that is read each time, such as a variable."""
    counter = np.array(0)
    writer = summary.create_file_writer(tmp_path)
    with writer.as_default():
        summary.experimental.set_step(counter)
        for _ in range(3):
            counter += 1
            summary.scalar("x", 1.0)
        summary.experimental.set_step(None)
    writer.close()
    assert [step for _, step, _ in points(tmp_path)] == [1, 2, 3]


def test_what_is_refused(tmp_path: Path) -> None:
    """Wrong arguments are named at the call, in one message, and nothing is written."""
    writer = summary.create_file_writer(tmp_path)
    empty = size(tmp_path)
    image, sound = np.zeros((1, 4, 4, 3)), np.zeros((1, 10, 1))
    with writer.as_default():
        for call, says in [
            (lambda: summary.scalar("x", 1.0), "no step set"),
            (lambda: summary.scalar("x", [1.0, 2.0], step=0), "one number"),
            (lambda: summary.scalar("x", np.zeros(1), step=0), r"shape \(1,\)"),
            (lambda: summary.scalar("x", "1.0", step=0), "'1.0'"),
            (lambda: summary.scalar("x", None, step=0), "NoneType"),
            (lambda: summary.text("x", 3, step=0), "strings"),
            (lambda: summary.text("x", ["a", 3], step=0), "strings|str or bytes"),
            (lambda: summary.image("x", image[0], step=0), "rank 4"),
            (lambda: summary.image("x", np.zeros((1, 4, 4, 5)), step=0), "1 to 4 channels"),
            (lambda: summary.image("x", np.array([[[["a"]]]]), step=0), "numbers"),
            (lambda: summary.image("x", image, step=0, max_outputs=-1), "max_outputs"),
            (lambda: summary.audio("x", sound[0], 8000, step=0), "rank 3"),
            (lambda: summary.audio("x", sound, 8000, step=0, encoding="mp3"), "WAV"),
            (lambda: summary.histogram("x", ["a"], step=0), "numbers"),
            (lambda: summary.pr_curve("x", [1, 0], [0.5], step=0), "differ in shape"),
            (lambda: summary.mesh("x", np.zeros((4, 3)), step=0), "batch, n, 3"),
            (lambda: summary.hparams({"a": object()}), "'a'"),
            (lambda: summary.embedding(np.zeros(3), step=0), "matrix"),
            (lambda: summary.custom_scalars({"c": {"t": ["Margin", ["a"]]}}), "three tags"),
        ]:
            with pytest.raises(SummaryError, match=says):
                call()
    writer.flush()
    assert size(tmp_path) == empty
    writer.close()
    with pytest.raises(MilepostError, match="local directory"):
        summary.create_file_writer("gs://bucket/run")
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"file/run: no event file can be made here: Not a directory"):
        summary.create_file_writer(tmp_path / "file" / "run")


def test_noop_writer_and_no_writer(tmp_path: Path) -> None:
    """Without a writer, or with one that keeps nothing, every call answers False and costs nothing."""
    calls = [
        lambda: summary.scalar("x", 1.0, step=0), lambda: summary.text("x", "t", step=0), lambda: summary.write("x", 1, step=0),
        lambda: summary.image("x", np.zeros((1, 1, 1, 1)), step=0), lambda: summary.audio("x", np.zeros((1, 1, 1)), 8, step=0),
        lambda: summary.histogram("x", 1.0, step=0), lambda: summary.mesh("x", np.zeros((1, 1, 3)), step=0),
        lambda: summary.hparams({}), lambda: summary.custom_scalars({}), lambda: summary.embedding(np.zeros((1, 1)), step=0),
        lambda: summary.pr_curve("x", [1], [1.0], step=0), lambda: summary.graph(b""),
    ]  # fmt: skip
    assert not any(call() for call in calls)
    noop = summary.create_noop_writer()
    with noop.as_default(step=1):
        assert not summary.should_record_summaries()
        assert not any(call() for call in calls)
    noop.flush()
    noop.close()


def test_a_closed_writer(tmp_path: Path, points: Any, caplog: pytest.LogCaptureFixture) -> None:
    """It cannot become the default again; one that is default already drops with one warning and does not break training."""
    writer = summary.create_file_writer(tmp_path)
    with writer.as_default():
        summary.scalar("x", 1.0, step=1)
        writer.close()
        writer.close()
        writer.flush()
        for step in range(5):
            assert not summary.scalar("late", 1.0, step=step)
            assert not summary.text("late", "x", step=step)
            assert not summary.image("late", np.zeros((1, 1, 1, 1)), step=step)
    assert len(caplog.records) == 1
    assert "after its writer was closed" in caplog.text
    with pytest.raises(RuntimeError, match="already closed"), writer.as_default():
        pass
    assert points(tmp_path) == [("x", 1, 1.0)]


def test_a_forgotten_writer_writes_and_closes(tmp_path: Path, points: Any) -> None:
    """A writer nobody holds any more loses nothing and leaves no thread and no open file."""
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for number in range(10):
        writer = summary.create_file_writer(tmp_path / str(number))
        with writer.as_default():
            summary.scalar("x", number, step=number)
            summary.image("i", np.zeros((1, 4, 4, 1)), step=number)
        torch_like = milepost.SummaryWriter(tmp_path / f"t{number}")
        torch_like.add_scalar("y", number, number)
        del writer, torch_like
    gc.collect()
    assert wait_until(lambda: threading.active_count() <= threads and len(os.listdir("/proc/self/fd")) <= files)
    assert len(points(tmp_path)) == 30


def test_many_writers_and_threads_share_a_directory(tmp_path: Path, points: Any) -> None:
    """Each writer has a file of its own; threads may share a writer; no point is lost or torn."""
    writers = [summary.create_file_writer(tmp_path) for _ in range(4)]

    def work(writer: Any, thread: int) -> None:
        with writer.as_default():
            for step in range(2000):
                summary.scalar(f"t{thread}", float(step), step=step)
                if step % 500 == 0:
                    summary.histogram(f"h{thread}", np.arange(10.0), step=step)
                    writer.flush()

    threads = [threading.Thread(target=work, args=(writers[n % 4], n)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for writer in writers:
        writer.close()
    found = points(tmp_path)
    assert len(list(tmp_path.iterdir())) == 4
    for thread in range(8):
        assert [(s, v) for t, s, v in found if t == f"t{thread}"] == [(s, float(s)) for s in range(2000)]
        assert [s for t, s, _ in found if t == f"h{thread}"] == [0, 500, 1000, 1500]


def test_training_data_may_change_after_the_call(tmp_path: Path, points: Any, events: Any) -> None:
    """What is encoded later was copied at the call."""
    import torch

    writer = summary.create_file_writer(tmp_path)
    array, tensor = np.zeros((1, 64, 64, 3), np.float32), torch.zeros(1000)
    with writer.as_default(step=0):
        summary.image("i", array)
        summary.histogram("h", tensor)
        array[:] = 1
        tensor += 1
    writer.close()
    tags = {tag: value for tag, _, value in points(tmp_path)}
    assert tags["h"][-1] == [0.0, 0.0, 1000.0]
    import io

    from PIL import Image

    assert np.asarray(Image.open(io.BytesIO(tags["i"][2]))).max() == 0


def test_values_of_every_engine(tmp_path: Path, points: Any) -> None:
    """numpy, Python, torch (with gradients, half precision), jax and Keras variables, as scalars and as arrays."""
    import jax.numpy as jnp
    import keras
    import torch

    numbers = [2, 2.0, np.float16(2), np.array(2), torch.tensor(2.0, requires_grad=True), torch.tensor(2, dtype=torch.bfloat16),
               jnp.float32(2), jnp.bfloat16(2), keras.Variable(2.0), keras.ops.convert_to_tensor(2.0), True + True]  # fmt: skip
    arrays = [[1.0, 2.0], np.array([1, 2]), torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([1, 2]).bfloat16(),
              jnp.array([1.0, 2.0]), keras.Variable([1.0, 2.0]), [torch.tensor(1.0), torch.tensor(2.0)], (1, 2)]  # fmt: skip
    writer = summary.create_file_writer(tmp_path)
    with writer.as_default():
        for step, number in enumerate(numbers):
            summary.scalar("n", number, step=step)
        for step, array in enumerate(arrays):
            summary.histogram("h", array, step=step, buckets=1)
        summary.scalar("step", 1.0, step=torch.tensor(5))
        summary.scalar("step", 1.0, step=jnp.int32(6))
        summary.scalar("step", 1.0, step=keras.Variable(7, dtype="int32", trainable=False))
    writer.close()
    found = points(tmp_path)
    assert [v for t, _, v in found if t == "n"] == [2.0] * len(numbers)
    assert [v for t, _, v in found if t == "h"] == [[[1.0, 2.0, 2.0]]] * len(arrays)
    assert [s for t, s, _ in found if t == "step"] == [5, 6, 7]


def test_scalars_wait_behind_one_that_is_being_computed(tmp_path: Path, points: Any) -> None:
    """A value that is not there yet holds up neither training nor the order of its tag; pictures do not overtake close()."""
    ready, writer = threading.Event(), summary.create_file_writer(tmp_path)

    def later(number: float) -> Any:
        return lambda: float(ready.wait(30)) * number

    started = time.monotonic()
    with writer.as_default():
        summary.scalar("x", 0.0, step=0)
        writer.scalar_later("x", later(1.0), 1, None)
        for step in range(2, 50):
            summary.scalar("x", float(step), step=step)
        writer.scalar_later("x", later(50.0), 50, None)
        assert time.monotonic() - started < 10
        threading.Timer(0.05, ready.set).start()
        for step in range(51, 3000):  # while the thread catches up and goes back to the fast way
            summary.scalar("x", float(step), step=step)
            if step % 300 == 0:
                time.sleep(0.01)
        writer.scalar_later("x", lambda: 3000.0, 3000, None)
        summary.scalar("x", 3001.0, step=3001)
    writer.close()
    assert points(tmp_path) == [("x", step, float(step)) for step in range(3002)]
    assert not writer.scalar_later("x", lambda: 1.0, 1, None)


def test_a_value_that_never_comes(tmp_path: Path, points: Any, caplog: pytest.LogCaptureFixture) -> None:
    """One that fails costs itself, with one warning; the ones behind it are written."""

    def fail() -> float:
        raise RuntimeError("device-side assert")

    drop_in = milepost.SummaryWriter(tmp_path)
    log = drop_in.file_writer._log
    from milepost.formats.scalar_event import simple_template

    log.scalar_later(simple_template("x"), fail, 1, 1.0)
    drop_in.add_scalar("x", 2.0, 2)
    with pytest.raises(StorageError, match="1 summaries were not written"):
        drop_in.close()
    assert points(tmp_path) == [("x", 2, 2.0)]
    assert "device-side assert" in caplog.text

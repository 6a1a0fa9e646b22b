"""Checkpoints that were damaged or made to harm: every flipped bit is noticed and named, every lie refused in bounded memory."""

from __future__ import annotations

import random
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost import train
from milepost._native.crc32c import crc32c
from milepost.errors import CorruptionError, FormatError, MilepostError, TruncatedError
from milepost.formats import dtypes
from milepost.formats.bundle import BundleWriter
from milepost.formats.objectgraph import GRAPH_KEY, Node, ObjectGraph
from milepost.formats.strings import encode_strings
from milepost.train import Checkpoint, CheckpointOptions

SIZES = (1, 7, 300, 5000, 20_000)


def state() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    return {f"t{i}": rng.random(n, dtype="f4") for i, n in enumerate(SIZES)} | {"text": "grüß", "list": [1, 2.5, None]}


def blank() -> dict[str, Any]:
    return {f"t{i}": np.zeros(n, "f4") for i, n in enumerate(SIZES)} | {"text": "", "list": [0, 0.0, None]}


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return all(np.array_equal(a[k], b[k]) if isinstance(a[k], np.ndarray) else a[k] == b[k] for k in a)


@pytest.mark.parametrize("dense", [True, False])
def test_a_thousand_flipped_bits(tmp_path: Path, dense: bool) -> None:
    """Each is noticed, with tensor or block named, and changes no live value. Padding between tensors carries nothing: it is
    the only place (of aligned files) where a flip is not an error, and then the values are the right ones."""
    path = Checkpoint(state=state()).write(tmp_path / "c", CheckpointOptions(tf_layout=dense))
    files = {p: p.read_bytes() for p in tmp_path.iterdir()}
    spans = [(e.offset, e.offset + e.size) for e in train.load_checkpoint(path).index.entries.values()]
    rng = random.Random(11)
    noticed = 0
    for _ in range(500):
        file = rng.choice(sorted(files))
        raw = bytearray(files[file])
        at = rng.randrange(len(raw))
        raw[at] ^= 1 << rng.randrange(8)
        file.write_bytes(raw)
        live = blank()
        failure: FormatError | None = None
        try:
            Checkpoint(state=live).read(path).assert_consumed()
        except FormatError as error:
            failure = error
        if failure is not None:
            noticed += 1
            assert str(tmp_path / "c") in str(failure)
            if ".data-" in file.name:
                assert isinstance(failure, CorruptionError)
                assert "tensor" in str(failure)
            assert same(live, blank()), "a damaged file changed live values"
        else:
            assert not dense, f"not noticed: {file.name} byte {at}"
            assert ".data-" in file.name
            assert not any(begin <= at < end for begin, end in spans)
            assert same(live, state())
        file.write_bytes(files[file])
    assert noticed == 500 if dense else noticed > 450


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.9, 0.999])
@pytest.mark.parametrize("which", ["index", "data"])
def test_cut_files(tmp_path: Path, which: str, keep: float) -> None:
    """A file cut anywhere is an error that names it, before anything is assigned."""
    path = Checkpoint(state=state()).write(tmp_path / "c")
    file = tmp_path / ("c.index" if which == "index" else "c.data-00000-of-00001")
    raw = file.read_bytes()
    file.write_bytes(raw[: int(len(raw) * keep)])
    live = blank()
    with pytest.raises(FormatError, match=str(tmp_path / "c")):
        Checkpoint(state=live).read(path)
    assert same(live, blank())


def test_missing_shards(tmp_path: Path) -> None:
    """A data file that is gone is named."""
    path = Checkpoint(state=state()).write(tmp_path / "c")
    (tmp_path / "c.data-00000-of-00001").unlink()
    with pytest.raises(TruncatedError, match=r"c\.data-00000-of-00001: a data file of the checkpoint is missing"):
        Checkpoint(state=blank()).read(path)
    assert len(train.list_variables(path)) > 5


def forge(where: Path, graph: ObjectGraph, tensors: dict[str, np.ndarray[Any, Any]]) -> str:
    """A checkpoint with right checksums and a graph of our choice."""
    writer = BundleWriter()
    blobs, crcs = [], []
    for key, array in tensors.items():
        writer.add(key, dtypes.of_numpy(array.dtype), array.shape, array.nbytes)
        blobs.append(array.tobytes())
        crcs.append(crc32c(blobs[-1]))
    blob, crc = encode_strings([graph.encode()])
    writer.add(GRAPH_KEY, dtypes.STRING, (), len(blob))
    (placed,) = writer.place()
    data = bytearray(placed.size)
    for offset, part in zip(placed.offsets, [*blobs, blob], strict=True):
        data[offset : offset + len(part)] = part
    (where / "c.data-00000-of-00001").write_bytes(data)
    (where / "c.index").write_bytes(writer.index([*crcs, crc]))
    return str(where / "c")


def bounded(job: Any, limit: int = 300 << 20, seconds: float = 20) -> None:
    """Run it: it ends in time and memory, well or with one of our errors."""
    tracemalloc.start()
    began = time.monotonic()
    try:
        job()
    except MilepostError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < limit, peak
    assert time.monotonic() - began < seconds


def value(key: str) -> tuple[str, str, str]:
    return ("VARIABLE_VALUE", "milepost:numpy", key)


X = {"x": np.ones(3)}


def test_cycles(tmp_path: Path) -> None:
    """Objects that lead to themselves and to each other."""
    graph = ObjectGraph([Node([("a", 1), ("self", 0)]), Node([("b", 0), ("me", 1), ("x", 2)]), Node([], [value("x")])])
    graph.mark_values()
    path = forge(tmp_path, graph, X)
    live = {"x": np.zeros(3)}
    Checkpoint(a=live).read(path)
    assert live["x"].all()
    bounded(lambda: Checkpoint(a={}).read(path))


def test_chains_of_thirty_thousand(tmp_path: Path) -> None:
    """A chain so deep that recursion, or paths of its length, would end the process."""
    count = 30_000
    nodes = [Node([("n", i + 1)], has_values=True) for i in range(count)] + [Node([], [value("x")], has_values=True)]
    path = forge(tmp_path, ObjectGraph(nodes), X)
    bounded(lambda: Checkpoint(n={}).read(path).report())
    bounded(lambda: Checkpoint(other={}).read(path).report())


def test_diamonds(tmp_path: Path) -> None:
    """Sixty nodes whose paths are 2**60 many."""
    nodes = [Node([("a", i + 1), ("b", i + 1)], has_values=True) for i in range(60)]
    nodes.append(Node([], [value("x")], has_values=True))
    path = forge(tmp_path, ObjectGraph(nodes), X)
    bounded(lambda: Checkpoint(a={}).read(path), limit=1 << 30, seconds=60)


def test_graphs_that_lie(tmp_path: Path) -> None:
    """Keys that are not there, a graph that is none."""
    path = forge(tmp_path, ObjectGraph([Node([("a", 1)]), Node([], [value("gone")])]), X)
    with pytest.raises(FormatError, match="gone"):
        Checkpoint(a=np.zeros(3)).read(path)
    with pytest.raises(FormatError, match="does not exist"):
        Checkpoint(a=np.zeros(3)).read(forge(tmp_path, ObjectGraph([Node([("a", 7)])]), X))
    writer = BundleWriter()
    writer.add(GRAPH_KEY, dtypes.by_name("int32"), (1,), 4)
    writer.place()
    (tmp_path / "d.index").write_bytes(writer.index([crc32c(bytes(4))]))
    (tmp_path / "d.data-00000-of-00001").write_bytes(bytes(4))
    with pytest.raises(FormatError, match="no single string"):
        Checkpoint(a=np.zeros(3)).read(tmp_path / "d")


def test_one_tensor_for_many_objects(tmp_path: Path) -> None:
    """Ten thousand nodes that all name the same bytes: each byte is read a bounded number of times."""
    count = 10_000
    nodes = [Node([(str(i), i + 1) for i in range(count)], has_values=True)]
    nodes += [Node([], [value("x")], has_values=True) for _ in range(count)]
    path = forge(tmp_path, ObjectGraph(nodes), {"x": np.ones(50_000)})
    live = {str(i): np.zeros(50_000 if i < 3 else 1) for i in range(3)}
    Checkpoint(live).read(path)
    assert all(a.all() for a in live.values())


def test_claims_beyond_the_file(tmp_path: Path) -> None:
    """An index that says a tensor has 2**50 elements, or lies at 2**60: refused without reading or allocating."""
    for shape, size, offset in (((2**50,), 2**52, 0), ((4,), 16, 2**60)):
        writer = BundleWriter()
        writer.add("x", dtypes.by_name("float32"), shape, size)
        writer.place()
        writer.place_at([(0, offset)], 1)
        (tmp_path / "c.index").write_bytes(writer.index([0]))
        (tmp_path / "c.data-00000-of-00001").write_bytes(bytes(16))
        bounded(lambda: train.load_checkpoint(tmp_path / "c").get_tensor("x"), limit=1 << 20)
        with pytest.raises(TruncatedError):
            train.load_checkpoint(tmp_path / "c").get_tensor("x")

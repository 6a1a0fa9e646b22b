"""The scan under the address and undefined-behaviour sanitizers: mutated files read nothing they may not, and leak nothing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from milepost.formats.event import (
    Dim,
    Event,
    Histogram,
    Image,
    PluginData,
    Summary,
    SummaryMetadata,
    SummaryValue,
    TaggedRunMetadata,
    TensorProto,
    TensorShape,
)
from milepost.formats.record import frame
from milepost.testing.logs import file_header, scalar_event, session_start, value_event

HERE = Path(__file__).parent
NATIVE = HERE.parents[1] / "src" / "milepost" / "_native"


def seed_file() -> bytes:
    """One of every kind of event the scan knows."""
    tensors = [
        TensorProto(dtype=1, float_val=[1.0]),
        TensorProto(dtype=2, content=b"12345678", shape=TensorShape(dim=[Dim(size=1), Dim(size=1)])),
        TensorProto(dtype=9, int64_val=[-1]),
        TensorProto(dtype=7, string_val=[b"x", b"yy"]),
        TensorProto(dtype=19, half_val=[3]),
        TensorProto(dtype=1, float_val=[1, 2, 3], shape=TensorShape(dim=[Dim(size=3)])),
    ]
    records = [file_header(), *(scalar_event("loss", i, i) for i in range(5)), session_start(3)]
    records += [scalar_event("a" * 8, 300, 1.0), scalar_event("b" * 16, 2**40, 1.0), scalar_event("c" * 130, -1, 1.0)]
    told = SummaryMetadata(plugin_data=PluginData(plugin_name="scalars"))
    for k in range(6):  # the same but for the number: the scan's short cut
        records.append(
            value_event(SummaryValue(tag="acc", tensor=TensorProto(dtype=1, content=b"%04d" % k), metadata=told), k + 1)
        )
    for k, tensor in enumerate(tensors):
        for plugin in ("", "scalars", "text"):
            told = SummaryMetadata(plugin_data=PluginData(plugin_name=plugin, content=b"c")) if plugin else None
            records.append(value_event(SummaryValue(tag=f"{plugin}{k}", tensor=tensor, metadata=told), 4))
    records.append(value_event(SummaryValue(tag="i", image=Image(height=1, width=1, encoded=b"p" * 30)), 5))
    records.append(value_event(SummaryValue(tag="h", histo=Histogram(max=1, bucket=[1.0], bucket_limit=[2.0])), 5))
    records.append(frame(Event(wall_time=1.0, graph_def=b"g" * 50).encode()))
    records.append(
        frame(Event(wall_time=1.0, tagged_run_metadata=TaggedRunMetadata(tag="s", run_metadata=b"r")).encode())
    )
    many = Summary(value=[SummaryValue(tag=f"v{i}", simple_value=1.0) for i in range(10)])
    records.append(frame(Event(wall_time=1.0, step=9, summary=many).encode()))
    return b"".join(records)


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler here")
    out = tmp_path_factory.mktemp("fuzz") / "fuzz"
    flags = [
        "-g",
        "-O1",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=undefined",
        "-fno-strict-aliasing",
        f"-I{NATIVE}",
    ]
    made = subprocess.run(
        [compiler, *flags, HERE / "fuzz_scan.c", "-o", out, "-lm"], capture_output=True, text=True, check=False
    )
    if made.returncode:
        pytest.skip(f"no sanitizers here: {made.stderr[-200:]}")
    return out


def fuzz(fuzzer: Path, tmp_path: Path, rounds: int, first: int) -> str:
    seed = tmp_path / "seed"
    seed.write_bytes(seed_file())
    done = subprocess.run([fuzzer, seed, str(rounds), str(first)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_mutated_files_are_read_within_bounds(fuzzer: Path, tmp_path: Path) -> None:
    """Two thousand of them, always the same."""
    assert "points" in fuzz(fuzzer, tmp_path, 2_000, 0)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_million_mutated_files_are_read_within_bounds(fuzzer: Path, tmp_path: Path) -> None:
    """The same for longer."""
    fuzz(fuzzer, tmp_path, 1_000_000, 2_000)

"""`milepost ckpt`: what it prints, what it exits with, and that names from files cannot play tricks on a terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost import train
from milepost.cli.main import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    weights = {"a": np.arange(6.0).reshape(2, 3), "b": [np.ones(1000, np.float32)], "c": np.zeros(3)}
    checkpoint = train.Checkpoint(model=weights, step=1, name="run")
    checkpoint.save(str(tmp_path / "run" / "ckpt"))
    weights["a"][0] = 5
    del weights["c"]
    weights["d"] = np.zeros(2)
    checkpoint.step = 2
    checkpoint.save(str(tmp_path / "run" / "ckpt"))
    return tmp_path / "run"


@pytest.fixture
def milepost(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: object) -> tuple[int, str, str]:
        code = run([str(a) for a in ("ckpt", *arguments)], debug=False)
        return code, *capsys.readouterr()

    return call


def test_ls(milepost: Any, folder: Path) -> None:
    """Every checkpoint, oldest first, the latest marked."""
    code, out, _ = milepost("ls", folder)
    assert code == 0
    assert out.index("ckpt-1") < out.index("→ ckpt-2")
    code, out, _ = milepost("ls", folder, "--json")
    listed = json.loads(out)
    assert [(item["number"], item["latest"], item["tensors"]) for item in listed] == [(1, False, 6), (2, True, 6)]


def test_ls_names_what_is_broken(milepost: Any, folder: Path) -> None:
    (folder / "ckpt-1.data-00000-of-00001").unlink()
    (folder / "ckpt-2.index").write_bytes(b"not an index")
    code, out, _ = milepost("ls", folder)
    assert code == 1
    assert "ckpt-1.data-00000-of-00001 is missing" in out


def test_show(milepost: Any, folder: Path) -> None:
    code, out, _ = milepost("show", folder)
    assert code == 0
    assert "model/b/0" in out
    assert "2×3" in out
    code, out, _ = milepost("show", folder / "ckpt-1", "--json", "--only", "model/*")
    tensors = json.loads(out)["tensors"]
    assert [row["path"] for row in tensors] == ["model/a", "model/b/0", "model/c"]
    assert tensors[0]["dtype"] == "float64"
    assert tensors[0]["shape"] == [2, 3]
    code, out, _ = milepost("show", folder / "ckpt-1", "model/a")
    assert "max 5" in out
    assert json.loads(milepost("show", folder / "ckpt-1", "name", "--json")[1])["values"] == "run"
    code, _, err = milepost("show", folder / "ckpt-1", "model/nothing")
    assert code == 1
    assert "model/nothing" in err


def test_diff_needs_no_data(milepost: Any, folder: Path) -> None:
    """Checksums in the index tell the difference: the data files may even be gone."""
    for data in folder.glob("*.data-*"):
        data.rename(data.with_suffix(".away"))
    code, out, _ = milepost("diff", folder / "ckpt-1", folder / "ckpt-2", "--json")
    assert code == 1
    found = json.loads(out)
    assert {(c["path"], c["kind"]) for c in found["changes"]} == {
        ("model/a", "value"), ("model/c", "removed"), ("model/d", "added"), ("step", "value"), ("save_counter", "value"),
    }  # fmt: skip
    assert found["same"] == 2
    code, out, _ = milepost("diff", folder / "ckpt-1", folder / "ckpt-1")
    assert code == 0
    assert "0 of 6 tensors differ" in out


def test_diff_with_norms(milepost: Any, folder: Path) -> None:
    code, out, _ = milepost("diff", folder / "ckpt-1", folder / "ckpt-2", "--norms", "--json")
    change = next(c for c in json.loads(out)["changes"] if c["path"] == "model/a")
    assert change["norm_change"] == pytest.approx(np.linalg.norm([5, 4, 3]))
    assert code == 1
    assert "‖change‖" in milepost("diff", folder / "ckpt-1", folder / "ckpt-2", "--norms")[1]


def test_verify_exits_with_one_on_damage_and_names_the_tensor(milepost: Any, folder: Path) -> None:
    code, out, _ = milepost("verify", folder)
    assert code == 0
    assert out.count("whole") == 2
    data = folder / "ckpt-2.data-00000-of-00001"
    entry = train.load_checkpoint(folder / "ckpt-2").entry("model/b/0/.ATTRIBUTES/VARIABLE_VALUE")
    changed = bytearray(data.read_bytes())
    changed[entry.offset + 7] ^= 4
    data.write_bytes(changed)
    code, out, _ = milepost("verify", folder)
    assert code == 1
    assert "model/b/0" in out
    assert "damaged" in out
    assert "whole" in out
    results = json.loads(milepost("verify", folder / "ckpt-2", "--json")[1])
    assert len(results[0]["errors"]) == 1
    index = folder / "ckpt-1.index"
    index.write_bytes(index.read_bytes()[:-60])
    code, out, _ = milepost("verify", folder / "ckpt-1")
    assert code == 1
    assert "unreadable" in out


def test_convert(milepost: Any, folder: Path) -> None:
    target = folder / "w.safetensors"
    code, out, _ = milepost("convert", folder, target, "--only", "model/*", "--rename", "model=net")
    assert code == 0
    assert "3 tensors" in out
    code, _, err = milepost("convert", folder, target)
    assert code == 1
    assert "--force" in err
    code, out, _ = milepost("convert", folder, target, "--force", "--json")
    assert code == 0
    assert json.loads(out)["left_out"] == [{"name": "name", "why": "a string, not a tensor of numbers"}]
    assert milepost("convert", target, folder / "again")[0] == 0
    assert milepost("diff", folder / "again", folder / "ckpt-2", "--json")[0] == 1
    code, _, err = milepost("convert", folder, folder / "x.npz", "--rename", "model")
    assert code == 1
    assert "OLD=NEW" in err


@pytest.mark.parametrize("command", ["ls", "show", "verify"])
def test_what_is_not_there_is_one_line(milepost: Any, tmp_path: Path, command: str) -> None:
    code, out, err = milepost(command, tmp_path / "nothing")
    assert (code, out) == (1, "")
    assert err.strip().count("\n") == 0
    assert "nothing" in err
    code, _, err = milepost(command, tmp_path)
    assert code == 1
    assert "no checkpoint" in err


def test_names_from_files_play_no_tricks(milepost: Any, tmp_path: Path) -> None:
    """Control characters are spelled out, brackets are no markup."""
    path = train.Checkpoint(x={"\x1b[31mred": np.zeros(1), "[bold]b[/bold]": np.zeros(1)}).write(str(tmp_path / "c"))
    _, out, _ = milepost("show", path)
    assert "\x1b" not in out
    assert "\\x1b" in out
    assert "[bold]b" in out


def _sliced(prefix: Path, change: int = 0) -> np.ndarray[Any, Any]:
    """A checkpoint of names alone whose one tensor lies in two shards, as TensorFlow writes partitioned variables."""
    from milepost._native.crc32c import crc32c
    from milepost.formats import dtypes
    from milepost.formats.bundle import BundleWriter, shard_name

    whole = np.arange(24, dtype=np.float32).reshape(6, 4)
    whole[5, 3] += change
    writer = BundleWriter(alignment=1)
    parts = [whole[:4].tobytes(), whole[4:].tobytes()]
    for (start, length), data in zip([(0, 4), (4, 2)], parts, strict=True):
        writer.add("scope/t", dtypes.by_name("float32"), whole.shape, len(data), part=((start, length), (0, -1)))
    writer.place([0, 1], 2)
    for i, data in enumerate(parts):
        Path(shard_name(str(prefix), i, 2)).write_bytes(data)
    Path(f"{prefix}.index").write_bytes(writer.index([crc32c(data) for data in parts]))
    return whole


def test_sliced_tensors_and_names_alone(milepost: Any, tmp_path: Path) -> None:
    """Old and partitioned checkpoints are shown, compared, verified and converted like any other."""
    whole = _sliced(tmp_path / "a")
    _sliced(tmp_path / "b", change=1)
    rows = json.loads(milepost("show", tmp_path / "a", "--json")[1])
    assert rows["object_graph"] is False
    assert [(r["path"], r["shape"], r["slices"], r["bytes"]) for r in rows["tensors"]] == [("scope/t", [6, 4], 2, 96)]
    assert milepost("diff", tmp_path / "a", tmp_path / "a")[0] == 0
    assert milepost("diff", tmp_path / "a", tmp_path / "b")[0] == 1
    assert milepost("verify", tmp_path / "a")[0] == 0
    assert milepost("convert", tmp_path / "a", tmp_path / "a.npz")[0] == 0
    with np.load(tmp_path / "a.npz") as found:
        np.testing.assert_array_equal(found["scope.t"], whole)
    assert milepost("convert", tmp_path / "a", tmp_path / "whole")[0] == 0
    assert (
        milepost("diff", tmp_path / "a", tmp_path / "whole", "--json")[0] == 1
    )  # another key: it has an object graph now
    (tmp_path / "a.data-00001-of-00002").write_bytes(b"")
    code, out, _ = milepost("verify", tmp_path / "a")
    assert code == 1
    assert "scope/t" in out

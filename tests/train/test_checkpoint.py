"""Checkpoint: save, write, read, restore of plain objects, with TensorFlow's semantics."""

from __future__ import annotations

import os
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost import train
from milepost.errors import (
    CheckpointNotFoundError,
    CorruptionError,
    RestoreError,
    UnmatchedError,
    UntrackableError,
    UsageError,
)
from milepost.train import Checkpoint


def test_a_dict_of_arrays_comes_back(tmp_path: Path) -> None:
    """The walking skeleton: arrays in a dict, saved, changed, restored in place."""
    weights = {"w": np.arange(6.0).reshape(2, 3), "b": np.ones(3, "f4")}
    view = weights["w"][1:]
    checkpoint = Checkpoint(weights=weights)
    path = checkpoint.save(tmp_path / "ckpt")
    assert path == str(tmp_path / "ckpt-1")
    weights["w"][:] = 0
    weights["b"][:] = 0
    checkpoint.restore(path).assert_consumed().assert_nontrivial_match()
    np.testing.assert_array_equal(weights["w"], np.arange(6.0).reshape(2, 3))
    assert view[0, 0] == 3
    assert (weights["b"] == 1).all()


Point = namedtuple("Point", "x y")


@dataclass
class Settings:
    rate: float
    name: str


def everything() -> dict[str, Any]:
    return {
        "int": 3, "float": 2.5, "big": 2**80, "complex": 1 + 2j, "yes": True, "none": None, "text": "grüß", "raw": b"\0\xff",
        "array": np.arange(4), "strings": np.array(["a", "bcd"], object), "list": [1, [2.0, "x"]], "tuple": (1, np.zeros(2)),
        "named": Point(1, 2), "data": Settings(0.1, "adam"), "empty": {}, "half": np.float16(0.5), "a/b.c": 7,
    }  # fmt: skip


def test_all_plain_kinds_come_back(tmp_path: Path) -> None:
    """Numbers, strings, bytes, None, containers, named tuples and dataclasses keep value and type."""
    checkpoint = Checkpoint(state=everything())
    path = checkpoint.save(tmp_path / "c")
    blank = everything() | {
        "int": 0, "float": 0.0, "big": 0, "complex": 0j, "yes": False, "none": None, "text": "", "raw": b"",
        "array": np.zeros(4, int), "strings": np.array(["", ""], object), "list": [0, [0.0, ""]], "tuple": (0, np.ones(2)),
        "named": Point(0, 0), "data": Settings(0, ""), "half": np.float16(0), "a/b.c": 0,
    }  # fmt: skip
    other = Checkpoint(state=blank)
    other.restore(path).assert_consumed()
    wanted = everything()
    for key, value in wanted.items():
        got = other.state[key]
        if key in ("array", "strings"):
            assert [x.decode() if isinstance(x, bytes) else x for x in got.tolist()] == value.tolist()
        elif key == "tuple":
            assert got[0] == 1
            assert (got[1] == 0).all()
        else:
            assert got == value, key
            assert type(got) is type(value), key


def test_values_are_replaced_on_the_checkpoint(tmp_path: Path) -> None:
    """A number given by keyword is read back from the attribute."""
    path = Checkpoint(step=41, best=(1, 2.5)).save(tmp_path / "c")
    checkpoint = Checkpoint(step=0, best=(0, 0.0))
    checkpoint.restore(path).assert_consumed()
    assert checkpoint.step == 41
    assert checkpoint.best == (1, 2.5)


def test_numbering_and_counter(tmp_path: Path) -> None:
    """save counts from 1, restore takes the counter along, write leaves it alone."""
    checkpoint = Checkpoint(x=np.zeros(2))
    assert [os.path.basename(checkpoint.save(tmp_path / "c")) for _ in range(3)] == ["c-1", "c-2", "c-3"]
    assert train.latest_checkpoint(tmp_path) == str(tmp_path / "c-3")
    fresh = Checkpoint(x=np.zeros(2))
    fresh.restore(str(tmp_path / "c-2")).assert_consumed()
    assert int(fresh.save_counter) == 2
    fresh.write(tmp_path / "exact")
    assert (tmp_path / "exact.index").exists()
    assert train.latest_checkpoint(tmp_path) == str(tmp_path / "c-3")
    assert fresh.save(tmp_path / "c").endswith("c-3")


def test_restoring_a_written_file_misses_the_counter(tmp_path: Path) -> None:
    """As in TensorFlow: `restore` of what `write` wrote is no full match, `read` is."""
    path = Checkpoint(x=np.ones(2)).write(tmp_path / "w")
    Checkpoint(x=np.zeros(2)).read(path).assert_consumed()
    with pytest.raises(UnmatchedError, match="save_counter"):
        Checkpoint(x=np.zeros(2)).restore(path).assert_consumed()


def test_restore_none() -> None:
    """No checkpoint: nothing to assert, nothing to do."""
    status = Checkpoint(x=np.ones(1)).restore(None)
    status.initialize_or_restore()
    status.expect_partial()
    for check in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        with pytest.raises(UnmatchedError):
            check()


def test_missing_checkpoints_have_a_hint(tmp_path: Path) -> None:
    """A forgotten number is the usual reason."""
    checkpoint = Checkpoint(x=np.ones(1))
    checkpoint.save(tmp_path / "c")
    with pytest.raises(CheckpointNotFoundError, match="c-1"):
        checkpoint.restore(tmp_path / "c")
    with pytest.raises(FileNotFoundError):
        checkpoint.restore(tmp_path / "nowhere" / "c")


def test_partial_matches_are_reported(tmp_path: Path) -> None:
    """report() names what matched, what is missing and what is left over; asserts name it too."""
    path = Checkpoint(a=np.ones(2), old=np.ones(3)).save(tmp_path / "c")
    live = Checkpoint(a=np.zeros(2), new=np.zeros(3))
    status = live.restore(path)
    report = status.report()
    assert report.matched == ("a", "save_counter")
    assert report.missing == ("new",)
    assert report.unexpected == ("old",)
    assert not report.complete
    assert "missing (1)" in str(report)
    with pytest.raises(UnmatchedError, match="new"):
        status.assert_existing_objects_matched()
    with pytest.raises(AssertionError):
        status.assert_consumed()
    status.expect_partial().assert_nontrivial_match()
    with pytest.raises(UnmatchedError):
        Checkpoint(z=np.zeros(1)).read(path).assert_nontrivial_match()


def test_misfits_change_nothing(tmp_path: Path) -> None:
    """One wrong shape or dtype: an error that names it, and no live value has changed."""
    path = Checkpoint(a=np.ones(2), b=np.ones(3), n=5).save(tmp_path / "c")
    a, b = np.zeros(2), np.zeros(4)
    live = Checkpoint(a=a, b=b, n=0)
    with pytest.raises(RestoreError, match=r"b: got \(3,\), wanted \(4,\)") as caught:
        live.restore(path)
    assert caught.value.report.shape == ("b: got (3,), wanted (4,)",)
    assert not a.any()
    assert live.n == 0
    with pytest.raises(ValueError, match="cast=True"):
        Checkpoint(a=a, b=np.zeros(3, "f4")).restore(path)
    assert not a.any()
    b32 = np.zeros(3, "f4")
    Checkpoint(a=a, b=b32, n=0).restore(path, cast=True).assert_consumed()
    assert (b32 == 1).all()


def test_damage_changes_nothing(tmp_path: Path) -> None:
    """A flipped bit is found before the first value is assigned."""
    arrays = [np.full(50_000, i, "f4") for i in range(5)]
    path = Checkpoint(arrays=arrays).save(tmp_path / "c")
    data = tmp_path / "c-1.data-00000-of-00001"
    raw = bytearray(data.read_bytes())
    raw[len(raw) // 2] ^= 16
    data.write_bytes(raw)
    fresh = [np.zeros(50_000, "f4") for _ in range(5)]
    with pytest.raises(CorruptionError, match=r"arrays/2"):
        Checkpoint(arrays=fresh).restore(path)
    assert not any(a.any() for a in fresh)


def test_shared_objects_are_saved_once(tmp_path: Path) -> None:
    """Two names for one array: one tensor in the file; where the live ones are two, both get it."""
    shared = np.ones(1000)
    path = Checkpoint(a={"w": shared}, b={"w": shared}).save(tmp_path / "c")
    assert [k for k, _ in train.list_variables(path) if k.endswith("VALUE")] == [
        "a/w/.ATTRIBUTES/VARIABLE_VALUE",
        "save_counter/.ATTRIBUTES/VARIABLE_VALUE",
    ]
    one, two = np.zeros(1000), np.zeros(1000)
    with pytest.warns(UserWarning, match="one object"):
        Checkpoint(a={"w": one}, b={"w": two}).restore(path)
    assert one.all()
    assert two.all()


def test_cycles_are_fine(tmp_path: Path) -> None:
    """An object that leads to itself is walked once."""
    node: dict[str, Any] = {"w": np.ones(2)}
    node["self"] = node
    path = Checkpoint(node=node).save(tmp_path / "c")
    node["w"][:] = 0
    Checkpoint(node=node).restore(path).assert_existing_objects_matched()
    assert node["w"].all()


def test_unknown_objects_are_named(tmp_path: Path) -> None:
    """What cannot be saved is an error with its path, at construction or at save."""
    with pytest.raises(UntrackableError, match="thing"):
        Checkpoint(thing=object())
    with pytest.raises(UntrackableError, match=r"\(root\)/model/layers/1"):
        Checkpoint(model={"layers": [np.ones(1), object()]}).save(tmp_path / "c")
    assert list(tmp_path.iterdir()) == []


class Sampler:
    def __init__(self) -> None:
        self.at, self.order = 0, np.arange(3)

    def state_dict(self) -> dict[str, Any]:
        return {"at": self.at, "order": self.order.copy()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if state["at"] == 13:
            raise RuntimeError("thirteen")
        self.at, self.order = state["at"], np.array(state["order"])


def test_objects_with_state_dict(tmp_path: Path) -> None:
    """state_dict / load_state_dict is enough to be saved and restored."""
    sampler = Sampler()
    sampler.at, sampler.order = 5, np.array([2, 0, 1])
    path = Checkpoint(sampler=sampler).save(tmp_path / "c")
    fresh = Sampler()
    Checkpoint(sampler=fresh).restore(path).assert_consumed()
    assert fresh.at == 5
    assert fresh.order.tolist() == [2, 0, 1]


def test_an_object_that_refuses_leaves_all_as_it_was(tmp_path: Path) -> None:
    """If load_state_dict raises, other objects keep their values, those that had agreed included."""
    good, bad = Sampler(), Sampler()
    good.at, bad.at = 4, 13
    path = Checkpoint(a=good, b=bad, w=np.ones(3)).save(tmp_path / "c")
    one, two, w = Sampler(), Sampler(), np.zeros(3)
    with pytest.raises(RestoreError, match="thirteen"):
        Checkpoint(a=one, b=two, w=w).restore(path)
    assert (one.at, two.at) == (0, 0)
    assert not w.any()


def test_attributes_come_later(tmp_path: Path) -> None:
    """An object attached after restore takes the values that wait for it; report() shows the wait."""
    path = Checkpoint(a=np.ones(2), late={"w": np.full(3, 7.0)}).save(tmp_path / "c")
    live = Checkpoint(a=np.zeros(2))
    status = live.restore(path)
    assert status.report().waiting == ("late/w",)
    live.late = {"w": np.zeros(3)}
    assert (live.late["w"] == 7).all()
    status.assert_consumed()
    assert status.report().waiting == ()


def test_dict_entries_are_adopted(tmp_path: Path) -> None:
    """A dict or list that is still empty takes plain entries from the file."""
    path = Checkpoint(history={"loss": [0.5, 0.25]}, seen=[1, 2, 3]).save(tmp_path / "c")
    live = Checkpoint(history={}, seen=[])
    live.restore(path).assert_consumed()
    assert live.history == {"loss": [0.5, 0.25]}
    assert live.seen == [1, 2, 3]


def test_mapping_renames(tmp_path: Path) -> None:
    """mapping= moves values to other paths; a near miss is hinted at."""
    path = Checkpoint(model={"module": {"fc": {"w": np.ones((2, 2)), "b": np.ones(2)}}}).save(tmp_path / "c")
    model = {"fc": {"w": np.zeros((2, 2)), "b": np.zeros(2)}}
    report = Checkpoint(model=model).restore(path).report()
    assert report.hints[0] == "mapping={'model/module/': 'model/'} would match 2 more"
    status = Checkpoint(model=model).restore(path, mapping={"model/module/": "model/"})
    status.assert_consumed()
    assert model["fc"]["w"].all()
    model["fc"]["w"][:] = 0
    Checkpoint(model=model).restore(path, mapping=lambda p: p.replace("module/", "")).assert_consumed()
    assert model["fc"]["w"].all()


def test_root(tmp_path: Path) -> None:
    """With a root, its own names are the checkpoint's names."""
    root = {"w": np.ones(2)}
    path = Checkpoint(root, extra=np.ones(1)).save(tmp_path / "c")
    assert ("w/.ATTRIBUTES/VARIABLE_VALUE", [2]) in train.list_variables(path)
    blank = {"w": np.zeros(2)}
    Checkpoint(blank, extra=np.zeros(1)).restore(path).assert_consumed()
    assert blank["w"].all()
    with pytest.raises(UsageError, match="already has"):
        Checkpoint(root, w=np.ones(2))


def test_readers(tmp_path: Path) -> None:
    """list_variables, load_variable and the reader, by prefix and by directory."""
    Checkpoint(w=np.arange(3, dtype="i4")).save(tmp_path / "c")
    assert ("w/.ATTRIBUTES/VARIABLE_VALUE", [3]) in train.list_variables(tmp_path)
    assert train.load_variable(tmp_path / "c-1", "w/.ATTRIBUTES/VARIABLE_VALUE:0").tolist() == [0, 1, 2]
    reader = train.load_checkpoint(tmp_path)
    assert reader.has_tensor("w/.ATTRIBUTES/VARIABLE_VALUE")
    assert reader.get_variable_to_shape_map()["w/.ATTRIBUTES/VARIABLE_VALUE"] == [3]
    assert reader.get_variable_to_dtype_map()["w/.ATTRIBUTES/VARIABLE_VALUE"].name == "int32"
    assert "w/.ATTRIBUTES/VARIABLE_VALUE (int32) [3]" in reader.debug_string()
    with pytest.raises(CheckpointNotFoundError):
        train.load_checkpoint(tmp_path / "empty")


def test_overwriting_a_name_is_one_step(tmp_path: Path) -> None:
    """The same prefix again: the new values, one data file, no leftovers."""
    x = np.zeros(3)
    checkpoint = Checkpoint(x=x)
    for value in range(4):
        x[:] = value
        checkpoint.write(tmp_path / "last")
    assert train.load_variable(tmp_path / "last", "x/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [3, 3, 3]
    assert len(list(tmp_path.iterdir())) == 2


def test_arrays_in_any_order(tmp_path: Path) -> None:
    """Transposed, strided and byte-swapped arrays are saved as what they mean, and restored into others like them."""
    big = np.arange(6_000_000, dtype="f4").reshape(2000, 3000).T
    odd = {"t": np.arange(6.0).reshape(2, 3).T, "s": np.arange(10)[::3], "e": np.arange(3, dtype=">i4"), "big": big}
    path = Checkpoint(odd=odd).save(tmp_path / "c")
    np.testing.assert_array_equal(train.load_variable(path, "odd/big/.ATTRIBUTES/VARIABLE_VALUE"), big)
    blank = {"t": np.zeros((2, 3)).T, "s": np.zeros(10, int)[::3], "e": np.zeros(3, ">i4"), "big": np.zeros_like(big)}
    Checkpoint(odd=blank).restore(path).assert_consumed()
    for key in odd:
        np.testing.assert_array_equal(blank[key], odd[key])


def test_methods_are_no_names() -> None:
    """An object cannot take a method's name afterwards; attributes can be removed."""
    checkpoint = Checkpoint(x=1)
    with pytest.raises(AttributeError):
        checkpoint.save = 3
    del checkpoint.x
    with pytest.raises(AttributeError):
        checkpoint.x

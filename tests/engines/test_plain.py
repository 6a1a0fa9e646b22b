"""Plain Python and numpy objects: what their adapters say of them, and the way back."""

from __future__ import annotations

import dataclasses
import enum
from collections import OrderedDict, deque, namedtuple
from typing import Any

import numpy as np
import pytest

from milepost.engines import WAIT, Sketch, Spec, Value, detect
from milepost.engines.adapter import VARIABLE_VALUE, Adapter

Point = namedtuple("Point", "x y")


def adapter(obj: Any) -> Adapter:
    found = detect(obj)
    assert found is not None
    return found


def there_and_back(saved: Any, live: Any) -> Any:
    """What stands in `live`'s place after it took the values of `saved`."""
    values = {name: Value(leaf.read(), leaf.spec) for name, leaf in adapter(saved).leaves(saved).items()}
    for name, value in values.items():
        assert adapter(live).accept(live, name, value.spec) is None
    return adapter(live).assign(live, values)


@pytest.mark.parametrize(
    "value",
    [
        0,
        -5,
        2**63 - 1,
        2**127,
        1.5,
        float("inf"),
        True,
        False,
        "",
        "grün\n",
        b"",
        b"\x00\xff",
        None,
        1 + 2j,
        np.float32(3),
        np.uint8(7),
    ],
)
def test_python_values_come_back_with_value_and_type(value: Any) -> None:
    """A Python value comes back equal and of its own type, also where the live value is still None."""
    for live in (value, None):
        back = there_and_back(value, live)
        assert back == value
        assert type(back) is type(value)


def test_numpys_own_strings_are_strings() -> None:
    assert there_and_back(np.str_("ab"), "") == "ab"
    assert there_and_back(np.bytes_(b"ab"), b"") == b"ab"


def test_a_number_takes_a_number() -> None:
    """best = 0 may have become 0.93 during the run; a string never goes into a number, nor a flag into a count."""
    assert there_and_back(0.93, 0) == 0.93
    assert there_and_back(3, 0.5) == 3
    assert there_and_back(None, 0.5) is None
    for saved, live in (("x", 1), (1, "x"), (True, 1), (1, True), (1j, 1.0)):
        leaves = adapter(saved).leaves(saved)
        ((name, leaf),) = leaves.items()
        misfit = adapter(live).accept(live, name, leaf.spec)
        assert misfit is not None
        assert misfit.kind == "dtype"


def test_values_have_no_identity_but_arrays_and_containers_have() -> None:
    for value in (1, 1.0, "a", None, ()):
        assert adapter(value).identity(value) is None
    for thing in ([], {}, (1,), np.zeros(2)):
        assert adapter(thing).identity(thing) == id(thing)


@pytest.mark.parametrize(
    "dtype",
    [
        "bool",
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ],
)
def test_arrays_are_restored_in_place(dtype: str) -> None:
    """Views of a live array see the restored values; reading a leaf copies nothing."""
    saved = np.arange(6).reshape(2, 3).astype(dtype)
    live = np.zeros((2, 3), dtype)
    view = live[1]
    assert adapter(saved).leaves(saved)[VARIABLE_VALUE].read() is saved
    assert there_and_back(saved, live) is live
    np.testing.assert_array_equal(view, saved[1])


def test_a_read_only_array_is_replaced() -> None:
    live = np.zeros(3)
    live.flags.writeable = False
    back = there_and_back(np.arange(3.0), live)
    assert back is not live
    np.testing.assert_array_equal(back, [0, 1, 2])


def test_text_arrays_travel_as_bytes() -> None:
    for saved in (np.array(["a", "löng"]), np.array([b"a", b"long"]), np.array([b"a", b"b\0"], object)):
        leaf = adapter(saved).leaves(saved)[VARIABLE_VALUE]
        assert leaf.dtype == "string"
        assert all(type(item) is bytes for item in leaf.read().tolist())
        back = there_and_back(
            saved, np.zeros(2, saved.dtype.kind + "1") if saved.dtype.kind != "O" else np.array([b"", b""], object)
        )
        assert back.tolist() == saved.tolist()


def test_arrays_without_a_place_in_the_format_are_refused() -> None:
    for array in (np.array([object()]), np.zeros(2, [("a", "i4")]), np.zeros(2, "datetime64[s]")):
        with pytest.raises(TypeError):
            adapter(array).leaves(array)


def test_shape_and_dtype_misfits_are_told_apart() -> None:
    live = np.zeros((2, 3), np.float32)
    ask = adapter(live).accept
    assert ask(live, VARIABLE_VALUE, Spec("float32", (2, 3))) is None
    assert ask(live, VARIABLE_VALUE, Spec("float32", (3, 2))) == ("shape", "(3, 2)", "(2, 3)")
    assert ask(live, VARIABLE_VALUE, Spec("float64", (2, 3))) == ("dtype", "float64", "float32")
    assert ask(live, VARIABLE_VALUE, Spec("float64", (2, 3)), cast=True) is None
    assert ask(live, VARIABLE_VALUE, Spec("string", (2, 3)), cast=True) is not None
    other = ask(live, "py_state", Spec("string", ()))
    assert other is not None
    assert other.kind == "attribute"


def test_containers_name_their_children_in_order() -> None:
    def names(obj: Any) -> list[str]:
        return [name for name, _ in adapter(obj).children(obj)]

    assert names({"b": 1, "a": 2}) == ["b", "a"]
    assert names(OrderedDict(z=1, y=2)) == ["z", "y"]
    assert names({0: 1, 7: 2}) == ["0", "7"]
    assert names([5, 6]) == ["0", "1"] == names(deque([5, 6])) == names((5, 6))
    assert names(Point(1, 2)) == ["x", "y"]
    for bad in ({(1, 2): 1}, {1: 1, "1": 2}):
        with pytest.raises(TypeError, match=r"checkpoint"):
            names(bad)


def test_mutable_containers_take_children_in_place_and_immutable_ones_are_rebuilt() -> None:
    numbers, table, keyed = [1, 2], {"a": 1}, {3: "x"}
    assert adapter(numbers).replace(numbers, {"1": 20, "2": 30}) == [1, 20, 30]
    assert adapter(table).replace(table, {"a": 5, "b": 6}) is table
    assert table == {"a": 5, "b": 6}
    assert adapter(keyed).replace(keyed, {"3": "y", "4": "z"}) == {3: "y", 4: "z"}
    point = Point(1, 2)
    moved = adapter(point).replace(point, {"x": 1, "y": 9})
    assert moved == Point(1, 9)
    assert type(moved) is Point
    assert adapter(point).replace(point, {"x": 1}) is point


@dataclasses.dataclass
class Progress:
    step: int = 0
    best: float | None = None
    note: Any = dataclasses.field(default=None, metadata={"static": True})


@dataclasses.dataclass(frozen=True)
class Frozen:
    step: int
    derived: int = dataclasses.field(init=False, default=0)


def test_dataclasses() -> None:
    """A dataclass is set in place, a frozen one copied; a static field is no state."""
    progress = Progress(note=print)
    assert [name for name, _ in adapter(progress).children(progress)] == ["step", "best"]
    assert adapter(progress).replace(progress, {"step": 4, "best": 0.5}) is progress
    assert (progress.step, progress.best) == (4, 0.5)
    frozen = Frozen(1)
    new = adapter(frozen).replace(frozen, {"step": 2, "derived": 3})
    assert (new.step, new.derived, frozen.step) == (2, 3, 1)


class Loader:
    def __init__(self) -> None:
        self.state: dict[str, Any] = {"epoch": 0, "order": np.arange(3)}

    def state_dict(self) -> dict[str, Any]:
        return {**self.state, "order": self.state["order"].copy()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.state = state


class Cursor:
    at: Any = {"line": 0}

    def get_state(self) -> Any:
        return dict(self.at)

    def set_state(self, state: Any) -> None:
        self.at = state


def test_objects_with_state_methods_are_loaded_as_a_whole() -> None:
    loader, cursor = Loader(), Cursor()
    assert adapter(loader).by_value
    children = dict(adapter(loader).children(loader))
    children["order"][:] = 7
    adapter(loader).replace(loader, {**children, "epoch": 5})
    assert loader.state["epoch"] == 5
    assert loader.state["order"].tolist() == [7, 7, 7]
    adapter(cursor).replace(cursor, {"state": {"line": 12}})
    assert cursor.at == {"line": 12}


def test_plain_entries_are_made_from_the_file_alone() -> None:
    """An empty list or dict can take its numbers, arrays and nested containers from a sketch; engine objects have to wait."""

    def sketch(obj: Any) -> Sketch:
        found = adapter(obj)
        return Sketch(
            {n: leaf.spec for n, leaf in found.leaves(obj).items()}, {n: sketch(c) for n, c in found.children(obj)}
        )

    made = adapter({}).adopt({}, "history", sketch({"loss": [0.5, 0.25], "seen": np.arange(3)}))
    assert made["loss"] == [None, None]
    assert made["seen"].shape == (3,)
    assert adapter([]).adopt([], "0", sketch(3)) is None
    variable = Sketch({VARIABLE_VALUE: Spec("float32", (2,), "dense/kernel")}, {})
    assert adapter({}).adopt({}, "layer", variable) is WAIT
    assert adapter({}).adopt({}, "model", Sketch({}, {"w": variable, "n": sketch(1)})) is WAIT


class Colour(enum.IntEnum):
    RED = 1


@pytest.mark.parametrize(
    "thing",
    [object(), {1, 2}, print, Colour.RED, iter([1]), range(3), bytearray(b"x"), Loader, np.ma.array([1], mask=[0])],
)
def test_anything_else_has_no_adapter(thing: Any) -> None:
    assert detect(thing) is None

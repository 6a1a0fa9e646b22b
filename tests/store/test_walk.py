"""Repeated walks: what was listed is not listed again, and nothing that changed is missed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from milepost.storage.walk import Listings, walk


def wanted(name: str) -> bool:
    return name.startswith("e")


def aged(root: Path, seconds: int) -> None:
    """Directories as if last changed so long ago."""
    for path, _, _ in os.walk(root):
        at = os.stat(path).st_mtime_ns - seconds * 10**9
        os.utime(path, ns=(at, at))


def test_an_unchanged_tree_is_not_listed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second walk only looks at time stamps."""
    for name in ("a/e1", "a/b/e2", "e3", "c/other"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    aged(tmp_path, 60)
    listings: Listings = {}
    first = list(walk(str(tmp_path), wanted, listings))
    assert [name for name, _ in first] == [".", "a", "a/b"]
    monkeypatch.setattr(os, "scandir", lambda path: pytest.fail(f"listed {path} again"))
    assert list(walk(str(tmp_path), wanted, listings)) == first


def test_a_directory_changed_a_moment_ago_is_listed_again(tmp_path: Path) -> None:
    """Time stamps are coarse: two changes may share one."""
    listings: Listings = {}
    (tmp_path / "e1").touch()
    list(walk(str(tmp_path), wanted, listings))
    assert listings == {}


def test_a_link_whose_target_comes_later_is_seen(tmp_path: Path) -> None:
    """Nothing in the directory changes when the target of a link appears."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "link").symlink_to(tmp_path / "later")
    aged(tmp_path, 60)
    listings: Listings = {}
    assert list(walk(str(tmp_path / "logs"), wanted, listings)) == []
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "e").touch()
    assert [name for name, _ in walk(str(tmp_path / "logs"), wanted, listings)] == ["link"]


acts = st.lists(st.tuples(st.sampled_from(["file", "directory", "remove", "age"]), st.sampled_from(["a", "b", "a/c", "a/c/d"]), st.sampled_from(["e1", "e2", "x"])), max_size=12)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts)
def test_a_remembering_walk_finds_what_a_fresh_one_finds(tmp_path: Path, acts: list[tuple[str, str, str]]) -> None:
    """After any history of making and removing."""
    root = tmp_path / os.urandom(6).hex()
    root.mkdir()
    listings: Listings = {}
    for act, where, name in acts:
        place = root / where
        if act == "file" and place.is_dir():
            (place / name).touch()
        elif act == "directory":
            place.mkdir(parents=True, exist_ok=True)
        elif act == "remove" and (place / name).exists():
            (place / name).unlink()
        elif act == "age":
            aged(root, 60)
        assert list(walk(str(root), wanted, listings)) == list(walk(str(root), wanted))

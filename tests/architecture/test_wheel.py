"""The wheel is whole, and is what the tests run against."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

import milepost

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel() -> list[str]:
    """What the wheel that `make setup` built and installed holds."""
    if not os.environ.get("MILEPOST_INSTALLED"):
        pytest.skip("not run by `make test`: the tree itself is under test")
    (built,) = (ROOT / ".wheel").glob("milepost-*.whl")
    with zipfile.ZipFile(built) as archive:
        return archive.namelist()


def test_the_compiled_core_and_the_page_are_in_it(wheel: list[str]) -> None:
    """An offline `pip install` of the wheel has all it needs: no compiler, no Node.js."""
    sources = {path.stem for path in (ROOT / "src/milepost/_native").glob("*.pyx")}
    compiled = {name.split("/")[-1].partition(".")[0] for name in wheel if name.endswith((".so", ".pyd"))}
    assert compiled == sources
    assert "milepost/board/static/index.html" in wheel
    assert any(name.startswith("milepost/board/static/assets/") and name.endswith(".js") for name in wheel)
    assert "milepost/py.typed" in wheel


def test_every_module_of_the_tree_is_in_it(wheel: list[str]) -> None:
    """Nothing is forgotten by the packaging, and nothing deleted lingers."""
    source = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src/milepost").rglob("*.py")}
    assert {name for name in wheel if name.endswith(".py")} == source


def test_no_source_of_the_page_and_no_c_file_is_in_it(wheel: list[str]) -> None:
    """Only what runs is shipped."""
    assert not [name for name in wheel if name.endswith((".ts", ".tsx", ".c", ".map"))]


def test_tests_import_the_installed_package(wheel: list[str]) -> None:
    """Not the tree: a file missing from the wheel must fail here."""
    assert "site-packages" in Path(milepost.__file__).parts

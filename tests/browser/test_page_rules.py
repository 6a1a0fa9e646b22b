"""The page's own house: who may import whom, no registry host in the lock file, nothing inline."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "web" / "src"
FLOORS = ["base", "api", "data", "widgets", "chart", "views", "app"]
# widgets draw a tooltip's swatch and pages offer exports: chart and widgets lie beside each other
BESIDE = {("widgets", "chart")}

pytestmark = pytest.mark.skipif(not SRC.exists(), reason="the page's sources are not here")


def imports(path: Path) -> list[Path]:
    found = re.findall(r"""(?:from|import)\s*\(?\s*["'](\.[^"']+)["']""", path.read_text())
    return [(path.parent / f.split("?")[0]).resolve() for f in found]


def test_imports_go_downwards_and_views_do_not_see_each_other() -> None:
    """base → api → data → widgets → chart → views → app, and a view imports no other view."""
    wrong = []
    for path in sorted([*SRC.rglob("*.ts"), *SRC.rglob("*.tsx")]):
        mine = path.relative_to(SRC).parts
        for target in imports(path):
            theirs = target.relative_to(SRC).parts
            up = FLOORS.index(theirs[0]) > FLOORS.index(mine[0]) and (mine[0], theirs[0]) not in BESIDE
            sideways = mine[0] == theirs[0] == "views" and mine[1] != theirs[1]
            if up or sideways:
                wrong.append(f"{'/'.join(mine)} imports {'/'.join(theirs)}")
    assert wrong == []


def test_every_file_says_what_it_is() -> None:
    """The first line of every source is a comment: what comes in, what goes out."""
    silent = [
        str(p.relative_to(SRC))
        for p in [*SRC.rglob("*.ts"), *SRC.rglob("*.tsx")]
        if not p.read_text().startswith("// ")
    ]
    assert silent == []


def test_lock_file_names_no_registry() -> None:
    """The lock file works with any registry: it holds checksums, not addresses."""
    text = (ROOT / "web" / "package-lock.json").read_text()
    assert "http" not in text
    assert '"integrity": "sha512-' in text


def test_nothing_inline_and_nothing_evaluated() -> None:
    """The built page needs neither inline script nor eval: the strict policy is no accident."""
    static = ROOT / "src" / "milepost" / "board" / "static"
    if not static.exists():
        pytest.skip("the page is not built here")
    html = (static / "index.html").read_text()
    assert "<!--milepost-boot-->" in html
    assert re.findall(r"<script(?![^>]*\bsrc=)", html) == []
    assert "style=" not in html
    for script in static.rglob("*.js"):
        assert not re.search(r"\beval\(|new Function\(", script.read_text()), script.name

"""A report: one file, no server, no request, and still the board: zoom, smoothing, groups, media, graphs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from page_logs import write_all
from page_looks import drawn, pixels_of, run_colour, words

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("report")
    write_all(folder / "runs")
    out = folder / "out" / "report.html"
    out.parent.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "milepost", "runs", "report", str(folder / "runs"), "-o", str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [p.name for p in out.parent.iterdir()] == ["report.html"]
    return out.as_uri()


def test_curves_zoom_and_groups_without_a_server(report: str, open_page: Any) -> None:
    """Curves are drawn, smoothed, zoomed, grouped and put over time, all from the file itself; nothing is asked of anyone."""
    page = open_page("about:blank")
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url))
    page.goto(report + "#/scalars?t=train/accuracy")
    chart = drawn(page, "train/accuracy", 3)
    assert pixels_of(page, "train/accuracy", run_colour(page, "seed-2")) > 60
    box = chart.bounding_box()
    page.mouse.move(box["x"] + 120, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 220, box["y"] + 62, steps=3)
    page.mouse.up()
    page.wait_for_function("() => location.hash.includes('xz=')")
    page.wait_for_timeout(100)
    assert "over step 0" not in words(page, "train/accuracy")
    chart.dblclick()
    page.get_by_label("group by").select_option("seed")
    drawn(page, "train/accuracy", 1)
    page.get_by_label("x", exact=True).select_option("relative")
    page.wait_for_timeout(100)
    assert [u for u in asked if not u.startswith(("file:", "data:", "blob:"))] == []
    assert len([u for u in asked if u.startswith("file:")]) == 1


def test_a_report_smooths_as_the_board_does(report: str, board: Any, open_page: Any) -> None:
    """The same smoothed value at the end of a curve, from the file and from the server."""
    ends = []
    for url in (
        report + "#/scalars?t=train/loss&on=seed-1&s=0.9",
        board.at("scalars", t="train/loss", on="seed-1", s="0.9"),
    ):
        page = open_page(url)
        drawn(page, "train/loss", 1)
        ends.append(words(page, "train/loss").split("seed-1: ")[1].split(", lowest")[0])
    assert ends[0] == ends[1]


def test_media_graphs_and_tables_are_inside(report: str, open_page: Any) -> None:
    """Images, text, histograms, the graph's worker, hparams and checkpoints work from the one file; edits are not offered."""
    page = open_page(report + "#/images")
    page.wait_for_function(
        "() => document.images.length === 4 && [...document.images].every(i => i.complete && i.naturalWidth === 16)"
    )
    for view, ready in (
        ("text", "() => document.querySelector('.markdown strong')"),
        ("histograms", "() => document.querySelector('canvas.ridges')?.dataset.drawn"),
        ("distributions", "() => document.querySelector('.chart canvas')?.dataset.drawn === '5'"),
        ("graphs", "() => Number(document.querySelector('.graph-canvas canvas')?.dataset.drawn) > 1"),
        ("hparams", "() => document.querySelectorAll('table.data tbody tr').length === 3"),
        ("checkpoints", "() => document.querySelectorAll('table.data tbody tr').length === 3"),
    ):
        page.evaluate(f"location.hash = '#/{view}'")
        page.wait_for_function(ready)
    row = page.locator(".run").first
    row.hover()
    row.get_by_label("More for run").click()
    page.locator(".menu-label", has_text="report").wait_for()


def test_hostile_text_stays_text_in_the_file(report: str, open_page: Any) -> None:
    """What a log contains cannot leave the block of data that it is put into."""
    source = Path(report.removeprefix("file://")).read_text()
    block = source.split('id="milepost-report">', 1)[1].split("</script>", 1)[0]
    assert "<script" not in block
    page = open_page(report + "#/text")
    page.locator(".markdown").first.wait_for()
    assert page.evaluate("window.hacked") is None

"""Runs: filtered, sorted, grouped, coloured, renamed, noted, hidden and trashed, and nothing of it in the event files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from page_logs import scalars
from page_looks import drawn, run_colour, words

from milepost import summary

pytestmark = pytest.mark.browser


def listed(page: Any) -> list[str]:
    return [t.strip() for t in page.locator(".run:not(.group) .run-text").all_inner_texts()]


FILTERS = {
    "seed-[12]": ["seed-1", "seed-2"],
    "seed-(1|3)": ["seed-1", "seed-3"],
    "lr > 1e-3": ["seed-2", "seed-3"],
    "lr>=0.01 and optimizer=adam": ["seed-2"],
    "not seed": ["trouble"],
    "(lr=0.1 or trouble) and step<1000": ["seed-3", "trouble"],
    "optimizer~^s": ["seed-1", "seed-3"],
    '"lr" > 0.001 and layers < 3': ["seed-2"],
    "train/loss.min < 0.2 and status != gone": ["seed-1", "seed-2", "seed-3", "trouble"],
}


def test_filter_by_name_or_condition(board: Any, open_page: Any) -> None:
    """The one field takes a regular expression or a condition on hparams and metrics; charts show what the table lists."""
    page = open_page(board.at("scalars", t="train/loss"))
    drawn(page, "train/loss", 4)
    for text, left in FILTERS.items():
        page.locator("#run-filter").fill(text)
        page.wait_for_function(
            "want => [...document.querySelectorAll('.run-text')].map(e => e.textContent).sort().join() === want",
            arg=",".join(sorted(left)),
        )
        drawn(page, "train/loss", len(left))


def test_a_broken_filter_says_so_and_looks_for_the_text(board: Any, open_page: Any) -> None:
    """An expression that is none is not an error page: it is looked for as text, and told."""
    page = open_page(board.at("scalars", off="trouble"))
    drawn(page, "train/loss", 3)
    page.keyboard.press("f")
    page.keyboard.type("seed-1(")
    page.locator(".search-error").wait_for()
    assert page.locator("#run-filter").evaluate("e => e === document.activeElement")
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.querySelectorAll('.run').length === 4")


def test_switching_runs_is_in_the_address(board: Any, open_page: Any) -> None:
    """A run switched off leaves the charts; whoever opens the address sees the same."""
    page = open_page(board.at("scalars", t="train/accuracy"))
    drawn(page, "train/accuracy", 3)
    page.get_by_label("seed-2", exact=True).uncheck()
    drawn(page, "train/accuracy", 2)
    page.wait_for_function("() => location.hash.includes('off=seed-2')")
    drawn(open_page(page.url), "train/accuracy", 2)


def test_sorted_by_value_and_name(board: Any, open_page: Any) -> None:
    """The order of the list follows the metric or the name."""
    page = open_page(board.at("scalars", pm="val/loss"))
    drawn(page, "train/loss")
    page.get_by_label("Order").select_option("value")
    values = [float(t) for t in page.locator(".run .run-value").all_inner_texts() if t != "–"]
    assert values == sorted(values)
    page.get_by_label("Order").select_option("name")
    assert listed(page) == ["seed-1", "seed-2", "seed-3", "trouble"]


def test_colours_are_distinct_and_the_same_on_every_page(board: Any, open_page: Any) -> None:
    """No two runs share a colour; the same run has the same one on every page; a number colours by its rank."""
    page = open_page(board.at("scalars"))
    drawn(page, "train/loss")
    names = ("seed-1", "seed-2", "seed-3", "trouble")
    before = {n: run_colour(page, n) for n in names}
    assert len(set(before.values())) == 4
    page.get_by_role("link", name="Checkpoints").click()
    page.locator(".ckpt-mark").first.wait_for()
    shown = page.locator(".ckpt-mark").first.evaluate("e => getComputedStyle(e).color")
    want = tuple(int(before["seed-1"][i : i + 2], 16) for i in (1, 3, 5))
    assert shown == f"rgb({want[0]}, {want[1]}, {want[2]})"
    page.get_by_label("colour by").select_option("h:optimizer")
    page.wait_for_function("() => location.hash.includes('colour=h')")
    assert run_colour(page, "seed-1") == run_colour(page, "seed-3") != run_colour(page, "seed-2")


def files_of(directory: Path) -> dict[str, str]:
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in directory.rglob("*tfevents*")}


def two_runs(directory: Path) -> Path:
    for name in ("a", "b"):
        writer = summary.create_file_writer(str(directory / name))
        with writer.as_default():
            scalars(directory, 1, 20)
        writer.close()
    return directory


def test_rename_note_label_hide_trash_restore(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """Every edit is shown at once, outlives the page, lies in the sidecar file, and touches no event file. Text stays text."""
    before = files_of(two_runs(tmp_path))
    board = own_board(tmp_path)
    page = open_page(board.at("scalars"))
    drawn(page, "train/loss", 2)

    def menu(run: str, entry: str) -> None:
        row = page.locator(".run", has=page.locator(f".run-end:text-is('{run}')"))
        row.hover()
        row.get_by_label("More for run").click()
        page.get_by_role("button", name=entry, exact=True).click()

    old = run_colour(page, "a")
    menu("a", "Name, note, colour …")
    page.get_by_label("Name", exact=True).fill("best <b>run</b>")
    page.get_by_label("Note").fill("<script>window.hacked=1</script> & more")
    page.get_by_label("Labels").fill("paper, <i>x</i>")
    page.get_by_label("Colour 7").check(force=True)
    page.get_by_role("button", name="Save").click()
    page.locator(".run-text", has_text="best <b>run</b>").wait_for()
    assert page.locator(".run .label").first.inner_text() == "paper"
    page.wait_for_function("c => document.querySelector('.run-dot circle').getAttribute('fill') !== c", arg=old)
    page.reload()
    page.locator(".run-text", has_text="best <b>run</b>").wait_for()
    assert "best <b>run</b>" in words(page, "train/loss") or drawn(page, "train/loss", 2)

    menu("b", "Hide")
    drawn(page, "train/loss", 1)
    page.get_by_role("button", name="1 hidden").click()
    menu("b", "Show again")
    drawn(page, "train/loss", 2)
    menu("b", "Move to trash")
    drawn(page, "train/loss", 1)
    page.get_by_role("button", name="trash (1)").click()
    menu("b", "Restore")
    page.get_by_role("button", name="leave the trash").click()
    drawn(page, "train/loss", 2)

    assert files_of(tmp_path) == before
    kept = json.loads((tmp_path / ".milepost" / "board.json").read_text())
    assert "best <b>run</b>" in json.dumps(kept)


# Machado, Oliveira, Fernandes 2009: what protanopes and deuteranopes see of linear sRGB.
PROTAN = [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
DEUTAN = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]


def oklab(rgb: Any) -> Any:
    """Linear sRGB to OKLab, in which distance is difference to the eye."""
    import numpy as np

    cone = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    lab = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return np.cbrt(np.clip(rgb, 0, None) @ cone.T) @ lab.T


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_told_apart_by_everyone(board: Any, open_page: Any, scheme: str) -> None:
    """The twelve colours differ for normal, protan and deutan eyes; the first six, which most pages need, differ widely."""
    import numpy as np

    page = open_page(board.at("scalars"), color_scheme=scheme)
    row = page.locator(".run").first
    row.hover()
    row.get_by_label("More for run").click()
    page.get_by_role("button", name="Name, note, colour …").click()
    page.locator(".colours label").nth(11).wait_for()
    shown = page.evaluate(
        "[...document.querySelectorAll('.colours label')].map(e => getComputedStyle(e).backgroundColor.match(/[0-9]+/g).map(Number))"
    )
    srgb = np.array(shown) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    for seen, all_apart, six_apart in (
        (np.eye(3), 0.075, 0.135),
        (np.array(PROTAN), 0.025, 0.08),
        (np.array(DEUTAN), 0.025, 0.08),
    ):
        lab = oklab(linear @ seen.T)
        distance = np.linalg.norm(lab[:, None] - lab[None], axis=-1) + np.eye(12)
        assert distance.min() > all_apart
        assert distance[:6, :6].min() > six_apart


def test_read_only_offers_no_edit(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """With --read_only the menu says why there is nothing to edit."""
    page = open_page(own_board(two_runs(tmp_path), "--read_only").at("scalars"))
    drawn(page, "train/loss", 2)
    row = page.locator(".run").first
    row.hover()
    row.get_by_label("More for run").click()
    page.locator(".menu-label", has_text="read-only").wait_for()
    assert page.get_by_role("button", name="Move to trash").count() == 0


def test_table_of_runs_sorts_and_saves(board: Any, open_page: Any) -> None:
    """The runs page has metrics, hparams and status of every run, sorts by any of them, and saves as CSV."""
    page = open_page(board.at("runs"))
    page.locator(".runs-table tbody tr").nth(3).wait_for()
    page.get_by_role("button", name="lr", exact=True).click()
    column = [h.strip("↑↓ ") for h in page.locator(".runs-table thead th").all_inner_texts()].index("lr")
    cells = [r.locator("th, td").nth(column).inner_text() for r in page.locator(".runs-table tbody tr").all()]
    assert cells == ["0.001", "0.01", "0.1", "–"]
    with page.expect_download() as got:
        page.get_by_label("Save the table as CSV").click()
    rows = Path(got.value.path()).read_text().splitlines()
    assert len(rows) == 5
    assert rows[0].startswith("run,status")


def test_any_metric_can_stand_beside_the_runs(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """The board chooses six metrics; any other is one choice away, for the list and the table, and is in the address."""
    writer = summary.create_file_writer(str(tmp_path / "run"))
    with writer.as_default():
        for i in range(9):
            summary.scalar(f"m{i}", float(i), step=0)
    writer.close()
    page = open_page(own_board(tmp_path).at("scalars"))
    drawn(page, "m0", 1)
    page.get_by_label("Metric", exact=True).select_option("m8")
    page.wait_for_function("() => document.querySelector('.run .run-value').textContent === '8'")
    page.wait_for_function("() => location.hash.includes('metrics=')")
    again = open_page(page.url.replace("#/scalars", "#/runs"))
    again.locator(".runs-table thead").get_by_role("button", name="m8").wait_for()

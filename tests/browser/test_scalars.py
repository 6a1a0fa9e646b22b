"""The scalars page: what each control promises, read from the canvas, from the chart's own words, or from the wire."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from page_looks import drawn, lines_of, pixels_of, run_colour, settled, words

pytestmark = pytest.mark.browser


def series_bodies(page: Any) -> list[dict[str, Any]]:
    """What the page asked of api/series since the last call."""
    got: list[dict[str, Any]] = []
    page.on("request", lambda r: got.append(json.loads(r.post_data)) if r.url.endswith("api/series") else None)
    return got


def drag(page: Any, chart: Any, x0: float, y0: float, x1: float, y1: float) -> None:
    box = chart.bounding_box()
    page.mouse.move(box["x"] + x0, box["y"] + y0)
    page.mouse.down()
    page.mouse.move(box["x"] + x1, box["y"] + y1, steps=4)
    page.mouse.up()


def test_smoothing_is_asked_of_the_server(board: Any, open_page: Any) -> None:
    """Smoothing sees all points: the page asks for it, draws it, keeps the raw line faint under it, and writes it to the address."""
    page = open_page(board.at("scalars", t="train/loss"))
    drawn(page, "train/loss", 4)
    asked = series_bodies(page)
    page.get_by_label("smooth", exact=True).fill("0.9")
    page.wait_for_function("() => location.hash.includes('s=0.9')")
    settled(page, "train/loss")
    assert asked[-1]["smooth"] == {"kind": "ema", "weight": 0.9}
    page.get_by_label("More settings").click()
    page.get_by_label("smoothing", exact=True).select_option("gaussian")
    page.wait_for_function("() => location.hash.includes('sk=gaussian')")
    settled(page, "train/loss")
    assert asked[-1]["smooth"]["kind"] == "gaussian"


def test_x_axis(board: Any, open_page: Any) -> None:
    """x is the step, the time since the start, the clock, or any other metric."""
    page = open_page(board.at("scalars", t="train/loss", off="trouble"))
    drawn(page, "train/loss", 3)
    for axis, word in {
        "relative": "time since start",
        "wall": "over time 2",
        "m:train/accuracy": "train/accuracy",
    }.items():
        page.get_by_label("x", exact=True).select_option(axis)
        page.wait_for_function(
            "w => document.querySelector(\"[data-card='train/loss'] .over\").ariaLabel.includes(w)", arg=word
        )
        settled(page, "train/loss")
        assert "3 lines" in words(page, "train/loss")


def test_log_and_symlog_on_both_axes(board: Any, open_page: Any) -> None:
    """A log axis moves the curve: the canvas changes, and stays drawn."""
    page = open_page(board.at("scalars", t="train/accuracy"))
    drawn(page, "train/accuracy", 3)
    picture = "document.querySelector(\"[data-card='train/accuracy'] canvas\").toDataURL()"
    seen = {page.evaluate(picture)}
    for kind in ("log", "symlog"):
        page.get_by_label("y", exact=True).select_option(kind)
        page.wait_for_function(f"() => location.hash.includes('ys={kind}')")
        seen.add(page.evaluate(picture))
    page.get_by_label("More settings").click()
    for kind in ("log", "symlog"):
        page.get_by_label("x scale").select_option(kind)
        page.wait_for_function(f"() => location.hash.includes('xs={kind}')")
        seen.add(page.evaluate(picture))
    assert len(seen) == 5
    assert pixels_of(page, "train/accuracy", run_colour(page, "seed-3")) > 60


def test_outliers_are_clipped_by_the_quantiles_of_all_points(board: Any, open_page: Any) -> None:
    """Clipping asks the server for the 5 % and 95 % quantiles and narrows the y axis."""
    page = open_page(board.at("scalars", t="train/loss", s="0", off="trouble"))
    drawn(page, "train/loss", 3)
    asked = series_bodies(page)
    picture = "document.querySelector(\"[data-card='train/loss'] canvas\").toDataURL()"
    before = page.evaluate(picture)
    page.get_by_label("clip outliers").check()
    page.wait_for_function(f"b => {picture} !== b", arg=before)
    assert asked[-1]["outliers"] == [0.05, 0.95]


def test_drag_zooms_all_charts_and_asks_for_full_resolution(board: Any, open_page: Any) -> None:
    """A drag zooms x on every chart, re-asks with that range, is in the address; a double-click takes it back."""
    page = open_page(board.at("scalars", off="trouble"))
    chart = drawn(page, "train/loss", 3)
    asked = series_bodies(page)
    drag(page, chart, 120, 60, 200, 64)
    page.wait_for_function("() => location.hash.includes('xz=')")
    settled(page, "train/loss")
    low, high = next(a for a in reversed(asked) if len(a["lines"]) > 3)["range"]
    assert 0 < low < high < 399
    for tag in ("train/loss", "train/accuracy"):
        found = re.search(r"over step ([\d\u202f]+) to ([\d\u202f]+)", words(page, tag))
        assert found
        assert abs(int(found[1].replace("\u202f", "")) - low) <= 1
    assert page.locator(".chip").inner_text().strip().startswith(f"{low:.0f}")
    chart.dblclick(position={"x": 150, "y": 60})
    page.wait_for_function("() => !location.hash.includes('xz=')")
    assert "over step 0 to 399" in words(page, "train/loss")


def test_vertical_drag_zooms_one_chart_and_shift_drag_pans(board: Any, open_page: Any) -> None:
    """A drag along y zooms that chart alone; with Shift the chart is moved."""
    page = open_page(board.at("scalars", off="trouble", xz="[100,200]"))
    chart = drawn(page, "train/accuracy", 3)
    drag(page, chart, 150, 40, 152, 120)
    page.wait_for_function("() => location.hash.includes('zoom=')")
    page.keyboard.down("Shift")
    drag(page, chart, 200, 80, 120, 80)
    page.keyboard.up("Shift")
    page.wait_for_function("() => !location.hash.includes('xz=%5B100%2C200%5D')")
    moved = json.loads(page.evaluate("new URLSearchParams(location.hash.split('?')[1]).get('xz')"))
    assert moved[0] > 105
    assert abs((moved[1] - moved[0]) - 100) < 1


def test_cursor_is_linked_and_tooltip_is_sorted(board: Any, open_page: Any) -> None:
    """The pointer on one chart shows the cursor on all, and one tooltip, in the order that was chosen."""
    page = open_page(board.at("scalars", off="trouble", tip="ascending"))
    chart = drawn(page, "train/loss", 3)
    drawn(page, "train/accuracy", 3)
    chart.hover(position={"x": 160, "y": 80})
    tip = page.locator(".tip")
    tip.wait_for()
    values = [float(v) for v in tip.locator("tbody td:nth-child(3)").all_inner_texts()]
    assert values == sorted(values)
    assert len(values) == 3
    assert tip.locator(".tip-head strong").inner_text().startswith("step ")
    other = "document.querySelector(\"[data-card='train/accuracy'] .over\").dataset.used"
    page.wait_for_function(f"() => {other} === '1'")
    page.keyboard.press("Tab")
    page.mouse.move(5, 5)
    page.wait_for_function(f"() => {other} === undefined")
    assert page.locator(".tip").count() == 0


def test_several_tags_on_one_chart_are_kept_in_the_address(board: Any, open_page: Any) -> None:
    """A chart of two tags is made in the page, and is there again for whoever opens its address."""
    page = open_page(board.at("scalars", off="trouble"))
    drawn(page, "train/loss", 3)
    page.get_by_label("Chart of several tags").click()
    page.get_by_label("Title").fill("both losses")
    page.get_by_role("dialog").get_by_label("train/loss").check()
    page.get_by_role("dialog").get_by_label("val/loss").check()
    page.get_by_role("button", name="Make the chart").click()
    drawn(page, "multi:both losses", 6)
    page.wait_for_function("() => location.hash.includes('multi=')")
    again = open_page(page.url)
    drawn(again, "multi:both losses", 6)
    assert "seed-1 · val/loss" in words(again, "multi:both losses")


def test_groups_are_drawn_as_mean_with_band(board: Any, open_page: Any) -> None:
    """Grouped by a rule, seeds become one line with a band; the band is on the canvas."""
    page = open_page(board.at("scalars", t="train/accuracy"))
    drawn(page, "train/accuracy", 3)
    page.get_by_label("group by").select_option("seed")
    drawn(page, "train/accuracy", 1)
    assert "seed (3)" in words(page, "train/accuracy")
    first = page.evaluate("document.querySelector(\"[data-card='train/accuracy'] canvas\").toDataURL()")
    page.get_by_label("shown as").select_option("median/minmax")
    page.wait_for_function(
        "f => document.querySelector(\"[data-card='train/accuracy'] canvas\").toDataURL() !== f", arg=first
    )


def test_nan_and_infinity_are_marked_and_counted(board: Any, open_page: Any) -> None:
    """NaN and infinities are drawn as marks, told in the tooltip, counted in the badge."""
    page = open_page(board.at("scalars", t="train/loss", on="trouble", s="0"))
    chart = drawn(page, "train/loss", 1)
    badge = page.locator("[data-card='train/loss'] .badge").inner_text()
    assert "100 points" in badge
    assert "1 NaN" in badge
    assert "2 ∞" in badge
    box = chart.bounding_box()
    at_inf = 56 + (box["width"] - 56 - 12) * 40 / 99
    chart.hover(position={"x": at_inf, "y": 12})
    assert "+infinity at 40" in page.locator(".tip-note").inner_text()


def test_restart_is_shown_and_can_be_split(own_board: Any, open_page: Any, tmp_path: Any) -> None:
    """A run that was resumed at an earlier step says so, and its segments can be drawn apart."""
    from milepost.summary import SummaryWriter

    for first, last, purge in ((0, 60, None), (40, 90, 40)):
        with SummaryWriter(str(tmp_path / "resumed"), purge_step=purge) as writer:
            for step in range(first, last):
                writer.add_scalar("loss", 1 / (step + 1), step)
    page = open_page(own_board(tmp_path).at("scalars"))
    drawn(page, "loss", 1)
    assert "1 restart" in page.locator("[data-card=loss] .badge").inner_text()
    page.get_by_label("More settings").click()
    page.get_by_label("restarts").select_option("split")
    drawn(page, "loss", 2)


def test_pinned_cards_come_first(board: Any, open_page: Any) -> None:
    """A pinned card stands at the top, and the pin is in the address."""
    page = open_page(board.at("scalars"))
    drawn(page, "train/lr")
    page.locator("[data-card='train/lr']").get_by_label("Pin to the top").click()
    page.locator(".grid-title", has_text="Pinned").wait_for()
    assert page.locator("[data-card='train/lr']").count() == 2
    page.wait_for_function("() => location.hash.includes('pin=train%2Flr')")


def test_full_screen_has_a_sortable_table(board: Any, open_page: Any) -> None:
    """Full screen shows the chart large, with a table of its lines that sorts by any column; Escape closes."""
    page = open_page(board.at("scalars", off="trouble", full="train/loss"))
    dialog = page.get_by_role("dialog")
    dialog.locator("tbody tr").nth(2).wait_for()
    assert dialog.locator("canvas").first.bounding_box()["width"] > 1000
    dialog.get_by_role("button", name="least").click()
    cells = [float(t.replace("−", "-")) for t in dialog.locator("tbody td:nth-child(4)").all_inner_texts()]
    assert cells == sorted(cells)
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")


def test_exports(board: Any, open_page: Any) -> None:
    """CSV and JSON hold every point; SVG and PNG hold title, axis names and legend."""
    page = open_page(board.at("scalars", off="trouble,seed-3"))
    drawn(page, "train/loss", 2)

    def export(kind: str) -> bytes:
        page.locator("[data-card='train/loss']").get_by_label("More for").click()
        with page.expect_download() as got:
            page.get_by_role("button", name=kind, exact=True).click()
        return Path(got.value.path()).read_bytes()

    rows = export("CSV").decode().strip().splitlines()
    assert rows[0] == "run,tag,step,wall_time,value"
    assert len(rows) == 1 + 2 * 400
    series = json.loads(export("JSON"))["series"]
    assert {s["run"]: len(s["value"]) for s in series} == {"seed-1": 400, "seed-2": 400}
    svg = export("SVG").decode()
    for text in (">train/loss<", ">step<", ">seed-1<", ">seed-2<"):
        assert text in svg
    assert export("PNG")[:8] == b"\x89PNG\r\n\x1a\n"


def test_checkpoints_lie_on_the_curve_and_open(board: Any, open_page: Any) -> None:
    """A checkpoint is a ◆ on its run's curve: hovering names it, a click opens it on its page."""
    page = open_page(board.at("scalars", t="train/accuracy", on="seed-1", s="0"))
    chart = drawn(page, "train/accuracy", 1)
    page.wait_for_function(
        "() => document.querySelector(\"[data-card='train/accuracy'] canvas\").dataset.marks === '3'"
    )
    place = page.evaluate(
        """() => { const c = document.querySelector("[data-card='train/accuracy'] canvas");
        return JSON.parse(c.dataset.markPlaces)[1]; }"""
    )
    chart.hover(position={"x": place[0], "y": place[1]})
    assert "ckpt-2" in page.locator(".tip-note").inner_text()
    chart.click(position={"x": place[0], "y": place[1]})
    page.get_by_label("Checkpoint seed-1/ckpt-2").wait_for()
    assert "#/checkpoints" in page.url


def test_ten_thousand_tags_stay_smooth(own_board: Any, open_page: Any, tmp_path: Any) -> None:
    """Of 10 000 cards only those on screen exist; a jump to the end draws within half a second."""
    from milepost import summary

    writer = summary.create_file_writer(str(tmp_path / "wide"))
    with writer.as_default():
        for i in range(10_000):
            summary.scalar(f"layer{i // 100:03}/w{i:05}", float(i), step=0)
            summary.scalar(f"layer{i // 100:03}/w{i:05}", float(i + 1), step=1)
    writer.close()
    page = open_page(own_board(tmp_path).at("scalars"))
    drawn(page, "layer000/w00000", 1)
    assert page.locator("article.card").count() < 40
    took = page.evaluate(
        """async () => { const m = document.querySelector('.scroll'); const t = performance.now();
        m.scrollTop = m.scrollHeight;
        while (!document.querySelector("[data-card='layer099/w09999'] canvas[data-drawn='1']")) await new Promise(requestAnimationFrame);
        return performance.now() - t; }"""
    )
    assert took < 1000
    assert page.locator("article.card").count() < 40


def test_same_y_range_in_a_section(board: Any, open_page: Any) -> None:
    """With one y range for a section, its charts cover the greatest of their extents."""
    page = open_page(board.at("scalars", on="seed-1", s="0"))
    drawn(page, "train/lr", 1)
    picture = "document.querySelector(\"[data-card='train/lr'] canvas\").toDataURL()"
    before = page.evaluate(picture)
    page.get_by_label("More settings").click()
    page.get_by_label("same y range in a section").check()
    page.wait_for_function(f"b => {picture} !== b", arg=before)
    assert lines_of(page, "train/lr") == 1


def test_axis_limits_by_hand(board: Any, open_page: Any) -> None:
    """Limits can be typed; an empty field follows the data; they are in the address."""
    page = open_page(board.at("scalars", t="train/accuracy"))
    drawn(page, "train/accuracy", 3)
    page.locator("[data-card='train/accuracy']").get_by_label("More for").click()
    page.get_by_role("button", name="Axis limits …").click()
    page.get_by_label("x from").fill("100")
    page.get_by_label("y from").fill("0")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_function("() => location.hash.includes('xz=%5B100%2C399%5D') && location.hash.includes('zoom=')")
    settled(page, "train/accuracy")
    assert "over step 100 to 399" in words(page, "train/accuracy")


def test_values_under_the_cursor_can_be_copied(board: Any, open_page: Any) -> None:
    """c copies the tooltip: name, x and the exact value, a line each."""
    page = open_page(
        board.at("scalars", t="train/lr", on="seed-1", s="0"), permissions=["clipboard-read", "clipboard-write"]
    )
    chart = drawn(page, "train/lr", 1)
    chart.focus()
    page.keyboard.press("Home")
    page.keyboard.press("c")
    page.wait_for_timeout(100)
    name, x, value = page.evaluate("navigator.clipboard.readText()").split("\t")
    assert (name, x) == ("seed-1", "0")
    assert float(value) == pytest.approx(1e-3)


def test_layout_of_the_log_makes_sections(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """A custom scalars layout in the log becomes a section: several tags on a chart, and margins as a band."""
    from milepost import summary

    writer = summary.create_file_writer(str(tmp_path / "run"))
    with writer.as_default():
        summary.custom_scalars(
            {"mine": {"both": ["Multiline", ["a/.*"]], "band": ["Margin", ["b/mid", "b/low", "b/high"]]}}
        )
        for step in range(20):
            for tag, value in (("a/x", 1.0), ("a/y", 2.0), ("b/mid", 0.0), ("b/low", -1.0), ("b/high", 1.0)):
                summary.scalar(tag, value * step, step=step)
    writer.close()
    page = open_page(own_board(tmp_path).at("scalars", s="0"))
    page.locator(".grid-title", has_text="mine").wait_for()
    drawn(page, "layout:0:both", 2)
    drawn(page, "layout:0:band", 1)


def test_a_crowd_is_drawn_once(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """Of many runs on a chart each comes to the front under the pointer, without asking or painting the others again."""
    from milepost.testing.logs import write_scalar_runs

    write_scalar_runs(tmp_path, runs=120, tags=2, steps=30)
    page = open_page(own_board(tmp_path).at("scalars"))
    chart = drawn(page, "train/metric_00", 120)
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url))
    page.evaluate(
        "() => { window.strokes = 0; const p = CanvasRenderingContext2D.prototype, f = p.stroke; p.stroke = function () { window.strokes++; return f.apply(this, arguments); }; }"
    )
    chart.hover(position={"x": 200, "y": 100})
    page.wait_for_selector(".chart canvas.behind")
    front = page.locator("[data-card='train/metric_00'] canvas.front")
    painted = front.evaluate("c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v)")
    assert painted
    assert page.evaluate("window.strokes") < 60, "one line and the axes of two charts, not 240 lines"
    assert [url for url in asked if "series" in url] == []
    page.mouse.move(2, 2)
    page.wait_for_function("() => !document.querySelector('.chart canvas.behind')")


def test_a_row_uses_its_room(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """The first row of a section reaches from edge to edge, however few its charts; and cards keep their size while they load."""
    from milepost.testing.logs import scalar_event, write_events

    sections = {"one": 1, "two": 2, "three": 3, "five": 5}
    tags = [f"{name}/{k}" for name, count in sections.items() for k in range(count)]
    write_events(tmp_path / "run" / "events.out.tfevents.1.h", [scalar_event(t, s, s) for s in range(9) for t in tags])
    board = own_board(tmp_path)
    boxes = "() => Object.fromEntries([...document.querySelectorAll('.grid-cell')].map(e => { const r = e.getBoundingClientRect(); return [e.querySelector('article').dataset.card, [r.left, r.top, r.width, r.height].map(Math.round)]; }))"
    for width in (1920, 1366, 800):
        page = open_page("about:blank", width=width, height=2400)
        page.route("**/api/series", lambda route: (time.sleep(0.2), route.continue_()))
        page.goto(board.at("scalars"))
        page.wait_for_selector(".grid-cell")
        before = page.evaluate(boxes)
        for tag in tags:
            drawn(page, tag, 1)
        after = page.evaluate(boxes)
        assert before == after, "a card moved while it loaded"
        room = page.evaluate("document.querySelector('.grid').clientWidth") - 32
        for name, count in sections.items():
            cards = [box for tag, box in after.items() if tag.startswith(name)]
            row = [box for box in cards if box[1] == cards[0][1]]
            assert row[-1][0] + row[-1][2] - row[0][0] >= room - len(row), (width, name)
            assert len({tuple(box[2:]) for box in cards}) == 1
            rows = -(-count // len(row))
            assert rows * len(row) - count < max(rows, 2), "holes are spread over the rows"


def test_switching_runs_fetches_only_what_is_missing(board: Any, open_page: Any) -> None:
    """What is on the page stays: switching off asks for nothing, switching on for that run's points alone."""
    page = open_page(board.at("scalars", t="train/loss"))
    drawn(page, "train/loss", 4)
    asked = series_bodies(page)
    page.get_by_label("seed-2", exact=True).uncheck()
    drawn(page, "train/loss", 3)
    assert asked == []
    page.get_by_label("seed-2", exact=True).check()
    drawn(page, "train/loss", 4)
    assert len(asked) == 1
    assert sorted(asked[0]["known"])[0] == -1, "the one that was off"
    assert sorted(asked[0]["known"])[1] > 0

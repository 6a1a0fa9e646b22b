"""For everyone: axe finds nothing serious, the keyboard reaches everything, any width works, nothing jumps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from page_looks import drawn, words

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
VIEWS = [
    "scalars",
    "images",
    "audio",
    "text",
    "histograms",
    "distributions",
    "graphs",
    "profile",
    "hparams",
    "pr_curves",
    "meshes",
    "projector",
    "checkpoints",
    "runs",
]
SERIOUS = """async only => (await axe.run(document, {resultTypes: ['violations'], ...(only ? {runOnly: {type: 'rule', values: only}} : {})})).violations
  .filter(v => v.impact === 'serious' || v.impact === 'critical')
  .map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | '))"""


def check_axe(page: Any, only: list[str] | None, where: str) -> None:
    found = page.evaluate(SERIOUS, only)
    assert found == [], (where, found)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(board: Any, open_page: Any, scheme: str) -> None:
    """No page, in neither theme, has a serious or critical finding; nor have the dialogs and menus."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: run `npm install` in web/")
    # axe is a script of the test, not of the page: only here the page's policy is set aside
    page = open_page(board.at("scalars"), color_scheme=scheme, bypass_csp=True)
    page.evaluate(AXE.read_text())
    # the dark theme differs in its colours only
    only = None if scheme == "light" else ["color-contrast"]
    for view in VIEWS:
        page.evaluate(f"location.hash = '#/{view}'")
        page.wait_for_function(
            "v => document.querySelector('[aria-current=page]')?.hash.startsWith('#/' + v) && document.querySelector('#main > *')",
            arg=view,
        )
        page.wait_for_timeout(200)
        check_axe(page, only, view)
    page.evaluate("location.hash = '#/scalars?full=train/loss'")
    page.get_by_role("dialog").wait_for()
    check_axe(page, only, "full screen")
    page.keyboard.press("Escape")
    page.get_by_label("More settings").click()
    check_axe(page, only, "settings")
    # and the check itself can fail
    page.evaluate("document.body.append(Object.assign(document.createElement('img'), {src: 'icon.svg'}))")
    assert any(f.startswith("image-alt") for f in page.evaluate(SERIOUS, ["image-alt"]))


@pytest.mark.parametrize("what", ["no runs", "scalars only", "no match"])
def test_axe_finds_nothing_serious_on_empty_pages(
    what: str, scalars_only: Any, board: Any, own_board: Any, open_page: Any
) -> None:
    """Each page without anything of its kind, an empty logdir, a filter that nothing fits."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: run `npm install` in web/")
    served = {"no runs": own_board, "scalars only": lambda: scalars_only, "no match": lambda: board}[what]()
    query = "?q=nothing-is-called-so&t=nothing-is-called-so" if what == "no match" else ""
    page = open_page(served.url + "#/scalars" + query, bypass_csp=True)
    page.evaluate(AXE.read_text())
    for view in VIEWS:
        page.evaluate(f"location.hash = '#/{view}{query}'")
        page.wait_for_selector("#main > *")
        page.wait_for_timeout(150)
        check_axe(page, None, f"{what}: {view}")
        if query and view == "scalars":
            assert page.locator(".run-list .run").count() == 0


def test_keyboard_alone_reads_a_chart(board: Any, open_page: Any) -> None:
    """Tab to a chart; arrows read values aloud and choose lines; plus and 0 zoom and reset; Enter opens it large; Escape closes."""
    page = open_page(board.at("scalars", t="train/loss", off="trouble", s="0"))
    chart = drawn(page, "train/loss", 3)
    for _ in range(60):
        page.keyboard.press("Tab")
        if chart.evaluate("e => e === document.activeElement"):
            break
    assert chart.evaluate("e => e === document.activeElement"), "the chart is not reached by Tab"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    said = page.locator("[data-card='train/loss'] [aria-live]").inner_text()
    assert said.startswith("step ")
    assert "seed-" in said
    page.keyboard.press("+")
    page.wait_for_function("() => location.hash.includes('xz=')")
    page.keyboard.press("0")
    page.wait_for_function("() => !location.hash.includes('xz=')")
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")


def test_keys_go_from_page_to_page(board: Any, open_page: Any) -> None:
    """Brackets walk the pages, ? lists the keys, t goes to the tag filter, d changes the theme."""
    page = open_page(board.at("scalars"))
    drawn(page, "train/loss")
    page.keyboard.press("]")
    page.wait_for_function("() => location.hash.startsWith('#/images')")
    page.keyboard.press("[")
    page.wait_for_function("() => location.hash.startsWith('#/scalars')")
    before = page.evaluate("document.documentElement.dataset.theme")
    page.keyboard.press("d")
    page.wait_for_function("b => document.documentElement.dataset.theme !== b", arg=before)
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keyboard").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    page.keyboard.type("loss")
    page.wait_for_function("() => document.querySelectorAll('article.card').length === 2")


def test_back_button_goes_to_the_page_before(board: Any, open_page: Any) -> None:
    """A change of page is a step in the browser's history; a slider is not."""
    page = open_page(board.at("scalars"))
    drawn(page, "train/loss")
    page.get_by_role("link", name="Histograms").click()
    page.wait_for_function("() => location.hash.startsWith('#/histograms')")
    page.go_back()
    drawn(page, "train/loss")


def test_charts_are_told_in_words(board: Any, open_page: Any) -> None:
    """What a chart shows is told: lines, range, first and last, least and greatest."""
    page = open_page(board.at("scalars", on="seed-1", s="0"))
    drawn(page, "train/lr", 1)
    said = words(page, "train/lr")
    assert said.startswith("train/lr, one line over step 0 to 399. seed-1: from 0.001 to 2.5e−6")


@pytest.mark.parametrize(("width", "height"), [(360, 740), (820, 1180), (3840, 2160)])
def test_any_width(board: Any, open_page: Any, width: int, height: int) -> None:
    """From a phone to 4K the page fits its window: nothing to scroll sideways, cards fill the width."""
    page = open_page(board.at("scalars"), width, height)
    drawn(page, "train/loss")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    card = page.locator("article.card").first.bounding_box()
    assert card["x"] >= 0
    assert card["x"] + card["width"] <= width
    if width < 900:
        page.get_by_label("Runs (r)").click()
        page.locator(".run").first.wait_for()
        assert page.locator(".panel").bounding_box()["width"] <= width


def test_nothing_jumps_while_loading(board: Any, open_page: Any) -> None:
    """The cumulative layout shift from opening to drawn charts, and through a change of settings, is nil."""
    page = open_page("about:blank")
    page.add_init_script(
        "window.shift = 0; new PerformanceObserver(l => { for (const e of l.getEntries()) window.shift += e.value; }).observe({type: 'layout-shift', buffered: true});"
    )
    page.goto(board.at("scalars"))
    drawn(page, "train/loss")
    page.get_by_label("smooth").fill("0.3")
    page.wait_for_timeout(400)
    assert page.evaluate("window.shift") < 0.01

"""What the browser tests ask of a page: is the chart drawn, in which colours. Not here: boards and browsers (conftest)."""

from __future__ import annotations

from typing import Any


def drawn(page: Any, tag: str, lines: int | None = None) -> Any:
    """The chart of a tag, once its lines are on the canvas."""
    chart = page.locator(f"article[data-card='{tag}'] canvas").first
    chart.wait_for()
    want = "> 0" if lines is None else f"=== {lines}"
    page.wait_for_function(
        f"t => Number(document.querySelector(`article[data-card='${{t}}'] canvas`)?.dataset.drawn) {want}", arg=tag
    )
    return page.locator(f"article[data-card='{tag}'] canvas.over")


# How many pixels of the canvas have the colour of a line: the drawing itself, not the page's word for it.
COUNT_COLOUR = """([selector, colour]) => {
  const c = document.querySelector(selector);
  const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  const want = [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16));
  let n = 0;
  for (let i = 0; i < d.length; i += 4)
    if (d[i + 3] > 200 && Math.abs(d[i] - want[0]) < 24 && Math.abs(d[i + 1] - want[1]) < 24 && Math.abs(d[i + 2] - want[2]) < 24) n++;
  return n;
}"""


def pixels_of(page: Any, tag: str, colour: str) -> int:
    return int(page.evaluate(COUNT_COLOUR, [f"article[data-card='{tag}'] canvas", colour]))


def run_colour(page: Any, run: str) -> str:
    """The colour that the runs panel gives a run."""
    return str(page.locator(".run", has_text=run).locator(".run-dot circle").first.get_attribute("fill"))


def words(page: Any, tag: str) -> str:
    """The chart in words, as a screen reader hears it."""
    return str(page.locator(f"article[data-card='{tag}'] canvas.over").first.get_attribute("aria-label"))


def lines_of(page: Any, tag: str) -> int:
    return int(page.locator(f"article[data-card='{tag}'] canvas").first.get_attribute("data-drawn") or 0)


def settled(page: Any, tag: str) -> None:
    """Until the card has the data that its settings ask for."""
    page.wait_for_function(
        "t => { const a = document.querySelector(`article[data-card='${t}']`); return a && !a.classList.contains('stale') && !a.querySelector('.loading-dot'); }",
        arg=tag,
    )
    page.wait_for_timeout(60)

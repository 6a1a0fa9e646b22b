"""What a newcomer sees: the page opens, the curves are drawn, nothing is asked of any other host."""

from __future__ import annotations

from typing import Any

import pytest
from page_looks import drawn, pixels_of, run_colour

pytestmark = pytest.mark.browser


def test_curves_are_drawn_in_the_colours_of_their_runs(board: Any, open_page: Any) -> None:
    """Each run's curve is on the canvas, in the colour that the runs panel shows."""
    page = open_page(board.at("scalars"))
    drawn(page, "train/accuracy", 3)
    for run in ("seed-1", "seed-2", "seed-3"):
        assert pixels_of(page, "train/accuracy", run_colour(page, run)) > 60, run


def test_page_needs_one_request_for_data(board: Any, open_page: Any) -> None:
    """The page comes with runs and tags inside: until the charts are drawn it asks for series once."""
    page = open_page("about:blank")
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url.removeprefix(board.url)))
    page.goto(board.at("scalars"))
    drawn(page, "train/loss", 4)
    data = [a for a in asked if a.startswith("api/") and a != "api/events"]
    assert data.count("api/series") == 1, data
    assert [a for a in data if a not in ("api/series", "api/checkpoints")] == []


def test_page_is_light(board: Any, open_page: Any) -> None:
    """First load ≤ 100 kB over the wire, all of the page's files together ≤ 250 kB compressed."""
    import gzip
    from pathlib import Path

    import milepost.board

    page = open_page(board.at("scalars"))
    drawn(page, "train/loss")
    sent = page.evaluate(
        "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))"
        ".filter(e => !e.name.includes('/api/')).reduce((n, e) => n + e.transferSize, 0)"
    )
    assert 0 < sent <= 100_000, sent
    static = Path(milepost.board.__file__).parent / "static"
    files = [f for f in static.rglob("*") if f.suffix in (".js", ".css", ".html", ".svg") and f.name != "report.html"]
    assert sum(len(gzip.compress(f.read_bytes(), 9)) for f in files) <= 250_000


def test_page_under_a_prefix(own_board: Any, open_page: Any, scalars_only: Any) -> None:
    """Under --path_prefix, with or without the last slash, the page finds its files and its data."""
    board = own_board(scalars_only.logdir, "--path_prefix", "/team/board")
    root = board.url.split("/team")[0].rstrip("/")
    page = open_page(f"{root}/team/board")
    drawn(page, "loss", 1)
    assert page.url.startswith(f"{root}/team/board/")


def test_token_opens_the_page_once_and_leaves_the_address(own_board: Any, open_page: Any, scalars_only: Any) -> None:
    """With --token the printed address opens the page; the token is not in the address any more, and all data comes."""
    board = own_board(scalars_only.logdir, "--token", "s3cret")
    page = open_page(f"{board.url}?token=s3cret")
    drawn(page, "loss", 1)
    assert "s3cret" not in page.url

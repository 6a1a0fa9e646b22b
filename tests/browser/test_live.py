"""Live: what is written is on the screen within a second; it can be paused; an empty board says what to do."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from page_looks import drawn, words

from milepost import summary

pytestmark = pytest.mark.browser
LAST = "t => document.querySelector(`article[data-card='loss'] .over`)?.ariaLabel.includes(t)"


def log(writer: Any, step: int, value: float) -> None:
    with writer.as_default():
        summary.scalar("loss", value, step=step)
    writer.flush()


def test_new_points_appear_within_a_second_and_can_be_paused(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """A point that was flushed is drawn within 1 s, without a reload; paused, the page stands still, and then catches up."""
    writer = summary.create_file_writer(str(tmp_path / "run"))
    for step in range(3):
        log(writer, step, 1.0)
    page = open_page(own_board(tmp_path).at("scalars", s="0"))
    drawn(page, "loss", 1)
    page.locator(".live.open").wait_for()
    page.wait_for_timeout(300)
    took = []
    for step in (3, 4, 5):
        began = time.monotonic()
        log(writer, step, 1.0)
        page.wait_for_function(LAST, arg=f"over step 0 to {step}", polling=20)
        took.append(time.monotonic() - began)
    assert min(took) < 1.0, took

    page.get_by_label("Pause updates (space)").click()
    log(writer, 6, 1.0)
    page.wait_for_timeout(1200)
    assert "over step 0 to 5" in words(page, "loss")
    page.get_by_label("Go on (space)").click()
    page.wait_for_function(LAST, arg="over step 0 to 6")

    with writer.as_default():
        summary.scalar("fresh", 1.0, step=0)
    writer.flush()
    drawn(page, "fresh", 1)
    other = summary.create_file_writer(str(tmp_path / "second"))
    log(other, 0, 2.0)
    drawn(page, "loss", 2)
    writer.close()
    other.close()


def test_refresh_button_looks_now(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """The refresh button asks the board to look at every file, and shows what it found."""
    writer = summary.create_file_writer(str(tmp_path / "run"))
    log(writer, 0, 1.0)
    page = open_page(own_board(tmp_path).at("scalars"))
    drawn(page, "loss", 1)
    with page.expect_response(lambda r: r.url.endswith("api/refresh")) as got:
        page.get_by_label("Look for new data now (g)").click()
    assert got.value.ok
    writer.close()


def test_still_loading_is_shown_while_it_is(board: Any, open_page: Any) -> None:
    """While the board still reads, the page says how far it is, and shows what is there."""
    import json
    import re
    from typing import cast

    def loading(route: Any) -> None:
        answer = route.fetch()
        head, block, rest = cast(
            tuple[str, str, str],
            re.split(r'(?<=id="milepost-boot">)(.*?)(?=</script>)', answer.text(), maxsplit=1, flags=re.S),
        )
        boot = json.loads(block)
        boot["info"] |= {"state": "loading", "progress": {"files_done": 1, "files": 5, "bytes_done": 42, "bytes": 100}}
        route.fulfill(response=answer, body=head + json.dumps(boot) + rest)

    page = open_page("about:blank")
    page.watch.allowed += ["ERR_FAILED"]
    page.route(board.url, loading)
    page.route("**/api/events", lambda route: route.abort())
    page.goto(board.at("scalars"))
    page.get_by_text("loading 42 %").wait_for()
    drawn(page, "train/loss")


def test_empty_and_missing_logdirs_say_what_to_do(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """A logdir that does not exist yet is waited for; the first run appears by itself."""
    logdir = tmp_path / "later"
    page = open_page(own_board(logdir).at("scalars"))
    page.get_by_role("heading", name="later").wait_for()
    writer = summary.create_file_writer(str(logdir / "run"))
    log(writer, 0, 1.0)
    drawn(page, "loss", 1)
    writer.close()


def test_pages_without_data_show_how_to_log_some(scalars_only: Any, open_page: Any) -> None:
    """Every page that has nothing to show says so and shows the lines that would fill it."""
    page = open_page(scalars_only.at("scalars"))
    drawn(page, "loss", 1)
    for title in (
        "Images",
        "Audio",
        "Text",
        "Histograms",
        "Distributions",
        "Graphs",
        "HParams",
        "PR curves",
        "Checkpoints",
    ):
        page.get_by_role("link", name=title, exact=True).click()
        page.wait_for_function(
            "t => document.title.startsWith(t) && document.querySelector('.empty pre')?.textContent.includes('milepost')",
            arg=title,
        )


def test_lost_board_is_told_and_found_again(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """When the board dies the page says so and keeps what it shows; a board started anew in its place is found, with all that is new."""
    writer = summary.create_file_writer(str(tmp_path / "run"))
    log(writer, 0, 1.0)
    log(writer, 1, 1.0)
    board = own_board(tmp_path)
    page = open_page(board.at("scalars", s="0"))
    drawn(page, "loss", 1)
    page.watch.allowed += ["ERR_", "Failed to load"]
    page.locator(".live.open").wait_for()
    board.process.terminate()
    board.process.wait(10)
    page.locator(".live.lost").wait_for()
    assert drawn(page, "loss", 1)
    log(writer, 2, 1.0)
    writer.close()
    again = own_board(tmp_path, "--port", board.url.rsplit(":", 1)[1].strip("/"))
    assert again.url == board.url
    page.wait_for_function(LAST, arg="over step 0 to 2", timeout=30_000)
    page.locator(".live.open").wait_for()

"""Hostile logs in a real browser: an error card and nothing else; names and tags stay text; moving pictures move."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from page_logs import HOSTILE_TAG
from page_looks import drawn
from PIL import Image

from milepost.formats.event import Audio as AudioProto
from milepost.formats.event import Image as ImageProto
from milepost.formats.event import SummaryValue
from milepost.testing.logs import value_event, write_events

pytestmark = pytest.mark.browser


def picture(tag: str, data: bytes) -> bytes:
    return value_event(SummaryValue(tag=tag, image=ImageProto(width=8, height=8, colorspace=3, encoded=data)), 0)


def sound(tag: str, data: bytes) -> bytes:
    made = AudioProto(sample_rate=8000, num_channels=1, length_frames=10, encoded=data, content_type="audio/wav")
    return value_event(SummaryValue(tag=tag, audio=made), 0)


def announced(width: int, height: int) -> bytes:
    """A PNG that says it is that large, and holds next to nothing."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


def gif() -> bytes:
    frames = [Image.new("P", (8, 8), i) for i in range(3)]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=50, loop=0)
    return out.getvalue()


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked=1"><script>window.hacked=1</script></svg>'


def test_hostile_media_shows_error_cards(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """SVG with script, a 50 000 × 50 000 PNG, a cut PNG, a broken WAV: each an error card; the GIF beside them is shown."""
    good = io.BytesIO()
    Image.new("RGB", (8, 8), (200, 30, 30)).save(good, "PNG")
    bad = {"svg": SVG, "huge": announced(50_000, 50_000), "cut": good.getvalue()[:-20], "empty": b""}
    records = [picture(f"bad/{n}", d) for n, d in bad.items()] + [picture("good/gif", gif())]
    records += [sound("sound/wav", b"RIFF\xff\xff\xff\xffWAVEfmt \xff\xff\xff\x7f"), sound("sound/svg", SVG)]
    write_events(tmp_path / "run" / "events.out.tfevents.1.h", records)
    page = open_page(own_board(tmp_path).at("images"), height=1600)
    page.wait_for_function(
        "() => document.querySelectorAll('.error-card').length === 4 && document.images.length === 1 && document.images[0].naturalWidth === 8"
    )
    page.get_by_role("link", name="Audio").click()
    page.wait_for_function("() => document.querySelectorAll('.error-card').length === 2")
    assert page.locator("audio").count() == 0


def test_hostile_names_stay_text(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """A tag and a run name made of HTML are shown as they are written, in cards, tooltips, tables and exports."""
    name = "<b onmouseover=window.hacked=1>run</b>".replace("/", "∕")
    events = [value_event(SummaryValue(tag=HOSTILE_TAG, simple_value=float(s)), s) for s in range(5)]
    write_events(tmp_path / name / "events.out.tfevents.1.h", events)
    page = open_page(own_board(tmp_path).at("scalars"))
    chart = drawn(page, HOSTILE_TAG, 1)
    assert page.locator(".run-text").inner_text() == name
    chart.hover(position={"x": 150, "y": 80})
    assert page.locator(".tip .name").inner_text() == name
    page.locator("article.card").get_by_label("More for").click()
    with page.expect_download() as got:
        page.get_by_role("button", name="SVG", exact=True).click()
    svg = Path(got.value.path()).read_text()
    assert "<img" not in svg
    assert "<b " not in svg


def test_a_broken_address_opens_the_page_all_the_same(board: Any, open_page: Any) -> None:
    """An address that somebody mistyped is read as far as it goes."""
    page = open_page(board.url + "#/nowhere?xz=%7Bbroken&multi=[[&s=much&x=sideways&cols=-3&tip=odd&zoom=1&full=none")
    drawn(page, "train/loss")

"""The page itself: compressed once, cached for ever by its hashed names, titled, with its first data inside; and boards that others may reach."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from milepost.board.http.page import BOOT_MARK, Page
from milepost.board.options import Options
from milepost.board.server import bind
from milepost.testing.logs import scalar_event, write_events

Serve = Callable[..., Any]
INDEX = f"<!doctype html><html><head><title>milepost</title>{BOOT_MARK}</head><body></body></html>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text(INDEX)
    (tmp_path / "assets" / "core-abc.js").write_text("let x = 1;" * 500)
    (tmp_path / "assets" / "core-abc.js.br").write_bytes(b"brotli bytes")
    (tmp_path / "assets" / "style-abc.css").write_text("a{}" * 500)
    return tmp_path


def asking(encoding: str = "") -> Request:
    return Request(
        {
            "type": "http",
            "method": "GET",
            "path": "/",
            "query_string": b"",
            "headers": [(b"accept-encoding", encoding.encode())],
        }
    )


def test_title_and_first_data_go_into_the_page(folder: Path) -> None:
    """A title with markup stays a title; data with markup stays data."""
    text = (
        Page(folder, title="</title><script>x")
        .index(json.dumps({"tag": "</script><script>alert(1)</script>"}).encode())
        .decode()
    )
    assert "<title>&lt;/title&gt;&lt;script&gt;x</title>" in text
    block = re.search(r'<script type="application/json" id="milepost-boot">(.*?)</script>', text)
    assert block is not None
    assert json.loads(block[1]) == {"tag": "</script><script>alert(1)</script>"}
    assert text.count("<script") == 1
    assert BOOT_MARK in Page(folder).index(None).decode(), "without data the page asks for it"


def test_assets_are_compressed_and_kept(folder: Path) -> None:
    page = Page(folder)
    plain = page.serve(asking(), "assets/style-abc.css")
    packed = page.serve(asking("gzip"), "assets/style-abc.css")
    assert gzip.decompress(bytes(packed.body)) == bytes(plain.body)
    assert page.serve(asking("gzip, br"), "assets/core-abc.js").body == b"brotli bytes"
    assert "immutable" in packed.headers["cache-control"]
    assert packed.media_type == "text/css; charset=utf-8"
    assert page.serve(asking(), "index.html").headers["cache-control"] == "no-cache"
    for name in ("assets/absent.js", "../index.html", "assets/core-abc.js.br", "assets", ""):
        assert page.serve(asking(), name).status_code == 404


def test_a_page_that_is_not_built_says_so(tmp_path: Path) -> None:
    page = Page(tmp_path / "none")
    assert not page.built
    assert b"make web" in page.index(None)


def test_the_served_page_holds_its_first_data(tmp_path: Path, serve: Serve) -> None:
    """With the built page: info, runs and tags are in it, as the API gives them."""
    if not Page().built:
        pytest.skip("the page is not built here: `make web`")
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    client = serve(tmp_path, window_title="My <runs>")
    text = client.http.get("").text
    assert "<title>My &lt;runs&gt;</title>" in text
    block = re.search(r'id="milepost-boot">(.*?)</script>', text)
    assert block is not None
    boot = json.loads(block[1])
    assert boot["tags"] == client.get("api/tags")
    assert [r["id"] for r in boot["runs"]["runs"]] == ["."]


@pytest.mark.parametrize("given", [{"bind_all": True}, {"host": "0.0.0.0"}])
def test_a_board_for_others_answers_to_its_addresses(tmp_path: Path, serve: Serve, given: dict[str, Any]) -> None:
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    client = serve(tmp_path, token="t", **given)
    ask = {"X-Milepost-Token": "t"}
    assert client.http.get("api/info", headers={**ask, "Host": "10.1.2.3:80"}).status_code == 200
    assert client.http.get("api/info", headers={**ask, "Host": "evil.example"}).status_code == 403
    assert client.http.get("api/info", headers={"Host": "10.1.2.3:80"}).status_code == 401


def test_listening_on_both_loopback_addresses() -> None:
    sockets = bind(Options(roots=(("", "x"),), port=0))
    try:
        ports = {one.getsockname()[1] for one in sockets}
        assert len(ports) == 1
        assert {one.getsockname()[0] for one in sockets} <= {"127.0.0.1", "::1"}
    finally:
        for one in sockets:
            one.close()

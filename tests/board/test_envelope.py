"""One JSON shape for answers, one for errors, whatever is asked."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from milepost.board.http.envelope import encode, finite

Serve = Callable[..., Any]


def test_numbers_json_has_no_word_for_travel_as_words() -> None:
    assert json.loads(encode({"a": [float("nan"), float("inf"), -float("inf"), 1.5]})) == {
        "a": ["NaN", "Infinity", "-Infinity", 1.5]
    }
    assert finite(None) is None


def test_text_that_is_not_utf8_does_not_break_an_answer() -> None:
    assert json.loads(encode({"tag": "a\udcffb"}))["tag"] == "a?b"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "api/nothing", 404, "not_found"),
        ("POST", "api/nothing", 404, "not_found"),
        ("DELETE", "api/runs", 405, "method_not_allowed"),
        ("GET", "nothing.html", 404, "not_found"),
        ("GET", "api/images", 400, "bad_request"),
        ("GET", "api/images?run=seed-1&tag=absent", 404, "not_found"),
        ("GET", "api/images?run=absent&tag=x", 404, "not_found"),
        ("GET", "api/images?run=seed-1&tag=digits&limit=0", 400, "bad_request"),
        ("GET", "api/tags?plugin=absent", 400, "bad_request"),
        ("GET", "api/runs?since=x", 400, "bad_request"),
        ("GET", "api/blob/xxxx", 404, "not_found"),
        ("GET", "api/blob/WzEsMl0", 404, "not_found"),
        ("GET", "api/checkpoint?id=absent", 404, "not_found"),
        ("GET", "api/export?format=xml", 400, "bad_request"),
        ("GET", "api/export?run=absent", 404, "not_found"),
        ("GET", "api/capture?id=b", 404, "not_found"),
        ("GET", "api/graph?run=seed-1&tag=absent", 404, "not_found"),
        ("POST", "api/series", 400, "bad_request"),
        ("PATCH", "api/runs", 400, "bad_request"),
    ],
)
def test_every_error_has_the_one_shape(board: Any, method: str, path: str, status: int, code: str) -> None:
    assert board.error(path, method=method, status=status)["code"] == code


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ("[]", "body"), ("{", "body"), ('{"nope": 1}', "nope"), ('{"lines": [["a"]]}', "lines"), ('{"lines": [], "width": -1}', "width"),
        ('{"lines": [], "width": "x"}', "width"), ('{"lines": [], "x": "sideways"}', "x"), ('{"lines": [], "x": {"metric": 3}}', "x.metric"),
        ('{"lines": [], "range": [3, 1]}', "range"), ('{"lines": [], "range": [1e999, 1]}', "range"), ('{"lines": [], "ranges": [[0, 1]]}', "ranges"),
        ('{"lines": [], "smooth": {"kind": "magic"}}', "smooth.kind"), ('{"lines": [], "smooth": {"weight": 1}}', "smooth.weight"),
        ('{"lines": [], "restarts": "never"}', "restarts"), ('{"lines": [], "outliers": [0]}', "outliers"), ('{"lines": [], "known": [1]}', "known"),
        ('{"groups": [1]}', "groups"), ('{"groups": [{"runs": ["a"]}]}', "groups.tags"), ('{"aggregate": {"line": "mode"}}', "aggregate.line"),
        ('{"groups": [{"id": "g", "runs": ["a"], "tags": ["b"]}], "x": {"metric": "m"}}', "x.metric"),
    ],
)  # fmt: skip
def test_a_bad_series_request_names_its_field(board: Any, body: str, field: str) -> None:
    assert board.error("api/series", method="POST", content=body, status=400)["where"] == field


def test_a_body_without_end_is_refused(board: Any) -> None:
    fault = board.error("api/series", method="POST", content=b" " * (9 * 1024 * 1024), status=413)
    assert fault["code"] == "too_large"


def test_what_has_not_changed_is_not_sent_again(board: Any) -> None:
    client = board
    first = client.http.get("api/tags")
    assert client.http.get("api/tags", headers={"If-None-Match": first.headers["etag"]}).status_code == 304


def test_json_is_compressed_for_those_who_take_it(board: Any) -> None:
    client = board
    with client.http.stream("GET", "api/openapi.json", headers={"Accept-Encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == "gzip"
        assert "Accept-Encoding" in answer.headers["vary"]
    plain = client.http.get("api/openapi.json", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(raw) == plain.content


def test_the_api_describes_itself(board: Any) -> None:
    """Every route is in the OpenAPI document and on the readable page, and in docs/reference/http-api.md."""
    from milepost.board.app import DOORS

    client = board
    document = client.http.get("api/openapi.json").json()
    page = client.http.get("api/").text
    reference = (Path(__file__).parents[2] / "docs" / "reference" / "http-api.md").read_text()
    assert document["openapi"].startswith("3.")
    for door in DOORS:
        assert door.method.lower() in document["paths"][door.path]
        assert door.path.lstrip("/").split("{")[0] in page
        assert door.path.lstrip("/").split("{")[0] in reference
    names = {d["operationId"] for methods in document["paths"].values() for d in methods.values()}
    assert len(names) == len(DOORS)


def test_every_handler_is_where_the_table_says() -> None:
    import importlib

    from milepost.board.app import DOORS

    for door in DOORS:
        module, _, name = door.handler.partition(":")
        assert callable(getattr(importlib.import_module(f"milepost.board.{module}"), name)), door.path

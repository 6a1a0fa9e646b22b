"""Who may ask, and what may be reached: token on every route, host names, foreign pages, paths outside the logdir, text that stays text."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from milepost.board.app import DOORS
from milepost.board.http.security import CONTENT_SECURITY_POLICY, Gate, allowed_hosts
from milepost.testing.logs import scalar_event, write_events

Serve = Callable[..., Any]
TOKEN = "s3cret-token"
EVERY = [(d.method, d.path.replace("{id}", "abc")) for d in DOORS] + [
    ("GET", "/api/events"), ("GET", "/api/openapi.json"), ("GET", "/api/"), ("GET", "/"), ("GET", "/index.html"), ("GET", "/assets/x.js"), ("GET", "/api/nothing"), ("GET", "/%2e%2e/x"),
]  # fmt: skip


def raw(client: Any, method: str, path: str, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
    """A request exactly as written: no library tidies the path or adds a header."""
    connection = http.client.HTTPConnection("127.0.0.1", client.server.port, timeout=10)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()}
    finally:
        connection.close()


@pytest.mark.parametrize(("method", "path"), EVERY)
def test_every_route_wants_the_token(locked: Any, method: str, path: str) -> None:
    host = f"localhost:{locked.server.port}"
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"X-Milepost-Token": ""},
        {"Cookie": "milepost_token=wrong"},
    ):
        status, body, _ = raw(locked, method, path, {"Host": host, "X-Milepost": "1", **headers})
        assert status == 401
        assert json.loads(body)["error"]["code"] == "unauthorized"
    assert raw(locked, method, f"{path}?token=wrong", {"Host": host})[0] == 401


def test_each_way_to_give_the_token_works(locked: Any) -> None:
    host = f"localhost:{locked.server.port}"
    for headers in (
        {"Authorization": f"Bearer {TOKEN}"},
        {"X-Milepost-Token": TOKEN},
        {"Cookie": f"a=b; milepost_token={TOKEN}"},
    ):
        assert raw(locked, "GET", "/api/info", {"Host": host, **headers})[0] == 200
    assert raw(locked, "GET", f"/api/info?token={TOKEN}", {"Host": host})[0] == 200


def test_the_page_takes_the_token_once_and_hides_it(locked: Any) -> None:
    """?token= becomes a cookie that no script reads, and goes out of the address."""
    with httpx.Client(base_url=f"http://localhost:{locked.server.port}") as browser:
        answer = browser.get("/", params={"token": TOKEN, "x": "step"})
        assert answer.status_code == 303
        assert answer.headers["location"] == "/?x=step"
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert browser.get("/api/info").status_code == 200


@pytest.mark.parametrize(
    ("host", "fine"),
    [
        ("localhost:PORT", True), ("127.0.0.1:PORT", True), ("[::1]:PORT", True), ("LOCALHOST:PORT", True), ("localhost.:PORT", True),
        ("evil.example:PORT", False), ("localhost.evil.example:PORT", False), ("127.0.0.1.evil.example", False), ("192.168.1.7:PORT", False),
        ("", False), ("localhost:x", False), ("[::1", False), ("localhost@evil.example", False), ("evil.example#localhost", False),
    ],
)  # fmt: skip
def test_only_its_own_host_names(board: Any, host: str, fine: bool) -> None:
    """A page that rebinds its DNS name to this machine sends its own name as Host, and gets nothing."""
    status, _, _ = raw(board, "GET", "/api/runs", {"Host": host.replace("PORT", str(board.server.port))})
    assert (status == 200) is fine
    assert status in (200, 400, 403)


def test_bound_to_all_any_address_but_no_foreign_name() -> None:
    gate = Gate(None, allowed_hosts("localhost", bind_all=True), any_address=True)  # type: ignore[arg-type]
    assert gate.host_allowed("192.168.1.7:6006")
    assert gate.host_allowed("[fe80::1]:6006")
    assert not gate.host_allowed("evil.example")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"X-Milepost": None},
    ],
)
def test_writes_from_another_page_are_refused(tmp_path: Path, serve: Serve, headers: dict[str, str | None]) -> None:
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    client = serve(tmp_path)
    wanted = {
        "Host": f"localhost:{client.server.port}",
        "X-Milepost": "1",
        "Content-Type": "application/json",
    } | headers
    sent = {k: v for k, v in wanted.items() if v is not None}
    for method, path in (("PATCH", "/api/runs"), ("POST", "/api/refresh"), ("POST", "/api/series")):
        status, body, _ = raw(client, method, path, sent)
        assert (status, json.loads(body)["error"]["code"]) == (403, "forbidden")
    assert not (tmp_path / ".milepost").exists()


def test_the_boards_own_page_may_write(tmp_path: Path, serve: Serve) -> None:
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    client = serve(tmp_path)
    own = {"Origin": f"http://localhost:{client.server.port}", "Sec-Fetch-Site": "same-origin"}
    assert client.http.patch("api/runs", json={"runs": ["."], "set": {"note": "n"}}, headers=own).status_code == 200


def test_no_other_origin_may_read(board: Any) -> None:
    """No CORS header, whoever asks: a foreign page's script never sees an answer."""
    for method in ("GET", "OPTIONS"):
        _, _, headers = raw(
            board,
            method,
            "/api/runs",
            {
                "Host": f"localhost:{board.server.port}",
                "Origin": "http://evil.example",
                "Access-Control-Request-Method": "GET",
            },
        )
        assert not any(name.startswith("access-control") for name in headers)
        assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("path", ["/", "/api/info", "/api/nothing", "/api/", "/nothing"])
def test_every_answer_has_the_strict_headers(board: Any, path: str) -> None:
    headers = board.http.get(path).headers
    assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert "server" not in headers


SECRET = "the-secret-outside"
ESCAPES = [
    "/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/%2e%2e%2fsecret.txt", "/assets/../../secret.txt", "/assets/..%5c..%5csecret.txt",
    "//etc/passwd", "/etc/passwd", "/assets//etc/passwd", "/%00/secret.txt", "/..;/secret.txt", "/....//secret.txt", "/static/../../../secret.txt", "/assets/%c0%ae%c0%ae/secret.txt",
]  # fmt: skip


@pytest.fixture(scope="module")
def beside_a_secret(tmp_path_factory: pytest.TempPathFactory, serve_once: Serve) -> Any:
    """A board on a logdir whose neighbour nobody may read."""
    folder = tmp_path_factory.mktemp("outside")
    (folder / "secret.txt").write_text(SECRET)
    (folder / "secret.txt.index").write_text(SECRET)
    write_events(folder / "logs" / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    return serve_once(folder / "logs")


@pytest.mark.parametrize("path", ESCAPES)
def test_no_path_leads_outside(beside_a_secret: Any, path: str) -> None:
    client = beside_a_secret
    status, body, _ = raw(client, "GET", path, {"Host": f"localhost:{client.server.port}"})
    assert status in (400, 404)
    assert SECRET.encode() not in body
    assert b"root:" not in body


@pytest.mark.parametrize(
    "value", ["../secret.txt", "..", "/etc/passwd", "%2e%2e/secret.txt", "a/../../secret.txt", "\0", "ckpt\0"]
)
def test_no_parameter_is_a_path(beside_a_secret: Any, value: str) -> None:
    """Runs, tags, checkpoint ids, profile names are looked up in what was found; none is ever opened."""
    client = beside_a_secret
    for path, names in (
        ("api/images", ("run", "tag")), ("api/export", ("run",)), ("api/checkpoint", ("id",)), ("api/capture", ("id",)), ("api/capture/file", ("id", "file")), ("api/graph", ("run", "tag")),
    ):  # fmt: skip
        answer = client.http.get(path, params=dict.fromkeys(names, value))
        assert answer.status_code == 404
        assert SECRET not in answer.text
    header, _ = client.series(lines=[[value, value]])
    assert header["missing"] == [[value, value]]


def test_a_link_does_not_lend_out_files_beyond_the_logdir(tmp_path: Path, serve: Serve) -> None:
    """A profile that is a symbolic link to a file elsewhere is not served."""
    outside = tmp_path / "outside.trace.json"
    outside.write_text(SECRET)
    logdir = tmp_path / "logs"
    write_events(logdir / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    folder = logdir / "plugins" / "profile" / "now"
    folder.mkdir(parents=True)
    (folder / "host.trace.json").symlink_to(outside)
    (folder / "own.trace.json").write_text("{}")
    client = serve(logdir)
    listed = client.get("api/captures")["captures"]
    assert [name for one in listed for name in one["files"]] == ["own.trace.json"]
    assert client.http.get("api/capture/file", params={"id": "plugins/profile/now/host.trace.json"}).status_code == 404
    assert (
        client.http.get("api/capture/file", params={"id": listed[0]["id"], "file": "host.trace.json"}).status_code
        == 404
    )
    good = client.http.get("api/capture/file", params={"id": listed[0]["id"]})
    assert (good.status_code, good.text) == (200, "{}")
    assert good.headers["content-disposition"].startswith("attachment")


def test_tags_and_notes_with_markup_stay_text(tmp_path: Path, serve: Serve) -> None:
    """Nothing a log or a person wrote can end the block it is embedded in."""
    evil = "</script><script>alert(1)</script><!--"
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event(evil, 0, 1.0)])
    client = serve(tmp_path)
    client.http.patch("api/runs", json={"runs": ["."], "set": {"note": evil, "name": evil, "labels": [evil]}})
    run = client.get("api/runs")["runs"][0]
    assert (run["note"], run["name"], run["labels"]) == (evil, evil, [evil])
    assert client.http.get("api/runs").headers["content-type"] == "application/json"
    from milepost.board.http.page import in_script

    page = in_script(json.dumps({"note": evil}).encode())
    assert "<" not in page
    assert json.loads(page) == {"note": evil}

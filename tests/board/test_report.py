"""`milepost runs report`: one file that needs nothing else, opened in a real browser."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from milepost.board.http.page import Page
from milepost.board.report import address, write_report
from milepost.board.series.frame import unpack
from milepost.cli.main import run as command

built = pytest.mark.skipif(not Page().built, reason="the page is not built here: `make web`")


def data_in(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="milepost-report">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_addresses_are_spelled_as_the_page_spells_them() -> None:
    assert address("api/images", tag="a b/é&", run="x") == "api/images?run=x&tag=a%20b%2F%C3%A9%26"


@built
def test_a_report_holds_every_point_and_every_picture(everything: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    made = write_report(str(everything), out)
    assert made["runs"] == 4
    text = out.read_text()
    data = data_in(text)
    assert data["format"] == 1
    header, column = unpack(base64.b64decode(data["series"]))
    lines = {(n["run"], n["tag"]): n for n in header["lines"]}
    assert column(lines["seed-1", "train/loss"]["y"]).tolist()[:2] == [10, 5]
    assert len(column(lines["seed-1", "train/loss"]["w"])) == 100
    item = data["responses"]["api/images?run=seed-1&tag=digits"]["items"][0][0]
    assert data["blobs"][item["blob"]].startswith("data:image/png;base64,")
    frame, _ = unpack(base64.b64decode(data["responses"]["api/histograms?max_steps=60&run=seed-1&tag=weights"]))
    assert frame["count"] == 2
    assert {
        "api/info",
        "api/runs",
        "api/tags",
        "api/hparams",
        "api/checkpoints",
        "api/graphs",
        "api/custom_scalars",
    } <= set(data["responses"])
    assert "'unsafe-inline'" not in text.split("script-src", 1)[1].split(";", 1)[0], "scripts run by their hash alone"
    assert str(everything) not in text, "a report tells nobody where its logs lie"


@built
def test_a_report_of_some_runs(everything: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.html"
    assert (
        command(
            ["runs", "report", str(everything), "-o", str(out), "--run", "seed-*", "--max-media-mb", "0"], debug=False
        )
        == 0
    )
    data = data_in(out.read_text())
    assert [r["id"] for r in data["responses"]["api/runs"]["runs"]] == ["seed-1", "seed-2"]
    assert data["responses"]["api/tags"]["runs"] == ["seed-1", "seed-2"]
    assert data["blobs"] == {}
    assert "left out" in data["responses"]["api/images?run=seed-1&tag=digits"]["items"][0][0]["error"]


def test_nothing_to_report_on_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["runs", "report", str(tmp_path / "absent"), "-o", str(tmp_path / "r.html")], debug=False) == 1
    assert "no such directory" in capsys.readouterr().err
    assert not (tmp_path / "r.html").exists()


@built
@pytest.mark.browser
def test_a_report_opens_without_a_server_and_asks_nobody(chromium: Any, everything: Path, tmp_path: Path) -> None:
    """Charts are drawn from the file alone; every page of it opens; no error, no request."""
    out = tmp_path / "report.html"
    write_report(str(everything), out)
    page = chromium.new_page()
    asked, faults = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    page.goto(out.as_uri())
    page.wait_for_selector("canvas", timeout=15_000)
    for name in ("Images", "Audio", "Text", "Histograms", "Distributions", "HParams", "PR curves", "Runs", "Scalars"):
        page.get_by_role("link", name=name, exact=True).first.click()
        page.wait_for_timeout(150)
    page.wait_for_selector("canvas", timeout=15_000)
    page.close()
    assert faults == []
    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [out.as_uri()]


@built
def test_a_report_offers_no_page_it_does_not_hold(tmp_path: Path) -> None:
    """Meshes and embeddings stay with the board: a report has neither their tags nor their tabs."""
    import numpy as np

    from milepost import summary

    writer = summary.create_file_writer(str(tmp_path / "logs" / "run"))
    with writer.as_default():
        summary.scalar("x", 1.0, step=0)
        summary.mesh("m", np.zeros((1, 4, 3), np.float32), step=0)
        summary.embedding(np.eye(3, dtype=np.float32), step=0)
    writer.close()
    write_report(str(tmp_path / "logs"), tmp_path / "r.html")
    answers = data_in((tmp_path / "r.html").read_text())["responses"]
    assert answers["api/info"]["plugins"] == {"scalars": 1}
    assert list(answers["api/tags"]["plugins"]) == ["scalars"]
    assert answers["api/info"]["embeddings"] == 0

"""api/series: every number on a chart is the log's own, however it is cut, smoothed or joined."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost.testing.logs import scalar_event, write_events

Serve = Callable[..., Any]


def tensorboard_ema(values: Any, weight: float) -> list[float]:
    """The debiased average TensorBoard's page draws, written from its definition."""
    last, out = 0.0, []
    for count, value in enumerate(values, 1):
        last = last * weight + (1 - weight) * value
        out.append(last / (1 - weight**count))
    return out


@pytest.fixture(scope="module")
def spiky(tmp_path_factory: pytest.TempPathFactory, serve_once: Serve) -> Any:
    """A board on 20 000 quiet points with one spike."""
    root = tmp_path_factory.mktemp("spiky")
    values = np.sin(np.arange(20_000) / 500).astype(np.float32)
    values[12_345] = 50
    write_events(
        root / "run" / "events.out.tfevents.1.h",
        [scalar_event("y", s, float(v), 1e9 + s / 10) for s, v in enumerate(values)],
    )
    return serve_once(root)


def test_small_series_come_exactly(board: Any) -> None:
    x, y, line = board.line("seed-1", "train/loss")
    assert x.tolist() == list(range(100))
    assert y.dtype == np.float32
    assert y.tolist() == [np.float32(10 / (s + 1)) for s in range(100)]
    assert (line["total"], line["shown"], line["domain"]) == (100, 100, [0, 99])
    assert line["extent"] == [pytest.approx(0.1), 10]
    assert line["badge"] == {
        "read": 100,
        "dropped": 0,
        "purged": 0,
        "nan": 0,
        "inf": 0,
        "truncated": None,
        "restarts": [],
        "bad_records": 0,
    }


@pytest.mark.parametrize("smooth", ["none", "ema", "gaussian"])
@pytest.mark.parametrize("width", [20, 300])
def test_a_spike_is_drawn_at_any_width_smoothed_or_not(spiky: Any, width: int, smooth: str) -> None:
    x, y, line = spiky.line("run", "y", width=width, smooth={"kind": smooth, "weight": 0.9})
    assert len(x) <= 4 * width + 2
    assert 12_345 in x
    assert y.max() == 50
    assert line["extent"][1] == 50
    assert (np.diff(x) > 0).all()


def test_a_zoom_shows_every_point_and_one_beyond_each_side(spiky: Any) -> None:
    x, _, line = spiky.line("run", "y", range=[12_300, 12_400], width=600)
    assert x.tolist() == list(range(12_299, 12_402))
    assert line["shown"] == 101
    assert line["extent"][1] == 50


def test_all_points_on_request(spiky: Any) -> None:
    x, _, _ = spiky.line("run", "y", width=0)
    assert len(x) == 20_000


def test_smoothing_is_tensorboards_and_sees_all_points(spiky: Any) -> None:
    """The smoothed value of a drawn point does not depend on how many points are drawn."""
    client = spiky
    header, column = client.series(lines=[["run", "y"]], width=0, smooth={"kind": "ema", "weight": 0.95})
    line = header["lines"][0]
    whole = dict(zip(column(line["x"]), column(line["s"]), strict=True))
    expected = tensorboard_ema(column(line["y"]).astype(float), 0.95)
    np.testing.assert_allclose(list(whole.values()), expected, rtol=1e-5, atol=1e-5)
    header, column = client.series(lines=[["run", "y"]], width=50, smooth={"kind": "ema", "weight": 0.95})
    line = header["lines"][0]
    for step, value in zip(column(line["x"]), column(line["s"]), strict=True):
        assert value == whole[step]


@pytest.mark.parametrize(("axis", "first", "gap"), [("step", 0, 1), ("wall", 1e9, 0.1), ("relative", None, 0.1)])
def test_axes(spiky: Any, axis: str, first: float | None, gap: float) -> None:
    x, _, _ = spiky.line("run", "y", x=axis, range=None, width=0)
    assert x[1] - x[0] == pytest.approx(gap, abs=1e-6)
    if first is not None:
        assert x[0] == first


def test_another_metric_on_x(board: Any) -> None:
    x, y, _ = board.line("seed-1", "train/loss", x={"metric": "train/accuracy"})
    np.testing.assert_allclose(x, np.arange(100, dtype=np.float32) / np.float32(100), rtol=1e-6)
    assert len(y) == 100
    header, _ = board.series(lines=[["seed-1", "train/loss"]], x={"metric": "absent"})
    assert header["missing"] == [["seed-1", "absent"]]


def test_numbers_that_are_none_are_marked_apart(board: Any) -> None:
    header, column = board.series(lines=[["odd", "v"]])
    line = header["lines"][0]
    assert column(line["y"]).tolist() == [1, 2, 3]
    assert dict(zip(column(line["bad"]["x"]).tolist(), column(line["bad"]["kind"]).tolist(), strict=True)) == {
        0: 0,
        2: 1,
        4: 2,
    }
    assert (line["badge"]["nan"], line["badge"]["inf"]) == (1, 2)


def test_restarts_three_ways(board: Any) -> None:
    x, y, line = board.line("restarted", "loss")
    assert x.tolist() == list(range(12))
    assert y.tolist() == [0, 1, 2, 3, 4, *range(105, 112)]
    assert line["badge"]["purged"] == 5
    assert line["badge"]["restarts"] == [5]
    x, _, _ = board.line("restarted", "loss", restarts="all")
    assert x.tolist() == [*range(10), *range(5, 12)]
    header, column = board.series(lines=[["restarted", "loss"]], restarts="split")
    assert [column(part["x"]).tolist() for part in header["lines"]] == [list(range(10)), list(range(5, 12))]
    assert [part["segment"] for part in header["lines"]] == [0, 1]


def test_groups_are_one_line_with_a_band(board: Any) -> None:
    group = {"id": "seeds", "runs": ["seed-1", "seed-2", "absent"], "tags": ["train/loss"]}
    header, column = board.series(groups=[group], aggregate={"line": "mean", "band": "minmax"})
    line = header["lines"][0]
    assert (line["group"], line["n"]) == ("seeds", 2)
    one, two = 10 / (np.arange(100) + 1), 10 / (np.arange(100) + 2)
    np.testing.assert_allclose(column(line["y"]), (one + two) / 2, rtol=1e-6)
    np.testing.assert_allclose(column(line["lo"]), two, rtol=1e-6)
    np.testing.assert_allclose(column(line["hi"]), one, rtol=1e-6)
    header, _ = board.series(groups=[group], aggregate={"band": "none"}, smooth={"kind": "ema", "weight": 0.5})
    assert "lo" not in header["lines"][0]
    assert "s" in header["lines"][0]


def test_many_lines_in_one_answer(board: Any) -> None:
    """Every pair of runs and tags that exists, tag by tag, all columns inside the frame."""
    header, column = board.series(
        runs=["seed-1", "seed-2", "odd"],
        tags=["train/loss", "train/accuracy", "v"],
        width=50,
        wall=True,
        outliers=[0.05, 0.95],
    )
    assert [(n["tag"], n["run"]) for n in header["lines"]] == [
        ("train/loss", "seed-1"), ("train/loss", "seed-2"), ("train/accuracy", "seed-1"), ("train/accuracy", "seed-2"), ("v", "odd"),
    ]  # fmt: skip
    for line in header["lines"]:
        assert len(column(line["x"])) == len(column(line["y"])) == len(column(line["w"]))
        assert line["q"][0] <= line["q"][1]
        assert line["y"][1] % 8 == 0
    assert header["missing"] == []


def test_each_line_may_have_its_own_range(board: Any) -> None:
    header, column = board.series(lines=[["seed-1", "train/loss"], ["seed-2", "train/loss"]], ranges=[[0, 10], None])
    assert [len(column(line["x"])) for line in header["lines"]] == [12, 100]


def test_what_is_known_is_not_sent_again(tmp_path: Path, serve: Serve) -> None:
    path = write_events(
        tmp_path / "events.out.tfevents.1.h", [scalar_event(tag, s, 1.0) for s in range(5) for tag in "ab"]
    )
    client = serve(tmp_path)
    lines = [[".", "a"], [".", "b"]]
    header, _ = client.series(lines=lines)
    known = [line["v"] for line in header["lines"]]
    header, _ = client.series(lines=lines, known=known)
    assert all(line["same"] and "x" not in line for line in header["lines"])
    with path.open("ab") as file:
        file.write(scalar_event("b", 5, 2.0))
    client.http.post("api/refresh")
    header, column = client.series(lines=lines, known=known)
    assert header["lines"][0]["same"] is True
    assert column(header["lines"][1]["y"]).tolist() == [1, 1, 1, 1, 1, 2]


def test_a_cut_file_is_told_in_the_badge(tmp_path: Path, serve: Serve) -> None:
    path = write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("a", s, 1.0) for s in range(5)])
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    _, y, line = serve(tmp_path).line(".", "a")
    assert len(y) == 4
    assert line["badge"]["truncated"]["file"] == path.name
    assert line["badge"]["truncated"]["byte"] < len(whole)


def test_a_flipped_bit_is_told_in_the_badge(tmp_path: Path, serve: Serve) -> None:
    path = write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("a", s, 1.0) for s in range(20)])
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    _, y, line = serve(tmp_path).line(".", "a")
    assert len(y) == 19
    assert line["badge"]["dropped"] == 1


def test_steps_too_large_for_32_bits_stay_exact(tmp_path: Path, serve: Serve) -> None:
    steps = [0, 2**33, 2**52]
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("a", s, 1.0) for s in steps])
    x, _, _ = serve(tmp_path).line(".", "a")
    assert x.tolist() == steps


@pytest.fixture(scope="module")
def plain_runs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Live logs of runs with the same steps, with others, with doubles, with one point."""
    from milepost.board.live import Live
    from milepost.board.options import Options
    from milepost.testing.logs import tensor_event

    root = tmp_path_factory.mktemp("plain")
    noise = np.random.default_rng(4)
    for name, steps in {
        "a": range(900), "b": range(900), "c": range(5, 40_000_000, 50_001), "d": sorted(noise.integers(-50, 4000, 700).tolist()), "e": [7], "f": [2**40, 2**41],
    }.items():  # fmt: skip
        make = tensor_event if name == "b" else scalar_event
        events = [make("y", step, float(noise.normal()), 1e9 + k) for k, step in enumerate(steps)]
        write_events(root / name / "events.out.tfevents.1.h", events)
    live = Live(Options(roots=(("", str(root)),), reload_interval=0))
    live.load()
    return live


@pytest.mark.parametrize("smooth", ["none", "ema"])
@pytest.mark.parametrize("width", [0, 20, 100, 300])
@pytest.mark.parametrize("span", [None, [100, 500], [100.5, 100.7], [None, 3], [-1e18, 1e18], [5_000_000_000, None]])
def test_the_quick_way_draws_what_the_general_way_draws(
    plain_runs: Any, monkeypatch: pytest.MonkeyPatch, span: Any, width: int, smooth: str
) -> None:
    """Lines without restarts and NaN take a shorter way to the same columns and figures."""
    import json

    from milepost.board.series import lines
    from milepost.board.series.ask import parse
    from milepost.board.series.frame import unpack

    body = {
        "lines": [[run, "y"] for run in "abcdef"],
        "width": width,
        "range": span,
        "smooth": {"kind": smooth},
        "wall": True,
    }
    ask = parse(json.dumps(body).encode())

    def answer() -> Any:
        header, column = unpack(lines.pack(plain_runs, ask))
        return [
            {k: column(v).tolist() if k in "xysw" else v for k, v in line.items() if k != "bad"}
            for line in header["lines"]
        ]

    quick = answer()
    monkeypatch.setattr("milepost.board.series.plain.Plain.takes", lambda self, part: False)
    general = answer()
    assert quick == general

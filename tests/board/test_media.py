"""Media: read when looked at, the log's own numbers, and nothing hostile gets through."""

from __future__ import annotations

import io
import json
import struct
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from milepost.board.media.numbers import PERCENTS, percentiles
from milepost.formats.event import Audio as AudioProto
from milepost.formats.event import Image as ImageProto
from milepost.formats.event import SummaryValue
from milepost.formats.graphdef import AttrValue, GraphDef, NodeDef
from milepost.store import Histogram
from milepost.testing.logs import value_event, write_events

Serve = Callable[..., Any]


def png(size: tuple[int, int] = (8, 6), colour: tuple[int, int, int] = (200, 30, 30)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, "PNG")
    return out.getvalue()


def image_event(tag: str, data: bytes, step: int = 0, size: tuple[int, int] = (8, 6)) -> bytes:
    return value_event(
        SummaryValue(tag=tag, image=ImageProto(width=size[0], height=size[1], colorspace=3, encoded=data)), step
    )


def audio_event(tag: str, data: bytes, step: int = 0) -> bytes:
    return value_event(
        SummaryValue(
            tag=tag,
            audio=AudioProto(
                sample_rate=8000, num_channels=1, length_frames=10, encoded=data, content_type="audio/wav"
            ),
        ),
        step,
    )


def test_images_of_all_steps(board: Any) -> None:
    data = board.get("api/images", run="seed-1", tag="digits")
    assert (data["count"], data["step"]) == (2, [0, 50])
    assert [len(items) for items in data["items"]] == [2, 2]
    item = data["items"][0][0]
    assert (item["width"], item["height"], item["type"]) == (8, 6, "image/png")
    answer = board.http.get(f"api/blob/{item['blob']}")
    assert answer.headers["content-type"] == "image/png"
    assert len(answer.content) == item["bytes"]
    assert "immutable" in answer.headers["cache-control"]
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert Image.open(io.BytesIO(answer.content)).size == (8, 6)
    part = board.get("api/images", run="seed-1", tag="digits", offset=1, limit=1)
    assert (part["count"], part["offset"], part["step"]) == (2, 1, [50])


def test_audio_and_its_ranges(board: Any) -> None:
    item = board.get("api/audio", run="seed-1", tag="tone")["items"][1][0]
    assert (item["rate"], item["channels"], item["seconds"], item["type"]) == (8000, 1, 0.1, "audio/wav")
    whole = board.http.get(f"api/blob/{item['blob']}").content
    assert whole[:4] == b"RIFF"
    for asked, start, stop in (
        ("bytes=0-3", 0, 4),
        ("bytes=10-", 10, len(whole)),
        ("bytes=-5", len(whole) - 5, len(whole)),
    ):
        answer = board.http.get(f"api/blob/{item['blob']}", headers={"Range": asked})
        assert answer.status_code == 206
        assert answer.content == whole[start:stop]
        assert answer.headers["content-range"] == f"bytes {start}-{stop - 1}/{len(whole)}"
    assert board.http.get(f"api/blob/{item['blob']}", headers={"Range": f"bytes={len(whole)}-"}).status_code == 416


def test_text_comes_as_logged(board: Any) -> None:
    data = board.get("api/text", run="seed-1", tag="notes")
    assert data["text"][1]["values"] == ["**step** 50 <script>alert(1)</script>"]


def test_histograms_as_columns(board: Any) -> None:
    header, column = board.frame("api/histograms", run="seed-1", tag="weights")
    columns = {name: column(ref) for name, ref in header["columns"].items()}
    assert columns["step"].tolist() == [0, 50]
    assert columns["start"].tolist() == [0, 30, 60]
    assert columns["n"][:30].sum() == 1000
    assert (columns["left"] <= columns["right"]).all()
    header, column = board.frame("api/histograms", run="seed-1", tag="weights", max_steps=1)
    assert header["count"] == 2
    assert len(column(header["columns"]["step"])) == 1


def test_distributions_are_percentiles(board: Any) -> None:
    header, column = board.frame("api/distributions", run="seed-1", tag="weights")
    table = np.array([column(header["columns"][f"p{k}"]) for k in range(9)])
    assert header["percents"] == list(PERCENTS)
    assert (np.diff(table, axis=0) >= 0).all()
    # samples of a normal distribution around the step: the median lies there, the ±1 σ bands one away
    np.testing.assert_allclose(table[4], [0, 50], atol=0.2)
    np.testing.assert_allclose(table[6] - table[4], 1, atol=0.25)


def test_percentiles_pass_over_empty_buckets() -> None:
    """By hand on three buckets of [0, 3]; the ends are the histogram's own."""
    edges = np.arange(4.0)
    got = percentiles(Histogram(edges[:-1], edges[1:], np.array([1.0, 0.0, 1.0])))
    np.testing.assert_allclose(got, [0, 0.1336, 0.3174, 0.617, 2, 2.383, 2.6826, 2.8664, 3], atol=1e-3)
    assert percentiles(Histogram(edges[:-1], edges[1:], np.zeros(3))).tolist() == [0.0] * 9


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.floats(-100, 100), st.floats(0.01, 10))
def test_percentiles_are_tensorboards(counts: list[int], low: float, width: float) -> None:
    """The same numbers as TensorBoard's distributions page, for any histogram."""
    from tensorboard.plugins.distribution import compressor

    edges = low + width * np.arange(len(counts) + 1)
    buckets = np.stack([edges[:-1], edges[1:], np.array(counts, float)], axis=1)
    theirs = [pair[1] for pair in compressor.compress_histogram(buckets)]
    mine = percentiles(Histogram(*buckets.T))
    np.testing.assert_allclose(mine, theirs if sum(counts) else np.zeros(9), rtol=1e-6, atol=1e-6)


def test_pr_curves(board: Any) -> None:
    curve = board.get("api/pr_curves", run="seed-1", tag="pr")["curves"][0]
    assert len(curve["precision"]) == len(curve["thresholds"]) == len(curve["tp"])
    tp, fp = np.array(curve["tp"]), np.array(curve["fp"])
    np.testing.assert_allclose(curve["precision"], tp / np.maximum(tp + fp, 1e-9), atol=1e-4)


def test_meshes_as_blobs(board: Any) -> None:
    tags = [t["tag"] for t in board.get("api/tags", plugin="meshes")["plugins"]["meshes"]]
    data = board.get("api/meshes", run="seed-1", tag=tags[0])
    item = data["items"][0][0]
    assert (item["n_vertices"], item["n_faces"]) == (8, 12)
    assert len(board.http.get(f"api/blob/{item['vertices']}").content) == 8 * 3 * 4
    faces = np.frombuffer(board.http.get(f"api/blob/{item['faces']}").content, "<u4")
    assert faces.max() < 8
    assert len(board.http.get(f"api/blob/{item['colours']}").content) == 8 * 3


def test_layouts_of_all_runs_are_merged(board: Any) -> None:
    assert board.get("api/custom_scalars")["categories"] == [
        {
            "title": "both",
            "closed": False,
            "charts": [
                {
                    "title": "loss and accuracy",
                    "kind": "multiline",
                    "tags": ["train/loss", "train/accuracy"],
                    "series": [],
                }
            ],
        }
    ]


def test_an_op_graph_as_columns(tmp_path: Path, serve: Serve) -> None:
    from milepost.formats.event import Event
    from milepost.formats.record import frame

    nodes = [
        NodeDef(name="a/x", op="Placeholder", attr={"dtype": AttrValue(type=1)}),
        NodeDef(name="a/y", op="MatMul", input=["a/x:0", "^b", "absent"], device="/cpu:0"),
        NodeDef(name="b", op="NoOp"),
    ]
    write_events(
        tmp_path / "events.out.tfevents.1.h",
        [frame(Event(wall_time=1.0, graph_def=GraphDef(node=nodes).encode()).encode())],
    )
    client = serve(tmp_path)
    listed = client.get("api/graphs")["graphs"]
    assert [(g["run"], g["tag"], g["kind"]) for g in listed] == [(".", "__run_graph__", "op")]
    graph = client.get("api/graph", run=".", tag="__run_graph__")
    assert graph["name"] == ["a/x", "a/y", "b"]
    assert graph["attrs"][0] == {"dtype": "float32"}
    assert graph["edges"] == {"from": [0, 2], "to": [1, 1], "control": [False, True], "label": ["", ""]}


def test_a_keras_graph_of_either_form() -> None:
    from milepost.board.media.graphs import columns, keras_nodes

    sequential = {
        "class_name": "Sequential",
        "config": {
            "layers": [
                {"class_name": "Dense", "config": {"name": "d1", "units": 4}},
                {"class_name": "Dense", "config": {"name": "d2"}},
            ]
        },
    }
    graph = columns("keras", keras_nodes(json.dumps(sequential).encode()))
    assert (graph["name"], graph["edges"]["from"], graph["edges"]["to"]) == (["d1", "d2"], [0], [1])
    tensor = {"class_name": "__keras_tensor__", "config": {"shape": [None, 3], "keras_history": ["in", 0, 0]}}
    functional = {
        "class_name": "Functional",
        "config": {"layers": [
            {"class_name": "InputLayer", "name": "in", "config": {"name": "in", "batch_shape": [None, 3]}, "inbound_nodes": []},
            {"class_name": "Dense", "name": "d", "config": {"name": "d"}, "inbound_nodes": [{"args": [tensor], "kwargs": {}}]},
            {"class_name": "Add", "name": "add", "config": {"name": "add"}, "inbound_nodes": [[["in", 0, 0, {}], ["d", 0, 0, {}]]]},
        ]},
    }  # fmt: skip
    graph = columns("keras", keras_nodes(json.dumps(functional).encode()))
    assert list(zip(graph["edges"]["from"], graph["edges"]["to"], strict=True)) == [(0, 1), (0, 2), (1, 2)]
    assert graph["edges"]["label"][0] == "?×3"


def test_five_thousand_nodes_are_quick(tmp_path: Path, serve: Serve) -> None:
    from milepost.formats.event import Event
    from milepost.formats.record import frame

    nodes = [
        NodeDef(name=f"block{i // 100}/op{i}", op="Relu", input=[f"block{(i - 1) // 100}/op{i - 1}"] if i else [])
        for i in range(5000)
    ]
    write_events(
        tmp_path / "events.out.tfevents.1.h",
        [frame(Event(wall_time=1.0, graph_def=GraphDef(node=nodes).encode()).encode())],
    )
    client = serve(tmp_path)
    began = time.perf_counter()
    graph = client.get("api/graph", run=".", tag="__run_graph__")
    assert time.perf_counter() - began < 1.0
    assert (graph["count"], len(graph["edges"]["from"])) == (5000, 4999)


# -- hostile -----------------------------------------------------------------------------------------------------------


def bomb(width: int, height: int, data: bytes) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", data)
        + chunk(b"IEND", b"")
    )


HOSTILE = {
    "svg": b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>',
    "html": b"<!doctype html><script>alert(1)</script>",
    "huge": bomb(50_000, 50_000, zlib.compress(b"\0" * 1000)),
    "deflate": bomb(40_000, 20_000, zlib.compress(b"\0" * 50_000_000, 9)),
    "cut": png()[:-20],
    "empty": b"",
    "zeros": b"\0" * 1000,
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hostile")
    pictures = [image_event(f"img/{name}", data) for name, data in HOSTILE.items()]
    sounds = [
        audio_event(f"snd/{name}", data)
        for name, data in {**HOSTILE, "wav": b"RIFF\xff\xff\xff\xffWAVEfmt \xff\xff\xff\x7f"}.items()
    ]
    good = image_event("good", png())
    wrong = value_event(SummaryValue(tag="no-tensor"), 0)
    write_events(root / "events.out.tfevents.1.h", [*pictures, good, *sounds, wrong])
    return root


def test_hostile_media_is_an_error_and_nothing_else(hostile: Path, serve: Serve) -> None:
    """Each hostile sample says why it is not shown; the good one beside them is."""
    client = serve(hostile)
    for kind, prefix in (("images", "img/"), ("audio", "snd/")):
        for tag in [
            t["tag"] for t in client.get("api/tags", plugin=kind)["plugins"][kind] if t["tag"].startswith(prefix)
        ]:
            data = client.get(f"api/{kind}", run=".", tag=tag)
            assert "error" in data["items"][0][0], tag
            assert "blob" not in data["items"][0][0]
    assert "blob" in client.get("api/images", run=".", tag="good")["items"][0][0]


def test_a_tag_that_changes_its_kind_is_told(tmp_path: Path, serve: Serve) -> None:
    """Pictures and sounds under one tag: the step of the other kind is an error item, not a failed request."""
    write_events(tmp_path / "events.out.tfevents.1.h", [image_event("both", png(), 0), audio_event("both", b"RIFF", 1)])
    items = serve(tmp_path).get("api/images", run=".", tag="both")["items"]
    assert "blob" in items[0][0]
    assert "not images" in items[1][0]["error"]


def test_hostile_bytes_are_not_served_even_by_their_address(hostile: Path, serve: Serve) -> None:
    """Somebody who makes up the blob id of an SVG gets an error in JSON, never the document."""
    from milepost.board.media.samples import blob_id

    client = serve(hostile)
    live = client.server.live
    for name in HOSTILE:
        record = live.media(".", "images")[f"img/{name}"].blob(0).record
        answer = client.http.get("api/blob/" + blob_id("images", ".", f"img/{name}", 0, record, 0))
        assert answer.status_code == 415, name
        assert answer.json()["error"]["code"] == "unsupported_media"
        assert b"<script" not in answer.content


def test_a_blob_whose_file_changed_is_gone(tmp_path: Path, serve: Serve) -> None:
    path = write_events(tmp_path / "events.out.tfevents.1.h", [image_event("a", png())])
    client = serve(tmp_path, reload_interval=0)
    blob = client.get("api/images", run=".", tag="a")["items"][0][0]["blob"]
    data = bytearray(path.read_bytes())
    data[-30] ^= 1
    path.write_bytes(data)
    assert client.error(f"api/blob/{blob}", status=410)["code"] == "gone"


def test_a_hostile_graph_is_an_error(tmp_path: Path, serve: Serve) -> None:
    from milepost.formats.event import Event
    from milepost.formats.record import frame

    write_events(
        tmp_path / "events.out.tfevents.1.h",
        [frame(Event(wall_time=1.0, graph_def=b"\x0a\xff\xff\xff\xff\x0f").encode())],
    )
    assert serve(tmp_path).error("api/graph?run=.&tag=__run_graph__", status=415)["code"] == "unsupported_media"


def test_deep_keras_json_does_not_exhaust_the_stack() -> None:
    from milepost.board.media.graphs import keras_nodes

    deep: Any = {"class_name": "Dense", "config": {"name": "x"}}
    for _ in range(150):
        deep = {"class_name": "Model", "config": {"name": "m", "layers": [deep]}}
    assert len(keras_nodes(json.dumps(deep).encode())) <= 25


def test_long_text_is_cut_and_says_so(tmp_path: Path, serve: Serve) -> None:
    from milepost import summary

    writer = summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        summary.text("long", "x" * 1_500_000, step=0)
    writer.close()
    item = serve(tmp_path).get("api/text", run=".", tag="long")["text"][0]
    assert item["cut"] is True
    assert len(item["values"][0]) == 1_000_000

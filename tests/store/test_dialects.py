"""Every way of writing the same thing comes out as the same thing; what cannot be understood is one clear error."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost import store
from milepost.errors import CorruptionError, FormatError, MilepostError
from milepost.formats.event import (
    Audio,
    Dim,
    Event,
    Histogram,
    Image,
    PluginData,
    Summary,
    SummaryMetadata,
    SummaryValue,
    TaggedRunMetadata,
    TensorProto,
    TensorShape,
)
from milepost.formats.plugins import HParamsPluginData, Layout, MeshPluginData, SessionStartInfo, Value
from milepost.formats.record import frame
from milepost.formats.tensor_proto import to_array
from milepost.store.media import decode
from milepost.store.series import Metadata
from milepost.testing.logs import value_event, write_events


def run_of(tmp_path: Path, *values: SummaryValue) -> store.Run:
    write_events(tmp_path / "events.out.tfevents.1.h", [value_event(v, i) for i, v in enumerate(values)])
    return store.open(tmp_path, cache=False)["."]


def metadata(plugin: str, content: bytes = b"", **more: Any) -> SummaryMetadata:
    return SummaryMetadata(plugin_data=PluginData(plugin_name=plugin, content=content), **more)


def shape(*sizes: int) -> TensorShape:
    return TensorShape(dim=[Dim(size=s) for s in sizes])


SCALARS = [
    (TensorProto(dtype=1, content=struct.pack("<f", 0.1)), np.float32(0.1), "f4"),
    (TensorProto(dtype=1, float_val=[0.1]), np.float32(0.1), "f4"),
    (TensorProto(dtype=1, shape=shape(), float_val=[2.5]), 2.5, "f4"),
    (TensorProto(dtype=1, shape=shape(1, 1), float_val=[2.5]), 2.5, "f4"),
    (TensorProto(dtype=2, content=struct.pack("<d", 0.1)), 0.1, "f8"),
    (TensorProto(dtype=2, double_val=[0.1]), 0.1, "f8"),
    (TensorProto(dtype=3, int_val=[-7]), -7, "f8"),
    (TensorProto(dtype=3, content=struct.pack("<i", -7)), -7, "f8"),
    (TensorProto(dtype=9, int64_val=[2**40]), 2**40, "f8"),
    (TensorProto(dtype=9, content=struct.pack("<q", -(2**40))), -(2**40), "f8"),
    (TensorProto(dtype=4, int_val=[200]), 200, "f4"),
    (TensorProto(dtype=6, content=b"\xff"), -1, "f4"),
    (TensorProto(dtype=5, content=struct.pack("<h", -300)), -300, "f4"),
    (TensorProto(dtype=17, content=struct.pack("<H", 65000)), 65000, "f4"),
    (TensorProto(dtype=10, bool_val=[True]), 1, "f4"),
    (TensorProto(dtype=19, half_val=[0x3E00]), 1.5, "f4"),
    (TensorProto(dtype=19, content=struct.pack("<H", 0x3E00)), 1.5, "f4"),
    (TensorProto(dtype=19, content=struct.pack("<H", 0x0001)), 2.0**-24, "f4"),
    (TensorProto(dtype=19, half_val=[0x40200000]), 2.5, "f4"),  # torch puts the bits of a float32 there
    (TensorProto(dtype=14, half_val=[0x3FC0]), 1.5, "f4"),
    (TensorProto(dtype=22, uint32_val=[2**32 - 1]), 2**32 - 1, "f8"),
    (TensorProto(dtype=23, uint64_val=[2**50]), 2**50, "f8"),
    (TensorProto(dtype=1, shape=shape()), 0.0, "f4"),
]  # fmt: skip


@pytest.mark.parametrize("with_metadata", [True, False])
@pytest.mark.parametrize(("tensor", "number", "dtype"), SCALARS)
def test_a_number_is_a_scalar_however_it_was_stored(
    tmp_path: Path, tensor: TensorProto, number: float, dtype: str, with_metadata: bool
) -> None:
    """Content or list, every type, with or without metadata; the same as the plain decoder says."""
    value = SummaryValue(tag="x", tensor=tensor, metadata=metadata("scalars") if with_metadata else None)
    series = run_of(tmp_path, value).scalars["x"]
    assert series.value.tolist() == [float(number)]
    assert series.value.dtype == np.dtype(dtype)
    assert float(to_array(tensor).reshape(-1)[0]) == float(number)


def test_floats_before_doubles_stay_what_they_were(tmp_path: Path) -> None:
    """A tag that turns to doubles becomes a float64 column; the float32 values are exact in it."""
    run = run_of(
        tmp_path, SummaryValue(tag="x", simple_value=0.1), SummaryValue(tag="x", tensor=TensorProto(dtype=2, double_val=[0.1]))
    )  # fmt: skip
    assert run.scalars["x"].value.tolist() == [float(np.float32(0.1)), 0.1]


def test_metadata_on_the_first_value_only(tmp_path: Path) -> None:
    """TF 1 drops it from the second on; the first one told counts, later ones do not."""
    tensor = TensorProto(dtype=1, float_val=[1.0])
    run = run_of(
        tmp_path,
        SummaryValue(
            tag="x", tensor=tensor, metadata=metadata("scalars", display_name="one", summary_description="*d*")
        ),
        SummaryValue(tag="x", tensor=tensor),
        SummaryValue(tag="x", tensor=tensor, metadata=metadata("scalars", display_name="two")),
    )
    assert len(run.scalars["x"]) == 3
    assert run.scalars["x"].metadata == Metadata("scalars", "one", "*d*")
    assert run.scalars.metadata("x").display_name == "one"


def test_node_name_stands_in_for_an_empty_tag(tmp_path: Path) -> None:
    """As old TensorFlow wrote it."""
    assert list(run_of(tmp_path, SummaryValue(node_name="node", simple_value=1.0)).scalars) == ["node"]


def test_a_tag_of_two_kinds_is_listed_under_both(tmp_path: Path) -> None:
    """Nothing is dropped because something else had the name first."""
    run = run_of(
        tmp_path, SummaryValue(tag="x", simple_value=1.0), SummaryValue(tag="x", image=Image(height=1, width=2, encoded=b"p"))
    )  # fmt: skip
    assert run.scalars["x"].value.tolist() == [1.0]
    assert run.images["x"][0].width == 2


def test_old_and_new_images_histograms_and_audio_are_the_same(tmp_path: Path) -> None:
    """Summary.Image and a string tensor; HistogramProto and [k, 3]; Summary.Audio and [k, 2]."""
    strings = TensorProto(dtype=7, shape=shape(3), string_val=[b"2", b"1", b"png"])
    bands = np.array([[0, 1, 3], [1, 2, 4]], np.float64)
    run = run_of(
        tmp_path,
        SummaryValue(tag="old", image=Image(height=1, width=2, encoded=b"png")),
        SummaryValue(tag="new", tensor=strings, metadata=metadata("images")),
        SummaryValue(tag="oldh", histo=Histogram(min=0, max=2, num=7, bucket_limit=[-1.0, 1.0, 2.0, 1e308], bucket=[0, 3, 4, 0])),
        SummaryValue(tag="newh", tensor=TensorProto(dtype=2, shape=shape(2, 3), content=bands.tobytes()), metadata=metadata("histograms")),
        SummaryValue(tag="olda", audio=Audio(sample_rate=8000, num_channels=1, length_frames=4, encoded=b"RIFF", content_type="audio/wav")),
        SummaryValue(tag="newa", tensor=TensorProto(dtype=7, shape=shape(1, 2), string_val=[b"RIFF", b""]), metadata=metadata("audio")),
    )  # fmt: skip
    assert run.images["old"][0] == run.images["new"][0]
    old, new = run.histograms["oldh"][0], run.histograms["newh"][0]
    for a, b in ((old.left, new.left), (old.right, new.right), (old.count, new.count)):
        assert a.tolist() == b.tolist()
    assert run.audio["olda"][0].clips[0].encoded == run.audio["newa"][0].clips[0].encoded


def test_text_hparams_meshes_layouts_and_graphs(tmp_path: Path) -> None:
    """Each plugin's sample, decoded."""
    start = HParamsPluginData(
        session_start_info=SessionStartInfo(hparams={"lr": Value(number_value=0.5), "n": Value(string_value="a")})
    )
    run = run_of(
        tmp_path,
        SummaryValue(tag="t", tensor=TensorProto(dtype=7, shape=shape(1), string_val=["gr\u00fc\u00df".encode()]), metadata=metadata("text")),
        SummaryValue(tag="_hparams_/session_start_info", metadata=metadata("hparams", start.encode())),
        SummaryValue(
            tag="m_VERTEX", tensor=TensorProto(dtype=1, shape=shape(1, 1, 3), float_val=[1, 2, 3]),
            metadata=metadata("mesh", MeshPluginData(name="m", content_type=1, json_config="{}").encode()),
        ),
        SummaryValue(tag="custom_scalars__config__", tensor=TensorProto(dtype=7, string_val=[Layout(version=3).encode()]), metadata=metadata("custom_scalars")),
        SummaryValue(tag="keras", tensor=TensorProto(dtype=7, string_val=[b"{}"]), metadata=metadata("graph_keras_model", b"1")),
        SummaryValue(tag="odd", tensor=TensorProto(dtype=1, shape=shape(2), float_val=[1, 2]), metadata=metadata("somebody's plugin")),
    )  # fmt: skip
    assert str(run.texts["t"][0]) == "grüß"
    hparams = run.hparams["_hparams_/session_start_info"][0].session_start_info.hparams
    assert {k: v.plain for k, v in hparams.items()} == {"lr": 0.5, "n": "a"}
    mesh = run.meshes["m_VERTEX"][0]
    assert (mesh.name, mesh.content, mesh.array.tolist()) == ("m", "vertex", [[[1, 2, 3]]])
    assert run.custom_scalars["custom_scalars__config__"][0].version == 3
    assert run.graphs["keras"][0].form == "keras"
    assert run.tensors["odd"][0].tolist() == [1, 2]
    assert run.tensors.metadata("odd").plugin == "somebody's plugin"


def test_graphs_that_are_events_of_their_own(tmp_path: Path) -> None:
    """graph_def, meta_graph_def and tagged run metadata."""
    events = [
        Event(wall_time=1.0, graph_def=b"graph"),
        Event(wall_time=2.0, meta_graph_def=b"meta"),
        Event(wall_time=3.0, step=1, tagged_run_metadata=TaggedRunMetadata(tag="step1", run_metadata=b"rm")),
    ]
    write_events(tmp_path / "events.out.tfevents.1.h", [frame(e.encode()) for e in events])
    graphs = store.open(tmp_path, cache=False)["."].graphs
    assert graphs["__run_graph__"][0].data == b"graph"
    assert graphs["__meta_graph__"][0].data == b"meta"
    assert (graphs["__run_metadata__"][0].tag, graphs["__run_metadata__"][0].data) == ("step1", b"rm")


def test_strings_without_metadata_are_texts(tmp_path: Path) -> None:
    """A log whose first records are lost still shows its texts."""
    run = run_of(tmp_path, SummaryValue(tag="t", tensor=TensorProto(dtype=7, string_val=[b"hi"])))
    assert str(run.texts["t"][0]) == "hi"


def test_several_values_in_one_event(tmp_path: Path) -> None:
    """One event, one step, many tags, in order."""
    values = [SummaryValue(tag=f"t{i}", simple_value=float(i)) for i in range(5)]
    write_events(
        tmp_path / "events.out.tfevents.1.h",
        [frame(Event(wall_time=1.0, step=3, summary=Summary(value=values)).encode())],
    )
    assert [s.value.tolist() for s in store.open(tmp_path, cache=False)["."].scalars.values()] == [
        [0],
        [1],
        [2],
        [3],
        [4],
    ]


def test_a_blob_whose_file_was_replaced_is_an_error_not_another_image(tmp_path: Path) -> None:
    """The record is verified again when it is read."""
    run = run_of(tmp_path, SummaryValue(tag="i", image=Image(height=1, width=1, encoded=b"one")))
    path = Path(run.files[0])
    data = bytearray(path.read_bytes())
    data[-8] ^= 1
    path.write_bytes(data)
    with pytest.raises(CorruptionError, match=r"tfevents.*byte \d+.*Refresh"):
        _ = run.images["i"][0]
    path.write_bytes(b"")
    with pytest.raises(CorruptionError, match="no longer there"):
        _ = run.images["i"][0]
    path.unlink()
    with pytest.raises(MilepostError, match="cannot be read"):
        _ = run.images["i"][0]


BAD = [
    (TensorProto(dtype=7, string_val=[b"a"]), "images", "without width and height"),
    (TensorProto(dtype=7, shape=shape(3), string_val=[b"x", b"y", b"z"]), "images", "size is no number"),
    (TensorProto(dtype=1, shape=shape(2, 2), float_val=[1.0]), "histograms", "histogram of a strange shape"),
    (TensorProto(dtype=1, shape=shape(1 << 40), float_val=[1.0]), "tensors", "larger than any summary"),
    (TensorProto(dtype=1, shape=shape(-1), float_val=[1.0]), "tensors", "unknown shape"),
    (TensorProto(dtype=1, shape=shape(3), content=b"12345678"), "tensors", "do not fit its shape"),
    (TensorProto(dtype=99), "tensors", "kind that summaries do not have"),
    (TensorProto(dtype=1, shape=shape(2), float_val=[1, 2, 3]), "tensors", "more values than"),
    (TensorProto(dtype=1, float_val=[1.0, 2.0]), "texts", "more values than"),
    (TensorProto(dtype=1, shape=shape(1), float_val=[1.0]), "texts", "numbers where strings belong"),
]  # fmt: skip


@pytest.mark.parametrize(("tensor", "kind", "words"), BAD)
def test_a_sample_that_makes_no_sense_is_one_clear_error(tensor: TensorProto, kind: str, words: str) -> None:
    """What, got, wanted."""
    with pytest.raises(FormatError, match=words):
        decode(kind, 8, SummaryValue(tag="x", tensor=tensor).encode(), Metadata())


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=120), st.sampled_from(store.KINDS[1:]), st.sampled_from([4, 5, 6, 8, 9, 104, 108]))
def test_any_bytes_decode_or_raise_a_format_error(data: bytes, kind: str, field: int) -> None:
    """Media from strangers never raise anything else."""
    try:
        decode(kind, field, data, Metadata())
    except FormatError:
        pass

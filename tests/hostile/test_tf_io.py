"""Bytes of strangers in tf.io: damaged Examples, tensors, records, pictures and tables give TensorFlow's errors, and nothing else."""

from __future__ import annotations

import contextlib
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost import tf
from milepost.tf.io.example import DecodeError

train = tf.train
WHOLE = train.Example(
    features=train.Features(
        feature={
            "a": train.Feature(int64_list=train.Int64List(value=[1, -2, 2**40])),
            "b": train.Feature(bytes_list=train.BytesList(value=[b"x" * 130, b""])),
            "c": train.Feature(float_list=train.FloatList(value=[0.5] * 40)),
            "d": train.Feature(),
        }
    )
).SerializeToString()
SEQUENCE = train.SequenceExample(
    context=train.Features(feature={"n": train.Feature(int64_list=train.Int64List(value=[7]))}),
    feature_lists=train.FeatureLists(
        feature_list={"t": train.FeatureList(feature=[train.Feature(float_list=train.FloatList(value=[1.0, 2.0]))] * 3)}
    ),
).SerializeToString()
DESCRIPTION = {
    "a": tf.io.VarLenFeature(tf.int64),
    "b": tf.io.FixedLenSequenceFeature([], tf.string, allow_missing=True),
    "c": tf.io.FixedLenFeature([40], tf.float32),
    "d": tf.io.RaggedFeature(tf.int64),
}


@st.composite
def damaged(draw: Any, whole: bytes) -> bytes:
    """Cut, flipped, doubled, or made up."""
    if draw(st.integers(0, 5)) == 0:
        return draw(st.binary(max_size=60))
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        if data:
            data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    if draw(st.booleans()):
        del data[draw(st.integers(0, len(data))) :]
    if draw(st.integers(0, 3)) == 0:
        data += data[: draw(st.integers(0, len(data)))]
    return bytes(data)


@settings(max_examples=150, deadline=None)
@given(damaged(WHOLE))
def test_examples(data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        train.Example.FromString(data)
    for parse in (
        lambda: tf.io.parse_single_example(data, DESCRIPTION),
        lambda: tf.io.parse_example([WHOLE, data], DESCRIPTION),
    ):
        with contextlib.suppress(tf.errors.InvalidArgumentError):
            parse()


@settings(max_examples=80, deadline=None)
@given(damaged(SEQUENCE))
def test_sequences(data: bytes) -> None:
    with contextlib.suppress(tf.errors.InvalidArgumentError):
        tf.io.parse_sequence_example(
            [SEQUENCE, data],
            {"n": tf.io.FixedLenFeature([], tf.int64, 0)},
            {"t": tf.io.FixedLenSequenceFeature([2], tf.float32, allow_missing=True)},
        )


@settings(max_examples=80, deadline=None)
@given(damaged(tf.io.serialize_tensor(tf.reshape(tf.range(12.0), (3, 4))).numpy()))
def test_tensors(data: bytes) -> None:
    with contextlib.suppress(tf.errors.InvalidArgumentError):
        tf.io.parse_tensor(data, tf.float32)


def test_a_tensor_that_announces_the_world_is_refused_at_once() -> None:
    """Sizes are believed only as far as there are bytes for them."""
    huge = b"\x08\x01\x12\x10" + b"\x12\x06\x08\xff\xff\xff\xff\x07" * 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot parse"):
        tf.io.parse_tensor(huge, tf.float32)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_records(data: Any) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "records")
        kind = data.draw(st.sampled_from(["", "GZIP", "ZLIB"]))
        with tf.io.TFRecordWriter(path, kind) as writer:
            for i in range(4):
                writer.write(b"%d" % i * 10)
        Path(path).write_bytes(data.draw(damaged(Path(path).read_bytes())))
        with contextlib.suppress(tf.errors.DataLossError):
            list(tf.data.TFRecordDataset(path, kind))


PNG = tf.io.encode_png(np.arange(48, dtype=np.uint8).reshape(4, 4, 3)).numpy()
JPEG = tf.io.encode_jpeg(np.arange(192, dtype=np.uint8).reshape(8, 8, 3)).numpy()


@settings(max_examples=80, deadline=None)
@given(st.one_of(damaged(PNG), damaged(JPEG)))
def test_pictures(data: bytes) -> None:
    for decode in (tf.io.decode_image, tf.io.decode_png, tf.io.decode_jpeg, tf.io.decode_gif, tf.io.decode_bmp):
        with contextlib.suppress(tf.errors.InvalidArgumentError):
            decode(data)


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet='1a,"\n\r.-e ', max_size=20))
def test_tables(line: str) -> None:
    with contextlib.suppress(tf.errors.InvalidArgumentError):
        tf.io.decode_csv(line, [0, 0.5, ""])


def test_a_packed_bomb_is_only_unpacked_when_asked() -> None:
    """The library never unpacks by itself; a string that is no packed data is named."""
    with pytest.raises(tf.errors.InvalidArgumentError, match="ZLIB"):
        tf.io.decode_compressed(zlib.compress(b"x")[:-3], "ZLIB")

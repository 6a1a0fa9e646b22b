"""A name that is not there says so, and what to write instead; what it names is there."""

from __future__ import annotations

import re

import pytest

from milepost import tf
from milepost.tf.missing import HINTS


def _look(path: str) -> object:
    found: object = tf
    for part in path.split(".")[1:]:
        found = getattr(found, part)
    return found


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("tf.Session", r"tf\.compat\.v1\.Session"),
        ("tf.placeholder", r"tf\.compat\.v1\.placeholder"),
        ("tf.log", r"tf\.math\.log is today's"),
        ("tf.layers.dense", r"tf\.keras\.layers"),
        ("tf.contrib.layers", r"tf\.keras\.layers"),
        ("tf.app.flags", "absl"),
        ("tf.estimator", r"tf\.keras"),
        ("tf.raw_ops.MatMul", "kernels by name"),
        ("tf.lite.TFLiteConverter", "onnx"),
        ("tf.tpu.experimental", "JAX"),
        ("tf.bincount", r"tf\.math\.bincount"),
        ("tf.reduce_sums", r"tf\.reduce_sum"),
        ("tf.distribute.TPUStrategy", r"keras\.distribution"),
        ("tf.distribute.experimental.ParameterServerStrategy", r"keras\.distribution"),
        ("tf.autograph.to_code", "does not rewrite Python"),
        ("tf.math.softmaxx", r"tf\.math\.softmax"),
    ],
)
def test_what_is_not_there_names_the_nearest_thing(path: str, says: str) -> None:
    with pytest.raises(AttributeError, match=says):
        _look(path)


def test_what_the_hints_name_is_there() -> None:
    named = {m for text in HINTS.values() for m in re.findall(r"\btf(?:\.\w+)+", text)}
    assert len(named) > 60
    missing = []
    for path in sorted(named - {"tf.contrib.summary"}):
        try:
            _look(path)
        except AttributeError:
            missing.append(path)
    assert missing == []


def test_several_devices_are_refused_clearly() -> None:
    with pytest.raises(NotImplementedError, match=r"on 2 devices .* torch\.distributed"):
        tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])

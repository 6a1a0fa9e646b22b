"""tf.train.Example and its parts. In: features. Out: the bytes of a TFRecord payload, and back.

Not here: how messages behave (`message`), turning features into tensors (`parse`), framing (`formats.record`).
"""

from __future__ import annotations

from typing import Any, ClassVar

from milepost.tf.io.message import DecodeError, Field, Proto

__all__ = [
    "BytesList", "DecodeError", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList", "Int64List",
    "SequenceExample",
]  # fmt: skip


def _fields(*declared: tuple[str, str, Any]) -> dict[str, Field]:
    return {name: Field(name, place, shape, kind) for place, (name, shape, kind) in enumerate(declared, 1)}


class BytesList(Proto):
    FULL_NAME = "tensorflow.BytesList"
    FIELDS: ClassVar[dict[str, Field]] = _fields(("value", "scalars", "bytes"))


class FloatList(Proto):
    FULL_NAME = "tensorflow.FloatList"
    FIELDS: ClassVar[dict[str, Field]] = _fields(("value", "scalars", "float"))


class Int64List(Proto):
    FULL_NAME = "tensorflow.Int64List"
    FIELDS: ClassVar[dict[str, Field]] = _fields(("value", "scalars", "int64"))


class Feature(Proto):
    """One of three lists."""

    FULL_NAME = "tensorflow.Feature"
    ONEOF = "kind"
    FIELDS: ClassVar[dict[str, Field]] = _fields(
        ("bytes_list", "message", BytesList), ("float_list", "message", FloatList), ("int64_list", "message", Int64List)
    )


class Features(Proto):
    FULL_NAME = "tensorflow.Features"
    FIELDS: ClassVar[dict[str, Field]] = _fields(("feature", "map", Feature))


class FeatureList(Proto):
    FULL_NAME = "tensorflow.FeatureList"
    FIELDS: ClassVar[dict[str, Field]] = _fields(("feature", "messages", Feature))


class FeatureLists(Proto):
    FULL_NAME = "tensorflow.FeatureLists"
    FIELDS: ClassVar[dict[str, Field]] = _fields(("feature_list", "map", FeatureList))


class Example(Proto):
    FULL_NAME = "tensorflow.Example"
    FIELDS: ClassVar[dict[str, Field]] = _fields(("features", "message", Features))


class SequenceExample(Proto):
    FULL_NAME = "tensorflow.SequenceExample"
    FIELDS: ClassVar[dict[str, Field]] = _fields(
        ("context", "message", Features), ("feature_lists", "message", FeatureLists)
    )

"""tf.train.Example and its parts. In: features. Out: the bytes of a TFRecord payload, and back.

Not here: how messages behave (`message`), turning features into tensors (`parse`), framing (`formats.record`).
"""

from __future__ import annotations

from typing import Any, ClassVar

from milepost.tf.io.message import DecodeError, Field, Proto, framed, freeze
from milepost.tf.io.scalars import KINDS

__all__ = [
    "BytesList", "DecodeError", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList", "Int64List",
    "SequenceExample",
]  # fmt: skip


def _fields(*declared: tuple[str, str, Any]) -> dict[str, Field]:
    return {name: Field(name, place, shape, kind) for place, (name, shape, kind) in enumerate(declared, 1)}


class _List(Proto):
    """A list of scalars: the bulk of all messages, so it is made without a detour."""

    def __init__(self, value: Any = None, **others: Any):
        if others:
            self._given(others)
        if value is not None:
            kind = KINDS[self.FIELDS["value"].kind]
            checked = kind.checked(value)
            freeze(self, kind.encode(b"\n", checked) if checked else b"")


class BytesList(_List):
    FULL_NAME = "tensorflow.BytesList"
    FIELDS: ClassVar[dict[str, Field]] = _fields(("value", "scalars", "bytes"))


class FloatList(_List):
    FULL_NAME = "tensorflow.FloatList"
    FIELDS: ClassVar[dict[str, Field]] = _fields(("value", "scalars", "float"))


class Int64List(_List):
    FULL_NAME = "tensorflow.Int64List"
    FIELDS: ClassVar[dict[str, Field]] = _fields(("value", "scalars", "int64"))


class Feature(Proto):
    """One of three lists."""

    FULL_NAME = "tensorflow.Feature"
    ONEOF = "kind"
    FIELDS: ClassVar[dict[str, Field]] = _fields(
        ("bytes_list", "message", BytesList), ("float_list", "message", FloatList), ("int64_list", "message", Int64List)
    )

    def __init__(self, **values: Any):
        if len(values) == 1:
            ((name, value),) = values.items()
            tag = _TAGS.get(name)
            if tag is not None and type(value) is tag[1]:
                freeze(self, framed(tag[0], value.SerializeToString()))
                return
        super().__init__(**values)


_TAGS = {name: (field.tag, field.kind) for name, field in Feature.FIELDS.items()}


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

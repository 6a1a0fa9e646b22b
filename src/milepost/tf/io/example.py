"""tf.train.Example and its parts, with protobuf's own method names. In: features. Out: the bytes of a TFRecord payload, and back.

Not here: turning features into tensors (`parse`), framing (`formats.record`).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Self

from milepost.formats.wire import BYTES, FLOAT, INT64, STRING, FieldSpec, Message, field

__all__ = [
    "BytesList", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList", "Int64List", "SequenceExample",
]  # fmt: skip


class Proto(Message):
    """What people call on a protobuf message."""

    __slots__ = ()

    def SerializeToString(self, deterministic: bool | None = None) -> bytes:
        return self.encode()

    @classmethod
    def FromString(cls, data: bytes) -> Self:
        return cls.decode(data)

    def ParseFromString(self, data: bytes) -> int:
        read = type(self).decode(data)
        for item in dataclasses.fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            setattr(self, item.name, getattr(read, item.name))
        return len(data)

    def HasField(self, name: str) -> bool:
        return bool(getattr(self, name).encode())

    def CopyFrom(self, other: Self) -> None:
        self.ParseFromString(other.encode())


class Map(dict[str, Any]):
    """A protobuf map of messages: looking a key up makes it."""

    made: type[Message]

    def __missing__(self, key: str) -> Any:
        self[key] = made = self.made()
        return made


def child(number: int, message: type[Message], *, repeated: bool = False) -> Any:
    """A sub-message that is always there, as reading an unset one in protobuf gives an empty one."""
    spec = FieldSpec(number, None, message, repeated=repeated, optional=not repeated)
    return dataclasses.field(default_factory=list if repeated else message, metadata={"wire": spec})


def message_map(number: int, message: type[Message]) -> Any:
    spec = FieldSpec(number, None, message, map_key=STRING)
    kind = type(f"MapOf{message.__name__}", (Map,), {"made": message})
    return dataclasses.field(default_factory=kind, metadata={"wire": spec, "map": kind})


@dataclass(slots=True)
class BytesList(Proto):
    value: list[bytes] = field(1, BYTES, repeated=True)


@dataclass(slots=True)
class FloatList(Proto):
    value: list[float] = field(1, FLOAT, repeated=True)


@dataclass(slots=True)
class Int64List(Proto):
    value: list[int] = field(1, INT64, repeated=True)


@dataclass(slots=True)
class Feature(Proto):
    """One of three lists. The one that is not empty is the one that is set."""

    bytes_list: BytesList = child(1, BytesList)
    float_list: FloatList = child(2, FloatList)
    int64_list: Int64List = child(3, Int64List)

    def WhichOneof(self, group: str = "kind") -> str | None:
        return next((name for name in ("bytes_list", "float_list", "int64_list") if getattr(self, name).value), None)

    def encode(self) -> bytes:
        kind = self.WhichOneof()
        return _only(self, kind) if kind else b""


def _only(feature: Feature, kind: str) -> bytes:
    from milepost.formats.wire import encode_varint

    number = {"bytes_list": 1, "float_list": 2, "int64_list": 3}[kind]
    body: bytes = getattr(feature, kind).encode()
    return bytes((number << 3 | 2,)) + encode_varint(len(body)) + body


@dataclass(slots=True)
class Features(Proto):
    feature: dict[str, Feature] = message_map(1, Feature)

    def __post_init__(self) -> None:
        if not isinstance(self.feature, Map):
            self.feature = _FEATURES(self.feature)


@dataclass(slots=True)
class FeatureList(Proto):
    feature: list[Feature] = child(1, Feature, repeated=True)


@dataclass(slots=True)
class FeatureLists(Proto):
    feature_list: dict[str, FeatureList] = message_map(1, FeatureList)

    def __post_init__(self) -> None:
        if not isinstance(self.feature_list, Map):
            self.feature_list = _FEATURE_LISTS(self.feature_list)


@dataclass(slots=True)
class Example(Proto):
    features: Features = child(1, Features)


@dataclass(slots=True)
class SequenceExample(Proto):
    context: Features = child(1, Features)
    feature_lists: FeatureLists = child(2, FeatureLists)


_FEATURES = dataclasses.fields(Features)[0].metadata["map"]
_FEATURE_LISTS = dataclasses.fields(FeatureLists)[0].metadata["map"]

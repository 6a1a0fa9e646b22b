"""Images, histograms, texts … of a tag, read one at a time. In: places of blobs. Out: decoded samples.

Old ways of writing (Summary.Image, HistogramProto, Audio) and new ones (tensors) come out as the same values.
Not here: finding the blobs (`tail`), showing them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from milepost.errors import FormatError
from milepost.formats.event import Histogram as HistogramProto
from milepost.formats.event import SummaryValue, TaggedRunMetadata, TensorProto
from milepost.store.blobs import Blob
from milepost.store.columns import Floats, Ints
from milepost.store.series import Metadata

if TYPE_CHECKING:
    from milepost.formats.plugins import Layout

__all__ = ["Audio", "Clip", "Graph", "Histogram", "Images", "MediaSeries", "Mesh", "PrCurve", "Text"]


@dataclass(frozen=True, slots=True)
class Images:
    """Encoded pictures (PNG, GIF, JPEG …) of one step."""

    width: int
    height: int
    encoded: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Clip:
    encoded: bytes  # WAV
    label: str
    sample_rate: float = 0.0  # 0: only the WAV header tells


@dataclass(frozen=True, slots=True)
class Audio:
    clips: tuple[Clip, ...]
    content_type: str = "audio/wav"


@dataclass(frozen=True, slots=True)
class Histogram:
    """Bucket k holds count[k] numbers from left[k] up to right[k]."""

    left: NDArray[np.float64]
    right: NDArray[np.float64]
    count: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Text:
    """A string tensor; markdown by custom, never to be trusted."""

    shape: tuple[int, ...]
    values: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.values)


@dataclass(frozen=True, slots=True)
class PrCurve:
    true_positives: Floats
    false_positives: Floats
    true_negatives: Floats
    false_negatives: Floats
    precision: Floats
    recall: Floats
    thresholds: Floats


@dataclass(frozen=True, slots=True)
class Mesh:
    """One component of a mesh: `content` is "vertex", "face" or "colour"."""

    name: str
    content: str
    array: NDArray[Any]
    json_config: str


@dataclass(frozen=True, slots=True)
class Graph:
    """`form` says what `data` is: "graph_def", "meta_graph_def", "run_metadata" (protobuf) or "keras" (JSON)."""

    form: str
    data: bytes
    tag: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class MediaSeries:
    """The samples of one tag, by position; each is read from its file when asked for.

    >>> run.images["input"][-1].encoded[0]  # doctest: +SKIP
    """

    kind: str
    tag: str
    step: Ints
    wall_time: Floats
    blobs: tuple[Blob, ...] | BlobList
    metadata: Metadata
    restarts: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.step)

    def __getitem__(self, index: int) -> Any:
        """Images, Histogram, Text, Audio, PrCurve, Mesh, HParamsPluginData, Graph, Layout or an array, by kind."""
        blob = self.blobs[index]
        try:
            return decode(self.kind, blob.field, blob.read(), self.metadata)
        except FormatError as error:
            if error.where == blob.where:
                raise
            raise type(error)(error.what, where=blob.where, got=error.got, want=error.want) from error

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def blob(self, index: int) -> Blob:
        """Where sample `index` lies."""
        return self.blobs[index]


@dataclass(frozen=True, slots=True)
class BlobList:
    """Places as columns; a Blob is made when one is asked for."""

    files: tuple[str, ...]
    file: NDArray[np.int64]
    rows: NDArray[np.void]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Blob:
        row = self.rows[index]
        return Blob(
            self.files[int(self.file[index])],
            int(row["record"]),
            int(row["offset"]),
            int(row["length"]),
            int(row["field"]),
        )


def decode(kind: str, field: int, data: bytes, metadata: Metadata) -> Any:
    """One sample from its bytes."""
    if field >= 100:
        return _graph_event(field - 100, data)
    value = SummaryValue.decode(data)
    if kind == "hparams":
        from milepost.formats.plugins import HParamsPluginData  # two dozen messages: only for who looks at one

        own = value.metadata.plugin_data if value.metadata else None
        return HParamsPluginData.decode(own.content if own else metadata.content)
    if field == 4 and value.image is not None:
        return Images(value.image.width, value.image.height, (value.image.encoded,))
    if field == 5 and value.histo is not None:
        return _legacy_histogram(value.histo)
    if field == 6 and value.audio is not None:
        return Audio((Clip(value.audio.encoded, "", value.audio.sample_rate),), value.audio.content_type or "audio/wav")
    from milepost.formats.tensor_proto import to_array

    array = to_array(value.tensor or TensorProto(dtype=1))
    return _TENSORS[kind](array, metadata) if kind in _TENSORS else array


def _graph_event(field: int, data: bytes) -> Graph:
    if field == 8:
        tagged = TaggedRunMetadata.decode(data)
        return Graph("run_metadata", tagged.run_metadata, tagged.tag)
    return Graph({4: "graph_def", 9: "meta_graph_def"}.get(field, "unknown"), data)


def _legacy_histogram(histo: HistogramProto) -> Histogram:
    """HistogramProto has right edges only, and outer buckets that reach to infinity: empty ones go, edges become min and max."""
    limits, counts = np.array(histo.bucket_limit), np.array(histo.bucket)
    size = min(len(limits), len(counts))
    if size == 0:
        return Histogram(np.zeros(0), np.zeros(0), np.zeros(0))
    limits, counts = limits[:size], counts[:size]
    left, right = np.concatenate(([-np.inf], limits[:-1])), limits.copy()
    used = np.flatnonzero(counts > 0)
    if len(used) == 0:
        return Histogram(np.zeros(0), np.zeros(0), np.zeros(0))
    a, b = used[0], used[-1] + 1
    left, right, counts = left[a:b].copy(), right[a:b], counts[a:b]
    left[0], right[-1] = max(left[0], histo.min), min(right[-1], histo.max)
    return Histogram(left, right, counts)


def _images(array: NDArray[Any], metadata: Metadata) -> Images:
    items = _strings(array)
    if len(items) < 2:
        raise FormatError("an image summary without width and height", got=len(items), want="width, height, pictures …")
    try:
        return Images(int(items[0]), int(items[1]), tuple(items[2:]))
    except ValueError:
        raise FormatError("an image summary whose size is no number", got=items[0][:20], want="digits") from None


def _audio(array: NDArray[Any], metadata: Metadata) -> Audio:
    if array.ndim == 2 and array.shape[1] >= 2:
        return Audio(tuple(Clip(bytes(row[0]), _text(row[1])) for row in array))
    return Audio(tuple(Clip(item, "") for item in _strings(array)))


def _histogram(array: NDArray[Any], metadata: Metadata) -> Histogram:
    if array.ndim != 2 or array.shape[1] != 3:
        raise FormatError("a histogram of a strange shape", got=array.shape, want="[buckets, 3]")
    columns = array.astype(np.float64).T
    return Histogram(columns[0], columns[1], columns[2])


def _texts(array: NDArray[Any], metadata: Metadata) -> Text:
    return Text(array.shape, tuple(_text(item) for item in _strings(array)))


def _pr_curve(array: NDArray[Any], metadata: Metadata) -> PrCurve:
    if array.ndim != 2 or array.shape[0] != 6:
        raise FormatError("a PR curve of a strange shape", got=array.shape, want="[6, thresholds]")
    tp, fp, tn, fn, precision, recall = array
    return PrCurve(tp, fp, tn, fn, precision, recall, np.linspace(0.0, 1.0, array.shape[1]))


def _mesh(array: NDArray[Any], metadata: Metadata) -> Mesh:
    from milepost.formats.plugins import MeshPluginData

    told = MeshPluginData.decode(metadata.content)
    return Mesh(told.name, {1: "vertex", 2: "face", 3: "colour"}.get(told.content_type, ""), array, told.json_config)


def _layout(array: NDArray[Any], metadata: Metadata) -> Layout:
    from milepost.formats.plugins import Layout

    return Layout.decode(_strings(array)[0] if array.size else b"")


def _graph(array: NDArray[Any], metadata: Metadata) -> Graph:
    form = {"graph_keras_model": "keras", "graphs": "graph_def"}.get(metadata.plugin, "run_metadata")
    return Graph(form, _strings(array)[0] if array.size else b"")


def _strings(array: NDArray[Any]) -> list[bytes]:
    if array.dtype != object:
        raise FormatError("a tensor of numbers where strings belong", got=array.dtype, want="strings")
    return [bytes(item) for item in array.ravel()]


def _text(item: bytes) -> str:
    return bytes(item).decode("utf-8", "replace")


_TENSORS: dict[str, Callable[[NDArray[Any], Metadata], Any]] = {
    "images": _images, "audio": _audio, "histograms": _histogram, "texts": _texts, "pr_curves": _pr_curve,
    "meshes": _mesh, "custom_scalars": _layout, "graphs": _graph,
}  # fmt: skip

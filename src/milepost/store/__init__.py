"""The read side: every run under a log directory as columns. `open` is the door; see README.md for the way through."""

from __future__ import annotations

from milepost.store.aggregate import Band, aggregate
from milepost.store.blobs import Blob
from milepost.store.collection import Change, Collection, Progress, open
from milepost.store.kinds import KINDS
from milepost.store.media import Audio, Clip, Graph, Histogram, Images, MediaSeries, Mesh, PrCurve, Text
from milepost.store.query import Curve, query, x_of
from milepost.store.run import Run, RunInfo, TagMap
from milepost.store.series import Metadata, Series, Truth
from milepost.store.smooth import Ema, Gaussian, smooth, usual_gap
from milepost.store.tail import BadRecord

__all__ = [
    "KINDS", "Audio", "BadRecord", "Band", "Blob", "Change", "Clip", "Collection", "Curve", "Ema", "Gaussian", "Graph",
    "Histogram", "Images", "MediaSeries", "Mesh", "Metadata", "PrCurve", "Progress", "Run", "RunInfo", "Series", "TagMap",
    "Text", "Truth", "aggregate", "open", "query", "smooth", "usual_gap", "x_of",
]  # fmt: skip

"""api/embeddings and what follows. In: a request. Out: the list of tables; a table's coordinates and labels; neighbours; its sprite."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import Response

from milepost.board.embeddings.find import Listed, all_of
from milepost.board.embeddings.read import content, labels, matrix, stamp
from milepost.board.embeddings.space import components, nearest
from milepost.board.http.envelope import ApiError, answer, frame
from milepost.board.live import Live
from milepost.board.media import sniff
from milepost.board.media.pictures import BLOB_POLICY
from milepost.board.media.samples import whole
from milepost.board.series.frame import Columns

__all__ = ["embedding", "embeddings", "neighbours", "sprite"]

COMPONENTS = 10
MAX_POINTS = 50_000  # drawn; of more, evenly chosen ones
MAX_NEAR = 200
MAX_SPRITE_BYTES = 64 << 20
KEPT = 4

_kept: OrderedDict[tuple[object, ...], tuple[NDArray[np.float32], NDArray[np.float32], list[float]]] = OrderedDict()
_loading = threading.Lock()  # two tabs asking for the same table must not read it twice


def embeddings(live: Live, request: Request) -> Response:
    listing = [
        {
            "run": one.run, "tag": one.info.tensor_name, "shape": list(one.info.tensor_shape) or None,
            "labels": bool(one.info.metadata_path), "sprite": one.info.sprite is not None, "error": one.error,
        }
        for one in all_of(live)
    ]  # fmt: skip
    return answer(request, {"embeddings": listing}, live.cursor)


def _named(live: Live, request: Request) -> Listed:
    run, tag = request.query_params.get("run"), request.query_params.get("tag")
    for one in all_of(live):
        if (one.run, one.info.tensor_name) == (run, tag) and one.error is None:
            return one
    raise ApiError(
        "not_found", f"no embedding {tag!r} in {run!r}", where=tag, todo="see api/embeddings for those there are"
    )


def _space(one: Listed) -> tuple[NDArray[np.float32], NDArray[np.float32], list[float]]:
    key = (one.folder, one.info.tensor_name, stamp(one))
    with _loading:
        if key not in _kept:
            points = matrix(one)
            _kept[key] = (points, *components(points, COMPONENTS))
            while len(_kept) > KEPT:
                _kept.popitem(last=False)
        _kept.move_to_end(key)
        return _kept[key]


def embedding(live: Live, request: Request) -> Response:
    """Coordinates along the principal components, the labels of the points that are shown, and where their thumbnails lie."""
    one = _named(live, request)
    points, placed, share = _space(one)
    rows = np.arange(len(points))
    if len(rows) > MAX_POINTS:
        rows = np.unique(np.linspace(0, len(points) - 1, MAX_POINTS).round().astype(np.int64))
    told = labels(one, len(points))
    picture: dict[str, Any] | None = None
    if one.info.sprite is not None and len(one.info.sprite.single_image_dim) == 2:
        width, height = one.info.sprite.single_image_dim
        picture = {"width": width, "height": height}
    columns = Columns()
    header = {
        "run": one.run, "tag": one.info.tensor_name, "points": len(points), "dimensions": int(points.shape[1]), "share": share,
        "names": list(told.names) if told else [], "labels": [list(told.rows[r]) for r in rows.tolist()] if told else [],
        "sprite": picture,
        "columns": {
            "row": columns.add(rows.astype(np.uint32)),
            **{f"c{k}": columns.add(np.ascontiguousarray(placed[rows, k])) for k in range(placed.shape[1])},
        },
    }  # fmt: skip
    return frame(request, columns.pack(header))


def neighbours(live: Live, request: Request) -> Response:
    points = _space(_named(live, request))[0]
    row = whole(request, "row", 0, 0, max(len(points) - 1, 0))
    metric = request.query_params.get("metric", "cosine")
    if metric not in ("cosine", "euclidean"):
        raise ApiError("bad_request", "metric: want cosine or euclidean", where="metric")
    found, away = nearest(points, row, whole(request, "count", 20, 1, MAX_NEAR), metric)
    return answer(
        request, {"row": row, "metric": metric, "rows": found.tolist(), "distance": away.tolist()}, live.cursor
    )


def sprite(live: Live, request: Request) -> Response:
    """The picture of all thumbnails, with a type of our own finding."""
    one = _named(live, request)
    path = one.path(one.info.sprite.image_path) if one.info.sprite is not None else None
    if path is None:
        raise ApiError("not_found", "this embedding has no thumbnails", where=one.info.tensor_name)
    data = content(path, MAX_SPRITE_BYTES)
    try:
        kind = sniff.picture(data).type
    except sniff.Refused as why:
        raise ApiError("unsupported_media", str(why), where=one.info.tensor_name) from None
    return Response(
        data, media_type=kind, headers={"Content-Security-Policy": BLOB_POLICY, "Cache-Control": "no-cache"}
    )

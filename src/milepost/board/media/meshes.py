"""Meshes. In: the three tags a mesh is logged as. Out: one list of steps, each with blobs of vertices, faces and colours. Drawing is the page's."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import Response

from milepost.board.http.envelope import ApiError, answer
from milepost.board.live import Live
from milepost.board.media.samples import Window, blob_id, window
from milepost.errors import MilepostError
from milepost.store.media import MediaSeries, Mesh

__all__ = ["meshes", "raw"]

SUFFIXES = ("_VERTEX", "_FACE", "_COLOR")
# what a browser gets: f4 xyz, u4 triangles, u1 rgb
WIRE = {"vertex": "<f4", "face": "<u4", "colour": "u1"}


def meshes(live: Live, request: Request) -> Response:
    """`tag` is the mesh's name; with the suffix of one component it is the same mesh."""
    run, tag = request.query_params.get("run"), request.query_params.get("tag")
    if run is None or tag is None:
        raise ApiError("bad_request", "run and tag are wanted")
    table = live.media(run, "meshes")
    name = tag
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    parts = {suffix: table[name + suffix] for suffix in SUFFIXES if name + suffix in table}
    main = parts.get("_VERTEX") or table.get(tag)
    if main is None:
        raise ApiError("not_found", f"no mesh {tag!r} in run {run!r}", where=tag)
    part = window(request, main)
    config: Any = {}
    try:
        if len(main):
            config = json.loads(main[0].json_config or "{}")
    except (MilepostError, ValueError):
        config = {}
    items = [step_items(parts, main, run, i, int(main.step[i])) for i in range(part.start, part.stop)]
    return answer(
        request,
        {**Window(part.start, part.stop).head(main, run), "tag": name, "config": config, "items": items},
        live.cursor,
    )


def step_items(
    parts: dict[str, MediaSeries], main: MediaSeries, run: str, index: int, step: int
) -> list[dict[str, Any]]:
    try:
        vertices = batched(main[index])
    except MilepostError as fault:
        return [{"error": str(fault)}]
    # faces and colours may be logged once and hold for all steps after it
    places = {
        suffix: int(np.searchsorted(parts[suffix].step, step, "right")) - 1
        for suffix in SUFFIXES[1:]
        if suffix in parts
    }
    items = []
    for number in range(len(vertices)):
        item: dict[str, Any] = {
            "vertices": blob_id("meshes", run, main.tag, index, main.blob(index).record, number), "n_vertices": int(vertices.shape[1]), "faces": None, "colours": None, "n_faces": 0,
        }  # fmt: skip
        for suffix, key in (("_FACE", "faces"), ("_COLOR", "colours")):
            at = places.get(suffix, -1)
            if at < 0:
                continue
            series = parts[suffix]
            try:
                array = batched(series[at])
            except MilepostError:
                continue
            if number < len(array):
                item[key] = blob_id("meshes", run, series.tag, at, series.blob(at).record, number)
                if key == "faces":
                    item["n_faces"] = int(array.shape[1])
        items.append(item)
    return items


def batched(sample: Mesh) -> Any:
    array = sample.array[None] if sample.array.ndim == 2 else sample.array
    # a fourth number is a colour's opacity or a vertex's weight, and is not drawn; a face of four corners is none of ours
    if array.ndim != 3 or array.shape[2] not in ((3,) if sample.content == "face" else (3, 4)):
        raise MilepostError(f"a mesh of shape {array.shape}; [batch, n, 3] is wanted")
    return array[:, :, :3]


def raw(sample: Mesh, item: int) -> bytes:
    """One item's component as the browser takes it."""
    array = batched(sample)[item]
    if sample.content == "colour":
        array = np.clip(array, 0, 255)
    data: bytes = np.ascontiguousarray(array, WIRE.get(sample.content, "<f4")).tobytes()
    return data

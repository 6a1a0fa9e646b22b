"""Meshes and point clouds. In: vertices [batch, n, 3], faces, colours. Out: one event a component, joined again by its reader."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from milepost.engines.host import to_host
from milepost.errors import SummaryError
from milepost.formats.event import SummaryMetadata
from milepost.formats.plugins import MESH, MeshContent, MeshPluginData
from milepost.formats.tensor_proto import from_array
from milepost.summary.context import current, resolve_step
from milepost.summary.emit import metadata_for, now, recorder

__all__ = ["mesh", "mesh_parts"]


def mesh_parts(
    name: str, vertices: Any, faces: Any, colors: Any, config: Any, description: str | None = None
) -> Iterator[tuple[str, np.ndarray[Any, Any], SummaryMetadata]]:  # fmt: skip
    """(tag, array, metadata) of each component that is given."""
    given = [
        (kind, to_host(data, copy=False))
        for kind, data in ((MeshContent.VERTEX, vertices), (MeshContent.FACE, faces), (MeshContent.COLOR, colors))
        if data is not None
    ]
    components = 0
    for kind, array in given:
        if array.ndim != 3 or array.shape[2] not in (3, 4):
            raise SummaryError("mesh tensors have the shape [batch, n, 3]", got=f"shape {array.shape}")
        components |= 1 << kind
    text = "{}" if config is None else json.dumps(config, sort_keys=True)
    for kind, array in given:
        content = MeshPluginData(
            name=name, content_type=kind, json_config=text, shape=list(array.shape), components=components
        ).encode()
        yield f"{name}_{MeshContent.NAMES[kind]}", array, metadata_for(MESH, description, content)


def mesh(
    name: str, vertices: Any, faces: Any = None, colors: Any = None, config_dict: dict[str, Any] | None = None, step: Any = None,
    description: str | None = None,
) -> bool:  # fmt: skip
    """Write a mesh: vertices [batch, n, 3], faces [batch, m, 3] of vertex numbers, colors [batch, n, 3] of 0–255.

    `config_dict` configures the viewer's camera, lights and material.
    """
    writer = recorder()
    if writer is None:
        return False
    step = resolve_step(step)
    parts = list(mesh_parts(name, vertices, faces, colors, config_dict, description))
    written = [now(writer, current.scope + tag, from_array(array), metadata, step) for tag, array, metadata in parts]
    return all(written)

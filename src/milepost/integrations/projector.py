"""Embedding layers for the projector. In: named matrices and their label files. Out: tensors as TSV and projector_config.pbtxt.

The label files are the user's own and stay where they are. Not here: `summary.embedding`, which writes one embedding of any
engine, with labels and thumbnails, into a run.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from milepost.formats.plugins import EmbeddingInfo
from milepost.summary.projector import CONFIG, config_text

__all__ = ["write_projector_config"]


def write_projector_config(directory: str, tensors: dict[str, np.ndarray[Any, Any]], metadata: dict[str, str]) -> str:
    """Writes each matrix beside a config that names it; the path of the config."""
    os.makedirs(directory, exist_ok=True)
    entries = []
    for name, matrix in tensors.items():
        file = f"{name.replace('/', '_')}.tsv"
        rows = matrix.reshape(len(matrix), -1)
        np.savetxt(os.path.join(directory, file), rows, fmt="%.8g", delimiter="\t")
        info = EmbeddingInfo(
            tensor_name=name, tensor_path=file, tensor_shape=list(rows.shape), metadata_path=metadata.get(name, "")
        )
        entries.append(config_text(info))
    path = os.path.join(directory, CONFIG)
    with open(path, "w", encoding="utf-8") as out:
        out.write("".join(entries))
    return path

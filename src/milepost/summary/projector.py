"""Embeddings for the projector. In: a matrix, labels, thumbnails. Out: files beside the event file and an entry in projector_config.pbtxt.

Files are written on the log's thread; the configuration is only appended to, so that runs, processes and restarts add to it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from milepost.engines.host import to_host
from milepost.errors import SummaryError
from milepost.formats import png
from milepost.formats.plugins import EmbeddingInfo, SpriteMetadata
from milepost.summary.context import resolve_step
from milepost.summary.emit import recorder

__all__ = ["embedding", "embedding_job"]

CONFIG = "projector_config.pbtxt"


def _safe(tag: str) -> str:
    """A tag as one name in a path."""
    return tag.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def config_text(info: EmbeddingInfo) -> str:
    """One entry of a ProjectorConfig, in protobuf's text form."""
    lines = [f"  tensor_name: {_quoted(info.tensor_name)}", f"  tensor_path: {_quoted(info.tensor_path)}"]
    lines += [f"  tensor_shape: {size}" for size in info.tensor_shape]
    if info.metadata_path:
        lines.append(f"  metadata_path: {_quoted(info.metadata_path)}")
    if info.sprite is not None:
        lines.append(f"  sprite {{\n    image_path: {_quoted(info.sprite.image_path)}")
        lines += [f"    single_image_dim: {size}" for size in info.sprite.single_image_dim]
        lines.append("  }")
    return "embeddings {\n" + "\n".join(lines) + "\n}\n"


def _sprite(images: np.ndarray[Any, Any]) -> bytes:
    """Thumbnails [n, channels, height, width] in one square picture, row by row."""
    count, channels, height, width = images.shape
    side = math.ceil(math.sqrt(count))
    pixels = images if images.dtype == np.uint8 else (images.astype(np.float32) * 255).clip(0, 255).astype(np.uint8)
    if channels == 1:
        pixels = np.repeat(pixels, 3, 1)
    canvas = np.zeros((side * side, 3, height, width), np.uint8)
    canvas[:count] = pixels[:, :3]
    grid = canvas.reshape(side, side, 3, height, width).transpose(0, 3, 1, 4, 2)
    return png.encode(grid.reshape(side * height, side * width, 3))


def _labels(metadata: Sequence[Any], header: Sequence[str] | None) -> str:
    if header:
        rows = [header, *metadata]
        if any(len(row) != len(header) for row in metadata):
            raise SummaryError("labels and their header differ in columns", want=len(header))
        return "".join("\t".join(_cell(cell) for cell in row) + "\n" for row in rows)
    return "".join(_cell(label) + "\n" for label in metadata)


def _cell(value: Any) -> str:
    return str(value).replace("\t", " ").replace("\n", " ")  # a label must not end its row


def embedding_job(
    directory: str, mat: Any, metadata: Sequence[Any] | None, label_img: Any, step: int, tag: str,
    header: Sequence[str] | None,
) -> tuple[Callable[[], bytes], int]:  # fmt: skip
    """What is to be done on the log's thread, and how much memory it holds meanwhile. Everything is checked here."""
    matrix = to_host(mat)
    if matrix.ndim != 2:
        raise SummaryError("an embedding is a matrix, a row a point", got=f"shape {matrix.shape}", want="rank 2")
    if metadata is not None and len(metadata) != len(matrix):
        raise SummaryError("one label a point", got=len(metadata), want=len(matrix))
    labels = None if metadata is None else _labels(metadata, header)
    images = None if label_img is None else to_host(label_img)
    if images is not None and (images.ndim != 4 or len(images) != len(matrix)):
        raise SummaryError(
            "one thumbnail a point", got=f"shape {images.shape}", want=f"[{len(matrix)}, channels, height, width]"
        )
    folder = f"{step:05d}/{_safe(tag)}"

    def job() -> bytes:
        place = os.path.join(directory, *folder.split("/"))
        os.makedirs(place, exist_ok=True)
        info = EmbeddingInfo(f"{tag}:{step:05d}", tensor_path=f"{folder}/tensors.tsv", tensor_shape=list(matrix.shape))
        with open(os.path.join(place, "tensors.tsv"), "w", encoding="utf-8") as file:
            for row in matrix:
                file.write("\t".join(row.astype(str).tolist()) + "\n")
        if labels is not None:
            info.metadata_path = f"{folder}/metadata.tsv"
            with open(os.path.join(place, "metadata.tsv"), "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(labels)
        if images is not None:
            info.sprite = SpriteMetadata(f"{folder}/sprite.png", [images.shape[3], images.shape[2]])
            with open(os.path.join(place, "sprite.png"), "wb") as file_of_bytes:
                file_of_bytes.write(_sprite(images))
        with open(os.path.join(directory, CONFIG), "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(config_text(info))
        return b""

    return job, matrix.nbytes + (0 if images is None else images.nbytes)


def embedding(
    mat: Any, metadata: Sequence[Any] | None = None, label_img: Any = None, step: Any = None, tag: str = "default",
    metadata_header: Sequence[str] | None = None,
) -> bool:  # fmt: skip
    """Write a matrix [points, dimensions] for the projector, with labels and thumbnails [points, channels, height, width]."""
    writer = recorder()
    if writer is None:
        return False
    job, size = embedding_job(writer.logdir, mat, metadata, label_img, resolve_step(step), tag, metadata_header)
    return writer.submit(job, size)

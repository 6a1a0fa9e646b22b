"""tf.io: files, records, Examples, tables, raw bytes and images. In: names, bytes and tensors. Out: tensors, bytes, files.

Each in a file of its own; whole files are read and written here. Reading records in a pipeline is in `data.files`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from milepost.tf.data import edge
from milepost.tf.data.structure import cell, to_numpy
from milepost.tf.failures import InvalidArgumentError, NotFoundError, PermissionDeniedError
from milepost.tf.io import gfile
from milepost.tf.io.bytestrings import (
    decode_base64,
    decode_compressed,
    decode_json_example,
    decode_raw,
    encode_base64,
    parse_tensor,
    serialize_tensor,
)
from milepost.tf.io.descriptions import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from milepost.tf.io.image import (
    decode_and_crop_jpeg,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
    encode_jpeg,
    encode_png,
    extract_jpeg_shape,
    is_jpeg,
)  # fmt: skip
from milepost.tf.io.parse import parse_example, parse_single_example
from milepost.tf.io.records import TFRecordOptions, TFRecordWriter
from milepost.tf.io.sequences import parse_sequence_example, parse_single_sequence_example
from milepost.tf.io.tables import decode_csv
from milepost.tf.state import NOW

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "RaggedFeature", "SparseFeature", "TFRecordOptions", "TFRecordWriter", "VarLenFeature",
    "decode_and_crop_jpeg", "decode_base64", "decode_bmp", "decode_compressed", "decode_csv", "decode_gif", "decode_image", "decode_jpeg",
    "decode_json_example", "decode_png", "decode_raw", "encode_base64", "encode_jpeg", "encode_png", "extract_jpeg_shape", "gfile",
    "is_jpeg", "match_filenames_once", "matching_files", "parse_example", "parse_sequence_example", "parse_single_example",
    "parse_single_sequence_example", "parse_tensor", "read_file", "serialize_tensor", "write_file",
]  # fmt: skip


def read_file(filename: Any, name: str | None = None) -> Any:
    """The whole contents as a string tensor."""
    if NOW.trace is not None:
        NOW.trace.stay_eager("it reads a file")
    path = edge.text(filename)
    try:
        return edge.wrap(cell(Path(path).read_bytes()))
    except FileNotFoundError as error:
        raise NotFoundError(f"{path}; No such file or directory") from error
    except PermissionError as error:
        raise PermissionDeniedError(f"{path}; Permission denied") from error
    except IsADirectoryError as error:
        raise InvalidArgumentError(f"{path}; Is a directory") from error


def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    path = Path(edge.text(filename))
    data = to_numpy(contents)
    if data.dtype != object or data.ndim:
        raise InvalidArgumentError(f"contents must be one string, got {data.dtype} of shape {data.shape}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(data[()]))


def matching_files(pattern: Any, name: str | None = None) -> Any:
    found = sorted(set(gfile.glob([edge.text(p) for p in np.atleast_1d(to_numpy(pattern)).tolist()])))
    return edge.wrap(to_numpy(np.asarray(found, dtype=object)))


def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    return matching_files(pattern)

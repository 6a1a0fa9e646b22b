"""Datasets of files: TFRecords and lines of text. In: file names. Out: datasets of strings.

Files are read forward with a known offset after each record, so that a checkpoint of the iterator can go on in the middle.
Not here: what a record's bytes mean (`parse`).
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from typing import Any

from milepost._native.crc32c import masked_crc32c
from milepost.formats.record import FOOTER_BYTES, HEADER_BYTES, MAX_RECORD_BYTES
from milepost.tf.data.dataset import Dataset
from milepost.tf.failures import DataLossError, NotFoundError

__all__ = ["TFRecordDataset", "TextLineDataset", "read_records"]


def _open(path: str, compression: str | None) -> Any:
    try:
        if compression in ("GZIP", "gzip"):
            return gzip.open(path, "rb")
        if compression in ("ZLIB", "zlib"):
            import io

            with open(path, "rb") as file:
                return io.BytesIO(zlib.decompress(file.read()))
        return open(path, "rb", buffering=1 << 18)
    except FileNotFoundError as error:
        raise NotFoundError(f"{path}; No such file or directory") from error


def read_records(path: str, offset: int = 0, compression: str | None = None) -> Iterator[tuple[int, bytes]]:
    """(offset after it, payload) of each record, every checksum verified."""
    with _open(path, compression) as file:
        file.seek(offset)
        while True:
            head = file.read(HEADER_BYTES)
            if not head:
                return
            length = int.from_bytes(head[:8], "little")
            if len(head) < HEADER_BYTES:
                raise DataLossError(f"truncated record at {offset} in {path}")
            if int.from_bytes(head[8:], "little") != masked_crc32c(head[:8]) or length > MAX_RECORD_BYTES:
                raise DataLossError(f"corrupted record at {offset} in {path}")
            body = file.read(length + FOOTER_BYTES)
            if len(body) < length + FOOTER_BYTES:
                raise DataLossError(f"truncated record at {offset} in {path}")
            payload = body[:length]
            if int.from_bytes(body[length:], "little") != masked_crc32c(payload):
                raise DataLossError(f"corrupted record at {offset} in {path}")
            offset += HEADER_BYTES + length + FOOTER_BYTES
            yield offset, payload


def _read_lines(path: str, offset: int, compression: str | None) -> Iterator[tuple[int, bytes]]:
    with _open(path, compression) as file:
        file.seek(offset)
        for line in file:
            offset += len(line)
            yield offset, line.rstrip(b"\n").removesuffix(b"\r")


def TFRecordDataset(
    filenames: Any, compression_type: str | None = None, buffer_size: int | None = None, num_parallel_reads: Any = None,
    name: str | None = None,
) -> Dataset:  # fmt: skip
    """The payloads of TFRecord files."""
    return Dataset.from_files("TFRecordDatasetV2", filenames, lambda path, at: read_records(path, at, compression_type))


def TextLineDataset(
    filenames: Any, compression_type: str | None = None, buffer_size: int | None = None, num_parallel_reads: Any = None,
    name: str | None = None,
) -> Dataset:  # fmt: skip
    """The lines of text files, without their ends."""
    return Dataset.from_files("TextLineDatasetV2", filenames, lambda path, at: _read_lines(path, at, compression_type))

"""Datasets of files: TFRecords, lines of text, records of one length. In: file names. Out: datasets of strings.

Files are read forward with a known offset after each record, so that a checkpoint of the iterator can go on in the middle.
Not here: what a record's bytes mean (`parse`).
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from milepost._native.crc32c import masked_crc32c
from milepost.formats.record import FOOTER_BYTES, HEADER_BYTES, MAX_RECORD_BYTES
from milepost.tf.data.base import number
from milepost.tf.data.dataset import Dataset
from milepost.tf.failures import DataLossError, InvalidArgumentError, NotFoundError

__all__ = ["FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset", "open_file", "read_records"]


def open_file(path: str, compression: str | None) -> Any:
    try:
        if compression == "GZIP":
            return _Unpacked(gzip.open(path, "rb"), path)
        if compression == "ZLIB":
            with open(path, "rb") as file:
                packed = file.read()
            try:
                return io.BytesIO(zlib.decompress(packed))
            except zlib.error as error:
                raise DataLossError(f"{path} is no ZLIB file, or a damaged one: {error}") from error
        return open(path, "rb", buffering=1 << 18)
    except FileNotFoundError as error:
        raise NotFoundError(f"{path}; No such file or directory") from error
    except IsADirectoryError as error:
        raise InvalidArgumentError(f"{path}; Is a directory") from error


def _compression(kind: str | None) -> str | None:
    if kind not in (None, "", "GZIP", "ZLIB"):
        raise InvalidArgumentError(f"Unsupported compression_type: {kind}. It is '', 'GZIP' or 'ZLIB'.")
    return kind or None


class _Unpacked:
    """A GZIP file whose damages are data loss."""

    def __init__(self, file: Any, path: str):
        self._file, self._path = file, path

    def read(self, size: int) -> bytes:
        try:
            made: bytes = self._file.read(size)
        except (OSError, EOFError, zlib.error) as error:
            raise DataLossError(f"{self._path} is no GZIP file, or a damaged one: {error}") from error
        return made

    def seek(self, offset: int) -> None:
        self._file.seek(offset)

    def __iter__(self) -> Iterator[bytes]:
        lines = iter(self._file)
        while True:
            try:
                line = next(lines)
            except StopIteration:
                return
            except (OSError, EOFError, zlib.error) as error:
                raise DataLossError(f"{self._path} is no GZIP file, or a damaged one: {error}") from error
            yield line

    def __enter__(self) -> _Unpacked:
        return self

    def __exit__(self, *_: Any) -> None:
        self._file.close()


def read_records(path: str, offset: int = 0, compression: str | None = None) -> Iterator[tuple[int, bytes]]:
    """(offset after it, payload) of each record, every checksum verified."""
    with open_file(path, compression) as file:
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
    with open_file(path, compression) as file:
        file.seek(offset)
        for line in file:
            offset += len(line)
            yield offset, line.rstrip(b"\n").removesuffix(b"\r")


def _fixed(size: int, header: int, footer: int, compression: str | None) -> Callable[[str, int], Iterator[tuple[int, bytes]]]:  # fmt: skip
    def read(path: str, offset: int) -> Iterator[tuple[int, bytes]]:
        with open_file(path, compression) as file:
            whole: bytes = file.read(-1)
        body = len(whole) - header - footer
        if body < 0 or body % size:
            raise InvalidArgumentError(
                f"Excess bytes in the input: file '{path}' has body length {body} bytes, which is not an exact multiple of the "
                f"record length ({size} bytes)."
            )
        for at in range(max(offset, header), header + body, size):
            yield at + size, whole[at : at + size]

    return read


class _Records(Dataset):
    """A class of its own for `isinstance`; made by what its module says."""

    def __init__(self, made: Dataset):
        super().__init__(made._kind, made._opener, made._spec, made._cardinality, made._inputs, made._example)


class TFRecordDataset(_Records):
    """The payloads of TFRecord files."""

    def __init__(
        self, filenames: Any, compression_type: str | None = None, buffer_size: int | None = None,
        num_parallel_reads: Any = None, name: str | None = None,
    ):  # fmt: skip
        kind = _compression(compression_type)
        super().__init__(
            Dataset.from_files(
                "TFRecordDatasetV2", filenames, lambda path, at: read_records(path, at, kind), num_parallel_reads
            )
        )


class TextLineDataset(_Records):
    """The lines of text files, without their ends."""

    def __init__(
        self, filenames: Any, compression_type: str | None = None, buffer_size: int | None = None,
        num_parallel_reads: Any = None, name: str | None = None,
    ):  # fmt: skip
        kind = _compression(compression_type)
        super().__init__(
            Dataset.from_files(
                "TextLineDatasetV2", filenames, lambda path, at: _read_lines(path, at, kind), num_parallel_reads
            )
        )


class FixedLengthRecordDataset(_Records):
    """Records of one length, between a header and a footer."""

    def __init__(
        self, filenames: Any, record_bytes: Any, header_bytes: Any = None, footer_bytes: Any = None,
        buffer_size: int | None = None, compression_type: str | None = None, num_parallel_reads: Any = None,
        name: str | None = None,
    ):  # fmt: skip
        size = number(record_bytes)
        if size < 1:
            raise InvalidArgumentError(f"record_bytes must be >= 1, got {size}.")
        read = _fixed(size, number(header_bytes or 0), number(footer_bytes or 0), _compression(compression_type))
        super().__init__(Dataset.from_files("FixedLengthRecordDatasetV2", filenames, read, num_parallel_reads))

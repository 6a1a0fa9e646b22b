"""Writing TFRecords. In: payloads. Out: files, plain or packed, each record with its checksums. Reading is in `data.files`."""

from __future__ import annotations

import gzip
import zlib
from types import TracebackType
from typing import Any

from milepost.formats.record import frame
from milepost.tf.data import edge
from milepost.tf.data.structure import to_numpy
from milepost.tf.failures import FailedPreconditionError, NotFoundError

__all__ = ["TFRecordOptions", "TFRecordWriter"]


class TFRecordOptions:
    """How records are packed."""

    def __init__(
        self, compression_type: Any = None, flush_mode: Any = None, input_buffer_size: Any = None,
        output_buffer_size: Any = None, window_bits: Any = None, compression_level: int | None = None,
        compression_method: Any = None, mem_level: Any = None, compression_strategy: Any = None,
    ):  # fmt: skip
        if compression_type not in (None, "", "GZIP", "ZLIB"):
            raise ValueError(f'Not a valid compression_type: "{compression_type}"')
        self.compression_type = compression_type or ""
        self.compression_level = compression_level


class TFRecordWriter:
    """Writes payloads as records."""

    def __init__(self, path: Any, options: TFRecordOptions | str | None = None):
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        self._name = edge.text(path)
        level = options.compression_level if options.compression_level is not None else -1
        self._packer = zlib.compressobj(level) if options.compression_type == "ZLIB" else None
        try:
            if options.compression_type == "GZIP":
                self._file: Any = gzip.GzipFile(self._name, "wb", 6 if level < 0 else level)
            else:
                self._file = open(self._name, "wb")  # noqa: SIM115 - closed by close()
        except FileNotFoundError as error:
            raise NotFoundError(f"{self._name}; No such file or directory") from error

    def write(self, record: Any) -> None:
        if type(record) is not bytes:
            record = to_numpy(record)[()]
            if not isinstance(record, bytes):
                raise TypeError(f"A record is bytes or a string, got {type(record).__name__}.")
        if self._file.closed:
            raise FailedPreconditionError("Writer is closed.")
        framed = frame(record)
        self._file.write(framed if self._packer is None else self._packer.compress(framed))

    def flush(self) -> None:
        if self._packer is not None:
            self._file.write(self._packer.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        if not self._file.closed:
            if self._packer is not None:
                self._file.write(self._packer.flush())
            self._file.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

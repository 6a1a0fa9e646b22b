"""Values too big for columns, left in their files. In: where a value lies. Out: its bytes, read and verified when asked for.

A place is (file, record, offset in it, length): memory stays bounded however many images a log holds.
Not here: what the bytes mean (`media`).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from milepost._native.crc32c import masked_crc32c
from milepost.errors import CorruptionError, StorageError
from milepost.formats.record import FOOTER_BYTES, HEADER_BYTES

__all__ = ["Blob"]

_HEADER = struct.Struct("<QI")
_CRC = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Blob:
    """One value inside one record of one file."""

    file: str
    record: int  # byte at which the record begins
    offset: int  # of the value in the record's data
    length: int
    field: int  # what it is: a field of Summary.Value, or 100 + a field of Event

    def read(self) -> bytes:
        """The value's bytes. The record's checksums are verified again: the file may have been replaced since."""
        try:
            with open(self.file, "rb") as stream:
                stream.seek(self.record)
                header = stream.read(HEADER_BYTES)
                if len(header) < HEADER_BYTES:
                    raise CorruptionError(
                        "the record is no longer there", where=self.where, todo="refresh and try again"
                    )
                length, crc = _HEADER.unpack(header)
                if masked_crc32c(header[:8]) != crc or length < self.offset + self.length:
                    raise CorruptionError("the file was changed", where=self.where, todo="refresh and try again")
                data = stream.read(length + FOOTER_BYTES)
        except OSError as error:
            if isinstance(error, StorageError):
                raise
            raise StorageError(f"cannot be read: {error.strerror}", where=self.file) from error
        if len(data) < length + FOOTER_BYTES or _CRC.unpack_from(data, length)[0] != masked_crc32c(
            memoryview(data)[:length]
        ):
            raise CorruptionError(
                "the record does not match its checksum", where=self.where, todo="refresh and try again"
            )
        return data[self.offset : self.offset + self.length]

    @property
    def where(self) -> str:
        return f"{self.file}: byte {self.record}"

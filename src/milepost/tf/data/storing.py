"""Elements in files: what `cache(filename)`, `save`, `load` and `snapshot` write. In: elements. Out: TFRecord files of frozen elements, and back.

`NAME.data` holds the records, `NAME.index` appears when they are complete: half a file is never read. Nothing is executed on reading.
Not TensorFlow's own snapshot format.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
from collections.abc import Iterator
from typing import Any

from milepost.formats.record import frame
from milepost.storage import LocalStorage
from milepost.tf.data.cursor import Element
from milepost.tf.data.frozen import freeze, thaw
from milepost.tf.failures import AlreadyExistsError, InvalidArgumentError, NotFoundError

__all__ = ["RecordFile"]


class RecordFile:
    """A file of elements."""

    def __init__(self, name: str, compression: str | None = None):
        if compression not in (None, "NONE", "", "AUTO", "GZIP"):
            raise InvalidArgumentError(f"compression must be None or 'GZIP', got {compression!r}.")
        self.name, self.packed = name, compression == "GZIP"
        self.data, self.index = f"{name}.data", f"{name}.index"

    def complete(self) -> bool:
        return os.path.exists(self.index)

    def writer(self) -> _Writer:
        return _Writer(self)

    def read(self, skip: int = 0) -> Iterator[Element]:
        """The elements; those before `skip` are not even looked at."""
        from milepost.tf.data.files import read_records

        try:
            with open(self.index) as file:
                facts = json.load(file)
        except FileNotFoundError as error:
            raise NotFoundError(f"{self.index}; No such file or directory") from error
        for place, (_, payload) in enumerate(read_records(self.data, 0, "GZIP" if facts["gzip"] else None)):
            if place >= skip:
                yield thaw(payload)

    def count(self) -> int:
        with open(self.index) as file:
            return int(json.load(file)["count"])


class _Writer:
    def __init__(self, file: RecordFile):
        self.file, self.count = file, 0
        self.lock = f"{file.name}.lockfile"
        try:
            os.close(os.open(self.lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError as error:
            raise AlreadyExistsError(
                f"There appears to be a concurrent caching iterator running - cache lockfile already exists ('{self.lock}'). "
                "If you are sure no other running program is using this cache prefix, delete the lockfile."
            ) from error
        except FileNotFoundError as error:
            raise NotFoundError(f"{self.lock}; No such file or directory") from error
        self.out: Any = gzip.open(file.data, "wb") if file.packed else open(file.data, "wb")  # noqa: SIM115 - closed by finish

    def write(self, element: Element) -> None:
        self.out.write(frame(freeze(element)))
        self.count += 1

    def finish(self) -> None:
        self.out.close()
        with open(self.file.index + ".part", "w") as file:
            json.dump({"count": self.count, "gzip": self.file.packed}, file)
        LocalStorage("fast").replace(self.file.index + ".part", self.file.index)
        self._unlock()

    def abandon(self) -> None:
        """What was written is no whole pass."""
        if not self.out.closed:
            self.out.close()
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.file.data)
            self._unlock()

    def _unlock(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.lock)

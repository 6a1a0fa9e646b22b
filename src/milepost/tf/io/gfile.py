"""tf.io.gfile: the file system under TensorFlow's names. In: paths. Out: files, names, facts about them. Local files only."""

from __future__ import annotations

import contextlib
import glob as globbing
import os
import re
import shutil
from collections.abc import Iterator
from typing import Any

from milepost.tf.failures import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    UnimplementedError,
)

__all__ = [
    "GFile", "copy", "exists", "get_registered_schemes", "glob", "isdir", "join", "listdir", "makedirs", "mkdir", "remove", "rename",
    "rmtree", "stat", "walk",
]  # fmt: skip


def _text(path: Any) -> str:
    if hasattr(path, "numpy"):
        path = path.numpy()
    text = os.fsdecode(os.fspath(path))
    scheme = re.match(r"([a-z][a-z0-9+.-]*)://", text)
    if scheme is None:
        return text
    if scheme[1] == "file":
        return text[len("file://") :]
    raise UnimplementedError(f"File system scheme '{scheme[1]}' not implemented (file: '{text}')")


@contextlib.contextmanager
def _told(path: str) -> Iterator[None]:
    """The operating system's refusals as TensorFlow's."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError(f"{path}; No such file or directory") from error
    except FileExistsError as error:
        raise AlreadyExistsError(f"{path}; File exists") from error
    except PermissionError as error:
        raise PermissionDeniedError(f"{path}; Permission denied") from error
    except (IsADirectoryError, NotADirectoryError, OSError) as error:
        raise FailedPreconditionError(f"{path}; {error.strerror}") from error


class GFile:
    """A file that is opened when it is first read or written."""

    def __init__(self, name: Any, mode: str = "r"):
        if mode.replace("b", "") not in ("r", "w", "a", "r+", "w+", "a+"):
            raise InvalidArgumentError("mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._name, self._mode = name, mode
        self._file: Any = None

    @property
    def name(self) -> Any:
        return self._name

    @property
    def mode(self) -> str:
        return self._mode

    def _open(self) -> Any:
        if self._file is None or self._file.closed:
            path = _text(self._name)
            with _told(path):
                self._file = open(path, self._mode) if "b" in self._mode else open(path, self._mode, encoding="utf-8", newline="")  # noqa: SIM115  # fmt: skip
        return self._file

    def _readable(self) -> Any:
        if self._mode.startswith(("w", "a")) and "+" not in self._mode:
            raise PermissionDeniedError("File isn't open for reading")
        return self._open()

    def size(self) -> int:
        self.flush()
        with _told(_text(self._name)):
            return os.path.getsize(_text(self._name))

    def write(self, file_content: Any) -> None:
        if self._mode.startswith("r") and "+" not in self._mode:
            raise PermissionDeniedError("File isn't open for writing")
        if isinstance(file_content, bytes) and "b" not in self._mode:
            file_content = file_content.decode()
        elif isinstance(file_content, str) and "b" in self._mode:
            file_content = file_content.encode()
        self._open().write(file_content)
        self._file.flush()

    def read(self, n: int = -1) -> Any:
        return self._readable().read(n)

    def readline(self) -> Any:
        return self._readable().readline()

    def readlines(self) -> list[Any]:
        return list(self._readable().readlines())

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        self._open().seek(offset if offset is not None else position, whence)

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return int(self._open().tell())

    def flush(self) -> None:
        if self._file is not None and not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        if self._file is None and self._mode.startswith(("w", "a")):
            self._open()  # an empty file is a file
        if self._file is not None:
            self._file.close()

    def __iter__(self) -> GFile:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self._file.close()


class FileStatistics:
    """What `stat` says."""

    def __init__(self, found: os.stat_result):
        self.length, self.mtime_nsec = found.st_size, found.st_mtime_ns
        self.is_directory = bool(found.st_mode & 0o040000)


def join(path: Any, *paths: Any) -> str:
    return os.path.join(os.fsdecode(path), *(os.fsdecode(p) for p in paths))


def exists(path: Any) -> bool:
    return os.path.exists(_text(path))


def isdir(path: Any) -> bool:
    return os.path.isdir(_text(path))


def listdir(path: Any) -> list[str]:
    if not isdir(path):
        raise NotFoundError(f"Could not find directory {_text(path)}")
    with _told(_text(path)):
        return sorted(os.listdir(_text(path)))


def glob(pattern: Any) -> list[str]:
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return sorted({found for one in patterns for found in globbing.glob(_text(one))})


def makedirs(path: Any) -> None:
    with _told(_text(path)):
        os.makedirs(_text(path), exist_ok=True)


def mkdir(path: Any) -> None:
    with _told(_text(path)):
        os.makedirs(_text(path), exist_ok=True) if isdir(path) else os.mkdir(_text(path))


def remove(path: Any) -> None:
    with _told(_text(path)):
        os.remove(_text(path))


def rmtree(path: Any) -> None:
    if not exists(path):
        raise NotFoundError(f"{_text(path)} not found")
    with _told(_text(path)):
        shutil.rmtree(_text(path))


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    if exists(dst) and not overwrite:
        raise AlreadyExistsError("file already exists")
    with _told(_text(src)):
        shutil.move(_text(src), _text(dst))


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    if not exists(src):
        raise NotFoundError(f"{_text(src)}; No such file or directory")
    if exists(dst) and not overwrite:
        raise AlreadyExistsError("file already exists")
    with _told(_text(src)):
        shutil.copyfile(_text(src), _text(dst))


def stat(path: Any) -> FileStatistics:
    with _told(_text(path)):
        return FileStatistics(os.stat(_text(path)))


def walk(top: Any, topdown: bool = True, onerror: Any = None) -> Iterator[tuple[str, list[str], list[str]]]:
    for folder, folders, files in os.walk(_text(top), topdown, onerror):
        folders.sort()
        yield folder, folders, sorted(files)


def get_registered_schemes() -> list[str]:
    return ["", "file"]

"""tf.io.gfile: the file system under TensorFlow's names. In: paths. Out: files, names, facts about them. Local files only."""

from __future__ import annotations

import glob as globbing
import os
import shutil
from collections.abc import Iterator
from typing import Any

from milepost.tf.failures import AlreadyExistsError, NotFoundError

__all__ = [
    "GFile", "copy", "exists", "glob", "isdir", "join", "listdir", "makedirs", "mkdir", "remove", "rename", "rmtree", "stat", "walk",
]  # fmt: skip

join = os.path.join


def _text(path: Any) -> str:
    return os.fsdecode(os.fspath(path))


def GFile(name: Any, mode: str = "r") -> Any:
    """An open file."""
    try:
        return open(_text(name), mode)
    except FileNotFoundError as error:
        raise NotFoundError(f"{_text(name)}; No such file or directory") from error


def exists(path: Any) -> bool:
    return os.path.exists(_text(path))


def isdir(path: Any) -> bool:
    return os.path.isdir(_text(path))


def listdir(path: Any) -> list[str]:
    try:
        return sorted(os.listdir(_text(path)))
    except FileNotFoundError as error:
        raise NotFoundError(f"Could not find directory {_text(path)}") from error


def glob(pattern: Any) -> list[str]:
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return sorted({found for one in patterns for found in globbing.glob(_text(one))})


def makedirs(path: Any) -> None:
    os.makedirs(_text(path), exist_ok=True)


def mkdir(path: Any) -> None:
    os.mkdir(_text(path))


def remove(path: Any) -> None:
    try:
        os.remove(_text(path))
    except FileNotFoundError as error:
        raise NotFoundError(f"{_text(path)}; No such file or directory") from error


def rmtree(path: Any) -> None:
    shutil.rmtree(_text(path))


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    if exists(dst) and not overwrite:
        raise AlreadyExistsError("file already exists")
    shutil.move(_text(src), _text(dst))


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    if exists(dst) and not overwrite:
        raise AlreadyExistsError("file already exists")
    shutil.copyfile(_text(src), _text(dst))


def stat(path: Any) -> os.stat_result:
    return os.stat(_text(path))


def walk(top: Any, topdown: bool = True, onerror: Any = None) -> Iterator[tuple[str, list[str], list[str]]]:
    yield from os.walk(_text(top), topdown, onerror)

"""Strings as Unicode: into code points or characters and back, from one encoding to another, and the script of a character."""

from __future__ import annotations

import codecs
import functools
import unicodedata
from typing import Any

import numpy as np
import torch

from milepost.tf import failures
from milepost.tf.convert import Composite, raw
from milepost.tf.strings.elements import column, each, plural
from milepost.tf.strings.scripts import script
from milepost.tf.tensor import host, wrap

__all__ = [
    "unicode_decode", "unicode_decode_with_offsets", "unicode_encode", "unicode_script", "unicode_split",
    "unicode_split_with_offsets", "unicode_transcode",
]  # fmt: skip

_OUTPUT = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}


def _python_name(encoding: str) -> str:
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise failures.InvalidArgumentError(f"Could not create converter for input encoding: {encoding}") from None
    return encoding.lower()


def _mode(errors: str) -> None:
    if errors not in ("strict", "replace", "ignore"):
        raise failures.InvalidArgumentError(f"Value for attr 'errors' of \"{errors}\" is not in the list of allowed values: \"strict\", \"replace\", \"ignore\"")  # fmt: skip


def _characters(
    b: bytes, encoding: str, errors: str, replacement: int, controls: bool, op: str
) -> list[tuple[int, int]]:
    """(code point, offset in bytes) of each character; bytes that mean nothing are replaced, left out, or an error."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(b):
        try:
            good, bad = b[at:].decode(encoding), None
        except UnicodeDecodeError as error:
            good, bad = b[at : at + error.start].decode(encoding), (error.start, error.end)
        offset = at
        for character in good:
            code = ord(character)
            found.append((replacement if controls and unicodedata.category(character) == "Cc" else code, offset))
            offset += len(character.encode(encoding))
        if bad is None:
            break
        if errors == "strict":
            raise failures.kernel(op, "Invalid formatting on input string")
        if errors == "replace":
            found.append((replacement, at + bad[0]))
        at += max(bad[1], 1)
    return found


def _reader(input_encoding: str, errors: str, replacement: int, controls: bool, op: str) -> Any:
    _mode(errors)
    name = _python_name(input_encoding)
    return functools.partial(
        _characters, encoding=name, errors=errors, replacement=replacement, controls=controls, op=op
    )


def _int32(values: list[int]) -> Any:
    return torch.tensor(values, dtype=torch.int32)


def _int64(values: list[int]) -> Any:
    return torch.tensor(values, dtype=torch.int64)


def unicode_decode(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    replace_control_characters: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """The code points of each string."""
    read = _reader(input_encoding, errors, replacement_char, replace_control_characters, "UnicodeDecode")
    return plural(input, lambda b: [code for code, _ in read(b)], _int32)


def unicode_decode_with_offsets(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    replace_control_characters: bool = False, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """The code points, and where each starts."""
    read = _reader(input_encoding, errors, replacement_char, replace_control_characters, "UnicodeDecodeWithOffsets")
    return (
        plural(input, lambda b: [code for code, _ in read(b)], _int32),
        plural(input, lambda b: [at for _, at in read(b)], _int64),
    )


def unicode_split(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533, name: str | None = None
) -> Any:
    """The characters of each string, as strings in the same encoding."""
    read = _reader(input_encoding, errors, replacement_char, False, "UnicodeDecode")
    own = _python_name(input_encoding)
    if errors != "strict" and own == "utf-8":
        return plural(input, lambda b: _quick(b) or [chr(c).encode(own) for c, _ in read(b)], column)
    return plural(input, lambda b: [chr(code).encode(own) for code, _ in read(b)], column)


def _quick(b: bytes) -> list[bytes] | None:
    """Plain ASCII needs no decoding."""
    return [b[i : i + 1] for i in range(len(b))] if b.isascii() else None


def unicode_split_with_offsets(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533, name: str | None = None
) -> tuple[Any, Any]:
    """The characters, and where each starts."""
    read = _reader(input_encoding, errors, replacement_char, False, "UnicodeDecodeWithOffsets")
    return (
        unicode_split(input, input_encoding, errors, replacement_char),
        plural(input, lambda b: [at for _, at in read(b)], _int64),
    )


def _written(codes: list[int], encoding: str, errors: str, replacement: int) -> bytes:
    made: list[str] = []
    for code in codes:
        if 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF:
            made.append(chr(code))
        elif errors == "strict":
            raise failures.kernel("UnicodeEncode", "Code point is out of range for Unicode, or a noncharacter.")
        elif errors == "replace":
            made.append(chr(replacement))
    return "".join(made).encode(encoding)


def unicode_encode(
    input: Any, output_encoding: str, errors: str = "replace", replacement_char: int = 65533, name: str | None = None
) -> Any:
    """Strings from code points: the last axis becomes one string."""
    _mode(errors)
    if output_encoding not in _OUTPUT:
        raise failures.InvalidArgumentError(f"Value for attr 'output_encoding' of \"{output_encoding}\" is not in the list of allowed values: {', '.join(_OUTPUT)}")  # fmt: skip
    into = _OUTPUT[output_encoding]
    try:
        codes = host(raw(input))
    except Composite as found:
        rt = found.value
        if hasattr(rt.values, "row_splits"):
            return rt.with_values(unicode_encode(rt.values, output_encoding, errors, replacement_char))
        return wrap(column([_written(row, into, errors, replacement_char) for row in rt.to_list()]))
    if not codes.ndim:
        raise ValueError("input_tensor's rank must be at least 1.")
    rows = codes.reshape(-1, codes.shape[-1]).tolist() if codes.size else [[]] * int(np.prod(codes.shape[:-1]))
    return wrap(column([_written(row, into, errors, replacement_char) for row in rows]).reshape(codes.shape[:-1]))


def unicode_transcode(
    input: Any, input_encoding: str, output_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    replace_control_characters: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """The same text in another encoding."""
    if output_encoding not in _OUTPUT:
        raise failures.InvalidArgumentError(f"Value for attr 'output_encoding' of \"{output_encoding}\" is not in the list of allowed values: {', '.join(_OUTPUT)}")  # fmt: skip
    read = _reader(input_encoding, errors, replacement_char, replace_control_characters, "UnicodeTranscode")
    into = _OUTPUT[output_encoding]
    return each(input, lambda b: "".join(chr(code) for code, _ in read(b)).encode(into))


def unicode_script(input: Any, name: str | None = None) -> Any:
    """The number of the script each code point belongs to, in ICU's numbering."""
    try:
        codes = host(raw(input))
    except Composite as found:
        return found.value.with_flat_values(unicode_script(found.value.flat_values))
    made = np.array([script(int(c)) for c in codes.reshape(-1).tolist()], np.int32).reshape(codes.shape)
    return wrap(torch.from_numpy(made))

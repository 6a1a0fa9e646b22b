"""Regular expressions in RE2's spelling, run by Python's `re`. In: patterns and strings. Out: strings, or whether they match.

Strings are matched as UTF-8 text, `\\w` and the like mean ASCII, `$` means the very end, and look-around and back references are refused, as in
RE2.
"""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
import warnings
from collections.abc import Callable
from typing import Any

import torch

from milepost.tf import failures
from milepost.tf.strings.elements import each, number, one

__all__ = ["regex_full_match", "regex_replace"]

_POSIX = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "0-9A-Za-z", "upper": "A-Z", "lower": "a-z", "space": r"\t\n\v\f\r ", "blank": r"\t ",
    "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9A-Fa-f", "word": "0-9A-Za-z_", "cntrl": r"\x00-\x1f\x7f", "print": " -~", "graph": "!-~",
    "ascii": r"\x00-\x7f",
}  # fmt: skip


@functools.cache
def _category(name: str) -> str:
    """The characters of a Unicode general category, as the inside of a character class."""
    spans: list[list[int]] = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)).startswith(name):
            if spans and spans[-1][1] == code - 1:
                spans[-1][1] = code
            else:
                spans.append([code, code])
    return "".join(f"\\U{a:08x}" if a == b else f"\\U{a:08x}-\\U{b:08x}" for a, b in spans)


_TOKEN = re.compile(
    r"\(\?<?[=!]|\\[1-9]|\\[pP](?:\{\^?\w+\}|\w)|\\Q.*?(?:\\E|\Z)|\\z|\\C|\\.|\[:\^?\w+:\]|\[\^?\]?|\]|\$|.", re.S
)


def _translated(pattern: str) -> str:
    """RE2's spelling in Python's."""
    made: list[str] = []
    inside = False
    many_lines = re.search(r"\(\?[a-zA-Z]*m", pattern) is not None
    for token in _TOKEN.findall(pattern):
        if token.startswith("(?") and not inside:
            raise re.error(f"invalid perl operator: {token}")
        if re.fullmatch(r"\\[1-9]", token):
            raise re.error(f"invalid escape sequence: {token}")
        if token.startswith((r"\p", r"\P")) and len(token) > 2:
            name = token[2:].strip("{}")
            negative = (token[1] == "P") != name.startswith("^")
            spans = _category(name.lstrip("^"))
            if not spans:
                raise re.error(f"invalid character class range: {token}")
            if inside and negative:
                raise re.error(f"{token} inside a character class is not supported")
            made.append(spans if inside else f"[{'^' if negative else ''}{spans}]")
        elif token.startswith(r"\Q"):
            made.append(re.escape(token[2:].removesuffix(r"\E")))
        elif token == r"\z":
            made.append(r"\Z")
        elif token.startswith("[:") and token.endswith(":]"):
            name = token[2:-2]
            if not inside or name not in _POSIX:
                raise re.error(f"invalid character class range: {token}")
            made.append(_POSIX[name])
        elif token.startswith("["):
            made.append(r"\[" + token[1:] if inside else token.replace("]", r"\]"))
            inside = True
        elif token == "]":
            inside = False
            made.append(token)
        elif token == "$" and not inside and not many_lines:
            made.append(r"\Z")
        else:
            made.append(token)
    return "".join(made)


@functools.lru_cache(512)
def _compiled(pattern: bytes, op: str) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `[[` and `--` in a class: RE2 takes them as they stand
            return re.compile(_translated(pattern.decode("utf-8", "surrogateescape")), re.ASCII)
    except (re.error, OverflowError) as error:
        shown = pattern.decode(errors="replace")
        raise failures.kernel(op, f"Invalid pattern: {shown}, error: {error}") from None


def _rewriter(rewrite: bytes, pattern: re.Pattern[str]) -> Callable[[re.Match[str]], str] | str | None:
    """What a match becomes; None where the rewrite asks for a group that is not there, which changes nothing, as in RE2."""
    text = rewrite.decode("utf-8", "surrogateescape")
    parts: list[str | int] = []
    at = 0
    while at < len(text):
        if text[at] != "\\":
            parts.append(text[at])
            at += 1
            continue
        after = text[at + 1 : at + 2]
        if after.isdigit():
            if int(after) > pattern.groups:
                return None
            parts.append(int(after))
        elif after == "\\":
            parts.append("\\")
        else:
            break  # RE2 goes no further in a rewrite it does not understand
        at += 2
    if not any(isinstance(p, int) for p in parts):
        return "".join(map(str, parts)).replace("\\", r"\\")
    return lambda found: "".join(p if isinstance(p, str) else found.group(p) or "" for p in parts)


def regex_replace(input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None) -> Any:
    """What matches, replaced; \\1 in the rewrite is what the first group matched."""
    op = "StaticRegexReplace" if isinstance(pattern, str) else "RegexReplace"
    found = _compiled(one(pattern), op)
    into, count = _rewriter(one(rewrite), found), 0 if replace_global else 1
    if into is None:
        return each(input, lambda b: b)

    def replaced(b: bytes) -> bytes:
        text = b.decode("utf-8", "surrogateescape")
        return found.sub(into, text, count=count).encode("utf-8", "surrogateescape")

    return each(input, replaced)


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Any:
    """Whether the whole string matches."""
    found = _compiled(one(pattern), "StaticRegexFullMatch" if isinstance(pattern, str) else "RegexFullMatch")
    return number(input, lambda b: found.fullmatch(b.decode("utf-8", "surrogateescape")) is not None, torch.bool)

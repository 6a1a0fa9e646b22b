"""`projector_config.pbtxt`: which tables the projector shows. In: protobuf's text form. Out: a `ProjectorConfig`. Opens no file.

Only what that message holds is kept; other fields are passed over, as newer writers may add some.
"""

from __future__ import annotations

import re
from typing import Any

from milepost.errors import FormatError
from milepost.formats.plugins import EmbeddingInfo, ProjectorConfig, SpriteMetadata

__all__ = ["read_projector_config"]

MAX_DEPTH = 16
_TOKEN = re.compile(
    r"""\s+|\#[^\n]*|[;,]|(?P<word>[A-Za-z0-9_.+-]+)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<sign>[{}<>:\[\]])"""
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.S)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
Fields = list[tuple[str, Any]]


def read_projector_config(text: str, *, where: str = "projector_config.pbtxt") -> ProjectorConfig:
    fields, rest = _fields(_tokens(text, where), 0, 0, where)
    del rest
    config = ProjectorConfig()
    for name, value in fields:
        if name == "model_checkpoint_path":
            config.model_checkpoint_path = str(value)
        elif name == "model_checkpoint_dir":
            config.model_checkpoint_dir = str(value)
        elif name == "embeddings" and isinstance(value, list):
            config.embeddings.append(_embedding(value))
    return config


def _embedding(fields: Fields) -> EmbeddingInfo:
    info = EmbeddingInfo()
    for name, value in fields:
        if name == "tensor_shape":
            info.tensor_shape += _whole(value)
        elif name == "sprite" and isinstance(value, list):
            info.sprite = SpriteMetadata()
            for inner, told in value:
                if inner == "image_path":
                    info.sprite.image_path = str(told)
                elif inner == "single_image_dim":
                    info.sprite.single_image_dim += _whole(told)
        elif name in ("tensor_name", "tensor_path", "metadata_path", "bookmarks_path"):
            setattr(info, name, str(value))
    return info


def _whole(value: Any) -> list[int]:
    several = value if isinstance(value, list) else [value]
    return [int(v) for v in several if isinstance(v, str) and v.isdigit() and len(v) < 10]


def _tokens(text: str, where: str) -> list[tuple[str, str]]:
    """("word" | "text" | "sign", as written without quotes)."""
    out, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise FormatError("not protobuf's text form", where=where, got=repr(text[at : at + 20]))
        at = match.end()
        if match.lastgroup == "text":
            out.append(("text", _unescaped(match["text"][1:-1])))
        elif match.lastgroup:
            out.append((match.lastgroup, match[0]))
    return out


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text

    def one(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] == "x" and len(code) > 1:
            return chr(int(code[1:], 16))
        return chr(int(code, 8) & 255) if code[0] in "01234567" else _PLAIN.get(code, code)

    made = _ESCAPE.sub(one, text)
    try:  # escapes are bytes of UTF-8
        return made.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return made


def _fields(tokens: list[tuple[str, str]], at: int, depth: int, where: str) -> tuple[Fields, int]:
    """The fields up to the closing bracket, and where they end."""
    if depth > MAX_DEPTH:
        raise FormatError("nested too deeply", where=where)
    out: Fields = []
    while at < len(tokens):
        kind, name = tokens[at]
        if kind == "sign" and name in "}>" and depth:
            return out, at + 1
        if kind != "word":
            raise FormatError("a field's name is wanted", where=where, got=repr(name))
        at += 1
        if tokens[at : at + 1] == [("sign", ":")]:
            at += 1
        value: Any
        if at >= len(tokens):
            raise FormatError(f"{name} has no value", where=where)
        kind, value = tokens[at]
        at += 1
        if kind == "sign" and value in "{<":
            value, at = _fields(tokens, at, depth + 1, where)
        elif kind == "sign" and value == "[":
            value = []
            while at < len(tokens) and tokens[at] != ("sign", "]"):
                value.append(tokens[at][1])
                at += 1
            at += 1
        elif kind == "sign":
            raise FormatError(f"{name} has no value", where=where, got=repr(value))
        else:
            while kind == "text" and at < len(tokens) and tokens[at][0] == "text":  # "a" "b" is one text
                value += tokens[at][1]
                at += 1
        out.append((name, value))
    if depth:
        raise FormatError("a bracket is not closed", where=where)
    return out, at

"""The text file named `checkpoint` beside checkpoints. In: text. Out: CheckpointState, or back.

protobuf's text format, and of it what this message needs. TensorFlow gives up on the whole file at an unknown field, so
nothing of ours is ever added here; ours skips what it does not know. Not here: which directory, which files exist.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from milepost.errors import FormatError

__all__ = ["STATE_FILE", "CheckpointState"]

STATE_FILE = "checkpoint"
MAX_STATE_BYTES = 64 << 20

_TOKEN = re.compile(
    r"""\s+|\#[^\n]*|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<colon>:)|(?P<end>[;,])|(?P<open>[{<])|(?P<close>[}>])"""
    r"""|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<number>[-+]?[0-9.][0-9A-Za-z.+-]*)"""
)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|(.))", re.DOTALL)
_NAMED = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


@dataclass(frozen=True, slots=True)
class CheckpointState:
    """The newest checkpoint, all that are kept (oldest first), and when they were written."""

    model_checkpoint_path: str
    all_model_checkpoint_paths: tuple[str, ...] = ()
    all_model_checkpoint_timestamps: tuple[float, ...] = ()
    last_preserved_timestamp: float | None = None

    def encode(self) -> str:
        """The file's text, as TensorFlow prints it."""
        lines = [f"model_checkpoint_path: {_quote(self.model_checkpoint_path)}"]
        lines += [f"all_model_checkpoint_paths: {_quote(path)}" for path in self.all_model_checkpoint_paths]
        lines += [f"all_model_checkpoint_timestamps: {_number(t)}" for t in self.all_model_checkpoint_timestamps]
        if self.last_preserved_timestamp is not None:
            lines.append(f"last_preserved_timestamp: {_number(self.last_preserved_timestamp)}")
        return "\n".join(lines) + "\n"

    @classmethod
    def decode(cls, text: str, *, where: str = STATE_FILE) -> CheckpointState:
        latest, paths, times, preserved = "", [], [], None
        for name, value in _fields(text, where):
            if name == "model_checkpoint_path":
                latest = str(value)
            elif name == "all_model_checkpoint_paths":
                paths.append(str(value))
            elif name in ("all_model_checkpoint_timestamps", "last_preserved_timestamp"):
                try:
                    number = float(value)
                except ValueError:
                    raise FormatError(f"{name} is no number", where=where, got=value) from None
                if name == "last_preserved_timestamp":
                    preserved = number
                else:
                    times.append(number)
        return cls(latest, tuple(paths), tuple(times), preserved)


def _fields(text: str, where: str) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    at, depth, name, texts = 0, 0, "", 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise FormatError("the checkpoint state file is not readable text format", where=f"{where} at {at}")
        at = token.end()
        kind = token.lastgroup
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
        elif depth or kind in (None, "colon", "end"):
            continue
        elif kind == "name":
            name, texts = token[0], 0
        elif kind == "text" and name:
            # adjacent strings are one value
            if texts:
                out[-1] = (name, out[-1][1] + _unquote(token[0]))
            else:
                out.append((name, _unquote(token[0])))
            texts += 1
        elif kind == "number" and name:
            out.append((name, token[0]))
    return out


def _quote(text: str) -> str:
    out = []
    for letter in text:
        if ord(letter) > 127 and not 0xD800 <= ord(letter) <= 0xDFFF:
            out.append(letter)  # as TensorFlow writes it: names stay readable
            continue
        (byte,) = letter.encode("utf-8", "surrogateescape")
        if byte in b'"\\':
            out.append("\\" + chr(byte))
        elif byte == 0x27:
            out.append("\\'")
        elif byte in b"\n\r\t":
            out.append({10: "\\n", 13: "\\r", 9: "\\t"}[byte])
        elif 32 <= byte < 127:
            out.append(chr(byte))
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def _unquote(token: str) -> str:
    def one(found: re.Match[bytes]) -> bytes:
        octal, hexadecimal, plain = found.groups()
        if octal:
            return bytes((int(octal, 8) & 0xFF,))
        if hexadecimal:
            return bytes((int(hexadecimal, 16),))
        return _NAMED.get(plain, plain)

    return _ESCAPE.sub(one, token[1:-1].encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)

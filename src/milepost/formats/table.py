"""LevelDB tables, the form of every `.index` file. In: sorted keys and values, or a file's bytes. Out: the other one.

    file     data block… | metaindex block | index block | footer
    block    contents | type: 1 byte (0 plain, 1 snappy) | masked crc32c of both: 4 bytes
    footer   handle of metaindex | handle of index | zeros up to 40 bytes | magic: 8 bytes

`build` writes the very bytes TensorFlow's builder writes (block size 262 144, restarts every 16 keys, no compression).
`parse` verifies every block's checksum. Not here: what keys and values mean (`bundle`), the loops (`_native.table`).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from milepost._native.crc32c import crc32c, mask
from milepost._native.table import BadBlock, build_block, parse_block
from milepost.errors import CorruptionError, FormatError, TruncatedError
from milepost.formats import snappy
from milepost.formats.wire import decode_varint, encode_varint

__all__ = ["BLOCK_BYTES", "FOOTER_BYTES", "MAGIC", "Table", "build", "parse"]

BLOCK_BYTES = 262_144
RESTART_INTERVAL = 16
FOOTER_BYTES = 48
TRAILER_BYTES = 5
MAGIC = bytes.fromhex("57fb808b247547db")
EMPTY_BLOCK = struct.pack("<II", 0, 1)  # one restart at 0
PLAIN, SNAPPY = 0, 1
KEY_BYTES_FLOOR, KEY_GROWTH = 16 << 20, 16  # prefix compression may unfold keys to floor + growth × file size

_CRC = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Table:
    """Keys in byte order, and their values, as two columns."""

    keys: list[bytes]
    values: list[bytes]


def build(keys: list[bytes], values: list[bytes]) -> bytes:
    """The table's file bytes. `keys` must be strictly increasing."""
    out: list[bytes] = []
    size = 0

    def add(contents: bytes) -> bytes:
        nonlocal size
        handle = encode_varint(size) + encode_varint(len(contents))
        out.extend((contents, b"\0", _CRC.pack(mask(crc32c(b"\0", crc32c(contents))))))
        size += len(contents) + TRAILER_BYTES
        return handle

    index_keys: list[bytes] = []
    index_values: list[bytes] = []
    at = 0
    while at < len(keys):
        contents, after = build_block(keys, values, at, RESTART_INTERVAL, BLOCK_BYTES)
        last = keys[after - 1]
        index_keys.append(_separator(last, keys[after]) if after < len(keys) else _successor(last))
        index_values.append(add(contents))
        at = after
    metaindex = add(EMPTY_BLOCK)
    # The index block is one block whatever its size: no limit makes the builder stop early.
    index = add(build_block(index_keys, index_values, 0, 1, 1 << 62)[0] if index_keys else EMPTY_BLOCK)
    out.append((metaindex + index).ljust(FOOTER_BYTES - len(MAGIC), b"\0") + MAGIC)
    return b"".join(out)


def _separator(last: bytes, following: bytes) -> bytes:
    """The shortest key k with last ≤ k < following that the builder finds: one byte raised, the rest cut."""
    for i, (a, b) in enumerate(zip(last, following, strict=False)):
        if a != b:
            return last[:i] + bytes((a + 1,)) if a < 0xFF and a + 1 < b else last
    return last


def _successor(last: bytes) -> bytes:
    for i, byte in enumerate(last):
        if byte != 0xFF:
            return last[:i] + bytes((byte + 1,))
    return last


def parse(data: bytes | bytearray | memoryview, *, where: str = "index", verify: bool = True) -> Table:
    """All keys and values of a table. Raises TruncatedError, CorruptionError or FormatError with the block's place."""
    view = memoryview(data).cast("B")
    if len(view) < FOOTER_BYTES:
        raise TruncatedError("too short to be a checkpoint index", where=where, got=len(view), want=f"≥ {FOOTER_BYTES}")
    if view[-8:] != MAGIC:
        raise FormatError(
            "no checkpoint index: its last eight bytes are not a table's magic number (cut short, or another format)",
            where=where, got=bytes(view[-8:]).hex(), want=MAGIC.hex(),
        )  # fmt: skip
    footer_at = len(view) - FOOTER_BYTES
    footer = view[footer_at:-8]
    try:
        meta_at, at = decode_varint(footer, 0)
        meta_size, at = decode_varint(footer, at)
        index_at, at = decode_varint(footer, at)
        index_size, at = decode_varint(footer, at)
    except FormatError as error:
        raise FormatError(f"footer of the index is damaged: {error}", where=f"{where} at byte {footer_at}") from None
    # The footer has no checksum of its own: its numbers must be spelled and lie as a writer puts them.
    spelled = b"".join(map(encode_varint, (meta_at, meta_size, index_at, index_size)))
    if footer != spelled.ljust(len(footer), b"\0") or index_at + index_size + TRAILER_BYTES != footer_at:
        raise FormatError("footer of the index is damaged", where=f"{where} at byte {footer_at}")
    handles: tuple[list[bytes], list[bytes]] = ([], [])
    budget = KEY_BYTES_FLOOR + KEY_GROWTH * len(view)
    keys: list[bytes] = []
    values: list[bytes] = []
    _parse_into(view, meta_at, meta_size, footer_at, ([], []), budget, where, verify)
    _parse_into(view, index_at, index_size, footer_at, handles, budget, where, verify)
    for last, handle in zip(*handles, strict=True):
        try:
            block_at, at = decode_varint(handle, 0)
            block_size, _ = decode_varint(handle, at)
        except FormatError:
            raise FormatError("a block handle is damaged", where=f"{where} at byte {index_at}") from None
        budget = _parse_into(view, block_at, block_size, footer_at, (keys, values), budget, where, verify)
        if keys and keys[-1] > last:
            raise FormatError("a block holds keys beyond its index entry", where=f"{where} at byte {block_at}")
    return Table(keys, values)


def _parse_into(
    view: memoryview,
    at: int,
    size: int,
    limit: int,
    into: tuple[list[bytes], list[bytes]],
    budget: int,
    where: str,
    verify: bool,
) -> int:
    place = f"{where} at byte {at}"
    if at + size + TRAILER_BYTES > limit:
        raise TruncatedError("a block lies outside the index file", where=place, got=at + size, want=f"≤ {limit}")
    block = view[at : at + size]
    kind = view[at + size]
    if verify:
        stored = _CRC.unpack_from(view, at + size + 1)[0]
        found = mask(crc32c(view[at : at + size + 1]))
        if stored != found:
            raise CorruptionError(
                "a block of the index does not match its checksum",
                where=place,
                got=f"{found:08x}",
                want=f"{stored:08x}",
            )
    if kind == SNAPPY:
        try:
            contents: bytes | memoryview = snappy.decompress(block)
        except FormatError as error:
            raise FormatError(str(error), where=place) from None
    elif kind == PLAIN:
        contents = block
    else:
        raise FormatError("unknown compression of an index block", where=place, got=kind, want="0 or 1 (snappy)")
    try:
        return parse_block(contents, *into, budget)
    except BadBlock as error:
        raise FormatError(error.args[0], where=f"{where} at byte {at + error.args[1]}") from None

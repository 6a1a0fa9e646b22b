"""TensorBundle: entries, strings, slices, byte order; sizes and shapes that lie are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost._native.crc32c import crc32c
from milepost.errors import CorruptionError, FormatError, TruncatedError, UsageError
from milepost.formats import bundle, dtypes, table
from milepost.formats.bundle_reader import BundleReader
from milepost.formats.orderedcode import FULL, encode_number, encode_signed, encode_string, slice_key
from milepost.formats.strings import decode_strings, encode_strings


def pack(tensors: dict[str, Any], *, alignment: int = 64) -> tuple[bytes, bytes]:
    """Index and data of one shard."""
    writer = bundle.BundleWriter(alignment=alignment)
    blobs, crcs = [], []
    for key, value in tensors.items():
        array = np.asarray(value)
        if array.dtype == object:
            blob, crc = encode_strings(array.ravel().tolist())
            writer.add(key, dtypes.STRING, array.shape, len(blob))
        else:
            blob = array.tobytes()
            crc = crc32c(blob)
            writer.add(key, dtypes.of_numpy(array.dtype), array.shape, len(blob))
        blobs.append(blob)
        crcs.append(crc)
    (placed,) = writer.place()
    data = bytearray(placed.size)
    for offset, blob in zip(placed.offsets, blobs, strict=True):
        data[offset : offset + len(blob)] = blob
    return writer.index(crcs), bytes(data)


def strings(*items: bytes, shape: tuple[int, ...] | None = None) -> np.ndarray[Any, Any]:
    out = np.empty(len(items), object)
    out[:] = items
    return out.reshape(shape if shape is not None else (len(items),))


NUMBERS = [row for n in range(1, 34) if (row := dtypes._BY_NUMBER.get(n)) and row.itemsize]


@pytest.mark.parametrize("row", NUMBERS, ids=lambda row: row.name)
def test_every_number_type_comes_back(row: dtypes.DType) -> None:
    """Bits are kept for all of TensorFlow's number types, those numpy lacks included."""
    array = np.arange(24, dtype=np.uint8).repeat(row.itemsize).view(row.plain).view(row.numpy)
    writer = bundle.BundleWriter()
    writer.add("t", row, (2, 12), array.nbytes)
    writer.place()
    raw = array.tobytes()
    reader = BundleReader(writer.index([crc32c(raw)]), lambda _: raw)
    got = reader.get("t")
    assert got.shape == (2, 12)
    assert got.tobytes() == raw
    assert reader.entry("t").dtype is row


def test_small_floats_without_ml_dtypes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where ml_dtypes is not installed bfloat16 comes as its bits."""
    row = dtypes.by_name("bfloat16")
    monkeypatch.setattr(dtypes.importlib, "import_module", lambda name: (_ for _ in ()).throw(ImportError(name)))
    dtypes._numpy.cache_clear()
    try:
        assert row.numpy == np.dtype("u2")
    finally:
        monkeypatch.undo()
        dtypes._numpy.cache_clear()


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=30).filter(lambda s: s[0] != "\0"),
        st.one_of(
            st.lists(st.integers(-(2**31), 2**31 - 1), max_size=20).map(lambda x: np.array(x, "i4")),
            st.lists(st.binary(max_size=200), min_size=1, max_size=5).map(lambda x: strings(*x)),
            st.floats(width=32).map(np.float32),
        ),
        max_size=12,
    ),
    st.sampled_from([1, 8, 64, 4096]),
)
def test_bundles_come_back(tensors: dict[str, Any], alignment: int) -> None:
    """Any keys and values survive, with any alignment."""
    index, data = pack(tensors, alignment=alignment)
    reader = BundleReader(index, lambda _: data)
    assert set(reader.keys()) == set(tensors)
    for key, value in tensors.items():
        np.testing.assert_array_equal(reader.get(key), np.asarray(value))
        assert reader.entry(key).offset % alignment == 0


def test_damage_is_named() -> None:
    """A flipped bit names the tensor; the others still read; "off" believes the bytes."""
    index, data = pack({"a": np.arange(4.0), "b": np.arange(4), "s": strings(b"one", b"two")})
    bad = bytearray(data)
    bad[70] ^= 4
    reader = BundleReader(index, lambda _: bad, where="run/ckpt-3")
    with pytest.raises(CorruptionError, match=r"tensor 'b' of run/ckpt-3"):
        reader.get("b")
    reader.get("a")
    assert {key for key, error in reader.verify() if error} == {"b"}
    BundleReader(index, lambda _: bad, verify="index").get("b")
    with pytest.raises(TruncatedError, match="'s'"):
        BundleReader(index, lambda _: data[:130]).get("s")


def test_views_of_the_file() -> None:
    """Whole tensors are views of the shard's bytes, read-only, aligned."""
    index, data = pack({"a": np.arange(40.0), "b": np.arange(9)})
    array = BundleReader(index, lambda _: data).get("b")
    assert not array.flags.owndata
    assert not array.flags.writeable


def test_strings_lie_no_more() -> None:
    """A string tensor whose lengths do not add up is refused without allocating what it claims."""
    blob, _ = encode_strings([b"ab", b"c"])
    with pytest.raises(FormatError):
        decode_strings(memoryview(b"\xff\xff\xff\xff\x7f" + blob[1:]), 2, where="t", crc=None)
    with pytest.raises(TruncatedError):
        decode_strings(memoryview(blob), 10**12, where="t", crc=None)


def test_sizes_that_do_not_fit_the_shape_are_refused() -> None:
    """An entry that claims a huge shape with few bytes never reaches an allocation."""
    writer = bundle.BundleWriter()
    writer.add("t", dtypes.by_name("float32"), (2**40, 2**20), 16)
    writer.place()
    with pytest.raises(FormatError, match="size and shape"):
        bundle.decode_index(writer.index([0]))


def test_header_rules() -> None:
    """No header, no shards, too many shards: one clear error each."""
    with pytest.raises(FormatError, match="no header"):
        bundle.decode_index(table.build([b"x"], [b""]))
    with pytest.raises(FormatError, match="shards"):
        bundle.decode_index(table.build([b""], [b""]))
    with pytest.raises(FormatError, match="shards"):
        bundle.decode_index(table.build([b""], [b"\x08\xff\xff\xff\x7f"]))


def test_keys_must_be_names() -> None:
    """Empty keys and keys that look like slice keys are refused when writing."""
    for key in ("", "\0x"):
        writer = bundle.BundleWriter()
        writer.add(key, dtypes.by_name("int8"), (), 1)
        writer.place()
        with pytest.raises(UsageError):
            writer.index([0])


def sliced(parts: list[tuple[Any, Any]], shape: tuple[int, ...]) -> BundleReader:
    writer = bundle.BundleWriter()
    blobs = []
    for part, array in parts:
        writer.add("t", dtypes.by_name("float32"), shape, array.nbytes, part=part)
        blobs.append(array.astype("f4").tobytes())
    (placed,) = writer.place()
    data = bytearray(placed.size)
    for offset, blob in zip(placed.offsets, blobs, strict=True):
        data[offset : offset + len(blob)] = blob
    return BundleReader(writer.index([crc32c(b) for b in blobs]), lambda _: data)


def test_sliced_tensors_are_assembled() -> None:
    """Parts under ordered-code keys make the whole tensor."""
    whole = np.arange(24, dtype="f4").reshape(6, 4)
    reader = sliced(
        [(((0, 2), FULL), whole[:2]), (((2, 4), (0, 1)), whole[2:, :1]), (((2, 4), (1, 3)), whole[2:, 1:])], (6, 4)
    )
    np.testing.assert_array_equal(reader.get("t"), whole)
    assert reader.keys() == ["t"]
    assert all(error is None for _, error in reader.verify())


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ([((0, 2), FULL), ((3, 3), FULL)], "do not fill"),
        ([((0, 4), FULL), ((2, 4), FULL)], "overlap"),
        ([((0, 9), FULL)], "outside"),
    ],
)
def test_parts_that_do_not_fit(parts: list[Any], says: str) -> None:
    """Gaps, overlaps and parts outside the tensor are refused: nothing is left unset."""
    with pytest.raises(FormatError, match=says):
        sliced([(p, np.zeros((p[0][1], 4), "f4")) for p in parts], (6, 4)).get("t")


def test_ordered_code_spellings() -> None:
    """The byte spellings TensorFlow uses."""
    assert encode_number(0) == b"\0"
    assert encode_number(2) == b"\x01\x02"
    assert encode_string(b"a\0b\xff") == b"a\0\xffb\xff\0\0\x01"
    assert encode_signed(0) == b"\x80"
    assert encode_signed(-1) == b"\x7f"
    assert encode_signed(64) == b"\xc0\x40"
    assert slice_key(b"t", (FULL,)) == b"\0t\0\x01\x01\x01\x80\x7f"


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_signed_numbers_sort_like_their_code(a: int, b: int) -> None:
    """Order of the codes is the order of the numbers."""
    assert (encode_signed(a) < encode_signed(b)) == (a < b)


@given(st.binary(max_size=300))
def test_any_bytes_as_index(data: bytes) -> None:
    """Random bytes, and random bytes as an entry, give a FormatError and nothing else."""
    for attempt in (data, table.build([b"", b"k"], [b"\x08\x01", data])):
        try:
            bundle.decode_index(attempt)
        except FormatError:
            pass


def test_big_endian_files_are_swapped() -> None:
    """A file from a big-endian machine reads as the same numbers."""
    array = np.arange(5, dtype=">i4")
    writer = bundle.BundleWriter()
    writer.add("t", dtypes.by_name("int32"), (5,), 20)
    writer.place()
    rows = table.parse(writer.index([crc32c(array.tobytes())]))
    index = table.build(rows.keys, [b"\x08\x01\x10\x01\x1a\x02\x08\x01", *rows.values[1:]])
    np.testing.assert_array_equal(BundleReader(index, lambda _: array.tobytes()).get("t"), np.arange(5))

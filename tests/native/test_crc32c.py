"""crc32c: the known vectors, and the same number whichever way the bytes are cut and whichever way the CPU takes."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost._native import crc32c as native

# RFC 3720, appendix B.4
VECTORS = [
    (b"\x00" * 32, 0x8A9136AA),
    (b"\xff" * 32, 0x62A8AB43),
    (bytes(range(32)), 0x46DD794E),
    (bytes(range(31, -1, -1)), 0x113FDB5C),
    (b"123456789", 0xE3069283),
    (b"", 0),
]


def bitwise(data: bytes) -> int:
    """The definition, one bit at a time."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@pytest.mark.parametrize(("data", "crc"), VECTORS)
def test_known_vectors(data: bytes, crc: int) -> None:
    """Both ways give the published values."""
    assert native.crc32c(data) == crc
    assert native.crc32c_by_table(data) == crc


@given(st.binary(max_size=300))
def test_definition(data: bytes) -> None:
    """Every buffer has the crc of the definition, by instruction and by table."""
    assert native.crc32c(data) == native.crc32c_by_table(data) == bitwise(data)


@pytest.mark.parametrize("size", [767, 768, 769, 3 * 8192 - 1, 3 * 8192, 3 * 8192 + 777, 200_003])
def test_interleaved_lanes_agree_with_the_table(size: int) -> None:
    """The three interleaved streams and their combination change nothing, at any lane boundary and alignment."""
    data = bytes((i * 7919 + i // 251) & 255 for i in range(size))
    for start in (0, 1, 3):
        view = memoryview(data)[start:]
        assert native.crc32c(view) == native.crc32c_by_table(view)


@given(st.binary(max_size=2000), st.binary(max_size=2000))
def test_running_and_combined(first: bytes, second: bytes) -> None:
    """A crc can be carried on, or computed in parts and combined."""
    whole = native.crc32c(first + second)
    assert native.crc32c(second, native.crc32c(first)) == whole
    assert native.combine(native.crc32c(first), native.crc32c(second), len(second)) == whole


@given(st.integers(0, 2**32 - 1))
def test_mask_is_undone_by_unmask(crc: int) -> None:
    """The stored form is (rotate right 15) + 0xa282ead8, and back."""
    masked = native.mask(crc)
    assert masked == ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
    assert native.unmask(masked) == crc


def test_threads_give_the_same_number() -> None:
    """The GIL is released on large buffers; threads share nothing but the tables."""
    data = bytes(range(256)) * 40_000
    want, got = native.crc32c(data), []
    threads = [threading.Thread(target=lambda: got.append(native.crc32c(data))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [want] * 4


def test_what_has_no_bytes_is_refused() -> None:
    """Text and numbers are no buffers."""
    with pytest.raises(TypeError):
        native.crc32c("text")  # type: ignore[arg-type]

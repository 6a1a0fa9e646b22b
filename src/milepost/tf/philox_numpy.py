"""`_native.philox` in numpy: the same numbers, slowly. For a source tree whose native core was not built since, and for the test that holds both together."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["bits", "normal", "shuffle", "truncated", "uniform"]

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def _numbers(key: int, low: int, high: int, blocks: int) -> Any:
    """Four 32-bit numbers for each of `blocks` counters."""
    count = np.uint64(low & 0xFFFFFFFFFFFFFFFF) + np.arange(blocks, dtype=np.uint64)
    a, b = count & _LOW, count >> _HALF
    c, d = (np.full(blocks, v, np.uint64) for v in (high & 0xFFFFFFFF, high >> 32))
    k, m = key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        p, q = np.uint64(0xD2511F53) * a, np.uint64(0xCD9E8D57) * c
        a, b, c, d = (q >> _HALF) ^ b ^ np.uint64(k), q & _LOW, (p >> _HALF) ^ d ^ np.uint64(m), p & _LOW
        k, m = (k + 0x9E3779B9) & 0xFFFFFFFF, (m + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack([a, b, c, d], 1).reshape(-1).astype(np.uint32)


def _real(whole: Any) -> Any:
    return ((whole & np.uint32(0x7FFFFF)) | np.uint32(127 << 23)).view(np.float32) - np.float32(1)


def _pairs(whole: Any) -> Any:
    real = _real(whole)
    r = np.sqrt(np.float32(-2) * np.log(np.maximum(real[0::2], np.float32(1e-7))))
    v = np.float32(2 * np.pi) * real[1::2]
    return np.stack([np.sin(v) * r, np.cos(v) * r], 1).reshape(-1)


def bits(key: int, low: int, high: int, out: Any) -> None:
    out[:] = _numbers(key, low, high, -(-len(out) // 4))[: len(out)]


def uniform(key: int, low: int, high: int, out: Any) -> None:
    out[:] = _real(_numbers(key, low, high, -(-len(out) // 4)))[: len(out)]


def normal(key: int, low: int, high: int, out: Any) -> None:
    out[:] = _pairs(_numbers(key, low, high, -(-len(out) // 4)))[: len(out)]


def truncated(key: int, low: int, high: int, skip: int, out: Any) -> None:
    for start in range(0, len(out), 4):
        part = out[start : start + 4]
        blocks = 8
        while True:
            made = _pairs(_numbers(key, low + start // 4 * skip, high, blocks))
            good = made[np.abs(made) < 2]
            if len(good) >= len(part):
                break
            blocks *= 2
        part[:] = good[: len(part)]


def shuffle(key: int, low: int, high: int, order: Any) -> None:
    drawn = _numbers(key, low, high, -(-max(len(order) - 1, 0) // 4)).tolist()
    for i in range(len(order) - 1):
        j = i + drawn[i] % (len(order) - i)
        order[i], order[j] = order[j], order[i]

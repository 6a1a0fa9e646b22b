"""Hashes of byte strings whose numbers equal TensorFlow's: FarmHash's Fingerprint64, SipHash-2-4, MurmurHash64A, and their combination in crosses. In: bytes. Out: 64-bit numbers."""

from __future__ import annotations

from struct import unpack_from

__all__ = ["CROSS_KEY", "cat64", "fingerprint64", "murmur64", "siphash64"]

_M = 0xFFFFFFFFFFFFFFFF
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
_MURMUR = 0xC6A4A7935BD1E995
CROSS_KEY = 0xDECAFCAFFE


def _turn(v: int, by: int) -> int:
    return ((v >> by) | (v << (64 - by))) & _M


def _fold(v: int) -> int:
    return v ^ (v >> 47)


def _mix(u: int, v: int, mul: int) -> int:
    """Two words into one."""
    a = _fold(((u ^ v) * mul) & _M)
    b = _fold(((v ^ a) * mul) & _M)
    return (b * mul) & _M


def fingerprint64(s: bytes) -> int:
    """FarmHash's stable 64-bit fingerprint."""
    n = len(s)
    mul = _K2 + n * 2
    if n <= 16:
        if n >= 8:
            a, b = (unpack_from("<Q", s)[0] + _K2) & _M, unpack_from("<Q", s, n - 8)[0]
            return _mix((_turn(b, 37) * mul + a) & _M, ((_turn(a, 25) + b) * mul) & _M, mul)
        if n >= 4:
            return _mix((n + (unpack_from("<I", s)[0] << 3)) & _M, unpack_from("<I", s, n - 4)[0], mul)
        if n:
            y, z = s[0] + (s[n >> 1] << 8), n + (s[n - 1] << 2)
            return (_fold(((y * _K2) ^ (z * _K0)) & _M) * _K2) & _M
        return _K2
    if n <= 64:
        first = _K1 if n <= 32 else _K2
        a, b = (unpack_from("<Q", s)[0] * first) & _M, unpack_from("<Q", s, 8)[0]
        c, d = (unpack_from("<Q", s, n - 8)[0] * mul) & _M, unpack_from("<Q", s, n - 16)[0] * _K2
        y = (_turn((a + b) & _M, 43) + _turn(c, 30) + d) & _M
        z = _mix(y, (a + _turn((b + _K2) & _M, 18) + c) & _M, mul)
        if n <= 32:
            return z
        e, f = (unpack_from("<Q", s, 16)[0] * mul) & _M, unpack_from("<Q", s, 24)[0]
        g = ((y + unpack_from("<Q", s, n - 32)[0]) * mul) & _M
        h = (z + unpack_from("<Q", s, n - 24)[0]) * mul
        return _mix((_turn((e + f) & _M, 43) + _turn(g, 30) + h) & _M, (e + _turn((f + a) & _M, 18) + g) & _M, mul)
    return _long(s, n)


def _pair(words: tuple[int, ...], a: int, b: int) -> tuple[int, int]:
    w, x, y, z = words
    a = (a + w) & _M
    b = _turn((b + a + z) & _M, 21)
    c = a
    a = (a + x + y) & _M
    b += _turn(a, 44)
    return (a + z) & _M, (b + c) & _M


def _long(s: bytes, n: int) -> int:
    x, y = 81, (81 * _K1 + 113) & _M
    z = (_fold((y * _K2 + 113) & _M) * _K2) & _M
    v = w = (0, 0)
    x = (x * _K2 + unpack_from("<Q", s)[0]) & _M
    end = (n - 1) // 64 * 64
    mul, last = _K1, end + ((n - 1) & 63) - 63
    blocks = [*range(0, end, 64), last]  # the last may overlap the one before
    nine = 1
    for place, at in enumerate(blocks):
        p = unpack_from("<8Q", s, at)
        if place == len(blocks) - 1:
            mul, nine = _K1 + ((z & 0xFF) << 1), 9
            w0 = (w[0] + ((n - 1) & 63)) & _M
            v = ((v[0] + w0) & _M, v[1])
            w = ((w0 + v[0]) & _M, w[1])
        x = (_turn((x + y + v[0] + p[1]) & _M, 37) * mul) & _M
        y = (_turn((y + v[1] + p[6]) & _M, 42) * mul) & _M
        x ^= (w[1] * nine) & _M
        y = (y + v[0] * nine + p[5]) & _M
        z = (_turn((z + w[0]) & _M, 33) * mul) & _M
        v = _pair(p[:4], (v[1] * mul) & _M, (x + w[0]) & _M)
        w = _pair(p[4:], (z + w[1]) & _M, (y + p[2]) & _M)
        z, x = x, z
    return _mix((_mix(v[0], w[0], mul) + _fold(y) * _K0 + z) & _M, (_mix(v[1], w[1], mul) + x) & _M, mul)


def murmur64(s: bytes, seed: int = CROSS_KEY) -> int:
    """MurmurHash64A with TensorFlow's seed."""
    n = len(s)
    h = (seed ^ (n * _MURMUR)) & _M
    whole = n // 8
    for k in unpack_from(f"<{whole}Q", s):
        h = ((h ^ ((_fold((k * _MURMUR) & _M) * _MURMUR) & _M)) * _MURMUR) & _M
    if n & 7:
        h = ((h ^ int.from_bytes(s[whole * 8 :], "little")) * _MURMUR) & _M
    return _fold((_fold(h) * _MURMUR) & _M)


def siphash64(key: tuple[int, int], s: bytes) -> int:
    """SipHash-2-4."""
    k0, k1 = key[0] & _M, key[1] & _M
    a, b = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D
    c, d = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573
    n = len(s)
    tail = (n & 0xFF) << 56 | int.from_bytes(s[n // 8 * 8 :], "little")
    for word in (*unpack_from(f"<{n // 8}Q", s), tail):
        d ^= word
        a, b, c, d = _round(*_round(a, b, c, d))
        a ^= word
    c ^= 0xFF
    for _ in range(4):
        a, b, c, d = _round(a, b, c, d)
    return a ^ b ^ c ^ d


def _round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    a, c = (a + b) & _M, (c + d) & _M
    b, d = _turn(b, 51) ^ a, _turn(d, 48) ^ c
    a = _turn(a, 32)
    c, a = (c + b) & _M, (a + d) & _M
    b, d = _turn(b, 47) ^ c, _turn(d, 43) ^ a
    return a, b, _turn(c, 32), d


def cat64(first: int, second: int) -> int:
    """The fingerprint of two fingerprints, as feature crosses use it."""
    made = (first & _M) ^ _MURMUR ^ ((_fold(((second & _M) * _MURMUR) & _M) * _MURMUR) & _M)
    return _fold((_fold((made * _MURMUR) & _M) * _MURMUR) & _M)

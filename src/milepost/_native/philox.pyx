# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Philox4x32-10, the counter-based generator of TensorFlow's random operations. In: a key, a 128-bit counter. Out: filled columns.

Four numbers come of each counter. All loops run without the GIL. Not here: what the key and the counter are (`tf/philox`).
"""

from libc.math cimport cosf, fabsf, logf, sinf, sqrtf
from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef float TWO_PI = 6.283185307179586


cdef union _Bits:
    uint32_t whole
    float real


cdef inline void _four(uint64_t key, uint64_t low, uint64_t high, uint32_t *out) noexcept nogil:
    cdef uint32_t a = <uint32_t> low, b = <uint32_t> (low >> 32), c = <uint32_t> high, d = <uint32_t> (high >> 32)
    cdef uint32_t k = <uint32_t> key, l = <uint32_t> (key >> 32)
    cdef uint64_t p, q
    cdef int i
    for i in range(10):
        p = <uint64_t> 0xD2511F53U * a
        q = <uint64_t> 0xCD9E8D57U * c
        a = <uint32_t> (q >> 32) ^ b ^ k
        b = <uint32_t> q
        c = <uint32_t> (p >> 32) ^ d ^ l
        d = <uint32_t> p
        k += 0x9E3779B9U
        l += 0xBB67AE85U
    out[0], out[1], out[2], out[3] = a, b, c, d


cdef inline float _real(uint32_t x) noexcept nogil:
    """The lowest 23 bits as a number in [0, 1)."""
    cdef _Bits made
    made.whole = (x & 0x7FFFFFU) | (127U << 23)
    return made.real - 1.0


cdef inline void _pair(uint32_t x, uint32_t y, float *out) noexcept nogil:
    """Two normal numbers of two random ones (Box and Muller)."""
    cdef float u = _real(x), v = TWO_PI * _real(y), r
    r = sqrtf(-2.0 * logf(u if u > 1.0e-7 else 1.0e-7))
    out[0] = sinf(v) * r
    out[1] = cosf(v) * r


def bits(uint64_t key, uint64_t low, uint64_t high, uint32_t[::1] out) -> None:
    """Random 32-bit numbers."""
    cdef Py_ssize_t n = out.shape[0], whole = n // 4, i
    cdef uint32_t last[4]
    with nogil:
        for i in range(whole):
            _four(key, low + i, high, &out[4 * i])
        if 4 * whole < n:
            _four(key, low + whole, high, last)
            for i in range(n - 4 * whole):
                out[4 * whole + i] = last[i]


def uniform(uint64_t key, uint64_t low, uint64_t high, float[::1] out) -> None:
    """Random numbers in [0, 1)."""
    cdef Py_ssize_t n = out.shape[0], i, j, many
    cdef uint32_t four[4]
    with nogil:
        for i in range(0, n, 4):
            _four(key, low + i // 4, high, four)
            many = n - i if n - i < 4 else 4
            for j in range(many):
                out[i + j] = _real(four[j])


def normal(uint64_t key, uint64_t low, uint64_t high, float[::1] out) -> None:
    """Normally distributed numbers."""
    cdef Py_ssize_t n = out.shape[0], i, j, many
    cdef uint32_t four[4]
    cdef float made[4]
    with nogil:
        for i in range(0, n, 4):
            _four(key, low + i // 4, high, four)
            _pair(four[0], four[1], made)
            _pair(four[2], four[3], made + 2)
            many = n - i if n - i < 4 else 4
            for j in range(many):
                out[i + j] = made[j]


def truncated(uint64_t key, uint64_t low, uint64_t high, uint64_t skip, float[::1] out) -> None:
    """Normally distributed numbers, those beyond two standard deviations drawn again; `skip` counters belong to every four."""
    cdef Py_ssize_t n = out.shape[0], i, found, many
    cdef uint64_t at
    cdef uint32_t four[4]
    cdef float made[4]
    cdef int j
    with nogil:
        for i in range(0, n, 4):
            at, found = low + (i // 4) * skip, 0
            many = n - i if n - i < 4 else 4
            while found < many:
                _four(key, at, high, four)
                at += 1
                _pair(four[0], four[1], made)
                _pair(four[2], four[3], made + 2)
                for j in range(4):
                    if found < many and fabsf(made[j]) < 2.0:
                        out[i + found] = made[j]
                        found += 1


def shuffle(uint64_t key, uint64_t low, uint64_t high, int64_t[::1] order) -> None:
    """The numbers of `order` in random order."""
    cdef Py_ssize_t n = order.shape[0], i, j
    cdef uint32_t four[4]
    cdef int64_t kept
    with nogil:
        for i in range(n - 1):
            if i % 4 == 0:
                _four(key, low + i // 4, high, four)
            j = i + four[i % 4] % <uint32_t> (n - i)
            kept = order[i]
            order[i] = order[j]
            order[j] = kept

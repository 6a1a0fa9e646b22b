# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""crc32c of anything with a buffer. In: bytes-like, a running crc. Out: an int. The loops are in crc32c.h."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint8_t, uint32_t

cdef extern from "crc32c.h" nogil:
    void mp_crc_init()
    uint32_t mp_crc32c(uint32_t crc, const uint8_t *data, size_t size)
    uint32_t mp_crc32c_table(uint32_t crc, const uint8_t *data, size_t size)
    uint32_t mp_crc32c_combine(uint32_t first, uint32_t second, size_t second_bytes)
    uint32_t mp_crc_mask(uint32_t crc)
    int mp_crc_hardware

mp_crc_init()

# Taking and giving back the GIL costs about as much as checksumming this many bytes.
DEF RELEASE_GIL_ABOVE = 4096


def crc32c(data, uint32_t crc=0) -> int:
    """crc32c(data), or of what `crc` covers followed by data."""
    cdef Py_buffer view
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        if view.len > RELEASE_GIL_ABOVE:
            with nogil:
                crc = mp_crc32c(crc, <const uint8_t *> view.buf, view.len)
        else:
            crc = mp_crc32c(crc, <const uint8_t *> view.buf, view.len)
    finally:
        PyBuffer_Release(&view)
    return crc


def masked_crc32c(data) -> int:
    """The crc as LevelDB tables and TFRecord files store it: rotated and offset."""
    return mp_crc_mask(crc32c(data))


def mask(uint32_t crc) -> int:
    return mp_crc_mask(crc)


def unmask(uint32_t masked) -> int:
    cdef uint32_t rotated = masked - <uint32_t> 0xA282EAD8
    return <uint32_t> ((rotated >> 17) | (rotated << 15))


def combine(uint32_t first, uint32_t second, size_t second_bytes) -> int:
    """crc of A + B from crc(A), crc(B), len(B)."""
    return mp_crc32c_combine(first, second, second_bytes)


def crc32c_by_table(const uint8_t[::1] data, uint32_t crc=0) -> int:
    """The way for CPUs without a crc instruction, by name so that tests reach it on every machine."""
    if data.shape[0] == 0:
        return crc
    return mp_crc32c_table(crc, &data[0], data.shape[0])


def hardware() -> bool:
    """Whether this CPU's own crc instruction is in use."""
    return mp_crc_hardware != 0

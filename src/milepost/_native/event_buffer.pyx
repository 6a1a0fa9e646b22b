# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Framed events, appended in place. In: a ready-made scalar template with a hole, or a whole payload. Out: bytes for a file.

A scalar event differs from the one before in its wall time, its step and four or eight bytes of value, so the rest is
encoded once per tag and copied. One append is one memcpy and two short checksums, about 100 ns.
The GIL is the lock: `append*` and `take` never give it back half way, and `used` moves only when a record is whole.
Not here: files, threads, what a template says (`formats.scalar_event`).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from "crc32c.h" nogil:
    void mp_crc_init()
    uint32_t mp_crc32c(uint32_t crc, const uint8_t *data, size_t size)
    uint32_t mp_crc_mask(uint32_t crc)

mp_crc_init()

DEF FIRST_CAPACITY = 1 << 14
DEF KEEP_CAPACITY = 1 << 20     # a buffer that grew past this for one burst is given back when it is taken
DEF FRAME_BYTES = 16
DEF STAMP_BYTES = 20            # wall time (1 + 8) and step (1 + at most 10)


cdef inline uint8_t *put_u32(uint8_t *at, uint32_t value) noexcept nogil:
    at[0] = value & 255
    at[1] = (value >> 8) & 255
    at[2] = (value >> 16) & 255
    at[3] = value >> 24
    return at + 4


cdef inline uint8_t *put_u64(uint8_t *at, uint64_t value) noexcept nogil:
    return put_u32(put_u32(at, <uint32_t> value), <uint32_t> (value >> 32))


cdef inline uint8_t *put_double(uint8_t *at, double value) noexcept nogil:
    cdef uint64_t bits
    memcpy(&bits, &value, 8)
    return put_u64(at, bits)


cdef inline uint8_t *put_varint(uint8_t *at, uint64_t value) noexcept nogil:
    while value >= 128:
        at[0] = (value & 127) | 128
        value >>= 7
        at += 1
    at[0] = value
    return at + 1


cdef class Template:
    """An encoded `summary` field of an event with a hole, `from_end` bytes before its end, for a float or a double."""

    cdef bytes body
    cdef Py_ssize_t hole
    cdef bint double_precision

    def __init__(self, bytes body not None, Py_ssize_t from_end, bint double_precision=False):
        cdef Py_ssize_t width = 8 if double_precision else 4
        if from_end < width or from_end > PyBytes_GET_SIZE(body):
            raise ValueError("the hole lies outside the template")
        self.body, self.hole, self.double_precision = body, PyBytes_GET_SIZE(body) - from_end, double_precision


cdef class EventBuffer:
    """A growing run of framed events, and how many are in it."""

    cdef uint8_t *data
    cdef size_t used, capacity
    cdef readonly Py_ssize_t records    # appended since the last take
    cdef public Py_ssize_t limit        # bytes; an append that would pass it is refused
    cdef public Py_ssize_t wake_at      # `append*` answer 2 when `records` reach this: somebody waits for them
    cdef public bint urgent             # `append*` always answer 2

    def __cinit__(self, Py_ssize_t limit):
        self.limit = limit
        self.wake_at = 1

    def __dealloc__(self):
        PyMem_RawFree(self.data)

    def __len__(self):
        return self.used

    cdef int reserve(self, size_t more) except -1:
        cdef size_t want = self.used + more, grown
        cdef void *moved
        if want > <size_t> self.limit and self.used:    # one record larger than the limit still goes into an empty buffer
            return 0
        if want <= self.capacity:
            return 1
        grown = self.capacity * 2 if self.capacity else FIRST_CAPACITY
        while grown < want:
            grown *= 2
        moved = PyMem_RawRealloc(self.data, grown)
        if moved == NULL:
            raise MemoryError()
        self.data, self.capacity = <uint8_t *> moved, grown
        return 1

    cdef inline int finish(self, uint8_t *start, size_t size) noexcept:
        """Frame the `size` payload bytes that lie at start + 12."""
        put_u64(start, size)
        put_u32(start + 8, mp_crc_mask(mp_crc32c(0, start, 8)))
        put_u32(start + 12 + size, mp_crc_mask(mp_crc32c(0, start + 12, size)))
        self.used += size + FRAME_BYTES
        self.records += 1
        return 2 if self.records == self.wake_at or self.urgent else 1

    def append_scalar(self, Template template not None, double value, int64_t step, double wall_time) -> int:
        """0: refused, full. 1: appended. 2: appended, and `wake_at` is reached."""
        cdef size_t body = PyBytes_GET_SIZE(template.body)
        if self.reserve(body + STAMP_BYTES + FRAME_BYTES) == 0:
            return 0
        cdef uint8_t *start = self.data + self.used
        cdef uint8_t *at = start + 12
        cdef float narrow
        cdef uint32_t bits
        at[0] = 0x09
        at = put_double(at + 1, wall_time)
        if step != 0:
            at[0] = 0x10
            at = put_varint(at + 1, <uint64_t> step)
        memcpy(at, PyBytes_AS_STRING(template.body), body)
        if template.double_precision:
            put_double(at + template.hole, value)
        else:
            narrow = <float> value
            memcpy(&bits, &narrow, 4)
            put_u32(at + template.hole, bits)
        return self.finish(start, (at - start - 12) + body)

    def append(self, bytes payload not None) -> int:
        """A whole event; answers as `append_scalar`."""
        cdef size_t size = PyBytes_GET_SIZE(payload)
        if self.reserve(size + FRAME_BYTES) == 0:
            return 0
        cdef uint8_t *start = self.data + self.used
        memcpy(start + 12, PyBytes_AS_STRING(payload), size)
        return self.finish(start, size)

    def take(self) -> bytes:
        """All framed bytes; the buffer is empty afterwards."""
        taken = PyBytes_FromStringAndSize(<char *> self.data, self.used)
        self.used = 0
        self.records = 0
        if self.capacity > KEEP_CAPACITY:
            PyMem_RawFree(self.data)
            self.data, self.capacity = NULL, 0
        return taken

    def take_into(self, list chunks not None) -> None:
        """All framed bytes as one more item of `chunks`, in one step: no signal handler runs between take and append."""
        if self.used:
            chunks.append(self.take())

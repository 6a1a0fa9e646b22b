# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Tensor bytes to and from a file, checksummed on the way. In: a file descriptor, buffers, offsets. Out: crc32c of each tensor.

Large tensors move in chunks that fit a core's cache, so that the checksum reads memory once and the copy finds it warm;
runs of small ones are gathered in a scratch buffer and moved by one call. All offsets are known before the first byte,
so any number of threads may call `work()` on one job: each takes the next unit until none is left.
Not here: opening, syncing or naming files (`storage`), where a tensor belongs (`formats.bundle`).
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.errno cimport EINTR, errno
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

cdef extern from "crc32c.h" nogil:
    void mp_crc_init()
    uint32_t mp_crc32c(uint32_t crc, const uint8_t *data, size_t size)
    void mp_zeros_matrix(uint32_t *result, size_t bytes)
    uint32_t mp_matrix_times(const uint32_t *matrix, uint32_t vector)
    uint32_t mp_crc_mask(uint32_t crc)
    uint32_t mp_crc32c_combine(uint32_t first, uint32_t second, size_t second_bytes)

cdef extern from "<errno.h>" nogil:
    int ECANCELED

cdef extern from "<unistd.h>" nogil:
    ssize_t pwrite(int fd, const void *data, size_t size, int64_t offset)
    ssize_t pread(int fd, void *data, size_t size, int64_t offset)

cdef extern from * nogil:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #  define mp_take(counter) __atomic_fetch_add((counter), 1, __ATOMIC_RELAXED)
    #else
    #  include <intrin.h>
    #  define mp_take(counter) (_InterlockedExchangeAdd64((volatile __int64 *)(counter), 1))
    #endif
    """
    int64_t mp_take(int64_t *counter)

mp_crc_init()

cdef enum:
    CHUNK = 1 << 20        # of a large tensor: half a core's L2
    GATHER = 1 << 20       # scratch for runs of small tensors
    SMALL = 128 << 10      # below it a tensor is gathered
    SHORT_FILE = -1        # in place of an errno: the file ended before the tensor did


cdef struct Tensor:
    uint8_t *data          # NULL while verifying: the bytes go to scratch alone
    int64_t offset
    int64_t size
    uint32_t crc


cdef struct Unit:
    int64_t first          # tensor
    int64_t count          # 0: one chunk of `first`
    int64_t begin          # chunk's place in its tensor, or file offset of a run
    int64_t size
    uint32_t crc


def checksums(data, list offsets, list sizes) -> list:
    """Masked crc32c of spans of one buffer."""
    cdef Py_buffer view
    cdef int64_t at, size
    cdef list out = []
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        for at, size in zip(offsets, sizes):
            if at < 0 or size < 0 or at + size > view.len:
                raise ValueError("a span lies outside its buffer")
            out.append(mp_crc_mask(mp_crc32c(0, <const uint8_t *> view.buf + at, size)))
    finally:
        PyBuffer_Release(&view)
    return out


cdef class TensorJob:
    """Tensors and a file. Build it with buffers, let threads call `work`, then take `crcs()`."""

    cdef Tensor *tensors
    cdef Unit *units
    cdef Py_buffer *views
    cdef int64_t count, unit_count, held, next_unit
    cdef int fd, failure
    cdef bint writing, checksum
    cdef int64_t failed_tensor
    cdef readonly int64_t total

    def __cinit__(self, int fd, list offsets, list sizes, data, bint writing, bint checksum=True):
        """`data`: one buffer per tensor, or None to read and checksum only. Offsets must grow, and spans not overlap."""
        cdef int64_t i, n = len(offsets), end = 0, room = 0, chunks = 0
        self.fd, self.writing, self.checksum, self.count = fd, writing, checksum, n
        self.failed_tensor = -1
        self.tensors = <Tensor *> calloc(max(n, 1), sizeof(Tensor))
        self.views = <Py_buffer *> calloc(max(n, 1), sizeof(Py_buffer))
        if self.tensors == NULL or self.views == NULL:
            raise MemoryError()
        for i in range(n):
            self.tensors[i].offset, self.tensors[i].size = offsets[i], sizes[i]
            if self.tensors[i].offset < end or self.tensors[i].size < 0:
                raise ValueError("tensors must be given in file order, without overlap")
            end = self.tensors[i].offset + self.tensors[i].size
            self.total += self.tensors[i].size
            if data is not None:
                PyObject_GetBuffer(data[i], &self.views[i], PyBUF_SIMPLE if writing else PyBUF_WRITABLE)
                self.held = i + 1
                if self.views[i].len != self.tensors[i].size:
                    raise ValueError(f"tensor {i} has {self.views[i].len} bytes, not {self.tensors[i].size}")
                self.tensors[i].data = <uint8_t *> self.views[i].buf
            elif writing:
                raise ValueError("nothing to write")
            room += self.tensors[i].size // CHUNK + 1
        self.units = <Unit *> calloc(max(room, 1), sizeof(Unit))
        if self.units == NULL:
            raise MemoryError()
        self.cut()

    def __dealloc__(self):
        cdef int64_t i
        for i in range(self.held):
            PyBuffer_Release(&self.views[i])
        free(self.tensors)
        free(self.views)
        free(self.units)

    cdef void cut(self) noexcept:
        """Divide the work: chunks of large tensors, runs of small ones that lie close together."""
        cdef int64_t i = 0, first, at, end
        cdef Unit *unit
        while i < self.count:
            unit = &self.units[self.unit_count]
            if self.tensors[i].size >= SMALL:
                at = 0
                while at < self.tensors[i].size:
                    unit = &self.units[self.unit_count]
                    unit.first, unit.count, unit.begin = i, 0, at
                    unit.size = min(<int64_t> CHUNK, self.tensors[i].size - at)
                    at += unit.size
                    self.unit_count += 1
                i += 1
                continue
            first, at = i, self.tensors[i].offset
            end = at
            while i < self.count and self.tensors[i].size < SMALL:
                # a run is moved whole, gaps included: they must be padding, not someone else's tensor
                if self.tensors[i].offset - end > 4096 or self.tensors[i].offset + self.tensors[i].size - at > GATHER:
                    break
                end = self.tensors[i].offset + self.tensors[i].size
                i += 1
            unit.first, unit.count, unit.begin, unit.size = first, i - first, at, end - at
            self.unit_count += 1

    cdef int move(self, uint8_t *data, int64_t size, int64_t offset, bint out) noexcept nogil:
        """The whole span, whatever the kernel does in one call. 0, an errno or SHORT_FILE."""
        cdef ssize_t done
        while size:
            done = pwrite(self.fd, data, size, offset) if out else pread(self.fd, data, size, offset)
            if done < 0:
                if errno == EINTR:
                    continue
                return errno
            if done == 0:
                return SHORT_FILE
            data += done
            size -= done
            offset += done
        return 0

    cdef int chunk(self, Unit *unit, uint8_t *scratch) noexcept nogil:
        cdef Tensor *tensor = &self.tensors[unit.first]
        cdef uint8_t *data = tensor.data + unit.begin if tensor.data != NULL else scratch
        cdef int failed
        if self.writing:
            if self.checksum:
                unit.crc = mp_crc32c(0, data, unit.size)
            return self.move(data, unit.size, tensor.offset + unit.begin, True)
        failed = self.move(data, unit.size, tensor.offset + unit.begin, False)
        if failed == 0 and self.checksum:
            unit.crc = mp_crc32c(0, data, unit.size)
        return failed

    cdef int run(self, Unit *unit, uint8_t *scratch) noexcept nogil:
        cdef int64_t i, at, end = unit.begin
        cdef Tensor *tensor
        cdef int failed
        if not self.writing:
            failed = self.move(scratch, unit.size, unit.begin, False)
            if failed:
                return failed
        for i in range(unit.first, unit.first + unit.count):
            tensor = &self.tensors[i]
            at = tensor.offset - unit.begin
            if self.writing:
                memset(scratch + end - unit.begin, 0, tensor.offset - end)
                memcpy(scratch + at, tensor.data, tensor.size)
                end = tensor.offset + tensor.size
            elif tensor.data != NULL:
                memcpy(tensor.data, scratch + at, tensor.size)
            if self.checksum:
                tensor.crc = mp_crc32c(0, scratch + at, tensor.size)
        return self.move(scratch, unit.size, unit.begin, True) if self.writing else 0

    def work(self) -> None:
        """Do units until none is left. Any number of threads may be in here; the first failure ends them all."""
        cdef uint8_t *scratch
        cdef int64_t i
        cdef int failed
        with nogil:
            scratch = <uint8_t *> malloc(GATHER)
            while scratch != NULL and self.failure == 0:
                i = mp_take(&self.next_unit)
                if i >= self.unit_count:
                    break
                failed = self.run(&self.units[i], scratch) if self.units[i].count else self.chunk(&self.units[i], scratch)
                if failed:
                    self.failed_tensor = self.units[i].first
                    self.failure = failed
            free(scratch)
        if scratch == NULL:
            raise MemoryError()

    def stop(self) -> None:
        """Let every `work` end after its current unit: the caller is giving up."""
        if self.failure == 0:
            self.failure = ECANCELED

    @property
    def failed(self):
        """(errno, or -1 when the file is too short; number of the tensor), None when all went well."""
        return None if self.failure == 0 else (self.failure, self.failed_tensor)

    def crcs(self) -> list:
        """Unmasked crc32c of every tensor; a chunked one's is put together from its chunks."""
        cdef uint32_t matrix[32]
        cdef int64_t i
        cdef Unit *unit
        cdef Tensor *tensor
        mp_zeros_matrix(matrix, CHUNK)
        for i in range(self.unit_count):
            unit = &self.units[i]
            if unit.count == 0:
                tensor = &self.tensors[unit.first]
                if unit.begin == 0:
                    tensor.crc = unit.crc
                elif unit.size == CHUNK:
                    tensor.crc = mp_matrix_times(matrix, tensor.crc) ^ unit.crc
                else:
                    tensor.crc = mp_crc32c_combine(tensor.crc, unit.crc, unit.size)
        return [self.tensors[i].crc for i in range(self.count)]

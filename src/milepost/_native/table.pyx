# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""LevelDB table blocks and TensorBundle index entries. In: keys and values, or block bytes. Out: the other one.

The loops that run once per tensor of a checkpoint: a model with thousands of small variables spends its time here.
Not here: block trailers, handles and the footer (`formats.table`), what an entry's numbers mean (`formats.bundle`).
Every length is checked against the bytes that are there before anything is read or allocated.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy


class BadBlock(ValueError):
    """A block or entry that breaks the format's rules: (what, byte offset)."""


cdef struct Growing:
    uint8_t *data
    size_t size
    size_t room


cdef int reserve(Growing *out, size_t more) except -1:
    cdef size_t room
    cdef uint8_t *moved
    if out.size + more > out.room:
        room = max(out.room * 2, out.size + more, <size_t> 4096)
        moved = <uint8_t *> realloc(out.data, room)
        if moved == NULL:
            raise MemoryError()
        out.data = moved
        out.room = room
    return 0


cdef inline size_t put_varint(uint8_t *at, uint64_t value) noexcept nogil:
    cdef size_t n = 0
    while value >= 0x80:
        at[n] = <uint8_t> (value | 0x80)
        value >>= 7
        n += 1
    at[n] = <uint8_t> value
    return n + 1


cdef inline Py_ssize_t get_varint(const uint8_t *data, Py_ssize_t at, Py_ssize_t end, uint64_t *value) noexcept nogil:
    """The position after the varint at `at`, or -1 when it does not end in time."""
    cdef uint64_t result = 0
    cdef int shift = 0
    while at < end and shift < 70:
        result |= <uint64_t> (data[at] & 0x7F) << shift
        if data[at] < 0x80:
            value[0] = result
            return at + 1
        at += 1
        shift += 7
    return -1


def build_block(list keys, list values, Py_ssize_t first, int restart_interval, size_t block_size):
    """One block from entry `first` on: (its contents, the first entry that is not in it).

    Ends when the size estimate reaches `block_size`, before an entry of twice that size, or at the last entry.
    """
    cdef Growing out = Growing(NULL, 0, 0)
    cdef Growing restarts = Growing(NULL, 0, 0)
    cdef Py_ssize_t i = first, n = len(keys)
    cdef size_t key_size, value_size, shared, limit, last_size = 0
    cdef const uint8_t *key
    cdef const uint8_t *last = NULL
    cdef int counter = 0
    cdef uint32_t mark = 0
    cdef bytes key_bytes, value_bytes
    try:
        reserve(&restarts, 4)
        memcpy(restarts.data, &mark, 4)
        restarts.size = 4
        while i < n:
            key_bytes, value_bytes = keys[i], values[i]
            key_size, value_size = PyBytes_GET_SIZE(key_bytes), PyBytes_GET_SIZE(value_bytes)
            if i > first and key_size + value_size >= 2 * block_size:
                break
            key = <const uint8_t *> PyBytes_AS_STRING(key_bytes)
            shared = 0
            if counter < restart_interval:
                limit = min(last_size, key_size)
                while shared < limit and last[shared] == key[shared]:
                    shared += 1
            else:
                reserve(&restarts, 4)
                mark = <uint32_t> out.size
                memcpy(restarts.data + restarts.size, &mark, 4)
                restarts.size += 4
                counter = 0
            reserve(&out, 30 + key_size - shared + value_size)
            out.size += put_varint(out.data + out.size, shared)
            out.size += put_varint(out.data + out.size, key_size - shared)
            out.size += put_varint(out.data + out.size, value_size)
            memcpy(out.data + out.size, key + shared, key_size - shared)
            out.size += key_size - shared
            memcpy(out.data + out.size, PyBytes_AS_STRING(value_bytes), value_size)
            out.size += value_size
            last, last_size = key, key_size
            counter += 1
            i += 1
            if out.size + restarts.size + 4 >= block_size:
                break
        mark = <uint32_t> (restarts.size // 4)
        reserve(&out, restarts.size + 4)
        memcpy(out.data + out.size, restarts.data, restarts.size)
        memcpy(out.data + out.size + restarts.size, &mark, 4)
        out.size += restarts.size + 4
        return PyBytes_FromStringAndSize(<char *> out.data, out.size), i
    finally:
        free(out.data)
        free(restarts.data)


def parse_block(data, list keys, list values, uint64_t key_budget):
    """Append the block's entries to `keys` and `values`; the key budget that is left.

    Keys must grow strictly, also across calls, so a table whose index names a block twice is refused. `key_budget`
    bounds the bytes that prefix compression can unfold to.
    """
    cdef Py_buffer view
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    cdef const uint8_t *p = <const uint8_t *> view.buf
    cdef Py_ssize_t size = view.len, at = 0, end
    cdef uint64_t shared, fresh, length
    cdef uint32_t count
    cdef bytes key, last
    cdef uint8_t *raw
    cdef bint have_last = len(keys) > 0
    last = keys[len(keys) - 1] if have_last else b""
    cdef bint first_here = True
    try:
        if size < 4:
            raise BadBlock("a table block has no restart count", 0)
        memcpy(&count, p + size - 4, 4)
        if <uint64_t> count * 4 + 4 > <uint64_t> size:
            raise BadBlock("a table block is shorter than its restart list", size - 4)
        end = size - 4 - 4 * <Py_ssize_t> count
        while at < end:
            at = get_varint(p, at, end, &shared)
            if at >= 0:
                at = get_varint(p, at, end, &fresh)
            if at >= 0:
                at = get_varint(p, at, end, &length)
            if at < 0:
                raise BadBlock("a table entry's lengths run past its block", end)
            if fresh > <uint64_t> (end - at) or length > <uint64_t> (end - at) - fresh:
                raise BadBlock("a table entry runs past its block", at)
            if shared > <uint64_t> PyBytes_GET_SIZE(last) or (first_here and shared):
                raise BadBlock("a table entry shares more of the previous key than there is", at)
            if shared + fresh > key_budget:
                raise BadBlock("the keys of a table unfold to more bytes than any real one's", at)
            key_budget -= shared + fresh
            key = PyBytes_FromStringAndSize(NULL, shared + fresh)
            raw = <uint8_t *> PyBytes_AS_STRING(key)
            memcpy(raw, PyBytes_AS_STRING(last), shared)
            memcpy(raw + shared, p + at, fresh)
            if have_last and not _less(last, key):
                raise BadBlock("the keys of a table are not in order", at)
            keys.append(key)
            values.append(PyBytes_FromStringAndSize(<const char *> p + at + fresh, length))
            last, have_last, first_here = key, True, False
            at += <Py_ssize_t> (fresh + length)
    finally:
        PyBuffer_Release(&view)
    return key_budget


cdef inline bint _less(bytes a, bytes b):
    cdef Py_ssize_t la = PyBytes_GET_SIZE(a), lb = PyBytes_GET_SIZE(b)
    cdef int order = memcmp(PyBytes_AS_STRING(a), PyBytes_AS_STRING(b), min(la, lb))
    return order < 0 or (order == 0 and la < lb)


cdef size_t put_shape(uint8_t *out, tuple shape) except? 0:
    """TensorShapeProto: repeated Dim dim = 2 {int64 size = 1}; a zero dim is an empty Dim."""
    cdef size_t n = 0, m
    cdef uint8_t dim[12]
    cdef uint64_t extent
    for extent in shape:
        m = 0
        if extent:
            dim[0] = 0x08
            m = 1 + put_varint(dim + 1, extent)
        out[n] = 0x12
        out[n + 1] = <uint8_t> m
        memcpy(out + n + 2, dim, m)
        n += 2 + m
    return n


def encode_entry(int dtype, tuple shape, uint64_t shard, uint64_t offset, uint64_t size, uint32_t crc) -> bytes:
    """BundleEntryProto of a whole tensor; `crc` is masked. proto3: zeros are not written, the shape always is."""
    cdef uint8_t fixed[1024]
    cdef uint8_t *out = fixed
    cdef size_t n = 0, m, rank = len(shape)
    if rank > 64:  # numpy's own limit, and what `body` holds
        raise ValueError(f"a tensor of rank {rank}: at most 64")
    cdef uint8_t body[896]
    m = put_shape(body, shape)
    if dtype:
        out[n] = 0x08
        n += 1 + put_varint(out + n + 1, dtype)
    out[n] = 0x12
    n += 1 + put_varint(out + n + 1, m)
    memcpy(out + n, body, m)
    n += m
    if shard:
        out[n] = 0x18
        n += 1 + put_varint(out + n + 1, shard)
    if offset:
        out[n] = 0x20
        n += 1 + put_varint(out + n + 1, offset)
    if size:
        out[n] = 0x28
        n += 1 + put_varint(out + n + 1, size)
    if crc:
        out[n] = 0x35
        memcpy(out + n + 1, &crc, 4)
        n += 5
    return PyBytes_FromStringAndSize(<char *> out, n)


cdef Py_ssize_t skip(const uint8_t *p, Py_ssize_t at, Py_ssize_t end, int wire) noexcept nogil:
    cdef uint64_t value
    if wire == 0:
        return get_varint(p, at, end, &value)
    if wire == 1:
        return at + 8 if end - at >= 8 else -1
    if wire == 5:
        return at + 4 if end - at >= 4 else -1
    if wire == 2:
        at = get_varint(p, at, end, &value)
        return at + <Py_ssize_t> value if at >= 0 and value <= <uint64_t> (end - at) else -1
    return -1


cdef tuple shape_at(const uint8_t *p, Py_ssize_t at, Py_ssize_t end):
    cdef list dims = []
    cdef uint64_t tag, length, value, inner
    cdef Py_ssize_t stop
    while at < end:
        at = get_varint(p, at, end, &tag)
        if at < 0:
            raise BadBlock("a shape is cut short", end)
        if tag == 0x12:
            at = get_varint(p, at, end, &length)
            if at < 0 or length > <uint64_t> (end - at):
                raise BadBlock("a dimension runs past its shape", end)
            stop = at + <Py_ssize_t> length
            value = 0
            while at < stop:
                at = get_varint(p, at, stop, &inner)
                if at >= 0:
                    at = get_varint(p, at, stop, &value) if inner == 0x08 else skip(p, at, stop, inner & 7)
                if at < 0:
                    raise BadBlock("a dimension is cut short", stop)
            if value >> 62:
                raise BadBlock("a dimension that is negative or beyond any memory", stop)
            dims.append(value)
        else:
            if tag == 0x18:
                at = get_varint(p, at, end, &value)
                if at >= 0 and value:
                    raise BadBlock("a tensor of unknown rank", at)
            else:
                at = skip(p, at, end, tag & 7)
            if at < 0:
                raise BadBlock("a shape is cut short", end)
    return tuple(dims)


def decode_entry(bytes data):
    """BundleEntryProto: (dtype, shape, shard, offset, size, masked crc, [TensorSliceProto bytes, …])."""
    cdef const uint8_t *p = <const uint8_t *> PyBytes_AS_STRING(data)
    cdef Py_ssize_t at = 0, end = PyBytes_GET_SIZE(data)
    cdef uint64_t tag, value = 0, dtype = 0, shard = 0, offset = 0, size = 0
    cdef uint32_t crc = 0
    cdef tuple shape = ()
    cdef list slices = []
    while at < end:
        at = get_varint(p, at, end, &tag)
        if at < 0:
            raise BadBlock("an entry is cut short", end)
        if tag == 0x12 or tag == 0x3A:
            at = get_varint(p, at, end, &value)
            if at < 0 or value > <uint64_t> (end - at):
                raise BadBlock("a field runs past its entry", end)
            if tag == 0x12:
                shape = shape_at(p, at, at + <Py_ssize_t> value)
            else:
                slices.append(data[at:at + <Py_ssize_t> value])
            at += <Py_ssize_t> value
        elif tag == 0x35:
            if end - at < 4:
                raise BadBlock("an entry is cut short", end)
            memcpy(&crc, p + at, 4)
            at += 4
        elif tag == 0x08 or tag == 0x18 or tag == 0x20 or tag == 0x28:
            at = get_varint(p, at, end, &value)
            if tag == 0x08:
                dtype = value
            elif tag == 0x18:
                shard = value
            elif tag == 0x20:
                offset = value
            else:
                size = value
        else:
            at = skip(p, at, end, tag & 7)
        if at < 0:
            raise BadBlock("an entry is cut short", end)
    return dtype, shape, shard, offset, size, crc, slices

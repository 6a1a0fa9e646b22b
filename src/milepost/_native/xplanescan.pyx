# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The events of one XLine into columns. In: the line's bytes. Out: metadata ids, times, lengths, steps, places of stats.

Only what stands a million times in a file is decoded here; planes, lines and names are few (`formats.xplane`).
"""

import numpy as np

from libc.stdint cimport int64_t, uint8_t, uint64_t


cdef int64_t varint(const uint8_t *data, int64_t at, int64_t end, uint64_t *value) noexcept nogil:
    """The place after the varint at `at`, or -1."""
    cdef uint64_t result = 0
    cdef int shift = 0
    while at < end and shift < 64:
        result |= <uint64_t> (data[at] & 0x7F) << shift
        if data[at] < 0x80:
            value[0] = result
            return at + 1
        shift += 7
        at += 1
    return -1


cdef int64_t skip(const uint8_t *data, int64_t at, int64_t end, int wire) noexcept nogil:
    cdef uint64_t size = 0
    if wire == 0:
        return varint(data, at, end, &size)
    if wire == 2:
        at = varint(data, at, end, &size)
        if at < 0 or size > <uint64_t> (end - at):
            return -1
    elif wire == 1:
        size = 8
    elif wire == 5:
        size = 4
    else:
        return -1
    return at + <int64_t> size if <int64_t> size <= end - at else -1


cdef int64_t count(const uint8_t *data, int64_t end) noexcept nogil:
    """How many events stand in the line, up to the first broken byte: room is made for what is there, not announced."""
    cdef int64_t at = 0, n = 0
    cdef uint64_t tag = 0
    while at < end:
        at = varint(data, at, end, &tag)
        if at < 0:
            break
        at = skip(data, at, end, tag & 7)
        if at < 0:
            break
        n += tag == (4 << 3 | 2)
    return n


def events(const uint8_t[::1] data, int64_t step_stat):
    """Columns (metadata id, offset ps, duration ps, step or -1, begin and end of the event's bytes); None when broken.

    `step_stat` is the id of the stat that holds a step number, 0 if the plane has none.
    """
    cdef int64_t end = data.shape[0], at = 0, inner, stop, n = 0, room, stat_at, stat_end
    cdef uint64_t tag = 0, size = 0, value = 0, stat_id, stat_value
    cdef const uint8_t *p
    cdef bint broken = False
    if end == 0:
        return np.zeros((6, 0), np.int64)
    p = &data[0]
    room = count(p, end)
    columns = np.zeros((6, room), np.int64)
    cdef int64_t[:, ::1] out = columns
    with nogil:
        while at < end:
            at = varint(p, at, end, &tag)
            if at < 0:
                broken = True
                break
            if tag != (4 << 3 | 2):
                at = skip(p, at, end, tag & 7)
                if at < 0:
                    broken = True
                    break
                continue
            at = varint(p, at, end, &size)
            if at < 0 or size > <uint64_t> (end - at):
                broken = True
                break
            inner, stop = at, at + <int64_t> size
            at = stop
            out[3, n], out[4, n], out[5, n] = -1, inner, stop
            while inner < stop:
                inner = varint(p, inner, stop, &tag)
                if inner < 0:
                    broken = True
                    break
                if tag == (1 << 3) or tag == (2 << 3) or tag == (3 << 3):
                    inner = varint(p, inner, stop, &value)
                    if inner < 0:
                        broken = True
                        break
                    out[<int> (tag >> 3) - 1, n] = <int64_t> value
                elif tag == (4 << 3 | 2) and step_stat:
                    inner = varint(p, inner, stop, &size)
                    if inner < 0 or size > <uint64_t> (stop - inner):
                        broken = True
                        break
                    stat_at, stat_end = inner, inner + <int64_t> size
                    inner = stat_end
                    stat_id, stat_value = 0, 0
                    while stat_at >= 0 and stat_at < stat_end:
                        stat_at = varint(p, stat_at, stat_end, &tag)
                        if stat_at < 0:
                            break
                        if tag == (1 << 3):
                            stat_at = varint(p, stat_at, stat_end, &stat_id)
                        elif tag == (3 << 3) or tag == (4 << 3):
                            stat_at = varint(p, stat_at, stat_end, &stat_value)
                        else:
                            stat_at = skip(p, stat_at, stat_end, tag & 7)
                    if <int64_t> stat_id == step_stat:
                        out[3, n] = <int64_t> stat_value
                else:
                    inner = skip(p, inner, stop, tag & 7)
                    if inner < 0:
                        broken = True
                        break
            if broken:
                break
            n += 1
    if broken:
        return None
    return columns[:, :n]

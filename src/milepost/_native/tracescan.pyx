# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Chrome trace JSON into columns, in one pass. In: the text's bytes. Out: a column per field, strings interned.

Events are not decoded as JSON values: only the few known fields are looked at, arguments are skipped and remembered by
their place, so that a trace of hundreds of megabytes becomes columns in about a second. The scan is iterative, bounded by
the buffer, and stops at the first byte that cannot be, with its place.
Not here: what a category or a track means (`formats.trace`), XPlanes (`xplanescan`).
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc, strtod
from libc.string cimport memcmp, memcpy, memset

DEF MAX_DEPTH = 512

cdef enum Fault:
    NONE = 0
    CUT = 1          # the bytes end too early
    BROKEN = 2       # a byte that cannot stand there
    NO_MEMORY = 3
    NO_EVENTS = 4
    TOO_DEEP = 5

CUT_SHORT, BROKEN_BYTE, OUT_OF_MEMORY, EVENTS_MISSING, NESTED_TOO_DEEP = CUT, BROKEN, NO_MEMORY, NO_EVENTS, TOO_DEEP

cdef struct Row:
    int64_t ts
    int64_t dur
    int64_t id
    int64_t args_at
    int32_t args_len
    int32_t name
    int32_t cat
    int32_t pid
    int32_t tid
    int32_t shape
    uint32_t ph

# numpy's view of a Row, field by field as C lays it out
ROW = np.dtype(
    [("ts", "<i8"), ("dur", "<i8"), ("id", "<i8"), ("args_at", "<i8"), ("args_len", "<i4"), ("name", "<i4"),
     ("cat", "<i4"), ("pid", "<i4"), ("tid", "<i4"), ("shape", "<i4"), ("ph", "<u4")], align=True)
assert ROW.itemsize == sizeof(Row)

cdef struct Text:
    int64_t at
    int32_t size
    uint32_t hash

cdef struct Scan:
    const uint8_t *data
    int64_t at
    int64_t end
    int fault
    Row *rows
    int64_t n_rows, room
    Text *texts
    int32_t n_texts, texts_room
    int32_t *slots          # open addressing, -1 empty
    uint32_t slot_mask


cdef inline void blank(Scan *s) noexcept nogil:
    while s.at < s.end and s.data[s.at] <= 32:
        s.at += 1


cdef inline int fail(Scan *s, int fault) noexcept nogil:
    if s.fault == NONE:
        s.fault = CUT if s.at >= s.end and fault == BROKEN else fault
    return 0


cdef inline int want(Scan *s, uint8_t byte) noexcept nogil:
    blank(s)
    if s.at < s.end and s.data[s.at] == byte:
        s.at += 1
        return 1
    return fail(s, BROKEN)


cdef int string(Scan *s, int64_t *at, int32_t *size) noexcept nogil:
    """A string's bytes between its quotes, escapes left as they are."""
    if not want(s, 34):
        return 0
    at[0] = s.at
    while s.at < s.end:
        if s.data[s.at] == 34:
            size[0] = <int32_t> (s.at - at[0])
            s.at += 1
            return 1
        if s.data[s.at] == 92:
            s.at += 1
        s.at += 1
    s.at = s.end
    return fail(s, CUT)


cdef int skip(Scan *s) noexcept nogil:
    """Past one value of any kind. Brackets are counted, not matched in kind: that is left to whoever decodes it."""
    cdef int64_t at, start
    cdef int32_t size
    cdef int depth = 0
    cdef uint8_t byte
    blank(s)
    while s.at < s.end:
        byte = s.data[s.at]
        if byte == 34:
            if not string(s, &at, &size):
                return 0
        elif byte == 123 or byte == 91:
            depth += 1
            if depth > MAX_DEPTH:
                return fail(s, TOO_DEEP)
            s.at += 1
        elif byte == 125 or byte == 93:
            if depth == 0:
                return fail(s, BROKEN)
            depth -= 1
            s.at += 1
        elif depth and (byte == 44 or byte == 58 or byte <= 32):
            s.at += 1
            continue
        else:
            start = s.at
            while s.at < s.end and (48 <= s.data[s.at] <= 57 or 97 <= (s.data[s.at] | 32) <= 122
                                    or s.data[s.at] == 43 or s.data[s.at] == 45 or s.data[s.at] == 46):
                s.at += 1
            if s.at == start:
                return fail(s, BROKEN)
        if depth == 0:
            return 1
    return fail(s, CUT)


cdef int64_t nanoseconds(Scan *s, bint microseconds) noexcept nogil:
    """A number of microseconds as nanoseconds, exact to the third decimal; or a plain integer."""
    cdef int64_t whole = 0, part = 0
    cdef int digits = 0, negative = 0
    cdef int64_t start
    cdef uint8_t byte
    cdef char text[40]
    cdef double value
    cdef bint quoted = False
    blank(s)
    if s.at < s.end and s.data[s.at] == 34:    # some writers quote their times
        quoted = True
        s.at += 1
    start = s.at
    if s.at < s.end and s.data[s.at] == 45:
        negative = 1
        s.at += 1
    while s.at < s.end and 48 <= s.data[s.at] <= 57:
        if whole < <int64_t> 900000000000000000LL:
            whole = whole * 10 + (s.data[s.at] - 48)
        s.at += 1
    if s.at == start + negative:
        return fail(s, BROKEN)
    if s.at < s.end and s.data[s.at] == 46:
        s.at += 1
        while s.at < s.end and 48 <= s.data[s.at] <= 57:
            if digits < 3:
                part = part * 10 + (s.data[s.at] - 48)
            elif digits == 3 and s.data[s.at] >= 53:
                part += 1
            digits += 1
            s.at += 1
    while digits < 3:
        part *= 10
        digits += 1
    if s.at < s.end and (s.data[s.at] | 32) == 101:
        while s.at < s.end and s.at - start < 39 and (48 <= s.data[s.at] <= 57 or s.data[s.at] == 43
                or s.data[s.at] == 45 or s.data[s.at] == 46 or (s.data[s.at] | 32) == 101):
            s.at += 1
        memset(text, 0, 40)
        memcpy(text, s.data + start, min(s.at - start, 39))
        value = strtod(text, NULL) * (1000.0 if microseconds else 1.0)
        if quoted:
            s.at += 1
        if not -9e18 < value < 9e18:
            return fail(s, BROKEN)
        return <int64_t> (value + (0.5 if value >= 0 else -0.5))
    if quoted:
        if s.at >= s.end or s.data[s.at] != 34:
            return fail(s, BROKEN)
        s.at += 1
    if microseconds:
        if whole > <int64_t> 9000000000000000LL:
            return fail(s, BROKEN)
        whole = whole * 1000 + part
    return -whole if negative else whole


cdef inline uint32_t hashed(const uint8_t *text, int32_t size) noexcept nogil:
    cdef uint64_t h = 0xcbf29ce484222325ULL ^ <uint64_t> size
    cdef uint64_t word
    cdef int32_t i = 0
    while i + 8 <= size:
        memcpy(&word, text + i, 8)
        h = (h ^ word) * 0x9E3779B97F4A7C15ULL
        h ^= h >> 29
        i += 8
    while i < size:
        h = (h ^ text[i]) * 0x100000001b3ULL
        i += 1
    return <uint32_t> (h ^ (h >> 32))


cdef int grow_slots(Scan *s) noexcept nogil:
    cdef uint32_t mask = s.slot_mask * 2 + 1, slot
    cdef int32_t *slots = <int32_t *> malloc((<size_t> mask + 1) * sizeof(int32_t))
    cdef int32_t i
    if slots == NULL:
        return fail(s, NO_MEMORY)
    memset(slots, 255, (<size_t> mask + 1) * sizeof(int32_t))
    for i in range(s.n_texts):
        slot = s.texts[i].hash & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = i
    free(s.slots)
    s.slots, s.slot_mask = slots, mask
    return 1


cdef int32_t intern(Scan *s, int64_t at, int32_t size) noexcept nogil:
    cdef uint32_t h = hashed(s.data + at, size)
    cdef uint32_t slot = h & s.slot_mask
    cdef Text *text
    cdef Text *grown
    while s.slots[slot] >= 0:
        text = &s.texts[s.slots[slot]]
        if text.hash == h and text.size == size and memcmp(s.data + text.at, s.data + at, size) == 0:
            return s.slots[slot]
        slot = (slot + 1) & s.slot_mask
    if s.n_texts == s.texts_room:
        grown = <Text *> realloc(s.texts, <size_t> s.texts_room * 2 * sizeof(Text))
        if grown == NULL:
            fail(s, NO_MEMORY)
            return -1
        s.texts = grown
        s.texts_room *= 2
    s.texts[s.n_texts].at, s.texts[s.n_texts].size, s.texts[s.n_texts].hash = at, size, h
    s.slots[slot] = s.n_texts
    s.n_texts += 1
    if <uint32_t> s.n_texts * 2 > s.slot_mask:
        grow_slots(s)
    return s.n_texts - 1


cdef int32_t token(Scan *s) noexcept nogil:
    """A value interned as it is written: a name, a number, a nested list."""
    cdef int64_t start
    blank(s)
    start = s.at
    if not skip(s):
        return -1
    return intern(s, start, <int32_t> (s.at - start))


cdef inline bint same(Scan *s, int64_t at, int32_t size, const char *text, int32_t length) noexcept nogil:
    return size == length and memcmp(s.data + at, text, length) == 0


cdef int arguments(Scan *s, Row *row) noexcept nogil:
    """Skip an event's args, keeping their place and the input shapes torch and others put there."""
    cdef int64_t at
    cdef int32_t size
    blank(s)
    row.args_at = s.at
    if s.at >= s.end or s.data[s.at] != 123:
        skip(s)
        row.args_len = <int32_t> (s.at - row.args_at)
        return s.fault == NONE
    s.at += 1
    blank(s)
    if s.at < s.end and s.data[s.at] == 125:
        s.at += 1
    else:
        while True:
            if not string(s, &at, &size) or not want(s, 58):
                return 0
            if size == 10 and same(s, at, size, "Input Dims", 10):
                row.shape = token(s)
            elif not skip(s):
                return 0
            blank(s)
            if s.at < s.end and s.data[s.at] == 44:
                s.at += 1
                continue
            if not want(s, 125):
                return 0
            break
    row.args_len = <int32_t> (s.at - row.args_at)
    return s.fault == NONE


cdef int event(Scan *s) noexcept nogil:
    cdef Row *row
    cdef Row *grown
    cdef int64_t at, size64
    cdef int32_t size
    cdef uint8_t first
    if not want(s, 123):
        return 0
    if s.n_rows == s.room:
        grown = <Row *> realloc(s.rows, <size_t> s.room * 2 * sizeof(Row))
        if grown == NULL:
            return fail(s, NO_MEMORY)
        s.rows = grown
        s.room *= 2
    row = &s.rows[s.n_rows]
    memset(row, 0, sizeof(Row))
    row.name = row.cat = row.pid = row.tid = row.shape = -1
    row.args_at = row.id = -1
    blank(s)
    if s.at < s.end and s.data[s.at] == 125:
        s.at += 1
        return 1
    while True:
        if not string(s, &at, &size) or not want(s, 58):
            return 0
        if size == 2 and s.data[at] == 112 and s.data[at + 1] == 104:          # ph
            if not string(s, &at, &size):
                return 0
            row.ph = s.data[at] if size else 0
        elif size == 2 and s.data[at] == 116 and s.data[at + 1] == 115:        # ts
            row.ts = nanoseconds(s, True)
        elif size == 3 and same(s, at, size, "dur", 3):
            row.dur = nanoseconds(s, True)
        elif size == 4 and same(s, at, size, "name", 4):
            row.name = token(s)
        elif size == 3 and same(s, at, size, "cat", 3):
            row.cat = token(s)
        elif size == 3 and same(s, at, size, "pid", 3):
            row.pid = token(s)
        elif size == 3 and same(s, at, size, "tid", 3):
            row.tid = token(s)
        elif size == 2 and same(s, at, size, "id", 2):
            row.id = token(s)
        elif size == 4 and same(s, at, size, "args", 4):
            arguments(s, row)
        else:
            skip(s)
        if s.fault != NONE:
            return 0
        blank(s)
        if s.at < s.end and s.data[s.at] == 44:
            s.at += 1
            continue
        if not want(s, 125):
            return 0
        s.n_rows += 1
        return 1


cdef int events(Scan *s, bint may_end) noexcept nogil:
    """The list of events; `may_end`: the form without a closing bracket, which a killed writer leaves, is allowed."""
    if not want(s, 91):
        return 0
    blank(s)
    if s.at < s.end and s.data[s.at] == 93:
        s.at += 1
        return 1
    while True:
        blank(s)
        if may_end and s.at >= s.end:
            return 1
        if s.at < s.end and s.data[s.at] == 93:      # a comma before the bracket, as streaming writers leave
            s.at += 1
            return 1
        if not event(s):
            return 0
        blank(s)
        if s.at < s.end and s.data[s.at] == 44:
            s.at += 1
        elif s.at < s.end and s.data[s.at] == 93:
            s.at += 1
            return 1
        elif may_end and s.at >= s.end:
            return 1
        else:
            return fail(s, BROKEN)


def scan(const uint8_t[::1] data):
    """(rows as a structured array, interned texts as bytes, top-level spans {key: (begin, end)}, fault, byte)."""
    cdef Scan s
    cdef int64_t at
    cdef int32_t size
    cdef bint found = False
    memset(&s, 0, sizeof(Scan))
    if data.shape[0] == 0:
        return np.zeros(0, ROW), [], {}, CUT, 0
    s.data, s.end = &data[0], data.shape[0]
    s.room, s.texts_room, s.slot_mask = max(64, s.end // 400), 1024, 4095
    s.rows = <Row *> malloc(<size_t> s.room * sizeof(Row))
    s.texts = <Text *> malloc(<size_t> s.texts_room * sizeof(Text))
    s.slots = <int32_t *> malloc(4096 * sizeof(int32_t))
    if s.rows == NULL or s.texts == NULL or s.slots == NULL:
        free(s.rows); free(s.texts); free(s.slots)
        raise MemoryError
    memset(s.slots, 255, 4096 * sizeof(int32_t))
    spans = {}
    try:
        blank(&s)
        if s.at < s.end and s.data[s.at] == 91:
            found = True
            with nogil:
                events(&s, True)
        elif want(&s, 123):
            while s.fault == NONE:
                blank(&s)
                if s.at < s.end and s.data[s.at] == 125:
                    break
                if not string(&s, &at, &size) or not want(&s, 58):
                    break
                key = bytes(data[at:at + size])
                blank(&s)
                begin = s.at
                if key == b"traceEvents":
                    found = True
                    with nogil:
                        events(&s, False)
                else:
                    skip(&s)
                    spans[key.decode("utf-8", "replace")] = (begin, s.at)
                blank(&s)
                if s.fault != NONE:
                    break
                if s.at < s.end and s.data[s.at] == 44:
                    s.at += 1
                elif s.at >= s.end or s.data[s.at] != 125:
                    fail(&s, BROKEN)
        if s.fault == NONE and not found:
            s.fault = NO_EVENTS
        rows = np.empty(s.n_rows, ROW)
        if s.n_rows:
            copy_rows(rows.view(np.uint8), &s)
        texts = [bytes(data[s.texts[i].at:s.texts[i].at + s.texts[i].size]) for i in range(s.n_texts)]
        return rows, texts, spans, s.fault, s.at
    finally:
        free(s.rows)
        free(s.texts)
        free(s.slots)


cdef copy_rows(uint8_t[::1] out, Scan *s):
    memcpy(&out[0], s.rows, <size_t> s.n_rows * sizeof(Row))


def pair(const uint32_t[::1] ph, const int32_t[::1] track, const int64_t[::1] ts, int64_t[::1] dur):
    """Begin/end events in order of time: write each begin's duration, -1 where no end came. Out: how many ends had none."""
    cdef Py_ssize_t i, n = ph.shape[0], lost = 0
    cdef list stacks = [[] for _ in range((max(track) + 1) if n else 0)]
    for i in range(n):
        stack = stacks[track[i]]
        if ph[i] == 66:
            dur[i] = -1
            stack.append(i)
        elif stack:
            begin = stack.pop()
            dur[begin] = ts[i] - ts[begin]
        else:
            lost += 1
    return lost


def nest(const int32_t[::1] track, const int64_t[::1] start, const int64_t[::1] dur):
    """Depth, parent row (-1: none) and own time of events sorted by track, start and falling duration."""
    cdef Py_ssize_t n = track.shape[0], i
    depth_, parent_, own_ = np.zeros(n, np.int32), np.full(n, -1, np.int32), np.zeros(n, np.int64)
    cdef int32_t[::1] depth = depth_
    cdef int32_t[::1] parent = parent_
    cdef int64_t[::1] own = own_
    cdef int32_t *stack = <int32_t *> malloc(<size_t> (n + 1) * sizeof(int32_t))
    cdef Py_ssize_t top = 0
    cdef int64_t end, over
    if stack == NULL:
        raise MemoryError
    with nogil:
        for i in range(n):
            if i and track[i] != track[i - 1]:
                top = 0
            while top and start[stack[top - 1]] + dur[stack[top - 1]] <= start[i]:
                top -= 1
            own[i] = dur[i]
            depth[i] = <int32_t> top
            if top:
                parent[i] = stack[top - 1]
                end = start[parent[i]] + dur[parent[i]]
                over = min(end, start[i] + dur[i]) - start[i]      # a child may stick out when clocks differ
                own[parent[i]] -= over
            stack[top] = <int32_t> i
            top += 1
    free(stack)
    return depth_, parent_, own_

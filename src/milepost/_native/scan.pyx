# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""One event file as columns. In: a descriptor (or bytes) and how far it reaches. Out: chunks of columns per tag.

The loops are in eventscan.h and run without the GIL. Not here: which files there are, what blobs mean, restarts.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

cdef extern from "eventscan.h" nogil:
    ctypedef struct mp_blob:
        int64_t step
        double wall
        int64_t record
        uint32_t offset, length, field, starts
    ctypedef struct mp_mark:
        uint64_t position, starts
    ctypedef struct mp_slot:
        uint8_t *tag
        uint32_t tag_length, origin
        uint8_t *meta
        uint32_t meta_length
        int has_meta, plugin
        int64_t *step
        double *wall
        void *value
        size_t count, capacity
        int wide, started, unordered, dirty
        int64_t last_step
        uint64_t nan, inf, starts_seen, total
        mp_mark *mark
        size_t marks, mark_capacity
        mp_blob *blob
        size_t blobs, blob_capacity
    ctypedef struct mp_table:
        mp_slot **slot
        size_t count
        uint32_t *dirty
        size_t dirties
        uint64_t seed
    ctypedef struct mp_bad:
        int64_t offset, length
        int reason
    ctypedef struct mp_session:
        int64_t step
        double wall
        int64_t record
    ctypedef struct mp_source:
        int fd
        const uint8_t *memory
    ctypedef struct mp_scan:
        mp_table table
        int64_t offset, searched, records, bad_records, events
        mp_bad *bad
        size_t bads
        mp_session *session
        size_t sessions
        uint64_t starts, buffered
        double first_wall, last_wall
        int64_t last_step
        int walls, truncated, stopped, file_version, error_number
        uint8_t *writer
        size_t writer_length
    void mp_crc_init()
    int mp_scan_on(mp_scan *s, mp_source *source, int64_t size, uint64_t limit)
    void mp_scan_rest(mp_scan *s)
    void mp_scan_free(mp_scan *s)
    mp_slot *mp_slot_of(mp_table *t, const uint8_t *tag, uint32_t length, uint32_t origin)
    int mp_note_bad(mp_scan *s, int64_t offset, int64_t length, int reason)
    int mp_session_note(mp_scan *s, int64_t step, double wall, int64_t record)
    int mp_plugin(const uint8_t *p, const uint8_t *end)

mp_crc_init()

BLOB_FIELDS = ("step", "wall_time", "record", "offset", "length", "field", "starts")
BAD_REASONS = {1: "length does not match its checksum", 2: "data does not match its checksum",
               3: "data is no event, or its tag is one too many or too long", 4: "length runs past the records that follow"}


cdef class Block:
    """An allocation whose owner is Python from now on: numpy views it, nothing is copied."""

    cdef void *data
    cdef Py_ssize_t size

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.data, self.size, 0, flags)

    def __releasebuffer__(self, Py_buffer *view):
        pass

    def __len__(self):
        return self.size

    def __dealloc__(self):
        free(self.data)


cdef Block own(void *data, size_t size):
    cdef Block block = Block.__new__(Block)
    cdef void *trimmed = realloc(data, size if size else 1)
    block.data = trimmed if trimmed != NULL else data
    block.size = size
    return block


cdef class EventScan:
    """The scan of one event file, resumable at any record."""

    cdef mp_scan scan

    def __cinit__(self, uint64_t seed=0):
        memset(&self.scan, 0, sizeof(self.scan))
        self.scan.table.seed = seed

    def __dealloc__(self):
        mp_scan_free(&self.scan)

    def feed(self, int fd, int64_t size, uint64_t limit=(<uint64_t> 1) << 62) -> bool:
        """Read on to `size`. True when stopped because `limit` points wait: drain, then feed again."""
        cdef mp_source source
        cdef int result
        source.fd, source.memory = fd, NULL
        with nogil:
            result = mp_scan_on(&self.scan, &source, size, limit)
            mp_scan_rest(&self.scan)
        return self._outcome(result)

    def feed_bytes(self, data, uint64_t limit=(<uint64_t> 1) << 62) -> bool:
        """The same from memory; `data` is the file from its first byte."""
        cdef Py_buffer view
        cdef mp_source source
        cdef int result
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            source.fd, source.memory = -1, <const uint8_t *> view.buf
            with nogil:
                result = mp_scan_on(&self.scan, &source, view.len, limit)
                mp_scan_rest(&self.scan)
        finally:
            PyBuffer_Release(&view)
        return self._outcome(result)

    cdef bint _outcome(self, int result) except -1:
        if result == -1:
            raise MemoryError("no memory for the columns of an event file")
        if result < 0:
            raise OSError(self.scan.error_number, "cannot read the event file")
        return result == 1

    def drain(self) -> list:
        """What came since the last drain: (slot, points or None, blobs or None) for each tag that got something.

        points: (count, wide, first step, last step, unordered, nan, inf, step, wall_time, value, marks);
        blobs: (count, rows as one buffer of 40-byte rows).
        """
        cdef mp_table *table = &self.scan.table
        cdef mp_slot *slot
        cdef size_t i, k
        out = []
        for i in range(table.dirties):
            slot = table.slot[table.dirty[i]]
            points = blobs = None
            if slot.count:
                marks = [(slot.mark[k].position, slot.mark[k].starts) for k in range(slot.marks)]
                first, last = slot.step[0], slot.step[slot.count - 1]
                points = (slot.count, slot.wide != 0, first, last, slot.unordered != 0, slot.nan, slot.inf,
                          own(slot.step, slot.count * 8), own(slot.wall, slot.count * 8),
                          own(slot.value, slot.count * (8 if slot.wide else 4)), marks)
                slot.step, slot.wall, slot.value = NULL, NULL, NULL
                slot.count = slot.capacity = slot.marks = 0
                slot.nan = slot.inf = 0
                slot.unordered = slot.started = 0
            if slot.blobs:
                blobs = (slot.blobs, own(slot.blob, slot.blobs * sizeof(mp_blob)))
                slot.blob, slot.blobs, slot.blob_capacity = NULL, 0, 0
            slot.dirty = 0
            out.append((table.dirty[i], points, blobs))
        table.dirties = 0
        self.scan.buffered = 0
        return out

    def slots(self, size_t first=0) -> list:
        """(tag bytes, origin, metadata bytes or None) of each slot from `first` on."""
        cdef mp_table *table = &self.scan.table
        cdef mp_slot *slot
        cdef size_t i
        out = []
        for i in range(first, table.count):
            slot = table.slot[i]
            meta = PyBytes_FromStringAndSize(<char *> slot.meta, slot.meta_length) if slot.has_meta else None
            out.append((PyBytes_FromStringAndSize(<char *> slot.tag, slot.tag_length), slot.origin, meta))
        return out

    def metadata(self, size_t index):
        cdef mp_slot *slot = self.scan.table.slot[index]
        return PyBytes_FromStringAndSize(<char *> slot.meta, slot.meta_length) if slot.has_meta else None

    def seen(self, size_t index) -> tuple:
        """(points ever, session starts before the last of them, whether wide) of a slot."""
        cdef mp_slot *slot = self.scan.table.slot[index]
        return slot.total, slot.starts_seen, slot.wide != 0

    @property
    def slot_count(self) -> int:
        return self.scan.table.count

    @property
    def buffered(self) -> int:
        return self.scan.buffered

    @property
    def offset(self) -> int:
        return self.scan.offset

    @property
    def truncated(self) -> bool:
        """Whether the bytes read last ended inside a record, or in damage with no record after it."""
        return self.scan.truncated != 0

    @property
    def counts(self) -> tuple:
        """(records, bad records, summary events)."""
        return self.scan.records, self.scan.bad_records, self.scan.events

    @property
    def bad(self) -> list:
        """(offset, bytes skipped, reason number) of the first thousand bad records."""
        return [(self.scan.bad[i].offset, self.scan.bad[i].length, self.scan.bad[i].reason) for i in range(self.scan.bads)]

    @property
    def sessions(self) -> list:
        """(step, wall time, record offset) of each session start."""
        return [(self.scan.session[i].step, self.scan.session[i].wall, self.scan.session[i].record)
                for i in range(self.scan.sessions)]

    @property
    def extent(self) -> tuple:
        """(first wall time, last wall time, last step), or None's while nothing was read."""
        if not self.scan.walls:
            return None, None, None
        return self.scan.first_wall, self.scan.last_wall, self.scan.last_step

    @property
    def stopped(self) -> bool:
        """Whether the last session log said STOP."""
        return self.scan.stopped != 0

    @property
    def file_version(self) -> int:
        return self.scan.file_version

    @property
    def writer(self) -> bytes:
        """The SourceMetadata message of the first event."""
        return PyBytes_FromStringAndSize(<char *> self.scan.writer, self.scan.writer_length)

    def state(self) -> dict:
        """Everything but the points: what `resume` needs to go on at `offset`."""
        return {
            "offset": self.scan.offset, "records": self.scan.records, "bad_records": self.scan.bad_records,
            "events": self.scan.events, "bad": self.bad, "sessions": self.sessions, "extent": self.extent,
            "file_version": self.scan.file_version, "stopped": self.scan.stopped, "writer": self.writer,
            "slots": [(*row, *self.seen(i)) for i, row in enumerate(self.slots())],
        }

    @staticmethod
    def resume(dict state, uint64_t seed=0):
        """A scan that goes on where `state` was taken; its points are the caller's to keep."""
        cdef EventScan scan = EventScan(seed)
        cdef mp_scan *s = &scan.scan
        cdef mp_slot *slot
        cdef const uint8_t *text
        for offset, length, reason in state["bad"]:
            if mp_note_bad(s, offset, length, reason):
                raise MemoryError
        for step, wall, record in state["sessions"]:
            if mp_session_note(s, step, wall, record):
                raise MemoryError
        s.offset, s.records = state["offset"], state["records"]
        s.bad_records, s.events = state["bad_records"], state["events"]
        s.file_version, s.stopped = state["file_version"], state["stopped"]
        if state["extent"][0] is not None:
            s.first_wall, s.last_wall, s.last_step = state["extent"]
            s.walls = 1
        writer = state["writer"]
        if writer:
            s.writer = <uint8_t *> malloc(len(writer))
            memcpy(s.writer, <const char *> writer, len(writer))
            s.writer_length = len(writer)
        for tag, origin, meta, total, starts_seen, wide in state["slots"]:
            text = <const uint8_t *> <const char *> tag
            slot = mp_slot_of(&s.table, text, len(tag), origin)
            if slot == NULL:
                raise MemoryError
            slot.total, slot.starts_seen, slot.wide = total, starts_seen, wide
            if meta is not None:
                slot.meta = <uint8_t *> malloc(len(meta) or 1)
                text = <const uint8_t *> <const char *> meta
                memcpy(slot.meta, text, len(meta))
                slot.meta_length, slot.has_meta = len(meta), 1
                slot.plugin = mp_plugin(text, text + len(meta))
        return scan

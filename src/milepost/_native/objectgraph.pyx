# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""TrackableObjectGraph to and from bytes. In: nodes as plain tuples, or bytes. Out: the other one.

A node is (children, attributes, slots, saver, has_values): [(name, node id)], [(name, full name, key)],
[(variable id, slot name, slot id)], (name, object name) or None, True / False / None when the field is absent.
One pass, no message objects: a model of 5 000 variables has 5 000 nodes. Not here: what nodes mean (`formats.objectgraph`).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy


class BadGraph(ValueError):
    """Bytes that are no object graph: (what, byte offset)."""


cdef class _Bytes:
    """A growing buffer."""

    cdef uint8_t *data
    cdef size_t size, room

    def __dealloc__(self):
        free(self.data)

    cdef int reserve(self, size_t more) except -1:
        cdef size_t room
        cdef uint8_t *moved
        if self.size + more > self.room:
            room = max(self.room * 2, self.size + more, <size_t> 1024)
            moved = <uint8_t *> realloc(self.data, room)
            if moved == NULL:
                raise MemoryError()
            self.data, self.room = moved, room
        return 0

    cdef int varint(self, uint64_t value) except -1:
        self.reserve(10)
        while value >= 0x80:
            self.data[self.size] = <uint8_t> (value | 0x80)
            self.size += 1
            value >>= 7
        self.data[self.size] = <uint8_t> value
        self.size += 1
        return 0

    cdef int raw(self, const void *data, size_t size) except -1:
        self.reserve(size)
        if size:
            memcpy(self.data + self.size, data, size)
        self.size += size
        return 0

    cdef int number(self, int field, int64_t value) except -1:
        if value:
            self.varint(field << 3)
            self.varint(<uint64_t> value)
        return 0

    cdef int text(self, int field, str value) except -1:
        cdef bytes coded
        if value:
            coded = value.encode("utf-8", "surrogateescape")
            self.varint(field << 3 | 2)
            self.varint(PyBytes_GET_SIZE(coded))
            self.raw(PyBytes_AS_STRING(coded), PyBytes_GET_SIZE(coded))
        return 0

    cdef int message(self, int field, _Bytes body) except -1:
        self.varint(field << 3 | 2)
        self.varint(body.size)
        self.raw(body.data, body.size)
        return 0


def encode(list nodes) -> bytes:
    """TrackableObjectGraph bytes, as TensorFlow's protobuf serialiser lays them."""
    cdef _Bytes out = _Bytes(), node = _Bytes(), part = _Bytes()
    cdef list children, attributes, slots
    for children, attributes, slots, saver, has_values in nodes:
        node.size = 0
        for name, target in children:
            part.size = 0
            part.number(1, target)
            part.text(2, name)
            node.message(1, part)
        for name, full_name, key in attributes:
            part.size = 0
            part.text(1, name)
            part.text(2, full_name)
            part.text(3, key)
            node.message(2, part)
        for variable, name, target in slots:
            part.size = 0
            part.number(1, variable)
            part.text(2, name)
            part.number(3, target)
            node.message(3, part)
        if saver is not None:
            part.size = 0
            part.text(1, saver[0])
            part.text(2, saver[1])
            node.message(4, part)
        if has_values is not None:
            part.size = 0
            part.number(1, 1 if has_values else 0)
            node.message(5, part)
        out.message(1, node)
    return PyBytes_FromStringAndSize(<char *> out.data, out.size)


cdef class _Reader:
    """Fields of the messages inside one buffer; `at` moves, nothing is copied."""

    cdef const uint8_t *data
    cdef Py_ssize_t at

    cdef uint64_t varint(self, Py_ssize_t end) except? 0xFFFF_FFFF_FFFF_FFFF:
        cdef uint64_t value = 0
        cdef int shift = 0
        while self.at < end and shift < 70:
            value |= <uint64_t> (self.data[self.at] & 0x7F) << shift
            self.at += 1
            if self.data[self.at - 1] < 0x80:
                return value
            shift += 7
        raise BadGraph("a number is cut short", self.at)

    cdef Py_ssize_t length(self, Py_ssize_t end) except -1:
        """Where the length-delimited field at `at` ends."""
        cdef uint64_t size = self.varint(end)
        if size > <uint64_t> (end - self.at):
            raise BadGraph("a field runs past its message", self.at)
        return self.at + <Py_ssize_t> size

    cdef int skip(self, int wire, Py_ssize_t end) except -1:
        cdef Py_ssize_t size = 0
        if wire == 0:
            self.varint(end)
        elif wire == 2:
            self.at = self.length(end)
        elif wire == 1 or wire == 5:
            size = 8 if wire == 1 else 4
            if end - self.at < size:
                raise BadGraph("a field is cut short", self.at)
            self.at += size
        else:
            raise BadGraph("an unknown wire type", self.at)
        return 0

    cdef tuple fields(self, Py_ssize_t end, int kinds):
        """Fields 1…3 of a small message. Bit k of `kinds`: field k + 1 is a string, else a number."""
        cdef uint64_t tag
        cdef int number
        cdef Py_ssize_t stop
        cdef list found = ["" if kinds & 1 else 0, "" if kinds & 2 else 0, "" if kinds & 4 else 0]
        while self.at < end:
            tag = self.varint(end)
            number = <int> (tag >> 3) - 1 if tag < 128 else 99
            if 0 <= number < 3 and (tag & 7) == (2 if kinds >> number & 1 else 0):
                if tag & 7:
                    stop = self.length(end)
                    found[number] = PyUnicode_DecodeUTF8(
                        <char *> self.data + self.at, stop - self.at, "surrogateescape"
                    )
                    self.at = stop
                else:
                    found[number] = <int32_t> self.varint(end)
            else:
                self.skip(tag & 7, end)
        return tuple(found)


def decode(bytes data) -> list:
    """The nodes. Raises BadGraph; ids are checked by the caller, who knows how many nodes there are."""
    cdef _Reader r = _Reader()
    r.data = <const uint8_t *> PyBytes_AS_STRING(data)
    cdef Py_ssize_t end = PyBytes_GET_SIZE(data), node_end, stop
    cdef uint64_t tag
    cdef list nodes = [], children, attributes, slots
    cdef tuple part
    while r.at < end:
        tag = r.varint(end)
        if tag != 0x0A:
            r.skip(tag & 7, end)
            continue
        node_end = r.length(end)
        children, attributes, slots, saver, has_values = [], [], [], None, None
        while r.at < node_end:
            tag = r.varint(node_end)
            if tag & 7 != 2 or tag > 0x2A:
                r.skip(tag & 7, node_end)
                continue
            stop = r.length(node_end)
            if tag == 0x0A:
                part = r.fields(stop, 2)
                children.append((part[1], part[0]))
            elif tag == 0x12:
                attributes.append(r.fields(stop, 7))
            elif tag == 0x1A:
                slots.append(r.fields(stop, 2))
            elif tag == 0x22:
                saver = r.fields(stop, 3)[:2]
            else:
                has_values = r.fields(stop, 0)[0] != 0
            r.at = stop
        nodes.append((children, attributes, slots, saver, has_values))
    return nodes

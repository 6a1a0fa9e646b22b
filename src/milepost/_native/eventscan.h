/* Event files, read once: every checksum verified, every scalar put in its tag's columns, every blob's place noted.
 *
 * In: a source of bytes (a descriptor or memory), its size now. Out: columns (columns.h), the offset of the first byte
 * not understood yet, and a list of what was bad. A file that is still being written ends anywhere: an unfinished last
 * record is no error, the next call begins there again. A record with a bad checksum is skipped by searching for the
 * next place where twelve bytes are a length and its checksum.
 * Memory: one window; it grows only to a record whose bytes are really there and, above MP_BIG, whose checksum is right.
 * Reading is by pread, not mmap: a file truncated by another process must not end this one with SIGBUS.
 */
#ifndef MILEPOST_EVENTSCAN_H
#define MILEPOST_EVENTSCAN_H

#include <errno.h>
#include "crc32c.h"
#include "columns.h"
#include "tensorscalar.h"
#ifndef _WIN32
#  include <unistd.h>
#endif

#define MP_HEADER 12u
#define MP_FRAME 16u
#define MP_MAX_RECORD 0x7FFFFFFFull
#define MP_WINDOW (512u << 10)
#define MP_BIG (64u << 20)
#define MP_BAD_KEPT 1000

enum { MP_BAD_LENGTH = 1, MP_BAD_DATA = 2, MP_BAD_EVENT = 3, MP_BAD_TORN = 4 };
enum { MP_NO_MEMORY = -1, MP_IO = -2 };

typedef struct { int64_t offset, length; int reason; } mp_bad;
typedef struct { int64_t step; double wall; int64_t record; } mp_session;
typedef struct { int fd; const uint8_t *memory; } mp_source;

typedef struct {
    mp_table table;
    int64_t offset;                 /* the next record begins here */
    int64_t searched;               /* no header between offset and here */
    int64_t records, bad_records, events;
    mp_bad *bad; size_t bads, bad_capacity;
    mp_session *session; size_t sessions, session_capacity; uint64_t starts;
    double first_wall, last_wall; int64_t last_step; int walls, truncated;
    int stopped;                    /* a SessionLog STOP was read after the last START */
    int file_version;               /* of "brain.Event:N", 0 when not told */
    uint8_t *writer; size_t writer_length;
    uint64_t buffered;              /* points since the last drain */
    uint8_t *window; size_t window_capacity, window_length; int64_t window_at;
    int error_number;
} mp_scan;

static int64_t mp_read(mp_scan *s, mp_source *from, uint8_t *into, size_t size, int64_t at) {
    if (from->memory) { memcpy(into, from->memory + at, size); return (int64_t)size; }
#ifdef _WIN32
    return MP_IO;
#else
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(from->fd, into + done, size - done, at + (int64_t)done);
        if (got < 0) { if (errno == EINTR) continue; s->error_number = errno; return MP_IO; }
        if (got == 0) break;        /* the file is shorter than it was a moment ago */
        done += (size_t)got;
    }
    return (int64_t)done;
#endif
}

static inline int mp_header_ok(const uint8_t *p, uint64_t *length) {
    *length = mp_load64(p);
    return *length <= MP_MAX_RECORD && mp_crc_mask(mp_crc32c(0, p, 8)) == mp_load32(p + 8);
}

/* The bytes [offset, offset + need) in the window; NULL when they are not there (yet) or memory is out. */
static uint8_t *mp_window(mp_scan *s, mp_source *from, int64_t at, size_t need, int64_t size, int *error) {
    if (at >= s->window_at && at + (int64_t)need <= s->window_at + (int64_t)s->window_length) return s->window + (at - s->window_at);
    if (at + (int64_t)need > size) return NULL;
    size_t want = need > MP_WINDOW ? need : MP_WINDOW;
    if ((int64_t)want > size - at) want = (size_t)(size - at);
    if (want > s->window_capacity) {
        uint8_t *bigger = (uint8_t *)malloc(want);
        if (!bigger) { *error = MP_NO_MEMORY; return NULL; }
        free(s->window);
        s->window = bigger; s->window_capacity = want;
    }
    int64_t got = mp_read(s, from, s->window, want, at);
    s->window_at = at; s->window_length = got > 0 ? (size_t)got : 0;
    if (got < 0) { *error = (int)got; return NULL; }
    return (size_t)got >= need ? s->window : NULL;
}

/* crc of a span too big for the window, a window at a time: 1 right, 0 wrong, negative an error. */
static int mp_big_ok(mp_scan *s, mp_source *from, int64_t at, uint64_t length) {
    uint8_t *chunk = (uint8_t *)malloc(MP_WINDOW); uint32_t crc = 0; int result = 1; uint8_t stored[4];
    if (!chunk) return MP_NO_MEMORY;
    for (uint64_t done = 0; done < length && result > 0;) {
        size_t want = length - done > MP_WINDOW ? MP_WINDOW : (size_t)(length - done);
        int64_t got = mp_read(s, from, chunk, want, at + (int64_t)done);
        if (got != (int64_t)want) result = got < 0 ? (int)got : 0;
        else { crc = mp_crc32c(crc, chunk, want); done += want; }
    }
    if (result > 0 && mp_read(s, from, stored, 4, at + (int64_t)length) == 4) result = mp_crc_mask(crc) == mp_load32(stored);
    free(chunk);
    return result;
}

/* The first offset in [at, size) where a header stands; with `whole`, only one whose record is complete and right.
 * -1 when there is none; other negatives are errors. Lengths are below 2^31, so five bytes rule out nearly every place. */
static int64_t mp_find(mp_scan *s, mp_source *from, int64_t at, int64_t size, int whole) {
    int error = 0; uint64_t length;
    while (at + (int64_t)MP_FRAME <= size) {
        size_t span = size - at > (int64_t)MP_WINDOW ? MP_WINDOW : (size_t)(size - at);
        uint8_t *p = mp_window(s, from, at, span, size, &error);
        if (!p) return error ? error - 10 : -1;
        size_t last = span - MP_HEADER, i = 0;
        for (; i <= last; i++) {
            if (mp_load32(p + i + 4) || !mp_header_ok(p + i, &length)) continue;
            if (!whole) return at + (int64_t)i;
            if (at + (int64_t)(i + MP_FRAME + length) > size || length == 0) continue;
            int ok = mp_big_ok(s, from, at + (int64_t)(i + MP_HEADER), length);
            if (ok < 0) return ok - 10;
            if (ok) return at + (int64_t)i;
        }
        at += (int64_t)i;
    }
    return -1;
}

static int mp_note_bad(mp_scan *s, int64_t offset, int64_t length, int reason) {
    s->bad_records++;
    if (s->bads >= MP_BAD_KEPT) return 0;
    if (s->bads == s->bad_capacity && mp_grow((void **)&s->bad, &s->bad_capacity, sizeof *s->bad, 4)) return -1;
    s->bad[s->bads].offset = offset; s->bad[s->bads].length = length; s->bad[s->bads++].reason = reason;
    return 0;
}

/* Which plugin a SummaryMetadata names: 0 none, 1 scalars, 2 another; -1 malformed. */
static int mp_plugin(const uint8_t *p, const uint8_t *end) {
    uint64_t key, length; const uint8_t *begin; int found = 0;
    while (p < end) {
        if (mp_varint(&p, end, &key)) return -1;
        if (key != (1 << 3 | 2)) { if (mp_skip(&p, end, key & 7)) return -1; continue; }
        if (mp_span(&p, end, &begin, &length)) return -1;
        for (const uint8_t *q = begin, *stop = begin + length; q < stop;) {
            uint64_t inner;
            if (mp_varint(&q, stop, &inner)) return -1;
            if (inner != (1 << 3 | 2)) { if (mp_skip(&q, stop, inner & 7)) return -1; continue; }
            if (mp_span(&q, stop, &begin, &length)) return -1;
            if (length) found = length == 7 && !memcmp(begin, "scalars", 7) ? 1 : 2;
        }
    }
    return found;
}

/* One Summary.Value: 0 ok, 1 malformed, -1 no memory. */
static int mp_value(mp_scan *s, const uint8_t *payload, const uint8_t *begin, const uint8_t *end, int64_t step, double wall) {
    const uint8_t *p = begin, *tag = NULL, *node = NULL, *tensor = NULL, *meta = NULL, *ignored;
    uint64_t key, length, tag_length = 0, node_length = 0, tensor_length = 0, meta_length = 0;
    int simple = 0, wide = 0; uint32_t other = 0; float number = 0;
    while (p < end) {
        if (mp_varint(&p, end, &key)) return 1;
        switch (key) {
        case 1 << 3 | 2: if (mp_span(&p, end, &tag, &tag_length)) return 1; break;
        case 2 << 3 | 5: if (end - p < 4) return 1; memcpy(&number, p, 4); p += 4; simple = 1; break;
        case 4 << 3 | 2: case 5 << 3 | 2: case 6 << 3 | 2:
            if (mp_span(&p, end, &ignored, &length)) return 1;
            other = (uint32_t)(key >> 3); break;
        case 7 << 3 | 2: if (mp_span(&p, end, &node, &node_length)) return 1; break;
        case 8 << 3 | 2: if (mp_span(&p, end, &tensor, &tensor_length)) return 1; break;
        case 9 << 3 | 2: if (mp_span(&p, end, &meta, &meta_length)) return 1; break;
        default: if (mp_skip(&p, end, key & 7)) return 1;
        }
    }
    if (!tag_length) { tag = node; tag_length = node_length; }
    if (!tag) { tag = payload; tag_length = 0; }
    mp_slot *slot = mp_slot_of(&s->table, tag, (uint32_t)tag_length, 0);
    if (!slot) return -1;
    if (meta && !slot->has_meta) {                 /* the first metadata of a tag counts; writers drop the later ones */
        int plugin = mp_plugin(meta, meta + meta_length);
        if (plugin < 0) return 1;
        slot->meta = (uint8_t *)malloc(meta_length ? meta_length : 1);
        if (!slot->meta) return -1;
        memcpy(slot->meta, meta, meta_length);
        slot->meta_length = (uint32_t)meta_length; slot->has_meta = 1; slot->plugin = plugin;
    }
    if (simple) { s->buffered++; return mp_point(&s->table, slot, step, wall, number, 0, s->starts); }
    if (tensor && !other && slot->plugin != 2) {
        double value;
        int found = mp_tensor_scalar(tensor, tensor + tensor_length, &value, &wide);
        if (found < 0) return 1;
        if (found) { s->buffered++; return mp_point(&s->table, slot, step, wall, value, wide, s->starts); }
    }
    if (!tensor && !other && !meta) return 0;      /* a bare tag says nothing */
    mp_blob place = {step, wall, s->offset, (uint32_t)(begin - payload), (uint32_t)(end - begin), other ? other : tensor ? 8u : 9u, (uint32_t)s->starts};
    return mp_blob_at(&s->table, slot, place);
}

static int mp_session_note(mp_scan *s, int64_t step, double wall, int64_t record) {
    if (s->sessions == s->session_capacity && mp_grow((void **)&s->session, &s->session_capacity, sizeof *s->session, 2)) return -1;
    mp_session start = {step, wall, record};
    s->session[s->sessions++] = start;
    s->starts++;
    return 0;
}

/* A SessionLog counts when it says START (1): a writer resumed at this step. */
static int mp_session_log(mp_scan *s, const uint8_t *p, const uint8_t *end, int64_t step, double wall) {
    uint64_t key, status = 0;
    while (p < end) {
        if (mp_varint(&p, end, &key)) return 1;
        if (key == (1 << 3)) { if (mp_varint(&p, end, &status)) return 1; }
        else if (mp_skip(&p, end, key & 7)) return 1;
    }
    if (status == 2) s->stopped = 1;
    if (status == 1) s->stopped = 0;
    return status == 1 ? mp_session_note(s, step, wall, s->offset) : 0;
}

static inline void mp_seen(mp_scan *s, double wall) {
    if (wall - wall != 0) return;
    if (!s->walls) { s->first_wall = s->last_wall = wall; s->walls = 1; }
    if (wall < s->first_wall) s->first_wall = wall;
    if (wall > s->last_wall) s->last_wall = wall;
}

/* One Event: 0 ok, 1 malformed, -1 no memory. */
static int mp_event(mp_scan *s, const uint8_t *payload, const uint8_t *end) {
    const uint8_t *p = payload, *begin, *summary = NULL, *session = NULL, *blob = NULL;
    uint64_t key, length, summary_length = 0, session_length = 0, blob_length = 0, raw = 0;
    double wall = 0; uint32_t origin = 0; int result = 0;
    while (p < end) {
        key = *p < 0x80 ? *p++ : 0;
        if (!key && mp_varint(&p, end, &key)) return 1;
        switch (key) {
        case 1 << 3 | 1: if (end - p < 8) return 1; memcpy(&wall, p, 8); p += 8; break;
        case 2 << 3: if (mp_varint(&p, end, &raw)) return 1; break;
        case 3 << 3 | 2:
            if (mp_span(&p, end, &begin, &length)) return 1;
            s->file_version = length > 12 && !memcmp(begin, "brain.Event:", 12) ? begin[12] - '0' : 0;
            break;
        case 5 << 3 | 2: if (mp_span(&p, end, &summary, &summary_length)) return 1; break;
        case 7 << 3 | 2: if (mp_span(&p, end, &session, &session_length)) return 1; break;
        case 4 << 3 | 2: case 6 << 3 | 2: case 8 << 3 | 2: case 9 << 3 | 2:
            if (mp_span(&p, end, &blob, &blob_length)) return 1;
            origin = (uint32_t)(key >> 3); break;
        case 10 << 3 | 2:
            if (mp_span(&p, end, &begin, &length)) return 1;
            if (!s->writer && length < 4096 && (s->writer = (uint8_t *)malloc(length + 1))) { memcpy(s->writer, begin, length); s->writer_length = length; }
            break;
        default: if (mp_skip(&p, end, key & 7)) return 1;
        }
    }
    int64_t step = (int64_t)raw;
    mp_seen(s, wall);
    if (session && (result = mp_session_log(s, session, session + session_length, step, wall))) return result;
    if (summary) {
        if (step > s->last_step) s->last_step = step;
        s->events++;
        for (const uint8_t *q = summary, *stop = summary + summary_length; q < stop;) {
            if (mp_varint(&q, stop, &key)) return 1;
            if (key != (1 << 3 | 2)) { if (mp_skip(&q, stop, key & 7)) return 1; continue; }
            if (mp_span(&q, stop, &begin, &length)) return 1;
            if ((result = mp_value(s, payload, begin, begin + length, step, wall))) return result;
        }
    }
    if (blob) {
        mp_slot *slot = mp_slot_of(&s->table, payload, 0, origin);
        if (!slot) return -1;
        mp_blob place = {step, wall, s->offset, (uint32_t)(blob - payload), (uint32_t)blob_length, 100 + origin, (uint32_t)s->starts};
        return mp_blob_at(&s->table, slot, place);
    }
    return 0;
}

#if defined(MP_CRC_X86) || defined(MP_CRC_ARM)
#  define MP_INLINE_CRC 1
/* Of a short span: the call and the loop of single bytes would cost more than the checksum. */
MP_TARGET static inline uint32_t mp_crc_short(const uint8_t *p, size_t n) {
    uint64_t crc = 0xFFFFFFFFu;
    for (; n >= 8; n -= 8, p += 8) crc = MP_CRC8(crc, mp_load64(p));
    if (n & 4) { crc = MP_CRC4((uint32_t)crc, mp_load32(p)); p += 4; }
    if (n & 2) { uint16_t two; memcpy(&two, p, 2); crc = MP_CRC2((uint32_t)crc, two); p += 2; }
    if (n & 1) crc = MP_CRC1((uint32_t)crc, *p);
    return ~(uint32_t)crc;
}

/* Whole good records in [p, end), as fast as may be; the first one that is anything else is left to the caller.
 * Most are a scalar as TF 1, torch and tensorboardX write it, always in the same order of fields: those are taken
 * apart without a loop. 0 ok, -1 no memory. */
MP_TARGET static int mp_scan_fast(mp_scan *s, const uint8_t *p, const uint8_t *end, uint64_t limit) {
    const uint8_t *begin = p; int64_t from = s->offset; int result = 0;
    while ((size_t)(end - p) >= MP_FRAME && s->buffered < limit) {
        uint64_t length = mp_load64(p);
        if (length > 4096 || (size_t)(end - p) < MP_FRAME + length) break;
        if (mp_crc_mask(mp_crc_short(p, 8)) != mp_load32(p + 8)) break;
        const uint8_t *q = p + MP_HEADER, *stop = q + length;
        if (mp_crc_mask(mp_crc_short(q, (size_t)length)) != mp_load32(stop)) break;
        s->offset = s->table.at = from + (p - begin);
        if (length >= 27 && q[0] == (1 << 3 | 1) && q[9] == (2 << 3)) {
            const uint8_t *r = q + 10; uint64_t step;
            if (!mp_varint(&r, stop, &step) && stop - r >= 13 && r[0] == (5 << 3 | 2) && r[2] == (1 << 3 | 2) && r[4] == (1 << 3 | 2)
                && r[1] < 128 && r[1] == stop - r - 2 && r[3] == r[1] - 2 && r[5] && r[5] == r[3] - 7 && r[6 + r[5]] == (2 << 3 | 5)) {
                double wall; float number;
                memcpy(&wall, q + 1, 8); memcpy(&number, stop - 4, 4);
                mp_seen(s, wall);
                if ((int64_t)step > s->last_step) s->last_step = (int64_t)step;
                mp_slot *slot = mp_slot_of(&s->table, r + 6, r[5], 0);
                if (!slot || mp_point(&s->table, slot, (int64_t)step, wall, number, 0, s->starts)) return -1;
                s->buffered++; s->events++; s->records++;
                p = stop + 4;
                continue;
            }
        }
        result = mp_event(s, q, stop);
        if (result < 0) return -1;
        if (result && mp_note_bad(s, s->offset, (int64_t)(MP_FRAME + length), MP_BAD_EVENT)) return -1;
        s->records++;
        p = stop + 4;
    }
    s->offset = from + (p - begin);
    if (p != begin) s->searched = 0;
    return 0;
}
#endif

/* Past a bad record at s->offset: 0 went on, 1 nothing more to read now, negative an error. */
static int mp_resync(mp_scan *s, mp_source *from, int64_t at, int64_t size, int reason, int whole) {
    if (at < s->searched) at = s->searched;
    int64_t found = mp_find(s, from, at, size, whole);
    if (found < -1) return (int)(found + 10);
    if (found < 0) {
        s->searched = size - (int64_t)MP_FRAME + 1;  /* the last bytes may be the beginning of a header */
        if (whole) s->searched = 0;
        s->truncated = 1;
        return 1;
    }
    if (mp_note_bad(s, s->offset, found - s->offset, reason)) return MP_NO_MEMORY;
    s->offset = found; s->searched = 0;
    return 0;
}

/* Read on to `size`, or until `limit` points wait to be drained: 0 all read, 1 stopped at the limit, negative an error. */
static int mp_scan_on(mp_scan *s, mp_source *from, int64_t size, uint64_t limit) {
    int error = 0, result; uint64_t length;
    s->truncated = 0; s->window_length = 0;
    s->table.from = s->offset; s->table.size = size;
    while (s->offset < size) {
        if (s->buffered >= limit) return 1;
        uint8_t *p = mp_window(s, from, s->offset, MP_HEADER, size, &error);
        if (!p) { s->truncated = !error; return error; }
#ifdef MP_INLINE_CRC
        if (mp_crc_hardware) {
            int64_t before = s->offset;
            if (mp_scan_fast(s, p, s->window + s->window_length, limit)) return MP_NO_MEMORY;
            if (s->offset != before) continue;
        }
#endif
        if (!mp_header_ok(p, &length)) {
            if ((result = mp_resync(s, from, s->offset + 1, size, MP_BAD_LENGTH, 0))) return result > 0 ? 0 : result;
            continue;
        }
        int64_t after = s->offset + (int64_t)(MP_FRAME + length);
        if (after > size) {
            /* unfinished, unless whole records follow: then its length is a lie or its writer died */
            if ((result = mp_resync(s, from, s->offset + MP_HEADER, size, MP_BAD_TORN, 1))) return result > 0 ? 0 : result;
            continue;
        }
        int good;
        if (length > MP_BIG && (good = mp_big_ok(s, from, s->offset + MP_HEADER, length)) <= 0) { if (good < 0) return good; }
        else {
            p = mp_window(s, from, s->offset, MP_FRAME + (size_t)length, size, &error);
            if (!p) { s->truncated = !error; return error; }
            good = mp_crc_mask(mp_crc32c(0, p + MP_HEADER, (size_t)length)) == mp_load32(p + MP_HEADER + length);
        }
        if (!good) {
            /* the length may be right and the data not, or the data be another record's: trust what follows */
            uint64_t next;
            uint8_t *q = after + (int64_t)MP_HEADER <= size ? mp_window(s, from, after, MP_HEADER, size, &error) : NULL;
            if (error) return error;
            if (after == size || (q && mp_header_ok(q, &next))) {
                if (mp_note_bad(s, s->offset, after - s->offset, MP_BAD_DATA)) return MP_NO_MEMORY;
                s->offset = after;
            } else if ((result = mp_resync(s, from, s->offset + MP_HEADER, size, MP_BAD_DATA, 0))) return result > 0 ? 0 : result;
            continue;
        }
        s->table.at = s->offset;
        result = mp_event(s, p + MP_HEADER, p + MP_HEADER + length);
        if (result < 0) return MP_NO_MEMORY;
        if (result && mp_note_bad(s, s->offset, after - s->offset, MP_BAD_EVENT)) return MP_NO_MEMORY;
        s->records++;
        s->offset = after; s->searched = 0;
    }
    return 0;
}

static void mp_scan_rest(mp_scan *s) { free(s->window); s->window = NULL; s->window_capacity = s->window_length = 0; }

static void mp_scan_free(mp_scan *s) {
    mp_table_free(&s->table);
    mp_scan_rest(s);
    free(s->bad); free(s->session); free(s->writer);
    memset(s, 0, sizeof *s);
}

#endif

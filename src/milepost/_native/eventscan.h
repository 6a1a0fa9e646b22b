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
#include "eventparse.h"
#ifndef _WIN32
#  include <unistd.h>
#endif

#define MP_HEADER 12u
#define MP_FRAME 16u
#define MP_MAX_RECORD 0x7FFFFFFFull
#define MP_WINDOW (512u << 10)
#define MP_BIG (64u << 20)

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
 * Most are a scalar as TF 1, torch and tensorboardX write it, always in the same order of fields, or a tensor whose bytes
 * are those of its tag's last one but for the number: those are taken apart without a loop. 0 ok, -1 no memory. */
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
                && r[1] < 128 && r[1] == stop - r - 2 && r[3] == r[1] - 2 && r[5] && r[5] + 7 <= r[3]) {
                const uint8_t *rest = r + 6 + r[5], *number = NULL;
                mp_slot *slot = mp_slot_of(&s->table, r + 6, r[5], 0);
                if (!slot && !s->table.full) return -1;
                if (!slot) {}                       /* too many tags: counted as a bad event below */
                else if (stop - rest == 5 && rest[0] == (2 << 3 | 5)) number = rest + 1;
                else if ((size_t)(stop - rest) == slot->form_length && !memcmp(rest, slot->form, slot->form_at)
                         && !memcmp(rest + slot->form_at + 4, slot->form + slot->form_at + 4, slot->form_length - slot->form_at - 4))
                    number = rest + slot->form_at;
                if (number) {
                    double wall; float value;
                    memcpy(&wall, q + 1, 8); memcpy(&value, number, 4);
                    mp_seen(s, wall);
                    if ((int64_t)step > s->last_step) s->last_step = (int64_t)step;
                    if (mp_point(&s->table, slot, (int64_t)step, wall, value, 0, s->starts)) return -1;
                    s->buffered++; s->events++; s->records++;
                    p = stop + 4;
                    continue;
                }
            }
        }
        result = mp_event(s, q, stop);
        if (result < 0) return -1;
        if (result && mp_note_bad(s, s->offset, (int64_t)(MP_FRAME + length), MP_BAD_EVENT)) return -1;
        s->records++;
        p = stop + 4;
    }
    s->offset = from + (p - begin);
    if (p != begin) s->searched = s->doubt = 0;
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
    /* what lies before s->offset was noted when it was passed over in doubt */
    if (found > s->offset && mp_note_bad(s, s->offset, found - s->offset, reason)) return MP_NO_MEMORY;
    s->offset = found; s->searched = s->doubt = 0;
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
            int64_t begin = s->doubt ? s->doubt : s->offset + 1;
            if ((result = mp_resync(s, from, begin, size, MP_BAD_LENGTH, 0))) return result > 0 ? 0 : result;
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
                /* at the end of what is written so far nothing follows to be trusted: if what comes is no header, records may have begun
                 * inside what was passed over here */
                s->doubt = after == size ? s->offset + (int64_t)MP_HEADER : 0;
                s->offset = after; s->searched = 0;
            } else if ((result = mp_resync(s, from, s->offset + MP_HEADER, size, MP_BAD_DATA, 0))) return result > 0 ? 0 : result;
            continue;
        }
        s->table.at = s->offset;
        result = mp_event(s, p + MP_HEADER, p + MP_HEADER + length);
        if (result < 0) return MP_NO_MEMORY;
        if (result && mp_note_bad(s, s->offset, after - s->offset, MP_BAD_EVENT)) return MP_NO_MEMORY;
        s->records++;
        s->offset = after; s->searched = s->doubt = 0;
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

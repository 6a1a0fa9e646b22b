/* One event -> points, places of blobs, sessions. In: the bytes of an Event message whose checksum is right. Out: columns.
 *
 * All ways of writing meet here: simple values and tensors, tags and node names, metadata on each value or the first.
 * Not here: framing and damage (eventscan.h), what a blob holds (read later, in Python).
 */
#ifndef MILEPOST_EVENTPARSE_H
#define MILEPOST_EVENTPARSE_H

#include "columns.h"
#include "tensorscalar.h"

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
    int64_t doubt;                  /* a bad record was passed over at the end of the bytes; records may begin inside it, from here on */
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

/* Writers say the same again and again: type, shape, plugin, only the number differs. The next value whose bytes are the
 * same but for those four needs no parsing. Kept only with the metadata the slot already has, so nothing new is missed. */
static void mp_keep_form(mp_slot *slot, const uint8_t *from, const uint8_t *end, const uint8_t *place) {
    size_t length = (size_t)(end - from);
    if (length > 255) return;
    if (length != slot->form_length) {
        uint8_t *form = (uint8_t *)realloc(slot->form, length);
        if (!form) return;
        slot->form = form;
    }
    memcpy(slot->form, from, length);
    slot->form_length = (uint32_t)length; slot->form_at = (uint32_t)(place - from);
}

/* One Summary.Value: 0 ok, 1 malformed, -1 no memory. */
static int mp_value(mp_scan *s, const uint8_t *payload, const uint8_t *begin, const uint8_t *end, int64_t step, double wall) {
    const uint8_t *p = begin, *tag = NULL, *node = NULL, *tensor = NULL, *meta = NULL, *ignored;
    uint64_t key, length, tag_length = 0, node_length = 0, tensor_length = 0, meta_length = 0;
    int simple = 0, wide = 0, strings = 0; uint32_t other = 0; float number = 0;
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
    if (tag_length > MP_MAX_TAG_BYTES) return 1;
    mp_slot *slot = mp_slot_of(&s->table, tag, (uint32_t)tag_length, 0);
    if (!slot) return s->table.full ? 1 : -1;
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
        const uint8_t *place;
        int found = mp_tensor_scalar(tensor, tensor + tensor_length, &value, &wide, &place);
        if (found < 0) return 1;
        if (found == 1 && place && begin[0] == (1 << 3 | 2) && tag == begin + 2) mp_keep_form(slot, tag + tag_length, end, place);
        if (found == 1) { s->buffered++; return mp_point(&s->table, slot, step, wall, value, wide, s->starts); }
        strings = found == 2;
    }
    if (!tensor && !other && !meta) return 0;      /* a bare tag says nothing */
    mp_blob place = {step, wall, s->offset, (uint32_t)(begin - payload), (uint32_t)(end - begin), other ? other : strings ? 7u : tensor ? 8u : 9u, (uint32_t)s->starts};
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
        if (!slot) return s->table.full ? 1 : -1;
        mp_blob place = {step, wall, s->offset, (uint32_t)(blob - payload), (uint32_t)blob_length, 100 + origin, (uint32_t)s->starts};
        return mp_blob_at(&s->table, slot, place);
    }
    return 0;
}

#endif

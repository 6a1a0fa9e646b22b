/* Growing columns, one set per tag, and the table that finds a tag's set from its bytes.
 *
 * In: a tag's bytes, a point or the place of a blob. Out: columns of steps, wall times and values, each one allocation
 * that can be handed to numpy without a copy. Not here: what the bytes of an event mean (eventscan.h), Python objects.
 */
#ifndef MILEPOST_COLUMNS_H
#define MILEPOST_COLUMNS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MP_MAX_TAGS (1u << 18)      /* of one file; a stranger's file must not make a gigabyte of names */
#define MP_MAX_TAG_BYTES (1u << 16)

typedef struct { int64_t step; double wall; int64_t record; uint32_t offset, length; uint32_t field; uint32_t starts; } mp_blob;
typedef struct { uint64_t position; uint64_t starts; } mp_mark;

typedef struct {
    uint8_t *tag; uint32_t tag_length; uint32_t origin;
    uint64_t head, rear;                            /* first and last eight bytes of a tag of eight to sixteen */
    uint64_t hash;
    uint8_t *meta; uint32_t meta_length; int has_meta;
    int plugin;                                     /* 0 not told yet, 1 scalars, 2 another */
    /* points since the last drain; value is float until a double comes, then double */
    int64_t *step; double *wall; void *value; size_t count, capacity; int wide;
    int64_t last_step; int started, unordered;      /* unordered: a step below the one before it, in this chunk */
    uint64_t nan, inf;
    uint8_t *form; uint32_t form_length, form_at;   /* the bytes after the tag as last time; where in them the number is */
    uint64_t starts_seen; mp_mark *mark; size_t marks, mark_capacity;
    mp_blob *blob; size_t blobs, blob_capacity;
    uint64_t total;                                 /* points ever */
    int dirty;
} mp_slot;

typedef struct {
    mp_slot **slot; size_t count, capacity;         /* in order of first appearance */
    uint32_t *bucket; size_t buckets;               /* open addressing: slot number + 1, 0 free */
    uint32_t *dirty; size_t dirties, dirty_capacity;
    uint64_t seed; int full;                        /* full: MP_MAX_TAGS reached, new tags are refused */
    int64_t from, at, size;                         /* bytes: where this reading began, is now, will end */
    uint32_t *follower; uint32_t guess_at;          /* the slot found last, and for each slot the one that followed it */
} mp_table;

static inline uint64_t mp_load64(const uint8_t *p) { uint64_t v; memcpy(&v, p, 8); return v; }
static inline uint32_t mp_load32(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }

static uint64_t mp_hash(const uint8_t *p, size_t n, uint64_t seed) {
    uint64_t h = seed ^ (n * 0x9E3779B97F4A7C15ull);
    for (; n >= 8; n -= 8, p += 8) { h = (h ^ mp_load64(p)) * 0xFF51AFD7ED558CCDull; h ^= h >> 32; }
    uint64_t rest = 0;
    memcpy(&rest, p, n);
    h = (h ^ rest) * 0xC4CEB9FE1A85EC53ull;
    return h ^ (h >> 29);
}

static int mp_grow(void **array, size_t *capacity, size_t item, size_t first) {
    size_t wanted = *capacity ? *capacity * 2 : first;
    void *bigger = realloc(*array, wanted * item);
    if (!bigger) return -1;
    *array = bigger; *capacity = wanted;
    return 0;
}

static int mp_table_rehash(mp_table *t) {
    size_t buckets = t->buckets ? t->buckets * 2 : 64;
    uint32_t *bucket = (uint32_t *)calloc(buckets, sizeof *bucket);
    if (!bucket) return -1;
    for (size_t i = 0; i < t->count; i++) {
        size_t at = t->slot[i]->hash & (buckets - 1);
        while (bucket[at]) at = (at + 1) & (buckets - 1);
        bucket[at] = (uint32_t)i + 1;
    }
    free(t->bucket);
    t->bucket = bucket; t->buckets = buckets;
    return 0;
}

static inline int mp_is_tag(const mp_slot *s, const uint8_t *tag, uint32_t length, uint32_t origin) {
    if (s->tag_length != length || s->origin != origin) return 0;
    if (length - 8u <= 8u) return s->head == mp_load64(tag) && s->rear == mp_load64(tag + length - 8);
    return !memcmp(s->tag, tag, length);
}

/* The slot of a tag, made when it is new; NULL when memory is out, or with `full` set when there are too many. Training loops log the same tags in the same order,
 * so the slot that followed last time is tried first: one memcmp instead of a hash. */
static mp_slot *mp_slot_of(mp_table *t, const uint8_t *tag, uint32_t length, uint32_t origin) {
    if (t->count) {
        uint32_t next = t->follower[t->guess_at];
        mp_slot *s = t->slot[next];
        if (mp_is_tag(s, tag, length, origin)) { t->guess_at = next; return s; }
    }
    if (t->count * 2 >= t->buckets && mp_table_rehash(t)) return NULL;
    uint64_t hash = mp_hash(tag, length, t->seed ^ origin);
    size_t at = hash & (t->buckets - 1);
    for (; t->bucket[at]; at = (at + 1) & (t->buckets - 1)) {
        mp_slot *s = t->slot[t->bucket[at] - 1];
        if (s->hash == hash && mp_is_tag(s, tag, length, origin)) {
            t->follower[t->guess_at] = t->bucket[at] - 1;
            t->guess_at = t->bucket[at] - 1;
            return s;
        }
    }
    if (t->count >= MP_MAX_TAGS) { t->full = 1; return NULL; }
    if (t->count == t->capacity) {
        size_t capacity = t->capacity;
        if (mp_grow((void **)&t->slot, &capacity, sizeof *t->slot, 32)) return NULL;
        capacity = t->capacity;
        if (mp_grow((void **)&t->follower, &capacity, sizeof *t->follower, 32)) return NULL;
        t->capacity = capacity;
    }
    mp_slot *s = (mp_slot *)calloc(1, sizeof *s);
    if (!s) return NULL;
    s->tag = (uint8_t *)malloc(length ? length : 1);
    if (!s->tag) { free(s); return NULL; }
    memcpy(s->tag, tag, length);
    s->tag_length = length; s->origin = origin; s->hash = hash;
    if (length - 8u <= 8u) { s->head = mp_load64(tag); s->rear = mp_load64(tag + length - 8); }
    t->slot[t->count] = s;
    t->follower[t->count] = 0;
    t->bucket[at] = (uint32_t)++t->count;
    if (t->count > 1) t->follower[t->guess_at] = (uint32_t)t->count - 1;
    t->guess_at = (uint32_t)t->count - 1;
    return s;
}

static int mp_dirty(mp_table *t) {
    mp_slot *s = t->slot[t->guess_at];
    if (s->dirty) return 0;
    if (t->dirties == t->dirty_capacity && mp_grow((void **)&t->dirty, &t->dirty_capacity, sizeof *t->dirty, 32)) return -1;
    t->dirty[t->dirties++] = t->guess_at;
    s->dirty = 1;
    return 0;
}

static int mp_widen(mp_slot *s) {
    double *wide = (double *)malloc((s->capacity ? s->capacity : 1) * sizeof(double));
    if (!wide) return -1;
    for (size_t i = 0; i < s->count; i++) wide[i] = ((float *)s->value)[i];
    free(s->value);
    s->value = wide; s->wide = 1;
    return 0;
}

/* Room for more points. Logs are steady: a tag that had so many points in this much of the file will have so many in all,
 * so one growth usually is the last, and memory stays near 20 bytes a point. What is not used is given back at the drain. */
static int mp_points_grow(mp_table *t, mp_slot *s) {
    size_t wanted = !s->capacity ? 8 : s->capacity < 4096 ? s->capacity * 2 : s->capacity + s->capacity / 2;
    if (s->capacity >= 64 && t->at > t->from) {
        double share = (double)s->count / (double)(t->at - t->from);
        double most = (double)s->count + (double)(t->size - t->at) / 24.0;   /* no record is shorter */
        double guess = share * (double)(t->size - t->from) * 1.01 + 16.0;
        if (guess > most) guess = most;
        if (guess > (double)s->count + 8e6) guess = (double)s->count + 8e6;
        if (guess > (double)s->count + 16.0 && guess < 1e15) wanted = (size_t)guess;
    }
    void *step = realloc(s->step, wanted * 8);
    if (!step) return -1;
    s->step = (int64_t *)step;
    void *wall = realloc(s->wall, wanted * 8);
    if (!wall) return -1;
    s->wall = (double *)wall;
    void *value = realloc(s->value, wanted * (s->wide ? 8 : 4));
    if (!value) return -1;
    s->value = value;
    s->capacity = wanted;
    return 0;
}

/* One more point of the tag found last. `starts` counts the session starts seen so far in the file. */
static inline int mp_point(mp_table *t, mp_slot *s, int64_t step, double wall, double value, int wide, uint64_t starts) {
    if (s->count == s->capacity && mp_points_grow(t, s)) return -1;
    if (!s->dirty && mp_dirty(t)) return -1;
    if (wide && !s->wide && mp_widen(s)) return -1;
    if (starts != s->starts_seen) {
        if (s->marks == s->mark_capacity && mp_grow((void **)&s->mark, &s->mark_capacity, sizeof *s->mark, 2)) return -1;
        s->mark[s->marks].position = s->total;
        s->mark[s->marks++].starts = starts;
        s->starts_seen = starts;
    }
    size_t i = s->count++;
    if (s->started && step < s->last_step) s->unordered = 1;
    s->started = 1; s->last_step = step;
    s->step[i] = step; s->wall[i] = wall;
    if (s->wide) ((double *)s->value)[i] = value; else ((float *)s->value)[i] = (float)value;
    if (value - value != 0) { if (value != value) s->nan++; else s->inf++; }
    s->total++;
    return 0;
}

static int mp_blob_at(mp_table *t, mp_slot *s, mp_blob place) {
    if (s->blobs == s->blob_capacity && mp_grow((void **)&s->blob, &s->blob_capacity, sizeof *s->blob, 2)) return -1;
    if (!s->dirty && mp_dirty(t)) return -1;
    s->blob[s->blobs++] = place;
    return 0;
}

static void mp_slot_free(mp_slot *s) {
    free(s->tag); free(s->meta); free(s->form); free(s->step); free(s->wall); free(s->value); free(s->mark); free(s->blob); free(s);
}

static void mp_table_free(mp_table *t) {
    for (size_t i = 0; i < t->count; i++) mp_slot_free(t->slot[i]);
    free(t->slot); free(t->bucket); free(t->dirty); free(t->follower);
    memset(t, 0, sizeof *t);
}

#endif

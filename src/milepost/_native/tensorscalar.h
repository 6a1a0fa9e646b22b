/* A TensorProto that holds one number -> that number. In: the message's bytes. Out: a double, and whether float32 holds
 * it exactly. Every way a writer may store it: tensor_content or the typed list, packed or not, any numeric type.
 * Not here: tensors of more than one element, strings (they stay in the file as blobs).
 */
#ifndef MILEPOST_TENSORSCALAR_H
#define MILEPOST_TENSORSCALAR_H

#include <stdint.h>
#include <string.h>

/* A varint at *p, not past end: 0 ok, -1 malformed. */
static inline int mp_varint(const uint8_t **p, const uint8_t *end, uint64_t *value) {
    const uint8_t *at = *p;
    if (at < end && *at < 0x80) { *value = *at; *p = at + 1; return 0; }
    uint64_t v = 0;
    for (int shift = 0; at < end && shift < 70; shift += 7) {
        uint8_t byte = *at++;
        v |= (uint64_t)(byte & 0x7F) << (shift < 64 ? shift : 63);
        if (byte < 0x80) { *value = v; *p = at; return 0; }
    }
    return -1;
}

/* The length-delimited span at *p. */
static inline int mp_span(const uint8_t **p, const uint8_t *end, const uint8_t **begin, uint64_t *length) {
    if (mp_varint(p, end, length) || *length > (uint64_t)(end - *p)) return -1;
    *begin = *p;
    *p += *length;
    return 0;
}

static inline int mp_skip(const uint8_t **p, const uint8_t *end, int wire) {
    uint64_t ignored; const uint8_t *begin;
    if (wire == 0) return mp_varint(p, end, &ignored);
    if (wire == 2) return mp_span(p, end, &begin, &ignored);
    size_t size = wire == 1 ? 8 : wire == 5 ? 4 : 0;
    if (!size || (size_t)(end - *p) < size) return -1;
    *p += size;
    return 0;
}

static double mp_half(uint16_t bits) {
    uint32_t sign = (uint32_t)(bits >> 15) << 31, exponent = (bits >> 10) & 31, mantissa = bits & 1023, word;
    float value;
    if (exponent == 31) word = sign | 0x7F800000u | (mantissa << 13);
    else if (exponent) word = sign | ((exponent + 112) << 23) | (mantissa << 13);
    else { value = (float)mantissa / 16777216.0f; return sign ? -value : value; }
    memcpy(&value, &word, 4);
    return value;
}

static double mp_bfloat(uint16_t bits) {
    uint32_t word = (uint32_t)bits << 16; float value;
    memcpy(&value, &word, 4);
    return value;
}

enum { MP_FLOAT = 1, MP_DOUBLE = 2, MP_INT32 = 3, MP_UINT8 = 4, MP_INT16 = 5, MP_INT8 = 6, MP_INT64 = 9, MP_BOOL = 10,
       MP_BFLOAT16 = 14, MP_UINT16 = 17, MP_HALF = 19, MP_UINT32 = 22, MP_UINT64 = 23 };

/* One element of raw little-endian content. */
static int mp_content(uint64_t dtype, const uint8_t *p, uint64_t n, double *value, int *wide) {
    int8_t i8; uint16_t u16; int16_t i16; uint32_t u32; int32_t i32; int64_t i64; uint64_t u64; float f; double d;
    *wide = 0;
    switch (dtype) {
    case MP_FLOAT: if (n != 4) return 0; memcpy(&f, p, 4); *value = f; return 1;
    case MP_DOUBLE: if (n != 8) return 0; memcpy(&d, p, 8); *value = d; *wide = 1; return 1;
    case MP_UINT8: case MP_BOOL: if (n != 1) return 0; *value = *p; return 1;
    case MP_INT8: if (n != 1) return 0; memcpy(&i8, p, 1); *value = i8; return 1;
    case MP_INT16: if (n != 2) return 0; memcpy(&i16, p, 2); *value = i16; return 1;
    case MP_UINT16: if (n != 2) return 0; memcpy(&u16, p, 2); *value = u16; return 1;
    case MP_HALF: if (n != 2) return 0; memcpy(&u16, p, 2); *value = mp_half(u16); return 1;
    case MP_BFLOAT16: if (n != 2) return 0; memcpy(&u16, p, 2); *value = mp_bfloat(u16); return 1;
    case MP_INT32: if (n != 4) return 0; memcpy(&i32, p, 4); *value = i32; *wide = 1; return 1;
    case MP_UINT32: if (n != 4) return 0; memcpy(&u32, p, 4); *value = u32; *wide = 1; return 1;
    case MP_INT64: if (n != 8) return 0; memcpy(&i64, p, 8); *value = (double)i64; *wide = 1; return 1;
    case MP_UINT64: if (n != 8) return 0; memcpy(&u64, p, 8); *value = (double)u64; *wide = 1; return 1;
    }
    return 0;
}

/* What a varint of a typed list means for the element type. */
static int mp_listed(uint64_t dtype, uint64_t raw, double *value, int *wide) {
    *wide = 0;
    switch (dtype) {
    case MP_HALF: case MP_BFLOAT16:
        if (raw > 0xFFFF) { uint32_t bits = (uint32_t)raw; float f; memcpy(&f, &bits, 4); *value = f; }  /* torch's way */
        else *value = dtype == MP_HALF ? mp_half((uint16_t)raw) : mp_bfloat((uint16_t)raw);
        return 1;
    case MP_BOOL: *value = raw != 0; return 1;
    case MP_UINT8: case MP_INT8: case MP_INT16: case MP_UINT16: *value = (int32_t)raw; return 1;
    case MP_INT32: *value = (int32_t)raw; *wide = 1; return 1;
    case MP_UINT32: *value = (uint32_t)raw; *wide = 1; return 1;
    case MP_INT64: *value = (double)(int64_t)raw; *wide = 1; return 1;
    case MP_UINT64: *value = (double)raw; *wide = 1; return 1;
    }
    return 0;
}

/* Elements a TensorShapeProto tells of: the product of its sizes; -1 when malformed, 2 for "more than one". */
static int mp_elements(const uint8_t *p, const uint8_t *end) {
    int elements = 1;
    while (p < end) {
        uint64_t key, length, size = 0; const uint8_t *dim;
        if (mp_varint(&p, end, &key)) return -1;
        if (key != (2 << 3 | 2)) { if (mp_skip(&p, end, key & 7)) return -1; continue; }
        if (mp_span(&p, end, &dim, &length)) return -1;
        const uint8_t *stop = dim + length;
        while (dim < stop) {
            uint64_t inner;
            if (mp_varint(&dim, stop, &inner)) return -1;
            if (inner == (1 << 3)) { if (mp_varint(&dim, stop, &size)) return -1; }
            else if (mp_skip(&dim, stop, inner & 7)) return -1;
        }
        if (size != 1) elements = size == 0 ? 0 : 2;
        if (elements != 1) return elements;
    }
    return elements;
}

/* 1: one number, in *value; when it is a plain float32, *place is where its four bytes are, else NULL.
 * 2: strings. 0: something else (a blob). -1: malformed. */
static int mp_tensor_scalar(const uint8_t *p, const uint8_t *end, double *value, int *wide, const uint8_t **place) {
    uint64_t dtype = 0, key, length, raw = 0; const uint8_t *begin, *content = NULL; uint64_t content_length = 0;
    int have = 0, count = 0, elements = 1;             /* have: 1 float, 2 double, 3 varint */
    float f = 0; double d = 0;
    *place = NULL;
    while (p < end) {
        if (mp_varint(&p, end, &key)) return -1;
        uint64_t field = key >> 3; int wire = key & 7;
        if (field == 1 && wire == 0) { if (mp_varint(&p, end, &dtype)) return -1; }
        else if (field == 2 && wire == 2) {
            if (mp_span(&p, end, &begin, &length)) return -1;
            elements = mp_elements(begin, begin + length);
            if (elements < 0) return -1;
        }
        else if (field == 4 && wire == 2) { if (mp_span(&p, end, &content, &content_length)) return -1; }
        else if (field == 5 && (wire == 2 || wire == 5)) {
            if (wire == 5) { begin = p; length = 4; if (mp_skip(&p, end, 5)) return -1; }
            else if (mp_span(&p, end, &begin, &length)) return -1;
            if (length == 4) { memcpy(&f, begin, 4); *place = begin; have = 1; count++; } else if (length) return 0;
        }
        else if (field == 6 && (wire == 2 || wire == 1)) {
            if (wire == 1) { begin = p; length = 8; if (mp_skip(&p, end, 1)) return -1; }
            else if (mp_span(&p, end, &begin, &length)) return -1;
            if (length == 8) { memcpy(&d, begin, 8); have = 2; count++; } else if (length) return 0;
        }
        else if (field == 7 || field == 10 || field == 11 || field == 13 || field == 16 || field == 17) {
            if (wire == 0) { if (mp_varint(&p, end, &raw)) return -1; have = 3; count++; }
            else if (wire == 2) {
                if (mp_span(&p, end, &begin, &length)) return -1;
                if (!length) continue;
                const uint8_t *stop = begin + length;
                if (mp_varint(&begin, stop, &raw)) return -1;
                if (begin != stop) return 0;
                have = 3; count++;
            } else return -1;
        }
        else if (field == 8) return 2;
        else if (mp_skip(&p, end, wire)) return -1;
    }
    if (elements != 1 || count > 1) return 0;
    if (content_length) {
        *place = dtype == MP_FLOAT ? content : NULL;
        return mp_content(dtype, content, content_length, value, wide);
    }
    if (have != 1 || dtype != MP_FLOAT) *place = NULL;
    *wide = 0;
    if (have == 1 && dtype == MP_FLOAT) { *value = f; return 1; }
    if (have == 2 && dtype == MP_DOUBLE) { *value = d; *wide = 1; return 1; }
    if (have == 3) return mp_listed(dtype, raw, value, wide);
    /* proto3 leaves a list out when ... nothing is in it: zero, by the rule that a short list repeats its last element */
    if (!have && dtype >= MP_FLOAT && dtype != 7 && dtype != 8 && dtype != 18 && dtype <= MP_UINT64) { *value = 0; *wide = dtype == MP_DOUBLE; return 1; }
    return 0;
}

#endif

/* CRC-32C (Castagnoli, reflected polynomial 0x82F63B78) at memory speed.
 *
 * In: a running crc and a buffer. Out: the crc of what came before plus the buffer.
 * Not here: masking (formats say how a crc is stored), Python objects, threads.
 *
 * The CPU's crc instruction has a latency of three cycles and a throughput of one, so large buffers run as three
 * interleaved streams whose crcs are then combined: appending n zero bytes to a message is a linear map over GF(2),
 * kept as 4 tables of 256 words per lane length. CPUs without the instruction take a slicing-by-8 table.
 * Which way is chosen once, at run time.
 */
#ifndef MILEPOST_CRC32C_H
#define MILEPOST_CRC32C_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) || defined(_M_X64)
#  include <nmmintrin.h>
#  define MP_CRC_X86 1
#  if defined(__GNUC__)
#    define MP_TARGET __attribute__((target("sse4.2")))
#  else
#    define MP_TARGET
#    include <intrin.h>
#  endif
#  define MP_CRC8(c, v) ((uint32_t)_mm_crc32_u64((c), (v)))
#  define MP_CRC4(c, v) _mm_crc32_u32((c), (v))
#  define MP_CRC2(c, v) _mm_crc32_u16((c), (v))
#  define MP_CRC1(c, v) _mm_crc32_u8((c), (v))
#elif defined(__ARM_FEATURE_CRC32)
#  include <arm_acle.h>
#  define MP_CRC_ARM 1
#  define MP_TARGET
#  define MP_CRC8(c, v) __crc32cd((c), (v))
#  define MP_CRC4(c, v) __crc32cw((c), (v))
#  define MP_CRC2(c, v) __crc32ch((c), (v))
#  define MP_CRC1(c, v) __crc32cb((c), (v))
#endif

#define MP_LANE_LONG 8192u
#define MP_LANE_SHORT 256u

static uint32_t mp_crc_table[8][256];
static uint32_t mp_shift_long[4][256];
static uint32_t mp_shift_short[4][256];
static int mp_crc_hardware = 0;
static int mp_crc_ready = 0;

static uint32_t mp_matrix_times(const uint32_t *matrix, uint32_t vector) {
    uint32_t sum = 0;
    for (; vector; vector >>= 1, matrix++) if (vector & 1) sum ^= *matrix;
    return sum;
}

/* The 32x32 bit matrix that appends `bytes` zero bytes, by repeated squaring. */
static void mp_zeros_matrix(uint32_t *result, size_t bytes) {
    uint32_t power[32], next[32], merged[32];
    int i;
    for (i = 0; i < 32; i++) result[i] = 1u << i;
    power[0] = 0x82F63B78u;                                     /* one zero bit */
    for (i = 1; i < 32; i++) power[i] = 1u << (i - 1);
    for (int doubling = 0; doubling < 3; doubling++) {          /* one zero byte */
        for (i = 0; i < 32; i++) next[i] = mp_matrix_times(power, power[i]);
        memcpy(power, next, sizeof power);
    }
    for (; bytes; bytes >>= 1) {
        if (bytes & 1) {
            for (i = 0; i < 32; i++) merged[i] = mp_matrix_times(power, result[i]);
            memcpy(result, merged, sizeof merged);
        }
        for (i = 0; i < 32; i++) next[i] = mp_matrix_times(power, power[i]);
        memcpy(power, next, sizeof power);
    }
}

static void mp_shift_table(uint32_t table[4][256], size_t bytes) {
    uint32_t matrix[32];
    mp_zeros_matrix(matrix, bytes);
    for (int byte = 0; byte < 4; byte++)
        for (uint32_t value = 0; value < 256; value++)
            table[byte][value] = mp_matrix_times(matrix, value << (8 * byte));
}

static uint32_t mp_shift(uint32_t table[4][256], uint32_t crc) {
    return table[0][crc & 255] ^ table[1][(crc >> 8) & 255] ^ table[2][(crc >> 16) & 255] ^ table[3][crc >> 24];
}

static void mp_crc_init(void) {
    if (mp_crc_ready) return;
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0x82F63B78u : crc >> 1;
        mp_crc_table[0][byte] = crc;
    }
    for (uint32_t byte = 0; byte < 256; byte++)
        for (int k = 1; k < 8; k++)
            mp_crc_table[k][byte] = (mp_crc_table[k - 1][byte] >> 8) ^ mp_crc_table[0][mp_crc_table[k - 1][byte] & 255];
    mp_shift_table(mp_shift_long, MP_LANE_LONG);
    mp_shift_table(mp_shift_short, MP_LANE_SHORT);
#if defined(MP_CRC_X86) && defined(__GNUC__)
    __builtin_cpu_init();
    mp_crc_hardware = __builtin_cpu_supports("sse4.2") != 0;
#elif defined(MP_CRC_X86)
    { int info[4]; __cpuid(info, 1); mp_crc_hardware = (info[2] >> 20) & 1; }
#elif defined(MP_CRC_ARM)
    mp_crc_hardware = 1;
#endif
    mp_crc_ready = 1;
}

static uint32_t mp_crc32c_table(uint32_t crc, const uint8_t *p, size_t n) {
    crc = ~crc;
    for (; n >= 8; n -= 8, p += 8) {
        uint32_t low = crc ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
        crc = mp_crc_table[7][low & 255] ^ mp_crc_table[6][(low >> 8) & 255] ^ mp_crc_table[5][(low >> 16) & 255]
            ^ mp_crc_table[4][low >> 24] ^ mp_crc_table[3][p[4]] ^ mp_crc_table[2][p[5]] ^ mp_crc_table[1][p[6]]
            ^ mp_crc_table[0][p[7]];
    }
    for (; n; n--, p++) crc = (crc >> 8) ^ mp_crc_table[0][(crc ^ *p) & 255];
    return ~crc;
}

#if defined(MP_CRC_X86) || defined(MP_CRC_ARM)
static inline uint64_t mp_load8(const uint8_t *p) { uint64_t v; memcpy(&v, p, 8); return v; }

MP_TARGET static uint32_t mp_crc32c_hardware(uint32_t crc, const uint8_t *p, size_t n) {
    uint64_t a = (uint32_t)~crc;
    while (n >= 3 * MP_LANE_LONG) {
        uint64_t b = 0, c = 0;
        for (const uint8_t *end = p + MP_LANE_LONG; p < end; p += 8) {
            a = MP_CRC8(a, mp_load8(p));
            b = MP_CRC8(b, mp_load8(p + MP_LANE_LONG));
            c = MP_CRC8(c, mp_load8(p + 2 * MP_LANE_LONG));
        }
        a = mp_shift(mp_shift_long, (uint32_t)a) ^ (uint32_t)b;
        a = mp_shift(mp_shift_long, (uint32_t)a) ^ (uint32_t)c;
        p += 2 * MP_LANE_LONG; n -= 3 * MP_LANE_LONG;
    }
    while (n >= 3 * MP_LANE_SHORT) {
        uint64_t b = 0, c = 0;
        for (const uint8_t *end = p + MP_LANE_SHORT; p < end; p += 8) {
            a = MP_CRC8(a, mp_load8(p));
            b = MP_CRC8(b, mp_load8(p + MP_LANE_SHORT));
            c = MP_CRC8(c, mp_load8(p + 2 * MP_LANE_SHORT));
        }
        a = mp_shift(mp_shift_short, (uint32_t)a) ^ (uint32_t)b;
        a = mp_shift(mp_shift_short, (uint32_t)a) ^ (uint32_t)c;
        p += 2 * MP_LANE_SHORT; n -= 3 * MP_LANE_SHORT;
    }
    for (; n >= 8; n -= 8, p += 8) a = MP_CRC8(a, mp_load8(p));
    for (; n; n--, p++) a = MP_CRC1((uint32_t)a, *p);
    return ~(uint32_t)a;
}
#endif

static uint32_t mp_crc32c(uint32_t crc, const uint8_t *p, size_t n) {
#if defined(MP_CRC_X86) || defined(MP_CRC_ARM)
    if (mp_crc_hardware) return mp_crc32c_hardware(crc, p, n);
#endif
    return mp_crc32c_table(crc, p, n);
}

/* crc(A + B) from crc(A), crc(B) and len(B): lets threads checksum disjoint parts of one tensor. */
static uint32_t mp_crc32c_combine(uint32_t first, uint32_t second, size_t second_bytes) {
    uint32_t matrix[32];
    mp_zeros_matrix(matrix, second_bytes);
    return mp_matrix_times(matrix, first) ^ second;
}

static inline uint32_t mp_crc_mask(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u; }

#endif

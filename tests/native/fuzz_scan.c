/* Mutated event files through the native scan, under the address and undefined-behaviour sanitizers.
 * In: a seed file, a number of rounds, a first round. Out: a line of counts; the sanitizers end the program at the first wrong access.
 * Each round flips, cuts, removes bytes, half of the time with checksums made right again so that the damage reaches the parser,
 * and scans in two portions from buffers of exactly the right size.
 */
#include <stdio.h>
#include "eventscan.h"

static uint64_t state;
static uint64_t draw(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }

static void mend_checksums(uint8_t *p, size_t n) {
    for (size_t at = 0; at + MP_FRAME <= n;) {
        uint64_t length = mp_load64(p + at);
        if (length > n - at - MP_FRAME) return;
        uint32_t crc = mp_crc_mask(mp_crc32c(0, p + at, 8));
        memcpy(p + at + 8, &crc, 4);
        crc = mp_crc_mask(mp_crc32c(0, p + at + MP_HEADER, length));
        memcpy(p + at + MP_HEADER + length, &crc, 4);
        at += MP_FRAME + length;
    }
}

static uint8_t *exact(const uint8_t *from, size_t n) {
    uint8_t *copy = (uint8_t *)malloc(n ? n : 1);
    memcpy(copy, from, n);
    return copy;
}

int main(int count, char **words) {
    if (count != 4) return 2;
    FILE *file = fopen(words[1], "rb");
    if (!file) return 2;
    static uint8_t seed[1 << 16];
    size_t size = fread(seed, 1, sizeof seed, file);
    fclose(file);
    mp_crc_init();
    uint64_t points = 0, bad = 0, first = strtoull(words[3], NULL, 10);
    for (uint64_t round = first; round < first + strtoull(words[2], NULL, 10); round++) {
        state = (round + 1) * 0x9E3779B97F4A7C15ull;
        for (int k = 0; k < 5; k++) draw();
        size_t n = draw() % 3 ? size : draw() % (size + 1);
        uint8_t *data = exact(seed, n);
        for (uint64_t k = draw() % 8; k && n; k--) {
            size_t at = draw() % n;
            data[at] = draw() % 2 ? (uint8_t)draw() : data[at] ^ (uint8_t)(1u << draw() % 8);
        }
        if (draw() % 2) mend_checksums(data, n);
        if (draw() % 4 == 0 && n > 40) {
            size_t at = draw() % (n - 20), gone = draw() % 20;
            memmove(data + at, data + at + gone, n - at - gone);
            n -= gone;
        }
        mp_scan scan;
        memset(&scan, 0, sizeof scan);
        scan.table.seed = draw();
        size_t cut = n ? draw() % n : 0;
        uint8_t *part = exact(data, cut), *whole = exact(data, n);
        mp_source source = {-1, part};
        mp_scan_on(&scan, &source, (int64_t)cut, draw() % 2 ? 3 : 1ull << 60);
        mp_scan_rest(&scan);
        source.memory = whole;
        while (mp_scan_on(&scan, &source, (int64_t)n, scan.buffered + 5) == 1) {}
        points += scan.buffered; bad += (uint64_t)scan.bad_records;
        mp_scan_rest(&scan);
        mp_scan_free(&scan);
        free(data); free(part); free(whole);
    }
    printf("%llu points, %llu bad records\n", (unsigned long long)points, (unsigned long long)bad);
    return 0;
}

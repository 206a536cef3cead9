/* SPDX-License-Identifier: Apache-2.0 */
#include "packed.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BITS = 7, MASK = (1 << BITS) - 1 };

/* A character of seven bits; those that HTML would change, or take for a tag, are at 128 more, in UTF-8. */
static void put_character(FILE *out, unsigned value)
{
    if (value == 0 || value == '\r' || value == '<') {
        fputc(0xc2, out);
        fputc((int)(value | 0x80), out);
    } else {
        fputc((int)value, out);
    }
}

bool packed_put(FILE *out, const void *data, size_t size)
{
    uLongf packed = compressBound(size);
    unsigned char *bytes = mem_alloc(packed + 1);
    bool good = compress2(bytes, &packed, size ? data : "", size, Z_BEST_COMPRESSION) == Z_OK;
    uint32_t bits = 0;
    unsigned held = 0;
    for (size_t i = 0; good && i < packed; ++i) {
        bits |= (uint32_t)bytes[i] << held;
        for (held += 8; held >= BITS; held -= BITS, bits >>= BITS)
            put_character(out, bits & MASK);
    }
    if (good && held)
        put_character(out, bits & MASK);
    free(bytes);
    return good;
}

void packed_planes(void *data, size_t count, size_t width)
{
    unsigned char *bytes = data, *planes = mem_alloc(count * width + 1);
    uint64_t before = 0;
    for (size_t i = 0; i < count; ++i) {
        uint64_t value = 0, difference;
        memcpy(&value, bytes + i * width, width);
        difference = value - before;
        before = value;
        for (size_t k = 0; k < width; ++k)
            planes[k * count + i] = (unsigned char)(difference >> 8 * k);
    }
    memcpy(bytes, planes, count * width);
    free(planes);
}

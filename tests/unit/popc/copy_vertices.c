/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler's own copies within a tile, written as codelets: popc measures their code for the device, and
 * src/target/copy_code.def holds the sizes (test_copy_code.c compares them). */
#include <poplar/vertex.h>

#include <stdint.h>

/* Any alignment, by one worker. */
POP_VERTEX(ShortMemcpy)
{
    POP_INPUT(POP_VECTOR(unsigned char)) from;
    POP_OUTPUT(POP_VECTOR(unsigned char)) to;
};

void ShortMemcpy_compute(ShortMemcpy *v)
{
    for (size_t i = 0; i < v->to.size; ++i)
        v->to.data[i] = v->from.data[i];
}

/* The bytes before the first whole word of the destination, words made of two of the source's, and the bytes after. */
POP_VERTEX(LongMemcpy)
{
    POP_INPUT(POP_VECTOR(unsigned char)) from;
    POP_OUTPUT(POP_VECTOR(unsigned char)) to;
};

void LongMemcpy_compute(LongMemcpy *v)
{
    const unsigned char *from = v->from.data;
    unsigned char *to = v->to.data;
    size_t left = v->to.size;
    for (; left && (uintptr_t)to % sizeof(uint32_t); --left)
        *to++ = *from++;
    unsigned shift = (uintptr_t)from % sizeof(uint32_t) * 8;
    const uint32_t *words = (const void *)(from - shift / 8);
    for (; left >= 2 * sizeof(uint32_t);
         left -= sizeof(uint32_t), ++words, to += sizeof(uint32_t), from += sizeof(uint32_t))
        *(uint32_t *)(void *)to = shift ? words[0] >> shift | words[1] << (32 - shift) : words[0];
    for (; left; --left)
        *to++ = *from++;
}

/* Every worker copies a part of the doubles, the first one also the remainder. */
POP_SUPERVISOR_VERTEX(Memcpy64BitSupervisor)
{
    POP_INPUT(POP_VECTOR(uint64_t)) from;
    POP_OUTPUT(POP_VECTOR(uint64_t)) to;
};

enum { WORKERS = 6 };

static void copy_part(const uint64_t *from, uint64_t *to, size_t count, unsigned worker)
{
    size_t part = count / WORKERS, first = worker * part;
    for (size_t i = first; i < first + part; ++i)
        to[i] = from[i];
    if (!worker)
        for (size_t i = part * WORKERS; i < count; ++i)
            to[i] = from[i];
}

void Memcpy64BitSupervisor_compute(Memcpy64BitSupervisor *v)
{
    for (unsigned worker = 0; worker < WORKERS; ++worker)
        copy_part(v->from.data, v->to.data, v->to.size, worker);
}

/* Pieces of equal length, a stride apart in the source. */
POP_VERTEX(StridedCopy64BitMultiAccess)
{
    POP_INPUT(POP_VECTOR(uint64_t)) from;
    POP_OUTPUT(POP_VECTOR(uint64_t)) to;
    unsigned stride;
    unsigned length;
};

void StridedCopy64BitMultiAccess_compute(StridedCopy64BitMultiAccess *v)
{
    const uint64_t *from = v->from.data;
    uint64_t *to = v->to.data;
    for (size_t left = v->to.size; left; left -= v->length, from += v->stride)
        for (unsigned i = 0; i < v->length; ++i)
            *to++ = from[i];
}

POP_VERTEX(StridedCopyDA32)
{
    POP_INPUT(POP_VECTOR(uint32_t)) from;
    POP_OUTPUT(POP_VECTOR(uint32_t)) to;
    unsigned stride;
    unsigned length;
};

void StridedCopyDA32_compute(StridedCopyDA32 *v)
{
    const uint32_t *from = v->from.data;
    uint32_t *to = v->to.data;
    for (size_t left = v->to.size; left; left -= v->length, from += v->stride)
        for (unsigned i = 0; i < v->length; ++i)
            *to++ = from[i];
}

POP_VERTEX(LongStridedCopy)
{
    POP_INPUT(POP_VECTOR(unsigned char)) from;
    POP_OUTPUT(POP_VECTOR(unsigned char)) to;
    unsigned stride;
    unsigned length;
};

void LongStridedCopy_compute(LongStridedCopy *v)
{
    const unsigned char *from = v->from.data;
    unsigned char *to = v->to.data;
    for (size_t left = v->to.size; left; left -= v->length, from += v->stride)
        for (unsigned i = 0; i < v->length; ++i)
            *to++ = from[i];
}

/* The same with the stride in the destination. */
POP_VERTEX(DstStridedCopy64BitMultiAccess)
{
    POP_INPUT(POP_VECTOR(uint64_t)) from;
    POP_OUTPUT(POP_VECTOR(uint64_t)) to;
    unsigned stride;
    unsigned length;
};

void DstStridedCopy64BitMultiAccess_compute(DstStridedCopy64BitMultiAccess *v)
{
    const uint64_t *from = v->from.data;
    uint64_t *to = v->to.data;
    for (size_t left = v->from.size; left; left -= v->length, to += v->stride)
        for (unsigned i = 0; i < v->length; ++i)
            to[i] = *from++;
}

POP_VERTEX(DstStridedCopyDA32)
{
    POP_INPUT(POP_VECTOR(uint32_t)) from;
    POP_OUTPUT(POP_VECTOR(uint32_t)) to;
    unsigned stride;
    unsigned length;
};

void DstStridedCopyDA32_compute(DstStridedCopyDA32 *v)
{
    const uint32_t *from = v->from.data;
    uint32_t *to = v->to.data;
    for (size_t left = v->from.size; left; left -= v->length, to += v->stride)
        for (unsigned i = 0; i < v->length; ++i)
            to[i] = *from++;
}

POP_VERTEX(DstLongStridedCopy)
{
    POP_INPUT(POP_VECTOR(unsigned char)) from;
    POP_OUTPUT(POP_VECTOR(unsigned char)) to;
    unsigned stride;
    unsigned length;
};

void DstLongStridedCopy_compute(DstLongStridedCopy *v)
{
    const unsigned char *from = v->from.data;
    unsigned char *to = v->to.data;
    for (size_t left = v->from.size; left; left -= v->length, to += v->stride)
        for (unsigned i = 0; i < v->length; ++i)
            to[i] = *from++;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Running copy plans: rectangular moves of bytes, with loops for each element size, blocked where rows become columns,
 * divided over threads when large. */
#include "engine/engine.h"
#include "image/move.h"

#include <assert.h>

enum {
    DIGITS_MAX = 64, /* image_check.c rejects plans with more */
    BLOCK = 32,      /* elements per side of a transpose block */
};
/* Minimum bytes for which threads are faster (about 10 us), and bytes of one chunk. */
#define PARALLEL_BYTES ((uint64_t)1 << 18)
#define CHUNK_BYTES    ((uint64_t)1 << 16)

/* A move between addresses; digits in any order. */
struct copy_piece {
    const unsigned char *source;
    unsigned char *destination;
    uint64_t bytes;
    uint32_t digits;
    const struct image_digit *digit;
};

/* Copies two nested digits in blocks, the inner digit innermost. Inline, so that the compiler specialises it for each
 * element size. */
static inline __attribute__((always_inline)) void plane(const unsigned char *source, unsigned char *destination,
                                                        const struct image_digit *a, const struct image_digit *b,
                                                        uint64_t size)
{
    for (uint64_t a0 = 0; a0 < a->extent; a0 += BLOCK)
        for (uint64_t b0 = 0; b0 < b->extent; b0 += BLOCK) {
            uint64_t a1 = a->extent - a0 < BLOCK ? a->extent : a0 + BLOCK;
            uint64_t b1 = b->extent - b0 < BLOCK ? b->extent : b0 + BLOCK;
            for (uint64_t i = a0; i < a1; ++i) {
                const unsigned char *from = source + (int64_t)i * a->source + (int64_t)b0 * b->source;
                unsigned char *to = destination + (int64_t)i * a->destination + (int64_t)b0 * b->destination;
                for (uint64_t j = b0; j < b1; ++j, from += b->source, to += b->destination)
                    memmove(to, from, size);
            }
        }
}
#define PLANE(name, size)                                                                                              \
    static void name(const unsigned char *source, unsigned char *destination, const struct image_digit *a,             \
                     const struct image_digit *b, uint64_t bytes)                                                      \
    {                                                                                                                  \
        (void)bytes;                                                                                                   \
        plane(source, destination, a, b, size);                                                                        \
    }
PLANE(plane_1, 1)
PLANE(plane_2, 2)
PLANE(plane_4, 4)
PLANE(plane_8, 8)
PLANE(plane_16, 16)
PLANE(plane_any, bytes)

#define LINE(name, size)                                                                                               \
    static void name(const unsigned char *source, unsigned char *destination, const struct image_digit *digit,         \
                     uint64_t bytes)                                                                                   \
    {                                                                                                                  \
        (void)bytes;                                                                                                   \
        for (uint64_t i = 0; i < digit->extent; ++i, source += digit->source, destination += digit->destination)       \
            memmove(destination, source, size);                                                                        \
    }
LINE(line_1, 1)
LINE(line_2, 2)
LINE(line_4, 4)
LINE(line_8, 8)
LINE(line_16, 16)
LINE(line_any, bytes)

static void run_line(const struct copy_piece *p)
{
    assert(p->digits == 1);
    switch (p->bytes) {
    case 1:
        line_1(p->source, p->destination, p->digit, 1);
        break;
    case 2:
        line_2(p->source, p->destination, p->digit, 2);
        break;
    case 4:
        line_4(p->source, p->destination, p->digit, 4);
        break;
    case 8:
        line_8(p->source, p->destination, p->digit, 8);
        break;
    case 16:
        line_16(p->source, p->destination, p->digit, 16);
        break;
    default:
        line_any(p->source, p->destination, p->digit, p->bytes);
    }
}

static void run_plane(const unsigned char *source, unsigned char *destination, const struct image_digit *a,
                      const struct image_digit *b, uint64_t bytes)
{
    switch (bytes) {
    case 1:
        plane_1(source, destination, a, b, 1);
        break;
    case 2:
        plane_2(source, destination, a, b, 2);
        break;
    case 4:
        plane_4(source, destination, a, b, 4);
        break;
    case 8:
        plane_8(source, destination, a, b, 8);
        break;
    case 16:
        plane_16(source, destination, a, b, 16);
        break;
    default:
        plane_any(source, destination, a, b, bytes);
    }
}

static uint64_t stride_size(int64_t stride)
{
    return stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
}

/* Orders digits for locality: the last has the smallest destination stride, the one before it the smallest source
 * stride among the rest; the others keep their order. */
static void order_digits(struct image_digit *digits, uint32_t count)
{
    assert(count >= 2);
    uint32_t best = count - 1;
    for (uint32_t i = 0; i < count; ++i)
        if (stride_size(digits[i].destination) < stride_size(digits[best].destination))
            best = i;
    struct image_digit last = digits[best];
    memmove(digits + best, digits + best + 1, (count - 1 - best) * sizeof(*digits));
    digits[count - 1] = last;
    best = count - 2;
    for (uint32_t i = 0; i + 1 < count; ++i)
        if (stride_size(digits[i].source) < stride_size(digits[best].source))
            best = i;
    struct image_digit second = digits[best];
    memmove(digits + best, digits + best + 1, (count - 2 - best) * sizeof(*digits));
    digits[count - 2] = second;
}

/* Two digits or more: the outer digits iterate over planes of the two innermost. */
static void run_planes(const struct copy_piece *p)
{
    assert(p->digits >= 2 && p->digits <= DIGITS_MAX);
    struct image_digit digits[DIGITS_MAX];
    uint64_t index[DIGITS_MAX]; /* of the outer digits, which most planes do not have */
    uint32_t outer = p->digits - 2;
    memset(index, 0, outer * sizeof(*index));
    memcpy(digits, p->digit, p->digits * sizeof(*digits));
    order_digits(digits, p->digits);
    const unsigned char *source = p->source;
    unsigned char *destination = p->destination;
    for (;;) {
        run_plane(source, destination, &digits[outer], &digits[outer + 1], p->bytes);
        uint32_t d = outer;
        while (d > 0) {
            struct image_digit *digit = &digits[d - 1];
            if (++index[d - 1] < digit->extent) {
                source += digit->source;
                destination += digit->destination;
                break;
            }
            source -= (int64_t)(digit->extent - 1) * digit->source;
            destination -= (int64_t)(digit->extent - 1) * digit->destination;
            index[--d] = 0;
        }
        if (!d)
            return;
    }
}

static void run_piece(const struct copy_piece *p)
{
    if (!p->digits)
        memmove(p->destination, p->source, p->bytes);
    else if (p->digits == 1)
        run_line(p);
    else
        run_planes(p);
}

static uint64_t piece_bytes(const struct copy_piece *p)
{
    uint64_t bytes = p->bytes;
    for (uint32_t i = 0; i < p->digits && bytes; ++i)
        bytes *= p->digit[i].extent;
    return bytes;
}

/* A large piece, cut along one digit (or along its bytes when it has none) into equal chunks. */
struct shared_piece {
    struct copy_piece whole;
    uint32_t cut;    /* digit */
    uint64_t extent; /* extent of the cut digit, or bytes */
    uint32_t chunks;
};

static void run_chunk(void *context, uint32_t chunk)
{
    const struct shared_piece *shared = context;
    assert(chunk < shared->chunks && shared->chunks <= shared->extent);
    struct copy_piece part = shared->whole;
    uint64_t each = shared->extent / shared->chunks, more = shared->extent % shared->chunks;
    uint64_t begin = chunk * each + (chunk < more ? chunk : more), count = each + (chunk < more);
    if (!part.digits) {
        part.source += begin;
        part.destination += begin;
        part.bytes = count;
        run_piece(&part);
        return;
    }
    struct image_digit digits[DIGITS_MAX];
    memcpy(digits, part.digit, part.digits * sizeof(*digits));
    digits[shared->cut].extent = count;
    part.source += (int64_t)begin * digits[shared->cut].source;
    part.destination += (int64_t)begin * digits[shared->cut].destination;
    part.digit = digits;
    run_piece(&part);
}

static void run_shared(const struct copy_piece *piece, uint64_t bytes, struct thread_pool *pool)
{
    struct shared_piece shared = { .whole = *piece, .extent = piece->bytes };
    for (uint32_t i = 0; i < piece->digits; ++i)
        if (!i || stride_size(piece->digit[i].destination) > stride_size(piece->digit[shared.cut].destination)) {
            shared.cut = i;
            shared.extent = piece->digit[i].extent;
        }
    uint64_t chunks = bytes / CHUNK_BYTES;
    if (chunks > 8 * pool_threads(pool))
        chunks = 8 * pool_threads(pool);
    shared.chunks = (uint32_t)(chunks < shared.extent ? chunks : shared.extent);
    pool_run(pool, shared.chunks, run_chunk, &shared);
}

static void run_move(const struct copy_piece *piece, struct thread_pool *pool)
{
    if (pool_threads(pool) > 1 || piece->digits > 1) {
        uint64_t bytes = piece_bytes(piece);
        if (!bytes)
            return;
        if (pool_threads(pool) > 1 && bytes >= PARALLEL_BYTES) {
            run_shared(piece, bytes, pool);
            return;
        }
    }
    run_piece(piece);
}

void copy_run(const struct image *image, const struct image_copy *copy, const unsigned char *source,
              unsigned char *destination, struct thread_pool *pool)
{
    assert(copy->first_move + copy->moves <= image->moves.count);
    const struct image_move *move = image->moves.data + copy->first_move;
    for (uint32_t i = 0; i < copy->moves; ++i, ++move) {
        const struct image_move_shape *shape = move_shape(image, move);
        struct copy_piece piece = { source + move_source(move), destination + move_destination(move), shape->bytes,
                                    shape->digits, move_shape_digits(image, shape) };
        if (shape->bytes)
            run_move(&piece, pool);
    }
}

/* Copies through a dense buffer: all moves into it (pack), or all moves from it. */
static void run_dense(const struct image *image, const struct image_copy *copy, unsigned char *block,
                      unsigned char *dense, bool pack, struct thread_pool *pool)
{
    assert(copy->first_move + copy->moves <= image->moves.count);
    const struct image_move *move = image->moves.data + copy->first_move;
    for (uint32_t i = 0; i < copy->moves; ++i, ++move) {
        const struct image_move_shape *shape = move_shape(image, move);
        struct image_digit digits[DIGITS_MAX];
        int64_t stride = (int64_t)shape->bytes;
        for (uint32_t d = shape->digits; d-- > 0; stride *= (int64_t)digits[d].extent) {
            digits[d] = image->move_digits.data[shape->first_digit + d];
            *(pack ? &digits[d].destination : &digits[d].source) = stride;
        }
        struct copy_piece piece = { pack ? block + move_source(move) : dense,
                                    pack ? dense : block + move_destination(move), shape->bytes, shape->digits,
                                    digits };
        if (shape->bytes)
            run_move(&piece, pool);
        dense += stride;
    }
}

void copy_pack(const struct image *image, const struct image_copy *copy, unsigned char *block, unsigned char *dense,
               struct thread_pool *pool)
{
    run_dense(image, copy, block, dense, true, pool);
}

void copy_unpack(const struct image *image, const struct image_copy *copy, unsigned char *block, unsigned char *dense,
                 struct thread_pool *pool)
{
    run_dense(image, copy, block, dense, false, pool);
}

void copy_run_overlapping(const struct image *image, const struct image_copy *copy, unsigned char *block,
                          unsigned char *temporary, struct thread_pool *pool)
{
    const struct image_move *move = image->moves.data + copy->first_move;
    if (copy->moves == 1 && !move_shape(image, move)->digits) {
        memmove(block + move_destination(move), block + move_source(move), move_shape(image, move)->bytes);
        return;
    }
    run_dense(image, copy, block, temporary, true, pool);
    run_dense(image, copy, block, temporary, false, pool);
}

uint32_t op_copy(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    const struct replica *replica = run->replica;
    const struct image_copy *copy = run->image->copies.data + op->a;
    if (copy->overlaps)
        copy_run_overlapping(run->image, copy, replica->storage, replica->temporary, run->pool);
    else
        copy_run(run->image, copy, replica->storage, replica->storage, run->pool);
    return next;
}

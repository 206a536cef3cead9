/* SPDX-License-Identifier: Apache-2.0 */
/* Copy plans against a naive loop: every element size, up to eight digits in any order, reversed and spread, with
 * threads or none; overlapping plans read everything first. */
#include "builder.h"
#include "engine/engine.h"
#include "image/check.h"
#include "rounds.h"

static uint64_t seed = 88172645463325252u;
static uint64_t random_below(uint64_t limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % limit;
}

static void naive(const struct image *image, const struct image_copy *copy, const unsigned char *source,
                  unsigned char *destination)
{
    for (uint32_t m = 0; m < copy->moves; ++m) {
        const struct image_move *move = image->moves.data + copy->first_move + m;
        const struct image_move_shape *shape = move_shape(image, move);
        const struct image_digit *digits = move_shape_digits(image, shape);
        uint64_t total = 1;
        for (uint32_t d = 0; d < shape->digits; ++d)
            total *= digits[d].extent;
        for (uint64_t i = 0; i < total; ++i) {
            int64_t from = (int64_t)move_source(move), to = (int64_t)move_destination(move);
            uint64_t rest = i;
            for (uint32_t d = shape->digits; d-- > 0; rest /= digits[d].extent) {
                from += (int64_t)(rest % digits[d].extent) * digits[d].source;
                to += (int64_t)(rest % digits[d].extent) * digits[d].destination;
            }
            memcpy(destination + to, source + from, shape->bytes);
        }
    }
}

enum { BLOCK_BYTES = 1 << 14 };

/* A dense block of random shape, its digits permuted on each side; some reversed, the source sometimes repeated. */
static void random_move(struct image *image, uint64_t *bytes)
{
    static const uint64_t sizes[] = { 1, 2, 4, 8, 16, 3, 12, 40 };
    uint64_t element = sizes[random_below(8)], capacity = BLOCK_BYTES / element;
    uint32_t digits = (uint32_t)random_below(9);
    uint64_t source = 0, destination = 0, count = 1;
    struct image_digit digit[8];
    uint32_t order[8];
    for (uint32_t d = 0; d < digits; ++d) {
        digit[d].extent = capacity ? 1 + random_below(capacity < 41 ? capacity : 41) : 1;
        if (random_below(40) == 0)
            digit[d].extent = 0;
        capacity /= digit[d].extent ? digit[d].extent : 1;
        count *= digit[d].extent;
        order[d] = d;
    }
    for (int side = 0; side < 2; ++side) {
        for (uint32_t d = digits; d > 1; --d) {
            uint32_t other = (uint32_t)random_below(d), kept = order[d - 1];
            order[d - 1] = order[other];
            order[other] = kept;
        }
        int64_t stride = (int64_t)element;
        for (uint32_t d = 0; d < digits; ++d) {
            struct image_digit *at = &digit[order[d]];
            int64_t *mine = side ? &at->destination : &at->source;
            *mine = stride;
            stride *= at->extent ? (int64_t)at->extent : 1;
            if (!side && random_below(6) == 0) {
                *mine = 0;
            } else if (random_below(4) == 0 && at->extent) {
                *(side ? &destination : &source) += (at->extent - 1) * (uint64_t)*mine;
                *mine = -*mine;
            }
        }
    }
    build_move(image, source, destination, element, digit, digits);
    *bytes += count * element;
}

static void random_plans_match_a_naive_loop(void **state)
{
    (void)state;
    unsigned char *source = mem_alloc(BLOCK_BYTES), *seen = mem_alloc(BLOCK_BYTES), *wanted = mem_alloc(BLOCK_BYTES);
    struct thread_pool *pool = pool_create(3);
    for (unsigned round = 0; round < rounds(100); ++round) {
        struct image *image = build_image(BLOCK_BYTES);
        struct image_copy copy = { 0, 0, 1 + (uint32_t)random_below(3), 0, 1 };
        for (uint32_t m = 0; m < copy.moves; ++m)
            random_move(image, &copy.bytes);
        *vec_push(&image->copies) = copy;
        build_op(image, OP_COPY, 0, 0, 0, 0);
        build_op(image, OP_END, 0, 0, 0, 0);
        assert_int_equal(image_check(image, "test", NULL), POP_OK);
        for (size_t i = 0; i < BLOCK_BYTES; i += 8)
            memcpy(source + i, &(uint64_t){ random_below(UINT64_MAX) }, 8);
        memset(seen, 0, BLOCK_BYTES);
        memset(wanted, 0, BLOCK_BYTES);
        naive(image, &copy, source, wanted);
        copy_run(image, &copy, source, seen, round & 1 ? pool : NULL);
        assert_memory_equal(seen, wanted, BLOCK_BYTES);
        /* Within one block: everything is read before anything is written. */
        unsigned char *temporary = mem_alloc(copy.bytes);
        memcpy(seen, source, BLOCK_BYTES);
        memcpy(wanted, source, BLOCK_BYTES);
        naive(image, &copy, source, wanted);
        if (copy.moves == 1) { /* two moves of one plan may not write the same element */
            copy_run_overlapping(image, &copy, seen, temporary, round & 1 ? pool : NULL);
            assert_memory_equal(seen, wanted, BLOCK_BYTES);
        }
        free(temporary);
        image_release(image);
    }
    pool_destroy(pool);
    free(source);
    free(seen);
    free(wanted);
}

static void large_copies_are_shared_out(void **state)
{
    (void)state;
    enum { ROWS = 1031, COLUMNS = 509 }; /* 2 MB of float, primes */
    struct thread_pool *pool = pool_create(3);
    struct image *image = build_image(ROWS * COLUMNS * 4);
    static const struct image_digit digits[] = { { ROWS, COLUMNS * 4, 4 }, { COLUMNS, 4, ROWS * 4 } };
    build_move(image, 0, 0, 4, digits, 2);
    *vec_push(&image->copies) = (struct image_copy){ 0, ROWS * COLUMNS * 4, 1, 0, 4 };
    uint32_t plain = build_copy(image, 3, 5, ROWS * COLUMNS * 4 - 7, 1);
    unsigned char *source = mem_alloc(ROWS * COLUMNS * 4), *seen = mem_zero(ROWS * COLUMNS, 4),
                  *wanted = mem_zero(ROWS * COLUMNS, 4);
    for (size_t i = 0; i < ROWS * COLUMNS * 4; ++i)
        source[i] = (unsigned char)random_below(256);
    for (uint32_t i = 0; i <= plain; ++i) {
        naive(image, image->copies.data + i, source, wanted);
        copy_run(image, image->copies.data + i, source, seen, pool);
        assert_memory_equal(seen, wanted, ROWS * COLUMNS * 4);
    }
    free(source);
    free(seen);
    free(wanted);
    image_release(image);
    pool_destroy(pool);
}

static void a_shift_within_a_block_reads_first(void **state)
{
    (void)state;
    struct image *image = build_image(40);
    uint32_t shift = build_copy(image, 0, 4, 36, 4);
    uint32_t reverse = build_strided(image, 36, -4, 0, 4, 10, 4);
    int values[10], temporary[10];
    for (int i = 0; i < 10; ++i)
        values[i] = i;
    copy_run_overlapping(image, image->copies.data + shift, (unsigned char *)values, (unsigned char *)temporary, NULL);
    for (int i = 1; i < 10; ++i)
        assert_int_equal(values[i], i - 1);
    copy_run_overlapping(image, image->copies.data + reverse, (unsigned char *)values, (unsigned char *)temporary,
                         NULL);
    for (int i = 0; i < 9; ++i)
        assert_int_equal(values[i], 8 - i);
    image_release(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_plans_match_a_naive_loop),
        cmocka_unit_test(large_copies_are_shared_out),
        cmocka_unit_test(a_shift_within_a_block_reads_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

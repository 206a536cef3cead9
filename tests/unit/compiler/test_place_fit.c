/* SPDX-License-Identifier: Apache-2.0 */
/* Placing blocks on one tile: no two blocks that are live together share a byte; alignments and regions are kept, for
 * random blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "compiler/placement/place_fit.h"

static uint64_t seed;
static uint32_t random_below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static const struct fit_memory mk1 = { 262144, 131072, 16384 };

/* Classes 0 (never), 1 (always), and more: spans of positions below 100. */
static void make_classes(struct live *live, uint32_t count)
{
    *vec_push(&live->classes) = (struct live_class){ 0, 0 };
    *vec_push(&live->classes) = (struct live_class){ 0, 1 };
    *vec_push(&live->spans) = (struct flow_span){ 0, 99 };
    while (live->classes.count < count) {
        struct live_class class = { live->spans.count, 0 };
        for (uint32_t at = random_below(50); at < 100 && class.count < 3; ++class.count) {
            uint32_t last = at + random_below(20) < 100 ? at + random_below(10) : 99;
            last = last > 99 ? 99 : last;
            *vec_push(&live->spans) = (struct flow_span){ at, last };
            at = last + 2 + random_below(40);
        }
        *vec_push(&live->classes) = class;
    }
}

static void free_classes(struct live *live)
{
    vec_free(&live->classes);
    vec_free(&live->spans);
}

static bool meet_plainly(const struct live *live, uint32_t a, uint32_t b)
{
    bool at[2][100] = { { false } };
    for (int side = 0; side < 2; ++side) {
        const struct live_class *of = &live->classes.data[side ? b : a];
        for (uint32_t i = 0; i < of->count; ++i)
            for (uint32_t p = live->spans.data[of->first + i].first; p <= live->spans.data[of->first + i].last; ++p)
                at[side][p] = true;
    }
    for (int p = 0; p < 100; ++p)
        if (at[0][p] && at[1][p])
            return true;
    return false;
}

static void check_addresses(const struct live *live, const struct fit_block *blocks, size_t count,
                            const uint64_t *address)
{
    for (size_t i = 0; i < count; ++i) {
        uint64_t end = address[i] + blocks[i].bytes;
        assert_int_equal(address[i] % blocks[i].alignment, 0);
        if (blocks[i].where == FIT_CODE)
            assert_true(end <= mk1.start || address[i] >= mk1.bytes);
        if (blocks[i].where == FIT_INTERLEAVED)
            assert_true(address[i] >= mk1.start);
        for (size_t k = 0; k < i; ++k)
            if (address[k] < end && address[i] < address[k] + blocks[k].bytes)
                assert_false(meet_plainly(live, blocks[i].class, blocks[k].class));
    }
}

static void check_sums(const struct fit_block *blocks, size_t count, const uint64_t *address,
                       const struct fit_result *result)
{
    uint64_t occupied = 0, raw = 0, all = 0, top = 0;
    for (int c = 0; c < MODEL_CATEGORIES; ++c)
        for (int r = 0; r < MODEL_REGIONS; ++r) {
            occupied += result->uses[c][r][MODEL_ALONE] + result->uses[c][r][MODEL_SHARED];
            raw += result->uses[c][r][MODEL_ALONE] + result->uses[c][r][MODEL_OVERLAPPED];
        }
    for (size_t i = 0; i < count; ++i) {
        all += blocks[i].bytes;
        top = address[i] + blocks[i].bytes > top ? address[i] + blocks[i].bytes : top;
    }
    assert_int_equal(raw, all);
    assert_int_equal(occupied, result->tile.bytes[0] + result->tile.bytes[1] + result->tile.bytes[2]);
    assert_int_equal(result->tile.total_with_gaps, top);
    assert_true(result->tile.always_live + result->tile.max_live <= occupied);
    for (int r = 0; r < MODEL_REGIONS; ++r)
        assert_true(result->tile.bytes[r] <= result->tile.with_gaps[r]);
}

static void round_of(size_t count, uint32_t largest)
{
    struct live live = { 0 };
    struct fit_block *blocks = mem_zero(count, sizeof(*blocks));
    uint64_t *address = mem_zero(count, sizeof(*address));
    struct fit_result result;
    make_classes(&live, 20);
    for (size_t i = 0; i < count; ++i) {
        uint32_t where = random_below(10), class = random_below(4) ? 2 + random_below(18) : LIVE_ALWAYS;
        blocks[i] = (struct fit_block){ 1 + random_below(largest),
                                        class,
                                        1u << random_below(6),
                                        (uint8_t)random_below(MODEL_CATEGORIES),
                                        where == 0                           ? FIT_INTERLEAVED
                                        : where == 1 && class == LIVE_ALWAYS ? FIT_CODE
                                                                             : FIT_DATA,
                                        (uint8_t)random_below(3),
                                        0,
                                        0 };
    }
    fit_place(&mk1, &live, blocks, count, NULL, 0, address, &result);
    check_addresses(&live, blocks, count, address);
    check_sums(blocks, count, address, &result);
    free(blocks);
    free(address);
    free_classes(&live);
}

static void test_random_blocks(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 200; ++round) {
        seed = round;
        round_of(1 + random_below(40), 8000);
        round_of(1 + random_below(200), 60000); /* memory overflows */
    }
    seed = 7;
    round_of(1500, 1500); /* more blocks than first fit places */
    round_of(1500, 20);
}

/* Blocks that are live one after the other share addresses. */
static void test_overlap(void **state)
{
    (void)state;
    struct live live = { 0 };
    struct fit_result result;
    uint64_t address[4];
    make_classes(&live, 2);
    for (uint32_t i = 0; i < 3; ++i) {
        *vec_push(&live.classes) = (struct live_class){ live.spans.count, 1 };
        *vec_push(&live.spans) = (struct flow_span){ i * 10, i * 10 + 9 };
    }
    struct fit_block blocks[] = { { 100, 2, 4, MODEL_VARIABLE_CATEGORY, FIT_DATA, 0, 0, 0 },
                                  { 60, 3, 4, MODEL_MESSAGE_CATEGORY, FIT_DATA, 0, 0, 0 },
                                  { 40, 4, 4, MODEL_MESSAGE_CATEGORY, FIT_DATA, 0, 0, 0 },
                                  { 8, LIVE_ALWAYS, 8, MODEL_STACK_CATEGORY, FIT_DATA, 0, 0, 0 } };
    fit_place(&mk1, &live, blocks, 4, NULL, 0, address, &result);
    assert_int_equal(result.tile.bytes[MODEL_NON_INTERLEAVED], 108);
    assert_int_equal(result.tile.total_with_gaps, 108);
    assert_int_equal(result.tile.always_live, 8);
    assert_int_equal(result.tile.max_live, 100);
    assert_int_equal(result.uses[MODEL_VARIABLE_CATEGORY][0][MODEL_ALONE], 40);
    assert_int_equal(result.uses[MODEL_VARIABLE_CATEGORY][0][MODEL_OVERLAPPED], 60);
    assert_int_equal(result.uses[MODEL_MESSAGE_CATEGORY][0][MODEL_OVERLAPPED], 100);
    assert_int_equal(result.uses[MODEL_MULTIPLE_CATEGORY][0][MODEL_SHARED], 60);
    assert_int_equal(result.uses[MODEL_STACK_CATEGORY][0][MODEL_ALONE], 8);
    free_classes(&live);
}

/* An interleaved variable begins at the start of its region; data that does not fit below goes above it; code does not.
 */
static void test_regions(void **state)
{
    (void)state;
    struct live live = { 0 };
    struct fit_result result;
    uint64_t address[3];
    make_classes(&live, 2);
    struct fit_block blocks[] = { { 536, LIVE_ALWAYS, 8, MODEL_VARIABLE_CATEGORY, FIT_INTERLEAVED, 0, 0, 0 },
                                  { 100000, LIVE_ALWAYS, 8, MODEL_VARIABLE_CATEGORY, FIT_DATA, 0, 0, 0 },
                                  { 100000, LIVE_ALWAYS, 8, MODEL_VARIABLE_CATEGORY, FIT_DATA, 0, 0, 0 } };
    fit_place(&mk1, &live, blocks, 1, NULL, 0, address, &result);
    assert_int_equal(result.tile.total_with_gaps, 131072 + 536); /* the guide's 131,608 */
    assert_int_equal(result.tile.with_gaps[MODEL_INTERLEAVED], 536);
    fit_place(&mk1, &live, blocks, 3, NULL, 0, address, &result);
    assert_int_equal(address[0], 131072);
    assert_int_equal(address[1], 0);
    assert_true(address[2] >= 131072 + 536);
    assert_int_equal(result.tile.bytes[MODEL_OVERFLOWED], 0);
    blocks[2].where = FIT_CODE;
    blocks[2].category = MODEL_VERTEX_CODE_CATEGORY;
    fit_place(&mk1, &live, blocks, 3, NULL, 0, address, &result);
    assert_int_equal(address[2], 0);
    blocks[1].where = FIT_CODE;
    fit_place(&mk1, &live, blocks, 3, NULL, 0, address, &result);
    assert_int_equal(result.tile.bytes[MODEL_OVERFLOWED], 100000);
    blocks[0] = (struct fit_block){
        800000, LIVE_ALWAYS, 8, MODEL_VARIABLE_CATEGORY, FIT_DATA, 0, 0, 0
    }; /* the rest has overflowed */
    blocks[1].where = blocks[2].where = FIT_DATA;
    fit_place(&mk1, &live, blocks, 3, NULL, 0, address, &result);
    assert_int_equal(result.tile.total_with_gaps, 1000000);
    assert_int_equal(result.tile.bytes[MODEL_OVERFLOWED], 1000000 - 262144);
    free_classes(&live);
}

/* A block that begins at an element is placed below it only if there is no space above it, and is not moved for that
 * reason to the interleaved region. */
static void test_first_elements(void **state)
{
    (void)state;
    struct live live = { 0 };
    struct fit_result result;
    uint64_t address[3];
    make_classes(&live, 2);
    *vec_push(&live.classes) = (struct live_class){ live.spans.count, 1 };
    *vec_push(&live.spans) = (struct flow_span){ 0, 9 };
    struct fit_block blocks[] = { { 100, LIVE_ALWAYS, 8, MODEL_CONTROL_CODE_CATEGORY, FIT_CODE, 0, 0, 0 },
                                  { 131072 - 2 * 16384, 2, 8, MODEL_MESSAGE_CATEGORY, FIT_DATA, 2, 0, 0 },
                                  { 512, 2, 8, MODEL_MESSAGE_CATEGORY, FIT_DATA, 2, 0, 0 } };
    fit_place(&mk1, &live, blocks, 3, NULL, 0, address, &result);
    assert_int_equal(address[0], 0);
    assert_int_equal(address[1], 2 * 16384);
    assert_int_equal(address[2], 104);
    blocks[1].bytes -= 512;
    fit_place(&mk1, &live, blocks, 3, NULL, 0, address, &result);
    assert_int_equal(address[2], 131072 - 512);
    blocks[1].bytes = 262144 - 16384;
    fit_place(&mk1, &live, blocks, 3, NULL, 0, address, &result);
    assert_int_equal(address[1], 104);
    assert_int_equal(result.tile.bytes[MODEL_OVERFLOWED], 0);
    free_classes(&live);
}

/* Pairs are in different elements: 16 KiB apart below, 32 KiB above the start of the interleaved region. */
static void test_pairs(void **state)
{
    (void)state;
    struct live live = { 0 };
    struct fit_result result;
    uint64_t address[3], end;
    make_classes(&live, 2);
    struct fit_block blocks[] = { { 40, LIVE_ALWAYS, 8, MODEL_VARIABLE_CATEGORY, FIT_DATA, 0, 0, 0 },
                                  { 56, LIVE_ALWAYS, 8, MODEL_VARIABLE_CATEGORY, FIT_DATA, 0, 0, 0 },
                                  { 16, LIVE_ALWAYS, 8, MODEL_VARIABLE_CATEGORY, FIT_DATA, 0, 0, 0 } };
    struct fit_pair pairs[] = { { 0, 1 } };
    fit_place(&mk1, &live, blocks, 3, pairs, 1, address, &result);
    assert_true(fit_element(&mk1, address[0], &end) != fit_element(&mk1, address[1], &end));
    assert_int_equal(result.tile.total_with_gaps, 16384 + 40); /* as 16,440 in the poplibs benchmarks */
    blocks[0].where = blocks[1].where = FIT_INTERLEAVED;
    fit_place(&mk1, &live, blocks, 3, pairs, 1, address, &result);
    assert_int_equal(result.tile.total_with_gaps, 131072 + 32768 + 40);
    assert_int_equal(result.failed_pair, NONE);
    struct fit_memory small = { 1024, 1024, 16384 };
    blocks[0].where = blocks[1].where = FIT_DATA;
    fit_place(&small, &live, blocks, 3, pairs, 1, address, &result);
    assert_int_equal(result.failed_pair, 0);
    free_classes(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlap), cmocka_unit_test(test_regions),       cmocka_unit_test(test_first_elements),
        cmocka_unit_test(test_pairs),   cmocka_unit_test(test_random_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The coding of arrays: the page's example, and random arrays decoded by the test's own decoder. */
#include "sql.h"

#include "value/array.h"

static void the_pages_example(void **state)
{
    (void)state;
    static const uint64_t values[] = { 5, 5, 5, 5, 4, 10, 0, 0, 0 };
    static const unsigned char expected[] = { 0x08, 0x0a, 0x05, 0x01, 0x0c };
    struct array array = { 0 };
    array_of(&array, values, 9);
    assert_int_equal(array.bytes.count, sizeof(expected));
    assert_memory_equal(array.bytes.data, expected, sizeof(expected));
    assert_int_equal(array.sum, 34);
    assert_int_equal(array.max, 10);
    array_free(&array);
}

static uint64_t seed = 1;
static uint64_t roll(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static uint64_t any_value(void)
{
    switch (roll(6)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX - roll(3);
    case 2:
        return (uint64_t)1 << roll(64);
    default:
        return roll(1000);
    }
}

static void decoding_inverts_encoding(void **state)
{
    (void)state;
    enum { LIMIT = 300 };
    uint64_t values[LIMIT], back[LIMIT];
    struct array array = { 0 };
    for (int round = 0; round < 2000; ++round) {
        size_t count = roll(LIMIT);
        for (size_t i = 0; i < count;) {
            uint64_t value = any_value();
            for (size_t run = 1 + roll(roll(2) ? 3 : 40); run && i < count; --run)
                values[i++] = value;
        }
        array_of(&array, values, count);
        sql_unfold(array.bytes.data, array.bytes.count, back, count);
        assert_true(!count || !memcmp(values, back, count * sizeof(*values)));
    }
    array_free(&array);
}

static void runs_are_short(void **state)
{
    (void)state;
    struct array array = { 0 };
    array_begin(&array);
    array_add(&array, 7, 1000000);
    array_end(&array);
    assert_true(array.bytes.count <= 5);
    array_begin(&array);
    array_add(&array, 0, 1000000);
    array_end(&array);
    assert_int_equal(array.bytes.count, 0);
    array_begin(&array);
    for (uint64_t i = 0; i < 1472; ++i)
        array_add(&array, 32 + i / 2, 1);
    array_end(&array);
    assert_true(array.bytes.count <= 1472 + 4); /* a byte per element if each differs a little */
    array_free(&array);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_pages_example),
                                        cmocka_unit_test(decoding_inverts_encoding), cmocka_unit_test(runs_are_short) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

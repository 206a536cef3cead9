/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct record {
    uint64_t key;
    uint32_t place; /* before it was sorted */
};

static uint64_t key_of(const void *record)
{
    return ((const struct record *)record)->key;
}

/* Keys of all lengths, many of them equal: the same order as qsort by key and index. */
static int by_key_and_place(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : (x->place > y->place) - (x->place < y->place);
}

static void test_keys_of_any_length(void **state)
{
    (void)state;
    enum { RECORDS = 3000 };
    uint64_t random = 1;
    for (unsigned bits = 0; bits <= 64; ++bits) {
        struct record *records = mem_zero(RECORDS, sizeof(*records)), *expected;
        for (uint32_t i = 0; i < RECORDS; ++i) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint64_t key = bits ? (random ^ random >> 32) * 0x9e3779b97f4a7c15u >> (64 - bits) : 0;
            records[i] = (struct record){ i % 3 ? key : key >> bits / 2, i };
        }
        expected = mem_copy(records, RECORDS * sizeof(*records));
        qsort(expected, RECORDS, sizeof(*expected), by_key_and_place);
        sort_by_key(records, RECORDS, sizeof(*records), key_of);
        for (size_t i = 0; i < RECORDS; ++i) {
            assert_int_equal(records[i].key, expected[i].key);
            assert_int_equal(records[i].place, expected[i].place);
        }
        free(records);
        free(expected);
    }
    sort_by_key(NULL, 0, sizeof(struct record), key_of);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_keys_of_any_length) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Every range of a few words against single bits. */
static void test_bits(void **state)
{
    (void)state;
    enum { BITS = 200 };
    for (unsigned begin_bit = 0; begin_bit <= BITS; begin_bit += 7)
        for (unsigned end_bit = begin_bit; end_bit <= BITS; ++end_bit) {
            uint64_t bits[4] = { 0 };
            bits_set(bits, 60, 131);
            unsigned before = 0, after = 0;
            for (unsigned i = begin_bit; i < end_bit; ++i)
                before += i >= 60 && i < 131;
            assert_int_equal(bits_any(bits, begin_bit, end_bit), before > 0);
            assert_int_equal(bits_all(bits, begin_bit, end_bit), before == end_bit - begin_bit);
            assert_int_equal(bits_set(bits, begin_bit, end_bit), end_bit - begin_bit - before);
            bits_clear(bits, begin_bit, end_bit);
            for (unsigned i = 0; i < 256; ++i) {
                bool set = bits[i / 64] >> (i % 64) & 1;
                assert_int_equal(set, i >= 60 && i < 131 && !(i >= begin_bit && i < end_bit));
                after += set;
            }
            assert_int_equal(after, 71 - before);
        }
}

static void test_ranges(void **state)
{
    (void)state;
    uint64_t bits[4] = { 0 };
    bits_set(bits, 60, 131);
    assert_int_equal(bits_run(bits, 0, 256), 60);
    assert_int_equal(bits_run(bits, 60, 256), 131);
    assert_int_equal(bits_run(bits, 100, 128), 128);
    assert_int_equal(bits_run(bits, 131, 256), 256);
}

/* One bit set in the middle of five words: neither the first nor the last word has it. */
static void test_bit_in_a_middle_word(void **state)
{
    (void)state;
    for (unsigned at = 64; at < 256; ++at) {
        uint64_t bits[5] = { 0 };
        bits_set(bits, at, at + 1);
        assert_true(bits_any(bits, 3, 317));
        assert_false(bits_any(bits, 3, at));
        assert_false(bits_any(bits, at + 1, 317));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_bit_in_a_middle_word), cmocka_unit_test(test_bits),
                                        cmocka_unit_test(test_ranges) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

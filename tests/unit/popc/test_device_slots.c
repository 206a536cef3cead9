/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of the tile for the counting machine's instructions: docs/reference/device-slots.md, by hand. */
#include "popc/device/device_slots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* after the above */
#include <string.h>
#include <cmocka.h>

/* Encodings of RISC-V. */
#define IMMEDIATE(op, f3, to, from, value)                                                                             \
    ((uint32_t)(value) << 20 | (uint32_t)(from) << 15 | (uint32_t)(f3) << 12 | (uint32_t)(to) << 7 | (op))
#define REGISTERS(op, f7, f3, to, a, b) IMMEDIATE(op, f3, to, a, (uint32_t)(f7) << 5 | (uint32_t)(b))
#define ADDI(to, from, value)           IMMEDIATE(0x13, 0, to, from, value)
#define ADDIW(to, from, value)          IMMEDIATE(0x1b, 0, to, from, value)
#define SLLI(to, from, by)              IMMEDIATE(0x13, 1, to, from, by)
#define SRLI(to, from, by)              IMMEDIATE(0x13, 5, to, from, by)
#define XORI(to, from, value)           IMMEDIATE(0x13, 4, to, from, value)
#define LUI(to)                         (0x37u | (to) << 7)
#define ADD(to, a, b)                   REGISTERS(0x33, 0, 0, to, a, b)
#define MUL(to, a, b)                   REGISTERS(0x33, 1, 0, to, a, b)
#define MULHU(to, a, b)                 REGISTERS(0x33, 1, 3, to, a, b)
#define DIVUW(to, a, b)                 REGISTERS(0x3b, 1, 5, to, a, b)
#define REMW(to, a, b)                  REGISTERS(0x3b, 1, 6, to, a, b)
#define LW(to, base, offset)            IMMEDIATE(0x03, 2, to, base, offset)
#define FLW(to, base, offset)           IMMEDIATE(0x07, 2, to, base, offset)
#define FLH(to, base, offset)           IMMEDIATE(0x07, 1, to, base, offset)
#define STORE(op, f3, base, from)       ((uint32_t)(from) << 20 | (uint32_t)(base) << 15 | (uint32_t)(f3) << 12 | (op))
#define BRANCH(f3, a, b)                ((uint32_t)(b) << 20 | (uint32_t)(a) << 15 | (uint32_t)(f3) << 12 | 0x63u)
#define FLOAT(f5, half, f3, to, a, b)   REGISTERS(0x53, (f5) << 2 | ((half) ? 2 : 0), f3, to, a, b)

static int slots_of(const uint32_t *words, size_t count)
{
    struct device_slots slots = { 0 };
    const uint64_t x[DEVICE_REGISTERS] = { [11] = 1000, [12] = 7, [13] = (uint64_t)-1000, [14] = 1u << 20 };
    int sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += device_slots(&slots, words[i], x);
    return sum;
}
#define SLOTS(...) slots_of((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

static void floats_take_their_latency(void **state)
{
    (void)state;
    assert_int_equal(SLOTS(FLOAT(0, 0, 0, 1, 2, 3)), 1);           /* add */
    assert_int_equal(SLOTS(FLOAT(3, 0, 0, 1, 2, 3)), 3);           /* divide */
    assert_int_equal(SLOTS(FLOAT(3, 1, 0, 1, 2, 3)), 6);           /* halves: as singles, three conversions */
    assert_int_equal(SLOTS(FLOAT(11, 0, 0, 1, 2, 0)), 5);          /* root */
    assert_int_equal(SLOTS(FLOAT(11, 1, 0, 1, 2, 0)), 7);          /* of a half */
    assert_int_equal(SLOTS(FLOAT(4, 0, 0, 1, 2, 2)), 1);           /* move */
    assert_int_equal(SLOTS(FLOAT(4, 0, 0, 1, 2, 3)), 3);           /* sign of another */
    assert_int_equal(SLOTS(FLOAT(20, 0, 1, 5, 2, 3)), 2);          /* comparison, atom */
    assert_int_equal(SLOTS(FLOAT(8, 0, 0, 1, 2, 2)), 1);           /* half to single */
    assert_int_equal(SLOTS(REGISTERS(0x43, 0x10, 0, 1, 2, 3)), 2); /* multiply-add */
    assert_int_equal(SLOTS(REGISTERS(0x4f, 0x10, 0, 1, 2, 3)), 3);
}

/* There is no move from integer registers to the others. */
static void integers_become_floats_through_memory(void **state)
{
    (void)state;
    assert_int_equal(SLOTS(FLOAT(26, 0, 0, 1, 5, 0)), 3);         /* store, load, convert */
    assert_int_equal(SLOTS(FLOAT(26, 1, 0, 1, 5, 0)), 4);         /* and to half */
    assert_int_equal(SLOTS(FLOAT(24, 0, 1, 5, 1, 0)), 3);         /* round, convert, atom */
    assert_int_equal(SLOTS(FLOAT(28, 0, 0, 5, 1, 0)), 1);         /* atom */
    assert_int_equal(SLOTS(FLOAT(30, 0, 0, 1, 5, 0)), 2);         /* store, load */
    assert_int_equal(SLOTS(FLOAT(30, 0, 0, 1, 0, 0)), 1);         /* zero */
    assert_int_equal(SLOTS(LUI(5), FLOAT(30, 0, 0, 1, 5, 0)), 2); /* a constant */
}

static void branches_compare_first(void **state)
{
    (void)state;
    assert_int_equal(SLOTS(BRANCH(0, 5, 6)), 2);
    assert_int_equal(SLOTS(BRANCH(0, 5, 0)), 1);
    assert_int_equal(SLOTS(BRANCH(4, 5, 0)), 1);                 /* by the sign */
    assert_int_equal(SLOTS(BRANCH(4, 0, 5)), 2);                 /* above zero */
    assert_int_equal(SLOTS(ADDI(5, 5, -1), BRANCH(1, 5, 0)), 1); /* brnzdec */
    assert_int_equal(SLOTS(ADDI(5, 5, -1), ADDI(6, 7, 1), BRANCH(1, 5, 0)), 2);
    assert_int_equal(SLOTS(ADDI(5, 5, -1), ADDI(6, 5, 1), BRANCH(1, 5, 0)), 3); /* the counter is read */
    assert_int_equal(SLOTS(ADDI(5, 5, -2), BRANCH(1, 5, 0)), 2);
}

static void loads_and_stores_compute_addresses(void **state)
{
    (void)state;
    assert_int_equal(SLOTS(FLW(1, 5, 0), ADDI(5, 5, 4)), 1);   /* ld32step */
    assert_int_equal(SLOTS(FLW(1, 5, 0), ADDI(5, 5, 6)), 2);   /* not whole elements */
    assert_int_equal(SLOTS(FLW(1, 5, 0), ADDI(5, 5, 512)), 2); /* a step of 128 */
    assert_int_equal(SLOTS(FLW(1, 5, 8), ADDI(5, 5, 4)), 2);   /* not at the pointer */
    assert_int_equal(SLOTS(FLW(1, 5, 0), ADDI(5, 5, 4), ADDI(5, 5, 4)), 2);
    assert_int_equal(SLOTS(ADD(5, 6, 7), LW(8, 5, 0)), 1);                /* base and index in bytes */
    assert_int_equal(SLOTS(SLLI(5, 6, 2), ADD(5, 5, 7), LW(8, 5, 4)), 1); /* in elements */
    assert_int_equal(SLOTS(SLLI(5, 6, 3), ADD(5, 5, 7), LW(8, 5, 4)), 2); /* of another size */
    assert_int_equal(SLOTS(ADD(5, 6, 7), LW(8, 5, 0), LW(8, 5, 4)), 2);
    assert_int_equal(SLOTS(ADD(5, 6, 7), ADD(9, 5, 5), LW(8, 5, 0)), 3); /* the sum is needed as a number */
    assert_int_equal(SLOTS(STORE(0x23u, 2, 5, 6)), 1);
    assert_int_equal(SLOTS(STORE(0x27u, 2, 5, 6)), 1);
    assert_int_equal(SLOTS(STORE(0x23u, 1, 5, 6)), 10); /* part of a word */
    assert_int_equal(SLOTS(STORE(0x27u, 1, 5, 6)), 11);
    assert_int_equal(SLOTS(FLH(1, 5, 0)), 1);
}

/* Numbers of 32 bits are not extended on the tile. */
static void extensions_are_free(void **state)
{
    (void)state;
    assert_int_equal(SLOTS(SLLI(5, 6, 32), SRLI(5, 5, 32)), 0);
    assert_int_equal(SLOTS(SLLI(5, 6, 32), SRLI(5, 5, 30)), 1);
    assert_int_equal(SLOTS(SLLI(5, 6, 32), SRLI(5, 5, 30), ADD(5, 5, 7), FLW(1, 5, 0)), 1);
    assert_int_equal(SLOTS(ADDIW(5, 6, 0)), 0);
    assert_int_equal(SLOTS(ADDIW(5, 6, 1)), 1);
    assert_int_equal(SLOTS(XORI(5, 6, 1)), 2); /* has no immediate */
    assert_int_equal(SLOTS(XORI(5, 6, -1)), 1);
}

static void quotients_take_a_step_for_each_bit(void **state)
{
    (void)state;
    assert_int_equal(SLOTS(MUL(5, 6, 7)), 1);
    assert_int_equal(SLOTS(MULHU(5, 6, 7)), 14);
    assert_int_equal(SLOTS(MUL(5, 6, 7), SRLI(5, 5, 34)), 15); /* a division by a constant */
    assert_int_equal(SLOTS(DIVUW(5, 11, 12)), 20 + 11 * 8);    /* 1000 / 7 */
    assert_int_equal(SLOTS(REMW(5, 13, 12)), 20 + 11 * 8);
    assert_int_equal(SLOTS(DIVUW(5, 12, 11)), 20);
    assert_int_equal(SLOTS(DIVUW(5, 14, 12)), 20 + 11 * 19);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_take_their_latency), cmocka_unit_test(integers_become_floats_through_memory),
        cmocka_unit_test(branches_compare_first),    cmocka_unit_test(loads_and_stores_compute_addresses),
        cmocka_unit_test(extensions_are_free),       cmocka_unit_test(quotients_take_a_step_for_each_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

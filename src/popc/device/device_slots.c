/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/device/device_slots.h"

#include <string.h>

enum {
    /* of single precision */
    DIVIDE = 3,
    ROOT = 5,
    CONVERT = 1,
    TO_WORD = 1,      /* atom */
    FROM_WORD = 2,    /* there is no move to a registers: a store and a load */
    ROUND = 1,        /* f32int before f32toi32 */
    MULTIPLY_ADD = 2, /* f32mul, f32add */
    COPY_SIGN = 3,
    /* of words; sequences that are counted, since the tile has no such instruction */
    MULTIPLY_HIGH = 14,
    QUOTIENT_START = 20,
    QUOTIENT_BIT = 11,
    PART_OF_WORD = 10
};
enum { LONGEST_STEP = 127, WORD_BITS = 32 };
enum { OP_LOAD = 0x03, OP_LOAD_FLOAT = 0x07, OP_FENCE = 0x0f, OP_STORE = 0x23, OP_STORE_FLOAT = 0x27 };

static uint32_t bits(uint32_t word, int low, int count)
{
    return word >> low & ((1u << count) - 1);
}
static unsigned rd(uint32_t word)
{
    return bits(word, 7, 5);
}
static unsigned rs1(uint32_t word)
{
    return bits(word, 15, 5);
}
static unsigned rs2(uint32_t word)
{
    return bits(word, 20, 5);
}
static int immediate(uint32_t word)
{
    return (int32_t)word >> 20;
}

/* The register is read as a number: an address in it is computed, and a counter before the loop's branch. */
static void read_as_number(struct device_slots *slots, unsigned r)
{
    slots->of[r].spared = 0;
    slots->counted = slots->counted == r ? 0 : slots->counted;
}
static struct device_register *written(struct device_slots *slots, unsigned r)
{
    slots->of[r] = (struct device_register){ 0 };
    slots->counted = slots->counted == r ? 0 : slots->counted;
    return &slots->of[r];
}

/* ---- loads and stores ---- */

/* The slots of an access to memory.  Its address may be a base plus an index, in elements or bytes, and an offset; and
 * it can advance a pointer. */
static int access_slots(struct device_slots *slots, uint32_t word, unsigned bytes, int offset, int own)
{
    struct device_register *base = &slots->of[rs1(word)];
    int spared = base->spared && base->scale && base->scale != bytes ? base->spared - 1 : base->spared;
    base->spared = 0;
    base->step = offset == 0 ? (uint8_t)bytes : 0;
    return own - spared;
}

static int load_slots(struct device_slots *slots, uint32_t word)
{
    int count = access_slots(slots, word, 1u << bits(word, 12, 2), immediate(word), 1);
    if ((word & 0x7f) == OP_LOAD)
        written(slots, rd(word));
    return count;
}

static int store_slots(struct device_slots *slots, uint32_t word)
{
    unsigned bytes = 1u << bits(word, 12, 2);
    bool is_float = (word & 0x7f) == OP_STORE_FLOAT;
    int offset = ((int32_t)word >> 25) * 32 + (int)rd(word);
    if (!is_float)
        read_as_number(slots, rs2(word));
    return access_slots(slots, word, bytes, offset, bytes >= 4 ? 1 : is_float ? PART_OF_WORD + TO_WORD : PART_OF_WORD);
}

/* ---- integers ---- */

/* A shift by a constant.  Shifts by 32 and more extend a number of 32 bits to the machine's 64, or shift it too. */
static int shift_slots(struct device_slots *slots, uint32_t word)
{
    unsigned amount = bits(word, 20, 6), kind = bits(word, 12, 3);
    bool wide = slots->of[rs1(word)].wide, product = slots->of[rs1(word)].product;
    read_as_number(slots, rs1(word));
    struct device_register *to = written(slots, rd(word));
    if (kind == 1 && amount >= WORD_BITS) {
        to->wide = amount == WORD_BITS;
        return amount > WORD_BITS;
    }
    if (kind == 5 && amount >= WORD_BITS && product) /* the product's upper word: a division by a constant */
        return MULTIPLY_HIGH - 1 + (amount > WORD_BITS);
    if (kind == 1 || (wide && amount < WORD_BITS))
        to->shift = (uint8_t)(kind == 1 ? amount : WORD_BITS - amount);
    return wide && amount == WORD_BITS ? 0 : 1;
}

static int immediate_slots(struct device_slots *slots, uint32_t word)
{
    unsigned kind = bits(word, 12, 3), from = rs1(word), to = rd(word);
    int value = immediate(word);
    struct device_register before = slots->of[from];
    if (kind == 1 || kind == 5)
        return shift_slots(slots, word);
    if (kind == 0 && from == to && before.step && value % before.step == 0 && value / before.step <= LONGEST_STEP &&
        value / before.step >= -LONGEST_STEP - 1) {
        written(slots, to); /* the access before advances the pointer */
        return 0;
    }
    read_as_number(slots, from);
    written(slots, to)->constant = kind == 0 && (!from || before.constant);
    if (kind == 0 && from == to && value == -1)
        slots->counted = to;
    bool extends = (word & 0x7f) == 0x1b && kind == 0 && value == 0, no_immediate = kind == 4 && value != -1;
    return extends ? 0 : no_immediate ? 2 : 1;
}

static unsigned leading_zeros(uint32_t value)
{
    return value ? (unsigned)__builtin_clz(value) : WORD_BITS;
}

static unsigned magnitude_zeros(uint64_t value, bool is_signed)
{
    uint32_t word = (uint32_t)value;
    return leading_zeros(is_signed && word >> 31 ? 0 - word : word);
}

static int multiply_slots(uint32_t word, const uint64_t *x)
{
    unsigned kind = bits(word, 12, 3), of_dividend, of_divisor;
    if (kind == 0)
        return 1;
    if (kind < 4)
        return MULTIPLY_HIGH;
    of_dividend = magnitude_zeros(x[rs1(word)], !(kind & 1));
    of_divisor = magnitude_zeros(x[rs2(word)], !(kind & 1));
    int quotient = (int)of_divisor - (int)of_dividend + 1; /* bits */
    return QUOTIENT_START + (quotient > 0 ? QUOTIENT_BIT * quotient : 0);
}

static int register_slots(struct device_slots *slots, uint32_t word, const uint64_t *x)
{
    struct device_register a = slots->of[rs1(word)], b = slots->of[rs2(word)];
    read_as_number(slots, rs1(word));
    read_as_number(slots, rs2(word));
    struct device_register *to = written(slots, rd(word));
    to->product = word >> 25 == 1 && bits(word, 12, 3) == 0;
    if (word >> 25 == 1)
        return multiply_slots(word, x);
    if (word >> 25 || bits(word, 12, 3))
        return 1;
    unsigned shift = a.shift ? a.shift : b.shift; /* an addition: perhaps of an address */
    to->scale = (uint8_t)(shift && shift <= 3 ? 1u << shift : 0);
    to->spared = to->scale ? 2 : 1;
    return 1;
}

/* A comparison and a branch, but with 0 and for counters. */
static int branch_slots(struct device_slots *slots, uint32_t word)
{
    unsigned kind = bits(word, 12, 3), counted = slots->counted;
    read_as_number(slots, rs1(word));
    read_as_number(slots, rs2(word));
    slots->counted = 0;
    if (kind == 1 && rs1(word) == counted && counted && !rs2(word))
        return 0; /* brnzdec, which decrements too */
    return !rs2(word) && kind < 6 ? 1 : 2;
}

/* ---- floating point ---- */

static int float_slots(struct device_slots *slots, uint32_t word)
{
    bool is_half = bits(word, 25, 2) == 2;
    int to_single = is_half ? CONVERT : 0;
    switch (bits(word, 27, 5)) {
    case 3:
        return DIVIDE + 3 * to_single;
    case 11:
        return ROOT + 2 * to_single;
    case 4:
        return rs1(word) == rs2(word) ? 1 : COPY_SIGN;
    case 20: /* comparisons, whose results are integers; so is the class */
        written(slots, rd(word));
        return 1 + TO_WORD;
    case 24:
        written(slots, rd(word));
        return to_single + ROUND + CONVERT + TO_WORD;
    case 26:
        read_as_number(slots, rs1(word));
        return FROM_WORD + CONVERT + to_single;
    case 28:
        written(slots, rd(word));
        return bits(word, 12, 3) ? 1 + TO_WORD : TO_WORD;
    case 30:
        read_as_number(slots, rs1(word));
        return !rs1(word) || slots->of[rs1(word)].constant ? 1 : FROM_WORD;
    default: /* addition, subtraction, multiplication, minimum and maximum, conversion of formats */
        return 1;
    }
}

int device_slots(struct device_slots *slots, uint32_t word, const uint64_t *x)
{
    slots->of[0] = (struct device_register){ 0 };
    switch (word & 0x7f) {
    case OP_LOAD:
    case OP_LOAD_FLOAT:
        return load_slots(slots, word);
    case OP_STORE:
    case OP_STORE_FLOAT:
        return store_slots(slots, word);
    case OP_FENCE:
        return 0;
    case 0x13:
    case 0x1b:
        return immediate_slots(slots, word);
    case 0x33:
    case 0x3b:
        return register_slots(slots, word, x);
    case 0x37: /* lui */
        written(slots, rd(word))->constant = true;
        return 1;
    case 0x17: /* auipc */
    case 0x6f: /* jal */
        written(slots, rd(word));
        return 1;
    case 0x67: /* jalr */
        read_as_number(slots, rs1(word));
        written(slots, rd(word));
        return 1;
    case 0x43:
    case 0x47:
    case 0x4b:
        return MULTIPLY_ADD;
    case 0x4f: /* both negated */
        return MULTIPLY_ADD + 1;
    case 0x53:
        return float_slots(slots, word);
    case 0x63:
        return branch_slots(slots, word);
    default: /* a called function */
        return 0;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Integers, shifts, permutations of bytes, and logic; functions that both register files have are shared. */
#include "tile/exec.h"

/* An operation on two operands, the second a register or an immediate. */
#define INTEGER(name, expression)                                                                                      \
    EXEC(name)                                                                                                         \
    {                                                                                                                  \
        uint32_t x = R(1), y = R(2);                                                                                   \
        W(0) = expression;                                                                                             \
    }
#define INTEGER_OR_IMMEDIATE(name, expression)                                                                         \
    INTEGER(name, expression)                                                                                          \
    EXEC(name##_i)                                                                                                     \
    {                                                                                                                  \
        uint32_t x = R(1), y = (uint32_t)o->value;                                                                     \
        W(0) = expression;                                                                                             \
    }
#define INTEGER_OF_ONE(name, expression)                                                                               \
    EXEC(name)                                                                                                         \
    {                                                                                                                  \
        uint32_t x = R(1);                                                                                             \
        W(0) = expression;                                                                                             \
    }

INTEGER_OR_IMMEDIATE(add, x + y)
INTEGER_OR_IMMEDIATE(mul, x *y)
INTEGER_OR_IMMEDIATE(and, x &y)
INTEGER_OR_IMMEDIATE(andc, x & ~y)
INTEGER_OR_IMMEDIATE(or, x | y)
INTEGER(xor, x ^ y)
INTEGER(xnor, ~(x ^ y))
INTEGER_OR_IMMEDIATE(max, (int32_t)x > (int32_t)y ? x : y)
INTEGER_OR_IMMEDIATE(min, (int32_t)x < (int32_t)y ? x : y)
INTEGER_OR_IMMEDIATE(cmpeq, x == y)
INTEGER(cmpne, x != y)
INTEGER_OR_IMMEDIATE(cmpslt, (int32_t)x < (int32_t)y)
INTEGER_OR_IMMEDIATE(cmpult, x < y)
INTEGER_OR_IMMEDIATE(shl, y < 32 ? x << y : 0)
INTEGER_OR_IMMEDIATE(shr, y < 32 ? x >> y : 0)
INTEGER_OR_IMMEDIATE(shrs, (uint32_t)((int64_t)(int32_t)x >> (y < 32 ? y : 31)))
INTEGER(sub, x - y)
INTEGER_OF_ONE(abs, (int32_t)x < 0 ? 0 - x : x)
INTEGER_OF_ONE(not, ~x)
INTEGER_OF_ONE(atom, x)

EXEC(sub_i)
{
    W(0) = (uint32_t)o->value - R(2);
}

EXEC(setzi)
{
    W(0) = (uint32_t)o->value;
}

EXEC(movz)
{
    if (R(1))
        W(0) = R(2);
}

static uint32_t leading_zeros(uint32_t x)
{
    return x ? (uint32_t)__builtin_clz(x) : 32;
}

static uint32_t reversed_bits(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    return (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
}

INTEGER_OF_ONE(clz, leading_zeros(x))
INTEGER_OF_ONE(cms, leading_zeros((int32_t)x < 0 ? ~x : x) - 1)
INTEGER_OF_ONE(popc, (uint32_t)__builtin_popcount(x))
INTEGER_OF_ONE(bitrev8, reversed_bits(x))

/* ---- permutations: bytes are counted from the lowest ---- */

static uint32_t bytes_of(uint32_t b0, uint32_t b1, uint32_t b2, uint32_t b3)
{
    return (b0 & 0xff) | (b1 & 0xff) << 8 | (b2 & 0xff) << 16 | b3 << 24;
}

INTEGER_OF_ONE(swap8, bytes_of(x >> 8, x, x >> 24, x >> 16))
INTEGER_OF_ONE(sort8, bytes_of(x, x >> 16, x >> 8, x >> 24))
INTEGER(roll8l, x >> 24 | y << 8)
INTEGER(roll8r, x >> 8 | y << 24)
INTEGER(shuf8x8lo, bytes_of(x, y, x >> 8, y >> 8))
INTEGER(shuf8x8hi, bytes_of(x >> 16, y >> 16, x >> 24, y >> 24))
INTEGER(sort8x8lo, bytes_of(x, x >> 16, y, y >> 16))
INTEGER(sort8x8hi, bytes_of(x >> 8, x >> 24, y >> 8, y >> 24))
INTEGER(roll16, x >> 16 | y << 16)
/* :BU takes the high half of the first operand, :BL the low one. */
INTEGER(sort4x16lo, (o->spread == TILE_SPREAD_HIGH ? x >> 16 : x & 0xffff) | y << 16)
INTEGER(sort4x16hi, (o->spread == TILE_SPREAD_LOW ? x & 0xffff : x >> 16) | (y & 0xffff0000))

/* ---- pairs ---- */

#define PAIR(name, low, high)                                                                                          \
    EXEC(name)                                                                                                         \
    {                                                                                                                  \
        uint32_t x0 = R(1), x1 = R1(1), y0 = R(2), y1 = R1(2), first = low, second = high;                             \
        (void)x0, (void)x1, (void)y0, (void)y1;                                                                        \
        W(0) = first;                                                                                                  \
        W1(0) = second;                                                                                                \
    }
PAIR(and64, x0 &y0, x1 &y1)
PAIR(andc64, x0 & ~y0, x1 & ~y1)
PAIR(or64, x0 | y0, x1 | y1)
PAIR(roll32, x1, y0)
PAIR(sort4x32lo, x0, y0)
PAIR(sort4x32hi, x1, y1)

EXEC(not64)
{
    uint32_t x0 = R(1), x1 = R1(1);
    W(0) = ~x0;
    W1(0) = ~x1;
}

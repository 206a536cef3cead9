/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: xoroshiro128aox, of a published paper by the machine's designers (docs/reference/tile-isa.md, 2.17).
 */
#include "tile/exec.h"

static uint64_t rotated(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

uint64_t prng_next(struct tile_context *c)
{
    uint64_t s0 = c->prng[0], s1 = c->prng[1], x = s0 ^ s1, a = s0 & s1;
    c->prng[0] = rotated(s0, 55) ^ x ^ x << 14;
    c->prng[1] = rotated(x, 36);
    return x ^ (rotated(a, 1) | rotated(a, 2));
}

EXEC(urand32)
{
    W(0) = (uint32_t)prng_next(c);
}

EXEC(urand64)
{
    uint64_t bits = prng_next(c);
    W(0) = (uint32_t)bits;
    W1(0) = (uint32_t)(bits >> 32);
}

/* How the machine makes Gaussian samples is not published: here, the sum of twelve uniform ones, whose variance is 1.
 */
static float gaussian(struct tile_context *c)
{
    int64_t sum = 0;
    for (unsigned draw = 0; draw < 3; ++draw)
        for (uint64_t bits = prng_next(c), field = 0; field < 4; ++field, bits >>= 16)
            sum += (int64_t)(bits & 0xffff);
    return (float)((double)(2 * sum - 12 * 65535) * 0x1p-17);
}

EXEC(f32v2grand)
{
    W(0) = as_bits(gaussian(c));
    W1(0) = as_bits(gaussian(c));
}

EXEC(f16v2grand)
{
    uint32_t low = half_bits(c, o, gaussian(c));
    W(0) = low | half_bits(c, o, gaussian(c)) << 16;
}

/* Bits 16:0 are the probability in units of 2^-16; each element takes 16 random bits. */
static bool kept(uint32_t probability, uint64_t bits, unsigned element)
{
    return probability & 0x10000 || (bits >> (16 * element) & 0xffff) < (probability & 0xffff);
}

EXEC(f32v2rmask)
{
    uint32_t x0 = R(1), x1 = R1(1), probability = R(2);
    uint64_t bits = prng_next(c);
    W(0) = kept(probability, bits, 0) ? x0 : 0;
    W1(0) = kept(probability, bits, 1) ? x1 : 0;
}

EXEC(f16v4rmask)
{
    uint32_t x[2] = { R(1), R1(1) }, probability = R(2);
    uint64_t bits = prng_next(c);
    for (unsigned i = 0; i < 4; ++i)
        if (!kept(probability, bits, i))
            x[i / 2] &= i % 2 ? 0xffffu : 0xffff0000u;
    W(0) = x[0];
    W1(0) = x[1];
}

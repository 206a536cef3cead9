/* SPDX-License-Identifier: Apache-2.0 */
/* xoroshiro128+ with the constants 55, 14 and 36: draws of 64 bits, several generators at a time, and the state after
 * any number of draws. */
#ifndef POPRAND_GENERATOR_H
#define POPRAND_GENERATOR_H

#include "poprand/draw_blocks.h"

#include <stddef.h>
#include <stdint.h>

struct generator {
    uint64_t a, b;
};
static inline struct generator load(const unsigned *state)
{
    return (struct generator){ state[0] | (uint64_t)state[1] << 32, state[2] | (uint64_t)state[3] << 32 };
}
static inline void store(unsigned *state, struct generator g)
{
    state[0] = (unsigned)g.a, state[1] = (unsigned)(g.a >> 32), state[2] = (unsigned)g.b,
    state[3] = (unsigned)(g.b >> 32);
}

static inline uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}
static inline uint64_t draw(struct generator *g)
{
    uint64_t a = g->a, b = g->b, sum = a + b;
    b ^= a;
    g->a = rotate(a, 55) ^ b ^ b << 14;
    g->b = rotate(b, 36);
    return sum;
}
/* Draws count words, rounded up to a whole draw. */
static inline void draw_words(struct generator *g, uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i += 2) {
        uint64_t bits = draw(g);
        words[i] = (uint32_t)bits;
        words[i + 1] = (uint32_t)(bits >> 32);
    }
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a draw's low word is stored first");

/* draw_words for LANES generators. */
static inline void draw_lanes(struct generator *g, uint32_t words[][BLOCK], unsigned count)
{
#ifdef __AVX512F__
    enum { WIDTH = LANES };
#else
    enum { WIDTH = LANES < 4 ? LANES : 4 }; /* gcc keeps wider vectors in memory */
#endif
    typedef uint64_t lanes __attribute__((vector_size(8 * WIDTH)));
    lanes a[LANES / WIDTH], b[LANES / WIDTH];
    for (int lane = 0; lane < LANES; ++lane)
        a[lane / WIDTH][lane % WIDTH] = g[lane].a, b[lane / WIDTH][lane % WIDTH] = g[lane].b;
    for (unsigned i = 0; i < count; i += 2)
        for (int k = 0; k < LANES / WIDTH; ++k) {
            lanes sum = a[k] + b[k], mixed = a[k] ^ b[k];
            for (int lane = 0; lane < WIDTH; ++lane) {
                uint64_t bits = sum[lane]; /* its low word is the first */
                __builtin_memcpy(&words[k * WIDTH + lane][i], &bits, sizeof(bits));
            }
            a[k] = (a[k] << 55 | a[k] >> 9) ^ mixed ^ mixed << 14;
            b[k] = mixed << 36 | mixed >> 28;
        }
    for (int lane = 0; lane < LANES; ++lane)
        g[lane] = (struct generator){ a[lane / WIDTH][lane % WIDTH], b[lane / WIDTH][lane % WIDTH] };
}

/* ---- jumps ---- */

/* A polynomial over GF(2) of degree below 128, modulo the characteristic polynomial of a draw: x is one draw. */
struct jump {
    uint64_t low, high;
};
static inline struct jump jump_next(struct jump p)
{
    uint64_t carry = 0 - (p.high >> 63);
    return (struct jump){ p.low << 1 ^ (carry & 0x5fd66762f0e1c001u),
                          (p.high << 1 | p.low >> 63) ^ (carry & 0x00653ced7f29f88au) };
}
static inline struct jump jump_square(struct jump p)
{
    struct jump square = { 0, 0 };
    for (int bit = 127; bit >= 0; --bit) {
        uint64_t take = 0 - ((bit < 64 ? p.low >> bit : p.high >> (bit - 64)) & 1);
        square = jump_next(square);
        square.low ^= p.low & take;
        square.high ^= p.high & take;
    }
    return square;
}
/* As many draws. */
static inline struct jump jump_of(uint64_t draws)
{
    struct jump p = { 1, 0 };
    for (int bit = 63; bit >= 0; --bit) {
        if (p.low != 1 || p.high)
            p = jump_square(p);
        if (draws >> bit & 1)
            p = jump_next(p);
    }
    return p;
}
static inline struct generator jump_from(struct generator g, struct jump p)
{
    struct generator sum = { 0, 0 };
    for (int i = 0; i < 128; ++i) {
        uint64_t take = 0 - ((i < 64 ? p.low >> i : p.high >> (i - 64)) & 1);
        sum.a ^= g.a & take;
        sum.b ^= g.b & take;
        draw(&g);
    }
    return sum;
}

#endif

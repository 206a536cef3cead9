/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores.  All addresses are computed and checked before a register changes. */
#include "tile/exec.h"

#include <assert.h>

static void put64(struct tile_context *c, unsigned place, const unsigned char *from)
{
    memcpy(c->r + place, from, 8);
}

/* ---- elements and regions ---- */

static unsigned element_of(const struct tile *tile, uint32_t address)
{
    if (address < tile->interleaved)
        return (address - tile->base) / TILE_ELEMENT_BYTES;
    uint32_t pair = (address - tile->interleaved) / (2 * TILE_ELEMENT_BYTES);
    return (tile->interleaved - tile->base) / TILE_ELEMENT_BYTES + 2 * pair + (address >> 3 & 1);
}

static void apart(struct tile_context *c, const struct tile_op *o, uint32_t first, uint32_t second)
{
    if (element_of(c->tile, first) != element_of(c->tile, second))
        return;
    c->tile->fault.first = first;
    tile_raise(c, o, TILE_CONFLICT, second,
               "accesses 0x%x and 0x%x, which are in one memory element, in one instruction", first, second);
}

static void interleaved_only(struct tile_context *c, const struct tile_op *o, uint32_t address)
{
    if (address < c->tile->interleaved)
        tile_raise(c, o, TILE_INVALID_ADDR, address, "accesses 128 bits at 0x%x, which is not interleaved memory",
                   address);
}

/* ---- one access: base + delta + offset, or base + a delta that is advanced ---- */

typedef void (*loader)(struct tile_context *c, const struct tile_op *o, uint32_t address);

static inline void load_ld32(struct tile_context *c, const struct tile_op *o, uint32_t address)
{
    const unsigned char *p = memory_at(c, o, address, 4, false);
    memcpy(&W(0), p, 4);
}

static inline void load_ldz8(struct tile_context *c, const struct tile_op *o, uint32_t address)
{
    const unsigned char *p = memory_at(c, o, address, 1, false);
    W(0) = *p;
}

static inline void load_lds8(struct tile_context *c, const struct tile_op *o, uint32_t address)
{
    const unsigned char *p = memory_at(c, o, address, 1, false);
    W(0) = (uint32_t)(int8_t)*p;
}

static inline void load_ldz16(struct tile_context *c, const struct tile_op *o, uint32_t address)
{
    const unsigned char *p = memory_at(c, o, address, 2, false);
    uint16_t value;
    memcpy(&value, p, 2);
    W(0) = value;
}

static inline void load_lds16(struct tile_context *c, const struct tile_op *o, uint32_t address)
{
    const unsigned char *p = memory_at(c, o, address, 2, false);
    int16_t value;
    memcpy(&value, p, 2);
    W(0) = (uint32_t)value;
}

static inline void load_ldb16(struct tile_context *c, const struct tile_op *o, uint32_t address)
{
    const unsigned char *p = memory_at(c, o, address, 2, false);
    uint16_t value;
    memcpy(&value, p, 2);
    W(0) = value * UINT32_C(0x10001);
}

static inline void load_ldb8(struct tile_context *c, const struct tile_op *o, uint32_t address)
{
    const unsigned char *p = memory_at(c, o, address, 1, false);
    W(0) = *p * UINT32_C(0x1010101);
}

static inline void load_ld64(struct tile_context *c, const struct tile_op *o, uint32_t address)
{
    const unsigned char *p = memory_at(c, o, address, 8, false);
    put64(c, o->to[0], p);
}

static inline void load_ld128(struct tile_context *c, const struct tile_op *o, uint32_t address)
{
    const unsigned char *p = memory_at(c, o, address, 16, false);
    interleaved_only(c, o, address);
    memcpy(&W(0), p, 16);
}

/* Loads from base + delta, and advances the delta. Accesses that are not plain have a function of their own, so that
 * the others keep nothing for it. */
static __attribute__((noinline)) void load_step_slowly(struct tile_context *c, const struct tile_op *o, uint32_t step,
                                                       loader load)
{
    uint32_t delta = R(2);
    load(c, o, R(1) + delta);
    W(2) = delta + step;
}
static inline void load_step(struct tile_context *c, const struct tile_op *o, uint32_t step, unsigned bytes,
                             loader load)
{
    uint32_t delta = R(2);
    if (!is_plain(c, R(1) + delta, bytes)) {
        load_step_slowly(c, o, step, load);
        return;
    }
    load(c, o, R(1) + delta);
    W(2) = delta + step;
}

#define LOAD(name, bytes)                                                                                              \
    EXEC_AS(name, load_##name(c, o, R(1) + R(2) + R(3) * bytes))                                                       \
    EXEC_AS(name##_i, load_##name(c, o, R(1) + R(2) + (uint32_t)o->value * bytes))                                     \
    EXEC_AS(name##step, load_step(c, o, R(3) * bytes, bytes, load_##name))                                             \
    EXEC_AS(name##step_i, load_step(c, o, (uint32_t)o->value *bytes, bytes, load_##name))
LOAD(ld32, 4)
LOAD(ldz8, 1)
LOAD(lds8, 1)
LOAD(ldz16, 2)
LOAD(lds16, 2)
LOAD(ldb16, 2)
LOAD(ldb8, 1)
LOAD(ld64, 8)
LOAD(ld128, 16)

static inline void store(struct tile_context *c, const struct tile_op *o, uint32_t address, unsigned bytes)
{
    memcpy(memory_at(c, o, address, bytes, true), &R(0), bytes);
}

static __attribute__((noinline)) void store_step_slowly(struct tile_context *c, const struct tile_op *o, uint32_t step,
                                                        unsigned bytes)
{
    uint32_t delta = R(2);
    store(c, o, R(1) + delta, bytes);
    W(2) = delta + step;
}
static inline void store_step(struct tile_context *c, const struct tile_op *o, uint32_t step, unsigned bytes)
{
    uint32_t delta = R(2);
    if (!is_plain(c, R(1) + delta, bytes)) {
        store_step_slowly(c, o, step, bytes);
        return;
    }
    store(c, o, R(1) + delta, bytes);
    W(2) = delta + step;
}

#define STORE(name, bytes)                                                                                             \
    EXEC_AS(name, store(c, o, R(1) + R(2) + R(3) * bytes, bytes))                                                      \
    EXEC_AS(name##_i, store(c, o, R(1) + R(2) + (uint32_t)o->value * bytes, bytes))                                    \
    EXEC_AS(name##step, store_step(c, o, R(3) * bytes, bytes))                                                         \
    EXEC_AS(name##step_i, store_step(c, o, (uint32_t)o->value *bytes, bytes))
STORE(st32, 4)
STORE(st64, 8)

EXEC(stm32)
{
    store32(c, o, R(1) + R(2) * 4, R(0));
}

EXEC(stm32step)
{
    uint32_t address = R(1);
    store32(c, o, address, R(0));
    W(1) = address + R(2) * 4;
}

/* ---- packed addresses: a pair of registers holds three of 21 bits ---- */

struct packed {
    uint32_t at[3];
};

static struct packed unpack(const uint32_t *pair)
{
    return (struct packed){ { pair[0] & TILE_ADDRESS_MASK, pair[1] & TILE_ADDRESS_MASK,
                              (pair[0] >> 21 | pair[1] >> 21 << 11) & TILE_ADDRESS_MASK } };
}

static void pack(uint32_t *pair, const struct packed *packed)
{
    pair[0] = (packed->at[0] & TILE_ADDRESS_MASK) | packed->at[2] << 21;
    pair[1] = (packed->at[1] & TILE_ADDRESS_MASK) | (packed->at[2] >> 11 & 0x3ff) << 21;
}

EXEC(tapack)
{
    struct packed packed = { { R(1), R(2), R(3) } };
    pack(&W(0), &packed);
}

/* Advances an address by one unit, or by the stride that its selector names. */
static void advance(struct packed *packed, unsigned which, uint32_t strides, unsigned selector, uint32_t unit)
{
    uint32_t stride = 1;
    if (selector & 3) {
        stride = strides >> (10 * ((selector & 3) - 1)) & 0x3ff;
        stride |= stride & 0x200 ? ~UINT32_C(0x3ff) : 0;
    }
    packed->at[which] = (packed->at[which] + stride * unit) & TILE_ADDRESS_MASK;
}

EXEC(ld2x64pace)
{
    struct packed p = unpack(&R(2));
    const unsigned char *x = memory_at(c, o, p.at[0], 8, false), *y = memory_at(c, o, p.at[1], 8, false);
    apart(c, o, p.at[0], p.at[1]);
    put64(c, o->to[0], x);
    put64(c, o->to[1], y);
    advance(&p, 0, R(3), (unsigned)o->value, 8);
    advance(&p, 1, R(3), (unsigned)o->value >> 2, 8);
    pack(&W(2), &p);
}

EXEC(ldst64pace)
{
    struct packed p = unpack(&R(2));
    const unsigned char *x = memory_at(c, o, p.at[0], 8, false);
    unsigned char *y = memory_at(c, o, p.at[2], 8, true), loaded[8];
    apart(c, o, p.at[0], p.at[2]);
    memcpy(loaded, x, 8);
    memcpy(y, &R(1), 8);
    put64(c, o->to[0], loaded);
    advance(&p, 0, R(3), (unsigned)o->value, 8);
    advance(&p, 2, R(3), (unsigned)o->value >> 2, 8);
    pack(&W(2), &p);
}

EXEC(ld2xst64pace)
{
    struct packed p = unpack(&R(2));
    const unsigned char *x = memory_at(c, o, p.at[0], 8, false), *y = memory_at(c, o, p.at[1], 8, false);
    unsigned char *z = memory_at(c, o, p.at[2], 8, true), loaded[16];
    if (p.at[1] < c->tile->interleaved)
        tile_raise(c, o, TILE_INVALID_ADDR, p.at[1], "loads from 0x%x, which is not interleaved memory, as its second",
                   p.at[1]);
    apart(c, o, p.at[0], p.at[1]);
    apart(c, o, p.at[0], p.at[2]);
    apart(c, o, p.at[1], p.at[2]);
    memcpy(loaded, x, 8);
    memcpy(loaded + 8, y, 8);
    memcpy(z, &R(1), 8);
    memcpy(&W(0), loaded, 16);
    for (unsigned i = 0; i < 3; ++i)
        advance(&p, i, R(3), (unsigned)o->value >> (2 * i), 8);
    pack(&W(2), &p);
}

EXEC(st64pace)
{
    struct packed p = unpack(&R(1));
    memcpy(memory_at(c, o, p.at[2], 8, true), &R(0), 8);
    advance(&p, 2, R(2), (unsigned)o->value, 8);
    pack(&W(1), &p);
}

EXEC(ld64a32pace)
{
    struct packed p = unpack(&R(2));
    const unsigned char *x = memory_at(c, o, p.at[0], 8, false);
    uint32_t y = load32(c, o, p.at[1]);
    apart(c, o, p.at[0], p.at[1]);
    put64(c, o->to[0], x);
    W(1) = y;
    advance(&p, 0, R(3), (unsigned)o->value, 8);
    advance(&p, 1, R(3), (unsigned)o->value >> 2, 4);
    pack(&W(2), &p);
}

EXEC(ld64b16pace)
{
    struct packed p = unpack(&R(2));
    const unsigned char *x = memory_at(c, o, p.at[0], 8, false);
    uint32_t y = load16(c, o, p.at[1]);
    apart(c, o, p.at[0], p.at[1]);
    put64(c, o->to[0], x);
    W(1) = y * UINT32_C(0x10001);
    advance(&p, 0, R(3), (unsigned)o->value, 8);
    advance(&p, 1, R(3), (unsigned)o->value >> 2, 2);
    pack(&W(2), &p);
}

/* ---- deltas: unsigned 16-bit offsets from a base, which a second pointer reads ahead ---- */

EXEC(ldd16a32)
{
    uint32_t pointer = R(1), address = R(2) + (R(3) & 0xffff);
    uint32_t value = load32(c, o, address), next = load16(c, o, pointer);
    apart(c, o, address, pointer);
    W(0) = value;
    W(3) = next;
    W(1) = pointer + 2;
}

EXEC(ldd16a64)
{
    uint32_t pointer = R(1), address = R(2) + (R(3) & 0xffff);
    const unsigned char *p = memory_at(c, o, address, 8, false);
    uint32_t next = load16(c, o, pointer);
    apart(c, o, address, pointer);
    put64(c, o->to[0], p);
    W(3) = next;
    W(1) = pointer + 2;
}

EXEC(ldd16b16)
{
    uint32_t pointer = R(1), address = R(2) + (R(3) & 0xffff);
    uint32_t value = load16(c, o, address), next = load16(c, o, pointer);
    apart(c, o, address, pointer);
    W(0) = value * UINT32_C(0x10001);
    W(3) = next;
    W(1) = pointer + 2;
}

EXEC(ldd16v2a32)
{
    uint32_t pointer = R(1), address = R(2) + (R(3) >> 16);
    uint32_t value = load32(c, o, address), next = load32(c, o, pointer);
    apart(c, o, address, pointer);
    W(0) = value;
    W(3) = next;
    W(1) = pointer + 4;
}

EXEC(ld64a32)
{
    uint32_t pointer = R(1), address = R(2) + (R(3) & 0xffff);
    const unsigned char *p = memory_at(c, o, pointer, 8, false);
    uint32_t value = load32(c, o, address);
    apart(c, o, address, pointer);
    c->r[o->to[0] + 1] = value;
    put64(c, o->to[0] + 2u, p);
    W(1) = pointer + 8;
}

/* Which delta a mini-delta advances is not published: the low one moves by 2, the high one by the mini-delta. */
EXEC(ldb16b16)
{
    uint32_t deltas = R(2), mini = R(3), first = R(1) + (deltas & 0xffff), second = R(1) + (deltas >> 16);
    uint32_t x = load16(c, o, first), y = load16(c, o, second);
    apart(c, o, first, second);
    W(0) = x * UINT32_C(0x10001);
    W1(0) = y * UINT32_C(0x10001);
    W(2) = ((deltas + 2) & 0xffff) | ((deltas >> 16) + (mini & 0xf)) << 16;
    W(3) = mini >> 4;
}

/* ---- weights ---- */

static void load_weights(struct tile_context *c, const struct tile_op *o, unsigned bytes)
{
    struct tile *tile = c->tile;
    unsigned word = (unsigned)o->value, words = bytes / 8, limit = tile->arch == TILE_IPU1 ? 32 : WEIGHT_WORDS;
    if (word % words || word + words > limit)
        tile_raise(c, o, TILE_INVALID_OP, 0, "loads weights into word %u of %u", word, limit);
    const unsigned char *p = memory_at(c, o, tile->ccsload, bytes, false);
    if (bytes == 16)
        interleaved_only(c, o, tile->ccsload);
    for (unsigned i = 0; i < words; ++i) {
        uint64_t bits;
        memcpy(&bits, p + 8 * (size_t)i, 8);
        tile_set_weight(tile, word + i, bits);
    }
    tile->ccsload += bytes;
}

EXEC(ld64putcs)
{
    load_weights(c, o, 8);
}

EXEC(ld128putcs)
{
    load_weights(c, o, 16);
}

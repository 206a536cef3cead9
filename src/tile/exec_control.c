/* SPDX-License-Identifier: Apache-2.0 */
/* Branches, repeats, control registers, and what a supervisor does with workers. */
#include "tile/exec.h"

#include <assert.h>

static void go(struct tile_context *c, const struct tile_op *o, uint32_t address)
{
    c->next = tile_step_at(c->tile, address);
    if (!c->next)
        tile_raise(c, o, TILE_INVALID_PC, address, "goes to 0x%x, where there is no code", address);
}

EXEC(br)
{
    go(c, o, R(0));
}

EXEC(bri)
{
    go(c, o, (uint32_t)o->value);
}

#define BRANCH_IF(name, condition)                                                                                     \
    EXEC(name)                                                                                                         \
    {                                                                                                                  \
        uint32_t x = R(0);                                                                                             \
        if (condition)                                                                                                 \
            go(c, o, (uint32_t)o->value);                                                                              \
    }
BRANCH_IF(brz, !x)
BRANCH_IF(brnz, x)
BRANCH_IF(brneg, x >> 31)
BRANCH_IF(brpos, !(x >> 31))

EXEC(brnzdec)
{
    uint32_t count = R(0);
    if (!count)
        return;
    W(0) = count - 1;
    go(c, o, (uint32_t)o->value);
}

EXEC(call)
{
    const struct tile_step *after = c->next;
    go(c, o, (uint32_t)o->value);
    W(0) = after->address;
}

/* ---- repeats ---- */

static const struct tile_step *step_of(const struct tile_op *o)
{
    return (const struct tile_step *)(const void *)((const char *)o - offsetof(struct tile_step, main));
}

static void repeat(struct tile_context *c, const struct tile_op *o, uint32_t count)
{
    const struct tile_step *end = step_of(o)->body_end;
    count &= c->tile->arch == TILE_IPU1 ? 0xfff : 0xffff;
    if (!count) {
        go(c, o, c->next->address + 8 * ((uint32_t)o->second + 1));
        return;
    }
    if (!end || c->repeat_end)
        tile_raise(c, o, TILE_INVALID_INSTR, 0,
                   c->repeat_end ? "repeats inside a repeat"
                                 : "repeats what is not %d aligned bundles without control instructions",
                   (int)o->second + 1);
    if (count == 1)
        return;
    c->repeat_first = c->next;
    c->repeat_end = end;
    c->repeat_count = count;
}

EXEC(rpt)
{
    repeat(c, o, R(0));
}

EXEC(rpt_i)
{
    repeat(c, o, (uint32_t)o->value);
}

/* ---- the end of a worker ---- */

#define EXIT_IF(name, true_if)                                                                                         \
    EXEC(name)                                                                                                         \
    {                                                                                                                  \
        uint32_t x = R(0);                                                                                             \
        c->result = true_if;                                                                                           \
        c->next = NULL;                                                                                                \
    }
EXIT_IF(exitz, !x)
EXIT_IF(exitnz, x != 0)
EXIT_IF(exitneg, x >> 31)
EXIT_IF(exitpos, !(x >> 31))

EXEC(trap)
{
    bool second = o->value == 1 || o->value == 15;
    tile_raise(c, o, second ? TILE_PBRK1 : TILE_PBRK0, 0, "executes trap %d", (int)o->value);
}

/* ---- control registers ---- */

static bool is_supervisor(const struct tile_context *c)
{
    return c->id == TILE_WORKERS;
}

static uint64_t cycle(const struct tile_context *c)
{
    return is_supervisor(c) ? c->tile->cycles : c->tile->cycles + 6 * c->slots;
}

static uint32_t worker_csr(struct tile_context *c, const struct tile_op *o, unsigned number)
{
    switch (number) {
    case 0x00:
        return o->address;
    case 0x01:
        return c->id | (c->repeat_end ? 1u << 9 : 0);
    case 0x02:
        return c->r[13];
    case 0x03:
        return c->r[12];
    case 0x04:
        return c->repeat_end ? c->repeat_count : 0;
    case 0x05:
        return c->repeat_end ? c->repeat_first->address : 0;
    case 0x06:
        return c->repeat_end ? c->repeat_end->address : 0;
    case 0x60:
        return (uint32_t)cycle(c);
    case 0x61:
        return (uint32_t)(cycle(c) >> 32);
    case 0x70:
        return c->dbg_data;
    case 0x71:
        return c->dbg_brk;
    default:
        tile_raise(c, o, TILE_INVALID_OP, 0, "reads control register 0x%x, which a worker does not have", number);
    }
}

static uint32_t supervisor_csr(struct tile_context *c, const struct tile_op *o, unsigned number)
{
    const struct tile *tile = c->tile;
    if (number >= 0x21 && number < 0x21 + TILE_WORKERS)
        return tile->worker_base[number - 0x21];
    switch (number) {
    case 0x00:
        return o->address;
    case 0x01:
        return tile->consensus;
    case 0x03:
        return tile->tile_id;
    case 0x20:
        return tile->fp_ictl;
    case 49:
        return tile->fp_infmt;
    case 51:
        return tile->fp_iscl;
    case 0x50:
        return tile->ccsload;
    case 0x60:
        return (uint32_t)cycle(c);
    case 0x61:
        return (uint32_t)(cycle(c) >> 32);
    case 0x70:
        return c->dbg_data;
    case 0x71:
        return c->dbg_brk;
    default:
        tile_raise(c, o, TILE_INVALID_OP, 0, "reads control register 0x%x, which a supervisor cannot read", number);
    }
}

EXEC(get)
{
    W(0) = is_supervisor(c) ? supervisor_csr(c, o, (unsigned)o->value) : worker_csr(c, o, (unsigned)o->value);
}

static void put_supervisor(struct tile_context *c, const struct tile_op *o, unsigned number, uint32_t value)
{
    enum { CLEAR_CONSENSUS = 1, SET_CONSENSUS = 2, CLEAR_WEIGHTS = 4 };
    struct tile *tile = c->tile;
    if (number >= 0x21 && number < 0x21 + TILE_WORKERS) {
        tile->worker_base[number - 0x21] = value;
        return;
    }
    switch (number) {
    case 0x02:
        if (value & CLEAR_CONSENSUS)
            tile->consensus = false;
        if (value & SET_CONSENSUS)
            tile->consensus = true;
        if (value & CLEAR_WEIGHTS) {
            memset(tile->weight_words, 0, sizeof(tile->weight_words));
            memset(tile->half_weights, 0, sizeof(tile->half_weights));
            memset(tile->float_weights, 0, sizeof(tile->float_weights));
        }
        return;
    case 0x20:
        tile->fp_ictl = value;
        return;
    case 49:
        tile->fp_infmt = value;
        return;
    case 51:
        tile->fp_iscl = value;
        return;
    case 0x50:
        tile->ccsload = value;
        return;
    case 0x70:
        c->dbg_data = value;
        return;
    case 0x71:
        c->dbg_brk = value;
        return;
    default:
        tile_raise(c, o, TILE_INVALID_OP, 0, "writes control register 0x%x, which a supervisor cannot write", number);
    }
}

EXEC(put)
{
    unsigned number = (unsigned)o->value;
    uint32_t value = R(1);
    if (is_supervisor(c))
        put_supervisor(c, o, number, value);
    else if (number == 0x70)
        c->dbg_data = value;
    else if (number == 0x71)
        c->dbg_brk = value;
    else
        tile_raise(c, o, TILE_INVALID_OP, 0, "writes control register 0x%x, which a worker cannot write", number);
}

static uint32_t upper_csr(struct tile_context *c, const struct tile_op *o, unsigned number)
{
    switch (number) {
    case 0:
        return c->fp_sts;
    case 1:
    case 7:
        return 0;
    case 2:
        return c->fp_ctl;
    case 3:
    case 4:
    case 5:
    case 6:
        return (uint32_t)(c->prng[(number - 3) / 2] >> (32 * ((number - 3) % 2)));
    case 8:
        return c->tas;
    case 9:
        return c->fp_nfmt;
    case 10:
        return c->fp_scl;
    default:
        tile_raise(c, o, TILE_INVALID_OP, 0, "reads upper control register %u, which does not exist", number);
    }
}

EXEC(uget)
{
    W(0) = upper_csr(c, o, (unsigned)o->value);
}

static void set_prng_word(struct tile_context *c, unsigned word, uint32_t value)
{
    uint64_t *state = c->prng + word / 2;
    unsigned shift = 32 * (word % 2);
    *state = (*state & ~(UINT64_C(0xffffffff) << shift)) | (uint64_t)value << shift;
}

static void seed_prng(struct tile_context *c, uint32_t v)
{
    set_prng_word(c, 0, v);
    set_prng_word(c, 1, ~v);
    set_prng_word(c, 2, v << 13 | ~v >> 19);
    set_prng_word(c, 3, ~v << 13 | v >> 19);
}

EXEC(uput)
{
    unsigned number = (unsigned)o->value;
    uint32_t value = R(1);
    switch (number) {
    case 1:
        c->fp_sts &= ~(value & FP_ALL);
        if (value & FP_CLR_ACCUMULATORS)
            memset(c->aacc, 0, sizeof(c->aacc));
        return;
    case 2:
        c->fp_ctl = value;
        return;
    case 3:
    case 4:
    case 5:
    case 6:
        set_prng_word(c, number - 3, value);
        return;
    case 7:
        seed_prng(c, value);
        return;
    case 8:
        c->tas = value;
        return;
    case 9:
        c->fp_nfmt = value;
        return;
    case 10:
        c->fp_scl = value;
        return;
    default:
        tile_raise(c, o, TILE_INVALID_OP, 0, "writes upper control register %u, which cannot be written", number);
    }
}

/* ---- workers of a supervisor ---- */

EXEC(run)
{
    struct tile *tile = c->tile;
    unsigned worker = 0;
    if (tile->active == (1u << TILE_WORKERS) - 1)
        tile_finish_workers(tile);
    while (tile->active >> worker & 1)
        ++worker;
    tile_start_worker(tile, worker, R(0), tile->base + R(1) + 4 * (uint32_t)o->value);
}

EXEC(runall)
{
    struct tile *tile = c->tile;
    if (tile->active)
        tile_raise(c, o, TILE_INVALID_INSTR, 0, "starts all workers while some run; 'sync 2' waits for them");
    for (unsigned worker = 0; worker < TILE_WORKERS; ++worker)
        tile_start_worker(tile, worker, R(0), R(1) + worker * 4 * (uint32_t)o->value);
}

EXEC(sync)
{
    enum { ZONE_LOCAL = 2 };
    if (o->value != ZONE_LOCAL)
        tile_raise(c, o, TILE_INVALID_INSTR, 0, "syncs zone %d; codelets can wait for workers (zone 2) alone",
                   (int)o->value);
    tile_finish_workers(c->tile);
}

EXEC(delay)
{
    c->tile->cycles += (uint32_t)o->value;
}

EXEC(sans)
{
    tile_raise(c, o, TILE_INVALID_INSTR, 0, "announces a sync, which codelets cannot");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions that execute instructions share: contexts, decoded instructions, access to memory.
 *
 * An instruction is decoded once to a tile_op: its function and the places of its operands in the context's array of
 * registers, which holds both files.  A step is what one issue slot executes: an instruction alone, or a bundle. */
#ifndef TILE_EXEC_H
#define TILE_EXEC_H

#include "tile/isa.h"
#include "tile/machine.h"

#include <stdint.h>
#include <string.h>

struct tile_context;
struct tile_op;
struct tile_step;

/* exec_convert.c: conversions. */

/* The value of a quarter, an 8-bit float, in the format of FP_NFMT and FP_SCL. */
float tile_quarter(const struct tile_context *c, uint32_t code);

/* exec_float.c: results that are not finite, and rounding to half. */

/* Sets sticky flags; raises the exception when FP_CTL enables one of them. */
void fp_flag(struct tile_context *c, const struct tile_op *o, unsigned flags);
/* The bits of a result that is not finite: NaN is the quiet one without a sign, and the flags are those of IEEE 754. */
uint32_t fp_special(struct tile_context *c, const struct tile_op *o, float value, float a, float b);
/* The value of a half that is zero, denormal, infinite or NaN. */
float half_value_special(uint32_t bits);
/* Rounds to half by FP_CTL; the value has been rounded at most once, to float, if FP_CTL asks for the nearest. */
uint32_t half_round(struct tile_context *c, const struct tile_op *o, double value);

/* exec_workers.c: running contexts, step by step. */

/* The step at an address; NULL when there is no code. */
const struct tile_step *tile_step_at(const struct tile *tile, uint32_t address);
/* Sets the registers and the floating-point state that a worker starts with. */
void tile_enter_worker(struct tile *tile, unsigned worker, uint32_t vertex);
/* Starts a worker: it runs when the supervisor waits. */
void tile_start_worker(struct tile *tile, unsigned worker, uint32_t entry, uint32_t vertex);
/* Runs the workers that were started to their ends. */
void tile_finish_workers(struct tile *tile);
/* Runs supervisor code from an entry until it returns. */
void tile_supervise(struct tile *tile, uint32_t entry);

/* exec_random.c: random numbers. */

/* The next 64 random bits of a worker. */
uint64_t prng_next(struct tile_context *c);

/* exec_fault.c: exceptions. */

/* Raises an exception: describes it in the tile and leaves the run. */
_Noreturn void tile_raise(struct tile_context *c, const struct tile_op *o, enum tile_exception code, uint32_t address,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The host address of an access that is not plainly in memory, or is watched; raises an exception when the address is
 * not aligned or not in memory, or permissions do not allow the access. */
unsigned char *tile_access(struct tile_context *c, const struct tile_op *o, uint32_t address, unsigned bytes,
                           bool write);

/* Places of registers: m0.. from 0, a0.. from REG_A. Registers that cannot be written have writes sent to places that
 * nobody reads. */
enum { REG_A = 32, REG_LOST_M = 16, REG_LOST_A = 48, REGISTERS = 52, REG_M_WRITABLE = 12, REG_A_WRITABLE = 8 };

struct tile_context;
struct tile_op;
typedef void (*tile_exec)(struct tile_context *c, const struct tile_op *o);

struct tile_op {
    tile_exec run;
    uint8_t from[TILE_OPERANDS], to[TILE_OPERANDS]; /* where operands are read and written */
    uint8_t spread;
    int32_t value, second; /* the immediates; second: of rpt, its number of bundles */
    uint32_t address;      /* of the word */
    const struct tile_form *form;
};

struct tile_step {
    /* Executes the step; returns the next one, NULL when the context has ended. */
    const struct tile_step *(*run)(struct tile_context *c, const struct tile_step *s);
    const struct tile_step *next;
    struct tile_op main, aux; /* a lone instruction is in main, whatever its lane */
    /* What run does, for loops that do it themselves: one operation or two, in order, then the next step. first is
     * NULL when run does something else. */
    const struct tile_op *first, *second;
    uint32_t slots, address;
    uint8_t words;
    bool repeatable;                  /* may stand in the body of a repeat */
    const struct tile_step *body_end; /* of rpt: the step after its body; NULL when the body is not allowed */
    uint64_t body_slots;              /* of its body, once */
};

/* Bits of FP_CTL and FP_STS. */
enum {
    FP_INV = 1,
    FP_DIV0 = 2,
    FP_OFLO = 4,
    FP_ALL = 7,
    FP_ROUND_SHIFT = 16,
    FP_ROUND = 7 << FP_ROUND_SHIFT,
    FP_ESR = 1 << 19,
    FP_NANOO = 1 << 20,
    FP_CLR_ACCUMULATORS = 8
};
enum tile_round { ROUND_NEAREST = 0, ROUND_UP, ROUND_DOWN, ROUND_ZERO, ROUND_AWAY };

enum { ACCUMULATORS = 32, WEIGHT_WORDS = TILE_WEIGHTS };

struct tile_context {
    uint32_t r[REGISTERS];
    struct tile *tile;
    unsigned char *memory; /* the tile's, from `base` on; `span` bytes of it need no further look at an access */
    uint32_t base, span;
    const struct tile_step *next; /* of control instructions: the step to go to */
    const struct tile_step *repeat_first, *repeat_end;
    uint32_t repeat_count;
    uint32_t id; /* of a worker; TILE_WORKERS: the supervisor */
    uint64_t slots;
    bool result; /* of an ended worker */
    uint32_t fp_ctl, fp_sts, fp_nfmt, fp_scl, dbg_data, dbg_brk, tas;
    uint64_t prng[2];
    float aacc[ACCUMULATORS];
};

/* The step after one that is not control: the first of a body that is repeated once more, else the next. */
static inline const struct tile_step *tile_after(struct tile_context *c, const struct tile_step *next)
{
    if (__builtin_expect(next == c->repeat_end, 0)) {
        if (--c->repeat_count)
            return c->repeat_first;
        c->repeat_end = NULL;
    }
    return next;
}

/* A pair in one store, which a load of 64 bits that follows can have. */
static inline void put_pair(struct tile_context *c, unsigned place, uint32_t low, uint32_t high)
{
    const uint64_t both = low | (uint64_t)high << 32;
    memcpy(c->r + place, &both, sizeof(both));
}

static inline float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}
static inline uint32_t as_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

#define R(i)       (c->r[o->from[i]])
#define R1(i)      (c->r[o->from[i] + 1])
#define W(i)       (c->r[o->to[i]])
#define W1(i)      (c->r[o->to[i] + 1])
#define F(i)       as_float(R(i))
#define F1(i)      as_float(R1(i))
#define EXEC(name) void exec_##name(struct tile_context *c, const struct tile_op *o)
/* A function of one statement. */
#define EXEC_AS(name, statement)                                                                                       \
    EXEC(name)                                                                                                         \
    {                                                                                                                  \
        statement;                                                                                                     \
    }

/* All functions of forms.def. */
#define TILE_FORM(name, lane, word, operands, flags, run) EXEC(run);
#include "tile/forms.def"
#undef TILE_FORM

/* ---- memory ---- */

struct tile {
    enum tile_arch arch;
    uint32_t base, bytes, interleaved;
    unsigned char *memory;
    unsigned char *allowed;             /* by byte: enum tile_permission; NULL when accesses are not checked */
    const struct tile_windows *windows; /* of host memory; NULL: none */
    bool watched;                       /* allowed or windows is there: tile_access decides */
    const struct tile_program *program;
    struct tile_context context[TILE_WORKERS + 1]; /* workers, then the supervisor */
    unsigned active;                               /* bits of workers that run */
    uint32_t ccsload, fp_ictl, fp_infmt, fp_iscl, worker_base[TILE_WORKERS], tile_id;
    bool consensus;
    uint64_t weight_words[WEIGHT_WORDS];
    /* weights by phase (word % 4), half (float words have two) and unit (word / 4), as numbers */
    double half_weights[4][4][16];
    float float_weights[4][2][16];
    uint64_t cycles;     /* of the supervisor */
    uint64_t busy_until; /* the cycle at which the last worker ends */
    struct tile_fault fault;
    void *escape; /* jmp_buf of the run */
    const struct tile_tracer *tracer;
    uint64_t *executed; /* by word of the program; NULL when nobody counts */
    uint64_t limit;
};

/* Whether an access needs no further look. */
static inline bool is_plain(const struct tile_context *c, uint32_t address, unsigned bytes)
{
    return __builtin_expect((uint64_t)(address - c->base) + bytes <= c->span && !(address & (bytes - 1)), 1);
}
/* The host address of an access; raises an exception when it is not allowed. */
static inline unsigned char *memory_at(struct tile_context *c, const struct tile_op *o, uint32_t address,
                                       unsigned bytes, bool write)
{
    return is_plain(c, address, bytes) ? c->memory + (address - c->base) : tile_access(c, o, address, bytes, write);
}
static inline uint32_t load32(struct tile_context *c, const struct tile_op *o, uint32_t address)
{
    uint32_t value;
    memcpy(&value, memory_at(c, o, address, 4, false), sizeof(value));
    return value;
}
static inline uint32_t load16(struct tile_context *c, const struct tile_op *o, uint32_t address)
{
    uint16_t value;
    memcpy(&value, memory_at(c, o, address, 2, false), sizeof(value));
    return value;
}
static inline void store32(struct tile_context *c, const struct tile_op *o, uint32_t address, uint32_t value)
{
    memcpy(memory_at(c, o, address, 4, true), &value, sizeof(value));
}

/* ---- floating point: results, rounding and exceptions ---- */

static inline uint32_t fp_result(struct tile_context *c, const struct tile_op *o, float value, float a, float b)
{
    uint32_t bits = as_bits(value);
    return __builtin_expect((bits & 0x7f800000) == 0x7f800000, 0) ? fp_special(c, o, value, a, b) : bits;
}
static inline uint32_t fp_quiet(float value)
{
    return value != value ? UINT32_C(0x7fc00000) : as_bits(value);
}

static inline float half_value(uint32_t bits)
{
    uint32_t exponent = bits & 0x7c00;
    if (__builtin_expect(exponent - 0x400 >= 0x7800, 0)) /* zero, denormal, infinite, NaN */
        return half_value_special(bits & 0xffff);
    return as_float((bits & 0x8000) << 16 | (((bits & 0x7fff) << 13) + 0x38000000));
}
static inline uint32_t half_bits(struct tile_context *c, const struct tile_op *o, float value)
{
    uint32_t bits = as_bits(value), magnitude = bits & 0x7fffffff;
    if (__builtin_expect((c->fp_ctl & (FP_ROUND | FP_ESR)) || magnitude - 0x38800000 >= 0x477ff000 - 0x38800000, 0))
        return magnitude ? half_round(c, o, (double)value) : bits >> 16;
    return (bits >> 16 & 0x8000) | ((magnitude + 0xc8000fff + (magnitude >> 13 & 1)) >> 13);
}
static inline float half_low(uint32_t word)
{
    return half_value(word & 0xffff);
}
static inline float half_high(uint32_t word)
{
    return half_value(word >> 16);
}

#endif

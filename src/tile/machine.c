/* SPDX-License-Identifier: Apache-2.0 */
/* A tile: its memory, its contexts, and running them. */
#include "tile/exec.h"
#include "tile/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

enum { DEFAULT_LIMIT = 1000000000 };

/* ---- creation and access from outside ---- */

struct tile *tile_create(const struct tile_program *program)
{
    const struct tile_map *map = tile_maps + program->arch;
    struct tile *tile = mem_try_zero(1, sizeof(*tile));
    if (!tile)
        return NULL;
    *tile = (struct tile){ .arch = program->arch,
                           .base = map->base,
                           .bytes = map->end - map->base,
                           .interleaved = map->interleaved,
                           .program = program,
                           .consensus = true,
                           .limit = DEFAULT_LIMIT };
    tile->memory = mem_try_zero(tile->bytes, 1);
    if (!tile->memory) {
        tile_free(tile);
        return NULL;
    }
    memcpy(tile->memory + (program->base - tile->base), program->image, program->bytes);
    for (unsigned i = 0; i <= TILE_WORKERS; ++i) {
        tile->context[i].tile = tile;
        tile->context[i].id = i;
        tile->context[i].prng[0] = i + 1; /* not all zero, which would stay */
    }
    return tile;
}

void tile_free(struct tile *tile)
{
    if (!tile)
        return;
    mem_free(tile->memory);
    mem_free(tile->allowed);
    mem_free(tile);
}

unsigned char *tile_memory(struct tile *tile, uint32_t address, uint32_t bytes)
{
    uint32_t offset = address - tile->base;
    return offset <= tile->bytes && bytes <= tile->bytes - offset ? tile->memory + offset : NULL;
}

bool tile_watch(struct tile *tile, bool watch)
{
    mem_free(tile->allowed);
    tile->allowed = watch ? mem_try_zero(tile->bytes, 1) : NULL;
    return tile->allowed || !watch;
}

void tile_allow(struct tile *tile, uint32_t address, uint32_t bytes, unsigned permissions)
{
    uint32_t offset = address - tile->base;
    if (!tile->allowed || offset >= tile->bytes)
        return;
    uint32_t end = bytes < tile->bytes - offset ? offset + bytes : tile->bytes;
    for (; offset < end; ++offset)
        tile->allowed[offset] |= (unsigned char)permissions;
}

void tile_trace(struct tile *tile, const struct tile_tracer *tracer)
{
    tile->tracer = tracer;
}

void tile_count(struct tile *tile, uint64_t *executed)
{
    tile->executed = executed;
}

void tile_limit(struct tile *tile, uint64_t slots)
{
    tile->limit = slots;
}

uint32_t tile_register(const struct tile *tile, unsigned context, unsigned place)
{
    return tile->context[context].r[place];
}

void tile_set_register(struct tile *tile, unsigned context, unsigned place, uint32_t value)
{
    tile->context[context].r[place] = value;
}

void tile_set_fp_ictl(struct tile *tile, uint32_t value)
{
    tile->fp_ictl = value;
}

void tile_set_prng(struct tile *tile, unsigned worker, uint64_t s0, uint64_t s1)
{
    tile->context[worker].prng[0] = s0;
    tile->context[worker].prng[1] = s1;
}

void tile_get_prng(const struct tile *tile, unsigned worker, uint64_t *s0, uint64_t *s1)
{
    *s0 = tile->context[worker].prng[0];
    *s1 = tile->context[worker].prng[1];
}

void tile_set_scratch(struct tile *tile, unsigned worker, uint32_t address)
{
    tile->worker_base[worker] = address;
}

void tile_clear_contexts(struct tile *tile, bool poison)
{
    const uint32_t word = poison ? 0xffc0dead : 0; /* a NaN, and no address */
    for (unsigned w = 0; w <= TILE_WORKERS; ++w) {
        struct tile_context *c = tile->context + w;
        for (unsigned i = 0; i < REG_M_WRITABLE; ++i)
            c->r[i] = word;
        for (unsigned i = 0; i < REG_A_WRITABLE; ++i)
            c->r[REG_A + i] = word;
        for (unsigned i = 0; i < ACCUMULATORS; ++i)
            c->aacc[i] = as_float(word);
        c->tas = word;
    }
}

void tile_set_id(struct tile *tile, uint32_t id)
{
    tile->tile_id = id;
}

uint64_t tile_slots(const struct tile *tile, unsigned context)
{
    return tile->context[context].slots;
}

/* ---- exceptions ---- */

void tile_raise(struct tile_context *c, const struct tile_op *o, enum tile_exception code, uint32_t address,
                const char *format, ...)
{
    struct tile *tile = c->tile;
    va_list arguments;
    tile->fault = (struct tile_fault){ .code = code, .pc = o->address, .address = address, .context = c->id };
    va_start(arguments, format);
    vsnprintf(tile->fault.text, sizeof(tile->fault.text), format, arguments);
    va_end(arguments);
    longjmp(*(jmp_buf *)tile->escape, 1);
}

void tile_bad_access(struct tile_context *c, const struct tile_op *o, uint32_t address, unsigned bytes, bool write)
{
    bool inside = address - c->tile->base <= c->tile->bytes - bytes;
    tile_raise(c, o, TILE_INVALID_ADDR, address, "%s %u bytes at 0x%x, which is %s", write ? "stores" : "loads", bytes,
               address, inside ? "not aligned" : "outside of the tile's memory");
}

/* A load whose result nobody can read moves a pointer; it only has to be in memory. */
static bool is_dummy_load(const struct tile_op *o)
{
    return o->form->operands && o->form->operand[0].access == TILE_WRITTEN &&
           (o->to[0] == REG_LOST_A || o->to[0] == REG_LOST_M);
}

void tile_check_access(struct tile_context *c, const struct tile_op *o, uint32_t address, unsigned bytes, bool write)
{
    const unsigned char *allowed = c->tile->allowed + (address - c->tile->base);
    unsigned wanted = write ? TILE_MAY_WRITE : TILE_MAY_READ;
    for (unsigned i = 0; i < bytes; ++i)
        if (!(allowed[i] & wanted) && (write || !is_dummy_load(o)))
            tile_raise(c, o, TILE_OUTSIDE, address + i, "%s 0x%x, which is outside of what the vertex may %s",
                       write ? "stores to" : "loads from", address + i, write ? "write" : "read");
}

/* ---- running a context ---- */

const struct tile_step *tile_step_at(const struct tile *tile, uint32_t address)
{
    const struct tile_program *program = tile->program;
    uint32_t offset = address - program->base;
    /* Behind the code are a step that fails, and the place to which a supervisor returns. */
    return offset <= program->code_bytes + 4 && offset % 4 == 0 ? program->steps + offset / 4 : NULL;
}

static void add_registers(struct str *line, const struct tile_context *c)
{
    for (unsigned i = 0; i < 12; ++i)
        if (c->r[i])
            str_format(line, " m%u=%x", i, c->r[i]);
    for (unsigned i = 0; i < 8; ++i)
        if (c->r[REG_A + i])
            str_format(line, " a%u=%x", i, c->r[REG_A + i]);
}

static void trace_step(const struct tile_context *c, const struct tile_step *s)
{
    const struct tile *tile = c->tile;
    struct str line = { 0 };
    struct tile_instruction instruction;
    bool supervisor = c->id == TILE_WORKERS;
    if (supervisor)
        str_format(&line, "supervisor %6llu %05x ", (unsigned long long)tile->cycles, s->address);
    else
        str_format(&line, "worker %u %6llu %05x ", c->id, (unsigned long long)c->slots, s->address);
    for (unsigned i = 0; i < s->words; ++i) {
        uint32_t word;
        memcpy(&word, tile->program->image + (s->address - tile->program->base) + 4 * i, 4);
        str_add(&line, i ? "; " : s->words > 1 ? "{ " : "");
        if (tile_decode(word, &instruction))
            tile_print(&line, &instruction, supervisor);
        else
            str_format(&line, ".int 0x%x", word);
    }
    str_add(&line, s->words > 1 ? " } |" : " |");
    add_registers(&line, c);
    tile->tracer->trace(tile->tracer->user, str_text(&line));
    str_free(&line);
}

/* Runs a worker until it ends or has used its slots; returns the step to go on with, NULL at its end. */
static const struct tile_step *run_until(struct tile_context *c, const struct tile_step *s, uint64_t slots)
{
    while (s && c->slots < slots)
        s = s->run(c, s);
    return s;
}

static const struct tile_step *run_watched(struct tile_context *c, const struct tile_step *s, uint64_t slots)
{
    const struct tile *tile = c->tile;
    while (s && c->slots < slots) {
        if (tile->tracer)
            trace_step(c, s);
        if (tile->executed && s < tile->program->steps + tile->program->code_bytes / 4)
            ++tile->executed[s - tile->program->steps];
        s = s->run(c, s);
    }
    return s;
}

static void over_limit(struct tile_context *c, const struct tile_step *s)
{
    struct tile_op op = { .address = s->address };
    tile_raise(c, &op, TILE_LIMIT, 0, "it takes more than %llu issue slots; perhaps it never ends",
               (unsigned long long)c->tile->limit);
}

void tile_start_worker(struct tile *tile, unsigned worker, uint32_t entry, uint32_t vertex)
{
    struct tile_context *c = tile->context + worker;
    struct tile_op op = { .address = entry };
    c->r[12] = tile->worker_base[worker];
    c->r[13] = vertex;
    c->fp_ctl = tile->fp_ictl;
    c->fp_nfmt = tile->fp_infmt;
    c->fp_scl = tile->fp_iscl;
    c->fp_sts = 0;
    c->repeat_end = NULL;
    c->slots = 0;
    c->next = tile_step_at(tile, entry);
    if (!c->next)
        tile_raise(c, &op, TILE_INVALID_PC, entry, "a worker starts at 0x%x, where there is no code", entry);
    tile->active |= 1u << worker;
}

/* The active workers take turns, one slot each, as they do on the machine: one may wait for what another stores. */
void tile_finish_workers(struct tile *tile)
{
    enum { FIRST_SLOT = 6, WORKER_CYCLES = 6 }; /* cycles from the start of workers to their first slots (inferred) */
    const struct tile_step *at[TILE_WORKERS];
    uint64_t longest = 0;
    bool watched = tile->tracer || tile->executed, alone = !(tile->active & (tile->active - 1));
    for (unsigned w = 0; w < TILE_WORKERS; ++w)
        at[w] = tile->active >> w & 1 ? tile->context[w].next : NULL;
    for (uint64_t slots = alone ? tile->limit : 1; tile->active; ++slots)
        for (unsigned w = 0; w < TILE_WORKERS; ++w) {
            struct tile_context *c = tile->context + w;
            if (!(tile->active >> w & 1))
                continue;
            at[w] = (watched ? run_watched : run_until)(c, at[w], slots);
            if (at[w]) {
                if (c->slots >= tile->limit)
                    over_limit(c, at[w]);
                continue;
            }
            tile->active &= ~(1u << w);
            tile->consensus &= c->result;
            longest = c->slots > longest ? c->slots : longest;
        }
    if (longest)
        tile->cycles += FIRST_SLOT + WORKER_CYCLES * longest;
    tile->busy_until = longest;
}

/* ---- the supervisor: one instruction a cycle when what it needs is there ---- */

enum { SUPERVISOR_LATENCY = 6 };

struct scoreboard {
    uint64_t ready[REG_LOST_M]; /* by m register: the cycle at which it can be read */
};

static void wait_for_operands(struct tile *tile, const struct tile_op *op, const struct scoreboard *board)
{
    for (unsigned i = 0; i < op->form->operands; ++i) {
        const struct tile_operand *operand = op->form->operand + i;
        if (operand->kind <= TILE_M2 && (operand->access & TILE_READ) && board->ready[op->from[i]] > tile->cycles)
            tile->cycles = board->ready[op->from[i]];
    }
}

static void take_results(const struct tile *tile, const struct tile_op *op, struct scoreboard *board)
{
    for (unsigned i = 0; i < op->form->operands; ++i) {
        const struct tile_operand *operand = op->form->operand + i;
        if (operand->kind <= TILE_M2 && (operand->access & TILE_WRITTEN) && op->to[i] < REG_LOST_M)
            board->ready[op->to[i]] = tile->cycles + SUPERVISOR_LATENCY;
    }
}

/* Instructions after which the supervisor waits. */
static bool stalls(const struct tile_op *op)
{
    static const uint8_t ccsload = 0x50;
    const char *name = op->form->name;
    return strcmp(name, "run") == 0 || strcmp(name, "runall") == 0 || strcmp(name, "sync") == 0 ||
           (strcmp(name, "put") == 0 && op->value == ccsload);
}

static const struct tile_step *supervise(struct tile_context *c, const struct tile_step *s, struct scoreboard *board)
{
    struct tile *tile = c->tile;
    const struct tile_op *op = &s->main;
    if (op->form && (op->form->flags & TILE_WORKER))
        tile_raise(c, op, TILE_INVALID_INSTR, 0, "executes %s, which a supervisor cannot", op->form->name);
    if (op->form)
        wait_for_operands(tile, op, board);
    const struct tile_step *next = s->run(c, s);
    bool away = next != s->next || (op->form && stalls(op));
    tile->cycles += away ? SUPERVISOR_LATENCY : 1;
    if (op->form)
        take_results(tile, op, board);
    return next;
}

static void run_supervisor(struct tile *tile, uint32_t entry)
{
    struct tile_context *c = tile->context + TILE_WORKERS;
    struct scoreboard board = { { 0 } };
    const struct tile_step *end = tile->program->steps + tile->program->code_bytes / 4 + 1,
                           *s = tile_step_at(tile, entry);
    c->slots = 0;
    c->r[10] = end->address;
    while (s != end) {
        if (tile->tracer)
            trace_step(c, s);
        if (tile->executed && s < end - 1)
            ++tile->executed[s - tile->program->steps];
        s = supervise(c, s, &board);
        if (c->slots >= tile->limit)
            over_limit(c, s);
    }
}

/* ---- runs ---- */

static void begin(struct tile *tile)
{
    tile->fault = (struct tile_fault){ .code = TILE_NONE };
    tile->active = 0;
    tile->cycles = 0;
    tile->busy_until = 0;
    tile->consensus = true;
}

static bool end(struct tile *tile, struct tile_result *result)
{
    *result = (struct tile_result){
        .agreed = tile->consensus, .slots = tile->busy_until, .cycles = tile->cycles, .fault = tile->fault
    };
    tile->escape = NULL;
    return result->fault.code == TILE_NONE;
}

bool tile_run_workers(struct tile *tile, uint32_t entry, uint32_t vertex, unsigned workers, struct tile_result *result)
{
    jmp_buf escape;
    begin(tile);
    tile->escape = &escape;
    if (!setjmp(escape)) {
        for (unsigned w = 0; w < workers; ++w)
            tile_start_worker(tile, w, entry, vertex);
        tile_finish_workers(tile);
    }
    return end(tile, result);
}

bool tile_run_supervisor(struct tile *tile, uint32_t entry, uint32_t argument, uint32_t stack,
                         struct tile_result *result)
{
    jmp_buf escape;
    struct tile_context *c = tile->context + TILE_WORKERS;
    begin(tile);
    tile->escape = &escape;
    c->r[0] = argument;
    c->r[11] = stack;
    if (!setjmp(escape)) {
        struct tile_op op = { .address = entry };
        if (!tile_step_at(tile, entry))
            tile_raise(c, &op, TILE_INVALID_PC, entry, "the entry 0x%x is not code", entry);
        run_supervisor(tile, entry);
        if (tile->active)
            tile_finish_workers(tile);
    }
    return end(tile, result);
}

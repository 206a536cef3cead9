/* SPDX-License-Identifier: Apache-2.0 */
/* A tile: its memory, its contexts, and running them. */
#include "tile/machine.h"
#include "tile/exec.h"
#include "tile/program.h"

#include <setjmp.h>

enum { DEFAULT_LIMIT = 1000000000 };

/* ---- creation and access from outside ---- */

struct tile *tile_create(const struct tile_program *program)
{
    const struct tile_memory_map *map = tile_maps + program->arch;
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
    tile->watched = tile->allowed || tile->windows;
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

void tile_use_windows(struct tile *tile, const struct tile_windows *windows)
{
    tile->windows = windows;
    tile->watched = tile->allowed || windows;
}

void tile_switch(struct tile *tile, const struct tile_program *program)
{
    if (tile->program == program)
        return;
    tile->program = program;
    memcpy(tile->memory + (program->base - tile->base), program->image, program->bytes);
}

void tile_trace(struct tile *tile, const struct tile_tracer *tracer)
{
    tile->tracer = tracer;
}

void tile_count(struct tile *tile, uint64_t *executed)
{
    tile->executed = executed;
}

void tile_counted_lines(const struct tile_program *program, const uint64_t *executed, tile_line_callback callback,
                        void *user)
{
    for (uint32_t i = 0; i < program->code_bytes / 4; ++i) {
        const struct tile_line *line = executed[i] ? tile_program_line(program, program->base + 4 * i) : NULL;
        if (line)
            callback(user, &(struct tile_line_count){ line->file, line->line, executed[i],
                                                      executed[i] * program->steps[i].slots });
    }
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

void tile_set_weight(struct tile *tile, unsigned word, uint64_t bits)
{
    unsigned phase = word % 4, unit = word / 4;
    tile->weight_words[word] = bits;
    for (unsigned i = 0; i < 4; ++i)
        tile->half_weights[phase][i][unit] = (double)half_value((uint32_t)(bits >> (16 * i)) & 0xffff);
    for (unsigned i = 0; i < 2; ++i)
        tile->float_weights[phase][i][unit] = as_float((uint32_t)(bits >> (32 * i)));
}

void tile_set_weights(struct tile *tile, const uint64_t words[TILE_WEIGHTS])
{
    for (unsigned i = 0; i < TILE_WEIGHTS; ++i)
        if (tile->weight_words[i] != words[i])
            tile_set_weight(tile, i, words[i]);
}

void tile_get_weights(const struct tile *tile, uint64_t words[TILE_WEIGHTS])
{
    memcpy(words, tile->weight_words, sizeof(tile->weight_words));
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

/* ---- runs ---- */

/* The contexts' own view of the memory: none of it, where accesses are looked at. */
static void show_memory(struct tile *tile)
{
    for (unsigned i = 0; i <= TILE_WORKERS; ++i) {
        struct tile_context *c = tile->context + i;
        c->memory = tile->memory;
        c->base = tile->base;
        c->span = tile->watched ? 0 : tile->bytes;
    }
}

static void begin(struct tile *tile)
{
    show_memory(tile);
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

void tile_begin_vertex(struct tile *tile, uint32_t vertex)
{
    for (unsigned w = 0; w < TILE_WORKERS; ++w)
        tile_enter_worker(tile, w, vertex);
}

bool tile_go_on(struct tile *tile, unsigned worker, uint32_t entry, struct tile_result *result)
{
    jmp_buf escape;
    struct tile_context *c = tile->context + worker;
    struct tile_op op = { .address = entry };
    begin(tile);
    tile->escape = &escape;
    if (!setjmp(escape)) {
        c->repeat_end = NULL;
        c->slots = 0;
        c->next = tile_step_at(tile, entry);
        if (!c->next)
            tile_raise(c, &op, TILE_INVALID_PC, entry, "the entry 0x%x is not code", entry);
        tile->active = 1u << worker;
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
        tile_supervise(tile, entry);
        if (tile->active)
            tile_finish_workers(tile);
    }
    return end(tile, result);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tile/exec.h"
#include "tile/program.h"

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

/* Executes what a step does but for its slots; returns the one to go on with. */
static inline const struct tile_step *execute(struct tile_context *c, const struct tile_step *s)
{
    const struct tile_op *op = s->first;
    if (__builtin_expect(!op, 0)) {
        uint64_t used = c->slots;
        s = s->run(c, s);
        c->slots = used;
        return s;
    }
    op->run(c, op);
    if ((op = s->second))
        op->run(c, op);
    return s->next;
}

/* Executes the whole repeat that the step at `head` has begun; returns the step behind its body. The bodies of repeats
 * have no branches, and nothing in them asks where the repeat is. */
static const struct tile_step *run_repeat(struct tile_context *c, const struct tile_step *head)
{
    const struct tile_step *first = c->repeat_first, *end = head->body_end;
    c->repeat_end = NULL;
    for (uint32_t left = c->repeat_count; left; --left)
        for (const struct tile_step *s = first; s != end;)
            s = execute(c, s);
    return end;
}

/* Runs a worker until it ends or has used its slots; returns the step to go on with, NULL at its end. */
static const struct tile_step *run_until(struct tile_context *c, const struct tile_step *s, uint64_t slots)
{
    uint64_t used = c->slots; /* not in the context, where each step would wait for the one before */
    while (s && used < slots) {
        if (s->first) {
            used += s->slots;
            s = tile_after(c, execute(c, s));
            continue;
        }
        const struct tile_step *head = s;
        c->slots = used;
        s = s->run(c, s);
        used = c->slots;
        if (head->body_end && c->repeat_end == head->body_end && (slots - used) / c->repeat_count >= head->body_slots) {
            used += c->repeat_count * head->body_slots;
            s = run_repeat(c, head);
        }
    }
    c->slots = used;
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

void tile_enter_worker(struct tile *tile, unsigned worker, uint32_t vertex)
{
    struct tile_context *c = tile->context + worker;
    c->r[12] = tile->worker_base[worker];
    c->r[13] = vertex;
    c->fp_ctl = tile->fp_ictl;
    c->fp_nfmt = tile->fp_infmt;
    c->fp_scl = tile->fp_iscl;
    c->fp_sts = 0;
}

void tile_start_worker(struct tile *tile, unsigned worker, uint32_t entry, uint32_t vertex)
{
    struct tile_context *c = tile->context + worker;
    struct tile_op op = { .address = entry };
    tile_enter_worker(tile, worker, vertex);
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

void tile_supervise(struct tile *tile, uint32_t entry)
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

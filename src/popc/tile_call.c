/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/popc.h"
#include "popc/tile_memory.h"
#include "popc/tile_operands.h"
#include "popc/tile_vertex.h"

#include "base/mix.h"
#include "tile/program.h"
#include "tile/tile.h"

#include <pthread.h>
#include <stdio.h>

/* The memory of a tile here: code below CODE_BYTES, then stacks and the vertex; windows of other host memory, such as a
 * codelet's own variables, have addresses behind the memory. */
enum { CODE_BYTES = 0x8000, STACK_BYTES = 0x1000, STACK_ALIGNMENT = 8, WINDOW_BYTES = 0x10000, BEHIND = 64 };
enum { MOST_WINDOWS = 16, OUTSIDE = 0xf0000, QUOTED = 80, MOST_SLOTS = 100000000 };
#define LABEL "popc_statement"
/* The file of what surrounds a statement, which no line of the user has. */
#define SURROUNDINGS "-"

/* A statement that was assembled. */
struct made_statement {
    uint64_t key;
    struct tile_program *program;
    uint32_t entry;
    uint64_t *executed; /* by word of its code, where lines are counted */
    const struct codelet *codelet;
    struct tile_place places[TILE_STATEMENT_OPERANDS];
};

struct tile_calls {
    enum device_arch arch;
    VEC(struct tile_object *) objects;
    pthread_mutex_t lock;          /* of the following */
    VEC(struct tile_call *) idle;  /* which no thread uses */
    VEC(struct tile_call *) every; /* all that were made */
};

struct tile_call {
    struct tile_calls *of;
    struct tile *tile; /* NULL until the first statement */
    VEC(struct made_statement) made;
    struct tile_windows windows;
    uint32_t stacks[TILE_WORKERS + 1], windows_outside;
    const struct codelet *codelet;
    struct tile_vertex_run vertex; /* whose state the tile still has to get */
    bool begun;
};

/* ---- threads ---- */

struct tile_calls *tile_calls_create(struct module *const *modules, size_t count, enum device_arch arch)
{
    struct tile_calls *calls = MEM_NEW(struct tile_calls);
    calls->arch = arch;
    pthread_mutex_init(&calls->lock, NULL);
    for (size_t m = 0; m < count; ++m)
        for (uint32_t i = 0; i < modules[m]->tile_count; ++i) {
            const struct module_tile *tile = modules[m]->tiles + i;
            struct tile_object *object =
                tile->arch == (uint8_t)arch && tile->size ? tile_object_read(tile->data, tile->size) : NULL;
            if (object)
                *vec_push(&calls->objects) = object;
        }
    return calls;
}

static void free_call(struct tile_call *call)
{
    for (size_t i = 0; i < call->made.count; ++i) {
        tile_program_free(call->made.data[i].program);
        mem_free(call->made.data[i].executed);
    }
    vec_free(&call->made);
    vec_free(&call->windows.list);
    tile_free(call->tile);
    mem_free(call);
}

void tile_calls_free(struct tile_calls *calls)
{
    if (!calls)
        return;
    for (size_t i = 0; i < calls->every.count; ++i)
        free_call(calls->every.data[i]);
    for (size_t i = 0; i < calls->objects.count; ++i)
        tile_object_free(calls->objects.data[i]);
    vec_free(&calls->every);
    vec_free(&calls->idle);
    vec_free(&calls->objects);
    pthread_mutex_destroy(&calls->lock);
    mem_free(calls);
}

struct tile_call *tile_call_take(struct tile_calls *calls)
{
    pthread_mutex_lock(&calls->lock);
    struct tile_call *call = calls->idle.count ? calls->idle.data[--calls->idle.count] : NULL;
    if (!call && (call = mem_try_zero(1, sizeof(*call))) != NULL) {
        call->of = calls;
        *vec_push(&calls->every) = call;
        vec_reserve(&calls->idle, calls->every.count);
    }
    pthread_mutex_unlock(&calls->lock);
    return call;
}

void tile_call_give(struct tile_call *call)
{
    struct tile_calls *calls = call->of;
    pthread_mutex_lock(&calls->lock);
    *vec_push(&calls->idle) = call;
    pthread_mutex_unlock(&calls->lock);
}

/* ---- addresses ---- */

static const struct tile_window *window_of(const struct tile_call *call, const unsigned char *host)
{
    const struct tile_window *at_end = NULL;
    for (size_t i = 0; i < call->windows.list.count; ++i) {
        const struct tile_window *w = call->windows.list.data + i;
        uintptr_t offset = (uintptr_t)host - (uintptr_t)w->host;
        if (offset < w->bytes)
            return w;
        if (offset == w->bytes)
            at_end = w;
    }
    return at_end;
}

/* The address of host memory; 0: all windows are taken. */
static uint32_t address_of(struct tile_call *call, unsigned char *host)
{
    const struct tile_window *found = host ? window_of(call, host) : NULL;
    if (found)
        return found->address + (uint32_t)(host - found->host);
    if (!host || call->windows_outside == MOST_WINDOWS)
        return 0;
    uintptr_t start = ((uintptr_t)host - WINDOW_BYTES / 2) & ~(uintptr_t)15;
    struct tile_window *window = vec_push(&call->windows.list);
    *window = (struct tile_window){ .host = host - ((uintptr_t)host - start),
                                    .address = OUTSIDE + call->windows_outside++ * WINDOW_BYTES,
                                    .bytes = WINDOW_BYTES,
                                    .writable = true };
    return window->address + (uint32_t)(host - window->host);
}

static unsigned char *host_of(const struct tile_call *call, uint32_t address)
{
    unsigned char *at_end = NULL;
    for (size_t i = 0; i < call->windows.list.count; ++i) {
        const struct tile_window *w = call->windows.list.data + i;
        uint32_t offset = address - w->address;
        if (offset < w->bytes)
            return w->host + offset;
        if (offset <= w->bytes + w->behind)
            at_end = w->host + offset;
    }
    if (!at_end && address >= call->stacks[0])
        return tile_memory(call->tile, address, 0);
    return at_end;
}

/* ---- the vertex ---- */

bool tile_call_begin(struct tile_call *call, const struct codelet *codelet, struct tile_vertex_run *run)
{
    call->codelet = codelet;
    call->vertex = *run;
    call->begun = false;
    return true;
}

static void make_stacks(struct tile_call *call, struct tile_memory *memory)
{
    for (unsigned w = 0; w <= TILE_WORKERS; ++w) {
        uint32_t at = tile_memory_take(memory, 2 * STACK_BYTES, STACK_ALIGNMENT, false) + STACK_BYTES;
        call->stacks[w] = at;
        tile_set_register(call->tile, w, 11, at);
        if (w < TILE_WORKERS)
            tile_set_scratch(call->tile, w, at);
    }
}

static bool begin_vertex(struct tile_call *call, char *why)
{
    const struct tile_vertex_run *run = &call->vertex;
    const struct tile_memory_map *map = tile_maps + call->of->arch;
    struct device_layout layout;
    pop_target target = { .bytes_per_tile = map->end - map->base };
    struct tile *tile = call->tile;
    snprintf(target.arch, sizeof(target.arch), "%s", tile_arch_names[call->of->arch]);
    tile_clear_contexts(tile, run->checked);
    tile_set_fp_ictl(tile, run->fp_ictl);
    tile_set_id(tile, run->tile == UINT32_MAX ? 0 : run->tile);
    for (unsigned w = 0; w < TILE_WORKERS; ++w)
        tile_set_prng(tile, w, mix(mix(run->seed) + 2 * w), mix(mix(run->seed) + 2 * w + 1) | 1);
    struct tile_memory memory = { .tile = tile,
                                  .codelet = call->codelet,
                                  .layout = &layout,
                                  .map = map,
                                  .low = map->base + CODE_BYTES,
                                  .high = map->interleaved,
                                  .apart = true,
                                  .mapped = true,
                                  .why = why };
    device_layout_make(&layout, call->codelet, &target);
    make_stacks(call, &memory);
    bool good = tile_memory_fill(&memory, run->state, run->edge_bytes);
    call->windows.list.count = call->windows_outside = 0;
    for (size_t i = 0; good && i < memory.regions.count; ++i) {
        const struct tile_region *r = memory.regions.data + i;
        *vec_push(&call->windows.list) = (struct tile_window){
            .host = r->host, .address = r->address, .bytes = r->bytes, .behind = BEHIND, .writable = r->written
        };
    }
    tile_use_windows(tile, &call->windows);
    if (run->weights)
        tile_set_weights(tile, run->weights);
    tile_vertex_trace(tile, call->codelet, tile_vertex_traced(call->codelet->name), run->tile);
    tile_begin_vertex(tile, memory.state);
    tile_memory_end(&memory);
    device_layout_free(&layout);
    return good;
}

/* ---- statements ---- */

static uint64_t key_of(const struct popc_assembly *s, bool supervisor)
{
    uint64_t key = mix((uintptr_t)s->text + ((uint64_t)s->outputs << 56) + ((uint64_t)supervisor << 63));
    for (unsigned i = 0; i < s->count; ++i) {
        const struct popc_operand *operand = s->operands + i;
        bool constant = operand->kind == 'c' || strpbrk(operand->constraint, "inI");
        key = mix(key ^ ((uintptr_t)operand->constraint + ((uint64_t)operand->kind << 48) +
                         ((uint64_t)operand->bytes << 56)));
        key = constant ? mix(key + operand->words[0]) : key;
    }
    return key;
}

static struct made_statement *find(const struct tile_call *call, uint64_t key)
{
    for (size_t i = 0; i < call->made.count; ++i)
        if (call->made.data[i].key == key)
            return call->made.data + i;
    return NULL;
}

/* Assembles and links one; NULL with the reason. */
static struct tile_program *link_statement(const struct tile_call *call, const struct popc_assembly *s,
                                           const char *text, bool supervisor, struct str *why)
{
    struct str source = { 0 };
    struct tile_program *program = NULL;
    const char *file = s->file ? s->file : call->codelet->module->name, *root = LABEL;
    str_format(&source, ".section .text." LABEL ", \"ax\"\n.globl " LABEL "\n.align 8\n%s\n" LABEL ":\n",
               supervisor ? ".supervisor" : ".worker");
    if (s->calls)
        str_format(&source, "# 1 \"" SURROUNDINGS "\"\n%scall $m10, %s\n%s\n", supervisor ? "mov $m9, $m10\n" : "",
                   s->text, supervisor ? "br $m9" : "exitz $mzero");
    else
        str_format(&source, "# %d \"%s\"\n%s\n# 1 \"" SURROUNDINGS "\"\n%s\n", s->line, file, text,
                   supervisor ? "br $lr" : "exitz $mzero");
    struct tile_object *object = tile_assemble(file, source.text, (enum tile_arch)call->of->arch, why);
    if (object) {
        VEC(const struct tile_object *) objects = { 0 };
        *vec_push(&objects) = object;
        for (size_t i = 0; i < call->of->objects.count; ++i)
            *vec_push(&objects) = call->of->objects.data[i];
        program = tile_program_link(objects.data, objects.count, &root, 1, 0, why);
        vec_free(&objects);
    }
    if (program && program->bytes > CODE_BYTES) {
        str_format(why, "its code has more than %d bytes", CODE_BYTES);
        tile_program_free(program);
        program = NULL;
    }
    tile_object_free(object);
    str_free(&source);
    return program;
}

static struct made_statement *make(struct tile_call *call, const struct popc_assembly *s, uint64_t key, bool supervisor,
                                   struct str *why)
{
    struct made_statement made = { .key = key };
    if (s->count > TILE_STATEMENT_OPERANDS) {
        str_add(why, "it has too many operands");
        return NULL;
    }
    for (int wide_in_a = 0; wide_in_a < 2 && !made.program; ++wide_in_a) {
        struct str text = { 0 }, second = { 0 };
        if (tile_operands_place(s, wide_in_a, made.places, &text, wide_in_a ? &second : why))
            made.program = link_statement(call, s, str_text(&text), supervisor, wide_in_a ? &second : why);
        str_free(&text);
        str_free(&second);
    }
    if (!made.program)
        return NULL;
    made.entry = tile_program_symbol(made.program, LABEL);
    made.codelet = call->codelet;
    made.executed = mem_zero(made.program->code_bytes / 4 + 1, sizeof(*made.executed));
    struct made_statement *kept = vec_push(&call->made);
    *kept = made;
    return kept;
}

/* ---- execution ---- */

static void report(const struct popc_assembly *s, struct tile_vertex_run *run, const char *why)
{
    size_t length = strcspn(why, "\n"), quoted = strcspn(s->text, "\n");
    int shown = quoted < QUOTED ? (int)quoted : QUOTED;
    if (s->calls)
        snprintf(run->text, sizeof(run->text), "the function '%.*s' in assembly: %.*s", shown, s->text, (int)length,
                 why);
    else
        snprintf(run->text, sizeof(run->text), "the inline assembly '%.*s': %.*s", shown, s->text, (int)length, why);
    if (run->file[0])
        return;
    snprintf(run->file, sizeof(run->file), "%s", s->file ? s->file : "");
    run->line = s->line;
}

static bool set_registers(struct tile_call *call, unsigned context, const struct popc_assembly *s,
                          const struct made_statement *made)
{
    for (unsigned i = 0; i < s->count; ++i) {
        const struct popc_operand *operand = s->operands + i;
        if (i < s->outputs && operand->constraint[0] != '+')
            continue;
        uint32_t address = operand->kind == 'p' ? address_of(call, operand->pointer) : 0;
        if (operand->kind == 'p' && operand->pointer && !address)
            return false;
        for (unsigned k = 0; k < made->places[i].registers; ++k)
            tile_set_register(call->tile, context, made->places[i].first + k,
                              operand->kind == 'p' ? address : operand->words[k]);
    }
    return true;
}

static void get_registers(const struct tile_call *call, unsigned context, const struct popc_assembly *s,
                          const struct made_statement *made)
{
    for (unsigned i = 0; i < s->outputs; ++i) {
        struct popc_operand *operand = s->operands + i;
        for (unsigned k = 0; k < made->places[i].registers; ++k)
            operand->words[k] = tile_register(call->tile, context, made->places[i].first + k);
        if (operand->kind == 'p')
            operand->pointer = host_of(call, operand->words[0]);
    }
}

static void take_fault(const struct tile_call *call, const struct made_statement *made, const struct popc_assembly *s,
                       const struct tile_fault *fault, struct tile_vertex_run *run)
{
    const struct tile_line *line = tile_program_line(made->program, fault->pc);
    (void)call;
    if (line && strcmp(line->file, SURROUNDINGS) != 0) {
        snprintf(run->file, sizeof(run->file), "%s", line->file);
        run->line = (int)line->line;
    }
    report(s, run, fault->text);
}

/* Brings the tile to the statement's program and, at the first statement of a vertex, to its state. */
static bool prepare(struct tile_call *call, const struct made_statement *made, struct tile_vertex_run *run)
{
    if (!call->tile && !(call->tile = tile_create(made->program))) {
        snprintf(run->text, sizeof(run->text), "there is no host memory for the memory of a tile");
        return false;
    }
    tile_limit(call->tile, MOST_SLOTS);
    tile_count(call->tile, call->vertex.counts ? made->executed : NULL);
    tile_switch(call->tile, made->program);
    if (!call->begun && !begin_vertex(call, run->text))
        return false;
    call->begun = true;
    return true;
}

bool tile_call_execute(struct tile_call *call, unsigned worker, struct popc_assembly *statement,
                       struct tile_vertex_run *run)
{
    bool supervisor = call->codelet->kind == VERTEX_SUPERVISOR;
    unsigned context = supervisor ? TILE_WORKERS : worker;
    uint64_t key = key_of(statement, supervisor);
    struct str why = { 0 };
    struct tile_result result;
    run->text[0] = run->file[0] = 0;
    run->line = 0;
    struct made_statement *made = find(call, key);
    if (!made && !(made = make(call, statement, key, supervisor, &why))) {
        report(statement, run, str_text(&why));
        str_free(&why);
        return false;
    }
    str_free(&why);
    if (!prepare(call, made, run))
        return false;
    if (!set_registers(call, context, statement, made)) {
        report(statement, run, "the pointers that were passed reach too much memory");
        return false;
    }
    tile_set_register(call->tile, context, 11, call->stacks[context]);
    bool good = supervisor ? tile_run_supervisor(call->tile, made->entry, tile_register(call->tile, context, 0),
                                                 call->stacks[context], &result)
                           : tile_go_on(call->tile, worker, made->entry, &result);
    if (supervisor && call->vertex.weights)
        tile_get_weights(call->tile, call->vertex.weights);
    run->cycles = supervisor ? result.cycles : result.slots - (good ? 1 : 0); /* without the exit */
    if (good)
        get_registers(call, context, statement, made);
    else
        take_fault(call, made, statement, &result.fault, run);
    return good;
}

struct user_lines {
    tile_line_callback callback;
    void *user;
};

static void pass_line(void *user, const struct tile_line_count *count)
{
    const struct user_lines *lines = user;
    if (strcmp(count->file, SURROUNDINGS) != 0)
        lines->callback(lines->user, count);
}

void tile_calls_lines(const struct tile_calls *calls, const struct codelet *codelet, tile_line_callback callback,
                      void *user)
{
    for (size_t i = 0; i < calls->every.count; ++i)
        for (size_t k = 0; k < calls->every.data[i]->made.count; ++k) {
            const struct made_statement *made = calls->every.data[i]->made.data + k;
            if (made->codelet == codelet)
                tile_counted_lines(made->program, made->executed, pass_line, &(struct user_lines){ callback, user });
        }
}

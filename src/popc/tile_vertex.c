/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/tile_vertex.h"
#include "popc/device/device_layout.h"
#include "popc/tile_memory.h"

#include "base/log.h"
#include "base/mix.h"
#include "tile/program.h"

#include <poplar/text.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes of a worker's scratch memory, upwards from $mworker_base, and of its stack, downwards, which what a source
 * declares (DEF_STACK_USAGE) adds to. */
enum { SCRATCH_BYTES = 256, STACK_BYTES = 256, STACK_ALIGNMENT = 8 };
/* How many copies of the code of a type are linked, and at multiples of what. */
enum { CODE_PLACES = 16, CODE_GRAIN = 1 << 10 };
/* Cycles to start a vertex (device_count.c). */
enum { START = 11, CYCLES_OF_SLOT = 6 };
#define ENTRY "__runCodelet_"

/* The code at an address, which fields that the compiler placed leave free. */
struct linked_code {
    struct tile_program *program;
    uint32_t entry;
};

struct own_tile {
    struct tile *tile;
    uint64_t *executed; /* by word of the code, wherever that is; NULL: nothing was counted */
};

struct objects {
    VEC(struct tile_object *) v;
    const char *refused; /* why one refused the architecture; NULL: none did */
};

struct tile_vertex {
    const struct codelet *codelet;
    enum device_arch arch;
    struct objects objects;
    struct str label;
    uint32_t stack_bytes;
    struct device_layout layout;
    bool apart;                           /* the type has constraints about memory elements */
    long traced_tile;                     /* TREMULA_TILE_TRACE: -1 none, -2 all, else a tile */
    pthread_mutex_t lock;                 /* of the following */
    VEC(struct own_tile) tiles;           /* that no run uses */
    struct linked_code code[CODE_PLACES]; /* the first is at the start of memory */
    unsigned places;
};

/* ---- linking ---- */

void tile_vertex_label(const char *type, struct str *label)
{
    str_add(label, ENTRY);
    for (const char *at = type; *at; ++at) {
        if (at[0] == ':' && at[1] == ':') {
            str_add(label, "__");
            ++at;
        } else if (*at == '<') {
            str_add(label, "___");
        } else if (*at == ',' || *at == ' ') {
            str_add(label, "_");
            at += at[0] == ',' && at[1] == ' ';
        } else if (*at != '>') {
            str_add_bytes(label, at, 1);
        }
    }
}

static void read_objects(struct objects *objects, struct module *const *modules, size_t count, enum device_arch arch)
{
    for (size_t m = 0; m < count; ++m)
        for (uint32_t i = 0; i < modules[m]->tile_count; ++i) {
            const struct module_tile *tile = modules[m]->tiles + i;
            if (tile->arch != (uint8_t)arch)
                continue;
            struct tile_object *object = tile->size ? tile_object_read(tile->data, tile->size) : NULL;
            if (object)
                *vec_push(&objects->v) = object;
            else
                objects->refused = tile->refused;
        }
}

static void free_objects(struct objects *objects)
{
    for (size_t i = 0; i < objects->v.count; ++i)
        tile_object_free(objects->v.data[i]);
    vec_free(&objects->v);
}

static bool defines(const struct objects *objects, const char *label)
{
    for (size_t o = 0; o < objects->v.count; ++o)
        for (size_t s = 0; s < objects->v.data[o]->symbols.count; ++s) {
            const struct tile_symbol *symbol = objects->v.data[o]->symbols.data + s;
            if (symbol->section != TILE_UNDEFINED && symbol->global && strcmp(symbol->name, label) == 0)
                return true;
        }
    return false;
}

/* The declared stacks of all functions: as deep as calls can be, since assembly does not recurse. */
static uint32_t stack_bytes(const struct objects *objects)
{
    uint32_t bytes = STACK_BYTES;
    for (size_t o = 0; o < objects->v.count; ++o)
        for (size_t s = 0; s < objects->v.data[o]->stacks.count && bytes < 0x10000; ++s)
            bytes += (objects->v.data[o]->stacks.data[s].bytes + STACK_ALIGNMENT - 1) & ~(STACK_ALIGNMENT - 1u);
    return bytes;
}

long tile_vertex_traced(const char *type)
{
    const char *wanted = getenv("TREMULA_TILE_TRACE");
    size_t length = strlen(type);
    if (!wanted || strncmp(wanted, type, length) != 0)
        return -1;
    if (!wanted[length])
        return -2;
    return wanted[length] == ':' ? strtol(wanted + length + 1, NULL, 10) : -1;
}

/* The vertex takes the objects and the label. */
static struct tile_vertex *make(const struct codelet *codelet, enum device_arch arch, struct tile_program *program,
                                struct str *label, struct objects *objects)
{
    const struct tile_memory_map *map = tile_maps + arch;
    pop_target target = { .bytes_per_tile = map->end - map->base };
    struct tile_vertex *vertex = MEM_NEW(struct tile_vertex);
    snprintf(target.arch, sizeof(target.arch), "%s", tile_arch_names[arch]);
    vertex->codelet = codelet;
    vertex->arch = arch;
    vertex->code[vertex->places++] = (struct linked_code){ program, tile_program_symbol(program, label->text) };
    vertex->stack_bytes = stack_bytes(objects);
    vertex->objects = *objects;
    vertex->label = *label;
    *objects = (struct objects){ .refused = NULL };
    *label = (struct str){ 0 };
    vertex->traced_tile = tile_vertex_traced(codelet->name);
    device_layout_make(&vertex->layout, codelet, &target);
    for (uint32_t i = 0; i < codelet->constraint_count; ++i)
        vertex->apart |= strstr(codelet->constraints[i], "elem") != NULL;
    pthread_mutex_init(&vertex->lock, NULL);
    return vertex;
}

struct tile_vertex *tile_vertex_link(const struct codelet *codelet, struct module *const *modules, size_t count,
                                     enum device_arch arch, bool *missing, struct str *why)
{
    struct objects objects = { .refused = NULL };
    struct str label = { 0 };
    struct tile_vertex *vertex = NULL;
    tile_vertex_label(codelet->name, &label);
    read_objects(&objects, modules, count, arch);
    *missing = !defines(&objects, label.text);
    if (*missing) {
        str_format(why, "no assembly source that was added defines '%s' for %s", label.text, tile_arch_names[arch]);
        if (objects.refused)
            str_format(why, "; one cannot be assembled for it:\n%s", objects.refused);
    } else {
        const char *root = label.text;
        struct tile_program *program =
            tile_program_link((const struct tile_object *const *)objects.v.data, objects.v.count, &root, 1, 0, why);
        if (program)
            vertex = make(codelet, arch, program, &label, &objects);
    }
    free_objects(&objects);
    str_free(&label);
    return vertex;
}

static void find_stack(const struct tile_vertex *vertex, struct device_code *code)
{
    for (size_t o = 0; o < vertex->objects.v.count; ++o)
        for (size_t s = 0; s < vertex->objects.v.data[o]->stacks.count; ++s) {
            const struct tile_stack *stack = vertex->objects.v.data[o]->stacks.data + s;
            if (strcmp(stack->function, vertex->label.text) != 0)
                continue;
            code->stack_measured = true;
            code->stack_bytes = stack->bytes;
            return;
        }
}

bool tile_vertex_code(const struct codelet *codelet, struct module *const *modules, size_t count, enum device_arch arch,
                      struct device_code *code, const struct module **module)
{
    struct str why = { 0 };
    bool missing;
    struct tile_vertex *vertex = tile_vertex_link(codelet, modules, count, arch, &missing, &why);
    str_free(&why);
    if (!vertex)
        return false;
    const struct tile_program *program = vertex->code[0].program;
    *code = (struct device_code){ .bytes = program->root_bytes,
                                  .shared_bytes = program->other_bytes,
                                  .data_bytes = program->data_bytes,
                                  .reason = "" };
    find_stack(vertex, code);
    for (size_t m = 0; m < count; ++m) {
        struct objects objects = { .refused = NULL };
        read_objects(&objects, modules + m, 1, arch);
        if (defines(&objects, vertex->label.text))
            *module = modules[m];
        free_objects(&objects);
    }
    tile_vertex_free(vertex);
    return true;
}

void tile_vertex_free(struct tile_vertex *vertex)
{
    if (!vertex)
        return;
    for (size_t i = 0; i < vertex->tiles.count; ++i) {
        tile_free(vertex->tiles.data[i].tile);
        mem_free(vertex->tiles.data[i].executed);
    }
    vec_free(&vertex->tiles);
    pthread_mutex_destroy(&vertex->lock);
    device_layout_free(&vertex->layout);
    for (unsigned i = 0; i < vertex->places; ++i)
        tile_program_free(vertex->code[i].program);
    free_objects(&vertex->objects);
    str_free(&vertex->label);
    mem_free(vertex);
}

/* ---- running ---- */

static struct own_tile take_tile(struct tile_vertex *vertex)
{
    struct own_tile tile = { NULL, NULL };
    pthread_mutex_lock(&vertex->lock);
    if (vertex->tiles.count)
        tile = vertex->tiles.data[--vertex->tiles.count];
    pthread_mutex_unlock(&vertex->lock);
    if (!tile.tile)
        tile.tile = tile_create(vertex->code[0].program);
    return tile;
}

static void give_tile(struct tile_vertex *vertex, struct own_tile tile)
{
    pthread_mutex_lock(&vertex->lock);
    *vec_push(&vertex->tiles) = tile;
    pthread_mutex_unlock(&vertex->lock);
}

static void write_trace(void *user, const char *line)
{
    (void)user;
    fprintf(stderr, "%s\n", line);
}

void tile_vertex_trace(struct tile *tile, const struct codelet *codelet, long traced, uint32_t number)
{
    static const struct tile_tracer tracer = { write_trace, NULL };
    bool on = traced == -2 || (traced >= 0 && (uint32_t)traced == number);
    tile_trace(tile, on ? &tracer : NULL);
    if (on && number == UINT32_MAX)
        fprintf(stderr, "%s in the run that counts its cycles\n", codelet->name);
    else if (on)
        fprintf(stderr, "%s on tile %u\n", codelet->name, number);
}

static bool is_random(const struct tile_instruction *i)
{
    enum { FIRST_STATE = 3, SEED = 7 }; /* control registers PRNG_0_0 to PRNG_SEED */
    return strcmp(tile_mnemonics[i->form->mnemonic].section, "RANDOM") == 0 ||
           (strcmp(i->form->name, "uput") == 0 && i->value[0] >= FIRST_STATE && i->value[0] <= SEED);
}

static bool has_weights(const struct tile_instruction *i)
{
    const char *section = tile_mnemonics[i->form->mnemonic].section;
    return strcmp(section, "AMP") == 0 || strcmp(section, "SLIC") == 0 || strstr(i->form->name, "putcs");
}

/* Whether any instruction of the code is of a kind. */
static bool any_instruction(const struct tile_vertex *vertex, bool (*is)(const struct tile_instruction *))
{
    const struct tile_program *program = vertex->code[0].program;
    for (uint32_t at = 0; at < program->code_bytes; at += 4) {
        struct tile_instruction i;
        uint32_t word;
        memcpy(&word, program->image + at, 4);
        if (tile_decode(word, &i) && is(&i))
            return true;
    }
    return false;
}

bool tile_vertex_is_random(const struct tile_vertex *vertex)
{
    return any_instruction(vertex, is_random);
}

bool tile_vertex_has_weights(const struct tile_vertex *vertex)
{
    return any_instruction(vertex, has_weights);
}

/* Stacks and scratch memory of the workers and of the supervisor; returns the latter's stack. */
static uint32_t make_stacks(const struct tile_vertex *vertex, struct tile_memory *memory)
{
    uint32_t stack = 0, size = vertex->stack_bytes + SCRATCH_BYTES;
    for (unsigned w = 0; w <= TILE_WORKERS; ++w) {
        uint32_t at = tile_memory_take(memory, size, STACK_ALIGNMENT, false);
        tile_allow(memory->tile, at, size, TILE_MAY_READ | TILE_MAY_WRITE);
        if (w < TILE_WORKERS)
            tile_set_scratch(memory->tile, w, at + vertex->stack_bytes);
        else
            stack = at + vertex->stack_bytes;
    }
    return stack;
}

/* Code that is at an address, linked when it is first used; NULL: there are too many. */
static const struct linked_code *code_at(struct tile_vertex *vertex, uint32_t base)
{
    const char *root = vertex->label.text;
    const struct linked_code *code = NULL;
    struct str why = { 0 };
    pthread_mutex_lock(&vertex->lock);
    for (unsigned i = 0; i < vertex->places && !code; ++i)
        if (vertex->code[i].program->base == base)
            code = vertex->code + i;
    if (!code && vertex->places < CODE_PLACES) {
        struct tile_program *program = tile_program_link((const struct tile_object *const *)vertex->objects.v.data,
                                                         vertex->objects.v.count, &root, 1, base, &why);
        if (program) {
            code = vertex->code + vertex->places;
            vertex->code[vertex->places++] = (struct linked_code){ program, tile_program_symbol(program, root) };
        }
    }
    pthread_mutex_unlock(&vertex->lock);
    str_free(&why);
    return code;
}

/* Code where the fields leave space; where they leave none, they stand where this run puts them. */
static const struct linked_code *choose_code(struct tile_vertex *vertex, const struct tile_vertex_run *run,
                                             struct tile_memory *memory)
{
    const struct linked_code *code = vertex->code;
    uint32_t bytes = code->program->bytes, base = code->program->base;
    if (run->addresses)
        tile_memory_place(memory, run->edge_bytes, run->addresses);
    uint64_t at = tile_memory_free(memory, base, bytes, CODE_GRAIN);
    if (at != base)
        code = at + bytes <= memory->map->interleaved ? code_at(vertex, (uint32_t)at) : NULL;
    if (code)
        return code;
    memory->placed.count = memory->places.count = 0;
    return vertex->code;
}

static void begin(const struct tile_vertex *vertex, struct tile *tile, const struct tile_vertex_run *run)
{
    tile_vertex_trace(tile, vertex->codelet, vertex->traced_tile, run->tile);
    tile_watch(tile, run->checked);
    tile_clear_contexts(tile, run->checked);
    tile_set_fp_ictl(tile, run->fp_ictl);
    tile_set_id(tile, run->tile == UINT32_MAX ? 0 : run->tile);
    if (run->max_slots)
        tile_limit(tile, run->max_slots);
    for (unsigned w = 0; w < TILE_WORKERS; ++w)
        tile_set_prng(tile, w, run->random ? run->random[w][0] : mix(mix(run->seed) + 2 * w),
                      run->random ? run->random[w][1] : mix(mix(run->seed) + 2 * w + 1) | 1);
}

/* Whether a constraint of the class is about two fields: it has both names as words. */
static const char *constraint_about(const struct codelet *codelet, const char *one, const char *other)
{
    const char *const names[] = { one, other };
    for (uint32_t i = 0; i < codelet->constraint_count; ++i) {
        unsigned found = 0;
        for (int n = 0; n < 2; ++n) {
            size_t length = strlen(names[n]);
            for (const char *at = codelet->constraints[i]; (at = strstr(at, names[n])) != NULL; at += length)
                if (!pop_text_is_word(at[length]) && at > codelet->constraints[i] && !pop_text_is_word(at[-1]))
                    found |= 1u << n;
        }
        if (found == 3 && strncmp(codelet->constraints[i], "elem", 4) == 0)
            return codelet->constraints[i];
    }
    return NULL;
}

/* Two accesses in one memory element: the fields, and the constraint that keeps them apart. */
static void name_conflict(const struct tile_memory *memory, const struct tile_fault *fault, struct str *text)
{
    str_add(text, ": the first is ");
    const struct codelet_field *one = tile_memory_name(memory, fault->first, text);
    str_add(text, ", the second ");
    const struct codelet_field *other = tile_memory_name(memory, fault->address, text);
    if (one == other)
        return;
    const char *constraint = constraint_about(memory->codelet, one->name, other->name);
    if (constraint)
        str_format(text, ", although the class has the constraint \"%s\" (it cannot keep parts of one variable apart)",
                   constraint);
    else
        str_format(text, "; the constraint \"elem(%s%s) != elem(%s%s)\" of the class keeps them apart",
                   field_has_table(one) ? "**" : "*", one->name, field_has_table(other) ? "**" : "*", other->name);
}

static void take_fault(const struct tile_program *program, const struct tile_fault *fault,
                       const struct tile_memory *memory, struct tile_vertex_run *run)
{
    const struct tile_line *line = tile_program_line(program, fault->pc);
    char who[32];
    struct str where = { 0 };
    snprintf(who, sizeof(who), fault->context == TILE_WORKERS ? "its supervisor" : "its worker %u", fault->context);
    if (fault->code == TILE_OUTSIDE && memory->regions.count) {
        str_add(&where, ": ");
        tile_memory_name(memory, fault->address, &where);
    } else if (fault->code == TILE_CONFLICT && memory->regions.count) {
        name_conflict(memory, fault, &where);
    }
    snprintf(run->text, sizeof(run->text), "%s %s%s (instruction at 0x%x)", who, fault->text, str_text(&where),
             fault->pc);
    str_free(&where);
    if (!line)
        return;
    snprintf(run->file, sizeof(run->file), "%s", line->file);
    run->line = (int)line->line;
}

static bool execute(struct tile_vertex *vertex, struct tile *tile, struct tile_vertex_run *run)
{
    struct tile_memory memory = { .tile = tile,
                                  .codelet = vertex->codelet,
                                  .layout = &vertex->layout,
                                  .map = tile_maps + vertex->arch,
                                  .high = tile_maps[vertex->arch].interleaved,
                                  .apart = vertex->apart,
                                  .why = run->text };
    struct tile_result result = { .agreed = true };
    enum vertex_kind kind = (enum vertex_kind)vertex->codelet->kind;
    const struct linked_code *code = choose_code(vertex, run, &memory);
    memory.low = code->program->base + code->program->bytes;
    tile_switch(tile, code->program);
    tile_allow(tile, code->program->base, code->program->bytes, TILE_MAY_READ);
    uint32_t stack = make_stacks(vertex, &memory);
    bool good = tile_memory_fill(&memory, run->state, run->edge_bytes);
    if (good && kind == VERTEX_SUPERVISOR)
        good = tile_run_supervisor(tile, code->entry, memory.state, stack, &result);
    else if (good)
        good = tile_run_workers(tile, code->entry, memory.state, kind == VERTEX_MULTI ? TILE_WORKERS : 1, &result);
    if (good)
        tile_memory_drain(&memory);
    else if (!memory.failed)
        take_fault(code->program, &result.fault, &memory, run);
    tile_memory_end(&memory);
    run->agreed = result.agreed;
    run->cycles = kind == VERTEX_WORKER  ? result.slots
                  : kind == VERTEX_MULTI ? START + CYCLES_OF_SLOT * result.slots
                                         : START + result.cycles;
    return good;
}

bool tile_vertex_run(struct tile_vertex *vertex, struct tile_vertex_run *run)
{
    run->text[0] = run->file[0] = 0;
    run->line = 0;
    struct own_tile own = take_tile(vertex);
    struct tile *tile = own.tile;
    if (!tile) {
        snprintf(run->text, sizeof(run->text), "there is no host memory for the memory of a tile");
        return false;
    }
    if (run->counts && !own.executed)
        own.executed = mem_zero(vertex->code[0].program->code_bytes / 4 + 1, sizeof(*own.executed));
    begin(vertex, tile, run);
    tile_count(tile, run->counts ? own.executed : NULL);
    if (run->weights)
        tile_set_weights(tile, run->weights);
    bool good = execute(vertex, tile, run);
    if (run->weights)
        tile_get_weights(tile, run->weights);
    for (unsigned w = 0; w < TILE_WORKERS && run->random; ++w)
        tile_get_prng(tile, w, run->random[w], run->random[w] + 1);
    give_tile(vertex, own);
    return good;
}

void tile_vertex_lines(const struct tile_vertex *vertex, tile_line_callback callback, void *user)
{
    for (size_t i = 0; i < vertex->tiles.count; ++i)
        if (vertex->tiles.data[i].executed)
            tile_counted_lines(vertex->code[0].program, vertex->tiles.data[i].executed, callback, user);
}

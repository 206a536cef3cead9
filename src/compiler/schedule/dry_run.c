/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a vertex in memory as on the host: state and constants have their values, everything else is zero. Vertices
 * with equal memory share a count. */
#include "compiler/schedule/schedule.h"
#include "graph/graph.h"

#include "compiler/common/edges.h"

#include "base/log.h"
#include "base/str.h"
#include "graph/store/store.h"
#include "popc/popc.h"

#define XXH_INLINE_ALL
#include <assert.h>
#include <xxhash.h>

/* Of all workers of a vertex, and of all vertices.  An instruction takes some 5 ns in an optimised build, 150 with the
 * sanitizers: a tenth of a second for a vertex, ten for a program.  32 instructions for each byte of a tile's memory.
 */
static const uint64_t MAX_OF_VERTEX = 20000000, MAX_OF_PROGRAM = 2000000000;
enum { STACK = 16 << 10, BLOCK_ALIGNMENT = 16, MAX_MEMORY = 256 << 20 };

struct known { /* type is an index + 1 of the store's types; 0: no entry */
    uint64_t low, high, cycles;
    uint32_t type;
    enum model_estimate how;
};

/* Outcome for a vertex type; numbers of vertices. */
struct type_report {
    uint64_t counted, guessed;
    bool over_limit; /* a vertex executed too much: no other is tried */
    char why[120];   /* the first guess */
};

struct dry_run {
    struct compiler *c;
    struct device_counter *counter;
    VEC(unsigned char) memory; /* pointers in it are offsets + 1 until place_pointers makes them addresses */
    VEC(uint64_t) pointers;    /* offsets of them */
    VEC(uint64_t) edge_bytes;  /* of the vertex, as an image lists them */
    struct known *known;       /* a hash table */
    size_t known_count, known_size;
    uint64_t executed;
    struct type_report *types; /* by type of the store */
    struct {
        uint32_t vertex; /* NONE at first */
        uint64_t cycles;
        enum model_estimate how;
    } latest; /* neighbours are mostly alike */
};

struct dry_run *dry_run_create(struct compiler *c)
{
    struct dry_run *dry = MEM_NEW(struct dry_run);
    enum device_arch arch = device_arch_of(&c->store->target);
    dry->c = c;
    dry->counter =
        arch == DEVICE_ARCHS ? NULL : device_counter_create(arch, c->store->modules.data, c->store->modules.count);
    dry->types = mem_zero(c->store->types.count, sizeof(*dry->types));
    dry->latest.vertex = NONE;
    return dry;
}

void dry_run_free(struct dry_run *dry)
{
    if (!dry)
        return;
    device_counter_free(dry->counter);
    vec_free(&dry->memory);
    vec_free(&dry->pointers);
    vec_free(&dry->edge_bytes);
    free(dry->known);
    free(dry->types);
    free(dry);
}

/* ---- the vertex in memory ---- */

static uint64_t add_block(struct dry_run *dry, uint64_t items, uint64_t bytes)
{
    uint64_t end = dry->memory.count, at = (end + 8 + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
    if (bytes && items > (MAX_MEMORY - at) / bytes)
        items = 0; /* far beyond a tile: see too_large */
    memset(vec_extend(&dry->memory, at - end + items * bytes), 0, at - end + items * bytes);
    memcpy(dry->memory.data + at - 8, &items,
           sizeof(items)); /* vectors without a size beside their pointer find it here, as on the host */
    return at;
}

static void put_pointer(struct dry_run *dry, uint64_t at, uint64_t to, bool has_size, uint64_t size)
{
    assert(at + 8 + (has_size ? sizeof(size) : 0) <= dry->memory.count);
    memcpy(dry->memory.data + at, &to, sizeof(to));
    *vec_push(&dry->pointers) = at;
    if (has_size)
        memcpy(dry->memory.data + at + 8, &size, sizeof(size));
}

struct constant_filling {
    struct dry_run *dry;
    uint64_t at;
};

/* Copies a constant's value; other variables stay zero. */
static bool fill_run(const struct run *run, void *context)
{
    struct constant_filling *filling = context;
    const pop_store *store = filling->dry->c->store;
    const struct variable *variable = &store->variables.data[run->variable];
    size_t bytes = pop_type_size((pop_type)variable->type);
    unsigned char *to = filling->dry->memory.data + filling->at;
    assert(filling->at + run->count * bytes <= filling->dry->memory.count);
    if (variable->constant) {
        const struct initial *initial = &store->initials.data[variable->initial];
        const unsigned char *from = store->data.data + initial->data;
        for (uint64_t i = 0; initial->fill && i < run->count; ++i)
            memcpy(to + i * bytes, from, bytes);
        if (!initial->fill)
            memcpy(to, from + run->offset * bytes, run->count * bytes);
    }
    filling->at += run->count * bytes;
    return true;
}

/* What an edge, or vector state, is connected to or starts as. */
static uint64_t add_elements(struct dry_run *dry, const struct codelet_field *field, const struct edge *edge,
                             uint64_t *elements)
{
    const pop_store *store = dry->c->store;
    size_t bytes = pop_type_size((pop_type)field->type);
    *elements = edge->form == EDGE_NONE ? 0 : edge_elements(store, edge);
    uint64_t at = add_block(dry, *elements, bytes);
    if (at + *elements * bytes > dry->memory.count)
        return at;
    if (edge->form == EDGE_DATA)
        memcpy(dry->memory.data + at, edge_data(store, edge), *elements * bytes);
    else if (field->direction != FIELD_STATE)
        edge_each_run(store, edge, fill_run, &(struct constant_filling){ dry, at });
    return at;
}

static void add_field(struct dry_run *dry, const struct codelet_field *field, const struct edge *edge)
{
    uint64_t at = field->offset, elements;
    if (edge->form == EDGE_VALUE) {
        uint64_t bits = edge_value(edge);
        memcpy(dry->memory.data + at, &bits, pop_type_size((pop_type)field->type));
    } else if (edge->form == EDGE_LIST) {
        uint64_t stride = table_stride(field), table = add_block(dry, edge->count, stride);
        put_pointer(dry, at, table, field->has_size, edge->count);
        for (uint64_t i = 0; i < edge->count && table + (i + 1) * stride <= dry->memory.count; ++i) {
            uint64_t row = add_elements(dry, field, edge_row(dry->c->store, edge, i), &elements);
            put_pointer(dry, table + i * stride, row, field->inner_has_size, elements);
        }
    } else {
        uint64_t block = add_elements(dry, field, edge, &elements);
        put_pointer(dry, at, block, field->shape != SHAPE_SCALAR && field->has_size, elements);
    }
}

static void build(struct dry_run *dry, uint32_t vertex, const struct codelet *codelet)
{
    const pop_store *store = dry->c->store;
    dry->memory.count = dry->pointers.count = 0;
    memcpy(vec_extend(&dry->memory, codelet->state_bytes), codelet->defaults, codelet->state_bytes);
    for (uint16_t i = 0; i < codelet->field_count; ++i) {
        const struct edge *edge = vertex_edge(store, &store->vertices.data[vertex], i);
        if (edge)
            add_field(dry, codelet->fields + i, edge);
    }
}

/* ---- counts that are known ---- */

static struct known *slot_of(struct known *table, size_t size, uint64_t low, uint64_t high, uint32_t type)
{
    assert(type && (size & (size - 1)) == 0);
    size_t at = (size_t)low & (size - 1);
    while (table[at].type && (table[at].low != low || table[at].high != high || table[at].type != type))
        at = (at + 1) & (size - 1);
    return table + at;
}

static void grow(struct dry_run *dry)
{
    size_t size = dry->known_size ? 2 * dry->known_size : 64;
    struct known *table = mem_zero(size, sizeof(*table));
    for (size_t i = 0; i < dry->known_size; ++i)
        if (dry->known[i].type)
            *slot_of(table, size, dry->known[i].low, dry->known[i].high, dry->known[i].type) = dry->known[i];
    free(dry->known);
    dry->known = table;
    dry->known_size = size;
}

/* ---- estimates ---- */

/* The number of items of a block, which stands before it. */
static uint64_t block_items(const unsigned char *slot)
{
    const unsigned char *block;
    uint64_t items = 0;
    memcpy(&block, slot, sizeof(block));
    if (block)
        memcpy(&items, block - 8, sizeof(items));
    return items;
}

/* Lists the bytes of edges as an image does, from memory whose pointers are set. */
static void list_edges(struct dry_run *dry, const struct codelet *codelet)
{
    dry->edge_bytes.count = 0;
    for (uint32_t f = 0; f < codelet->field_count; ++f) {
        const struct codelet_field *field = codelet->fields + f;
        const unsigned char *slot = dry->memory.data + field->offset, *rows;
        uint64_t bytes = pop_type_size((pop_type)field->type), items;
        if (field->direction == FIELD_STATE)
            continue;
        items = block_items(slot);
        *vec_push(&dry->edge_bytes) = field_has_table(field) ? items : items * bytes;
        memcpy(&rows, slot, sizeof(rows));
        for (uint64_t i = 0; field_has_table(field) && i < items; ++i)
            *vec_push(&dry->edge_bytes) = block_items(rows + i * table_stride(field)) * bytes;
    }
}

/* Executes what build made; the memory is used up by it. */
static bool count(struct dry_run *dry, uint32_t type, const struct codelet *codelet, uint64_t *cycles, char *why,
                  size_t size)
{
    if (dry->types[type].over_limit) {
        snprintf(why, size, "%s", dry->types[type].why);
        return false;
    }
    if (!dry->counter || dry->executed >= MAX_OF_PROGRAM || dry->memory.count > MAX_MEMORY / 2) {
        snprintf(why, size, "%s",
                 !dry->counter                     ? "the target's architecture is not known"
                 : dry->executed >= MAX_OF_PROGRAM ? "the program's vertices execute more instructions than are counted"
                                                   : "its fields are larger than a tile's memory");
        return false;
    }
    memset(vec_extend(&dry->memory, STACK), 0, STACK);
    for (size_t i = 0; i < dry->pointers.count; ++i) {
        uint64_t pointer;
        memcpy(&pointer, dry->memory.data + dry->pointers.data[i], sizeof(pointer));
        pointer += (uintptr_t)dry->memory.data;
        memcpy(dry->memory.data + dry->pointers.data[i], &pointer, sizeof(pointer));
    }
    struct device_run run = { .memory = dry->memory.data, .bytes = dry->memory.count, .max = MAX_OF_VERTEX };
    struct tile_vertex *assembly = device_counter_assembly(dry->counter, codelet);
    bool good;
    if (assembly) {
        list_edges(dry, codelet);
        good = device_counter_run_assembly(assembly, &run, dry->edge_bytes.data, cycles);
    } else {
        good = device_counter_run(dry->counter, codelet, &run, cycles);
    }
    dry->executed += run.executed;
    dry->types[type].over_limit = run.executed >= MAX_OF_VERTEX;
    if (!good)
        snprintf(why, size, "%s", run.reason);
    return good;
}

/* Without a count: each instruction of the codelet once for each element of its longest field. */
static uint64_t guess(struct dry_run *dry, uint32_t vertex, const struct codelet *codelet)
{
    enum { INSTRUCTION = 4, WORKERS = 6 };
    const pop_store *store = dry->c->store;
    struct device_code code;
    uint64_t longest = 1, instructions = device_code_of(codelet->module, codelet, &store->target, &code)
                                             ? code.bytes / INSTRUCTION + 1
                                             : 1;
    for (uint16_t i = 0; i < codelet->field_count; ++i) {
        const struct edge *edge =
            codelet->fields[i].direction == FIELD_STATE ? NULL : vertex_edge(store, &store->vertices.data[vertex], i);
        uint64_t elements = !edge || edge->form == EDGE_LIST ? 0 : edge_elements(store, edge);
        for (uint64_t row = 0; edge && edge->form == EDGE_LIST && row < edge->count; ++row)
            elements += edge_elements(store, edge_row(store, edge, row));
        longest = elements > longest ? elements : longest;
    }
    return instructions * (codelet->kind == VERTEX_MULTI ? (longest + WORKERS - 1) / WORKERS * WORKERS : longest);
}

enum dry_run_assembly dry_run_assembly(struct dry_run *dry, uint32_t type)
{
    const struct codelet *codelet = dry->c->store->types.data[type].codelet;
    if (dry->counter && device_counter_assembly(dry->counter, codelet))
        return DRY_RUN_WHOLE;
    return codelet->object < codelet->module->object_count && codelet->module->objects[codelet->object].assembles
               ? DRY_RUN_PART
               : DRY_RUN_NONE;
}

static void note(struct dry_run *dry, uint32_t type, enum model_estimate how, const char *why)
{
    struct type_report *report = dry->types + type;
    if (how == MODEL_GUESSED && dry_run_assembly(dry, type))
        how = MODEL_COUNTED; /* when it runs */
    if (how == MODEL_GUESSED && !report->guessed)
        snprintf(report->why, sizeof(report->why), "%s", why);
    ++*(how == MODEL_COUNTED ? &report->counted : &report->guessed);
}

static bool edges_alike(const pop_store *store, const struct edge *a, const struct edge *b)
{
    if (a->field != b->field || a->form != b->form || a->count != b->count)
        return false;
    if (a->form == EDGE_RUN)
        return !store->variables.data[a->variable].constant && !store->variables.data[b->variable].constant;
    return a->form == EDGE_SIZE || (a->form == EDGE_VALUE && a->variable == b->variable);
}

/* Whether two vertices are the same in memory, at a glance. */
static bool vertices_alike(const pop_store *store, uint32_t first, uint32_t second)
{
    const struct vertex *a = &store->vertices.data[first], *b = &store->vertices.data[second];
    const struct edge *edges = store->edges.data;
    if (a->type != b->type)
        return false;
    uint32_t x = a->edge, y = b->edge;
    for (; x != NO_EDGE && y != NO_EDGE; x = edge_next(edges, x), y = edge_next(edges, y))
        if (!edges_alike(store, &edges[x], &edges[y]))
            return false;
    return x == y;
}

uint64_t dry_run_cycles(struct dry_run *dry, uint32_t vertex, enum model_estimate *how)
{
    assert(vertex < dry->c->store->vertices.count);
    uint32_t type = dry->c->store->vertices.data[vertex].type;
    const struct codelet *codelet = dry->c->store->types.data[type].codelet;
    char why[120] = "";
    if (dry->latest.vertex != NONE && vertices_alike(dry->c->store, dry->latest.vertex, vertex)) {
        note(dry, type, dry->latest.how, why);
        *how = dry->latest.how;
        return dry->latest.cycles;
    }
    build(dry, vertex, codelet);
    if (2 * dry->known_count >= dry->known_size)
        grow(dry);
    XXH128_hash_t hash = XXH3_128bits(dry->memory.data, dry->memory.count);
    struct known *known = slot_of(dry->known, dry->known_size, hash.low64, hash.high64, type + 1);
    if (!known->type) {
        *known = (struct known){ hash.low64, hash.high64, 0, type + 1, MODEL_COUNTED };
        ++dry->known_count;
        if (!count(dry, type, codelet, &known->cycles, why, sizeof(why))) {
            known->cycles = guess(dry, vertex, codelet);
            known->how = MODEL_GUESSED;
        }
    }
    note(dry, type, known->how, why);
    *how = known->how;
    dry->latest.vertex = vertex;
    dry->latest.cycles = known->cycles;
    dry->latest.how = known->how;
    return known->cycles;
}

/* One line for all types whose cycles were found in a way. */
static void report_all(const struct dry_run *dry, enum model_estimate how)
{
    enum { MAX = 4 };
    struct str names = { 0 };
    const char *why = "";
    uint64_t types = 0, vertices = 0;
    for (size_t i = 0; i < dry->c->store->types.count; ++i) {
        const struct type_report *report = dry->types + i;
        uint64_t count = how == MODEL_COUNTED ? report->counted : report->guessed;
        if (count && types < MAX)
            str_format(&names, "%s'%s'", types ? ", " : "",
                       store_name(dry->c->store, dry->c->store->types.data[i].name));
        why = count && !types ? report->why : why;
        types += count != 0;
        vertices += count;
    }
    const char *plural = types == 1 ? "" : "s", *more = types > MAX ? ", ..." : "";
    if (types && how == MODEL_COUNTED)
        LOG(COMPILER, INFO,
            "no performance estimate of vertex type%s %s%s: the cycles of %llu vertices are counted from their code "
            "for the device; pop_graph_set_perf_estimate or pop_graph_register_perf_estimator gives one",
            plural, names.text, more, (unsigned long long)vertices);
    else if (types)
        LOG(COMPILER, WARN,
            "cycles of %llu vertices are guessed because vertex type%s %s%s has no estimate and its code cannot be "
            "counted (%s); pop_graph_set_perf_estimate or pop_graph_register_perf_estimator gives an estimate",
            (unsigned long long)vertices, plural, names.text, more, why);
    str_free(&names);
}

void dry_run_report(const struct dry_run *dry)
{
    if (!dry)
        return;
    report_all(dry, MODEL_COUNTED);
    report_all(dry, MODEL_GUESSED);
}

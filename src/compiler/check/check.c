/* SPDX-License-Identifier: Apache-2.0 */
/* check: verifies everything that the programs use: edges are connected, state has sizes, vertices and elements are
 * mapped, no constant is written. */
#include "compiler/check/check.h"
#include "compiler/common/edges.h"
#include "compiler/common/prefetch.h"
#include "graph/graph.h"
#include "graph/view/view.h"

#include "base/pool.h"

#include <assert.h>
#include <stdatomic.h>

enum { PART = 1 << 14 }; /* vertices and variables that a thread takes at a time */

/* State of the walk over the store. */
struct checking {
    struct compiler *c;
    const struct use_result *use;
    const uint8_t *mapped; /* by variable: what variable_use is if it is used */
    uint8_t *variable_use;
    uint32_t *required; /* by type: its number of required fields + 1; 0: not counted yet */
    uint32_t *seen;     /* by field: index + 1 of the last vertex that has it */
};
/* User of a run, for error messages; vertex is NONE for programs and handles. */
struct user {
    struct compiler *c;
    const uint8_t *mapped;
    uint8_t *variable_use;
    uint32_t vertex, where;
    const char *what, *field;
    bool writes;
};

static bool fail_unmapped(const struct user *user, uint32_t variable, uint64_t element)
{
    struct compiler *c = user->c;
    const struct variable *v = &c->store->variables.data[variable];
    assert(v->map.compact);
    compiler_fail(c, POP_INVALID_TILE_MAPPING, v->where, variable_name(c, variable),
                  "element %llu of %s '%s' (%llu element%s) is not mapped to a tile", (unsigned long long)element,
                  v->constant ? "constant" : "variable", variable_name(c, variable), (unsigned long long)v->elements,
                  v->elements == 1 ? "" : "s");
    pop_where where = c->store->wheres.data[user->where], own = c->store->wheres.data[v->where];
    bool elsewhere =
        where.file && !(own.file && own.line == where.line &&
                        !strcmp(own.file, where.file)); /* the error already has the line that made the variable */
    char place[300] = "";
    if (elsewhere)
        snprintf(place, sizeof(place), " at %s:%d", where.file, where.line);
    uint64_t left = v->elements;
    for (size_t i = 0; i < v->map.ranges.count; ++i)
        left -= v->map.ranges.data[i].end - v->map.ranges.data[i].begin;
    error_note(c->error, "%llu of its elements %s not: setTileMapping (in C pop_graph_set_tile_mapping) maps them",
               (unsigned long long)left, left == 1 ? "is" : "are");
    error_note(c->error, "used by %s%s%s%s", user->what, user->field ? "." : "", user->field ? user->field : "", place);
    return false;
}

static bool fail_constant(const struct user *user, uint32_t variable)
{
    if (user->vertex == NONE)
        return compiler_fail(user->c, POP_CONTROL_PROGRAM_ERROR, user->where, NULL,
                             "%s writes to constant '%s', which cannot be written", user->what,
                             variable_name(user->c, variable));
    return compiler_fail_vertex(user->c, POP_GRAPH_CONNECTION_ERROR, user->vertex,
                                "field %s.%s writes to constant '%s', which cannot be written", user->what, user->field,
                                variable_name(user->c, variable));
}

static bool check_run(const struct run *run, void *context)
{
    const struct user *user = context;
    assert(run->variable < user->c->store->variables.count);
    const struct variable *variable = &user->c->store->variables.data[run->variable];
    assert(run->offset <= variable->elements && run->count <= variable->elements - run->offset);
    uint8_t use = user->variable_use[run->variable] = user->mapped[run->variable];
    if (use == VARIABLE_GAPS && !variable->follows_vertex) {
        uint64_t gap = tile_map_gap(&variable->map, run->offset, run->offset + run->count);
        if (gap < run->offset + run->count)
            return fail_unmapped(user, run->variable, gap);
    }
    return !(user->writes && variable->constant) || fail_constant(user, run->variable);
}

/* A list whose field was given a size: each entry must be connected, or have data. */
static bool check_list(struct compiler *c, uint32_t vertex, const struct codelet *codelet,
                       const struct codelet_field *field, const struct edge *edge)
{
    bool state = field->direction == FIELD_STATE;
    for (uint64_t i = 0; i < edge->count; ++i)
        if (edge_row(c->store, edge, i)->form == EDGE_NONE)
            return compiler_fail_vertex(c, state ? POP_NO_SIZE_SPECIFIED : POP_GRAPH_CONNECTION_ERROR, vertex,
                                        state ? "field %s.%s[%llu] has no size: set its size or its initial value"
                                              : "field %s.%s[%llu] is not connected (the field has %llu elements)",
                                        codelet->name, field->name, (unsigned long long)i,
                                        (unsigned long long)edge->count);
    return true;
}

/* Reports the vertex's first missing field. Precondition: some required field is unset. */
static bool fail_missing(struct compiler *c, uint32_t vertex, const struct codelet *codelet, const uint32_t *seen)
{
    for (uint32_t f = 0; f < codelet->field_count; ++f) {
        const struct codelet_field *field = &codelet->fields[f];
        if (seen[f] == vertex + 1)
            continue;
        if (field->direction != FIELD_STATE)
            return compiler_fail_vertex(c, POP_GRAPH_CONNECTION_ERROR, vertex,
                                        "field %s.%s is not connected: every %s must be connected once", codelet->name,
                                        field->name,
                                        field->direction == FIELD_INPUT    ? "Input"
                                        : field->direction == FIELD_OUTPUT ? "Output"
                                                                           : "InOut");
        if (field->shape != SHAPE_SCALAR)
            return compiler_fail_vertex(c, POP_NO_SIZE_SPECIFIED, vertex,
                                        "field %s.%s has no size: set its size or its initial value", codelet->name,
                                        field->name);
    }
    return true;
}

static uint32_t required_fields(const struct codelet *codelet)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < codelet->field_count; ++f)
        count += codelet->fields[f].direction != FIELD_STATE || codelet->fields[f].shape != SHAPE_SCALAR;
    return count;
}

static bool check_edge(const struct checking *k, uint32_t vertex, const struct codelet *codelet,
                       const struct edge *edge)
{
    struct compiler *c = k->c;
    const uint32_t *seen = k->seen;
    const struct codelet_field *field = &codelet->fields[edge->field];
    if (field->direction == FIELD_STATE)
        return edge->form != EDGE_LIST || check_list(c, vertex, codelet, field, edge);
    if (seen[edge->field] == vertex + 1)
        return compiler_fail_vertex(c, POP_GRAPH_CONNECTION_ERROR, vertex, "field %s.%s is connected more than once",
                                    codelet->name, field->name);
    if (edge->form == EDGE_LIST && !check_list(c, vertex, codelet, field, edge))
        return false;
    struct user user = { c,
                         k->mapped,
                         k->variable_use,
                         vertex,
                         c->store->vertices.data[vertex].where,
                         codelet->name,
                         field->name,
                         field->direction != FIELD_INPUT };
    return edge_each_run(c->store, edge, check_run, &user);
}

static bool check_vertex(const struct checking *k, uint32_t vertex)
{
    struct compiler *c = k->c;
    uint32_t *required = k->required, *seen = k->seen;
    const pop_store *store = c->store;
    const struct vertex *v = &store->vertices.data[vertex];
    const struct codelet *codelet = vertex_codelet(c, v);
    const char *type = store_name(store, store->types.data[v->type].name);
    if (!codelet)
        return compiler_fail_vertex(c, POP_UNKNOWN_VERTEX_TYPE, vertex,
                                    "vertex type '%s' has no codelet: none was added under that name", type);
    if (v->tile == UNMAPPED_TILE)
        return compiler_fail_vertex(c, POP_INVALID_TILE_MAPPING, vertex, "a vertex of type %s is not mapped to a tile",
                                    type);
    if (!required[v->type])
        required[v->type] = required_fields(codelet) + 1;
    uint32_t found = 0;
    for (uint32_t e = v->edge; e != NO_EDGE; e = edge_next(store->edges.data, e)) {
        const struct edge *edge = &store->edges.data[e];
        if (!check_edge(k, vertex, codelet, edge))
            return false;
        const struct codelet_field *field = &codelet->fields[edge->field];
        found += seen[edge->field] != vertex + 1 && (field->direction != FIELD_STATE || field->shape != SHAPE_SCALAR);
        seen[edge->field] = vertex + 1;
    }
    return found + 1 == required[v->type] || fail_missing(c, vertex, codelet, seen);
}

/* ---- threads ---- */

struct checker {
    struct compiler c; /* with an error of its own */
    struct checking k;
    pop_error error;
    size_t failed; /* part with the error */
    uint64_t vertices;
};
struct checkers {
    struct compiler *c;
    uint8_t *mapped;
    struct checker *of;
    unsigned count;
    atomic_size_t next, last; /* part to take; parts after a wrong one are left out */
};

static uint8_t mapped_of(struct variable *variable)
{
    tile_map_compact(&variable->map);
    return tile_map_gap(&variable->map, 0, variable->elements) == variable->elements ? VARIABLE_MAPPED : VARIABLE_GAPS;
}

static void map_variables(void *context, uint32_t thread)
{
    struct checkers *all = context;
    size_t count = all->c->store->variables.count;
    (void)thread;
    for (size_t first; (first = atomic_fetch_add(&all->next, 1) * PART) < count;)
        for (size_t v = first; v < count && v < first + PART; ++v)
            all->mapped[v] = mapped_of(&all->c->store->variables.data[v]);
}

static bool check_part(struct checker *checker, size_t first, size_t end)
{
    const pop_store *store = checker->c.store;
    const uint32_t *set_of = checker->k.use->set_of;
    uint64_t vertices = 0;
    for (size_t i = first; i < end; ++i) {
        if (i + 2 * AHEAD_VERTEX < store->vertices.count) { /* the first pass that reads them */
            __builtin_prefetch(&store->vertices.data[i + 2 * AHEAD_VERTEX]);
            prefetch_list(store, store->vertices.data[i + AHEAD_VERTEX].edge);
        }
        if (set_of[store->vertices.data[i].set] == NONE)
            continue;
        ++vertices;
        if (!check_vertex(&checker->k, (uint32_t)i))
            return false;
    }
    checker->vertices += vertices;
    return true;
}

static void check_parts(void *context, uint32_t thread)
{
    struct checkers *all = context;
    struct checker *checker = &all->of[thread];
    size_t count = all->c->store->vertices.count;
    for (size_t part; (part = atomic_fetch_add(&all->next, 1)) <= atomic_load(&all->last);) {
        size_t first = part * PART;
        if (check_part(checker, first, count - first < PART ? count : first + PART))
            continue;
        checker->failed = part;
        for (size_t last = atomic_load(&all->last);
             part < last && !atomic_compare_exchange_weak(&all->last, &last, part);)
            ;
        return;
    }
}

static void run_checkers(struct checkers *all, pool_fn fn)
{
    atomic_store(&all->next, 0);
    pool_run(all->c->pool, all->count, fn, all);
}

static uint32_t most_fields(const pop_store *store)
{
    uint32_t max = 0;
    for (size_t i = 0; i < store->types.count; ++i)
        if (store->types.data[i].codelet && store->types.data[i].codelet->field_count > max)
            max = store->types.data[i].codelet->field_count;
    return max;
}

/* The error is that of the first wrong vertex, whichever thread finds it. */
static bool check_vertices(struct checkers *all, const struct use_result *use, struct check_result *result)
{
    const pop_store *store = all->c->store;
    const struct checker *first = NULL;
    for (unsigned i = 0; i < all->count; ++i) {
        struct checker *checker = &all->of[i];
        checker->c = *all->c;
        checker->c.error = &checker->error;
        checker->failed = SIZE_MAX;
        checker->k = (struct checking){ .c = &checker->c,
                                        .use = use,
                                        .mapped = all->mapped,
                                        .variable_use = mem_lines(store->variables.count, 1),
                                        .required = mem_lines(store->types.count, sizeof(*checker->k.required)),
                                        .seen = mem_lines(most_fields(store), sizeof(*checker->k.seen)) };
    }
    atomic_store(&all->last, (store->vertices.count + PART - 1) / PART);
    if (store->vertices.count) {
        atomic_fetch_sub(&all->last, 1);
        run_checkers(all, check_parts);
    }
    for (unsigned i = 0; i < all->count; ++i) {
        struct checker *checker = &all->of[i];
        if (checker->failed != SIZE_MAX && (!first || checker->failed < first->failed))
            first = checker;
        result->vertex_count += checker->vertices;
        for (size_t v = 0; v < store->variables.count; ++v)
            result->variable_use[v] |= checker->k.variable_use[v];
        free(checker->k.variable_use);
        free(checker->k.required);
        free(checker->k.seen);
    }
    if (first)
        *all->c->error = first->error;
    return !first;
}

static bool check_view(const struct checking *k, const struct view *view, uint32_t where, const char *what, bool writes)
{
    struct user user = { k->c, k->mapped, k->variable_use, NONE, where, what, NULL, writes };
    return !view || view_each_run(view, check_run, &user);
}

/* If a variable is fully mapped, checking one element per piece suffices. */
static bool check_pieces(const struct checking *k, const struct view *view, uint32_t where, const char *what,
                         bool writes)
{
    bool gaps = false;
    struct user user = { k->c, k->mapped, k->variable_use, NONE, where, what, NULL, writes };
    for (uint32_t i = 0; view && i < view->piece_count; ++i) {
        struct piece piece = view_piece(view, i);
        struct run first = { piece.variable, piece.offset, piece.elements > 0 };
        if (first.count && !check_run(&first, &user))
            return false;
        gaps |= first.count && k->variable_use[first.variable] == VARIABLE_GAPS;
    }
    return !gaps || check_view(k, view, where, what, writes);
}

static bool check_programs(const struct checking *k)
{
    const pop_store *store = k->c->store;
    for (size_t i = 0; i < store->programs.count; ++i) {
        const struct program_node *n = store->programs.data[i];
        if (!k->use->references[i])
            continue;
        const char *what = program_kind_name((enum program_kind)n->kind);
        uint32_t inputs = n->kind == PROGRAM_CALL_HOST ? store->host_functions.data[n->object].input_count : 0;
        bool source_written = n->kind == PROGRAM_EXECUTE; /* the consensus */
        if (!check_pieces(k, n->source, n->where, what, source_written) ||
            !check_pieces(k, n->destination, n->where, what, true) ||
            !check_pieces(k, n->control, n->where, what, false))
            return false;
        for (size_t o = 0; o < n->operands.count && n->kind != PROGRAM_CROSS_COPY; ++o)
            if (!check_pieces(k, n->operands.data[o], n->where, what, o >= inputs))
                return false;
    }
    return true;
}

static bool check_handles(const struct checking *k)
{
    const pop_store *store = k->c->store;
    for (size_t i = 0; i < store->host_reads.count; ++i)
        if (!check_pieces(k, store->host_reads.data[i].view, 0, "a host read", false))
            return false;
    for (size_t i = 0; i < store->host_writes.count; ++i)
        if (!check_pieces(k, store->host_writes.data[i].view, 0, "a host write", true))
            return false;
    return true;
}

/* Stochastic rounding reads the seeds, so if programs can set the flags, or options enable them, both register
 * variables are used. */
static void use_registers(const struct compiler *c, struct check_result *result)
{
    uint32_t flags = c->store->float_behaviour, seeds = c->store->hw_seeds;
    result->behaves = flags && (result->variable_use[flags - 1] || c->options->stochastic_rounding);
    if (!result->behaves)
        return;
    uint32_t both[] = { flags, seeds };
    for (int i = 0; i < 2; ++i)
        if (both[i] && result->variable_use[both[i] - 1] == VARIABLE_UNUSED)
            result->variable_use[both[i] - 1] = VARIABLE_MAPPED;
}

static bool check_tile(struct compiler *c, const char *key, int64_t tile)
{
    const uint32_t tiles = c->store->target.tiles_per_ipu;
    return !tiles || tile == OPTION_LAST_TILE || (tile >= 0 && tile < tiles) ||
           compiler_fail(c, POP_INVALID_OPTION, 0, NULL, "%s is %lld: it is a tile of an IPU, from 0 to %u", key,
                         (long long)tile, tiles - 1);
}

/* With debug.requireValuesFit, the first value that did not fit its type is an error. */
static bool check_values(struct compiler *c)
{
    const struct misfits *misfits = &c->store->misfits;
    if (!c->options->require_fit || !misfits->count)
        return true;
    compiler_fail(c, POP_OVERFLOW_ERROR, misfits->where, NULL, "%s", misfits->first);
    error_note(c->error, "debug.requireValuesFit is true: without it, this is a warning");
    return false;
}

const struct check_result *pass_check(struct compiler *c, const struct use_result *use)
{
    assert(use->references && use->set_of);
    struct check_result *result = ARENA_NEW(&c->arena, struct check_result);
    if (!check_values(c) || !check_tile(c, "debug.profilingTile", c->options->instrumentation.profiling_tile) ||
        !check_tile(c, "debug.branchRecordTile", c->options->instrumentation.branch_tile))
        return NULL;
    result->variable_use = arena_zero(&c->arena, c->store->variables.count, sizeof(*result->variable_use));
    struct checkers all = { .c = c, .mapped = mem_alloc(c->store->variables.count) };
    all.count = compiler_threads(c);
    all.of = mem_zero(all.count, sizeof(*all.of));
    run_checkers(&all, map_variables);
    struct checking k = { .c = c, .use = use, .mapped = all.mapped, .variable_use = result->variable_use };
    bool good = check_vertices(&all, use, result) && check_programs(&k) && check_handles(&k);
    free(all.of);
    free(all.mapped);
    if (!good)
        return NULL;
    use_registers(c, result);
    return result;
}

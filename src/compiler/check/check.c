/* SPDX-License-Identifier: Apache-2.0 */
/* check: verifies everything that the programs use: edges are connected, state has sizes, vertices and elements are
 * mapped, no constant is written. */
#include "compiler/check/check.h"
#include "compiler/common/edges.h"
#include "compiler/common/prefetch.h"
#include "graph/tile_map.h"
#include "graph/view_runs.h"

#include <assert.h>

/* State of the walk over the store, which fills the result. */
struct checking {
    struct compiler *c;
    const struct use_result *use;
    struct check_result *result;
};
/* User of a run, for error messages; vertex is NONE for programs and handles. */
struct user {
    struct compiler *c;
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
    struct variable *variable = &user->c->store->variables.data[run->variable];
    assert(run->offset <= variable->elements && run->count <= variable->elements - run->offset);
    uint8_t *use = &user->variable_use[run->variable];
    if (!*use) {
        tile_map_compact(&variable->map);
        *use =
            tile_map_gap(&variable->map, 0, variable->elements) == variable->elements ? VARIABLE_MAPPED : VARIABLE_GAPS;
    }
    if (*use == VARIABLE_GAPS && !variable->follows_vertex) {
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
                       const struct edge *edge, uint32_t *seen)
{
    struct compiler *c = k->c;
    const struct codelet_field *field = &codelet->fields[edge->field];
    if (field->direction == FIELD_STATE)
        return edge->form != EDGE_LIST || check_list(c, vertex, codelet, field, edge);
    if (seen[edge->field] == vertex + 1)
        return compiler_fail_vertex(c, POP_GRAPH_CONNECTION_ERROR, vertex, "field %s.%s is connected more than once",
                                    codelet->name, field->name);
    if (edge->form == EDGE_LIST && !check_list(c, vertex, codelet, field, edge))
        return false;
    struct user user = {
        c,           k->result->variable_use,        vertex, c->store->vertices.data[vertex].where, codelet->name,
        field->name, field->direction != FIELD_INPUT
    };
    return edge_each_run(c->store, edge, check_run, &user);
}

/* required caches, by type, its number of required fields + 1; 0: not counted yet. */
static bool check_vertex(const struct checking *k, uint32_t vertex, uint32_t *required, uint32_t *seen)
{
    struct compiler *c = k->c;
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
        if (!check_edge(k, vertex, codelet, edge, seen))
            return false;
        const struct codelet_field *field = &codelet->fields[edge->field];
        found += seen[edge->field] != vertex + 1 && (field->direction != FIELD_STATE || field->shape != SHAPE_SCALAR);
        seen[edge->field] = vertex + 1;
    }
    return found + 1 == required[v->type] || fail_missing(c, vertex, codelet, seen);
}

static bool check_vertices(const struct checking *k)
{
    const pop_store *store = k->c->store;
    uint32_t max = 0;
    for (size_t i = 0; i < store->types.count; ++i)
        if (store->types.data[i].codelet && store->types.data[i].codelet->field_count > max)
            max = store->types.data[i].codelet->field_count;
    uint32_t *seen = mem_zero(max, sizeof(*seen)), *required = mem_zero(store->types.count, sizeof(*required));
    bool good = true;
    for (size_t i = 0; good && i < store->vertices.count; ++i) {
        if (i + 2 * AHEAD_VERTEX < store->vertices.count) { /* the first pass that reads them */
            __builtin_prefetch(&store->vertices.data[i + 2 * AHEAD_VERTEX]);
            prefetch_list(store, store->vertices.data[i + AHEAD_VERTEX].edge);
        }
        if (k->use->set_of[store->vertices.data[i].set] != NONE) {
            good = check_vertex(k, (uint32_t)i, required, seen);
            ++k->result->vertex_count;
        }
    }
    free(seen);
    free(required);
    return good;
}

static bool check_view(const struct checking *k, const struct view *view, uint32_t where, const char *what, bool writes)
{
    struct user user = { k->c, k->result->variable_use, NONE, where, what, NULL, writes };
    return !view || view_each_run(view, check_run, &user);
}

/* If a variable is fully mapped, checking one element per piece suffices. */
static bool check_pieces(const struct checking *k, const struct view *view, uint32_t where, const char *what,
                         bool writes)
{
    bool gaps = false;
    struct user user = { k->c, k->result->variable_use, NONE, where, what, NULL, writes };
    for (uint32_t i = 0; view && i < view->piece_count; ++i) {
        struct piece piece = view_piece(view, i);
        struct run first = { piece.variable, piece.offset, piece.elements > 0 };
        if (first.count && !check_run(&first, &user))
            return false;
        gaps |= first.count && k->result->variable_use[first.variable] == VARIABLE_GAPS;
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

const struct check_result *pass_check(struct compiler *c, const struct use_result *use)
{
    assert(use->references && use->set_of);
    struct check_result *result = ARENA_NEW(&c->arena, struct check_result);
    struct checking k = { c, use, result };
    if (!check_tile(c, "debug.profilingTile", c->options->instrumentation.profiling_tile) ||
        !check_tile(c, "debug.branchRecordTile", c->options->instrumentation.branch_tile))
        return NULL;
    result->variable_use = arena_zero(&c->arena, c->store->variables.count, sizeof(*result->variable_use));
    if (!check_vertices(&k) || !check_programs(&k) || !check_handles(&k))
        return NULL;
    use_registers(c, result);
    return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* schedule: the vertices of each tile onto its worker contexts. */
#include "compiler/schedule/schedule.h"
#include "compiler/common/edges.h"
#include "compiler/common/prefetch.h"
#include "compiler/common/tables.h"
#include "graph/graph.h"

#include "base/log.h"
#include "base/str.h"

#include <assert.h>

struct scheduling {
    struct compiler *c;
    const struct order_result *order;
    uint32_t *type_of;
    const struct used_set *set;
    struct image_set *image;
    struct cost_tile tile; /* the current one */
    uint64_t vertices;     /* on it */
    uint64_t *active;      /* by group */
    uint64_t *flops;       /* by group */
    uint64_t estimated;    /* cycles of the set's vertices so far, in issue slots */
    uint32_t index;        /* of the model's set */
    struct dry_run *dry;   /* for vertices without an estimate; NULL: they are left without */
    bool trace, keep;      /* keep: record the cycles of each vertex */
    bool over;             /* they are too many */
};

/* For profiles with each vertex: a worker has one of the tile's issue slots. */
static void keep_vertex(struct scheduling *s, const struct vertex_group *group, uint64_t estimate, bool worker)
{
    struct compiler *c = s->c;
    uint64_t cycles = worker ? estimate * c->store->target.num_worker_contexts : estimate;
    *vec_push(&c->image->model.vertices) =
        (struct model_vertex){ s->index, tables_type(c, s->type_of, group->type), cycles };
}

/* Whether the image can represent the set's cycles. */
static bool add_estimate(struct scheduling *s, uint32_t vertex, uint64_t cycles)
{
    uint64_t each = s->c->store->target.num_worker_contexts;
    s->over = cycles > (FIGURE_MAX - s->estimated) / each;
    if (s->over)
        return compiler_fail_vertex(
            s->c, POP_OVERFLOW_ERROR, vertex,
            "%llu cycles are estimated for it: the vertices of its compute set take more than 2^48 in all",
            (unsigned long long)cycles);
    s->estimated += cycles * each;
    return true;
}

/* ---- sets with vertices that are counted as they run ---- */

static bool may_count(const struct scheduling *s)
{
    for (uint32_t g = 0; s->dry && g < s->set->groups; ++g)
        if (dry_run_assembly(s->dry, s->order->groups.data[s->set->first_group + g].type))
            return true;
    return false;
}

static void begin_counted(struct scheduling *s)
{
    struct image *image = s->c->image;
    if (!may_count(s))
        return;
    s->image->counted = image->vertex_cycles.count + 1;
    s->image->model_set = s->index;
    memset(vec_extend(&image->vertex_cycles, s->set->count), 0, s->set->count * sizeof(uint64_t));
}

/* place: of order_result.vertices.  A guess is no part of what is counted. */
static void keep_counted(const struct scheduling *s, uint64_t place, uint64_t cycles, enum dry_run_assembly assembly,
                         enum model_estimate how)
{
    if (assembly)
        cycles = IMAGE_COUNTED | (assembly == DRY_RUN_WHOLE || how == MODEL_GUESSED ? 0 : cycles);
    if (s->image->counted)
        s->c->image->vertex_cycles.data[s->image->counted - 1 + (place - s->set->first)] = cycles;
}

/* All have estimates: none is counted. */
static void end_counted(const struct scheduling *s)
{
    struct image *image = s->c->image;
    uint64_t any = 0;
    for (uint64_t i = 0; s->image->counted && i < s->set->count; ++i)
        any |= image->vertex_cycles.data[s->image->counted - 1 + i];
    if (!s->image->counted || (any & IMAGE_COUNTED && !s->image->missing_estimate))
        return;
    image->vertex_cycles.count = s->image->counted - 1;
    s->image->counted = s->image->model_set = 0;
}

/* Estimate from the vertex's device code, marked as such. */
static bool estimate_dry(struct scheduling *s, uint64_t place, uint32_t type, pop_perf *perf)
{
    enum model_estimate how;
    if (!s->dry)
        return false;
    enum dry_run_assembly assembly = dry_run_assembly(s->dry, type);
    *perf = (pop_perf){ .cycles = dry_run_cycles(s->dry, s->order->vertices[place], &how) };
    keep_counted(s, place, perf->cycles, assembly, how);
    uint32_t index = tables_type(s->c, s->type_of, type);
    uint8_t *mark = &s->c->image->model.types.data[index].estimate;
    how = assembly ? MODEL_EXECUTED : how;
    *mark = how > *mark ? (uint8_t)how : *mark;
    return true;
}

/* Adds vertices of group g of the set on a tile; false when one has no estimate, or one that is too large. */
static bool schedule_group(struct scheduling *s, uint32_t g, uint64_t first, uint64_t last)
{
    const struct vertex_group *group = &s->order->groups.data[s->set->first_group + g];
    assert(group->first <= first && first <= last && last <= group->first + group->count);
    bool worker = s->c->store->types.data[group->type].codelet->kind == VERTEX_WORKER;
    for (uint64_t i = first; i < last; ++i) {
        pop_perf perf;
        if (s->dry)
            prefetch_edges(s->c->store, s->order, i);
        else
            prefetch_vertex(s->c->store, s->order, i);
        if (store_estimate(s->c->store, s->order->vertices[i], &perf))
            keep_counted(s, i, perf.cycles, DRY_RUN_NONE, MODEL_GIVEN);
        else if (!estimate_dry(s, i, group->type, &perf))
            return false;
        if (!add_estimate(s, s->order->vertices[i], perf.cycles))
            return false;
        s->flops[g] += perf.flops < FIGURE_MAX - s->flops[g] ? perf.flops : FIGURE_MAX - s->flops[g];
        if (s->keep)
            keep_vertex(s, group, perf.cycles, worker);
        if (worker)
            cost_tile_worker(&s->tile, perf.cycles);
        else
            cost_tile_supervisor(&s->tile, perf.cycles);
    }
    s->vertices += last - first;
    return true;
}

static bool schedule_tile(struct scheduling *s, const struct tile_walk *walk)
{
    struct compiler *c = s->c;
    s->tile = cost_tile_start(&c->store->target);
    s->vertices = 0;
    for (uint32_t g = 0; g < s->set->groups; ++g) {
        const struct vertex_group *group = &s->order->groups.data[s->set->first_group + g];
        uint64_t before = s->tile.active;
        if (!schedule_group(s, g, walk->first[g], walk->last[g])) {
            if (!s->over)
                s->image->missing_estimate =
                    compiler_string(c, store_name(c->store, c->store->types.data[group->type].name));
            return false;
        }
        s->active[g] += s->tile.active - before;
    }
    return true;
}

static bool schedule_set(struct compiler *c, const struct order_result *order, uint32_t *type_of, size_t index,
                         struct dry_run *dry)
{
    const struct used_set *set = &order->sets.data[index];
    struct image_set *out = &c->image->sets.data[index];
    const char *name = store_name(c->store, c->store->sets.data[set->set].name);
    struct scheduling s = { .c = c,
                            .order = order,
                            .type_of = type_of,
                            .set = set,
                            .image = out,
                            .active = mem_zero(set->groups, sizeof(*s.active)),
                            .flops = mem_zero(set->groups, sizeof(*s.flops)),
                            .index = tables_set(c, name),
                            .trace = log_on(LOG_COMPILER, LOG_TRACE),
                            .dry = dry,
                            .keep = c->options->instrumentation.level == INSTRUMENT_VERTEX };
    c->image->model.sets.data[s.index].set = set->set + 1;
    size_t kept = c->image->model.vertices.count;
    struct tile_walk walk;
    begin_counted(&s);
    tile_walk_begin(&walk, order, set);
    bool known = true;
    while (tile_walk_next(&walk)) {
        for (uint32_t g = 0; g < set->groups; ++g)
            tables_count(c, tables_type(c, type_of, order->groups.data[set->first_group + g].type), walk.tile,
                         (uint32_t)(walk.last[g] - walk.first[g]));
        known = known && schedule_tile(&s, &walk);
        if (!known)
            continue;
        tables_part(c, walk.tile, &s.tile);
        if (s.trace)
            LOG(COMPILER, TRACE, "compute set '%s': tile %u has %llu vertices, %llu cycles", name, walk.tile,
                (unsigned long long)s.vertices, (unsigned long long)cost_tile_cycles(&s.tile));
    }
    tile_walk_end(&walk);
    end_counted(&s);
    for (uint32_t g = 0; g < set->groups; ++g) {
        const struct vertex_group *group = &order->groups.data[set->first_group + g];
        bool counted = !out->missing_estimate;
        tables_share(c, &(struct model_share){ .type = tables_type(c, type_of, group->type),
                                               .vertices = (uint32_t)group->count,
                                               .active = counted ? s.active[g] : 0,
                                               .flops = counted ? s.flops[g] : 0 });
    }
    free(s.active);
    free(s.flops);
    if (s.over || !out->missing_estimate)
        return !s.over;
    struct model *model = &c->image->model;
    model->sets.data[s.index].missing_estimate = out->missing_estimate;
    model->sets.data[s.index].parts = 0;
    model->parts.count = model->sets.data[s.index].first_part;
    model->vertices.count = kept;
    LOG(COMPILER, DEBUG, "cycles of compute set '%s' are not known: vertex type '%s' has no performance estimate", name,
        image_string(c->image, out->missing_estimate));
    return true;
}

/* One warning for all sets: each vertex type is named once. */
static void warn_of_missing(const struct image *image)
{
    enum { MAX = 4 };
    const char *types[MAX];
    size_t known = 0, sets = 0;
    struct str text = { 0 };
    for (size_t s = 0; s < image->sets.count; ++s) {
        if (!image->sets.data[s].missing_estimate)
            continue;
        const char *type = image_string(image, image->sets.data[s].missing_estimate);
        size_t at = 0;
        ++sets;
        while (at < known && strcmp(types[at], type) != 0)
            ++at;
        if (at < known || known == MAX)
            continue;
        str_format(&text, "%s'%s'", known ? ", " : "", type);
        types[known++] = type;
    }
    if (sets)
        LOG(COMPILER, WARN, "cycles of %zu compute %s are not known: no performance estimate of vertex %s %s%s", sets,
            sets == 1 ? "set" : "sets", known == 1 ? "type" : "types", str_text(&text), known == MAX ? ", ..." : "");
    str_free(&text);
}

static void add_set(struct compiler *c, const struct used_set *set)
{
    const struct compute_set *source = &c->store->sets.data[set->set];
    pop_where where = c->store->wheres.data[source->where];
    *vec_push(&c->image->sets) = (struct image_set){ .name = compiler_string(c, store_name(c->store, source->name)),
                                                     .where_file = compiler_string(c, where.file),
                                                     .where_line = where.line,
                                                     .first_group = set->first_group,
                                                     .groups = set->groups,
                                                     .vertices = set->count };
}

const struct schedule_result *pass_schedule(struct compiler *c, const struct order_result *order)
{
    struct schedule_result *result = ARENA_NEW(&c->arena, struct schedule_result);
    bool good = true;
    for (size_t s = 0; s < order->sets.count; ++s)
        add_set(c, &order->sets.data[s]);
    if (!c->modelled)
        return result;
    result->type_of = arena_zero(&c->arena, c->store->types.count, sizeof(*result->type_of));
    struct dry_run *dry = c->options->require_estimates ? NULL : dry_run_create(c);
    for (size_t s = 0; s < order->sets.count && good; ++s)
        good = schedule_set(c, order, result->type_of, s, dry);
    if (good && log_on(LOG_COMPILER, LOG_WARN)) {
        warn_of_missing(c->image);
        dry_run_report(dry);
    }
    dry_run_free(dry);
    return good ? result : NULL;
}

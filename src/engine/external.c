/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/external.h"
#include "engine/execute.h"

#include "base/error.h"
#include "base/log.h"
#include "base/mix.h"
#include "base/sort.h"
#include "image/reference.h"
#include "popc/module/device_code.h"
#include "report/report.h"
#include "target/cost.h"

#include <fenv.h>
#include <poplar/detail/assembly_call.h>

enum { EXTERNAL_WORKERS = 6 };

struct externals {
    uint32_t count;
    struct tile_vertex **vertices; /* by codelet of the image */
    bool random;                   /* some code draws random numbers */
    bool weights;                  /* some code loads weights, or uses them */
};

/* The architectures to look for code of: the target's, or on a CPU any, the newest common one first. */
static size_t architectures(const struct image *image, enum device_arch archs[DEVICE_ARCHS])
{
    enum device_arch arch = device_arch_of(&image->target);
    if (arch != DEVICE_ARCHS) {
        archs[0] = arch;
        return 1;
    }
    archs[0] = DEVICE_IPU2;
    archs[1] = DEVICE_IPU21;
    archs[2] = DEVICE_IPU1;
    return DEVICE_ARCHS;
}

static pop_status link_one(const struct image *image, const struct codelet *codelet, const char *api,
                           struct tile_vertex **vertex, pop_error *error)
{
    enum device_arch archs[DEVICE_ARCHS];
    size_t count = architectures(image, archs);
    struct str why = { 0 };
    bool missing = true;
    for (size_t i = 0; i < count && missing; ++i) {
        str_free(&why);
        *vertex = tile_vertex_link(codelet, image->modules.data, image->modules.count, archs[i], &missing, &why);
    }
    pop_status status = POP_OK;
    if (*vertex && image->groups.count && !image->edge_first.count)
        status =
            error_set(error, POP_LINK_ERROR, NO_WHERE, api,
                      "the executable does not have the sizes of fields that vertex type '%s' needs", codelet->name);
    else if (missing)
        LOG(ENGINE, WARN, "vertex type '%s' is an external codelet: %s; its compute runs instead", codelet->name,
            str_text(&why));
    else if (!*vertex)
        status = error_set(error, POP_LINK_ERROR, NO_WHERE, api, "cannot link vertex type '%s': %s", codelet->name,
                           str_text(&why));
    str_free(&why);
    return status;
}

pop_status externals_link(const struct image *image, const char *api, struct externals **externals, pop_error *error)
{
    pop_status status = POP_OK;
    *externals = NULL;
    for (uint32_t i = 0; i < image->codelets.count && status == POP_OK; ++i) {
        const struct codelet *codelet = image_codelet(image, i);
        if (!codelet->external)
            continue;
        if (!*externals) {
            *externals = MEM_NEW(struct externals);
            (*externals)->count = (uint32_t)image->codelets.count;
            (*externals)->vertices = mem_zero(image->codelets.count, sizeof(*(*externals)->vertices));
        }
        status = link_one(image, codelet, api, &(*externals)->vertices[i], error);
        if (status != POP_OK || !(*externals)->vertices[i])
            continue;
        (*externals)->random |= tile_vertex_is_random((*externals)->vertices[i]);
        (*externals)->weights |= tile_vertex_has_weights((*externals)->vertices[i]);
    }
    return status;
}

struct tile_calls *externals_calls(const struct image *image)
{
    enum device_arch archs[DEVICE_ARCHS];
    bool assembles = false;
    for (size_t i = 0; i < image->modules.count; ++i)
        for (uint32_t k = 0; k < image->modules.data[i]->object_count; ++k)
            assembles |= image->modules.data[i]->objects[k].assembles;
    if (!assembles)
        return NULL;
    architectures(image, archs);
    return tile_calls_create(image->modules.data, image->modules.count, archs[0]);
}

void externals_free(struct externals *externals)
{
    if (!externals)
        return;
    for (uint32_t i = 0; i < externals->count; ++i)
        tile_vertex_free(externals->vertices[i]);
    mem_free(externals->vertices);
    mem_free(externals);
}

struct tile_vertex *external_of(const struct externals *externals, uint32_t codelet)
{
    return externals ? externals->vertices[codelet] : NULL;
}

/* Tiles with vertices, and those before. */
static uint64_t tiles_of(const struct image *image)
{
    uint64_t tiles = 0;
    for (size_t i = 0; i < image->vertex_places.count; ++i)
        tiles = image->vertex_places.data[i].tile >= tiles ? image->vertex_places.data[i].tile + UINT64_C(1) : tiles;
    return tiles;
}

struct tile_weights *externals_weights(const pop_engine *engine)
{
    if (!engine->calls && !(engine->externals && engine->externals->weights))
        return NULL;
    uint64_t tiles = tiles_of(engine->image);
    struct tile_weights *weights = mem_zero(tiles + 1, sizeof(*weights));
    for (uint64_t i = 0; i < tiles; ++i)
        weights[i].lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; /* static initialiser: needs no destroy */
    return weights;
}

uint64_t (*externals_random(const struct externals *externals, const struct image *image, uint64_t seed))[2]
{
    if (!externals || !externals->random)
        return NULL;
    uint64_t tiles = tiles_of(image);
    uint64_t(*states)[2] = mem_zero(tiles * EXTERNAL_WORKERS, sizeof(*states));
    for (uint64_t i = 0; i < tiles * EXTERNAL_WORKERS; ++i) {
        states[i][0] = mix(mix(seed) + 2 * i);
        states[i][1] = mix(mix(seed) + 2 * i + 1) | 1; /* not all zero */
    }
    return states;
}

/* The floating-point flags of a vertex's tile as the machine's control register. */
static uint32_t floating_point(const struct execute_frame *frame, uint64_t vertex)
{
    enum { INV = 1, DIV0 = 2, OFLO = 4, ESR = 1 << 19, NANOO = 1 << 20 };
    if (!frame->behave.set)
        return 0;
    const uint32_t *flags = behave_flags(frame->behave.set, vertex);
    return (flags[IMAGE_FLAG_INV] ? INV : 0u) | (flags[IMAGE_FLAG_DIV0] ? DIV0 : 0u) |
           (flags[IMAGE_FLAG_OFLO] ? OFLO : 0u) | (flags[IMAGE_FLAG_NANOO] ? NANOO : 0u) |
           (flags[IMAGE_FLAG_ESR] && !frame->behave.set->no_random ? ESR : 0u);
}

bool external_counts(const pop_engine *engine, const struct replica *replica)
{
    return engine->captured.running && replica->number == engine->profiled;
}

/* UINT32_MAX: not known. */
static uint32_t tile_of(const struct external_call *external, uint64_t in_set)
{
    const struct image *image = external->image;
    return image->vertex_places.count ? image->vertex_places.data[external->set->first_vertex_id + in_set].tile
                                      : UINT32_MAX;
}

/* The vertex of the set whose compute runs. */
static uint64_t current_vertex(const struct codelet_call *call, const struct external_call *external)
{
    return external->first + (uint64_t)((unsigned char *)call->current - (unsigned char *)call->states) / call->stride;
}

static struct tile_vertex_run run_of(const struct execute_frame *frame, unsigned char *state, uint64_t in_set)
{
    const struct external_call *external = &frame->external;
    const struct image *image = external->image;
    uint64_t index = external->set->first_vertex_id + in_set;
    return (struct tile_vertex_run){ .state = state,
                                     .edge_bytes = image->edge_bytes.data + image->edge_first.data[index],
                                     .addresses = image->edge_addresses.count && !external->checked
                                                      ? image->edge_addresses.data + image->edge_first.data[index]
                                                      : NULL,
                                     .fp_ictl = floating_point(frame, in_set),
                                     .tile = tile_of(external, in_set),
                                     .seed = (frame->behave.set ? frame->behave.set->seed : 0) + in_set,
                                     .counts = external->counts,
                                     .checked = external->checked };
}

/* ---- weights, of the tile ---- */

static void take_weights(struct external_call *external, struct tile_vertex_run *run)
{
    if (!external->weights || run->tile == UINT32_MAX)
        return;
    struct tile_weights *of = external->weights + run->tile;
    pthread_mutex_lock(&of->lock);
    memcpy(external->words, of->turn == external->turn ? of->before : of->now, sizeof(external->words));
    pthread_mutex_unlock(&of->lock);
    run->weights = external->words;
}

static void keep_weights(struct external_call *external, uint32_t tile, uint64_t vertex)
{
    if (!external->weights || tile == UINT32_MAX)
        return;
    struct tile_weights *of = external->weights + tile;
    pthread_mutex_lock(&of->lock);
    bool first = of->turn != external->turn;
    if (memcmp(external->words, first ? of->now : of->before, sizeof(external->words)) != 0 &&
        (first || vertex >= of->vertex)) {
        if (first)
            memcpy(of->before, of->now, sizeof(of->before));
        memcpy(of->now, external->words, sizeof(of->now));
        of->turn = external->turn;
        of->vertex = vertex;
    }
    pthread_mutex_unlock(&of->lock);
}

static void begin_vertex(struct codelet_call *call, struct external_call *external)
{
    const struct execute_frame *frame = (const struct execute_frame *)(const void *)call;
    unsigned char *state = call->current;
    uint64_t at = current_vertex(call, external);
    if (!external->assembler && !(external->assembler = tile_call_take(external->calls)))
        call->fail(call, "there is no host memory for the memory of a tile", NULL, 0);
    struct tile_vertex_run run = run_of(frame, state, at);
    run.seed = call->seed + (at - external->first);
    take_weights(external, &run);
    tile_call_begin(external->assembler, external->codelet, &run);
    external->assembled = state;
}

void external_assemble(struct codelet_call *call, struct popc_assembly *assembly)
{
    struct execute_frame *frame = (struct execute_frame *)(void *)call;
    struct external_call *external = &frame->external;
    struct tile_vertex_run run;
    fenv_t host;
    if (!external->calls || !external->image->edge_first.count)
        call->fail(call, "the executable does not have what inline assembly needs", assembly->file, assembly->line);
    if (external->assembled != call->current)
        begin_vertex(call, external);
    feholdexcept(&host); /* the interpreter finds exceptions itself */
    bool good = tile_call_execute(external->assembler, call->worker, assembly, &run);
    fesetenv(&host);
    if (!good)
        call->fail(call, run.text, run.file, run.line);
    uint64_t at = current_vertex(call, external);
    if (external->codelet->kind == VERTEX_SUPERVISOR)
        keep_weights(external, tile_of(external, at), at);
    if (external->counted)
        external->counted[at] += run.cycles;
}

void external_end(struct external_call *external)
{
    if (external->assembler)
        tile_call_give(external->assembler);
    external->assembler = NULL;
    external->assembled = NULL;
}

bool external_run(struct codelet_call *call)
{
    struct execute_frame *frame = (struct execute_frame *)(void *)call;
    struct external_call *external = &frame->external;
    const struct image *image = external->image;
    unsigned char *state = call->states;
    bool agreed = true;
    for (uint64_t i = 0; i < call->count; ++i, state += call->stride) {
        struct tile_vertex_run run = run_of(frame, state, external->first + i);
        if (external->random && image->vertex_places.count)
            run.random = external->random + (size_t)EXTERNAL_WORKERS * run.tile;
        fenv_t host;
        call->current = state;
        take_weights(external, &run);
        feholdexcept(&host); /* the interpreter finds exceptions itself */
        bool good = tile_vertex_run(external->vertex, &run);
        fesetenv(&host);
        if (!good)
            call->fail(call, run.text, run.file, run.line);
        agreed &= run.agreed;
        keep_weights(external, run.tile, external->first + i);
        if (external->counted)
            external->counted[external->first + i] += run.cycles;
    }
    return agreed;
}

/* ---- what a set took ---- */

struct vertex_cycles {
    uint32_t tile, group; /* group: of the set */
    bool worker;
    uint64_t cycles, active; /* active: of the tile, in which a thread runs */
};

static uint64_t tile_number(const void *entry)
{
    return ((const struct vertex_cycles *)entry)->tile;
}

/* The vertices of a set by tile; on a tile in the order in which they are scheduled. */
static struct vertex_cycles *list_vertices(const struct engine_run *run, const struct image_set *set)
{
    const struct image *image = run->image;
    struct vertex_cycles *list = mem_zero(set->vertices, sizeof(*list));
    uint64_t at = 0;
    for (uint32_t g = 0; g < set->groups; ++g) {
        const struct image_group *group = image->groups.data + set->first_group + g;
        bool worker = image_codelet(image, group->codelet)->kind == VERTEX_WORKER;
        for (uint64_t i = 0; i < group->count; ++i, ++at) {
            uint64_t known = image->vertex_cycles.data[set->counted - 1 + at];
            uint64_t counted = known & IMAGE_COUNTED ? run->replica->counted[at] : 0;
            list[at] = (struct vertex_cycles){ image->vertex_places.data[set->first_vertex_id + at].tile, g, worker,
                                               (known & ~IMAGE_COUNTED) + counted, 0 };
        }
    }
    sort_by_key(list, set->vertices, sizeof(*list), tile_number);
    return list;
}

/* By group of a set: the share of the model that its vertices are in. */
static uint64_t *shares_of_groups(const struct image *image, const struct image_set *set)
{
    const struct model_set *of = image->model.sets.data + set->model_set;
    uint64_t *shares = mem_zero(set->groups, sizeof(*shares));
    for (uint32_t g = 0; g < set->groups; ++g) {
        const char *name = image_codelet(image, image->groups.data[set->first_group + g].codelet)->name;
        for (uint64_t k = of->first_share; k < of->first_share + of->shares; ++k)
            if (strcmp(image_string(image, image->model.types.data[image->model.shares.data[k].type].name), name) == 0)
                shares[g] = k;
    }
    return shares;
}

/* Keeps what vertices took: those of a set are listed in the model's order. */
static void keep_last(struct step_costs *costs, const struct image *image, const struct image_set *set,
                      const struct vertex_cycles *list)
{
    const struct model *model = &image->model;
    const struct model_set *of = model->sets.data + set->model_set;
    uint64_t *shares = shares_of_groups(image, set), workers = image->target.num_worker_contexts,
             first = model_first_vertex(model, set->model_set);
    for (uint64_t k = of->first_share; k < of->first_share + of->shares; ++k)
        costs->active.data[k] = 0;
    for (uint64_t i = 0; i < set->vertices; ++i) {
        uint64_t cycles = list[i].worker ? list[i].cycles * workers : list[i].cycles;
        costs->active.data[shares[list[i].group]] += list[i].active;
        if (first + i < costs->vertices.count && model->vertices.data[first + i].set == set->model_set)
            costs->vertices.data[first + i] = cycles;
    }
    mem_free(shares);
}

void external_book(struct engine_run *run, const struct image_set *set, uint32_t op)
{
    struct trace *trace = &run->replica->trace, *captured = &run->engine->captured;
    struct step_costs *costs = &run->replica->costs;
    bool captures = external_counts(run->engine, run->replica);
    if (!trace->running && !captures)
        return;
    struct vertex_cycles *list = list_vertices(run, set);
    VEC(struct model_part) parts = { 0 };
    for (uint64_t i = 0; i < set->vertices;) {
        struct cost_tile tile = cost_tile_start(&run->image->target);
        uint32_t number = list[i].tile;
        for (; i < set->vertices && list[i].tile == number; ++i) {
            uint64_t before = tile.active;
            (list[i].worker ? cost_tile_worker : cost_tile_supervisor)(&tile, list[i].cycles);
            list[i].active = tile.active - before;
        }
        struct model_part part = { number, 1, cost_tile_cycles(&tile), tile.active };
        if (part.cycles && !(parts.count && model_part_joins(parts.data + parts.count - 1, &part)))
            *vec_push(&parts) = part;
    }
    uint32_t cost = step_costs_add(costs, set->model_set, parts.data, parts.count);
    if (cost != COSTS_FULL) {
        step_costs_last(costs, &run->image->model, cost);
        keep_last(costs, run->image, set, list);
    }
    if (trace->running && cost != COSTS_FULL)
        trace_counted(trace, op, cost);
    if (captures && cost != COSTS_FULL)
        trace_counted(captured, op, cost);
    vec_free(&parts);
    mem_free(list);
}

/* ---- lines ---- */

struct gathered_lines {
    const char *type; /* whose lines are gathered */
    VEC(struct report_line) list;
};

static void gather_line(void *user, const struct tile_line_count *count)
{
    struct gathered_lines *lines = user;
    *vec_push(&lines->list) =
        (struct report_line){ lines->type, count->file, count->line, count->executions, count->slots };
}

static int by_line(const void *left, const void *right)
{
    const struct report_line *a = left, *b = right;
    int order = strcmp(a->type, b->type);
    order = order ? order : strcmp(a->file, b->file);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

void external_report(const pop_engine *engine)
{
    const struct image *image = engine->image;
    struct gathered_lines lines = { NULL, { 0 } };
    size_t count = 0;
    if (!engine->externals && !engine->calls)
        return;
    for (uint32_t i = 0; i < image->codelets.count; ++i) {
        const struct codelet *codelet = image_codelet(image, i);
        const struct tile_vertex *vertex = external_of(engine->externals, i);
        lines.type = codelet->name;
        if (vertex)
            tile_vertex_lines(vertex, gather_line, &lines);
        if (engine->calls)
            tile_calls_lines(engine->calls, codelet, gather_line, &lines);
    }
    if (lines.list.count)
        qsort(lines.list.data, lines.list.count, sizeof(*lines.list.data), by_line);
    for (size_t i = 0; i < lines.list.count; ++i) {
        struct report_line *line = lines.list.data + i, *last = count ? lines.list.data + count - 1 : NULL;
        if (last && by_line(last, line) == 0) {
            last->executions += line->executions;
            last->slots += line->slots;
        } else {
            lines.list.data[count++] = *line;
        }
    }
    report_write_lines(engine->report, lines.list.data, count);
    vec_free(&lines.list);
}

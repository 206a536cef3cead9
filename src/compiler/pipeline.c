/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler as a list of passes. */
#include "compiler/pipeline.h"
#include "compiler/check/expand.h"
#include "compiler/liveness/live.h"
#include "compiler/lower/blocks.h"
#include "graph/build.h"
#include "graph/debug_calls.h"
#include "graph/store.h"
#include "graph/view_cache.h"

#include "base/log.h"

#include <assert.h>
#include <time.h>

/* Debug builds: what must hold after a pass. */
static void verify_sets(const struct compiler *c)
{
    uint64_t count = 0;
    for (size_t s = 0; s < c->sets.count; ++s)
        for (uint64_t i = 0; i < c->sets.data[s].count; ++i, ++count)
            assert(c->store->vertices.data[c->order[c->sets.data[s].first + i]].set == c->sets.data[s].set);
    assert(count == c->vertex_count);
    (void)count;
}

static void verify_order(const struct compiler *c)
{
    for (size_t g = 0; g < c->groups.count; ++g)
        for (uint64_t i = 0; i < c->groups.data[g].count; ++i)
            assert(c->store->vertices.data[c->order[c->groups.data[g].first + i]].type == c->groups.data[g].type);
    uint64_t at = 0;
    for (size_t s = 0; s < c->spans.count; ++s)
        for (uint32_t i = 0; i < c->spans.data[s].count; ++i, ++at)
            assert(c->store->vertices.data[c->order[at]].tile == c->spans.data[s].tile);
    assert(at == c->vertex_count);
    (void)at;
}

static void verify_bits(const struct compiler *c)
{
    for (uint32_t v = 0; v < c->store->variables.count; ++v)
        assert(bitmaps_clean(&c->bits, v, c->store->variables.data[v].elements));
}

static void verify_storage(const struct compiler *c)
{
    for (uint32_t v = 0; v < c->store->variables.count; ++v)
        assert((c->storage[v] != NO_STORAGE) == (c->variable_use[v] != VARIABLE_UNUSED));
}

static void verify_lower(const struct compiler *c)
{
    assert(c->op_node.count == c->image->ops.count);
    for (size_t i = 0; i < c->image->copies.count; ++i)
        assert(c->image->copies.data[i].first_move + c->image->copies.data[i].moves <= c->image->moves.count);
}

static void verify_vertices(const struct compiler *c)
{
    (void)c; /* without assertions */
    assert(c->image->sets.count == c->sets.count && c->image->groups.count == c->groups.count);
}

static void verify_steps(const struct compiler *c)
{
    assert(c->origins.count == c->image->model.steps.count);
    assert(!c->modelled || c->image->model.op_first.count == c->image->ops.count + 1);
    (void)c;
}

/* Addresses of all categories are those of all tiles; a list's bytes are its rows'. */
static void verify_place(const struct compiler *c)
{
    const struct model *model = &c->image->model;
    uint64_t uses = 0, tiles = 0, rows = 0, lists = 0;
    for (size_t i = 0; i < model->uses.count; ++i)
        uses += model->uses.data[i].overlapped == MODEL_OVERLAPPED
                    ? 0
                    : model->uses.data[i].bytes * model->uses.data[i].tiles;
    for (size_t i = 0; i < model->tiles.count; ++i)
        for (int region = 0; region < MODEL_REGIONS; ++region)
            tiles += model->tiles.data[i].bytes[region];
    for (size_t i = 0; i < model->live.count; ++i)
        rows += model->live.data[i].bytes;
    for (size_t i = 0; i < model->live_lists.count; ++i)
        lists += model->live_lists.data[i].bytes;
    assert(uses == tiles && rows == lists);
    assert(!c->modelled || model->step_live.count == model->steps.count);
    (void)uses, (void)tiles, (void)rows, (void)lists;
}

/* What is emitted passes the reader's check, in every build: an executable that runs but cannot be read again is found
 * here. */
static bool pass_image(struct compiler *c)
{
    pop_error wrong = { 0 };
    if (image_check(c->image, "the compiled graph", &wrong) == POP_OK)
        return true;
    return error_set(c->error, POP_POPLAR_ERROR, NO_WHERE, NULL,
                     "the compiler made an executable that cannot be run, which is a bug of the library: %s",
                     wrong.text) == POP_OK;
}

static const struct pass {
    const char *name;
    bool (*run)(struct compiler *c);
    void (*verify)(const struct compiler *c); /* NULL: nothing to check */
} passes[] = {
    { "use", pass_use, NULL },
    { "check", pass_check, NULL },
    { "sets", pass_sets, verify_sets },
    { "hazard", pass_hazard, verify_bits },
    { "order", pass_order, verify_order },
    { "storage", pass_storage, verify_storage },
    { "blocks", pass_blocks, NULL },
    { "outline", pass_outline, NULL },
    { "lower", pass_lower, verify_lower },
    { "vertices", pass_vertices, verify_vertices },
    { "schedule", pass_schedule, NULL },
    { "exchange", pass_exchange, verify_bits },
    { "steps", pass_steps, verify_steps },
    { "live", pass_live, NULL },
    { "place", pass_place, verify_place },
    { "emit", pass_emit, NULL },
    { "image", pass_image, NULL },
};
enum { PASSES = sizeof(passes) / sizeof(passes[0]) };

static bool run_passes(struct compiler *c, size_t failures, pop_progress progress, void *user)
{
    for (int i = 0; i < PASSES; ++i) {
        double start = log_milliseconds();
        if (!passes[i].run(c))
            return false;
        if (error_if_memory_failed(c->error, POP_OK, failures, COMPILE_API) != POP_OK)
            return false;
        LOG(COMPILER, DEBUG,
            "%-8s %8.2f ms: %zu sets, %llu vertices, %zu ops, %zu copies of %zu moves, %zu gathers, %zu bytes of state",
            passes[i].name, log_milliseconds() - start, c->sets.count, (unsigned long long)c->vertex_count,
            c->image->ops.count, c->image->copies.count, c->image->moves.count, c->image->gathers.count,
            c->image->states.count);
#ifndef NDEBUG
        if (passes[i].verify)
            passes[i].verify(c);
#endif
        if (progress)
            progress(i + 1, PASSES, user);
        if (atomic_load(&c->store->cancelled)) {
            error_set(c->error, POP_RUNTIME_ERROR, NO_WHERE, COMPILE_API,
                      "the compilation was cancelled after step %d of %d (%s)", i + 1, PASSES, passes[i].name);
            return false;
        }
        if (c->store->error.status != POP_OK) { /* a callback's */
            *c->error = c->store->error;
            return false;
        }
    }
    return true;
}

static void compiler_free(struct compiler *c)
{
    free(c->references);
    vec_free(&c->finished);
    free(c->set_of);
    free(c->same);
    blocks_free(&c->blocks);
    vec_free(&c->sets);
    free(c->variable_use);
    free(c->order);
    vec_free(&c->groups);
    vec_free(&c->spans);
    bitmaps_free(&c->bits);
    free(c->storage);
    vec_free(&c->op_node);
    vec_free(&c->lowered);
    vec_free(&c->control_body);
    free(c->type_of);
    free(c->plans);
    vec_free(&c->rearranged);
    vec_free(&c->origins);
    vec_free(&c->merged);
    live_free(c->live);
    free(c->alignment);
    free(c->interleaved);
    intern_free(&c->strings);
    vec_free(&c->string_at);
}

pop_status compile_graph(pop_store *store, const pop_program *programs, size_t count, const struct option_set *options,
                         pop_progress progress, void *progress_user, struct image **image, pop_error *error)
{
    pop_error local;
    error = error ? error : &local;
    *image = NULL;
    if (store_ready(store) &&
        (store->float_behaviour || options_bool(options, "engine", "prng.enableStochasticRounding")))
        registers_make(store);
    if (!store_ready(store)) {
        *error = store->error;
        LOG(COMPILER, ERR, "%s", error->text);
        return error->status;
    }
    size_t failures = mem_failures();
    struct compiler c = {
        .store = store, .programs = programs, .program_count = count, .options = options, .error = error
    };
    c.image = image_create();
    c.image->target = store->target;
    c.image->replicas = store->replicas;
    c.image->device_ipus = store->device_ipus;
    options_copy(&c.image->options, options);
    store_number_contexts(store);
    c.image->contexts = store->contexts;
    c.checked = options_bool(options, "engine", "debug.checkedExecution");
    c.modelled = store->target.type != POP_TARGET_CPU && options_bool(options, "engine", "debug.model");
    bitmaps_init(&c.bits, store->variables.count);
    double start = log_milliseconds();
    LOG(COMPILER, INFO,
        "compiling a graph of %zu vertices, %zu variables, %zu compute sets and %zu control programs for %u tiles",
        store->vertices.count, store->variables.count, store->sets.count, count, pop_target_num_tiles(&store->target));
    LOG(PROGRAM, INFO, "%zu control programs; the graph has %zu programs in all", count, store->programs.count);
    atomic_store(&store->cancelled, false);
    store->compiling = true;
    view_cache_free(store); /* nothing of the graph is walked again */
    ++store->handles;       /* a callback may destroy the graph */
    struct expansion *expansion;
    bool good =
        expansion_make(store, programs, count, &expansion, error) && run_passes(&c, failures, progress, progress_user);
    expansion_undo(expansion);
    store->compiling = false;
    compiler_free(&c);
    store->memory_failures = mem_failures(); /* this call reports them */
    if (--store->handles == 0)
        store_destroy(store);
    if (!good) {
        LOG(COMPILER, ERR, "%s", error->text);
        if (error->status == POP_GRAPH_MEMORY_ALLOCATION_ERROR && c.image->model.tiles.count)
            *image = c.image;
        else
            image_release(c.image);
        return error->status;
    }
    LOG(COMPILER, INFO, "compiled in %.1f ms: %zu steps, %llu bytes of variables, %zu bytes of vertex state",
        log_milliseconds() - start, c.image->ops.count, (unsigned long long)c.image->storage_bytes,
        c.image->states.count);
    *image = c.image;
    return POP_OK;
}

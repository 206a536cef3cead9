/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler as a list of passes. */
#include "compiler/pipeline.h"
#include "compiler/check/check.h"
#include "compiler/common/pass_times.h"
#include "compiler/common/passes.h"
#include "compiler/dump/dump.h"
#include "compiler/exchange/exchange.h"
#include "compiler/liveness/live.h"
#include "compiler/lower/blocks.h"
#include "compiler/lower/lower.h"
#include "compiler/placement/place.h"
#include "compiler/schedule/schedule.h"
#include "compiler/steps/steps.h"
#include "compiler/verify.h"
#include "graph/graph.h"
#include "graph/store/debug_calls.h"
#include "graph/store/store.h"
#include "graph/view/view.h"
#include "image/check.h"
#include "program/registers.h"

#include "base/log.h"
#include "base/pool.h"

/* Below this many vertices progress is not logged and memory is not trimmed. */
enum { LONG_COMPILATION = 100000 };

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

/* ---- what each pass uses of what came before it ---- */

static bool run_use(struct compiler *c, struct pass_results *r)
{
    return (r->use = pass_use(c)) != NULL;
}

static bool run_check(struct compiler *c, struct pass_results *r)
{
    return (r->check = pass_check(c, r->use)) != NULL;
}

static bool run_sets(struct compiler *c, struct pass_results *r)
{
    return (r->sets = pass_sets(c, r->use, r->check)) != NULL;
}

static bool run_hazard(struct compiler *c, struct pass_results *r)
{
    return pass_hazard(c, r->sets);
}

static bool run_order(struct compiler *c, struct pass_results *r)
{
    return (r->order = pass_order(c, r->use, r->sets)) != NULL;
}

static bool run_storage(struct compiler *c, struct pass_results *r)
{
    return (r->storage = pass_storage(c, r->use, r->check, r->sets)) != NULL;
}

static bool run_blocks(struct compiler *c, struct pass_results *r)
{
    return (r->blocks = pass_blocks(c, r->use)) != NULL;
}

static bool run_outline(struct compiler *c, struct pass_results *r)
{
    return (r->outline = pass_outline(c, r->use)) != NULL;
}

static bool run_lower(struct compiler *c, struct pass_results *r)
{
    return (r->lower = pass_lower(c, r->use, r->storage, r->blocks, r->outline)) != NULL;
}

static bool run_schedule(struct compiler *c, struct pass_results *r)
{
    return (r->schedule = pass_schedule(c, r->order)) != NULL;
}

static bool run_exchange(struct compiler *c, struct pass_results *r)
{
    return (r->exchange = pass_exchange(c, r->check, r->sets, r->order, r->lower)) != NULL;
}

static bool run_steps(struct compiler *c, struct pass_results *r)
{
    return (r->steps = pass_steps(c, r->use, r->check, r->order, r->blocks, r->lower, r->exchange)) != NULL;
}

static bool run_live(struct compiler *c, struct pass_results *r)
{
    const struct live_inputs in = { .use = r->use,
                                    .check = r->check,
                                    .sets = r->sets,
                                    .order = r->order,
                                    .storage = r->storage,
                                    .exchange = r->exchange,
                                    .steps = r->steps };
    return (r->live = pass_live(c, &in)) != NULL;
}

static bool run_place(struct compiler *c, struct pass_results *r)
{
    const struct place_inputs in = { .use = r->use,
                                     .check = r->check,
                                     .order = r->order,
                                     .storage = r->storage,
                                     .blocks = r->blocks,
                                     .schedule = r->schedule,
                                     .live = r->live };
    bitmaps_free(&c->bits); /* no later pass needs them, and this one most memory */
    return pass_place(c, &in);
}

/* What it makes is large, and no other pass reads it: it follows those that need much memory themselves, when that is
 * free again. */
static bool run_vertices(struct compiler *c, struct pass_results *r)
{
    r->exchange = NULL;
    r->steps = NULL;
    r->live = NULL;
    arena_free(&c->model);
    if (c->store->vertices.count >= LONG_COMPILATION)
        mem_trim();
    return pass_vertices(c, r->check, r->order, r->storage);
}

static bool run_emit(struct compiler *c, struct pass_results *r)
{
    return pass_emit(c, r->check, r->storage);
}

static bool run_image(struct compiler *c, struct pass_results *r)
{
    (void)r;
    return pass_image(c);
}

static const struct pass {
    const char *name;
    unsigned share; /* of the time of compiling, in percent: the mean of a million plain vertices and of a network */
    bool (*run)(struct compiler *c, struct pass_results *r);
    void (*verify)(const struct compiler *c,
                   const struct pass_results *r); /* in debug builds; NULL: nothing to check */
} passes[] = {
    { "use", 0, run_use, NULL },
    { "check", 7, run_check, NULL },
    { "sets", 1, run_sets, VERIFY(verify_sets) },
    { "hazard", 7, run_hazard, VERIFY(verify_bits) },
    { "order", 1, run_order, VERIFY(verify_order) },
    { "storage", 0, run_storage, VERIFY(verify_storage) },
    { "blocks", 0, run_blocks, NULL },
    { "outline", 1, run_outline, VERIFY(verify_outline) },
    { "lower", 5, run_lower, VERIFY(verify_lower) },
    { "schedule", 16, run_schedule, VERIFY(verify_schedule) },
    { "exchange", 28, run_exchange, VERIFY(verify_exchange) },
    { "steps", 0, run_steps, VERIFY(verify_steps) },
    { "live", 10, run_live, VERIFY(verify_live) },
    { "place", 7, run_place, VERIFY(verify_place) },
    { "vertices", 15, run_vertices, VERIFY(verify_vertices) },
    { "emit", 0, run_emit, NULL },
    { "image", 2, run_image, NULL },
};
enum { PASSES = sizeof(passes) / sizeof(passes[0]) };

const char *compile_pass(int done, double *share)
{
    bool known = done >= 1 && done <= PASSES;
    unsigned percent = 0;
    for (int i = 0; i < done && known; ++i)
        percent += passes[i].share;
    if (share)
        *share = percent / 100.0;
    return known ? passes[done - 1].name : "";
}

static void log_progress(const struct compiler *c, int pass)
{
    double share;
    compile_pass(pass, &share);
    if (passes[pass].share && c->store->vertices.count >= LONG_COMPILATION)
        LOG(COMPILER, INFO, "compiling, %2.0f%%: pass %d of %d, %s", share * 100, pass + 1, PASSES, passes[pass].name);
}

static void log_pass(const struct compiler *c, const struct pass_results *r, const char *name, double start)
{
    LOG(COMPILER, DEBUG,
        "%-8s %8.2f ms: %zu sets, %llu vertices, %zu ops, %zu copies of %zu moves, %zu gathers, %zu bytes of state",
        name, log_milliseconds() - start, r->use->sets.count,
        (unsigned long long)(r->check ? r->check->vertex_count : 0), c->image->ops.count, c->image->copies.count,
        c->image->moves.count, c->image->gathers.count, c->image->states.count);
}

static bool run_passes(struct compiler *c, size_t failures, pop_progress progress, void *user)
{
    struct pass_results r = { 0 };
    struct pass_dump dump;
    struct pass_time times[PASSES];
    bool good = dump_begin(&dump, c);
    for (int i = 0; i < PASSES && good; ++i) {
        double start = log_milliseconds();
        log_progress(c, i);
        good = passes[i].run(c, &r);
        if (!good || error_if_memory_failed(c->error, POP_OK, failures, COMPILE_API) != POP_OK) {
            good = false;
            break;
        }
        times[i] = pass_time_since(passes[i].name, start);
        log_pass(c, &r, passes[i].name, start);
        if (passes[i].verify)
            passes[i].verify(c, &r);
        dump_pass(&dump, c, &r, passes[i].name);
        if (progress)
            progress(i + 1, PASSES, user);
        if (atomic_load(&c->store->cancelled)) {
            error_set(c->error, POP_RUNTIME_ERROR, NO_WHERE, COMPILE_API,
                      "the compilation was cancelled after step %d of %d (%s)", i + 1, PASSES, passes[i].name);
            good = false;
        } else if (c->store->error.status != POP_OK) { /* a callback's */
            *c->error = c->store->error;
            good = false;
        }
    }
    if (good)
        pass_times_log(times, PASSES);
    return dump_end(&dump, c, good);
}

/* As many threads as run vertices later; a small graph is compiled in the time that it takes to start one. */
static struct thread_pool *start_threads(const pop_store *store, const struct engine_options *options)
{
    enum { SMALL = 10000 };
    unsigned threads = pool_threads_for(options->host_threads);
    return store->vertices.count > SMALL && threads > 1 ? pool_create(threads) : NULL;
}

static void compiler_free(struct compiler *c)
{
    pool_destroy(c->pool);
    arena_free(&c->arena);
    arena_free(&c->model);
    bitmaps_free(&c->bits);
    moves_free(&c->moves);
    intern_free(&c->strings);
    vec_free(&c->string_at);
}

/* The state of a compilation and its image, which has what reports say of the graph. */
static struct compiler compiler_make(const struct compile_request *request, const struct engine_options *settings,
                                     pop_error *error)
{
    pop_store *store = request->store;
    struct compiler c = { .store = store,
                          .programs = request->programs.list,
                          .program_count = request->programs.count,
                          .options = settings,
                          .placed = request->placed,
                          .error = error };
    c.image = image_create();
    c.moves.image = c.image;
    c.image->target = store->target;
    c.image->replicas = store->replicas;
    c.image->device_ipus = store->device_ipus;
    options_copy(&c.image->options, request->options);
    store_number_contexts(store);
    c.image->contexts = store->contexts;
    c.modelled = store->target.type != POP_TARGET_CPU && settings->model;
    c.pool = start_threads(store, settings);
    bitmaps_init(&c.bits, store->variables.count);
    LOG(COMPILER, INFO,
        "compiling a graph of %zu vertices, %zu variables, %zu compute sets and %zu control programs for %u tiles",
        store->vertices.count, store->variables.count, store->sets.count, c.program_count,
        pop_target_num_tiles(&store->target));
    LOG(PROGRAM, INFO, "%zu control programs; the graph has %zu programs in all", c.program_count,
        store->programs.count);
    return c;
}

/* After an error: a graph that does not fit has an image, for its report. */
static pop_status fail_compile(struct image *made, struct image **image, const pop_error *error)
{
    LOG(COMPILER, ERR, "%s", error->text);
    if (error->status == POP_GRAPH_MEMORY_ALLOCATION_ERROR && made->model.tiles.count)
        *image = made;
    else
        image_release(made);
    return error->status;
}

pop_status compile_graph(const struct compile_request *request, struct image **image, pop_error *error)
{
    pop_store *store = request->store;
    pop_error local;
    error = error ? error : &local;
    *image = NULL;
    struct engine_options settings;
    engine_options_read(&settings, request->options);
    if (store_ready(store) && (store->float_behaviour || settings.stochastic_rounding))
        registers_make(store);
    if (!store_ready(store)) {
        *error = store->error;
        LOG(COMPILER, ERR, "%s", error->text);
        return error->status;
    }
    size_t failures = mem_failures();
    struct compiler c = compiler_make(request, &settings, error);
    double start = log_milliseconds();
    atomic_store(&store->cancelled, false);
    store->compiling = true;
    vec_free(&store->owned);
    recent_walks_free(store->walks);
    store->walks = NULL;
    ++store->handles; /* a callback may destroy the graph */
    struct expansion *expansion;
    bool good = expansion_make(store, request->programs.list, request->programs.count, &expansion, error) &&
                run_passes(&c, failures, request->progress, request->progress_user);
    expansion_undo(expansion);
    store->compiling = false;
    compiler_free(&c);
    if (store->vertices.count >= LONG_COMPILATION)
        mem_trim();                          /* the engine is loaded next */
    store->memory_failures = mem_failures(); /* this call reports them */
    store_release(store);
    if (!good)
        return fail_compile(c.image, image, error);
    LOG(COMPILER, INFO, "compiled in %.1f ms: %zu steps, %llu bytes of variables, %zu bytes of vertex state",
        log_milliseconds() - start, c.image->ops.count, (unsigned long long)c.image->storage_bytes,
        c.image->states.count);
    *image = c.image;
    return POP_OK;
}

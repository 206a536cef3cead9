/* SPDX-License-Identifier: Apache-2.0 */
/* Engines: creation, loading, running, queries. */
#include "engine/engine.h"
#include "base/str.h"
#include "engine/external.h"
#include "engine/ranks.h"
#include "engine/stop.h"
#include "popc/module/link.h"
#include "report/report.h"
#include "report/select.h"

#ifndef TREMULA_VERSION
#define TREMULA_VERSION "unknown" /* defined by the build */
#endif
#ifndef TREMULA_PACKAGE_HASH
#define TREMULA_PACKAGE_HASH "unknown" /* defined by the build if known */
#endif

static pop_engine *fail_create(pop_error *error, const pop_error *made)
{
    if (error)
        *error = *made;
    else
        pop_error_print(made);
    return NULL;
}

/* Reads the options that may change between runs. */
static void read_runtime_options(pop_engine *engine, const struct option_set *set)
{
    struct engine_options read;
    engine_options_read(&read, set);
    engine->settings.guide_format = read.guide_format;
    engine->settings.prefetch = read.prefetch;
}

pop_status pop_engine_set_runtime_options(pop_engine *engine, pop_options options, pop_error *error)
{
    static const char api[] = "pop_engine_set_runtime_options";
    static const char *const changeable[] = { "exchange.enablePrefetch", "exchange.streamBufferOverlap",
                                              "print.guideFormat" };
    pop_error ours = { .status = POP_OK };
    if (!engine || engine->running)
        return error_set(error ? error : &ours, POP_RUNTIME_ERROR, NO_WHERE, api, "the engine is %s",
                         engine ? "running" : "NULL");
    struct option_set given = { 0 }, all = { 0 };
    struct str idle = { 0 };
    options_copy(&all, &engine->options);
    pop_status status = options_apply(&given, "runtime", options, NULL, NO_WHERE, api, error ? error : &ours);
    if (status == POP_OK)
        status = options_apply(&all, "runtime", options, NULL, NO_WHERE, api, error ? error : &ours);
    if (status == POP_OK)
        read_runtime_options(engine, &all);
    for (size_t i = 0; i < given.set.count && status == POP_OK; ++i) {
        const char *key = given.set.data[i].key;
        bool differs = strcmp(given.set.data[i].value, options_get(&engine->options, "engine", key)) != 0;
        for (size_t j = 0; j < sizeof(changeable) / sizeof(changeable[0]); ++j)
            differs = differs && strcmp(key, changeable[j]) != 0;
        if (differs)
            str_format(&idle, "%s%s", idle.length ? ", " : "", key);
    }
    if (idle.length)
        LOG(ENGINE, WARN, "options without effect on a run, which are for making its engine: %s", str_text(&idle));
    str_free(&idle);
    options_free(&given);
    options_free(&all);
    return status;
}

/* Reads profiler.replicaToProfile: a number, or empty for the first replica of this process. */
static pop_status read_profiled(pop_engine *engine, const char *api, pop_error *error)
{
    const char *text = engine->settings.profiled;
    uint64_t number = 0;
    if (!*text || (str_integer(text, engine->replica_count - 1, &number) && number < engine->replica_count)) {
        engine->profiled = *text ? (unsigned)number : engine->first_local;
        return POP_OK;
    }
    return error_set(error, POP_INVALID_OPTION, NO_WHERE, api,
                     "profiler.replicaToProfile is '%s': the graph has %u replicas (0 to %u)", text,
                     engine->replica_count, engine->replica_count - 1);
}

static void read_options(pop_engine *engine)
{
    const struct option_set *set = &engine->options;
    engine_options_read(&engine->settings, set);
    const char *simulator = getenv("POPLAR_SIMULATOR_OPTIONS");
    options_log_idle(set, "engine",
                     simulator && *simulator ? "POPLAR_SIMULATOR_OPTIONS (there is no simulator)" : NULL);
    for (size_t i = 0; i < set->set.count; ++i)
        *vec_push(&engine->option_list) = (pop_option){ set->set.data[i].key, set->set.data[i].value };
}

/* Finds the code of the vertex types that the image has vertices of, before anything runs. */
static pop_status link_modules(const struct image *image, const char *api, pop_error *error)
{
    size_t count = image->modules.count;
    bool **needed = mem_zero(count, sizeof(*needed));
    for (size_t m = 0; m < count; ++m)
        needed[m] = mem_zero(image->modules.data[m]->codelet_count, sizeof(**needed));
    for (size_t i = 0; i < image->codelets.count; ++i)
        needed[image->codelets.data[i].module][image->codelets.data[i].index] = true;
    pop_status status = modules_link(image->modules.data, (const bool *const *)needed, count, error);
    for (size_t m = 0; m < count; ++m)
        free(needed[m]);
    free(needed);
    if (status != POP_OK && !error->api[0])
        snprintf(error->api, sizeof(error->api), "%s", api);
    return status;
}

/* Uses the report that the compilation began if it is for this engine too; otherwise begins a new one if the options
 * enable it. */
static pop_status begin_report(pop_engine *engine, pop_executable *executable, const char *api, pop_error *error)
{
    if (report_fits(executable->report, &engine->options, executable->image->name)) {
        engine->report = executable->report;
        executable->report = NULL;
        return POP_OK;
    }
    return report_begin(
        &(struct report_of){ .image = engine->image, .options = &engine->options, .engine = executable->image->name },
        api, &engine->report, error);
}

pop_engine *pop_engine_create_from(pop_executable *executable, pop_options options, pop_error *error)
{
    static const char api[] = "pop_engine_create_from";
    pop_error ours = { .status = POP_OK };
    if (!executable) {
        error_set(&ours, POP_POPLAR_ERROR, NO_WHERE, api, "the executable is NULL");
        return fail_create(error, &ours);
    }
    size_t failures = mem_failures();
    struct option_set set = { 0 };
    options_copy(&set, &executable->image->options);
    if (options_apply(&set, "engine", options, "POPLAR_ENGINE_OPTIONS", NO_WHERE, api, &ours) != POP_OK) {
        options_free(&set);
        return fail_create(error, &ours);
    }
    report_imply(&set);
    pop_engine *engine = MEM_NEW(pop_engine);
    engine->image = image_retain(executable->image);
    engine->options = set;
    engine->name = executable->image->name ? mem_string(executable->image->name) : NULL;
    read_options(engine);
    replicas_create(engine);
    ranks_begin(engine, api, &ours);
    streams_create(engine);
    engine->profiling = image_modelled(engine->image);
    if (engine->settings.checked && engine->image->groups.count && !engine->image->edge_first.count)
        error_set(
            &ours, POP_INVALID_OPTION, NO_WHERE, api,
            "debug.checkedExecution is on, but the executable was compiled without it: compile it with the option");
    engine->calls = externals_calls(engine->image);
    if (ours.status != POP_OK || read_profiled(engine, api, &ours) != POP_OK ||
        link_modules(engine->image, api, &ours) != POP_OK ||
        externals_link(engine->image, api, &engine->externals, &ours) != POP_OK ||
        begin_report(engine, executable, api, &ours) != POP_OK ||
        error_if_memory_failed(&ours, POP_OK, failures, api) != POP_OK) {
        pop_engine_destroy(engine);
        return fail_create(error, &ours);
    }
    return engine;
}

static pop_engine *create_named(pop_where where, pop_graph *graph, pop_programs programs, pop_options options,
                                const char *name, const char *api, pop_error *error)
{
    pop_executable *executable;
    pop_error ours = { .status = POP_OK };
    pop_status status =
        pop_compile_graph_named_at(where, graph, programs, options, NULL, NULL, name, &executable, &ours);
    pop_engine *engine = status == POP_OK ? pop_engine_create_from(executable, POP_NO_OPTIONS, &ours) : NULL;
    pop_executable_destroy(executable);
    if (engine)
        return engine;
    error_rename(&ours, ours.status, "pop_compile_graph_named", api);
    error_rename(&ours, ours.status, "pop_engine_create_from", api);
    return fail_create(error, &ours);
}

pop_engine *pop_engine_create_at(pop_where where, pop_graph *graph, pop_programs programs, pop_options options,
                                 pop_error *error)
{
    return create_named(where, graph, programs, options, NULL, "pop_engine_create", error);
}

pop_engine *pop_engine_create_named_at(pop_where where, pop_graph *graph, pop_programs programs, pop_options options,
                                       const char *name, pop_error *error)
{
    return create_named(where, graph, programs, options, name, "pop_engine_create_named", error);
}

/* Release callbacks may still call the engine; such calls are refused. */
static void destroy(pop_engine *engine)
{
    engine->destroyed = true;
    engine->loaded = false;
    ++engine->entered;
    pool_destroy(engine->pool);
    engine_unload(engine);
    streams_destroy(engine);
    checked_destroy(engine->checked);
    vec_free(&engine->option_list);
    host_arguments_free(engine);
    options_free(&engine->options);
    trace_free(&engine->captured);
    run_names_clear(&engine->run_names);
    externals_free(engine->externals);
    tile_calls_free(engine->calls);
    free(engine->name);
    pop_error error;
    if (report_end(engine->report, &error) != POP_OK)
        pop_error_print(&error);
    replicas_destroy(engine);
    image_release(engine->image);
    free(engine);
}

void engine_enter(pop_engine *engine)
{
    ++engine->entered;
}

void engine_leave(pop_engine *engine)
{
    if (--engine->entered == 0 && engine->destroyed)
        destroy(engine);
}

void pop_engine_destroy(pop_engine *engine)
{
    if (!engine)
        return;
    if (!engine->entered) {
        destroy(engine);
        return;
    }
    engine->destroyed = true;
    atomic_store(&engine->stop, true);
}

/* The device's machine must be the one that the executable was compiled for. */
static pop_status check_device(const pop_engine *engine, const pop_device *device, const char *api, pop_error *error)
{
    if (!device)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the device is NULL");
    const pop_target *have = pop_device_target(device), target = image_device_target(engine->image);
    if (!pop_target_equal(have, &target)) {
        char wanted[400], seen[400];
        pop_target_to_text(&target, wanted, sizeof(wanted));
        pop_target_to_text(have, seen, sizeof(seen));
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api,
                         "the executable was compiled for '%s', the device is '%s'", wanted, seen);
    }
    if (!pop_device_is_attached(device))
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api,
                         "device %u is not attached: call pop_device_attach first", pop_device_id(device));
    return POP_OK;
}

static pop_status load_here(pop_engine *engine, const pop_device *device, const char *api, pop_error *error)
{
    if (engine->destroyed)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the engine was destroyed");
    if (engine->running)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api,
                         "the engine is running: it cannot be loaded from a callback");
    pop_status status = check_device(engine, device, api, error);
    if (status != POP_OK)
        return status;
    streams_drop_prefetched(engine);
    if (engine->destroyed)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the engine was destroyed by a callback");
    engine->loaded = false;
    if (!engine->pool)
        engine->pool = pool_create(pool_threads_for(engine->settings.host_threads));
    if ((status = engine_materialise(engine, api, error)) != POP_OK) {
        engine_unload(engine);
        return status;
    }
    if (engine->settings.checked && !engine->checked)
        engine->checked = checked_create();
    run_names_clear(&engine->run_names);
    for (unsigned r = 0; r < engine->replica_count; ++r)
        trace_reset(&engine->replicas[r].trace);
    engine->loaded = true;
    LOG(ENGINE, DEBUG,
        "loaded: %u replicas of %llu bytes of variables, %zu of vertex states, %llu of scratch, %u host threads",
        engine->replica_count, (unsigned long long)engine->image->storage_bytes, engine->image->states.count,
        (unsigned long long)engine->image->scratch_bytes, pool_threads(engine->pool));
    return POP_OK;
}

/* Loads in all processes that share the replicas, or in none. */
static pop_status load(pop_engine *engine, const pop_device *device, const char *api, pop_error *error)
{
    pop_status here = load_here(engine, device, api, error), status = ranks_agree(engine, here, api, error);
    if (here == POP_OK && status != POP_OK)
        engine_unload(engine);
    return status;
}

static pop_status check_run(pop_engine *engine, unsigned program, const char *api, pop_error *error)
{
    size_t count = engine->image->programs.count;
    if (!count)
        return error_set(error, POP_INDEX_ERROR, NO_WHERE, api,
                         "there is no program %u: the executable was compiled from no programs", program);
    if (program >= count)
        return error_set(error, POP_INDEX_ERROR, NO_WHERE, api,
                         "there is no program %u: the executable has %zu (0 to %zu)", program, count, count - 1);
    return streams_check(engine, program, api, error);
}

static pop_status run(pop_engine *engine, unsigned program, const char *name, const char *api, pop_error *error)
{
    if (engine->destroyed)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the engine was destroyed");
    if (engine->running)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the engine is running already");
    if (!engine->loaded)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api,
                         "the engine is not loaded: load it on a device first");
    pop_status status = check_run(engine, program, api, error);
    if (status != POP_OK) {
        ranks_refuse(engine, status, api, error);
        return status;
    }
    LOG(ENGINE, INFO, "running program %u", program);
    stop_run_begins(engine);
    ranks_run_begins(engine);
    status = engine_run_program(engine, program, name, api, error);
    ranks_run_ends(engine);
    stop_run_ends(engine);
    if (status != POP_OK) {
        streams_drop_prefetched(engine);
        LOG(ENGINE, ERR, "program %u failed: %s", program, error ? error->text : pop_status_name(status));
    }
    return status;
}

/* May run callbacks, which may destroy the engine. program NULL: only load. */
static pop_status load_and_run(pop_engine *engine, bool loads, const pop_device *device, const unsigned *program,
                               const char *name, const char *api, pop_error *error)
{
    if (!engine)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the engine is NULL");
    if (streams_in_prefetch(engine))
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api,
                         "the engine cannot be used by a prefetch callback on a worker thread");
    size_t failures = mem_failures();
    engine_enter(engine);
    pop_status status = loads ? load(engine, device, api, error) : POP_OK;
    if (status == POP_OK && program)
        status = run(engine, *program, name, api, error);
    status = error_if_memory_failed(error, status, failures, api);
    engine_leave(engine);
    return status;
}

pop_status pop_engine_load(pop_engine *engine, const pop_device *device, pop_error *error)
{
    return load_and_run(engine, true, device, NULL, NULL, "pop_engine_load", error);
}

pop_status pop_engine_run(pop_engine *engine, unsigned program, pop_error *error)
{
    return load_and_run(engine, false, NULL, &program, NULL, "pop_engine_run", error);
}

pop_status pop_engine_run_named(pop_engine *engine, unsigned program, const char *name, pop_error *error)
{
    return load_and_run(engine, false, NULL, &program, name, "pop_engine_run_named", error);
}

pop_status pop_engine_load_and_run(pop_engine *engine, const pop_device *device, unsigned program, pop_error *error)
{
    return load_and_run(engine, true, device, &program, NULL, "pop_engine_load_and_run", error);
}

void pop_engine_reset(pop_engine *engine)
{
    if (!engine || !engine->running)
        return;
    stop_run_ends(engine);
    streams_reset(engine);
    for (unsigned r = 0; r < engine->replica_count; ++r)
        for (size_t i = 0; i < engine->image->host_functions.count; ++i)
            engine->replicas[r].host_functions[i].busy = false;
    host_arguments_free(engine);
    engine->entered = 0;
    for (unsigned r = 0; r < engine->replica_count; ++r)
        if (engine->replicas[r].trace.running)
            trace_end(&engine->replicas[r].trace, engine->replicas[r].at);
    if (engine->destroyed)
        destroy(engine);
}

void pop_engine_set_print_stream(pop_engine *engine, FILE *file)
{
    if (engine)
        engine->print_stream = file;
}

static void list_name(const struct image *image, uint32_t name, const char **handles, size_t capacity, size_t *count)
{
    if (handles && *count < capacity)
        handles[*count] = image_string(image, name);
    ++*count;
}

size_t pop_engine_list_streams(const pop_engine *engine, const char **handles, size_t capacity)
{
    if (!engine)
        return 0;
    const struct image *image = engine->image;
    size_t count = 0;
    for (size_t i = 0; i < image->streams.count; ++i)
        if (image->streams.data[i].copies)
            list_name(image, image->streams.data[i].name, handles, capacity, &count);
    for (size_t i = 0; i < image->remotes.count; ++i)
        if (image->remotes.data[i].copies)
            list_name(image, image->remotes.data[i].name, handles, capacity, &count);
    for (size_t i = 0; i < image->host_functions.count; ++i)
        list_name(image, image->host_functions.data[i].name, handles, capacity, &count);
    return count;
}

pop_options pop_engine_options(const pop_engine *engine)
{
    return engine ? (pop_options){ engine->option_list.data, engine->option_list.count } : POP_NO_OPTIONS;
}

const char *pop_version_string(void)
{
    return TREMULA_VERSION;
}

const char *pop_package_hash(void)
{
    return TREMULA_PACKAGE_HASH;
}

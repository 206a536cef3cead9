/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls that return the profile of an executable or an engine. */
#include "base/log.h"
#include "engine/state.h"
#include "profile/graph_profile.h"
#include "profile/profile.h"

/* Checks that the arguments are not NULL. */
static pop_status check(const void *of, const char *what, const pop_profile_value *profile, const char *api,
                        pop_error *error)
{
    return of && profile ? POP_OK
                         : error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the %s is NULL",
                                     of ? "place for the profile" : what);
}

/* Frees the profile, with an out-of-memory error, if it was made with memory of the reserve. */
static pop_status finish(pop_status status, size_t failures, const char *api, pop_profile_value *profile,
                         pop_error *error)
{
    status = error_if_memory_failed(error, status, failures, api);
    if (status != POP_OK && profile)
        pop_profile_free(profile);
    return status;
}

static pop_profile_value timed_graph_profile(const struct image *image, const struct step_costs *costs)
{
    double start = log_milliseconds();
    pop_profile_value profile = graph_profile(image, costs);
    LOG(PROFILER, INFO, "graph profile: %.1f ms", log_milliseconds() - start);
    return profile;
}

pop_status pop_executable_graph_profile(const pop_executable *executable, pop_profile_value *profile, pop_error *error)
{
    if (profile)
        *profile = (pop_profile_value){ 0 };
    static const char api[] = "pop_executable_graph_profile";
    size_t failures = mem_failures();
    pop_status status = check(executable, "executable", profile, api, error);
    if (status == POP_OK)
        *profile = timed_graph_profile(executable->image, NULL);
    return finish(status, failures, api, profile, error);
}

pop_status pop_engine_graph_profile(const pop_engine *engine, pop_profile_value *profile, pop_error *error)
{
    if (profile)
        *profile = (pop_profile_value){ 0 };
    static const char api[] = "pop_engine_graph_profile";
    size_t failures = mem_failures();
    pop_status status = check(engine, "engine", profile, api, error);
    if (status == POP_OK)
        *profile = timed_graph_profile(engine->image, engine_trace(engine)->costs);
    return finish(status, failures, api, profile, error);
}

static pop_status executed(const pop_engine *engine, const char *api, pop_profile_value *profile, pop_error *error)
{
    pop_status status = timeline_check_trace(engine_trace(engine), api, error);
    if (status != POP_OK)
        return status;
    double start = log_milliseconds();
    status =
        execution_profile(engine->image, &engine->settings.instrumentation, engine_trace(engine), api, profile, error);
    LOG(PROFILER, INFO, "execution profile: %.1f ms", log_milliseconds() - start);
    return status;
}

pop_status pop_engine_execution_profile(const pop_engine *engine, pop_profile_value *profile, pop_error *error)
{
    static const char api[] = "pop_engine_execution_profile";
    if (profile)
        *profile = (pop_profile_value){ 0 };
    pop_status status = check(engine, "engine", profile, api, error);
    size_t failures = mem_failures();
    return finish(status == POP_OK ? executed(engine, api, profile, error) : status, failures, api, profile, error);
}

pop_status pop_engine_print_profile_summary(const pop_engine *engine, FILE *file, pop_options options, pop_error *error)
{
    static const char api[] = "pop_engine_print_profile_summary";
    size_t failures = mem_failures();
    pop_profile_value graph = { 0 }, execution = { 0 };
    pop_status status = check(engine, "engine", &graph, api, error);
    if (status == POP_OK && !file)
        status = error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the file is NULL");
    if (status == POP_OK) { /* the graph profile is printed even if there is no execution profile */
        pop_status ran = executed(engine, api, &execution, error);
        graph = timed_graph_profile(engine->image, engine_trace(engine)->costs);
        double start = log_milliseconds();
        status = pop_print_profile_summary(file, &graph, &execution, options, ran == POP_OK ? error : NULL);
        LOG(PROFILER, INFO, "profile summary: %.1f ms", log_milliseconds() - start);
        status = ran == POP_OK ? status : ran;
    }
    pop_profile_free(&graph);
    pop_profile_free(&execution);
    error_rename(error, status, "pop_print_profile_summary", api);
    return error_if_memory_failed(error, status, failures, api);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of what an engine has run so far, made from its record, for programs that read them while they run
 * (Engine::getReport). */
#include "base/error.h"
#include "base/str.h"
#include "engine/state.h"
#include "report/report.h"

#include <poplar/profile.h>

#include <errno.h>
#include <poplar/text.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEEPEST = 64 };

/* The program of a run: its first op begins the run's record. */
static unsigned program_of(const struct image *image, const struct trace_entry *entries, size_t count)
{
    size_t i = 0;
    while (i < count && entries[i].times)
        ++i;
    for (unsigned k = 0; i < count && k < image->programs.count; ++k)
        if (image->programs.data[k] == entries[i].first)
            return k;
    return 0;
}

/* A report of an engine's record while it is written. */
struct writing {
    const pop_engine *engine;
    struct report *report;
    uint64_t runs; /* so far */
    const char *api;
    pop_error *error;
};

static pop_status write_run(struct writing *w, const struct trace_entry *entries, size_t count)
{
    struct trace one = { .costs = engine_trace(w->engine)->costs };
    memcpy(vec_extend(&one.entries, count), entries, count * sizeof(*entries));
    if (one.entries.data[0].times)
        one.entries.data[0].times = 1;
    pop_status status = POP_OK;
    unsigned program = program_of(w->engine->image, entries + 1, count - 1);
    if (report_run_begin(w->report, program, run_names_at(&w->engine->run_names, w->runs++)))
        status = report_run_end(w->report, &one, w->api, w->error);
    trace_free(&one);
    return status;
}

/* Each run of a record: blocks of runs, some of which repeat together. */
static pop_status write_runs(struct writing *w, const struct trace_entry *entries, size_t count, unsigned depth)
{
    pop_status status = POP_OK;
    for (size_t i = 0; i < count && status == POP_OK && depth < DEEPEST; ++i) {
        size_t inside = entries[i].times ? entries[i].count : 0;
        bool run = entries[i].times && entries[i].first == TRACE_RUN;
        if (run && !inside) /* a run that did not end: the rest follows in line */
            return write_run(w, entries + i, count - i);
        for (uint64_t n = 0; n < entries[i].times && status == POP_OK; ++n)
            status = run ? write_run(w, entries + i, inside + 1) : write_runs(w, entries + i + 1, inside, depth + 1);
        i += inside;
    }
    return status;
}

/* debug: the id of the debug contexts that will be beside it; NULL: none. */
static pop_status write_report(const pop_engine *engine, const char *directory, const char *debug, bool execution,
                               const char *api, pop_error *error)
{
    struct option_set options = { 0 };
    struct report *report = NULL;
    pop_error ours = { 0 };
    options_copy(&options, &engine->options);
    pop_status status =
        options_apply(&options, "engine",
                      POP_OPTIONS({ "autoReport.directory", directory }, { "autoReport.outputGraphProfile", "true" },
                                  { "autoReport.outputExecutionProfile", execution ? "true" : "false" },
                                  { "autoReport.executionProfileProgramRunCount", "1000000000" }),
                      NULL, NO_WHERE, api, &ours);
    if (status == POP_OK)
        status = report_begin(&(struct report_of){ .image = engine->image, .options = &options, .debug = debug }, api,
                              &report, &ours);
    if (status == POP_OK && execution)
        status = write_runs(&(struct writing){ engine, report, 0, api, &ours }, engine_trace(engine)->entries.data,
                            engine_trace(engine)->entries.count, 0);
    if (status == POP_OK && execution && engine_trace(engine)->costs)
        report_write_counted(report, engine_trace(engine)->costs, true);
    pop_error ending = { 0 };
    pop_status ended = report_end(report, &ending);
    options_free(&options);
    if (status == POP_OK && ended != POP_OK) {
        ours = ending;
        status = ended;
    }
    error_rename(&ours, status, "", api);
    if (error && status != POP_OK)
        *error = ours;
    return status;
}

pop_status pop_engine_write_report(const pop_engine *engine, const char *directory, bool execution, pop_error *error)
{
    static const char api[] = "pop_engine_write_report";
    if (!engine || !directory)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the %s is NULL", engine ? "directory" : "engine");
    return write_report(engine, directory, NULL, execution, api, error);
}

/* Links the debug contexts of the engine's own report into the directory. */
static void link_debug(const char *debug, const char *directory)
{
    struct str link = { 0 };
    char *target = realpath(debug, NULL);
    str_format(&link, "%s/debug.cbor", directory);
    if (target && symlink(target, link.text) != 0)
        LOG(PROFILER, INFO, "'%s' cannot be made: the report has no operations", link.text);
    str_free(&link);
    free(target);
}

pop_status pop_engine_temporary_report(const pop_engine *engine, bool execution, char *path, size_t size,
                                       pop_error *error)
{
    static const char api[] = "pop_engine_temporary_report";
    if (!engine || !path)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the %s is NULL", engine ? "path" : "engine");
    const char *parent = getenv("TMPDIR");
    const char *id = NULL;
    char *debug = report_debug_path(engine->report, &id);
    struct str directory = { 0 };
    str_format(&directory, "%s/tremula-report-XXXXXX", parent && *parent ? parent : "/tmp");
    pop_status status = POP_OK;
    if (!mkdtemp(directory.text))
        status = error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api,
                           "no directory for the report (TMPDIR says where): %s", pop_text_from_errno(errno));
    else if ((size_t)snprintf(path, size, "%s/profile.pop", directory.text) >= size)
        status = error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api,
                           "the path of the report, %s/profile.pop, does not fit in %zu bytes", directory.text, size);
    else
        status = write_report(engine, directory.text, id, execution, api, error);
    if (status != POP_OK)
        rmdir(directory.text);
    else if (debug)
        link_debug(debug, directory.text);
    free(debug);
    str_free(&directory);
    return status;
}

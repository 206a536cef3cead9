/* SPDX-License-Identifier: Apache-2.0 */
/* A report of what an engine has run so far, made from its record, for programs that look at it while they run
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

/* The program whose first op a run's record begins with. */
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

static pop_status write_run(struct report *report, const struct image *image, const struct trace_entry *entries,
                            size_t count, const char *api, pop_error *error)
{
    struct trace one = { 0 };
    memcpy(vec_extend(&one.entries, count), entries, count * sizeof(*entries));
    if (one.entries.data[0].times)
        one.entries.data[0].times = 1;
    pop_status status = POP_OK;
    if (report_run_begin(report, program_of(image, entries + 1, count - 1), NULL))
        status = report_run_end(report, &one, api, error);
    trace_free(&one);
    return status;
}

/* Each run of a record: blocks of runs, some of which repeat together. */
static pop_status write_runs(struct report *report, const struct image *image, const struct trace_entry *entries,
                             size_t count, unsigned depth, const char *api, pop_error *error)
{
    pop_status status = POP_OK;
    for (size_t i = 0; i < count && status == POP_OK && depth < DEEPEST; ++i) {
        size_t inside = entries[i].times ? entries[i].count : 0;
        bool run = entries[i].times && entries[i].first == TRACE_RUN;
        if (run && !inside) /* one that did not end: the rest is in line */
            return write_run(report, image, entries + i, count - i, api, error);
        for (uint64_t n = 0; n < entries[i].times && status == POP_OK; ++n)
            status = run ? write_run(report, image, entries + i, inside + 1, api, error)
                         : write_runs(report, image, entries + i + 1, inside, depth + 1, api, error);
        i += inside;
    }
    return status;
}

static pop_status write_report(const pop_engine *engine, const char *directory, bool execution, const char *api,
                               pop_error *error)
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
        status = report_begin(&(struct report_of){ .image = engine->image, .options = &options }, api, &report, &ours);
    if (status == POP_OK && execution)
        status = write_runs(report, engine->image, engine_trace(engine)->entries.data,
                            engine_trace(engine)->entries.count, 0, api, &ours);
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
    return write_report(engine, directory, execution, api, error);
}

pop_status pop_engine_temporary_report(const pop_engine *engine, bool execution, char *path, size_t size,
                                       pop_error *error)
{
    static const char api[] = "pop_engine_temporary_report";
    if (!engine || !path)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the %s is NULL", engine ? "path" : "engine");
    const char *parent = getenv("TMPDIR");
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
        status = write_report(engine, directory.text, execution, api, error);
    if (status != POP_OK)
        rmdir(directory.text);
    str_free(&directory);
    return status;
}

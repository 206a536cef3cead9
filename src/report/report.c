/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "image/image.h"
#include "profile/profile.h"
#include "report/debug_process.h"
#include "report/select.h"
#include "value/value.h"

#include <inttypes.h>
#include <time.h>

enum { FORMAT_MAJOR = 1, FORMAT_MINOR = 2, FORMAT_POINT = 0 };

int64_t report_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void info_text(struct report *report, const char *name, const char *value)
{
    database_add(report->db, TABLE_INFO, "ss", name, value);
}

static void info_number(struct report *report, const char *name, int64_t value)
{
    database_add(report->db, TABLE_INFO, "si", name, value);
}

/* ---- facts about the writer ---- */

static void write_version(struct report *report)
{
    static const char *const names[] = { "poplar_major", "poplar_minor", "poplar_point" };
    unsigned numbers[3] = { 0 };
    struct str text = { 0 };
    str_format(&text, "%s (%s)", pop_version_string(), pop_package_hash());
    info_text(report, "poplar_version", text.text);
    str_free(&text);
    info_text(report, "package_hash", pop_package_hash());
    (void)sscanf(pop_version_string(), "%u.%u.%u", &numbers[0], &numbers[1], &numbers[2]);
    for (int i = 0; i < 3; ++i)
        info_number(report, names[i], numbers[i]);
}

static void write_summary(struct report *report)
{
    pop_profile_value summary = pop_profile_summary_report();
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    bool good = file && pop_profile_write_json(file, &summary, false);
    if (file && fclose(file) == 0 && good)
        info_text(report, "summary", text);
    free(text);
    pop_profile_free(&summary);
}

/* Writes the effective options: rows of the option table without a wildcard. What autoReport.all asks for is set. */
static void write_options(struct report *report)
{
    size_t rows;
    const pop_option_info *table = pop_option_table(&rows);
    for (size_t i = 0; i < rows; ++i) {
        const char *key = table[i].key, *value;
        if (strcmp(table[i].group, "engine") != 0 || strchr(key, '*'))
            continue;
        int asked = report_asks_key(&report->options, key);
        value = asked > 0 ? "true" : asked == 0 ? "false" : options_get(&report->options, "engine", key);
        database_add(report->db, TABLE_OPTIONS, "ssi", key, value,
                     (int64_t)(asked > 0 || options_is_set(&report->options, key)));
    }
}

static void write_instrumentation(struct report *report)
{
    static const int64_t levels[] = {
        [INSTRUMENT_VERTEX] = 1, [INSTRUMENT_TILE] = 2, [INSTRUMENT_IPU] = 3, [INSTRUMENT_DEVICE] = 4
    };
    const struct instrumentation *i = &report->instrumentation;
    bool one = instruments_one_tile(i);
    int64_t record =
        i->branch_tile == OPTION_LAST_TILE ? (int64_t)report->image->target.tiles_per_ipu - 1 : i->branch_tile;
    const char columns[] = { 'i', 'i', 'i', one ? 'i' : 'x', i->control_flow ? 'i' : 'x', 's', 0 };
    database_add(report->db, TABLE_INSTRUMENTATION, columns, i->compute ? levels[i->level] : 0,
                 (int64_t)i->external_exchange, (int64_t)i->control_flow, i->profiling_tile, record,
                 report->execution ? execution_mode(report->image, i) : "NONE");
}

/* Lists the report's other files. */
static void write_companions(struct report *report)
{
    for (int i = 0; i < REPORT_FILES; ++i)
        if (report->bundle.has[i] && i != REPORT_FILE_PROFILE)
            database_add(report->db, TABLE_FILES, "si", report_file_name((enum report_file)i),
                         (int64_t)report->bundle.bytes[i]);
}

/* Facts of the engine, which a report has anew where it continues that of its compilation. */
static void write_engine_facts(struct report *report)
{
    info_number(report, "opened", report_now());
    write_summary(report);
    write_options(report);
    write_instrumentation(report);
}

static void executable_text(const struct image *image, char text[REPORT_ID_SIZE])
{
    snprintf(text, REPORT_ID_SIZE, "%016" PRIx64, image_hash(image));
}

/* The version of a continued report, whose compilation may be of an earlier one. */
static void write_format(struct report *report)
{
    struct str sql = { 0 };
    str_format(&sql, "UPDATE format SET minor = %d, point = %d", FORMAT_MINOR, FORMAT_POINT);
    database_do(report->db, sql.text);
    str_free(&sql);
}

static void write_facts(struct report *report, const struct report_of *of)
{
    char executable[REPORT_ID_SIZE];
    database_add(report->db, TABLE_FORMAT, "siiiisiiii", "tremula profile", (int64_t)FORMAT_MAJOR,
                 (int64_t)FORMAT_MINOR, (int64_t)FORMAT_POINT, (int64_t)0, pop_version_string(), (int64_t)0, (int64_t)0,
                 (int64_t)0, (int64_t)0);
    info_text(report, "id", report->bundle.id);
    if (*report->bundle.debug.id)
        info_text(report, "debug", report->bundle.debug.id);
    write_companions(report);
    write_version(report);
    if (of->engine && *of->engine)
        info_text(report, "engine", of->engine);
    if (of->started) {
        info_number(report, "compile_start", of->started);
        info_number(report, "compile_end", report_now());
    }
    executable_text(report->image, executable);
    info_text(report, "executable", executable);
    write_engine_facts(report);
}

/* ---- compilation ---- */

static void write_compilation(struct report *report)
{
    static const struct {
        const char *name;
        void (*write)(struct report *report);
    } parts[] = { { "memory, vertices and exchanges", report_write_compilation },
                  { "programs", report_write_programs },
                  { "liveness", report_write_liveness },
                  { "variables", report_write_variables } };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i) {
        double start = log_milliseconds();
        parts[i].write(report);
        LOG(PROFILER, DEBUG, "wrote %s in %.1f ms", parts[i].name, log_milliseconds() - start);
    }
    database_do(report->db, "UPDATE format SET compilation = 1");
    database_publish(report->db);
}

static void free_report(struct report *report)
{
    array_free(&report->array);
    program_ids_free(&report->programs);
    options_free(&report->options);
    image_release(report->image);
    bundle_free(&report->bundle);
    free(report);
}

static char *report_path(const struct report *report)
{
    return report_file_path(report->bundle.directory, REPORT_FILE_PROFILE, NULL);
}

/* Whether the directory has the report of compiling this image, so that an engine of a saved executable can continue
 * it: the companions stay, and what only compiling knows. */
static bool finds_compilation(struct report *report, const char *path)
{
    char executable[REPORT_ID_SIZE];
    char *found = database_info(path, "executable"), *id = database_info(path, "id"),
         *debug = database_info(path, "debug");
    executable_text(report->image, executable);
    bool same = found && id && !strcmp(found, executable) && strlen(id) == REPORT_ID_SIZE - 1;
    if (same) {
        bundle_continue(&report->bundle, id);
        snprintf(report->bundle.debug.id, sizeof(report->bundle.debug.id), "%s", debug ? debug : "");
    }
    free(debug);
    free(found);
    free(id);
    return same;
}

/* Begins profile.pop and writes the compilation's part. On failure all files of the report are removed. */
static pop_status begin_profile(struct report *report, const struct report_of *of, pop_error *error)
{
    double start = log_milliseconds();
    char *path = bundle_path(&report->bundle, REPORT_FILE_PROFILE), *before = report_path(report);
    size_t failures = mem_failures();
    bool continues = !of->graph && !of->id && finds_compilation(report, before);
    report->bundle.has[REPORT_FILE_PROFILE] = true;
    if (error_if_memory_failed(error, POP_OK, failures, NULL) == POP_OK) /* else it is not known what is there */
        report->db = continues ? database_continue(path, before, error) : database_create(path, error);
    free(path);
    free(before);
    if (!report->db)
        return error->status;
    program_ids_make(&report->programs, report->image);
    LOG(PROFILER, INFO, "writing the profile of the graph to '%s'", database_path(report->db));
    if (continues) {
        write_format(report);
        write_engine_facts(report);
        database_commit(report->db);
    } else {
        write_facts(report, of);
        write_compilation(report);
    }
    if (database_failed(report->db, error)) {
        database_drop(report->db);
        return error->status;
    }
    LOG(PROFILER, INFO, "the graph's profile took %.1f ms", log_milliseconds() - start);
    return POP_OK;
}

/* debug.instrument false takes the execution out, unless a part of it is on by its own option. */
static bool is_instrumentation_off(const struct option_set *options, const struct instrumentation *parts)
{
    return options_is_set(options, "debug.instrument") && !options_bool(options, "engine", "debug.instrument") &&
           !parts->compute && !parts->control_flow && !parts->external_exchange;
}

static struct report *make_report(const struct report_of *of, uint64_t run_limit)
{
    struct report *report = MEM_NEW(struct report);
    report->image = image_retain(of->image);
    struct engine_options options;
    options_copy(&report->options, of->options);
    engine_options_read(&options, &report->options);
    report->instrumentation = options.instrumentation;
    report->run_limit = run_limit;
    report->execution = report_asks(of->options, REPORT_EXECUTION_PROFILE) && image_modelled(of->image) &&
                        !is_instrumentation_off(&report->options, &options.instrumentation);
    return report;
}

pop_status report_begin(const struct report_of *of, const char *api, struct report **report, pop_error *error)
{
    bool profile = report_asks(of->options, REPORT_GRAPH_PROFILE);
    *report = NULL;
    if (!profile && !(of->graph && report_asks_any(of->options)))
        return POP_OK;
    pop_error ours;
    error = error ? error : &ours;
    int64_t limit = options_int(of->options, "engine", "autoReport.executionProfileProgramRunCount");
    if (limit < 0)
        return error_set(error, POP_INVALID_OPTION, NO_WHERE, api,
                         "autoReport.executionProfileProgramRunCount is %" PRId64 ": it must be 0 or more", limit);
    char *directory = report_directory(of->options, of->engine, api, error);
    if (!directory)
        return error->status;
    struct report *r = make_report(of, (uint64_t)limit);
    pop_status status = bundle_begin(&r->bundle, directory, report_root(of->options), error);
    if (of->debug)
        snprintf(r->bundle.debug.id, sizeof(r->bundle.debug.id), "%s", of->debug);
    if (of->id)
        snprintf(r->bundle.id, sizeof(r->bundle.id), "%s", of->id);
    if (status == POP_OK && of->graph)
        status = files_write(of->graph, of->image, of->options, &r->bundle, error);
    if (status == POP_OK && profile)
        status = begin_profile(r, of, error);
    if (status == POP_OK && (status = bundle_publish(&r->bundle, error)) != POP_OK && profile)
        database_drop(r->db);
    if (status != POP_OK)
        bundle_remove(&r->bundle);
    if (status == POP_OK && profile)
        *report = r;
    else
        free_report(r);
    return status;
}

bool report_fits(const struct report *report, const struct option_set *options, const char *engine)
{
    pop_error error;
    char *directory = report && report_asks(options, REPORT_GRAPH_PROFILE)
                          ? report_directory(options, engine, "report", &error)
                          : NULL;
    bool fits = directory && !strcmp(directory, report->bundle.directory);
    free(directory);
    return fits;
}

char *report_debug_path(const struct report *report, const char **id)
{
    if (!report || !*report->bundle.debug.id)
        return NULL;
    *id = report->bundle.debug.id;
    return report->bundle.late ? bundle_path(&report->bundle, REPORT_FILE_DEBUG)
                               : report_file_path(report->bundle.directory, REPORT_FILE_DEBUG, NULL);
}

pop_status report_end(struct report *report, pop_error *error)
{
    if (!report)
        return POP_OK;
    debug_process_flush();
    if (report->steps)
        steps_end(report->steps);
    info_number(report, "closed", report_now());
    char *path = report_path(report);
    double start = log_milliseconds();
    bool whole;
    pop_status status = database_finish(report->db, &whole, error);
    pop_status named = whole ? bundle_finish(&report->bundle, status == POP_OK ? error : NULL) : POP_OK;
    status = status == POP_OK ? named : status;
    LOG(PROFILER, INFO, "completed '%s' in %.1f ms", path, log_milliseconds() - start);
    free(path);
    free_report(report);
    return status;
}

void report_failure(const struct report_of *of, pop_error *error)
{
    struct report *report = NULL;
    pop_error ours = { .status = POP_OK };
    pop_status status = report_begin(of, error->api, &report, &ours);
    if (report) {
        info_text(report, "out_of_memory", error->text);
        char *path = report_path(report);
        status = report_end(report, &ours);
        if (status == POP_OK) {
            error_note(error, "Profile saved to: %s", path);
            if (strlen(path) < sizeof(error->artifact))
                memcpy(error->artifact, path, strlen(path) + 1);
        }
        free(path);
    }
    if (status != POP_OK)
        error_note(error, "no profile could be saved: %s", ours.text);
}

/* ---- runs ---- */

bool report_run_begin(struct report *report, unsigned program, const char *name)
{
    uint64_t number = report->runs++;
    if (!report->execution || number >= report->run_limit || database_failed(report->db, NULL))
        return false;
    if (!report->steps)
        report->steps = steps_begin(report);
    struct str text = { 0 };
    if (name && *name)
        str_add(&text, name);
    else
        str_format(&text, "Engine::run #%" PRIu64, number);
    database_add(report->db, TABLE_RUNS, "isiininin", (int64_t)number, text.text, (int64_t)program, report_now(),
                 steps_now(report->steps), steps_count(report->steps));
    str_free(&text);
    return true;
}

void report_run_part(struct report *report, const struct trace *trace)
{
    steps_write(report->steps, (int64_t)report->runs - 1, trace);
    steps_commit(report->steps);
}

pop_status report_run_end(struct report *report, const struct trace *trace, const char *api, pop_error *error)
{
    double start = log_milliseconds();
    int64_t before = steps_count(report->steps);
    pop_error ours;
    steps_write(report->steps, (int64_t)report->runs - 1, trace);
    steps_run_end(report->steps);
    steps_commit(report->steps);
    LOG(PROFILER, INFO, "run %" PRIu64 ": %" PRId64 " steps in %.1f ms", report->runs - 1,
        steps_count(report->steps) - before, log_milliseconds() - start);
    if (!database_failed(report->db, &ours))
        return POP_OK;
    return error_set(error, ours.status, NO_WHERE, api,
                     "the program ran, but its profile could not be written, and nothing more is captured: %s",
                     ours.text);
}

void report_write_lines(struct report *report, const struct report_line *lines, size_t count)
{
    database_do(report->db, "DELETE FROM assembly_lines");
    for (size_t i = 0; i < count; ++i)
        database_add(report->db, TABLE_ASSEMBLY_LINES, "ssiii", lines[i].type, lines[i].file, (int64_t)lines[i].line,
                     (int64_t)lines[i].executions, (int64_t)lines[i].slots);
}

void report_run_parameter(struct report *report, const char *name, const char *value)
{
    if (!report->runs || report->runs > report->run_limit || !report->execution)
        return;
    int64_t run = (int64_t)report->runs - 1;
    database_remove(report->db, TABLE_RUN_PARAMETERS, "run", run, "name", name);
    database_add(report->db, TABLE_RUN_PARAMETERS, "iss", run, name, value);
}

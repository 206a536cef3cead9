/* SPDX-License-Identifier: Apache-2.0 */
/* Exports the execution trace: a lane for runs, lanes for each IPU and each chosen tile, and live memory as a
 * counter. A step of an IPU may begin before the previous one has ended on its last tile; such steps use the first
 * free lane of several. */
#include "page.h"
#include "pva.h"
#include "trace.h"

#include "base/file.h"

#include <errno.h>
#include <poplar/text.h>
#include <stdlib.h>
#include <string.h>

enum { LANES_PER_IPU = 4, MAX_TILES = 1024 };

struct export
{
    pva_file *file;
    pva_object execution;
    FILE *out;
    const struct format *format;
    uint64_t ipus, steps, *ends; /* by IPU and lane: the cycle at which it becomes free */
    uint64_t tiles[MAX_TILES], target_tiles, *from, *to;
    size_t tile_count;
    bool *declared;
};

static void declare_lane(struct export *e, unsigned lane, const char *name)
{
    if (!e->declared[lane])
        e->format->lane(e->out, lane, name);
    e->declared[lane] = true;
}

static void export_runs(struct export *e)
{
    pva_object execution = e->execution;
    declare_lane(e, 0, "runs");
    for (uint64_t i = 0; i < pva_count(execution, PVA_EXECUTION_RUNS); ++i) {
        pva_object run = pva_at(execution, PVA_EXECUTION_RUNS, i), cycles = pva_get(run, PVA_RUN_CYCLES);
        char name[512];
        pva_text(run, PVA_RUN_NAME, name, sizeof(name));
        struct slice slice = { .lane = 0,
                               .name = name,
                               .type = "Run",
                               .step = i,
                               .from = pva_uint(cycles, PVA_CYCLES_FROM),
                               .to = pva_uint(cycles, PVA_CYCLES_TO) };
        slice.cycles = slice.to - slice.from;
        e->format->slice(e->out, &slice);
    }
}

static unsigned free_lane(struct export *e, uint64_t ipu, uint64_t from, uint64_t to)
{
    unsigned lane = 0;
    while (lane + 1 < LANES_PER_IPU && e->ends[ipu * LANES_PER_IPU + lane] > from)
        ++lane;
    e->ends[ipu * LANES_PER_IPU + lane] = to;
    return lane;
}

static void export_ipus(struct export *e, pva_object step, struct slice *slice)
{
    for (uint64_t ipu = 0; ipu < e->ipus; ++ipu) {
        pva_object of = pva_at(step, PVA_STEP_IPUS, ipu), range = pva_get(of, PVA_IPU_STEP_ACTIVE_CYCLES);
        slice->cycles = pva_uint(of, PVA_IPU_STEP_CYCLES);
        if (!slice->cycles)
            continue;
        slice->from = pva_uint(pva_get(range, PVA_CYCLE_RANGE_FROM), PVA_MIN_MAX_MIN);
        slice->to = pva_uint(pva_get(range, PVA_CYCLE_RANGE_TO), PVA_MIN_MAX_MAX);
        slice->active_tiles = pva_uint(of, PVA_IPU_STEP_ACTIVE_TILES);
        slice->data_in = pva_uint(of, PVA_IPU_STEP_DATA_IN);
        slice->data_out = pva_uint(of, PVA_IPU_STEP_DATA_OUT);
        unsigned lane = free_lane(e, ipu, slice->from, slice->to);
        char name[64];
        snprintf(name, sizeof(name), lane ? "IPU %llu, overlapping %u" : "IPU %llu", (unsigned long long)ipu, lane);
        slice->lane = 1 + (unsigned)ipu * LANES_PER_IPU + lane;
        declare_lane(e, slice->lane, name);
        e->format->slice(e->out, slice);
    }
}

static void export_tiles(struct export *e, pva_object step, struct slice *slice)
{
    pva_numbers(step, PVA_STEP_FROM_BY_TILE, 0, e->target_tiles, e->from);
    pva_numbers(step, PVA_STEP_TO_BY_TILE, 0, e->target_tiles, e->to);
    slice->active_tiles = slice->data_in = slice->data_out = 0;
    for (size_t i = 0; i < e->tile_count; ++i) {
        uint64_t tile = e->tiles[i];
        slice->from = e->from[tile];
        slice->to = e->to[tile];
        slice->cycles = slice->to - slice->from;
        if (slice->to <= slice->from)
            continue;
        char name[64];
        snprintf(name, sizeof(name), "tile %llu", (unsigned long long)tile);
        slice->lane = 1 + (unsigned)(e->ipus * LANES_PER_IPU + i);
        declare_lane(e, slice->lane, name);
        e->format->slice(e->out, slice);
    }
}

/* Bytes live at each program, indexed by id, including always-live bytes. */
struct live {
    uint64_t *bytes, count;
};
static bool on_live(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct live *live = context;
    (void)columns, (void)names;
    if (!values || !values[0].text || !values[1].text)
        return true;
    uint64_t program = strtoull(values[0].text, NULL, 10);
    if (program < live->count)
        live->bytes[program] = strtoull(values[1].text, NULL, 10);
    return true;
}

static bool export_steps(struct export *e)
{
    struct live live = { .count =
                             pva_count(pva_get(pva_root(e->file), PVA_REPORT_COMPILATION), PVA_COMPILATION_PROGRAMS) };
    uint64_t always = sql_uint(e->file, "SELECT sum(always_live) FROM memory_by_tile"), last = UINT64_MAX;
    live.bytes = calloc(live.count + 1, sizeof(*live.bytes));
    if (!live.bytes)
        return false;
    if (pva_sql(e->file, "SELECT s.program, l.bytes FROM liveness_steps s JOIN live_lists l ON l.id = s.list", on_live,
                &live, NULL) != POP_OK)
        live.count = 0;
    struct progress progress = progress_begin("exporting", e->steps);
    for (uint64_t i = 0; i < e->steps && !pva_failed(e->file) && !ferror(e->out); ++i) {
        pva_object step = pva_at(e->execution, PVA_EXECUTION_STEPS, i), program = pva_get(step, PVA_STEP_PROGRAM);
        char name[1024], type[64];
        pva_text(program, PVA_PROGRAM_NAME, name, sizeof(name));
        pva_text(program, PVA_PROGRAM_TYPE_NAME, type, sizeof(type));
        struct slice slice = { .name = name, .type = type, .step = i };
        export_ipus(e, step, &slice);
        if (e->tile_count)
            export_tiles(e, step, &slice);
        uint64_t id = pva_uint(program, PVA_PROGRAM_ID),
                 bytes = id < live.count && live.bytes[id] ? always + live.bytes[id] : last;
        if (e->format->counter && bytes != last) {
            pva_object all = pva_get(pva_at(step, PVA_STEP_IPUS, 0), PVA_IPU_STEP_ALL_CYCLES);
            e->format->counter(e->out, pva_uint(pva_get(all, PVA_CYCLE_RANGE_FROM), PVA_MIN_MAX_MIN), bytes);
            last = bytes;
        }
        progress_at(&progress, i);
    }
    progress_end(&progress);
    free(live.bytes);
    return true;
}

/* An export as file_write_stream's callback writes it. */
struct writing {
    struct export *export;
    double hertz;
    const char *page; /* directory of the report whose page is written; NULL: its trace is written */
    pop_error *error;
};

static bool put_trace(FILE *out, struct export *e, double hertz)
{
    size_t lanes = 1 + (size_t)e->ipus * LANES_PER_IPU + e->tile_count;
    e->out = out;
    e->declared = calloc(lanes, sizeof(*e->declared));
    e->ends = calloc(e->ipus * LANES_PER_IPU + 1, sizeof(*e->ends));
    e->from = calloc(e->target_tiles + 1, sizeof(*e->from));
    e->to = calloc(e->target_tiles + 1, sizeof(*e->to));
    bool good = e->declared && e->ends && e->from && e->to;
    errno = ENOMEM;
    if (good) {
        e->format->begin(out, hertz);
        export_runs(e);
        good = export_steps(e);
        e->format->end(out);
    }
    free(e->declared);
    free(e->ends);
    free(e->from);
    free(e->to);
    return good;
}

static bool put_export(FILE *out, const void *user)
{
    const struct writing *writing = user;
    struct export *e = writing->export;
    if (writing->page ? page_export(out, writing->page, writing->error) != POP_OK
                      : !put_trace(out, e, writing->hertz) || pva_take_error(e->file, writing->error) != POP_OK)
        return false;
    return fflush(out) == 0 && !ferror(out);
}

/* Writes to standard output, or to a file that gets its name when it is complete. */
static int write_export(const char *output, const struct writing *writing)
{
    bool good = output ? file_write_stream(output, put_export, writing) : put_export(stdout, writing);
    if (good)
        return EXIT_DONE;
    if (writing->error->status != POP_OK)
        return say_error("export", writing->error);
    return say("export", "%s cannot be written: %s", output ? output : "standard output", pop_text_from_errno(errno));
}

/* Exports the analyser's page with the report embedded. */
static int export_page(const char *directory, const char *output)
{
    pop_error error = { 0 };
    return write_export(output, &(struct writing){ .page = directory, .error = &error });
}

int command_export(int argc, char **argv)
{
    static const struct format *const formats[] = { &format_perfetto, &format_chrome, &format_csv, &format_json };
    struct arguments arguments = {
        .options = { { "--to", NULL }, { "--output", NULL }, { "--tiles", NULL }, { "--spreadsheet!", NULL } }
    };
    if (!arguments_read(&arguments, argc, argv, 1, 1))
        return EXIT_WRONG;
    csv_for_spreadsheet(arguments_get(&arguments, "--spreadsheet") != NULL);
    const char *to = arguments_get(&arguments, "--to"), *output = arguments_get(&arguments, "--output");
    if (to && strcmp(to, "html") == 0)
        return export_page(arguments.words[0], output);
    struct export e = { 0 };
    pop_error error = { 0 };
    for (size_t i = 0; to && i < 4; ++i)
        e.format = strcmp(formats[i]->name, to) == 0 ? formats[i] : e.format;
    if (!e.format)
        return say("export",
                   to ? "unknown format '%s' (allowed: perfetto, chrome, csv, json, html)"
                      : "--to is needed (perfetto, chrome, csv, json, html)%s",
                   to ? to : "");
    e.file = open_or_say(arguments.words[0]);
    if (!e.file)
        return EXIT_WRONG;
    pva_object compilation = pva_get(pva_root(e.file), PVA_REPORT_COMPILATION),
               target = pva_get(compilation, PVA_COMPILATION_TARGET);
    e.execution = pva_get(pva_root(e.file), PVA_REPORT_EXECUTION);
    e.ipus = pva_uint(target, PVA_TARGET_IPUS_PER_REPLICA);
    e.target_tiles = pva_uint(target, PVA_TARGET_TILES_PER_REPLICA);
    e.steps = pva_count(e.execution, PVA_EXECUTION_STEPS);
    int result = EXIT_WRONG;
    if (!e.steps && sql_uint(e.file, "SELECT EXISTS(SELECT 1 FROM blocks)"))
        say("export",
            "the report has blocks of a lightweight profile, but no execution trace (debug.instrumentCompute)");
    else if (!e.steps && !sql_uint(e.file, "SELECT execution FROM format"))
        say("export", "the report has no execution trace ('pva check' shows the reason)");
    else if (arguments_numbers(&arguments, "--tiles", e.target_tiles, e.tiles, MAX_TILES, &e.tile_count))
        result = write_export(
            output,
            &(struct writing){ .export = &e, .hertz = pva_real(target, PVA_TARGET_CLOCK_FREQUENCY), .error = &error });
    pva_close(e.file);
    return result;
}

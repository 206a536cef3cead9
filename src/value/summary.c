/* SPDX-License-Identifier: Apache-2.0 */
/* The readable summary of a profile: options, target and graph, and the order of the sections
 * (docs/reports/profiling.md, The summary). */
#include "value/summary.h"
#include "value/summary_execution.h"

#include "base/error.h"
#include "base/options.h"

#include <inttypes.h>
#include <poplar/text.h>
#include <unistd.h>

void text_number(struct str *s, uint64_t value)
{
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%" PRIu64, value);
    for (int i = 0; i < length; ++i) {
        if (i && (length - i) % 3 == 0)
            str_add(s, ",");
        str_add_bytes(s, digits + i, 1);
    }
}

void text_decimal(struct str *s, double value)
{
    uint64_t tenths = value > 0 ? (uint64_t)(value * 10 + 0.5) : 0;
    text_number(s, tenths / 10);
    str_format(s, ".%u", (unsigned)(tenths % 10));
}

void text_memory(struct str *s, uint64_t bytes)
{
    static const char *const units[] = { " kB", " MB", " GB" };
    double value = (double)bytes / 1024;
    size_t unit = 0;
    for (; value >= 1024 && unit < 2; ++unit)
        value /= 1024;
    text_decimal(s, value);
    str_add(s, units[unit]);
}

static void add_row(struct column *column, int indent, const char *label, uint64_t value, bool number)
{
    struct str text = { 0 };
    str_format(&text, "%*s%s", indent, "", label);
    *vec_push(&column->rows) = (struct column_row){ text.text, value, number };
}

void column_add(struct column *column, int indent, const char *label, uint64_t value)
{
    add_row(column, indent, label, value, true);
}

void column_heading(struct column *column, int indent, const char *label)
{
    add_row(column, indent, label, 0, false);
}

void column_print(struct summary *s, struct column *column, int width, const char *unit)
{
    size_t longest = 0;
    for (size_t i = 0; i < column->rows.count; ++i)
        if (column->rows.data[i].number && strlen(column->rows.data[i].label) > longest)
            longest = strlen(column->rows.data[i].label);
    for (size_t i = 0; i < column->rows.count; ++i) {
        struct column_row *row = &column->rows.data[i];
        struct str number = { 0 };
        if (row->number) {
            text_number(&number, row->value);
            fprintf(s->file, "%-*s%*s%s\n", (int)longest, row->label, width, str_text(&number), unit);
        } else {
            fprintf(s->file, "%s\n", row->label);
        }
        str_free(&number);
        free(row->label);
    }
    vec_free(&column->rows);
}

void summary_heading(struct summary *s, const char *text)
{
    if (s->colours) {
        fflush(s->file);
        fprintf(s->below, "\033[1m%s\033[0m\n", text);
    } else {
        fprintf(s->file, "%s\n", text);
    }
}

static uint64_t number_at(const struct summary *s, const char *path)
{
    return pop_profile_as_uint(pop_profile_path(s->graph, path));
}

/* "  Label:   value", the value at column 26. */
static void target_row(struct summary *s, const char *label, struct str *value)
{
    fprintf(s->file, "  %-24s%s\n", label, str_text(value));
    str_free(value);
}

/* The value of a member of the target, divided; "unknown" without it: the report is archive.a alone. */
static void target_value(struct summary *s, const char *label, const char *path, uint64_t divisor, bool memory)
{
    struct str text = { 0 };
    if (!pop_profile_path(s->graph, path))
        str_add(&text, "unknown");
    else if (memory)
        text_memory(&text, number_at(s, path) / divisor);
    else
        text_number(&text, number_at(s, path) / divisor);
    target_row(s, label, &text);
}

static void target_clock(struct summary *s)
{
    const pop_profile_value *clock = pop_profile_path(s->graph, "target.clockFrequency");
    struct str text = { 0 };
    if (clock) {
        text_decimal(&text, pop_profile_as_double(clock) / 1e6);
        str_add(&text, " MHz");
    } else {
        str_add(&text, "unknown");
    }
    target_row(s, "Clock Speed (approx):", &text);
}

static void summary_target(struct summary *s)
{
    bool known = pop_profile_path(s->graph, "target.numIPUs") != NULL;
    uint64_t given = number_at(s, "target.numReplicas"), replicas = given ? given : 1;
    struct str count = { 0 };
    summary_heading(s, "Target:");
    target_value(s, "Number of IPUs:", "target.numIPUs", 1, false);
    target_value(s, "Tiles per IPU:", "target.tilesPerIPU", 1, false);
    target_value(s, "Total Tiles:", "target.numTiles", 1, false);
    target_value(s, "Memory Per-Tile:", "target.bytesPerTile", 1, true);
    target_value(s, "Total Memory:", "target.totalMemory", 1, true);
    target_clock(s);
    if (known)
        text_number(&count, replicas);
    else
        str_add(&count, "unknown");
    target_row(s, "Number of Replicas:", &count);
    target_value(s, "IPUs per Replica:", "target.numIPUs", replicas, false);
    target_value(s, "Tiles per Replica:", known ? "target.numTiles" : "unknown", replicas, false);
    target_value(s, "Memory per Replica:", "target.totalMemory", replicas, true);
}

static void summary_graph(struct summary *s)
{
    struct column column = { 0 };
    fputc('\n', s->file);
    summary_heading(s, "Graph:");
    column_add(&column, 2, "Number of vertices:", number_at(s, "graph.numVertices"));
    column_add(&column, 2, "Number of edges:", number_at(s, "graph.numEdges"));
    column_add(&column, 2, "Number of variables:", number_at(s, "graph.numVars"));
    column_add(&column, 2, "Number of compute sets:", number_at(s, "graph.numComputeSets"));
    column_print(s, &column, 13, "");
}

/* optimizationInfo: pairs of an arbitrary name and a number. */
static void summary_optimizations(struct summary *s)
{
    const pop_profile_value *information = pop_profile_get(s->graph, "optimizationInfo");
    fputc('\n', s->file);
    summary_heading(s, "Optimizations:");
    for (size_t i = 0; i < pop_profile_size(information); ++i) {
        char number[POP_TEXT_DOUBLE];
        pop_text_format(number, sizeof(number), "%g", pop_profile_as_double(pop_profile_item(information, i)));
        fprintf(s->file, "  %s: %s\n", pop_profile_key(information, i), number);
    }
}

/* Whether output is coloured: CLICOLOR_FORCE over CLICOLOR over the option over whether file is a terminal. */
static bool wants_colours(FILE *file, const struct option_set *options)
{
    const char *force = getenv("CLICOLOR_FORCE"), *allow = getenv("CLICOLOR"), *terminal = getenv("TERM");
    if (force && strcmp(force, "1") == 0)
        return true;
    if (allow && strcmp(allow, "0") == 0)
        return false;
    if (options_is_set(options, "colours"))
        return options_bool(options, "report", "colours");
    return fileno(file) >= 0 && isatty(fileno(file)) && terminal && strcmp(terminal, "dumb") != 0;
}

static pop_status begin(struct summary *s, FILE *file, const pop_profile_value *graph,
                        const pop_profile_value *execution, pop_options options, const char *api, pop_error *error)
{
    struct option_set set = { 0 };
    if (!file)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the file is NULL");
    if (!graph || graph->type != POP_PROFILE_MAP)
        return error_set(error, POP_MISSING_GRAPH_PROFILE, NO_WHERE, api, "the graph profile is empty");
    pop_status status = options_apply(&set, "report", options, NULL, NO_WHERE, api, error);
    if (status == POP_OK)
        *s = (struct summary){ .below = file,
                               .graph = graph,
                               .execution = pop_profile_get(execution, "simulation")
                                                ? execution
                                                : NULL, /* a mode without a description prints none */
                               .colours = wants_colours(file, &set),
                               .var_storage = options_bool(&set, "report", "showVarStorage"),
                               .optimizations = options_bool(&set, "report", "showOptimizations"),
                               .execution_steps = options_bool(&set, "report", "showExecutionSteps"),
                               .tile_averages = options_bool(&set, "report", "showTileAverages"),
                               .per_ipu_memory = options_bool(&set, "report", "showPerIpuMemoryUsage") };
    options_free(&set);
    if (status == POP_OK && !(s->file = terminal_stream(&s->terminal, file)))
        return error_set(error, POP_SYSTEM_RUNTIME_ERROR, NO_WHERE, api, ERROR_HOST_MEMORY);
    return status;
}

static void print_graph(struct summary *s)
{
    summary_target(s);
    if (pop_profile_get(s->graph, "graph"))
        summary_graph(s);
    if (s->optimizations && pop_profile_size(pop_profile_get(s->graph, "optimizationInfo")))
        summary_optimizations(s);
    if (!pop_profile_get(s->graph, "memory")) {
        if (strcmp(pop_profile_as_string(pop_profile_path(s->graph, "target.type")), "CPU") == 0)
            fprintf(s->file, "\nMemory, cycles and steps: not recorded on a CPU device; use a modelled IPU "
                             "(IPUModel, or TREMULA_IPU)\n");
        return;
    }
    fputc('\n', s->file);
    summary_memory(s);
    if (s->var_storage)
        summary_liveness(s);
}

static pop_status end(const struct summary *s, const char *api, pop_error *error)
{
    const bool good = fflush(s->file) == 0 && !ferror(s->file);
    if (fclose(s->file) == 0 && good && !ferror(s->below))
        return POP_OK;
    return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the summary could not be written");
}

pop_status pop_print_profile_summary(FILE *file, const pop_profile_value *graph, const pop_profile_value *execution,
                                     pop_options options, pop_error *error)
{
    static const char api[] = "pop_print_profile_summary";
    struct summary s;
    pop_status status = begin(&s, file, graph, execution, options, api, error);
    if (status != POP_OK)
        return status;
    print_graph(&s);
    if (s.execution) {
        fputc('\n', s.file);
        summary_execution(&s);
    }
    return end(&s, api, error);
}

pop_status pop_print_graph_summary(FILE *file, const pop_profile_value *graph, pop_options options, pop_error *error)
{
    static const char api[] = "pop_print_graph_summary";
    struct summary s;
    pop_status status = begin(&s, file, graph, NULL, options, api, error);
    if (status != POP_OK)
        return status;
    print_graph(&s);
    return end(&s, api, error);
}

pop_status pop_print_execution_summary(FILE *file, const pop_profile_value *graph, const pop_profile_value *execution,
                                       pop_options options, pop_error *error)
{
    static const char api[] = "pop_print_execution_summary";
    struct summary s;
    pop_status status = begin(&s, file, graph, execution, options, api, error);
    if (status != POP_OK)
        return status;
    if (!s.execution) {
        fclose(s.file);
        return error_set(error, POP_MISSING_PROFILE_DATA, NO_WHERE, api,
                         "the execution profile is empty: nothing was executed, or nothing is recorded on this device");
    }
    summary_execution(&s);
    return end(&s, api, error);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The summary's execution: totals, cycles by vertex type, and the steps. */
#include "value/summary_execution.h"

#include "value/made.h"

struct type_row {
    const char *name;
    uint64_t instances, cycles;
    bool on_zeros; /* in assembly, and it did not run */
};

/* Tiles that the profiled program used: those of one replica. */
static uint64_t replica_tiles(const struct summary *s)
{
    uint64_t tiles = pop_profile_as_uint(pop_profile_path(s->graph, "target.numTiles")),
             replicas = pop_profile_as_uint(pop_profile_path(s->graph, "target.numReplicas"));
    return replicas ? tiles / replicas : tiles;
}

static int more_cycles_first(const void *a, const void *b)
{
    const struct type_row *x = a, *y = b;
    return x->cycles != y->cycles ? (x->cycles < y->cycles ? 1 : -1) : strcmp(x->name, y->name);
}

void type_cycles_print(struct summary *s, const struct type_cycles *types, int indent)
{
    const pop_profile_value *names = pop_profile_path(s->graph, "vertexTypes.names"),
                            *origins = pop_profile_path(s->graph, "vertexTypes.estimates");
    struct type_row *rows = mem_zero(types->count, sizeof(*rows));
    size_t count = 0, longest = 0;
    for (size_t i = 0; i < types->count; ++i) {
        if (!types->instances[i])
            continue;
        const char *origin = pop_profile_as_string(pop_profile_at(origins, i));
        rows[count] = (struct type_row){ pop_profile_as_string(pop_profile_at(names, i)), types->instances[i],
                                         types->cycles[i], origin && strcmp(origin, "counted on zeros") == 0 };
        size_t length = strlen(rows[count++].name);
        longest = length > longest ? length : longest;
    }
    qsort(rows, count, sizeof(*rows), more_cycles_first);
    for (size_t i = 0; i < count; ++i) {
        char instances[32];
        snprintf(instances, sizeof(instances), "(%llu", (unsigned long long)rows[i].instances);
        struct str cycles = { 0 };
        text_number(&cycles, rows[i].cycles);
        fprintf(s->file, "%*s%-*s%12s instances):%13s%s\n", indent, "", (int)longest, rows[i].name, instances,
                str_text(&cycles), rows[i].on_zeros ? "  (counted on zeros)" : "");
        str_free(&cycles);
    }
    free(rows);
}

/* Whether the profile has cycles of vertices: estimates on modelled devices, or measurements of an instrumented
 * execution. */
static bool has_estimates(const struct summary *s)
{
    return pop_profile_path(s->graph, "computeSets.cycleEstimates") != NULL;
}

static void add_measured(const struct summary *s, struct type_cycles *types)
{
    const pop_profile_value *cycles = pop_profile_get(s->execution, "vertexCycles"),
                            *kinds = pop_profile_get(s->execution, "vertexType");
    for (size_t i = 0; i < pop_profile_size(cycles); ++i) {
        size_t type = (size_t)pop_profile_as_uint(pop_profile_at(kinds, i));
        if (type >= types->count)
            continue;
        ++types->instances[type];
        types->cycles[type] += pop_profile_as_uint(pop_profile_at(cycles, i));
    }
}

/* Adds a compute set's vertices and estimates to the types. */
static void add_compute_set(const struct summary *s, struct type_cycles *types, size_t set)
{
    const pop_profile_value *counts = pop_profile_at(pop_profile_path(s->graph, "computeSets.vertexCounts"), set);
    const pop_profile_value *kinds = pop_profile_at(pop_profile_path(s->graph, "computeSets.vertexTypes"), set);
    const pop_profile_value *cycles =
        pop_profile_at(pop_profile_path(s->graph, "computeSets.cycleEstimates.activeCyclesByVertexType"), set);
    for (size_t i = 0; i < pop_profile_size(kinds); ++i) {
        size_t type = (size_t)pop_profile_as_uint(pop_profile_at(kinds, i));
        if (type < types->count)
            types->instances[type] += pop_profile_as_uint(pop_profile_at(counts, i));
    }
    for (size_t type = 0; type < types->count; ++type)
        types->cycles[type] += pop_profile_as_uint(pop_profile_at(cycles, type));
}

static struct type_cycles new_types(const struct summary *s)
{
    size_t count = pop_profile_size(pop_profile_path(s->graph, "vertexTypes.names"));
    return (struct type_cycles){ mem_zero(count, sizeof(uint64_t)), mem_zero(count, sizeof(uint64_t)), count };
}

static void free_types(struct type_cycles *types)
{
    free(types->instances);
    free(types->cycles);
}

/* "  Label   value" with the value at column 49. */
static void total_row(struct summary *s, const char *label, struct str *value)
{
    fprintf(s->file, "  %-*s%s\n", s->tile_averages ? 54 : 47, label, str_text(value));
    str_free(value);
}

static void total_number(struct summary *s, const char *label, uint64_t value)
{
    struct str text = { 0 };
    text_number(&text, value);
    total_row(s, label, &text);
}

static void total_percent(struct summary *s, const char *label, double share)
{
    struct str text = { 0 };
    str_format(&text, "%.1f%%", share * 100);
    total_row(s, label, &text);
}

/* As later Poplar versions print it: "207,965.0 (0.1% of total)". */
static void average_row(struct summary *s, const char *label, double sum, double tiles, uint64_t cycles)
{
    struct str text = { 0 };
    double average = tiles > 0 ? sum / tiles : 0;
    text_decimal(&text, average);
    str_format(&text, " (%.1f%% of total)", cycles ? average / (double)cycles * 100 : 0);
    total_row(s, label, &text);
}

/* Cycles summed over all tiles, or the average per tile. */
static void total_cycles(struct summary *s, const pop_profile_value *tile_cycles, uint64_t cycles)
{
    static const struct {
        const char *key, *total, *average;
    } rows[] = {
        { "compute",
          "Total compute cycles (including idle threads):", "Tile average compute cycles (including idle threads):" },
        { "activeCompute",
          "Total compute cycles (excluding idle threads):", "Tile average compute cycles (excluding idle threads):" },
        { "doExchange", "Total IPU exchange cycles:", "Tile average IPU exchange cycles:" },
        { "globalExchange", "Total global exchange cycles:", "Tile average global exchange cycles:" },
        { "streamCopy", "Total host exchange cycles:", "Tile average host exchange cycles:" },
        { "copySharedStructure", "Total shared structure copy cycles:", "Tile average shared structure copy cycles:" },
        { "sync", "Total sync cycles:", "Tile average sync cycles:" }
    };
    double tiles = (double)replica_tiles(s);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        const pop_profile_value *sum = pop_profile_get(tile_cycles, rows[i].key);
        if (s->tile_averages)
            average_row(s, rows[i].average, pop_profile_as_double(sum), tiles, cycles);
        else
            total_number(s, rows[i].total, pop_profile_as_uint(sum));
    }
}

static void totals(struct summary *s)
{
    const pop_profile_value *simulation = pop_profile_get(s->execution, "simulation");
    const pop_profile_value *tile_cycles = pop_profile_get(simulation, "tileCycles");
    uint64_t cycles = pop_profile_as_uint(pop_profile_get(simulation, "cycles"));
    double compute = pop_profile_as_double(pop_profile_get(tile_cycles, "compute"));
    double active = pop_profile_as_double(pop_profile_get(tile_cycles, "activeCompute"));
    double tiles = (double)replica_tiles(s);
    double clock = pop_profile_as_double(pop_profile_path(s->graph, "target.clockFrequency"));
    struct str text = { 0 };
    text_number(&text, cycles);
    str_add(&text, " (approx ");
    text_decimal(&text, clock > 0 ? (double)cycles / clock * 1e6 : 0);
    str_add(&text, " microseconds)");
    total_row(s, "Total cycles:", &text);
    total_cycles(s, tile_cycles, cycles);
    total_percent(s, "Total tile balance:", cycles && tiles > 0 ? compute / ((double)cycles * tiles) : 0);
    total_percent(s, "Total thread balance:", compute > 0 ? active / compute : 0);
}

/* "    Label:   value" with the value at column 40, or one space after a longer label. */
static void step_row(struct summary *s, const char *label, struct str *value)
{
    fprintf(s->file, strlen(label) < 36 ? "    %-36s%s\n" : "    %s %s\n", label, str_text(value));
    str_free(value);
}

static void step_percent(struct summary *s, const char *label, const pop_profile_value *share)
{
    struct str text = { 0 };
    str_format(&text, "%.1f%%", pop_profile_as_double(share) * 100);
    step_row(s, label, &text);
}

/* Prints a step that has no block of its own in Poplar's format and returns true, or returns false. A sync is one line;
 * of a stream copy only the middle phase has a line, between the syncs of its begin and end; tiles that only wait for a
 * sync have none. */
static bool print_sync(struct summary *s, const pop_profile_value *step, const char *type)
{
    static const struct {
        const char *type, *lines;
    } syncs[] = { { "StreamCopyBegin", "  --- External Sync ---\n" },
                  { "StreamCopyEnd", "  --- Internal Sync ---\n  --- Internal Sync ---\n" },
                  { "Sans", "" },
                  { "SyncAns", "" },
                  { "", "" } };
    if (strcmp(type, "Sync") == 0 || strcmp(type, "sync") == 0) {
        fprintf(s->file, "  --- %s Sync ---\n", pop_profile_as_string(pop_profile_get(step, "syncType")));
        return true;
    }
    for (size_t i = 0; i < sizeof(syncs) / sizeof(syncs[0]); ++i)
        if (strcmp(type, syncs[i].type) == 0) {
            fputs(syncs[i].lines, s->file);
            return true;
        }
    return false;
}

static void print_step(struct summary *s, const pop_profile_value *step)
{
    const char *type = pop_profile_as_string(pop_profile_get(step, "type")),
               *name = pop_profile_as_string(pop_profile_get(step, "name"));
    if (print_sync(s, step, type))
        return;
    if (strcmp(type, "StreamCopyMid") == 0)
        type = "StreamCopy";
    struct str text = { 0 };
    str_format(&text, "  %s (cycles ", type);
    text_number(&text, pop_profile_as_uint(pop_profile_get(step, "cyclesFrom")));
    str_add(&text, " - ");
    text_number(&text, pop_profile_as_uint(pop_profile_get(step, "cyclesTo")));
    fprintf(s->file, "%s)%s%s\n", str_text(&text), *name ? ": " : "", name);
    str_free(&text);

    text_number(&text, pop_profile_as_uint(pop_profile_get(step, "cycles")));
    const pop_profile_value *overlapped = pop_profile_get(step, "cyclesOverlapped");
    if (overlapped) {
        str_add(&text, " (");
        text_number(&text, pop_profile_as_uint(overlapped));
        str_add(&text, " overlapped with previous)");
    }
    step_row(s, "Cycles:", &text);
    text_number(&text, pop_profile_as_uint(pop_profile_get(step, "activeTiles")));
    str_add(&text, " / ");
    text_number(&text, replica_tiles(s));
    step_row(s, "Active Tiles:", &text);
    bool compute = strcmp(type, "OnTileExecute") == 0;
    if (compute)
        step_percent(s, "Thread Balance:", pop_profile_get(step, "threadBalance"));
    step_percent(s, "Tile Balance:", pop_profile_get(step, "tileBalance"));
    step_percent(s, "Active Tile Balance:", pop_profile_get(step, "activeTileBalance"));
    if (compute && has_estimates(s)) {
        struct type_cycles types = new_types(s);
        add_compute_set(s, &types, (size_t)pop_profile_as_uint(pop_profile_get(step, "computeSet")));
        fprintf(s->file, "    By vertex type:\n");
        type_cycles_print(s, &types, 6);
        free_types(&types);
    }
    if (!compute) {
        text_number(&text, pop_profile_as_uint(pop_profile_get(step, "totalData")));
        step_row(s, "Total Data:", &text);
        step_percent(s, "Data Balance (mean / max data per tile):", pop_profile_get(step, "dataBalance"));
    }
}

/* ---- what was executed, after the steps ---- */

struct executed_set {
    char *name; /* of the first step; NULL: not executed */
    uint64_t executions, cycles;
};

static int executed_cycles_first(const void *a, const void *b)
{
    const struct executed_set *x = a, *y = b;
    if (!x->name || !y->name)
        return !x->name - !y->name;
    return x->cycles != y->cycles ? (x->cycles < y->cycles ? 1 : -1) : strcmp(x->name, y->name);
}

/* The executed compute sets, by cycles: "  OnTileExecute: name", as programs search for them. */
static void print_executed(struct summary *s, const pop_profile_value *steps)
{
    size_t count = pop_profile_size(pop_profile_path(s->graph, "computeSets.names"));
    struct executed_set *sets = mem_zero(count + 1, sizeof(*sets));
    struct profile_reader reader = { .vector = steps };
    for (size_t i = 0; i < pop_profile_size(steps); ++i) {
        const pop_profile_value *step = profile_read(&reader, i);
        size_t set = (size_t)pop_profile_as_uint(pop_profile_get(step, "computeSet"));
        if (strcmp(pop_profile_as_string(pop_profile_get(step, "type")), "OnTileExecute") != 0 || set >= count)
            continue;
        if (!sets[set].name)
            sets[set].name = mem_string(pop_profile_as_string(pop_profile_get(step, "name")));
        ++sets[set].executions;
        sets[set].cycles += pop_profile_as_uint(pop_profile_get(step, "cycles"));
    }
    profile_reader_end(&reader);
    qsort(sets, count, sizeof(*sets), executed_cycles_first);
    fprintf(s->file, "Executed compute sets\n");
    for (size_t i = 0; i < count && sets[i].name; ++i) {
        struct str text = { 0 };
        fprintf(s->file, "  OnTileExecute%s%s\n", *sets[i].name ? ": " : "", sets[i].name);
        text_number(&text, sets[i].executions);
        step_row(s, "Executions:", &text);
        text_number(&text, sets[i].cycles);
        step_row(s, "Cycles:", &text);
        free(sets[i].name);
    }
    free(sets);
}

void summary_execution(struct summary *s)
{
    summary_heading(s, "Execution:");
    fputc('\n', s->file);
    totals(s);
    if (has_estimates(s) || pop_profile_get(s->execution, "vertexCycles")) {
        fprintf(s->file, "\n  Cycles by vertex type:\n");
        struct type_cycles types = new_types(s);
        if (!has_estimates(s))
            add_measured(s, &types);
        for (size_t set = 0;
             has_estimates(s) && set < pop_profile_size(pop_profile_path(s->graph, "computeSets.names")); ++set)
            add_compute_set(s, &types, set);
        type_cycles_print(s, &types, 4);
        free_types(&types);
    }
    if (!s->execution_steps)
        return;
    const pop_profile_value *steps = pop_profile_path(s->execution, "simulation.steps");
    struct profile_reader reader = { .vector = steps };
    fprintf(s->file, "Steps\n");
    for (size_t i = 0; i < pop_profile_size(steps); ++i)
        print_step(s, profile_read(&reader, i));
    profile_reader_end(&reader);
    print_executed(s, steps);
}

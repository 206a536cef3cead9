/* SPDX-License-Identifier: Apache-2.0 */
/* tremula-poplibs-anchors [-g LIST] [-s] DIRECTORY [WORD [summary]]: cycles and memory of operations compared with
 * those of the original's IPU Model (DIRECTORY has the tables), for the rows whose name contains WORD; with "summary",
 * each row's profile too; then a table by family.  Each row runs in its own process; an operation that does not exist,
 * or fails, counts as a miss.  -g: fails if a row of LIST is no longer within; -s: only the sample of LIST. */
#include "families.h"
#include "guard.h"

#include <poplin/codelets.h>
#include <popnn/codelets.h>
#include <popops/codelets.h>
#include <poprand/codelets.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct builder {
    const char *operation;
    row_builder build;
    bool has_code; /* the original's tool had the device's code compiled, and counted (docs/concepts/accuracy.md) */
} builders[] = {
    { "reduction", build_reduction, false },
    { "gemm", build_gemm, true },
    { "fc", build_fc, false },
    { "conv", build_conv, true },
    { "oct_conv", build_oct_conv, true },
    { "pooling", build_pooling, false },
    { "lstm", build_lstm, false },
    { "gru", build_gru, false },
    { "embedding", build_embedding, true },
    { "cholesky", build_cholesky, true },
    { "matrix_solver", build_matrix_solver, true },
    { "ctc_loss", build_ctc_loss, false },
};
static const struct builder *builder_of(const char *operation)
{
    for (size_t i = 0; i < sizeof(builders) / sizeof(builders[0]); ++i)
        if (strcmp(builders[i].operation, operation) == 0)
            return &builders[i];
    return NULL;
}

pop_program pass_begin(struct passes *passes, const char *name)
{
    return passes->programs[passes->count++] = pop_sequence(passes->graph, name);
}
void pass_result(struct passes *passes, pop_tensor result, const char *name)
{
    pop_graph_create_host_read(passes->graph, name, result);
}

void pass_stream(struct passes *passes, pop_stream stream)
{
    if (passes->num_streams == MAX_STREAMS)
        exit(2);
    passes->streams[passes->num_streams++] = stream;
}

/* ---- one row ---- */

static bool summaries;

static void must(pop_status status, const pop_error *error)
{
    if (status == POP_OK)
        return;
    fprintf(stderr, "%s\n", error->text);
    exit(2);
}
static double tile_sum(const pop_profile_value *list, const pop_profile_value *other, bool max)
{
    double sum = 0, largest = 0;
    for (size_t i = 0; i < pop_profile_size(list); ++i) {
        double value = (double)pop_profile_as_uint(pop_profile_at(list, i)) +
                       (double)pop_profile_as_uint(pop_profile_at(other, i));
        sum += value;
        largest = fmax(largest, value);
    }
    return max ? largest : sum;
}

static struct figures measure(const struct row *row)
{
    pop_error error = { 0 };
    pop_cycles cycles;
    pop_profile_value profile;
    const struct builder *builder = builder_of(row->operation);
    size_t tiles = row_number(row, "tiles-per-ipu", 0);
    pop_ipu_model model = { .version = row->machine == 1 ? "ipu1" : "ipu2",
                            .tiles_per_ipu = (unsigned)tiles,
                            .compile_ipu_code = builder->has_code };
    pop_device *device = pop_ipu_model_create_device_options(&model, POP_OPTIONS({ "poplibsRelease", "2021" }), &error);
    must(error.status, &error);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    popops_add_codelets(graph);
    poprand_add_codelets(graph);
    poplin_add_codelets(graph);
    popnn_add_codelets(graph);
    struct passes passes = { .graph = graph };
    builder->build(graph, &passes, row);
    must(pop_graph_take_error(graph, &error), &error);
    pop_engine *engine = pop_engine_create(
        graph, (pop_programs){ passes.count, passes.programs },
        POP_OPTIONS({ "debug.allowOutOfMemory", "true" }, { "target.workerStackSizeInBytes", "0" }), &error);
    must(error.status, &error);
    must(pop_engine_load(engine, device, &error), &error);
    void *zeros[MAX_STREAMS];
    for (size_t i = 0; i < passes.num_streams; ++i) {
        zeros[i] = calloc(pop_stream_num_elements(passes.streams[i]), 8);
        must(pop_engine_connect_stream(engine, pop_stream_handle(passes.streams[i]), zeros[i], &error), &error);
    }
    for (unsigned i = 0; i < passes.count; ++i)
        must(pop_engine_run(engine, i, &error), &error);
    must(pop_engine_cycles(engine, &cycles, &error), &error);
    must(pop_engine_graph_profile(engine, &profile, &error), &error);
    struct figures figures = {
        (double)cycles.total,
        tile_sum(pop_profile_path(&profile, "memory.liveness.alwaysLive.bytesByTile"),
                 pop_profile_path(&profile, "memory.liveness.notAlwaysLive.maxBytesByTile"), false),
        tile_sum(pop_profile_path(&profile, "memory.byTile.totalIncludingGaps"), NULL, true),
    };
    if (summaries)
        must(pop_engine_print_profile_summary(engine, stdout, POP_OPTIONS({ "showExecutionSteps", "true" }), &error),
             &error);
    fflush(stdout);
    pop_profile_free(&profile);
    pop_engine_destroy(engine);
    for (size_t i = 0; i < passes.num_streams; ++i)
        free(zeros[i]);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
    return figures;
}

/* The same in a child process; false if it failed. */
static bool measure_apart(const struct row *row, struct figures *figures)
{
    int ends[2], status = 1;
    if (!builder_of(row->operation) || pipe(ends) != 0)
        return false;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        *figures = measure(row);
        _exit(write(ends[1], figures, sizeof(*figures)) == sizeof(*figures) ? 0 : 1);
    }
    close(ends[1]);
    bool whole = child > 0 && read(ends[0], figures, sizeof(*figures)) == sizeof(*figures);
    close(ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 && whole;
}

/* ---- tables ---- */

/* Prints a row's figures and the published ones: ~ if they are not within. */
static void add_row(const struct row *row, struct guard *guard)
{
    struct figures ours;
    double ratios[FIGURES];
    bool measured = measure_apart(row, &ours);
    bool within = family_add(family_of(row), row, measured ? &ours : NULL, ratios);
    printf("%c%c %-56s ipu%u %12.0f ", guard_mark(guard, row, within), within ? ' ' : '~', row->name, row->machine,
           row->published.cycles);
    if (measured)
        printf("%12.0f %5.2f %12.0f %5.2f %9.0f %5.2f\n", ours.cycles, ratios[CYCLES], row->published.total,
               ratios[TOTAL_MEMORY], row->published.max, ratios[TILE_MEMORY]);
    else
        printf("%12s\n", "missed");
    fflush(stdout);
}

static const char *word_at(size_t count, char *const *words, size_t index, const char *otherwise)
{
    return index < count ? words[index] : otherwise;
}

int main(int argc, char **argv)
{
    struct guard *guard = NULL;
    bool sample = false;
    for (int option; (option = getopt(argc, argv, "g:s")) != -1;)
        if (option == 'g')
            guard = guard_read(optarg);
        else if (option == 's')
            sample = true;
        else
            return 2;
    size_t words = (size_t)(argc - optind);
    struct row *rows;
    size_t count = rows_read(word_at(words, argv + optind, 0, "bench/anchors/published"), &rows);
    const char *word = word_at(words, argv + optind, 1, "");
    summaries = words > 2;
    printf("   %-56s %4s %12s %12s %5s %12s %5s %9s %5s\n", "row", "chip", "cycles", "ours", "ratio", "bytes", "ratio",
           "a tile's", "ratio");
    for (size_t family = 0; family < num_families(); ++family)
        for (size_t i = 0; i < count; ++i)
            if (family_of(&rows[i]) == family && strstr(rows[i].name, word) && guard_takes(guard, &rows[i], sample))
                add_row(&rows[i], guard);
    print_families();
    free(rows);
    return guard_end(guard, !sample && !*word) ? 0 : 1;
}

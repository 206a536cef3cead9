/* SPDX-License-Identifier: Apache-2.0 */
/* tremula-poplibs-anchors [-g LIST] [-s] DIRECTORY [WORD [summary]]: cycles and memory of operations beside what the
 * original's IPU Model reported (DIRECTORY has the tables), for the rows whose name has WORD in it; with "summary",
 * each row's profile too.  Each row runs in a process of its own; an operation that there is not, or that fails, counts
 * as a miss.  -g: fails when a row of LIST is no longer within; -s: only the sample of LIST. */
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
    bool has_code; /* the original's tool had the device's code compiled, and counted: inferred from memory */
} builders[] = {
    { "reduction", build_reduction, false },
    { "gemm", build_gemm, false },
    { "fc", build_fc, false },
    { "conv", build_conv, false },
    { "oct_conv", build_oct_conv, false },
    { "pooling", build_pooling, false },
    { "lstm", build_lstm, false },
    { "gru", build_gru, false },
    { "embedding", build_embedding, false },
    { "cholesky", build_cholesky, true },
    { "matrix_solver", build_matrix_solver, true },
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

/* ---- one row ---- */

static bool summaries;

static void must(pop_status status, const pop_error *error)
{
    if (status == POP_OK)
        return;
    fprintf(stderr, "%s\n", error->text);
    exit(2);
}
static double tile_sum(const pop_profile_value *list, const pop_profile_value *other, bool most)
{
    double sum = 0, largest = 0;
    for (size_t i = 0; i < pop_profile_size(list); ++i) {
        double value = (double)pop_profile_as_uint(pop_profile_at(list, i)) +
                       (double)pop_profile_as_uint(pop_profile_at(other, i));
        sum += value;
        largest = fmax(largest, value);
    }
    return most ? largest : sum;
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
    pop_device *device = pop_ipu_model_create_device(&model, &error);
    must(error.status, &error);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    popops_add_codelets(graph);
    poprand_add_codelets(graph);
    poplin_add_codelets(graph);
    popnn_add_codelets(graph);
    struct passes passes = { graph, 0, { { 0 } } };
    builder->build(graph, &passes, row);
    must(pop_graph_take_error(graph, &error), &error);
    pop_engine *engine = pop_engine_create(graph, (pop_programs){ passes.count, passes.programs },
                                           POP_OPTIONS({ "debug.allowOutOfMemory", "true" }), &error);
    must(error.status, &error);
    must(pop_engine_load(engine, device, &error), &error);
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
    pop_graph_destroy(graph);
    pop_device_destroy(device);
    return figures;
}

/* The same in a child; false when it failed. */
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

struct family {
    size_t rows, missed, close; /* close: 10 % in cycles and 25 % in memory */
    double ratios[3][1000];
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static void print_family(const char *name, struct family *family)
{
    static const char *const what[] = { "cycles", "memory of all tiles", "memory of the fullest tile" };
    size_t measured = family->rows - family->missed;
    printf("  %s: %zu rows, %zu missed, %zu within 10 %% in cycles and 25 %% in memory\n", name, family->rows,
           family->missed, family->close);
    for (unsigned k = 0; k < 3 && measured; ++k) {
        qsort(family->ratios[k], measured, sizeof(double), by_value);
        double low = family->ratios[k][0], high = family->ratios[k][measured - 1];
        printf("      %-28s median ratio %.2f, worst %.2f\n", what[k], family->ratios[k][measured / 2],
               high * low > 1 ? high : low);
    }
}

static void add_row(struct family *family, const struct row *row, struct guard *guard)
{
    struct figures ours;
    ++family->rows;
    if (!measure_apart(row, &ours)) {
        ++family->missed;
        printf("%c~ %-56s ipu%u %12.0f %12s\n", guard_mark(guard, row, false), row->name, row->machine,
               row->published.cycles, "missed");
        return;
    }
    double cycles = ours.cycles / row->published.cycles, total = ours.total / row->published.total,
           most = ours.most / row->published.most;
    bool close = fabs(cycles - 1) <= 0.1 && fabs(total - 1) <= 0.25 && fabs(most - 1) <= 0.25;
    size_t at = family->rows - family->missed - 1;
    family->ratios[0][at] = cycles;
    family->ratios[1][at] = total;
    family->ratios[2][at] = most;
    family->close += close;
    printf("%c%c %-56s ipu%u %12.0f %12.0f %5.2f %12.0f %5.2f %9.0f %5.2f\n", guard_mark(guard, row, close),
           close ? ' ' : '~', row->name, row->machine, row->published.cycles, ours.cycles, cycles, row->published.total,
           total, row->published.most, most);
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
    struct family *family = calloc(1, sizeof(*family));
    size_t count = rows_read(word_at(words, argv + optind, 0, "bench/anchors/published"), &rows), close = 0, of = 0;
    const char *word = word_at(words, argv + optind, 1, "");
    summaries = words > 2;
    char done[64][24] = { "" };
    printf("   %-56s %4s %12s %12s %5s %12s %5s %9s %5s\n", "row", "chip", "cycles", "ours", "ratio", "bytes", "ratio",
           "a tile's", "ratio");
    for (size_t i = 0, families = 0; i < count; ++i) {
        size_t known = 0;
        while (known < families && strcmp(done[known], rows[i].operation) != 0)
            ++known;
        if (known < families)
            continue;
        strcpy(done[families++], rows[i].operation);
        memset(family, 0, sizeof(*family));
        for (size_t k = i; k < count; ++k)
            if (strcmp(rows[k].operation, rows[i].operation) == 0 && strstr(rows[k].name, word) &&
                guard_takes(guard, &rows[k], sample))
                add_row(family, &rows[k], guard);
        if (family->rows)
            print_family(rows[i].operation, family);
        close += family->close;
        of += family->rows;
    }
    printf("%zu of %zu rows within 10 %% in cycles and 25 %% in memory\n", close, of);
    free(family);
    free(rows);
    return guard_end(guard, !sample && !*word) ? 0 : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "families.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool any(const struct row *row)
{
    (void)row;
    return true;
}
static bool depthwise(const struct row *row)
{
    return row_number(row, "conv-groups", 1) > 1;
}
static bool wide_kernel(const struct row *row)
{
    size_t kernel[8], count = row_list(row, "kernel-size", kernel, 8);
    for (size_t i = 0; i < count; ++i)
        if (kernel[i] > 1)
            return true;
    return false;
}
static bool training(const struct row *row)
{
    return strcmp(row_word(row, "phase", "fwd"), "all") == 0;
}
static bool one_column(const struct row *row)
{
    size_t rank[2];
    return row_list(row, "b-rank", rank, 2) && rank[0] == 1;
}

static struct family {
    const char *name, *operation; /* NULL: any */
    bool (*fits)(const struct row *row);
    size_t rows, measured, within;
    double *deviations[FIGURES];
} families[] = {
    { .name = "reductions", .operation = "reduction", .fits = any },
    { .name = "matrix products", .operation = "gemm", .fits = any },
    { .name = "fully connected layers", .operation = "fc", .fits = any },
    { .name = "convolutions by group", .operation = "conv", .fits = depthwise },
    { .name = "convolutions, kernels larger than one", .operation = "conv", .fits = wide_kernel },
    { .name = "convolutions, kernels of one", .operation = "conv", .fits = any },
    { .name = "octave convolutions", .operation = "oct_conv", .fits = any },
    { .name = "pooling", .operation = "pooling", .fits = any },
    { .name = "LSTM, forward", .operation = "lstm", .fits = NULL },
    { .name = "LSTM, training", .operation = "lstm", .fits = training },
    { .name = "GRU, forward", .operation = "gru", .fits = NULL },
    { .name = "GRU, training", .operation = "gru", .fits = training },
    { .name = "embeddings", .operation = "embedding", .fits = any },
    { .name = "Cholesky", .operation = "cholesky", .fits = any },
    { .name = "triangular solve, one column", .operation = "matrix_solver", .fits = one_column },
    { .name = "triangular solve", .operation = "matrix_solver", .fits = any },
    { .name = "CTC loss", .operation = "ctc_loss", .fits = any },
    { .name = "others", .operation = NULL, .fits = any },
};

size_t num_families(void)
{
    return sizeof(families) / sizeof(families[0]);
}

size_t family_of(const struct row *row)
{
    size_t i = 0;
    for (; families[i].operation; ++i)
        if (strcmp(families[i].operation, row->operation) == 0 &&
            (families[i].fits ? families[i].fits(row) : !training(row)))
            break;
    return i;
}

bool family_add(size_t of, const struct row *row, const struct figures *ours, double ratios[FIGURES])
{
    struct family *family = &families[of];
    ++family->rows;
    if (!ours)
        return false;
    ratios[CYCLES] = ours->cycles / row->published.cycles;
    ratios[TOTAL_MEMORY] = ours->total / row->published.total;
    ratios[TILE_MEMORY] = ours->max / row->published.max;
    bool within = true;
    for (size_t i = 0; i < FIGURES; ++i) {
        family->deviations[i] = realloc(family->deviations[i], (family->measured + 1) * sizeof(double));
        if (!family->deviations[i])
            exit(2);
        family->deviations[i][family->measured] = fabs(ratios[i] - 1);
        within = within && fabs(ratios[i] - 1) <= (i == CYCLES ? 0.1 : 0.25);
    }
    ++family->measured;
    family->within += within;
    return within;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
/* The smallest value that at least this share of the values does not exceed. */
static double percentile(const double *sorted, size_t count, double share)
{
    size_t at = (size_t)ceil(share * (double)count);
    return sorted[at ? at - 1 : 0];
}

static void print_family(const char *name, struct family *family)
{
    printf("| %-37s | %4zu | %6zu |", name, family->rows, family->within);
    for (size_t i = 0; i < FIGURES; ++i) {
        if (!family->measured) {
            printf(" %6s %6s |", "-", "-");
            continue;
        }
        qsort(family->deviations[i], family->measured, sizeof(double), by_value);
        printf(" %5.1f%% %5.1f%% |", 100 * percentile(family->deviations[i], family->measured, 0.5),
               100 * percentile(family->deviations[i], family->measured, 0.9));
    }
    printf("\n");
}

void print_families(void)
{
    struct family all = { .name = "all" };
    printf("\n| %-37s | rows | within | cycles: 50%%, 90%% | all memory     | a tile's memory |\n", "family");
    printf("|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < num_families(); ++i)
        if (families[i].rows)
            print_family(families[i].name, &families[i]);
    for (size_t i = 0; i < num_families(); ++i) {
        struct family *family = &families[i];
        all.rows += family->rows;
        all.within += family->within;
        for (size_t k = 0; k < FIGURES; ++k) {
            all.deviations[k] = realloc(all.deviations[k], (all.measured + family->measured + 1) * sizeof(double));
            if (!all.deviations[k])
                exit(2);
            for (size_t r = 0; r < family->measured; ++r)
                all.deviations[k][all.measured + r] = family->deviations[k][r];
            free(family->deviations[k]);
        }
        all.measured += family->measured;
    }
    print_family(all.name, &all);
    for (size_t k = 0; k < FIGURES; ++k)
        free(all.deviations[k]);
}

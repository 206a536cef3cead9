/* SPDX-License-Identifier: Apache-2.0 */
/* Published figures of operations: the parameters of each named row, and the builders of graphs that run the same here.
 */
#ifndef BENCH_ANCHORS_ROWS_H
#define BENCH_ANCHORS_ROWS_H

#include <poplar/poplar.h>
#include <poplin/conv_params.h>

struct figures {
    double cycles, total, max; /* of a run; bytes of all tiles; of the fullest tile with its gaps */
};
struct row {
    unsigned machine; /* 1 or 2 */
    char name[96], operation[24], parameters[256];
    struct figures published;
};

/* Parameters: "--field {27,27} --stride=2". */
size_t row_list(const struct row *row, const char *key, size_t *values, size_t capacity); /* 0 where the row has none */
size_t row_number(const struct row *row, const char *key, size_t otherwise);
const char *row_word(const struct row *row, const char *key, const char *otherwise); /* valid until the next call */
pop_type row_type(const struct row *row, pop_type otherwise);                        /* of --type or --data-type */
poplin_conv_params row_conv_params(const struct row *row); /* conv.c: half unless the row has a type */

/* The original's tools ran forward and backward passes as separate programs, one after the other. */
enum { MAX_PASSES = 4, MAX_STREAMS = 64 };
struct passes {
    pop_graph *graph;
    size_t count;
    pop_program programs[MAX_PASSES];
    size_t num_streams;
    pop_stream streams[MAX_STREAMS]; /* from the host; filled with zeros */
};
/* One more sequence. */
pop_program pass_begin(struct passes *passes, const char *name);
/* A tensor that the original's tools read after all passes: it is live to the end. */
void pass_result(struct passes *passes, pop_tensor result, const char *name);

/* A stream that a program reads. */
void pass_stream(struct passes *passes, pop_stream stream);

/* Adds the row's operation to the graph. */
typedef void (*row_builder)(pop_graph *graph, struct passes *passes, const struct row *row);

void build_reduction(pop_graph *graph, struct passes *passes, const struct row *row);
void build_gemm(pop_graph *graph, struct passes *passes, const struct row *row);
void build_fc(pop_graph *graph, struct passes *passes, const struct row *row);
void build_conv(pop_graph *graph, struct passes *passes, const struct row *row);
void build_oct_conv(pop_graph *graph, struct passes *passes, const struct row *row);
void build_pooling(pop_graph *graph, struct passes *passes, const struct row *row);
void build_lstm(pop_graph *graph, struct passes *passes, const struct row *row);
void build_gru(pop_graph *graph, struct passes *passes, const struct row *row);
void build_embedding(pop_graph *graph, struct passes *passes, const struct row *row);
void build_cholesky(pop_graph *graph, struct passes *passes, const struct row *row);
void build_ctc_loss(pop_graph *graph, struct passes *passes, const struct row *row);
void build_matrix_solver(pop_graph *graph, struct passes *passes, const struct row *row);

/* rows.c: reads the published tables; ends the program if they are malformed.  The caller frees *rows. */
size_t rows_read(const char *directory, struct row **rows);

#endif

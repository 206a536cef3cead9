/* SPDX-License-Identifier: Apache-2.0 */
/* bench_sparse [SIZE [BATCH]]: modelled cycles on an ipu2 of a SIZE x SIZE sparse matrix times SIZE x BATCH, by share
 * of zeros, type and block, beside the dense product of the same run. */
#include <poplar/poplar.h>
#include <poplin/codelets.h>
#include <poplin/mat_mul.h>
#include <popops/codelets.h>
#include <popsparse/codelets.h>
#include <popsparse/mat_mul.h>
#include <popsparse/sparse_partitioner.h>
#include <poputil/tile_mapping.h>
#include <stdio.h>
#include <stdlib.h>

struct bench {
    size_t size, batch;
    pop_device *device;
    pop_error error;
};

static void stop(const pop_error *error)
{
    pop_error_print(error);
    exit(1);
}
static pop_graph *open_graph(struct bench *bench)
{
    pop_graph *graph = pop_graph_create(pop_device_target(bench->device));
    popops_add_codelets(graph);
    poplin_add_codelets(graph);
    popsparse_add_codelets(graph);
    return graph;
}
static pop_engine *load(struct bench *bench, pop_graph *graph, pop_program program)
{
    pop_engine *engine = pop_engine_create(graph, POP_PROGRAMS(program), POP_NO_OPTIONS, &bench->error);
    if (!engine || pop_engine_load(engine, bench->device, &bench->error) != POP_OK)
        stop(&bench->error);
    return engine;
}
/* Runs once, and ends the engine and its graph. */
static uint64_t cycles_of(struct bench *bench, pop_graph *graph, pop_engine *engine)
{
    pop_cycles cycles;
    if (pop_engine_run(engine, 0, &bench->error) != POP_OK ||
        pop_engine_cycles(engine, &cycles, &bench->error) != POP_OK)
        stop(&bench->error);
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    return cycles.total;
}

static uint64_t dense(struct bench *bench, pop_type type)
{
    pop_graph *graph = open_graph(bench);
    pop_program program = pop_sequence(graph, "dense");
    pop_shape a = POP_SHAPE(bench->size, bench->size), b = POP_SHAPE(bench->size, bench->batch);
    pop_tensor left = poplin_create_mat_mul_input_lhs(graph, type, type, a, b, "a", POP_NO_OPTIONS, NULL),
               right = poplin_create_mat_mul_input_rhs(graph, type, type, a, b, "b", POP_NO_OPTIONS, NULL);
    poplin_mat_mul(graph, left, right, program, "product", POP_NO_OPTIONS, NULL);
    return cycles_of(bench, graph, load(bench, graph, program));
}

/* Blocks at random places, the same number in each block row. */
static popsparse_matrix pattern(const struct bench *bench, size_t block, double share)
{
    size_t across = bench->size / block, each = (size_t)((double)across * share), count = across * each;
    popsparse_matrix m = { .format = POPSPARSE_COO, .block_dimensions = { block, block } };
    unsigned state = 1;
    char *used = malloc(across);
    m.num_nz_values = count * block * block;
    m.num_row_indices = m.num_column_indices = count;
    m.nz_values = calloc(m.num_nz_values + 1, sizeof(double));
    m.row_indices = malloc((count + 1) * sizeof(size_t));
    m.column_indices = malloc((count + 1) * sizeof(size_t));
    for (size_t row = 0, at = 0; row < across; ++row) {
        for (size_t i = 0; i < across; ++i)
            used[i] = 0;
        for (size_t i = 0; i < each; ++i) {
            size_t column;
            do {
                state = state * 1664525u + 1013904223u;
                column = (state >> 8) % across;
            } while (used[column]);
            used[column] = 1;
            m.row_indices[at] = row * block;
            m.column_indices[at++] = column * block;
        }
    }
    free(used);
    return m;
}

static uint64_t sparse(struct bench *bench, pop_type type, size_t block, double share)
{
    popsparse_matrix m = pattern(bench, block, share);
    popsparse_sparsity_data data;
    popsparse_dynamic_mat_mul_params params = popsparse_dynamic_mat_mul_params_create_with_num_non_zero_values(
        popsparse_sparsity_params_make(block, block), m.num_nz_values, 1, bench->size, bench->size, bench->batch);
    popsparse_dynamic_partitioner *p = popsparse_dynamic_partitioner_create_mat_mul(
        &params, type, pop_device_target(bench->device), POP_NO_OPTIONS, NULL, NULL, &bench->error);
    if (!p || popsparse_dynamic_partitioner_create_sparsity_data(p, &m, &data, &bench->error) != POP_OK)
        stop(&bench->error);
    pop_graph *graph = open_graph(bench);
    pop_program program = pop_sequence(graph, "sparse");
    popsparse_dynamic_sparse_tensor lhs =
        popsparse_dynamic_create_sparse_dense_mat_mul_lhs(graph, type, &params, "lhs", POP_NO_OPTIONS, NULL);
    pop_tensor rhs =
        popsparse_dynamic_create_sparse_dense_mat_mul_rhs(graph, type, &params, "rhs", POP_NO_OPTIONS, NULL);
    popsparse_dynamic_sparse_dense_mat_mul(graph, lhs, rhs, program, false, false, "product", POP_NO_OPTIONS, NULL);
    pop_graph_create_host_write(graph, "pattern", lhs.meta_info);
    pop_engine *engine = load(bench, graph, program);
    unsigned short *numbers = malloc((data.num_meta_info + 1) * sizeof(*numbers));
    for (size_t i = 0; i < data.num_meta_info; ++i)
        numbers[i] = (unsigned short)data.meta_info[i];
    if (pop_engine_write_tensor(engine, "pattern", numbers, POP_WHOLE, &bench->error) != POP_OK)
        stop(&bench->error);
    free(numbers);
    popsparse_matrix_free(&m);
    popsparse_sparsity_data_free(&data);
    popsparse_dynamic_partitioner_destroy(p);
    return cycles_of(bench, graph, engine);
}

int main(int argc, char **argv)
{
    static const size_t blocks[] = { 1, 4, 8, 16 };
    static const double zeros[] = { 0.9, 0.95, 0.99 };
    struct bench bench = {
        argc > 1 ? strtoul(argv[1], NULL, 10) : 4096, argc > 2 ? strtoul(argv[2], NULL, 10) : 64, NULL, { 0 }
    };
    bench.device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2" }, &bench.error);
    if (!bench.device)
        stop(&bench.error);
    printf("sparse %zu x %zu times %zu x %zu, modelled cycles on an ipu2\n", bench.size, bench.size, bench.size,
           bench.batch);
    printf("%-6s %-6s %10s %9s %9s %9s\n", "type", "block", "dense", "90 %", "95 %", "99 %");
    for (unsigned half = 0; half < 2; ++half) {
        pop_type type = half ? POP_HALF : POP_FLOAT;
        uint64_t whole = dense(&bench, type);
        for (size_t b = 0; b < sizeof(blocks) / sizeof(blocks[0]); ++b) {
            printf("%-6s %-6zu %10llu", half ? "half" : "float", blocks[b], (unsigned long long)whole);
            for (size_t i = 0; i < sizeof(zeros) / sizeof(zeros[0]); ++i) {
                uint64_t cycles = sparse(&bench, type, blocks[b], 1 - zeros[i] + 1e-9);
                printf(" %9llu", (unsigned long long)cycles);
                fflush(stdout);
            }
            printf("\n");
        }
    }
    pop_device_destroy(bench.device);
    return 0;
}

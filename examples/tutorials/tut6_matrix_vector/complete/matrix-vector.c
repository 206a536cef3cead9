/* SPDX-License-Identifier: Apache-2.0 */
/* Tutorial 6: matrix-vector ROWS COLS multiplies a matrix by a vector, a vertex for each row, and checks the result. */
#include <math.h>
#include <poplar/poplar.h>
#include <stdio.h>
#include <stdlib.h>

static void check(pop_status status, const pop_error *error)
{
    if (status == POP_OK)
        return;
    pop_error_print(error);
    exit(EXIT_FAILURE);
}

/* A positive number, or 0. */
static unsigned parse_size(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    return *end == '\0' && value <= 1000000 ? (unsigned)value : 0;
}

/* The control program of the multiplication: its one compute set has a vertex for each row of the matrix. */
static pop_program build_multiply_program(pop_graph *graph, pop_tensor matrix, pop_tensor in, pop_tensor out)
{
    pop_compute_set mul_cs = pop_graph_add_compute_set(graph, "mulCS");
    size_t num_rows = pop_tensor_dim(matrix, 0);
    size_t num_cols = pop_tensor_dim(matrix, 1);
    unsigned num_tiles = pop_target_num_tiles(pop_graph_target(graph));

    for (size_t row = 0; row < num_rows; ++row) {
        pop_vertex v = pop_graph_add_vertex_connected(
            graph, mul_cs, "DotProductVertex",
            POP_CONNECTIONS({ "a", pop_tensor_at(matrix, row) }, { "b", in }, { "out", pop_tensor_at(out, row) }));
        unsigned tile = (unsigned)(row * num_tiles / num_rows);
        pop_graph_map_vertex(graph, v, tile);
        pop_graph_set_cycle_estimate(graph, v, 20 + num_cols);
        pop_graph_set_tile_mapping(graph, pop_tensor_at(matrix, row), tile);
        pop_graph_set_tile_mapping(graph, pop_tensor_at(out, row), tile);
    }
    return pop_execute(mul_cs, NULL);
}

/* Compares the result with one computed in double precision, within the rounding of single-precision sums. */
static bool result_ok(const float *matrix, const float *in, const float *out, size_t num_rows, size_t num_cols)
{
    for (size_t i = 0; i < num_rows; ++i) {
        double sum = 0, size = 0;
        for (size_t j = 0; j < num_cols; ++j) {
            sum += (double)matrix[i * num_cols + j] * in[j];
            size += fabs((double)matrix[i * num_cols + j] * in[j]);
        }
        if (!(fabs(out[i] - sum) <= 1e-5 * size))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    unsigned num_rows = argc == 3 ? parse_size(argv[1]) : 0, num_cols = argc == 3 ? parse_size(argv[2]) : 0;
    if (num_rows == 0 || num_cols == 0) {
        fprintf(stderr, "usage: matrix-vector ROWS COLS (each from 1 to 1000000)\n");
        return 1;
    }
    printf("Multiplying matrix of size %ux%u by vector of size %u\n", num_rows, num_cols, num_cols);

    /* The device, and a graph with the codelets. */
    printf("Creating environment (compiling vertex programs)\n");
    pop_error error = { 0 };
    pop_device *device = pop_ipu_model_create_device(&(pop_ipu_model){ 0 }, &error);
    check(error.status, &error);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    if (!pop_graph_add_codelets(graph, "matrix-mul-codelets.c"))
        check(pop_graph_take_error(graph, &error), &error);

    /* The tensors; the vector is spread over all tiles. */
    printf("Constructing compute graph and control program\n");
    pop_tensor matrix = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(num_rows, num_cols), "matrix");
    pop_tensor input_vector =
        pop_graph_add_variable_mapped(graph, POP_FLOAT, POP_SHAPE(num_cols), POP_MAPPING_LINEAR, "inputVector");
    pop_tensor output_vector = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(num_rows), "outputVector");
    pop_graph_create_host_write(graph, "matrix", matrix);
    pop_graph_create_host_write(graph, "inputVector", input_vector);
    pop_graph_create_host_read(graph, "outputVector", output_vector);
    pop_program prog = build_multiply_program(graph, matrix, input_vector, output_vector);
    pop_engine *engine = pop_engine_create(graph, POP_PROGRAMS(prog), POP_NO_OPTIONS, &error);
    check(error.status, &error);
    check(pop_engine_load(engine, device, &error), &error);

    /* Data on the host: numbers between -1 and 1. */
    size_t elements = (size_t)num_rows * num_cols;
    float *h_matrix = malloc(elements * sizeof(float)), *h_in = malloc(num_cols * sizeof(float)),
          *h_out = malloc(num_rows * sizeof(float));
    if (!h_matrix || !h_in || !h_out) {
        fprintf(stderr, "no memory for a matrix of %zu elements\n", elements);
        return 1;
    }
    for (size_t i = 0; i < elements; ++i)
        h_matrix[i] = (float)rand() / (float)RAND_MAX * 2 - 1;
    for (size_t i = 0; i < num_cols; ++i)
        h_in[i] = (float)rand() / (float)RAND_MAX * 2 - 1;

    printf("Running graph program to multiply matrix by vector\n");
    check(pop_engine_write_tensor(engine, "matrix", h_matrix, elements * sizeof(float), &error), &error);
    check(pop_engine_write_tensor(engine, "inputVector", h_in, num_cols * sizeof(float), &error), &error);
    check(pop_engine_run(engine, 0, &error), &error);
    check(pop_engine_read_tensor(engine, "outputVector", h_out, num_rows * sizeof(float), &error), &error);

    bool ok = result_ok(h_matrix, h_in, h_out, num_rows, num_cols);
    printf(ok ? "Multiplication result OK\n" : "Multiplication result not OK\n");
    free(h_matrix);
    free(h_in);
    free(h_out);
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
    return ok ? 0 : 1;
}

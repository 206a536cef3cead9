/* SPDX-License-Identifier: Apache-2.0 */
/* Tutorial 7: matrix-vector ROWS COLS [--device model-ipu1|model-ipu2|cpu]
 *
 * Multiplies a matrix by a vector in two phases: dot products of segments of rows, then sums of the partial results.
 * The choice of the split is left to you: with one segment for each row there are too few vertices to occupy all
 * workers. */
#include <math.h>
#include <poplar/poplar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check(pop_status status, const pop_error *error)
{
    if (status == POP_OK)
        return;
    pop_error_print(error);
    exit(EXIT_FAILURE);
}

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Worker cycles of a vertex with `length` elements. */
static uint64_t vertex_cycles(uint64_t length)
{
    return 5 + (length + 1) / 2;
}

/* Estimate the cost of each split here, and choose the best. */
static size_t calc_optimal_cols_axis_split(const pop_target *target, size_t rows, size_t cols)
{
    (void)target, (void)rows, (void)cols;
    return 1;
}

/* ---- the graph ---- */

/* The control program, in two phases: the dot products of all segments, then the sums of each row's. */
static pop_program build_multiply_program(pop_graph *graph, pop_tensor matrix, pop_tensor in, pop_tensor out)
{
    const pop_target *target = pop_graph_target(graph);
    size_t tiles = pop_target_num_tiles(target);
    size_t rows = pop_tensor_dim(matrix, 0), cols = pop_tensor_dim(matrix, 1);

    for (size_t i = 0; i < cols; ++i)
        pop_graph_set_tile_mapping(graph, pop_tensor_at(in, i), (unsigned)(i * tiles / cols));

    /* Get the optimal column axis split, and a tensor to hold the partial sums. */
    size_t split = calc_optimal_cols_axis_split(target, rows, cols);
    pop_tensor partials = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(rows, split), "partials");

    /* Create a vertex for each segment, for each row. */
    pop_compute_set mul_cs = pop_graph_add_compute_set(graph, "mulCS");
    for (size_t i = 0; i < split; ++i) {
        size_t begin = i * cols / split, end = (i + 1) * cols / split;
        pop_tensor in_segment = pop_tensor_slice(in, begin, end, 0);
        for (size_t row = 0; row < rows; ++row) {
            pop_tensor matrix_segment = pop_tensor_slice(pop_tensor_at(matrix, row), begin, end, 0);
            pop_tensor partial = pop_tensor_index(partials, POP_SHAPE(row, i));
            pop_vertex v = pop_graph_add_vertex_connected(
                graph, mul_cs, "DotProductVertex",
                POP_CONNECTIONS({ "a", matrix_segment }, { "b", in_segment }, { "out", partial }));
            unsigned tile = (unsigned)((i * rows + row) * tiles / (split * rows));
            pop_graph_map_vertex(graph, v, tile);
            pop_graph_set_tile_mapping(graph, matrix_segment, tile);
            pop_graph_set_tile_mapping(graph, partial, tile);
            pop_graph_set_perf_estimate(graph, v, vertex_cycles(end - begin), 2 * (end - begin));
        }
    }

    /* For each output element create a vertex that adds the partial sums. */
    pop_compute_set reduce_cs = pop_graph_add_compute_set(graph, "reduceCS");
    for (size_t row = 0; row < rows; ++row) {
        pop_vertex v = pop_graph_add_vertex_connected(
            graph, reduce_cs, "ReduceVertex",
            POP_CONNECTIONS({ "in", pop_tensor_at(partials, row) }, { "out", pop_tensor_at(out, row) }));
        unsigned tile = (unsigned)(row * tiles / rows);
        pop_graph_map_vertex(graph, v, tile);
        pop_graph_set_tile_mapping(graph, pop_tensor_at(out, row), tile);
        pop_graph_set_perf_estimate(graph, v, vertex_cycles(split), split);
    }
    return pop_sequence_of(graph, POP_PROGRAMS(pop_execute(mul_cs, NULL), pop_execute(reduce_cs, NULL)), NULL);
}

/* ---- the host ---- */

/* The matrix, the vector and the result, on the host; all NULL if memory cannot be allocated. */
struct data {
    float *matrix, *in, *out;
};

static struct data make_data(size_t rows, size_t cols)
{
    struct data data = { malloc(rows * cols * sizeof(float)), malloc(cols * sizeof(float)),
                         malloc(rows * sizeof(float)) };
    if (!data.matrix || !data.in || !data.out) {
        fprintf(stderr, "no memory for a matrix of %zux%zu elements\n", rows, cols);
        exit(EXIT_FAILURE);
    }
    uint32_t state = 1; /* numbers between -1 and 1, the same in each run */
    for (size_t i = 0; i < rows * cols; ++i) {
        state = state * 1664525u + 1013904223u;
        data.matrix[i] = (float)(int32_t)state * 0x1p-31f;
    }
    for (size_t i = 0; i < cols; ++i) {
        state = state * 1664525u + 1013904223u;
        data.in[i] = (float)(int32_t)state * 0x1p-31f;
    }
    return data;
}

static void free_data(struct data data)
{
    free(data.matrix);
    free(data.in);
    free(data.out);
}

/* Compares the result with one computed in double precision, within the rounding of single-precision sums. */
static bool result_ok(struct data data, size_t rows, size_t cols)
{
    for (size_t i = 0; i < rows; ++i) {
        double sum = 0, size = 0;
        for (size_t j = 0; j < cols; ++j) {
            double product = (double)data.matrix[i * cols + j] * data.in[j];
            sum += product;
            size += fabs(product);
        }
        if (!(fabs(data.out[i] - sum) <= 1e-5 * size))
            return false;
    }
    return true;
}

/* The device that an argument names, or NULL.  The guide's program ran with all sync delays set to zero. */
static pop_device *create_device(const char *name, pop_error *error)
{
    unsigned no_delay = 0;
    pop_ipu_model model = { .min_ipu_sync_delay = &no_delay, .relative_sync_delay = POP_SYNC_DELAY_NONE };
    if (strcmp(name, "cpu") == 0)
        return pop_cpu_device_create(error);
    model.version = strcmp(name, "model-ipu1") == 0 ? "ipu1" : "ipu2";
    return pop_ipu_model_create_device(&model, error);
}

static void print_cycles(pop_engine *engine, const char *device_name, size_t rows, size_t cols)
{
    pop_error error = { 0 };
    pop_cycles cycles;
    if (strcmp(device_name, "cpu") == 0) {
        printf("Program cycles: none (the cpu device has no cycle model)\n");
        return;
    }
    check(pop_engine_cycles(engine, &cycles, &error), &error);
    printf("Program cycles: %llu", (unsigned long long)cycles.total);
    if (strcmp(device_name, "model-ipu1") == 0 && rows == 10000 && cols == 1000)
        printf(" (the guide's run: 5071)");
    printf("\n");
}

struct arguments {
    size_t rows, cols;
    const char *device;
};

static bool parse_size(const char *text, size_t *size)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    *size = value;
    return *text >= '0' && *text <= '9' && *end == '\0' && value >= 1 && value <= 1000000;
}

static bool parse_arguments(int argc, char **argv, struct arguments *arguments)
{
    arguments->device = "model-ipu1";
    if (argc == 5 && strcmp(argv[3], "--device") == 0)
        arguments->device = argv[4];
    else if (argc != 3)
        return false;
    return parse_size(argv[1], &arguments->rows) && parse_size(argv[2], &arguments->cols) &&
           (strcmp(arguments->device, "model-ipu1") == 0 || strcmp(arguments->device, "model-ipu2") == 0 ||
            strcmp(arguments->device, "cpu") == 0);
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    if (!parse_arguments(argc, argv, &arguments)) {
        fprintf(stderr,
                "usage: matrix-vector ROWS COLS [--device model-ipu1|model-ipu2|cpu] (sizes from 1 to 1000000)\n");
        return 1;
    }
    size_t rows = arguments.rows, cols = arguments.cols;
    pop_error error = { 0 };
    printf("Multiplying matrix of size %zux%zu by vector of size %zu\n", rows, cols, cols);
    struct data data = make_data(rows, cols);

    printf("Creating environment (compiling vertex programs)\n");
    double start = seconds();
    pop_device *device = create_device(arguments.device, &error);
    check(error.status, &error);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    if (!pop_graph_add_codelets(graph, "matrix-mul-codelets.c"))
        check(pop_graph_take_error(graph, &error), &error);
    double codelets_ready = seconds();

    printf("Constructing compute graph and control program\n");
    pop_tensor matrix = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(rows, cols), "matrix");
    pop_tensor in = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(cols), "inputVector");
    pop_tensor out = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(rows), "outputVector");
    pop_graph_create_host_write(graph, "matrix", matrix);
    pop_graph_create_host_write(graph, "inputVector", in);
    pop_graph_create_host_read(graph, "outputVector", out);
    pop_program program = build_multiply_program(graph, matrix, in, out);
    double built = seconds();

    pop_engine *engine = pop_engine_create(graph, POP_PROGRAMS(program), POP_NO_OPTIONS, &error);
    check(error.status, &error);
    double compiled = seconds();

    printf("Running graph program to multiply matrix by vector\n");
    check(pop_engine_load(engine, device, &error), &error);
    check(pop_engine_write_tensor(engine, "matrix", data.matrix, rows * cols * sizeof(float), &error), &error);
    check(pop_engine_write_tensor(engine, "inputVector", data.in, cols * sizeof(float), &error), &error);
    check(pop_engine_run(engine, 0, &error), &error);
    check(pop_engine_read_tensor(engine, "outputVector", data.out, rows * sizeof(float), &error), &error);
    double ran = seconds();

    bool ok = result_ok(data, rows, cols);
    printf(ok ? "Multiplication result OK\n" : "Multiplication result not OK\n");
    print_cycles(engine, arguments.device, rows, cols);
    printf("Wall time: codelets %.3f s, build %.3f s, compile %.3f s, load and run %.3f s; in all %.3f s\n",
           codelets_ready - start, built - codelets_ready, compiled - built, ran - compiled, ran - start);

    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
    free_data(data);
    return ok ? 0 : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse operations give the same bits with codelets of every instruction set and optimisation level, and with any
 * number of the host's threads. The codelets are compiled here for each level that this machine supports. */
#include "poplibs/numeric.h"
#include "poplibs/popsparse/patterns.h"

#include <poplar/popc.h>
#include <popops/codelets.h>
#include <popsparse/codelets.h>
#include <popsparse/embedding.h>
#include <popsparse/experimental/block_sparse.h>
#include <popsparse/fully_connected.h>
#include <unistd.h>

static char directory[] = "/tmp/popsparse-levels-XXXXXX";
/* Level of x86-64, optimisation, threads. */
static const struct level {
    unsigned machine, optimisation, threads;
} levels[] = { { 1, 1, 1 }, { 3, 2, 3 }, { 4, 3, 2 } };
enum { LEVELS = sizeof(levels) / sizeof(levels[0]) };

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    popsparse_add_codelets_at(where, graph);
}
static const char *codelets_of(char *path, size_t size, unsigned i)
{
    snprintf(path, size, "%s/popsparse.%u.gp", directory, i);
    return path;
}
static bool runs(unsigned i)
{
#ifdef __x86_64__
    return levels[i].machine <= pop_machine_level();
#else
    return levels[i].machine == 1;
#endif
}

static int compile(void **state)
{
    (void)state;
    static const char *const files[] = { SOURCE_DIR "/src/popsparse/pass/product_vertices.c",
                                         SOURCE_DIR "/src/popsparse/pass/steps_vertices.c",
                                         SOURCE_DIR "/src/popsparse/dynamic/embedding_vertices.c",
                                         SOURCE_DIR "/src/popsparse/blocks/block_softmax_vertices.c" };
    char flags[512], path[256], machine[32] = "";
    pop_error error;
    if (!mkdtemp(directory))
        return -1;
    for (unsigned i = 0; i < LEVELS && runs(i); ++i) {
#ifdef __x86_64__
        snprintf(machine, sizeof(machine), "-march=x86-64-v%u", levels[i].machine);
#endif
        snprintf(flags, sizeof(flags), "-O%u %s -I %s/src -I %s/include", levels[i].optimisation, machine, SOURCE_DIR,
                 SOURCE_DIR);
        if (popc_compile_files(files, sizeof(files) / sizeof(files[0]), flags, codelets_of(path, sizeof(path), i),
                               false, &error) != POP_OK)
            fail_msg("%s", error.text);
    }
    return 0;
}
static int clean(void **state)
{
    (void)state;
    char path[256];
    for (unsigned i = 0; i < LEVELS; ++i)
        unlink(codelets_of(path, sizeof(path), i));
    return rmdir(directory);
}

enum { ROWS = 48, COLUMNS = 64, BATCH = 12, INDICES = 6 };

/* The weights of a layer with a random pattern, of which a part travels. */
static popsparse_dynamic_sparse_tensor weights_of(struct fixture *fixture, pop_type type, size_t block,
                                                  pop_options options, popsparse_dynamic_fully_connected_params *params)
{
    struct pattern pattern = pattern_empty(ROWS, COLUMNS, block, block);
    pop_error error;
    popsparse_sparsity_data data;
    size_t all = ROWS / block * (COLUMNS / block);
    pattern_fill(&pattern, all * 3 / 10, &fixture->random);
    popsparse_matrix m = pattern_matrix(&pattern, POPSPARSE_COO, &fixture->random);
    *params = popsparse_dynamic_fully_connected_params_create_with_nz_ratio(
        popsparse_sparsity_params_make(block, block), 0.3, BATCH, 1, COLUMNS, ROWS);
    popsparse_dynamic_sparse_tensor w =
        popsparse_dynamic_create_fully_connected_weights(fixture->graph, type, params, "w", options, NULL);
    popsparse_dynamic_partitioner *partitioner = popsparse_dynamic_partitioner_create(
        params, type, pop_graph_target(fixture->graph), options, NULL, "w", &error);
    if (!partitioner || popsparse_dynamic_partitioner_create_sparsity_data(partitioner, &m, &data, &error) != POP_OK)
        fail_msg("%s", error.text);
    assert_true(data.meta_info[0] > 0); /* steps */
    pop_graph_set_initial_value(fixture->graph, w.meta_info, POP_UNSIGNED_LONGLONG, data.meta_info);
    fixture_write(fixture, w.nz_values, data.nz_values, 0, 0);
    popsparse_sparsity_data_free(&data);
    popsparse_matrix_free(&m);
    popsparse_dynamic_partitioner_destroy(partitioner);
    pattern_free(&pattern);
    return w;
}
/* All passes of a layer, and rows of it that are read and updated. */
static size_t add_layer(struct fixture *fixture, pop_type type, size_t block, pop_options options, pop_tensor *out)
{
    popsparse_dynamic_fully_connected_params params;
    popsparse_dynamic_sparse_tensor w = weights_of(fixture, type, block, options, &params);
    pop_graph *g = fixture->graph;
    pop_tensor in = fixture_input(fixture, type, POP_SHAPE(BATCH, COLUMNS), FIXTURE_SCATTERED),
               grad = fixture_input(fixture, type, POP_SHAPE(BATCH, ROWS), FIXTURE_SCATTERED),
               indices = fixture_input_of(fixture, POP_UNSIGNED_INT, POP_SHAPE(INDICES), FIXTURE_LINEAR, 0, ROWS),
               slices = fixture_input(fixture, type, POP_SHAPE(INDICES, COLUMNS), FIXTURE_LINEAR),
               scale = fixture_input(fixture, type, POP_SHAPE(), FIXTURE_ONE_TILE);
    out[0] = popsparse_dynamic_fully_connected_fwd(g, w, in, &params, fixture->program, "fwd", options, NULL);
    out[1] = popsparse_dynamic_fully_connected_grad_a(g, w, grad, &params, fixture->program, "gradA", options, NULL);
    out[2] = popsparse_dynamic_fully_connected_sparse_grad_w(g, w.meta_info, grad, in, &params, fixture->program,
                                                             "gradW", options, NULL);
    out[3] = popsparse_dynamic_embedding_slice(g, w, indices, fixture->program, &params, "rows", options, NULL);
    out[4] = pop_graph_clone(g, type, w.nz_values, POP_CLONE_PRESERVE_ORDER_AND_ALIASES, "updated");
    popsparse_dynamic_embedding_update_add(g, w, slices, indices, scale, fixture->program, &params, "update", options,
                                           NULL);
    pop_sequence_add(fixture->program, pop_copy(w.nz_values, out[4], false, "updated"));
    return 5;
}
static size_t add_softmax(struct fixture *fixture, pop_type type, pop_tensor *out)
{
    static const unsigned char mask[] = { 1, 0, 1, 1, 1, 1, 0, 1, 1 };
    popsparse_experimental_block_matrix matrix = { { 12, 12 }, { 4, 4 }, mask, sizeof(mask), 1 };
    pop_tensor x = fixture_input_of(fixture, type, POP_SHAPE(7, 16), FIXTURE_SCATTERED, -6, 6),
               grad = fixture_input(fixture, type, POP_SHAPE(7, 16), FIXTURE_SCATTERED);
    out[0] = popsparse_experimental_bs_softmax(fixture->graph, x, &matrix, POPSPARSE_SUB_BLOCK_MASK_ZERO_UPPER_TRIANGLE,
                                               fixture->program, "softmax");
    out[1] = popsparse_experimental_bs_softmax_grad(fixture->graph, out[0], grad, &matrix, fixture->program, "grad");
    return 2;
}

/* All results of a level, one after the other. */
static double *results_of(unsigned level, pop_type type, size_t block, size_t *count)
{
    char path[256], threads[64];
    double *values[7], *all = NULL;
    pop_tensor out[7];
    snprintf(threads, sizeof(threads), "{\"target.hostThreads\": \"%u\"}", levels[level].threads);
    setenv("IPU_POPSPARSE_GP", codelets_of(path, sizeof(path), level), 1);
    setenv("POPLAR_ENGINE_OPTIONS", threads, 1);
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 13, add_codelets);
    pop_options options =
        POP_OPTIONS({ "doGradAPass", "true" }, { "doGradWPass", "true" }, { "partialsType", "half" },
                    { "planConstraints", "{\"partition\":{\"x\":3,\"y\":2,\"z\":2}}" },
                    { "partitioner.forceBucketSpills", "true" }, { "metaInfoBucketOversizeProportion", "0.5" });
    size_t made = add_layer(&fixture, type, block, options, out);
    made += add_softmax(&fixture, type, out + made);
    fixture_run_all(&fixture, out, values, made);
    *count = 0;
    for (size_t i = 0; i < made; ++i) {
        size_t elements = pop_tensor_num_elements(out[i]);
        all = realloc(all, (*count + elements) * sizeof(*all));
        memcpy(all + *count, values[i], elements * sizeof(*all));
        *count += elements;
    }
    fixture_close(&fixture);
    unsetenv("IPU_POPSPARSE_GP");
    unsetenv("POPLAR_ENGINE_OPTIONS");
    return all;
}

static void bits_are_those_of_every_level(void **state)
{
    (void)state;
    static const size_t blocks[] = { 1, 4 };
    for (unsigned i = 0; i < 4; ++i) {
        pop_type type = i & 1 ? POP_HALF : POP_FLOAT;
        size_t count, others;
        double *plain = results_of(0, type, blocks[i / 2], &count), sum = 0;
        for (size_t k = 0; k < count; ++k)
            sum += fabs(plain[k]);
        assert_true(sum > 1);
        for (unsigned l = 1; l < LEVELS && runs(l); ++l) {
            double *got = results_of(l, type, blocks[i / 2], &others);
            assert_int_equal(others, count);
            assert_memory_equal(got, plain, count * sizeof(*got));
            free(got);
        }
        free(plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(bits_are_those_of_every_level) };
    return cmocka_run_group_tests(tests, compile, clean);
}

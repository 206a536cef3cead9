/* SPDX-License-Identifier: Apache-2.0 */
/* Products and convolutions give the same bits with codelets of every instruction set: plain x86-64, whose
 * multiply-adds are emulated, and the levels with vectors of 8 and 16 floats.  The kernels of the CPU device and of the
 * conv units are compiled here for the lowest level; those of the others are the library's own. */
#include "poplibs/numeric.h"

#include <poplar/metadata.h>
#include <poplar/popc.h>
#include <poplin/codelets.h>
#include <poplin/conv_util.h>
#include <poplin/convolution.h>
#include <poplin/mat_mul.h>
#include <popops/cast.h>
#include <popops/codelets.h>

#include <unistd.h>

static char directory[] = "/tmp/poplin-levels-XXXXXX";
static const unsigned levels[] = { 1, 3, 4 };
enum { LEVELS = sizeof(levels) / sizeof(levels[0]) };

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
}

static const char *codelets_of(char *path, size_t size, unsigned level)
{
    if (level == 1)
        snprintf(path, size, "%s/poplin.v1.gp", directory);
    else
        snprintf(path, size, "%s/poplin%s.gp", BINARY_DIR, level == 3 ? "" : ".x86-64-v4");
    return path;
}

static int compile(void **state)
{
    (void)state;
    static const char *const files[] = { SOURCE_DIR "/src/poplin/host/host_gemm_vertices.c",
                                         SOURCE_DIR "/src/poplin/host/host_conv_vertices.c",
                                         SOURCE_DIR "/src/poplin/conv_vertices/conv_amp_vertices.c",
                                         SOURCE_DIR "/src/poplin/conv_vertices/conv_mac_vertices.c",
                                         SOURCE_DIR "/src/poplin/conv_vertices/conv_slic_vertices.c",
                                         SOURCE_DIR "/src/poplin/conv_vertices/conv_reduce_vertices.c" };
    char flags[512], path[256];
    pop_error error;
    if (!mkdtemp(directory))
        return -1;
    snprintf(flags, sizeof(flags), "-O1 -march=x86-64 -I %s/src -I %s/include", SOURCE_DIR, SOURCE_DIR);
    if (popc_compile_files(files, sizeof(files) / sizeof(files[0]), flags, codelets_of(path, sizeof(path), 1), false,
                           &error) != POP_OK)
        fail_msg("%s", error.text);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    char path[256];
    unlink(codelets_of(path, sizeof(path), 1));
    return rmdir(directory);
}

/* The operation under test, built of random operands. */
struct operation {
    pop_type type;
    const size_t *sizes; /* of a product, or NULL */
    const struct layer {
        size_t batch, height, width, inputs, outputs, kernel;
        unsigned stride;
    } * layer;
    bool quarters; /* a product of 8-bit floats by an ipu21's vertices, of each format and a scale */
};
static pop_tensor as_quarter(struct fixture *fixture, pop_tensor t, pop_quarter_format format, int scale)
{
    pop_tensor metadata = pop_create_constant_metadata_tensor(fixture->graph, format, scale, "metadata");
    return popops_cast_with_metadata(fixture->graph, t, POP_QUARTER, metadata, fixture->program, "narrow");
}
static struct fixture open_ipu21(void)
{
    pop_error error;
    struct fixture fixture = { .random = 1 };
    fixture.device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu21", .tiles_per_ipu = 3 }, &error);
    assert_non_null(fixture.device);
    fixture.graph = pop_graph_create(pop_device_target(fixture.device));
    fixture.program = pop_sequence(fixture.graph, "test");
    add_codelets(POP_HERE, fixture.graph);
    return fixture;
}
static pop_tensor add_product(struct fixture *fixture, const struct operation *op)
{
    const size_t *s = op->sizes;
    pop_tensor a = fixture_input(fixture, op->type, POP_SHAPE(s[0], s[1]), FIXTURE_SCATTERED),
               b = fixture_input(fixture, op->type, POP_SHAPE(s[1], s[2]), FIXTURE_SCATTERED);
    if (op->quarters)
        return poplin_mat_mul_typed(fixture->graph, as_quarter(fixture, a, POP_QUARTER_F143, 1),
                                    as_quarter(fixture, b, POP_QUARTER_F152, -2), fixture->program, POP_HALF, "product",
                                    POP_OPTIONS({ "planConstraints", "{\"inChansPerGroup\": 32}" }), NULL);
    return poplin_mat_mul(fixture->graph, a, b, fixture->program, "product", POP_NO_OPTIONS, NULL);
}
static pop_tensor add_layer(struct fixture *fixture, const struct operation *op)
{
    const struct layer *l = op->layer;
    poplin_conv_params params = poplin_conv_params_make(op->type, op->type, l->batch, POP_SHAPE(l->height, l->width),
                                                        POP_SHAPE(l->kernel, l->kernel), l->inputs, l->outputs, 1);
    for (int d = 0; d < 2; ++d) {
        params.output_transform.stride[d] = l->stride;
        params.input_transform.padding_lower[d] = params.input_transform.padding_upper[d] = (unsigned)(l->kernel / 2);
    }
    const pop_tensor in =
        fixture_input(fixture, op->type, POP_SHAPE(l->batch, l->inputs, l->height, l->width), FIXTURE_SCATTERED);
    const pop_tensor weights =
        fixture_input(fixture, op->type, POP_SHAPE(1, l->outputs, l->inputs, l->kernel, l->kernel), FIXTURE_SCATTERED);
    return poplin_convolution(fixture->graph, in, weights, &params, false, fixture->program, "layer", POP_NO_OPTIONS,
                              NULL);
}
/* The operation's result with the codelets of a level, and its number of elements; as many threads of the host. */
static double *result_of(unsigned level, enum fixture_device device, const struct operation *op, size_t *count)
{
    char path[256], threads[64];
    snprintf(threads, sizeof(threads), "{\"target.hostThreads\": \"%u\"}", level);
    setenv("POPLAR_ENGINE_OPTIONS", threads, 1);
    setenv("IPU_POPLIN_GP", codelets_of(path, sizeof(path), level), 1);
    struct fixture fixture = op->quarters ? open_ipu21() : fixture_open(device, 3, add_codelets);
    unsetenv("IPU_POPLIN_GP");
    const pop_tensor out = (op->layer ? add_layer : add_product)(&fixture, op);
    assert_built(fixture.graph);
    *count = pop_tensor_num_elements(out);
    double *values = malloc(*count * sizeof(*values));
    memcpy(values, fixture_run(&fixture, out), *count * sizeof(*values));
    fixture_close(&fixture);
    unsetenv("POPLAR_ENGINE_OPTIONS");
    return values;
}
static void check_levels(enum fixture_device device, struct operation op)
{
    static const pop_type types[] = { POP_FLOAT, POP_HALF };
    if (pop_machine_level() < levels[1])
        skip(); /* there is nothing to compare */
    for (size_t t = op.quarters; t < 2; ++t) {
        size_t count;
        op.type = types[t];
        double *plain = result_of(levels[0], device, &op, &count);
        for (unsigned l = 1; l < LEVELS && levels[l] <= pop_machine_level(); ++l) {
            double *got = result_of(levels[l], device, &op, &count);
            assert_memory_equal(got, plain, count * sizeof(*got));
            free(got);
        }
        free(plain);
    }
}

static void check_device(enum fixture_device device)
{
    static const size_t sizes[][3] = { { 1, 1, 1 },   { 3, 7, 5 },    { 16, 16, 16 }, { 6, 33, 17 }, { 15, 64, 31 },
                                       { 29, 40, 8 }, { 8, 129, 24 }, { 5, 600, 23 }, { 9, 512, 8 } };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i)
        check_levels(device, (struct operation){ .sizes = sizes[i] });
}

/* Eight output channels: two rows in a vector of 16, where rows follow each other; four and sixteen: one. */
static void test_conv_layers(void **state)
{
    (void)state;
    static const struct layer layers[] = { { 2, 7, 9, 32, 8, 3, 1 },  { 1, 9, 11, 16, 8, 3, 2 },
                                           { 1, 12, 1, 16, 8, 3, 1 }, { 3, 5, 6, 48, 16, 3, 1 },
                                           { 1, 8, 8, 16, 4, 5, 1 },  { 2, 6, 6, 24, 40, 3, 1 },
                                           { 1, 9, 11, 48, 8, 1, 1 }, { 2, 7, 9, 32, 8, 1, 2 } };
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); ++i)
        check_levels(FIXTURE_MODEL, (struct operation){ .layer = &layers[i] });
}

/* Strips of other heights on each level: others of them are read in place. */
static void test_host_layers(void **state)
{
    (void)state;
    static const struct layer layers[] = { { 2, 9, 61, 3, 64, 7, 2 },
                                           { 1, 5, 29, 75, 33, 3, 1 },
                                           { 1, 3, 47, 20, 8, 1, 1 },
                                           { 1, 2, 90, 7, 40, 2, 3 },
                                           { 2, 6, 14, 160, 70, 3, 1 } };
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); ++i)
        check_levels(FIXTURE_CPU, (struct operation){ .layer = &layers[i] });
}

static void test_host_products(void **state)
{
    (void)state;
    check_device(FIXTURE_CPU);
}

static void test_conv_units(void **state)
{
    (void)state;
    check_device(FIXTURE_MODEL);
}
static void test_quarters(void **state)
{
    (void)state;
    static const size_t sizes[][3] = { { 3, 7, 5 }, { 15, 64, 31 }, { 5, 600, 23 } };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i)
        check_levels(FIXTURE_MODEL, (struct operation){ .sizes = sizes[i], .quarters = true });
}

int main(void)
{
#ifndef __x86_64__
    puts("skipped: these are levels of x86-64");
    return 0;
#endif
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_host_layers), cmocka_unit_test(test_host_products),
                                        cmocka_unit_test(test_conv_units), cmocka_unit_test(test_conv_layers),
                                        cmocka_unit_test(test_quarters) };
    return cmocka_run_group_tests(tests, compile, clean);
}

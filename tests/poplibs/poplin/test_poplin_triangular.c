/* SPDX-License-Identifier: Apache-2.0 */
/* Triangular systems and Cholesky's factors, against the same in double precision; elements that must not be read are
 * NaN. */
#include "poplibs/numeric.h"

#include <poplin/cholesky.h>
#include <poplin/codelets.h>
#include <poplin/triangular_solve.h>
#include <popops/codelets.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
}

/* One call: groups of n equations, m right-hand sides. */
struct system {
    size_t groups, n, m, block;
    bool left, lower, unit;
    pop_type type;
};

/* Well-conditioned triangles; NaN in elements that must not be read. */
static double *triangles(struct fixture *fixture, const struct system *s)
{
    double *a = malloc(s->groups * s->n * s->n * sizeof(*a) + 1);
    for (size_t i = 0; i < s->groups * s->n * s->n; ++i) {
        size_t row = i / s->n % s->n, column = i % s->n;
        double value = next_random(&fixture->random) / 2147483648.0 - 0.5;
        a[i] = row == column                              ? (s->unit ? NAN : 1.5 + value)
               : (s->lower ? row > column : row < column) ? value / (double)s->n
                                                          : NAN;
    }
    return a;
}
static double element(const struct system *s, const double *a, size_t group, size_t row, size_t column)
{
    if (row == column && s->unit)
        return 1;
    return (s->lower ? row >= column : row <= column) ? a[(group * s->n + row) * s->n + column] : 0;
}

static void check_system(enum fixture_device device, const struct system *s)
{
    struct fixture fixture = fixture_open(device, 5, add_codelets);
    size_t groups = s->groups, n = s->n, m = s->m;
    pop_shape b_shape = s->left ? POP_SHAPE(groups, n, m) : POP_SHAPE(groups, m, n);
    pop_tensor a = poplin_create_triangular_solve_input_lhs(fixture.graph, s->type, s->type, POP_SHAPE(groups, n, n),
                                                            b_shape, s->left, "a", POP_NO_OPTIONS, NULL);
    pop_tensor b = fixture_input(&fixture, s->type, b_shape, FIXTURE_SCATTERED);
    double *values = triangles(&fixture, s);
    fixture_write(&fixture, a, values, 0, 0);
    pop_tensor x = poplin_triangular_solve(fixture.graph, a, b, s->left, s->lower, s->unit, s->block, fixture.program,
                                           "solve", POP_NO_OPTIONS, NULL);
    assert_built(fixture.graph);
    assert_int_equal(pop_tensor_dim(x, 1), s->left ? n : m);
    double *got = fixture_run(&fixture, x), *matrix = fixture_given(&fixture, a), *wanted = fixture_given(&fixture, b),
           *sums = calloc(groups * n * m + 1, sizeof(*sums));
    for (size_t g = 0; g < groups; ++g) /* the solution, substituted into the equations */
        for (size_t i = 0; i < n; ++i)
            for (size_t k = 0; k < n; ++k)
                for (size_t c = 0; c < m; ++c)
                    if (s->left)
                        sums[(g * n + i) * m + c] += element(s, matrix, g, i, k) * got[(g * n + k) * m + c];
                    else
                        sums[(g * m + c) * n + i] += got[(g * m + c) * n + k] * element(s, matrix, g, k, i);
    fixture_check(sums, wanted, groups * n * m, s->type == POP_HALF ? 1e-2 : 1e-5, s->type == POP_HALF ? 1e-2 : 1e-5);
    free(sums);
    free(values);
    fixture_close(&fixture);
}

static void test_systems(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 16; ++i) {
        struct system s = { 1 + i % 2, 1 + i * 7 % 31, 1 + i * 5 % 13, 1 + i * 3 % 11,
                            i & 1,     i & 2,          i & 4,          i & 8 ? POP_HALF : POP_FLOAT };
        check_system(FIXTURE_CPU, &s);
    }
    check_system(FIXTURE_CPU, &(struct system){ 2, 65, 7, 32, true, true, false, POP_FLOAT });
    check_system(FIXTURE_CPU, &(struct system){ 1, 5, 0, 2, true, true, false, POP_FLOAT });
    check_system(FIXTURE_CPU,
                 &(struct system){ 1, 32, 8, 8, true, false, true, POP_FLOAT }); /* halves without padding */
    check_system(FIXTURE_CPU,
                 &(struct system){ 1, 33, 1, 16, false, true, false, POP_FLOAT }); /* one right-hand side */
    check_system(FIXTURE_MODEL,
                 &(struct system){ 2, 13, 11, 13, true, true, false, POP_FLOAT }); /* one block: no product */
    check_system(FIXTURE_MODEL,
                 &(struct system){ 1, 70, 3, 0, true, true, false, POP_FLOAT }); /* one right-hand side */
    check_system(FIXTURE_MODEL, &(struct system){ 2, 13, 6, 5, true, false, false, POP_FLOAT });
    check_system(FIXTURE_MODEL, &(struct system){ 1, 17, 3, 20, false, true, true, POP_HALF }); /* an upper system */
    check_system(FIXTURE_MODEL,
                 &(struct system){ 2, 19, 9, 8, false, false, false, POP_FLOAT }); /* padded, halved, widened */
}

static void test_masks(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (unsigned i = 0; i < 4; ++i) {
            bool lower = i & 1, unit = i & 2;
            struct fixture fixture = fixture_open(device, 3, add_codelets);
            pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(2, 2, 7, 7), FIXTURE_SCATTERED);
            double *got = fixture_run(&fixture,
                                      poplin_triangular_mask(fixture.graph, a, lower, unit, fixture.program, "mask")),
                   *given = fixture_given(&fixture, a);
            for (size_t k = 0; k < 196; ++k) {
                size_t row = k / 7 % 7, column = k % 7;
                double wanted = row == column ? (unit ? 1 : given[k]) : (row > column) == lower ? given[k] : 0;
                assert_true(got[k] == wanted);
            }
            fixture_close(&fixture);
        }
}

/* Symmetric matrices with all eigenvalues at least 1; NaN in the triangle that is not read. */
static double *positive(struct fixture *fixture, size_t groups, size_t n, bool lower)
{
    double *a = malloc(groups * n * n * sizeof(*a)), *b = malloc(n * n * sizeof(*b));
    for (size_t g = 0; g < groups; ++g) {
        for (size_t i = 0; i < n * n; ++i)
            b[i] = next_random(&fixture->random) / 2147483648.0 - 0.5;
        for (size_t i = 0; i < n * n; ++i) {
            size_t row = i / n, column = i % n;
            double sum = row == column;
            for (size_t k = 0; k < n; ++k)
                sum += b[row * n + k] * b[column * n + k];
            a[g * n * n + i] = (lower ? row >= column : row <= column) ? sum : NAN;
        }
    }
    free(b);
    return a;
}

static void check_factor(enum fixture_device device, pop_type type, size_t groups, size_t n, bool lower,
                         const char *block, bool in_place)
{
    struct fixture fixture = fixture_open(device, 5, add_codelets);
    pop_options options = POP_OPTIONS({ "partialsType", "float" }, { "blockSize", block });
    pop_tensor a = poplin_create_cholesky_input(fixture.graph, type, POP_SHAPE(groups, n, n), lower, "a", options,
                                                NULL),
               factor = a;
    double *values = positive(&fixture, groups, n, lower);
    fixture_write(&fixture, a, values, 0, 0);
    if (in_place)
        poplin_cholesky_in_place(fixture.graph, a, lower, fixture.program, "cholesky", options, NULL);
    else
        factor = poplin_cholesky(fixture.graph, a, lower, fixture.program, "cholesky", options, NULL);
    assert_built(fixture.graph);
    double *given = malloc(groups * n * n * sizeof(*given));
    memcpy(given, fixture_given(&fixture, a), groups * n * n * sizeof(*given));
    double *got = fixture_run(&fixture, factor), tolerance = type == POP_HALF ? 1e-2 : 1e-5;
    for (size_t g = 0; g < groups; ++g)
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j) {
                double sum = 0, wanted = given[(g * n + i) * n + j];
                const double *f = got + g * n * n;
                if (lower ? i < j : i > j) {
                    assert_true(f[i * n + j] == 0);
                    continue;
                }
                for (size_t k = 0; k < n; ++k)
                    sum += lower ? f[i * n + k] * f[j * n + k] : f[k * n + i] * f[k * n + j];
                fixture_check(&sum, &wanted, 1, tolerance, tolerance * 2);
            }
    free(given);
    free(values);
    fixture_close(&fixture);
}

static size_t tiles_with(pop_graph *graph, pop_tensor t)
{
    pop_interval_lists mapping;
    size_t tiles = 0;
    assert_true(pop_graph_get_tile_mapping(graph, t, NULL, &mapping));
    for (size_t tile = 0; tile < mapping.count; ++tile)
        tiles += mapping.first[tile + 1] > mapping.first[tile];
    pop_interval_lists_free(&mapping);
    return tiles;
}

/* A block's rows are together for a lower factor, its columns for an upper one, which is computed on transposed views.
 */
static void test_factor_layouts(void **state)
{
    (void)state;
    for (int lower = 0; lower < 2; ++lower) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 16, add_codelets);
        pop_tensor a = poplin_create_cholesky_input(fixture.graph, POP_FLOAT, POP_SHAPE(16, 16), lower != 0, "a",
                                                    POP_OPTIONS({ "blockSize", "16" }), NULL);
        assert_built(fixture.graph);
        assert_int_equal(tiles_with(fixture.graph, pop_tensor_slice(a, 3, 4, 0)), lower ? 1 : 16);
        assert_int_equal(tiles_with(fixture.graph, pop_tensor_slice(a, 3, 4, 1)), lower ? 16 : 1);
        fixture_close(&fixture);
    }
}

static void test_factors(void **state)
{
    (void)state;
    check_factor(FIXTURE_CPU, POP_FLOAT, 1, 1, true, "32", true);
    check_factor(FIXTURE_CPU, POP_FLOAT, 2, 41, true, "16", true);
    check_factor(FIXTURE_CPU, POP_FLOAT, 1, 37, false, "5", false);
    check_factor(FIXTURE_CPU, POP_HALF, 3, 19, false, "7", true);
    check_factor(FIXTURE_CPU, POP_HALF, 1, 12, true, "12", false);
    check_factor(FIXTURE_MODEL, POP_FLOAT, 2, 13, false, "13", true);
    check_factor(FIXTURE_MODEL, POP_FLOAT, 2, 14, true, "6", false);
    check_factor(FIXTURE_MODEL, POP_HALF, 1, 11, true, "32", false);
    check_factor(FIXTURE_MODEL, POP_HALF, 1, 11, false, "4", true);
}

/* Cycles of one worker of a vertex, against the original's polynomials. */
static void check_cycles(const char *vertex_type, pop_type type, unsigned n, unsigned cycles)
{
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 5, add_codelets);
    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "set");
    pop_vertex vertex = pop_graph_add_vertex(fixture.graph, set, vertex_type);
    bool inverse = strstr(vertex_type, "Inverse"), solve = strstr(vertex_type, "Solve");
    pop_tensor in = pop_graph_add_variable(fixture.graph, type, POP_SHAPE(n * n), "in"),
               out = pop_graph_add_variable(fixture.graph, type, POP_SHAPE(n * n), "out");
    pop_graph_set_tile_mapping(fixture.graph, in, 1);
    pop_graph_set_tile_mapping(fixture.graph, out, 1);
    pop_graph_connect(fixture.graph, vertex, inverse ? "in" : "a", in);
    if (inverse)
        pop_graph_connect(fixture.graph, vertex, "out", out);
    if (solve) {
        pop_graph_connect(fixture.graph, vertex, "b", pop_tensor_slice(in, 0, n, 0));
        pop_graph_connect(fixture.graph, vertex, "x", pop_tensor_slice(out, 0, n, 0));
    } else {
        pop_graph_set_field_int(fixture.graph, vertex, "dim", n);
    }
    pop_graph_map_vertex(fixture.graph, vertex, 1);
    pop_sequence_add(fixture.program, pop_execute(set, "set"));
    fixture_run(&fixture, inverse || solve ? out : in);
    pop_cycles measured;
    assert_int_equal(pop_engine_cycles(fixture.engine, &measured, NULL), POP_OK);
    assert_int_equal(measured.compute, 6 * cycles);
    fixture_close(&fixture);
}
static void cycles_follow_the_formulas(void **state)
{
    (void)state;
    check_cycles("poplin::Cholesky<float,true>", POP_FLOAT, 16, 31926);
    check_cycles("poplin::Cholesky<float,false>", POP_FLOAT, 7, 343 + 102 * 49 + 101 * 7 + 102);
    check_cycles("poplin::Cholesky<half,true>", POP_HALF, 16, 54882); /* 2048 + 50880 + 1528 + 426 */
    check_cycles("poplin::Cholesky<half,false>", POP_HALF, 8, 256 + 12720 + 764 + 426);
    check_cycles("poplin::TriangularInverse<float,true>", POP_FLOAT, 16, 93288);
    check_cycles("poplin::TriangularInverse<float,false>", POP_FLOAT, 5, 6 * 125 + 51 * 25 + 213 * 5 + 12);
    check_cycles("poplin::TriangularInverse<half,true>", POP_HALF, 16, 82440); /* 28672 + 49536 + 4352 - 120 */
    check_cycles("poplin::TriangularInverse<half,false>", POP_HALF, 16, 64440);
    check_cycles("poplin::TriangularSolve<float,true>", POP_FLOAT, 64, 17538); /* 6144 + 11520 - 126 */
    check_cycles("poplin::TriangularSolve<float,false>", POP_FLOAT, 8, 432 + 1308 + 54);
    check_cycles("poplin::TriangularSolve<half,true>", POP_HALF, 64, 23274);  /* 3072 + 20352 - 150 */
    check_cycles("poplin::TriangularSolve<half,false>", POP_HALF, 64, 51996); /* 34560 + 17424 + 12 */
}

static void test_products_that_are_planned(void **state)
{
    (void)state;
    poplin_mat_mul_params list[8];
    /* 16 rows: products of 8 x 8 by 4 and 3 columns, of 4 x 4 by 2 and 1; 3 rows of a block */
    size_t count = poplin_get_triangular_solve_mat_mul_pre_plan_parameters(POP_FLOAT, POP_FLOAT, POP_SHAPE(3, 10, 10),
                                                                           POP_SHAPE(3, 10, 7), true, 4, list, 8);
    assert_int_equal(count, 7);
    static const size_t solve[] = { 3, 8, 8, 3, 8, 3 }, row[] = { 3, 1, 2, 3, 2, 2 }, factor[] = { 1, 6, 4, 1, 4, 6 },
                        inverse[] = { 1, 2, 4, 1, 4, 4 };
    assert_memory_equal(list[1].a_shape, solve, 3 * sizeof(size_t));
    assert_memory_equal(list[1].b_shape, solve + 3, 3 * sizeof(size_t));
    assert_memory_equal(list[5].a_shape, row, 3 * sizeof(size_t));
    assert_memory_equal(list[5].b_shape, row + 3, 3 * sizeof(size_t));
    assert_int_equal(poplin_get_triangular_solve_mat_mul_pre_plan_parameters(POP_FLOAT, POP_FLOAT, POP_SHAPE(10, 10),
                                                                             POP_SHAPE(10, 1), true, 4, list, 8),
                     2); /* one right-hand side: no products of rows */
    assert_int_equal(poplin_get_triangular_solve_mat_mul_pre_plan_parameters(POP_FLOAT, POP_FLOAT, POP_SHAPE(3, 3),
                                                                             POP_SHAPE(4, 3), true, 4, list, 4),
                     0);
    assert_int_equal(poplin_get_cholesky_mat_mul_pre_plan_parameters(POP_FLOAT, POP_SHAPE(10, 10), true, 4, list, 3),
                     4);
    assert_memory_equal(list[1].a_shape, factor, 3 * sizeof(size_t));
    assert_memory_equal(list[1].b_shape, factor + 3, 3 * sizeof(size_t));
    assert_memory_equal(list[2].a_shape, inverse, 3 * sizeof(size_t));
    assert_memory_equal(list[2].b_shape, inverse + 3, 3 * sizeof(size_t));
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_CPU, 3, add_codelets);
    pop_graph *graph = fixture.graph;
    pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 4), FIXTURE_LINEAR),
               wide = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 5), FIXTURE_LINEAR);
    pop_tensor half = fixture_input(&fixture, POP_HALF, POP_SHAPE(4, 5), FIXTURE_LINEAR), none = { 0 };
    poplin_triangular_solve(graph, wide, a, true, true, false, 4, fixture.program, "x", POP_NO_OPTIONS, NULL);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_triangular_solve", "float{4,5} is not a square matrix");
    poplin_triangular_solve(graph, a, wide, false, true, false, 4, fixture.program, "x", POP_NO_OPTIONS, NULL);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_triangular_solve", "does not match these systems");
    poplin_triangular_solve(graph, a, half, true, true, false, 4, fixture.program, "x", POP_NO_OPTIONS, NULL);
    assert_error(graph, POP_TYPE_ERROR, "poplin_triangular_solve", "half{4,5}");
    poplin_triangular_solve(graph, a, none, true, true, false, 4, fixture.program, "x", POP_NO_OPTIONS, NULL);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_triangular_solve", "a null tensor");
    poplin_create_triangular_solve_input_rhs(graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(4, 4), POP_SHAPE(5, 4), true, "x",
                                             POP_NO_OPTIONS, NULL);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_create_triangular_solve_input_rhs", "{4,4} and {5,4}");
    poplin_cholesky(graph, a, true, fixture.program, "x", POP_OPTIONS({ "blockSize", "0" }), NULL);
    assert_error(graph, POP_INVALID_OPTION, "poplin_cholesky", "'blockSize' is 0");
    poplin_cholesky(graph, wide, true, fixture.program, "x", POP_NO_OPTIONS, NULL);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_cholesky", "square matrix");
    poplin_create_cholesky_input(graph, POP_INT, POP_SHAPE(3, 3), true, "x", POP_NO_OPTIONS, NULL);
    assert_error(graph, POP_TYPE_ERROR, "poplin_create_cholesky_input", "the type is int");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_systems),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_factor_layouts),
        cmocka_unit_test(test_products_that_are_planned),
        cmocka_unit_test(cycles_follow_the_formulas),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

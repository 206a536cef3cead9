/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products against sums in double precision: shapes that are not round, views, types, groups, factors; and what is refused. */
#include "poplibs/bed.h"

#include <poplin/codelets.h>
#include <poplin/mat_mul.h>
#include <popops/codelets.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
}

/* out{g,m,n} = start + k * a b, in double; start may be NULL. */
static double *reference(const double *a, const double *b, size_t g, size_t m, size_t k, size_t n, const double *start, double factor)
{
    double *out = malloc(g * m * n * sizeof(*out) + 1);
    for (size_t at = 0; at < g * m * n; ++at) {
        size_t group = at / (m * n), row = at / n % m, column = at % n;
        double sum = 0;
        for (size_t i = 0; i < k; ++i)
            sum += a[(group * m + row) * k + i] * b[(group * k + i) * n + column];
        out[at] = (start ? start[at] : 0) + factor * sum;
    }
    return out;
}

/* How an operand lies in memory: plain, transposed, columns of a wider matrix, or scattered over a larger one. */
enum lie { PLAIN, TURNED, PART, SPREAD, LIES };

static pop_tensor operand(struct bed *bed, pop_type type, size_t g, size_t rows, size_t columns, enum lie lie)
{
    pop_tensor t;
    switch (lie) {
    case TURNED:
        t = bed_input(bed, type, POP_SHAPE(g, columns, rows), BED_SCATTERED);
        return pop_tensor_dim_shuffle(t, POP_DIMS(0, 2, 1));
    case PART:
        t = bed_input(bed, type, POP_SHAPE(g, rows, columns + 3), BED_SCATTERED);
        return pop_tensor_slice(t, 2, columns + 2, 2);
    case SPREAD:
        t = bed_input(bed, type, POP_SHAPE(columns, rows, g, 2), BED_SCATTERED);
        return pop_tensor_dim_shuffle(pop_tensor_at(pop_tensor_dim_shuffle(t, POP_DIMS(3, 0, 1, 2)), 1), POP_DIMS(2, 1, 0));
    default:
        return bed_input(bed, type, POP_SHAPE(g, rows, columns), BED_SCATTERED);
    }
}
/* What a view of an input holds: through the elements of the variable. */
static double *view_values(struct bed *bed, pop_tensor view, size_t input)
{
    size_t count = pop_tensor_num_elements(view), regions;
    double *values = malloc(count * sizeof(*values) + 1);
    pop_variable_interval *intervals;
    regions = pop_tensor_var_regions(view, &intervals);
    size_t at = 0;
    for (size_t i = 0; i < regions; ++i)
        for (size_t k = intervals[i].interval.begin; k < intervals[i].interval.end; ++k)
            values[at++] = bed->tensors[input].values[k];
    free(intervals);
    assert_int_equal(at, count);
    return values;
}

static void check_product(enum bed_device device, pop_type type, pop_type out_type, const size_t *s, enum lie a_lie, enum lie b_lie)
{
    struct bed bed = bed_open(device, 7, add_codelets);
    size_t g = s[0], m = s[1], k = s[2], n = s[3];
    pop_tensor a = operand(&bed, type, g, m, k, a_lie), b = operand(&bed, type, g, k, n, b_lie);
    double *a_values = view_values(&bed, a, 0), *b_values = view_values(&bed, b, 1);
    pop_tensor out = poplin_mat_mul_grouped(bed.graph, a, b, bed.program, out_type, "mm", POP_NO_OPTIONS, NULL);
    assert_built(bed.graph);
    assert_int_equal(pop_tensor_type(out), out_type);
    assert_int_equal(pop_tensor_dim(out, 1), m);
    double *wanted = reference(a_values, b_values, g, m, k, n, NULL, 1), *got = bed_run(&bed, out);
    double root = sqrt((double)k + 1);
    bed_check(got, wanted, g * m * n, out_type == POP_HALF ? 2e-3 : 1e-5, (out_type == POP_HALF ? 1e-4 : 1e-6) * root);
    free(a_values);
    free(b_values);
    free(wanted);
    bed_close(&bed);
}

/* row: poplin matMulGrouped */
static void test_shapes_views_and_types(void **state)
{
    (void)state;
    static const size_t shapes[][4] = { { 1, 1, 1, 1 },   { 1, 17, 31, 13 },  { 2, 5, 7, 3 },     { 1, 61, 333, 67 }, { 3, 14, 32, 32 },
                                        { 1, 1, 97, 211 }, { 1, 211, 97, 1 }, { 1, 100, 650, 41 }, { 1, 3, 5, 0 },     { 1, 3, 0, 5 },
                                        { 0, 2, 3, 4 },   { 1, 0, 3, 4 },     { 1, 190, 20, 33 } };
    unsigned turn = 0;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); ++i)
        for (unsigned lies = 0; lies < 4; ++lies, ++turn)
            check_product(BED_CPU, turn % 3 ? POP_FLOAT : POP_HALF, turn % 5 > 2 ? POP_HALF : POP_FLOAT, shapes[i], (enum lie)(turn % LIES),
                          (enum lie)((turn / LIES + turn) % LIES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_views_and_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

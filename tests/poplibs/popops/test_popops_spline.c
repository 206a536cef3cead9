/* SPDX-License-Identifier: Apache-2.0 */
/* Spline convolutions against double precision: degrees, dimensions, open and closed splines, outputs that are spread.
 */
#include "poplibs/numeric.h"

#include <popops/codelets.h>
#include <popops/spline_basis.h>
#include <popops/spline_weighting.h>

static double b_spline(double f, unsigned degree, unsigned k)
{
    const double pieces[3][4] = { { 1 - f, f },
                                  { f * f / 2 - f + 0.5, -f * f + f + 0.5, f * f / 2 },
                                  { pow(1 - f, 3) / 6, (3 * pow(f, 3) - 6 * f * f + 4) / 6,
                                    (-3 * pow(f, 3) + 3 * f * f + 3 * f + 1) / 6, pow(f, 3) / 6 } };
    return pieces[degree - 1][k];
}

struct problem {
    size_t edges, dims, splines;
    unsigned degree;
    const double *pseudo, *sizes, *open;
};

static void refer(const struct problem *p, double *basis, double *index)
{
    for (size_t e = 0; e < p->edges; ++e)
        for (size_t s = 0; s < p->splines; ++s) {
            double product = 1, at = 0, stride = 1;
            size_t rest = s;
            for (size_t d = 0; d < p->dims; ++d, rest /= p->degree + 1) {
                unsigned k = (unsigned)(rest % (p->degree + 1));
                double place = p->pseudo[e * p->dims + d] * (p->sizes[d] - p->degree * p->open[d]);
                at += fmod(floor(place) + k, p->sizes[d]) * stride;
                stride *= p->sizes[d];
                product *= b_spline(place - floor(place), p->degree, k);
            }
            basis[e * p->splines + s] = product;
            index[e * p->splines + s] = at;
        }
}

static pop_tensor number_input(struct fixture *fixture, pop_type type, size_t count, const double *values)
{
    pop_tensor t = pop_graph_add_variable(fixture->graph, type, POP_SHAPE(count), "numbers");
    fixture_map(fixture, t, FIXTURE_ONE_TILE);
    fixture_write(fixture, t, values, 0, 0);
    return t;
}

static void check_splines(enum fixture_device device, pop_type type, enum fixture_mapping mapping, size_t edges,
                          size_t dims, unsigned degree)
{
    enum { IN = 3, OUT = 5 };
    static const double sizes[] = { 5, 4, 7 }, open[] = { 1, 0, 1 };
    struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
    struct problem p = { edges, dims, 1, degree, NULL, sizes, open };
    size_t kernels = 1;
    for (size_t d = 0; d < dims; ++d) {
        p.splines *= degree + 1;
        kernels *= (size_t)sizes[d];
    }
    pop_tensor pseudo = fixture_input_of(&fixture, type, POP_SHAPE(edges, dims), mapping, 0, 1);
    pop_tensor basis = pop_graph_add_variable(fixture.graph, type, POP_SHAPE(edges, p.splines), "basis"),
               index = pop_graph_add_variable(fixture.graph, POP_INT, POP_SHAPE(edges, p.splines), "index");
    fixture_map(&fixture, basis, mapping);
    fixture_map(&fixture, index, FIXTURE_SCATTERED);
    popops_spline_basis(fixture.graph, pseudo, number_input(&fixture, POP_INT, dims, sizes),
                        number_input(&fixture, POP_UNSIGNED_CHAR, dims, open), basis, index, degree, fixture.program,
                        "basis");
    pop_tensor input = fixture_input(&fixture, type, POP_SHAPE(edges, IN), mapping),
               weight = fixture_input(&fixture, type, POP_SHAPE(kernels, IN, OUT), mapping);
    pop_tensor out = popops_spline_weighting(fixture.graph, input, weight, basis, index, fixture.program, "weighting");
    double *got[3], *want = calloc(edges * p.splines + 1, sizeof(*want)),
                    *at = calloc(edges * p.splines + 1, sizeof(*at)), *sums = calloc(edges * OUT + 1, sizeof(*sums));
    fixture_run_all(&fixture, (const pop_tensor[]){ basis, index, out }, got, 3);
    p.pseudo = fixture_given(&fixture, pseudo);
    refer(&p, want, at);
    const double *x = fixture_given(&fixture, input), *w = fixture_given(&fixture, weight);
    for (size_t e = 0; e < edges; ++e)
        for (size_t o = 0; o < OUT; ++o)
            for (size_t s = 0; s < p.splines; ++s)
                for (size_t c = 0; c < IN; ++c)
                    sums[e * OUT + o] += got[0][e * p.splines + s] *
                                         w[((size_t)at[e * p.splines + s] * IN + c) * OUT + o] * x[e * IN + c];
    double tolerance = type == POP_HALF ? 1e-3 : 1e-5;
    fixture_check(got[0], want, edges * p.splines, tolerance, tolerance);
    fixture_check(got[1], at, edges * p.splines, 0, 0);
    fixture_check(got[2], sums, edges * OUT, tolerance, tolerance);
    free(want);
    free(at);
    free(sums);
    fixture_close(&fixture);
}

static void test_degrees_and_dimensions(void **state)
{
    (void)state;
    static const size_t edges[] = { 0, 1, 13 };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (unsigned degree = 1; degree <= 3; ++degree)
            for (size_t dims = 1; dims <= 3; ++dims)
                check_splines(device, (degree + dims) % 2 ? POP_HALF : POP_FLOAT,
                              dims == 2 ? FIXTURE_SCATTERED : FIXTURE_LINEAR, edges[(degree + dims) % 3], dims, degree);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popops_add_codelets_at);
    pop_graph *graph = fixture.graph;
    pop_tensor pseudo = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 2), FIXTURE_LINEAR),
               sizes = fixture_input(&fixture, POP_INT, POP_SHAPE(2), FIXTURE_LINEAR),
               open = fixture_input(&fixture, POP_UNSIGNED_CHAR, POP_SHAPE(2), FIXTURE_LINEAR),
               basis = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 4), FIXTURE_LINEAR),
               index = fixture_input(&fixture, POP_INT, POP_SHAPE(4, 4), FIXTURE_LINEAR);
    popops_spline_basis(graph, pseudo, sizes, open, basis, index, 4, fixture.program, "x");
    assert_error(graph, POP_POPLAR_ERROR, "popops_spline_basis", "degree 4; it must be from 1 to 3");
    popops_spline_basis(graph, pseudo, sizes, open, basis, index, 2, fixture.program, "x");
    assert_error(graph, POP_POPLAR_ERROR, "popops_spline_basis", "dimension 1 of basis is 4; it must be 9");
    popops_spline_basis(graph, pseudo, open, open, basis, index, 1, fixture.program, "x");
    assert_error(graph, POP_TYPE_ERROR, "popops_spline_basis", "kernelSize is unsigned char; it must be int");
    popops_spline_basis(graph, sizes, sizes, open, basis, index, 1, fixture.program, "x");
    assert_error(graph, POP_TYPE_ERROR, "popops_spline_basis", "pseudo is int; it must be half or float");
    pop_tensor weight = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 3, 2), FIXTURE_LINEAR);
    popops_spline_weighting(graph, pseudo, weight, basis, index, fixture.program, "x");
    assert_error(graph, POP_POPLAR_ERROR, "popops_spline_weighting", "dimension 1 of weight is 3; it must be 2");
    popops_spline_weighting(graph, pseudo, pseudo, basis, index, fixture.program, "x");
    assert_error(graph, POP_POPLAR_ERROR, "popops_spline_weighting", "weight has rank 2; it must have 3");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_degrees_and_dimensions),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

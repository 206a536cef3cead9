/* SPDX-License-Identifier: Apache-2.0 */
/* Products with blocks that a mask says, and softmax over their rows, against dense matrices in double precision. */
#include "poplibs/numeric.h"

#include <popops/codelets.h>
#include <popsparse/codelets.h>
#include <popsparse/experimental/block_sparse_mat_mul.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    popsparse_add_codelets_at(where, graph);
}

/* A dense matrix {groups x rows, columns} of blocks in a mask's order; 0 where a block is absent. */
static double *spread(const unsigned char *mask, const double *blocks, size_t rows, size_t columns, size_t r, size_t c)
{
    double *dense = calloc(rows * columns + 1, sizeof(double));
    size_t across = columns / c;
    for (size_t i = 0, at = 0; i < rows / r * across; ++i)
        if (mask[i]) {
            for (size_t k = 0; k < r * c; ++k)
                dense[(i / across * r + k / c) * columns + i % across * c + k % c] = blocks[at * r * c + k];
            ++at;
        }
    return dense;
}

struct product {
    popsparse_experimental_bs_mat_mul_params p;
    unsigned share; /* of blocks, in 100 */
    bool created;
};

static double dense_right(const popsparse_experimental_bs_mat_mul_params *p, const double *right, size_t g, size_t k,
                          size_t n)
{
    return p->rhs_need_transpose && !p->sparse_result ? right[(g * p->dim[2] + n) * p->dim[1] + k]
                                                      : right[(g * p->dim[1] + k) * p->dim[2] + n];
}

static void check_product(enum fixture_device device, unsigned tiles, struct product *product)
{
    popsparse_experimental_bs_mat_mul_params *p = &product->p;
    struct fixture fixture = fixture_open(device, tiles, add_codelets);
    unsigned rows = p->sparse_result        ? 0
                    : p->rhs_need_transpose ? 2
                                            : 1,
             columns = p->sparse_result        ? 2
                       : p->rhs_need_transpose ? 1
                                               : 2;
    size_t groups = p->num_groups, m = p->dim[0], k = p->dim[1], n = p->dim[2], blocks = 0;
    p->mask_size = groups * (p->dim[rows] / p->block_size[rows]) * (p->dim[columns] / p->block_size[columns]);
    unsigned char *mask = calloc(p->mask_size + 1, 1);
    for (size_t i = 0; i < p->mask_size; ++i)
        blocks += mask[i] = next_random(&fixture.random) % 100 < product->share;
    p->mask = mask;
    size_t area = p->block_size[rows] * p->block_size[columns];
    pop_tensor lhs, rhs;
    if (product->created) {
        lhs = popsparse_experimental_create_bs_mat_mul_input_lhs(fixture.graph, p, "lhs", POP_NO_OPTIONS);
        rhs = popsparse_experimental_create_bs_mat_mul_input_rhs(fixture.graph, p, "rhs", POP_NO_OPTIONS);
        fixture_write(&fixture, lhs, NULL, -1, 1);
        fixture_write(&fixture, rhs, NULL, -1, 1);
    } else {
        lhs = fixture_input(&fixture, p->in_type, POP_SHAPE(groups * m, k), FIXTURE_SCATTERED);
        rhs = fixture_input(&fixture, p->in_type, p->sparse_result ? POP_SHAPE(groups * k, n) : POP_SHAPE(blocks, area),
                            FIXTURE_SCATTERED);
    }
    pop_tensor out =
        popsparse_experimental_bs_mat_mul(fixture.graph, p, fixture.program, lhs, rhs, POP_NO_OPTIONS, "product");
    assert_built(fixture.graph);
    assert_int_equal(pop_tensor_type(out), p->out_type);
    double *got = fixture_run(&fixture, out), *left = fixture_given(&fixture, lhs),
           *given = fixture_given(&fixture, rhs);
    double tolerance = p->in_type == POP_HALF ? 1e-2 : 1e-5;
    double *right = p->sparse_result ? NULL
                                     : spread(mask, given, groups * p->dim[rows], p->dim[columns], p->block_size[rows],
                                              p->block_size[columns]);
    double *whole = p->sparse_result ? spread(mask, got, groups * m, n, p->block_size[0], p->block_size[2]) : got;
    for (size_t g = 0; g < groups; ++g)
        for (size_t i = 0; i < m; ++i)
            for (size_t j = 0; j < n; ++j) {
                double sum = 0, value = whole[(g * m + i) * n + j];
                size_t r = i / p->block_size[0], c = j / p->block_size[2], down = m / p->block_size[0],
                       across = n / p->block_size[2];
                bool diagonal = c * p->block_size[2] < (r + 1) * p->block_size[0] &&
                                r * p->block_size[0] < (c + 1) * p->block_size[2];
                bool away = (p->sub_block_mask == POPSPARSE_SUB_BLOCK_MASK_ZERO_UPPER_TRIANGLE && j > i) ||
                            (p->sub_block_mask == POPSPARSE_SUB_BLOCK_MASK_ZERO_LOWER_TRIANGLE && j < i);
                for (size_t x = 0; x < k; ++x)
                    sum += left[(g * m + i) * k + x] * dense_right(p, right ? right : given, g, x, j);
                if (p->sparse_result && (!mask[(g * down + r) * across + c] || (diagonal && away)))
                    sum = 0;
                if (!(fabs(value - sum) <= tolerance * (1 + fabs(sum))))
                    fail_msg("group %zu, row %zu, column %zu: %g where %g was expected", g, i, j, value, sum);
            }
    if (whole != got)
        free(whole);
    free(right);
    free(mask);
    fixture_close(&fixture);
}

static void test_products(void **state)
{
    (void)state;
    for (enum fixture_device d = FIXTURE_CPU; d < FIXTURE_DEVICES; ++d)
        for (unsigned i = 0; i < 12; ++i) {
            pop_type type = i & 1 ? POP_HALF : POP_FLOAT;
            struct product p = { { .dim = { 12, 16, 24 },
                                   .block_size = { 4, 8, 4 },
                                   .sparse_result = i % 3 == 2,
                                   .rhs_need_transpose = i % 3 == 1,
                                   .in_type = type,
                                   .out_type = i % 4 == 3 ? POP_FLOAT : type,
                                   .partials_type = i % 4 == 1 ? POP_HALF : POP_FLOAT,
                                   .sub_block_mask = (popsparse_experimental_sub_block_mask)(i / 4),
                                   .num_groups = 1 + i % 2 },
                                 i * 9,
                                 i & 4 };
            check_product(d, 11, &p);
        }
}

struct rows {
    size_t groups, dim[2], block[2];
    pop_type type;
    popsparse_experimental_sub_block_mask mask;
    bool in_place;
};

static bool is_away(const struct rows *r, size_t row, size_t column)
{
    size_t top = row - row % r->block[0], left = column - column % r->block[1];
    bool diagonal = left < top + r->block[0] && top < left + r->block[1];
    return diagonal && ((r->mask == POPSPARSE_SUB_BLOCK_MASK_ZERO_UPPER_TRIANGLE && column > row) ||
                        (r->mask == POPSPARSE_SUB_BLOCK_MASK_ZERO_LOWER_TRIANGLE && column < row));
}

static void check_softmax(enum fixture_device device, const struct rows *r)
{
    struct fixture fixture = fixture_open(device, 5, add_codelets);
    size_t across = r->dim[1] / r->block[1], all = r->groups * (r->dim[0] / r->block[0]) * across, blocks = 0;
    unsigned char mask[64];
    for (size_t i = 0; i < all; ++i)
        blocks += mask[i] = i / across == 1 ? 0 : next_random(&fixture.random) % 3 != 0; /* one row has nothing */
    popsparse_experimental_block_matrix matrix = {
        { r->dim[0], r->dim[1] }, { r->block[0], r->block[1] }, mask, all, r->groups
    };
    size_t area = r->block[0] * r->block[1], rows = r->groups * r->dim[0], columns = r->dim[1];
    pop_tensor x = fixture_input_of(&fixture, r->type, POP_SHAPE(blocks, area), FIXTURE_SCATTERED, -6, 6), y = x,
               grad = fixture_input(&fixture, r->type, POP_SHAPE(blocks, area), FIXTURE_SCATTERED);
    if (r->in_place)
        popsparse_experimental_bs_softmax_in_place(fixture.graph, y, &matrix, r->mask, fixture.program, "softmax");
    else
        y = popsparse_experimental_bs_softmax(fixture.graph, x, &matrix, r->mask, fixture.program, "softmax");
    pop_tensor back = popsparse_experimental_bs_softmax_grad(fixture.graph, y, grad, &matrix, fixture.program, "grad");
    double *given = spread(mask, fixture_given(&fixture, x), rows, columns, r->block[0], r->block[1]), *values[2];
    fixture_run_all(&fixture, (pop_tensor[]){ y, back }, values, 2);
    double *got = spread(mask, values[0], rows, columns, r->block[0], r->block[1]),
           *got_grad = spread(mask, values[1], rows, columns, r->block[0], r->block[1]),
           *grads = spread(mask, fixture_given(&fixture, grad), rows, columns, r->block[0], r->block[1]);
    double tolerance = r->type == POP_HALF ? 4e-3 : 1e-5;
    for (size_t i = 0; i < rows; ++i) {
        double sum = 0, dot = 0;
        for (size_t pass = 0; pass < 3; ++pass)
            for (size_t j = 0; j < columns; ++j) {
                bool there = mask[i / r->block[0] * across + j / r->block[1]] && !is_away(r, i % r->dim[0], j);
                double wanted = there ? exp(given[i * columns + j]) : 0, value = got[i * columns + j];
                if (pass == 0)
                    sum += wanted;
                else if (pass == 1 && !(fabs(value - (sum > 0 ? wanted / sum : 0)) <= tolerance))
                    fail_msg("row %zu, column %zu: %g where %g was expected", i, j, value, wanted / sum);
                else if (pass == 1)
                    dot += value * grads[i * columns + j];
                else if (!(fabs(got_grad[i * columns + j] - value * (grads[i * columns + j] - dot)) <= tolerance))
                    fail_msg("row %zu, column %zu: a wrong gradient", i, j);
            }
    }
    free(given);
    free(got);
    free(got_grad);
    free(grads);
    fixture_close(&fixture);
}

static void test_softmax(void **state)
{
    (void)state;
    for (enum fixture_device d = FIXTURE_CPU; d < FIXTURE_DEVICES; ++d)
        for (unsigned i = 0; i < 6; ++i)
            check_softmax(d, &(struct rows){ 1 + i % 2,
                                             { 12, 16 },
                                             { 4, i & 1 ? 8 : 4 },
                                             i & 2 ? POP_HALF : POP_FLOAT,
                                             (popsparse_experimental_sub_block_mask)(i % 3),
                                             i & 1 });
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, add_codelets);
    static const unsigned char mask[] = { 1, 0, 0, 1 };
    popsparse_experimental_bs_mat_mul_params p = { .dim = { 4, 8, 8 },
                                                   .block_size = { 4, 4, 4 },
                                                   .mask = mask,
                                                   .mask_size = 3,
                                                   .in_type = POP_FLOAT,
                                                   .out_type = POP_FLOAT,
                                                   .num_groups = 1 };
    static const char api[] = "popsparse_experimental_bs_mat_mul";
    pop_tensor lhs = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 8), FIXTURE_LINEAR),
               rhs = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 16), FIXTURE_LINEAR);
    popsparse_experimental_bs_mat_mul(fixture.graph, &p, fixture.program, lhs, rhs, POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, api, "the mask has 3 bytes where the sparse matrix has 4 blocks");
    p.mask_size = 4;
    popsparse_experimental_bs_mat_mul(fixture.graph, &p, fixture.program, lhs, rhs, POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, api, "the right operand: the shape is {3,16}; it must be {2,16}");
    popsparse_experimental_bs_mat_mul(fixture.graph, &p, fixture.program, lhs, rhs,
                                      POP_OPTIONS({ "partitionMethod", "x" }), NULL);
    assert_error(fixture.graph, POP_INVALID_OPTION, api, "option 'partitionMethod' cannot be 'x'");
    p.partials_type = POP_HALF;
    popsparse_experimental_bs_mat_mul(fixture.graph, &p, fixture.program, lhs, rhs, POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_TYPE_ERROR, api, "partial sums are half; of float operands they must be float");
    p.partials_type = POP_FLOAT;
    p.block_size[1] = 3;
    popsparse_experimental_bs_mat_mul(fixture.graph, &p, fixture.program, lhs, rhs, POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, api, "dimension 1 of 8 is not divided into blocks of 3");
    popsparse_experimental_block_matrix matrix = { { 8, 8 }, { 4, 4 }, mask, 4, 1 };
    popsparse_experimental_bs_softmax(fixture.graph, rhs, &matrix, POPSPARSE_SUB_BLOCK_MASK_NONE, fixture.program,
                                      NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popsparse_experimental_bs_softmax",
                 "does not have the shape {2,16}");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_products), cmocka_unit_test(test_softmax),
                                        cmocka_unit_test(mistakes_are_errors) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

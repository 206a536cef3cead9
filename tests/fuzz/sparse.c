/* SPDX-License-Identifier: Apache-2.0 */
/* popsparse: products with a matrix whose pattern the graph has, or the host gives. */
#include "generators.h"

#include <popsparse/mat_mul.h>
#include <popsparse/sparse_partitioner.h>
#include <popsparse/static_mat_mul.h>

/* The pattern, and for each value of the operand its row and column; a column of SIZE_MAX: padding. */
struct place {
    size_t row, column;
};
struct sparse {
    size_t m, k, n, values;
    bool on_right, exchanged;
    struct place places[];
};

static void sparse_reference(const struct operation *op, double *const *in, struct expected *out)
{
    const struct sparse *s = op->extra;
    for (size_t i = 0; i < out->count; ++i)
        out->value[i] = out->magnitude[i] = 0;
    for (size_t v = 0; v < s->values; ++v)
        for (size_t c = 0; c < s->n && s->places[v].column != SIZE_MAX; ++c) {
            struct place p = s->places[v];
            size_t row = s->on_right ? p.column : p.row, inner = s->on_right ? p.row : p.column;
            double x = s->on_right != s->exchanged ? in[1][c * s->k + inner] : in[1][inner * s->n + c];
            size_t at = s->on_right ? c * s->m + row : row * s->n + c;
            out->value[at] += in[0][v] * x;
            out->magnitude[at] += fabs(in[0][v] * x);
        }
    sum_tolerance(op, out, op->in[0].type, s->k);
    if (op->in[0].type == POP_HALF)
        out->relative = 2e-3;
}

/* A random CSR matrix whose values are their numbers, from 1 on. */
static popsparse_matrix random_matrix(struct world *w, size_t rows, size_t columns, size_t block, unsigned percent)
{
    size_t r = rows / block, c = columns / block, blocks = 0;
    popsparse_matrix m = { POPSPARSE_CSR, rows, columns, { block, block }, 0, r + 1, 0, NULL, NULL, NULL };
    m.row_indices = calloc(r + 1, sizeof(size_t));
    m.column_indices = calloc(r * c + 1, sizeof(size_t));
    for (size_t i = 0; i < r; ++i) {
        for (size_t j = 0; j < c; ++j)
            if (chance(w, percent))
                m.column_indices[blocks++] = j * block;
        m.row_indices[i + 1] = blocks * block * block;
    }
    m.num_column_indices = blocks;
    m.num_nz_values = blocks * block * block;
    m.nz_values = calloc(m.num_nz_values + 1, sizeof(double));
    for (size_t i = 0; i < m.num_nz_values; ++i)
        m.nz_values[i] = (double)(i + 1);
    return m;
}
/* Where the value with a number is; number 0: padding. */
static struct place place_of(const popsparse_matrix *m, size_t number, size_t block, size_t area)
{
    size_t row = 0;
    if (!number--)
        return (struct place){ 0, SIZE_MAX };
    while (m->row_indices[row + 1] <= number)
        ++row;
    return (struct place){ row * block + number % area / block, m->column_indices[number / area] + number % block };
}
/* With where each of the operand's values is, as the partitioner arranges them. */
static struct sparse *with_places(struct world *w, struct sparse of, const popsparse_matrix *m, pop_type type,
                                  const popsparse_static_mat_mul_params *params)
{
    pop_error error;
    popsparse_sparsity_data data;
    size_t block = m->block_dimensions[0], area = block * block;
    popsparse_static_partitioner *partitioner = popsparse_static_partitioner_create(
        params, type, pop_graph_target(w->graph), POP_NO_OPTIONS, NULL, NULL, &error);
    if (!partitioner || popsparse_static_partitioner_create_sparsity_data(partitioner, m, &data, &error) != POP_OK) {
        snprintf(w->failure, sizeof(w->failure), "sparse: %s", error.text);
        return calloc(1, sizeof(of));
    }
    struct sparse *s = malloc(sizeof(*s) + data.num_nz_values * sizeof(struct place));
    *s = of;
    s->values = data.num_nz_values;
    for (size_t v = 0; v < s->values; ++v)
        s->places[v] = place_of(m, (size_t)data.nz_values[v], block, area);
    popsparse_sparsity_data_free(&data);
    popsparse_static_partitioner_destroy(partitioner);
    return s;
}
void make_sparse(struct world *w)
{
    static const size_t blocks[] = { 1, 1, 4, 8 };
    pop_program sequence;
    struct operation *op = op_begin(w, "sparse", &sequence);
    size_t block = blocks[below(w, 4)], most = block == 1 ? 30 : 5;
    struct sparse of = { .m = between(w, 1, most) * block, .k = between(w, 1, most) * block };
    of.n = between(w, 1, 9);
    of.on_right = chance(w, 50);
    of.exchanged = chance(w, 50);
    pop_type type = any_real(w);
    unsigned percent = (unsigned)between(w, 0, 10) * 10;
    op->reference = sparse_reference;
    op_describe(op, " m %zu k %zu n %zu block %zu, %u %%, right %d exchanged %d", of.m, of.k, of.n, block, percent,
                of.on_right, of.exchanged);
    popsparse_matrix m = random_matrix(w, of.on_right ? of.k : of.m, of.on_right ? of.m : of.k, block, percent);
    popsparse_static_mat_mul_params params =
        of.on_right ? popsparse_static_mat_mul_params_create_for_dense_sparse(1, of.n, of.k, of.m)
                    : popsparse_static_mat_mul_params_create_for_sparse_dense(1, of.m, of.k, of.n);
    struct sparse *s = op->extra = with_places(w, of, &m, type, &params);
    popsparse_static_sparse_tensor sparse =
        s->on_right ? popsparse_static_create_dense_sparse_mat_mul_rhs(w->graph, type, &params, &m, "sparse",
                                                                       POP_NO_OPTIONS, NULL)
                    : popsparse_static_create_sparse_dense_mat_mul_lhs(w->graph, type, &params, &m, "sparse",
                                                                       POP_NO_OPTIONS, NULL);
    size_t upright[] = { 1, s->k, s->n }, turned[] = { 1, s->n, s->k };
    op_reads(w, op, laid_out(w, sparse.nz_values));
    struct view dense =
        op_reads(w, op, wanted(w, type, s->on_right != s->exchanged ? turned : upright, 3, true, -2, 2));
    op_makes(w, op,
             s->on_right ? popsparse_static_dense_sparse_mat_mul(w->graph, dense.tensor, sparse, sequence, s->exchanged,
                                                                 false, "p", POP_NO_OPTIONS, NULL)
                         : popsparse_static_sparse_dense_mat_mul(w->graph, sparse, dense.tensor, sequence, false,
                                                                 s->exchanged, "p", POP_NO_OPTIONS, NULL));
    op_end(w, op, sequence, 2);
    popsparse_matrix_free(&m);
}

/* ---- patterns that the host gives ---- */

static void dynamic_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* m and k are those of a group; columns of a transposed dense operand are exchanged */
    const struct sparse *s = op->extra;
    size_t lines = s->on_right ? s->k : s->m, others = s->on_right ? s->m : s->k;
    for (size_t i = 0; i < out->count; ++i)
        out->value[i] = out->magnitude[i] = 0;
    for (size_t v = 0; v < s->values; ++v)
        for (size_t c = 0; c < s->n && s->places[v].column != SIZE_MAX; ++c) {
            size_t group = s->places[v].row / s->m, row = s->places[v].row % s->m, column = s->places[v].column,
                   line = s->on_right ? column : row, other = s->on_right ? row : column;
            double x = in[1][s->exchanged ? (group * s->n + c) * others + other : (group * others + other) * s->n + c];
            out->value[(group * lines + line) * s->n + c] += in[0][v] * x;
            out->magnitude[(group * lines + line) * s->n + c] += fabs(in[0][v] * x);
        }
    sum_tolerance(op, out, op->in[0].type, s->k > s->m ? s->k : s->m);
    if (op->in[0].type == POP_HALF)
        out->relative = 2e-3;
}

/* Sets the operand's pattern and finds where its values are; a pattern that overflows its buckets is left out. */
static struct sparse *with_pattern(struct world *w, struct sparse of, const popsparse_matrix *m,
                                   popsparse_dynamic_sparse_tensor lhs, const popsparse_dynamic_mat_mul_params *params)
{
    pop_error error;
    popsparse_sparsity_data data;
    popsparse_matrix none = *m;
    none.num_nz_values = none.num_column_indices = 0;
    size_t block = m->block_dimensions[0], area = block * block, *zeros = calloc(m->num_row_indices, sizeof(*zeros));
    none.row_indices = zeros;
    struct sparse *s = calloc(1, sizeof(*s) + pop_tensor_num_elements(lhs.nz_values) * sizeof(struct place));
    *s = of;
    popsparse_dynamic_partitioner *partitioner = popsparse_dynamic_partitioner_create_mat_mul(
        params, pop_tensor_type(lhs.nz_values), pop_graph_target(w->graph), POP_NO_OPTIONS, NULL, "lhs", &error);
    if (!partitioner ||
        (popsparse_dynamic_partitioner_create_sparsity_data(partitioner, m, &data, &error) != POP_OK &&
         popsparse_dynamic_partitioner_create_sparsity_data(partitioner, &none, &data, &error) != POP_OK)) {
        snprintf(w->failure, sizeof(w->failure), "dynamic sparse: %s", error.text);
    } else {
        pop_graph_set_initial_value(w->graph, lhs.meta_info, POP_UNSIGNED_LONGLONG, data.meta_info);
        s->values = data.num_nz_values;
        for (size_t v = 0; v < s->values; ++v)
            s->places[v] = place_of(m, (size_t)data.nz_values[v], block, area);
        popsparse_sparsity_data_free(&data);
    }
    popsparse_dynamic_partitioner_destroy(partitioner);
    free(zeros);
    return s;
}
void make_dynamic_sparse(struct world *w)
{
    static const size_t blocks[] = { 1, 1, 4, 8 };
    pop_program sequence;
    struct operation *op = op_begin(w, "dynamic_sparse", &sequence);
    size_t block = blocks[below(w, 4)], most = block == 1 ? 30 : 5, groups = between(w, 1, 2);
    struct sparse of = { .m = between(w, 1, most) * block, .k = between(w, 1, most) * block };
    of.n = between(w, 1, 9);
    of.on_right = chance(w, 50);
    of.exchanged = chance(w, 50);
    pop_type type = any_real(w);
    unsigned percent = (unsigned)between(w, 0, 10) * 10;
    op->reference = dynamic_reference;
    popsparse_matrix m = random_matrix(w, groups * of.m, of.k, block, percent);
    size_t capacity = m.num_nz_values + (chance(w, 50) ? below(w, 9) * block * block : 0), whole = groups * of.m * of.k,
           stored = capacity < whole ? capacity : whole;
    op_describe(op, " groups %zu m %zu k %zu n %zu block %zu, %u %% of %zu, transposed %d exchanged %d", groups, of.m,
                of.k, of.n, block, percent, stored, of.on_right, of.exchanged);
    popsparse_dynamic_mat_mul_params params = popsparse_dynamic_mat_mul_params_create_with_num_non_zero_values(
        popsparse_sparsity_params_make(block, block), stored, groups, of.m, of.k, of.n);
    popsparse_dynamic_sparse_tensor lhs =
        popsparse_dynamic_create_sparse_dense_mat_mul_lhs(w->graph, type, &params, "sparse", POP_NO_OPTIONS, NULL);
    struct sparse *s = op->extra = with_pattern(w, of, &m, lhs, &params);
    size_t others = s->on_right ? s->m : s->k, upright[] = { groups, others, s->n },
           turned[] = { groups, s->n, others };
    op_reads(w, op, laid_out(w, lhs.nz_values));
    struct view dense = op_reads(w, op, wanted(w, type, s->exchanged ? turned : upright, 3, true, -2, 2));
    op_makes(w, op,
             popsparse_dynamic_sparse_dense_mat_mul(w->graph, lhs, dense.tensor, sequence, s->on_right, s->exchanged,
                                                    "p", POP_NO_OPTIONS, NULL));
    op_end(w, op, sequence, 2);
    popsparse_matrix_free(&m);
}

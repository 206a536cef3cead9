/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers and scatters against XLA's definitions, element by element: index vectors of 0 to 3 components, windows,
 * indices out of range. */
#include "poplibs/numeric.h"

#include <popops/codelets.h>
#include <popops/dynamic_slice.h>
#include <popops/gather.h>
#include <popops/ipu_collectives.h>
#include <popops/reduce.h>
#include <popops/scatter.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct list {
    size_t count;
    unsigned dims[4];
};
struct config {
    size_t shape[3]; /* of the operand */
    size_t index_rank, index_shape[3], vector_dim;
    struct list offsets; /* of the result (a gather), or of the updates (a scatter) */
    size_t slice[3];
    struct list collapsed, map;
};
static const struct config configs[] = {
    /* rows */
    { { 7, 5, 6 }, 1, { 4 }, 1, { 2, { 1, 2 } }, { 1, 5, 6 }, { 1, { 0 } }, { 1, { 0 } } },
    /* an axis in the middle */
    { { 7, 5, 6 }, 2, { 3, 4 }, 2, { 2, { 0, 3 } }, { 7, 1, 6 }, { 1, { 1 } }, { 1, { 1 } } },
    /* pairs, cut windows, vectors in front */
    { { 7, 5, 6 }, 2, { 2, 9 }, 0, { 1, { 0 } }, { 1, 4, 1 }, { 2, { 0, 2 } }, { 2, { 2, 0 } } },
    /* single elements */
    { { 7, 5, 6 }, 2, { 5, 3 }, 1, { 0, { 0 } }, { 1, 1, 1 }, { 3, { 0, 1, 2 } }, { 3, { 0, 1, 2 } } },
    /* windows along indexed dims */
    { { 7, 5, 6 }, 2, { 6, 2 }, 1, { 3, { 0, 1, 3 } }, { 2, 5, 3 }, { 0, { 0 } }, { 2, { 0, 2 } } },
    /* another dimension collapsed */
    { { 7, 5, 6 }, 2, { 2, 1 }, 1, { 2, { 0, 2 } }, { 3, 1, 6 }, { 1, { 1 } }, { 1, { 0 } } },
};

static pop_dims dims_of(const struct list *list)
{
    return (pop_dims){ list->count, list->dims };
}
static bool holds(const struct list *list, size_t dim)
{
    for (size_t i = 0; i < list->count; ++i)
        if (list->dims[i] == dim)
            return true;
    return false;
}
static size_t vectors_of(const struct config *c)
{
    size_t n = 1;
    for (size_t i = 0; i < c->index_rank; ++i)
        n *= i == c->vector_dim ? 1 : c->index_shape[i];
    return n;
}
/* Component k of vector i. */
static double component(const struct config *c, const double *indices, size_t i, size_t k)
{
    size_t place = 0, index[3] = { 0 };
    for (size_t dim = c->index_rank; dim-- > 0;) {
        index[dim] = dim == c->vector_dim ? k : i % c->index_shape[dim];
        i /= dim == c->vector_dim ? 1 : c->index_shape[dim];
    }
    for (size_t dim = 0; dim < c->index_rank; ++dim)
        place = place * c->index_shape[dim] + index[dim];
    return indices[place];
}
/* The operand's element at a position of the window of a vector; SIZE_MAX for one that is skipped. */
static size_t element(const struct config *c, const double *indices, size_t vector, const size_t *window, bool skip)
{
    size_t at[3] = { window[0], window[1], window[2] };
    bool rows = true;
    for (size_t k = 0; k < c->map.count; ++k)
        rows = rows && c->slice[c->map.dims[k]] == 1;
    for (size_t k = 0; k < c->map.count; ++k) {
        size_t dim = c->map.dims[k];
        double start = component(c, indices, vector, k), max = (double)(c->shape[dim] - c->slice[dim]);
        if ((start < 0 || start > max) && skip && rows)
            return SIZE_MAX;
        if (skip)
            at[dim] += (size_t)fmin(fmax(start, 0), max);
        else
            at[dim] = (at[dim] + (start < 0 || start >= (double)c->shape[dim] ? 0 : (size_t)start)) % c->shape[dim];
    }
    return (at[0] * c->shape[1] + at[1]) * c->shape[2] + at[2];
}
/* The shape of the result (or of the updates), and the vector and the position in its window of its element i. */
static size_t result_shape(const struct config *c, size_t *shape)
{
    size_t rank = c->offsets.count, batch = 0, kept = 0;
    for (size_t i = 0; i < c->index_rank; ++i)
        rank += i != c->vector_dim;
    for (size_t dim = 0; dim < rank; ++dim) {
        if (holds(&c->offsets, dim)) {
            while (holds(&c->collapsed, kept))
                ++kept;
            shape[dim] = c->slice[kept++];
        } else {
            batch += batch == c->vector_dim;
            shape[dim] = c->index_shape[batch++];
        }
    }
    return rank;
}
static size_t locate(const struct config *c, size_t i, size_t *window)
{
    size_t shape[6], index[6], rank = result_shape(c, shape), vector = 0, kept = 0;
    for (size_t dim = rank; dim-- > 0; i /= shape[dim])
        index[dim] = i % shape[dim];
    memset(window, 0, 3 * sizeof(*window));
    for (size_t dim = 0; dim < rank; ++dim) {
        if (!holds(&c->offsets, dim)) {
            vector = vector * shape[dim] + index[dim];
            continue;
        }
        while (holds(&c->collapsed, kept))
            ++kept;
        window[kept++] = index[dim];
    }
    return vector;
}

static pop_tensor add_indices(struct fixture *fixture, const struct config *c, pop_type type, bool distinct)
{
    pop_tensor t =
        pop_graph_add_variable(fixture->graph, type, (pop_shape){ c->index_rank, c->index_shape }, "indices");
    double values[32];
    for (size_t i = 0, vectors = vectors_of(c); i < pop_tensor_num_elements(t); ++i)
        values[i] = distinct ? (double)(i * 2 % 9)
                             : floor(next_random(&fixture->random) / 2147483648.0 * 11) - (type == POP_INT ? 3 : 0) +
                                   0 * (double)vectors;
    fixture_map(fixture, t, FIXTURE_SCATTERED);
    fixture_write(fixture, t, values, 0, 0);
    return t;
}

static void test_gather(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_HALF, POP_INT, POP_BOOL };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t k = 0; k < COUNT(configs) * 6; ++k) {
            const struct config *c = &configs[k / 6];
            struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
            pop_type type = types[k % 3];
            pop_tensor t = k % 2 ? fixture_input(&fixture, type, (pop_shape){ 3, c->shape }, FIXTURE_SCATTERED)
                                 : popops_create_gather_input(fixture.graph, type, (pop_shape){ 3, c->shape },
                                                              (pop_shape){ 3, c->slice }, dims_of(&c->map), "t");
            if (k % 2 == 0)
                fixture_write(&fixture, t, NULL, 0, 9);
            pop_tensor indices = add_indices(&fixture, c, k % 4 < 2 ? POP_INT : POP_UNSIGNED_INT, false);
            pop_tensor out = popops_gather(fixture.graph, t, indices, c->vector_dim, dims_of(&c->offsets),
                                           (pop_shape){ 3, c->slice }, dims_of(&c->collapsed), dims_of(&c->map),
                                           fixture.program, "x", POP_NO_OPTIONS);
            assert_built(fixture.graph);
            size_t shape[6], rank = result_shape(c, shape), window[3];
            assert_int_equal(pop_tensor_rank(out), rank);
            for (size_t i = 0; i < rank; ++i)
                assert_int_equal(pop_tensor_dim(out, i), shape[i]);
            double *got = fixture_run(&fixture, out), *given = fixture_given(&fixture, t),
                   *places = fixture_given(&fixture, indices);
            for (size_t i = 0; i < pop_tensor_num_elements(out); ++i) {
                size_t vector = locate(c, i, window);
                assert_true(got[i] == given[element(c, places, vector, window, false)]);
            }
            fixture_close(&fixture);
        }
}

static void test_gather_along_an_axis(void **state)
{
    (void)state;
    for (unsigned axis = 0; axis < 3; ++axis) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 5, popops_add_codelets_at);
        pop_tensor t = popops_create_gather_input_axis(fixture.graph, POP_FLOAT, POP_SHAPE(4, 6, 5), axis,
                                                       POPOPS_GATHER_PARAMS, "t");
        fixture_write(&fixture, t, NULL, -1, 1);
        pop_tensor indices = fixture_input_of(&fixture, POP_UNSIGNED_INT, POP_SHAPE(2, 3), FIXTURE_SCATTERED, 0, 4);
        pop_tensor out = popops_gather_axis(fixture.graph, t, indices, axis, fixture.program, POPOPS_GATHER_PARAMS, "x",
                                            POP_NO_OPTIONS);
        assert_built(fixture.graph);
        assert_int_equal(pop_tensor_rank(out), 4);
        double *got = fixture_run(&fixture, out), *given = fixture_given(&fixture, t),
               *places = fixture_given(&fixture, indices);
        size_t inner = axis == 0 ? 30 : axis == 1 ? 5 : 1, extent = axis == 0 ? 4 : axis == 1 ? 6 : 5;
        for (size_t i = 0; i < pop_tensor_num_elements(out); ++i)
            assert_true(got[i] ==
                        given[(i / (6 * inner) * extent + (size_t)places[i / inner % 6]) * inner + i % inner]);
        fixture_close(&fixture);
    }
}

/* The max number of elements on a tile of an input with a limit per tile. */
static size_t fullest(size_t rows, size_t columns, size_t allowed, size_t *used)
{
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 16, popops_add_codelets_at);
    pop_tensor t = popops_create_gather_input_axis(fixture.graph, POP_FLOAT, POP_SHAPE(rows, columns), 0,
                                                   ((popops_gather_params){ allowed }), "t");
    assert_built(fixture.graph);
    pop_interval_lists mapping;
    assert_true(pop_graph_get_tile_mapping(fixture.graph, t, NULL, &mapping));
    size_t max = 0;
    *used = 0;
    for (size_t tile = 0; tile < mapping.count; ++tile) {
        size_t elements = 0;
        for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i)
            elements += mapping.intervals[i].end - mapping.intervals[i].begin;
        max = elements > max ? elements : max;
        *used += elements > 0;
    }
    pop_interval_lists_free(&mapping);
    fixture_close(&fixture);
    return max;
}
static void test_max_elements_of_a_tile(void **state)
{
    (void)state;
    size_t used;
    assert_int_equal(fullest(1000, 4, 65535, &used), 2000);
    assert_int_equal(fullest(1000, 4, 2000, &used), 2000);
    assert_int_equal(fullest(1000, 4, 0, &used), 2000);
    assert_true(fullest(1000, 4, 1999, &used) <= 1999 && used == 3);
    assert_int_equal(fullest(1000, 4, 10, &used), 250); /* all tiles have some */
    assert_int_equal(used, 16);
    assert_true(fullest(25, 1, 10, &used) <= 10);
    assert_int_equal(fullest(0, 4, 10, &used), 0);
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 16, popops_add_codelets_at);
    popops_create_gather_input_axis(fixture.graph, POP_FLOAT, POP_SHAPE((size_t)1 << 33, 4), 0, POPOPS_GATHER_PARAMS,
                                    "t");
    assert_built(fixture.graph);
    fixture_close(&fixture);
}

static pop_tensor add_both(pop_graph *graph, pop_tensor operand, pop_tensor update, pop_program sequence, void *user)
{
    (void)user;
    pop_tensor both = pop_tensor_concat(
        POP_TENSORS(pop_tensor_expand(operand, POP_DIMS(0)), pop_tensor_expand(update, POP_DIMS(0))), 0);
    return popops_reduce(graph, both, POP_TYPE_NULL, POP_DIMS(0), (popops_reduce_params){ .op = POPOPS_ADD }, sequence,
                         "sum", POP_NO_OPTIONS);
}

/* Updates of single elements may have all dims as window, as frameworks pass them, or none. */
static void test_scatter_of_elements(void **state)
{
    (void)state;
    for (unsigned test = 0; test < 4; ++test) {
        struct fixture fixture = fixture_open(test / 2 ? FIXTURE_MODEL : FIXTURE_CPU, 3, popops_add_codelets_at);
        pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4), FIXTURE_LINEAR),
                   updates = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(2), FIXTURE_LINEAR),
                   indices = pop_graph_add_variable(fixture.graph, POP_INT, POP_SHAPE(2, 1), "i");
        fixture_map(&fixture, indices, FIXTURE_ONE_TILE);
        fixture_write(&fixture, indices, (double[]){ 3, 1 }, 0, 0);
        popops_scatter(fixture.graph, t, indices, updates, 1, test % 2 ? POP_DIMS(0) : POP_DIMS(), POP_DIMS(0),
                       POP_DIMS(0), fixture.program, "x", POP_NO_OPTIONS);
        double *given = fixture_given(&fixture, t), *u = fixture_given(&fixture, updates),
               *got = fixture_run(&fixture, t);
        fixture_check(got, (double[]){ given[0], u[1], given[2], u[0] }, 4, 0, 0);
        fixture_close(&fixture);
    }
}

static void test_scatter(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t k = 0; k < COUNT(configs) * 2; ++k) {
            const struct config *c = &configs[k / 2];
            bool computes = k % 2;
            struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
            pop_type type = computes ? POP_INT : POP_HALF;
            size_t shape[6], rank = result_shape(c, shape), window[3];
            pop_tensor t = fixture_input(&fixture, type, (pop_shape){ 3, c->shape }, FIXTURE_SCATTERED),
                       indices = add_indices(&fixture, c, POP_INT, false);
            pop_tensor updates = fixture_input(&fixture, type, (pop_shape){ rank, shape }, FIXTURE_SCATTERED);
            /* Of several writes to one index any one counts: all write the same there. */
            double wanted[7 * 5 * 6], *by = fixture_given(&fixture, updates),
                                      *places = fixture_given(&fixture, indices);
            for (size_t i = 0; i < pop_tensor_num_elements(updates); ++i)
                by[i] = computes ? by[i] : (double)(element(c, places, locate(c, i, window), window, false) % 97);
            memcpy(wanted, fixture_given(&fixture, t), sizeof(wanted));
            if (computes)
                popops_scatter_with(fixture.graph, t, indices, updates, c->vector_dim, dims_of(&c->offsets),
                                    dims_of(&c->collapsed), dims_of(&c->map), add_both, NULL, fixture.program, "x",
                                    POP_NO_OPTIONS);
            else
                popops_scatter(fixture.graph, t, indices, updates, c->vector_dim, dims_of(&c->offsets),
                               dims_of(&c->collapsed), dims_of(&c->map), fixture.program, "x", POP_NO_OPTIONS);
            assert_built(fixture.graph);
            for (size_t i = 0; i < pop_tensor_num_elements(updates); ++i) {
                size_t vector = locate(c, i, window), at = element(c, places, vector, window, true);
                if (at != SIZE_MAX)
                    wanted[at] = computes ? wanted[at] + by[i] : by[i];
            }
            fixture_check(fixture_run(&fixture, t), wanted, COUNT(wanted), 0, 0);
            fixture_close(&fixture);
        }
}

static pop_tensor give_wrong(pop_graph *graph, pop_tensor operand, pop_tensor update, pop_program sequence, void *user)
{
    (void)graph, (void)operand, (void)sequence, (void)user;
    return pop_tensor_flatten(update);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popops_add_codelets_at);
    pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(6, 4), FIXTURE_LINEAR),
               indices = fixture_input(&fixture, POP_INT, POP_SHAPE(3), FIXTURE_LINEAR);
    pop_tensor updates = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 4), FIXTURE_LINEAR);
    pop_shape sizes = POP_SHAPE(1, 4);
    pop_dims zero = POP_DIMS(0), one = POP_DIMS(1);
    pop_program p = fixture.program;
    popops_scatter_with(fixture.graph, t, indices, updates, 1, one, zero, zero, NULL, NULL, p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_scatter_with", "the computation is NULL");
    popops_gather(fixture.graph, t, updates, 1, one, sizes, zero, zero, p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_gather", "indices cannot be float");
    popops_gather(fixture.graph, t, indices, 0, zero, sizes, zero, zero, p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_gather", "index vectors of 3 components for 1");
    popops_gather(fixture.graph, t, indices, 2, one, sizes, zero, zero, p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_INDEX_ERROR, "popops_gather", "the rank of the indices is 1");
    popops_gather(fixture.graph, t, indices, 1, one, POP_SHAPE(2, 4), zero, zero, p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_gather", "dimension 0 cannot be collapsed");
    popops_gather(fixture.graph, t, indices, 1, POP_DIMS(1, 2), sizes, zero, zero, p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_gather",
                 "2 offset dims of a result of rank 3 for slices of rank 1");
    popops_gather(fixture.graph, t, indices, 1, one, POP_SHAPE(1, 5), zero, zero, p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_gather", "5 elements of dimension 1, which has 4");
    popops_gather(fixture.graph, t, indices, 1, one, POP_SHAPE(1), zero, zero, p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_gather", "1 slice sizes for a tensor of rank 2");
    popops_gather(fixture.graph, t, indices, 1, one, sizes, zero, POP_DIMS(7), p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_INDEX_ERROR, "popops_gather", "no dimension 7");
    popops_gather_axis(fixture.graph, t, indices, 2, p, POPOPS_GATHER_PARAMS, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_INDEX_ERROR, "popops_gather_axis", "no axis 2");
    /* A single update whose window dims also count a leading one. */
    popops_scatter(fixture.graph, pop_tensor_flatten(t), pop_tensor_slice(indices, 0, 1, 0), pop_tensor_at(updates, 0),
                   0, one, POP_DIMS(), zero, p, "x", POP_NO_OPTIONS);
    assert_built(fixture.graph);
    popops_scatter(fixture.graph, t, indices, pop_tensor_slice(updates, 0, 2, 0), 1, one, zero, zero, p, "x",
                   POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_scatter", "2 updates for 3 index vectors");
    popops_scatter(fixture.graph, t, indices, pop_tensor_reinterpret(updates, POP_INT), 1, one, zero, zero, p, "x",
                   POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_scatter", "updates of int for a tensor of float");
    popops_scatter(fixture.graph, t, indices, updates, 1, one, POP_DIMS(), zero, p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_scatter", "1 window and 0 inserted dims");
    popops_scatter(fixture.graph, t, indices, updates, 1, one, POP_DIMS(7), zero, p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_scatter", "1 inserted dims of a tensor of rank 2");
    popops_scatter(fixture.graph, t, indices, updates, 1, POP_DIMS(5), zero, zero, p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_scatter", "each must occur once");
    popops_scatter(fixture.graph, pop_tensor_broadcast(t, 2, 0), indices, updates, 1, one, zero, zero, p, "x",
                   POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_scatter", "constants or repeated");
    popops_scatter_with(fixture.graph, t, indices, updates, 1, one, zero, zero, give_wrong, NULL, p, "x",
                        POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_scatter_with", "the result of the computation");
    /* NULL lists of every kind. */
    const pop_dims no_dims = { 2, NULL };
    const pop_shape no_sizes = { 2, NULL };
    const pop_options no_options = { .count = 1 };
    popops_gather(fixture.graph, t, indices, 1, no_dims, sizes, zero, zero, p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_gather", "list of 2 entries is NULL: offset_dims");
    popops_gather(fixture.graph, t, indices, 1, one, no_sizes, zero, zero, p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_gather", "NULL: slice_sizes");
    popops_gather(fixture.graph, t, indices, 1, one, sizes, zero, zero, p, "x", no_options);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_gather", "NULL: options");
    popops_scatter(fixture.graph, t, indices, updates, 1, one, no_dims, zero, p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_scatter", "NULL: insert_window_dims");
    popops_create_gather_input(fixture.graph, POP_FLOAT, no_sizes, sizes, zero, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_create_gather_input", "NULL: shape");
    popops_multi_slice(fixture.graph, t, indices, no_dims, sizes, p, NULL, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_multi_slice", "NULL: dims");
    popops_reduce(fixture.graph, t, POP_FLOAT, no_dims, (popops_reduce_params){ .op = POPOPS_ADD }, p, "x",
                  POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_reduce", "NULL: dims");
    popops_reduce(fixture.graph, t, POP_FLOAT, zero, (popops_reduce_params){ .op = POPOPS_ADD }, p, "x", no_options);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_reduce", "NULL: options");
    popops_all_gather(fixture.graph, ((pop_tensors){ 1, NULL }), p, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_all_gather", "NULL: chunks");
    pop_tensor none = pop_tensor_slice(indices, 1, 1, 0);
    assert_int_equal(pop_tensor_num_elements(
                         popops_gather(fixture.graph, t, none, 1, one, sizes, zero, zero, p, "x", POP_NO_OPTIONS)),
                     0);
    popops_scatter_with(fixture.graph, t, none, pop_tensor_slice(updates, 1, 1, 0), 1, one, zero, zero, give_wrong,
                        NULL, p, "x", POP_NO_OPTIONS);
    assert_built(fixture.graph);
    fixture_close(&fixture);
}

/* An index vector without a slice ends the run only if the option is set. */
static void test_checked_indices(void **state)
{
    (void)state;
    /* Slices of rows, then windows of 2 x 2 at pairs, whose last position is {4, 2}. */
    static const int places[3][2] = { { 4, 2 }, { 5, 2 }, { 0, -1 } };
    for (unsigned test = 0; test < 2 * 2 * 3; ++test) {
        bool scatters = test % 2, windows = test / 2 % 2;
        const int *place = places[test / 4];
        bool bad = windows ? test / 4 != 0 : false;
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popops_add_codelets_at);
        pop_options options = POP_OPTIONS({ "validateIndices", "true" });
        pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(6, 4), FIXTURE_LINEAR),
                   updates = fixture_input(&fixture, POP_FLOAT, windows ? POP_SHAPE(1, 2, 2) : POP_SHAPE(2, 4),
                                           FIXTURE_LINEAR);
        pop_tensor indices = pop_graph_add_variable(fixture.graph, POP_INT, POP_SHAPE(2), "indices");
        fixture_map(&fixture, indices, FIXTURE_LINEAR);
        pop_tensor vectors = windows ? pop_tensor_reshape(indices, POP_SHAPE(1, 2)) : indices;
        pop_dims both = POP_DIMS(1, 2), first = POP_DIMS(0), pair = POP_DIMS(0, 1), none = POP_DIMS();
        if (!windows)
            bad = place[1] < 0;
        if (scatters)
            popops_scatter(fixture.graph, t, vectors, updates, 1, windows ? both : POP_DIMS(1), windows ? none : first,
                           windows ? pair : first, fixture.program, "look", options);
        else
            popops_gather(fixture.graph, t, vectors, 1, windows ? both : POP_DIMS(1),
                          windows ? POP_SHAPE(2, 2) : POP_SHAPE(1, 4), windows ? none : first, windows ? pair : first,
                          fixture.program, "look", options);
        pop_error error;
        pop_graph_create_host_write(fixture.graph, "indices", indices);
        assert_built(fixture.graph);
        fixture.engine = pop_engine_create(fixture.graph, POP_PROGRAMS(fixture.program), POP_NO_OPTIONS, &error);
        assert_non_null(fixture.engine);
        assert_int_equal(pop_engine_load(fixture.engine, fixture.device, &error), POP_OK);
        assert_int_equal(pop_engine_write_tensor(fixture.engine, "indices", place, POP_WHOLE, &error), POP_OK);
        pop_status status = pop_engine_run(fixture.engine, 0, &error);
        assert_int_equal(status, bad ? POP_APPLICATION_RUNTIME_ERROR : POP_OK);
        if (bad &&
            (!strstr(error.text, "\"look\": an index is out of range") || !strstr(error.text, "validateIndices")))
            fail_msg("%s", error.text);
        fixture_close(&fixture);
    }
}

int main(void)
{
    setenv("POPLAR_ENGINE_OPTIONS", "{\"debug.checkedExecution\":\"true\"}", 1); /* no write is out of bounds */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_gather_along_an_axis),
        cmocka_unit_test(test_max_elements_of_a_tile),
        cmocka_unit_test(test_scatter_of_elements),
        cmocka_unit_test(test_scatter),
        cmocka_unit_test(test_checked_indices),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

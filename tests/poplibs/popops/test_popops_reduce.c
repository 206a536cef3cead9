/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: all operations and types on random shapes, dimensions, views and mappings, against double precision;
 * stages, cost, errors. */
#include "poplibs/popops/reduce_reference.h"

#include <popops/codelets.h>

static double tolerance(pop_type type)
{
    return type == POP_HALF ? 1e-3 : type == POP_FLOAT ? 2e-6 : 0;
}

/* A random tensor of a random shape as a random view (transposed), in values of moderate size. */
struct given {
    pop_tensor tensor;
    double *values; /* row-major of tensor */
    size_t dims[6], rank;
};
static struct given random_tensor(struct fixture *fixture, pop_type type, popops_operation op, size_t max)
{
    struct given given = { .rank = next_random(&fixture->random) % 5 };
    size_t from[6], places[6], elements = 1;
    unsigned order[6];
    for (size_t d = 0; d < given.rank; ++d) {
        from[d] = 1 + next_random(&fixture->random) % max;
        order[d] = (unsigned)d;
        elements *= from[d];
    }
    if (next_random(&fixture->random) % 2)
        for (size_t d = given.rank; d > 1; --d) {
            size_t other = next_random(&fixture->random) % d;
            unsigned held = order[d - 1];
            order[d - 1] = order[other];
            order[other] = held;
        }
    bool product = op == POPOPS_MUL;
    double low = product ? 0.9 : -1, high = product ? 1.1 : 1;
    enum fixture_mapping mapping = next_random(&fixture->random) % 3;
    pop_tensor t = pop_type_is_floating_point(type)
                       ? fixture_input_of(fixture, type, (pop_shape){ given.rank, from }, mapping, low, high)
                       : fixture_input(fixture, type, (pop_shape){ given.rank, from }, mapping);
    const double *values = fixture_given(fixture, t);
    given.tensor = pop_tensor_dim_shuffle(t, (pop_dims){ given.rank, order });
    given.values = malloc(elements * sizeof(double) + 1);
    for (size_t d = 0; d < given.rank; ++d)
        given.dims[d] = from[order[d]];
    for (size_t i = 0; i < elements; ++i) {
        size_t rest = i, place = 0, scale = 1;
        for (size_t d = given.rank; d-- > 0; rest /= given.dims[d])
            places[order[d]] = rest % given.dims[d];
        for (size_t d = given.rank; d-- > 0; scale *= from[d])
            place += places[d] * scale;
        given.values[i] = values[place];
    }
    return given;
}

static void check_random(enum fixture_device device, popops_operation op, pop_type type, uint64_t seed)
{
    struct fixture fixture = fixture_open(device, 11, popops_add_codelets_at);
    fixture.random = seed;
    struct given given = random_tensor(&fixture, type, op, 8);
    unsigned dims[6];
    size_t count = 0;
    for (size_t d = 0; d < given.rank; ++d)
        if (next_random(&fixture.random) % 2)
            dims[count++] = (unsigned)d;
    if (count > 1 && next_random(&fixture.random) % 2) {
        unsigned held = dims[0];
        dims[0] = dims[count - 1];
        dims[count - 1] = held;
    }
    popops_reduce_params params = { .op = op };
    pop_tensor out = popops_reduce(fixture.graph, given.tensor, POP_TYPE_NULL, ((pop_dims){ count, dims }), params,
                                   fixture.program, "r", POP_NO_OPTIONS);
    struct wanted wanted =
        reference(given.values, (pop_shape){ given.rank, given.dims }, (pop_dims){ count, dims }, op);
    assert_int_equal(pop_tensor_num_elements(out), wanted.count);
    double *got = fixture_run(&fixture, out);
    if (!pop_type_is_floating_point(type)) /* integers wrap */
        for (size_t i = 0; i < wanted.count; ++i) {
            double wrapped = fmod(wanted.values[i], 4294967296.0);
            if (fabs(wanted.values[i]) < 9e15)
                assert_true(fmod(wrapped - got[i], 4294967296.0) == 0);
            wanted.values[i] = got[i];
        }
    fixture_check(got, wanted.values, wanted.count, tolerance(type), tolerance(type) * 4);
    free(wanted.values);
    free(given.values);
    fixture_close(&fixture);
}

static void test_random(void **state)
{
    (void)state;
    uint64_t seed = 12345;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (popops_operation op = POPOPS_ADD; (int)op < POPOPS_OPERATIONS; ++op)
            for (size_t t = 0; t < TYPES; ++t)
                for (int i = 0; i < 4 && takes(op, types[t]); ++i)
                    check_random(device, op, types[t], seed = seed * 6364136223846793005u + 1442695040888963407u);
}

/* ---- scaled, updating, into given outputs, other types ---- */

static pop_tensor one_float(struct fixture *fixture, double value)
{
    pop_tensor t = pop_graph_add_variable(fixture->graph, POP_FLOAT, POP_SHAPE(1), "scale");
    pop_graph_set_tile_mapping(fixture->graph, t, 0);
    fixture_write(fixture, t, &value, 0, 0);
    return t;
}

static void check_given(enum fixture_device device, popops_operation op, pop_type in_type, pop_type out_type,
                        bool update, bool scaled, unsigned seed)
{
    struct fixture fixture = fixture_open(device, 1 + seed % 13, popops_add_codelets_at);
    fixture.random = seed;
    size_t a = 1 + seed % 7, b = 1 + seed * 5 % 11, c = 1 + seed * 3 % 9;
    pop_tensor in = fixture_input(&fixture, in_type, POP_SHAPE(a, b, c), seed % 3),
               out = fixture_input(&fixture, out_type, POP_SHAPE(c, a), seed / 3 % 3);
    bool integer = !pop_type_is_floating_point(in_type), kept_middle = seed % 2;
    pop_dims dims = kept_middle ? POP_DIMS(2, 0) : POP_DIMS(1);
    if (kept_middle)
        out = fixture_input(&fixture, out_type, POP_SHAPE(b), seed / 3 % 3);
    double factor = integer ? 3 : 0.7;
    popops_reduce_params params = { .op = op, .update = update };
    if (scaled)
        params.scale = one_float(&fixture, factor);
    pop_tensor given = kept_middle ? out : pop_tensor_transpose(out);
    if (seed % 4 < 2) {
        popops_compute_sets sets = { 0 };
        popops_reduce_with_output_in(fixture.graph, in, given, dims, params, &sets, "r", POP_NO_OPTIONS);
        for (size_t i = 0; i < sets.count; ++i)
            pop_sequence_add(fixture.program, pop_execute(sets.list[i], NULL));
    } else {
        popops_reduce_with_output(fixture.graph, in, given, dims, params, fixture.program, "r", POP_NO_OPTIONS);
    }
    struct wanted wanted = reference(fixture_given(&fixture, in), POP_SHAPE(a, b, c), dims, op);
    double *got = fixture_run(&fixture, out), *before = fixture_given(&fixture, out);
    double tolerance = in_type == POP_HALF || out_type == POP_HALF ? 2e-3 : integer ? 0 : 2e-6;
    for (size_t i = 0; i < wanted.count; ++i) {
        size_t place = kept_middle ? i : i % c * a + i / c;
        double value = wanted.values[i];
        value = scaled ? op == POPOPS_LOG_ADD ? value + (double)(float)factor : value * (double)(float)factor : value;
        value = integer ? trunc(value) : value;
        value = update ? join(op == POPOPS_SQUARE_ADD ? POPOPS_ADD : op, before[place], value) : value;
        if (!(fabs(got[place] - value) <= tolerance * (1 + fabs(value))))
            fail_msg("%s of %s to %s, seed %u, element %zu: %.9g where %.9g was expected", popops_operation_name(op),
                     pop_type_name(in_type), pop_type_name(out_type), seed, i, got[place], value);
    }
    free(wanted.values);
    fixture_close(&fixture);
}

static void test_given_outputs_updates_and_scales(void **state)
{
    (void)state;
    static const popops_operation ops[] = { POPOPS_ADD, POPOPS_SQUARE_ADD, POPOPS_LOG_ADD };
    static const pop_type pairs[][2] = { { POP_HALF, POP_HALF },
                                         { POP_HALF, POP_FLOAT },
                                         { POP_FLOAT, POP_HALF },
                                         { POP_FLOAT, POP_FLOAT },
                                         { POP_INT, POP_INT } };
    unsigned seed = 0;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t op = 0; op < 3; ++op)
            for (size_t pair = 0; pair < (op == 2 ? 4 : 5); ++pair)
                for (int how = 0; how < 4; ++how)
                    check_given(device, ops[op], pairs[pair][0], pairs[pair][1], how & 1, how & 2, ++seed);
    check_given(FIXTURE_MODEL, POPOPS_MUL, POP_HALF, POP_FLOAT, false, false, 3);
    check_given(FIXTURE_MODEL, POPOPS_MAX, POP_FLOAT, POP_FLOAT, false, false, 4);
}

/* ---- views, stages, shapes ---- */

/* Concatenations, broadcasts, dimensions of the view that are several in memory. */
static void test_views(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (unsigned seed = 1; seed < 6; ++seed) {
            struct fixture fixture = fixture_open(device, 7, popops_add_codelets_at);
            fixture.random = seed;
            pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 4, 5, 2), seed % 3),
                       b = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(10, 3, 4), FIXTURE_SCATTERED);
            pop_tensor grouped = pop_tensor_reshape(pop_tensor_dim_shuffle(a, POP_DIMS(1, 0, 3, 2)),
                                                    POP_SHAPE(12, 10)); /* {3,4} transposed, {5,2} transposed */
            pop_tensor other = pop_tensor_reshape(pop_tensor_reverse(b, 0), POP_SHAPE(12, 10));
            pop_tensor wide = pop_tensor_broadcast(pop_tensor_slice(grouped, 2, 4, 0), 3, 0);
            pop_tensor joined = pop_tensor_concat(POP_TENSORS(grouped, other, wide), 0), outs[6];
            double *got[6], *as, *bs, values[30 * 10];
            for (size_t i = 0; i < 6; ++i) {
                pop_tensor from = i < 3 ? joined : grouped;
                outs[i] =
                    popops_reduce(fixture.graph, from, POP_FLOAT,
                                  i % 3 == 0   ? POP_DIMS(0)
                                  : i % 3 == 1 ? POP_DIMS(1)
                                               : POP_DIMS(1, 0),
                                  (popops_reduce_params){ .op = POPOPS_ADD }, fixture.program, "r", POP_NO_OPTIONS);
            }
            fixture_run_all(&fixture, outs, got, 6);
            as = fixture_given(&fixture, a);
            bs = fixture_given(&fixture, b);
            for (size_t i = 0; i < 300; ++i) {
                size_t row = i / 10, column = i % 10;
                size_t line = row < 12 ? row : 2 + (row - 24) % 2;
                if (row >= 12 && row < 24) { /* element i - 120 of b, reversed in its outer dimension */
                    size_t e = i - 120;
                    values[i] = bs[(9 - e / 12) * 12 + e % 12];
                } else {
                    values[i] = as[((line % 3 * 4 + line / 3) * 5 + column % 5) * 2 + column / 5];
                }
            }
            for (size_t i = 0; i < 6; ++i) {
                struct wanted wanted = reference(values, i < 3 ? POP_SHAPE(30, 10) : POP_SHAPE(12, 10),
                                                 i % 3 == 0   ? POP_DIMS(0)
                                                 : i % 3 == 1 ? POP_DIMS(1)
                                                              : POP_DIMS(1, 0),
                                                 POPOPS_ADD);
                fixture_check(got[i], wanted.values, wanted.count, 2e-6, 1e-5);
                free(wanted.values);
            }
            fixture_close(&fixture);
        }
}

/* Every set of dimensions of one tensor, and of a view whose rows have no regular stride in their variable. */
static void test_every_set_of_dimensions(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (enum fixture_mapping mapping = FIXTURE_LINEAR; mapping <= FIXTURE_ONE_TILE; ++mapping) {
            struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
            pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(6, 3, 5, 2), mapping),
                       wide = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(7, 6), mapping), outs[20];
            pop_tensor uneven =
                pop_tensor_concat(POP_TENSORS(pop_tensor_slice(wide, 0, 3, 0), pop_tensor_slice(wide, 5, 7, 0)), 0);
            unsigned dims[20][4];
            size_t counts[20] = { 0 };
            double *got[20], rows[30];
            for (unsigned set = 0; set < 20; ++set) {
                for (unsigned d = 0; d < 4; ++d)
                    if ((set < 16 ? set : set - 16) >> d & 1)
                        dims[set][counts[set]++] = d;
                outs[set] = popops_reduce(
                    fixture.graph, set < 16 ? t : uneven, POP_FLOAT, ((pop_dims){ counts[set], dims[set] }),
                    (popops_reduce_params){ .op = POPOPS_ADD }, fixture.program, "r", POP_NO_OPTIONS);
            }
            fixture_run_all(&fixture, outs, got, 20);
            for (size_t i = 0; i < 30; ++i)
                rows[i] = fixture_given(&fixture, wide)[(i / 6 < 3 ? i / 6 : i / 6 + 2) * 6 + i % 6];
            for (unsigned set = 0; set < 20; ++set) {
                struct wanted wanted =
                    set < 16 ? reference(fixture_given(&fixture, t), POP_SHAPE(6, 3, 5, 2),
                                         (pop_dims){ counts[set], dims[set] }, POPOPS_ADD)
                             : reference(rows, POP_SHAPE(5, 6), (pop_dims){ counts[set], dims[set] }, POPOPS_ADD);
                fixture_check(got[set], wanted.values, wanted.count, 2e-6, 4e-6);
                free(wanted.values);
            }
            fixture_close(&fixture);
        }
}

/* Many tiles, few outputs: several stages; and shapes with a remainder. */
static void test_stages(void **state)
{
    (void)state;
    static const size_t shapes[][3] = { { 1, 20011, 1 }, { 1, 6000, 3 }, { 7, 1009, 5 },
                                        { 40, 40, 40 },  { 3, 2, 8000 }, { 2000, 7, 1 } };
    for (size_t s = 0; s < 6; ++s)
        for (int half = 0; half < 2; ++half) {
            struct fixture fixture = fixture_open(s % 2 ? FIXTURE_MODEL : half, 300, popops_add_codelets_at);
            pop_tensor in =
                fixture_input(&fixture, half ? POP_HALF : POP_FLOAT, (pop_shape){ 3, shapes[s] }, FIXTURE_LINEAR);
            pop_options options =
                s % 2 ? POP_OPTIONS({ "accumType.interTile", "half" }, { "accumType.inVertex", "float" })
                      : POP_NO_OPTIONS;
            pop_tensor out = popops_reduce(fixture.graph, in, POP_FLOAT, POP_DIMS(1),
                                           (popops_reduce_params){ .op = POPOPS_ADD }, fixture.program, "r", options);
            double *got = fixture_run(&fixture, out), *given = fixture_given(&fixture, in);
            struct wanted wanted = reference(given, (pop_shape){ 3, shapes[s] }, POP_DIMS(1), POPOPS_ADD);
            double tolerance = half && s % 2 ? 2e-3 : 1e-5;
            for (size_t i = 0; i < wanted.count; ++i)
                if (!(fabs(got[i] - wanted.values[i]) <=
                      tolerance * sqrt((double)shapes[s][1]) + tolerance * fabs(wanted.values[i])))
                    fail_msg("shape %zu, element %zu: %g where %g was expected", s, i, got[i], wanted.values[i]);
            free(wanted.values);
            fixture_close(&fixture);
        }
}

/* The rows that an intermediate stage collects are reduced by strided vertices, as those of the last stage. */
static void test_vertices_of_stages(void **state)
{
    (void)state;
    char text[16384];
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 300, popops_add_codelets_at);
    pop_tensor in = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 2400, 8), FIXTURE_LINEAR);
    pop_tensor out = popops_reduce(fixture.graph, in, POP_FLOAT, POP_DIMS(1),
                                   (popops_reduce_params){ .op = POPOPS_ADD }, fixture.program, "r", POP_NO_OPTIONS);
    fixture_run(&fixture, out);
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(
        pop_engine_print_profile_summary(fixture.engine, file, POP_OPTIONS({ "showExecutionSteps", "true" }), NULL),
        POP_OK);
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    char *step = strstr(text, "ReduceStage0/IntermediateToIntermediate/Reduce\n"), *end;
    assert_non_null(step);
    end = strstr(step, "---"); /* the sync after it */
    assert_non_null(end);
    *end = '\0';
    assert_non_null(strstr(step, "popops::Reduce<popops::ReduceAdd,float,float,false,3>"));
    assert_null(strstr(step, "popops::Reduce<popops::ReduceAdd,float,float,false,0>"));
    fixture_close(&fixture);
}

/* Few outputs with many elements on a tile: workers divide these, and a second set without an exchange combines their
 * results. */
static void test_workers_share_elements(void **state)
{
    (void)state;
    static const size_t outputs[] = { 1, 3, 8, 13 };
    static const popops_operation ops[] = { POPOPS_ADD, POPOPS_SQUARE_ADD, POPOPS_MAX };
    for (unsigned i = 0; i < 48; ++i) {
        size_t n = outputs[i % 4], depth = 900;
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 1 + i / 24 * 2, popops_add_codelets_at);
        pop_type type = i / 12 % 2 ? POP_HALF : POP_FLOAT;
        popops_operation op = ops[i / 4 % 3];
        pop_tensor in =
            fixture_input(&fixture, type, POP_SHAPE(2, depth, n), i % 5 == 4 ? FIXTURE_SCATTERED : FIXTURE_LINEAR);
        popops_reduce_params params = { .op = op };
        popops_compute_sets sets = { 0 };
        double factor = op == POPOPS_MAX ? 1 : 0.25;
        if (op != POPOPS_MAX)
            params.scale = one_float(&fixture, factor);
        pop_tensor out =
            popops_reduce_in(fixture.graph, in, POP_TYPE_NULL, POP_DIMS(1), params, &sets, "r", POP_NO_OPTIONS);
        for (size_t k = 0; k < sets.count; ++k)
            pop_sequence_add(fixture.program, pop_execute(sets.list[k], NULL));
        size_t columns =
            (op == POPOPS_MAX ? 1 : 2) * (type == POP_HALF ? 4 : 2); /* the max elements of a vertex at a time */
        if (i < 24 &&
            i % 5 != 4) /* three workers for each of two blocks, which are as wide; rows of one output are whole */
            assert_int_equal(sets.count, n > 1 && n <= columns ? 2 : 1);
        double *got = fixture_run(&fixture, out);
        struct wanted wanted = reference(fixture_given(&fixture, in), POP_SHAPE(2, depth, n), POP_DIMS(1), op);
        for (size_t k = 0; k < wanted.count; ++k)
            wanted.values[k] *= factor;
        fixture_check(got, wanted.values, wanted.count, type == POP_HALF ? 2e-3 : 2e-6, type == POP_HALF ? 2e-2 : 2e-3);
        free(wanted.values);
        fixture_close(&fixture);
    }
}

/* On one tile: rows of several elements for each output, and two or three outputs, have two steps. */
static void test_two_steps(void **state)
{
    (void)state;
    static const struct {
        pop_type type;
        popops_operation op;
        size_t rows, outputs, inner;
        uint64_t cycles; /* of both steps' longest workers, calculated by hand; 0: not compared */
    } cases[] = {
        /* 32 columns in four ranges, as six and five do not divide their vectors; then eight outputs of four. */
        { POP_FLOAT, POPOPS_ADD, 10, 8, 4, (24 + 24 + 40) + (17 + 7 * 14) },
        { POP_HALF, POPOPS_SQUARE_ADD, 9, 6, 4, (24 + 6 + 9) + (17 + 5 * 14) },
        /* 450 rows of six columns for six workers; an output has twelve regions of an element. */
        { POP_FLOAT, POPOPS_ADD, 900, 3, 1, (24 + 18 + 225) + (33 + 28 + 4 + 3 + 120 + 12 * 6) },
        { POP_HALF, POPOPS_MAX, 900, 2, 1, 0 },
        { POP_HALF, POPOPS_ADD, 902, 3, 1, 0 },
        { POP_FLOAT, POPOPS_MUL, 5, 3, 7, 0 },
        { POP_HALF, POPOPS_LOG_ADD, 11, 1, 13, 0 },
        { POP_FLOAT, POPOPS_MIN, 2, 40, 3, 0 },
        { POP_INT, POPOPS_ADD, 12, 3, 5, 0 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
        pop_type type = cases[i].type;
        pop_shape shape = POP_SHAPE(cases[i].rows, cases[i].outputs, cases[i].inner);
        bool product = cases[i].op == POPOPS_MUL;
        pop_tensor in = type == POP_INT ? fixture_input(&fixture, type, shape, FIXTURE_LINEAR)
                                        : fixture_input_of(&fixture, type, shape, FIXTURE_LINEAR, product ? 0.9 : -1,
                                                           product ? 1.1 : 1);
        pop_tensor out =
            popops_reduce(fixture.graph, in, POP_TYPE_NULL, POP_DIMS(0, 2), (popops_reduce_params){ .op = cases[i].op },
                          fixture.program, "r", POP_NO_OPTIONS);
        size_t sets = pop_graph_num_compute_sets(fixture.graph);
        double *got = fixture_run(&fixture, out);
        struct wanted wanted = reference(fixture_given(&fixture, in), shape, POP_DIMS(0, 2), cases[i].op);
        fixture_check(got, wanted.values, wanted.count, tolerance(type) * 2, tolerance(type) * 20);
        pop_cycles cycles;
        assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, NULL), POP_OK);
        if (cases[i].cycles)
            assert_int_equal(cycles.compute, 6 * cases[i].cycles);
        if (cases[i].cycles)
            assert_int_equal(sets, 2);
        free(wanted.values);
        fixture_close(&fixture);
    }
}

/* Minimum and maximum of numbers do not depend on the positions of NaN among them. */
static void test_nan_is_ignored(void **state)
{
    (void)state;
    enum { ROWS = 37, WIDTH = 41 };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (unsigned i = 0; i < 8; ++i) {
            struct fixture fixture = fixture_open(device, 3, popops_add_codelets_at);
            double values[ROWS * WIDTH], wanted[ROWS * WIDTH];
            unsigned dim = i / 4;
            bool min = i & 2;
            pop_tensor in =
                pop_graph_add_variable(fixture.graph, i & 1 ? POP_HALF : POP_FLOAT, POP_SHAPE(ROWS, WIDTH), "in");
            fixture_map(&fixture, in, FIXTURE_LINEAR);
            for (size_t k = 0; k < ROWS * WIDTH; ++k) {
                values[k] =
                    next_random(&fixture.random) % 3 ? floor(next_random(&fixture.random) % 2000) / 2 - 500 : NAN;
                wanted[k] = min ? INFINITY : -INFINITY;
            }
            fixture_write(&fixture, in, values, 0, 0);
            for (size_t k = 0; k < ROWS * WIDTH; ++k) {
                double *to = &wanted[dim ? k / WIDTH : k % WIDTH];
                *to = min ? fmin(*to, values[k]) : fmax(*to, values[k]);
            }
            popops_reduce_params params = { .op = min ? POPOPS_MIN : POPOPS_MAX };
            pop_tensor out = popops_reduce(fixture.graph, in, POP_TYPE_NULL, (pop_dims){ 1, &dim }, params,
                                           fixture.program, "r", POP_NO_OPTIONS);
            fixture_check(fixture_run(&fixture, out), wanted, pop_tensor_num_elements(out), 0, 0);
            fixture_close(&fixture);
        }
}

static void test_empty_tensors(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 3, popops_add_codelets_at);
        pop_tensor in = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(5), FIXTURE_LINEAR),
                   none = pop_tensor_slice(pop_tensor_reshape(in, POP_SHAPE(1, 5)), 0, 0, 0);
        pop_tensor given = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(5), FIXTURE_SCATTERED), outs[10];
        double *got[10];
        for (int op = 0; op < POPOPS_OPERATIONS; ++op) {
            bool logical = op == POPOPS_LOGICAL_AND || op == POPOPS_LOGICAL_OR;
            pop_tensor empty =
                logical ? pop_tensor_slice(fixture_input(&fixture, POP_BOOL, POP_SHAPE(1, 5), FIXTURE_LINEAR), 0, 0, 0)
                        : none;
            outs[op] = popops_reduce(fixture.graph, empty, POP_TYPE_NULL, POP_DIMS(0),
                                     (popops_reduce_params){ .op = (popops_operation)op }, fixture.program, "r",
                                     POP_NO_OPTIONS);
        }
        popops_reduce_with_output(fixture.graph, none, given, POP_DIMS(0),
                                  (popops_reduce_params){ .op = POPOPS_ADD, .update = true }, fixture.program, "r",
                                  POP_NO_OPTIONS);
        assert_int_equal(
            pop_tensor_num_elements(popops_reduce(fixture.graph, none, POP_TYPE_NULL, POP_DIMS(1),
                                                  (popops_reduce_params){ 0 }, fixture.program, "r", POP_NO_OPTIONS)),
            0);
        outs[8] = given;
        outs[9] =
            popops_reduce(fixture.graph, in, POP_TYPE_NULL, ((pop_dims){ 0, NULL }),
                          (popops_reduce_params){ .op = POPOPS_SQUARE_ADD }, fixture.program, "none", POP_NO_OPTIONS);
        fixture_run_all(&fixture, outs, got, 10);
        static const double neutral[] = { 0, 1, 3.4028234663852886e38, -3.4028234663852886e38, 1,
                                          0, 0, -3.4028234663852886e38 };
        for (int op = 0; op < POPOPS_OPERATIONS; ++op)
            assert_true(got[op][3] == neutral[op]);
        fixture_check(got[8], fixture_given(&fixture, given), 5, 0, 0);
        for (size_t i = 0; i < 5; ++i)
            assert_true(fabs(got[9][i] - fixture_given(&fixture, in)[i] * fixture_given(&fixture, in)[i]) < 1e-6);
        fixture_close(&fixture);
    }
}

static void test_many_share_compute_sets(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 5, popops_add_codelets_at);
    pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(6, 50), FIXTURE_LINEAR),
               b = fixture_input(&fixture, POP_HALF, POP_SHAPE(40, 3), FIXTURE_SCATTERED);
    popops_single_reduce list[] = {
        { a, POP_DIMS(1), { .op = POPOPS_ADD }, POP_TYPE_NULL, "a" },
        { b, POP_DIMS(0), { .op = POPOPS_MAX }, POP_TYPE_NULL, "b" },
        { b, POP_DIMS(0, 1), { .op = POPOPS_SQUARE_ADD, .update = true }, POP_TYPE_NULL, NULL }
    };
    pop_tensor outs[3] = { { 0 }, { 0 }, fixture_input(&fixture, POP_FLOAT, POP_SHAPE(), FIXTURE_ONE_TILE) };
    popops_reduce_many(fixture.graph, list, 3, outs, fixture.program, "many", POP_NO_OPTIONS);
    assert_true(pop_graph_num_compute_sets(fixture.graph) <= 3);
    double *got[3], before = fixture_given(&fixture, outs[2])[0];
    fixture_run_all(&fixture, outs, got, 3);
    struct wanted wanted[] = { reference(fixture_given(&fixture, a), POP_SHAPE(6, 50), POP_DIMS(1), POPOPS_ADD),
                               reference(fixture_given(&fixture, b), POP_SHAPE(40, 3), POP_DIMS(0), POPOPS_MAX),
                               reference(fixture_given(&fixture, b), POP_SHAPE(40, 3), POP_DIMS(0, 1),
                                         POPOPS_SQUARE_ADD) };
    wanted[2].values[0] += before;
    for (size_t i = 0; i < 3; ++i) {
        fixture_check(got[i], wanted[i].values, wanted[i].count, 1e-5, 1e-5);
        free(wanted[i].values);
    }
    fixture_close(&fixture);
}

/* ---- cost ---- */

/* The guide's figure: fewer than six floats, one output: 7 + 8 + 11 + 6 cycles of a worker. */
static void test_cost_of_the_guide(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
    pop_tensor in = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(5), FIXTURE_ONE_TILE);
    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "set");
    pop_tensor out = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(), FIXTURE_ONE_TILE);
    pop_vertex vertex =
        pop_graph_add_vertex(fixture.graph, set, "popops::Reduce<popops::ReduceAdd,float,float,false,2>");
    pop_graph_connect(fixture.graph, vertex, "partials", in);
    pop_graph_connect(fixture.graph, vertex, "out", out);
    pop_graph_map_vertex(fixture.graph, vertex, 0);
    assert_int_equal(pop_graph_get_perf_estimate(fixture.graph, vertex).cycles, 32);
    pop_sequence_add(fixture.program, pop_execute(set, NULL));
    fixture.tensors[1].written = false;
    fixture_run(&fixture, out);
    fixture_close(&fixture);

    fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at); /* and the vertex of a reduction is this one */
    in = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(5), FIXTURE_ONE_TILE);
    fixture_run(&fixture,
                popops_reduce(fixture.graph, in, POP_FLOAT, POP_DIMS(0), (popops_reduce_params){ .op = POPOPS_ADD },
                              fixture.program, "r", POP_NO_OPTIONS));
    pop_cycles cycles;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.compute, 6 * 32);
    fixture_close(&fixture);
}

/* The formulas of docs/reference/reductions.md, calculated by hand. */
static void test_cost_of_forms(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        pop_type in, out;
        size_t partials, outputs, rows; /* elements; rows: of the strided form */
        uint64_t cycles;
    } forms[] = {
        { "popops::Reduce<popops::ReduceAdd,float,float,false,3>", POP_FLOAT, POP_FLOAT, 40, 8, 5, 24 + 24 + 20 },
        { "popops::Reduce<popops::ReduceAdd,half,float,false,3>", POP_HALF, POP_FLOAT, 40, 8, 5, 24 + 12 + 10 },
        { "popops::Reduce<popops::ReduceLogAdd,half,float,false,3>", POP_HALF, POP_FLOAT, 40, 8, 5, 24 + 12 + 120 },
        { "popops::Reduce<popops::ReduceAdd,float,float,false,2>", POP_FLOAT, POP_FLOAT, 41, 1, 0, 26 + 20 + 1 },
        { "popops::Reduce<popops::ReduceAdd,float,half,false,2>", POP_FLOAT, POP_HALF, 41, 1, 0, 26 + 20 + 1 + 5 },
        { "popops::Reduce<popops::ReduceAdd,half,float,false,4>", POP_HALF, POP_FLOAT, 36, 4, 0, 17 + 3 * 14 + 2 },
        { "popops::Reduce<popops::ReduceAdd,float,float,false,0>", POP_FLOAT, POP_FLOAT, 33, 11, 0,
          33 + 28 + 2 * (5 + 5 + 1 + 10) + (4 + 5 + 10) + (4 + 3 + 10) + 3 * (2 * 9 + 6 + 6) },
        { "popops::Reduce<popops::ReduceMax,half,half,false,0>", POP_HALF, POP_HALF, 8, 4, 0,
          33 + 28 + (3 + 8 + 1 + 10) + 2 * (3 + 3) },
        { "popops::Reduce<popops::ReduceLogAdd,float,float,false,0>", POP_FLOAT, POP_FLOAT, 9, 3, 0, 23 + 10 + 26 * 9 },
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); ++i) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
        pop_tensor in = fixture_input(&fixture, forms[i].in, POP_SHAPE(forms[i].partials), FIXTURE_ONE_TILE),
                   out = fixture_input(&fixture, forms[i].out, POP_SHAPE(forms[i].outputs), FIXTURE_ONE_TILE);
        pop_vertex vertex =
            pop_graph_add_vertex(fixture.graph, pop_graph_add_compute_set(fixture.graph, "set"), forms[i].name);
        char form = forms[i].name[strlen(forms[i].name) - 2];
        if (form == '0') {
            pop_graph_connect_list(fixture.graph, vertex, "partials", POP_TENSORS(in));
            pop_graph_connect_list(fixture.graph, vertex, "out", POP_TENSORS(out));
            pop_graph_set_field_vector(fixture.graph, vertex, POP_FIELD("numPartials", POP_WHOLE), POP_UNSIGNED_INT,
                                       (unsigned[]){ 1 }, 1);
        } else {
            pop_graph_connect(fixture.graph, vertex, "partials", in);
            pop_graph_connect(fixture.graph, vertex, "out", form == '2' ? pop_tensor_at(out, 0) : out);
        }
        if (form == '3') {
            pop_graph_set_field_int(fixture.graph, vertex, "width", (int64_t)forms[i].outputs);
            pop_graph_set_field_int(fixture.graph, vertex, "stride", (int64_t)forms[i].outputs);
            pop_graph_set_field_int(fixture.graph, vertex, "rows", (int64_t)forms[i].rows);
        }
        if (form == '4')
            pop_graph_set_field_int(fixture.graph, vertex, "inner", (int64_t)(forms[i].partials / forms[i].outputs));
        pop_graph_map_vertex(fixture.graph, vertex, 0);
        uint64_t cycles = pop_graph_get_perf_estimate(fixture.graph, vertex).cycles;
        assert_int_equal(pop_graph_get_perf_estimate(fixture.graph, vertex).flops, forms[i].partials);
        if (cycles != forms[i].cycles)
            fail_msg("%s: %llu cycles where %llu were expected", forms[i].name, (unsigned long long)cycles,
                     (unsigned long long)forms[i].cycles);
        fixture_close(&fixture);
    }
}

/* Columns in blocks on separate tiles: each costs the same as alone, since its rows are contiguous in memory. */
static void test_cost_of_blocks(void **state)
{
    (void)state;
    pop_cycles cycles[2];
    for (size_t count = 1; count <= 4; count += 3) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, popops_add_codelets_at);
        pop_tensor blocks[4];
        for (unsigned i = 0; i < 4; ++i) {
            blocks[i] = pop_graph_add_variable(fixture.graph, POP_HALF, POP_SHAPE(30, 8), "block");
            pop_graph_set_tile_mapping(fixture.graph, blocks[i], i);
        }
        pop_tensor in = pop_tensor_concat((pop_tensors){ count, blocks }, 1);
        fixture_write(&fixture, in, NULL, -1, 1);
        fixture_run(&fixture,
                    popops_reduce(fixture.graph, in, POP_FLOAT, POP_DIMS(0), (popops_reduce_params){ .op = POPOPS_ADD },
                                  fixture.program, "r", POP_NO_OPTIONS));
        assert_int_equal(pop_engine_cycles(fixture.engine, &cycles[count > 1], NULL), POP_OK);
        fixture_close(&fixture);
    }
    assert_int_equal(cycles[1].compute, cycles[0].compute);
}

/* Every vertex has an estimate: the model's cycles are known after random reductions of all operations. */
static void test_every_vertex_has_an_estimate(void **state)
{
    (void)state;
    for (popops_operation op = POPOPS_ADD; (int)op < POPOPS_OPERATIONS; ++op)
        for (size_t t = 0; t < TYPES; ++t) {
            if (!takes(op, types[t]))
                continue;
            struct fixture fixture = fixture_open(FIXTURE_MODEL, 6, popops_add_codelets_at);
            pop_tensor in = fixture_input(&fixture, types[t], POP_SHAPE(12, 11, 10), FIXTURE_LINEAR), outs[5],
                       part = fixture_input(&fixture, types[t], POP_SHAPE(12, 11, 10), FIXTURE_SCATTERED);
            popops_reduce_params params = { .op = op };
            outs[0] = popops_reduce(fixture.graph, in, POP_TYPE_NULL, POP_DIMS(0), params, fixture.program, "r",
                                    POP_NO_OPTIONS);
            outs[1] = popops_reduce(fixture.graph, in, POP_TYPE_NULL, POP_DIMS(1), params, fixture.program, "r",
                                    POP_NO_OPTIONS);
            outs[2] = popops_reduce(fixture.graph, in, POP_TYPE_NULL, POP_DIMS(2), params, fixture.program, "r",
                                    POP_NO_OPTIONS);
            outs[3] = popops_reduce(fixture.graph, in, POP_TYPE_NULL, POP_DIMS(0, 1, 2), params, fixture.program, "r",
                                    POP_NO_OPTIONS);
            outs[4] = popops_reduce(fixture.graph, part, POP_TYPE_NULL, POP_DIMS(0, 2), params, fixture.program, "r",
                                    POP_NO_OPTIONS);
            double *got[5];
            fixture_run_all(&fixture, outs, got, 5);
            pop_cycles cycles;
            pop_error error = { 0 };
            if (pop_engine_cycles(fixture.engine, &cycles, &error) != POP_OK)
                fail_msg("%s", error.text);
            fixture_close(&fixture);
        }
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    pop_graph *g = fixture.graph;
    pop_program seq = fixture.program;
    pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 3), FIXTURE_LINEAR), null = { 0 },
               i = fixture_input(&fixture, POP_INT, POP_SHAPE(4), FIXTURE_LINEAR);
    popops_reduce_params add = { .op = POPOPS_ADD };
    popops_reduce(g, null, POP_FLOAT, POP_DIMS(0), add, seq, "r", POP_NO_OPTIONS);
    assert_error(g, POP_POPLAR_ERROR, "popops_reduce", "null tensor");
    popops_reduce(g, t, POP_FLOAT, POP_DIMS(2), add, seq, "r", POP_NO_OPTIONS);
    assert_error(g, POP_POPLAR_ERROR, "popops_reduce", "there is no dimension 2: the tensor's rank is 2");
    popops_reduce(g, t, POP_FLOAT, POP_DIMS(1, 1), add, seq, "r", POP_NO_OPTIONS);
    assert_error(g, POP_POPLAR_ERROR, "popops_reduce", "dimension 1 occurs twice");
    popops_reduce(g, t, POP_INT, POP_DIMS(1), add, seq, "r", POP_NO_OPTIONS);
    assert_error(g, POP_TYPE_ERROR, "popops_reduce", "ADD of float cannot give int");
    popops_reduce(g, t, POP_FLOAT, POP_DIMS(1), (popops_reduce_params){ .op = POPOPS_LOGICAL_OR }, seq, "r",
                  POP_NO_OPTIONS);
    assert_error(g, POP_TYPE_ERROR, "popops_reduce", "LOGICAL_OR cannot reduce float; it takes bool");
    popops_reduce(g, i, POP_INT, POP_DIMS(0), (popops_reduce_params){ .op = POPOPS_LOG_ADD }, seq, "r", POP_NO_OPTIONS);
    assert_error(g, POP_TYPE_ERROR, "popops_reduce", "it takes half and float");
    popops_reduce(g, t, POP_FLOAT, POP_DIMS(1), (popops_reduce_params){ .op = POPOPS_ADD, .update = true }, seq, "r",
                  POP_NO_OPTIONS);
    assert_error(g, POP_POPLAR_ERROR, "popops_reduce", "an update needs an output");
    popops_reduce(g, t, POP_FLOAT, POP_DIMS(1), (popops_reduce_params){ .op = POPOPS_MAX, .scale = t }, seq, "r",
                  POP_NO_OPTIONS);
    assert_error(g, POP_POPLAR_ERROR, "popops_reduce", "MAX cannot be scaled");
    popops_reduce(g, t, POP_FLOAT, POP_DIMS(1), (popops_reduce_params){ .op = POPOPS_ADD, .scale = t }, seq, "r",
                  POP_NO_OPTIONS);
    assert_error(g, POP_TYPE_ERROR, "popops_reduce", "the scale is float with 12 elements; it must be one float");
    popops_reduce_with_output(g, t, t, POP_DIMS(1), add, seq, "r", POP_NO_OPTIONS);
    assert_error(g, POP_POPLAR_ERROR, "popops_reduce_with_output", "the output has shape {4,3}; it must be {4}");
    popops_reduce_with_output(g, t, null, POP_DIMS(1), add, seq, "r", POP_NO_OPTIONS);
    assert_error(g, POP_POPLAR_ERROR, "popops_reduce_with_output", "the output is a null tensor");
    popops_reduce_with_output(g, t, pop_tensor_at(t, 0), POP_DIMS(0), add, seq, "r", POP_NO_OPTIONS);
    assert_error(g, POP_POPLAR_ERROR, "popops_reduce_with_output", "the output shares elements with the input");
    popops_reduce(g, t, POP_FLOAT, POP_DIMS(1), add, seq, "r", POP_OPTIONS({ "accumType.interTile", "int" }));
    assert_error(g, POP_INVALID_OPTION, "popops_reduce", "it takes float|half");
    popops_reduce(g, t, POP_FLOAT, POP_DIMS(1), (popops_reduce_params){ .op = (popops_operation)17 }, seq, "r",
                  POP_NO_OPTIONS);
    assert_error(g, POP_POPLAR_ERROR, "popops_reduce", "17 is not an operation");
    popops_reduce(g, pop_graph_add_variable(g, POP_FLOAT, POP_SHAPE(3), "unmapped"), POP_FLOAT, POP_DIMS(0), add, seq,
                  "r", POP_NO_OPTIONS);
    assert_error(g, POP_INVALID_TILE_MAPPING, "popops_reduce", "not mapped");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_given_outputs_updates_and_scales),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_every_set_of_dimensions),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_vertices_of_stages),
        cmocka_unit_test(test_workers_share_elements),
        cmocka_unit_test(test_two_steps),
        cmocka_unit_test(test_nan_is_ignored),
        cmocka_unit_test(test_empty_tensors),
        cmocka_unit_test(test_many_share_compute_sets),
        cmocka_unit_test(test_cost_of_the_guide),
        cmocka_unit_test(test_cost_of_forms),
        cmocka_unit_test(test_cost_of_blocks),
        cmocka_unit_test(test_every_vertex_has_an_estimate),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of the IPUs of one graph: values, the IPUs that hold them, unequal and empty parts, errors. */
#include "poplibs/numeric.h"

#include <popops/codelets.h>
#include <popops/ipu_collectives.h>

enum { IPUS = 4, MAX_IPUS = 8, TILES = 5, WIDE = 1472, MAX_ELEMENTS = 250 };

/* A fixture of several IPUs, with row i of data on IPU i. */
static struct fixture open_bed_of(unsigned ipus, unsigned tiles, pop_type type, size_t elements, pop_tensor *data)
{
    pop_error error;
    struct fixture fixture = { .random = 1 };
    fixture.device = pop_ipu_model_create_device(
        &(pop_ipu_model){ .version = "ipu2", .num_ipus = ipus, .tiles_per_ipu = tiles }, &error);
    fixture.graph = pop_graph_create(pop_device_target(fixture.device));
    fixture.program = pop_sequence(fixture.graph, "test");
    popops_add_codelets(fixture.graph);
    *data = pop_graph_add_variable(fixture.graph, type, POP_SHAPE(ipus, elements), "data");
    for (unsigned i = 0; i < ipus; ++i)
        for (unsigned tile = 0; tile < tiles; ++tile)
            pop_graph_set_tile_mapping(
                fixture.graph,
                pop_tensor_slice(pop_tensor_at(*data, i), elements * tile / tiles, elements * (tile + 1) / tiles, 0),
                i * tiles + (tile + i) % tiles);
    fixture_write(&fixture, *data, NULL, -2, 2);
    return fixture;
}
static struct fixture open_fixture(unsigned ipus, pop_type type, size_t elements, pop_tensor *data)
{
    return open_bed_of(ipus, TILES, type, elements, data);
}
/* All elements of t are on this IPU. */
static void check_ipu(pop_graph *graph, pop_tensor t, unsigned ipu)
{
    pop_interval_lists mapping;
    assert_true(pop_graph_get_tile_mapping(graph, t, NULL, &mapping));
    for (unsigned tile = 0; tile < mapping.count; ++tile)
        assert_true(mapping.first[tile] == mapping.first[tile + 1] || tile / TILES == ipu);
    pop_interval_lists_free(&mapping);
}

/* Each element reduced over rows {ipus, elements}, for every row of the result. */
static void reduce_rows(double *wanted, const double *given, unsigned ipus, size_t elements, bool max)
{
    for (size_t i = 0; i < elements; ++i) {
        wanted[i] = given[i];
        for (unsigned ipu = 1; ipu < ipus; ++ipu)
            wanted[i] = max ? fmax(wanted[i], given[ipu * elements + i]) : wanted[i] + given[ipu * elements + i];
    }
    for (unsigned ipu = 1; ipu < ipus; ++ipu)
        memcpy(wanted + ipu * elements, wanted, elements * sizeof(*wanted));
}

static const char *const methods[] = { "auto",
                                       "clockwise_ring",
                                       "anticlockwise_ring",
                                       "bidirectional_ring_pair",
                                       "meet_in_middle_ring",
                                       "quad_directional_ring",
                                       "broadcast",
                                       "tree" };
enum { METHODS = sizeof(methods) / sizeof(methods[0]) };

static void check_values_and_mappings(unsigned ipus, size_t elements, bool max, const char *method)
{
    pop_tensor data, chunks[MAX_IPUS], out[3];
    struct fixture fixture = open_fixture(ipus, max ? POP_HALF : POP_FLOAT, elements, &data);
    popops_operation op = max ? POPOPS_MAX : POPOPS_ADD;
    pop_options options = POP_OPTIONS({ "useReplicatedImplementation", "false" }, { "method", method });
    assert_true(popops_reduce_scatter(fixture.graph, data, op, fixture.program, "a", options, chunks));
    out[0] = pop_tensor_concat((pop_tensors){ ipus, chunks }, 0);
    out[1] = popops_all_gather(fixture.graph, (pop_tensors){ ipus, chunks }, fixture.program, "b", options);
    out[2] = popops_all_reduce(fixture.graph, data, op, fixture.program, "c", options);
    for (unsigned i = 0; i < ipus; ++i) {
        assert_int_equal(pop_tensor_num_elements(chunks[i]), (i + 1) * elements / ipus - i * elements / ipus);
        check_ipu(fixture.graph, chunks[i], i);
        check_ipu(fixture.graph, pop_tensor_at(out[1], i), i);
        check_ipu(fixture.graph, pop_tensor_at(out[2], i), i);
    }
    assert_int_equal(pop_tensor_num_elements(out[2]), ipus * elements);
    double *got[3], wanted[MAX_IPUS * MAX_ELEMENTS];
    fixture_run_all(&fixture, out, got, 3);
    reduce_rows(wanted, fixture_given(&fixture, data), ipus, elements, max);
    fixture_check(got[0], wanted, elements, 1e-6, 1e-6);
    fixture_check(got[1], wanted, ipus * elements, 1e-6, 1e-6);
    fixture_check(got[2], wanted, ipus * elements, 1e-6, 1e-6);
    fixture_close(&fixture);
}

static void test_values_and_mappings(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 3, 41, MAX_ELEMENTS };
    static const unsigned ipus[] = { 2, 3, 4, MAX_IPUS };
    for (unsigned test = 0; test < 16 * METHODS; ++test)
        check_values_and_mappings(ipus[test % 4], sizes[test / 4 % 4], test / 2 % 2, methods[test / 16]);
}

/* Sums of squares and of exponents by each method: the initial values differ from the data. */
static void test_operators(void **state)
{
    (void)state;
    enum { PARTS = 5, ELEMENTS = 13 };
    static const popops_operation ops[] = { POPOPS_MUL, POPOPS_MIN, POPOPS_SQUARE_ADD, POPOPS_LOG_ADD };
    for (unsigned test = 0; test < 4 * METHODS; ++test) {
        popops_operation op = ops[test % 4];
        pop_tensor data;
        struct fixture fixture = open_fixture(PARTS, POP_FLOAT, ELEMENTS, &data);
        pop_tensor out = popops_all_reduce(fixture.graph, data, op, fixture.program, "all",
                                           POP_OPTIONS({ "method", methods[test / 4] }));
        double *given = fixture_given(&fixture, data), *got = fixture_run(&fixture, out), wanted[PARTS * ELEMENTS];
        for (unsigned i = 0; i < ELEMENTS; ++i) {
            double sum = op == POPOPS_MUL ? 1 : op == POPOPS_MIN ? INFINITY : 0;
            for (unsigned row = 0; row < PARTS; ++row) {
                double x = given[row * ELEMENTS + i];
                sum = op == POPOPS_MUL          ? sum * x
                      : op == POPOPS_MIN        ? fmin(sum, x)
                      : op == POPOPS_SQUARE_ADD ? sum + x * x
                                                : sum + exp(x);
            }
            for (unsigned row = 0; row < PARTS; ++row)
                wanted[row * ELEMENTS + i] = op == POPOPS_LOG_ADD ? log(sum) : sum;
        }
        fixture_check(got, wanted, (size_t)PARTS * ELEMENTS, 1e-5, 1e-5);
        fixture_close(&fixture);
    }
}

/* Element i on each IPU after an operator. */
static double wanted_of(popops_collective_operator op, const double *given, unsigned ipus, size_t elements,
                        unsigned ipu, size_t i)
{
    double sum = 0;
    for (unsigned row = 0; row < ipus; ++row) {
        double x = given[row * elements + i];
        sum += op == POPOPS_COLLECTIVE_SQUARE_ADD ? x * x : x;
    }
    return op == POPOPS_COLLECTIVE_LOCAL ? given[ipu * elements + i] : op == POPOPS_COLLECTIVE_MEAN ? sum / ipus : sum;
}

static void check_operator(unsigned ipus, unsigned tiles, pop_type type, size_t elements, popops_collective_operator op,
                           const char *method)
{
    pop_tensor data, chunks[MAX_IPUS], out[2];
    struct fixture fixture = open_bed_of(ipus, tiles, type, elements, &data);
    pop_options options = POP_OPTIONS({ "method", method });
    assert_true(popops_ipu_reduce_scatter(fixture.graph, data, op, fixture.program, "a", options, chunks));
    out[0] = pop_tensor_concat((pop_tensors){ ipus, chunks }, 0);
    out[1] = popops_ipu_all_reduce(fixture.graph, data, op, fixture.program, "b", options);
    assert_int_equal(pop_tensor_num_elements(out[0]), elements);
    assert_int_equal(pop_tensor_dim(out[1], 0), ipus);
    assert_int_equal(pop_tensor_dim(out[1], 1), elements);
    double *given = fixture_given(&fixture, data), *got[2], wanted[2][MAX_IPUS * MAX_ELEMENTS];
    fixture_run_all(&fixture, out, got, 2);
    for (unsigned ipu = 0; ipu < ipus; ++ipu)
        for (size_t i = 0; i < elements; ++i) {
            double value = wanted_of(op, given, ipus, elements, ipu, i);
            wanted[1][ipu * elements + i] = value;
            if (i >= ipu * elements / ipus && i < (ipu + 1) * elements / ipus)
                wanted[0][i] = value;
        }
    /* Halves are rounded in each sum, of numbers up to 2, or 4 for squares. */
    double rounding = type == POP_HALF && op != POPOPS_COLLECTIVE_LOCAL ? 4.0 * ipus * ipus / 2048 : 1e-6;
    fixture_check(got[0], wanted[0], elements, 0, rounding);
    fixture_check(got[1], wanted[1], ipus * elements, 0, rounding);
    fixture_close(&fixture);
}

/* No elements, one element, prime numbers of elements and of IPUs, one IPU, one tile; halves that need rounding. */
static void test_odd_sizes_by_each_operator(void **state)
{
    (void)state;
    static const struct {
        unsigned ipus, tiles;
        pop_type type;
        size_t elements;
    } rows[] = { { 3, 1, POP_FLOAT, 0 },  { 3, 1, POP_HALF, 1 }, { 5, 1, POP_FLOAT, 7 }, { 2, 5, POP_HALF, 13 },
                 { 1, 5, POP_FLOAT, 11 }, { 1, 1, POP_HALF, 3 }, { 7, 5, POP_HALF, 29 } };
    static const popops_collective_operator ops[] = { POPOPS_COLLECTIVE_ADD, POPOPS_COLLECTIVE_MEAN,
                                                      POPOPS_COLLECTIVE_LOCAL, POPOPS_COLLECTIVE_SQUARE_ADD };
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); ++r)
        for (size_t o = 0; o < 4; ++o)
            for (size_t m = (r + o) % 2; m < METHODS; m += 2)
                check_operator(rows[r].ipus, rows[r].tiles, rows[r].type, rows[r].elements, ops[o], methods[m]);
}

/* Exchanges between IPUs of a run, and its cycles. */
struct cost {
    unsigned exchanges;
    double cycles;
};
static struct cost cost_of(unsigned ipus, size_t elements, const char *method)
{
    pop_error error = { 0 };
    pop_tensor data;
    struct fixture fixture = open_bed_of(ipus, WIDE, POP_FLOAT, elements, &data);
    popops_all_reduce(fixture.graph, data, POPOPS_ADD, fixture.program, "all", POP_OPTIONS({ "method", method }));
    pop_engine *engine = pop_engine_create(fixture.graph, POP_PROGRAMS(fixture.program), POP_NO_OPTIONS, &error);
    assert_int_equal(error.status, POP_OK);
    assert_int_equal(pop_engine_load_and_run(engine, fixture.device, 0, &error), POP_OK);
    pop_profile_value profile;
    assert_int_equal(pop_engine_execution_profile(engine, &profile, &error), POP_OK);
    struct cost cost = { 0, pop_profile_as_double(pop_profile_path(&profile, "simulation.cycles")) };
    const pop_profile_value *steps = pop_profile_path(&profile, "simulation.steps");
    for (size_t i = 0; i < pop_profile_size(steps); ++i)
        cost.exchanges +=
            !strcmp(pop_profile_as_string(pop_profile_get(pop_profile_at(steps, i), "type")), "GlobalExchange");
    pop_profile_free(&profile);
    pop_engine_destroy(engine);
    fixture_close(&fixture);
    return cost;
}

/* Each method has the steps of its name, for the reduction and for the gather; auto is about as fast as the fastest;
 * rings in both directions are faster than one direction for large data. */
static void test_methods_have_their_cost(void **state)
{
    (void)state;
    static const unsigned ipus[] = { 2, 4, 8 }, steps[][METHODS] = { { 0, 2, 2, 2, 2, 2, 2, 1 },
                                                                     { 0, 6, 6, 6, 4, 6, 2, 2 },
                                                                     { 0, 14, 14, 14, 8, 14, 2, 3 } };
    static const size_t elements[] = { WIDE, 100 * WIDE };
    for (unsigned test = 0; test < 6; ++test) {
        struct cost costs[METHODS];
        double min = INFINITY;
        for (unsigned m = 0; m < METHODS; ++m) {
            costs[m] = cost_of(ipus[test / 2], elements[test % 2], methods[m]);
            min = fmin(min, costs[m].cycles);
            if (m)
                assert_int_equal(costs[m].exchanges, steps[test / 2][m]);
        }
        if (costs[0].cycles > 1.05 * min)
            fail_msg("auto takes %.0f cycles on %u IPUs, the cheapest method %.0f", costs[0].cycles, ipus[test / 2],
                     min);
        if (test % 2 && ipus[test / 2] > 2) /* 1 clockwise, 3 both directions, 4 meet in the middle */
            assert_true(costs[3].cycles < 0.7 * costs[1].cycles && costs[4].cycles < 0.8 * costs[1].cycles);
    }
}

/* Chunks in the order of rings: listed by IPU, while their position in the data is that in the ring 0, 2, 3, 1; with
 * two rings each has half of the data. */
static void test_gathered_by_position(void **state)
{
    (void)state;
    static const unsigned all_ipus[] = { 2, 3, 4, MAX_IPUS };
    for (unsigned test = 0; test < 4 * 2; ++test) {
        unsigned ipus = all_ipus[test % 4], rings = 1 + test / 4, ring[MAX_IPUS], count = 0;
        size_t elements = 37;
        pop_tensor data;
        struct fixture fixture = open_fixture(ipus, POP_FLOAT, elements, &data);
        popops_chunk chunks[2 * MAX_IPUS];
        for (unsigned i = 0; i < ipus; ++i) /* 0, 2, 4, ..., 5, 3, 1 */
            ring[i % 2 ? ipus - 1 - i / 2 : i / 2] = i;
        for (unsigned at = 0; at < ipus; ++at)
            for (unsigned r = 0; r < rings; ++r) {
                unsigned place = r * ipus + at;
                pop_tensor part = pop_tensor_slice(pop_tensor_at(data, ring[at]), elements * place / (rings * ipus),
                                                   elements * (place + 1) / (rings * ipus), 0);
                chunks[count++] = (popops_chunk){ part, at, r };
            }
        for (unsigned i = 0; i < count / 2; ++i) { /* in any order */
            popops_chunk kept = chunks[i];
            chunks[i] = chunks[(i * 5 + 3) % count];
            chunks[(i * 5 + 3) % count] = kept;
        }
        pop_tensor out =
            popops_all_gather_chunks(fixture.graph, chunks, count, ipus, fixture.program, "gather", POP_NO_OPTIONS);
        double *given = fixture_given(&fixture, data), *got = fixture_run(&fixture, out), wanted[MAX_IPUS * 37];
        for (unsigned place = 0; place < rings * ipus; ++place)
            for (size_t i = elements * place / (rings * ipus); i < elements * (place + 1) / (rings * ipus); ++i)
                for (unsigned row = 0; row < ipus; ++row)
                    wanted[row * elements + i] = given[ring[place % ipus] * elements + i];
        assert_int_equal(pop_tensor_num_elements(out), ipus * elements);
        for (unsigned row = 0; row < ipus; ++row)
            check_ipu(fixture.graph, pop_tensor_at(out, row), row);
        fixture_check(got, wanted, ipus * elements, 0, 0);
        fixture_close(&fixture);
    }
}

/* {IPUs, 2, 3}: the result has the shape of the data. */
static void test_all_reduce_of_rank_3(void **state)
{
    (void)state;
    for (unsigned method = 0; method < METHODS; ++method) {
        pop_tensor data;
        struct fixture fixture = open_fixture(IPUS, POP_FLOAT, 6, &data);
        pop_tensor out =
            popops_ipu_all_reduce(fixture.graph, pop_tensor_reshape(data, POP_SHAPE(IPUS, 2, 3)), POPOPS_COLLECTIVE_ADD,
                                  fixture.program, "a", POP_OPTIONS({ "method", methods[method] }));
        assert_int_equal(pop_tensor_rank(out), 3);
        assert_int_equal(pop_tensor_dim(out, 2), 3);
        double *got = fixture_run(&fixture, out), wanted[IPUS * 6];
        reduce_rows(wanted, fixture_given(&fixture, data), IPUS, 6, false);
        fixture_check(got, wanted, (size_t)IPUS * 6, 1e-6, 1e-6);
        fixture_close(&fixture);
    }
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    pop_tensor data, chunks[IPUS] = { { 0 } };
    struct fixture fixture = open_fixture(IPUS, POP_FLOAT, 8, &data);
    assert_false(popops_reduce_scatter(fixture.graph, pop_tensor_at(data, 0), POPOPS_ADD, fixture.program, "a",
                                       POP_NO_OPTIONS, chunks));
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_reduce_scatter",
                 "the data has shape {8}; {IPUs, elements} is needed");
    popops_all_reduce(fixture.graph, pop_tensor_transpose(data), POPOPS_ADD, fixture.program, "a", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_all_reduce", "there are 8 parts, but the target has 4 IPUs");
    popops_ipu_all_reduce(fixture.graph, data, (popops_collective_operator)77, fixture.program, "a", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_ipu_all_reduce", "77 is not an operation");
    popops_ipu_reduce_scatter(fixture.graph, data, POPOPS_COLLECTIVE_LOGICAL_OR, fixture.program, "a", POP_NO_OPTIONS,
                              chunks);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_ipu_reduce_scatter",
                 "the operator LOGICAL_OR does not take float");
    popops_all_reduce(fixture.graph, data, (popops_operation)77, fixture.program, "a", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_all_reduce", "77 is not an operation");
    popops_all_gather(fixture.graph, (pop_tensors){ IPUS, chunks }, fixture.program, "a", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_all_gather", "a null tensor");
    popops_all_gather(fixture.graph, (pop_tensors){ 0, NULL }, fixture.program, "a", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_all_gather", "0 parts");
    popops_chunk twice[2] = { { pop_tensor_at(data, 0), 1, 0 }, { pop_tensor_at(data, 1), 1, 0 } };
    popops_all_gather_chunks(fixture.graph, twice, 2, 2, fixture.program, "a", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_all_gather_chunks", "two chunks have offset 0 and index 1");
    popops_all_gather_chunks(fixture.graph, NULL, 0, 2, fixture.program, "a", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_all_gather_chunks", "there are no chunks");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_and_mappings),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_odd_sizes_by_each_operator),
        cmocka_unit_test(test_methods_have_their_cost),
        cmocka_unit_test(test_gathered_by_position),
        cmocka_unit_test(test_all_reduce_of_rank_3),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

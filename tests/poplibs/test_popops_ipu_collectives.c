/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of the IPUs of one graph: values, on which IPU they lie, parts that are not equal or empty, what is refused. */
#include "poplibs/bed.h"

#include <popops/codelets.h>
#include <popops/ipu_collectives.h>

enum { IPUS = 4, TILES = 5 };

/* A bed of several IPUs, on which row i of data lies on IPU i. */
static struct bed open_bed(pop_type type, size_t elements, pop_tensor *data)
{
    pop_error error;
    struct bed bed = { .random = 1 };
    bed.device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .num_ipus = IPUS, .tiles_per_ipu = TILES }, &error);
    bed.graph = pop_graph_create(pop_device_target(bed.device));
    bed.program = pop_sequence(bed.graph, "test");
    popops_add_codelets(bed.graph);
    *data = pop_graph_add_variable(bed.graph, type, POP_SHAPE(IPUS, elements), "data");
    for (unsigned i = 0; i < IPUS; ++i)
        for (unsigned tile = 0; tile < TILES; ++tile)
            pop_graph_set_tile_mapping(bed.graph, pop_tensor_slice(pop_tensor_at(*data, i), elements * tile / TILES, elements * (tile + 1) / TILES, 0),
                                       i * TILES + (tile + i) % TILES);
    bed_write(&bed, *data, NULL, -2, 2);
    return bed;
}
/* All elements of t lie on this IPU. */
static void check_ipu(pop_graph *graph, pop_tensor t, unsigned ipu)
{
    pop_interval_lists mapping;
    assert_true(pop_graph_get_tile_mapping(graph, t, NULL, &mapping));
    for (unsigned tile = 0; tile < mapping.count; ++tile)
        assert_true(mapping.first[tile] == mapping.first[tile + 1] || tile / TILES == ipu);
    pop_interval_lists_free(&mapping);
}

/* row: popops reduceScatter */
/* row: popops allGather */
/* row: popops allReduce */
static void test_values_and_places(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 3, 41, 250 };
    for (unsigned test = 0; test < 4 * 2; ++test) {
        size_t elements = sizes[test % 4];
        bool max = test / 4;
        pop_tensor data, chunks[IPUS], out[3];
        struct bed bed = open_bed(max ? POP_HALF : POP_FLOAT, elements, &data);
        popops_operation op = max ? POPOPS_MAX : POPOPS_ADD;
        assert_true(popops_reduce_scatter(bed.graph, data, op, bed.program, "a", POP_NO_OPTIONS, chunks));
        out[0] = pop_tensor_concat((pop_tensors){ IPUS, chunks }, 0);
        out[1] = popops_all_gather(bed.graph, (pop_tensors){ IPUS, chunks }, bed.program, "b", POP_NO_OPTIONS);
        out[2] = popops_all_reduce(bed.graph, data, op, bed.program, "c", POP_OPTIONS({ "useReplicatedImplementation", "false" }));
        for (unsigned i = 0; i < IPUS; ++i) {
            assert_int_equal(pop_tensor_num_elements(chunks[i]), (i + 1) * elements / IPUS - i * elements / IPUS);
            check_ipu(bed.graph, chunks[i], i);
            check_ipu(bed.graph, pop_tensor_at(out[1], i), i);
            check_ipu(bed.graph, pop_tensor_at(out[2], i), i);
        }
        assert_int_equal(pop_tensor_num_elements(out[2]), IPUS * elements);
        double *got[3], *given = bed_given(&bed, data), wanted[IPUS * 250];
        bed_run_all(&bed, out, got, 3);
        for (size_t i = 0; i < elements; ++i) {
            wanted[i] = given[i];
            for (unsigned ipu = 1; ipu < IPUS; ++ipu)
                wanted[i] = max ? fmax(wanted[i], given[ipu * elements + i]) : wanted[i] + given[ipu * elements + i];
        }
        for (unsigned ipu = 1; ipu < IPUS; ++ipu)
            memcpy(wanted + ipu * elements, wanted, elements * sizeof(*wanted));
        bed_check(got[0], wanted, elements, 1e-6, 1e-6);
        bed_check(got[1], wanted, IPUS * elements, 1e-6, 1e-6);
        bed_check(got[2], wanted, IPUS * elements, 1e-6, 1e-6);
        bed_close(&bed);
    }
}

static void test_errors(void **state)
{
    (void)state;
    pop_tensor data, chunks[IPUS] = { { 0 } };
    struct bed bed = open_bed(POP_FLOAT, 8, &data);
    assert_false(popops_reduce_scatter(bed.graph, pop_tensor_at(data, 0), POPOPS_ADD, bed.program, "a", POP_NO_OPTIONS, chunks));
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_reduce_scatter", "the data has shape {8}; {IPUs, elements} is needed");
    popops_all_reduce(bed.graph, pop_tensor_transpose(data), POPOPS_ADD, bed.program, "a", POP_NO_OPTIONS);
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_all_reduce", "8 parts, and the target has 4 IPUs");
    popops_all_reduce(bed.graph, data, (popops_operation)77, bed.program, "a", POP_NO_OPTIONS);
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_all_reduce", "77 is no operation");
    popops_all_gather(bed.graph, (pop_tensors){ IPUS, chunks }, bed.program, "a", POP_NO_OPTIONS);
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_all_gather", "a null tensor");
    popops_all_gather(bed.graph, (pop_tensors){ 0, NULL }, bed.program, "a", POP_NO_OPTIONS);
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_all_gather", "0 parts");
    bed_close(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_and_places),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of copies between tiles and the host. */
#include "fixture.h"

enum { NOWHERE = 1000 };
/* Packets of the host exchanges of a view of a matrix of 40 x 50 floats, rows of 50 mapped by `row`, in and out. */
static uint64_t packets_of(const char *machine, bool optimise, unsigned (*row)(unsigned row),
                           pop_tensor (*view)(pop_tensor matrix))
{
    struct fixture f = { 0 };
    pop_target target;
    assert_int_equal(pop_target_from_text(machine, &target, &f.error), POP_OK);
    f.graph = pop_graph_create(&target);
    pop_program all = pop_sequence(f.graph, NULL);
    pop_tensor matrix = pop_graph_add_variable(f.graph, POP_FLOAT, POP_SHAPE(40, 50), "matrix");
    for (unsigned i = 0; i < 40; ++i)
        if (row(i) != NOWHERE)
            pop_graph_set_tile_mapping(f.graph, pop_tensor_at(matrix, i), row(i));
    pop_tensor seen = view(matrix);
    uint64_t count = pop_tensor_num_elements(seen);
    pop_stream in =
        pop_graph_add_host_to_device_fifo(f.graph, "in", POP_FLOAT, count, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_stream out = pop_graph_add_device_to_host_fifo(f.graph, "out", POP_FLOAT, count, POP_NO_OPTIONS);
    pop_sequence_add(all, pop_copy_from_stream(in, seen, optimise, NULL));
    pop_sequence_add(all, pop_copy_to_stream(seen, out, optimise, NULL));
    compiled(&f, all);
    uint64_t packets = 0;
    for (size_t i = 0; i < f.image->model.flows.count; ++i)
        packets += (uint64_t)f.image->model.flows.data[i].packets * f.image->model.flows.data[i].tiles;
    end(&f);
    return packets;
}
static unsigned on_one(unsigned row)
{
    (void)row;
    return 1;
}
static unsigned in_turn(unsigned row)
{
    return row % 4;
}
static unsigned with_gap(unsigned row)
{
    return row >= 10 && row < 20 ? NOWHERE : 2;
}
static pop_tensor transposed(pop_tensor matrix)
{
    return pop_tensor_transpose(matrix);
}
static pop_tensor around_gap(pop_tensor matrix)
{
    pop_tensors ends = POP_TENSORS(pop_tensor_slice(matrix, 0, 10, 0), pop_tensor_slice(matrix, 20, 40, 0));
    return pop_tensor_transpose(pop_tensor_concat(ends, 0));
}
static pop_tensor every_fourth(pop_tensor matrix) /* all that tile 1 has, and nothing between */
{
    return pop_tensor_sub_sample(pop_tensor_slice(matrix, 1, 40, 0), 4, 0);
}
static pop_tensor every_eighth(pop_tensor matrix) /* half of what tile 1 has */
{
    return pop_tensor_sub_sample(pop_tensor_slice(matrix, 1, 40, 0), 8, 0);
}

/* What the host arranges needs a packet for 512 bytes of a tile's part, however short the runs of the view are. */
static void test_the_host_sends_whole_packets(void **state)
{
    (void)state;
    const char *machines[] = { "ipu1 type=ipu_model", "ipu2 type=ipu_model" };
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(packets_of(machines[i], true, on_one, transposed), 2 * 16);     /* 8,000 bytes */
        assert_int_equal(packets_of(machines[i], true, in_turn, transposed), 2 * 4 * 4); /* 2,000 bytes each */
        assert_int_equal(packets_of(machines[i], true, with_gap, around_gap), 2 * 12); /* 6,000: the gap has no place */
        assert_int_equal(packets_of(machines[i], true, in_turn, every_fourth), 2 * 4);
        assert_int_equal(packets_of(machines[i], true, in_turn, every_eighth), 2 * 5); /* rows apart: a packet each */
        assert_true(packets_of(machines[i], false, on_one, transposed) <= 2 * 16); /* not a packet for each element */
    }
    assert_int_equal(packets_of(machines[0], false, in_turn, transposed), 8000 / 64 + 4 * 4); /* grains in */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_the_host_sends_whole_packets) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

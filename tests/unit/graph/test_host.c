/* SPDX-License-Identifier: Apache-2.0 */
/* Handles, streams, remote buffers and functions. */
#include "fixture.h"

static void host_handles(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4), "t");
    pop_tensor constant = pop_graph_add_constant_float(graph, POP_FLOAT, POP_SHAPE(4), 1, "c");
    pop_graph_create_host_write(graph, "x", t);
    pop_graph_create_host_read(graph, "x", t); /* reads have their own names */
    pop_graph_create_host_read(graph, "c", constant);
    expect_no_error(graph);
    pop_graph_create_host_write(graph, "x", t);
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_CREATION_ERROR, "already is a host write 'x'");
    pop_graph_create_host_read(graph, "x", t);
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_CREATION_ERROR, "already is a host read 'x'");
    pop_graph_create_host_write(graph, "y", constant);
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_CREATION_ERROR, "constants");
    pop_graph_create_host_write(graph, "y", pop_tensor_broadcast(t, 2, 0));
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_CREATION_ERROR, "more than once");
    pop_graph_create_host_read(graph, "y", (pop_tensor){ 0 });
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_CREATION_ERROR, "null");
    pop_graph_create_host_read(graph, "", t);
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_CREATION_ERROR, "empty");
    pop_graph_create_host_read(graph, NULL, t);
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_CREATION_ERROR, "NULL");
    assert_int_equal(graph->store->host_reads.count, 2);
    assert_int_equal(graph->store->host_writes.count, 1);
    pop_graph_destroy(graph);
}

static void streams(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_stream in = pop_graph_add_host_to_device_fifo(graph, "in", POP_HALF, 7, POP_STREAM_BROADCAST,
                                                      POP_OPTIONS({ "bufferingDepth", "3" }, { "splitLimit", "100" }));
    pop_stream out = pop_graph_add_device_to_host_fifo(graph, "out", POP_INT, 0, POP_NO_OPTIONS);
    expect_no_error(graph);
    assert_string_equal(pop_stream_handle(in), "in");
    assert_int_equal(pop_stream_element_type(in), POP_HALF);
    assert_int_equal(pop_stream_num_elements(in), 7);
    assert_int_equal(pop_stream_direction(out), POP_DEVICE_TO_HOST_FIFO);
    assert_int_equal(pop_stream_replicated_mode(out), POP_STREAM_REPLICATE);
    assert_int_equal(graph->store->streams.data[0].buffering_depth, 3);
    assert_int_equal(graph->store->streams.data[1].buffering_depth, 1);
    assert_string_equal(pop_stream_handle((pop_stream){ 0 }), "");
    assert_int_equal(pop_stream_num_elements((pop_stream){ 0 }), 0);
    pop_graph_add_device_to_host_fifo(graph, "in", POP_INT, 1, POP_NO_OPTIONS);
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_CREATION_ERROR, "already is a stream 'in'");
    pop_graph_add_device_to_host_fifo(graph, "x", POP_DOUBLE, 1, POP_NO_OPTIONS);
    EXPECT_ERROR(graph, POP_TYPE_ERROR, "double");
    pop_graph_add_device_to_host_fifo(graph, "x", POP_INT, 1, POP_OPTIONS({ "bufferDepth", "3" }));
    EXPECT_ERROR(graph, POP_INVALID_OPTION, "bufferingDepth");
    pop_graph_add_device_to_host_fifo(graph, "x", POP_INT, 1, POP_OPTIONS({ "bufferingDepth", "0" }));
    EXPECT_ERROR(graph, POP_INVALID_OPTION, "bufferingDepth is 0");
    pop_graph_add_host_to_device_fifo(graph, "x", POP_INT, 1, (pop_replicated_stream_mode)5, POP_NO_OPTIONS);
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_CREATION_ERROR, "the mode of stream 'x' is 5");
    pop_graph_add_device_to_host_fifo(graph, "x", POP_FLOAT, ((size_t)1 << 38) + 1, POP_NO_OPTIONS);
    EXPECT_ERROR(graph, POP_STREAM_MEMORY_ALLOCATION_ERROR, "1099511627780 bytes");
    assert_int_equal(graph->store->streams.count, 2);
    pop_graph_destroy(graph);
}

static void remote_buffers(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_remote_buffer b = pop_graph_add_remote_buffer(graph, "b", POP_FLOAT, 10, 3, true, false);
    assert_string_equal(pop_remote_buffer_handle(b), "b");
    assert_int_equal(pop_remote_buffer_num_elements(b), 10);
    assert_int_equal(pop_remote_buffer_repeats(b), 3);
    assert_int_equal(pop_remote_buffer_element_type(b), POP_FLOAT);
    pop_graph_add_remote_buffer(graph, "b", POP_FLOAT, 1, 1, false, false);
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_CREATION_ERROR, "remote buffer 'b'");
    pop_graph_add_remote_buffer(graph, "c", POP_FLOAT, 1, 0, false, false);
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_CREATION_ERROR, "repeats is 0");
    pop_graph_add_remote_buffer(graph, "c", POP_FLOAT, (size_t)1 << 39, 3, false, false);
    EXPECT_ERROR(graph, POP_OVERFLOW_ERROR, "2^40");
    assert_int_equal(pop_remote_buffer_repeats((pop_remote_buffer){ 0 }), 0);
    assert_false(pop_remote_buffer_rearrange_on_host((pop_remote_buffer){ 0 }) ||
                 pop_remote_buffer_optimise_memory((pop_remote_buffer){ 0 }));
    pop_graph_destroy(graph);
}

static void functions(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    const pop_host_argument in[] = { { POP_INT, 3 }, { POP_HALF, 0 } }, out[] = { { POP_FLOAT, 5 } };
    pop_host_function f = pop_graph_add_host_function(graph, "f", in, 2, out, 1);
    assert_int_equal(f.id, 1);
    const struct host_function *function = &graph->store->host_functions.data[0];
    assert_int_equal(function->input_count, 2);
    assert_int_equal(function->arguments[2].elements, 5);
    assert_string_equal(pop_host_function_handle(f), "f");
    f.id = 100000;
    assert_string_equal(pop_host_function_handle(f), ""); /* no function has this number */
    assert_string_equal(pop_host_function_handle((pop_host_function){ 0 }), "");
    pop_graph_add_host_function(graph, "f", NULL, 0, NULL, 0);
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_CREATION_ERROR, "host function 'f'");
    pop_graph_add_host_function(graph, "g", NULL, 1, NULL, 0);
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_CREATION_ERROR, "NULL");
    const pop_host_argument bad = { POP_LONG, 1 };
    pop_graph_add_host_function(graph, "g", &bad, 1, NULL, 0);
    EXPECT_ERROR(graph, POP_TYPE_ERROR, "long");
    pop_graph_add_function(graph, (pop_program){ 0 });
    EXPECT_ERROR(graph, POP_CONTROL_PROGRAM_ERROR, "null");
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_handles),
        cmocka_unit_test(streams),
        cmocka_unit_test(remote_buffers),
        cmocka_unit_test(functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Null handles are accepted everywhere, owners as NULL, values as zero: calls have no effect and return null. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

static void null_tensors(void)
{
    pop_tensor t = { 0 };
    pop_interval *intervals = NULL;
    pop_variable_interval *variables = NULL;
    pop_tensor list[2];
    double d;
    int64_t i;
    char text[64];
    assert_false(pop_tensor_valid(t));
    assert_int_equal(pop_tensor_type(t), POP_TYPE_NULL);
    assert_int_equal(
        pop_tensor_rank(t) + pop_tensor_dim(t, 0) + pop_tensor_num_elements(t) + pop_tensor_shape(t, NULL, 0), 0);
    assert_false(pop_tensor_contains_aliases(t) || pop_tensor_contains_constant(t) || pop_tensor_intersects(t, t));
    assert_false(pop_tensor_constant_double(t, &d) || pop_tensor_constant_int64(t, &i));
    assert_int_equal(pop_tensor_contiguous_regions(t, &intervals) + pop_tensor_var_regions(t, &variables), 0);
    free(intervals);
    free(variables);
    pop_tensor_shape_to_string(t, text, sizeof(text));
    pop_tensor_to_string(t, text, sizeof(text));
    assert_false(pop_tensor_valid(pop_tensor_at(t, 0)));
    assert_false(pop_tensor_valid(pop_tensor_index(t, POP_SHAPE(0))));
    assert_false(pop_tensor_valid(pop_tensor_slice(t, 0, 1, 0)));
    assert_false(pop_tensor_valid(pop_tensor_slice_nd(t, POP_SHAPE(0), POP_SHAPE(1))));
    assert_false(pop_tensor_slices(t, POP_INTERVALS({ 0, 1 }), 0, list));
    assert_false(pop_tensor_valid(pop_tensor_flatten(t)) || pop_tensor_valid(pop_tensor_flatten_dims(t, 0, 1)));
    assert_false(pop_tensor_valid(pop_tensor_reshape(t, POP_SHAPE(1))) || pop_tensor_valid(pop_tensor_transpose(t)));
    assert_false(pop_tensor_valid(pop_tensor_dim_shuffle(t, POP_DIMS(0))) ||
                 pop_tensor_valid(pop_tensor_dim_roll(t, 0, 0)));
    assert_false(pop_tensor_valid(pop_tensor_expand(t, POP_DIMS(0))) ||
                 pop_tensor_valid(pop_tensor_squeeze(t, POP_DIMS(0))));
    assert_false(pop_tensor_valid(pop_tensor_broadcast(t, 2, 0)) || pop_tensor_valid(pop_tensor_reverse(t, 0)));
    assert_false(pop_tensor_valid(pop_tensor_upsample(t, 2, 0, POP_UPSAMPLE_REPEAT)) ||
                 pop_tensor_valid(pop_tensor_sub_sample(t, 2, 0)));
    assert_false(pop_tensor_valid(pop_tensor_reinterpret(t, POP_INT)) || pop_tensor_valid(pop_tensor_append(t, t, 0)));
    assert_false(pop_tensor_valid(pop_tensor_concat(POP_TENSORS(t, t), 0)) ||
                 pop_tensor_valid(pop_tensor_concat((pop_tensors){ 0 }, 0)));
}

static void null_graphs(void)
{
    pop_tensor t = { 0 };
    pop_vertex v = { 0 };
    pop_interval_lists lists = { 0 };
    pop_graph_destroy(NULL);
    assert_null(pop_graph_target(NULL));
    assert_null(pop_graph_error(NULL));
    assert_null(pop_graph_top_level(NULL));
    assert_int_equal(pop_graph_take_error(NULL, NULL), POP_OK);
    assert_int_equal(pop_graph_num_vertices(NULL) + pop_graph_num_variables(NULL) + pop_graph_num_edges(NULL) +
                         pop_graph_num_compute_sets(NULL),
                     0);
    pop_graph_on_error(NULL, NULL, NULL);
    pop_graph_release(NULL, pop_graph_mark(NULL));
    assert_null(pop_graph_create_virtual(NULL, 1));
    assert_null(pop_graph_create_virtual_range(NULL, 0, 1));
    assert_null(pop_graph_create_virtual_tiles(NULL, POP_DIMS(0)));
    assert_false(pop_tensor_valid(pop_graph_add_variable(NULL, POP_FLOAT, POP_SHAPE(1), "x")));
    assert_false(pop_tensor_valid(pop_graph_add_constant_float(NULL, POP_FLOAT, POP_SHAPE(1), 1, NULL)));
    assert_false(pop_tensor_valid(pop_graph_clone(NULL, POP_FLOAT, t, POP_CLONE_CREATE_NEW_ORDER, NULL)));
    assert_false(pop_tensor_valid(pop_graph_variable(NULL, 0)));
    assert_false(pop_tensor_valid(pop_graph_add_replication_index_constant(NULL, NULL)));
    assert_false(pop_tensor_valid(pop_graph_add_replica_constant(NULL, POP_INT, POP_SHAPE(), POP_INT, NULL, NULL)));
    pop_graph_set_initial_value(NULL, t, POP_INT, NULL);
    pop_graph_set_tile_mapping(NULL, t, 0);
    pop_graph_set_tile_mapping_lists(NULL, t, &lists);
    assert_false(pop_graph_get_tile_mapping(NULL, t, NULL, &lists));
    assert_false(pop_graph_add_codelets(NULL, "x.c") || pop_graph_has_codelet(NULL, "x"));
    assert_int_equal(pop_graph_add_compute_set(NULL, "x").id, 0);
    assert_int_equal(pop_graph_add_vertex(NULL, (pop_compute_set){ 0 }, "x").id, 0);
    pop_graph_map_vertex(NULL, v, 0);
    pop_graph_connect(NULL, v, "x", t);
    pop_graph_connect_index(NULL, v, "x", 0, t);
    pop_graph_connect_list(NULL, v, "x", POP_TENSORS(t));
    pop_graph_connect_constant(NULL, v, "x", POP_INT, NULL);
    pop_graph_set_field_size(NULL, v, "x", 1);
    pop_graph_set_field_double(NULL, v, "x", 1);
    pop_graph_set_perf_estimate(NULL, v, 1, 1);
    assert_int_equal(pop_graph_get_field_size(NULL, v, "x"), 0);
    assert_int_equal(pop_graph_get_perf_estimate(NULL, v).cycles, 0);
    pop_graph_register_perf_estimator(NULL, "x", NULL, NULL);
    pop_graph_create_host_write(NULL, "x", t);
    pop_graph_create_host_read(NULL, "x", t);
    assert_int_equal(pop_graph_add_host_to_device_fifo(NULL, "x", POP_INT, 1, POP_STREAM_REPLICATE, POP_NO_OPTIONS).id,
                     0);
    assert_int_equal(pop_graph_add_device_to_host_fifo(NULL, "x", POP_INT, 1, POP_NO_OPTIONS).id, 0);
    assert_int_equal(pop_graph_add_remote_buffer(NULL, "x", POP_INT, 1, 1, false, false).id, 0);
    assert_int_equal(pop_graph_add_host_function(NULL, "x", NULL, 0, NULL, 0).id, 0);
    assert_int_equal(pop_graph_add_function(NULL, (pop_program){ 0 }).id, 0);
    assert_string_equal(pop_stream_handle((pop_stream){ 0 }), "");
    assert_int_equal(pop_stream_num_elements((pop_stream){ 0 }), 0);
    assert_int_equal(pop_remote_buffer_repeats((pop_remote_buffer){ 0 }), 0);
}

static void null_programs(void)
{
    pop_program p = { 0 };
    pop_tensor t = { 0 };
    assert_true(pop_program_is_empty(p));
    pop_sequence_add(p, p);
    pop_switch_add(p, 1, p);
    pop_switch_default(p, p);
    const pop_program made[] = { pop_sequence(NULL, NULL),
                                 pop_block(p, NULL),
                                 pop_execute((pop_compute_set){ 0 }, NULL),
                                 pop_copy(t, t, false, NULL),
                                 pop_copy_from_stream((pop_stream){ 0 }, t, false, NULL),
                                 pop_copy_to_remote(t, (pop_remote_buffer){ 0 }, t, NULL),
                                 pop_repeat(2, p, NULL),
                                 pop_repeat_while_true(p, t, p, NULL),
                                 pop_if(t, p, p, NULL),
                                 pop_switch(t, NULL),
                                 pop_call((pop_function){ 0 }, NULL),
                                 pop_call_host((pop_host_function){ 0 }, POP_TENSORS(t), POP_TENSORS(t), NULL),
                                 pop_print_tensor(NULL, t, NULL),
                                 pop_write_undef(t, NULL),
                                 pop_sync(NULL, POP_SYNC_INTERNAL, NULL),
                                 pop_abort(NULL, NULL, NULL),
                                 pop_abort_on_condition(t, NULL, NULL),
                                 pop_error_program(NULL, t, NULL),
                                 pop_assume_equal_across_replicas(t, NULL) };
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); ++i)
        assert_int_equal(made[i].id, 0);
}

static void null_owners(void)
{
    pop_executable *executable = (pop_executable *)&executable;
    pop_engine_destroy(NULL);
    pop_executable_destroy(NULL);
    pop_device_destroy(NULL);
    pop_device_manager_destroy(NULL);
    assert_int_not_equal(pop_compile_graph(NULL, (pop_programs){ 0 }, POP_NO_OPTIONS, NULL, NULL, &executable, NULL),
                         POP_OK);
    assert_null(executable);
    assert_int_not_equal(pop_engine_run(NULL, 0, NULL), POP_OK);
    assert_int_not_equal(pop_engine_write_tensor(NULL, "x", NULL, 0, NULL), POP_OK);
    assert_int_not_equal(pop_engine_read_tensor(NULL, "x", NULL, 0, NULL), POP_OK);
    assert_int_not_equal(pop_engine_connect_stream(NULL, "x", NULL, NULL), POP_OK);
    assert_int_not_equal(pop_engine_copy_to_remote_buffer(NULL, NULL, "x", 0, NULL), POP_OK);
    assert_int_equal(pop_engine_num_replicas(NULL), 0);
    assert_int_not_equal(pop_executable_load(NULL, &executable, NULL), POP_OK);
    assert_int_not_equal(pop_executable_read(NULL, &executable, NULL), POP_OK);
    pop_cycles cycles;
    assert_int_not_equal(pop_engine_cycles(NULL, &cycles, NULL), POP_OK);
    pop_profile_value value;
    assert_int_not_equal(pop_engine_graph_profile(NULL, &value, NULL), POP_OK);
    assert_int_not_equal(pop_executable_graph_profile(NULL, NULL, NULL), POP_OK);
    assert_int_not_equal(pop_engine_execution_profile(NULL, &value, NULL), POP_OK);
    assert_int_not_equal(pop_engine_print_profile_summary(NULL, stdout, POP_NO_OPTIONS, NULL), POP_OK);
    pop_engine_stop(NULL);
    pop_engine_set_print_stream(NULL, NULL);
    pop_engine_enable_execution_profiling(NULL);
    pop_engine_disable_execution_profiling(NULL);
    pop_engine_reset_execution_profile(NULL);
    assert_int_equal(pop_engine_list_streams(NULL, NULL, 0), 0);
    assert_int_equal(pop_engine_options(NULL).count, 0);
    assert_int_equal(pop_executable_num_programs(NULL), 0);
    assert_null(pop_executable_target(NULL));
    assert_null(pop_device_target(NULL));
    assert_false(pop_device_attach(NULL) || pop_device_is_attached(NULL));
    pop_device_detach(NULL);
    assert_null(pop_device_attribute(NULL, "x"));
    assert_int_equal(pop_device_manager_num_devices(NULL), 0);
    assert_int_equal(pop_target_num_tiles(NULL), 0);
}

void null_handles(void **state);
void null_handles(void **state)
{
    (void)state;
    null_tensors();
    null_graphs();
    null_programs();
    null_owners();
}

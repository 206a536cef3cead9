/* SPDX-License-Identifier: Apache-2.0 */
/* NULL lists with a count above 0: one error that names the list, for each call that takes a list. */
#include "fixture.h"

#include <string.h>

static void expect_text(pop_graph *graph, const char *words, int line)
{
    pop_error error;
    if (pop_graph_take_error(graph, &error) == POP_OK)
        fail_msg("line %d: no error", line);
    if (!strstr(error.text, words))
        fail_msg("line %d: '%s' is not in '%s'", line, words, error.text);
    assert_non_null(error.where.file);
}
/* The call fails with this text. */
#define SAYS(words, ...) ((void)(__VA_ARGS__), expect_text(graph, words, __LINE__))

static void in_tensors(pop_graph *graph, pop_tensor t)
{
    const pop_shape shape = { 2, NULL };
    const pop_dims dims = { 2, NULL };
    pop_tensor slices[2];
    SAYS("list of 2 extents is NULL", pop_graph_add_variable(graph, POP_INT, shape, "v"));
    SAYS("list of 2 extents is NULL", pop_graph_add_constant_float(graph, POP_INT, shape, 1, "c"));
    SAYS("list of 2 extents is NULL", pop_tensor_reshape(t, shape));
    SAYS("list of 2 indices is NULL", pop_tensor_index(t, shape));
    SAYS("list of 2 begins is NULL", pop_tensor_slice_nd(t, shape, POP_SHAPE(1, 1)));
    SAYS("list of 2 ends is NULL", pop_tensor_slice_nd(t, POP_SHAPE(0, 0), shape));
    SAYS("list of 2 dimensions is NULL", pop_tensor_dim_shuffle(t, dims));
    SAYS("list of 2 source dimensions is NULL", pop_tensor_dim_shuffle_partial(t, dims, POP_DIMS(0, 1)));
    SAYS("list of 2 destination dimensions is NULL", pop_tensor_dim_shuffle_partial(t, POP_DIMS(0, 1), dims));
    SAYS("list of 2 dimensions is NULL", pop_tensor_expand(t, dims));
    SAYS("list of 2 dimensions is NULL", pop_tensor_squeeze(t, dims));
    SAYS("list of 2 places to slice at is NULL", pop_tensor_slices(t, ((pop_interval_list){ 2, NULL }), 0, slices));
    SAYS("list of 2 places to slice at is NULL", pop_tensor_slices_indices(t, dims, 0, slices));
    SAYS("list of 1 places for slices is NULL", pop_tensor_slices_indices(t, POP_DIMS(0), 0, NULL));
    assert_false(pop_tensor_valid(pop_tensor_concat(((pop_tensors){ 2, NULL }), 0)));
}

static void in_graphs(pop_graph *graph, pop_tensor t)
{
    const pop_tensors tensors = { 2, NULL };
    const pop_programs programs = { 2, NULL };
    const pop_interval_lists mapping = { .count = 2 };
    pop_interval_lists regions;
    pop_executable *executable;
    pop_error error;
    SAYS("list of 2 tiles' intervals is NULL", pop_graph_set_tile_mapping_lists(graph, t, &mapping));
    SAYS("list of 2 intervals is NULL",
         pop_graph_get_sorted_contiguous_regions(graph, t, ((pop_interval_list){ 2, NULL }), false, NULL, &regions));
    SAYS("list of 2 tensors is NULL", pop_graph_serialize_tensors(graph, stdout, tensors, POP_SERIALIZE_BINARY));
    SAYS("list of 2 programs is NULL", pop_sequence_of(graph, programs, NULL));
    assert_int_equal(pop_compile_graph(graph, programs, POP_NO_OPTIONS, NULL, NULL, &executable, &error),
                     POP_CONTROL_PROGRAM_ERROR);
    assert_int_equal(pop_compile_graph(graph, POP_PROGRAMS(pop_sequence(graph, NULL)), ((pop_options){ .count = 2 }),
                                       NULL, NULL, &executable, &error),
                     POP_INVALID_OPTION);
    assert_non_null(strstr(error.text, "list of 2 options is NULL"));
    pop_graph_take_error(graph, NULL);
    pop_host_argument argument = { POP_INT, 4 };
    pop_host_function function = pop_graph_add_host_function(graph, "f", &argument, 1, NULL, 0);
    SAYS("list of 1 inputs is NULL",
         pop_call_host(function, ((pop_tensors){ 1, NULL }), ((pop_tensors){ 0, NULL }), NULL));
}

static void sizes_that_are_refused(pop_graph *graph, pop_tensor t)
{
    pop_interval_lists regions;
    pop_tensor wide = pop_graph_add_variable(graph, POP_INT, POP_SHAPE((size_t)1 << 33), "wide");
    SAYS("at most 2^26 pieces", pop_graph_clone_n(graph, POP_INT, t, (size_t)1 << 31, POP_CLONE_CREATE_NEW_ORDER,
                                                  POP_DUPLICATE_BY_OUTER_DIMENSION, "c"));
    pop_graph_get_sorted_contiguous_regions(graph, pop_tensor_sub_sample(wide, 2, 0),
                                            POP_INTERVALS({ 0, (size_t)1 << 27 }), false, NULL, &regions);
    pop_error error;
    assert_int_equal(pop_graph_take_error(graph, &error), POP_OVERFLOW_ERROR);
    assert_non_null(strstr(error.text, "more than 2^26 separate runs"));
}

void null_lists(void **state);
void null_lists(void **state)
{
    (void)state;
    pop_error error;
    pop_device *device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .tiles_per_ipu = 4 }, &error);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    pop_tensor t = pop_graph_add_variable_mapped(graph, POP_INT, POP_SHAPE(2, 2), POP_MAPPING_LINEAR, "t");
    in_tensors(graph, t);
    in_graphs(graph, t);
    sizes_that_are_refused(graph, pop_tensor_flatten(t));
    pop_graph_destroy(graph);
    pop_device_destroy(device);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The backward pass of a strided convolution with a kernel of one element has zeros between its outputs: they are
 * written, not computed. */
#include "poplin/convolution/conv_dilate.h"
#include "poplin/convolution/conv_operands.h"
#include "poplin/convolution/conv_work.h"

#include <poplin/conv_util.h>
#include <popops/fill.h>
#include <poputil/var_structure.h>

static bool dilates(const poplin_conv_params *params, size_t d)
{
    const poplin_input_transform *kernel = &params->kernel_transform;
    return params->input_transform.dilation[d] > 1 && params->input_field_shape[d] > 1 &&
           params->kernel_shape[d] == 1 && !kernel->padding_lower[d] && !kernel->padding_upper[d] &&
           params->output_transform.stride[d] == 1;
}

bool conv_undilated(const poplin_conv_params *params, poplin_conv_params *undilated)
{
    bool found = false;
    *undilated = *params;
    for (size_t d = 0; d < params->num_field_dims; ++d) {
        if (!dilates(params, d))
            continue;
        poplin_input_transform *in = &undilated->input_transform;
        poplin_output_transform *out = &undilated->output_transform;
        in->truncation_lower[d] = in->truncation_upper[d] = in->padding_lower[d] = in->padding_upper[d] = 0;
        in->dilation[d] = 1;
        in->flip[d] = false;
        out->truncation_lower[d] = out->truncation_upper[d] = out->padding_lower[d] = out->padding_upper[d] = 0;
        found = true;
    }
    return found;
}

/* Output elements along a dimension: those that have a place in the undilated output (count of them), their places, and
 * for every one the place of a neighbour. */
struct places {
    unsigned *outs, *places, *near;
    size_t count, all;
};
static struct places find_places(const poplin_conv_params *params, unsigned d)
{
    size_t all = poplin_conv_output_size(params, d);
    struct places found = { poplibs_new(all, sizeof(unsigned)), poplibs_new(all, sizeof(unsigned)),
                            poplibs_new(all, sizeof(unsigned)), 0, all };
    for (size_t o = 0; o < all; ++o) {
        unsigned place = poplin_get_input_index(d, (unsigned)o, 0, params);
        found.near[o] = place != POPLIN_NO_INDEX ? place : found.count ? found.places[found.count - 1] : 0;
        if (place == POPLIN_NO_INDEX)
            continue;
        found.outs[found.count] = (unsigned)o;
        found.places[found.count++] = place;
    }
    return found;
}

pop_tensor conv_new_like(const struct poplin_conv_call *call, pop_tensor like)
{
    size_t dims[CONV_MOST_DIMS + 1], rank = pop_tensor_shape(like, dims + 1, CONV_MOST_DIMS);
    size_t grouping = poputil_detect_innermost_grouping_at(call->where, call->graph, like);
    pop_interval_lists mapping;
    if (!poplibs_ready(call->graph) || !pop_graph_get_tile_mapping_at(call->where, call->graph, like, NULL, &mapping))
        return (pop_tensor){ 0 };
    dims[0] = dims[rank] / grouping;
    dims[rank] = grouping;
    pop_tensor made = pop_graph_add_variable_at(call->where, call->graph, pop_tensor_type(like),
                                                conv_shape(dims, rank + 1), call->name);
    made = pop_tensor_dim_roll_at(call->where, made, 0, (unsigned)rank - 1);
    made = pop_tensor_flatten_dims_at(call->where, made, (unsigned)rank - 1, (unsigned)rank + 1);
    pop_graph_set_tile_mapping_lists_at(call->where, call->graph, made, &mapping);
    pop_interval_lists_free(&mapping);
    return made;
}

pop_tensor conv_dilate_output(const struct poplin_conv_call *call, pop_tensor undilated, struct conv_program *program)
{
    struct conv_work work = { .call = call, .graph = call->graph, .where = call->where };
    struct places places[POPLIN_MOST_FIELD_DIMS] = { 0 };
    pop_tensor beside = undilated;
    size_t dims = call->params->num_field_dims;
    for (unsigned d = 0; d < dims; ++d)
        if (dilates(call->params, d)) {
            places[d] = find_places(call->params, d);
            beside = conv_gather(&work, beside, 2 + d, places[d].near, places[d].all);
        }
    pop_tensor made = conv_new_like(call, beside), to = made;
    if (poplibs_ready(call->graph))
        popops_zero_in_at(call->where, call->graph, made,
                          conv_program_set(program, CONV_CLEAR_OUTPUT, call->name, "Zero"));
    for (unsigned d = 0; d < dims && poplibs_ready(call->graph); ++d)
        if (places[d].all) {
            undilated = conv_gather(&work, undilated, 2 + d, places[d].places, places[d].count);
            to = conv_gather(&work, to, 2 + d, places[d].outs, places[d].count);
        }
    if (poplibs_ready(call->graph))
        conv_program_copy(program, CONV_DILATE, undilated, to);
    for (unsigned d = 0; d < dims; ++d) {
        free(places[d].outs);
        free(places[d].places);
        free(places[d].near);
    }
    return made;
}

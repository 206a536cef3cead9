/* SPDX-License-Identifier: Apache-2.0 */
/* The backward pass of a strided convolution with a kernel of one element has zeros between its outputs: the zeros are
 * written, not computed. */
#include "poplin/convolution/conv_views.h"
#include "poplin/convolution/convolution.h"

#include <poplin/conv_util.h>
#include <popops/fill.h>

/* The elements of the dilated output along a dimension.  outs: those that exist in the undilated output, count of them;
 * places: their places in it; near: for each element, the place of a neighbour that exists. */
struct dilated_places {
    unsigned *outs, *places, *near;
    size_t count, all;
};
static struct dilated_places find_places(const poplin_conv_params *params, unsigned d)
{
    size_t all = poplin_conv_output_size(params, d);
    struct dilated_places found = { poplibs_new(all, sizeof(unsigned)), poplibs_new(all, sizeof(unsigned)),
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

pop_tensor conv_dilate_output(const struct conv_resolved *conv, pop_tensor undilated, struct conv_program *program)
{
    const struct conv_call *request = conv->request;
    const struct call *call = request->call;
    struct dilated_places places[POPLIN_MAX_FIELD_DIMS] = { 0 };
    pop_tensor beside = undilated;
    size_t dims = request->convolved.num_field_dims;
    for (unsigned d = 0; d < dims; ++d)
        if (conv_dilates(&request->convolved, d)) {
            places[d] = find_places(&request->convolved, d);
            beside = conv_gather(call, beside, 2 + d, places[d].near, places[d].all);
        }
    pop_tensor made = conv_new_like(call, beside, conv->name), to = made;
    if (call_ready(call))
        popops_zero_in(call->graph, made, conv_program_set(program, CONV_CLEAR_OUTPUT, conv->name, "Zero"));
    for (unsigned d = 0; d < dims && call_ready(call); ++d)
        if (places[d].all) {
            undilated = conv_gather(call, undilated, 2 + d, places[d].places, places[d].count);
            to = conv_gather(call, to, 2 + d, places[d].outs, places[d].count);
        }
    if (call_ready(call))
        conv_program_copy(program, CONV_DILATE, undilated, to);
    for (unsigned d = 0; d < dims; ++d) {
        free(places[d].outs);
        free(places[d].places);
        free(places[d].near);
    }
    return made;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions forward, backward and with the update of weights. */
#include "rows.h"

#include <poplin/conv_util.h>
#include <poplin/convolution.h>

#include <string.h>

/* One number for all field dimensions, or one for each. */
static void fill(const struct row *row, const char *key, unsigned *values, size_t rank)
{
    size_t list[POPLIN_MAX_FIELD_DIMS], count = row_list(row, key, list, POPLIN_MAX_FIELD_DIMS);
    for (size_t i = 0; i < rank && count; ++i)
        values[i] = (unsigned)list[count > 1 ? i : 0];
}

poplin_conv_params row_conv_params(const struct row *row)
{
    size_t field[POPLIN_MAX_FIELD_DIMS], kernel[POPLIN_MAX_FIELD_DIMS], given[POPLIN_MAX_FIELD_DIMS];
    size_t rank = row_list(row, "field", field, POPLIN_MAX_FIELD_DIMS),
           count = row_list(row, "kernel-size", given, POPLIN_MAX_FIELD_DIMS);
    for (size_t i = 0; i < rank; ++i)
        kernel[i] = count ? given[count > 1 ? i : 0] : 1;
    pop_type type = row_type(row, POP_HALF);
    poplin_conv_params params = poplin_conv_params_make(
        type, type, row_number(row, "batch-size", 1), (pop_shape){ rank, field }, (pop_shape){ rank, kernel },
        row_number(row, "input-channels", 1), row_number(row, "output-channels", 1), row_number(row, "conv-groups", 1));
    fill(row, "padding", params.input_transform.padding_lower, rank);
    fill(row, "padding", params.input_transform.padding_upper, rank);
    fill(row, "padding-lower", params.input_transform.padding_lower, rank);
    fill(row, "padding-upper", params.input_transform.padding_upper, rank);
    fill(row, "stride", params.output_transform.stride, rank);
    return params;
}

void build_conv(pop_graph *graph, struct passes *passes, const struct row *row)
{
    pop_program program = pass_begin(passes, "fwd");
    bool forward_alone = strstr(row->parameters, "--inference-only") != NULL;
    poplin_conv_params params = row_conv_params(row), gradient = poplin_get_gradient_params(&params);
    pop_options forward =
        POP_OPTIONS({ "pass", forward_alone ? "INFERENCE_FWD" : "TRAINING_FWD" }, { "remapOutputTensor", "false" });
    pop_options backward = POP_OPTIONS({ "pass", "TRAINING_BWD" }, { "remapOutputTensor", "false" }),
                update = POP_OPTIONS({ "pass", "TRAINING_WU" });
    poplin_planning_cache *cache = poplin_planning_cache_create();
    pop_tensor in = poplin_create_input(graph, &params, "in", forward, cache),
               weights = poplin_create_weights(graph, &params, "weights", forward, cache);
    pass_result(passes, in, "in");
    pass_result(passes, weights, "weights");
    pass_result(passes, poplin_convolution(graph, in, weights, &params, false, program, "fwd", forward, cache), "out");
    if (!forward_alone) {
        program = pass_begin(passes, "bwd");
        pop_tensor deltas = poplin_create_input(graph, &gradient, "deltas", backward, cache);
        pass_result(passes, deltas, "deltas");
        pass_result(passes,
                    poplin_convolution(graph, deltas, weights, &gradient, true, program, "bwd", backward, cache),
                    "inDeltas");
        poplin_convolution_weight_update_constant(graph, deltas, weights, in, &params, -0.125, program, "wu", update,
                                                  cache);
    }
    poplin_planning_cache_destroy(cache);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: a convolution in one of its passes, compared with its definition. */
#ifndef TESTS_POPLIBS_POPLIN_CONV_CHECK_H
#define TESTS_POPLIBS_POPLIN_CONV_CHECK_H

#include "poplibs/bed.h"
#include "poplibs/poplin/conv_reference.h"

#include <poplin/codelets.h>
#include <poplin/convolution.h>
#include <popops/codelets.h>

static inline void conv_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
}

/* As reference_conv numbers them. */
enum conv_pass { CONV_FORWARD, CONV_BACKWARD, CONV_UPDATE, CONV_PASSES };

static inline pop_tensor conv_add(struct bed *bed, const poplin_conv_params *p, enum conv_pass pass, pop_tensor in,
                                  pop_tensor weights, pop_tensor deltas)
{
    if (pass == CONV_FORWARD)
        return poplin_convolution(bed->graph, in, weights, p, false, bed->program, "fwd", POP_NO_OPTIONS, NULL);
    if (pass == CONV_UPDATE)
        return poplin_calculate_weight_deltas(bed->graph, deltas, in, p, bed->program, "wu", POP_NO_OPTIONS, NULL);
    poplin_conv_params gradient = poplin_get_gradient_params(p);
    return poplin_convolution(bed->graph, deltas, weights, &gradient, true, bed->program, "bwd", POP_NO_OPTIONS, NULL);
}
/* Operands and partial results of p's types. The tolerance is for 1 + |result|, by the type of the output. */
static inline void conv_check(enum bed_device device, unsigned tiles, const poplin_conv_params *p, enum conv_pass pass,
                              double float_tolerance, double half_tolerance)
{
    char text[2048];
    poplin_conv_params_to_text(p, text, sizeof(text));
    struct bed bed = bed_open(device, tiles, conv_codelets);
    pop_tensor in = poplin_create_input(bed.graph, p, "in", POP_NO_OPTIONS, NULL),
               weights = poplin_create_weights(bed.graph, p, "weights", POP_NO_OPTIONS, NULL);
    size_t dims[8] = { p->batch_size, p->num_conv_groups * p->output_channels_per_conv_group };
    for (size_t d = 0; d < p->num_field_dims; ++d)
        dims[2 + d] = poplin_conv_output_size(p, d);
    const pop_shape shape = { 2 + p->num_field_dims, dims };
    pop_tensor deltas = pop_graph_add_variable(bed.graph, p->output_type, shape, "deltas");
    bed_map(&bed, deltas, BED_SCATTERED);
    bed_write(&bed, in, NULL, -1, 1);
    bed_write(&bed, weights, NULL, -1, 1);
    bed_write(&bed, deltas, NULL, -1, 1);
    double *x = bed_given(&bed, pass == CONV_BACKWARD ? deltas : in),
           *y = bed_given(&bed, pass == CONV_UPDATE ? deltas : weights), *wanted = reference_conv(p, (int)pass, x, y);
    pop_tensor out = conv_add(&bed, p, pass, in, weights, deltas);
    if (pop_graph_error(bed.graph))
        print_message("%s\n", text);
    double *got = bed_run(&bed, out), tolerance = p->output_type == POP_HALF ? half_tolerance : float_tolerance;
    for (size_t i = 0; i < pop_tensor_num_elements(out); ++i)
        if (!(fabs(got[i] - wanted[i]) <= tolerance * (1 + fabs(wanted[i]))))
            fail_msg("pass %d, element %zu of %zu: %g where %g was expected\n%s", pass, i, pop_tensor_num_elements(out),
                     got[i], wanted[i], text);
    free(wanted);
    bed_close(&bed);
}

#endif

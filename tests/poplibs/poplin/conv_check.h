/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: a convolution in one of its passes, compared with its definition. */
#ifndef TESTS_POPLIBS_POPLIN_CONV_CHECK_H
#define TESTS_POPLIBS_POPLIN_CONV_CHECK_H

#include "poplibs/numeric.h"
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

static inline pop_tensor conv_add(struct fixture *fixture, const poplin_conv_params *p, enum conv_pass pass,
                                  pop_tensor in, pop_tensor weights, pop_tensor deltas)
{
    if (pass == CONV_FORWARD)
        return poplin_convolution(fixture->graph, in, weights, p, false, fixture->program, "fwd", POP_NO_OPTIONS, NULL);
    if (pass == CONV_UPDATE)
        return poplin_calculate_weight_deltas(fixture->graph, deltas, in, p, fixture->program, "wu", POP_NO_OPTIONS,
                                              NULL);
    poplin_conv_params gradient = poplin_get_gradient_params(p);
    return poplin_convolution(fixture->graph, deltas, weights, &gradient, true, fixture->program, "bwd", POP_NO_OPTIONS,
                              NULL);
}
/* Operands and partial results of p's types. The tolerance is for 1 + |result|, by the type of the output. */
static inline void conv_check(enum fixture_device device, unsigned tiles, const poplin_conv_params *p,
                              enum conv_pass pass, double float_tolerance, double half_tolerance)
{
    char text[2048];
    poplin_conv_params_to_text(p, text, sizeof(text));
    struct fixture fixture = fixture_open(device, tiles, conv_codelets);
    pop_tensor in = poplin_create_input(fixture.graph, p, "in", POP_NO_OPTIONS, NULL),
               weights = poplin_create_weights(fixture.graph, p, "weights", POP_NO_OPTIONS, NULL);
    size_t dims[8] = { p->batch_size, p->num_conv_groups * p->output_channels_per_conv_group };
    for (size_t d = 0; d < p->num_field_dims; ++d)
        dims[2 + d] = poplin_conv_output_size(p, d);
    const pop_shape shape = { 2 + p->num_field_dims, dims };
    pop_tensor deltas = pop_graph_add_variable(fixture.graph, p->output_type, shape, "deltas");
    fixture_map(&fixture, deltas, FIXTURE_SCATTERED);
    fixture_write(&fixture, in, NULL, -1, 1);
    fixture_write(&fixture, weights, NULL, -1, 1);
    fixture_write(&fixture, deltas, NULL, -1, 1);
    double *x = fixture_given(&fixture, pass == CONV_BACKWARD ? deltas : in),
           *y = fixture_given(&fixture, pass == CONV_UPDATE ? deltas : weights),
           *wanted = reference_conv(p, (int)pass, x, y);
    pop_tensor out = conv_add(&fixture, p, pass, in, weights, deltas);
    if (pop_graph_error(fixture.graph))
        print_message("%s\n", text);
    double *got = fixture_run(&fixture, out), tolerance = p->output_type == POP_HALF ? half_tolerance : float_tolerance;
    for (size_t i = 0; i < pop_tensor_num_elements(out); ++i)
        if (!(fabs(got[i] - wanted[i]) <= tolerance * (1 + fabs(wanted[i]))))
            fail_msg("pass %d, element %zu of %zu: %g where %g was expected\n%s", pass, i, pop_tensor_num_elements(out),
                     got[i], wanted[i], text);
    free(wanted);
    fixture_close(&fixture);
}

#endif

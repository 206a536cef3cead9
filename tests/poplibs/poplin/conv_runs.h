/* SPDX-License-Identifier: Apache-2.0 */
/* Random convolutions with few channels per group, and runs of all passes against their definition. */
#ifndef TESTS_POPLIBS_POPLIN_CONV_RUNS_H
#define TESTS_POPLIBS_POPLIN_CONV_RUNS_H

#include "poplibs/numeric.h"
#include "poplibs/poplin/conv_reference.h"

#include <poplin/codelets.h>
#include <poplin/convolution.h>
#include <popops/codelets.h>

static inline void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
}
static inline unsigned below(uint64_t *state, unsigned limit)
{
    return next_random(state) % limit;
}

static inline poplin_conv_params params_of(const poplin_conv_params *p, unsigned pass)
{
    return pass == 0 ? *p : pass == 1 ? poplin_get_gradient_params(p) : poplin_get_weight_update_params(p);
}
static inline bool pads_output(const poplin_conv_params *p)
{
    for (size_t d = 0; d < p->num_field_dims; ++d)
        if (p->output_transform.padding_lower[d] || p->output_transform.padding_upper[d])
            return true;
    return false;
}

/* Few channels, and all transforms of operands but strides above 2 along the last dimension. */
static inline poplin_conv_params random_params(uint64_t *state, unsigned pass)
{
    poplin_conv_params p, of_pass;
    do {
        size_t dims = 1 + below(state, 3), field[3], kernel[3], few = 1 + below(state, 2) * 3;
        for (size_t d = 0; d < dims; ++d) {
            field[d] = 1 + below(state, dims == 3 ? 5 : 11);
            kernel[d] = 1 + below(state, dims == 3 ? 3 : 6);
        }
        p = poplin_conv_params_make(POP_HALF, POP_HALF, 1 + below(state, 3), (pop_shape){ dims, field },
                                    (pop_shape){ dims, kernel }, 1 + below(state, (unsigned)few + 1),
                                    1 + below(state, (unsigned)few + 1), 1 + below(state, 9));
        for (size_t d = 0; d < dims; ++d) {
            p.input_transform.padding_lower[d] = below(state, 3);
            p.input_transform.padding_upper[d] = below(state, 3);
            p.input_transform.dilation[d] = 1 + below(state, 4) / 3;
            p.input_transform.flip[d] = below(state, 4) == 0;
            p.input_transform.truncation_lower[d] = below(state, 6) / 5;
            p.kernel_transform.dilation[d] = 1 + below(state, 5) / 4;
            p.kernel_transform.flip[d] = below(state, 6) == 0;
            p.kernel_transform.truncation_upper[d] = below(state, 6) / 5;
            p.kernel_transform.padding_upper[d] = below(state, 6) / 5;
            p.output_transform.stride[d] = 1 + below(state, 5) / 3;
            p.output_transform.truncation_lower[d] = below(state, 6) / 5;
        }
        of_pass = params_of(&p, pass);
    } while (poplin_conv_params_validate(&p, NULL) != POP_OK || pads_output(&of_pass));
    return p;
}

static inline char *summary_of(struct fixture *fixture)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    pop_error error;
    assert_int_equal(pop_engine_print_profile_summary(fixture->engine, file, POP_NO_OPTIONS, &error), POP_OK);
    fclose(file);
    return text;
}

/* A pass (0 forward, 1 backward, 2 update) with plan constraints, against its definition. */
static inline void run(struct fixture *fixture, const poplin_conv_params *p, unsigned pass, pop_options options,
                       const char *vertex)
{
    char text[2048];
    poplin_conv_params_to_text(p, text, sizeof(text));
    pop_tensor in = poplin_create_input(fixture->graph, p, "in", options, NULL),
               weights = poplin_create_weights(fixture->graph, p, "weights", options, NULL), out;
    poplin_conv_params gradient = poplin_get_gradient_params(p);
    pop_tensor deltas = poplin_create_input(fixture->graph, &gradient, "deltas", POP_NO_OPTIONS, NULL);
    fixture_write(fixture, in, NULL, -1, 1);
    fixture_write(fixture, weights, NULL, -1, 1);
    fixture_write(fixture, deltas, NULL, -1, 1);
    if (pass == 0)
        out = poplin_convolution(fixture->graph, in, weights, p, false, fixture->program, "fwd", options, NULL);
    else if (pass == 1)
        out = poplin_convolution(fixture->graph, deltas, weights, &gradient, true, fixture->program, "bwd", options,
                                 NULL);
    else
        out = poplin_calculate_weight_deltas(fixture->graph, deltas, in, p, fixture->program, "wu", options, NULL);
    if (pop_graph_error(fixture->graph))
        fail_msg("pass %u: %s\n%s", pass, pop_graph_error(fixture->graph)->text, text);
    double *wanted = reference_conv(p, (int)pass, fixture_given(fixture, pass == 1 ? deltas : in),
                                    fixture_given(fixture, pass == 2 ? deltas : weights));
    double *got = fixture_run(fixture, out);
    for (size_t i = 0; i < pop_tensor_num_elements(out); ++i)
        if (!(fabs(got[i] - wanted[i]) <= 0.02 * (1 + fabs(wanted[i]))))
            fail_msg("pass %u, element %zu of %zu: %g where %g was expected\n%s", pass, i, pop_tensor_num_elements(out),
                     got[i], wanted[i], text);
    free(wanted);
    if (vertex) {
        char *summary = summary_of(fixture);
        if (!strstr(summary, vertex))
            fail_msg("%s did not run:\n%s\n%s", vertex, text, summary);
        free(summary);
    }
}

#endif

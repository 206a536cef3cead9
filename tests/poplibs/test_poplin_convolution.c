/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of random parameters, in all passes, against their definition. */
#include "poplibs/bed.h"
#include "poplibs/conv_reference.h"

#include <poplin/codelets.h>
#include <poplin/convolution.h>
#include <popops/codelets.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
}

static unsigned below(uint64_t *state, unsigned limit)
{
    return next_random(state) % limit;
}
static void random_transform(uint64_t *state, poplin_input_transform *t, size_t d, size_t size)
{
    t->dilation[d] = 1 + below(state, 6) / 4;
    t->padding_lower[d] = below(state, 3);
    t->padding_upper[d] = below(state, 3);
    t->flip[d] = below(state, 4) == 0;
    if (size > 2) {
        t->truncation_lower[d] = below(state, 6) / 5;
        t->truncation_upper[d] = below(state, 6) / 5;
    }
}
/* Small enough for the reference. */
static poplin_conv_params random_params(uint64_t *state, pop_type type)
{
    poplin_conv_params p;
    do {
        size_t dims = 1 + below(state, 3), field[3], kernel[3];
        for (size_t d = 0; d < dims; ++d) {
            field[d] = 1 + below(state, dims == 3 ? 4 : 9);
            kernel[d] = 1 + below(state, 3);
        }
        p = poplin_conv_params_make(type, type, 1 + below(state, 3), (pop_shape){ dims, field }, (pop_shape){ dims, kernel }, 1 + below(state, 19),
                                    1 + below(state, 19), 1 + below(state, 5) / 3);
        for (size_t d = 0; d < dims; ++d) {
            if (below(state, 2))
                random_transform(state, &p.input_transform, d, field[d]);
            if (below(state, 3) == 0) {
                random_transform(state, &p.kernel_transform, d, kernel[d]);
                p.kernel_transform.padding_lower[d] = below(state, 6) / 5;
                p.kernel_transform.padding_upper[d] = below(state, 6) / 5;
            }
            p.output_transform.stride[d] = 1 + below(state, 5) / 3;
            p.output_transform.truncation_lower[d] = below(state, 6) / 5;
        }
    } while (poplin_conv_params_validate(&p, NULL) != POP_OK);
    return p;
}

enum pass { FORWARD, BACKWARD, UPDATE, PASSES };

static void run(enum bed_device device, unsigned tiles, pop_type type, enum pass pass, uint64_t *state)
{
    poplin_conv_params p = random_params(state, type);
    char text[2048];
    poplin_conv_params_to_text(&p, text, sizeof(text));
    struct bed bed = bed_open(device, tiles, add_codelets);
    poplin_planning_cache *cache = NULL;
    pop_tensor in = poplin_create_input(bed.graph, &p, "in", POP_NO_OPTIONS, cache), out = { 0 };
    pop_tensor weights = poplin_create_weights(bed.graph, &p, "weights", POP_NO_OPTIONS, cache);
    size_t dims[8] = { p.batch_size, p.num_conv_groups * p.output_channels_per_conv_group };
    for (size_t d = 0; d < p.num_field_dims; ++d)
        dims[2 + d] = poplin_conv_output_size(&p, d);
    pop_tensor deltas = pop_graph_add_variable(bed.graph, type, (pop_shape){ 2 + p.num_field_dims, dims }, "deltas");
    bed_map(&bed, deltas, BED_SCATTERED);
    bed_write(&bed, in, NULL, -1, 1);
    bed_write(&bed, weights, NULL, -1, 1);
    bed_write(&bed, deltas, NULL, -1, 1);
    double *x = bed_given(&bed, in), *w = bed_given(&bed, weights), *y = bed_given(&bed, deltas), *wanted;
    if (pass == FORWARD) {
        out = poplin_convolution(bed.graph, in, weights, &p, false, bed.program, "fwd", POP_NO_OPTIONS, cache);
        wanted = reference_conv(&p, 0, x, w);
    } else if (pass == BACKWARD) {
        poplin_conv_params gradient = poplin_get_gradient_params(&p);
        out = poplin_convolution(bed.graph, deltas, weights, &gradient, true, bed.program, "bwd", POP_NO_OPTIONS, cache);
        wanted = reference_conv(&p, 1, y, w);
    } else {
        out = poplin_calculate_weight_deltas(bed.graph, deltas, in, &p, bed.program, "wu", POP_NO_OPTIONS, cache);
        wanted = reference_conv(&p, 2, x, y);
    }
    if (pop_graph_error(bed.graph))
        print_message("%s\n", text);
    double *got = bed_run(&bed, out);
    for (size_t i = 0; i < pop_tensor_num_elements(out); ++i)
        if (!(fabs(got[i] - wanted[i]) <= (type == POP_HALF ? 0.02 : 1e-5) * (1 + fabs(wanted[i]))))
            fail_msg("pass %d, element %zu of %zu: %g where %g was expected\n%s", pass, i, pop_tensor_num_elements(out), got[i], wanted[i], text);
    free(wanted);
    bed_close(&bed);
}

/* row: poplin createInput, createWeights, convolution, calculateWeightDeltas */
static void test_random_convolutions(void **state)
{
    (void)state;
    static const unsigned tiles[] = { 1, 7, 64 };
    uint64_t random = getenv("TSEED") ? (uint64_t)atoi(getenv("TSEED")) : 1;
    for (enum bed_device device = BED_CPU; device < BED_DEVICES; ++device)
        for (unsigned i = 0; i < 30; ++i)
            run(device, tiles[i % 3], i % 4 == 3 ? POP_HALF : POP_FLOAT, (enum pass)(i / 2 % PASSES), &random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_convolutions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of convolutions and index arithmetic, compared with a convolution in plain loops; and the parameters after
 * the planner's transforms. */
#include "poplibs/fixture.h"

#include "../../../src/poplin/planner/plan_params.c"

#include <poplin/conv_util.h>

static poplin_conv_params random_params(uint64_t *random, size_t dims)
{
    size_t field[POPLIN_MAX_FIELD_DIMS], kernel[POPLIN_MAX_FIELD_DIMS];
    for (;;) {
        for (size_t d = 0; d < dims; ++d) {
            field[d] = 1 + next_random(random) % 9;
            kernel[d] = 1 + next_random(random) % 5;
        }
        poplin_conv_params p = poplin_conv_params_make(POP_FLOAT, POP_FLOAT, 1 + next_random(random) % 3,
                                                       (pop_shape){ dims, field }, (pop_shape){ dims, kernel },
                                                       1 + next_random(random) % 3, 1 + next_random(random) % 3, 1);
        for (size_t d = 0; d < dims; ++d) {
            poplin_input_transform *operands[] = { &p.input_transform, &p.kernel_transform };
            for (size_t i = 0; i < 2; ++i) {
                operands[i]->truncation_lower[d] = next_random(random) % 4 == 0;
                operands[i]->truncation_upper[d] = next_random(random) % 4 == 0;
                operands[i]->dilation[d] = 1 + next_random(random) % 3;
                operands[i]->padding_lower[d] = next_random(random) % 3;
                operands[i]->padding_upper[d] = next_random(random) % 3;
                operands[i]->flip[d] = next_random(random) % 2;
            }
            p.output_transform.truncation_lower[d] = next_random(random) % 2;
            p.output_transform.truncation_upper[d] = next_random(random) % 2;
            p.output_transform.stride[d] = 1 + next_random(random) % 3;
            p.output_transform.padding_lower[d] = next_random(random) % 2;
            p.output_transform.padding_upper[d] = next_random(random) % 2;
        }
        if (poplin_conv_params_validate(&p, NULL) == POP_OK)
            return p;
    }
}

/* One dimension of an operand after its transform: the source element at each index, or -1. */
static size_t places(const poplin_input_transform *t, size_t d, size_t size, int *out)
{
    size_t count = 0;
    for (size_t i = 0; i < t->padding_lower[d]; ++i)
        out[count++] = -1;
    for (size_t i = t->truncation_lower[d]; i + t->truncation_upper[d] < size; ++i) {
        for (size_t k = 1; k < t->dilation[d] && i > t->truncation_lower[d]; ++k)
            out[count++] = -1;
        out[count++] = (int)i;
    }
    for (size_t i = 0; i < t->padding_upper[d]; ++i)
        out[count++] = -1;
    for (size_t i = 0; t->flip[d] && i < count / 2; ++i) {
        int other = out[i];
        out[i] = out[count - 1 - i];
        out[count - 1 - i] = other;
    }
    return count;
}
/* The input element of each pair of output and kernel element: pairs[output * kernel size + kernel], -1 for none. */
static size_t multiplied_pairs(const poplin_conv_params *p, size_t d, int *pairs)
{
    int in[64], kernel[64], outputs[64];
    size_t in_count = places(&p->input_transform, d, p->input_field_shape[d], in), count = 0;
    size_t kernel_count = places(&p->kernel_transform, d, p->kernel_shape[d], kernel);
    const poplin_output_transform *t = &p->output_transform;
    for (size_t i = 0; i < t->padding_lower[d]; ++i)
        outputs[count++] = -1;
    for (size_t o = t->truncation_lower[d]; o + t->truncation_upper[d] < in_count - kernel_count + 1; o += t->stride[d])
        outputs[count++] = (int)o;
    for (size_t i = 0; i < t->padding_upper[d]; ++i)
        outputs[count++] = -1;
    for (size_t o = 0; o < count; ++o) {
        for (size_t k = 0; k < p->kernel_shape[d]; ++k)
            pairs[o * p->kernel_shape[d] + k] = -1;
        for (size_t k = 0; k < kernel_count && outputs[o] >= 0; ++k)
            if (kernel[k] >= 0)
                pairs[o * p->kernel_shape[d] + (size_t)kernel[k]] = in[(size_t)outputs[o] + k];
    }
    return count;
}

static void indices_are_those_of_the_convolution(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (unsigned round = 0; round < 300; ++round) {
        poplin_conv_params p = random_params(&random, 1), canonical = poplin_conv_params_canonicalize(&p);
        int pairs[4096], same[4096];
        size_t outputs = multiplied_pairs(&p, 0, pairs), kernel = p.kernel_shape[0];
        assert_int_equal(outputs, poplin_conv_output_size(&p, 0));
        assert_int_equal(outputs, multiplied_pairs(&canonical, 0, same));
        pop_interval all = { 0, outputs }, some = { outputs / 3, outputs - outputs / 4 };
        size_t begin = SIZE_MAX, end = 0, out_begin = SIZE_MAX, out_end = 0;
        unsigned k_some = next_random(&random) % (unsigned)kernel;
        for (unsigned o = 0; o < outputs; ++o)
            for (unsigned k = 0; k < kernel; ++k) {
                int input = pairs[o * kernel + k];
                assert_int_equal(input, same[o * kernel + k]);
                assert_int_equal((int)poplin_get_input_index(0, o, k, &p), input);
                if (input >= 0)
                    assert_int_equal(poplin_get_kernel_index(0, o, (unsigned)input, &p), k);
                if (input >= 0 && o >= some.begin && o < some.end && k == k_some) {
                    begin = begin < (size_t)input ? begin : (size_t)input;
                    end = end > (size_t)input ? end : (size_t)input + 1;
                    out_begin = out_begin < o ? out_begin : o;
                    out_end = o + 1;
                }
            }
        pop_interval inputs = poplin_get_input_range(0, some, (pop_interval){ k_some, k_some + 1 }, &p);
        pop_interval range = poplin_get_output_range_for_kernel_index(0, some, k_some, &p);
        assert_int_equal(inputs.end - inputs.begin, end ? end - begin : 0);
        assert_int_equal(range.end - range.begin, end ? out_end - out_begin : 0);
        if (end) {
            assert_int_equal(inputs.begin, begin);
            assert_int_equal(range.begin, out_begin);
        }
        /* Ranges of whole operands contain each other. */
        pop_interval whole = poplin_get_input_range_of_output(0, all, &p),
                     kernels = poplin_get_kernel_range_of_output(0, all, &p);
        pop_interval back = poplin_get_output_range_for_input_range(0, all, whole, &p),
                     by_kernel = poplin_get_output_range_for_kernel_range(0, all, kernels, &p);
        assert_int_equal(back.begin, by_kernel.begin);
        assert_int_equal(back.end, by_kernel.end);
        if (whole.end) {
            pop_interval one = poplin_get_output_range_for_input_index(0, all, (unsigned)whole.begin, &p);
            assert_true(one.end > one.begin && poplin_get_kernel_range(0, one, whole, &p).end > 0);
        }
    }
    assert_int_equal(poplin_get_dilated_size(4, 3), 10);
    assert_int_equal(poplin_get_dilated_size(0, 3), 0);
}

/* Pairs of multiplied elements: those of the gradients are those of the forward pass. */
static void gradients_match_the_forward_pass(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (unsigned round = 0; round < 300; ++round) {
        poplin_conv_params p = random_params(&random, 1), g = poplin_get_gradient_params(&p),
                           w = poplin_get_weight_update_params(&p);
        int pairs[4096];
        size_t outputs = multiplied_pairs(&p, 0, pairs), kernel = p.kernel_shape[0];
        assert_int_equal(poplin_conv_params_validate(&g, NULL), POP_OK);
        assert_int_equal(poplin_conv_params_validate(&w, NULL), POP_OK);
        assert_int_equal(g.input_field_shape[0], outputs);
        assert_int_equal(poplin_conv_output_size(&g, 0), p.input_field_shape[0]);
        assert_int_equal(poplin_conv_output_size(&w, 0), kernel);
        assert_int_equal(w.kernel_shape[0], outputs);
        assert_int_equal(w.batch_size, p.input_channels_per_conv_group);
        for (unsigned o = 0; o < outputs; ++o)
            for (unsigned k = 0; k < kernel; ++k) {
                int input = pairs[o * kernel + k];
                assert_int_equal((int)poplin_get_input_index(0, k, o, &w), input);
                if (input >= 0) /* the stored kernel was flipped */
                    assert_int_equal(poplin_get_input_index(0, (unsigned)input, (unsigned)kernel - 1 - k, &g), o);
            }
    }
}

/* The planner's transforms preserve the convolution: the number of products, and sizes. */
static void transforms_preserve_sizes(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (unsigned round = 0; round < 200; ++round) {
        poplin_conv_params p = random_params(&random, 2), swapped = params_swap_operands(&p),
                           more = params_add_field_dims(&p, 2);
        assert_int_equal(poplin_conv_params_validate(&swapped, NULL), POP_OK);
        assert_int_equal(more.num_field_dims, 4);
        for (unsigned d = 0; d < 2; ++d) {
            size_t outputs = poplin_conv_output_size(&p, d);
            assert_int_equal(poplin_conv_output_size(&swapped, d), outputs);
            assert_int_equal(poplin_conv_output_size(&more, d), 1);
            assert_int_equal(poplin_conv_output_size(&more, d + 2), outputs);
            poplin_conv_params expanded = params_expand_dim(&p, d);
            assert_int_equal(poplin_conv_output_size(&expanded, d), outputs);
            assert_int_equal(expanded.input_channels_per_conv_group,
                             p.input_channels_per_conv_group * poplin_conv_truncated_kernel_size(&p, d));
            /* A swapped convolution multiplies the same elements. */
            for (unsigned o = 0; o < outputs; ++o)
                for (unsigned k = 0; k < p.kernel_shape[d]; ++k) {
                    unsigned input = poplin_get_input_index(d, o, k, &p);
                    if (input != POPLIN_NO_INDEX)
                        assert_int_equal(poplin_get_input_index(d, o, input, &swapped), k);
                }
        }
        poplin_conv_params flat = params_flatten_out_chans(&p, 3);
        assert_int_equal(flat.output_channels_per_conv_group, p.output_channels_per_conv_group *
                                                                  poplin_conv_output_size(&p, 0) *
                                                                  poplin_conv_output_size(&p, 1));
        unsigned dims = params_flattenable(&flat);
        poplin_conv_params one = params_flatten(&flat, dims);
        assert_int_equal(poplin_conv_output_size(&one, 0) * poplin_conv_output_size(&one, 1) * one.batch_size,
                         p.batch_size);
    }
}

static void order_and_text(void **state)
{
    (void)state;
    uint64_t random = 4;
    char text[4096];
    for (unsigned round = 0; round < 100; ++round) {
        poplin_conv_params a = random_params(&random, 1 + round % 3), b = random_params(&random, 1 + round % 2), read;
        size_t used, length = poplin_conv_params_to_text(&a, text, sizeof(text));
        assert_int_equal(length, strlen(text));
        assert_int_equal(poplin_conv_params_from_text(text, &read, &used, NULL), POP_OK);
        assert_int_equal(used + 1, length); /* but for the last newline */
        assert_true(poplin_conv_params_equal(&a, &read));
        assert_int_equal(poplin_conv_params_hash(&a), poplin_conv_params_hash(&read));
        assert_int_equal(poplin_conv_params_compare(&a, &b), -poplin_conv_params_compare(&b, &a));
    }
    pop_error error;
    poplin_conv_params p;
    assert_int_equal(poplin_conv_params_from_text("batchsize 3", &p, NULL, &error), POP_PARSE_ERROR);
    assert_non_null(strstr(error.text, "'batchsize 3' is not a field"));
    assert_int_equal(poplin_conv_params_from_text("inputFieldShape {3,4} kernelShape {3", &p, NULL, &error),
                     POP_PARSE_ERROR);
    assert_non_null(strstr(error.text, "'kernelShape'"));
    assert_int_equal(poplin_conv_params_from_text("inputType flat", &p, NULL, &error), POP_PARSE_ERROR);
}

static void wrong(poplin_conv_params p, pop_status status, const char *words)
{
    pop_error error;
    assert_int_equal(poplin_conv_params_validate(&p, &error), status);
    if (!strstr(error.text, words))
        fail_msg("'%s' not in '%s'", words, error.text);
}
static void invalid_parameters_are_refused(void **state)
{
    (void)state;
    poplin_conv_params good =
                           poplin_conv_params_make(POP_FLOAT, POP_HALF, 1, POP_SHAPE(4, 5), POP_SHAPE(3, 3), 1, 1, 1),
                       p = good;
    assert_int_equal(poplin_conv_params_validate(&good, NULL), POP_OK);
    wrong(poplin_conv_params_make(POP_FLOAT, POP_FLOAT, 1, POP_SHAPE(4, 5), POP_SHAPE(3), 1, 1, 1), POP_POPLAR_ERROR,
          "same number of dimensions");
    wrong(poplin_conv_params_make(POP_INT, POP_FLOAT, 1, POP_SHAPE(4), POP_SHAPE(3), 1, 1, 1), POP_TYPE_ERROR,
          "the input's type is int");
    wrong(poplin_conv_params_make(POP_HALF, POP_BOOL, 1, POP_SHAPE(4), POP_SHAPE(3), 1, 1, 1), POP_TYPE_ERROR,
          "the output's type is bool");
    wrong(poplin_conv_params_make(POP_HALF, POP_HALF, 1, POP_SHAPE(4, 2), POP_SHAPE(3, 3), 1, 1, 1), POP_POPLAR_ERROR,
          "the kernel has 3 elements after");
    p.output_transform.stride[1] = 0;
    wrong(p, POP_POPLAR_ERROR, "the output's stride of field dimension 1 is 0");
    p = good;
    p.kernel_transform.dilation[0] = 0;
    wrong(p, POP_POPLAR_ERROR, "the kernel's dilation of field dimension 0 is 0");
    p = good;
    p.input_transform.truncation_lower[1] = 6;
    wrong(p, POP_POPLAR_ERROR, "of the input has 5 elements, but 6 and 0 are truncated");
    p = good;
    p.kernel_transform.truncation_upper[0] = 4;
    wrong(p, POP_POPLAR_ERROR, "of the kernel has 3 elements, but 0 and 4 are truncated");
    p = good;
    p.output_transform.truncation_upper[0] = 3;
    wrong(p, POP_POPLAR_ERROR, "of the output has 2 elements, but 0 and 3 are truncated");
    p = good; /* sizes that 32 bits cannot count */
    p.input_transform.padding_lower[1] = UINT32_MAX;
    wrong(p, POP_POPLAR_ERROR,
          "field dimension 1 of the transformed input has 4294967300 elements; at most 2147483647");
    p = good;
    p.input_transform.dilation[0] = UINT32_MAX;
    wrong(p, POP_POPLAR_ERROR, "of the transformed input");
    p = good;
    p.output_transform.padding_upper[0] = UINT32_MAX;
    wrong(p, POP_POPLAR_ERROR, "of the output has");
    assert_int_equal(poplin_conv_params_validate(NULL, NULL), POP_POPLAR_ERROR);
    pop_error error; /* it names the line of the call */
    assert_int_equal(poplin_conv_params_validate(&p, &error), POP_POPLAR_ERROR);
    assert_int_equal(error.where.line, __LINE__ - 1);
    assert_int_equal(poplin_conv_params_from_text("?", &p, NULL, &error), POP_PARSE_ERROR);
    assert_int_equal(error.where.line, __LINE__ - 1);
}

/* Calls with parameters that were not validated return without a fault. */
static void unchecked_parameters(void **state)
{
    (void)state;
    poplin_conv_params plain = poplin_conv_params_make(POP_FLOAT, POP_FLOAT, 1, POP_SHAPE(7), POP_SHAPE(3), 1, 1, 1),
                       p = plain, made;
    p.output_transform.stride[0] = p.input_transform.dilation[0] = p.kernel_transform.dilation[0] = 0;
    assert_int_equal(poplin_conv_output_size(&p, 0), 5);
    assert_int_equal(poplin_get_input_index(0, 2, 1, &p), 3);
    assert_int_equal(poplin_get_kernel_index(0, 2, 3, &p), 1);
    assert_int_equal(poplin_get_input_range(0, (pop_interval){ 0, 5 }, (pop_interval){ 0, 3 }, &p).end, 7);
    made = poplin_conv_params_canonicalize(&p);
    assert_int_equal(made.output_transform.stride[0], 1);
    made = poplin_get_gradient_params(&p);
    assert_int_equal(made.input_field_shape[0], 5);
    made = poplin_get_weight_update_params(&p);
    assert_int_equal(made.kernel_shape[0], 5);
    poplin_conv_params ranks = poplin_conv_params_make(POP_FLOAT, POP_FLOAT, 1, POP_SHAPE(4, 5), POP_SHAPE(3), 1, 1, 1);
    made = poplin_conv_params_canonicalize(&ranks);
    assert_true(poplin_conv_params_equal(&made, &ranks));
    made = poplin_get_gradient_params(&ranks);
    made = poplin_get_weight_update_params(&ranks);
    assert_int_not_equal(poplin_conv_params_validate(&made, NULL), POP_OK);
}

/* Elements of the innermost dimension, which are adjacent in memory, are adjacent among the input channels too. */
static void expands_the_innermost_dimension_first(void **state)
{
    (void)state;
    poplin_conv_params p = poplin_conv_params_make(POP_HALF, POP_HALF, 1, POP_SHAPE(5, 7), POP_SHAPE(2, 3), 4, 8, 1);
    struct plan_transform transform = { .expand_dims = 3 };
    struct params_transformed found;
    params_transform(&transform, &p, &found);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.steps[0].number, 1);
    assert_int_equal(found.steps[1].number, 0);
    assert_int_equal(found.steps[1].before.input_channels_per_conv_group, 4 * 3);
    assert_int_equal(found.params.input_channels_per_conv_group, 4 * 3 * 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_are_those_of_the_convolution),
        cmocka_unit_test(gradients_match_the_forward_pass),
        cmocka_unit_test(transforms_preserve_sizes),
        cmocka_unit_test(expands_the_innermost_dimension_first),
        cmocka_unit_test(order_and_text),
        cmocka_unit_test(invalid_parameters_are_refused),
        cmocka_unit_test(unchecked_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

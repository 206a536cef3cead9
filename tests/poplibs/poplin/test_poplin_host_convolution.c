/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions on the CPU device whose shapes have code of their own, against their definition. */
#include "poplibs/poplin/conv_check.h"

/* A field of 2 x height x width, with the same padding and stride in both dimensions. */
static poplin_conv_params params_of(pop_type type, const size_t field[2], const size_t kernel[2], size_t inputs,
                                    size_t outputs, unsigned padding, unsigned stride)
{
    poplin_conv_params p =
        poplin_conv_params_make(type, type, 2, (pop_shape){ 2, field }, (pop_shape){ 2, kernel }, inputs, outputs, 1);
    for (int d = 0; d < 2; ++d) {
        p.input_transform.padding_lower[d] = p.input_transform.padding_upper[d] = padding;
        p.output_transform.stride[d] = stride;
    }
    return p;
}

/* Kernels with few channels, whose positions are contiguous runs: with padding, strides and dilated kernels. */
static void test_few_channels(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; ++i) {
        poplin_conv_params p = params_of(i & 1 ? POP_HALF : POP_FLOAT, (size_t[]){ 23, 19 }, (size_t[]){ 7, 5 }, 3, 37,
                                         3, 1 + (i / 2 & 1));
        p.kernel_transform.dilation[0] = p.kernel_transform.dilation[1] = 1 + i / 4;
        conv_check(FIXTURE_CPU, 1, &p, CONV_FORWARD, 1e-5, 0.01);
    }
}

/* Lines whose strips are read where they are: long ones, with ends in the padding, lines that are all padding, blocks
 * of B that begin within a position, strides beyond the kernel, and elements that neighbours skip; with dilated inputs,
 * dilated and flipped kernels and truncated fields, which must not be read so. */
static void test_lines_in_place(void **state)
{
    (void)state;
    static const struct {
        size_t field[2], kernel[2], inputs, outputs;
        unsigned padding, stride, dilation; /* dilation of the last dimension of the input */
    } layers[] = {
        { { 5, 29 }, { 3, 3 }, 16, 40, 1, 1, 1 }, { { 9, 61 }, { 7, 7 }, 3, 64, 3, 2, 1 },
        { { 3, 33 }, { 3, 3 }, 75, 33, 1, 1, 1 }, { { 4, 47 }, { 1, 1 }, 20, 8, 0, 1, 1 },
        { { 2, 90 }, { 1, 2 }, 7, 21, 0, 3, 1 },  { { 1, 200 }, { 3, 5 }, 4, 17, 4, 1, 1 },
        { { 6, 14 }, { 3, 3 }, 9, 70, 2, 1, 1 },  { { 3, 31 }, { 2, 1 }, 150, 3, 1, 2, 1 },
        { { 2, 21 }, { 1, 2 }, 7, 21, 0, 5, 5 },
    };
    for (size_t i = 0; i < 4 * sizeof(layers) / sizeof(layers[0]); ++i) {
        poplin_conv_params p =
            params_of(i & 1 ? POP_HALF : POP_FLOAT, layers[i / 4].field, layers[i / 4].kernel, layers[i / 4].inputs,
                      layers[i / 4].outputs, layers[i / 4].padding, layers[i / 4].stride);
        p.input_transform.dilation[1] = layers[i / 4].dilation;
        if (i & 2) {
            p.input_transform.truncation_lower[1] = 2;
            p.input_transform.padding_upper[1] += 3;
            p.kernel_transform.flip[1] = i / 4 % 2 == 0;
            p.kernel_transform.dilation[1] = 1 + i / 4 % 3 / 2;
            p.num_conv_groups = 2;
        }
        for (enum conv_pass pass = CONV_FORWARD; pass <= CONV_BACKWARD; ++pass)
            conv_check(FIXTURE_CPU, 1, &p, pass, 2e-5, 0.02);
    }
}

/* Many outputs, and channels whose strips end within a kernel position, at one, and after several. */
static void test_weight_deltas(void **state)
{
    (void)state;
    static const size_t shapes[][4] = { /* inputs, outputs, kernel, stride */
                                        { 67, 40, 1, 1 }, { 64, 33, 3, 1 }, { 5, 35, 3, 2 }, { 14, 3, 1, 1 },
                                        { 3, 40, 7, 2 },  { 1, 33, 5, 3 },  { 2, 9, 15, 1 }
    };
    for (unsigned i = 0; i < 14; ++i) {
        const size_t *shape = shapes[i / 2];
        poplin_conv_params p =
            params_of(i & 1 ? POP_HALF : POP_FLOAT, (size_t[]){ 23, 19 }, (size_t[]){ shape[2], shape[2] }, shape[0],
                      shape[1], (unsigned)shape[2] / 2, (unsigned)shape[3]);
        conv_check(FIXTURE_CPU, 1, &p, CONV_UPDATE, 1e-4, 0.05);
    }
}

/* Gradients of inputs with few channels: strides, which make phases, kernels that are dilated or flipped, and blocks
 * that end within a kernel position. */
static void test_few_output_channels(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 36; ++i) {
        poplin_conv_params p = params_of(i & 1 ? POP_HALF : POP_FLOAT, (size_t[]){ 9, 75 }, (size_t[]){ 5, 1 + i % 8 },
                                         1 + i % 5, i % 4 == 3 ? 73 : 3 + i, 2, 1 + i / 2 % 3);
        p.num_conv_groups = 1 + (i % 7 == 0);
        p.input_transform.padding_lower[1] = p.input_transform.padding_upper[1] = 2 + (i % 8 > 4);
        for (int d = 0; d < 2; ++d) {
            p.kernel_transform.dilation[d] = 1 + (i % 9 == 4);
            p.kernel_transform.flip[d] = i % 5 == 2;
        }
        conv_check(FIXTURE_CPU, 1, &p, CONV_BACKWARD, 1e-5, 0.02);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_channels),
        cmocka_unit_test(test_lines_in_place),
        cmocka_unit_test(test_weight_deltas),
        cmocka_unit_test(test_few_output_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

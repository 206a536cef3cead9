/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/operators/window.h"

#include <string.h>

/* The paddings for which the output has as many elements as the input divided by the stride, rounded up. */
static void pad_same(onnx_window *window, size_t i, bool upper)
{
    int64_t stride = window->stride[i], size = (int64_t)window->input[i],
            reach = (int64_t)window->dilation[i] * ((int64_t)window->kernel[i] - 1) + 1;
    int64_t total = ((size + stride - 1) / stride - 1) * stride + reach - size;
    total = total < 0 ? 0 : total;
    window->lower[i] = upper ? total / 2 : total - total / 2;
    window->upper[i] = total - window->lower[i];
}

static bool read_dim(onnx_builder *b, const int64_t *list, size_t count, size_t i, unsigned *value)
{
    int64_t wanted = list && i < count ? list[i] : 1;
    *value = (unsigned)wanted;
    return (wanted > 0 && wanted < INT32_MAX) || onnx_complain(b, "a stride or dilation is %lld", (long long)wanted);
}

bool onnx_read_window(onnx_builder *b, pop_shape field, pop_shape kernel, onnx_window *window)
{
    *window = (onnx_window){ .dims = field.rank };
    if (field.rank > ONNX_MAX_FIELD || kernel.rank != field.rank)
        return onnx_complain(b, "its window has %zu dimensions and its field %zu; at most %d are supported",
                             kernel.rank, field.rank, ONNX_MAX_FIELD);
    size_t strides_count, dilations_count, pads_count;
    const int64_t *strides = onnx_ints(b, "strides", &strides_count),
                  *dilations = onnx_ints(b, "dilations", &dilations_count), *pads = onnx_ints(b, "pads", &pads_count);
    const char *automatic = onnx_text(b, "auto_pad", "NOTSET");
    bool given = strcmp(automatic, "NOTSET") == 0 && pads && pads_count == 2 * field.rank;
    bool round_up = onnx_int(b, "ceil_mode", 0);
    for (size_t i = 0; i < field.rank; ++i) {
        window->input[i] = field.dims[i];
        window->kernel[i] = kernel.dims[i];
        if (!read_dim(b, strides, strides_count, i, &window->stride[i]) ||
            !read_dim(b, dilations, dilations_count, i, &window->dilation[i]))
            return false;
        window->lower[i] = given ? pads[i] : 0;
        window->upper[i] = given ? pads[i + field.rank] : 0;
        if (strncmp(automatic, "SAME", 4) == 0)
            pad_same(window, i, strcmp(automatic, "SAME_UPPER") == 0);
        if (window->lower[i] < 0 || window->upper[i] < 0 || window->lower[i] > INT32_MAX ||
            window->upper[i] > INT32_MAX)
            return onnx_complain(b, "a padding is negative or too large");
        int64_t reach = (int64_t)window->dilation[i] * ((int64_t)kernel.dims[i] - 1) + 1, stride = window->stride[i];
        int64_t span = (int64_t)field.dims[i] + window->lower[i] + window->upper[i] - reach;
        int64_t steps = span < 0 ? -1 : round_up ? (span + stride - 1) / stride : span / stride;
        if (round_up && steps > 0 && steps * stride >= (int64_t)field.dims[i] + window->lower[i])
            --steps; /* a window begins in the input or in the padding before it */
        window->output[i] = (size_t)(steps + 1);
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and transposed convolutions. */
#include "onnx/operators/window.h"

#include <poplin/convolution.h>
#include <string.h>

/* Known weights and unplaced inputs are laid out as the plan wants them. */
static pop_tensor conv_input(onnx_builder *b, const poplin_conv_params *params)
{
    if (onnx_is_unplaced(b, 0) && onnx_ok(b))
        onnx_place(b, 0, poplin_create_input_at(b->where, b->graph, params, "input", onnx_poplin_options(b), b->cache));
    return onnx_tensor(b, 0);
}

static pop_tensor conv_weights(onnx_builder *b, const poplin_conv_params *params)
{
    const onnx_value *value = onnx_input(b, 1);
    pop_shape shape = onnx_shape_of(b, 1);
    size_t dims[TREMULA_ONNX_MAX_RANK + 1] = { params->num_conv_groups, shape.dims[0] / params->num_conv_groups };
    memcpy(dims + 2, shape.dims + 1, (shape.rank - 1) * sizeof(*dims));
    pop_shape grouped = { shape.rank + 1, dims };
    if (!value->known)
        return onnx_reshape(b, onnx_tensor(b, 1), grouped);
    pop_tensor weights =
        poplin_create_weights_at(b->where, b->graph, params, "weights", onnx_poplin_options(b), b->cache);
    if (onnx_ok(b))
        onnx_set_initial(b, weights, &value->host);
    return weights;
}

static pop_tensor add_bias(onnx_builder *b, pop_tensor out, size_t input)
{
    const onnx_value *value = onnx_input(b, input);
    if (!value || !onnx_ok(b))
        return out;
    pop_tensor bias;
    if (value->known) {
        bias = poplin_create_biases_at(b->where, b->graph, out, "bias", POP_NO_OPTIONS);
        onnx_set_initial(b, bias, &value->host);
    } else {
        bias = onnx_tensor(b, input);
    }
    if (onnx_ok(b))
        poplin_add_bias_at(b->where, b->graph, out, bias, b->program, b->name, POP_NO_OPTIONS);
    return out;
}

static bool read_params(onnx_builder *b, const onnx_window *window, size_t out_channels, size_t channels_per_group,
                        poplin_conv_params *params)
{
    pop_shape in = onnx_shape_of(b, 0);
    int64_t groups = onnx_int(b, "group", 1);
    if (groups < 1 || in.dims[1] % (size_t)groups || out_channels % (size_t)groups ||
        in.dims[1] / (size_t)groups != channels_per_group)
        return onnx_complain(b, "%zu channels in %lld groups do not match its weights of %zu channels in each group",
                             in.dims[1], (long long)groups, channels_per_group);
    pop_type type = onnx_device_type(b, onnx_type_of(b, 0));
    *params = poplin_conv_params_make(type, type, in.dims[0], (pop_shape){ window->dims, in.dims + 2 },
                                      (pop_shape){ window->dims, window->kernel }, in.dims[1] / (size_t)groups,
                                      out_channels / (size_t)groups, (size_t)groups);
    return true;
}

static bool build_conv(onnx_builder *b)
{
    onnx_window window;
    poplin_conv_params params;
    pop_shape in = onnx_shape_of(b, 0), weights = onnx_shape_of(b, 1);
    if (!onnx_input(b, 0) || !onnx_input(b, 1))
        return onnx_complain(b, "it has no %s", onnx_input(b, 0) ? "weights" : "input");
    if (in.rank < 3 || weights.rank != in.rank)
        return onnx_complain(b, "its input has %zu dimensions and its weights %zu; both need 3 or more", in.rank,
                             weights.rank);
    if (!onnx_read_window(b, (pop_shape){ in.rank - 2, in.dims + 2 }, (pop_shape){ in.rank - 2, weights.dims + 2 },
                          &window) ||
        !read_params(b, &window, weights.dims[0], weights.dims[1], &params))
        return false;
    for (size_t i = 0; i < window.dims; ++i) {
        params.kernel_transform.dilation[i] = window.dilation[i];
        params.output_transform.stride[i] = window.stride[i];
        params.input_transform.padding_lower[i] = (unsigned)window.lower[i];
        params.input_transform.padding_upper[i] = (unsigned)window.upper[i];
    }
    pop_tensor x = conv_input(b, &params), w = conv_weights(b, &params);
    if (!onnx_ok(b))
        return false;
    pop_tensor out = poplin_convolution_at(b->where, b->graph, x, w, &params, false, b->program, b->name,
                                           onnx_poplin_options(b), b->cache);
    return onnx_give_like(b, add_bias(b, out, 2));
}

/* ---- transposed: a convolution of the dilated input with the reversed kernel ---- */

/* Paddings of the output: those given, or what brings it to the size that is asked for. */
static void pads_of_transpose(onnx_builder *b, onnx_window *window, size_t i, int64_t extra)
{
    size_t count;
    const int64_t *shape = onnx_ints(b, "output_shape", &count);
    const char *automatic = onnx_text(b, "auto_pad", "NOTSET");
    int64_t full = (int64_t)window->stride[i] * ((int64_t)window->input[i] - 1) +
                   (int64_t)window->dilation[i] * ((int64_t)window->kernel[i] - 1) + 1 + extra;
    bool same = strncmp(automatic, "SAME", 4) == 0;
    if (!shape && !same)
        return;
    int64_t wanted = shape ? shape[count == window->dims ? i : i + 2] : (int64_t)(window->input[i] * window->stride[i]);
    int64_t total = full - wanted;
    window->lower[i] = strcmp(automatic, "SAME_UPPER") == 0 ? total / 2 : total - total / 2;
    window->upper[i] = total - window->lower[i];
    if (total < 0) { /* the output is longer than what is there: zeros behind it */
        window->lower[i] = 0;
        window->upper[i] = total;
    }
}

/* One end of a dimension: what the kernel reaches beyond the input, less what is cut off. */
static void set_end(int64_t reach, int64_t cut, unsigned *padding, unsigned *truncation)
{
    *padding = (unsigned)(reach > cut ? reach - cut : 0);
    *truncation = (unsigned)(cut > reach ? cut - reach : 0);
}

static bool transposed_params(onnx_builder *b, const onnx_window *window, const int64_t *output_padding,
                              poplin_conv_params *params)
{
    for (size_t i = 0; i < window->dims; ++i) {
        int64_t reach = (int64_t)window->dilation[i] * ((int64_t)window->kernel[i] - 1);
        int64_t extra = output_padding ? output_padding[i] : 0;
        params->input_transform.dilation[i] = window->stride[i];
        params->kernel_transform.dilation[i] = window->dilation[i];
        params->kernel_transform.flip[i] = true;
        set_end(reach, window->lower[i], &params->input_transform.padding_lower[i],
                &params->output_transform.truncation_lower[i]);
        set_end(reach + extra, window->upper[i], &params->input_transform.padding_upper[i],
                &params->output_transform.truncation_upper[i]);
    }
    pop_error error;
    return poplin_conv_params_validate(params, &error) == POP_OK || onnx_complain(b, "%s", error.text);
}

static bool build_conv_transpose(onnx_builder *b)
{
    onnx_window window;
    poplin_conv_params params;
    size_t count;
    pop_shape in = onnx_shape_of(b, 0), weights = onnx_shape_of(b, 1);
    int64_t groups = onnx_int(b, "group", 1);
    const int64_t *output_padding = onnx_ints(b, "output_padding", &count);
    if (in.rank < 3 || weights.rank != in.rank || groups < 1 || weights.dims[0] != in.dims[1] ||
        in.dims[1] % (size_t)groups)
        return onnx_complain(b, "its input and its weights do not match");
    if (!onnx_read_window(b, (pop_shape){ in.rank - 2, in.dims + 2 }, (pop_shape){ in.rank - 2, weights.dims + 2 },
                          &window) ||
        !read_params(b, &window, weights.dims[1] * (size_t)groups, weights.dims[0] / (size_t)groups, &params))
        return false;
    for (size_t i = 0; i < window.dims; ++i)
        pads_of_transpose(b, &window, i, output_padding && i < count ? output_padding[i] : 0);
    if (!transposed_params(b, &window, count == window.dims ? output_padding : NULL, &params))
        return false;
    size_t dims[TREMULA_ONNX_MAX_RANK + 1] = { (size_t)groups, weights.dims[0] / (size_t)groups };
    memcpy(dims + 2, weights.dims + 1, (weights.rank - 1) * sizeof(*dims));
    pop_tensor x = conv_input(b, &params),
               w = onnx_reshape(b, onnx_tensor(b, 1), (pop_shape){ weights.rank + 1, dims });
    if (!onnx_ok(b))
        return false;
    w = pop_tensor_dim_roll_at(b->where, w, 2, 1);
    pop_tensor out = poplin_convolution_at(b->where, b->graph, x, w, &params, false, b->program, b->name,
                                           onnx_poplin_options(b), b->cache);
    return onnx_give_like(b, add_bias(b, out, 2));
}

const onnx_operator onnx_conv_operators[] = {
    { ONNX_ROW("Conv", 1), build_conv, NULL, 0, NULL },
    { ONNX_ROW("ConvTranspose", 1), build_conv_transpose, NULL, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};

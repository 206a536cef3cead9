/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of signal processing, and the bank of filters between frequencies and mels: known when the graph is built. */
#include "onnx/build/build.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* a - b cos(2 pi i / n) + c cos(4 pi i / n) */
static bool fold_window(onnx_builder *b)
{
    static const double coefficients[][3] = { { 0.5, 0.5, 0 }, { 25.0 / 46, 1 - 25.0 / 46, 0 }, { 0.42, 0.5, 0.08 } };
    size_t count;
    const int64_t *size = onnx_known_ints(b, 0, &count);
    if (b->failed || count != 1 || size[0] < 0 || size[0] > INT32_MAX)
        return onnx_complain(b, "its size is no number");
    tremula_onnx_tensor window = onnx_new_tensor(
        b, (tremula_onnx_type)onnx_int(b, "output_datatype", TREMULA_ONNX_FLOAT), POP_SHAPE((size_t)size[0]));
    const double *c = coefficients[b->node->row->op];
    double period = (double)size[0] - (onnx_int(b, "periodic", 1) ? 0 : 1);
    for (size_t i = 0; i < (size_t)size[0] && window.data; ++i) {
        double x = 2 * pi * (double)i / period;
        onnx_set_number(&window, i, c[0] - c[1] * cos(x) + c[2] * cos(2 * x));
    }
    return onnx_give_known(b, 0, window);
}

static double scalar(onnx_builder *b, size_t i)
{
    const tremula_onnx_tensor *t = onnx_known(b, i);
    return t && tremula_onnx_tensor_elements(t) == 1 ? onnx_number(t, 0) : 0;
}

/* Triangles whose corners are equally far from each other in mels. */
static bool fold_mel_weights(onnx_builder *b)
{
    double mels = scalar(b, 0), length = scalar(b, 1), rate = scalar(b, 2), low = scalar(b, 3), high = scalar(b, 4);
    if (b->failed || !(mels >= 1 && mels < 1e5 && length >= 1 && length < 1e7 && rate > 0))
        return onnx_complain(b, "its sizes are not positive");
    size_t bins = (size_t)mels, spectrum = (size_t)length / 2 + 1;
    double first = 2595 * log10(1 + low / 700), last = 2595 * log10(1 + high / 700), step = (last - first) / (mels + 2);
    tremula_onnx_tensor weights = onnx_new_tensor(
        b, (tremula_onnx_type)onnx_int(b, "output_datatype", TREMULA_ONNX_FLOAT), POP_SHAPE(spectrum, bins));
    size_t *corners = onnx_new(b->arena, bins + 2, sizeof(*corners));
    for (size_t i = 0; i < bins + 2; ++i) {
        double corner = floor((length + 1) * (700 * (pow(10, (first + step * (double)i) / 2595) - 1)) / rate);
        corners[i] = corner < 0 ? 0 : (size_t)corner;
    }
    for (size_t m = 0; m < bins && weights.data; ++m) {
        size_t left = corners[m], middle = corners[m + 1], right = corners[m + 2];
        if (middle == left && middle < spectrum)
            onnx_set_number(&weights, middle * bins + m, 1);
        for (size_t i = left; i <= middle && middle > left && i < spectrum; ++i)
            onnx_set_number(&weights, i * bins + m, (double)(i - left) / (double)(middle - left));
        for (size_t i = middle; i < right && i < spectrum; ++i)
            onnx_set_number(&weights, i * bins + m, (double)(right - i) / (double)(right - middle));
    }
    return onnx_give_known(b, 0, weights);
}

const onnx_operator onnx_signal_operators[] = {
    { ONNX_HOST_ROW("BlackmanWindow", 17), NULL, fold_window, 2, NULL },
    { ONNX_HOST_ROW("HammingWindow", 17), NULL, fold_window, 1, NULL },
    { ONNX_HOST_ROW("HannWindow", 17), NULL, fold_window, 0, NULL },
    { ONNX_HOST_ROW("MelWeightMatrix", 17), NULL, fold_mel_weights, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};

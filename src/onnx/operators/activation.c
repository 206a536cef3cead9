/* SPDX-License-Identifier: Apache-2.0 */
/* Activations: functions of one element with parameters. */
#include "onnx/build/build.h"

#include <math.h>
#include <poplar/text.h>
#include <popnn/non_linearity.h>

enum { EXPRESSION_SIZE = 256 };

static bool build_relu(onnx_builder *b)
{
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    pop_tensor result = pop_type_is_floating_point(pop_tensor_type(t))
                            ? popnn_non_linearity_at(b->where, b->graph, POPNN_RELU, t, b->program, b->name)
                            : ONNX_BINARY(b, MAXIMUM, t, 0);
    return onnx_give_like(b, result);
}

static double positive(double x)
{
    return fmax(x, 0);
}

static bool fold_relu(onnx_builder *b)
{
    return onnx_fold_elements(b, positive);
}

static bool build_leaky_relu(onnx_builder *b)
{
    char text[EXPRESSION_SIZE];
    pop_text_format(text, sizeof(text), "select(_1, _1 * %.9g, _1 >= 0)", onnx_float(b, "alpha", 0.01));
    return onnx_give_map(b, text);
}

static bool build_elu(onnx_builder *b)
{
    char text[EXPRESSION_SIZE];
    pop_text_format(text, sizeof(text), "select(_1, expm1(min(_1, 0)) * %.9g, _1 >= 0)", onnx_float(b, "alpha", 1));
    return onnx_give_map(b, text);
}

static bool build_selu(onnx_builder *b)
{
    char text[EXPRESSION_SIZE];
    pop_text_format(text, sizeof(text), "%.9g * select(_1, expm1(min(_1, 0)) * %.9g, _1 > 0)",
                    onnx_float(b, "gamma", 1.05070102214813232421875),
                    onnx_float(b, "alpha", 1.67326319217681884765625));
    return onnx_give_map(b, text);
}

static bool build_celu(onnx_builder *b)
{
    char text[EXPRESSION_SIZE];
    double alpha = onnx_float(b, "alpha", 1);
    pop_text_format(text, sizeof(text), "max(_1, 0) + %.9g * expm1(min(_1, 0) / %.9g)", alpha, alpha);
    return onnx_give_map(b, text);
}

static bool build_thresholded_relu(onnx_builder *b)
{
    char text[EXPRESSION_SIZE];
    pop_text_format(text, sizeof(text), "select(_1, 0, _1 > %.9g)", onnx_float(b, "alpha", 1));
    return onnx_give_map(b, text);
}

static bool build_hard_sigmoid(onnx_builder *b)
{
    char text[EXPRESSION_SIZE];
    pop_text_format(text, sizeof(text), "clamp(_1 * %.9g + %.9g, 0, 1)", onnx_float(b, "alpha", 0.2),
                    onnx_float(b, "beta", 0.5));
    return onnx_give_map(b, text);
}

static bool build_hard_swish(onnx_builder *b)
{
    return onnx_give_map(b, "_1 * clamp(_1 * 0.166666667 + 0.5, 0, 1)");
}

static bool build_shrink(onnx_builder *b)
{
    char text[EXPRESSION_SIZE];
    double lambda = onnx_float(b, "lambd", 0.5), bias = onnx_float(b, "bias", 0);
    pop_text_format(text, sizeof(text), "select(_1 + %.9g, select(_1 - %.9g, 0, _1 > %.9g), _1 < -%.9g)", bias, bias,
                    lambda, lambda);
    return onnx_give_map(b, text);
}

/* ---- Clip: bounds are attributes before operator set 11, then inputs ---- */

static bool build_clip(onnx_builder *b)
{
    pop_tensor t = onnx_tensor(b, 0);
    for (size_t i = 1; i < 3 && onnx_ok(b); ++i) {
        const char *name = i == 1 ? "min" : "max";
        popops_binary_op op = i == 1 ? POPOPS_BINARY_MAXIMUM : POPOPS_BINARY_MINIMUM;
        const onnx_value *bound = onnx_input(b, i);
        popops_operand operand = popops_operand_of_double(onnx_float(b, name, 0));
        if (bound && bound->known && tremula_onnx_tensor_elements(&bound->host) != 1)
            return onnx_complain(b, "its bound '%s' is no scalar", name);
        if (bound && bound->known)
            operand = onnx_is_real(bound->type) ? popops_operand_of_double(onnx_number(&bound->host, 0))
                                                : popops_operand_of_int(onnx_integer(&bound->host, 0));
        else if (bound)
            operand = popops_operand_of_tensor(onnx_tensor(b, i));
        else if (!onnx_has(b, name))
            continue;
        if (onnx_ok(b))
            t = popops_binary_at(b->where, op, b->graph, popops_operand_of_tensor(t), operand, b->program, b->name);
    }
    return onnx_give_like(b, t);
}

static bool fold_clip(onnx_builder *b)
{
    const onnx_value *in = onnx_input(b, 0), *low = onnx_input(b, 1), *high = onnx_input(b, 2);
    double least = low ? onnx_number(&low->host, 0) : onnx_float(b, "min", -INFINITY),
           most = high ? onnx_number(&high->host, 0) : onnx_float(b, "max", INFINITY);
    tremula_onnx_tensor result = onnx_new_tensor(b, in->type, onnx_shape_of(b, 0));
    for (size_t i = 0, n = result.data ? tremula_onnx_tensor_elements(&result) : 0; i < n; ++i)
        onnx_set_number(&result, i, fmin(fmax(onnx_number(&in->host, i), least), most));
    return onnx_give_known(b, 0, result);
}

const onnx_operator onnx_activation_operators[] = {
    { ONNX_ROW("Celu", 12), build_celu, NULL, 0, NULL },
    { ONNX_ROW("Clip", 1), build_clip, fold_clip, 0, NULL },
    { ONNX_ROW("Elu", 1), build_elu, NULL, 0, NULL },
    { ONNX_ROW("HardSigmoid", 1), build_hard_sigmoid, NULL, 0, NULL },
    { ONNX_ROW("HardSwish", 14), build_hard_swish, NULL, 0, NULL },
    { ONNX_ROW("LeakyRelu", 1), build_leaky_relu, NULL, 0, NULL },
    { ONNX_ROW("Relu", 1), build_relu, fold_relu, 0, NULL },
    { ONNX_ROW("Selu", 1), build_selu, NULL, 0, NULL },
    { ONNX_ROW("Shrink", 9), build_shrink, NULL, 0, NULL },
    { ONNX_ROW("ThresholdedRelu", 1), build_thresholded_relu, NULL, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};

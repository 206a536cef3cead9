/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations. */
#include "onnx/build/build.h"

#include <math.h>
#include <poplar/text.h>
#include <poplin/norms.h>

/* The mean of elements or of their squares, in floats where t has halves. */
static pop_tensor mean_of(onnx_builder *b, pop_tensor t, pop_dims dims, popops_operation op)
{
    size_t count = 1;
    for (size_t i = 0; i < dims.count && onnx_ok(b); ++i)
        count *= pop_tensor_dim(t, dims.list[i]);
    pop_tensor sum = onnx_reduce(b, t, dims, op);
    return onnx_ok(b) ? ONNX_BINARY(b, MULTIPLY, sum, 1.0 / (double)count) : t;
}

/* One number for each channel: {C} as {1, C, 1, ...}. */
static pop_tensor by_channel(onnx_builder *b, pop_tensor t, size_t rank)
{
    size_t dims[TREMULA_ONNX_MAX_RANK];
    for (size_t i = 0; i < rank; ++i)
        dims[i] = i == 1 ? pop_tensor_num_elements(t) : 1;
    return onnx_reshape(b, t, (pop_shape){ rank, dims });
}

/* The factor and the summand of each channel, on the host: its parameters are known in nearly all models. */
static bool known_factors(onnx_builder *b, double epsilon, tremula_onnx_tensor *factor, tremula_onnx_tensor *summand)
{
    for (size_t i = 1; i < 5; ++i)
        if (!onnx_input(b, i) || !onnx_input(b, i)->known || onnx_rank_of(b, i) != 1 ||
            onnx_shape_of(b, i).dims[0] != onnx_shape_of(b, 1).dims[0])
            return false;
    size_t channels = onnx_shape_of(b, 1).dims[0];
    *factor = onnx_new_tensor(b, TREMULA_ONNX_FLOAT, POP_SHAPE(channels));
    *summand = onnx_new_tensor(b, TREMULA_ONNX_FLOAT, POP_SHAPE(channels));
    for (size_t i = 0; i < channels; ++i) {
        double scale =
            onnx_number(&onnx_input(b, 1)->host, i) / sqrt(onnx_number(&onnx_input(b, 4)->host, i) + epsilon);
        onnx_set_number(factor, i, scale);
        onnx_set_number(summand, i,
                        onnx_number(&onnx_input(b, 2)->host, i) - onnx_number(&onnx_input(b, 3)->host, i) * scale);
    }
    return true;
}

static bool build_batch_norm(onnx_builder *b)
{
    double epsilon = onnx_float(b, "epsilon", 1e-5);
    pop_tensor t = onnx_tensor(b, 0), factor, summand;
    if (!onnx_ok(b))
        return false;
    size_t rank = pop_tensor_rank(t);
    tremula_onnx_type type = onnx_type_of(b, 0);
    if (rank < 2)
        return onnx_complain(b, "its input has %zu dimensions; 2 or more are needed", rank);
    if (onnx_int(b, "training_mode", 0)) { /* statistics of this batch; running ones are outputs 1 and 2 */
        double momentum = onnx_float(b, "momentum", 0.9);
        unsigned dims[TREMULA_ONNX_MAX_RANK] = { 0 };
        for (unsigned i = 2; i < rank; ++i)
            dims[i - 1] = i;
        pop_type width = pop_tensor_type(t);
        pop_dims others = { rank - 1, dims };
        pop_tensor mean = onnx_cast(b, mean_of(b, t, others, POPOPS_ADD), width);
        pop_tensor centred = ONNX_BINARY(b, SUBTRACT, t, by_channel(b, mean, rank));
        pop_tensor variance = mean_of(b, centred, others, POPOPS_SQUARE_ADD);
        pop_tensor inverse = onnx_cast(b, ONNX_BINARY(b, VARIANCE_TO_INV_STD_DEV, variance, epsilon), width);
        pop_tensor scale = ONNX_BINARY(b, MULTIPLY, onnx_tensor(b, 1), inverse);
        variance = onnx_cast(b, variance, width);
        pop_tensor result = ONNX_BINARY(b, ADD, ONNX_BINARY(b, MULTIPLY, centred, by_channel(b, scale, rank)),
                                        by_channel(b, onnx_tensor(b, 2), rank));
        char text[64];
        pop_text_format(text, sizeof(text), "_1 * %.9g + _2 * %.9g", momentum, 1 - momentum);
        return onnx_give(b, 0, result, type) &&
               onnx_give(b, 1, onnx_map(b, text, POP_TENSORS(onnx_tensor(b, 3), mean)), onnx_type_of(b, 3)) &&
               onnx_give(b, 2, onnx_map(b, text, POP_TENSORS(onnx_tensor(b, 4), variance)), onnx_type_of(b, 4));
    }
    tremula_onnx_tensor known_factor, known_summand;
    if (known_factors(b, epsilon, &known_factor, &known_summand)) {
        factor = poplin_create_norm_gamma_at(b->where, b->graph, t, pop_tensor_type(t), "factor");
        summand = poplin_create_norm_beta_at(b->where, b->graph, t, pop_tensor_type(t), "summand");
        onnx_set_initial(b, factor, &known_factor);
        onnx_set_initial(b, summand, &known_summand);
    } else {
        pop_tensor deviation = ONNX_BINARY(b, VARIANCE_TO_INV_STD_DEV, onnx_tensor(b, 4), epsilon);
        factor = ONNX_BINARY(b, MULTIPLY, onnx_tensor(b, 1), deviation);
        summand = ONNX_BINARY(b, SUBTRACT, onnx_tensor(b, 2), ONNX_BINARY(b, MULTIPLY, onnx_tensor(b, 3), factor));
    }
    if (!onnx_ok(b))
        return false;
    pop_tensor result =
        onnx_map(b, "_1 * _2 + _3", POP_TENSORS(t, by_channel(b, factor, rank), by_channel(b, summand, rank)));
    return onnx_give(b, 0, result, type);
}

/* (t - mean) / sqrt(variance + epsilon) over the last dimensions, from first on; the statistics go to *mean, *inverse.
 */
static pop_tensor whiten(onnx_builder *b, pop_tensor t, size_t first, double epsilon, pop_tensor *mean,
                         pop_tensor *inverse)
{
    unsigned dims[TREMULA_ONNX_MAX_RANK];
    size_t rank = pop_tensor_rank(t), shape[TREMULA_ONNX_MAX_RANK];
    pop_type type = pop_tensor_type(t);
    for (size_t i = 0; i < rank; ++i) {
        shape[i] = i < first ? pop_tensor_dim(t, i) : 1;
        if (i >= first)
            dims[i - first] = (unsigned)i;
    }
    pop_shape kept = { rank, shape };
    pop_dims last = { rank - first, dims };
    *mean = onnx_cast(b, onnx_reshape(b, mean_of(b, t, last, POPOPS_ADD), kept), type);
    pop_tensor centred = ONNX_BINARY(b, SUBTRACT, t, *mean);
    if (!onnx_ok(b))
        return t;
    pop_tensor variance = onnx_reshape(b, mean_of(b, centred, last, POPOPS_SQUARE_ADD), kept);
    *inverse = onnx_cast(b, ONNX_BINARY(b, VARIANCE_TO_INV_STD_DEV, variance, epsilon), type);
    return onnx_ok(b) ? ONNX_BINARY(b, MULTIPLY, centred, *inverse) : t;
}

static bool build_layer_norm(onnx_builder *b)
{
    pop_tensor t = onnx_tensor(b, 0), mean, inverse;
    if (!onnx_ok(b))
        return false;
    size_t first = onnx_axis(b, onnx_int(b, "axis", -1), pop_tensor_rank(t));
    pop_tensor white = whiten(b, t, first, onnx_float(b, "epsilon", 1e-5), &mean, &inverse);
    pop_tensor scale = onnx_tensor(b, 1), bias = onnx_input(b, 2) ? onnx_tensor(b, 2) : scale;
    if (!onnx_ok(b))
        return false;
    pop_tensor result = onnx_input(b, 2) ? onnx_map(b, "_1 * _2 + _3", POP_TENSORS(white, scale, bias))
                                         : ONNX_BINARY(b, MULTIPLY, white, scale);
    return onnx_give_like(b, result) && onnx_give(b, 1, mean, TREMULA_ONNX_FLOAT) &&
           onnx_give(b, 2, inverse, TREMULA_ONNX_FLOAT);
}

static bool build_instance_norm(onnx_builder *b)
{
    pop_tensor t = onnx_tensor(b, 0), mean, inverse;
    if (!onnx_ok(b))
        return false;
    size_t rank = pop_tensor_rank(t);
    if (rank < 3)
        return onnx_complain(b, "its input has %zu dimensions; 3 or more are needed", rank);
    pop_tensor white = whiten(b, t, 2, onnx_float(b, "epsilon", 1e-5), &mean, &inverse);
    pop_tensor scale = onnx_tensor(b, 1), bias = onnx_tensor(b, 2);
    if (!onnx_ok(b))
        return false;
    pop_tensor result =
        onnx_map(b, "_1 * _2 + _3", POP_TENSORS(white, by_channel(b, scale, rank), by_channel(b, bias, rank)));
    return onnx_give_like(b, result);
}

static bool build_mean_variance(onnx_builder *b)
{
    static const int64_t standard[] = { 0, 2, 3 };
    size_t count, rank = onnx_rank_of(b, 0), dims[TREMULA_ONNX_MAX_RANK];
    const int64_t *axes = onnx_ints(b, "axes", &count);
    unsigned reduced[TREMULA_ONNX_MAX_RANK];
    if (!axes) {
        axes = standard;
        count = 3;
    }
    pop_tensor t = onnx_tensor(b, 0);
    for (size_t i = 0; i < rank && onnx_ok(b); ++i)
        dims[i] = pop_tensor_dim(t, i);
    for (size_t i = 0; i < count && onnx_ok(b); ++i) {
        reduced[i] = (unsigned)onnx_axis(b, axes[i], rank);
        dims[reduced[i]] = 1;
    }
    if (!onnx_ok(b))
        return false;
    pop_shape kept = { rank, dims };
    pop_dims all = { count, reduced };
    pop_type type = pop_tensor_type(t);
    pop_tensor mean = onnx_cast(b, onnx_reshape(b, mean_of(b, t, all, POPOPS_ADD), kept), type);
    pop_tensor centred = ONNX_BINARY(b, SUBTRACT, t, mean);
    if (!onnx_ok(b))
        return false;
    pop_tensor variance = onnx_reshape(b, mean_of(b, centred, all, POPOPS_SQUARE_ADD), kept);
    pop_tensor deviation = onnx_cast(b, ONNX_UNARY(b, SQRT, variance), type);
    return onnx_ok(b) && onnx_give_like(b, ONNX_BINARY(b, DIVIDE, centred, deviation));
}

/* x / (bias + alpha / size * the sum of squares of neighbouring channels)^beta */
static bool build_lrn(onnx_builder *b)
{
    int64_t size = onnx_int(b, "size", 1);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    size_t channels = pop_tensor_rank(t) > 1 ? pop_tensor_dim(t, 1) : 0;
    if (!channels || size < 1)
        return onnx_complain(b, "its input has no channels, or its size is %lld", (long long)size);
    pop_tensor squares = ONNX_UNARY(b, SQUARE, t), sums = { 0 };
    int64_t before = (size - 1) / 2, after = size - 1 - before;
    pop_tensor *list = onnx_new(b->arena, channels, sizeof(*list));
    for (size_t c = 0; c < channels && onnx_ok(b); ++c) {
        size_t begin = (int64_t)c > before ? c - (size_t)before : 0,
               end = c + (size_t)after + 1 < channels ? c + (size_t)after + 1 : channels;
        pop_tensor part =
            onnx_reduce(b, pop_tensor_slice_at(b->where, squares, begin, end, 1), POP_DIMS(1), POPOPS_ADD);
        list[c] = pop_tensor_expand_at(b->where, onnx_cast(b, part, pop_tensor_type(t)), POP_DIMS(1));
    }
    if (!onnx_ok(b))
        return false;
    sums = pop_tensor_concat_at(b->where, (pop_tensors){ channels, list }, 1);
    char text[128];
    pop_text_format(text, sizeof(text), "_1 * pow(%.9g + _2 * %.9g, -%.9g)", onnx_float(b, "bias", 1),
                    onnx_float(b, "alpha", 1e-4) / (double)size, onnx_float(b, "beta", 0.75));
    return onnx_give_like(b, onnx_map(b, text, POP_TENSORS(t, sums)));
}

static bool build_lp_norm(onnx_builder *b)
{
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    unsigned axis = (unsigned)onnx_axis(b, onnx_int(b, "axis", -1), pop_tensor_rank(t));
    bool sums = onnx_int(b, "p", 2) == 1;
    pop_tensor total =
        onnx_reduce(b, sums ? ONNX_UNARY(b, ABSOLUTE, t) : t, POP_DIMS(axis), sums ? POPOPS_ADD : POPOPS_SQUARE_ADD);
    if (!onnx_ok(b))
        return false;
    total = onnx_cast(b, sums ? total : ONNX_UNARY(b, SQRT, total), pop_tensor_type(t));
    total = pop_tensor_expand_at(b->where, total, POP_DIMS(axis));
    return onnx_give_like(b, ONNX_BINARY(b, DIVIDE, t, total));
}

const onnx_operator onnx_norm_operators[] = {
    { ONNX_ROW("BatchNormalization", 1), build_batch_norm, NULL, 0, NULL },
    { ONNX_ROW("InstanceNormalization", 1), build_instance_norm, NULL, 0, NULL },
    { ONNX_ROW("LRN", 1), build_lrn, NULL, 0, NULL },
    { ONNX_ROW("LayerNormalization", 17), build_layer_norm, NULL, 0, NULL },
    { ONNX_ROW("LpNormalization", 1), build_lp_norm, NULL, 0, NULL },
    { ONNX_ROW("MeanVarianceNormalization", 9), build_mean_variance, NULL, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};

/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/model/operator.h"

#include <string.h>

static const onnx_operator *const families[] = {
    onnx_unary_operators,  onnx_binary_operators,    onnx_activation_operators, onnx_reduce_operators,
    onnx_view_operators,   onnx_constant_operators,  onnx_gather_operators,     onnx_conv_operators,
    onnx_pool_operators,   onnx_product_operators,   onnx_norm_operators,       onnx_softmax_operators,
    onnx_loss_operators,   onnx_recurrent_operators, onnx_control_operators,    onnx_quantise_operators,
    onnx_resize_operators, onnx_sort_operators,      onnx_signal_operators,     onnx_detection_operators,
    onnx_einsum_operators,
};
enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

const onnx_operator *onnx_find_operator(const char *name, const char *domain, int64_t opset)
{
    for (size_t i = 0; i < FAMILIES; ++i)
        for (const onnx_operator *row = families[i]; row->info.name; ++row)
            if (strcmp(row->info.name, name) == 0 && strcmp(row->info.domain, domain) == 0 &&
                (*domain || (opset >= row->info.since && opset <= row->info.until)))
                return row;
    return NULL;
}

const tremula_onnx_operator *tremula_onnx_operator_at(size_t index)
{
    for (size_t i = 0; i < FAMILIES; ++i)
        for (const onnx_operator *row = families[i]; row->info.name; ++row)
            if (index-- == 0)
                return &row->info;
    return NULL;
}

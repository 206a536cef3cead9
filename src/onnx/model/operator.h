/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operators: each family of operators is a file of operators/ with one row per operator.
 *
 * A row's build makes the outputs of a node in a graph; the shapes of what it makes are the shapes of the outputs, so
 * that no second statement of them can differ.  A node whose inputs are all known is folded: by the row's fold, which
 * computes on the host, or, where build makes nothing but views, by reading these views' order of elements. */
#ifndef ONNX_MODEL_OPERATOR_H
#define ONNX_MODEL_OPERATOR_H

#include "onnx/model/model.h"

typedef struct onnx_builder onnx_builder;
typedef bool (*onnx_build)(onnx_builder *b);

typedef struct onnx_operator {
    tremula_onnx_operator info;
    onnx_build build; /* NULL: only fold */
    onnx_build fold;  /* NULL: none; onnx_fold_views: build makes only views */
    int op;           /* for a build that serves several rows: its family's number of the operator, */
    const char *text; /* or its expression */
} onnx_operator;

enum { ONNX_ANY_OPSET = 999 };
/* The start of a row: an operator of ONNX's own domain since an operator set. */
#define ONNX_ROW(name, since)                                                                                          \
    {                                                                                                                  \
        name, "", since, ONNX_ANY_OPSET, false                                                                         \
    }
#define ONNX_HOST_ROW(name, since)                                                                                     \
    {                                                                                                                  \
        name, "", since, ONNX_ANY_OPSET, true                                                                          \
    }

/* A family's rows, ended by one without a name. */
extern const onnx_operator onnx_unary_operators[], onnx_binary_operators[], onnx_activation_operators[],
    onnx_reduce_operators[], onnx_shape_operators[], onnx_view_operators[], onnx_constant_operators[],
    onnx_gather_operators[], onnx_scatter_operators[], onnx_conv_operators[], onnx_pool_operators[],
    onnx_product_operators[], onnx_norm_operators[], onnx_softmax_operators[], onnx_loss_operators[],
    onnx_recurrent_operators[], onnx_control_operators[], onnx_quantise_operators[], onnx_resize_operators[],
    onnx_sort_operators[], onnx_signal_operators[], onnx_detection_operators[], onnx_einsum_operators[];

/* The row for an operator of a set; NULL when there is none. */
const onnx_operator *onnx_find_operator(const char *name, const char *domain, int64_t opset);

#endif

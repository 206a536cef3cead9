/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a graph's nodes. */
#ifndef ONNX_MODEL_ORDER_H
#define ONNX_MODEL_ORDER_H

#include "onnx/model/model.h"

/* Puts each node after those whose values it, or a graph within it, reads, and otherwise keeps the file's order.  False
 * with an error that names a node of a cycle. */
bool onnx_order_nodes(tremula_onnx_model *model, onnx_graph *graph, pop_error *error);

#endif

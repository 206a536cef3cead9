/* SPDX-License-Identifier: Apache-2.0 */
/* The logarithm of the softmax along the last dimension: x - max - log(sum(exp(x - max))). HALF or FLOAT, any shape. */
#ifndef POPNN_LOG_SOFTMAX_H
#define POPNN_LOG_SOFTMAX_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popnn_log_softmax(...) popnn_log_softmax_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence; returns a new tensor with t's layout. */
POP_API pop_tensor popnn_log_softmax_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence,
                                        const char *name);
/* Replaces t by its log-softmax along the innermost dimension. */
#define popnn_log_softmax_in_place(...) popnn_log_softmax_in_place_at(POP_HERE, __VA_ARGS__)
POP_API void popnn_log_softmax_in_place_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence,
                                           const char *name);

POP_END_DECLS
#endif

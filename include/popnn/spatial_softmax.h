/* SPDX-License-Identifier: Apache-2.0 */
/* The expected position of the maximum of a field, with the softmax of its elements as probabilities. */
#ifndef POPNN_SPATIAL_SOFTMAX_H
#define POPNN_SPATIAL_SOFTMAX_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popnn_spatial_softmax_2d(...) popnn_spatial_softmax_2d_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: for fields {F, height, width}, HALF or FLOAT, returns {F, 2}: row and column, from -1 (first)
 * to 1 (last). Fields are divided by *temperature_variable (may be NULL), a new scalar variable of their type with
 * initial value temperature, before the softmax. With disable_softmax, fields are taken as probabilities and the
 * variable has no effect. Other ranks and temperature 0 are poplar_error. */
POP_API pop_tensor popnn_spatial_softmax_2d_at(pop_where where, pop_graph *graph, pop_program sequence,
                                               pop_tensor fields, double temperature, bool disable_softmax,
                                               const char *name, pop_tensor *temperature_variable);

POP_END_DECLS
#endif

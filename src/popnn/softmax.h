/* SPDX-License-Identifier: Apache-2.0 */
/* The softmax family, for calls that have checked their arguments: half or float, rank at least 1, along the last
 * dimension. */
#ifndef POPNN_SOFTMAX_H
#define POPNN_SOFTMAX_H

#include <popnn/non_linearity.h>

#define POPNN_SOFTMAX_SCALING 62000.0f /* just under the largest half */

/* In place.  SOFTMAX_SCALED gives POPNN_SOFTMAX_SCALING times the probabilities. */
void popnn_softmax_at_last(pop_where where, pop_graph *graph, popnn_non_linearity_type type, pop_tensor t,
                           pop_program sequence, const char *name);
/* act (g - sum of act g). */
pop_tensor popnn_softmax_gradient(pop_where where, pop_graph *graph, pop_tensor act, pop_tensor out_gradient,
                                  pop_program sequence, const char *name);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The softmax family along the last dimension, for callers that have checked the arguments: half or float, rank at
 * least 1. */
#ifndef POPNN_ACTIVATION_SOFTMAX_H
#define POPNN_ACTIVATION_SOFTMAX_H

#include "poplibs/call.h"

#include <popnn/non_linearity.h>

#define POPNN_SOFTMAX_SCALING 62000.0f /* slightly below the largest half */

/* In place. SOFTMAX_SCALED gives the probabilities times POPNN_SOFTMAX_SCALING. */
void softmax_at_last(const struct call *call, popnn_non_linearity_type type, pop_tensor t);
/* act (g - sum of act g). */
pop_tensor softmax_gradient(const struct call *call, pop_tensor act, pop_tensor out_gradient);

#endif

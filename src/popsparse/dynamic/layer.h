/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of fully connected layers, which the embeddings tied to them share. */
#ifndef POPSPARSE_DYNAMIC_LAYER_H
#define POPSPARSE_DYNAMIC_LAYER_H

#include "popsparse/pass/request.h"

bool sparse_layer_request(const struct call *call, const popsparse_dynamic_fully_connected_params *params,
                          pop_type type, popsparse_planning_cache *cache, struct sparse_request *request);
/* Checks that the plan is for a pass. A pass for which the plan was not made would find other buckets. */
bool sparse_layer_planned_for(const struct call *call, bool planned, const char *option);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Estimators: their queries about a vertex, and limits of fields for the libraries' planners. */
#ifndef GRAPH_ESTIMATE_H
#define GRAPH_ESTIMATE_H

#include "graph/store.h"

/* Cycles of a vertex: its own estimate, else its type's estimator.  False when it has neither. */
bool store_estimate(pop_store *store, uint32_t vertex, pop_perf *perf);

#endif

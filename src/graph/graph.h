/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs, for the layers above: the store and all that works on it. */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include "graph/store/store.h"
#include "graph/variable/variable.h"
#include "graph/vertex/vertex.h"
#include "graph/view/tensor.h"
#include "graph/view/view.h"

/* ---- lifetime.c ---- */

/* Makes an empty store for a graph; its first handle is counted. */
pop_store *store_create(pop_graph *top, const pop_target *target);
/* A handle of the store goes; with the last one everything does, the top graph included. */
void store_release(pop_store *store);

#endif

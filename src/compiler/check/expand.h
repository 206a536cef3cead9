/* SPDX-License-Identifier: Apache-2.0 */
/* Before the passes: replicated parts of a graph (createReplicatedGraph) become one part for each replica. */
#ifndef COMPILER_CHECK_EXPAND_H
#define COMPILER_CHECK_EXPAND_H

#include "graph/store.h"

/* The expanded lists of the store during a compilation, and the original ones. */
struct expansion;

/* NULL and the error filled in on failure; *expansion is NULL where nothing is replicated.  All vertices, edges,
 * programs, streams and handles of the store are those of single replicas until expansion_undo. */
bool expansion_make(pop_store *store, const pop_program *programs, size_t count, struct expansion **expansion,
                    pop_error *error);
void expansion_undo(struct expansion *expansion);

#endif

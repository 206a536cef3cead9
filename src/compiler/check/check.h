/* SPDX-License-Identifier: Apache-2.0 */
/* check: whether what the programs use is complete. */
#ifndef COMPILER_CHECK_CHECK_H
#define COMPILER_CHECK_CHECK_H

#include "compiler/common/compiler.h"
#include "graph/store/store.h"

struct expansion;

/* Edges are connected, state has sizes, vertices and elements are mapped, nothing constant is written.  Compacts the
 * tile maps of used variables.  NULL: an error, with the user's line. */
const struct check_result *pass_check(struct compiler *c, const struct use_result *use);

/* hazard.c: hazard: vertices of a compute set that run in any order give the same result. */

/* False: a set writes an element twice, or reads what another of its vertices writes (graph_cycle_error). */
bool pass_hazard(struct compiler *c, const struct order_result *sets);

/* ascending.c: sets whose vertices have no hazard at a glance. */

/* By set: whether no variable is both read and written, and the runs that vertices write of each one ascend. The caller
 * frees it. */
bool *ascending_sets(struct compiler *c, const struct order_result *sets);

/* expand.c: before the passes: replicated parts of a graph (createReplicatedGraph) become one part for each
 * replica. */

/* The expanded lists of the store during a compilation, and the original ones. */

/* NULL and the error filled in on failure; *expansion is NULL where nothing is replicated.  All vertices, edges,
 * programs, streams and handles of the store are those of single replicas until expansion_undo. */
bool expansion_make(pop_store *store, const pop_program *programs, size_t count, struct expansion **expansion,
                    pop_error *error);
void expansion_undo(struct expansion *expansion);

/* use.c: use: which nodes, functions and compute sets the control programs reach. */

/* NULL: an error, with the user's line. */
const struct use_result *pass_use(struct compiler *c);
/* Child number i of a node (a Call's is the function's program), NO_PROGRAM where there is a gap; false after the last
 * one. */
bool use_child(const struct compiler *c, const struct program_node *n, size_t i, uint32_t *child);

#endif

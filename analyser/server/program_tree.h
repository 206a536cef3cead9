/* SPDX-License-Identifier: Apache-2.0 */
/* Executions and cycles of the programs that contain others: the report has rows of steps alone. */
#ifndef ANALYSER_PROGRAM_TREE_H
#define ANALYSER_PROGRAM_TREE_H

#include "program_cost.h"

struct program_tree {
    VEC(uint32_t) parent, child; /* pairs, by parent, in order */
};

/* Reads the tree. *error is set on failure. */
pop_status program_tree_read(pva_file *report, struct program_tree *tree, pop_error *error);
/* Sets `executions` and `within` of the costs, in which `times` and `elapsed` are known.
 *
 * Executions: those of a control program are its captured runs; a part of a Sequence runs as often as the Sequence; the
 * branches of an If or a Switch, and a loop's body, as often as the steps in them show; a function as often as its
 * steps show; calls of which nothing else is known share what other calls leave of them. within: the program's cycles
 * and those of its parts and of the functions that it calls; the calls of a function share its cycles by their
 * executions. */
pop_status program_tree_costs(pva_file *report, const struct program_tree *tree, struct costs *costs, pop_error *error);
void program_tree_free(struct program_tree *tree);

#endif

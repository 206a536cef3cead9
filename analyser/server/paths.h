/* SPDX-License-Identifier: Apache-2.0 */
/* Figures by debug path as a tree: frames of a flame graph. */
#ifndef ANALYSER_PATHS_H
#define ANALYSER_PATHS_H

#include "answer.h"
#include "figures.h"

/* What flame graphs show.  A path's last part is the type of a program, or what the compiler made of a variable. */
extern const struct metric flame_metrics[];
extern const size_t flame_metric_count;

/* Answers the tree of figures of one metric, which it sorts: columns parent (its own index for the root), name, depth,
 * self and total, times; and for two reports selfB, totalB and timesB.  Parents come before their children. */
void paths_answer(struct answer *answer, struct figures *figures, bool both);

#endif

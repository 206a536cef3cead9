/* SPDX-License-Identifier: Apache-2.0 */
/* Figures by debug path as a tree: frames of a flame graph. */
#ifndef ANALYSER_PATHS_H
#define ANALYSER_PATHS_H

#include "answer.h"
#include "figures.h"

/* The metrics of flame graphs. A path's last component is the type of a program, or the compiler's name for a part
 * of a variable. */
extern const struct metric flame_metrics[];
extern const size_t flame_metric_count;

/* Answers the tree of the figures of one metric, which it sorts: columns parent (its own index for the root), name,
 * depth, self and total, times; for two reports also selfB, totalB and timesB. Parents precede their children. */
void paths_answer(struct answer *answer, struct figures *figures, bool both);

#endif

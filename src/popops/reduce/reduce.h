/* SPDX-License-Identifier: Apache-2.0 */
/* Requests for reductions: checks the arguments and builds the stages (reduce_parts.h). */
#ifndef POPOPS_REDUCE_REDUCE_H
#define POPOPS_REDUCE_REDUCE_H

#include "popops/reduce/reduce_parts.h"

/* The next of the compute sets; `name` is appended to the reduction's name. */
pop_compute_set reduce_next_set(struct reduction *r, const char *name);

#endif

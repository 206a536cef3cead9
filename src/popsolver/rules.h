/* SPDX-License-Identifier: Apache-2.0 */
/* The propagation rules of constraints. */
#ifndef POPSOLVER_RULES_H
#define POPSOLVER_RULES_H

#include "popsolver/search.h"

/* Applies the rule of one constraint; false when a domain became empty or a function ended the search. */
bool propagate_constraint(struct solver *solver, const struct constraint *constraint);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a search: what is left of each domain, and how to get back. */
#ifndef POPSOLVER_SEARCH_H
#define POPSOLVER_SEARCH_H

#include "popsolver/model.h"

/* A queue of constraints, each in it at most once: a ring with a flag for each. */
struct queue {
    uint32_t *ring;
    uint32_t head, count, capacity;
};

/* Constraints that a change of variable v concerns: list[start[v]] to list[start[v + 1]]. */
struct watchers {
    uint32_t *start, *list;
};

struct change {
    uint32_t variable;
    struct domain before;
};

/* A choice that is open: the values of variable from lower on; changes from mark on belong to the other half. */
struct choice {
    uint32_t variable;
    uint64_t lower;
    size_t mark;
};

struct solver {
    const popsolver_model *model;
    popsolver_variables objectives;
    popsolver_statistics *statistics;
    struct domain *domains;
    struct watchers watchers,
        call_watchers;         /* those of calls: only when a variable is decided; of others: at each change */
    struct queue queue, calls; /* calls are propagated when all else is done */
    bool *queued, *is_operand; /* of a constraint; of a variable: an operand of a call */
    struct change *changes;
    size_t change_count, changes_capacity;
    uint64_t *stamps, stamp; /* a domain is kept once between two choices */
    struct choice *choices;
    size_t choice_count, choices_capacity;
    uint64_t *best;           /* values of the objectives, once there is a solution */
    uint64_t *arguments;      /* of the call that is made */
    bool found, stopped, cut; /* cut: propagation was, once */
};

/* Takes away values below or above; false when none is left. */
bool raise_min(struct solver *solver, uint32_t variable, uint64_t min);
bool lower_max(struct solver *solver, uint32_t variable, uint64_t max);
/* Puts a constraint in its queue; number model->count is "better than the best". */
void enqueue(struct solver *solver, uint32_t constraint);
/* Until nothing changes, or for long enough, and then the queues are not empty; false when a domain became empty or a
 * function ended the search, and then they are. */
bool propagate(struct solver *solver);
/* Values for all variables, lexicographically minimal in the objectives, written to values; statistics are counted. */
popsolver_outcome solve(const popsolver_model *model, popsolver_variables objectives, uint64_t *values,
                        popsolver_statistics *statistics);

#endif

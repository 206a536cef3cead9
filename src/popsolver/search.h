/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a search: current domains, and data for backtracking. */
#ifndef POPSOLVER_SEARCH_H
#define POPSOLVER_SEARCH_H

#include "popsolver/model.h"

/* A queue of constraints without duplicates: a ring buffer with a flag for each constraint. */
struct queue {
    uint32_t *ring;
    uint32_t head, count, capacity;
};

/* Constraints to propagate when variable v changes: list[start[v]] to list[start[v + 1] - 1]. */
struct watchers {
    uint32_t *start, *list;
};

struct change {
    uint32_t variable;
    struct domain before;
};

/* An open choice: the values of variable from lower on; changes from mark on belong to the half that was explored. */
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
        call_watchers;         /* of calls: queued only when a variable is decided; of others: queued at each change */
    struct queue queue, calls; /* calls are propagated when queue is empty */
    bool *queued, *is_operand; /* queued: by constraint; is_operand: by variable, whether it is an operand of a call */
    struct change *changes;
    size_t change_count, changes_capacity;
    uint64_t *stamps, stamp; /* limit the saved copies of a domain to one between two choices */
    struct choice *choices;
    size_t choice_count, choices_capacity;
    uint64_t *best;           /* values of the objectives in the best solution so far */
    uint64_t *arguments;      /* of the current call */
    bool found, stopped, cut; /* cut: propagation was stopped by its limit at least once */
};

/* Removes values below min, or above max; false when the domain becomes empty. */
bool raise_min(struct solver *solver, uint32_t variable, uint64_t min);
bool lower_max(struct solver *solver, uint32_t variable, uint64_t max);
/* Adds a constraint to its queue; number model->count is "better than the best". */
void enqueue(struct solver *solver, uint32_t constraint);
/* Propagates until nothing changes or the limit is reached, which leaves constraints in the queues. Returns false,
 * with empty queues, when a domain became empty or a function ended the search. */
bool propagate(struct solver *solver);
/* Finds the solution that is lexicographically minimal in the objectives, writes all variables to values, and counts
 * statistics. */
popsolver_outcome solve(const popsolver_model *model, popsolver_variables objectives, uint64_t *values,
                        popsolver_statistics *statistics);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of several processes ("instances") that share the replicas of an engine: sums, gathers and broadcasts of
 * host data between them, over the ranks of an MPI program (poplar/ranks.h, whose rules and errors apply). Alone, a
 * program is instance 0 of 1, and the calls copy. */
#ifndef POPDIST_POPDIST_H
#define POPDIST_POPDIST_H

#include <poplar/engine.h>
#include <poplar/type.h>

/* This process and the replicas that are its: replicas instance * total / instances up to those of the next. */
typedef struct popdist_context {
    unsigned instance, instances;     /* number of this process, and of all */
    unsigned total_replicas;          /* of POPDIST_NUM_TOTAL_REPLICAS; as many as instances where it is not set */
    unsigned first_replica, replicas; /* of this process */
} popdist_context;

POP_BEGIN_DECLS

/* The context of this process. invalid_option: POPDIST_NUM_TOTAL_REPLICAS is no number, or less than the instances. */
POP_API pop_status popdist_context_get(popdist_context *context, pop_error *error) POP_MUST_CHECK;
/* Adds the elements of all instances, in their order, so that all have the same bits: BOOL is or. Integers wrap; HALF
 * is summed in float and rounded once. type_error for a type that has no sum on the host. */
POP_API pop_status popdist_all_reduce_sum(void *data, pop_type type, size_t count, pop_error *error) POP_MUST_CHECK;
/* Gathers `bytes` bytes of each instance in all, in the order of the instances. */
POP_API pop_status popdist_all_gather(const void *own, size_t bytes, void *all, pop_error *error) POP_MUST_CHECK;
/* Copies the data of instance `root` to all. */
POP_API pop_status popdist_broadcast(void *data, size_t bytes, unsigned root, pop_error *error) POP_MUST_CHECK;
/* Runs a program of an engine in all instances; those that cannot begin it end the run of the others. name may be NULL.
 */
POP_API pop_status popdist_run(pop_engine *engine, unsigned program, const char *name, pop_error *error) POP_MUST_CHECK;

POP_END_DECLS
#endif

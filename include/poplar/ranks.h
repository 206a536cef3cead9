/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that share the replicas of a program: the ranks of an MPI program (docs/concepts/replicas.md,
 * Processes). A program that mpirun did not start is the only rank, 0 of 1. All ranks make the calls of this header,
 * and run engines, in the same order, one thread at a time. */
#ifndef POPLAR_RANKS_H
#define POPLAR_RANKS_H

#include <poplar/error.h>

POP_BEGIN_DECLS

/* The number of ranks, and the number of this one. Under mpirun the first call starts MPI; runtime_error if it cannot.
 */
POP_API pop_status pop_ranks(unsigned *rank, unsigned *count, pop_error *error) POP_MUST_CHECK;
/* Gathers `bytes` bytes of each rank: all receives count * bytes bytes, in the order of the ranks. runtime_error: a
 * rank has ended or does not answer. */
POP_API pop_status pop_ranks_gather(const void *own, size_t bytes, void *all, pop_error *error) POP_MUST_CHECK;

POP_END_DECLS
#endif

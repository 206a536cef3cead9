/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of the IPUs of one graph in rings, and in pairs at growing distances. */
#ifndef POPOPS_COLLECTIVES_IPU_RINGS_H
#define POPOPS_COLLECTIVES_IPU_RINGS_H

#include "popops/collectives/group.h"

/* The parts of a collective that a method must support. */
enum ipu_pass { IPU_REDUCE_SCATTER, IPU_ALL_GATHER, IPU_ALL_REDUCE };
/* The context's method if the pass supports it, otherwise the cheapest by the links and syncs of the target.  bytes:
 * one IPU's share of the whole result; commutes: whether the operator commutes bit by bit (true without an
 * operator). */
enum collective_method ipu_method(const struct collective *c, enum ipu_pass pass, size_t bytes, bool commutes);

/* Reduces rows data {members, elements} by a ring: chunks[i] receives elements [i elements / members, ...) in a new
 * variable, on the tiles of these elements of data[i]. */
void ipu_ring_reduce_scatter(const struct collective *c, pop_tensor data, pop_tensor *chunks);
/* Gathers count chunks by a ring.  Chunk i is on IPU home[i] and is copied to rows[ipu * count + i], which has the same
 * shape, for each of the context's members. */
void ipu_ring_all_gather(const struct collective *c, const pop_tensor *chunks, const unsigned *home, size_t count,
                         const pop_tensor *rows);
/* Reduces rows data {members, elements} in pairs: new variables {members, elements} with equal rows, each mapped like
 * data's row. */
pop_tensor ipu_tree_all_reduce(const struct collective *c, pop_tensor data);

#endif

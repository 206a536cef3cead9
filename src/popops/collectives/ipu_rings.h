/* SPDX-License-Identifier: Apache-2.0 */
/* The IPUs of one graph in rings, and in pairs at growing distances. */
#ifndef POPOPS_COLLECTIVES_IPU_RINGS_H
#define POPOPS_COLLECTIVES_IPU_RINGS_H

#include "popops/collectives/combine.h"

/* What a collective of IPUs does. */
enum ipu_pass { IPU_REDUCE_SCATTER, IPU_ALL_GATHER, IPU_ALL_REDUCE };
/* A method that the pass has: the one of the context where it has, or what costs least by the links and syncs of the
 * target.  bytes: of what one IPU has of the whole result; commutes: of the operator (true where there is none). */
enum collective_method ipu_method(const struct collective *c, enum ipu_pass pass, size_t bytes, bool commutes);

/* Rows data {members, elements} reduced: chunks[i] are elements [i elements / members, ...) in new variables, on the
 * tiles where data[i] has them.  By a ring. */
void ipu_ring_reduce_scatter(const struct collective *c, pop_tensor data, pop_tensor *chunks);
/* count chunks, of which chunk i is on IPU home[i], go to rows[ipu * count + i], of the same shape on each of the
 * context's members.  By a ring. */
void ipu_ring_all_gather(const struct collective *c, const pop_tensor *chunks, const unsigned *home, size_t count,
                         const pop_tensor *rows);
/* Rows data {members, elements}: all of them reduced, each where data has it, in new variables. */
pop_tensor ipu_tree_all_reduce(const struct collective *c, pop_tensor data);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives under the names of the communication library: those of replicas (described in popops/collectives.h)
 * and those of the IPUs of a replica (popops/ipu_collectives.h). */
#ifndef GCL_COLLECTIVES_H
#define GCL_COLLECTIVES_H

#include <popops/collectives.h>
#include <popops/ipu_collectives.h>

/* popops_group_all_reduce (popops/collectives.h): reduces over the replicas of a group; each gets the result. */
#define gcl_all_reduce_cross_replica(...) popops_group_all_reduce_at(POP_HERE, __VA_ARGS__)
/* popops_group_all_reduce_with_output: as before, written to an existing tensor. */
#define gcl_all_reduce_to_destination_cross_replica(...) popops_group_all_reduce_with_output_at(POP_HERE, __VA_ARGS__)
/* popops_group_reduce_scatter: reduces over the replicas of a group; each gets a part of the result. */
#define gcl_reduce_scatter_cross_replica(...) popops_group_reduce_scatter_at(POP_HERE, __VA_ARGS__)
/* popops_group_all_gather: each replica of a group gets the tensors of all. */
#define gcl_all_gather_cross_replica(...) popops_group_all_gather_at(POP_HERE, __VA_ARGS__)
/* popops_group_all_to_all: replica i of a group gets slice i of each. */
#define gcl_all_to_all_cross_replica(...) popops_group_all_to_all_at(POP_HERE, __VA_ARGS__)
/* popops_group_broadcast: each replica of a group gets the tensor of the first. */
#define gcl_broadcast_cross_replica(...) popops_group_broadcast_at(POP_HERE, __VA_ARGS__)
/* popops_ipu_all_reduce (popops/ipu_collectives.h): reduces over the IPUs of a replica; each gets the result. */
#define gcl_all_reduce_within_replica(...) popops_ipu_all_reduce_at(POP_HERE, __VA_ARGS__)
/* popops_ipu_reduce_scatter: reduces over the IPUs of a replica; each gets a part of the result. */
#define gcl_reduce_scatter_within_replica(...) popops_ipu_reduce_scatter_at(POP_HERE, __VA_ARGS__)
/* popops_all_gather_chunks: each IPU of a replica gets the chunks of all. */
#define gcl_all_gather_within_replica(...) popops_all_gather_chunks_at(POP_HERE, __VA_ARGS__)

#endif

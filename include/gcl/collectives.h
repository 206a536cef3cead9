/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives under the names of the communication library: those of replicas (described in popops/collectives.h)
 * and those of the IPUs of a replica (popops/ipu_collectives.h). */
#ifndef GCL_COLLECTIVES_H
#define GCL_COLLECTIVES_H

#include <popops/collectives.h>
#include <popops/ipu_collectives.h>

#define gcl_all_reduce_cross_replica(...)                popops_group_all_reduce_at(POP_HERE, __VA_ARGS__)
#define gcl_all_reduce_to_destination_cross_replica(...) popops_group_all_reduce_with_output_at(POP_HERE, __VA_ARGS__)
#define gcl_reduce_scatter_cross_replica(...)            popops_group_reduce_scatter_at(POP_HERE, __VA_ARGS__)
#define gcl_all_gather_cross_replica(...)                popops_group_all_gather_at(POP_HERE, __VA_ARGS__)
#define gcl_all_to_all_cross_replica(...)                popops_group_all_to_all_at(POP_HERE, __VA_ARGS__)
#define gcl_broadcast_cross_replica(...)                 popops_group_broadcast_at(POP_HERE, __VA_ARGS__)
#define gcl_all_reduce_within_replica(...)               popops_ipu_all_reduce_at(POP_HERE, __VA_ARGS__)
#define gcl_reduce_scatter_within_replica(...)           popops_ipu_reduce_scatter_at(POP_HERE, __VA_ARGS__)
#define gcl_all_gather_within_replica(...)               popops_all_gather_chunks_at(POP_HERE, __VA_ARGS__)

#endif

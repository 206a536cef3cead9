/* SPDX-License-Identifier: Apache-2.0 */
/* What replicas of a graph do together.  Each replica gives a tensor; the same call stands in the program of all.  With
 * one replica, or in groups of one, they are copies.
 *
 * Options: "method", how the data goes round: auto (the cheapest by the target's links and syncs); clockwise_ring,
 * anticlockwise_ring; bidirectional_ring_pair: half of the data each way; meet_in_middle_ring: both ways, half as far;
 * quad_directional_ring: a quarter each way of two rings, of which one has the replicas of a pair exchanged (with an
 * odd number of members: as bidirectional_ring_pair); broadcast: each to all; tree (ours): pairs at distances of 1, 2,
 * 4,
 * ..., where results of the two may be exchanged to the bit (not MIN and MAX of floats).  A reduction by broadcast or
 * by tree where there is none is one by the bidirectional ring pair.  "syncful.maxBroadcastSize" [2048]: bytes of all
 * members together up to which auto may take broadcast.
 *
 * Results are the same to the bit in all members, and for any number of host threads.  Half is added up in half.  A
 * program's size does not depend on the number of replicas, but by broadcast and in all_to_all, where it grows with it.
 *
 * Errors: poplar_error for operators and types that do not fit, shapes, and groups that do not divide the replicas. */
#ifndef POPOPS_COLLECTIVES_H
#define POPOPS_COLLECTIVES_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popops/operation.h>

/* Which replicas work together.  Members are in order of their numbers.
 *   CONSECUTIVE with stride 1: 0 .. size-1, size .. 2 size-1, ...; with stride s: of each block of size * s replicas
 *   those whose numbers are equal modulo s.
 *   ORTHOGONAL: with m = replicas / size groups, group i is i, i + m, i + 2 m, ...
 * {0} is all, whatever the size. */
typedef enum popops_group_type {
    POPOPS_GROUP_ALL = 0,
    POPOPS_GROUP_CONSECUTIVE,
    POPOPS_GROUP_ORTHOGONAL
} popops_group_type;
typedef struct popops_replica_group {
    popops_group_type type;
    unsigned size;
    unsigned stride; /* 0 is 1 */
} popops_replica_group;
#define POPOPS_ALL_REPLICAS ((popops_replica_group){ POPOPS_GROUP_ALL, 0, 1 })

typedef enum popops_collective_operator {
    POPOPS_COLLECTIVE_ADD = 0,
    POPOPS_COLLECTIVE_MEAN, /* of FLOAT and HALF */
    POPOPS_COLLECTIVE_MUL,
    POPOPS_COLLECTIVE_MIN,
    POPOPS_COLLECTIVE_MAX,
    POPOPS_COLLECTIVE_LOGICAL_AND, /* of BOOL */
    POPOPS_COLLECTIVE_LOGICAL_OR,
    POPOPS_COLLECTIVE_SQUARE_ADD, /* the sum of the squares */
    POPOPS_COLLECTIVE_LOCAL,      /* none: each member keeps its own */
    POPOPS_COLLECTIVE_LOG_ADD     /* log of the sum of exp, of FLOAT and HALF */
} popops_collective_operator;
enum { POPOPS_COLLECTIVE_OPERATORS = POPOPS_COLLECTIVE_LOG_ADD + 1 };

POP_BEGIN_DECLS

POP_API const char *popops_collective_operator_name(popops_collective_operator op); /* "ADD"; "unknown" */

/* ---- of a group of replicas; each adds to a sequence ---- */

#define popops_group_all_reduce(...) popops_group_all_reduce_at(POP_HERE, __VA_ARGS__)
/* A new tensor of data's shape and mapping, each element op of that element of all members. */
POP_API pop_tensor popops_group_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data,
                                              popops_collective_operator op, popops_replica_group group,
                                              pop_program sequence, const char *name, pop_options options);
#define popops_group_all_reduce_with_output(...) popops_group_all_reduce_with_output_at(POP_HERE, __VA_ARGS__)
/* Into output, of data's shape and type, which may be data. */
POP_API void popops_group_all_reduce_with_output_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                    pop_tensor output, popops_collective_operator op,
                                                    popops_replica_group group, pop_program sequence, const char *name,
                                                    pop_options options);
#define popops_group_reduce_scatter(...) popops_group_reduce_scatter_at(POP_HERE, __VA_ARGS__)
/* The reduction of a tensor of rank 1, of which member i gets elements [i c, (i + 1) c), c = ceil(elements / size);
 * what there is beyond the end is 0. */
POP_API pop_tensor popops_group_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                  popops_collective_operator op, popops_replica_group group,
                                                  pop_program sequence, const char *name, pop_options options);
#define popops_group_all_gather(...) popops_group_all_gather_at(POP_HERE, __VA_ARGS__)
/* {size, data's shape}: element i is member i's data. */
POP_API pop_tensor popops_group_all_gather_at(pop_where where, pop_graph *graph, pop_tensor data,
                                              popops_replica_group group, pop_program sequence, const char *name,
                                              pop_options options);
#define popops_group_all_to_all(...) popops_group_all_to_all_at(POP_HERE, __VA_ARGS__)
/* data's outer dimension is the group's size: slice i goes to member i, where it is the slice of the sender's number.
 */
POP_API pop_tensor popops_group_all_to_all_at(pop_where where, pop_graph *graph, pop_tensor data,
                                              popops_replica_group group, pop_program sequence, const char *name,
                                              pop_options options);
#define popops_group_broadcast(...) popops_group_broadcast_at(POP_HERE, __VA_ARGS__)
/* A new tensor: the data of the member of that number in its group. */
POP_API pop_tensor popops_group_broadcast_at(pop_where where, pop_graph *graph, pop_tensor data, unsigned root,
                                             popops_replica_group group, pop_program sequence, const char *name,
                                             pop_options options);

/* ---- of all replicas, with the operations of reductions ---- */

#define popops_replicated_all_reduce(...) popops_replicated_all_reduce_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_replicated_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                   popops_operation op, pop_program sequence, const char *name,
                                                   pop_options options);
#define popops_replicated_all_reduce_with_output(...) popops_replicated_all_reduce_with_output_at(POP_HERE, __VA_ARGS__)
POP_API void popops_replicated_all_reduce_with_output_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                         pop_tensor output, popops_operation op, pop_program sequence,
                                                         const char *name, pop_options options);
#define popops_replicated_all_reduce_in_place(...) popops_replicated_all_reduce_in_place_at(POP_HERE, __VA_ARGS__)
POP_API void popops_replicated_all_reduce_in_place_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                      popops_operation op, pop_program sequence, const char *name,
                                                      pop_options options);
#define popops_replicated_reduce_scatter(...) popops_replicated_reduce_scatter_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_replicated_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                       popops_operation op, pop_program sequence, const char *name,
                                                       pop_options options);
#define popops_replicated_all_gather(...) popops_replicated_all_gather_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_replicated_all_gather_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                   pop_program sequence, const char *name, pop_options options);
#define popops_all_to_all_personalized_exchange(...) popops_all_to_all_personalized_exchange_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_all_to_all_personalized_exchange_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                              pop_program sequence, const char *name,
                                                              pop_options options);

POP_END_DECLS
#endif

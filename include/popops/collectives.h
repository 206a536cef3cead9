/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of the replicas of a graph.  All replicas run the same program; each contributes its own tensor.  With
 * one replica, or in groups of one, collectives are copies.
 *
 * Option "method" (auto), how data moves between the n members of a group (docs/concepts/replicas.md):
 *   - auto: the method that costs least by the target's links and syncs;
 *   - clockwise_ring, anticlockwise_ring: n fragments, each moved n - 1 steps in one direction;
 *   - bidirectional_ring_pair: half of each fragment in either direction, at the same time;
 *   - meet_in_middle_ring: whole fragments in both directions, half as many steps;
 *   - quad_directional_ring: quarters, in both directions of two rings; the second ring has the two members of each
 *     pair exchanged.  With an odd number of members as bidirectional_ring_pair;
 *   - broadcast: each member sends to all others at once;
 *   - tree (Tremula only): exchanges between pairs at distances 1, 2, 4, ...  It needs an operator whose operands may
 *     be exchanged without changing the result's bits (all but MIN and MAX of floats).
 *
 * A reduction for which broadcast or tree is not available uses bidirectional_ring_pair.  Option
 * "syncful.maxBroadcastSize" (2048): the largest number of bytes of all members together for which auto considers
 * broadcast.
 *
 * Results are bit-identical in all members and for any number of host threads.  HALF is summed in half.  The size of a
 * program does not depend on the number of replicas, except with broadcast and in all_to_all, where it grows with it.
 *
 * Errors: poplar_error for operators that do not take the type, shapes that do not match, and groups that do not divide
 * the replicas. */
#ifndef POPOPS_COLLECTIVES_H
#define POPOPS_COLLECTIVES_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popops/operation.h>

/* Which replicas form a group.  Members are ranked by their replica index.
 *   - CONSECUTIVE with stride 1: groups 0 .. size-1, size .. 2 size-1, ...; with stride s: in each block of size * s
 *     replicas, those whose indices are equal modulo s.
 *   - ORTHOGONAL: with m = replicas / size groups, group i has replicas i, i + m, i + 2 m, ...
 *
 * {0} is one group of all replicas, whatever the size. */
typedef enum popops_group_type {
    POPOPS_GROUP_ALL = 0,
    POPOPS_GROUP_CONSECUTIVE,
    POPOPS_GROUP_ORTHOGONAL
} popops_group_type;
/* A division of all replicas into groups. */
typedef struct popops_replica_group {
    popops_group_type type; /* how groups are formed */
    unsigned size;          /* replicas of a group; any for POPOPS_GROUP_ALL */
    unsigned stride;        /* 0 means 1 */
} popops_replica_group;
/* One group of all replicas. */
#define POPOPS_ALL_REPLICAS ((popops_replica_group){ POPOPS_GROUP_ALL, 0, 1 })

/* How the members' elements are combined. */
typedef enum popops_collective_operator {
    POPOPS_COLLECTIVE_ADD = 0,
    POPOPS_COLLECTIVE_MEAN, /* FLOAT and HALF only */
    POPOPS_COLLECTIVE_MUL,
    POPOPS_COLLECTIVE_MIN,
    POPOPS_COLLECTIVE_MAX,
    POPOPS_COLLECTIVE_LOGICAL_AND, /* BOOL only, as the next */
    POPOPS_COLLECTIVE_LOGICAL_OR,
    POPOPS_COLLECTIVE_SQUARE_ADD, /* the sum of squares */
    POPOPS_COLLECTIVE_LOCAL,      /* no reduction: each member keeps its own data */
    POPOPS_COLLECTIVE_LOG_ADD     /* log of the sum of exp; FLOAT and HALF only */
} popops_collective_operator;
enum { POPOPS_COLLECTIVE_OPERATORS = POPOPS_COLLECTIVE_LOG_ADD + 1 };

POP_BEGIN_DECLS

/* An operator's name, such as "ADD"; "unknown" for other numbers. */
POP_API const char *popops_collective_operator_name(popops_collective_operator op);

/* ---- collectives of a group of replicas; each adds to a sequence ---- */

#define popops_group_all_reduce(...) popops_group_all_reduce_at(POP_HERE, __VA_ARGS__)
/* All-reduce: a new tensor of data's shape and mapping; each element is the reduction of that element over all
 * members. */
POP_API pop_tensor popops_group_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data,
                                              popops_collective_operator op, popops_replica_group group,
                                              pop_program sequence, const char *name, pop_options options);
#define popops_group_all_reduce_with_output(...) popops_group_all_reduce_with_output_at(POP_HERE, __VA_ARGS__)
/* All-reduce, written to output, which has data's shape and type and may be data. */
POP_API void popops_group_all_reduce_with_output_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                    pop_tensor output, popops_collective_operator op,
                                                    popops_replica_group group, pop_program sequence, const char *name,
                                                    pop_options options);
#define popops_group_reduce_scatter(...) popops_group_reduce_scatter_at(POP_HERE, __VA_ARGS__)
/* Reduce-scatter of data, a tensor of rank 1: member i gets elements [i c, (i + 1) c) of the reduction, where c =
 * ceil(elements / size).  Elements beyond the end are 0. */
POP_API pop_tensor popops_group_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                  popops_collective_operator op, popops_replica_group group,
                                                  pop_program sequence, const char *name, pop_options options);
#define popops_group_all_gather(...) popops_group_all_gather_at(POP_HERE, __VA_ARGS__)
/* All-gather: a new tensor {size, data's shape}, whose element i is member i's data. */
POP_API pop_tensor popops_group_all_gather_at(pop_where where, pop_graph *graph, pop_tensor data,
                                              popops_replica_group group, pop_program sequence, const char *name,
                                              pop_options options);
#define popops_group_all_to_all(...) popops_group_all_to_all_at(POP_HERE, __VA_ARGS__)
/* All-to-all: data's outermost dimension is the group's size.  Slice i is sent to member i, where it becomes the slice
 * of the sender's rank. */
POP_API pop_tensor popops_group_all_to_all_at(pop_where where, pop_graph *graph, pop_tensor data,
                                              popops_replica_group group, pop_program sequence, const char *name,
                                              pop_options options);
#define popops_group_broadcast(...) popops_group_broadcast_at(POP_HERE, __VA_ARGS__)
/* Broadcast: a new tensor with the data of the member of rank root in its group. */
POP_API pop_tensor popops_group_broadcast_at(pop_where where, pop_graph *graph, pop_tensor data, unsigned root,
                                             popops_replica_group group, pop_program sequence, const char *name,
                                             pop_options options);

/* ---- collectives of all replicas, with the operations of reductions ---- */

#define popops_replicated_all_reduce(...) popops_replicated_all_reduce_at(POP_HERE, __VA_ARGS__)
/* As popops_group_all_reduce, over all replicas. */
POP_API pop_tensor popops_replicated_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                   popops_operation op, pop_program sequence, const char *name,
                                                   pop_options options);
#define popops_replicated_all_reduce_with_output(...) popops_replicated_all_reduce_with_output_at(POP_HERE, __VA_ARGS__)
/* All-reduce over all replicas, written to output. */
POP_API void popops_replicated_all_reduce_with_output_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                         pop_tensor output, popops_operation op, pop_program sequence,
                                                         const char *name, pop_options options);
#define popops_replicated_all_reduce_in_place(...) popops_replicated_all_reduce_in_place_at(POP_HERE, __VA_ARGS__)
/* All-reduce over all replicas, written to data. */
POP_API void popops_replicated_all_reduce_in_place_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                      popops_operation op, pop_program sequence, const char *name,
                                                      pop_options options);
#define popops_replicated_reduce_scatter(...) popops_replicated_reduce_scatter_at(POP_HERE, __VA_ARGS__)
/* As popops_group_reduce_scatter, over all replicas. */
POP_API pop_tensor popops_replicated_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                       popops_operation op, pop_program sequence, const char *name,
                                                       pop_options options);
#define popops_replicated_all_gather(...) popops_replicated_all_gather_at(POP_HERE, __VA_ARGS__)
/* As popops_group_all_gather, over all replicas. */
POP_API pop_tensor popops_replicated_all_gather_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                   pop_program sequence, const char *name, pop_options options);
#define popops_all_to_all_personalized_exchange(...) popops_all_to_all_personalized_exchange_at(POP_HERE, __VA_ARGS__)
/* As popops_group_all_to_all, over all replicas. */
POP_API pop_tensor popops_all_to_all_personalized_exchange_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                              pop_program sequence, const char *name,
                                                              pop_options options);

POP_END_DECLS
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::ReduceMaxNClassGather<T,sorted>: the k largest elements of a part of a row with their indices;
 * ReduceMaxNClassSparse: the k largest of those. */
#include "poplibs/vertex_types.h"

#define TYPES POPLIBS_NUMBERS

#ifdef __POPC__
#define TEMPLATE "popnn/loss/top_k_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popnn/loss/top_k.h"
#include "popnn/vertices.h"

static pop_perf estimate_by(const pop_vertex_view *vertex, bool sorted)
{
    return (pop_perf){ top_k_cycles(pop_vertex_view_field_size(vertex, "activations", POP_WHOLE),
                                    pop_vertex_view_field_size(vertex, "maxValues", POP_WHOLE), sorted),
                       0 };
}
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return estimate_by(vertex, false);
}
static pop_perf estimate_sorted(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return estimate_by(vertex, true);
}

void register_top_k_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = { { "popnn::ReduceMaxNClassGather<%s,true>", estimate_sorted },
                                                        { "popnn::ReduceMaxNClassGather<%s,false>", estimate },
                                                        { "popnn::ReduceMaxNClassSparse<%s,true>", estimate_sorted },
                                                        { "popnn::ReduceMaxNClassSparse<%s,false>", estimate } };
    poplibs_register_estimates(graph, TYPES, families, sizeof(families) / sizeof(families[0]));
}
#endif

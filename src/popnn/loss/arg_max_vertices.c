/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::ReduceMaxClassGather<T,unsigned int>: each worker's maximum of a part of a row, and its index;
 * ReduceMaxClassSparse: the maximum of those. The same with Min for minima. */
#include "poplibs/vertex_types.h"

#define TYPES        POPLIBS_NUMBERS
#define MERGED_TYPES (POPLIBS_FLOAT | POPLIBS_INTEGERS)

#ifdef __POPC__
enum { LANES = 16 };
#define TEMPLATE "popnn/loss/arg_max_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popnn/loss/arg_max.h"
#include "popnn/vertices.h"

static pop_perf estimate_gather(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ max_class_gather_cycles((size_t)pop_vertex_view_field_value(vertex, "size", 0),
                                               (size_t)1
                                                   << (unsigned)pop_vertex_view_field_value(vertex, "divisorLog2", 0)),
                       0 };
}
static pop_perf estimate_sparse(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ max_class_sparse_cycles(pop_vertex_view_field_size(vertex, "activations", POP_WHOLE)), 0 };
}

void register_arg_max_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate gathers[] = {
        { "popnn::ReduceMaxClassGather<%s,unsigned int>", estimate_gather },
        { "popnn::ReduceMinClassGather<%s,unsigned int>", estimate_gather }
    };
    poplibs_register_estimates(graph, TYPES, gathers, 2);
    static const struct poplibs_estimate merges[] = {
        { "popnn::ReduceMaxClassSparse<%s,unsigned int>", estimate_sparse },
        { "popnn::ReduceMinClassSparse<%s,unsigned int>", estimate_sparse }
    };
    poplibs_register_estimates(graph, MERGED_TYPES, merges, 2);
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/factor/rows.h"

static size_t workers_of(const struct call *call)
{
    const pop_target *target = pop_graph_target(call->graph);
    return (size_t)pop_target_num_tiles(target) * target->num_worker_contexts;
}
static unsigned tile_of(const struct call *call, size_t worker)
{
    return (unsigned)(worker % pop_target_num_tiles(pop_graph_target(call->graph)));
}

pop_tensor rows_of_worker(const struct call *call, pop_tensor t, size_t first, size_t worker)
{
    size_t workers = workers_of(call), rows = pop_tensor_dim(t, 0);
    struct tensor_vec own = { 0 };
    for (size_t row = first + (worker + workers - first % workers) % workers; row < rows; row += workers)
        *poplibs_push(&own) = pop_tensor_slice(t, row, row + 1, 0);
    pop_tensor all = own.count ? pop_tensor_concat(tensors_of(&own), 0) : pop_tensor_slice(t, 0, 0, 0);
    free(own.list);
    return all;
}

void rows_deal(const struct row_work *work, pop_tensor t, size_t first)
{
    size_t workers = workers_of(work->call), rows = pop_tensor_dim(t, 0);
    for (size_t i = first; i < rows && i < first + workers; ++i)
        work->add(work, rows_of_worker(work->call, t, first, i % workers), i % workers,
                  tile_of(work->call, i % workers));
}

void rows_map(const struct call *call, pop_tensor t)
{
    for (size_t row = 0; row < pop_tensor_dim(t, 0); ++row)
        pop_graph_set_tile_mapping(call->graph, pop_tensor_slice(t, row, row + 1, 0),
                                   tile_of(call, row % workers_of(call)));
}

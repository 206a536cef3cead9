/* SPDX-License-Identifier: Apache-2.0 */
/* The output is split into blocks, one for each tile, or part of a CPU device's work: some channels, some of the batch,
 * a box of the field.  The split has the lowest cycles by the vertices' estimators and the exchange of their inputs. */
#include "poplibs/cpu_parts.h"
#include "popnn/pooling/pooling.h"

#include <assert.h>

enum { CPU_PART_ELEMENTS = 1 << 14 }; /* minimum elements of a block on a CPU device */

bool pool_is_listed(const struct pool *pool)
{
    const pop_target *target = pop_graph_target(pool->call->graph);
    bool average = pool->params->type == POPNN_POOL_AVG, scale = !pool->backward && pool->kind == POOL_BACKWARD;
    return target->type != POP_TARGET_CPU && target->poplibs_release == POP_POPLIBS_2021 && !average && !scale;
}

static uint64_t cost_of(const struct pool *pool, const size_t *block)
{
    const pop_target *target = pop_graph_target(pool->call->graph);
    pop_type type = pool->params->data_type;
    unsigned dims = pool->params->dims;
    bool listed = pool_is_listed(pool);
    size_t rows = block[POOL_BATCH], window = 1, there = block[POOL_GROUPS] * block[POOL_BATCH] * pool->channels,
           here = there, span = there;
    for (unsigned i = 0; i < dims; ++i) {
        size_t size = block[POOL_FIELD + i];
        rows *= i + 1 < dims ? size : 1;
        /* Work lists have an item for each element of the window's innermost dimension. */
        window *= pool->backward && !(listed && i + 1 == dims)
                      ? poplibs_ceil_div(pool->params->kernel[i], pool->params->stride[i])
                      : pool->params->kernel[i];
        here *= size;
        there *= pool->backward
                     ? poplibs_min(size / pool->params->stride[i] + pool->params->kernel[i], pool->out_field[i])
                     : poplibs_min((size - 1) * pool->params->stride[i] + pool->params->kernel[i],
                                   pool->params->input_field[i]);
        span *= (size - 1) * (pool->backward ? 1 : pool->params->stride[i]) + pool->params->kernel[i];
    }
    there = listed ? span : there; /* as poplibs' planner of 2021, which does not regard the ends of the field */
    size_t read = 0;
    for (size_t i = 0; i < 3; ++i)
        if (pop_tensor_type(pool->read[i]))
            read += pool_reads_input(i) == pool->backward ? here : there;
    read = read * pop_target_type_size(target, type) / target->exchange_bytes_per_cycle;
    if (listed && pool->channels != pool->detected)
        read *= 2; /* groups of another size are put together on the tile */
    size_t vectors = poplibs_ceil_div(pool->channels, pop_target_vector_width(target, type)),
           width = block[POOL_FIELD + dims - 1];
    if (!listed)
        return pool_cycles(pool->kind, block[POOL_GROUPS], vectors, rows, width, window, target->num_worker_contexts) +
               read;
    const struct pool_share share = { pool->kind, block[POOL_GROUPS], vectors };
    return pool_list_cycles(&share, rows, width, window, pool->backward ? pool->params->stride[dims - 1] : 1,
                            target->num_worker_contexts) +
           read;
}

/* Enumerates the splits of the dimensions from `at` on into at most `blocks` blocks; equal block sizes are tried
 * once. */
static void search(const struct pool *pool, const size_t *sizes, unsigned at, size_t blocks, size_t *cuts,
                   size_t *block, struct pool_plan *best)
{
    unsigned dims = POOL_FIELD + pool->params->dims;
    if (at == dims) {
        uint64_t cycles = cost_of(pool, block);
        for (unsigned i = POOL_FIELD; i < dims && pool_is_listed(pool) && cycles < best->cycles; ++i) {
            /* The workers can share the rows of a dimension's last block, which is smaller, less evenly. */
            size_t whole = block[i], rest = sizes[i] % whole;
            block[i] = rest ? rest : whole;
            uint64_t last_cycles = cost_of(pool, block);
            cycles = last_cycles > cycles ? last_cycles : cycles;
            block[i] = whole;
        }
        if (cycles < best->cycles) {
            best->cycles = cycles;
            memcpy(best->cuts, cuts, dims * sizeof(*cuts));
        }
        return;
    }
    size_t last = 0;
    for (size_t n = 1; n <= sizes[at] && n <= blocks; ++n) {
        block[at] = poplibs_ceil_div(sizes[at], n);
        if (block[at] == last)
            continue;
        last = block[at];
        cuts[at] = n;
        search(pool, sizes, at + 1, blocks / n, cuts, block, best);
    }
}

/* Blocks on a CPU device, which threads share: whole outer dimensions first, so that the order in memory does not
 * change. */
static void cut_on_cpu(const struct pool *pool, const size_t *sizes, size_t *cuts)
{
    size_t elements = 1;
    for (unsigned i = 0; i <= POOL_FIELD + pool->params->dims; ++i)
        elements *= sizes[i];
    size_t left = poplibs_cpu_parts(elements, CPU_PART_ELEMENTS);
    for (unsigned i = 0; i < POOL_FIELD + pool->params->dims && sizes[i] && left > 1; ++i) {
        cuts[i] = poplibs_min(sizes[i], left);
        left = cuts[i] == sizes[i] ? left / cuts[i] : 1;
    }
}

void pool_sizes(const struct pool *pool, size_t channels, size_t *sizes)
{
    const popnn_pool_params *params = pool->params;
    sizes[POOL_GROUPS] = poplibs_ceil_div(params->channels, channels);
    sizes[POOL_BATCH] = params->batch;
    for (unsigned i = 0; i < params->dims; ++i)
        sizes[POOL_FIELD + i] = pool->backward ? params->input_field[i] : pool->out_field[i];
    sizes[POOL_FIELD + params->dims] = channels;
}

/* Keeps the best division with groups of so many channels, if it is better than `best`. */
static void try_channels(const struct pool *pool, size_t channels, struct pool_plan *best)
{
    struct pool of_group = *pool;
    size_t sizes[POOL_MAX_CUTS + 1], block[POOL_MAX_CUTS], cuts[POOL_MAX_CUTS];
    uint64_t before = best->cycles;
    of_group.channels = channels;
    pool_sizes(pool, channels, sizes);
    search(&of_group, sizes, 0, pop_target_num_tiles(pop_graph_target(pool->call->graph)), cuts, block, best);
    best->channels = best->cycles < before ? channels : best->channels;
}

struct pool_plan pool_find_plan(const struct pool *pool, size_t min_channels, size_t max_channels)
{
    const pop_target *target = pop_graph_target(pool->call->graph);
    struct pool_plan plan = { .cuts = { 1, 1, 1, 1, 1, 1, 1, 1 },
                              .channels = max_channels ? min_channels : pool->channels,
                              .cycles = UINT64_MAX };
    size_t sizes[POOL_MAX_CUTS + 1], width = pop_target_vector_width(target, pool->params->data_type);
    if (!max_channels) {
        assert(pool->channels && pool->params->channels % pool->channels == 0);
        try_channels(pool, pool->channels, &plan);
    }
    for (size_t channels = min_channels; channels && channels <= max_channels; channels += width)
        try_channels(pool, channels, &plan);
    if (target->type == POP_TARGET_CPU) {
        pool_sizes(pool, plan.channels, sizes);
        cut_on_cpu(pool, sizes, plan.cuts);
    }
    return plan;
}

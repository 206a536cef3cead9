/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_views.h"
#include "poplin/convolution/convolution.h"

#include <popops/fill.h>
#include <stdlib.h>

/* The elements in a list of intervals of a flat tensor. */
static pop_tensor pick(const struct conv_work *work, pop_tensor flat, pop_interval *intervals, size_t count)
{
    const struct call *call = work->call;
    size_t first[2] = { 0, count };
    pop_interval_lists whole = { 1, first, intervals };
    pop_tensor made = { 0 };
    pop_tensor_slices_nested(flat, &whole, 0, &made);
    return made;
}

/* Whether padding is copied with the data: a pass less, as published cycles and memory of 2021 have it.  Parts of
 * operands have many small pieces of padding, in which that would take longer. */
static bool pads_with_data(const struct conv_work *work, uint32_t pad)
{
    return pop_graph_target(work->call->graph)->poplibs_release == POP_POPLIBS_2021 && pad < CONV_PAD_PARTS;
}

void conv_copy_and_pad(const struct conv_work *work, pop_tensor from, pop_tensor to, uint32_t pad, uint32_t copy)
{
    const struct call *call = work->call;
    pop_variable_interval *regions;
    struct interval_vec zeros = { 0 }, data = { 0 };
    struct conv_constant last = { 0 };
    from = pop_tensor_flatten(from);
    to = pop_tensor_flatten(to);
    if (pop_tensor_contains_constant(from)) {
        size_t count = pop_tensor_var_regions(from, &regions), at = 0;
        for (size_t i = 0; i < count; ++i) {
            size_t size = regions[i].interval.end - regions[i].interval.begin;
            struct interval_vec *list = conv_is_zeros(call, regions[i].variable, &last) ? &zeros : &data;
            if (list->count && list->list[list->count - 1].end == at)
                list->list[list->count - 1].end += size;
            else
                interval_push(list, at, at + size);
            at += size;
        }
        free(regions);
        if (zeros.count && pads_with_data(work, pad)) {
            conv_program_fill(work->program, copy, pick(work, to, zeros.list, zeros.count));
        } else if (zeros.count) { /* pieces of padding are small and many on few tiles: the whole variable is faster */
            pop_compute_set set = conv_program_set(work->program, pad, work->conv->name, "Zero");
            popops_zero_in(call->graph, to, set);
        }
        from = data.count ? pick(work, from, data.list, data.count) : (pop_tensor){ 0 };
        to = data.count ? pick(work, to, data.list, data.count) : to;
    }
    if (pop_tensor_valid(from))
        conv_program_copy(work->program, copy, from, to);
    free(zeros.list);
    free(data.list);
}

static int compare_intervals(const void *a, const void *b)
{
    const pop_interval *first = a, *second = b;
    return (first->begin > second->begin) - (first->begin < second->begin);
}

/* Puts the intervals of `to` whose elements are on the tile that has them in `from` to *local, in order. */
static void find_local(const struct conv_work *work, pop_tensor from, pop_tensor to, struct interval_vec *local)
{
    const struct call *call = work->call;
    pop_interval_lists sources, places;
    if (!pop_graph_get_tile_mapping(call->graph, from, NULL, &sources))
        return;
    if (!pop_graph_get_tile_mapping(call->graph, to, NULL, &places)) {
        pop_interval_lists_free(&sources);
        return;
    }
    for (size_t tile = 0; tile < places.count; ++tile) {
        struct interval_common common = interval_common_begin(&sources, tile, &places, tile);
        while (interval_common_next(&common))
            interval_push(local, common.begin, common.end);
    }
    qsort(local->list, local->count, sizeof(*local->list), compare_intervals);
    pop_interval_lists_free(&sources);
    pop_interval_lists_free(&places);
}

void conv_copy_by_way_of(const struct conv_work *work, pop_tensor from, pop_tensor received, pop_tensor to,
                         uint32_t receive, uint32_t place)
{
    const struct call *call = work->call;
    struct interval_vec local = { 0 }, others = { 0 };
    from = pop_tensor_flatten(from);
    received = pop_tensor_flatten(received);
    to = pop_tensor_flatten(to);
    size_t at = 0;
    find_local(work, from, to, &local);
    for (size_t i = 0; i < local.count; at = local.list[i++].end)
        if (at < local.list[i].begin)
            interval_push(&others, at, local.list[i].begin);
    if (at < pop_tensor_num_elements(to))
        interval_push(&others, at, pop_tensor_num_elements(to));
    if (local.count)
        conv_program_copy(work->program, place, pick(work, from, local.list, local.count),
                          pick(work, to, local.list, local.count));
    if (others.count) {
        pop_tensor sent = pick(work, received, others.list, others.count);
        conv_program_copy(work->program, receive, pick(work, from, others.list, others.count), sent);
        conv_program_copy(work->program, place, sent, pick(work, to, others.list, others.count));
    }
    free(local.list);
    free(others.list);
}

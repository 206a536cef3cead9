/* SPDX-License-Identifier: Apache-2.0 */
/* Slices and updates at offsets that are known when the graph is built: copies and additions of views, no vertices of
 * their own. */
#include "poplibs/codes.h"
#include "poplibs/log.h"
#include "popops/slice/slice_plan.h"
#include "popops/slice/slicing.h"

#include <popops/dynamic_slice.h>
#include <popops/fill.h>
#include <popops/scaled_add.h>
#include <poputil/tile_mapping.h>

struct static_slices {
    const struct call *call;
    pop_tensor t;
    pop_dims offsets;
    unsigned dim;
    bool padding; /* the offset just beyond the end stands for a row of zeros */
    bool remap;   /* offsets further beyond it count as 0 */
};

static bool check(struct static_slices *s, size_t dim)
{
    const struct call *call = s->call;
    if (!call_ready(call) || !call_takes(call, "the tensor", s->t) ||
        !slice_check_static_options(call, call->options, &s->remap, &s->padding))
        return false;
    size_t rank = pop_tensor_rank(s->t);
    if (dim >= rank || rank >= POPOPS_MAX_DIMS)
        return call_fail(call, POP_INDEX_ERROR, "there is no dimension %zu: the tensor's rank is %zu", dim, rank);
    s->dim = (unsigned)dim;
    size_t size = pop_tensor_dim(s->t, s->dim);
    for (size_t i = 0; i < s->offsets.count; ++i)
        if (s->offsets.list[i] >= size + s->padding && (!s->remap || !size))
            return call_fail(call, POP_INDEX_ERROR, "offset %zu is %u: dimension %zu has %zu elements", i,
                             s->offsets.list[i], dim, size);
    return true;
}

static bool is_padding(const struct static_slices *s, size_t i)
{
    return s->padding && s->offsets.list[i] == pop_tensor_dim(s->t, s->dim);
}
static size_t offset_of(const struct static_slices *s, size_t i)
{
    return s->offsets.list[i] < pop_tensor_dim(s->t, s->dim) ? s->offsets.list[i] : 0;
}

/* The slice at offset i, with a leading dimension of 1. */
static pop_tensor slice_of(const struct static_slices *s, size_t i)
{
    const struct call *call = s->call;
    size_t shape[POPOPS_MAX_DIMS], at = offset_of(s, i);
    pop_tensor slice = pop_tensor_slice(s->t, at, at + 1, s->dim);
    size_t rank = pop_tensor_shape(slice, shape + 1, POPOPS_MAX_DIMS - 1);
    shape[0] = 1;
    return pop_tensor_reshape(slice, (pop_shape){ rank + 1, shape });
}

/* A new tensor for all slices, each element on the tile of what is copied to it. */
static pop_tensor new_slices(const struct static_slices *s)
{
    const struct call *call = s->call;
    size_t shape[POPOPS_MAX_DIMS] = { s->offsets.count };
    size_t rank = pop_tensor_shape(s->t, shape + 1, POPOPS_MAX_DIMS - 1);
    shape[1 + s->dim] = 1;
    pop_tensor out =
        pop_graph_add_variable(call->graph, pop_tensor_type(s->t), (pop_shape){ rank + 1, shape }, call->name);
    poputil_map_tensor_linearly(call->graph, out); /* what no slice has */
    for (size_t i = 0; i < s->offsets.count && call_ready(call); ++i) {
        pop_interval_lists mapping;
        if (is_padding(s, i) || !pop_graph_get_tile_mapping(call->graph, slice_of(s, i), NULL, &mapping))
            continue;
        pop_graph_set_tile_mapping_lists(call->graph, pop_tensor_slice(out, i, i + 1, 0), &mapping);
        pop_interval_lists_free(&mapping);
    }
    return out;
}

pop_tensor popops_multi_slice_static_at(pop_where where, pop_graph *graph, pop_tensor t, pop_dims offsets, size_t dim,
                                        pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, t, offsets, dim, name, options);
    struct static_slices s = { .call = call, .t = t, .offsets = offsets };
    if (!check(&s, dim))
        return (pop_tensor){ 0 };
    pop_tensor out = new_slices(&s);
    struct tensor_vec from = { 0 }, to = { 0 }, zeros = { 0 };
    for (size_t i = 0; i < offsets.count; ++i) {
        *poplibs_push(is_padding(&s, i) ? &zeros : &to) = pop_tensor_slice(out, i, i + 1, 0);
        if (!is_padding(&s, i))
            *poplibs_push(&from) = slice_of(&s, i);
    }
    if (from.count)
        call_copy(call, pop_tensor_concat(tensors_of(&from), 0), pop_tensor_concat(tensors_of(&to), 0), name);
    if (zeros.count)
        popops_zero(graph, pop_tensor_concat(tensors_of(&zeros), 0), sequence, name);
    free(from.list);
    free(to.list);
    free(zeros.list);
    poplibs_copy_metadata(call, t, out);
    return call_ready(call) ? out : (pop_tensor){ 0 };
}

/* ---- additions ---- */

/* Equal offsets are added one after another: round r adds the r-th occurrence of each offset. */
static size_t *rounds_of(const struct static_slices *s, size_t *count)
{
    size_t n = s->offsets.count, *rounds = poplibs_zeros(n, sizeof(*rounds)),
           *seen = poplibs_zeros(pop_tensor_dim(s->t, s->dim), sizeof(*seen));
    *count = 0;
    for (size_t i = 0; i < n; ++i) {
        if (is_padding(s, i))
            continue;
        rounds[i] = seen[offset_of(s, i)]++;
        *count = poplibs_max(*count, rounds[i] + 1);
    }
    free(seen);
    return rounds;
}

static bool check_slices(const struct static_slices *s, pop_tensor slices, pop_tensor scale)
{
    size_t shape[POPOPS_MAX_DIMS] = { s->offsets.count }, rank = pop_tensor_shape(s->t, shape + 1, POPOPS_MAX_DIMS - 1);
    shape[1 + s->dim] = 1;
    return call_takes(s->call, "the slices", slices) && call_takes_scale(s->call, "the scale", scale) &&
           call_takes_writeable(s->call, "the tensor", s->t) &&
           call_takes_shape(s->call, "the slices", slices, pop_tensor_type(s->t), (pop_shape){ rank + 1, shape });
}

void popops_multi_update_add_static_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s, pop_dims offsets,
                                       pop_tensor scale, size_t dim, pop_program sequence, const char *name,
                                       pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, t, s, offsets, scale, dim, name, options);
    struct static_slices slices = { .call = call, .t = t, .offsets = offsets };
    if (!check(&slices, dim) || !check_slices(&slices, s, scale))
        return;
    size_t count, *rounds = rounds_of(&slices, &count);
    for (size_t round = 0; round < count && call_ready(call); ++round) {
        struct tensor_vec from = { 0 }, to = { 0 };
        for (size_t i = 0; i < offsets.count; ++i) {
            if (rounds[i] != round || is_padding(&slices, i))
                continue;
            *poplibs_push(&from) = pop_tensor_slice(s, i, i + 1, 0);
            *poplibs_push(&to) = slice_of(&slices, i);
        }
        if (from.count)
            popops_scaled_add_to(graph, pop_tensor_concat(tensors_of(&to), 0), pop_tensor_concat(tensors_of(&from), 0),
                                 scale, sequence, name, POP_NO_OPTIONS);
        free(from.list);
        free(to.list);
    }
    free(rounds);
}

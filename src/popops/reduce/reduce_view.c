/* SPDX-License-Identifier: Apache-2.0 */
/* Views the input of a reduction in the order of memory: the result does not depend on the order of its dimensions. */
#include "popops/reduce/reduce.h"
#include "popops/reduce/reduce_parts.h"

#include "poplibs/places.h"

#include <assert.h>

/* A dimension, or a factor of one. */
struct sub_dim {
    unsigned dim;
    size_t extent;
    uint64_t stride; /* in memory; 0, a repetition, sorts as the largest, so that it becomes the outermost */
};
struct sub_dims {
    struct sub_dim list[REDUCE_MAX_DIMS];
    unsigned count;
};

/* Divides a line into sub_dims, innermost first; an irregular line is one sub_dim. */
static void push_sub_dims(struct sub_dims *sub_dims, unsigned dim, const int64_t *places, size_t count)
{
    size_t inner = 1;
    while (inner < count && sub_dims->count < REDUCE_MAX_DIMS - 8) {
        size_t rest = count / inner, run = 1;
        int64_t stride = places[inner] - places[0];
        while (run < rest && places[run * inner] - places[0] == (int64_t)run * stride)
            ++run;
        while (rest % run)
            --run;
        if (run == 1)
            break;
        sub_dims->list[sub_dims->count++] = (struct sub_dim){ dim, run, (uint64_t)(stride < 0 ? -stride : stride) };
        inner *= run;
    }
    if (inner < count) /* the rest follows no pattern */
        sub_dims->list[sub_dims->count++] =
            (struct sub_dim){ dim, count / inner, (uint64_t)llabs(places[inner] - places[0]) };
}

static bool further(const struct sub_dim *a, const struct sub_dim *b)
{
    return a->stride - 1 > b->stride - 1; /* 0 becomes the largest */
}

/* The sub_dims of all dimensions in row-major order. */
static void natural_sub_dims(struct sub_dims *sub_dims, pop_tensor t)
{
    sub_dims->count = 0;
    for (unsigned d = 0; d < pop_tensor_rank(t); ++d)
        sub_dims->list[sub_dims->count++] = (struct sub_dim){ d, pop_tensor_dim(t, d), 0 };
}
/* The distance in memory of the first two elements of a line that spans several variables; the maximum if these two are
 * already in different variables. */
static uint64_t first_step(const struct call *call, pop_tensor line, size_t count)
{
    int64_t *places = count > 1 ? poplibs_places(pop_tensor_slice(line, 0, 2, 0)) : NULL;
    uint64_t step = places ? (uint64_t)llabs(places[1] - places[0]) : UINT64_MAX;
    free(places);
    return step;
}
static void memory_sub_dims(const struct call *call, struct sub_dims *sub_dims, pop_tensor t)
{
    unsigned rank = (unsigned)pop_tensor_rank(t);
    sub_dims->count = 0;
    for (unsigned d = 0; d < rank; ++d) {
        size_t extent = pop_tensor_dim(t, d);
        pop_tensor line = pop_tensor_dim_roll(t, d, rank - 1);
        line = pop_tensor_slice(pop_tensor_flatten(line), 0, extent, 0);
        int64_t *places = poplibs_places(line);
        unsigned first = sub_dims->count;
        if (places)
            push_sub_dims(sub_dims, d, places, extent);
        else
            sub_dims->list[sub_dims->count++] = (struct sub_dim){ d, extent, first_step(call, line, extent) };
        free(places);
        for (unsigned i = first, j = sub_dims->count; i + 1 < j; ++i) { /* reverses the list: outermost first */
            struct sub_dim held = sub_dims->list[i];
            sub_dims->list[i] = sub_dims->list[--j];
            sub_dims->list[j] = held;
        }
    }
}

/* A view of t with the sub_dims as dimensions; order[i] is the natural index of sub_dim i. */
static pop_tensor in_sub_dims(const struct call *call, pop_tensor t, const struct sub_dims *natural,
                              const unsigned *order)
{
    size_t dims[REDUCE_MAX_DIMS];
    for (unsigned i = 0; i < natural->count; ++i)
        dims[i] = natural->list[i].extent;
    t = pop_tensor_reshape(t, (pop_shape){ natural->count, dims });
    return pop_tensor_dim_shuffle(t, (pop_dims){ natural->count, order });
}

static void sort_sub_dims(const struct sub_dims *sub_dims, unsigned *order)
{
    for (unsigned i = 0; i < sub_dims->count; ++i) {
        unsigned place = i;
        for (; place && further(&sub_dims->list[i], &sub_dims->list[order[place - 1]]); --place)
            order[place] = order[place - 1];
        order[place] = i;
    }
}

/* Merges neighbouring sub_dims that are all kept or all reduced. */
static void set_extents(struct reduction *r, const struct sub_dims *sub_dims, const unsigned *order,
                        const bool *reduced)
{
    r->rank = 0;
    r->outputs = r->factor = 1;
    for (unsigned i = 0; i < sub_dims->count; ++i) {
        const struct sub_dim *sub_dim = &sub_dims->list[order[i]];
        bool kept = !reduced[sub_dim->dim];
        *(kept ? &r->outputs : &r->factor) *= sub_dim->extent;
        if (sub_dim->extent == 1)
            continue;
        if (!r->rank || r->kept[r->rank - 1] != kept) {
            r->kept[r->rank] = kept;
            r->extent[r->rank++] = 1;
        }
        r->extent[r->rank - 1] *= sub_dim->extent;
    }
}

/* Selects the kept sub_dims and their order. */
static void kept_sub_dims(const struct sub_dims *sub_dims, const unsigned *order, const bool *reduced,
                          struct sub_dims *kept, unsigned *kept_order)
{
    unsigned place[REDUCE_MAX_DIMS], count = 0;
    kept->count = 0;
    for (unsigned i = 0; i < sub_dims->count; ++i) {
        place[i] = kept->count;
        if (!reduced[sub_dims->list[i].dim])
            kept->list[kept->count++] = sub_dims->list[i];
    }
    for (unsigned i = 0; i < sub_dims->count; ++i)
        if (!reduced[sub_dims->list[order[i]].dim])
            kept_order[count++] = place[order[i]];
}

/* A new output variable, whose memory order is the order of the outputs' indices. */
static pop_tensor new_output(const struct reduction *r, pop_tensor in, const bool *reduced, const struct sub_dims *kept,
                             const unsigned *order, const char *name)
{
    const struct call *call = r->call;
    size_t dims[REDUCE_MAX_DIMS], shape[REDUCE_MAX_DIMS], rank = 0;
    unsigned inverse[REDUCE_MAX_DIMS];
    for (unsigned i = 0; i < kept->count; ++i) {
        dims[i] = kept->list[order[i]].extent;
        inverse[order[i]] = i;
    }
    for (unsigned d = 0; d < pop_tensor_rank(in); ++d)
        if (!reduced[d])
            shape[rank++] = pop_tensor_dim(in, d);
    pop_tensor out = pop_graph_add_variable(call->graph, r->out_type, (pop_shape){ kept->count, dims }, name);
    out = pop_tensor_dim_shuffle(out, (pop_dims){ kept->count, inverse });
    return pop_tensor_reshape(out, (pop_shape){ rank, shape });
}

bool reduce_view(struct reduction *r, pop_tensor in, const bool *reduced, pop_tensor *out, const char *name)
{
    const struct call *call = r->call;
    struct sub_dims sub_dims, kept;
    unsigned order[REDUCE_MAX_DIMS], kept_order[REDUCE_MAX_DIMS];
    if (pop_tensor_is_contiguous(in) || !pop_tensor_num_elements(in))
        natural_sub_dims(&sub_dims, in);
    else
        memory_sub_dims(call, &sub_dims, in);
    sort_sub_dims(&sub_dims, order);
    set_extents(r, &sub_dims, order, reduced);
    kept_sub_dims(&sub_dims, order, reduced, &kept, kept_order);
    assert(sub_dims.count <= REDUCE_MAX_DIMS && r->rank <= sub_dims.count && kept.count <= sub_dims.count);
    assert(r->outputs * r->factor == pop_tensor_num_elements(in));
    r->in = pop_tensor_flatten(in_sub_dims(call, in, &sub_dims, order));
    if (!pop_tensor_valid(*out))
        *out = new_output(r, in, reduced, &kept, kept_order, name);
    r->out = pop_tensor_flatten(in_sub_dims(call, *out, &kept, kept_order));
    assert(!call_ready(call) || pop_tensor_num_elements(r->out) == r->outputs);
    return call_ready(call);
}

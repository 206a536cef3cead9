/* SPDX-License-Identifier: Apache-2.0 */
/* The input of a reduction in the order of memory: reductions do not care in which order their dimensions are looked
 * at. */
#include "popops/reduce/reduce_view.h"
#include "popops/reduce/reduce_parts.h"

#include "poplibs/places.h"

/* A dimension, or a factor of one. */
struct digit {
    unsigned dim;
    size_t extent;
    uint64_t stride; /* in memory; 0 counts as the largest: what is repeated is looked at last */
};
struct digits {
    struct digit list[REDUCE_MOST_DIMS];
    unsigned count;
};

/* Cuts a line into digits, the innermost first; one digit where it is irregular. */
static void push_digits(struct digits *digits, unsigned dim, const int64_t *places, size_t count)
{
    size_t inner = 1;
    while (inner < count && digits->count < REDUCE_MOST_DIMS - 8) {
        size_t rest = count / inner, run = 1;
        int64_t stride = places[inner] - places[0];
        while (run < rest && places[run * inner] - places[0] == (int64_t)run * stride)
            ++run;
        while (rest % run)
            --run;
        if (run == 1)
            break;
        digits->list[digits->count++] = (struct digit){ dim, run, (uint64_t)(stride < 0 ? -stride : stride) };
        inner *= run;
    }
    if (inner < count) /* what repeats no pattern */
        digits->list[digits->count++] =
            (struct digit){ dim, count / inner, (uint64_t)llabs(places[inner] - places[0]) };
}

static bool further(const struct digit *a, const struct digit *b)
{
    return a->stride - 1 > b->stride - 1; /* 0 becomes the largest */
}

/* The digits of all dimensions in row-major order. */
static void natural_digits(struct digits *digits, pop_tensor t)
{
    digits->count = 0;
    for (unsigned d = 0; d < pop_tensor_rank(t); ++d)
        digits->list[digits->count++] = (struct digit){ d, pop_tensor_dim(t, d), 0 };
}
/* The step in memory between the first two elements of a line that is in several variables; the largest where already
 * those do. */
static uint64_t first_step(pop_where where, pop_tensor line, size_t count)
{
    int64_t *places = count > 1 ? poplibs_places(pop_tensor_slice_at(where, line, 0, 2, 0)) : NULL;
    uint64_t step = places ? (uint64_t)llabs(places[1] - places[0]) : UINT64_MAX;
    free(places);
    return step;
}
static void memory_digits(pop_where where, struct digits *digits, pop_tensor t)
{
    unsigned rank = (unsigned)pop_tensor_rank(t);
    digits->count = 0;
    for (unsigned d = 0; d < rank; ++d) {
        size_t extent = pop_tensor_dim(t, d);
        pop_tensor line = pop_tensor_dim_roll_at(where, t, d, rank - 1);
        line = pop_tensor_slice_at(where, pop_tensor_flatten_at(where, line), 0, extent, 0);
        int64_t *places = poplibs_places(line);
        unsigned first = digits->count;
        if (places)
            push_digits(digits, d, places, extent);
        else
            digits->list[digits->count++] = (struct digit){ d, extent, first_step(where, line, extent) };
        free(places);
        for (unsigned i = first, j = digits->count; i + 1 < j; ++i) { /* outermost first */
            struct digit held = digits->list[i];
            digits->list[i] = digits->list[--j];
            digits->list[j] = held;
        }
    }
}

/* A tensor of the dimensions that digits are cut from, in their order: order[i] is the place of digit i. */
static pop_tensor in_digits(pop_where where, pop_tensor t, const struct digits *natural, const unsigned *order)
{
    size_t dims[REDUCE_MOST_DIMS];
    for (unsigned i = 0; i < natural->count; ++i)
        dims[i] = natural->list[i].extent;
    t = pop_tensor_reshape_at(where, t, (pop_shape){ natural->count, dims });
    return pop_tensor_dim_shuffle_at(where, t, (pop_dims){ natural->count, order });
}

static void sort_digits(const struct digits *digits, unsigned *order)
{
    for (unsigned i = 0; i < digits->count; ++i) {
        unsigned place = i;
        for (; place && further(&digits->list[i], &digits->list[order[place - 1]]); --place)
            order[place] = order[place - 1];
        order[place] = i;
    }
}

/* Collapses digits of a kind that follow each other. */
static void set_extents(struct reduction *r, const struct digits *digits, const unsigned *order, const bool *reduced)
{
    r->rank = 0;
    r->outputs = r->factor = 1;
    for (unsigned i = 0; i < digits->count; ++i) {
        const struct digit *digit = &digits->list[order[i]];
        bool kept = !reduced[digit->dim];
        *(kept ? &r->outputs : &r->factor) *= digit->extent;
        if (digit->extent == 1)
            continue;
        if (!r->rank || r->kept[r->rank - 1] != kept) {
            r->kept[r->rank] = kept;
            r->extent[r->rank++] = 1;
        }
        r->extent[r->rank - 1] *= digit->extent;
    }
}

/* The kept digits, and their order among themselves. */
static void kept_digits(const struct digits *digits, const unsigned *order, const bool *reduced, struct digits *kept,
                        unsigned *kept_order)
{
    unsigned place[REDUCE_MOST_DIMS], count = 0;
    kept->count = 0;
    for (unsigned i = 0; i < digits->count; ++i) {
        place[i] = kept->count;
        if (!reduced[digits->list[i].dim])
            kept->list[kept->count++] = digits->list[i];
    }
    for (unsigned i = 0; i < digits->count; ++i)
        if (!reduced[digits->list[order[i]].dim])
            kept_order[count++] = place[order[i]];
}

/* A new output: its memory is in the order in which outputs are numbered. */
static pop_tensor new_output(const struct reduction *r, pop_tensor in, const bool *reduced, const struct digits *kept,
                             const unsigned *order, const char *name)
{
    size_t dims[REDUCE_MOST_DIMS], shape[REDUCE_MOST_DIMS], rank = 0;
    unsigned inverse[REDUCE_MOST_DIMS];
    for (unsigned i = 0; i < kept->count; ++i) {
        dims[i] = kept->list[order[i]].extent;
        inverse[order[i]] = i;
    }
    for (unsigned d = 0; d < pop_tensor_rank(in); ++d)
        if (!reduced[d])
            shape[rank++] = pop_tensor_dim(in, d);
    pop_tensor out = pop_graph_add_variable_at(r->where, r->graph, r->out_type, (pop_shape){ kept->count, dims }, name);
    out = pop_tensor_dim_shuffle_at(r->where, out, (pop_dims){ kept->count, inverse });
    return pop_tensor_reshape_at(r->where, out, (pop_shape){ rank, shape });
}

bool reduce_view(struct reduction *r, pop_tensor in, const bool *reduced, pop_tensor *out, const char *name)
{
    struct digits digits, kept;
    unsigned order[REDUCE_MOST_DIMS], kept_order[REDUCE_MOST_DIMS];
    if (pop_tensor_is_contiguous(in) || !pop_tensor_num_elements(in))
        natural_digits(&digits, in);
    else
        memory_digits(r->where, &digits, in);
    sort_digits(&digits, order);
    set_extents(r, &digits, order, reduced);
    kept_digits(&digits, order, reduced, &kept, kept_order);
    r->in = pop_tensor_flatten_at(r->where, in_digits(r->where, in, &digits, order));
    if (!pop_tensor_valid(*out))
        *out = new_output(r, in, reduced, &kept, kept_order, name);
    r->out = pop_tensor_flatten_at(r->where, in_digits(r->where, *out, &kept, kept_order));
    return poplibs_ready(r->graph);
}

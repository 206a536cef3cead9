/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcast of tensors to each other's shape, as views. */
#include "poplibs/log.h"

#include <poputil/broadcast.h>

/* A shape that grows outwards: dim[0] is the innermost dimension. */
struct joined {
    size_t rank, *dim;
};

/* Merges another tensor's shape; false when a dimension differs and neither extent is 1. */
static bool join(struct joined *joined, pop_tensor t)
{
    size_t rank = pop_tensor_rank(t);
    if (rank > joined->rank) {
        joined->dim = poplibs_resize(joined->dim, rank, sizeof(size_t));
        for (size_t i = joined->rank; i < rank; ++i)
            joined->dim[i] = 1;
        joined->rank = rank;
    }
    for (size_t i = 0; i < rank; ++i) {
        size_t dim = pop_tensor_dim(t, rank - 1 - i);
        if (joined->dim[i] == 1)
            joined->dim[i] = dim;
        else if (dim != 1 && dim != joined->dim[i])
            return false;
    }
    return true;
}

static pop_tensor with_rank(const struct call *call, pop_tensor t, size_t rank)
{
    size_t own = pop_tensor_rank(t);
    if (own >= rank)
        return t;
    unsigned *zeros = poplibs_zeros(rank - own, sizeof(unsigned));
    pop_tensor wide = pop_tensor_expand(t, (pop_dims){ rank - own, zeros });
    free(zeros);
    return wide;
}

void poputil_expand_to_match_ranks_at(pop_where where, pop_tensor *a, pop_tensor *b)
{
    POPLIBS_CALL(NULL, log_tensor(a), log_tensor(b));
    pop_tensor wide_a = with_rank(call, *a, pop_tensor_rank(*b)), wide_b = with_rank(call, *b, pop_tensor_rank(*a));
    if (!pop_tensor_valid(wide_a) || !pop_tensor_valid(wide_b))
        return;
    *a = wide_a;
    *b = wide_b;
}

/* Broadcasts t to a compatible shape. */
static pop_tensor broadcast(const struct call *call, pop_tensor t, pop_shape shape)
{
    t = with_rank(call, t, shape.rank);
    for (size_t i = 0; i < shape.rank && pop_tensor_valid(t); ++i) {
        if (pop_tensor_dim(t, i) == shape.dims[i])
            continue;
        if (shape.dims[i])
            t = pop_tensor_broadcast(t, (unsigned)shape.dims[i], (unsigned)i);
        else
            t = pop_tensor_slice(t, 0, 0, (unsigned)i);
    }
    return t;
}

static bool mismatch(const struct call *call, const pop_tensor *const *tensors, size_t count, const char *shape)
{
    char text[512];
    size_t length = 0;
    struct call own = call_on(call, NULL);
    for (size_t i = 0; i < count; ++i) {
        char one[128];
        pop_tensor_shape_to_string(*tensors[i], one, sizeof(one));
        if (length < sizeof(text))
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s", i ? " and " : "", one);
        if (!own.graph)
            own.graph = pop_store_graph(tensors[i]->store);
    }
    return call_fail(&own, POP_POPLAR_ERROR, "%s %s cannot be broadcast to match%s%s: a dimension must be equal or 1",
                     count == 1 ? "shape" : "shapes", text, shape[0] ? " " : "", shape);
}

bool poputil_broadcast_to_match_shape_at(pop_where where, pop_tensor *a, pop_shape shape)
{
    POPLIBS_CALL(NULL, log_tensor(a), shape);
    size_t rank = pop_tensor_rank(*a);
    bool fits = pop_tensor_valid(*a) && rank <= shape.rank;
    for (size_t i = 0; i < rank && fits; ++i) {
        size_t dim = pop_tensor_dim(*a, i), wanted = shape.dims[shape.rank - rank + i];
        fits = dim == 1 || dim == wanted;
    }
    if (!fits) {
        char text[128];
        const pop_tensor *list[] = { a };
        return mismatch(call, list, 1, poplibs_shape_text(text, sizeof(text), shape));
    }
    pop_tensor result = broadcast(call, *a, shape);
    if (!pop_tensor_valid(result))
        return false;
    *a = result;
    return true;
}

static bool match(const struct call *call, pop_tensor *const *tensors, size_t count)
{
    struct joined joined = { 0 };
    bool fits = true;
    for (size_t i = 0; i < count && fits; ++i)
        fits = pop_tensor_valid(*tensors[i]) && join(&joined, *tensors[i]);
    if (!fits) {
        free(joined.dim);
        return mismatch(call, (const pop_tensor *const *)tensors, count, "");
    }
    for (size_t i = 0; i < joined.rank / 2; ++i) { /* dimensions are stored innermost first: reverses them */
        size_t dim = joined.dim[i];
        joined.dim[i] = joined.dim[joined.rank - 1 - i];
        joined.dim[joined.rank - 1 - i] = dim;
    }
    pop_tensor results[3];
    bool done = true;
    for (size_t i = 0; i < count; ++i) {
        results[i] = broadcast(call, *tensors[i], (pop_shape){ joined.rank, joined.dim });
        done = done && pop_tensor_valid(results[i]);
    }
    for (size_t i = 0; i < count && done; ++i)
        *tensors[i] = results[i];
    free(joined.dim);
    return done;
}

bool poputil_broadcast_to_match_at(pop_where where, pop_tensor *a, pop_tensor *b)
{
    POPLIBS_CALL(NULL, log_tensor(a), log_tensor(b));
    return match(call, (pop_tensor *const[]){ a, b }, 2);
}

bool poputil_broadcast_to_match_three_at(pop_where where, pop_tensor *a, pop_tensor *b, pop_tensor *c)
{
    POPLIBS_CALL(NULL, log_tensor(a), log_tensor(b), log_tensor(c));
    return match(call, (pop_tensor *const[]){ a, b, c }, 3);
}

bool poputil_can_broadcast_to_match(pop_tensor a, pop_tensor b)
{
    struct joined joined = { 0 };
    bool fits = pop_tensor_valid(a) && pop_tensor_valid(b) && join(&joined, a) && join(&joined, b);
    free(joined.dim);
    return fits;
}

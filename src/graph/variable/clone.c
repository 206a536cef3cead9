/* SPDX-License-Identifier: Apache-2.0 */
/* Clones: new variables after the pattern of a tensor. */
#include "graph/variable/clone.h"
#include "graph/store/store.h"
#include "graph/variable/variable.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"

#include <poplar/metadata.h>

static const pop_tensor null;
/* Of all clones of a call: two gigabytes of them. */
#define MAX_PIECES ((size_t)1 << 26)

/* The requested clone. */
struct cloning {
    pop_where where;
    const char *api, *name;
    pop_graph *graph;
    pop_type type;
    pop_clone_method method;
    pop_clone_duplication duplication;
    size_t n;
    bool outer;                 /* the result has an outer dimension of n */
    const pop_tensor *metadata; /* that a QUARTER clone shares; NULL: it has its own */
};

static bool check_cloning(const struct cloning *c, pop_tensor t)
{
    pop_store *store = c->graph->store;
    if (!graph_tensor(c->graph, c->where, c->api, c->name, POP_TENSOR_CREATION_ERROR, t))
        return false;
    if ((unsigned)c->method > POP_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES)
        return store_fail(store, POP_TENSOR_CREATION_ERROR, c->where, c->api, "%d is no clone method", (int)c->method);
    if ((unsigned)c->duplication > POP_DUPLICATE_BY_TILE_CONTIGUOUS_REGION)
        return store_fail(store, POP_TENSOR_CREATION_ERROR, c->where, c->api, "%d is no duplication method",
                          (int)c->duplication);
    if (t.rank + c->outer > MAX_RANK)
        return store_fail(store, POP_TENSOR_CREATION_ERROR, c->where, c->api, "rank %d; at most %d is allowed",
                          t.rank + 1, MAX_RANK);
    return true;
}

/* t with a dimension for each digit, those with long steps outermost: the order in which its pieces are fewest.
 * place[i] is the dimension of digit i. */
static pop_tensor spread(const struct unpacked *v, unsigned *place)
{
    struct unpacked q = { .store = v->store,
                          .source = v->source,
                          .type = v->type,
                          .rank = v->digits,
                          .digits = v->digits,
                          .offset = v->offset };
    unsigned order[MAX_DIGITS + 2];
    for (unsigned i = 0; i < v->digits; ++i) {
        uint64_t step = (uint64_t)(v->digit[i].stride < 0 ? -v->digit[i].stride : v->digit[i].stride);
        unsigned k = i;
        for (; k; --k) {
            int64_t other = v->digit[order[k - 1]].stride;
            uint64_t other_step = (uint64_t)(other < 0 ? -other : other);
            if (!other_step || (step && other_step >= step))
                break;
            order[k] = order[k - 1];
        }
        order[k] = i;
    }
    for (unsigned i = 0; i < v->digits; ++i) {
        place[order[i]] = i;
        q.run[i] = 1;
        q.digit[i] = v->digit[order[i]];
    }
    return tensor_pack(&q);
}

/* The view of the new variable that has the layout's pieces, n times, under (n, shape). */
static struct unpacked view_of_layout(const struct clone_layout *layout, pop_store *store, uint32_t variable, size_t n,
                                      const uint64_t *shape, unsigned rank)
{
    struct composite *composite = MEM_NEW(struct composite);
    struct unpacked v = { .store = store };
    for (size_t k = 0; k < n; ++k) {
        const struct digit *digit = layout->digits.data;
        for (size_t i = 0; i < layout->pieces.count; ++i) {
            struct piece piece = layout->pieces.data[i];
            piece.digit = digit;
            digit += piece.digits;
            piece.variable = variable;
            piece.offset += k * layout->elements;
            composite_add(store, composite, &piece);
        }
    }
    unpacked_of_composite(&v, composite, shape, rank);
    return v;
}

/* Regroups the digits of view (after its first dimension) into the dimensions of v. */
static pop_tensor gather_digits(const struct unpacked *view, const struct unpacked *v, const unsigned *place,
                                bool outer)
{
    struct unpacked to = {
        .store = view->store, .source = view->source, .made = view->made, .type = view->type, .offset = view->offset
    };
    if (outer) {
        to.run[to.rank++] = view->run[0];
        memcpy(to.digit, view->digit, view->run[0] * sizeof(*to.digit));
        to.digits = view->run[0];
    }
    for (unsigned dim = 0, digit = 0; dim < v->rank; ++dim) {
        unsigned before = to.digits;
        for (unsigned end = digit + v->run[dim]; digit < end; ++digit) {
            unsigned from = place[digit] + 1;
            memcpy(to.digit + to.digits, view->digit + unpacked_first(view, from), view->run[from] * sizeof(*to.digit));
            to.digits += view->run[from];
        }
        to.run[to.rank++] = (uint8_t)(to.digits - before);
    }
    return tensor_pack(&to);
}

/* Adds the variable of a layout: n times its elements. */
static bool add_variable(const struct cloning *c, struct clone_layout *layout, size_t n, uint32_t *variable)
{
    pop_store *store = c->graph->store;
    uint64_t elements, once = layout->elements;
    if (!variable_shape(store, c->where, c->api, c->type, POP_SHAPE(n, (size_t)once), c->name, &elements))
        return false;
    *variable = metadata_add_variable(c->graph, c->where, c->api, c->type, elements, c->name, c->metadata);
    if (*variable == UINT32_MAX)
        return false;
    for (size_t k = 0; k < n && layout->map.ranges.count; ++k)
        for (size_t i = 0; i < layout->map.ranges.count; ++i) {
            struct tile_range range = layout->map.ranges.data[i];
            replicate_map(store, *variable, range.begin + k * once, range.end + k * once, range.tile);
        }
    return true;
}

static pop_tensor clone_empty(const struct cloning *c, pop_tensor t)
{
    size_t shape[MAX_RANK] = { c->n };
    uint32_t variable;
    struct clone_layout layout = { .elements = 0 };
    pop_tensor_shape(t, shape + c->outer, MAX_RANK - c->outer);
    if (!add_variable(c, &layout, c->n, &variable))
        return null;
    return tensor_of_variable(t.store, variable, c->type, shape, (size_t)t.rank + c->outer, 0);
}

static pop_tensor clone_as(const struct cloning *c, struct clone_layout *layout, const struct unpacked *v,
                           const uint64_t *shape, unsigned rank, const unsigned *place)
{
    uint32_t variable;
    size_t n = c->n;
    uint64_t whole = 0; /* overflow is checked before anything is repeated n times */
    if (!variable_shape(v->store, c->where, c->api, c->type, POP_SHAPE(n, (size_t)layout->elements), c->name, &whole))
        return null;
    if (layout->pieces.count + layout->map.ranges.count > MAX_PIECES / n) {
        store_fail_in(v->store, POP_OVERFLOW_ERROR, c->where, c->api, c->name,
                      "%zu clones of a tensor of %zu pieces and %zu mapped ranges: at most 2^26 pieces and ranges are "
                      "made in one call",
                      n, layout->pieces.count, layout->map.ranges.count);
        return null;
    }
    if (n > 1 && c->duplication == POP_DUPLICATE_BY_TILE_CONTIGUOUS_REGION) {
        clone_layout_repeat(layout, n);
        n = 1;
    }
    if (!add_variable(c, layout, n, &variable))
        return null;
    struct unpacked view = view_of_layout(layout, v->store, variable, n, shape, rank);
    view.type = (uint8_t)c->type;
    return gather_digits(&view, v, place, c->outer);
}

static pop_tensor clone(struct cloning *c, pop_tensor t)
{
    if (!graph_ready(c->graph) || !check_cloning(c, t))
        return null;
    c->type = c->type ? c->type : pop_tensor_type(t);
    if (!c->n || (t.form & FORM_EMPTY))
        return clone_empty(c, t);
    struct unpacked v;
    struct clone_layout layout = { .elements = 0 };
    uint64_t shape[MAX_DIGITS + 2] = { c->n };
    unsigned place[MAX_DIGITS + 2];
    tensor_unpack(&v, t);
    if (c->method == POP_CLONE_CREATE_NEW_ORDER ||
        (c->method == POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES && pop_tensor_contains_aliases(t))) {
        clone_layout_row_major(&layout, t);
        for (unsigned i = 0; i < v.digits; ++i)
            place[i] = i;
    } else {
        pop_tensor q = spread(&v, place);
        clone_layout_in_memory(&layout, q, c->method == POP_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES);
    }
    for (unsigned i = 0; i < v.digits; ++i)
        shape[1 + place[i]] = v.digit[i].extent;
    pop_tensor result = clone_as(c, &layout, &v, shape, v.digits + 1, place);
    clone_layout_free(&layout);
    return result;
}

pop_tensor pop_graph_clone_at(pop_where where, pop_graph *graph, pop_type type, pop_tensor t, pop_clone_method method,
                              const char *name)
{
    struct cloning c = {
        where, "pop_graph_clone", name, graph, type, method, POP_DUPLICATE_BY_OUTER_DIMENSION, 1, false, NULL
    };
    return clone(&c, t);
}

pop_tensor pop_graph_clone_n_at(pop_where where, pop_graph *graph, pop_type type, pop_tensor t, size_t n,
                                pop_clone_method method, pop_clone_duplication duplication, const char *name)
{
    struct cloning c = { where, "pop_graph_clone_n", name, graph, type, method, duplication, n, true, NULL };
    return clone(&c, t);
}

pop_tensor pop_graph_clone_with_metadata_at(pop_where where, pop_graph *graph, pop_tensor metadata, pop_tensor t,
                                            pop_clone_method method, const char *name)
{
    struct cloning c = { .where = where,
                         .api = "pop_graph_clone_with_metadata",
                         .name = name,
                         .graph = graph,
                         .type = POP_QUARTER,
                         .method = method,
                         .n = 1,
                         .metadata = &metadata };
    return clone(&c, t);
}

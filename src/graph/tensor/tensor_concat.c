/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenation: a composite of the operands' elements with dim outermost, seen with dim rolled back to its place. */
#include "graph/store/store.h"
#include "graph/view/tensor.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"

#include "base/log.h"

static const pop_tensor null;

/* All shapes but for dim, and all types, as the first's; *total is the extent of dim in the result. */
static bool check_operands(pop_where where, pop_tensors tensors, unsigned dim, const char *api, uint64_t *total)
{
    pop_tensor first = tensors.list[0];
    *total = 0;
    for (size_t i = 0; i < tensors.count; ++i) {
        pop_tensor t = tensors.list[i];
        if (t.store != first.store)
            return store_fail(first.store, POP_POPLAR_ERROR, where, api,
                              "operand %zu belongs to another graph than operand 0", i);
        if (t.type != first.type)
            return store_fail(first.store, POP_TYPE_ERROR, where, api,
                              "operand %zu is %s, operand 0 is %s; the types must be equal", i,
                              pop_type_name(pop_tensor_type(t)), pop_type_name(pop_tensor_type(first)));
        bool same = t.rank == first.rank;
        for (unsigned k = 0; same && k < first.rank; ++k)
            same = k == dim || pop_tensor_dim(t, k) == pop_tensor_dim(first, k);
        if (!same) {
            char a[256], b[256];
            pop_tensor_shape_to_string(t, a, sizeof(a));
            pop_tensor_shape_to_string(first, b, sizeof(b));
            return store_fail(first.store, POP_POPLAR_ERROR, where, api,
                              "operand %zu has shape %s, operand 0 has %s; they may differ in dimension %u only", i, a,
                              b, dim);
        }
        *total += pop_tensor_dim(t, dim);
        if (*total > MAX_ELEMENTS)
            return store_fail(first.store, POP_OVERFLOW_ERROR, where, api, "more than 2^63 - 1 elements");
    }
    return true;
}

/* Null members: an error when another member says in which graph. */
static bool check_members(pop_where where, pop_tensors tensors, const char *api)
{
    pop_store *store = NULL;
    size_t missing = tensors.count;
    for (size_t i = 0; tensors.list && i < tensors.count; ++i) {
        if (!tensors.list[i].store)
            missing = i;
        else if (!store)
            store = tensors.list[i].store;
    }
    if (!store_ready(store))
        return false;
    if (missing < tensors.count)
        return store_fail(store, POP_POPLAR_ERROR, where, api, "operand %zu is a null tensor", missing);
    return true;
}

/* The elements of a tensor with dim outermost. */
static void flat_rolled(pop_tensor t, unsigned dim, struct flat *flat)
{
    struct unpacked v;
    if (!dim) {
        tensor_flat(t, flat);
        return;
    }
    tensor_unpack(&v, t);
    struct digit run[MAX_DIGITS + 2];
    unsigned first = unpacked_first(&v, dim), count = v.run[dim];
    digits_copy(run, v.digit + first, count);
    memmove(v.digit + count, v.digit, first * sizeof(*run));
    digits_copy(v.digit, run, count);
    unpacked_flat(&v, flat);
}

/* Whether the flat elements of the first operand are the end of a composite that no other operand comes from: then the
 * other operands can be appended to it, so that the cost of appending in a loop is that of the new elements. If they
 * are a small part of the composite they get a new one, so that a moving window does not keep everything it has left.
 */
static bool ends_composite(const struct flat *flat, pop_tensors tensors)
{
    const struct piece *piece = &flat->piece;
    if (!(piece->variable & COMPOSITE) || piece->digits > 1 || (piece->digits && piece->digit->stride != 1))
        return false;
    const pop_store *store = tensors.list[0].store;
    const struct composite *composite = composite_of(store, piece->variable);
    if (composite->total != piece->offset + piece->elements || piece->elements < composite->total / 2)
        return false;
    for (size_t i = 1; i < tensors.count; ++i) {
        uint32_t source = tensors.list[i].source;
        if (source == piece->variable)
            return false;
        if (composite->node.users && (source & COMPOSITE) && composite_of(store, source)->depth)
            return false; /* it may be below the operand: no composite is below itself */
    }
    return true;
}

/* Moves the first dimension to place dim. */
static void roll_back(struct unpacked *v, unsigned dim)
{
    struct digit run[MAX_DIGITS + 2];
    uint8_t count = v->run[0];
    unsigned skipped = unpacked_first(v, dim + 1) - count;
    memcpy(run, v->digit, count * sizeof(*run));
    memmove(v->digit, v->digit + count, skipped * sizeof(*run));
    memcpy(v->digit + skipped, run, count * sizeof(*run));
    memmove(v->run, v->run + 1, dim);
    v->run[dim] = count;
}

/* Operands that have elements, at least two of them, into one view; shape has dim outermost. */
static void join(struct unpacked *v, pop_tensors tensors, unsigned dim, const uint64_t *shape)
{
    struct flat flat;
    flat_rolled(tensors.list[0], dim, &flat);
    struct composite *composite;
    bool append = ends_composite(&flat, tensors);
    if (append) {
        v->source = flat.piece.variable;
        v->offset = flat.piece.offset;
        composite_open(v->store, v->source);
        composite = composite_of(v->store, v->source);
    } else {
        composite = MEM_NEW(struct composite);
        composite_add(v->store, composite, &flat.piece);
    }
    for (size_t i = 1; i < tensors.count; ++i) {
        flat_rolled(tensors.list[i], dim, &flat);
        composite_add(v->store, composite, &flat.piece);
    }
    if (append)
        unpacked_row_major(v, shape, v->rank);
    else
        unpacked_of_composite(v, composite, shape, v->rank);
}

enum { LARGE_CONCATENATION = 1000 };

static pop_tensor concat(pop_where where, pop_tensors tensors, unsigned dim, const char *api)
{
    uint64_t total;
    if (!check_members(where, tensors, api))
        return null;
    struct unpacked v;
    tensor_unpack(&v, tensors.list[0]);
    if (!view_check_dim(&v, dim, where, api) || !check_operands(where, tensors, dim, api, &total))
        return null;
    if (tensors.count >= LARGE_CONCATENATION)
        LOG(TENSOR, DEBUG, "a concatenation of %zu tensors along dimension %u (%s:%d)", tensors.count, dim,
            where.file ? where.file : "", where.line);
    pop_tensor *filled = mem_alloc(tensors.count * sizeof(*filled));
    size_t count = 0;
    for (size_t i = 0; i < tensors.count; ++i)
        if (!(tensors.list[i].form & FORM_EMPTY))
            filled[count++] = tensors.list[i];
    uint64_t shape[MAX_RANK], elements = shape[0] = total;
    for (unsigned i = 0, k = 1; i < v.rank; ++i)
        if (i != dim)
            shape[k++] = unpacked_extent(&v, i);
    for (unsigned i = 1; i < v.rank && count; ++i) {
        if (elements > MAX_ELEMENTS / shape[i]) {
            store_fail(v.store, POP_OVERFLOW_ERROR, where, api, "more than 2^63 - 1 elements");
            free(filled);
            return null;
        }
        elements *= shape[i];
    }
    pop_tensor result;
    if (count == 1) {
        result = filled[0];
    } else {
        if (count)
            join(&v, (pop_tensors){ count, filled }, dim, shape);
        else
            unpacked_row_major(&v, shape, v.rank);
        roll_back(&v, dim);
        result = tensor_pack(&v);
    }
    free(filled);
    return result;
}

pop_tensor pop_tensor_concat_at(pop_where where, pop_tensors tensors, unsigned dim)
{
    return concat(where, tensors, dim, "pop_tensor_concat");
}

pop_tensor pop_tensor_append_at(pop_where where, pop_tensor a, pop_tensor b, unsigned dim)
{
    const char *api = "pop_tensor_append";
    if (!store_ready(a.store) || !store_ready(b.store))
        return null;
    if (b.rank + 1 != a.rank) {
        store_fail(a.store, POP_POPLAR_ERROR, where, api,
                   "a tensor of rank %u appended to one of rank %u; its rank must be one less", b.rank, a.rank);
        return null;
    }
    if (dim >= a.rank) {
        store_fail(a.store, POP_INDEX_ERROR, where, api, "dimension %u of a tensor of rank %u", dim, a.rank);
        return null;
    }
    pop_tensor one = pop_tensor_expand_at(where, b, (pop_dims){ 1, &dim });
    return concat(where, (pop_tensors){ 2, (const pop_tensor[]){ a, one } }, dim, api);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Constants in a tensor, and the value of a tensor whose elements are all the same constant. */
#include "graph/view/tensor.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"
#include "graph/view/view_walk.h"

static bool is_not_constant(const struct piece *piece, void *context)
{
    const pop_store *store = context;
    return !store->variables.data[piece->variable].constant;
}

bool pop_tensor_contains_constant(pop_tensor t)
{
    if (!t.store || (t.form & FORM_EMPTY))
        return false;
    struct flat flat;
    bool repeats;
    tensor_flat(t, &flat);
    return !walk_set(t.store, &flat.piece, &repeats, is_not_constant, t.store);
}

bool pop_tensor_is_parallel_writeable(pop_tensor t)
{
    return t.store && !pop_tensor_contains_constant(t) && !pop_tensor_contains_aliases(t);
}

/* The bits that all elements met so far have. */
struct constant_value {
    const pop_store *store;
    size_t bytes;
    bool known;
    uint32_t variable; /* whose contents initial is */
    const struct initial *initial;
    unsigned char bits[8];
};

static bool find_contents(struct constant_value *value, uint32_t variable)
{
    const pop_store *store = value->store;
    if (value->initial && value->variable == variable)
        return true;
    value->variable = variable;
    value->initial = NULL;
    if (store->variables.data[variable].constant)
        for (size_t i = store->initials.count; i-- > 0 && !value->initial;)
            if (store->initials.data[i].variable == variable)
                value->initial = &store->initials.data[i];
    return value->initial != NULL;
}

static bool same_bits(struct constant_value *value, const unsigned char *bits)
{
    if (!value->known)
        memcpy(value->bits, bits, value->bytes);
    value->known = true;
    return !memcmp(value->bits, bits, value->bytes);
}

static bool add_constants(const struct run *run, void *context)
{
    struct constant_value *value = context;
    if (!find_contents(value, run->variable))
        return false;
    const struct initial *initial = value->initial;
    if (initial->own)
        return false;
    const unsigned char *data = value->store->data.data + initial->data;
    if (initial->fill)
        return same_bits(value, data);
    for (uint64_t i = run->offset; i < run->offset + run->count; ++i)
        if (!same_bits(value, data + i * value->bytes))
            return false;
    return true;
}

static bool constants_of_piece(const struct piece *piece, void *context)
{
    struct constant_value *value = context;
    if (find_contents(value, piece->variable) && value->initial->fill)
        return same_bits(value, value->store->data.data + value->initial->data);
    return piece_each_run(piece, add_constants, context);
}

static bool constant_as(pop_tensor t, pop_type type, void *out)
{
    if (!t.store || (t.form & FORM_EMPTY))
        return false;
    struct flat flat;
    bool repeats;
    tensor_flat(t, &flat);
    struct constant_value value = { .store = t.store, .bytes = pop_type_size((pop_type)t.type) };
    if (!walk_set(t.store, &flat.piece, &repeats, constants_of_piece, &value))
        return false;
    pop_convert((pop_type)t.type, value.bits, type, out, 1);
    return true;
}

bool pop_tensor_constant_double(pop_tensor t, double *value)
{
    return constant_as(t, POP_DOUBLE, value);
}

bool pop_tensor_constant_int64(pop_tensor t, int64_t *value)
{
    return constant_as(t, POP_LONGLONG, value);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "views.h"

#include <string.h>

void twin_of_variable(struct twin *twin, pop_tensor variable, uint32_t first)
{
    twin->tensor = variable;
    twin->rank = pop_tensor_shape(variable, twin->dims, TWIN_RANK);
    twin->count = pop_tensor_num_elements(variable);
    assert_true(twin->count <= TWIN_ELEMENTS && twin->rank <= TWIN_RANK);
    for (size_t i = 0; i < twin->count; ++i)
        twin->cell[i] = first + (uint32_t)i;
}

/* Rebuilds the cells for a new shape: new index (i_0, ...) reads the old element that `from` gives. */
typedef void (*index_map)(const size_t *new_index, size_t *old_index, const size_t *arguments);

static size_t product(const size_t *dims, size_t rank)
{
    size_t count = 1;
    for (size_t i = 0; i < rank; ++i)
        count *= dims[i];
    return count;
}

static void remap(struct twin *twin, size_t rank, const size_t *dims, index_map from, const size_t *arguments)
{
    struct twin old = *twin;
    twin->rank = rank;
    memcpy(twin->dims, dims, rank * sizeof(*dims));
    twin->count = product(dims, rank);
    for (size_t flat = 0; flat < twin->count; ++flat) {
        size_t index[TWIN_RANK] = { 0 }, source[TWIN_RANK] = { 0 }, rest = flat, place = 0;
        for (size_t d = rank; d-- > 0; rest /= dims[d])
            index[d] = rest % dims[d];
        memcpy(source, index, sizeof(source));
        from(index, source, arguments);
        for (size_t d = 0; d < old.rank; ++d)
            place = place * old.dims[d] + source[d];
        twin->cell[flat] = old.cell[place];
    }
}

static void from_slice(const size_t *index, size_t *source, const size_t *a)
{
    source[a[0]] = index[a[0]] + a[1];
}
static void from_reverse(const size_t *index, size_t *source, const size_t *a)
{
    source[a[0]] = a[1] - 1 - index[a[0]];
}
static void from_sample(const size_t *index, size_t *source, const size_t *a)
{
    source[a[0]] = index[a[0]] * a[1];
}
static void from_broadcast(const size_t *index, size_t *source, const size_t *a)
{
    source[a[0]] = index[a[0]] % a[1];
}
static void from_upsample(const size_t *index, size_t *source, const size_t *a)
{
    source[a[0]] = index[a[0]] / a[1];
}
static void from_shuffle(const size_t *index, size_t *source, const size_t *a)
{
    for (size_t d = 0; d < a[0]; ++d)
        source[a[d + 1]] = index[d];
}

static void slice_step(struct twin *twin, struct dice *dice, unsigned dim)
{
    size_t extent = twin->dims[dim], begin = dice_roll(dice, (uint32_t)extent + 1),
           end = begin + dice_roll(dice, (uint32_t)(extent - begin) + 1);
    if (begin == end && dice_roll(dice, 8))
        begin = 0, end = extent; /* empty views are valid, but most should have elements */
    size_t dims[TWIN_RANK], arguments[] = { dim, begin };
    memcpy(dims, twin->dims, sizeof(dims));
    dims[dim] = end - begin;
    twin->tensor = pop_tensor_slice(twin->tensor, begin, end, dim);
    remap(twin, twin->rank, dims, from_slice, arguments);
}

static void shuffle_step(struct twin *twin, struct dice *dice)
{
    unsigned permutation[TWIN_RANK];
    size_t dims[TWIN_RANK], arguments[TWIN_RANK + 1] = { twin->rank };
    for (unsigned d = 0; d < twin->rank; ++d)
        permutation[d] = d;
    for (size_t d = twin->rank; d-- > 1;) {
        size_t other = dice_roll(dice, (uint32_t)d + 1);
        unsigned kept = permutation[d];
        permutation[d] = permutation[other];
        permutation[other] = kept;
    }
    for (size_t d = 0; d < twin->rank; ++d) {
        dims[d] = twin->dims[permutation[d]];
        arguments[d + 1] = permutation[d];
    }
    twin->tensor = pop_tensor_dim_shuffle(twin->tensor, ((pop_dims){ twin->rank, permutation }));
    remap(twin, twin->rank, dims, from_shuffle, arguments);
}

/* Splits a dimension at a divisor, or flattens everything: the order of elements does not change. */
static void reshape_step(struct twin *twin, struct dice *dice, unsigned dim)
{
    if (twin->rank < TWIN_RANK && dice_roll(dice, 3)) {
        size_t extent = twin->dims[dim], divisor = extent ? 1 + dice_roll(dice, (uint32_t)extent) : 1;
        while (extent && extent % divisor)
            --divisor;
        memmove(twin->dims + dim + 1, twin->dims + dim, (twin->rank - dim) * sizeof(size_t));
        twin->dims[dim] = divisor;
        twin->dims[dim + 1] = extent / divisor;
        ++twin->rank;
    } else {
        twin->rank = 1;
        twin->dims[0] = twin->count;
    }
    twin->tensor = pop_tensor_reshape(twin->tensor, ((pop_shape){ twin->rank, twin->dims }));
}

static void alias_step(struct twin *twin, struct dice *dice, unsigned dim)
{
    size_t times = 1 + dice_roll(dice, 3), dims[TWIN_RANK];
    if (twin->count * times > TWIN_ELEMENTS)
        return;
    memcpy(dims, twin->dims, sizeof(dims));
    dims[dim] *= times;
    if (dice_roll(dice, 2)) {
        twin->tensor = pop_tensor_broadcast(twin->tensor, (unsigned)times, dim);
        remap(twin, twin->rank, dims, from_broadcast, (const size_t[]){ dim, twin->dims[dim] });
    } else {
        twin->tensor = pop_tensor_upsample(twin->tensor, (unsigned)times, dim, POP_UPSAMPLE_REPEAT);
        remap(twin, twin->rank, dims, from_upsample, (const size_t[]){ dim, times });
    }
}

void twin_step(struct twin *twin, struct dice *dice, bool aliases)
{
    if (twin->rank == 0) {
        twin->rank = 1;
        twin->dims[0] = 1;
        twin->tensor = pop_tensor_reshape(twin->tensor, POP_SHAPE(1));
    }
    unsigned dim = dice_roll(dice, (uint32_t)twin->rank);
    size_t dims[TWIN_RANK], extent = twin->dims[dim];
    memcpy(dims, twin->dims, sizeof(dims));
    switch (dice_roll(dice, aliases ? 6 : 5)) {
    case 0:
        slice_step(twin, dice, dim);
        break;
    case 1:
        twin->tensor = pop_tensor_reverse(twin->tensor, dim);
        remap(twin, twin->rank, dims, from_reverse, (const size_t[]){ dim, extent });
        break;
    case 2:
        shuffle_step(twin, dice);
        break;
    case 3:
        reshape_step(twin, dice, dim);
        break;
    case 4: {
        unsigned stride = 1 + dice_roll(dice, 3);
        dims[dim] = (extent + stride - 1) / stride;
        twin->tensor = pop_tensor_sub_sample(twin->tensor, stride, dim);
        remap(twin, twin->rank, dims, from_sample, (const size_t[]){ dim, stride });
        break;
    }
    default:
        alias_step(twin, dice, dim);
    }
}

void twin_cut(struct twin *twin, size_t begin, size_t count)
{
    twin->tensor = pop_tensor_slice(pop_tensor_flatten(twin->tensor), begin, begin + count, 0);
    memmove(twin->cell, twin->cell + begin, count * sizeof(*twin->cell));
    twin->rank = 1;
    twin->dims[0] = twin->count = count;
}

void twin_concat(struct twin *twin, const struct twin *other)
{
    if (twin->count + other->count > TWIN_ELEMENTS)
        return;
    twin->tensor =
        pop_tensor_concat(POP_TENSORS(pop_tensor_flatten(twin->tensor), pop_tensor_flatten(other->tensor)), 0);
    memcpy(twin->cell + twin->count, other->cell, other->count * sizeof(*twin->cell));
    twin->rank = 1;
    twin->dims[0] = twin->count += other->count;
}

bool twin_has_aliases(const struct twin *twin)
{
    for (size_t i = 0; i < twin->count; ++i)
        for (size_t j = 0; j < i; ++j)
            if (twin->cell[i] == twin->cell[j])
                return true;
    return false;
}

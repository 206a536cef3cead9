/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of a view: packed in the value, wide, unpacked, flat. */
#ifndef GRAPH_VIEW_TENSOR_FORM_H
#define GRAPH_VIEW_TENSOR_FORM_H

#include "graph/view/tensor.h"
#include "graph/view/view.h"

/* ---- tensor_form.c ---- */
void tensor_unpack(struct unpacked *v, pop_tensor t);
/* Brings v to normal form, to a child of its composite when it is inside one, and makes it a value. */
pop_tensor tensor_pack(struct unpacked *v);
void tensor_flat(pop_tensor t, struct flat *flat); /* t must have elements */
uint64_t unpacked_extent(const struct unpacked *v, unsigned dim);
unsigned unpacked_first(const struct unpacked *v, unsigned dim); /* the index of a dimension's first digit */
bool unpacked_is_empty(const struct unpacked *v);
void unpacked_flat(const struct unpacked *v, struct flat *flat);
/* Replaces the digits of a dimension by others, which are not v's own. */
void unpacked_set_run(struct unpacked *v, unsigned dim, const struct digit *digit, unsigned count);
/* Removes count digits of a dimension, the first of them its from-th. */
void unpacked_drop(struct unpacked *v, unsigned dim, unsigned from, unsigned count);
/* One digit for each dimension, as elements are in row-major order from v->offset on. */
void unpacked_row_major(struct unpacked *v, const uint64_t *shape, unsigned rank);
/* The view over a composite of its own, where each dimension is one digit. */
void unpacked_make_lazy(struct unpacked *v);
/* Splits flat digits into the dimensions of a shape of as many elements; false when strides cannot express it. */
bool unpacked_split(struct unpacked *v, const struct digit *flat, unsigned count, const uint64_t *shape, unsigned rank);
/* The elements of a composite, which must have some, under a shape; takes the composite over. */
void unpacked_of_composite(struct unpacked *v, struct composite *composite, const uint64_t *shape, unsigned rank);
/* memcpy; most views have one or two digits, for which a call takes longer than the copy. */
static inline void digits_copy(struct digit *to, const struct digit *from, unsigned count)
{
    if (count)
        to[0] = from[0];
    if (count > 1)
        to[1] = from[1];
    if (count > 2)
        memcpy(to + 2, from + 2, (count - 2) * sizeof(*to));
}
/* Merges neighbours that are one digit and drops extents of 1; returns how many are left. */
unsigned digits_merge(struct digit *digit, unsigned count);
/* Lowest and highest element relative to the first. */
void digits_span(const struct digit *digit, unsigned count, int64_t *low, int64_t *high);
/* Opens an operand of a view call; false when it is null or an error is pending. */
bool view_open(struct unpacked *v, pop_tensor t);
/* index_error for a dimension that v lacks. */
bool view_check_dim(const struct unpacked *v, unsigned dim, pop_where where, const char *api);
/* The whole of a variable as a tensor of a shape; used by the graph when it adds a variable. */
pop_tensor tensor_of_variable(pop_store *store, uint32_t variable, pop_type type, const size_t *shape, size_t rank,
                              uint64_t offset);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of tensors of equal size, for copies that are combined or for element-wise updates. */
#ifndef POPLIBS_COPIES_H
#define POPLIBS_COPIES_H

#include "poplibs/support.h"

#include <assert.h>

struct poplibs_copies {
    struct tensor_vec from, to;
};

static inline void poplibs_copies_add(struct poplibs_copies *copies, pop_tensor from, pop_tensor to)
{
    assert(!pop_tensor_valid(from) || !pop_tensor_valid(to) ||
           pop_tensor_num_elements(from) == pop_tensor_num_elements(to));
    *poplibs_push(&copies->from) = from;
    *poplibs_push(&copies->to) = to;
}
static inline void poplibs_copies_free(struct poplibs_copies *copies)
{
    free(copies->from.list);
    free(copies->to.list);
}
/* Concatenates all sources, or all destinations. */
static inline pop_tensor poplibs_joined(pop_where where, const struct tensor_vec *tensors)
{
    return pop_tensor_concat_at(where, tensors_of(tensors), 0);
}
/* Adds the pairs to a sequence as one Copy, then frees them. */
static inline void poplibs_copies_end(struct poplibs_copies *copies, pop_where where, pop_graph *graph,
                                      pop_program sequence, const char *name)
{
    if (poplibs_ready(graph) && copies->from.count)
        pop_sequence_add_at(
            where, sequence,
            pop_copy_at(where, poplibs_joined(where, &copies->from), poplibs_joined(where, &copies->to), false, name));
    poplibs_copies_free(copies);
}

#endif

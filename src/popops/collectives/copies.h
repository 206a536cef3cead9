/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of tensors: copies that are done as one, or what is added to what. */
#ifndef POPOPS_COLLECTIVES_COPIES_H
#define POPOPS_COLLECTIVES_COPIES_H

#include "poplibs/support.h"

#include <poplar/program.h>

#include <stdlib.h>

struct copies {
    pop_tensor *from, *to;
    size_t count;
};

static inline struct copies copies_begin(size_t most)
{
    return (struct copies){ poplibs_new(most, sizeof(pop_tensor)), poplibs_new(most, sizeof(pop_tensor)), 0 };
}
static inline void copies_add(struct copies *copies, pop_tensor from, pop_tensor to)
{
    copies->from[copies->count] = from;
    copies->to[copies->count++] = to;
}
static inline void copies_free(struct copies *copies)
{
    free(copies->from);
    free(copies->to);
}
/* Adds them to a sequence as one Copy; frees them. */
static inline void copies_end(struct copies *copies, pop_where where, pop_graph *graph, pop_program sequence,
                              const char *name)
{
    if (poplibs_ready(graph) && copies->count)
        pop_sequence_add_at(
            where, sequence,
            pop_copy_at(where, pop_tensor_concat_at(where, (pop_tensors){ copies->count, copies->from }, 0),
                        pop_tensor_concat_at(where, (pop_tensors){ copies->count, copies->to }, 0), false, name));
    copies_free(copies);
}

#endif

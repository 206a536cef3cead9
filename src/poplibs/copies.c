/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/copies.h"

#include <assert.h>

void poplibs_copies_add(struct poplibs_copies *copies, pop_tensor from, pop_tensor to)
{
    assert(!pop_tensor_valid(from) || !pop_tensor_valid(to) ||
           pop_tensor_num_elements(from) == pop_tensor_num_elements(to));
    *poplibs_push(&copies->from) = from;
    *poplibs_push(&copies->to) = to;
}

void poplibs_copies_free(struct poplibs_copies *copies)
{
    free(copies->from.list);
    free(copies->to.list);
}

pop_tensor call_joined(const struct call *call, const struct tensor_vec *tensors)
{
    return pop_tensor_concat(tensors_of(tensors), 0);
}

void call_copies(const struct call *call, struct poplibs_copies *copies, pop_program sequence, const char *name)
{
    if (call_ready(call) && copies->from.count)
        pop_sequence_add(sequence,
                         pop_copy(call_joined(call, &copies->from), call_joined(call, &copies->to), false, name));
    poplibs_copies_free(copies);
}

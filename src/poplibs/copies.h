/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of tensors of equal size, for copies that are combined or for element-wise updates. */
#ifndef POPLIBS_COPIES_H
#define POPLIBS_COPIES_H

#include "poplibs/call.h"

struct poplibs_copies {
    struct tensor_vec from, to;
};

void poplibs_copies_add(struct poplibs_copies *copies, pop_tensor from, pop_tensor to);
void poplibs_copies_free(struct poplibs_copies *copies);
/* Concatenates all sources, or all destinations. */
pop_tensor call_joined(const struct call *call, const struct tensor_vec *tensors);
/* Adds the pairs to a sequence as one Copy, then frees them. */
void call_copies(const struct call *call, struct poplibs_copies *copies, pop_program sequence, const char *name);
#endif

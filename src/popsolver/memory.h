/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow. */
#ifndef POPSOLVER_MEMORY_H
#define POPSOLVER_MEMORY_H

#include "poplibs/support.h"

/* Room for count elements in an array; what is in it is kept. */
static inline void *room(void *data, size_t *capacity, size_t count, size_t bytes)
{
    if (count <= *capacity)
        return data;
    *capacity = poplibs_max(count, *capacity ? *capacity + *capacity / 2 : 16);
    return poplibs_resize(data, *capacity, bytes);
}

#endif

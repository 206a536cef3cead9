/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of a tensor's elements. */
#ifndef POPLIBS_PLACES_H
#define POPLIBS_PLACES_H

#include "poplibs/support.h"

/* Offsets in memory of the elements of a flat tensor, in order; the caller frees them. NULL when they belong to
 * several variables. */
static inline int64_t *poplibs_places(pop_tensor flat)
{
    pop_variable_interval *regions;
    size_t num_regions = pop_tensor_var_regions(flat, &regions), at = 0;
    int64_t *places = poplibs_new(pop_tensor_num_elements(flat), sizeof(*places));
    bool one = true;
    for (size_t i = 0; i < num_regions; ++i) {
        one = one && regions[i].variable == regions[0].variable;
        for (size_t k = regions[i].interval.begin; k < regions[i].interval.end; ++k)
            places[at++] = (int64_t)k;
    }
    free(regions);
    if (one && at)
        return places;
    free(places);
    return NULL;
}

#endif

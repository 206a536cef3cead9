/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/places.h"

int64_t *poplibs_places(pop_tensor flat)
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "image/placement.h"

void placement_free(struct placement *placement)
{
    if (!placement)
        return;
    vec_free(&placement->blocks);
    vec_free(&placement->accesses);
    vec_free(&placement->first);
    vec_free(&placement->intervals);
    vec_free(&placement->first_interval);
    free(placement);
}

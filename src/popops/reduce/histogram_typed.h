/* SPDX-License-Identifier: Apache-2.0 */
/* Counting loop of popops::Histogram2D: template of gather_statistics_vertices.c. */
/* The number of elements below a level, without branches; a NaN is below no level. */
static unsigned TYPED(below)(const T *data, size_t count, float level, bool absolute)
{
    unsigned below = 0;
    for (size_t i = 0; i < count; ++i) {
        float x = (float)data[i];
        below += (absolute && x < 0 ? -x : x) < level;
    }
    return below;
}

#define TYPES_2    COUNT_TYPES
#define TEMPLATE_2 "popops/reduce/histogram_paired.h"
#include "poplibs/each_second_type.h"

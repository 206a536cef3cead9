/* SPDX-License-Identifier: Apache-2.0 */
/* One step of the heat equation on a block of rows: each inner point becomes the mean of its four neighbours. */
#include <poplar/vertex.h>

POP_VERTEX(HeatStep)
{
    POP_INPUT(POP_VECTORS(float)) rows;  /* the row above, the block, the row below */
    POP_OUTPUT(POP_VECTORS(float)) next; /* of the block */
};

bool HeatStep_compute(HeatStep *v)
{
    for (size_t y = 0; y < v->next.size; ++y) {
        const float *above = v->rows.data[y].data, *here = v->rows.data[y + 1].data, *below = v->rows.data[y + 2].data;
        size_t last = v->next.data[y].size - 1;
        v->next.data[y].data[0] = here[0];
        v->next.data[y].data[last] = here[last];
        for (size_t x = 1; x < last; ++x)
            v->next.data[y].data[x] = 0.25f * (above[x] + below[x] + here[x - 1] + here[x + 1]);
    }
    return true;
}

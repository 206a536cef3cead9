/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::ConvPartial1x4SLIC of GROUPS convolutions of 4 / GROUPS channels each: template of slic_typed.h. */
#define CHANS         (4 / GROUPS)
#define GROUPED(name) POPLIBS_JOIN(TYPED(name), POPLIBS_JOIN(_, GROUPS))
#define SPREAD        POPLIBS_JOIN(SPREAD_, GROUPS)

/* Computes `count` positions.  w is {kernel position, channel, lane}; last, the sums so far, may be NULL for zeros. */
static inline void GROUPED(row)(const half *x, const float *w, const T *last, T *now, unsigned count, size_t x_step)
{
    for (unsigned e = 0; e < count; ++e, x += x_step) {
        lanes4 sum = { 0 };
        if (last)
            sum = TYPED(load4)(last + LANES * e);
        for (int k = 0; k < WINDOW; ++k) {
            lanes4 at = load4_half(x + LANES * k);
            for (int c = 0; c < CHANS; ++c)
                sum += SPREAD(at, c) * load4_float(w + LANES * (k * CHANS + c));
        }
        TYPED(store4)(now + LANES * e, sum);
    }
}

#define INDEX_TEMPLATE "poplin/conv_vertices/slic_indexed.h"
#include "poplin/conv_vertices/each_index.h"

#undef CHANS
#undef GROUPED
#undef SPREAD

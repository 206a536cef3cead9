/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of one type and their gradients: template of loss_vertices.c. */
/* The smallest normal number of the type. */
#if T_BITS & POPLIBS_HALF
#define SMALLEST 6.10351562e-5f
#else
#define SMALLEST 1.17549435e-38f
#endif

/* Rows with the label MASKED have zero loss and gradients. */
static void TYPED(nothing)(T *deltas, T *losses, size_t n)
{
    memset(deltas, 0, n * sizeof(*deltas));
    memset(losses, 0, n * sizeof(*losses));
}
#define NAME LossSumSquaredTransform
#define ROW  squared
#include "popnn/loss/loss_of.h"
#undef NAME
#undef ROW

#define NAME LossCrossEntropyTransform
#define ROW  entropy
#include "popnn/loss/loss_of.h"
#undef NAME
#undef ROW

#undef SMALLEST

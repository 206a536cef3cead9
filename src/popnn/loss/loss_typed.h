/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of one type and their gradients: template of loss_vertices.c. */
/* EPS_LOG_N_HALF and EPS_LOG_N_FLOAT of popops/EncodingConstants.hpp. */
#if T_BITS & POPLIBS_HALF
#define EPSILON 5.96046448e-8f
#else
#define EPSILON 1.17549435e-38f
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

#undef EPSILON

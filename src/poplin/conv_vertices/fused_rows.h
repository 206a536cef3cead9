/* SPDX-License-Identifier: Apache-2.0 */
/* y[e][o] += x[e][c] w[c][o] for a few rows e at once, in float.  Each result is one chain of fused multiply-adds in
 * the order of c, which begins with y's value.  FUSED_ROWS is the number of rows whose sums fit in the machine's
 * registers. */
#ifndef POPLIN_CONV_VERTICES_FUSED_ROWS_H
#define POPLIN_CONV_VERTICES_FUSED_ROWS_H

#include "poplibs/lanes.h"

#include <stddef.h>

/* no vector is passed between files */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#if defined(__AVX512F__)
enum { FUSED_ROWS = 8 };
#elif defined(__AVX2__) && defined(__FMA__)
enum { FUSED_ROWS = 6 };
#else
enum { FUSED_ROWS = 2 };
#endif

#ifndef __IPU__ /* a device has no such vectors, and there small code matters */
#define COLUMNS 4
#include "poplin/conv_vertices/fused_rows_of.h"
#define COLUMNS 8
#include "poplin/conv_vertices/fused_rows_of.h"
#define COLUMNS 16
#include "poplin/conv_vertices/fused_rows_of.h"
#endif

/* rows must not exceed FUSED_ROWS. */
static void fused_rows(size_t rows, size_t columns, size_t depth, float *const *x, const float *w, float *const *y)
{
#ifndef __IPU__
    if (columns == 16) {
        fused_rows_16(rows, depth, x, w, y);
        return;
    }
    if (columns == 8) {
        fused_rows_8(rows, depth, x, w, y);
        return;
    }
    if (columns == 4) {
        fused_rows_4(rows, depth, x, w, y);
        return;
    }
#endif
    for (size_t e = 0; e < rows; ++e)
        for (size_t o = 0; o < columns; ++o) {
            float sum = y[e][o];
            for (size_t c = 0; c < depth; ++c)
                sum = poplibs_fused(x[e][c], w[columns * c + o], sum);
            y[e][o] = sum;
        }
}

#endif

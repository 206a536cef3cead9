/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of which vertices on a CPU device process whole ones. */
#ifndef POPNN_HOST_ROWS_H
#define POPNN_HOST_ROWS_H

#include "poplibs/cpu_parts.h"

enum { HOST_ROW_ELEMENTS = 1 << 14 }; /* minimum elements of a vertex */

/* The number of vertices, each of which has poplibs_cpu_part of the rows. */
static inline size_t host_row_vertices(size_t rows, size_t columns)
{
    return poplibs_min(rows, poplibs_cpu_parts(rows * columns, HOST_ROW_ELEMENTS));
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products for CPU devices: a fixed number of vertices that pack B and multiply blocks of the product. */
#ifndef POPLIN_HOST_HOST_GEMM_H
#define POPLIN_HOST_HOST_GEMM_H

#include "poplibs/call.h"
#include <poplar/program.h>

/* out{g,m,n} = a{g,m,k} b{g,k,n}, or out += scale a b when scale (a FLOAT scalar) is valid.  HALF or FLOAT, sums in
 * float.  Any views: matrices with contiguous rows or columns are read in place, others are copied first. */
void poplin_host_mat_mul(const struct call *call, pop_tensor a, pop_tensor b, pop_tensor out, pop_tensor scale);

#endif

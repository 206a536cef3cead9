/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products on the host: how operands are packed.
 *
 * B is packed in blocks of at most GEMM_DEPTH rows; a block is a sequence of panels of GEMM_PANEL columns, a
 * panel a sequence of its rows; missing columns of the last panel are zero.  The multiplying vertex packs A in strips
 * of at most STRIP rows; a strip is a sequence of its columns. */
#ifndef POPLIN_HOST_HOST_GEMM_PACK_H
#define POPLIN_HOST_HOST_GEMM_PACK_H

#include "poplin/host/host_gemm_shape.h"
#include "poplin/host/host_gemm_vector.h"

#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "poplin/host/host_gemm_pack_typed.h"
#include "poplibs/each_type.h"

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions on CPU devices whose groups have one input and one output channel and are contiguous in memory: vectors
 * over groups.  Sums are in float, each a chain of fused multiply-adds over the kernel, or, in updates, over GEMM_DEPTH
 * outputs. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include <poplar/vertex.h>

#include "poplin/host/host_conv_field.h"
#include "poplin/host/host_gemm_pack.h"

#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "poplin/host/host_depthwise_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplin/vertices.h"

/* They run only on devices without modelled cycles. */
void register_host_depthwise_vertices(pop_graph *graph)
{
    (void)graph;
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions on CPU devices, as products whose left operand is gathered from the field while it is packed.
 * poplin::HostConvPack<T> packs a part of the right one, HostConv<T> convolves, HostConvUpdate<T> makes the deltas of
 * weights; sums are in float. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include <poplar/vertex.h>

#include "poplin/host/host_conv_field.h"
#include "poplin/host/host_gemm_kernel.h"

#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "poplin/host/host_conv_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplin/vertices.h"

/* They run only on devices without modelled cycles. */
void poplin_host_conv_vertices(pop_graph *graph)
{
    (void)graph;
}
#endif

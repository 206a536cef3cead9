/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products on CPU devices.  poplin::HostMatMulPack<T> packs a part of B, poplin::HostMatMul<T> (T: type of A)
 * makes a block of the product in float, poplin::HostMatMulStore converts it to a matrix of half.
 *
 * A matrix is connected as rows of contiguous elements: row by row, or, if they are `stride` elements apart, as one
 * edge. These are the rows in memory: with `transposed`, those of the transposed matrix. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include <poplar/vertex.h>

#include "poplin/host/host_gemm_block.h"

#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "poplin/host/host_gemm_typed.h"
#include "poplibs/each_type.h"

/* out = in, or out + scale * in, rounded once. */
POP_VERTEX(HostMatMulStore)
{
    POP_INPUT(POP_VECTOR(float, ONE_PTR)) in;
    POP_INOUT(POP_VECTOR(half)) out;
    POP_INPUT(float) scale;
    POP_STATE(bool) add;
};
POP_VERTEX_NAME(HostMatMulStore, "poplin::HostMatMulStore");
void HostMatMulStore_compute(HostMatMulStore *v)
{
    const float *in = v->in.data, scale = *v->scale;
    half *out = v->out.data;
    if (v->add)
        for (size_t i = 0; i < v->out.size; ++i)
            out[i] = (half)((float)out[i] + scale * in[i]);
    else
        for (size_t i = 0; i < v->out.size; ++i)
            out[i] = (half)in[i];
}

#else
#include "poplin/vertices.h"

/* They run only on devices without modelled cycles. */
void register_host_gemm_vertices(pop_graph *graph)
{
    (void)graph;
}
#endif

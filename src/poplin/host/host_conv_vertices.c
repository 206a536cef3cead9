/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions on CPU devices, as products whose left operand is gathered from the field while it is packed,
 * or read where it is (host_conv_direct.h).
 * poplin::HostConvPack<T> packs a part of the right one, HostConv<T> convolves, HostConvUpdate<T> makes the deltas of
 * weights; sums are in float. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include <poplar/vertex.h>

#include "poplin/host/host_conv_direct.h"
#include "poplin/host/host_conv_few.h"
#include "poplin/host/host_conv_field.h"
#include "poplin/host/host_gemm_block.h"

/* Runs are short: calls of memcpy would take longer than the copies. */
static inline void copy_run(void *to, const void *from, size_t bytes)
{
    enum { CHUNK = 32 };
    if (bytes < CHUNK) {
        memcpy(to, from, bytes);
        return;
    }
    for (size_t i = 0; i < bytes - CHUNK; i += CHUNK)
        memcpy((char *)to + i, (const char *)from + i, CHUNK);
    memcpy((char *)to + bytes - CHUNK, (const char *)from + bytes - CHUNK, CHUNK);
}

/* Outputs whose channels an update packs at a time; maximum channels of the last dimension's positions that it gathers
 * as a line. */
enum { UPDATE_OUTPUTS = 32, LINE = 128 };

#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "poplin/host/host_conv_few_typed.h"
#include "poplibs/each_type.h"

#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "poplin/host/host_conv_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplin/vertices.h"

/* They run only on devices without modelled cycles. */
void register_host_conv_vertices(pop_graph *graph)
{
    (void)graph;
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/codelets.h"
#include "popfloat/vertices.h"
#include "poplibs/log.h"

#include <popfloat/cast_to_half.h>
#include <popops/codelets.h>

static const poplibs_register files[] = {
#define VERTICES(stem) register_##stem##_vertices,
#include "popfloat/vertices.def"
#undef VERTICES
};

void popfloat_add_codelets_at(pop_where where, pop_graph *graph)
{
    POPLIBS_CALL(graph, log_none());
    popops_add_codelets_at(where, graph);
    poplibs_add_codelets(call, "popfloat", "popfloat::experimental::CastToGfloat32Param",
                         (void (*)(void))popfloat_add_codelets_at, files, sizeof(files) / sizeof(files[0]));
}

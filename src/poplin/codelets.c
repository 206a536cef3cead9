/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/codelets.h"
#include "poplibs/log.h"
#include "poplin/vertices.h"

#include <poplin/codelets.h>

static const poplibs_register files[] = {
#define VERTICES(stem) register_##stem##_vertices,
#include "poplin/vertices.def"
#undef VERTICES
};

void poplin_add_codelets_at(pop_where where, pop_graph *graph)
{
    POPLIBS_CALL(graph, log_none());
    poplibs_add_codelets(call, "poplin", "poplin::ReduceAdd<float,float>", (void (*)(void))poplin_add_codelets_at,
                         files, sizeof(files) / sizeof(files[0]));
}

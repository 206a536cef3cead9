/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/codelets.h"
#include "poplibs/log.h"
#include "popsparse/vertices.h"

#include <popsparse/codelets.h>

static const poplibs_register files[] = {
#define VERTICES(stem) register_##stem##_vertices,
#include "popsparse/vertices.def"
#undef VERTICES
};

void popsparse_add_codelets_at(pop_where where, pop_graph *graph)
{
    POPLIBS_CALL(graph, log_none());
    poplibs_add_codelets(call, "popsparse", "popsparse::StartSteps", (void (*)(void))popsparse_add_codelets_at, files,
                         sizeof(files) / sizeof(files[0]));
}

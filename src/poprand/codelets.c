/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/codelets.h"
#include "poplibs/log.h"
#include "poprand/vertices.h"

#include <poprand/codelets.h>

static const poplibs_register files[] = {
#define VERTICES(stem) register_##stem##_vertices,
#include "poprand/vertices.def"
#undef VERTICES
};

void poprand_add_codelets_at(pop_where where, pop_graph *graph)
{
    POPLIBS_CALL(graph, log_none());
    poplibs_add_codelets(call, "poprand", "poprand::SetSeedSupervisor", (void (*)(void))poprand_add_codelets_at, files,
                         sizeof(files) / sizeof(files[0]));
}

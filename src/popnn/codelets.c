/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/codelets.h"
#include "poplibs/log.h"
#include "popnn/vertices.h"

#include <popnn/codelets.h>

static const poplibs_register files[] = {
#define VERTICES(stem) register_##stem##_vertices,
#include "popnn/vertices.def"
#undef VERTICES
};

void popnn_add_codelets_at(pop_where where, pop_graph *graph)
{
    POPLIBS_CALL(graph, log_none());
    poplibs_add_codelets(call, "popnn", "popnn::NonLinearity2D<float,popnn::NonLinearityType::RELU>",
                         (void (*)(void))popnn_add_codelets_at, files, sizeof(files) / sizeof(files[0]));
}

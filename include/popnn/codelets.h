/* SPDX-License-Identifier: Apache-2.0 */
/* The library's codelets: a graph needs them before the first operation. */
#ifndef POPNN_CODELETS_H
#define POPNN_CODELETS_H

#include <poplar/graph.h>

POP_BEGIN_DECLS

#define popnn_add_codelets(...) popnn_add_codelets_at(POP_HERE, __VA_ARGS__)
/* Loads popnn.gp from beside the library (or the file that the environment's IPU_POPNN_GP names) and registers the
 * vertices' estimates.  Doing it again has no effect. */
POP_API void popnn_add_codelets_at(pop_where where, pop_graph *graph);

POP_END_DECLS
#endif

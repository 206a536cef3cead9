/* SPDX-License-Identifier: Apache-2.0 */
/* The library's codelets: a graph needs them before the first operation. */
#ifndef POPLIN_CODELETS_H
#define POPLIN_CODELETS_H

#include <poplar/graph.h>

POP_BEGIN_DECLS

#define poplin_add_codelets(...) poplin_add_codelets_at(POP_HERE, __VA_ARGS__)
/* Loads poplin.gp from beside the library (or the file that the environment's IPU_POPLIN_GP names) and registers the
 * vertices' estimates.  Doing it again has no effect. */
POP_API void poplin_add_codelets_at(pop_where where, pop_graph *graph);

POP_END_DECLS
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The library's codelets: a graph needs them before the first operation. */
#ifndef POPRAND_CODELETS_H
#define POPRAND_CODELETS_H

#include <poplar/graph.h>

POP_BEGIN_DECLS

#define poprand_add_codelets(...) poprand_add_codelets_at(POP_HERE, __VA_ARGS__)
/* Loads poprand.gp from beside the library (or the file that the environment's IPU_POPRAND_GP names) and registers the
 * vertices' estimates.  Doing it again has no effect. */
POP_API void poprand_add_codelets_at(pop_where where, pop_graph *graph);

POP_END_DECLS
#endif

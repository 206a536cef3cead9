/* SPDX-License-Identifier: Apache-2.0 */
/* The library's codelets, which a graph needs before the first operation. */
#ifndef POPLIN_CODELETS_H
#define POPLIN_CODELETS_H

#include <poplar/graph.h>

POP_BEGIN_DECLS

#define poplin_add_codelets(...) poplin_add_codelets_at(POP_HERE, __VA_ARGS__)
/* Loads poplin.gp from the directory of the library (or the file that the environment variable IPU_POPLIN_GP names) and
 * registers the cycle estimates of its vertices.  Further calls have no effect. */
POP_API void poplin_add_codelets_at(pop_where where, pop_graph *graph);

POP_END_DECLS
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The library's codelets: add them to a graph before the first operation. */
#ifndef POPNN_CODELETS_H
#define POPNN_CODELETS_H

#include <poplar/graph.h>

POP_BEGIN_DECLS

#define popnn_add_codelets(...) popnn_add_codelets_at(POP_HERE, __VA_ARGS__)
/* Loads popnn.gp from the directory of the library (or the file in the environment variable IPU_POPNN_GP) and
 * registers the vertices' estimators. Repeated calls have no effect. A load failure is an error of the graph. */
POP_API void popnn_add_codelets_at(pop_where where, pop_graph *graph);

POP_END_DECLS
#endif

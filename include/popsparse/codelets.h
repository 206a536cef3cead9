/* SPDX-License-Identifier: Apache-2.0 */
/* The library's codelets, which a graph needs before the first operation. */
#ifndef POPSPARSE_CODELETS_H
#define POPSPARSE_CODELETS_H

#include <poplar/graph.h>

POP_BEGIN_DECLS

#define popsparse_add_codelets(...) popsparse_add_codelets_at(POP_HERE, __VA_ARGS__)
/* Loads popsparse.gp from the directory of the library (or the file that the environment variable IPU_POPSPARSE_GP
 * names) and registers the cycle estimates of its vertices.  Products need popops's codelets as well.  Further calls
 * have no effect. */
POP_API void popsparse_add_codelets_at(pop_where where, pop_graph *graph);

POP_END_DECLS
#endif

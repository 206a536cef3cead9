/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a library's codelets into a graph: .gp files in the directory of its shared object (cmake/poplibs.cmake). */
#ifndef POPLIBS_CODELETS_H
#define POPLIBS_CODELETS_H

#include "poplibs/call.h"

/* Registers the estimators of one file's vertices. */
typedef void (*poplibs_register)(pop_graph *graph);

/* Loads the codelets and registers their estimators, once for each graph. name is the library's, mark a vertex type of
 * it, self any of its functions. */
void poplibs_add_codelets(const struct call *call, const char *name, const char *mark, void (*self)(void),
                          const poplibs_register *files, size_t count);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* vertices: the groups and vertex states that the engine runs. */
#ifndef COMPILER_LOWER_VERTICES_H
#define COMPILER_LOWER_VERTICES_H

#include "compiler/common/compiler.h"

/* Fills the image's groups, states, gathers and their copies, codelets, modules, scratch_bytes, vertex_ids, and what
 * its sets have of them; in checked mode edge_first and edge_bytes.  False: an error. */
bool pass_vertices(struct compiler *c, const struct check_result *check, const struct order_result *order,
                   const struct storage_result *storage);

#endif

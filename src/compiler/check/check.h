/* SPDX-License-Identifier: Apache-2.0 */
/* check: whether what the programs use is complete. */
#ifndef COMPILER_CHECK_CHECK_H
#define COMPILER_CHECK_CHECK_H

#include "compiler/common/compiler.h"

/* Edges are connected, state has sizes, vertices and elements are mapped, nothing constant is written.  Compacts the
 * tile maps of used variables.  NULL: an error, with the user's line. */
const struct check_result *pass_check(struct compiler *c, const struct use_result *use);

#endif

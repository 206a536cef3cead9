/* SPDX-License-Identifier: Apache-2.0 */
/* use: which nodes, functions and compute sets the control programs reach. */
#ifndef COMPILER_CHECK_USE_H
#define COMPILER_CHECK_USE_H

#include "compiler/common/compiler.h"

/* NULL: an error, with the user's line. */
const struct use_result *pass_use(struct compiler *c);
/* Child number i of a node (a Call's is the function's program), NO_PROGRAM where there is a gap; false after the last
 * one. */
bool use_child(const struct compiler *c, const struct program_node *n, size_t i, uint32_t *child);

#endif

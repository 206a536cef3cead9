/* SPDX-License-Identifier: Apache-2.0 */
/* A function for each class of program, which emits its ops. */
#ifndef COMPILER_LOWER_LOWER_KINDS_H
#define COMPILER_LOWER_LOWER_KINDS_H

#include "compiler/lower/lower.h"

/* Emits one stage of a program: the child to emit before the next stage (NO_PROGRAM: nothing), or LOWER_DONE. */
typedef uint32_t (*lower_kind)(struct lowering *l, struct frame *frame, const struct program_node *node);
extern const lower_kind lower_kinds[PROGRAM_KINDS];

#endif

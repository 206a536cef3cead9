/* SPDX-License-Identifier: Apache-2.0 */
/* outline: merges equal programs. */
#ifndef COMPILER_LOWER_OUTLINE_H
#define COMPILER_LOWER_OUTLINE_H

#include "compiler/common/compiler.h"

/* Copies with dontOutline, and programs that print, abort or call the host, are never merged. */
const struct outline_result *pass_outline(struct compiler *c, const struct use_result *use);

#endif

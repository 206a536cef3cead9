/* SPDX-License-Identifier: Apache-2.0 */
/* outline: programs that do the same are one. */
#ifndef COMPILER_LOWER_OUTLINE_H
#define COMPILER_LOWER_OUTLINE_H

#include "compiler/common/compiler.h"

/* A Copy that must not be outlined, and what prints, aborts or calls the host, is like no other. */
const struct outline_result *pass_outline(struct compiler *c, const struct use_result *use);

#endif

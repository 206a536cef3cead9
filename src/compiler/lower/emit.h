/* SPDX-License-Identifier: Apache-2.0 */
/* emit: completes the image. */
#ifndef COMPILER_LOWER_EMIT_H
#define COMPILER_LOWER_EMIT_H

#include "compiler/common/compiler.h"

/* Initial contents, host access, streams, host functions, registers. */
bool pass_emit(struct compiler *c, const struct check_result *check, const struct storage_result *storage);

#endif

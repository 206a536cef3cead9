/* SPDX-License-Identifier: Apache-2.0 */
/* storage: where each used variable is in the host's storage. */
#ifndef COMPILER_LOWER_STORAGE_H
#define COMPILER_LOWER_STORAGE_H

#include "compiler/common/compiler.h"

/* Also image->storage_bytes.  NULL: the size exceeds the address space. */
const struct storage_result *pass_storage(struct compiler *c, const struct check_result *check);

#endif

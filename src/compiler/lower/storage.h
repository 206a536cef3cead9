/* SPDX-License-Identifier: Apache-2.0 */
/* storage: where each used variable is in the host's storage. */
#ifndef COMPILER_LOWER_STORAGE_H
#define COMPILER_LOWER_STORAGE_H

#include "compiler/common/compiler.h"

/* Also image->storage_bytes.  NULL: more bytes than an address has. */
const struct storage_result *pass_storage(struct compiler *c, const struct check_result *check);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Generates the code around a user's source in C++. */
#ifndef POPC_COMPILE_THUNKS_CPP_H
#define POPC_COMPILE_THUNKS_CPP_H

#include "popc/compile/build.h"

/* Like thunks_write, and adds the table of facts about each class (made.h). */
void thunks_write_cpp(const struct popc_source *source, struct reflection *reflection, struct str *out);

#endif

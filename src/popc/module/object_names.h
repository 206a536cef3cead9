/* SPDX-License-Identifier: Apache-2.0 */
/* What debuggers and profilers see of codelets: objects in files, with a symbol for each vertex type. */
#ifndef POPC_MODULE_OBJECT_NAMES_H
#define POPC_MODULE_OBJECT_NAMES_H

#include "base/container.h"
#include "popc/module/codelet.h"

/* The directory of TREMULA_CODELET_FILES; NULL: codelets stay in memory. */
const char *codelet_files(void);
/* Appends an object of a module to *out, in which the function of each vertex type has the type's name, also when the
 * object was stripped; then functions that these call are named as well, after the needed types (by index of the
 * module's codelets; NULL: all) that reach them: "Sum<float> and 2 more".  False, and nothing is appended, when the
 * object's tables are not as the linker writes them. */
bool object_with_names(const struct module *module, uint32_t object, const bool *needed, struct bytes *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Construction of modules, for the compiler and for merging; other code reads them from .gp files. */
#ifndef POPC_MODULE_MODULE_H
#define POPC_MODULE_MODULE_H

#include "popc/module/codelet.h"

/* An empty module with one reference. */
struct module *module_create(const char *name, unsigned level);
/* Merges modules into one; graph_object_creation_error when two define the same vertex type. */
pop_status module_merge(struct module *const *modules, size_t count, const char *name, struct module **merged,
                        pop_error *error);

/* Copies device code sizes from codelets of the same name in another module, for each device of that module;
 * codelets that it lacks are estimated, as without --target. */
void module_take_code(struct module *module, const struct module *from);

/* Whether an object of the module has functions or variables for other files, or uses theirs. */
bool module_shares(const struct module *module);

struct module *module_retain(struct module *module);
void module_release(struct module *module);
const struct codelet_field *codelet_find_field(const struct codelet *codelet, const char *name);

#endif

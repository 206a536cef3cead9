/* SPDX-License-Identifier: Apache-2.0 */
/* Making modules: for the compiler and the merger; everybody else reads them from .gp files. */
#ifndef POPC_MODULE_H
#define POPC_MODULE_H

#include "popc/codelet.h"

/* With one reference and nothing in it. */
struct module *module_create(const char *name, unsigned level);
/* One module with the vertex types of all; graph_object_creation_error when two define one type. */
pop_status module_merge(struct module *const *modules, size_t count, const char *name, struct module **merged,
                        pop_error *error);

/* Gives a module's codelets the sizes of device code that those of the same name have in another, for each device that
 * the other was compiled for; a codelet that the other lacks is estimated, as without --target. */
void module_take_code(struct module *module, const struct module *from);

struct module *module_retain(struct module *module);
void module_release(struct module *module);
const struct codelet_field *codelet_find_field(const struct codelet *codelet, const char *name);

#endif

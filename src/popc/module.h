/* SPDX-License-Identifier: Apache-2.0 */
/* Making modules: for the compiler and the merger; everybody else reads them from .gp files. */
#ifndef POPC_MODULE_H
#define POPC_MODULE_H

#include "popc/codelet.h"

/* With one reference and nothing in it. */
struct module *module_create(const char *name, unsigned level);
/* One module with the vertex types of all; graph_object_creation_error when two define one type. */
pop_status module_merge(struct module *const *modules, size_t count, const char *name, struct module **merged, pop_error *error);

struct str;
/* Loads an object into the process; mode is dlopen's.  NULL with the reason. */
void *object_open(const struct module_object *object, int mode, struct str *reason);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Making modules: for the compiler and the merger; everybody else reads them from .gp files. */
#ifndef POPC_MODULE_H
#define POPC_MODULE_H

#include "popc/codelet.h"

/* Reads a .gp file. */
pop_status module_load(const char *path, struct module **module, pop_error *error);
/* With one reference and nothing in it. */
struct module *module_create(const char *name, unsigned level);
/* One module with the vertex types of all; graph_object_creation_error when two define one type. */
pop_status module_merge(struct module *const *modules, size_t count, const char *name, struct module **merged,
                        pop_error *error);

/* Gives a module's codelets the sizes of device code that those of the same name have in another, for each device that
 * the other was compiled for; a codelet that the other lacks is estimated, as without --target. */
void module_take_code(struct module *module, const struct module *from);

struct str;
struct initialisers;
enum object_ends { OBJECT_SILENT, OBJECT_FINALISES };
/* Loads an object into the process; mode is dlopen's.  NULL with the reason.  Its static initialisers do not run: they
 * are the caller's to run. Finalisers run when it is closed, unless it is silent. */
void *object_open(const struct module_object *object, int mode, enum object_ends ends,
                  struct initialisers *initialisers, struct str *reason);

#endif

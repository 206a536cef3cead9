/* SPDX-License-Identifier: Apache-2.0 */
/* Construction of modules, for the compiler and for merging; other code reads them from .gp files. */
#ifndef POPC_MODULE_MODULE_H
#define POPC_MODULE_MODULE_H

#include "base/container.h"
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

/* module_file.c: reading and writing modules as .gp files. */

/* Of the format of .gp files; it changes with struct codelet_call, too. */
enum { MODULE_VERSION = 2 };

/* Reads a .gp from memory; copies what it needs. Errors are file_load_error and graph_object_load_error. */
pop_status module_read(const char *name, const void *data, size_t size, struct module **module, pop_error *error);
/* Writes the bytes that module_read reads; *data is malloc'ed. */
pop_status module_write(const struct module *module, char **data, size_t *size, pop_error *error);

/* object_names.c: what debuggers and profilers see of codelets: objects in files, with a symbol for each vertex
 * type. */

/* The directory of TREMULA_CODELET_FILES; NULL: codelets stay in memory. */
const char *codelet_files(void);
/* Appends an object of a module to *out, in which the function of each vertex type has the type's name, also when the
 * object was stripped; then functions that these call are named as well, after the needed types (by index of the
 * module's codelets; NULL: all) that reach them: "Sum<float> and 2 more".  False, and nothing is appended, when the
 * object's tables are not as the linker writes them. */
bool object_with_names(const struct module *module, uint32_t object, const bool *needed, struct bytes *out);

#endif

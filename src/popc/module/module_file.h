/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing modules as .gp files. */
#ifndef POPC_MODULE_MODULE_FILE_H
#define POPC_MODULE_MODULE_FILE_H

#include "popc/module/codelet.h"

/* Reads a .gp from memory; copies what it needs. Errors are file_load_error and graph_object_load_error. */
pop_status module_read(const char *name, const void *data, size_t size, struct module **module, pop_error *error);
/* Writes the bytes that module_read reads; *data is malloc'ed. */
pop_status module_write(const struct module *module, char **data, size_t *size, pop_error *error);

#endif

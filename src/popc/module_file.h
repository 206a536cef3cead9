/* SPDX-License-Identifier: Apache-2.0 */
/* Modules as .gp files. */
#ifndef POPC_MODULE_FILE_H
#define POPC_MODULE_FILE_H

#include "popc/codelet.h"

/* Reads a .gp from memory (copied).  file_load_error / graph_object_load_error say what is wrong with it. */
pop_status module_read(const char *name, const void *data, size_t size, struct module **module, pop_error *error);
/* The same bytes again, as module_read takes them; *data is malloc'ed. */
pop_status module_write(const struct module *module, char **data, size_t *size, pop_error *error);

#endif

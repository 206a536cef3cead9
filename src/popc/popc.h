/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling and loading modules: what other directories call. */
#ifndef POPC_POPC_H
#define POPC_POPC_H

#include "popc/codelet.h"
#include "popc/device_code.h"
#include "popc/device_count.h"
#include "popc/module.h"

/* Compiles a source file (name and, when text is not NULL, its text instead of the file's) to a module through the
 * cache.  By name, what does not end in .cpp or the like is C.  flags are as on popc's command line.
 * graph_program_compilation_error carries the compiler's message; file_load_error a missing file. */
pop_status popc_compile_as(enum popc_language language, const char *name, const char *text, const char *flags,
                           struct module **module, pop_error *error);
pop_status popc_compile(const char *name, const char *text, const char *flags, struct module **module,
                        pop_error *error);
/* By ending: .c and .cpp (.cc, .cxx, .C) compile, .gp loads; .S and .s are refused with one clear error. */
pop_status popc_load(const char *path, const char *flags, struct module **module, pop_error *error);
/* Fills module->devices of an architecture from module->source.  What goes wrong is a reason of the codes. */
void popc_measure(struct module *module, enum device_arch arch);
/* Reads a .gp file. */
pop_status module_load(const char *path, struct module **module, pop_error *error);
/* The object that counts a module's codelets, malloc'ed: compiled from the module's source, through the cache.
 * NULL and why (of size bytes) when there is none. */
char *popc_counted_object(const struct module *module, uint32_t object, enum device_arch arch, size_t *bytes, char *why,
                          size_t size);

#endif

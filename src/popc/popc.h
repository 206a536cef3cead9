/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling and loading modules: the interface for other directories. */
#ifndef POPC_POPC_H
#define POPC_POPC_H

#include "popc/device_count.h"
#include "popc/module/codelet.h"
#include "popc/module/device_code.h"
#include "popc/module/module.h"

/* Compiles a source file (or, when text is not NULL, text under its name) to a module through the cache.
 * POPC_BY_NAME takes files that do not end in .cpp or the like for C. flags are as on popc's command line.
 * graph_program_compilation_error quotes the compiler's message; a missing file is a file_load_error. */
pop_status popc_compile_as(enum popc_language language, const char *name, const char *text, const char *flags,
                           struct module **module, pop_error *error);
pop_status popc_compile(const char *name, const char *text, const char *flags, struct module **module,
                        pop_error *error);
/* Decides by the file's extension: .c and .cpp (.cc, .cxx, .C) are compiled, .gp is loaded; .S and .s are refused. */
pop_status popc_load(const char *path, const char *flags, struct module **module, pop_error *error);
/* Measures those again for the target whose files use functions of others of these modules. */
void popc_measure_together(struct module *const *modules, size_t count, const pop_target *target);
/* Fills module->devices of an architecture from module->source. On failure the code sizes carry the reason. */
void popc_measure(struct module *module, enum device_arch arch);
/* Sets *code and returns true; false for a target without device code, such as a CPU. A codelet that was not
 * compiled for the target's architecture gets an estimate. */
bool device_code_of(const struct module *module, const struct codelet *codelet, const pop_target *target,
                    struct device_code *code);
/* Reads a .gp file. */
pop_status module_load(const char *path, struct module **module, pop_error *error);
/* The object for counting a module's codelets, malloc'ed: compiled from the module's source, through the cache. NULL
 * with the reason in why (of `size` bytes) when there is none. */
char *popc_counted_object(const struct module *module, uint32_t object, enum device_arch arch, size_t *bytes, char *why,
                          size_t size);

#endif

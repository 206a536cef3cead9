/* SPDX-License-Identifier: Apache-2.0 */
/* Assembly sources: preprocessed and assembled for each architecture (src/tile). */
#ifndef POPC_ASSEMBLY_H
#define POPC_ASSEMBLY_H

#include "popc/compile/build.h"

/* Makes a module without vertex types and with an object for each architecture that the flags' --target names; without
 * --target for all, and those that refuse the source keep the assembler's messages, which become an error when a vertex
 * needs them. graph_program_compilation_error when no architecture takes it. */
pop_status assembly_build(const struct popc_source *source, const char *compiler, struct built *built,
                          pop_error *error);
/* Adds a module's objects in assembly language. */
void assembly_list(const struct module *module, struct str *text);

#endif

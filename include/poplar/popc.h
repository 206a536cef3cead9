/* SPDX-License-Identifier: Apache-2.0 */
/* The codelet compiler as a library: what the popc command does. */
#ifndef POPLAR_POPC_H
#define POPLAR_POPC_H

#include <poplar/error.h>

#include <stdio.h>

POP_BEGIN_DECLS

/* Compiles source files (.c, .cpp) and merges .gp files into one .gp file at output.  flags are as on popc's command
 * line:
 * "-O2 -g -DX=1 -I dir".  The compiler's own message is in the error's text (its whole text goes to standard error when
 * verbose). */
POP_API pop_status popc_compile_files(const char *const *inputs, size_t count, const char *flags, const char *output,
                                      bool verbose, pop_error *error) POP_MUST_CHECK;

/* Lists the content of a .gp file on a stream: each vertex type with its kind, its fields (type, direction, layout,
 * alignment in bytes), its constraints, and the bytes of its code on the devices of popc --target.  Errors:
 * file_load_error when it cannot be read; graph_object_load_error when it is not a .gp file, or a damaged one. */
POP_API pop_status popc_list_file(const char *path, FILE *file, pop_error *error) POP_MUST_CHECK;

/* The highest x86-64 micro-architecture level of this machine, 1 to 4: codelets compiled for a higher one are refused.
 * 0 on other machines (aarch64), whose codelets have one instruction set. */
POP_API unsigned pop_machine_level(void);

POP_END_DECLS
#endif

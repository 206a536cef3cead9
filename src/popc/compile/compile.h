/* SPDX-License-Identifier: Apache-2.0 */
/* Text that the compiler adds to a user's source, and compilation for a device (build.h). */
#ifndef POPC_COMPILE_COMPILE_H
#define POPC_COMPILE_COMPILE_H

#include "popc/compile/build.h"
#include "popc/compile/command.h"

/* device_compile.c: compilation for the device. */

/* Compiles the source for the devices in its flags and fills module->devices. Failure is not an error: a source that
 * does not compile gets estimates. device_compiler is NULL when none is installed. */
void device_compile(const struct popc_source *source, const char *compiler, const char *device_compiler,
                    const struct scratch *scratch, struct built *built, struct module *module);
/* Writes the lines, for the end of the source, that keep computes from being dropped: module->uses. */
void device_uses_write(const struct module *module, const struct reflection *reflection, struct str *text);
/* Compiles the source for the machine that device_machine.h interprets. Returns a malloc'ed object, or NULL with the
 * reason. */
char *device_compile_counted(const struct popc_source *source, const char *device_compiler, int arch,
                             const struct scratch *scratch, struct built *built, size_t *size, pop_error *error);

/* statements.c: inline assembly in C++ codelets that run on the host (popc --tile-builtins). */

/* Rewrites preprocessed C++: each statement asm("..." : ... : ... : ...) becomes a chain of calls of
 * poplar::detail::Assembly on the same lines. Statements of system headers and of the text that popc adds stay. False
 * for a statement that cannot run on the host, with an error about it in `said`. */
bool statements_rewrite(const char *text, struct str *rewritten, struct str *said);

/* thunks_cpp.c: generates the code around a user's source in C++. */

/* Like thunks_write, and adds the table of facts about each class (made.h). */
void thunks_write_cpp(const struct popc_source *source, struct reflection *reflection, struct str *out);

/* thunks.c: generates the code around a user's source in C. */

/* Writes the text of the second compilation and sets the symbols of the vertices. */
void thunks_write(const struct popc_source *source, struct reflection *reflection, struct str *out);
/* Writes its beginning: hooks of all languages, hooks of one language, and the source. */
void thunks_begin(const struct popc_source *source, const char *hooks_of_language, struct str *out);
/* Sets the symbol of a vertex. */
void thunk_name(struct reflection *reflection, size_t index);
/* Writes the source with #line directives for its own name and lines. */
void source_write(const struct popc_source *source, struct str *out);

/* hooks.c: source text of the functions that conversions to half call, in code that follows the tiles'
 * floating-point behaviour. */
extern const char behaving_hooks[];

#endif

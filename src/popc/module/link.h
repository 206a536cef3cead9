/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a module's objects into the process. */
#ifndef POPC_MODULE_LINK_H
#define POPC_MODULE_LINK_H

#include "popc/module/codelet.h"

struct str;
struct initialisers;
enum object_ends { OBJECT_SILENT, OBJECT_FINALISES };

/* Loads the objects of the codelets that are needed (by index; NULL: of all) into the process: once, and from memory,
 * no file stays on disk. link_error names the missing symbol, or the level that this machine lacks. */
pop_status module_link(struct module *module, const bool *needed, pop_error *error);
/* Links modules whose objects may use each other's functions and variables; needed[m] is that of module m. */
pop_status modules_link(struct module *const *modules, const bool *const *needed, size_t count, pop_error *error);
/* The run function of a codelet; never NULL after a successful module_link that needed it. */
codelet_run module_run(const struct module *module, const struct codelet *codelet);
/* Where this thread has the call that its codelets run, for their code; the run functions set and clear it. */
struct codelet_call **codelet_place(void);
/* Tells an object that was loaded of codelet_place. */
void object_enter(void *handle);
/* Loads an object into the process; mode is that of dlopen. Returns NULL with the reason on failure. The caller runs
 * the static initialisers. Finalisers run when the object is closed, unless it is silent. */
void *object_open(const struct module_object *object, int mode, enum object_ends ends,
                  struct initialisers *initialisers, struct str *reason);

#endif

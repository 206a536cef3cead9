/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling codelets that follow the tiles' floating-point behaviour. */
#ifndef POPC_BEHAVE_H
#define POPC_BEHAVE_H

#include "popc/module/codelet.h"

/* The module's vertex types, compiled to follow the tiles' floating-point behaviour: codelet_call.narrow rounds to
 * half, and only exceptions of the source are raised. Compiled from the module's source or, for a module read from
 * NAME.gp, read from NAME.behaving.gp in the same directory; NULL when neither exists. The module owns the result. */
struct module *module_behaving(struct module *module);

#endif

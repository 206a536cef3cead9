/* SPDX-License-Identifier: Apache-2.0 */
/* Code that obeys the tiles' floating-point behaviour. */
#ifndef POPC_BEHAVE_H
#define POPC_BEHAVE_H

#include "popc/codelet.h"

/* The same vertex types as code that obeys the tiles' floating-point behaviour: half is rounded by codelet_call.narrow,
 * and no exception is raised that the source does not raise.  Compiled from the module's source, or read from the file
 * beside a .gp that is named NAME.behaving.gp; NULL when there is neither.  The module owns it. */
struct module *module_behaving(struct module *module);
/* Functions that conversions of such code call, as source text. */
extern const char behaving_hooks[];

#endif

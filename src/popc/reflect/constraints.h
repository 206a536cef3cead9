/* SPDX-License-Identifier: Apache-2.0 */
/* Reads [[poplar::constraint("...")]] from the preprocessed source, because compilers discard the attribute. */
#ifndef POPC_REFLECT_CONSTRAINTS_H
#define POPC_REFLECT_CONSTRAINTS_H

#include "popc/reflect/reflect.h"

struct str;

/* Adds each constraint to the vertices of the class that follows it, for templates to all instances. A constraint
 * that cannot be used gives a warning in messages, because constraints affect where data is placed, not results. */
void constraints_read(struct reflection *reflection, const char *preprocessed, struct str *messages);
/* Whether a source may contain constraints. */
bool constraints_in(const char *text, size_t size);

#endif

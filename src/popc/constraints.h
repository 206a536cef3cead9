/* SPDX-License-Identifier: Apache-2.0 */
/* [[poplar::constraint("...")]]: compilers drop the attribute, so it is read from the preprocessed source. */
#ifndef POPC_CONSTRAINTS_H
#define POPC_CONSTRAINTS_H

#include "popc/reflect.h"

struct str;

/* Adds the constraints to the vertices of the classes that follow them: all instances of a template.  What cannot
 * be used is said in messages; constraints decide where data is placed, not what is computed. */
void constraints_read(struct reflection *reflection, const char *preprocessed, struct str *messages);
/* Whether a source may have any. */
bool constraints_in(const char *text, size_t size);

#endif

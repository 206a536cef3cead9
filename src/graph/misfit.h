/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a program that the type they are converted to cannot hold: 70000 for an unsigned short, 1e300 for a float.
 * Each field and each constant logs one warning, and the first is kept for the option debug.requireValuesFit. */
#ifndef GRAPH_MISFIT_H
#define GRAPH_MISFIT_H

#include "graph/build.h"

/* Values for a field of a vertex, and for a constant or the initial value of a variable with the given debug name. */
void misfit_field(const struct field_ref *ref, pop_type value_type, const void *values, size_t count);
void misfit_tensor(pop_store *store, pop_where where, const char *name, pop_type value_type, const void *values,
                   pop_type type, size_t count);

#endif

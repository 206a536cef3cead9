/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of C vertices. */
#ifndef POPC_REFLECT_REFLECT_FIELDS_H
#define POPC_REFLECT_REFLECT_FIELDS_H

#include "popc/reflect/reflect.h"

/* Reads the fields of a vertex that is a C struct with the marks of vertex.h. */
pop_status reflect_fields(struct reflection *reflection, Dwarf_Die *type, struct codelet *codelet);

#endif

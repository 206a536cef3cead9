/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of C++ vertices. */
#ifndef POPC_REFLECT_REFLECT_CPP_FIELDS_H
#define POPC_REFLECT_REFLECT_CPP_FIELDS_H

#include "popc/reflect/reflect_cpp.h"

/* Reads the members of a class and of its bases. */
pop_status cpp_reflect_fields(struct reflection *reflection, const struct cpp_names *names, Dwarf_Die *type,
                              struct codelet *codelet);
/* The element type of a member or edge; POP_TYPE_NULL when codelets may not use it. */
pop_type cpp_scalar(const struct cpp_names *names, const Dwarf_Die *type);

#endif

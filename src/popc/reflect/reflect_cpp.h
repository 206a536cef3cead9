/* SPDX-License-Identifier: Apache-2.0 */
/* C++ classes in debug information: their names and template arguments. Names are built from scopes and template
 * parameters, because compilers spell DW_AT_name differently. */
#ifndef POPC_REFLECT_REFLECT_CPP_H
#define POPC_REFLECT_REFLECT_CPP_H

#include "popc/reflect/reflect.h"

/* A namespace, class or enumeration; sorted by offset, as debug information is. */
struct cpp_scope {
    Dwarf_Off offset;
    uint32_t parent; /* index; UINT32_MAX at the top */
    Dwarf_Die die;
};
/* A class that is declared in one scope and defined elsewhere. */
struct cpp_definition {
    Dwarf_Off declared;
    Dwarf_Die die;
};
struct cpp_names {
    VEC(struct cpp_scope) scopes;
    VEC(struct cpp_definition) definitions;
    VEC(Dwarf_Off) functions; /* declarations of members whose code is in the object */
};

/* Reads the vertices of an object that was compiled from C++. */
pop_status reflect_cpp(struct reflection *reflection, Dwarf *dwarf);

#endif

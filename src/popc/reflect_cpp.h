/* SPDX-License-Identifier: Apache-2.0 */
/* C++ in debug information: which classes there are, what they are called, what templates they are made from.  Names
 * are put together from scopes and template parameters, since compilers spell DW_AT_name each in its own way. */
#ifndef POPC_REFLECT_CPP_H
#define POPC_REFLECT_CPP_H

#include "popc/reflect.h"

/* A namespace, class or enumeration; in the order of the debug information, which is that of offsets. */
struct cpp_scope {
    Dwarf_Off offset;
    uint32_t parent; /* index; UINT32_MAX at the top */
    Dwarf_Die die;
};
/* A class that is declared in one scope and defined in another place. */
struct cpp_definition {
    Dwarf_Off declared;
    Dwarf_Die die;
};
struct cpp_names {
    VEC(struct cpp_scope) scopes;
    VEC(struct cpp_definition) definitions;
    VEC(Dwarf_Off) functions; /* declarations of those members whose code is in the object */
};

/* The vertices of an object that was compiled from C++. */
pop_status reflect_cpp(struct reflection *reflection, Dwarf *dwarf);

#endif

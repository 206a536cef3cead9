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

void cpp_names_read(struct cpp_names *names, Dwarf_Die *unit);
void cpp_names_free(struct cpp_names *names);

/* A class's definition instead of its declaration, when there is one. */
void cpp_define(const struct cpp_names *names, Dwarf_Die *type);
/* Strips const, volatile and typedef, and defines; false for void. */
bool cpp_strip(const struct cpp_names *names, Dwarf_Die *type);
/* Whether a class is namespace poplar's class or class template of this name. */
bool cpp_is_poplar(const struct cpp_names *names, const Dwarf_Die *type, const char *name);
/* Whether it is the class half. */
bool cpp_is_half(const struct cpp_names *names, const Dwarf_Die *type);
/* The template parameter of a class, counted from 0. */
bool cpp_parameter(const Dwarf_Die *type, unsigned index, Dwarf_Die *parameter);
bool cpp_is_template(const Dwarf_Die *type);
/* Whether the code of a member function is in the object. */
bool cpp_has_code(const struct cpp_names *names, const Dwarf_Die *function);

/* The name of a type.  For users "ns::Foo<float,true>", "unsigned int [100]"; for compilers "::ns::Foo<float, true>".
 * False when a part has no name that a compiler would take.  NULL is void. */
enum cpp_spelling { CPP_FOR_USERS, CPP_FOR_COMPILERS };
bool cpp_spell(const struct cpp_names *names, const Dwarf_Die *type, enum cpp_spelling spelling, struct str *out);

/* reflect_cpp_fields.c: the members of a class and of its bases. */
pop_status cpp_reflect_fields(struct reflection *reflection, const struct cpp_names *names, Dwarf_Die *type,
                              struct codelet *codelet);
/* The element type of a member or edge; POP_TYPE_NULL when it is none that codelets may use. */
pop_type cpp_scalar(const struct cpp_names *names, const Dwarf_Die *type);

#endif

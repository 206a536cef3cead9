/* SPDX-License-Identifier: Apache-2.0 */
/* Names and definitions of C++ classes in debug information. */
#ifndef POPC_REFLECT_REFLECT_CPP_NAMES_H
#define POPC_REFLECT_REFLECT_CPP_NAMES_H

#include "base/str.h"
#include "popc/reflect/reflect_cpp.h"

void cpp_names_read(struct cpp_names *names, Dwarf_Die *unit);
void cpp_names_free(struct cpp_names *names);
/* Replaces a class's declaration by its definition, when there is one. */
void cpp_define(const struct cpp_names *names, Dwarf_Die *type);
/* Strips const, volatile and typedef, then replaces a declaration by its definition; false for void. */
bool cpp_strip(const struct cpp_names *names, Dwarf_Die *type);
/* Whether a class is the class or class template of this name in namespace poplar. */
bool cpp_is_poplar(const struct cpp_names *names, const Dwarf_Die *type, const char *name);
/* Whether the type is the class half. */
bool cpp_is_half(const struct cpp_names *names, const Dwarf_Die *type);
/* Whether a type is class quarter of the global namespace: 8-bit floats. */
bool cpp_is_quarter(const struct cpp_names *names, const Dwarf_Die *type);
/* The template parameter of a class with an index from 0; false when there is none. */
bool cpp_parameter(const Dwarf_Die *type, unsigned index, Dwarf_Die *parameter);
bool cpp_is_template(const Dwarf_Die *type);
/* Whether the code of a member function is in the object. */
bool cpp_has_code(const struct cpp_names *names, const Dwarf_Die *function);
/* Spells the name of a type. For users: "ns::Foo<float,true>", "unsigned int [100]"; for compilers:
 * "::ns::Foo<float, true>". False when a part has no name that a compiler accepts. A NULL type is void. */
enum cpp_spelling { CPP_FOR_USERS, CPP_FOR_COMPILERS };
bool cpp_spell(const struct cpp_names *names, const Dwarf_Die *type, enum cpp_spelling spelling, struct str *out);

#endif

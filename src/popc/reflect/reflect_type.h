/* SPDX-License-Identifier: Apache-2.0 */
/* Types in debug information, independent of the codelet's language. */
#ifndef POPC_REFLECT_REFLECT_TYPE_H
#define POPC_REFLECT_REFLECT_TYPE_H

#include "base/str.h"

#include <poplar/type.h>

#include "popc/module/debuginfo.h"

/* The type that a member, pointer, array, typedef, ... refers to; false for void. */
bool type_of(Dwarf_Die *die, Dwarf_Die *type);
/* Strips const, volatile and typedef; false for void. */
bool type_strip(Dwarf_Die *type);
/* The type that a pointer points to, stripped; false when type is not a pointer or points to void. */
bool type_pointee(const Dwarf_Die *type, Dwarf_Die *target);
/* The element type of a scalar type; POP_TYPE_NULL when codelets may not use it. */
pop_type type_scalar(const Dwarf_Die *type);
/* Spells a type in C: "struct foo", "unsigned int [100]", "char *". NULL is void. */
void type_spell(const Dwarf_Die *type, struct str *out);
/* Advice about a refused scalar, for example ", use float"; "" when there is none. */
const char *type_advice(const Dwarf_Die *type);

/* The value of a numeric attribute, or fallback when it is missing. */
uint64_t die_number(Dwarf_Die *die, unsigned attribute, uint64_t fallback);
/* Finds the child with a tag and a name. */
bool die_child(Dwarf_Die *die, int tag, const char *name, Dwarf_Die *child);
/* Elements of the first dimension of an array type; 0 when it is not given. */
uint64_t type_array_length(const Dwarf_Die *type);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Types in debug information: nothing here depends on the language of the codelet. */
#ifndef POPC_REFLECT_TYPE_H
#define POPC_REFLECT_TYPE_H

#include "base/str.h"

#include <poplar/type.h>

#include "popc/debuginfo.h"

/* The type that a member, pointer, array, typedef, ... has or leads to; false for void. */
bool type_of(Dwarf_Die *die, Dwarf_Die *type);
/* Follows const, volatile and typedef to what is behind them; false for void. */
bool type_strip(Dwarf_Die *type);
/* The target of a pointer, stripped; false when type is no pointer or leads to void. */
bool type_pointee(const Dwarf_Die *type, Dwarf_Die *target);
/* The element type that a scalar's type stands for; POP_TYPE_NULL when it is none that codelets may use. */
pop_type type_scalar(const Dwarf_Die *type);
/* As a C programmer would write it: "struct foo", "unsigned int [100]", "char *".  NULL is void. */
void type_spell(const Dwarf_Die *type, struct str *out);
/* What to write instead of a scalar that is refused: ", use float"; "" when there is nothing to say. */
const char *type_advice(const Dwarf_Die *type);

/* An attribute's number; fallback when it has none. */
uint64_t die_number(Dwarf_Die *die, unsigned attribute, uint64_t fallback);
/* The child with a tag and a name. */
bool die_child(Dwarf_Die *die, int tag, const char *name, Dwarf_Die *child);
/* Elements of the first dimension of an array type; 0 when it does not say. */
uint64_t type_array_length(const Dwarf_Die *type);

#endif

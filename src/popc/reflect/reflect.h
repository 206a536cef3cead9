/* SPDX-License-Identifier: Apache-2.0 */
/* Reading vertex types from a compiled object's debug information. */
#ifndef POPC_REFLECT_REFLECT_H
#define POPC_REFLECT_REFLECT_H

#include "base/str.h"
#include "popc/module/debuginfo.h"
#include "popc/module/module.h"

#include <poplar/type.h>

struct cpp_names;

/* A vertex type, with the facts that the generated code needs. */
struct reflected {
    struct codelet codelet; /* owned by the module's arena; symbol is not set */
    const char *spelled;    /* as a compiler accepts it: the class in C++, the struct's tag in C */
    bool returns_bool;
};
struct reflection {
    const char *source; /* name for messages */
    enum popc_language language;
    struct arena *arena;
    VEC(struct reflected) vertices;
    bool templates;           /* the source has a template of a vertex, which may have no instances */
    VEC(const char *) wanted; /* functions that the source only declares, if wants */
    bool wants;
    bool exports, imports; /* it has functions or variables for other files; it uses those of other files */
    pop_error *error;
};

static inline bool reflect_shares(const struct reflection *reflection)
{
    return reflection->exports || reflection->imports;
}

/* object is a linked shared object with debug information. graph_program_compilation_error names what a vertex must
 * not have. */
pop_status reflect_object(struct reflection *reflection, const void *object, size_t size);

/* The end of the error of a source that has nothing for anyone. */
#define REFLECT_NOTHING " (nor is there a function that other files could call)"
/* Records "file:line: text" and returns graph_program_compilation_error. */
pop_status reflect_refuse(struct reflection *reflection, Dwarf_Die *at, const char *format, ...) POP_PRINTF(3, 4);

/* reflect_cpp_fields.c: fields of C++ vertices. */

/* Reads the members of a class and of its bases. */
pop_status cpp_reflect_fields(struct reflection *reflection, const struct cpp_names *names, Dwarf_Die *type,
                              struct codelet *codelet);
/* The element type of a member or edge; POP_TYPE_NULL when codelets may not use it. */
pop_type cpp_scalar(const struct cpp_names *names, const Dwarf_Die *type);

/* reflect_fields.c: fields of C vertices. */

/* Reads the fields of a vertex that is a C struct with the marks of vertex.h. */
pop_status reflect_fields(struct reflection *reflection, Dwarf_Die *type, struct codelet *codelet);

/* constraints.c: reads [[poplar::constraint("...")]] from the preprocessed source, because compilers discard the
 * attribute. */

/* Adds each constraint to the vertices of the class that follows it, for templates to all instances. A constraint
 * that cannot be used gives a warning in messages, because constraints affect where data is placed, not results. */
void constraints_read(struct reflection *reflection, const char *preprocessed, struct str *messages);
/* Whether a source may contain constraints. */
bool constraints_in(const char *text, size_t size);
/* Whether a source may contain a template of a vertex. */
bool templates_in(const char *text, size_t size);

/* reflect_shared.c: what a source of codelets has for other files, and what it uses of theirs. */

/* Sets reflection->exports and ->imports from the linked object that reflect_object reads. */
void reflect_shared(struct reflection *reflection, const void *object, size_t size);
/* Sets ->imports too where the object that runs uses more. */
void reflect_imports(struct reflection *reflection, const void *object, size_t size);

/* reflect_type.c: types in debug information, independent of the codelet's language. */

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

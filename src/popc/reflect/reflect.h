/* SPDX-License-Identifier: Apache-2.0 */
/* Reading vertex types from a compiled object's debug information. */
#ifndef POPC_REFLECT_REFLECT_H
#define POPC_REFLECT_REFLECT_H

#include "popc/module/module.h"

#include "popc/module/debuginfo.h"

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
    pop_error *error;
};

/* object is a linked shared object with debug information. graph_program_compilation_error names what a vertex must
 * not have. */
pop_status reflect_object(struct reflection *reflection, const void *object, size_t size);

/* Records "file:line: text" and returns graph_program_compilation_error. */
pop_status reflect_refuse(struct reflection *reflection, Dwarf_Die *at, const char *format, ...) POP_PRINTF(3, 4);

#endif

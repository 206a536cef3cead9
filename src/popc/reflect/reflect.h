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
    bool exports, imports; /* it has functions or variables for other files; it uses those of other files */
    pop_error *error;
};

/* In C++, what the computes in classes use is known only once they are compiled with what calls them. */
static inline bool reflect_may_share(const struct reflection *reflection)
{
    return reflection->language == POPC_CPP || reflection->exports || reflection->imports;
}
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

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a stripped object: where they begin, and which of them another one calls. */
#ifndef POPC_MODULE_OBJECT_FUNCTIONS_H
#define POPC_MODULE_OBJECT_FUNCTIONS_H

#include "base/vec.h"

#include <elf.h>
#include <stdbool.h>

struct object_function {
    uint64_t address, bytes;
    uint32_t first, callers; /* the caller's: the first vertex type that reaches it, and how many do */
    uint32_t seen;           /* the caller's: the last one */
};
struct object_functions {
    VEC(struct object_function) list; /* by address */
    const unsigned char *code;        /* of all of them, in one section */
    uint64_t code_address, code_bytes;
};
/* Reads the table that the linker makes for unwinding; an object without one, or of another processor than x86-64, has
 * no functions.  `object` is borrowed, and outlives the result.  Bounds are checked. */
void object_functions_read(struct object_functions *functions, const void *object, size_t size,
                           const Elf64_Shdr *sections, size_t count);
/* Calls `each` for function `from` and all that it calls, at any depth, once each; a call through a pointer is not
 * seen. `number` differs from call to call and is not 0. */
void object_functions_reach(struct object_functions *functions, size_t from, uint32_t number,
                            void (*each)(struct object_function *function, uint32_t number));
/* The function that begins at an address; SIZE_MAX: none. */
size_t object_functions_find(const struct object_functions *functions, uint64_t address);

#endif

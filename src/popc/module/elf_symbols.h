/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of an ELF object that its linker needs. */
#ifndef POPC_MODULE_ELF_SYMBOLS_H
#define POPC_MODULE_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Calls `each` for the symbols that an object uses and does not define, except weak ones, which may stay undefined.
 * For a shared object these are its dynamic symbols. */
void elf_each_undefined(const void *object, size_t size, void (*each)(const char *symbol, void *context),
                        void *context);
/* Whether a shared object uses this symbol, which it does not define; weak ones count. */
bool elf_uses(const void *object, size_t size, const char *symbol);
/* Calls `each` for the functions and variables that an object has for others: not weak ones, which each object has for
 * itself (inline functions, templates), nor those that popc generates. */
void elf_each_defined(const void *object, size_t size, void (*each)(const char *symbol, void *context), void *context);

/* Where a loaded object holds the address of a symbol that it does not define. */
struct elf_use {
    const char *symbol;
    uint64_t offset, addend; /* of the place from the object's first address; what is added to the symbol's address */
    bool address;            /* false: the loader has something else there, such as a thread's variable */
};
void elf_each_use(const void *object, size_t size, void (*each)(const struct elf_use *use, void *context),
                  void *context);
/* Makes undefined symbols of a shared object weak, so that the loader takes an address of 0 where it finds none. NULL
 * for `which`: all of them. */
void elf_weaken(void *object, size_t size, bool (*which)(const char *symbol, void *context), void *context);

#endif

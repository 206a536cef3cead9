/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of an ELF object that its linker needs. */
#ifndef POPC_MODULE_ELF_SYMBOLS_H
#define POPC_MODULE_ELF_SYMBOLS_H

#include <stddef.h>

/* Calls `each` for the symbols that an object uses and does not define, except weak ones, which may stay undefined.
 * For a shared object these are its dynamic symbols. */
void elf_each_undefined(const void *object, size_t size, void (*each)(const char *symbol, void *context),
                        void *context);

#endif

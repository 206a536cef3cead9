/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and variables that one source file of codelets has from another. The objects stay as they are, one for each
 * source, and are joined where they are loaded: that needs no linker on the machine that runs them, and files may use
 * each other in both directions. */
#ifndef POPC_MODULE_RESOLVE_H
#define POPC_MODULE_RESOLVE_H

#include "popc/module/codelet.h"

#include "base/str.h"

/* A function of an object with this and NAME as its name returns the address of what calls the function NAME in the
 * interpreter of a tile. */
#define CALLEE_PREFIX "popc_assembly_"

struct shared_symbol {
    const char *name;
    struct module *module;
    uint32_t object;
    bool assembly; /* a function of a .S file: module has its code, object does not matter */
};
/* What the objects of some modules have for others, by name. */
struct shared_symbols {
    VEC(struct shared_symbol) list;
    struct arena arena;
};
void shared_symbols_read(struct shared_symbols *shared, struct module *const *modules, size_t count);
void shared_symbols_free(struct shared_symbols *shared);
/* The definition for an object that does not have the symbol itself; NULL: there is none. */
const struct shared_symbol *shared_symbols_find(const struct shared_symbols *shared, const char *name);

struct object_place {
    struct module *module;
    uint32_t object;
};
struct object_list {
    VEC(struct object_place) v;
};
/* Adds an object, unless it is there. */
void object_list_add(struct object_list *list, struct module *module, uint32_t object);
/* Adds the objects that those of the list use, and those that they use in turn. */
void object_list_complete(struct object_list *list, const struct shared_symbols *shared);

/* link_error when an object of the list uses a symbol that two others define. One that defines it itself has its own.
 */
pop_status shared_symbols_check(const struct shared_symbols *shared, const struct object_list *list, pop_error *error);

/* Adds to a list of modules (flags, by index in `all`) those with what its members use. */
void modules_complete(struct module *const *all, size_t count, bool *listed);

/* Before an object is loaded: its symbols that others define may stay undefined. */
void resolve_weaken(void *object, size_t size, const struct shared_symbols *shared);
/* Once all objects of the list are loaded: writes the addresses into one of them. False with the reason. */
bool resolve_object(const struct object_place *place, const struct shared_symbols *shared, struct str *reason);
/* A name as the source spells it: mangled ones of C++ without their parameters, other ones unchanged. */
void symbol_spell(const char *symbol, struct str *out);

#endif

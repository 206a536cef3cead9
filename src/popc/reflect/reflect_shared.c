/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/module/elf_symbols.h"
#include "popc/reflect/reflect.h"

#include <dlfcn.h>
#include <gnu/lib-names.h>

/* Whether it is the compute of a vertex, which only its own file runs. */
static bool is_compute(const struct reflection *r, const char *symbol)
{
    static const char *const endings[] = { "_compute", "7computeEv", "7computeEj" };
    size_t length = strlen(symbol), first = r->language == POPC_CPP, last = r->language == POPC_CPP ? 2 : 0;
    for (size_t i = first; i <= last; ++i) {
        size_t end = strlen(endings[i]);
        if (length > end && strcmp(symbol + length - end, endings[i]) == 0)
            return true;
    }
    return false;
}

static void note_defined(const char *symbol, void *context)
{
    struct reflection *r = context;
    r->exports |= !is_compute(r, symbol);
}

struct search {
    struct reflection *r;
    void *libraries[2];
};

/* Names that begin with two underscores are the compiler's own, those with popc_ are in what popc adds (thunks.c). */
static void note_undefined(const char *symbol, void *context)
{
    struct search *search = context;
    bool known = strncmp(symbol, "__", 2) == 0 || strncmp(symbol, "popc_", 5) == 0 || is_compute(search->r, symbol);
    for (int i = 0; i < 2 && !known; ++i)
        known = search->libraries[i] && dlsym(search->libraries[i], symbol);
    search->r->imports |= !known;
    if (!known && search->r->wants)
        *vec_push(&search->r->wanted) = arena_string(search->r->arena, symbol);
}

void reflect_imports(struct reflection *r, const void *object, size_t size)
{
    struct search search = { r, { dlopen(LIBM_SO, RTLD_LAZY), dlopen(LIBC_SO, RTLD_LAZY) } };
    r->wanted.count = 0;
    elf_each_undefined(object, size, note_undefined, &search);
    for (int i = 0; i < 2; ++i)
        if (search.libraries[i])
            dlclose(search.libraries[i]);
}

void reflect_shared(struct reflection *r, const void *object, size_t size)
{
    elf_each_defined(object, size, note_defined, r);
    reflect_imports(r, object, size);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/module/resolve.h"
#include "popc/module/elf_symbols.h"

#include "base/error.h"

#include <dlfcn.h>
#include <link.h>
#include <poplar/text.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- names ---- */

static bool spell_part(const char **at, struct str *out)
{
    size_t length = 0;
    while (pop_text_is_digit(**at) && length < 4096)
        length = length * 10 + (size_t)(*(*at)++ - '0');
    if (!length || strlen(*at) < length)
        return false;
    if (out->length)
        str_add(out, "::");
    str_add_bytes(out, *at, length);
    *at += length;
    return true;
}

void symbol_spell(const char *symbol, struct str *out)
{
    struct str name = { 0 };
    const char *at = symbol + (strncmp(symbol, "_Z", 2) == 0 ? 2 : 0);
    bool mangled = at != symbol, nested = mangled && *at == 'N';
    at += nested;
    while (mangled && (*at == 'K' || (*at == 'L' && nested)))
        ++at;
    bool good = mangled && spell_part(&at, &name);
    while (good && nested && pop_text_is_digit(*at))
        good = spell_part(&at, &name);
    if (good && nested && *at == 'C' && pop_text_is_digit(at[1])) { /* a constructor */
        const char *last = strrchr(name.text, ':');
        struct str own = { 0 };
        str_add(&own, last ? last + 1 : name.text);
        str_format(&name, "::%s", own.text);
        str_free(&own);
        at += 2;
    }
    bool function = nested ? at[0] == 'E' && at[1] : *at != 0; /* what follows are its parameters */
    if (good)
        str_format(out, "%s%s", name.text, function ? "()" : "");
    else
        str_add(out, symbol);
    str_free(&name);
}

/* ---- what is defined ---- */

struct reading {
    struct shared_symbols *shared;
    struct module *module;
    uint32_t object;
};

static void read_symbol(const char *symbol, void *context)
{
    struct reading *reading = context;
    *vec_push(&reading->shared->list) =
        (struct shared_symbol){ arena_string(&reading->shared->arena, symbol), reading->module, reading->object };
}

static int by_name(const void *a, const void *b)
{
    const struct shared_symbol *x = a, *y = b;
    return strcmp(x->name, y->name);
}

void shared_symbols_read(struct shared_symbols *shared, struct module *const *modules, size_t count)
{
    *shared = (struct shared_symbols){ .list = { 0 } };
    for (size_t m = 0; m < count; ++m)
        for (uint32_t i = 0; i < modules[m]->object_count; ++i) {
            struct reading reading = { shared, modules[m], i };
            if (modules[m]->objects[i].shares)
                elf_each_defined(modules[m]->objects[i].data, modules[m]->objects[i].size, read_symbol, &reading);
        }
    if (shared->list.count)
        qsort(shared->list.data, shared->list.count, sizeof(*shared->list.data), by_name);
}

void shared_symbols_free(struct shared_symbols *shared)
{
    vec_free(&shared->list);
    arena_free(&shared->arena);
}

const struct shared_symbol *shared_symbols_find(const struct shared_symbols *shared, const char *name)
{
    const struct shared_symbol key = { .name = name }, *first = shared->list.data;
    const struct shared_symbol *found =
        shared->list.count ? bsearch(&key, first, shared->list.count, sizeof(key), by_name) : NULL;
    while (found && found > first && strcmp(found[-1].name, name) == 0)
        --found;
    return found;
}

/* The next definition of the same symbol; NULL: there is none. */
static const struct shared_symbol *next_definition(const struct shared_symbols *shared,
                                                   const struct shared_symbol *symbol)
{
    const struct shared_symbol *next = symbol + 1;
    return next < shared->list.data + shared->list.count && strcmp(next->name, symbol->name) == 0 ? next : NULL;
}

static bool listed(const struct object_list *list, const struct module *module, uint32_t object)
{
    for (size_t i = 0; i < list->v.count; ++i)
        if (list->v.data[i].module == module && list->v.data[i].object == object)
            return true;
    return false;
}

/* ---- what is used ---- */

void object_list_add(struct object_list *list, struct module *module, uint32_t object)
{
    if (!listed(list, module, object))
        *vec_push(&list->v) = (struct object_place){ module, object };
}

struct completing {
    struct object_list *list;
    const struct shared_symbols *shared;
};

static void add_used(const char *symbol, void *context)
{
    struct completing *completing = context;
    const struct shared_symbol *found = shared_symbols_find(completing->shared, symbol);
    for (; found; found = next_definition(completing->shared, found)) /* two of them are found to be too many later */
        object_list_add(completing->list, found->module, found->object);
}

void object_list_complete(struct object_list *list, const struct shared_symbols *shared)
{
    struct completing completing = { list, shared };
    for (size_t i = 0; i < list->v.count && shared->list.count; ++i) {
        const struct module_object *object = list->v.data[i].module->objects + list->v.data[i].object;
        if (object->shares)
            elf_each_undefined(object->data, object->size, add_used, &completing);
    }
}

struct symbol_check {
    const struct shared_symbols *shared;
    const char *user;
    pop_status status;
    pop_error *error;
};

static void check_used(const char *symbol, void *context)
{
    struct symbol_check *check = context;
    const struct shared_symbol *a = shared_symbols_find(check->shared, symbol);
    const struct shared_symbol *b = a ? next_definition(check->shared, a) : NULL;
    if (!b || check->status != POP_OK)
        return;
    struct str name = { 0 };
    symbol_spell(symbol, &name);
    check->status =
        error_set(check->error, POP_LINK_ERROR, NO_WHERE, NULL,
                  "'%s', which '%s' uses, is defined in '%s' and in '%s': make it static or inline in "
                  "one of them, or leave one of them out",
                  name.text, check->user, a->module->objects[a->object].source, b->module->objects[b->object].source);
    str_free(&name);
}

pop_status shared_symbols_check(const struct shared_symbols *shared, const struct object_list *list, pop_error *error)
{
    struct symbol_check check = { shared, NULL, POP_OK, error };
    for (size_t i = 0; i < list->v.count && shared->list.count; ++i) {
        const struct module_object *object = list->v.data[i].module->objects + list->v.data[i].object;
        check.user = object->source;
        if (object->shares)
            elf_each_undefined(object->data, object->size, check_used, &check);
    }
    return check.status;
}

void modules_complete(struct module *const *all, size_t count, bool *in)
{
    struct shared_symbols shared;
    struct object_list list = { .v = { 0 } };
    shared_symbols_read(&shared, all, count);
    for (size_t m = 0; m < count && shared.list.count; ++m)
        for (uint32_t i = 0; i < all[m]->object_count && in[m]; ++i)
            object_list_add(&list, all[m], i);
    object_list_complete(&list, &shared);
    for (size_t i = 0; i < list.v.count; ++i)
        for (size_t m = 0; m < count; ++m)
            in[m] |= all[m] == list.v.data[i].module;
    vec_free(&list.v);
    shared_symbols_free(&shared);
}

/* ---- addresses ---- */

static bool is_shared(const char *symbol, void *context)
{
    return shared_symbols_find(context, symbol) != NULL;
}

void resolve_weaken(void *object, size_t size, const struct shared_symbols *shared)
{
    struct shared_symbols *context = (struct shared_symbols *)(uintptr_t)shared; /* a context is not const */
    elf_weaken(object, size, is_shared, context);
}

struct resolving {
    const struct shared_symbols *shared;
    unsigned char *base; /* address of the loaded object */
    struct str *reason;
};

/* The loader makes what it has filled in read-only. */
static bool make_writable(unsigned char *at)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)at / page * page;
    return mprotect((void *)first, (uintptr_t)at + sizeof(void *) - first, PROT_READ | PROT_WRITE) == 0;
}

static void resolve_use(const struct elf_use *use, void *context)
{
    struct resolving *resolving = context;
    const struct shared_symbol *from = shared_symbols_find(resolving->shared, use->symbol);
    if (!from || resolving->reason->length)
        return;
    void *handle = from->module->objects[from->object].handle;
    uint64_t address = handle ? (uint64_t)(uintptr_t)dlsym(handle, use->symbol) + use->addend : 0;
    unsigned char *place = resolving->base + use->offset;
    if (!handle || !use->address || !make_writable(place))
        str_format(resolving->reason, "it cannot use '%s' of '%s'", use->symbol,
                   from->module->objects[from->object].source);
    else
        memcpy(place, &address, sizeof(address));
}

bool resolve_object(const struct object_place *place, const struct shared_symbols *shared, struct str *reason)
{
    const struct module_object *object = place->module->objects + place->object;
    struct link_map *map;
    if (!object->shares || dlinfo(object->handle, RTLD_DI_LINKMAP, &map) != 0)
        return true;
    struct resolving resolving = { shared, (unsigned char *)map->l_addr, reason };
    elf_each_use(object->data, object->size, resolve_use, &resolving);
    return !reason->length;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/module/resolve.h"
#include "popc/module/elf_symbols.h"
#include "tile/object.h"

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
    *vec_push(&reading->shared->list) = (struct shared_symbol){ arena_string(&reading->shared->arena, symbol),
                                                                reading->module, reading->object, false };
}

/* The global labels of assembly code, of any architecture. */
static void read_assembly(struct shared_symbols *shared, struct module *module)
{
    for (uint32_t i = 0; i < module->tile_count; ++i) {
        const struct module_tile *tile = module->tiles + i;
        struct tile_object *object = tile->size ? tile_object_read(tile->data, tile->size) : NULL;
        for (size_t s = 0; object && s < object->symbols.count; ++s) {
            const struct tile_symbol *symbol = object->symbols.data + s;
            if (symbol->global && symbol->section >= 0 && object->sections.data[symbol->section].code)
                *vec_push(&shared->list) =
                    (struct shared_symbol){ arena_string(&shared->arena, symbol->name), module, 0, true };
        }
        tile_object_free(object);
    }
}

static int by_name(const void *a, const void *b)
{
    const struct shared_symbol *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->assembly - y->assembly; /* code of the host first */
}

void shared_symbols_read(struct shared_symbols *shared, struct module *const *modules, size_t count)
{
    *shared = (struct shared_symbols){ .list = { 0 } };
    bool assembles = false;
    for (size_t m = 0; m < count; ++m)
        for (uint32_t i = 0; i < modules[m]->object_count; ++i)
            assembles |= modules[m]->objects[i].assembles;
    for (size_t m = 0; m < count && assembles; ++m)
        read_assembly(shared, modules[m]);
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
    size_t low = 0, high = shared->list.count;
    while (low < high) { /* the first of that name */
        size_t middle = low + (high - low) / 2;
        if (strcmp(shared->list.data[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < shared->list.count && strcmp(shared->list.data[low].name, name) == 0 ? shared->list.data + low : NULL;
}

/* The next definition of the same symbol; NULL: there is none. */
static const struct shared_symbol *next_definition(const struct shared_symbols *shared,
                                                   const struct shared_symbol *symbol)
{
    const struct shared_symbol *next = symbol + 1;
    return next < shared->list.data + shared->list.count && !next->assembly && strcmp(next->name, symbol->name) == 0
               ? next
               : NULL;
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
    for (; found && !found->assembly;
         found = next_definition(completing->shared, found)) /* two of them are found to be too many later */
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
    const struct module_object *object;
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

/* The object itself has what calls a function in assembly. */
static void resolve_assembly(struct resolving *resolving, const struct elf_use *use)
{
    struct str name = { 0 };
    str_format(&name, CALLEE_PREFIX "%s", use->symbol);
    void *symbol = dlsym(resolving->object->handle, name.text);
    void *(*callee_of)(void) = NULL;
    memcpy(&callee_of, &symbol, sizeof(callee_of));
    void *callee = callee_of ? callee_of() : NULL;
    unsigned char *place = resolving->base + use->offset;
    if (!callee || !use->address || !make_writable(place))
        str_format(
            resolving->reason,
            "it uses '%s', which is in assembly: compile it with --call-assembly or --tile-builtins, and declare it "
            "once, with arguments that are numbers, pointers or short vectors",
            use->symbol);
    else
        memcpy(place, &callee, sizeof(callee));
    str_free(&name);
}

static void resolve_use(const struct elf_use *use, void *context)
{
    struct resolving *resolving = context;
    const struct shared_symbol *from = shared_symbols_find(resolving->shared, use->symbol);
    if (!from || resolving->reason->length)
        return;
    if (from->assembly) {
        resolve_assembly(resolving, use);
        return;
    }
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
    struct resolving resolving = { object, shared, (unsigned char *)map->l_addr, reason };
    elf_each_use(object->data, object->size, resolve_use, &resolving);
    return !reason->length;
}

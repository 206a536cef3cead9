/* SPDX-License-Identifier: Apache-2.0 */
/* Modules in memory: creation, sharing, merging. module_file.c has the file format, link.c loads them into the
 * process. */
#include "popc/module/module.h"
#include "popc/module/device_code.h"
#include "popc/module/machine.h"

#include "base/error.h"

#include <dlfcn.h>

struct module *module_create(const char *name, unsigned level)
{
    struct module *module = MEM_NEW(struct module);
    module->references = 1;
    module->name = arena_string(&module->arena, name ? name : "");
    module->level = level;
    module->uses = "";
    return module;
}

bool module_shares(const struct module *module)
{
    for (uint32_t i = 0; i < module->object_count; ++i)
        if (module->objects[i].shares)
            return true;
    return false;
}

struct module *module_retain(struct module *module)
{
    if (module)
        __atomic_add_fetch(&module->references, 1, __ATOMIC_RELAXED);
    return module;
}

void module_release(struct module *module)
{
    if (!module || __atomic_sub_fetch(&module->references, 1, __ATOMIC_ACQ_REL))
        return;
    for (uint32_t i = 0; i < module->object_count; ++i)
        if (module->objects[i].handle)
            dlclose(module->objects[i].handle);
    module_release(module->behaving);
    arena_free(&module->arena);
    free(module);
}

const struct codelet_field *codelet_find_field(const struct codelet *codelet, const char *name)
{
    for (uint32_t i = 0; i < codelet->field_count; ++i)
        if (strcmp(codelet->fields[i].name, name) == 0)
            return codelet->fields + i;
    return NULL;
}

static const struct codelet *find_codelet(const struct module *module, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; ++i)
        if (strcmp(module->codelets[i].name, name) == 0)
            return module->codelets + i;
    return NULL;
}

static void copy_codelet(struct module *to, struct codelet *codelet, const struct codelet *from, uint32_t object)
{
    struct arena *arena = &to->arena;
    *codelet = *from;
    codelet->name = arena_string(arena, from->name);
    codelet->symbol = arena_string(arena, from->symbol);
    codelet->object = object;
    codelet->module = to;
    codelet->fields = arena_alloc(arena, from->field_count * sizeof(*from->fields));
    for (uint32_t i = 0; i < from->field_count; ++i) {
        codelet->fields[i] = from->fields[i];
        codelet->fields[i].name = arena_string(arena, from->fields[i].name);
    }
    codelet->constraints = arena_alloc(arena, from->constraint_count * sizeof(*from->constraints));
    for (uint32_t i = 0; i < from->constraint_count; ++i)
        codelet->constraints[i] = arena_string(arena, from->constraints[i]);
    codelet->defaults = memcpy(arena_alloc(arena, from->state_bytes), from->defaults, from->state_bytes);
}

static void copy_counted(struct module *to, struct module_object *copy, const struct module_object *object)
{
    copy->counted_size = object->counted_size;
    copy->counted = memcpy(arena_alloc(&to->arena, object->counted_size), object->counted, object->counted_size);
}

/* Adds what the copy lacks: another module may have it for other devices. */
static void copy_measured(struct module *to, struct module_object *copy, const struct module_object *object)
{
    for (int arch = 0; arch < DEVICE_ARCHS; ++arch)
        if (object->measured[arch].size && !copy->measured[arch].size)
            copy->measured[arch] =
                (struct module_code){ memcpy(arena_alloc(&to->arena, object->measured[arch].size),
                                             object->measured[arch].data, object->measured[arch].size),
                                      object->measured[arch].size };
}

static void copy_tiles(struct module *to, const struct module *from)
{
    for (uint32_t i = 0; i < from->tile_count; ++i) {
        struct module_tile *copy = &to->tiles[to->tile_count++];
        *copy = from->tiles[i];
        copy->refused = arena_string(&to->arena, copy->refused);
        copy->data = copy->size ? memcpy(arena_alloc(&to->arena, copy->size), from->tiles[i].data, copy->size) : NULL;
    }
}

static uint32_t copy_object(struct module *to, const struct module_object *object)
{
    struct module_object *copy = &to->objects[to->object_count];
    *copy = (struct module_object){ .data = memcpy(arena_alloc(&to->arena, object->size), object->data, object->size),
                                    .size = object->size,
                                    .shares = object->shares,
                                    .asks_tile = object->asks_tile,
                                    .assembles = object->assembles,
                                    .source = arena_string(&to->arena, object->source) };
    if (object->counted_size)
        copy_counted(to, copy, object);
    copy_measured(to, copy, object);
    return to->object_count++;
}

/* ---- sources that were compiled for one device at a time ---- */

/* Whether two objects are equal, with equal codelets in the same order. */
static bool same_object(const struct module *a, uint32_t of_a, const struct module *b, uint32_t of_b)
{
    const struct module_object *x = a->objects + of_a, *y = b->objects + of_b;
    if (x->size != y->size || memcmp(x->data, y->data, x->size) != 0)
        return false;
    uint32_t i = 0, k = 0;
    for (;; ++i, ++k) {
        while (i < a->codelet_count && a->codelets[i].object != of_a)
            ++i;
        while (k < b->codelet_count && b->codelets[k].object != of_b)
            ++k;
        if (i == a->codelet_count || k == b->codelet_count)
            return i == a->codelet_count && k == b->codelet_count;
        if (strcmp(a->codelets[i].name, b->codelets[k].name) != 0)
            return false;
    }
}

/* The targets of a module, a bit each; bit DEVICE_ARCHS when it was compiled for the host alone. */
static unsigned targets_of(const struct module *module)
{
    unsigned targets = 0;
    for (int arch = 0; arch < DEVICE_ARCHS; ++arch)
        targets |= module->devices[arch] ? 1u << arch : 0;
    return targets ? targets : 1u << DEVICE_ARCHS;
}

struct merge {
    struct module *merged;
    unsigned *targets;  /* of the merged objects up to now */
    uint32_t *object;   /* for each object of the current module, the merged object */
    bool *known;        /* whether an earlier module brought it */
    uint32_t **codelet; /* by module: for each codelet, the merged codelet */
};

/* Merges the objects of a module; an object equal to an earlier one for other targets is not added again. */
static void merge_objects(struct merge *merge, const struct module *from, uint32_t before)
{
    struct module *merged = merge->merged;
    unsigned targets = targets_of(from);
    for (uint32_t i = 0; i < from->object_count; ++i) {
        uint32_t at = 0;
        while (at < before && ((merge->targets[at] & targets) || !same_object(merged, at, from, i)))
            ++at;
        merge->known[i] = at < before;
        if (!merge->known[i]) {
            at = copy_object(merged, from->objects + i);
            merge->targets[at] = 0;
        } else if (!merged->objects[at].counted_size && from->objects[i].counted_size) {
            copy_counted(merged, merged->objects + at, from->objects + i);
        }
        copy_measured(merged, merged->objects + at, from->objects + i);
        merge->object[i] = at;
        merge->targets[at] |= targets;
    }
}

/* Merges code sizes for the devices of all modules. */
static void merge_devices(struct merge *merge, struct module *const *modules, size_t count)
{
    struct module *merged = merge->merged;
    for (int arch = 0; arch < DEVICE_ARCHS; ++arch) {
        bool any = false;
        for (size_t i = 0; i < count; ++i)
            any |= modules[i]->devices[arch] != NULL;
        if (!any)
            continue;
        struct device_code *codes = arena_alloc(&merged->arena, merged->codelet_count * sizeof(*codes));
        merged->devices[arch] = codes;
        for (uint32_t k = 0; k < merged->codelet_count; ++k)
            codes[k] = device_code_missing;
        for (size_t i = 0; i < count; ++i)
            for (uint32_t k = 0; k < modules[i]->codelet_count && modules[i]->devices[arch]; ++k)
                codes[merge->codelet[i][k]] = modules[i]->devices[arch][k];
        for (uint32_t k = 0; k < merged->codelet_count; ++k)
            codes[k].reason = arena_string(&merged->arena, codes[k].reason);
    }
}

void module_take_code(struct module *module, const struct module *from)
{
    for (int arch = 0; arch < DEVICE_ARCHS; ++arch) {
        if (!from->devices[arch])
            continue;
        struct device_code *codes = arena_alloc(&module->arena, module->codelet_count * sizeof(*codes));
        for (uint32_t i = 0; i < module->codelet_count; ++i) {
            const struct codelet *like = find_codelet(from, from->codelet_count, module->codelets[i].name);
            codes[i] = like ? from->devices[arch][like - from->codelets] : device_code_missing;
            codes[i].reason = arena_string(&module->arena, codes[i].reason);
        }
        module->devices[arch] = codes;
    }
}

static pop_status defined_twice(struct module *const *modules, size_t later, const char *name, pop_error *error)
{
    size_t earlier = 0;
    while (!find_codelet(modules[earlier], modules[earlier]->codelet_count, name))
        ++earlier;
    return error_set(error, POP_GRAPH_OBJECT_CREATION_ERROR, NO_WHERE, NULL,
                     "vertex type '%s' is defined in '%s' and in '%s'", name, modules[earlier]->name,
                     modules[later]->name);
}

/* Merges module i of the list. */
static pop_status merge_module(struct merge *merge, struct module *const *modules, size_t i, pop_error *error)
{
    struct module *merged = merge->merged;
    const struct module *from = modules[i];
    merge_objects(merge, from, merged->object_count);
    for (uint32_t k = 0; k < from->codelet_count; ++k) {
        const struct codelet *codelet = from->codelets + k,
                             *other = find_codelet(merged, merged->codelet_count, codelet->name);
        uint32_t object = merge->object[codelet->object];
        if (other && !(merge->known[codelet->object] && other->object == object))
            return defined_twice(modules, i, codelet->name, error);
        merge->codelet[i][k] = other ? (uint32_t)(other - merged->codelets) : merged->codelet_count++;
        if (!other)
            copy_codelet(merged, merged->codelets + merge->codelet[i][k], codelet, object);
    }
    return POP_OK;
}

pop_status module_merge(struct module *const *modules, size_t count, const char *name, struct module **merged,
                        pop_error *error)
{
    *merged = NULL;
    unsigned level = 1;
    size_t codelets = 0, objects = 0, tiles = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!machine_levels_match(modules[i]->level, modules[0]->level))
            return error_set(error, POP_LINK_ERROR, NO_WHERE, NULL,
                             "'%s' was compiled for %s and '%s' for %s: one file holds code for one architecture",
                             modules[0]->name, machine_level_name(modules[0]->level), modules[i]->name,
                             machine_level_name(modules[i]->level));
        level = modules[i]->level > level ? modules[i]->level : level;
        codelets += modules[i]->codelet_count;
        objects += modules[i]->object_count;
        tiles += modules[i]->tile_count;
    }
    struct module *module = module_create(name, level);
    module->codelets = arena_alloc(&module->arena, codelets * sizeof(*module->codelets));
    module->objects = arena_alloc(&module->arena, objects * sizeof(*module->objects));
    module->tiles = arena_zero(&module->arena, tiles, sizeof(*module->tiles));
    struct arena scratch = { 0 };
    struct merge merge = { .merged = module,
                           .targets = arena_alloc(&scratch, objects * sizeof(unsigned)),
                           .object = arena_alloc(&scratch, objects * sizeof(uint32_t)),
                           .known = arena_alloc(&scratch, objects * sizeof(bool)),
                           .codelet = arena_alloc(&scratch, count * sizeof(uint32_t *)) };
    pop_status status = POP_OK;
    for (size_t i = 0; i < count && status == POP_OK; ++i) {
        merge.codelet[i] = arena_alloc(&scratch, modules[i]->codelet_count * sizeof(uint32_t));
        status = merge_module(&merge, modules, i, error);
        copy_tiles(module, modules[i]);
    }
    if (status == POP_OK)
        merge_devices(&merge, modules, count);
    else
        module_release(module);
    arena_free(&scratch);
    if (status == POP_OK)
        *merged = module;
    return status;
}

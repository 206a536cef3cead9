/* SPDX-License-Identifier: Apache-2.0 */
/* Modules in memory: creation, sharing, merging.  The file form is in module_file.c, loading into the process in
 * link.c. */
#include "popc/module.h"
#include "popc/device_code.h"

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

static void copy_codelet(struct module *to, struct codelet *codelet, const struct codelet *from, uint32_t first_object)
{
    struct arena *arena = &to->arena;
    *codelet = *from;
    codelet->name = arena_string(arena, from->name);
    codelet->symbol = arena_string(arena, from->symbol);
    codelet->object = first_object + from->object;
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

static void copy_objects(struct module *to, const struct module *from)
{
    for (uint32_t i = 0; i < from->object_count; ++i) {
        const struct module_object *object = from->objects + i;
        void *data = memcpy(arena_alloc(&to->arena, object->size), object->data, object->size);
        struct module_object *copy = &to->objects[to->object_count++];
        *copy = (struct module_object){ .data = data, .size = object->size, .counted_size = object->counted_size };
        if (object->counted_size)
            copy->counted =
                memcpy(arena_alloc(&to->arena, object->counted_size), object->counted, object->counted_size);
    }
}

/* Of those devices that any module was compiled for. */
static void merge_devices(struct module *merged, struct module *const *modules, size_t count)
{
    for (int arch = 0; arch < DEVICE_ARCHS; ++arch) {
        bool any = false;
        for (size_t i = 0; i < count; ++i)
            any |= modules[i]->devices[arch] != NULL;
        if (!any)
            continue;
        struct device_code *codes = arena_alloc(&merged->arena, merged->codelet_count * sizeof(*codes));
        merged->devices[arch] = codes;
        for (size_t i = 0; i < count; ++i)
            for (uint32_t k = 0; k < modules[i]->codelet_count; ++k, ++codes) {
                *codes = modules[i]->devices[arch] ? modules[i]->devices[arch][k] : device_code_missing;
                codes->reason = arena_string(&merged->arena, codes->reason);
            }
    }
}

pop_status module_merge(struct module *const *modules, size_t count, const char *name, struct module **merged,
                        pop_error *error)
{
    *merged = NULL;
    unsigned level = 1;
    size_t codelets = 0, objects = 0;
    for (size_t i = 0; i < count; ++i) {
        level = modules[i]->level > level ? modules[i]->level : level;
        codelets += modules[i]->codelet_count;
        objects += modules[i]->object_count;
    }
    struct module *module = module_create(name, level);
    module->codelets = arena_alloc(&module->arena, codelets * sizeof(*module->codelets));
    module->objects = arena_alloc(&module->arena, objects * sizeof(*module->objects));
    for (size_t i = 0; i < count; ++i) {
        const struct module *from = modules[i];
        uint32_t first = module->object_count;
        copy_objects(module, from);
        for (uint32_t k = 0; k < from->codelet_count; ++k) {
            const struct codelet *codelet = from->codelets + k;
            if (find_codelet(module, module->codelet_count, codelet->name)) {
                size_t earlier = 0;
                while (!find_codelet(modules[earlier], modules[earlier]->codelet_count, codelet->name))
                    ++earlier;
                error_set(error, POP_GRAPH_OBJECT_CREATION_ERROR, NO_WHERE, NULL,
                          "vertex type '%s' is defined in '%s' and in '%s'", codelet->name, modules[earlier]->name,
                          from->name);
                module_release(module);
                return POP_GRAPH_OBJECT_CREATION_ERROR;
            }
            copy_codelet(module, module->codelets + module->codelet_count++, codelet, first);
        }
    }
    merge_devices(module, modules, count);
    *merged = module;
    return POP_OK;
}

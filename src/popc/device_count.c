/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/device/device.h"
#include "popc/module/resolve.h"
#include "popc/popc.h"
#include "popc/tile_vertex.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loaded {
    struct module *module;
    uint32_t object;
    struct device_image *image; /* NULL on failure; why holds the reason */
    char why[120];
};

struct assembled {
    const struct codelet *codelet;
    struct tile_vertex *vertex; /* NULL: no assembly source has its code */
};

struct device_counter {
    enum device_arch arch;
    struct module *const *modules;
    size_t module_count;
    VEC(struct assembled) assembled;
    VEC(struct loaded) loaded;
};

/* Cycles of a vertex that runs alone on its tile, besides its instructions: its start, and the extra cycles of a
 * supervisor's jump (docs/concepts/devices.md, compute). */
enum { START = 11, JUMP = 5, WORKERS = 6 };

struct device_counter *device_counter_create(enum device_arch arch, struct module *const *modules, size_t count)
{
    struct device_counter *counter = MEM_NEW(struct device_counter);
    counter->arch = arch;
    counter->modules = modules;
    counter->module_count = count;
    return counter;
}

void device_counter_free(struct device_counter *counter)
{
    if (!counter)
        return;
    for (size_t i = 0; i < counter->loaded.count; ++i)
        device_image_free(counter->loaded.data[i].image);
    for (size_t i = 0; i < counter->assembled.count; ++i)
        tile_vertex_free(counter->assembled.data[i].vertex);
    vec_free(&counter->assembled);
    vec_free(&counter->loaded);
    free(counter);
}

/* Loads the object of a codelet, and those of other files whose functions it uses. */
static struct device_image *load_with_used(const struct device_counter *counter, struct loaded *loaded)
{
    struct shared_symbols shared;
    struct object_list list = { .v = { 0 } };
    struct device_image *image = NULL;
    char why[sizeof(loaded->why)];
    VEC(struct module_code) parts = { 0 };
    shared_symbols_read(&shared, counter->modules, counter->module_count);
    object_list_add(&list, loaded->module, loaded->object);
    object_list_complete(&list, &shared);
    for (size_t i = 0; i < list.v.count; ++i) {
        const struct object_place *place = list.v.data + i;
        size_t bytes;
        char *object = popc_counted_object(place->module, place->object, counter->arch, &bytes, i ? why : loaded->why,
                                           sizeof(why));
        if (object)
            *vec_push(&parts) = (struct module_code){ (unsigned char *)object, bytes };
        else if (!i)
            break;
    }
    if (parts.count && !(image = device_image_load(parts.data, parts.count)))
        snprintf(loaded->why, sizeof(loaded->why), "its object has what the interpreter does not know");
    for (size_t i = 0; i < parts.count; ++i)
        free((void *)(uintptr_t)parts.data[i].data);
    vec_free(&parts);
    vec_free(&list.v);
    shared_symbols_free(&shared);
    return image;
}

static struct loaded *find(struct device_counter *counter, const struct codelet *codelet)
{
    for (size_t i = 0; i < counter->loaded.count; ++i)
        if (counter->loaded.data[i].module == codelet->module && counter->loaded.data[i].object == codelet->object)
            return counter->loaded.data + i;
    struct loaded *loaded = vec_push(&counter->loaded);
    *loaded = (struct loaded){ .module = codelet->module, .object = codelet->object };
    loaded->image = load_with_used(counter, loaded);
    return loaded;
}

/* Index of a codelet among the vertices of its source. */
static uint32_t index_in_source(const struct codelet *codelet)
{
    uint32_t index = 0;
    for (const struct codelet *other = codelet->module->codelets; other < codelet; ++other)
        index += other->object == codelet->object;
    return index;
}

static bool run_worker(struct device_image *image, uint64_t entry, struct device_run *run, uint32_t worker,
                       uint64_t *longest)
{
    run->arguments[0] = (uintptr_t)run->memory;
    run->arguments[1] = worker;
    uint64_t max = run->max;
    run->max = max - run->executed;
    bool good = device_run(image, entry, run);
    run->max = max;
    run->executed += run->instructions < max - run->executed ? run->instructions : max - run->executed;
    if (!good && run->executed == max)
        snprintf(run->reason, sizeof(run->reason), "it executes more than %llu instructions; perhaps it never ends",
                 (unsigned long long)max);
    if (!good)
        return false;
    *longest = run->slots > *longest ? run->slots : *longest;
    return true;
}

bool device_counter_run(struct device_counter *counter, const struct codelet *codelet, struct device_run *run,
                        uint64_t *cycles)
{
    struct loaded *loaded = find(counter, codelet);
    uint64_t entry = loaded->image ? device_image_compute(loaded->image, codelet->name, index_in_source(codelet)) : 0,
             longest = 0;
    run->executed = 0;
    if (!entry) {
        snprintf(run->reason, sizeof(run->reason), "%s",
                 loaded->image ? "its object has no such function" : loaded->why);
        return false;
    }
    for (uint32_t worker = 0; worker < (codelet->kind == VERTEX_MULTI ? WORKERS : 1); ++worker)
        if (!run_worker(loaded->image, entry, run, worker, &longest))
            return false;
    *cycles = codelet->kind == VERTEX_WORKER  ? longest
              : codelet->kind == VERTEX_MULTI ? START + WORKERS * longest
                                              : START + longest + JUMP * run->jumps;
    return true;
}

struct tile_vertex *device_counter_assembly(struct device_counter *counter, const struct codelet *codelet)
{
    for (size_t i = 0; i < counter->assembled.count; ++i)
        if (counter->assembled.data[i].codelet == codelet)
            return counter->assembled.data[i].vertex;
    struct str why = { 0 };
    bool missing;
    struct assembled *assembled = vec_push(&counter->assembled);
    *assembled = (struct assembled){ codelet, NULL };
    if (codelet->external)
        assembled->vertex =
            tile_vertex_link(codelet, counter->modules, counter->module_count, counter->arch, &missing, &why);
    str_free(&why);
    return assembled->vertex;
}

bool device_counter_run_assembly(struct tile_vertex *vertex, struct device_run *run, const uint64_t *edge_bytes,
                                 uint64_t *cycles)
{
    struct tile_vertex_run tile = {
        .state = run->memory, .edge_bytes = edge_bytes, .tile = UINT32_MAX, .max_slots = run->max
    };
    bool good = tile_vertex_run(vertex, &tile);
    *cycles = tile.cycles;
    run->executed = good ? tile.cycles : 0;
    if (!good)
        snprintf(run->reason, sizeof(run->reason), "%.*s", (int)sizeof(run->reason) - 1, tile.text);
    return good;
}

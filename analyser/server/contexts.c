/* SPDX-License-Identifier: Apache-2.0 */
#include "contexts.h"

#include "base/mem.h"

#include <string.h>

static int by_id(const void *left, const void *right)
{
    const struct context *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

static uint32_t layer_of(struct contexts *contexts, char *name)
{
    size_t i = 0;
    while (i < contexts->layer_count && strcmp(contexts->layers[i], name) != 0)
        ++i;
    if (i < contexts->layer_count) {
        free(name);
        return (uint32_t)i;
    }
    contexts->layers = mem_grow(contexts->layers, (i + 1) * sizeof(*contexts->layers));
    contexts->layers[contexts->layer_count++] = name;
    return (uint32_t)i;
}

void contexts_load(pva_file *report, struct contexts *contexts)
{
    pva_object root = pva_root(report);
    size_t count = (size_t)pva_count(root, PVA_REPORT_DEBUG_CONTEXTS);
    uint64_t *parents = mem_zero(count + 1, sizeof(*parents));
    *contexts = (struct contexts){ .list = mem_zero(count + 1, sizeof(*contexts->list)), .count = count };
    for (size_t i = 0; i < count; ++i) {
        pva_object object = pva_at(root, PVA_REPORT_DEBUG_CONTEXTS, i),
                   place = pva_get(object, PVA_DEBUG_CONTEXT_LOCATION);
        parents[i] = pva_count(object, PVA_DEBUG_CONTEXT_PARENTS)
                         ? pva_uint(pva_at(object, PVA_DEBUG_CONTEXT_PARENTS, 0), PVA_DEBUG_CONTEXT_ID)
                         : 0;
        contexts->list[i] = (struct context){
            .id = pva_uint(object, PVA_DEBUG_CONTEXT_ID),
            .index = (uint32_t)i,
            .layer = layer_of(contexts, pva_text_copy(object, PVA_DEBUG_CONTEXT_LAYER)),
            .line = pva_uint(place, PVA_LOCATION_LINE_NUMBER),
            .name = pva_text_copy(object, PVA_DEBUG_CONTEXT_NAME),
            .file = pva_text_copy(place, PVA_LOCATION_FILE_NAME),
        };
    }
    qsort(contexts->list, count, sizeof(*contexts->list), by_id);
    for (size_t i = 0; i < count; ++i) {
        uint64_t parent = parents[contexts->list[i].index];
        contexts->list[i].parent = parent ? contexts_find(contexts, parent) : NO_CONTEXT;
    }
    free(parents);
}

void contexts_free(struct contexts *contexts)
{
    for (size_t i = 0; i < contexts->count; ++i) {
        free(contexts->list[i].name);
        free(contexts->list[i].file);
    }
    for (size_t i = 0; i < contexts->layer_count; ++i)
        free(contexts->layers[i]);
    free(contexts->layers);
    free(contexts->list);
    *contexts = (struct contexts){ 0 };
}

uint32_t contexts_find(const struct contexts *contexts, uint64_t id)
{
    const struct context key = { .id = id },
                         *found = contexts->count ? bsearch(&key, contexts->list, contexts->count, sizeof(key), by_id)
                                                  : NULL;
    return found ? (uint32_t)(found - contexts->list) : NO_CONTEXT;
}

uint32_t contexts_outermost(const struct contexts *contexts, uint32_t from, uint32_t layer)
{
    uint32_t found = NO_CONTEXT;
    for (unsigned depth = 0; from != NO_CONTEXT && depth < DEEPEST_CONTEXT; ++depth) {
        if (contexts->list[from].layer == layer)
            found = from;
        from = contexts->list[from].parent;
    }
    return found;
}

uint32_t contexts_line(const struct contexts *contexts, uint32_t from)
{
    uint32_t found = NO_CONTEXT;
    for (unsigned depth = 0; from != NO_CONTEXT && depth < DEEPEST_CONTEXT; ++depth) {
        if (contexts->list[from].line)
            found = from;
        from = contexts->list[from].parent;
    }
    return found;
}

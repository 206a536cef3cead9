/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/model/names.h"

#include <stdlib.h>
#include <string.h>

struct onnx_name_entry {
    const char *name; /* NULL: free */
    uint32_t value;
};

static size_t hash_text(const char *text)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    while (*text)
        hash = (hash ^ (unsigned char)*text++) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32);
}

static struct onnx_name_entry *find_place(const onnx_names *names, const char *name)
{
    size_t at = hash_text(name) & (names->capacity - 1);
    while (names->entries[at].name && strcmp(names->entries[at].name, name) != 0)
        at = (at + 1) & (names->capacity - 1);
    return &names->entries[at];
}

static void grow(onnx_names *names)
{
    struct onnx_name_entry *old = names->entries;
    size_t capacity = names->capacity;
    names->capacity = capacity ? 2 * capacity : 64;
    names->entries = onnx_new(names->arena, names->capacity, sizeof(*names->entries));
    for (size_t i = 0; i < capacity; ++i)
        if (old[i].name)
            *find_place(names, old[i].name) = old[i];
}

bool onnx_names_add(onnx_names *names, const char *name, uint32_t value)
{
    if (2 * (names->count + 1) > names->capacity)
        grow(names);
    struct onnx_name_entry *entry = find_place(names, name);
    if (entry->name)
        return false;
    *entry = (struct onnx_name_entry){ name, value };
    ++names->count;
    return true;
}

uint32_t onnx_names_find(const onnx_names *names, const char *name)
{
    for (; names; names = names->outer) {
        struct onnx_name_entry *entry = names->capacity ? find_place(names, name) : NULL;
        if (entry && entry->name)
            return entry->value;
    }
    return 0;
}

bool onnx_is_dimension(const tremula_onnx_value *info, size_t dim, const char *name)
{
    if (*info->parameters[dim] && strcmp(info->parameters[dim], name) == 0)
        return true;
    const char *colon = strrchr(name, ':'); /* the input's name may have others */
    size_t length = colon ? (size_t)(colon - name) : 0;
    if (!colon || strlen(info->name) != length || strncmp(info->name, name, length) != 0)
        return false;
    char *end;
    unsigned long number = strtoul(colon + 1, &end, 10);
    return colon[1] >= '0' && colon[1] <= '9' && !*end && number == dim;
}

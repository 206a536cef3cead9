/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of profile values.  A map keeps its keys sorted, so that two equal profiles are written alike. */
#include "profile/value.h"

#include <stdlib.h>

pop_profile_value pop_profile_bool(bool value)
{
    return (pop_profile_value){ POP_PROFILE_BOOL, { .boolean = value } };
}

pop_profile_value pop_profile_int(int64_t value)
{
    return (pop_profile_value){ POP_PROFILE_INT, { .integer = value } };
}

pop_profile_value pop_profile_uint(uint64_t value)
{
    return (pop_profile_value){ POP_PROFILE_UINT, { .natural = value } };
}

pop_profile_value pop_profile_double(double value)
{
    return (pop_profile_value){ POP_PROFILE_DOUBLE, { .real = value } };
}

pop_profile_value pop_profile_string(const char *text)
{
    return (pop_profile_value){ POP_PROFILE_STRING, { .string = mem_string(text) } };
}

pop_profile_value pop_profile_vector_new(void)
{
    return (pop_profile_value){ POP_PROFILE_VECTOR, { .vector = MEM_NEW(pop_profile_vector) } };
}

pop_profile_value pop_profile_map_new(void)
{
    return (pop_profile_value){ POP_PROFILE_MAP, { .map = MEM_NEW(pop_profile_map) } };
}

void pop_profile_free(pop_profile_value *value)
{
    if (!value)
        return;
    if (value->type == POP_PROFILE_STRING) {
        free(value->as.string);
    } else if (value->type == POP_PROFILE_VECTOR) {
        for (size_t i = 0; i < value->as.vector->items.count; ++i)
            pop_profile_free(&value->as.vector->items.data[i]);
        vec_free(&value->as.vector->items);
        free(value->as.vector);
    } else if (value->type == POP_PROFILE_MAP) {
        for (size_t i = 0; i < value->as.map->entries.count; ++i) {
            free(value->as.map->entries.data[i].key);
            pop_profile_free(&value->as.map->entries.data[i].value);
        }
        vec_free(&value->as.map->entries);
        free(value->as.map);
    }
    *value = (pop_profile_value){ 0 };
}

pop_profile_value pop_profile_copy(const pop_profile_value *value)
{
    if (!value)
        return (pop_profile_value){ 0 };
    if (value->type == POP_PROFILE_STRING)
        return pop_profile_string(value->as.string);
    if (value->type == POP_PROFILE_VECTOR) {
        pop_profile_value copy = pop_profile_vector_new();
        for (size_t i = 0; i < value->as.vector->items.count; ++i)
            pop_profile_push(&copy, pop_profile_copy(&value->as.vector->items.data[i]));
        return copy;
    }
    if (value->type == POP_PROFILE_MAP) {
        pop_profile_value copy = pop_profile_map_new();
        for (size_t i = 0; i < value->as.map->entries.count; ++i)
            pop_profile_set(&copy, value->as.map->entries.data[i].key, pop_profile_copy(&value->as.map->entries.data[i].value));
        return copy;
    }
    return *value;
}

pop_profile_value *pop_profile_push(pop_profile_value *vector, pop_profile_value item)
{
    if (!vector || vector->type != POP_PROFILE_VECTOR) {
        pop_profile_free(&item);
        return NULL;
    }
    pop_profile_value *place = vec_push(&vector->as.vector->items);
    *place = item;
    return place;
}

/* Where a key stands, or would. */
static size_t key_place(const pop_profile_map *map, const char *key, bool *found)
{
    size_t low = 0, high = map->entries.count;
    *found = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(map->entries.data[middle].key, key);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

pop_profile_value *pop_profile_set(pop_profile_value *map, const char *key, pop_profile_value item)
{
    if (!map || map->type != POP_PROFILE_MAP || !key) {
        pop_profile_free(&item);
        return NULL;
    }
    bool found;
    size_t place = key_place(map->as.map, key, &found);
    if (found) {
        pop_profile_free(&map->as.map->entries.data[place].value);
    } else {
        vec_push(&map->as.map->entries);
        struct profile_entry *entry = map->as.map->entries.data + place;
        memmove(entry + 1, entry, (map->as.map->entries.count - 1 - place) * sizeof(*entry));
        entry->key = mem_string(key);
    }
    map->as.map->entries.data[place].value = item;
    return &map->as.map->entries.data[place].value;
}

size_t pop_profile_size(const pop_profile_value *value)
{
    if (value && value->type == POP_PROFILE_VECTOR)
        return value->as.vector->items.count;
    if (value && value->type == POP_PROFILE_MAP)
        return value->as.map->entries.count;
    return 0;
}

const pop_profile_value *pop_profile_at(const pop_profile_value *vector, size_t index)
{
    return vector && vector->type == POP_PROFILE_VECTOR && index < vector->as.vector->items.count ? &vector->as.vector->items.data[index] : NULL;
}

const pop_profile_value *pop_profile_get(const pop_profile_value *map, const char *key)
{
    if (!map || map->type != POP_PROFILE_MAP || !key)
        return NULL;
    bool found;
    size_t place = key_place(map->as.map, key, &found);
    return found ? &map->as.map->entries.data[place].value : NULL;
}

const pop_profile_value *pop_profile_path(const pop_profile_value *map, const char *path)
{
    char key[128];
    while (path && *path) {
        size_t length = strcspn(path, ".");
        if (length >= sizeof(key))
            return NULL;
        memcpy(key, path, length);
        key[length] = 0;
        map = pop_profile_get(map, key);
        path += length + (path[length] == '.');
    }
    return map;
}

const char *pop_profile_key(const pop_profile_value *map, size_t index)
{
    return map && map->type == POP_PROFILE_MAP && index < map->as.map->entries.count ? map->as.map->entries.data[index].key : "";
}

const pop_profile_value *pop_profile_item(const pop_profile_value *map, size_t index)
{
    return map && map->type == POP_PROFILE_MAP && index < map->as.map->entries.count ? &map->as.map->entries.data[index].value : NULL;
}

bool pop_profile_as_bool(const pop_profile_value *value)
{
    return value && value->type == POP_PROFILE_BOOL && value->as.boolean;
}

int64_t pop_profile_as_int(const pop_profile_value *value)
{
    if (!value)
        return 0;
    switch (value->type) {
    case POP_PROFILE_INT:
        return value->as.integer;
    case POP_PROFILE_UINT:
        return value->as.natural > INT64_MAX ? INT64_MAX : (int64_t)value->as.natural;
    case POP_PROFILE_DOUBLE:
        return value->as.real >= 0x1p63 ? INT64_MAX : value->as.real > -0x1p63 ? (int64_t)value->as.real : INT64_MIN;
    default:
        return 0;
    }
}

uint64_t pop_profile_as_uint(const pop_profile_value *value)
{
    if (!value)
        return 0;
    switch (value->type) {
    case POP_PROFILE_INT:
        return value->as.integer < 0 ? 0 : (uint64_t)value->as.integer;
    case POP_PROFILE_UINT:
        return value->as.natural;
    case POP_PROFILE_DOUBLE:
        return value->as.real >= 0x1p64 ? UINT64_MAX : value->as.real > 0 ? (uint64_t)value->as.real : 0;
    default:
        return 0;
    }
}

double pop_profile_as_double(const pop_profile_value *value)
{
    if (!value)
        return 0;
    return value->type == POP_PROFILE_DOUBLE ? value->as.real
           : value->type == POP_PROFILE_INT  ? (double)value->as.integer
           : value->type == POP_PROFILE_UINT ? (double)value->as.natural
                                             : 0;
}

const char *pop_profile_as_string(const pop_profile_value *value)
{
    return value && value->type == POP_PROFILE_STRING ? value->as.string : "";
}

double pop_profile_sum(const pop_profile_value *value)
{
    double sum = pop_profile_as_double(value);
    for (size_t i = 0; i < pop_profile_size(value); ++i)
        sum += pop_profile_sum(value->type == POP_PROFILE_MAP ? pop_profile_item(value, i) : pop_profile_at(value, i));
    return sum;
}

uint64_t pop_profile_sum_uint(const pop_profile_value *value)
{
    uint64_t sum = pop_profile_as_uint(value);
    for (size_t i = 0; i < pop_profile_size(value); ++i)
        sum += pop_profile_sum_uint(value->type == POP_PROFILE_MAP ? pop_profile_item(value, i) : pop_profile_at(value, i));
    return sum;
}

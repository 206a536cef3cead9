/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of profile values. A map keeps its keys sorted, so that equal profiles give equal files. */
#include "value/value.h"

#include "value/made.h"

#include <assert.h>
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

/* Gives an empty vector a capacity of exactly n, where it will not grow. */
#define EXACTLY(v, n) ((n) ? ((v)->data = mem_grow((v)->data, (n) * sizeof(*(v)->data)), (v)->capacity = (n)) : 0)

pop_profile_value profile_map(size_t entries)
{
    pop_profile_value map = pop_profile_map_new();
    map.as.map->borrowed_keys = true;
    EXACTLY(&map.as.map->entries, entries);
    return map;
}

pop_profile_value *profile_add(pop_profile_value *map, const char *key, pop_profile_value item)
{
    struct pop_profile_map *m = map->as.map;
    assert(m->borrowed_keys && (!m->entries.count || strcmp(m->entries.data[m->entries.count - 1].key, key) < 0));
    struct profile_entry *entry = vec_push(&m->entries);
    *entry = (struct profile_entry){ (char *)(uintptr_t)key, item };
    return &entry->value;
}

pop_profile_value profile_vector(size_t elements)
{
    pop_profile_value vector = pop_profile_vector_new();
    EXACTLY(&vector.as.vector->items, elements);
    return vector;
}

pop_profile_value profile_runs(size_t runs)
{
    pop_profile_value vector = profile_vector(runs);
    vector.as.vector->ends = mem_alloc(runs * sizeof(size_t));
    return vector;
}

void profile_add_run(pop_profile_value *vector, uint64_t value, size_t count)
{
    struct pop_profile_vector *v = vector->as.vector;
    size_t runs = v->items.count, end = runs ? v->ends[runs - 1] : 0;
    assert(!runs || v->ends); /* made by profile_runs */
    if (!count)
        return;
    if (runs && v->items.data[runs - 1].as.natural == value) {
        v->ends[runs - 1] += count;
        return;
    }
    *vec_push(&v->items) = pop_profile_uint(value);
    v->ends = mem_grow(v->ends, v->items.capacity * sizeof(size_t));
    v->ends[runs] = end + count;
}

pop_profile_value profile_share(const pop_profile_value *value)
{
    assert(value->type == POP_PROFILE_VECTOR || value->type == POP_PROFILE_MAP);
    unsigned *holders =
        value->type == POP_PROFILE_VECTOR ? &value->as.vector->extra_references : &value->as.map->extra_references;
    __atomic_add_fetch(holders, 1, __ATOMIC_RELAXED);
    return *value;
}

/* Drops a reference; whether it was the last. */
static bool drop_reference(unsigned *extra_references)
{
    return __atomic_fetch_sub(extra_references, 1, __ATOMIC_ACQ_REL) == 0;
}

void pop_profile_free(pop_profile_value *value)
{
    if (!value)
        return;
    if (value->type == POP_PROFILE_STRING) {
        free(value->as.string);
    } else if (value->type == POP_PROFILE_VECTOR && drop_reference(&value->as.vector->extra_references)) {
        for (size_t i = 0; i < value->as.vector->items.count; ++i)
            pop_profile_free(&value->as.vector->items.data[i]);
        vec_free(&value->as.vector->items);
        free(value->as.vector->ends);
        profile_source_free(value->as.vector->source);
        free(value->as.vector);
    } else if (value->type == POP_PROFILE_MAP && drop_reference(&value->as.map->extra_references)) {
        for (size_t i = 0; i < value->as.map->entries.count; ++i) {
            if (!value->as.map->borrowed_keys)
                free(value->as.map->entries.data[i].key);
            pop_profile_free(&value->as.map->entries.data[i].value);
        }
        vec_free(&value->as.map->entries);
        free(value->as.map);
    }
    *value = (pop_profile_value){ 0 };
}

static pop_profile_value copy_vector(const struct pop_profile_vector *from)
{
    pop_profile_value copy = profile_vector(from->items.count);
    for (size_t i = 0; i < from->items.count; ++i)
        *vec_push(&copy.as.vector->items) = pop_profile_copy(&from->items.data[i]);
    if (from->ends)
        copy.as.vector->ends = mem_copy(from->ends, from->items.count * sizeof(size_t));
    return copy;
}

static pop_profile_value copy_map(const struct pop_profile_map *from)
{
    pop_profile_value copy = profile_map(from->entries.count);
    copy.as.map->borrowed_keys = from->borrowed_keys;
    for (size_t i = 0; i < from->entries.count; ++i) {
        struct profile_entry *entry = &from->entries.data[i];
        *vec_push(&copy.as.map->entries) =
            (struct profile_entry){ from->borrowed_keys ? entry->key : mem_string(entry->key),
                                    pop_profile_copy(&entry->value) };
    }
    return copy;
}

/* Shared vectors and maps are copy-on-write: a copy only adds a reference. */
pop_profile_value pop_profile_copy(const pop_profile_value *value)
{
    if (!value)
        return (pop_profile_value){ 0 };
    switch (value->type) {
    case POP_PROFILE_STRING:
        return pop_profile_string(value->as.string);
    case POP_PROFILE_VECTOR:
        return value->as.vector->source || __atomic_load_n(&value->as.vector->extra_references, __ATOMIC_RELAXED)
                   ? profile_share(value)
                   : copy_vector(value->as.vector);
    case POP_PROFILE_MAP:
        return __atomic_load_n(&value->as.map->extra_references, __ATOMIC_RELAXED) ? profile_share(value)
                                                                                   : copy_map(value->as.map);
    default:
        return *value;
    }
}

/* Makes a vector writable: unshared (copied if other references exist), with one item per element. */
static void make_plain_vector(pop_profile_value *vector)
{
    struct pop_profile_vector *v = vector->as.vector;
    bool shared = __atomic_load_n(&v->extra_references, __ATOMIC_ACQUIRE) != 0;
    if (!shared && !v->ends && !v->source)
        return;
    pop_profile_value own = profile_vector(pop_profile_size(vector));
    struct profile_reader reader = { .vector = vector };
    for (size_t i = 0; i < pop_profile_size(vector); ++i)
        *vec_push(&own.as.vector->items) = pop_profile_copy(profile_read(&reader, i));
    profile_reader_end(&reader);
    pop_profile_free(vector);
    *vector = own;
}

/* Makes a map writable: unshared, with owned keys. */
static void make_plain_map(pop_profile_value *map)
{
    if (__atomic_load_n(&map->as.map->extra_references, __ATOMIC_ACQUIRE)) {
        pop_profile_value own = copy_map(map->as.map);
        pop_profile_free(map);
        *map = own;
    }
    struct pop_profile_map *m = map->as.map;
    for (size_t i = 0; m->borrowed_keys && i < m->entries.count; ++i)
        m->entries.data[i].key = mem_string(m->entries.data[i].key);
    m->borrowed_keys = false;
}

pop_profile_value *pop_profile_push(pop_profile_value *vector, pop_profile_value item)
{
    if (!vector || vector->type != POP_PROFILE_VECTOR) {
        pop_profile_free(&item);
        return NULL;
    }
    make_plain_vector(vector);
    pop_profile_value *place = vec_push(&vector->as.vector->items);
    *place = item;
    return place;
}

/* Index of a key, or where to insert it. */
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
    make_plain_map(map);
    bool found;
    size_t place = key_place(map->as.map, key, &found);
    assert(place == map->as.map->entries.count || strcmp(map->as.map->entries.data[place].key, key) >= 0);
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

static size_t vector_size(const struct pop_profile_vector *vector)
{
    if (vector->source)
        return profile_source_size(vector->source);
    return !vector->ends ? vector->items.count : vector->items.count ? vector->ends[vector->items.count - 1] : 0;
}

size_t pop_profile_size(const pop_profile_value *value)
{
    if (value && value->type == POP_PROFILE_VECTOR)
        return vector_size(value->as.vector);
    if (value && value->type == POP_PROFILE_MAP)
        return value->as.map->entries.count;
    return 0;
}

/* The run that contains an index. */
static size_t run_of(const struct pop_profile_vector *vector, size_t index)
{
    assert(vector->ends && vector->items.count && index < vector->ends[vector->items.count - 1]);
    size_t low = 0, high = vector->items.count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (vector->ends[middle] <= index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const pop_profile_value *pop_profile_at(const pop_profile_value *vector, size_t index)
{
    if (!vector || vector->type != POP_PROFILE_VECTOR || index >= vector_size(vector->as.vector))
        return NULL;
    if (vector->as.vector->source)
        return profile_source_at(vector->as.vector->source, index);
    return &vector->as.vector->items.data[vector->as.vector->ends ? run_of(vector->as.vector, index) : index];
}

size_t profile_run(const pop_profile_value *vector, size_t index)
{
    if (!vector || vector->type != POP_PROFILE_VECTOR || index >= vector_size(vector->as.vector))
        return 0;
    return vector->as.vector->ends ? vector->as.vector->ends[run_of(vector->as.vector, index)] - index : 1;
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
    return map && map->type == POP_PROFILE_MAP && index < map->as.map->entries.count
               ? map->as.map->entries.data[index].key
               : "";
}

const pop_profile_value *pop_profile_item(const pop_profile_value *map, size_t index)
{
    return map && map->type == POP_PROFILE_MAP && index < map->as.map->entries.count
               ? &map->as.map->entries.data[index].value
               : NULL;
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
    bool map = value && value->type == POP_PROFILE_MAP;
    struct profile_reader reader = { .vector = value };
    for (size_t i = 0, run; i < pop_profile_size(value); i += run) {
        run = map ? 1 : profile_run(value, i);
        sum += (double)run * pop_profile_sum(map ? pop_profile_item(value, i) : profile_read(&reader, i));
    }
    profile_reader_end(&reader);
    return sum;
}

uint64_t pop_profile_sum_uint(const pop_profile_value *value)
{
    uint64_t sum = pop_profile_as_uint(value);
    bool map = value && value->type == POP_PROFILE_MAP;
    struct profile_reader reader = { .vector = value };
    for (size_t i = 0, run; i < pop_profile_size(value); i += run) {
        run = map ? 1 : profile_run(value, i);
        sum += run * pop_profile_sum_uint(map ? pop_profile_item(value, i) : profile_read(&reader, i));
    }
    profile_reader_end(&reader);
    return sum;
}

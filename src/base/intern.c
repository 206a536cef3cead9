/* SPDX-License-Identifier: Apache-2.0 */
#include "base/intern.h"

#include <assert.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static size_t slot_of(const struct intern *table, const char *text)
{
    size_t mask = table->slot_count - 1;
    size_t slot = (size_t)XXH3_64bits(text, strlen(text)) & mask;
    while (table->slots[slot] && strcmp(table->names.data[table->slots[slot] - 1], text) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

static void rehash(struct intern *table, size_t count)
{
    assert(count && (count & (count - 1)) == 0 && count > table->names.count);
    free(table->slots);
    table->slot_count = count;
    table->slots = mem_zero(count, sizeof(*table->slots));
    for (size_t id = 0; id < table->names.count; ++id)
        table->slots[slot_of(table, table->names.data[id])] = (uint32_t)id + 1;
}

uint32_t intern_add(struct intern *table, const char *text)
{
    if (!table->slots) {
        *vec_push(&table->names) = arena_string(&table->text, "");
        rehash(table, 64);
    }
    if (!text || !*text)
        return 0;
    size_t slot = slot_of(table, text);
    if (table->slots[slot])
        return table->slots[slot] - 1;
    uint32_t id = (uint32_t)table->names.count;
    *vec_push(&table->names) = arena_string(&table->text, text);
    table->slots[slot] = id + 1;
    if (table->names.count * 2 > table->slot_count)
        rehash(table, table->slot_count * 2);
    return id;
}

uint32_t intern_find(const struct intern *table, const char *text)
{
    if (!text || !*text)
        return 0;
    if (!table->slots)
        return UINT32_MAX;
    size_t slot = slot_of(table, text);
    return table->slots[slot] ? table->slots[slot] - 1 : UINT32_MAX;
}

const char *intern_text(const struct intern *table, uint32_t id)
{
    return id < table->names.count ? table->names.data[id] : "";
}

void intern_free(struct intern *table)
{
    arena_free(&table->text);
    vec_free(&table->names);
    free(table->slots);
    *table = (struct intern){ 0 };
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "report/live_blocks.h"

/* Stable counting sort of blocks by a key below `keys`; *first, unless NULL, receives the start of each key and the
 * end. */
typedef uint32_t (*block_key)(const struct placement_block *block);

static uint32_t class_of(const struct placement_block *block)
{
    return block->class;
}

static uint32_t name_of(const struct placement_block *block)
{
    return block->name;
}

static uint32_t *sort_blocks(const struct placement *placement, const uint32_t *order, block_key key, size_t keys,
                             size_t **first)
{
    size_t count = placement->blocks.count, *at = mem_zero(keys + 2, sizeof(*at));
    uint32_t *sorted = mem_alloc((count + 1) * sizeof(*sorted));
    for (size_t i = 0; i < count; ++i)
        ++at[key(placement->blocks.data + i) + 2];
    for (size_t i = 2; i < keys + 2; ++i)
        at[i] += at[i - 1];
    for (size_t i = 0; i < count; ++i) {
        uint32_t block = order ? order[i] : (uint32_t)i;
        sorted[at[key(placement->blocks.data + block) + 1]++] = block;
    }
    if (first)
        *first = at;
    else
        free(at);
    return sorted;
}

static void find_groups(struct live_blocks *t, size_t names)
{
    const struct placement_block *blocks = t->placement->blocks.data;
    t->group_of = mem_zero(names + 1, sizeof(*t->group_of));
    for (size_t i = 0; i < t->placement->blocks.count; ++i) {
        const struct placement_block *block = blocks + t->by_name[i];
        struct live_group *last = t->groups.count ? t->groups.data + t->groups.count - 1 : NULL;
        if (last && last->name == block->name && last->class == block->class) {
            ++last->count;
            continue;
        }
        *vec_push(&t->groups) = (struct live_group){ block->name, block->class, i, 1 };
        if (!t->group_of[block->name])
            t->group_of[block->name] = (uint32_t)t->groups.count;
    }
}

static int by_ordinal(const void *left, const void *right)
{
    const struct live_toggle *a = left, *b = right;
    return a->ordinal != b->ordinal ? (a->ordinal < b->ordinal ? -1 : 1)
                                    : (a->class > b->class) - (a->class < b->class);
}

static void find_toggles(struct live_blocks *t, size_t classes)
{
    const struct placement *placement = t->placement;
    for (uint32_t class = PLACED_ALWAYS + 1; class < classes; ++class)
        for (size_t i = placement->first_interval.data[class]; i < placement->first_interval.data[class + 1]; ++i) {
            *vec_push(&t->toggles) = (struct live_toggle){ placement->intervals.data[i].first, class, true };
            *vec_push(&t->toggles) = (struct live_toggle){ placement->intervals.data[i].end, class, false };
        }
    if (t->toggles.count)
        qsort(t->toggles.data, t->toggles.count, sizeof(*t->toggles.data), by_ordinal);
}

void live_blocks_make(struct live_blocks *t, const struct image *image)
{
    const struct placement *placement = image->placement;
    size_t classes = placement->first_interval.count ? placement->first_interval.count - 1 : 0;
    *t = (struct live_blocks){ .placement = placement };
    t->by_class = sort_blocks(placement, NULL, class_of, classes, &t->first_of_class);
    t->by_name = sort_blocks(placement, t->by_class, name_of, image->strings.count, NULL);
    t->active = mem_zero(classes + 1, sizeof(*t->active));
    t->now = mem_zero(placement->tiles, sizeof(*t->now));
    find_groups(t, image->strings.count);
    find_toggles(t, classes);
}

void live_blocks_free(struct live_blocks *t)
{
    free(t->by_class);
    free(t->by_name);
    free(t->first_of_class);
    free(t->group_of);
    free(t->active);
    free(t->now);
    vec_free(&t->groups);
    vec_free(&t->toggles);
}

void live_blocks_advance(struct live_blocks *t, uint32_t ordinal)
{
    for (; t->next < t->toggles.count && t->toggles.data[t->next].ordinal <= ordinal; ++t->next) {
        const struct live_toggle *toggle = t->toggles.data + t->next;
        t->active[toggle->class] = toggle->on;
        for (size_t i = t->first_of_class[toggle->class]; i < t->first_of_class[toggle->class + 1]; ++i) {
            const struct placement_block *block = t->placement->blocks.data + t->by_class[i];
            t->now[block->tile] += toggle->on ? block->bytes : -block->bytes;
        }
    }
}

uint64_t live_blocks_add(const struct live_blocks *t, uint32_t name, bool always, uint64_t *tiles)
{
    uint64_t hash = name;
    for (size_t g = t->group_of[name]; g && g <= t->groups.count && t->groups.data[g - 1].name == name; ++g) {
        const struct live_group *group = t->groups.data + g - 1;
        if (always ? group->class != PLACED_ALWAYS : !t->active[group->class])
            continue;
        hash = (hash ^ group->class) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
        for (size_t i = group->first; tiles && i < group->first + group->count; ++i)
            tiles[t->placement->blocks.data[t->by_name[i]].tile] += t->placement->blocks.data[t->by_name[i]].bytes;
    }
    return hash;
}

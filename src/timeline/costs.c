/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/costs.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* 100 MB of parts, and what a number in a trace can be. */
enum { PARTS_MAX = 1 << 22, LIST_MAX = 1 << 28, FIRST_SLOTS = 64 };

static size_t slot_of(const struct step_costs *costs, uint32_t set, const struct model_part *parts, size_t count)
{
    size_t mask = costs->slots.count - 1, slot = XXH3_64bits_withSeed(parts, count * sizeof(*parts), set) & mask;
    for (; costs->slots.data[slot]; slot = (slot + 1) & mask) {
        const struct step_cost *cost = costs->list.data + costs->slots.data[slot] - 1;
        if (cost->set == set && cost->parts == count &&
            (!count || memcmp(costs->parts.data + cost->first_part, parts, count * sizeof(*parts)) == 0))
            break;
    }
    return slot;
}

static void grow(struct step_costs *costs)
{
    size_t size = costs->slots.count ? 2 * costs->slots.count : FIRST_SLOTS;
    costs->slots.count = 0;
    memset(vec_extend(&costs->slots, size), 0, size * sizeof(*costs->slots.data));
    for (size_t i = 0; i < costs->list.count; ++i) {
        const struct step_cost *cost = costs->list.data + i;
        costs->slots.data[slot_of(costs, cost->set, costs->parts.data + cost->first_part, cost->parts)] =
            (uint32_t)i + 1;
    }
}

uint32_t step_costs_add(struct step_costs *costs, uint32_t set, const struct model_part *parts, size_t count)
{
    if (2 * (costs->list.count + 1) > costs->slots.count)
        grow(costs);
    size_t slot = slot_of(costs, set, parts, count);
    if (costs->slots.data[slot])
        return costs->slots.data[slot] - 1;
    if (costs->parts.count + count > PARTS_MAX || costs->list.count == LIST_MAX)
        return COSTS_FULL;
    *vec_push(&costs->list) = (struct step_cost){ set, (uint32_t)count, costs->parts.count };
    if (count)
        memcpy(vec_extend(&costs->parts, count), parts, count * sizeof(*parts));
    costs->slots.data[slot] = (uint32_t)costs->list.count;
    return costs->slots.data[slot] - 1;
}

void step_costs_last(struct step_costs *costs, const struct model *model, uint32_t cost)
{
    if (!costs->last.count) {
        memset(vec_extend(&costs->last, model->sets.count), 0, model->sets.count * sizeof(*costs->last.data));
        memset(vec_extend(&costs->active, model->shares.count), 0, model->shares.count * sizeof(uint64_t));
        for (size_t i = 0; i < model->vertices.count; ++i)
            *vec_push(&costs->vertices) = 0;
    }
    costs->last.data[costs->list.data[cost].set] = (struct step_last){ cost + 1, true };
}

void step_costs_written(struct step_costs *costs)
{
    for (size_t i = 0; i < costs->last.count; ++i)
        costs->last.data[i].fresh = false;
}

const struct step_cost *step_costs_of(const struct step_costs *costs, size_t set)
{
    return costs && set < costs->last.count && costs->last.data[set].cost
               ? costs->list.data + costs->last.data[set].cost - 1
               : NULL;
}

/* Whether vertices of a type are in a set of which no execution was counted. */
static bool misses(const struct step_costs *costs, const struct model *model, uint32_t type)
{
    for (size_t i = 0; i < model->sets.count; ++i)
        for (uint32_t k = 0; k < model->sets.data[i].shares && !step_costs_of(costs, i); ++k)
            if (model->shares.data[model->sets.data[i].first_share + k].type == type)
                return true;
    return false;
}

const char *step_costs_origin(const struct step_costs *costs, const struct model *model, uint32_t type)
{
    static const char *const origins[MODEL_ESTIMATES] = { "given", "counted", "guessed", "counted" };
    uint8_t origin = model->types.data[type].estimate;
    return origin == MODEL_EXECUTED && misses(costs, model, type) ? "counted on zeros" : origins[origin];
}

uint64_t step_costs_active(const struct step_costs *costs, const struct model *model, size_t set, uint64_t share)
{
    return step_costs_of(costs, set) ? costs->active.data[share] : model->shares.data[share].active;
}

void step_costs_copy(struct step_costs *to, const struct step_costs *from)
{
    if (!from)
        return;
    if (from->list.count)
        memcpy(vec_extend(&to->list, from->list.count), from->list.data, from->list.count * sizeof(*from->list.data));
    if (from->parts.count)
        memcpy(vec_extend(&to->parts, from->parts.count), from->parts.data,
               from->parts.count * sizeof(*from->parts.data));
}

void step_costs_free(struct step_costs *costs)
{
    vec_free(&costs->list);
    vec_free(&costs->parts);
    vec_free(&costs->slots);
    vec_free(&costs->last);
    vec_free(&costs->active);
    vec_free(&costs->vertices);
}

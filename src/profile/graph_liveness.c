/* SPDX-License-Identifier: Apache-2.0 */
/* The graph profile's liveness: what is always live, and what else is at each step, as a tree over all call stacks.
 *
 * A variable of one size is one map, however many steps it is live in, and a list of variables one vector, so that the
 * tree is as large as the model's tables.  A function's body is below each Call of it.  Such trees can be endless
 * (functions that call functions twice) and deeper than any reader goes: bodies beyond MAX_NODES nodes in all, and
 * what is below DEEPEST, are left out.  maxBytes counts them. */
#include "profile/graph_profile.h"
#include "profile/profile.h"

enum { MAX_NODES = 1 << 18, DEEPEST = PROFILE_DEEPEST / 2 - 16 };

struct liveness_values {
    const struct image *image;
    pop_profile_value
        *variables;  /* by entry of live: its map, or null; the same name and size is found through slots */
    uint32_t *slots; /* hash of name and size -> entry of live + 1 */
    size_t mask;
    pop_profile_value *lists; /* by list, null until needed */
    size_t nodes;
};

/* The entry that represents all variables of the same name and size. */
static size_t representative(struct liveness_values *l, size_t entry)
{
    const struct model_live *live = l->image->model.live.data;
    uint64_t hash =
        (live[entry].name * UINT64_C(0x9E3779B97F4A7C15)) ^ (live[entry].bytes * UINT64_C(0xC2B2AE3D27D4EB4F));
    for (size_t i = (size_t)(hash ^ hash >> 32) & l->mask;; i = (i + 1) & l->mask) {
        if (!l->slots[i])
            l->slots[i] = (uint32_t)(entry + 1);
        size_t found = l->slots[i] - 1;
        if (live[found].name == live[entry].name && live[found].bytes == live[entry].bytes)
            return found;
    }
}

/* A variable's map, held once more. */
static pop_profile_value variable(struct liveness_values *l, size_t entry)
{
    const struct model_live *live = l->image->model.live.data + entry;
    pop_profile_value *map = l->variables + representative(l, entry);
    if (map->type == POP_PROFILE_MAP)
        return profile_share(map);
    *map = profile_map(2);
    profile_add(map, "name", pop_profile_string(image_string(l->image, live->name)));
    profile_add(map, "size", pop_profile_uint(live->bytes));
    return profile_share(map);
}

/* A list of variables, held once more. */
static pop_profile_value variables(struct liveness_values *l, size_t list)
{
    const struct model *model = &l->image->model;
    if (list >= model->live_lists.count)
        return pop_profile_vector_new();
    if (l->lists[list].type != POP_PROFILE_VECTOR) {
        const struct model_live_list *of = model->live_lists.data + list;
        l->lists[list] = profile_vector(of->count);
        for (size_t i = 0; i < of->count; ++i)
            pop_profile_push(&l->lists[list], variable(l, (size_t)of->first + i));
    }
    return profile_share(&l->lists[list]);
}

static pop_profile_value node(struct liveness_values *l, uint32_t step, unsigned depth);

static void add_node(struct liveness_values *l, pop_profile_value *children, uint32_t step, unsigned depth)
{
    if (l->nodes >= MAX_NODES)
        return;
    ++l->nodes;
    pop_profile_push(children, node(l, step, depth));
}

static pop_profile_value node(struct liveness_values *l, uint32_t step, unsigned depth)
{
    const struct model *model = &l->image->model;
    const struct model_step *of = model->steps.data + step;
    uint32_t list = step < model->step_live.count ? model->step_live.data[step] : 0;
    pop_profile_value map = profile_map(4);
    if (list)
        profile_add(&map, "bytes", pop_profile_uint(model->live_lists.data[list].bytes));
    if (depth < DEEPEST && (of->children || of->kind == MODEL_CALL)) {
        pop_profile_value children = profile_vector(of->children);
        for (size_t i = 0; i < of->children; ++i)
            add_node(l, &children, model->children.data[of->first_child + i], depth + 1);
        if (of->kind == MODEL_CALL)
            add_node(l, &children, model->functions.data[of->index], depth + 1);
        profile_add(&map, "children", children);
    }
    profile_add(&map, "program", pop_profile_uint(step));
    if (list)
        profile_add(&map, "variables", variables(l, list));
    return map;
}

static pop_profile_value live_bytes(const struct image *image, bool always)
{
    struct by_tile by = by_tile_begin(pop_target_num_tiles(&image->target), image->model.tiles.count);
    for (size_t i = 0; i < image->model.tiles.count; ++i)
        by_tile_add(&by, i, 1, always ? image->model.tiles.data[i].always_live : image->model.tiles.data[i].max_live);
    return by_tile_end(&by);
}

static pop_profile_value not_always_live(struct liveness_values *l)
{
    const struct model *model = &l->image->model;
    pop_profile_value map = profile_map(3), programs = profile_vector(model->controls.count);
    uint64_t max = 0;
    for (size_t i = 1; i < model->live_lists.count; ++i)
        max = model->live_lists.data[i].bytes > max ? model->live_lists.data[i].bytes : max;
    for (size_t i = 0; i < model->controls.count; ++i)
        add_node(l, &programs, model->controls.data[i], 0);
    profile_add(&map, "byProgram", programs);
    profile_add(&map, "maxBytes", pop_profile_uint(max));
    profile_add(&map, "maxBytesByTile", live_bytes(l->image, false));
    return map;
}

pop_profile_value liveness_profile(const struct image *image)
{
    size_t entries = image->model.live.count, lists = image->model.live_lists.count, slots = 16;
    while (slots < 2 * entries)
        slots *= 2;
    struct liveness_values l = { .image = image, .mask = slots - 1 };
    l.variables = mem_zero(entries ? entries : 1, sizeof(*l.variables));
    l.slots = mem_zero(slots, sizeof(*l.slots));
    l.lists = mem_zero(lists ? lists : 1, sizeof(*l.lists));

    pop_profile_value map = profile_map(2), always = profile_map(2);
    profile_add(&always, "bytesByTile", live_bytes(image, true));
    profile_add(&always, "variables", variables(&l, 0));
    profile_add(&map, "alwaysLive", always);
    profile_add(&map, "notAlwaysLive", not_always_live(&l));

    for (size_t i = 0; i < entries; ++i)
        pop_profile_free(&l.variables[i]);
    for (size_t i = 0; i < lists; ++i)
        pop_profile_free(&l.lists[i]);
    free(l.variables);
    free(l.slots);
    free(l.lists);
    return map;
}

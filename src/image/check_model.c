/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the modelled program can be read by the timeline and by profiles: every index within its table, runs of tiles
 * in order and on the target, the tree of steps without a cycle.  Figures may be anything up to a bound that keeps sums
 * from overflowing. */
#include "image/check.h"

static bool is_string(const struct check *check, uint32_t string)
{
    return string < check->image->strings.count;
}

/* The next run of tiles in a list; *end is where the one before ended. */
static bool check_run(struct check *check, const char *what, uint32_t tile, uint32_t tiles, uint32_t *end)
{
    uint32_t all = pop_target_num_tiles(&check->image->target);
    if (tile < *end || !tiles || tile >= all || tiles > all - tile)
        return check_fail(check, "%s is on %u tiles from %u on, of %u", what, tiles, tile, all);
    *end = tile + tiles;
    return true;
}

static bool check_figures(struct check *check, const char *what, const uint64_t *figures, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (figures[i] > FIGURE_MAX)
            return check_fail(check, "%s has a figure of %llu", what, (unsigned long long)figures[i]);
    return true;
}

static bool check_model_set(struct check *check, const struct model_set *set)
{
    const struct model *model = &check->image->model;
    if (!is_string(check, set->name) || !is_string(check, set->missing_estimate))
        return check_fail(check, "a modelled set has a name outside the strings");
    if (!check_within(set->first_part, set->parts, model->parts.count) ||
        !check_within(set->first_share, set->shares, model->shares.count))
        return check_fail(check, "parts of a modelled set are outside their array");
    uint32_t end = 0;
    for (uint32_t i = 0; i < set->parts; ++i) {
        const struct model_part *part = model->parts.data + set->first_part + i;
        if (!check_run(check, "a part of a set", part->tile, part->tiles, &end) ||
            !check_figures(check, "a part of a set", (const uint64_t[]){ part->cycles, part->active }, 2))
            return false;
    }
    for (uint32_t i = 0; i < set->shares; ++i) {
        const struct model_share *share = model->shares.data + set->first_share + i;
        if (share->type >= model->types.count || share->active > FIGURE_MAX || share->flops > FIGURE_MAX)
            return check_fail(check, "vertices of a set are of type %u of %zu", share->type, model->types.count);
    }
    return true;
}

static bool check_exchanges(struct check *check, const struct model_exchange *exchanges, size_t count)
{
    const struct model *model = &check->image->model;
    for (size_t i = 0; i < count; ++i) {
        const struct model_exchange *exchange = exchanges + i;
        if (!is_string(check, exchange->name) ||
            !check_within(exchange->first_flow, exchange->flows, model->flows.count))
            return check_fail(check, "flows of an exchange are outside their array");
        if (!check_figures(check, "an exchange", exchange->instructions, MODEL_INSTRUCTIONS))
            return false;
        uint32_t end = 0;
        for (uint32_t k = 0; k < exchange->flows; ++k) {
            const struct model_flow *flow = model->flows.data + exchange->first_flow + k;
            if (!check_run(check, "a flow", flow->tile, flow->tiles, &end) ||
                !check_figures(check, "a flow", (const uint64_t[]){ flow->sent, flow->received, flow->cycles }, 3))
                return false;
        }
    }
    return true;
}

static bool check_costs(struct check *check)
{
    const struct model *model = &check->image->model;
    for (size_t i = 0; i < model->types.count; ++i)
        if (!is_string(check, model->types.data[i].name) || model->types.data[i].estimate >= MODEL_ESTIMATES)
            return check_fail(check, "a vertex type has a name outside the strings");
    for (size_t i = 0; i < model->metrics.count; ++i)
        if (!is_string(check, model->metrics.data[i].name))
            return check_fail(check, "a metric has a name outside the strings");
    for (size_t i = 0; i < model->sets.count; ++i)
        if (!check_model_set(check, model->sets.data + i))
            return false;
    return check_exchanges(check, model->exchanges.data, model->exchanges.count) &&
           check_exchanges(check, model->global_exchanges.data, model->global_exchanges.count) &&
           check_exchanges(check, model->host_exchanges.data, model->host_exchanges.count);
}

/* How many entries a step's index may choose from; SIZE_MAX: it has none. */
static size_t choices(const struct model *model, unsigned kind)
{
    return kind == MODEL_EXECUTE           ? model->sets.count
           : kind == MODEL_EXCHANGE        ? model->exchanges.count
           : kind == MODEL_GLOBAL_EXCHANGE ? model->global_exchanges.count
           : kind == MODEL_STREAM_COPY     ? model->host_exchanges.count
           : kind == MODEL_CALL            ? model->functions.count
                                           : SIZE_MAX;
}

static bool has_children(unsigned kind)
{
    return kind == MODEL_SEQUENCE || kind == MODEL_REPEAT || kind == MODEL_REPEAT_WHILE || kind == MODEL_IF ||
           kind == MODEL_IF_ELSE || kind == MODEL_SWITCH;
}

static bool check_step(struct check *check, size_t index)
{
    const struct model *model = &check->image->model;
    const struct model_step *step = model->steps.data + index;
    unsigned details = step->kind == MODEL_STREAM_COPY ? MODEL_STREAM_MIXED
                       : step->kind == MODEL_SYNC      ? MODEL_SYNC_EXTERNAL
                                                       : UINT8_MAX;
    if (step->kind >= MODEL_KINDS || step->detail > details || !is_string(check, step->name))
        return check_fail(check, "step %zu is of kind %u, %u", index, step->kind, step->detail);
    if (step->mark >= MODEL_MARKS)
        return check_fail(check, "step %zu has mark %u", index, step->mark);
    if (choices(model, step->kind) != SIZE_MAX && step->index >= choices(model, step->kind))
        return check_fail(check, "step %zu has index %u of %zu", index, step->index, choices(model, step->kind));
    if (!check_within(step->first_child, step->children, model->children.count) ||
        (step->children && !has_children(step->kind)))
        return check_fail(check, "children of step %zu are outside their array", index);
    return true;
}

/* Plain lists of steps. */
static bool check_steps_of(struct check *check, const char *what, const uint32_t *steps, size_t count, bool leaf)
{
    const struct model *model = &check->image->model;
    for (size_t i = 0; i < count; ++i)
        if (steps[i] >= model->steps.count || (leaf && has_children(model->steps.data[steps[i]].kind)))
            return check_fail(check, "%s %zu is step %u of %zu", what, i, steps[i], model->steps.count);
    return true;
}

/* What is directly below a step: its children, or the function that it calls. */
static size_t below(const struct model *model, uint32_t step)
{
    return model->steps.data[step].kind == MODEL_CALL ? 1 : model->steps.data[step].children;
}

static uint32_t below_at(const struct model *model, uint32_t step, size_t i)
{
    const struct model_step *s = model->steps.data + step;
    return s->kind == MODEL_CALL ? model->functions.data[s->index] : model->children.data[s->first_child + i];
}

/* The way down from a step that a walk began with. */
struct checked_place {
    uint32_t step;
    size_t next;
};
typedef VEC(struct checked_place) place_list;
enum { NEW = 0, OPEN, DONE };

/* Depth first, every edge once; a step that is met again on the way down closes a cycle. */
static bool walk_down(struct check *check, uint32_t start, unsigned char *seen, place_list *path)
{
    const struct model *model = &check->image->model;
    *vec_push(path) = (struct checked_place){ start, 0 };
    seen[start] = OPEN;
    while (path->count) {
        struct checked_place *at = path->data + path->count - 1;
        if (at->next == below(model, at->step)) {
            seen[at->step] = DONE;
            --path->count;
            continue;
        }
        uint32_t next = below_at(model, at->step, at->next++);
        if (seen[next] == OPEN)
            return check_fail(check, "step %u contains itself", next);
        if (seen[next] == DONE)
            continue;
        seen[next] = OPEN;
        *vec_push(path) = (struct checked_place){ next, 0 };
    }
    return true;
}

static bool check_tree(struct check *check)
{
    const struct model *model = &check->image->model;
    unsigned char *seen = mem_zero(model->steps.count + 1, 1);
    place_list path = { 0 };
    bool fine = true;
    for (uint32_t start = 0; fine && start < model->steps.count; ++start)
        fine = seen[start] != NEW || walk_down(check, start, seen, &path);
    free(seen);
    vec_free(&path);
    return fine;
}

static bool check_op_steps(struct check *check)
{
    const struct model *model = &check->image->model;
    if (!model->op_first.count)
        return !model->op_steps.count || check_fail(check, "steps belong to no ops");
    if (model->op_first.count != check->image->ops.count + 1 || model->op_first.data[0] ||
        model->op_first.data[model->op_first.count - 1] != model->op_steps.count)
        return check_fail(check, "%zu ops and steps for %zu", check->image->ops.count, model->op_first.count);
    for (size_t i = 1; i < model->op_first.count; ++i)
        if (model->op_first.data[i] < model->op_first.data[i - 1])
            return check_fail(check, "steps of op %zu are out of order", i - 1);
    return true;
}

static bool check_steps(struct check *check)
{
    const struct model *model = &check->image->model;
    if (model->steps.count >= UINT32_MAX || model->op_steps.count >= UINT32_MAX)
        return check_fail(check, "%zu steps", model->steps.count);
    for (size_t i = 0; i < model->steps.count; ++i)
        if (!check_step(check, i))
            return false;
    for (size_t i = 1; i < model->blocks.count; ++i)
        if (model->blocks.data[i] >= pop_target_num_tiles(&check->image->target) ||
            (i > 1 && model->blocks.data[i] <= model->blocks.data[i - 1]))
            return check_fail(check, "tile %zu that records blocks is %u", i, model->blocks.data[i]);
    if (model->blocks.count && !model->blocks.data[0])
        return check_fail(check, "buffers of blocks hold no record");
    return check_steps_of(check, "child", model->children.data, model->children.count, false) &&
           check_steps_of(check, "control program", model->controls.data, model->controls.count, false) &&
           check_steps_of(check, "function", model->functions.data, model->functions.count, false) &&
           check_steps_of(check, "entry step", model->entry.data, model->entry.count, true) &&
           check_steps_of(check, "step of ops", model->op_steps.data, model->op_steps.count, true) &&
           check_op_steps(check) && check_tree(check);
}

/* Runs are in order within a category, region and overlap. */
static bool check_uses(struct check *check)
{
    const struct model *model = &check->image->model;
    uint32_t end = 0, key = 0;
    for (size_t i = 0; i < model->uses.count; ++i) {
        const struct model_use *use = model->uses.data + i;
        uint32_t of = (uint32_t)use->category << 16 | (uint32_t)use->region << 8 | use->overlapped;
        if (use->category >= MODEL_CATEGORIES || use->region >= MODEL_REGIONS || use->overlapped > 2 || of < key)
            return check_fail(check, "memory of category %u in region %u", use->category, use->region);
        end = of == key ? end : 0;
        key = of;
        if (!check_run(check, "memory of a category", use->tile, use->tiles, &end) ||
            !check_figures(check, "memory of a category", &use->bytes, 1))
            return false;
    }
    return true;
}

static bool check_vertices(struct check *check, const struct model_vertices *vertices, size_t count, size_t choices_of)
{
    uint32_t end = 0, of = 0;
    for (size_t i = 0; i < count; ++i) {
        const struct model_vertices *v = vertices + i;
        if (v->of >= choices_of || v->of < of)
            return check_fail(check, "memory of vertices of %u, of %zu", v->of, choices_of);
        end = v->of == of ? end : 0;
        of = v->of;
        const uint64_t figures[] = { v->code,          v->copy_pointers, v->descriptors,
                                     v->edge_pointers, v->padding,       v->vertex_data };
        if (!check_run(check, "memory of vertices", v->tile, v->tiles, &end) ||
            !check_figures(check, "memory of vertices", figures, 6))
            return false;
    }
    return true;
}

static bool check_counts(struct check *check)
{
    const struct model *model = &check->image->model;
    uint32_t set = 0;
    for (size_t i = 0; i < model->counts.count; ++i) {
        const struct model_count *count = model->counts.data + i;
        uint32_t end = 0;
        if (count->set < set || count->set >= model->sets.count || count->type >= model->types.count)
            return check_fail(check, "vertices of type %u of %zu in set %u of %zu", count->type, model->types.count,
                              count->set, model->sets.count);
        if (!check_run(check, "vertices of a set", count->tile, count->tiles, &end))
            return false;
        set = count->set;
    }
    return true;
}

static bool check_live(struct check *check)
{
    const struct model *model = &check->image->model;
    for (size_t i = 0; i < model->live.count; ++i)
        if (!is_string(check, model->live.data[i].name) || model->live.data[i].bytes > FIGURE_MAX)
            return check_fail(check, "a live variable has a name outside the strings");
    for (size_t i = 0; i < model->live_lists.count; ++i)
        if (!check_within(model->live_lists.data[i].first, model->live_lists.data[i].count, model->live.count) ||
            model->live_lists.data[i].bytes > FIGURE_MAX)
            return check_fail(check, "a list of live variables is outside of its array");
    if (model->step_live.count > model->steps.count)
        return check_fail(check, "%zu steps have live variables, of %zu", model->step_live.count, model->steps.count);
    for (size_t i = 0; i < model->step_live.count; ++i)
        if (model->step_live.data[i] && model->step_live.data[i] >= model->live_lists.count)
            return check_fail(check, "step %zu has list %u of %zu", i, model->step_live.data[i],
                              model->live_lists.count);
    return true;
}

static bool check_tiles(struct check *check)
{
    const struct model *model = &check->image->model;
    if (model->tiles.count > pop_target_num_tiles(&check->image->target))
        return check_fail(check, "memory of %zu tiles", model->tiles.count);
    for (size_t i = 0; i < model->tiles.count; ++i) {
        const struct model_tile *t = model->tiles.data + i;
        if (!check_figures(check, "a tile", t->bytes, MODEL_REGIONS) ||
            !check_figures(check, "a tile", t->with_gaps, MODEL_REGIONS) ||
            !check_figures(check, "a tile", (const uint64_t[]){ t->total_with_gaps, t->always_live, t->max_live }, 3))
            return false;
    }
    return true;
}

bool check_model(struct check *check)
{
    const struct model *model = &check->image->model;
    return check_costs(check) && check_steps(check) && check_tiles(check) && check_uses(check) &&
           check_vertices(check, model->set_vertices.data, model->set_vertices.count, model->sets.count) &&
           check_vertices(check, model->type_vertices.data, model->type_vertices.count, model->types.count) &&
           check_counts(check) && check_live(check);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of neighbouring steps: syncs, and executions of a process. */
#include "drawing.h"

static void join(struct rectangle *one, const struct rectangle *next)
{
    one->to = next->to > one->to ? next->to : one->to;
    one->from = next->from < one->from ? next->from : one->from;
    one->count += next->count;
    one->matches += next->matches;
    one->sum += next->sum;
    one->max += next->max;
    one->step = UINT32_MAX;
}

/* Syncs do not contribute to the balance of an execution. */
static void join_execution(struct rectangle *one, const struct rectangle *next)
{
    struct rectangle counted = *next;
    if (is_sync(one->kind))
        one->sum = one->max = 0;
    if (is_sync(next->kind))
        counted.sum = counted.max = 0;
    join(one, &counted);
    one->kind = KINDS;
}

void join_syncs(struct rectangle *one, const struct rectangle *next)
{
    if (next->to - next->from > one->to - one->from) {
        one->kind = next->kind;
        one->node = next->node;
    }
    join(one, next);
}

bool are_neighbours(const struct drawing *drawing, const struct rectangle *one, const struct rectangle *next)
{
    return next->from <= one->to + drawing->width;
}

/* Draws the group, then the syncs after it. */
static void close_group(struct drawing *drawing)
{
    struct group *group = &drawing->group;
    if (!group->open)
        return;
    draw_rectangle(drawing, &group->one);
    for (size_t i = 0; i < group->behind.count; ++i)
        draw_rectangle(drawing, &group->behind.data[i]);
    group->behind.count = 0;
    group->open = false;
}

/* A sync without a name of its own is named after its kind. */
static bool has_no_name(const struct drawing *drawing, const struct rectangle *one)
{
    return one->kind < KINDS && is_sync(one->kind) && drawing->nodes[one->node].parent == 0;
}

/* Whether the name of a leaf equals the process or is below it. */
static bool belongs_to(const struct drawing *drawing, uint32_t process, uint32_t leaf)
{
    const struct node *nodes = drawing->nodes;
    uint32_t above = nodes[leaf].parent;
    while (nodes[above].depth > nodes[process].depth)
        above = nodes[above].parent;
    if (above == process)
        return true;
    return nodes[leaf].parent == nodes[process].parent && strcmp(nodes[leaf].label, nodes[process].label) == 0;
}

static void open_group(struct drawing *drawing, const struct rectangle *one, uint32_t process)
{
    close_group(drawing);
    drawing->group.open = true;
    drawing->group.one = *one;
    drawing->group.process = process;
}

static bool add_execution(struct drawing *drawing, const struct rectangle *one)
{
    struct group *group = &drawing->group;
    if (has_no_name(drawing, one))
        return false;
    if (!group->open || !group->process || !belongs_to(drawing, group->process, one->node)) {
        open_group(drawing, one, drawing->nodes[one->node].parent);
        return true;
    }
    for (size_t i = 0; i < group->behind.count; ++i)
        join_execution(&group->one, &group->behind.data[i]);
    group->behind.count = 0;
    join_execution(&group->one, one);
    group->one.node = group->process;
    return true;
}

static bool add_sync(struct drawing *drawing, const struct rectangle *one)
{
    struct group *group = &drawing->group;
    rectangles *behind = &group->behind;
    struct rectangle *last = behind->count ? &behind->data[behind->count - 1] : group->open ? &group->one : NULL;
    if (!(drawing->groups & GROUP_SYNCS) || !is_sync(one->kind) || !last || !is_sync(last->kind) ||
        !are_neighbours(drawing, last, one))
        return false;
    join_syncs(last, one);
    return true;
}

void group_step(struct drawing *drawing, const struct rectangle *one)
{
    struct group *group = &drawing->group;
    if ((drawing->groups & GROUP_EXECUTIONS) && add_execution(drawing, one))
        return;
    if (add_sync(drawing, one))
        return;
    if ((drawing->groups & GROUP_EXECUTIONS) && group->open && group->process)
        *(struct rectangle *)vec_push(&group->behind) = *one;
    else
        open_group(drawing, one, 0);
}

void group_end(struct drawing *drawing)
{
    close_group(drawing);
    vec_free(&drawing->group.behind);
}

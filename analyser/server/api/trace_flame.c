/* SPDX-License-Identifier: Apache-2.0 */
/* A window as a flame graph: a row for each component of the names of steps. */
#include "drawing.h"

/* The open rectangles, one for each depth, and closed syncs that the next rectangle may join. */
struct flame {
    struct drawing *drawing;
    uint32_t run, open; /* open: depth of the open rectangles */
    uint32_t last;      /* the node that was added last */
    struct rectangle at[DEEPEST + 1], held[DEEPEST + 1];
    bool holds[DEEPEST + 1];
};

static void close_frame(struct flame *flame, uint32_t depth)
{
    if (flame->holds[depth])
        draw_rectangle(flame->drawing, &flame->held[depth]);
    flame->holds[depth] = false;
}

static void close_flame(struct flame *flame, uint32_t depth)
{
    struct drawing *drawing = flame->drawing;
    struct rectangle one = flame->at[depth], *held = &flame->held[depth];
    one.kind = drawing->nodes[one.node].kind;
    one.depth = (uint8_t)depth;
    if (one.count != 1)
        one.step = UINT32_MAX;
    for (uint32_t below = depth + 1; below <= DEEPEST; ++below)
        close_frame(flame, below);
    if (!(drawing->groups & GROUP_SYNCS) || !is_sync(one.kind)) {
        close_frame(flame, depth);
        draw_rectangle(drawing, &one);
        return;
    }
    if (flame->holds[depth] && are_neighbours(drawing, held, &one) &&
        drawing->nodes[held->node].parent == drawing->nodes[one.node].parent) {
        join_syncs(held, &one);
        return;
    }
    close_frame(flame, depth);
    *held = one;
    flame->holds[depth] = true;
}

static void close_flames(struct flame *flame, uint32_t depth)
{
    while (flame->open > depth)
        close_flame(flame, --flame->open);
}

/* Adds a rectangle to the flames of its node and of all ancestors. */
static void feed(struct flame *flame, uint32_t run, const struct rectangle *one)
{
    const struct node *nodes = flame->drawing->nodes;
    uint32_t path[DEEPEST + 2], depth = nodes[one->node].depth, same = 0;
    for (uint32_t d = depth, at = one->node; d > 0; at = nodes[at].parent)
        path[--d] = at;
    if (run != flame->run)
        close_flames(flame, 0);
    flame->run = run;
    while (same < depth && same < flame->open && flame->at[same].node == path[same])
        ++same;
    /* A leaf that follows itself is a new execution. */
    if (same == depth && same && nodes[one->node].kind < KINDS)
        --same;
    /* A new iteration of a loop: its body is a new execution. */
    const uint8_t *loop = flame->drawing->nesting ? flame->drawing->nesting->loop : NULL;
    if (loop && one->node <= flame->last && loop[one->node] < same)
        same = loop[one->node];
    flame->last = one->node;
    close_flames(flame, same);
    for (uint32_t d = 0; d < depth; ++d) {
        struct rectangle *at = &flame->at[d];
        if (d >= flame->open)
            *at = (struct rectangle){ .node = path[d], .step = one->step, .from = one->from, .to = one->to };
        at->from = one->from < at->from ? one->from : at->from;
        at->to = one->to > at->to ? one->to : at->to;
        at->count += one->count;
        at->matches += one->matches;
        bool counts = d + 1 == depth || !is_sync(nodes[one->node].kind);
        at->sum += counts ? one->sum : 0;
        at->max += counts ? one->max : 0;
    }
    flame->open = depth;
}

/* The deepest common ancestor of all steps of a bucket; 0: none. */
static uint32_t common_of_bucket(const struct drawing *drawing, const struct bucket *bucket, uint64_t index)
{
    if (drawing->nesting)
        return drawing->nesting->common[index];
    return bucket->common == NO_NODE ? 0 : bucket->common;
}

static void flame_bucket(void *context, const struct bucket *bucket, uint64_t index)
{
    struct flame *flame = context;
    struct drawing *drawing = flame->drawing;
    const struct node *nodes = drawing->nodes;
    struct rectangle one = { .from = bucket->from, .to = bucket->to, .step = UINT32_MAX };
    for (unsigned kind = 0; kind < KINDS; ++kind)
        if (!window_hides(&drawing->window, kind)) {
            one.count += bucket->count[kind];
            one.sum += is_sync(kind) ? 0 : bucket->sum[kind];
            one.max += is_sync(kind) ? 0 : bucket->cycles[kind];
        }
    if (!one.count)
        return;
    uint32_t common = common_of_bucket(drawing, bucket, index);
    if (!common)
        close_flames(flame, 0);
    if (nodes[common].kind < KINDS) /* a single program: several executions of its leaf */
        common = nodes[common].parent;
    one.node = common;
    if (common)
        feed(flame, lod_run_of(drawing->window.lod, index * BUCKET_STEPS), &one);
    for (unsigned depth = nodes[common].depth; depth < drawing->depths; ++depth)
        draw_bucket(drawing, bucket, depth);
}

static void flame_step(void *context, uint64_t step)
{
    struct flame *flame = context;
    struct rectangle one;
    if (rectangle_of_step(flame->drawing, step, &one))
        feed(flame, lod_run_of(flame->drawing->window.lod, step), &one);
}

void draw_flames(struct drawing *drawing, const struct request *request)
{
    struct flame *flame = MEM_NEW(struct flame);
    flame->drawing = drawing;
    flame->run = UINT32_MAX;
    for_buckets(drawing, request, flame, flame_bucket, flame_step);
    close_flames(flame, 0);
    for (uint32_t depth = 0; depth <= DEEPEST; ++depth)
        close_frame(flame, depth);
    free(flame);
}

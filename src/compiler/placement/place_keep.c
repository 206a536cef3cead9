/* SPDX-License-Identifier: Apache-2.0 */
/* The placement for reports: every block with its address and its live intervals, in ordinals of the steps that have a
 * live list. */
#include "compiler/placement/place.h"
#include "compiler/placement/placement.h"
#include "image/placement.h"

/* An executable has the names of blocks, whether their places are kept or not. */
static void keep_names(const struct place *p)
{
    const struct fit_block *last = NULL;
    for (size_t i = 0; i < p->blocks.count; ++i) {
        const struct fit_block *block = &p->blocks.data[i];
        if (!last || last->kind != block->kind || last->what != block->what)
            compiler_string(p->c, place_block_name(p, block));
        last = block;
    }
}

static void keep_blocks(const struct place *p, struct placement *kept)
{
    vec_reserve(&kept->blocks, p->blocks.count);
    for (uint32_t tile = 0; tile < p->sizes.tiles; ++tile) {
        const uint64_t *address = p->layouts.data[p->layout_of[tile]].address;
        *vec_push(&kept->first) = kept->blocks.count;
        for (size_t i = p->first[tile]; i < p->first[tile + 1]; ++i) {
            const struct fit_block *block = &p->blocks.data[i];
            *vec_push(&kept->blocks) = (struct placement_block){
                .offset = address[i - p->first[tile]],
                .bytes = block->bytes,
                .tile = tile,
                .name = compiler_string(p->c, place_block_name(p, block)),
                .class = block->class,
                .alignment = block->alignment,
                .variable = block->kind == PLACE_VARIABLE ? block->what : PLACED_NO_VARIABLE,
                .category = block->category,
                .type = block->kind == PLACE_VARIABLE ? p->c->store->variables.data[block->what].type : 0,
                .code = block->where == FIT_CODE,
            };
        }
    }
    *vec_push(&kept->first) = kept->blocks.count;
}

/* A stretch of positions whose steps have ascending ordinals without a gap, positions without an ordinal left out. */
struct position_run {
    uint32_t first, last, ordinal, count;
};
typedef VEC(struct position_run) position_runs;

/* By position, the ordinal of the first step with a list at or after it within its stretch: what count_before[] is to
 * a prefix sum. */
static uint32_t *number_positions(const struct model *model, const struct live *live, position_runs *found)
{
    uint32_t *ordinal = mem_alloc((model->steps.count + 1) * sizeof(*ordinal)), next = 0;
    uint32_t *at = mem_alloc((live->step.count + 1) * sizeof(*at));
    for (size_t step = 0; step < model->steps.count; ++step)
        ordinal[step] = step < model->step_live.count && model->step_live.data[step] ? next++ : NONE;
    for (uint32_t position = 0; position < live->step.count; ++position) {
        uint32_t step = live->step.data[position], own = step < model->steps.count ? ordinal[step] : NONE;
        struct position_run *last = found->count ? &found->data[found->count - 1] : NULL;
        if (!last || (own != NONE && last->count && own != last->ordinal + last->count))
            last = vec_push(found), *last = (struct position_run){ .first = position };
        at[position] = last->count;
        if (own != NONE) {
            if (!last->count)
                last->ordinal = own;
            ++last->count;
        }
        last->last = position;
    }
    free(ordinal);
    return at;
}

static int by_first(const void *left, const void *right)
{
    const struct placement_interval *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

/* The intervals from `first` on, sorted, neighbours joined. */
static void join_intervals(struct placement *kept, size_t first)
{
    size_t count = kept->intervals.count - first, joined = 0;
    if (!count)
        return;
    struct placement_interval *list = kept->intervals.data + first;
    qsort(list, count, sizeof(*list), by_first);
    for (size_t i = 0; i < count; ++i) {
        if (joined && list[i].first <= list[joined - 1].end)
            list[joined - 1].end = list[i].end > list[joined - 1].end ? list[i].end : list[joined - 1].end;
        else
            list[joined++] = list[i];
    }
    kept->intervals.count = first + joined;
}

/* at[]: how many steps with a list are before a position in its stretch. */
static void add_span(struct placement *kept, const position_runs *all, const uint32_t *at, struct flow_span span)
{
    size_t low = 0, high = all->count;
    while (low < high) { /* the first stretch that ends at or after the span's first position */
        size_t middle = (low + high) / 2;
        if (all->data[middle].last < span.first)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < all->count && all->data[low].first <= span.last; ++low) {
        const struct position_run *position_run = &all->data[low];
        uint32_t from = span.first > position_run->first ? at[span.first] : 0;
        uint32_t to = span.last >= position_run->last ? position_run->count : at[span.last + 1];
        if (from < to)
            *vec_push(&kept->intervals) =
                (struct placement_interval){ position_run->ordinal + from, position_run->ordinal + to };
    }
}

static void keep_classes(const struct model *model, const struct live *live, struct placement *kept)
{
    position_runs all = { 0 };
    uint32_t *at = number_positions(model, live, &all);
    for (size_t class = 0; class < live->classes.count; ++class) {
        size_t first = kept->intervals.count;
        *vec_push(&kept->first_interval) = first;
        for (uint32_t i = 0; class > LIVE_ALWAYS && i < live->classes.data[class].count; ++i)
            add_span(kept, &all, at, live->spans.data[live->classes.data[class].first + i]);
        join_intervals(kept, first);
    }
    *vec_push(&kept->first_interval) = kept->intervals.count;
    vec_free(&all);
    free(at);
}

void place_keep(const struct place *p)
{
    if (!p->c->placed) {
        keep_names(p);
        return;
    }
    struct placement *kept = MEM_NEW(struct placement);
    kept->tiles = p->sizes.tiles;
    kept->tile_bytes = p->memory.bytes;
    kept->interleaved_start = p->memory.start;
    kept->element_bytes = p->memory.element;
    keep_blocks(p, kept);
    keep_classes(&p->c->image->model, p->live, kept);
    if (p->live->accesses.count)
        memcpy(vec_extend(&kept->accesses, p->live->accesses.count), p->live->accesses.data,
               p->live->accesses.count * sizeof(*kept->accesses.data));
    p->c->image->placement = kept;
}

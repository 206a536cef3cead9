/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/exchange/copy_merge.h"
#include "compiler/exchange/copy_parts.h"

#include "base/sort.h"

#include <assert.h>

/* Parts that are kept at a time: 60 MB of them. */
enum { MAX_OPEN = 1 << 20 };

static bool follows_from(const struct open_part *a, const struct open_part *b)
{
    return a->source == b->source && a->from + a->count == b->from;
}
static bool follows_to(const struct open_part *a, const struct open_part *b)
{
    return a->destination == b->destination && a->to + a->count == b->to;
}

/* Where a part is in the destination: what is sorted instead of the parts, which are three times as large. */
struct part_place {
    uint64_t to;
    uint32_t destination, part;
};
static uint64_t by_to(const void *place)
{
    return ((const struct part_place *)place)->to;
}
static uint64_t by_destination(const void *place)
{
    return ((const struct part_place *)place)->destination;
}

static bool continues(const struct open_part *a, const struct open_part *b)
{
    return a->ends && b->begins && a->sender == b->sender && a->receiver == b->receiver && follows_from(a, b) &&
           follows_to(a, b);
}

static void drop(struct copy_merge *merge, uint64_t index)
{
    while (merge->gone.count <= index / 64)
        *vec_push(&merge->gone) = 0;
    merge->gone.data[index / 64] |= (uint64_t)1 << index % 64;
    merge->any = true;
}

/* A row of parts becomes the first of them in the destination.  Parts stay in the order of their indices. */
static void merge_parts(struct copy_merge *merge)
{
    struct open_part *parts = merge->parts.data, *last = NULL;
    size_t count = merge->parts.count, kept = 0;
    if (count < 2)
        return;
    struct part_place *places = mem_alloc(count * sizeof(*places));
    for (size_t i = 0; i < count; ++i)
        places[i] = (struct part_place){ parts[i].to, parts[i].destination, (uint32_t)i };
    sort_by_key(places, count, sizeof(*places), by_to);
    sort_by_key(places, count, sizeof(*places), by_destination);
    for (size_t i = 0; i < count; ++i) {
        struct open_part *part = &parts[places[i].part];
        if (last && continues(last, part)) {
            drop(merge, part->index);
            last->count += part->count;
            last->ends = part->ends;
            part->count = 0;
        } else {
            last = part;
        }
    }
    free(places);
    for (size_t i = 0; i < count; ++i)
        if (parts[i].count)
            parts[kept++] = parts[i];
    merge->parts.count = kept;
}

/* A part is open at an end unless its neighbour in the views continues it on one side alone, which leaves nothing else
 * to continue it.  False if so many parts are left that the copy's later ones stay as they are. */
static bool keep_if_open(struct copy_merge *merge, const struct open_part *part, bool local)
{
    if ((!part->begins && !part->ends) || (local && part->sender != part->receiver))
        return true;
    *vec_push(&merge->parts) = *part;
    if (merge->parts.count < MAX_OPEN)
        return true;
    merge_parts(merge);
    return merge->parts.count < MAX_OPEN / 2;
}

void copy_merge_find(struct copy_merge *merge, struct owners *owners, const struct view *source,
                     const struct view *destination, bool local)
{
    struct copy_parts parts;
    struct open_part last = { 0 }, next;
    uint64_t index = 0;
    *merge = (struct copy_merge){ 0 };
    copy_parts_begin(&parts, owners, source, destination);
    for (bool more = true; more && copy_parts_next(&parts); ++index) {
        next = (struct open_part){ .index = index,
                                   .from = parts.from.run.offset,
                                   .to = parts.to.run.offset,
                                   .count = parts.count,
                                   .source = parts.from.run.variable,
                                   .destination = parts.to.run.variable,
                                   .sender = parts.sender == HOME_EVERYWHERE ? parts.receiver : parts.sender,
                                   .receiver = parts.receiver,
                                   .begins = true,
                                   .ends = true };
        if (index) {
            last.ends = next.begins = follows_from(&last, &next) == follows_to(&last, &next);
            more = keep_if_open(merge, &last, local);
        }
        last = next;
    }
    keep_if_open(merge, &last, local);
    merge_parts(merge);
    if (!merge->any)
        merge->parts.count = 0;
}

uint64_t copy_merge_count(struct copy_merge *merge, uint64_t index, uint64_t count)
{
    if (index / 64 < merge->gone.count && merge->gone.data[index / 64] >> index % 64 & 1)
        return 0;
    const struct open_part *next = merge->at < merge->parts.count ? &merge->parts.data[merge->at] : NULL;
    assert(!next || next->index >= index);
    if (!next || next->index != index)
        return count;
    ++merge->at;
    return next->count;
}

void copy_merge_free(struct copy_merge *merge)
{
    vec_free(&merge->parts);
    vec_free(&merge->gone);
}

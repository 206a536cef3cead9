/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/exchange/copy_parts.h"

#include <assert.h>

void copy_parts_begin(struct copy_parts *parts, struct owners *owners, const struct view *source,
                      const struct view *destination)
{
    assert(source->elements == destination->elements);
    *parts = (struct copy_parts){ .owners = owners };
    run_cursor_begin(&parts->from, source);
    run_cursor_begin(&parts->to, destination);
}

/* Elements from the front of a run that are on one tile, at most max. */
static uint64_t on_one_tile(struct owners *owners, const struct run *run, uint64_t max, uint32_t *tile)
{
    uint64_t stop;
    *tile = owners_find(owners, run->variable, run->offset, &stop);
    return stop - run->offset < max ? stop - run->offset : max;
}

bool copy_parts_next(struct copy_parts *parts)
{
    struct run *from = &parts->from.run, *to = &parts->to.run;
    run_cursor_skip(&parts->from, parts->count);
    run_cursor_skip(&parts->to, parts->count);
    if (!from->count)
        return false;
    uint64_t count = from->count < to->count ? from->count : to->count;
    count = on_one_tile(parts->owners, from, count, &parts->sender);
    parts->count = on_one_tile(parts->owners, to, count, &parts->receiver);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Writes liveness: lists of live variables, each stored once, with their bytes on each tile. */
#include "report/live_blocks.h"
#include "report/report.h"

/* A variable in lists: a name and the set of its live blocks. */
struct live_id {
    uint64_t hash, bytes;
    uint32_t name;
};
struct liveness_rows {
    struct report *report;
    const struct model *model;
    struct live_blocks blocks;
    bool placed; /* the image has a placement, so that blocks are known */
    VEC(struct live_id) ids;
    uint32_t *slots; /* hash -> id + 1 */
    size_t slot_count;
    uint64_t *tiles;   /* bytes of the current variable, by tile */
    struct array list; /* ids of the current list */
    bool *written;     /* by list */
};

static void grow_slots(struct liveness_rows *l)
{
    l->slot_count = l->slot_count ? 2 * l->slot_count : 256;
    free(l->slots);
    l->slots = mem_zero(l->slot_count, sizeof(*l->slots));
    for (uint32_t i = 0; i < l->ids.count; ++i) {
        size_t at = l->ids.data[i].hash & (l->slot_count - 1);
        while (l->slots[at])
            at = (at + 1) & (l->slot_count - 1);
        l->slots[at] = i + 1;
    }
}

static void write_variable(struct liveness_rows *l, uint32_t id, bool always)
{
    const struct live_id *of = l->ids.data + id;
    struct array *array = &l->report->array;
    size_t tiles = pop_target_num_tiles(&l->report->image->target);
    array_begin(array);
    if (l->placed && !l->blocks.group_of[of->name]) { /* this row summarises all variables */
        array_of(array, l->blocks.now, tiles);
    } else if (l->placed) {
        memset(l->tiles, 0, tiles * sizeof(*l->tiles));
        live_blocks_add(&l->blocks, of->name, always, l->tiles);
        array_of(array, l->tiles, tiles);
    }
    database_add(l->report->db, TABLE_LIVE_VARIABLES, "isib", (int64_t)id, image_string(l->report->image, of->name),
                 (int64_t)of->bytes, ARRAY_BLOB(array));
}

/* The id of the variable of a list's entry; a new one gets a row. Variables are distinguished by a 64-bit hash, the
 * name and the bytes. */
static uint32_t variable_id(struct liveness_rows *l, const struct model_live *live, bool always)
{
    uint64_t hash = live->bytes * UINT64_C(0xC2B2AE3D27D4EB4F) ^ live->name;
    if (l->placed)
        hash ^= live_blocks_add(&l->blocks, live->name, always, NULL) + always;
    hash ^= hash >> 32;
    if (2 * (l->ids.count + 1) > l->slot_count)
        grow_slots(l);
    size_t at = hash & (l->slot_count - 1);
    for (; l->slots[at]; at = (at + 1) & (l->slot_count - 1)) {
        const struct live_id *id = l->ids.data + l->slots[at] - 1;
        if (id->hash == hash && id->name == live->name && id->bytes == live->bytes)
            return l->slots[at] - 1;
    }
    *vec_push(&l->ids) = (struct live_id){ hash, live->bytes, live->name };
    l->slots[at] = (uint32_t)l->ids.count;
    write_variable(l, (uint32_t)l->ids.count - 1, always);
    return (uint32_t)l->ids.count - 1;
}

/* by_tile: bytes; NULL: unknown. */
static void write_list(struct liveness_rows *l, uint32_t list, const uint64_t *by_tile)
{
    const struct model_live_list *of = l->model->live_lists.data + list;
    struct array *array = &l->report->array;
    if (l->written[list])
        return;
    l->written[list] = true;
    array_begin(&l->list);
    for (uint32_t i = 0; i < of->count; ++i)
        array_add(&l->list, variable_id(l, l->model->live.data + of->first + i, !list), 1);
    array_end(&l->list);
    array_begin(array);
    if (by_tile)
        array_of(array, by_tile, l->model->tiles.count);
    database_add(l->report->db, TABLE_LIVE_LISTS, "iibib", (int64_t)list, (int64_t)of->bytes, ARRAY_BLOB(array),
                 (int64_t)of->count, ARRAY_BLOB(&l->list));
}

static void write_always(struct liveness_rows *l)
{
    uint64_t *bytes = mem_zero(l->model->tiles.count + 1, sizeof(*bytes));
    for (size_t tile = 0; tile < l->model->tiles.count; ++tile)
        bytes[tile] = l->model->tiles.data[tile].always_live;
    write_list(l, 0, bytes);
    free(bytes);
}

void report_write_liveness(struct report *report)
{
    const struct model *model = &report->image->model;
    struct liveness_rows l = { .report = report, .model = model, .placed = report->image->placement != NULL };
    int64_t ordinal = 0;
    if (!model->live_lists.count)
        return;
    if (l.placed)
        live_blocks_make(&l.blocks, report->image);
    l.tiles = mem_zero(model->tiles.count + 1, sizeof(*l.tiles));
    l.written = mem_zero(model->live_lists.count, sizeof(*l.written));
    write_always(&l);
    for (uint32_t step = 0; step < model->step_live.count; ++step) {
        uint32_t list = model->step_live.data[step];
        if (!list)
            continue;
        if (l.placed)
            live_blocks_advance(&l.blocks, (uint32_t)ordinal);
        write_list(&l, list, l.placed ? l.blocks.now : NULL);
        database_add(report->db, TABLE_LIVENESS_STEPS, "iii", ordinal++,
                     (int64_t)program_id(&report->programs, step, PART_STEP), (int64_t)list);
    }
    for (uint32_t list = 0; list < model->live_lists.count; ++list)
        write_list(&l, list, NULL); /* lists that no step refers to any more */
    live_blocks_free(&l.blocks);
    array_free(&l.list);
    vec_free(&l.ids);
    free(l.slots);
    free(l.tiles);
    free(l.written);
}

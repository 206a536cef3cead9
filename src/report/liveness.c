/* SPDX-License-Identifier: Apache-2.0 */
/* What is live at each step: lists of variables, each held once. */
#include "report/writing.h"

/* Ids of live_variables: entries of model.live that have the same name and bytes are one. */
struct live_ids {
    const struct model *model;
    uint32_t *slots; /* hash of name and bytes -> entry + 1 */
    size_t mask;
    uint32_t *id; /* by entry */
};

static uint32_t first_equal(struct live_ids *ids, size_t entry)
{
    const struct model_live *live = ids->model->live.data;
    uint64_t hash = live[entry].name * UINT64_C(0x9E3779B97F4A7C15) ^ live[entry].bytes * UINT64_C(0xC2B2AE3D27D4EB4F);
    for (size_t i = (size_t)(hash ^ hash >> 32) & ids->mask;; i = (i + 1) & ids->mask) {
        if (!ids->slots[i])
            ids->slots[i] = (uint32_t)(entry + 1);
        uint32_t found = ids->slots[i] - 1;
        if (live[found].name == live[entry].name && live[found].bytes == live[entry].bytes)
            return found;
    }
}

static void write_variables(struct report *report, struct live_ids *ids)
{
    const struct model *model = ids->model;
    uint32_t next = 0;
    size_t slots = 16;
    while (slots < 2 * model->live.count)
        slots *= 2;
    ids->mask = slots - 1;
    ids->slots = mem_zero(slots, sizeof(*ids->slots));
    ids->id = mem_zero(model->live.count + 1, sizeof(*ids->id));
    for (size_t i = 0; i < model->live.count; ++i) {
        uint32_t first = first_equal(ids, i);
        if (first != i) {
            ids->id[i] = ids->id[first];
            continue;
        }
        ids->id[i] = next++;
        database_add(report->db, TABLE_LIVE_VARIABLES, "isin", (int64_t)ids->id[i],
                     image_string(report->image, model->live.data[i].name), (int64_t)model->live.data[i].bytes);
    }
    free(ids->slots);
}

static void write_list(struct report *report, const struct live_ids *ids, size_t list)
{
    const struct model *model = ids->model;
    const struct model_live_list *of = model->live_lists.data + list;
    struct array always = { 0 };
    array_begin(&report->array);
    for (uint32_t i = 0; i < of->count; ++i)
        array_add(&report->array, ids->id[of->first + i], 1);
    array_end(&report->array);
    for (size_t tile = 0; !list && tile < model->tiles.count; ++tile)
        array_add(&always, model->tiles.data[tile].always_live, 1);
    array_end(&always);
    database_add(report->db, TABLE_LIVE_LISTS, "iibib", (int64_t)list, (int64_t)of->bytes, ARRAY_BLOB(&always),
                 (int64_t)of->count, ARRAY_BLOB(&report->array));
    array_free(&always);
}

void report_write_liveness(struct report *report)
{
    const struct model *model = &report->image->model;
    struct live_ids ids = { .model = model };
    int64_t position = 0;
    write_variables(report, &ids);
    for (size_t list = 0; list < model->live_lists.count; ++list)
        write_list(report, &ids, list);
    for (uint32_t step = 0; step < model->step_live.count; ++step)
        if (model->step_live.data[step])
            database_add(report->db, TABLE_LIVENESS_STEPS, "iii", position++,
                         (int64_t)program_id(&report->programs, step, PART_STEP), (int64_t)model->step_live.data[step]);
    free(ids.id);
}

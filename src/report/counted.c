/* SPDX-License-Identifier: Apache-2.0 */
/* What sets took whose vertices are counted as they run, in place of the estimates that the compilation wrote. */
#include "report/report.h"
#include "report/writing.h"
#include "timeline/clock.h"

#include "base/str.h"

#include <inttypes.h>

/* The blob as SQL: x'...' */
static void add_blob(struct str *sql, const struct array *array)
{
    str_add(sql, "x'");
    for (size_t i = 0; i < array->bytes.count; ++i)
        str_format(sql, "%02x", array->bytes.data[i]);
    str_add(sql, "'");
}

static void encode_parts(struct array *array, const struct clock_work *work, bool active)
{
    uint64_t at = 0;
    array_begin(array);
    for (size_t k = 0; k < work->count; ++k) {
        const struct model_part *part = work->parts + k;
        array_add(array, 0, part->tile - at);
        array_add(array, active ? part->active : part->cycles, part->tiles);
        at = (uint64_t)part->tile + part->tiles;
    }
    array_end(array);
}

static void update(struct report *report, struct str *sql)
{
    database_do(report->db, sql->text);
    str_free(sql);
}

static void write_set(struct report *report, const struct step_costs *costs, size_t index)
{
    const struct model *model = &report->image->model;
    const struct model_set *set = model->sets.data + index;
    struct clock_work work = work_of_set(model, costs, index);
    struct str sql = { 0 };
    encode_parts(&report->array, &work, false);
    str_format(
        &sql, "UPDATE compute_sets SET estimated_cycles = %" PRIu64 ", estimated_cycles_by_tile = ", report->array.max);
    add_blob(&sql, &report->array);
    encode_parts(&report->array, &work, true);
    str_add(&sql, ", active_cycles_by_tile = ");
    add_blob(&sql, &report->array);
    str_format(&sql, " WHERE compute_set = %zu", index);
    update(report, &sql);
    for (uint64_t k = set->first_share; k < set->first_share + set->shares; ++k) {
        str_format(&sql,
                   "UPDATE compute_set_vertices SET active_cycles = %" PRIu64
                   " WHERE compute_set = %zu AND vertex_type = %" PRIu32,
                   costs->active.data[k], index, model->shares.data[k].type);
        update(report, &sql);
    }
    for (size_t i = model_first_vertex(model, (uint32_t)index);
         i < model->vertices.count && model->vertices.data[i].set == index; ++i) {
        str_format(&sql, "UPDATE vertices SET cycles = %" PRIu64 " WHERE id = %zu", costs->vertices.data[i], i);
        update(report, &sql);
    }
}

void report_write_counted(struct report *report, const struct step_costs *costs, bool all)
{
    const struct model *model = &report->image->model;
    for (size_t i = 0; i < costs->last.count; ++i)
        if (costs->last.data[i].cost && (all || costs->last.data[i].fresh))
            write_set(report, costs, i);
    for (uint32_t i = 0; i < model->types.count && costs->last.count; ++i) {
        struct str sql = { 0 };
        if (model->types.data[i].estimate != MODEL_EXECUTED)
            continue;
        str_format(&sql, "UPDATE vertex_types SET estimate = '%s' WHERE id = %" PRIu32,
                   step_costs_origin(costs, model, i), i);
        update(report, &sql);
    }
}

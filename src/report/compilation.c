/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the results of compiling: the target, the graph, memory by tile and category, vertices, exchanges. */
#include "report/report.h"
#include "timeline/timeline.h"

#include <limits.h>

static void write_target(struct report *report)
{
    static const char *const types[] = {
        [POP_TARGET_IPU] = "IPU", [POP_TARGET_IPU_MODEL] = "IPU_MODEL", [POP_TARGET_CPU] = "CPU"
    };
    const pop_target *target = &report->image->target;
    uint64_t ipu = (uint64_t)target->bytes_per_tile * target->tiles_per_ipu;
    uint64_t start = (uint64_t)target->interleaved_memory_element_index * target->memory_element_bytes;
    int64_t ipus = target->num_ipus, tiles = pop_target_num_tiles(target), replicas = report->image->replicas;
    unsigned nearest = UINT_MAX;
    for (unsigned tile = 0; tile < target->tiles_per_ipu; ++tile) {
        unsigned delay = pop_target_sync_delay(target, tile);
        nearest = delay < nearest ? delay : nearest;
    }
    array_begin(&report->array);
    for (unsigned tile = 0; tile < target->tiles_per_ipu; ++tile)
        array_add(&report->array, pop_target_sync_delay(target, tile) - nearest, 1);
    array_end(&report->array);
    database_add(report->db, TABLE_TARGET, "ssiiiiiiiiriiiiib", types[target->type], target->arch, ipus * replicas,
                 (int64_t)target->tiles_per_ipu, tiles * replicas, (int64_t)target->bytes_per_tile, (int64_t)ipu,
                 (int64_t)ipu * ipus * replicas,
                 (int64_t)(start < target->bytes_per_tile ? start : target->bytes_per_tile),
                 (int64_t)target->memory_element_bytes, target->tile_clock_frequency, replicas, ipus, tiles,
                 (int64_t)ipu * ipus, (int64_t)(target->tiles_per_ipu ? nearest : 0), ARRAY_BLOB(&report->array));
}

/* What a tile can do in a cycle, of this machine: options may change what its architecture has. */
static void write_peaks(struct report *report)
{
    enum { HALVES_OF_UNIT = 4, FLOATS_OF_UNIT = 1 }; /* multiply-adds (docs/reference/ipu-model.md, 1.2) */
    const pop_target *target = &report->image->target;
    unsigned halves = pop_target_num_conv_units(target, POP_HALF, POP_HALF),
             mixed = pop_target_num_conv_units(target, POP_HALF, POP_FLOAT),
             floats = pop_target_num_conv_units(target, POP_FLOAT, POP_FLOAT);
    const struct {
        const char *name;
        uint64_t value;
    } peaks[] = {
        { "tile_half_multiply_adds", (uint64_t)(halves > mixed ? halves : mixed) * HALVES_OF_UNIT },
        { "tile_float_multiply_adds", (uint64_t)floats * FLOATS_OF_UNIT },
        { "tile_exchange_bytes", target->exchange_bytes_per_cycle },
    };
    for (size_t i = 0; i < sizeof(peaks) / sizeof(peaks[0]); ++i)
        database_add(report->db, TABLE_INFO, "si", peaks[i].name, (int64_t)peaks[i].value);
}

/* Counts of the compiled graph. A CPU's image has no model: counts come from its host plan, which has no edges. */
static void write_graph(struct report *report)
{
    const struct image *image = report->image;
    uint64_t counts[4] = { image->sets.count, 0, image->variables.count, 0 };
    if (image->model.graph_counts.count == 4)
        memcpy(counts, image->model.graph_counts.data, sizeof(counts));
    else
        for (size_t i = 0; i < image->sets.count; ++i)
            counts[3] += image->sets.data[i].vertices;
    database_add(report->db, TABLE_GRAPH, "iiii", (int64_t)counts[0], (int64_t)counts[3], (int64_t)counts[1],
                 (int64_t)counts[2]);
    for (size_t i = 0; i < image->model.metrics.count; ++i)
        database_add(report->db, TABLE_METRICS, "sr", image_string(image, image->model.metrics.data[i].name),
                     image->model.metrics.data[i].value);
}

/* ---- memory ---- */

static int64_t total_of(const struct model_tile *tile)
{
    uint64_t total = 0;
    for (int region = 0; region < MODEL_REGIONS; ++region)
        total += tile->bytes[region];
    return (int64_t)total;
}

static void write_tiles(struct report *report)
{
    const struct model *model = &report->image->model;
    for (size_t i = 0; i < model->tiles.count; ++i) {
        const struct model_tile *tile = model->tiles.data + i;
        database_add(report->db, TABLE_MEMORY_BY_TILE, "iiiiiiiiiii", (int64_t)i, total_of(tile),
                     (int64_t)tile->total_with_gaps, (int64_t)tile->bytes[MODEL_INTERLEAVED],
                     (int64_t)tile->with_gaps[MODEL_INTERLEAVED], (int64_t)tile->bytes[MODEL_NON_INTERLEAVED],
                     (int64_t)tile->with_gaps[MODEL_NON_INTERLEAVED], (int64_t)tile->bytes[MODEL_OVERFLOWED],
                     (int64_t)tile->with_gaps[MODEL_OVERFLOWED], (int64_t)tile->always_live, (int64_t)tile->max_live);
    }
}

/* Appends a run of tiles to an array; *at is the end of the elements so far. */
static void add_run(struct array *array, uint64_t *at, uint32_t tile, uint32_t tiles, uint64_t value)
{
    if (tile < *at)
        return; /* a loaded file may contain an empty run */
    array_add(array, 0, tile - *at);
    array_add(array, value, tiles);
    *at = (uint64_t)tile + tiles;
}

static void write_categories(struct report *report)
{
    static const char *const names[] = {
#define MODEL_CATEGORY(constant, name) [MODEL_##constant##_CATEGORY] = name,
#include "image/model_categories.def"
#undef MODEL_CATEGORY
    };
    const struct model *model = &report->image->model;
    for (int i = 0; i < MODEL_CATEGORIES; ++i)
        database_add(report->db, TABLE_VAR_CATEGORIES, "is", (int64_t)i, names[i]);
    for (size_t i = 0; i < model->uses.count;) {
        const struct model_use first = model->uses.data[i];
        uint64_t at = 0;
        array_begin(&report->array);
        for (; i < model->uses.count; ++i) {
            const struct model_use *use = model->uses.data + i;
            if (use->category != first.category || use->region != first.region || use->overlapped != first.overlapped)
                break;
            add_run(&report->array, &at, use->tile, use->tiles, use->bytes);
        }
        array_end(&report->array);
        database_add(report->db, TABLE_MEMORY_BY_CATEGORY, "iiiib", (int64_t)first.category, (int64_t)first.region,
                     (int64_t)first.overlapped, (int64_t)report->array.sum, ARRAY_BLOB(&report->array));
    }
}

/* ---- vertices ---- */

/* Six figures summed over the table's entries [first, end), which belong to one set or type. */
enum { VERTEX_FIGURES = 6 };
struct vertex_arrays {
    struct array arrays[VERTEX_FIGURES];
};

static void code_vertices(struct vertex_arrays *to, const struct model_vertices *table, size_t first, size_t end)
{
    for (int figure = 0; figure < VERTEX_FIGURES; ++figure) {
        struct array *array = &to->arrays[figure];
        uint64_t at = 0;
        array_begin(array);
        for (size_t i = first; i < end; ++i) {
            const struct model_vertices *v = table + i;
            const uint64_t figures[VERTEX_FIGURES] = { v->code,          v->copy_pointers, v->descriptors,
                                                       v->edge_pointers, v->padding,       v->vertex_data };
            add_run(array, &at, v->tile, v->tiles, figures[figure]);
        }
        array_end(array);
    }
}

/* Expands to arguments of database_add for "ibibibibibib". */
#define VERTEX_COLUMN(v, i) (int64_t)(v).arrays[i].sum, ARRAY_BLOB(&(v).arrays[i])
#define VERTEX_COLUMNS(v)                                                                                              \
    VERTEX_COLUMN(v, 0), VERTEX_COLUMN(v, 1), VERTEX_COLUMN(v, 2), VERTEX_COLUMN(v, 3), VERTEX_COLUMN(v, 4),           \
        VERTEX_COLUMN(v, 5)

static void free_vertices(struct vertex_arrays *arrays)
{
    for (int i = 0; i < VERTEX_FIGURES; ++i)
        array_free(&arrays->arrays[i]);
}

static void write_types(struct report *report)
{
    const struct image *image = report->image;
    const struct model *model = &image->model;
    struct vertex_arrays arrays = { 0 };
    for (size_t i = 0, first = 0, end; i < model->types.count; ++i, first = end) {
        for (end = first; end < model->type_vertices.count && model->type_vertices.data[end].of == i;)
            ++end;
        code_vertices(&arrays, model->type_vertices.data, first, end);
        database_add(report->db, TABLE_VERTEX_TYPES, "isisibibibibibib", (int64_t)i,
                     image_string(image, model->types.data[i].name), (int64_t)model->types.data[i].state_bytes,
                     step_costs_origin(NULL, model, (uint32_t)i), VERTEX_COLUMNS(arrays));
    }
    free_vertices(&arrays);
}

/* Vertices of one type in a compute set; first_count: the set's first entry of model.counts. */
static void write_share(struct report *report, size_t index, const struct model_share *share, size_t first_count)
{
    const struct model *model = &report->image->model;
    uint64_t at = 0;
    array_begin(&report->array);
    for (size_t i = first_count; i < model->counts.count && model->counts.data[i].set == index; ++i) {
        const struct model_count *count = model->counts.data + i;
        if (count->type == share->type)
            add_run(&report->array, &at, count->tile, count->tiles, count->vertices);
    }
    array_end(&report->array);
    bool counted = model->types.data[share->type].estimate == MODEL_GIVEN;
    database_add(report->db, TABLE_COMPUTE_SET_VERTICES, counted ? "iiibii" : "iiibix", (int64_t)index,
                 (int64_t)share->type, (int64_t)share->vertices, ARRAY_BLOB(&report->array), (int64_t)share->active,
                 (int64_t)share->flops);
}

static void write_set(struct report *report, size_t index, const struct vertex_arrays *vertices, struct array *active,
                      size_t first_count)
{
    const struct model *model = &report->image->model;
    const struct model_set *set = model->sets.data + index;
    uint64_t count = 0, at = 0, active_at = 0;
    uint64_t context = set->set && report->image->contexts.sets ? report->image->contexts.sets + set->set - 1 : 0;
    for (uint32_t k = 0; k < set->shares; ++k)
        count += model->shares.data[set->first_share + k].vertices;
    array_begin(&report->array);
    array_begin(active);
    for (uint32_t k = 0; k < set->parts; ++k) {
        const struct model_part *part = model->parts.data + set->first_part + k;
        add_run(&report->array, &at, part->tile, part->tiles, part->cycles);
        add_run(active, &active_at, part->tile, part->tiles, part->active);
    }
    array_end(&report->array);
    array_end(active);
    database_add(report->db, TABLE_COMPUTE_SETS, context ? "isiiibbibibibibibib" : "isxiibbibibibibibib",
                 (int64_t)index, image_string(report->image, set->name), (int64_t)context, (int64_t)count,
                 (int64_t)report->array.max, ARRAY_BLOB(&report->array), ARRAY_BLOB(active), VERTEX_COLUMNS(*vertices));
    for (uint32_t k = 0; k < set->shares; ++k)
        write_share(report, index, model->shares.data + set->first_share + k, first_count);
}

static void write_sets(struct report *report)
{
    const struct model *model = &report->image->model;
    struct vertex_arrays arrays = { 0 };
    struct array active = { 0 };
    for (size_t i = 0, first = 0, end, count = 0; i < model->sets.count; ++i, first = end) {
        for (end = first; end < model->set_vertices.count && model->set_vertices.data[end].of == i;)
            ++end;
        while (count < model->counts.count && model->counts.data[count].set < i)
            ++count;
        code_vertices(&arrays, model->set_vertices.data, first, end);
        write_set(report, i, &arrays, &active, count);
    }
    for (size_t i = 0; i < model->vertices.count; ++i) {
        const struct model_vertex *vertex = model->vertices.data + i;
        database_add(report->db, TABLE_VERTICES, "iiii", (int64_t)i, (int64_t)vertex->set, (int64_t)vertex->type,
                     (int64_t)vertex->cycles);
    }
    array_free(&active);
    free_vertices(&arrays);
}

/* ---- exchanges ---- */

enum { FLOW_CYCLES, FLOW_SENT, FLOW_RECEIVED, FLOW_CODE, FLOW_PACKETS, FLOW_FIGURES };
struct flow_arrays {
    struct array arrays[FLOW_FIGURES];
};

/* code: whether tiles have code, as in the report's memory (compileIPUCode of a model). */
static void code_flows(struct flow_arrays *to, const struct model_flow *flows, size_t count, bool code)
{
    uint64_t at[FLOW_FIGURES] = { 0 };
    for (int i = 0; i < FLOW_FIGURES; ++i)
        array_begin(&to->arrays[i]);
    for (size_t k = 0; k < count; ++k) {
        const struct model_flow *f = flows + k;
        const uint64_t figures[FLOW_FIGURES] = { f->cycles, f->sent, f->received, code ? f->code_bytes : 0,
                                                 f->packets };
        for (int i = 0; i < FLOW_FIGURES; ++i)
            add_run(&to->arrays[i], &at[i], f->tile, f->tiles, figures[i]);
    }
    for (int i = 0; i < FLOW_FIGURES; ++i)
        array_end(&to->arrays[i]);
}

static void write_exchange(struct report *report, int64_t id, const char *kind, size_t number,
                           const struct model_exchange *exchange, struct flow_arrays *flows)
{
    static const char *const instructions[] = {
#define MODEL_INSTRUCTION(constant, name) name,
#include "image/model_instructions.def"
#undef MODEL_INSTRUCTION
    };
    const struct model *model = &report->image->model;
    const struct model_flow *of = model->flows.data + exchange->first_flow;
    struct array *a = flows->arrays;
    code_flows(flows, of, exchange->flows, report_has_code(report));
    uint64_t both = a[FLOW_SENT].sum + a[FLOW_RECEIVED].sum, busiest = 0,
             tiles = pop_target_num_tiles(&report->image->target);
    const char *columns = strcmp(kind, "host") ? "isisibbbbbirixx" : "isisibbbbbiriii";
    for (uint32_t k = 0; k < exchange->flows; ++k)
        busiest = of[k].sent + of[k].received > busiest ? of[k].sent + of[k].received : busiest;
    database_add(report->db, TABLE_EXCHANGES, columns, id, kind, (int64_t)number,
                 image_string(report->image, exchange->name), (int64_t)a[FLOW_CYCLES].max, ARRAY_BLOB(a + FLOW_CYCLES),
                 ARRAY_BLOB(a + FLOW_SENT), ARRAY_BLOB(a + FLOW_RECEIVED), ARRAY_BLOB(a + FLOW_CODE),
                 ARRAY_BLOB(a + FLOW_PACKETS), (int64_t)(both / 2),
                 busiest ? (double)both / ((double)busiest * (double)tiles) : 0.0, (int64_t)a[FLOW_CODE].sum,
                 (int64_t)exchange->from_host, (int64_t)exchange->to_host);
    for (int i = 0; i < MODEL_INSTRUCTIONS && report_has_code(report); ++i)
        if (exchange->instructions[i])
            database_add(report->db, TABLE_EXCHANGE_INSTRUCTIONS, "isi", id, instructions[i],
                         (int64_t)exchange->instructions[i]);
}

/* Writes exchanges in the order of exchange_id. */
static void write_exchanges(struct report *report)
{
    const struct model *model = &report->image->model;
    const struct {
        const char *kind;
        const struct model_exchange *data;
        size_t count;
    } lists[] = { { "internal", model->exchanges.data, model->exchanges.count },
                  { "global", model->global_exchanges.data, model->global_exchanges.count },
                  { "host", model->host_exchanges.data, model->host_exchanges.count } };
    struct flow_arrays flows = { 0 };
    int64_t id = 0;
    for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); ++l)
        for (size_t i = 0; i < lists[l].count; ++i)
            write_exchange(report, id++, lists[l].kind, i, lists[l].data + i, &flows);
    for (int i = 0; i < FLOW_FIGURES; ++i)
        array_free(&flows.arrays[i]);
}

void report_write_compilation(struct report *report)
{
    write_target(report);
    write_peaks(report);
    write_graph(report);
    write_categories(report);
    write_tiles(report);
    write_types(report);
    write_sets(report);
    write_exchanges(report);
}

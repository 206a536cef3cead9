/* SPDX-License-Identifier: Apache-2.0 */
/* The program tree: all programs with their costs, and the details of one. */
#include "../costs.h"
#include "../program_tree.h"
#include "../query.h"
#include "api.h"
#include "base/vec.h"

#include <string.h>

static json_t *ids_of(pva_object compilation, pva_property list)
{
    json_t *ids = json_array();
    for (uint64_t i = 0; i < pva_count(compilation, list); ++i)
        json_array_append_new(ids, json_integer((json_int_t)pva_uint(pva_at(compilation, list, i), PVA_PROGRAM_ID)));
    return ids;
}

/* Index of the operation of a program: the outermost context of a layer other than poplar. */
static uint32_t operation_of(const struct contexts *contexts, uint32_t from)
{
    uint32_t found = NO_CONTEXT;
    for (unsigned depth = 0; from != NO_CONTEXT && depth < DEEPEST_CONTEXT; ++depth) {
        const char *layer = contexts->layers[contexts->list[from].layer];
        if (*layer && strcmp(layer, "poplar") != 0)
            found = from;
        from = contexts->list[from].parent;
    }
    return found;
}

/* A program as the answer has it. */
struct listed {
    const char *type, *name, *detail;
    double times, cycles, estimate, code, elapsed, executions, within, flops;
    uint32_t target, compute_set, operation, context;
};

static const struct row_column listed_columns[] = {
    { "type", COLUMN_TEXT, offsetof(struct listed, type) },
    { "name", COLUMN_TEXT, offsetof(struct listed, name) },
    { "detail", COLUMN_TEXT, offsetof(struct listed, detail) },
    { "target", COLUMN_U32, offsetof(struct listed, target) },
    { "computeSet", COLUMN_U32, offsetof(struct listed, compute_set) },
    { "operation", COLUMN_U32, offsetof(struct listed, operation) },
    { "context", COLUMN_U32, offsetof(struct listed, context) },
    { "times", COLUMN_F64, offsetof(struct listed, times) },
    { "cycles", COLUMN_F64, offsetof(struct listed, cycles) },
    { "estimate", COLUMN_F64, offsetof(struct listed, estimate) },
    { "code", COLUMN_F64, offsetof(struct listed, code) },
    { "elapsed", COLUMN_F64, offsetof(struct listed, elapsed) },
    { "executions", COLUMN_F64, offsetof(struct listed, executions) },
    { "within", COLUMN_F64, offsetof(struct listed, within) },
    { "flops", COLUMN_F64, offsetof(struct listed, flops) },
};

static void add_columns(struct answer *answer, const struct costs *costs)
{
    struct listed *list = mem_zero(costs->count + 1, sizeof(*list));
    for (size_t i = 0; i < costs->count; ++i) {
        const struct program_cost *p = &costs->list[i];
        list[i] = (struct listed){
            .type = p->type,
            .name = p->name,
            .detail = p->detail,
            .times = p->times,
            .cycles = p->cycles,
            .estimate = p->estimate,
            .code = p->control_code + p->exchange_code,
            .elapsed = p->elapsed,
            .executions = p->executions,
            .within = p->within,
            .flops = p->flops * (costs->executed ? p->times : 1),
            .target = p->target,
            .compute_set = p->compute_set,
            .operation = operation_of(&costs->contexts, p->context),
            .context = p->context,
        };
    }
    answer_rows(answer, list, costs->count, sizeof(*list), listed_columns,
                sizeof(listed_columns) / sizeof(*listed_columns));
    free(list);
}

pop_status api_programs_list(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    const struct costs *costs = report ? costs_of(report, error) : NULL;
    if (!costs)
        return error->status;
    struct program_tree tree;
    pop_status status = program_tree_read(report->file, &tree, error);
    add_columns(answer, costs);
    answer_column(answer, "parentOf", COLUMN_U32, tree.parent.data, tree.parent.count);
    answer_column(answer, "child", COLUMN_U32, tree.child.data, tree.child.count);
    pva_object compilation = pva_get(pva_root(report->file), PVA_REPORT_COMPILATION);
    answer_meta(answer,
                json_pack("{s:o, s:o, s:b, s:b}", "control", ids_of(compilation, PVA_COMPILATION_CONTROL_PROGRAMS),
                          "functions", ids_of(compilation, PVA_COMPILATION_FUNCTIONS), "executed", costs->executed,
                          "debug", costs->contexts.count > 0));
    program_tree_free(&tree);
    return status != POP_OK ? status : answer_read(report, error);
}

/* The contexts of an object, innermost first: name and source line. */
json_t *contexts_json(pva_object context)
{
    json_t *list = json_array();
    for (unsigned depth = 0; depth < DEEPEST_CONTEXT && !pva_is_null(context); ++depth) {
        pva_object place = pva_get(context, PVA_DEBUG_CONTEXT_LOCATION);
        char *json = pva_text_copy(context, PVA_DEBUG_CONTEXT_JSON);
        json_t *whole = json_loads(json, 0, NULL);
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:I, s:o}", "name",
                                              answer_text_of(context, PVA_DEBUG_CONTEXT_NAME), "layer",
                                              answer_text_of(context, PVA_DEBUG_CONTEXT_LAYER), "file",
                                              answer_text_of(place, PVA_LOCATION_FILE_NAME), "function",
                                              answer_text_of(place, PVA_LOCATION_FUNCTION_NAME), "line",
                                              (json_int_t)pva_uint(place, PVA_LOCATION_LINE_NUMBER), "json",
                                              whole ? whole : json_null()));
        free(json);
        context = pva_count(context, PVA_DEBUG_CONTEXT_PARENTS) ? pva_at(context, PVA_DEBUG_CONTEXT_PARENTS, 0)
                                                                : (pva_object){ 0 };
    }
    return list;
}

/* Where the cycles of each vertex type are from; no rows in reports of earlier writers. */
static json_t *estimates_of_types(pva_file *file)
{
    bool known =
        0 < query_number(file, "SELECT count(*) FROM pragma_table_info('vertex_types') WHERE name = 'estimate'", 0);
    return known ? query_rows(file, "SELECT estimate FROM vertex_types ORDER BY id", NULL) : NULL;
}

static json_t *vertices_of(pva_file *file, pva_object compute_set)
{
    json_t *list = json_array(), *estimates = estimates_of_types(file);
    for (uint64_t i = 0; i < pva_count(compute_set, PVA_COMPUTE_SET_VERTICES); ++i) {
        pva_object of = pva_at(compute_set, PVA_COMPUTE_SET_VERTICES, i), type = pva_get(of, PVA_VERTEX_INSTANCES_TYPE);
        const char *estimate =
            json_string_value(json_object_get(json_array_get(estimates, (size_t)type.key), "estimate"));
        json_array_append_new(
            list, json_pack("{s:o, s:I, s:I, s:s}", "type", answer_text_of(type, PVA_VERTEX_TYPE_NAME), "count",
                            (json_int_t)pva_uint(of, PVA_VERTEX_INSTANCES_COUNT), "size",
                            (json_int_t)pva_uint(type, PVA_VERTEX_TYPE_SIZE), "estimate", estimate ? estimate : ""));
    }
    json_decref(estimates);
    return list;
}

static json_t *variables_of(pva_object program)
{
    json_t *list = json_array();
    for (uint64_t i = 0; i < pva_count(program, PVA_PROGRAM_VARS); ++i) {
        pva_object of = pva_at(program, PVA_PROGRAM_VARS, i);
        json_array_append_new(list, json_pack("{s:o, s:I, s:b}", "name", answer_text_of(of, PVA_VARIABLE_NAME), "bytes",
                                              (json_int_t)pva_uint(of, PVA_VARIABLE_BYTES), "alwaysLive",
                                              (int)pva_uint(of, PVA_VARIABLE_ALWAYS_LIVE)));
    }
    return list;
}

/* The program of the parameter id=, and its cost. */
pop_status api_programs_details(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    uint64_t id;
    if (!report || !request_uint(request, "id", 0, &id, error))
        return error->status;
    pva_object compilation = pva_get(pva_root(report->file), PVA_REPORT_COMPILATION);
    uint64_t count = pva_count(compilation, PVA_COMPILATION_PROGRAMS);
    if (id >= count)
        return answer_fail(error, POP_INVALID_OPTION, "program %llu does not exist (allowed: 0 to %llu)",
                           (unsigned long long)id, (unsigned long long)(count ? count - 1 : 0));
    pva_object program = pva_at(compilation, PVA_COMPILATION_PROGRAMS, id);
    uint64_t tiles = pva_uint(pva_get(compilation, PVA_COMPILATION_TARGET), PVA_TARGET_TILES_PER_REPLICA);
    uint64_t *by_tile = mem_zero(2 * tiles + 1, sizeof(*by_tile));
    double *figures = mem_zero(2 * tiles + 1, sizeof(*figures));
    pva_numbers(program, PVA_PROGRAM_ESTIMATED_CYCLES_BY_TILE, 0, tiles, by_tile);
    pva_numbers(program, PVA_PROGRAM_CONTROL_CODE_BY_TILE, 0, tiles, by_tile + tiles);
    for (uint64_t i = 0; i < 2 * tiles; ++i)
        figures[i] = (double)by_tile[i];
    answer_column(answer, "estimate", COLUMN_F64, figures, tiles);
    answer_column(answer, "controlCode", COLUMN_F64, figures + tiles, tiles);
    free(by_tile);
    free(figures);
    answer_meta(answer, json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "id", (json_int_t)id, "type",
                                  answer_text_of(program, PVA_PROGRAM_TYPE_NAME), "name",
                                  answer_text_of(program, PVA_PROGRAM_NAME), "detail",
                                  answer_text_of(program, PVA_PROGRAM_DETAIL), "vertices",
                                  vertices_of(report->file, pva_get(program, PVA_PROGRAM_COMPUTESET)), "variables",
                                  variables_of(program), "contexts",
                                  contexts_json(pva_get(program, PVA_PROGRAM_DEBUG_CONTEXT))));
    return answer_read(report, error);
}

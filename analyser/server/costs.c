/* SPDX-License-Identifier: Apache-2.0 */
#include "costs.h"

#include "base/mem.h"
#include "elapsed.h"
#include "flops.h"
#include "program_tree.h"

#include <poplar/text.h>
#include <string.h>

/* Queries whose first column is the id of a program. */
static const char programs_sql[] =
    "SELECT p.id, p.type, p.name, p.detail, p.target, p.compute_set, p.exchange, p.debug_context, "
    "ifnull(e.cycles, c.estimated_cycles), CASE p.type WHEN 'DoExchange' THEN e.code_bytes END, "
    "p.control_code_bytes - ifnull((SELECT sum(q.control_code_bytes) FROM program_children k JOIN programs q ON "
    "q.id = k.child WHERE k.program = p.id), 0), "
    "c.copy_ptr_bytes + c.descriptor_bytes + c.edge_ptr_bytes + c.padding_bytes + c.vertex_data_bytes, c.vertices, "
    "e.total_data FROM programs p LEFT JOIN compute_sets c ON c.compute_set = p.compute_set AND p.type = "
    "'OnTileExecute' LEFT JOIN exchanges e ON e.id = p.exchange AND p.type IN ('DoExchange', 'GlobalExchange', "
    "'StreamCopyMid') ORDER BY p.id";
static const char executed_sql[] =
    "SELECT x.program, sum(x.times), sum(x.times * i.cycles), sum(x.times * i.sum) FROM (SELECT program, pattern, "
    "sum(times) AS times FROM executed_times GROUP BY 1, 2) x JOIN (SELECT pattern, max(cycles) AS cycles, "
    "sum(cycles_sum) AS "
    "sum FROM pattern_ipus GROUP BY 1) i ON i.pattern = x.pattern GROUP BY 1";
static uint32_t index_of(const pva_value *value)
{
    return value->text ? (uint32_t)strtoul(value->text, NULL, 10) : UINT32_MAX;
}

static double number_of(const pva_value *value)
{
    return value->text ? pop_text_to_double(value->text, NULL) : 0;
}

static bool on_program(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct costs *costs = context;
    (void)columns, (void)names;
    if (!values)
        return true;
    size_t id = index_of(&values[0]);
    if (id >= costs->count || costs->list[id].type)
        return true;
    costs->list[id] = (struct program_cost){
        .type = mem_string(values[1].text ? values[1].text : ""),
        .name = mem_string(values[2].text ? values[2].text : ""),
        .detail = mem_string(values[3].text ? values[3].text : ""),
        .target = index_of(&values[4]),
        .compute_set = index_of(&values[5]),
        .exchange = index_of(&values[6]),
        .context = values[7].text ? contexts_find(&costs->contexts, strtoull(values[7].text, NULL, 10)) : NO_CONTEXT,
        .estimate = number_of(&values[8]),
        .exchange_code = number_of(&values[9]),
        .control_code = number_of(&values[10]),
        .state = number_of(&values[11]),
        .vertices = number_of(&values[12]),
        .data = number_of(&values[13]),
    };
    return true;
}

static bool on_executed(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct costs *costs = context;
    (void)columns, (void)names;
    size_t id = values ? index_of(&values[0]) : SIZE_MAX;
    if (id >= costs->count)
        return true;
    costs->executed = true;
    costs->list[id].times = number_of(&values[1]);
    costs->list[id].cycles = number_of(&values[2]);
    costs->list[id].tile_cycles = number_of(&values[3]);
    return true;
}

static bool on_use(void *context, size_t columns, const int64_t *values)
{
    struct costs *costs = context;
    (void)columns;
    if (values[0] >= 0 && (size_t)values[0] < costs->count && values[1] >= 0 && values[1] < UINT32_MAX)
        *vec_push(&costs->uses) =
            (struct program_use){ (uint32_t)values[0], (uint32_t)values[1], (unsigned char)values[2] };
    return true;
}

/* Rows of flops_by_set_sql. */
static bool on_flops(void *context, size_t columns, const int64_t *values)
{
    double *by_set = ((struct costs *)context)->by_set;
    size_t count = ((struct costs *)context)->count;
    (void)columns;
    if (values[0] >= 0 && (size_t)values[0] < count) {
        by_set[2 * values[0]] = (double)values[1];
        by_set[2 * values[0] + 1] = (double)values[2];
    }
    return true;
}

/* A report has at least as many programs as compute sets that are executed. */
static pop_status read_flops(pva_file *report, struct costs *costs, pop_error *error)
{
    if (!flops_recorded(report))
        return POP_OK;
    costs->flops = true;
    costs->by_set = mem_zero(2 * costs->count + 1, sizeof(*costs->by_set));
    pop_status status = pva_sql_integers(report, flops_by_set_sql, on_flops, costs, error);
    for (size_t i = 0; i < costs->count; ++i) {
        struct program_cost *p = &costs->list[i];
        if (!p->type || strcmp(p->type, "OnTileExecute") != 0 || p->compute_set >= costs->count)
            continue;
        p->flops = costs->by_set[2 * (size_t)p->compute_set];
        p->uncounted = costs->by_set[2 * (size_t)p->compute_set + 1];
    }
    free(costs->by_set);
    costs->by_set = NULL;
    return status;
}

static pop_status tree_costs(pva_file *report, struct costs *costs, pop_error *error)
{
    struct program_tree tree;
    pop_status status = program_tree_read(report, &tree, error);
    if (status == POP_OK)
        status = program_tree_costs(report, &tree, costs, error);
    program_tree_free(&tree);
    return status;
}

static void free_kept(void *costs)
{
    costs_free(costs);
}

const struct costs *costs_of(struct analyser_report *of, pop_error *error)
{
    struct kept *kept = &of->kept[KEPT_COSTS];
    if (kept->data)
        return kept->data;
    pva_file *report = of->file;
    pva_object compilation = pva_get(pva_root(report), PVA_REPORT_COMPILATION);
    struct costs *costs = MEM_NEW(struct costs);
    costs->count = (size_t)pva_count(compilation, PVA_COMPILATION_PROGRAMS);
    costs->list = mem_zero(costs->count + 1, sizeof(*costs->list));
    contexts_load(report, &costs->contexts);
    pop_status status = pva_sql(report, programs_sql, on_program, costs, error);
    if (status == POP_OK)
        status = pva_sql(report, executed_sql, on_executed, costs, error);
    const struct elapsed *elapsed = status == POP_OK ? elapsed_of(of, error) : NULL;
    for (size_t i = 0; elapsed && i < elapsed->rows.count; ++i)
        costs->list[elapsed->rows.data[i].program].elapsed += elapsed->rows.data[i].cycles;
    if (status == POP_OK && !elapsed)
        status = error->status;
    if (status == POP_OK)
        status = pva_sql_integers(report, "SELECT program, var, access FROM program_vars ORDER BY program, var", on_use,
                                  costs, error);
    if (status == POP_OK)
        status = read_flops(report, costs, error);
    if (status == POP_OK)
        status = tree_costs(report, costs, error);
    if (status == POP_OK) {
        *kept = (struct kept){ costs, free_kept };
        return costs;
    }
    costs_free(costs);
    return NULL;
}

void costs_free(struct costs *costs)
{
    if (!costs)
        return;
    for (size_t i = 0; i < costs->count; ++i) {
        free(costs->list[i].type);
        free(costs->list[i].name);
        free(costs->list[i].detail);
    }
    free(costs->list);
    vec_free(&costs->uses);
    contexts_free(&costs->contexts);
    free(costs);
}

void costs_add_tiles(pva_file *report, const struct costs *costs, size_t program, double *by_tile, uint64_t tiles)
{
    pva_object compilation = pva_get(pva_root(report), PVA_REPORT_COMPILATION);
    double times = costs->executed ? costs->list[program].times : 1;
    uint64_t *cycles = mem_zero(tiles + 1, sizeof(*cycles));
    pva_numbers(pva_at(compilation, PVA_COMPILATION_PROGRAMS, program), PVA_PROGRAM_ESTIMATED_CYCLES_BY_TILE, 0, tiles,
                cycles);
    for (uint64_t i = 0; i < tiles; ++i)
        by_tile[i] += times * (double)cycles[i];
    free(cycles);
}

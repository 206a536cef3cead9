/* SPDX-License-Identifier: Apache-2.0 */
/* Operations: programs and variables grouped by the call of a software layer that made them, and the graph of an
 * operation. */
#include "../costs.h"
#include "../flops.h"
#include "../program_tree.h"
#include "api.h"
#include "base/vec.h"

#include <poplar/text.h>
#include <string.h>

struct operation {
    uint32_t context; /* NO_CONTEXT: objects that no call of the layer made */
    double figures[20];
};
enum figure_of {
    ELAPSED,
    PROGRAMS,
    SETS,
    TIMES,
    CYCLES,
    TILE_CYCLES,
    EXCHANGE, /* of the elapsed cycles */
    HOST,
    ESTIMATE,
    CODE,
    STATE,
    VERTICES,
    DATA,
    BYTES,
    FLOPS,     /* of all executions: as the call itself records them, else those of its vertices */
    DONE,      /* of its vertices alone */
    UNCOUNTED, /* vertices whose operations are not counted */
    CALLS,     /* executions of the call */
    WEIGHTS,   /* bytes that the call records */
    OUTPUTS
};
static const char *const figure_names[] = { "elapsed",     "programs",  "computeSets", "times",     "cycles",
                                            "tileCycles",  "exchange",  "host",        "estimate",  "code",
                                            "vertexState", "vertices",  "data",        "variables", "flops",
                                            "done",        "uncounted", "calls",       "weights",   "outputs" };

struct operations {
    VEC(struct operation) list;
    uint32_t *by_context; /* index into list, NO_CONTEXT: none yet; the last entry is for objects without a context */
};

static struct operation *operation_for(struct operations *operations, const struct contexts *contexts, uint32_t context)
{
    uint32_t *index = &operations->by_context[context == NO_CONTEXT ? contexts->count : context];
    if (*index == NO_CONTEXT) {
        *index = (uint32_t)operations->list.count;
        *vec_push(&operations->list) = (struct operation){ .context = context };
    }
    return &operations->list.data[*index];
}

/* Counts a compute set's vertices and state, and an exchange's code, only once when several programs execute them. */
static void add_programs(struct operations *operations, const struct costs *costs, uint32_t layer)
{
    char *seen_sets = mem_zero(costs->count + 1, 1), *seen_exchanges = mem_zero(costs->count + 1, 1);
    for (size_t i = 0; i < costs->count; ++i) {
        const struct program_cost *p = &costs->list[i];
        double *f = operation_for(operations, &costs->contexts, contexts_outermost(&costs->contexts, p->context, layer))
                        ->figures;
        bool executes = p->vertices > 0 && p->compute_set < costs->count,
             host = p->type && strncmp(p->type, "StreamCopy", strlen("StreamCopy")) == 0;
        bool set = executes && !seen_sets[p->compute_set],
             exchange = p->exchange_code > 0 && p->exchange < costs->count && !seen_exchanges[p->exchange];
        if (set)
            seen_sets[p->compute_set] = 1;
        if (exchange)
            seen_exchanges[p->exchange] = 1;
        f[ELAPSED] += p->elapsed;
        f[PROGRAMS] += 1;
        f[SETS] += set;
        f[TIMES] += p->times;
        f[CYCLES] += p->cycles;
        f[TILE_CYCLES] += p->tile_cycles;
        f[EXCHANGE] += executes || host ? 0 : p->elapsed;
        f[HOST] += host ? p->elapsed : 0;
        f[ESTIMATE] += p->estimate;
        f[CODE] += p->control_code + (exchange ? p->exchange_code : 0);
        f[STATE] += set ? p->state : 0;
        f[VERTICES] += set ? p->vertices : 0;
        f[DATA] += p->data * (costs->executed ? p->times : 1);
        f[DONE] += p->flops * (costs->executed ? p->times : 1);
        f[UNCOUNTED] += set ? p->uncounted : 0;
    }
    free(seen_sets);
    free(seen_exchanges);
}

/* A call is executed as often as the outermost of its programs: those that are no part of another one of its own. */
static void add_calls(struct operations *operations, const struct costs *costs, const struct program_tree *tree,
                      uint32_t layer)
{
    const struct contexts *contexts = &costs->contexts;
    uint32_t *of = mem_alloc((costs->count + 1) * sizeof(*of));
    char *inner = mem_zero(costs->count + 1, 1);
    for (size_t i = 0; i < costs->count; ++i)
        of[i] = contexts_outermost(contexts, costs->list[i].context, layer);
    for (size_t i = 0; i < tree->child.count; ++i)
        if (tree->parent.data[i] < costs->count && tree->child.data[i] < costs->count &&
            of[tree->parent.data[i]] == of[tree->child.data[i]])
            inner[tree->child.data[i]] = 1;
    for (size_t i = 0; i < costs->count; ++i) {
        double *calls = &operation_for(operations, contexts, of[i])->figures[CALLS];
        double times = costs->list[i].executions > 0 ? costs->list[i].executions : costs->list[i].times;
        if (!inner[i] && times > *calls)
            *calls = times;
    }
    free(of);
    free(inner);
}

static void add_variables(pva_file *report, struct operations *operations, const struct contexts *contexts,
                          uint32_t layer)
{
    pva_object compilation = pva_get(pva_root(report), PVA_REPORT_COMPILATION);
    uint64_t count = pva_count(compilation, PVA_COMPILATION_VARIABLES);
    for (uint64_t i = 0; i < count; ++i) {
        pva_object variable = pva_at(compilation, PVA_COMPILATION_VARIABLES, i),
                   context = pva_get(variable, PVA_VARIABLE_DEBUG_CONTEXT);
        uint32_t from =
            pva_is_null(context) ? NO_CONTEXT : contexts_find(contexts, pva_uint(context, PVA_DEBUG_CONTEXT_ID));
        operation_for(operations, contexts, contexts_outermost(contexts, from, layer))->figures[BYTES] +=
            (double)pva_uint(variable, PVA_VARIABLE_BYTES);
    }
}

/* A number among the outputs that a context records, an object of names and values. */
static bool recorded(const json_t *context, const char *name, double *value)
{
    const json_t *found = json_object_get(json_object_get(context, "outputs"), name);
    *value = json_number_value(found);
    return json_is_number(found);
}

/* What a call says of itself: FLOP of one execution, bytes of weights and outputs. */
static void add_recorded(struct operation *operation, const json_t *context, bool executed)
{
    double *f = operation->figures, flops;
    f[FLOPS] = f[DONE];
    if (recorded(context, "flop", &flops))
        f[FLOPS] = flops * (executed ? f[CALLS] : 1);
    recorded(context, "weightBytes", &f[WEIGHTS]);
    recorded(context, "outputBytes", &f[OUTPUTS]);
}

/* The type of a framework's operator: its "opid" without the number, "MatMul" of "MatMul:3"; NULL if it has none. The
 * caller frees it. */
static char *operator_type(json_t *json)
{
    const char *opid = json_string_value(json_object_get(json, "opid")), *colon = opid ? strrchr(opid, ':') : NULL;
    if (!opid || !*opid || colon == opid)
        return NULL;
    char *type = mem_string(opid);
    if (colon && colon[1] && strspn(colon + 1, "0123456789/") == strlen(colon + 1))
        type[colon - opid] = '\0';
    return type;
}

/* The name of the call, such as "popops::add", or the type of the operator; without either, the layer. */
static char *call_of(pva_file *report, const struct contexts *contexts, struct operation *operation, bool executed)
{
    uint32_t context = operation->context;
    pva_object object = pva_at(pva_root(report), PVA_REPORT_DEBUG_CONTEXTS, contexts->list[context].index);
    char *text = pva_text_copy(object, PVA_DEBUG_CONTEXT_JSON);
    json_t *json = json_loads(text, 0, NULL);
    const char *api = json_string_value(json_object_get(json, "api"));
    char *call = api ? NULL : operator_type(json);
    if (!api)
        api = json_string_value(json_object_get(json, "category"));
    if (!call)
        call = mem_string(api ? api : contexts->layers[contexts->list[context].layer]);
    add_recorded(operation, json, executed);
    json_decref(json);
    free(text);
    return call;
}

static void answer_operations(struct answer *answer, pva_file *report, const struct operations *operations,
                              const struct costs *costs)
{
    const struct contexts *contexts = &costs->contexts;
    size_t count = operations->list.count;
    const char **names = mem_zero(count + 1, sizeof(*names)), **files = mem_zero(count + 1, sizeof(*files));
    char **calls = mem_zero(count + 1, sizeof(*calls));
    uint32_t *ids = mem_zero(count + 1, sizeof(*ids)), *lines = mem_zero(count + 1, sizeof(*lines));
    double *figures = mem_zero(count + 1, sizeof(*figures));
    for (size_t i = 0; i < count; ++i) {
        uint32_t context = operations->list.data[i].context;
        uint32_t line = context == NO_CONTEXT ? NO_CONTEXT : contexts_line(contexts, context);
        ids[i] = context;
        names[i] = context == NO_CONTEXT ? "" : contexts->list[context].name;
        if (context == NO_CONTEXT)
            operations->list.data[i].figures[FLOPS] = operations->list.data[i].figures[DONE];
        calls[i] = context == NO_CONTEXT ? mem_string("")
                                         : call_of(report, contexts, &operations->list.data[i], costs->executed);
        files[i] = line == NO_CONTEXT ? "" : contexts->list[line].file;
        lines[i] = line == NO_CONTEXT ? 0 : (uint32_t)contexts->list[line].line;
    }
    answer_column(answer, "context", COLUMN_U32, ids, count);
    answer_texts(answer, "call", (const char *const *)calls, count);
    answer_texts(answer, "name", names, count);
    answer_texts(answer, "file", files, count);
    answer_column(answer, "line", COLUMN_U32, lines, count);
    for (size_t k = 0; k < sizeof(figure_names) / sizeof(figure_names[0]); ++k) {
        for (size_t i = 0; i < count; ++i)
            figures[i] = operations->list.data[i].figures[k];
        answer_column(answer, figure_names[k], COLUMN_F64, figures, count);
    }
    for (size_t i = 0; i < count; ++i)
        free(calls[i]);
    free(names);
    free(files);
    free(calls);
    free(ids);
    free(lines);
    free(figures);
}

/* The layer of a name; NO_CONTEXT if there is none. */
static uint32_t named_layer(const struct contexts *contexts, const char *name)
{
    for (size_t i = 0; i < contexts->layer_count; ++i)
        if (strcmp(contexts->layers[i], name) == 0)
            return (uint32_t)i;
    return NO_CONTEXT;
}

/* The nodes of an ONNX model, then a framework's operators, then poplibs or, without these, the first layer. */
static uint32_t opening_layer(const struct contexts *contexts)
{
    uint32_t layer = named_layer(contexts, "onnx");
    for (size_t i = 0; i < contexts->layer_count && layer == NO_CONTEXT; ++i)
        if (strcmp(contexts->layers[i], "poplibs") != 0 && strcmp(contexts->layers[i], "poplar") != 0)
            layer = (uint32_t)i;
    if (layer == NO_CONTEXT)
        layer = named_layer(contexts, "poplibs");
    return layer == NO_CONTEXT && contexts->layer_count ? 0 : layer;
}

/* The layer of the parameter layer=, or the one that the view opens with. */
static pop_status find_layer(const struct request *request, const struct contexts *contexts, uint32_t *layer,
                             pop_error *error)
{
    const char *wanted = request_text(request, "layer", NULL);
    *layer = wanted ? named_layer(contexts, wanted) : opening_layer(contexts);
    if (wanted && *layer == NO_CONTEXT && contexts->layer_count)
        return answer_fail(error, POP_INVALID_OPTION, "the report has no layer '%.40s'", wanted);
    return POP_OK;
}

pop_status api_operations_table(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    const struct costs *costs = report ? costs_of(report, error) : NULL;
    if (!costs)
        return error->status;
    uint32_t layer;
    pop_status status = find_layer(request, &costs->contexts, &layer, error);
    if (status == POP_OK) {
        struct operations operations = { .by_context = mem_alloc((costs->contexts.count + 1) * sizeof(uint32_t)) };
        memset(operations.by_context, 0xff, (costs->contexts.count + 1) * sizeof(uint32_t));
        struct program_tree tree;
        status = program_tree_read(report->file, &tree, error);
        add_programs(&operations, costs, layer);
        add_calls(&operations, costs, &tree, layer);
        program_tree_free(&tree);
        add_variables(report->file, &operations, &costs->contexts, layer);
        answer_operations(answer, report->file, &operations, costs);
        vec_free(&operations.list);
        free(operations.by_context);
        json_t *layers = json_array();
        for (size_t i = 0; i < costs->contexts.layer_count; ++i)
            json_array_append_new(layers, answer_string(costs->contexts.layers[i]));
        answer_meta(answer,
                    json_pack("{s:o, s:o, s:b, s:b, s:o}", "layers", layers, "layer",
                              answer_string(layer == NO_CONTEXT ? "" : costs->contexts.layers[layer]), "executed",
                              costs->executed, "counted", costs->flops, "peak", flops_peak_json(report->file)));
        status = status == POP_OK ? answer_read(report, error) : status;
    }
    return status;
}

/* The graph: compute sets, exchanges and variables, and the read and write accesses between them. context= restricts
 * it to the programs of one operation; only the first `limit` programs are shown. */
struct edges {
    VEC(uint32_t) program;
    VEC(uint32_t) variable;
    VEC(unsigned char) access;
};

static void add_edges(struct edges *edges, const struct costs *costs, const char *chosen)
{
    for (size_t i = 0; i < costs->uses.count; ++i) {
        const struct program_use *use = &costs->uses.data[i];
        if (!chosen[use->program])
            continue;
        *vec_push(&edges->program) = use->program;
        *vec_push(&edges->variable) = use->variable;
        *vec_push(&edges->access) = use->access;
    }
}

static bool is_within(const struct contexts *contexts, uint32_t from, uint32_t ancestor)
{
    for (unsigned depth = 0; from != NO_CONTEXT && depth < DEEPEST_CONTEXT; ++depth) {
        if (from == ancestor)
            return true;
        from = contexts->list[from].parent;
    }
    return false;
}

static void answer_variables(struct answer *answer, pva_file *report, const struct edges *edges)
{
    pva_object compilation = pva_get(pva_root(report), PVA_REPORT_COMPILATION);
    size_t all = (size_t)pva_count(compilation, PVA_COMPILATION_VARIABLES), count = 0;
    size_t largest =
        all ? (size_t)pva_uint(pva_at(compilation, PVA_COMPILATION_VARIABLES, all - 1), PVA_VARIABLE_ID) : 0;
    char *used = mem_zero(largest + 1, 1);
    for (size_t i = 0; i < edges->variable.count; ++i)
        if (edges->variable.data[i] <= largest)
            used[edges->variable.data[i]] = 1;
    uint32_t *ids = mem_zero(all + 1, sizeof(*ids));
    double *bytes = mem_zero(all + 1, sizeof(*bytes));
    unsigned char *live = mem_zero(all + 1, 1);
    char **names = mem_zero(all + 1, sizeof(*names));
    for (size_t i = 0; i < all; ++i) {
        pva_object variable = pva_at(compilation, PVA_COMPILATION_VARIABLES, i);
        uint64_t id = pva_uint(variable, PVA_VARIABLE_ID);
        if (id > largest || !used[id]) /* a damaged report's may not be in order */
            continue;
        ids[count] = (uint32_t)id;
        bytes[count] = (double)pva_uint(variable, PVA_VARIABLE_BYTES);
        live[count] = (unsigned char)pva_uint(variable, PVA_VARIABLE_ALWAYS_LIVE);
        names[count++] = pva_text_copy(variable, PVA_VARIABLE_NAME);
    }
    answer_column(answer, "variableId", COLUMN_U32, ids, count);
    answer_column(answer, "variableBytes", COLUMN_F64, bytes, count);
    answer_column(answer, "variableAlwaysLive", COLUMN_U8, live, count);
    answer_texts(answer, "variableName", (const char *const *)names, count);
    for (size_t i = 0; i < count; ++i)
        free(names[i]);
    free(names);
    free(used);
    free(ids);
    free(bytes);
    free(live);
}

/* Chooses the programs that use variables, of one operation or of all, at most `limit`. Returns the total number. */
static size_t choose(const struct costs *costs, uint64_t context, uint64_t limit, char *chosen)
{
    size_t found = 0;
    for (size_t i = 0; i < costs->count; ++i) {
        const struct program_cost *p = &costs->list[i];
        bool works = p->type && (p->vertices > 0 || strcmp(p->type, "DoExchange") == 0 ||
                                 strcmp(p->type, "GlobalExchange") == 0 || strcmp(p->type, "StreamCopyMid") == 0);
        if (!works || (context != NO_CONTEXT && !is_within(&costs->contexts, p->context, (uint32_t)context)))
            continue;
        chosen[i] = found++ < limit;
    }
    return found;
}

pop_status api_operations_graph(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    uint64_t context, limit;
    if (!report || !request_uint(request, "context", NO_CONTEXT, &context, error) ||
        !request_uint(request, "limit", 200, &limit, error))
        return error->status;
    const struct costs *costs = costs_of(report, error);
    if (!costs)
        return error->status;
    char *chosen = mem_zero(costs->count + 1, 1);
    size_t found = choose(costs, context, limit, chosen), count = 0;
    struct edges edges = { 0 };
    add_edges(&edges, costs, chosen);
    uint32_t *ids = mem_zero(costs->count + 1, sizeof(*ids));
    double *cycles = mem_zero(costs->count + 1, sizeof(*cycles));
    const char **types = mem_zero(costs->count + 1, sizeof(*types)),
               **names = mem_zero(costs->count + 1, sizeof(*names));
    for (size_t i = 0; i < costs->count; ++i)
        if (chosen[i]) {
            ids[count] = (uint32_t)i;
            cycles[count] = costs->executed ? costs->list[i].cycles : costs->list[i].estimate;
            types[count] = costs->list[i].type;
            names[count++] = costs->list[i].name;
        }
    answer_column(answer, "programId", COLUMN_U32, ids, count);
    answer_texts(answer, "programType", types, count);
    answer_texts(answer, "programName", names, count);
    answer_column(answer, "programCycles", COLUMN_F64, cycles, count);
    answer_variables(answer, report->file, &edges);
    answer_column(answer, "edgeProgram", COLUMN_U32, edges.program.data, edges.program.count);
    answer_column(answer, "edgeVariable", COLUMN_U32, edges.variable.data, edges.variable.count);
    answer_column(answer, "edgeAccess", COLUMN_U8, edges.access.data, edges.access.count);
    answer_meta(answer, json_pack("{s:I, s:I}", "programs", (json_int_t)found, "shown", (json_int_t)count));
    vec_free(&edges.program);
    vec_free(&edges.variable);
    vec_free(&edges.access);
    free(chosen);
    free(ids);
    free(cycles);
    free(types);
    free(names);
    return answer_read(report, error);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Models into graphs. */
#include "onnx/build/build.h"
#include "onnx/build/stages.h"
#include "onnx/model/names.h"
#include "onnx/model/tensor_file.h"

#include <poplar/debug.h>
#include <poplar/log.h>
#include <poplar/memory.h>
#include <poplar/text.h>
#include <poplin/codelets.h>
#include <popnn/codelets.h>
#include <popops/codelets.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BATCHES = 1 << 24 };

/* ---- nodes ---- */

/* Where a node is, as a source line that a report shows: "model.onnx:conv1", and its number in the file.  Of a path a
 * report shows the last part, so that a name's slashes become dots. */
static pop_where place_of(onnx_builder *b, const onnx_node *node)
{
    size_t stem = strlen(b->model->path) + 1, size = stem + strlen(node->name) + 1;
    char *place = onnx_new(b->arena, size, 1);
    pop_text_format(place, size, "%s:%s", b->model->path, node->name);
    for (char *at = place + stem; *at; ++at)
        *at = *at == '/' ? '.' : *at;
    return (pop_where){ pop_store_keep_text(pop_graph_store(b->graph), place), (int)node->number, 0 };
}

/* The debug context of a node: what it builds is attributed to it, and the layer of a report has its name. */
static pop_where begin_node(onnx_builder *b)
{
    const onnx_node *node = b->node;
    pop_where where = place_of(b, node);
    pop_log_argument arguments[] = { { .name = "name", .kind = POP_LOG_TEXT, .as.text = node->name } };
    return pop_debug_call(b->graph, where, "onnx", pop_store_keep_text(pop_graph_store(b->graph), node->op), arguments,
                          1);
}

/* An input of the model whose type is not supported, or what a node gives that is not supported. */
static bool refuse_input(onnx_builder *b, uint32_t value)
{
    const char *name = b->model->value_names[value], *type = "no tensor";
    for (size_t i = 0; i < b->model->graph.num_inputs; ++i)
        if (b->model->graph.inputs[i] == value && b->model->graph.input_info[i].type)
            type = tremula_onnx_type_name(b->model->graph.input_info[i].type);
    return onnx_complain(b, "its input '%s' is of a type that is not supported: %s", name, type);
}

static bool build_node(onnx_builder *b)
{
    const onnx_operator *row = b->node->row;
    if (!row)
        return onnx_complain(b, "operator %s%s%s of operator set %lld is not supported", b->node->domain,
                             *b->node->domain ? "." : "", b->node->op, (long long)b->model->opset);
    for (size_t i = 0; i < b->node->num_inputs; ++i)
        if (onnx_input(b, i) && !onnx_input(b, i)->given)
            return refuse_input(b, b->node->inputs[i]);
    if (row->fold && onnx_all_known(b))
        return row->fold(b);
    if (!row->build) { /* says which input is not known */
        for (size_t i = 0; i < b->node->num_inputs; ++i)
            if (onnx_input(b, i) && !onnx_known(b, i))
                return false;
        return onnx_complain(b, "it cannot be computed");
    }
    const onnx_value *with_rows = onnx_input_with_rows(b);
    return with_rows ? onnx_build_with_rows(b, with_rows) : row->build(b) && onnx_ok(b);
}

/* A report has what the node costs, too, as results of its context. */
static void record_cost(onnx_builder *b, const tremula_onnx_node_cost *cost)
{
    pop_log_argument results[] = {
        { .name = "outputBytes", .kind = POP_LOG_UNSIGNED, .as.natural = cost->output_bytes },
        { .name = "weightBytes", .kind = POP_LOG_UNSIGNED, .as.natural = cost->weight_bytes },
        { .name = "flop", .kind = POP_LOG_UNSIGNED, .as.natural = (uint64_t)cost->flops },
    };
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); ++i) /* the last one is the first in the report */
        pop_debug_result(b->graph, b->where, &results[i]);
}

/* What a node of the main graph holds: its known operands that became tensors, and its outputs. */
static void add_cost(onnx_builder *b, size_t i)
{
    tremula_onnx_node_cost *cost = &b->model->costs[i];
    *cost = (tremula_onnx_node_cost){ .name = b->name, .operator_name = b->node->op, .ipu = b->ipu };
    for (size_t j = 0; j < b->node->num_inputs; ++j) {
        const onnx_value *value = onnx_input(b, j);
        if (value && value->known)
            cost->weight_bytes +=
                tremula_onnx_tensor_elements(&value->host) * pop_type_size(onnx_device_type(b, value->type));
    }
    for (size_t j = 0; j < b->node->num_outputs; ++j) {
        const onnx_value *value = onnx_wants(b, j) ? &b->values[b->node->outputs[j]] : NULL;
        if (value && value->placed && !value->known)
            cost->output_bytes +=
                tremula_onnx_tensor_elements(&value->host) * pop_type_size(onnx_device_type(b, value->type));
    }
    cost->flops = onnx_count_flops(b);
    b->model->num_costs = i + 1;
    record_cost(b, cost);
}

/* The name of a node of an inner graph, within that of the node that has the graph. */
static const char *inner_name(onnx_builder *b, const char *outer)
{
    size_t size = strlen(outer) + strlen(b->node->name) + 2;
    char *name = onnx_new(b->arena, size, 1);
    pop_text_format(name, size, "%s/%s", outer, b->node->name);
    return name;
}

/* How many rows there are is not handed on from inner graphs. */
static bool has_rows(onnx_builder *b, const onnx_graph *graph)
{
    for (size_t i = 0; i < graph->num_outputs; ++i)
        if (b->values[graph->outputs[i]].rows)
            return !onnx_complain(b,
                                  "an inner graph gives '%s', which has as many rows as NonMaxSuppression finds when "
                                  "the program runs: only the main graph may have such a value",
                                  b->model->value_names[graph->outputs[i]]);
    return false;
}

/* What the node reads from other IPUs arrives before it. */
static void begin_main_node(onnx_builder *b)
{
    b->arrivals = pop_sequence_at(b->where, b->root, "arrivals");
    pop_sequence_add_at(b->where, onnx_nodes_program(b), b->arrivals);
}

bool onnx_build_nodes(onnx_builder *b, const onnx_graph *graph)
{
    for (size_t i = 0; i < graph->num_initialisers && !b->failed; ++i) {
        const onnx_initialiser *initialiser = &graph->initialisers[i];
        b->values[initialiser->value] =
            (onnx_value){ .given = true, .known = true, .type = initialiser->tensor.type, .host = initialiser->tensor };
    }
    bool main_graph = graph == &b->model->graph;
    const onnx_node *outer = b->node;
    const char *outer_name = b->name;
    pop_where outer_where = b->where;
    pop_program outer_program = b->program;
    for (size_t i = 0; i < graph->num_nodes && !b->failed; ++i) {
        b->node = &graph->nodes[i];
        if (main_graph && b->stages)
            onnx_enter_ipu(b, b->stages[i]);
        b->name = main_graph ? b->node->name : inner_name(b, outer_name);
        b->where = begin_node(b);
        b->program = pop_sequence_at(b->where, b->graph, b->name);
        if (main_graph)
            begin_main_node(b);
        build_node(b);
        pop_sequence_add_at(b->where, main_graph ? onnx_nodes_program(b) : outer_program, b->program);
        if (main_graph)
            add_cost(b, i);
    }
    b->node = outer;
    b->name = outer_name;
    b->where = outer_where;
    b->program = outer_program;
    return onnx_ok(b) && (main_graph || !has_rows(b, graph));
}

/* ---- inputs and outputs ---- */

static void set_dims(const tremula_onnx_model *model, const tremula_onnx_value *info, const onnx_port *port,
                     onnx_builder *b, tremula_onnx_tensor *tensor)
{
    *tensor = (tremula_onnx_tensor){ .type = info->type, .rank = info->rank < 0 ? 0 : (size_t)info->rank };
    if (port->shaped) {
        *tensor = port->tensor;
        tensor->type = info->type;
        return;
    }
    if (info->rank < 0) {
        onnx_complain(b, "input '%s' has no shape in the file: give it one", info->name);
        return;
    }
    for (size_t i = 0; i < tensor->rank; ++i) {
        size_t value = info->dims[i] < 0 ? 0 : (size_t)info->dims[i];
        bool found = info->dims[i] >= 0;
        for (const onnx_dimension *at = model->dimensions; at && !found; at = at->next)
            if ((found = onnx_is_dimension(info, i, at->name)))
                value = at->value;
        if (!found)
            onnx_complain(b, "input '%s' has no number for dimension %zu%s%s%s: give it one", info->name, i,
                          *info->parameters[i] ? ", '" : "", info->parameters[i], *info->parameters[i] ? "'" : "");
        tensor->dims[i] = value;
    }
}

static void begin_inputs(onnx_builder *b)
{
    tremula_onnx_model *model = b->model;
    for (size_t i = 0; i < model->graph.num_inputs; ++i) {
        const tremula_onnx_value *info = &model->graph.input_info[i];
        onnx_port *port = &model->inputs[i];
        onnx_value *value = &b->values[model->graph.inputs[i]];
        port->needs_value = false;
        if (port->bound) {
            *value = (onnx_value){ .given = true, .known = true, .type = port->tensor.type, .host = port->tensor };
            continue;
        }
        if (onnx_device_type(b, info->type) == POP_TYPE_NULL)
            continue; /* a node that reads it is refused */
        *value = (onnx_value){ .given = true, .type = info->type };
        set_dims(model, info, port, b, &value->host);
        size_t count;
        if (!onnx_count_elements(value->host.rank, value->host.dims, 8, &count) || count > UINT32_MAX)
            onnx_complain(b, "input '%s' has more than 2^32 elements", info->name);
    }
}

/* The handle of a stream: the name of the value, after "in/" or "out/" since one name may be both. */
static const char *make_handle(onnx_builder *b, const char *kind, const char *name)
{
    size_t size = strlen(kind) + strlen(name) + 1;
    char *handle = onnx_new(b->arena, size, 1);
    pop_text_format(handle, size, "%s%s", kind, name);
    return handle;
}

static void end_inputs(onnx_builder *b)
{
    tremula_onnx_model *model = b->model;
    for (size_t i = 0; i < model->graph.num_inputs && !b->failed; ++i) {
        onnx_value *value = &b->values[model->graph.inputs[i]];
        onnx_port *port = &model->inputs[i];
        port->handle = make_handle(b, "in/", model->graph.input_info[i].name);
        if (port->bound || !value->given)
            continue;
        port->tensor = value->host;
        port->shaped = true;
        pop_tensor t = value->placed ? value->home : onnx_tensor_of(b, value);
        onnx_enter_ipu(b, value->home_ipu);
        port->host_type = pop_tensor_type(t);
        pop_stream stream =
            pop_graph_add_host_to_device_fifo_at(b->where, b->graph, port->handle, port->host_type,
                                                 pop_tensor_num_elements(t), POP_STREAM_REPLICATE, POP_NO_OPTIONS);
        pop_sequence_add_at(b->where, onnx_inputs_program(b),
                            pop_copy_from_stream_at(b->where, stream, t, true, model->graph.input_info[i].name));
    }
}

static void end_outputs(onnx_builder *b)
{
    tremula_onnx_model *model = b->model;
    for (size_t i = 0; i < model->graph.num_outputs && !b->failed; ++i) {
        onnx_value *value = &b->values[model->graph.outputs[i]];
        onnx_port *port = &model->outputs[i];
        const char *name = model->graph.output_info[i].name;
        port->handle = make_handle(b, "out/", name);
        if (!value->given) {
            onnx_complain(b, "output '%s' is no tensor that this library can hold", name);
            return;
        }
        port->tensor = value->host;
        port->rows = value->rows;
        port->row_dim = value->row_dim;
        port->host_type = onnx_device_type(b, value->type);
        if (value->known)
            continue;
        port->tensor.data = NULL;
        if (value->placed)
            onnx_enter_ipu(b, value->ipu);
        pop_tensor t = onnx_tensor_of(b, value);
        pop_stream stream = pop_graph_add_device_to_host_fifo_at(b->where, b->graph, port->handle, port->host_type,
                                                                 pop_tensor_num_elements(t), POP_NO_OPTIONS);
        pop_sequence_add_at(b->where, onnx_outputs_program(b), pop_copy_to_stream_at(b->where, t, stream, true, name));
    }
}

/* ---- the whole ---- */

static bool read_batches(const char *text, size_t *batches)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    *batches = (size_t)value;
    return *text >= '1' && *text <= '9' && !*end && value <= MAX_BATCHES;
}

static bool read_options(onnx_builder *b, pop_options options)
{
    b->real = POP_FLOAT;
    b->batches = 1;
    for (size_t i = 0; i < options.count; ++i) {
        const char *key = options.list[i].key, *value = options.list[i].value;
        if (strcmp(key, "type") == 0 && strcmp(value, "half") == 0) {
            b->real = POP_HALF;
        } else if (strcmp(key, "type") == 0 && strcmp(value, "float") == 0) {
            b->real = POP_FLOAT;
        } else if (strcmp(key, "availableMemoryProportion") == 0 || strcmp(key, "partialsType") == 0) {
            if (b->num_poplin_options < sizeof(b->poplin_options) / sizeof(b->poplin_options[0]))
                b->poplin_options[b->num_poplin_options++] = options.list[i];
        } else if (strcmp(key, "batches") == 0 && read_batches(value, &b->batches)) {
            continue;
        } else {
            b->failed = true;
            onnx_fail(b->error, POP_INVALID_OPTION,
                      "tremula_onnx_build: no option '%s' with value '%s' (allowed: type float|half, batches 1 to "
                      "2^24, availableMemoryProportion, partialsType)",
                      key, value);
        }
    }
    return !b->failed;
}

static void build_all(onnx_builder *b, pop_program *program)
{
    pop_program whole = pop_sequence_at(b->where, b->root, b->model->path);
    onnx_begin_programs(b);
    begin_inputs(b);
    if (onnx_build_nodes(b, &b->model->graph)) {
        end_inputs(b);
        end_outputs(b);
    }
    pop_sequence_add_at(b->where, whole, onnx_end_programs(b));
    *program = whole;
}

/* ---- several IPUs ---- */

static void run_builder(onnx_builder *b, pop_program *program)
{
    tremula_onnx_model *model = b->model;
    popops_add_codelets_at(b->where, b->root);
    poplin_add_codelets_at(b->where, b->root);
    popnn_add_codelets_at(b->where, b->root);
    b->values = onnx_new(b->arena, model->num_values, sizeof(*b->values));
    model->costs = onnx_new(b->arena, model->graph.num_nodes, sizeof(*model->costs));
    model->num_costs = 0;
    model->host_steps = NULL;
    model->num_host_steps = 0;
    build_all(b, program);
}

/* Builds once on the first IPU to learn what nodes hold; that graph is not compiled. */
static bool plan_stages(onnx_builder *b)
{
    const pop_target *target = pop_graph_target(b->root);
    pop_graph *whole = pop_graph_create(target);
    pop_graph *first = pop_graph_create_virtual_range_at(b->where, whole, 0, target->tiles_per_ipu);
    onnx_builder trial = *b;
    pop_program program;
    trial.root = whole;
    trial.graph = first;
    trial.where = (pop_where){ pop_store_keep_text(pop_graph_store(whole), b->model->path), 0, 0 };
    trial.num_ipus = 1;
    trial.batches = 1;
    run_builder(&trial, &program);
    bool done = onnx_ok(&trial);
    pop_graph_destroy(first);
    pop_graph_destroy(whole);
    b->failed = !done;
    if (!done)
        return false;
    onnx_divide_nodes(b, b->model->costs, b->model->num_costs);
    return true;
}

/* Forgets the last build, to whose memory the model points. */
static void forget_build(tremula_onnx_model *model)
{
    onnx_arena_free(&model->built);
    model->costs = NULL;
    model->num_costs = 0;
    model->host_steps = NULL;
    model->num_host_steps = 0;
    for (size_t i = 0; i < model->graph.num_inputs; ++i)
        model->inputs[i].handle = NULL;
    for (size_t i = 0; i < model->graph.num_outputs; ++i)
        model->outputs[i] = (onnx_port){ 0 };
}

pop_status tremula_onnx_build(tremula_onnx_model *model, pop_graph *graph, pop_options options, pop_program *program,
                              pop_error *error)
{
    forget_build(model);
    pop_error own;
    onnx_builder b = {
        .model = model, .arena = &model->built, .root = graph, .graph = graph, .error = error ? error : &own
    };
    b.error->status = POP_OK;
    b.where = (pop_where){ pop_store_keep_text(pop_graph_store(graph), model->path), 0, 0 };
    b.name = "";
    if (!read_options(&b, options))
        return b.error->status;
    b.num_ipus = pop_graph_target(graph)->num_ipus;
    b.cache = poplin_planning_cache_create(); /* the trial's plans serve the build */
    if (b.num_ipus <= 1 || plan_stages(&b))
        run_builder(&b, program);
    bool done = onnx_ok(&b);
    onnx_end_stages(&b);
    poplin_planning_cache_destroy(b.cache);
    return done ? POP_OK : b.error->status;
}

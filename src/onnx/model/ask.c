/* SPDX-License-Identifier: Apache-2.0 */
/* What a model has, and what is fixed before it is built. */
#include "onnx/model/names.h"
#include "onnx/model/operator.h"

#include <poplar/text.h>
#include <stdlib.h>
#include <string.h>

const tremula_onnx_value *tremula_onnx_input(const tremula_onnx_model *model, size_t index)
{
    return index < model->graph.num_inputs ? &model->graph.input_info[index] : NULL;
}

const tremula_onnx_value *tremula_onnx_output(const tremula_onnx_model *model, size_t index)
{
    return index < model->graph.num_outputs ? &model->graph.output_info[index] : NULL;
}

int64_t tremula_onnx_opset(const tremula_onnx_model *model)
{
    return model->opset;
}

const char *tremula_onnx_producer(const tremula_onnx_model *model)
{
    return model->producer;
}

size_t tremula_onnx_num_nodes(const tremula_onnx_model *model)
{
    return model->graph.num_nodes;
}

size_t tremula_onnx_weight_bytes(const tremula_onnx_model *model)
{
    size_t bytes = 0;
    for (size_t i = 0; i < model->graph.num_initialisers; ++i) {
        const tremula_onnx_tensor *tensor = &model->graph.initialisers[i].tensor;
        bytes += tremula_onnx_tensor_elements(tensor) * tremula_onnx_type_size(tensor->type);
    }
    for (size_t i = 0; i < model->graph.num_nodes; ++i) { /* some exporters write weights as nodes */
        const onnx_node *node = &model->graph.nodes[i];
        for (size_t j = 0; j < node->num_attributes; ++j)
            if (node->attributes[j].kind == ONNX_ATTRIBUTE_TENSOR)
                bytes += tremula_onnx_tensor_elements(node->attributes[j].as.tensor) *
                         tremula_onnx_type_size(node->attributes[j].as.tensor->type);
    }
    return bytes;
}

static int compare_uses(const void *a, const void *b)
{
    const tremula_onnx_use *x = a, *y = b;
    int order = strcmp(x->domain, y->domain);
    return order ? order : strcmp(x->name, y->name);
}

/* The uses found so far. */
struct uses {
    tremula_onnx_use *list;
    size_t count;
};

static void count_nodes(const onnx_graph *graph, struct uses *uses, onnx_arena *arena)
{
    for (size_t i = 0; i < graph->num_nodes; ++i) {
        const onnx_node *node = &graph->nodes[i];
        size_t at = 0;
        while (at < uses->count &&
               (strcmp(uses->list[at].name, node->op) || strcmp(uses->list[at].domain, node->domain)))
            ++at;
        if (at == uses->count) {
            tremula_onnx_use *list = onnx_new(arena, at + 1, sizeof(*list));
            if (at)
                memcpy(list, uses->list, at * sizeof(*list));
            list[at] = (tremula_onnx_use){ node->op, node->domain, 0, node->row, node->name };
            uses->list = list;
            ++uses->count;
        }
        ++uses->list[at].nodes;
        for (size_t j = 0; j < node->num_attributes; ++j)
            if (node->attributes[j].kind == ONNX_ATTRIBUTE_GRAPH)
                count_nodes(node->attributes[j].as.graph, uses, arena);
    }
}

size_t tremula_onnx_count_operators(const tremula_onnx_model *model, tremula_onnx_use *list, size_t capacity)
{
    onnx_arena arena = { 0 };
    struct uses uses = { 0 };
    count_nodes(&model->graph, &uses, &arena);
    if (uses.count)
        qsort(uses.list, uses.count, sizeof(*uses.list), compare_uses);
    if (uses.count && capacity)
        memcpy(list, uses.list, (uses.count < capacity ? uses.count : capacity) * sizeof(*list));
    onnx_arena_free(&arena);
    return uses.count;
}

/* Appends the names of symbolic dimensions, each once, as far as they fit. */
static void list_dimensions(const tremula_onnx_model *model, char *text, size_t size)
{
    const tremula_onnx_value *info = model->graph.input_info;
    for (size_t i = 0; i < model->graph.num_inputs; ++i)
        for (int j = 0; j < info[i].rank; ++j) {
            char name[128];
            size_t length = strlen(text);
            pop_text_format(name, sizeof(name), "'%s'", info[i].parameters[j]);
            if (info[i].dims[j] < 0 && *info[i].parameters[j] && !strstr(text, name))
                pop_text_format(text + length, size - length, "%s%s", length ? ", " : "", name);
        }
}

pop_status tremula_onnx_set_dimension(tremula_onnx_model *model, const char *name, size_t value, pop_error *error)
{
    for (size_t i = 0; i < model->graph.num_inputs; ++i)
        for (int j = 0; j < model->graph.input_info[i].rank; ++j)
            if (model->graph.input_info[i].dims[j] < 0 &&
                onnx_is_dimension(&model->graph.input_info[i], (size_t)j, name)) {
                onnx_dimension *dimension = onnx_new(&model->arena, 1, sizeof(*dimension));
                *dimension = (onnx_dimension){ onnx_keep_text(&model->arena, name), value, model->dimensions };
                model->dimensions = dimension;
                return POP_OK;
            }
    char names[400] = "";
    list_dimensions(model, names, sizeof(names));
    return onnx_fail(error, POP_INDEX_ERROR, "%s: no input has a dimension '%s' (open ones: %s)", model->path, name,
                     *names ? names : "none that has a name");
}

pop_status tremula_onnx_set_shape(tremula_onnx_model *model, size_t input, pop_shape shape, pop_error *error)
{
    const tremula_onnx_value *info = tremula_onnx_input(model, input);
    if (!info)
        return onnx_fail(error, POP_INDEX_ERROR, "%s: there is no input %zu", model->path, input);
    if (shape.rank > TREMULA_ONNX_MAX_RANK || (info->rank >= 0 && shape.rank != (size_t)info->rank))
        return onnx_fail(error, POP_POPLAR_ERROR, "%s: input '%s' has %d dimensions, and the given shape has %zu",
                         model->path, info->name, info->rank, shape.rank);
    onnx_port *port = &model->inputs[input];
    port->tensor = (tremula_onnx_tensor){ .type = info->type, .rank = shape.rank };
    for (size_t i = 0; i < shape.rank; ++i) {
        if (info->rank >= 0 && info->dims[i] >= 0 && (size_t)info->dims[i] != shape.dims[i])
            return onnx_fail(error, POP_POPLAR_ERROR,
                             "%s: input '%s' has %lld elements in dimension %zu, and %zu are given", model->path,
                             info->name, (long long)info->dims[i], i, shape.dims[i]);
        port->tensor.dims[i] = shape.dims[i];
    }
    port->shaped = true;
    return POP_OK;
}

pop_status tremula_onnx_bind(tremula_onnx_model *model, size_t input, const tremula_onnx_tensor *value,
                             pop_error *error)
{
    pop_status status = tremula_onnx_set_shape(model, input, (pop_shape){ value->rank, value->dims }, error);
    if (status != POP_OK)
        return status;
    const tremula_onnx_value *info = tremula_onnx_input(model, input);
    if (info->type != value->type)
        return onnx_fail(error, POP_TYPE_ERROR, "%s: input '%s' has elements of %s, and %s are given", model->path,
                         info->name, tremula_onnx_type_name(info->type), tremula_onnx_type_name(value->type));
    onnx_port *port = &model->inputs[input];
    port->tensor = *value;
    port->tensor.data =
        onnx_keep(&model->arena, value->data, tremula_onnx_tensor_elements(value), tremula_onnx_type_size(value->type));
    port->bound = true;
    return POP_OK;
}

bool tremula_onnx_needs_value(const tremula_onnx_model *model, size_t input)
{
    return input < model->graph.num_inputs && model->inputs[input].needs_value;
}

bool tremula_onnx_is_bound(const tremula_onnx_model *model, size_t input)
{
    return input < model->graph.num_inputs && model->inputs[input].bound;
}

const char *tremula_onnx_input_handle(const tremula_onnx_model *model, size_t input)
{
    return input < model->graph.num_inputs ? model->inputs[input].handle : NULL;
}

const char *tremula_onnx_output_handle(const tremula_onnx_model *model, size_t output)
{
    return output < model->graph.num_outputs ? model->outputs[output].handle : NULL;
}

pop_type tremula_onnx_input_host_type(const tremula_onnx_model *model, size_t input)
{
    return input < model->graph.num_inputs ? model->inputs[input].host_type : POP_TYPE_NULL;
}

pop_type tremula_onnx_output_host_type(const tremula_onnx_model *model, size_t output)
{
    return output < model->graph.num_outputs ? model->outputs[output].host_type : POP_TYPE_NULL;
}

tremula_onnx_tensor tremula_onnx_built_input(const tremula_onnx_model *model, size_t input)
{
    tremula_onnx_tensor none = { 0 };
    return input < model->graph.num_inputs ? model->inputs[input].tensor : none;
}

tremula_onnx_tensor tremula_onnx_built_output(const tremula_onnx_model *model, size_t output)
{
    tremula_onnx_tensor none = { 0 };
    return output < model->graph.num_outputs ? model->outputs[output].tensor : none;
}

bool tremula_onnx_node(const tremula_onnx_model *model, size_t index, tremula_onnx_node_cost *cost)
{
    if (index >= model->num_costs)
        return false;
    *cost = model->costs[index];
    return true;
}

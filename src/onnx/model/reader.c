/* SPDX-License-Identifier: Apache-2.0 */
/* Files to models. */
#include "onnx/model/model.h"
#include "onnx/model/names.h"
#include "onnx/model/operator.h"
#include "onnx/model/tensor_file.h"

#include <inttypes.h>
#include <onnx.pb-c.h>
#include <poplar/memory.h>
#include <poplar/text.h>
#include <string.h>

enum { MAX_NESTING = 64, MAX_VALUES = 1 << 26 };

/* What reading needs everywhere. */
struct reader {
    tremula_onnx_model *model;
    const char *directory;
    size_t capacity;       /* of the arrays by value */
    onnx_names node_names; /* of all graphs, each name once: costs are kept by name */
    pop_error *error;
};

static uint32_t add_value(struct reader *reader, const char *name)
{
    tremula_onnx_model *model = reader->model;
    if (model->num_values == reader->capacity) {
        reader->capacity = reader->capacity ? 2 * reader->capacity : 256;
        const char **names = onnx_new(&model->arena, reader->capacity, sizeof(*names));
        const onnx_node **givers = onnx_new(&model->arena, reader->capacity, sizeof(*givers));
        if (model->num_values) {
            memcpy(names, model->value_names, model->num_values * sizeof(*names));
            memcpy(givers, model->givers, model->num_values * sizeof(*givers));
        }
        model->value_names = names;
        model->givers = givers;
    }
    model->value_names[model->num_values] = name;
    return (uint32_t)model->num_values++;
}

/* Gives a name of a graph its value; false with an error when the graph has it already. */
static bool declare(struct reader *reader, onnx_names *names, const char *text, const char *by, uint32_t *value)
{
    const char *name = onnx_keep_text(&reader->model->arena, text);
    *value = add_value(reader, name);
    if (onnx_names_add(names, name, *value))
        return true;
    onnx_fail(reader->error, POP_PARSE_ERROR, "%s: the name '%s' is given twice, the second time by %s",
              reader->model->path, name, by);
    return false;
}

static bool read_graph(struct reader *reader, const Onnx__GraphProto *message, const onnx_names *outer,
                       onnx_graph *graph);

static bool read_tensor_attribute(struct reader *reader, const Onnx__AttributeProto *message, const onnx_node *node,
                                  onnx_attribute *attribute)
{
    onnx_arena *arena = &reader->model->arena;
    tremula_onnx_tensor *tensor = onnx_new(arena, 1, sizeof(*tensor));
    char what[600];
    if (!message->t || tremula_onnx_type_size((tremula_onnx_type)message->t->data_type) == 0)
        return true; /* an operator that reads it says that it is missing */
    pop_text_format(what, sizeof(what), "%s: node %zu '%.200s' (%s): attribute '%s'", reader->model->path, node->number,
                    node->name, node->op, attribute->name);
    attribute->kind = ONNX_ATTRIBUTE_TENSOR;
    attribute->as.tensor = tensor;
    return onnx_read_tensor(message->t, reader->directory, arena, tensor, what, reader->error);
}

static bool read_attribute(struct reader *reader, const Onnx__AttributeProto *message, const onnx_names *names,
                           const onnx_node *node, onnx_attribute *attribute)
{
    onnx_arena *arena = &reader->model->arena;
    attribute->name = onnx_keep_text(arena, message->name);
    attribute->count = 1;
    switch (message->type) {
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT:
        attribute->kind = ONNX_ATTRIBUTE_INTS;
        attribute->as.ints = onnx_keep(arena, &message->i, 1, sizeof(int64_t));
        return true;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS:
        attribute->kind = ONNX_ATTRIBUTE_INTS;
        attribute->count = message->n_ints;
        attribute->as.ints = onnx_keep(arena, message->ints, message->n_ints, sizeof(int64_t));
        return true;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT:
        attribute->kind = ONNX_ATTRIBUTE_FLOATS;
        attribute->as.floats = onnx_keep(arena, &message->f, 1, sizeof(float));
        return true;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS:
        attribute->kind = ONNX_ATTRIBUTE_FLOATS;
        attribute->count = message->n_floats;
        attribute->as.floats = onnx_keep(arena, message->floats, message->n_floats, sizeof(float));
        return true;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING: {
        char *text = onnx_new(arena, message->s.len + 1, 1);
        if (message->s.len)
            memcpy(text, message->s.data, message->s.len);
        attribute->kind = ONNX_ATTRIBUTE_TEXT;
        attribute->as.text = text;
        return true;
    }
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS: {
        const char **texts = onnx_new(arena, message->n_strings, sizeof(*texts));
        for (size_t i = 0; i < message->n_strings; ++i) {
            char *text = onnx_new(arena, message->strings[i].len + 1, 1);
            if (message->strings[i].len)
                memcpy(text, message->strings[i].data, message->strings[i].len);
            texts[i] = text;
        }
        attribute->kind = ONNX_ATTRIBUTE_TEXTS;
        attribute->count = message->n_strings;
        attribute->as.texts = texts;
        return true;
    }
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR:
        return read_tensor_attribute(reader, message, node, attribute);
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH: {
        onnx_graph *graph = onnx_new(arena, 1, sizeof(*graph));
        attribute->kind = ONNX_ATTRIBUTE_GRAPH;
        attribute->as.graph = graph;
        return !message->g || read_graph(reader, message->g, names, graph);
    }
    default:
        return true;
    }
}

/* The name of a node: a file may leave it out, or give one name to several nodes. */
static const char *name_node(struct reader *reader, const Onnx__NodeProto *message, const onnx_node *node)
{
    onnx_arena *arena = &reader->model->arena;
    const char *given = message->name && *message->name ? message->name : NULL, *stem = given ? given : node->op;
    size_t size = strlen(stem) + 48, again = 0;
    char *name = onnx_new(arena, size, 1);
    pop_text_format(name, size, given ? "%s" : "%s_%zu", stem, node->number);
    while (!onnx_names_add(&reader->node_names, name, 1))
        pop_text_format(name, size, "%s_%zu_%zu", stem, node->number, ++again);
    return name;
}

/* Reads a node but for its inputs, which may be named by nodes that follow. */
static bool read_node(struct reader *reader, const Onnx__NodeProto *message, size_t number, onnx_names *names,
                      onnx_node *node)
{
    tremula_onnx_model *model = reader->model;
    onnx_arena *arena = &model->arena;
    node->number = number;
    node->op = onnx_keep_text(arena, message->op_type);
    const char *domain = message->domain ? message->domain : "";
    node->domain = onnx_keep_text(arena, strcmp(domain, "ai.onnx") == 0 ? "" : domain);
    node->name = name_node(reader, message, node);
    node->row = onnx_find_operator(node->op, node->domain, model->opset);
    node->num_outputs = message->n_output;
    uint32_t *outputs = onnx_new(arena, message->n_output, sizeof(*outputs));
    for (size_t i = 0; i < message->n_output; ++i)
        if (*message->output[i] && !declare(reader, names, message->output[i], node->name, &outputs[i]))
            return false;
    for (size_t i = 0; i < message->n_output; ++i)
        if (outputs[i])
            model->givers[outputs[i]] = node;
    node->outputs = outputs;
    return true;
}

static bool read_uses(struct reader *reader, const Onnx__NodeProto *message, const onnx_names *names, onnx_node *node)
{
    onnx_arena *arena = &reader->model->arena;
    uint32_t *inputs = onnx_new(arena, message->n_input, sizeof(*inputs));
    node->num_inputs = message->n_input;
    node->inputs = inputs;
    for (size_t i = 0; i < message->n_input; ++i) {
        inputs[i] = *message->input[i] ? onnx_names_find(names, message->input[i]) : ONNX_NO_VALUE;
        if (*message->input[i] && !inputs[i]) {
            onnx_fail(reader->error, POP_PARSE_ERROR,
                      "%s: node %zu '%s' (%s) reads '%s', which no input, initialiser or node gives",
                      reader->model->path, node->number, node->name, node->op, message->input[i]);
            return false;
        }
    }
    onnx_attribute *attributes = onnx_new(arena, message->n_attribute, sizeof(*attributes));
    node->num_attributes = message->n_attribute;
    node->attributes = attributes;
    for (size_t i = 0; i < message->n_attribute; ++i)
        if (!read_attribute(reader, message->attribute[i], names, node, &attributes[i]))
            return false;
    return true;
}

/* The type and shape of an input or output, as far as the file gives them. */
static bool read_info(struct reader *reader, const Onnx__ValueInfoProto *message, tremula_onnx_value *info)
{
    *info = (tremula_onnx_value){ .name = onnx_keep_text(&reader->model->arena, message->name), .rank = -1 };
    const Onnx__TypeProto *type = message->type;
    if (!type || type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE || !type->tensor_type)
        return true; /* a sequence or map: nodes that read it are refused */
    info->type = (tremula_onnx_type)type->tensor_type->elem_type;
    const Onnx__TensorShapeProto *shape = type->tensor_type->shape;
    if (!shape)
        return true;
    if (shape->n_dim > TREMULA_ONNX_MAX_RANK) {
        onnx_fail(reader->error, POP_PARSE_ERROR, "%s: '%s' has %zu dimensions; at most %d are supported",
                  reader->model->path, info->name, shape->n_dim, TREMULA_ONNX_MAX_RANK);
        return false;
    }
    info->rank = (int)shape->n_dim;
    for (size_t i = 0; i < shape->n_dim; ++i) {
        const Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];
        bool known = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE && dim->dim_value >= 0;
        bool named = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM && dim->dim_param;
        info->dims[i] = known ? dim->dim_value : -1;
        info->parameters[i] = onnx_keep_text(&reader->model->arena, named ? dim->dim_param : "");
    }
    return true;
}

static bool read_initialisers(struct reader *reader, const Onnx__GraphProto *message, onnx_names *names,
                              onnx_graph *graph)
{
    onnx_arena *arena = &reader->model->arena;
    onnx_initialiser *list = onnx_new(arena, message->n_initializer, sizeof(*list));
    graph->initialisers = list;
    graph->num_initialisers = message->n_initializer;
    for (size_t i = 0; i < message->n_initializer; ++i) {
        const Onnx__TensorProto *tensor = message->initializer[i];
        const char *name = tensor->name ? tensor->name : "";
        char what[300];
        pop_text_format(what, sizeof(what), "%s: initialiser '%.200s'", reader->model->path, name);
        if (!declare(reader, names, name, what, &list[i].value) ||
            !onnx_read_tensor(tensor, reader->directory, arena, &list[i].tensor, what, reader->error))
            return false;
    }
    return true;
}

/* Inputs that no initialiser gives. */
static bool read_inputs(struct reader *reader, const Onnx__GraphProto *message, onnx_names *names, onnx_graph *graph)
{
    onnx_arena *arena = &reader->model->arena;
    uint32_t *inputs = onnx_new(arena, message->n_input, sizeof(*inputs));
    tremula_onnx_value *infos = onnx_new(arena, message->n_input, sizeof(*infos));
    onnx_names here = *names; /* without the graphs around: an input may hide an outer name */
    here.outer = NULL;
    for (size_t i = 0; i < message->n_input; ++i) {
        const char *name = message->input[i]->name ? message->input[i]->name : "";
        if (onnx_names_find(&here, name))
            continue;
        size_t at = graph->num_inputs++;
        if (!declare(reader, names, name, "an input", &inputs[at]) || !read_info(reader, message->input[i], &infos[at]))
            return false;
    }
    graph->inputs = inputs;
    graph->input_info = infos;
    return true;
}

static bool read_outputs(struct reader *reader, const Onnx__GraphProto *message, const onnx_names *names,
                         onnx_graph *graph)
{
    onnx_arena *arena = &reader->model->arena;
    uint32_t *outputs = onnx_new(arena, message->n_output, sizeof(*outputs));
    tremula_onnx_value *infos = onnx_new(arena, message->n_output, sizeof(*infos));
    graph->num_outputs = message->n_output;
    for (size_t i = 0; i < message->n_output; ++i) {
        const char *name = message->output[i]->name ? message->output[i]->name : "";
        outputs[i] = onnx_names_find(names, name);
        if (!outputs[i]) {
            onnx_fail(reader->error, POP_PARSE_ERROR, "%s: output '%s' of the graph is given by no node",
                      reader->model->path, name);
            return false;
        }
        if (!read_info(reader, message->output[i], &infos[i]))
            return false;
    }
    graph->outputs = outputs;
    graph->output_info = infos;
    return true;
}

static bool read_graph(struct reader *reader, const Onnx__GraphProto *message, const onnx_names *outer,
                       onnx_graph *graph)
{
    onnx_arena *arena = &reader->model->arena;
    onnx_names names = { .outer = outer, .arena = arena };
    graph->name = onnx_keep_text(arena, message->name);
    graph->nodes = onnx_new(arena, message->n_node, sizeof(*graph->nodes));
    graph->num_nodes = message->n_node;
    if (message->n_sparse_initializer) {
        onnx_fail(reader->error, POP_PARSE_ERROR, "%s: sparse initialisers are not supported", reader->model->path);
        return false;
    }
    if (!read_initialisers(reader, message, &names, graph) || !read_inputs(reader, message, &names, graph))
        return false;
    for (size_t i = 0; i < message->n_node; ++i)
        if (!read_node(reader, message->node[i], i + 1, &names, &graph->nodes[i]))
            return false;
    for (size_t i = 0; i < message->n_node; ++i)
        if (!read_uses(reader, message->node[i], &names, &graph->nodes[i]))
            return false;
    return read_outputs(reader, message, &names, graph) && onnx_order_nodes(reader->model, graph, reader->error);
}

static bool read_model(struct reader *reader, const Onnx__ModelProto *message)
{
    tremula_onnx_model *model = reader->model;
    add_value(reader, ""); /* value 0 is none */
    model->producer = onnx_keep_text(&model->arena, message->producer_name);
    model->opset = 1;
    for (size_t i = 0; i < message->n_opset_import; ++i) {
        const char *domain = message->opset_import[i]->domain;
        if (!domain || !*domain || strcmp(domain, "ai.onnx") == 0)
            model->opset = message->opset_import[i]->version;
    }
    if (!message->graph) {
        onnx_fail(reader->error, POP_PARSE_ERROR, "%s: this file has no graph: it is no ONNX model", model->path);
        return false;
    }
    if (message->n_functions) {
        onnx_fail(reader->error, POP_PARSE_ERROR, "%s: functions of a model are not supported", model->path);
        return false;
    }
    if (!read_graph(reader, message->graph, NULL, &model->graph))
        return false;
    model->inputs = onnx_new(&model->arena, model->graph.num_inputs, sizeof(*model->inputs));
    model->outputs = onnx_new(&model->arena, model->graph.num_outputs, sizeof(*model->outputs));
    return true;
}

static tremula_onnx_model *read_named(const char *path, const void *data, size_t size, const char *directory,
                                      pop_error *error)
{
    if (!onnx_nesting_within(&onnx__model_proto__descriptor, data, size, MAX_NESTING)) {
        onnx_fail(error, POP_PARSE_ERROR, "%s: its messages are nested more than %d deep", path, MAX_NESTING);
        return NULL;
    }
    Onnx__ModelProto *message = onnx__model_proto__unpack(NULL, size, data);
    if (!message) {
        onnx_fail(error, POP_PARSE_ERROR, "%s: this is no ONNX model, or it is damaged (%zu bytes)", path, size);
        return NULL;
    }
    tremula_onnx_model *model = pop_memory_resize(NULL, 1, sizeof(*model));
    memset(model, 0, sizeof(*model));
    model->path = onnx_keep_text(&model->arena, path);
    struct reader reader = {
        .model = model, .directory = directory, .node_names = { .arena = &model->arena }, .error = error
    };
    bool done = read_model(&reader, message);
    onnx__model_proto__free_unpacked(message, NULL);
    if (done)
        return model;
    tremula_onnx_destroy(model);
    return NULL;
}

tremula_onnx_model *tremula_onnx_read(const void *data, size_t size, const char *directory, pop_error *error)
{
    return read_named("the model", data, size, directory, error);
}

tremula_onnx_model *tremula_onnx_load(const char *path, pop_error *error)
{
    void *data;
    size_t size;
    if (!onnx_read_file(path, &data, &size, error))
        return NULL;
    onnx_arena arena = { 0 };
    char *directory = onnx_keep_text(&arena, path), *slash = strrchr(directory, '/');
    if (slash)
        *slash = '\0';
    tremula_onnx_model *model = read_named(path, data, size, slash == directory ? "/" : slash ? directory : ".", error);
    onnx_arena_free(&arena);
    pop_memory_free(data);
    return model;
}

void tremula_onnx_destroy(tremula_onnx_model *model)
{
    if (!model)
        return;
    onnx_arena_free(&model->built);
    onnx_arena_free(&model->arena);
    pop_memory_free(model);
}

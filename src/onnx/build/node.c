/* SPDX-License-Identifier: Apache-2.0 */
/* A node's inputs, outputs and attributes. */
#include "onnx/build/build.h"
#include "onnx/build/stages.h"

#include <poplar/text.h>
#include <poputil/tile_mapping.h>
#include <poputil/util.h>
#include <string.h>

bool onnx_complain(onnx_builder *b, const char *format, ...)
{
    if (b->failed)
        return false;
    b->failed = true;
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    pop_text_vformat(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (b->node)
        onnx_fail(b->error, POP_POPLAR_ERROR, "%s: node %zu '%s' (%s): %s", b->model->path, b->node->number,
                  b->node->name, b->node->op, text);
    else
        onnx_fail(b->error, POP_POPLAR_ERROR, "%s: %s", b->model->path, text);
    return false;
}

bool onnx_ok(onnx_builder *b)
{
    if (b->failed)
        return false;
    pop_error error;
    if (!pop_graph_error(b->graph))
        return true;
    pop_graph_take_error(b->graph, &error);
    onnx_complain(b, "%s", error.text);
    if (b->error)
        b->error->status = error.status;
    return false;
}

/* ---- inputs ---- */

size_t onnx_num_inputs(const onnx_builder *b)
{
    size_t count = b->node->num_inputs;
    while (count && b->node->inputs[count - 1] == ONNX_NO_VALUE)
        --count;
    return count;
}

onnx_value *onnx_input(const onnx_builder *b, size_t i)
{
    uint32_t value = i < b->node->num_inputs ? b->node->inputs[i] : ONNX_NO_VALUE;
    return value ? &b->values[value] : NULL;
}

bool onnx_all_known(const onnx_builder *b)
{
    for (size_t i = 0; i < b->node->num_inputs; ++i)
        if (onnx_input(b, i) && !onnx_input(b, i)->known)
            return false;
    return true;
}

/* The stream fills the tensor of the first user: later ones on other IPUs get copies. */
static void place_input(onnx_builder *b, onnx_value *value, pop_tensor tensor)
{
    value->tensor = value->home = tensor;
    value->ipu = value->home_ipu = b->ipu;
    value->placed = onnx_ok(b);
}

pop_tensor onnx_tensor_of(onnx_builder *b, onnx_value *value)
{
    if (b->failed)
        return (pop_tensor){ 0 };
    if (b->scratch)
        return onnx_scratch_tensor(b, &value->host);
    if (value->placed && value->ipu == b->ipu)
        return value->tensor;
    pop_type type = onnx_device_type(b, value->type);
    if (type == POP_TYPE_NULL) {
        onnx_complain(b, "a tensor of type %s has no type on the device", tremula_onnx_type_name(value->type));
        return (pop_tensor){ 0 };
    }
    if (value->known) {
        pop_shape shape = { value->host.rank, value->host.dims };
        value->tensor = onnx_variable(b, type, shape, b->name);
        onnx_set_initial(b, value->tensor, &value->host);
    } else if (!value->placed) { /* an input of the model */
        place_input(b, value,
                    onnx_variable(b, type, (pop_shape){ value->host.rank, value->host.dims },
                                  b->model->value_names[value - b->values]));
    } else {
        onnx_bring(b, value);
    }
    value->placed = onnx_ok(b);
    value->ipu = b->ipu;
    return value->tensor;
}

pop_tensor onnx_tensor(onnx_builder *b, size_t i)
{
    onnx_value *value = onnx_input(b, i);
    if (value)
        return onnx_tensor_of(b, value);
    onnx_complain(b, "input %zu is missing", i + 1);
    return (pop_tensor){ 0 };
}

/* Marks the model's inputs that a value depends on and that are not known. */
static void need_inputs(onnx_builder *b, uint32_t first)
{
    onnx_arena arena = { 0 };
    bool *seen = onnx_new(&arena, b->model->num_values, sizeof(*seen));
    uint32_t *stack = onnx_new(&arena, b->model->num_values, sizeof(*stack));
    size_t depth = 0;
    stack[depth++] = first;
    seen[ONNX_NO_VALUE] = seen[first] = true;
    while (depth) {
        uint32_t value = stack[--depth];
        if (b->values[value].known)
            continue;
        for (size_t i = 0; i < b->model->graph.num_inputs; ++i)
            if (b->model->graph.inputs[i] == value)
                b->model->inputs[i].needs_value = true;
        const onnx_node *giver = b->model->givers[value];
        for (size_t i = 0; giver && i < giver->num_inputs; ++i)
            if (!seen[giver->inputs[i]]) {
                seen[giver->inputs[i]] = true;
                stack[depth++] = giver->inputs[i];
            }
    }
    onnx_arena_free(&arena);
}

const tremula_onnx_tensor *onnx_known(onnx_builder *b, size_t i)
{
    const onnx_value *value = onnx_input(b, i);
    if (!value) {
        onnx_complain(b, "input %zu is missing", i + 1);
        return NULL;
    }
    if (value->known)
        return &value->host;
    need_inputs(b, b->node->inputs[i]);
    onnx_complain(b,
                  "its input '%s' decides a shape, so its contents must be known when the graph is built: give them "
                  "with the model's inputs on which it depends",
                  b->model->value_names[b->node->inputs[i]]);
    return NULL;
}

const int64_t *onnx_known_ints(onnx_builder *b, size_t i, size_t *count)
{
    const tremula_onnx_tensor *known = onnx_known(b, i);
    *count = known ? tremula_onnx_tensor_elements(known) : 0;
    int64_t *list = onnx_new(b->arena, *count + 1, sizeof(*list));
    for (size_t j = 0; j < *count; ++j)
        list[j] = onnx_integer(known, j);
    return list;
}

tremula_onnx_type onnx_type_of(const onnx_builder *b, size_t i)
{
    const onnx_value *value = onnx_input(b, i);
    return value ? value->type : TREMULA_ONNX_UNDEFINED;
}

pop_shape onnx_shape_of(const onnx_builder *b, size_t i)
{
    const onnx_value *value = onnx_input(b, i);
    return value ? (pop_shape){ value->host.rank, value->host.dims } : (pop_shape){ 0, NULL };
}

size_t onnx_rank_of(const onnx_builder *b, size_t i)
{
    return onnx_shape_of(b, i).rank;
}

bool onnx_is_unplaced(const onnx_builder *b, size_t i)
{
    const onnx_value *value = onnx_input(b, i);
    return value && !value->placed && !value->known && !b->scratch;
}

void onnx_place(onnx_builder *b, size_t i, pop_tensor tensor)
{
    place_input(b, onnx_input(b, i), tensor);
}

/* ---- outputs ---- */

bool onnx_wants(const onnx_builder *b, size_t i)
{
    return i < b->node->num_outputs && b->node->outputs[i] != ONNX_NO_VALUE;
}

bool onnx_give(onnx_builder *b, size_t i, pop_tensor tensor, tremula_onnx_type type)
{
    if (!onnx_ok(b) || !onnx_wants(b, i))
        return !b->failed;
    if (!pop_tensor_valid(tensor))
        return onnx_complain(b, "output %zu could not be made", i + 1);
    if (b->scratch)
        return onnx_scratch_give(b, i, tensor, type);
    pop_type wanted = onnx_device_type(b, type);
    if (pop_type_is_floating_point(pop_tensor_type(tensor)) && pop_type_is_floating_point(wanted))
        tensor = onnx_cast(b, tensor, wanted);
    size_t rank = pop_tensor_rank(tensor);
    if (rank > TREMULA_ONNX_MAX_RANK)
        return onnx_complain(b, "its result has %zu dimensions; at most %d are supported", rank, TREMULA_ONNX_MAX_RANK);
    onnx_value *value = &b->values[b->node->outputs[i]];
    *value = (onnx_value){ .given = true, .placed = true, .type = type, .tensor = tensor, .ipu = b->ipu };
    value->host.type = type;
    value->host.rank = pop_tensor_shape(tensor, value->host.dims, TREMULA_ONNX_MAX_RANK);
    return true;
}

bool onnx_give_like(onnx_builder *b, pop_tensor tensor)
{
    bool test = onnx_ok(b) && pop_tensor_valid(tensor) && pop_tensor_type(tensor) == POP_BOOL;
    return onnx_give(b, 0, tensor, test ? TREMULA_ONNX_BOOL : onnx_type_of(b, 0));
}

bool onnx_give_map(onnx_builder *b, const char *text)
{
    pop_tensor t = onnx_tensor(b, 0);
    return onnx_ok(b) && onnx_give_like(b, onnx_map(b, text, POP_TENSORS(t)));
}

bool onnx_fold_elements(onnx_builder *b, double (*function)(double))
{
    const onnx_value *in = onnx_input(b, 0);
    tremula_onnx_tensor result = onnx_new_tensor(b, in->type, onnx_shape_of(b, 0));
    for (size_t i = 0, n = result.data ? tremula_onnx_tensor_elements(&result) : 0; i < n; ++i)
        onnx_set_number(&result, i, function(onnx_number(&in->host, i)));
    return onnx_give_known(b, 0, result);
}

bool onnx_give_known(onnx_builder *b, size_t i, tremula_onnx_tensor tensor)
{
    if (b->failed || !onnx_wants(b, i))
        return !b->failed;
    b->values[b->node->outputs[i]] = (onnx_value){ .given = true, .known = true, .type = tensor.type, .host = tensor };
    return true;
}

/* ---- attributes ---- */

const onnx_attribute *onnx_find_attribute(const onnx_node *node, const char *name)
{
    for (size_t i = 0; i < node->num_attributes; ++i)
        if (strcmp(node->attributes[i].name, name) == 0)
            return &node->attributes[i];
    return NULL;
}

static const onnx_attribute *find(const onnx_builder *b, const char *name, onnx_attribute_kind kind)
{
    const onnx_attribute *attribute = onnx_find_attribute(b->node, name);
    return attribute && attribute->kind == kind && attribute->count ? attribute : NULL;
}

bool onnx_has(const onnx_builder *b, const char *name)
{
    return onnx_find_attribute(b->node, name);
}

int64_t onnx_int(const onnx_builder *b, const char *name, int64_t otherwise)
{
    const onnx_attribute *attribute = find(b, name, ONNX_ATTRIBUTE_INTS);
    return attribute ? attribute->as.ints[0] : otherwise;
}

double onnx_float(const onnx_builder *b, const char *name, double otherwise)
{
    const onnx_attribute *attribute = find(b, name, ONNX_ATTRIBUTE_FLOATS);
    return attribute ? (double)attribute->as.floats[0] : otherwise;
}

const char *onnx_text(const onnx_builder *b, const char *name, const char *otherwise)
{
    const onnx_attribute *attribute = find(b, name, ONNX_ATTRIBUTE_TEXT);
    return attribute ? attribute->as.text : otherwise;
}

const int64_t *onnx_ints(const onnx_builder *b, const char *name, size_t *count)
{
    const onnx_attribute *attribute = find(b, name, ONNX_ATTRIBUTE_INTS);
    *count = attribute ? attribute->count : 0;
    return attribute ? attribute->as.ints : NULL;
}

const float *onnx_floats(const onnx_builder *b, const char *name, size_t *count)
{
    const onnx_attribute *attribute = find(b, name, ONNX_ATTRIBUTE_FLOATS);
    *count = attribute ? attribute->count : 0;
    return attribute ? attribute->as.floats : NULL;
}

size_t onnx_axis(onnx_builder *b, int64_t axis, size_t rank)
{
    int64_t dim = axis < 0 ? axis + (int64_t)rank : axis;
    if (dim >= 0 && dim < (int64_t)(rank ? rank : 1))
        return (size_t)dim;
    onnx_complain(b, "axis %lld is none of a tensor of rank %zu", (long long)axis, rank);
    return 0;
}

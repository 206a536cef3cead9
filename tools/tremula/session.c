/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <poplar/memory.h>
#include <poplar/text.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

pop_status tool_fail(pop_error *error, pop_status status, const char *format, ...)
{
    va_list list;
    memset(error, 0, sizeof(*error));
    error->status = status;
    va_start(list, format);
    pop_text_vformat(error->text, sizeof(error->text), format, list);
    va_end(list);
    return status;
}

void put(const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    pop_text_vformat(text, sizeof(text), format, list);
    va_end(list);
    fputs(text, stdout);
}

size_t count_inputs(const tremula_onnx_model *model)
{
    size_t count = 0;
    while (tremula_onnx_input(model, count))
        ++count;
    return count;
}

size_t count_outputs(const tremula_onnx_model *model)
{
    size_t count = 0;
    while (tremula_onnx_output(model, count))
        ++count;
    return count;
}

static void *new_zeros(size_t count, size_t size)
{
    return memset(pop_memory_resize(NULL, count + 1, size), 0, (count + 1) * size);
}

/* Binds the given inputs whose contents the last build needed; false when there is none. */
static bool bind_needed(session *s, pop_error *error)
{
    bool bound = false;
    for (size_t i = 0; i < s->num_inputs; ++i)
        if (tremula_onnx_needs_value(s->model, i) && !tremula_onnx_is_bound(s->model, i) && s->inputs[i].data) {
            if (tremula_onnx_bind(s->model, i, &s->inputs[i], error) != POP_OK)
                return false;
            bound = true;
        }
    return bound;
}

pop_status session_build(session *s, pop_error *error)
{
    for (size_t i = 0; i < s->num_inputs; ++i)
        if (s->inputs[i].data) {
            pop_shape shape = { s->inputs[i].rank, s->inputs[i].dims };
            if (tremula_onnx_set_shape(s->model, i, shape, error) != POP_OK)
                return error->status;
        }
    pop_status status;
    do {
        pop_graph_destroy(s->graph);
        s->graph = pop_graph_create(s->target);
        status = tremula_onnx_build(s->model, s->graph, s->build_options, &s->program, error);
    } while (status != POP_OK && bind_needed(s, error));
    return status;
}

pop_status session_compile(session *s, pop_error *error)
{
    s->device = pop_device_create(s->target, error);
    if (!s->device)
        return error->status;
    s->engine = pop_engine_create(s->graph, POP_PROGRAMS(s->program), s->engine_options, error);
    return s->engine ? pop_engine_load(s->engine, s->device, error) : error->status;
}

static void *new_buffer(session *s, pop_type type, size_t elements)
{
    return s->buffers[s->num_buffers++] = new_zeros(elements, pop_type_size(type));
}

static pop_status connect_inputs(session *s, pop_error *error)
{
    for (size_t i = 0; i < s->num_inputs; ++i) {
        if (tremula_onnx_is_bound(s->model, i))
            continue;
        tremula_onnx_tensor shape = tremula_onnx_built_input(s->model, i);
        pop_type type = tremula_onnx_input_host_type(s->model, i);
        if (type == POP_TYPE_NULL)
            continue;
        void *buffer = new_buffer(s, type, tremula_onnx_tensor_elements(&shape));
        if (s->inputs[i].data && s->inputs[i].type != shape.type)
            return tool_fail(error, POP_TYPE_ERROR, "input '%s' has elements of %s, and %s are given",
                             tremula_onnx_input(s->model, i)->name, tremula_onnx_type_name(shape.type),
                             tremula_onnx_type_name(s->inputs[i].type));
        if (s->inputs[i].data && tremula_onnx_to_stream(&s->inputs[i], type, buffer, error) != POP_OK) {
            pop_error reason = *error;
            return tool_fail(error, reason.status, "input '%s': %s", tremula_onnx_input(s->model, i)->name,
                             reason.text);
        }
        if (pop_engine_connect_stream(s->engine, tremula_onnx_input_handle(s->model, i), buffer, error) != POP_OK)
            return error->status;
    }
    return POP_OK;
}

pop_status session_run(session *s, pop_error *error)
{
    s->num_outputs = count_outputs(s->model);
    s->outputs = new_zeros(s->num_outputs, sizeof(*s->outputs));
    s->buffers = new_zeros(s->num_inputs + s->num_outputs, sizeof(*s->buffers));
    if (connect_inputs(s, error) != POP_OK)
        return error->status;
    size_t first = s->num_buffers;
    for (size_t i = 0; i < s->num_outputs; ++i) {
        s->outputs[i] = tremula_onnx_built_output(s->model, i);
        void *buffer =
            new_buffer(s, tremula_onnx_output_host_type(s->model, i), tremula_onnx_tensor_elements(&s->outputs[i]));
        if (!s->outputs[i].data &&
            pop_engine_connect_stream(s->engine, tremula_onnx_output_handle(s->model, i), buffer, error) != POP_OK)
            return error->status;
    }
    if (pop_engine_run(s->engine, 0, error) != POP_OK)
        return error->status;
    for (size_t i = 0; i < s->num_outputs; ++i) {
        tremula_onnx_tensor *out = &s->outputs[i];
        size_t elements = tremula_onnx_tensor_elements(out), size = tremula_onnx_type_size(out->type);
        const void *known = out->data;
        out->data = new_zeros(elements, size);
        if (known)
            memcpy(out->data, known, elements * size);
        else
            tremula_onnx_from_stream(tremula_onnx_output_host_type(s->model, i), s->buffers[first + i], out);
    }
    return POP_OK;
}

void session_end(session *s)
{
    pop_engine_destroy(s->engine);
    pop_graph_destroy(s->graph);
    pop_device_destroy(s->device);
    for (size_t i = 0; i < s->num_buffers; ++i)
        pop_memory_free(s->buffers[i]);
    for (size_t i = 0; i < s->num_outputs && s->buffers; ++i) /* before the run data belong to the model */
        if (s->outputs[i].data && s->outputs[i].data != tremula_onnx_built_output(s->model, i).data)
            pop_memory_free(s->outputs[i].data);
    pop_memory_free(s->buffers);
    pop_memory_free(s->outputs);
    s->engine = NULL;
    s->graph = NULL;
    s->device = NULL;
    s->buffers = NULL;
    s->outputs = NULL;
    s->num_buffers = s->num_outputs = 0;
}

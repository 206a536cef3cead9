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

/* The shape of a given input for one batch.  What has the file's own extent is the same for all batches. */
static pop_status set_given_shape(session *s, size_t i, pop_error *error)
{
    const tremula_onnx_value *info = tremula_onnx_input(s->model, i);
    tremula_onnx_tensor batch = s->inputs[i];
    bool same = s->batches <= 1 || batch.rank == 0 || (info->rank > 0 && (size_t)info->dims[0] == batch.dims[0]);
    if (!same && batch.dims[0] % s->batches != 0)
        return tool_fail(error, POP_POPLAR_ERROR,
                         "input '%s' has %zu elements in dimension 0, which %zu batches do not divide", info->name,
                         batch.dims[0], s->batches);
    if (!same)
        batch.dims[0] /= s->batches;
    return tremula_onnx_set_shape(s->model, i, (pop_shape){ batch.rank, batch.dims }, error);
}

pop_status session_build(session *s, pop_error *error)
{
    for (size_t i = 0; i < s->num_inputs; ++i)
        if (s->inputs[i].data && set_given_shape(s, i, error) != POP_OK)
            return error->status;
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

static size_t num_batches(const session *s)
{
    return s->batches ? s->batches : 1;
}

/* Buffers of streams have the elements of all batches. */
static char *new_buffer(session *s, pop_type type, size_t elements)
{
    return s->buffers[s->num_buffers++] = new_zeros(elements, pop_type_size(type));
}

static pop_status fill_input(const session *s, size_t i, pop_type type, char *buffer, size_t elements, pop_error *error)
{
    const tremula_onnx_tensor *given = &s->inputs[i];
    size_t count = given->data ? tremula_onnx_tensor_elements(given) : 0;
    const char *name = tremula_onnx_input(s->model, i)->name;
    for (size_t done = 0; count && done < elements; done += count)
        if (tremula_onnx_to_stream(given, type, buffer + done * pop_type_size(type), error) != POP_OK) {
            pop_error reason = *error;
            return tool_fail(error, reason.status, "input '%s': %s", name, reason.text);
        }
    return POP_OK;
}

static pop_status connect(const session *s, const char *handle, char *buffer, size_t bytes, pop_error *error)
{
    return s->batches > 1 ? pop_engine_connect_stream_circular(s->engine, handle, buffer, buffer + bytes, error)
                          : pop_engine_connect_stream(s->engine, handle, buffer, error);
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
        size_t elements = tremula_onnx_tensor_elements(&shape) * num_batches(s);
        char *buffer = new_buffer(s, type, elements);
        if (s->inputs[i].data && s->inputs[i].type != shape.type)
            return tool_fail(error, POP_TYPE_ERROR, "input '%s' has elements of %s, and %s are given",
                             tremula_onnx_input(s->model, i)->name, tremula_onnx_type_name(shape.type),
                             tremula_onnx_type_name(s->inputs[i].type));
        if (fill_input(s, i, type, buffer, elements, error) != POP_OK ||
            connect(s, tremula_onnx_input_handle(s->model, i), buffer, elements * pop_type_size(type), error) != POP_OK)
            return error->status;
    }
    return tremula_onnx_connect(s->model, s->engine, error);
}

static pop_status connect_outputs(session *s, pop_error *error)
{
    for (size_t i = 0; i < s->num_outputs; ++i) {
        s->outputs[i] = tremula_onnx_built_output(s->model, i);
        pop_type type = tremula_onnx_output_host_type(s->model, i);
        size_t elements = tremula_onnx_tensor_elements(&s->outputs[i]) * num_batches(s);
        char *buffer = new_buffer(s, type, elements);
        if (!s->outputs[i].data && connect(s, tremula_onnx_output_handle(s->model, i), buffer,
                                           elements * pop_type_size(type), error) != POP_OK)
            return error->status;
    }
    return POP_OK;
}

/* What the batches gave, one after the other in dimension 0. */
static pop_status join_batches(const session *s, size_t i, const char *buffer, pop_error *error)
{
    tremula_onnx_tensor *out = &s->outputs[i], batch = *out;
    pop_type type = tremula_onnx_output_host_type(s->model, i);
    size_t elements = tremula_onnx_tensor_elements(out), size = tremula_onnx_type_size(out->type), joined = 0;
    const void *known = out->data;
    char *to = out->data = new_zeros(elements * num_batches(s), size);
    for (size_t n = 0; n < num_batches(s); ++n) {
        tremula_onnx_tensor last = batch;
        batch = tremula_onnx_built_output(s->model, i);
        batch.data = to;
        if (known)
            memcpy(to, known, elements * size);
        else
            tremula_onnx_from_stream(type, buffer + n * elements * pop_type_size(type), &batch);
        tremula_onnx_cut_output(s->model, i, n, &batch);
        for (size_t d = 1; d < batch.rank && n; ++d)
            if (batch.dims[d] != last.dims[d])
                return tool_fail(error, POP_POPLAR_ERROR, "output '%s' has different shapes in different batches",
                                 tremula_onnx_output(s->model, i)->name);
        to += tremula_onnx_tensor_elements(&batch) * size;
        joined += batch.rank ? batch.dims[0] : 1;
    }
    batch.data = out->data;
    *out = batch;
    if (num_batches(s) > 1)
        out->rank = batch.rank ? batch.rank : 1;
    if (out->rank)
        out->dims[0] = joined;
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
    if (connect_outputs(s, error) != POP_OK || pop_engine_run(s->engine, 0, error) != POP_OK)
        return error->status;
    pop_status status = POP_OK;
    for (size_t i = 0; i < s->num_outputs && status == POP_OK; ++i)
        status = join_batches(s, i, s->buffers[first + i], error);
    return status;
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
